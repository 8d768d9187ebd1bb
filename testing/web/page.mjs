// Drives the page in a real browser as a person would, and fails at the first thing that is not so.
// node page.mjs ADDRESS FOLDER PICTURES: the server's address, the folder of skills that it serves and
// this script may write to, and where pictures go. PLAYWRIGHT names the folder that holds playwright-core.

import { createRequire } from "node:module";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [address, folder, pictures] = process.argv.slice(2);
const require = createRequire(join(process.env.PLAYWRIGHT ?? process.cwd(), "package.json"));
const { chromium } = require("playwright-core");

const HOSTILE = `---
name: hostile
description: "Shows <script>document.title='owned'</script> and </available_skills><b>bold</b>. Use for nothing."
---
# Hostile <img src=x onerror="document.title='owned'">

<script>document.title='owned'</script>

[click](javascript:document.title='owned') [data](data:text/html,owned) [file](scripts/run.sh) [out](../../etc/passwd)

<a href="javascript:alert(1)" onclick="alert(2)">anchor</a> and \u202Ebidi\u202C text

See [none](references/none.md).
`;

const write = (name, text) => { mkdirSync(join(folder, name), { recursive: true }); writeFileSync(join(folder, name, "SKILL.md"), text); };
const skill = (name, description, body = "# Steps\n") => `---\nname: ${name}\ndescription: ${description}\n---\n${body}`;

function check(is, what) {
  if (!is) throw new Error(`not so: ${what}`);
  console.log(`ok: ${what}`);
}

write("hostile", HOSTILE);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

try {
  for (const colorScheme of ["light", "dark"]) {
    const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 900 } });
    const complaints = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => { if (message.type() === "error") complaints.push(message.text()); });
    page.on("dialog", (dialog) => { complaints.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on("request", (request) => { if (!request.url().startsWith(address)) complaints.push(`asked ${request.url()}`); });
    const shot = (name) => page.screenshot({ path: join(pictures, `${name}-${colorScheme}.png`) });

    await page.goto(`${address}/`);
    await page.waitForSelector("#skills li");
    check((await page.locator("#skills li").count()) >= 2, "the catalog is listed");
    check(/tokens: /.test(await page.textContent("#gauge-text")), "the gauge says how many tokens the catalog takes");
    await shot("catalog");

    await page.keyboard.press("/");
    check(await page.evaluate(() => document.activeElement.id === "query"), "`/` goes to the search field");
    await page.keyboard.type("write the release notes for the last tag");
    await page.waitForFunction(() => document.querySelector("#skills .score"));
    const scores = (await page.locator("#skills .score").allTextContents()).map(Number);
    check(scores.every((score, at) => score >= 0 && score <= 1 && (at === 0 || score <= scores[at - 1])), "scores are between 0 and 1, the best first");
    const first = await page.locator("#skills .name").first().textContent();
    check(first === "changelog-writer", `the right skill is first: ${first}`);
    await shot("search");

    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForFunction((name) => document.querySelector("main h1")?.textContent === name, first);
    check((await page.locator("main .prose").count()) === 1, "the instructions are shown");
    check((await page.textContent("main")).includes("<skill_content name="), "the text a model receives is shown");
    await shot("skill");

    await page.fill("#budget", "150");
    await page.waitForFunction(() => /of 150 tokens/.test(document.querySelector("#gauge-text").textContent));
    check(/left out/.test(await page.textContent("#gauge-text")), "a small budget leaves skills out, and says so");
    await page.goto(`${address}/#/prompt`);
    await page.waitForFunction(() => /as a model sees it/.test(document.querySelector("main h1")?.textContent ?? ""));
    check((await page.textContent("main pre")).includes("<available_skills>"), "the prompt is shown as it is");
    await shot("budget");
    await page.fill("#budget", "");

    await page.goto(`${address}/#/skill/hostile`);
    await page.waitForFunction(() => document.querySelector("main h1")?.textContent === "hostile");
    check((await page.locator("main script, main img, main iframe, main [onclick], main [onerror], main [style]").count()) === 0, "no markup of a skill becomes an element");
    const links = await page.locator("main a").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    check(links.every((to) => /^(#|https?:)/.test(to)), "no link leads to a script");
    check((await page.textContent("main .prose")).includes("<script>document.title='owned'</script>"), "markup shows as text");
    check((await page.textContent("main")).includes("dead-link"), "findings are shown");
    check(!(await page.title()).includes("owned"), "nothing of a skill ran");
    await shot("hostile");

    await page.goto(`${address}/#/`);
    await page.fill("#query", "");
    const name = `fresh-${colorScheme}`;
    write(name, skill(name, "Made while the page is open. Use for tests."));
    await page.waitForFunction((name) => [...document.querySelectorAll("#skills .name")].some((n) => n.textContent === name), name, { timeout: 10_000 });
    check(true, "a new skill appears by itself");
    await page.goto(`${address}/#/skill/${name}`);
    await page.waitForFunction((name) => document.querySelector("main h1")?.textContent === name, name);
    write(name, skill(name, "Edited while the page is open. Use for tests."));
    await page.waitForFunction(() => document.querySelector("main .lead")?.textContent.startsWith("Edited"), null, { timeout: 10_000 });
    check(true, "an edit appears by itself");
    write(name, "---\nname: [\n---\n");
    await page.waitForFunction(() => !document.querySelector("#problem-count").hidden, null, { timeout: 10_000 });
    await page.goto(`${address}/#/problems`);
    const isNamed = (name) => [...document.querySelectorAll("main .finding.error")].some((one) => one.textContent.includes(name));
    await page.waitForFunction(isNamed, name, { timeout: 10_000 });
    check(true, "a broken edit is among the problems");
    await shot("problems");

    await page.goto(`${address}/#/skill/nowhere`);
    await page.waitForFunction(() => /did not work/.test(document.querySelector("main h1")?.textContent ?? ""));
    check((await page.textContent("main")).includes("nowhere"), "a skill that is not there is named");
    const own = complaints.filter((text) => !text.includes("404"));
    check(own.length === 0, `the browser has nothing to complain about: ${own.join("; ")}`);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${address}/#/`);
    await shot("phone");
    check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "a phone needs no sideways scrolling");
    await page.close();
  }
} finally {
  await browser.close();
}
