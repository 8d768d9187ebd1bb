// Drives the page where it could stumble: nothing to show, ten thousand skills, texts of every kind and
// direction, no mouse, and a server that goes away and comes back.
// node edges.mjs METIER PICTURES. PLAYWRIGHT names the folder that holds playwright-core.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [metier, pictures] = process.argv.slice(2);
const require = createRequire(join(process.env.PLAYWRIGHT ?? process.cwd(), "package.json"));
const { chromium } = require("playwright-core");

const work = mkdtempSync(join(tmpdir(), "metier-page-"));
const write = (root, name, text) => { mkdirSync(join(work, root, name), { recursive: true }); writeFileSync(join(work, root, name, "SKILL.md"), text); };
const skill = (name, description, body = "# Steps\n") => `---\nname: ${name}\ndescription: ${description}\n---\n${body}`;

function check(is, what) {
  if (!is) throw new Error(`not so: ${what}`);
  console.log(`ok: ${what}`);
}

const servers = new Set();
function serve(roots, port = 0) {
  const named = roots.flatMap((root) => ["--root", join(work, root)]);
  const server = spawn(metier, ["serve", "--http", `127.0.0.1:${port}`, ...named], { stdio: ["ignore", "ignore", "pipe"] });
  servers.add(server);
  return new Promise((resolve, reject) => {
    let said = "";
    server.stderr.on("data", (part) => {
      said += part;
      const address = /listening address=(\S+)/.exec(said)?.[1];
      if (address) resolve({ server, address: `http://${address}`, port: Number(address.split(":").pop()) });
    });
    server.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
}
const end = (server) => new Promise((resolve) => { server.removeAllListeners("exit"); server.on("exit", resolve); server.kill(); });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const open = async (address, options = {}) => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  // A debug build on a busy machine takes its time to index ten thousand skills.
  page.setDefaultTimeout(180_000);
  await page.goto(`${address}/`);
  return page;
};
const shot = (page, name) => page.screenshot({ path: join(pictures, `${name}.png`) });
const focused = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
const fitsSideways = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

try {
  // Nothing at all, and then the first skill.
  mkdirSync(join(work, "empty"));
  const empty = await serve(["empty"]);
  let page = await open(empty.address);
  await page.waitForFunction(() => /There are no skills yet/.test(document.querySelector("#none").textContent));
  await page.waitForFunction(() => /metier new/.test(document.querySelector("main").textContent));
  check(true, "an empty catalog says how to fill it");
  await shot(page, "empty");
  write("empty", "first", skill("first", "The first one. Use for tests."));
  await page.waitForSelector("#skills li");
  check(true, "the first skill appears by itself");
  await page.close();

  // Texts of every kind.
  const long = "a".repeat(64);
  write("odd", long, skill(long, `${"word ".repeat(190)}${"x".repeat(60)}`, `${"y".repeat(3000)}\n`));
  write("odd", "arabic", skill("arabic", "يملأ نماذج PDF. استخدمه عندما يكون هناك نموذج.", "# الخطوات\n\nافتح النموذج.\n"));
  write("odd", "turned", skill("turned", '"Reads \\u202Efdp.exe\\u202C files and\\u200B more. Use for tests."'));
  write("twice", "arabic", skill("arabic", "Another one. Use for tests."));
  write("odd", "broken", "---\nname: [\n---\n");
  const odd = await serve(["odd", "twice"]);
  page = await open(odd.address);
  await page.waitForSelector("#skills li");
  const direction = await page.locator("#skills a", { hasText: "arabic" }).locator(".about").evaluate((it) => getComputedStyle(it).direction);
  check(direction === "rtl", "a text from right to left is set so");
  check((await page.textContent("#skills")).includes("‹U+202E›"), "what turns a text around is shown by its number");
  check(await fitsSideways(page), "long words need no sideways scrolling");
  await shot(page, "odd");
  await page.fill("#query", "zzzz qqqq");
  await page.waitForFunction(() => /No skill fits/.test(document.querySelector("#none").textContent));
  check(true, "a search that finds nothing says so");
  await page.goto(`${odd.address}/#/skill/${long}`);
  await page.waitForFunction(() => document.querySelector("main h1")?.textContent.startsWith("aaaa"));
  await page.setViewportSize({ width: 390, height: 800 });
  check(await fitsSideways(page), "neither does a long skill on a phone");
  await shot(page, "odd-phone");
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${odd.address}/#/problems`);
  await page.waitForSelector("main .rows a");
  await page.click("main .rows a");
  await page.waitForFunction(() => /Another skill answers to this name/.test(document.querySelector("main .notice")?.textContent ?? ""));
  check(true, "a shadowed skill can be opened, and says what shadows it");
  await shot(page, "shadowed");

  // Without a mouse.
  await page.goto(`${odd.address}/#/`);
  await page.fill("#query", "");
  await page.waitForSelector("#skills li");
  await page.locator("#query").focus();
  await page.keyboard.press("ArrowDown");
  const name = await page.evaluate(() => document.activeElement.querySelector(".name").textContent);
  await page.keyboard.press("Enter");
  await page.waitForFunction((name) => document.querySelector("main h1")?.textContent === name, name);
  check((await focused(page)) === "view", "opening a skill moves the focus to it");
  await page.keyboard.press("Tab");
  check((await focused(page)) === "Instructions", "its parts come next");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  check(/^Findings/.test(await focused(page)), "a part can be jumped to");
  await page.keyboard.press("Escape");
  check((await focused(page)).includes(name), "`Esc` leads back to the list");
  const unnamed = await page.evaluate(() => [...document.querySelectorAll("a, button, input")].filter((it) => !(it.textContent.trim() || it.ariaLabel || it.labels?.length)).length);
  check(unnamed === 0, "everything that can be used has a name");
  await page.close();

  // Ten thousand skills.
  for (let at = 0; at < 10_000; at += 1) write("many", `skill-${at}`, skill(`skill-${at}`, `Does the thing number ${at}. Use for tests of size ${at % 97}.`));
  const many = await serve(["many"]);
  page = await open(many.address);
  await page.waitForFunction(() => document.querySelectorAll("#skills li").length >= 100);
  check((await page.textContent("#list-title")) === "10,000 skills", "all are counted");
  check((await page.locator("#skills li").count()) < 1_000, "few are drawn at first");
  for (let round = 0; round < 12; round += 1) {
    const before = await page.locator("#skills li").count();
    await page.evaluate(() => { const list = document.querySelector(".list"); list.scrollTop = list.scrollHeight; });
    await page.waitForFunction((before) => document.querySelectorAll("#skills li").length > before, before);
  }
  check((await page.locator("#skills li").count()) >= 1_200, "more come as one scrolls");
  const started = Date.now();
  await page.fill("#query", "thing number 4711");
  await page.waitForFunction(() => document.querySelector("#skills .name")?.textContent === "skill-4711");
  console.log(`    a search among ten thousand is drawn after ${Date.now() - started} ms`);
  await shot(page, "many");
  await page.close();

  // The server goes away, and comes back with another skill.
  page = await open(empty.address);
  await page.waitForSelector("#skills li");
  await end(empty.server);
  await page.waitForSelector("#gone:not([hidden])");
  check((await page.locator("#skills li").count()) === 1, "what was known stays");
  await shot(page, "gone");
  write("empty", "second", skill("second", "Another one. Use for tests."));
  await serve(["empty"], empty.port);
  await page.waitForSelector("#gone", { state: "hidden" });
  await page.waitForFunction(() => document.querySelectorAll("#skills li").length === 2);
  check(true, "a server that comes back is noticed, and what it has");
  await page.close();
} finally {
  await browser.close();
  for (const server of servers) { server.removeAllListeners("exit"); server.kill(); }
  rmSync(work, { recursive: true, force: true });
}
