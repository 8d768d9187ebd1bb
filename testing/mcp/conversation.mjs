// Holds a whole conversation with the server through the TypeScript client.
//
//   node conversation.mjs auto|legacy FOLDER METIER|URL
//
// FOLDER is a copy of examples/skills, which is changed to see that the change is told.

import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [mode, folder, target] = process.argv.slice(2);
const transport = target.startsWith('http')
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args: ['serve', '--root', folder], stderr: 'ignore' });

let told;
const change = new Promise((resolve) => { told = resolve; });
const client = new Client({ name: 'conversation', version: '1' }, {
  versionNegotiation: { mode },
  enforceStrictCapabilities: true,
  listChanged: { resources: { autoRefresh: false, onChanged: () => told() } },
});
await client.connect(transport);
const modern = client.getNegotiatedProtocolVersion() === '2026-07-28';
assert.equal(modern, mode === 'auto');
assert.match(client.getInstructions(), /<name>csv-inspector<\/name>/);

const { tools } = await client.listTools();
assert.deepEqual(tools.map((tool) => tool.name), ['search_skills', 'load_skill', 'unload_skill', 'read_skill_file']);
const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args });
  return { text: result.content[0].text, ...result };
};
const found = await call('search_skills', { query: 'profile a table of numbers', limit: 3 });
assert.match(found.text, /csv-inspector/);
const loaded = await call('load_skill', { name: 'csv-inspector' });
assert.equal(loaded.isError ?? false, false);
assert.match(loaded.text, /CSV inspector/);
assert.ok(loaded.structuredContent);
const script = await call('read_skill_file', { skill: 'csv-inspector', path: 'references/pitfalls.md' });
assert.equal(script.isError ?? false, false);
assert.equal((await call('load_skill', { name: 'csv-inspektor' })).isError, true);
assert.equal((await call('unload_skill', { name: 'csv-inspector' })).isError ?? false, false);
await assert.rejects(client.callTool({ name: 'run_skill_script', arguments: {} }));

const { resources } = await client.listResources();
assert.ok(resources.some((resource) => resource.uri === 'skill://csv-inspector/SKILL.md'));
assert.ok(resources.some((resource) => resource.uri === 'skill://index.json'));
const { resourceTemplates } = await client.listResourceTemplates();
assert.equal(resourceTemplates[0].uriTemplate, 'skill://{+path}');
const complete = async (value) => {
  const ref = { type: 'ref/resource', uri: 'skill://{+path}' };
  return (await client.complete({ ref, argument: { name: 'path', value } })).completion.values;
};
assert.deepEqual(await complete('csv'), ['csv-inspector/SKILL.md']);
assert.ok((await complete('csv-inspector/ref')).includes('csv-inspector/references/pitfalls.md'));
assert.ok(tools.every((tool) => tool.annotations.readOnlyHint));
await assert.rejects(client.readResource({ uri: 'skill://csv-inspector/../x' }));
const { prompts } = await client.listPrompts();
assert.ok(prompts.some((prompt) => prompt.name === 'changelog-writer'));
const prompt = await client.getPrompt({ name: 'changelog-writer', arguments: { arguments: 'v1.2.3' } });
assert.match(prompt.messages[0].content.text, /v1\.2\.3/);

const skills = new SkillsClient(client);
assert.ok(skills.supported && skills.directoryRead);
const { skills: entries, invalid } = await skills.list();
assert.equal(entries.length, 9);
assert.equal(invalid.length, 0);
for (const entry of entries) {
  for (const resource of entry.resources) {
    const file = await skills.read(entry, resource.uri);
    assert.ok(file.verified);
  }
}
const { skill } = await skills.get('skill://csv-inspector/SKILL.md');
assert.equal(skill.frontmatter.name, 'csv-inspector');
await assert.rejects(skills.get('skild://csv-inspector/SKILL.md'));
const children = await skills.readDirectory('skill://csv-inspector');
assert.ok(children.resources.some((child) => child.mimeType === 'inode/directory'));

appendFileSync(`${folder}/csv-inspector/references/pitfalls.md`, '\nOne more.\n');
const late = setTimeout(() => { throw new Error('the change was not told'); }, 20_000);
await change;
clearTimeout(late);
const again = (await skills.get('skill://csv-inspector/SKILL.md')).skill;
const file = await skills.read(again, 'references/pitfalls.md', { cacheMode: 'refresh' });
assert.match(file.text, /One more\./);
await client.close();
