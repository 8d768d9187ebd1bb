// Reads every file of every skill that a server lists, and verifies it as hosts must.
//
//   node verify.mjs auto|legacy URL

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';

const [mode, url] = process.argv.slice(2);
const client = new Client({ name: 'verify', version: '1' }, { versionNegotiation: { mode } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const skills = new SkillsClient(client);
const { skills: entries } = await skills.list();
let files = 0;
const problems = [];
for (const entry of entries) {
  for (const resource of entry.resources) {
    files += 1;
    try {
      await skills.read(entry, resource.uri);
    } catch (error) {
      problems.push(`${resource.uri}: ${error.message}`);
    }
  }
}
console.log(`${entries.length} skills, ${files} files, ${problems.length} problems`);
problems.forEach((problem) => console.log(problem));
await client.close();
process.exit(entries.length > 0 && problems.length === 0 ? 0 : 1);
