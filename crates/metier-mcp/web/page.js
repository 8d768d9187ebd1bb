// Turns what the server knows into a page. Every text of a skill is set as text: this file never
// writes markup, so nothing that a skill says can become any.
"use strict";

const byId = (id) => document.getElementById(id);

// What nobody can see, and what turns the direction of a text around, is shown as its number. Joiners
// are left alone: emoji and some scripts are written with them.
const UNSEEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E0FFF}]/gu;
const reveal = (text) => text.replace(UNSEEN, (c) => `‹U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}›`);

/** An element with attributes and children; a child that is a string becomes text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  const shown = children.flat().filter((child) => child !== undefined && child !== null && child !== false);
  element.append(...shown.map((child) => (typeof child === "string" ? reveal(child) : child)));
  return element;
}

const number = (value) => new Intl.NumberFormat("en").format(value);
const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

// A server that people reach over a network asks for its token; it stays in this tab.
const headers = () => {
  const token = sessionStorage.getItem("token");
  return token ? { authorization: `Bearer ${token}` } : {};
};

class TokenNeeded extends Error {}

async function ask(path, parameters = {}, signal = undefined) {
  const url = new URL(path, location.origin);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== "") url.searchParams.set(name, value);
  }
  const answer = await fetch(url, { signal, headers: headers() });
  if (answer.status === 401) throw new TokenNeeded("this server asks for its token");
  const body = await answer.json().catch((error) => { if (error.name === "AbortError") throw error; return {}; });
  if (!answer.ok) throw new Error(body.error ?? `the server answered ${answer.status}`);
  return body;
}

// ---------------------------------------------------------------------------------------- Markdown

// The server sends a tree of elements it knows. What is not in this table is not made.
const ELEMENTS = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "ul", "ol", "li", "em", "strong", "del", "table", "thead", "tbody", "tr", "th", "td", "hr", "br"]);

function prose(nodes, skill) {
  return nodes.map((node) => {
    if (typeof node === "string") return node;
    const children = prose(node.children ?? [], skill);
    if (node.tag === "a") return link(node, children, skill);
    if (node.tag === "img") return make("span", { class: "empty" }, `[image: ${node.alt || node.to}]`);
    if (!ELEMENTS.has(node.tag)) return make("span", {}, children);
    // The page has its own title, so those of a skill start one level below.
    const heading = /^h([1-6])$/.exec(node.tag);
    const tag = heading ? `h${Math.min(6, Number(heading[1]) + 2)}` : node.tag;
    return make(tag, node.tag === "ol" && node.start ? { start: node.start } : {}, children);
  });
}

function link(node, children, skill) {
  if (/^https?:\/\//i.test(node.to)) return make("a", { href: node.to, rel: "noopener noreferrer nofollow", target: "_blank" }, children);
  if (node.file) return make("a", { href: address("file", skill, node.file) }, children);
  return make("span", { title: node.to }, children);
}

// --------------------------------------------------------------------------------------- Addresses

const address = (page, ...parts) => `#/${[page, ...parts].map(encodeURIComponent).join("/")}`;

function place() {
  const [page = "", ...parts] = location.hash.replace(/^#\/?/, "").split("/").map((part) => {
    try { return decodeURIComponent(part); } catch { return part; }
  });
  return { page, parts };
}

// --------------------------------------------------------------------------------------- The list

let asked = null;
let catalog = { skills: [], total: 0 };

const budget = () => byId("budget").value;
const words = () => byId("query").value.trim();

async function refreshList() {
  asked?.abort();
  const mine = new AbortController();
  asked = mine;
  // As many as are shown already, so that news do not take the place away that somebody has scrolled to.
  const count = words() === "" && catalog.q === "" ? catalog.skills.length : 0;
  const parameters = { q: words(), budget: budget(), count: count > PAGE ? count : "" };
  try {
    const found = await ask("/api/catalog", parameters, mine.signal);
    // Somebody has asked for something else meanwhile.
    if (mine.signal.aborted) return;
    catalog = { ...found, q: parameters.q };
  } catch (error) {
    if (error.name === "AbortError") return;
    // What was known stays, and what could not be had is asked for again.
    catalog = { ...catalog, error: error.message };
    if (!(error instanceof TokenNeeded)) soonAgain();
  }
  drawList();
  drawGauge();
}

let againSoon;
function soonAgain() {
  clearTimeout(againSoon);
  againSoon = setTimeout(refreshList, 2000);
}

const PAGE = 100;
let fetching = false;

async function showMore() {
  if (fetching || words() !== "" || byId("more").hidden) return;
  fetching = true;
  const held = catalog;
  try {
    const next = await ask("/api/catalog", { budget: budget(), from: held.skills.length });
    // Another list was drawn meanwhile: it starts from its own beginning.
    if (held === catalog && next.generation === held.generation) {
      const at = held.skills.length;
      held.skills.push(...next.skills);
      byId("skills").append(...next.skills.map((skill) => row(skill, 1)));
      if (document.activeElement === byId("more")) byId("skills").children[at]?.firstChild.focus();
    }
  } catch { /* What keeps the server from answering is said elsewhere. */ }
  fetching = false;
  drawEnd();
}

/** The id of the skill that is looked at. */
function chosen() {
  const { page, parts } = place();
  return page === "skill" || page === "file" ? parts[0] : null;
}

function markCurrent() {
  const here = chosen() === null ? null : address("skill", chosen());
  for (const link of document.querySelectorAll("#skills a")) {
    if (link.getAttribute("href") === here) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
  }
}

function row(skill, best) {
  const scored = skill.score !== null && skill.score !== undefined;
  const bar = scored && make("span", { class: "bar", "aria-hidden": "true" });
  if (bar) bar.style.width = `${Math.max(2, (100 * skill.score) / best)}%`;
  return make("li", {}, make("a", { href: address("skill", skill.id), "aria-current": skill.id === chosen() ? "true" : null },
    make("span", { class: "row" },
      make("bdi", { class: "name" }, skill.name),
      scored && make("span", { class: "score", title: "how well it fits, from 0 to 1" }, skill.score.toFixed(2)),
      make("span", { class: `fate ${skill.fate}`, title: skill.why ?? FATES[skill.fate] }, skill.fate)),
    make("span", { class: "about", dir: "auto" }, skill.description),
    bar));
}

const FATES = {
  included: "models are told all of its description",
  shortened: "models are told a part of its description",
  omitted: "models are not told of it: they must search",
  hidden: "models are not offered it",
};

function drawList() {
  const best = Math.max(...catalog.skills.map((skill) => skill.score ?? 0), 0.000001);
  byId("skills").replaceChildren(...catalog.skills.map((skill) => row(skill, best)));
  const asking = words() !== "";
  byId("list-title").textContent = catalog.error && catalog.skills.length === 0 ? "No list" : asking ? `${plural(catalog.skills.length, "skill")} that may fit` : plural(catalog.total, "skill");
  drawEnd();
}

// What stands below the list: why it is empty, or how to see the rest.
function drawEnd() {
  const asking = words() !== "";
  const shown = catalog.skills.length;
  const none = byId("none");
  none.hidden = shown > 0;
  none.textContent = catalog.error ?? (asking ? "No skill fits these words. Others may be found by words of their descriptions." : "There are no skills yet.");
  const more = byId("more");
  more.hidden = asking || shown === 0 || shown >= catalog.total;
  more.textContent = `Show more: ${number(shown)} of ${number(catalog.total)} are shown`;
  goOn();
}

// Whoever scrolls sees more by itself; the button is for everybody else. That it comes near is told once,
// so as long as it stays near, more is asked for.
let isNear = false;
let goingOn;
function goOn() {
  clearTimeout(goingOn);
  if (isNear && !byId("more").hidden) goingOn = setTimeout(showMore, 200);
}
new IntersectionObserver((seen) => { isNear = seen[seen.length - 1].isIntersecting; goOn(); }, { rootMargin: "600px" }).observe(byId("more"));

function drawGauge() {
  const { prompt, counts, budget } = catalog;
  const gauge = byId("gauge");
  const fill = byId("gauge-fill");
  if (!prompt) { byId("gauge-text").textContent = ""; return; }
  const limit = budget ?? prompt.tokens;
  const share = limit ? Math.min(1, prompt.tokens / limit) : 0;
  gauge.setAttribute("aria-valuemax", String(limit));
  gauge.setAttribute("aria-valuenow", String(prompt.tokens));
  gauge.setAttribute("aria-valuetext", `${number(prompt.tokens)} tokens`);
  fill.style.width = `${100 * share}%`;
  fill.classList.toggle("full", counts.omitted > 0);
  const parts = [plural(counts.included, "skill") + " in full"];
  if (counts.shortened) parts.push(`${number(counts.shortened)} shortened`);
  if (counts.omitted) parts.push(`${number(counts.omitted)} left out`);
  if (counts.hidden) parts.push(`${number(counts.hidden)} not offered to models`);
  byId("gauge-text").textContent = `${number(prompt.tokens)}${budget ? ` of ${number(budget)}` : ""} tokens: ${parts.join(", ")}`;
}

// ---------------------------------------------------------------------------------------- The view

const titled = (title, ...children) => make("section", {}, make("h2", {}, title), ...children);
const facts = (rows) => make("dl", { class: "facts" }, rows.filter(([, value]) => value !== undefined && value !== null && value !== "").flatMap(([name, value]) => [make("dt", {}, name), make("dd", { dir: "auto" }, value)]));
const tiles = (rows) => make("ul", { class: "tiles" }, rows.map(([value, what, state]) => make("li", { class: state }, make("strong", {}, typeof value === "number" ? number(value) : value), make("span", {}, what))));

function source(text, marked) {
  return make("pre", { class: "lines", tabindex: "0", dir: "auto" }, text.split("\n").map((line, index) => make("span", { class: marked.has(index + 1) ? "marked" : null }, line === "" ? " " : line)));
}

function findings(list) {
  if (list.length === 0) return make("p", { class: "empty" }, "Nothing was found.");
  return list.map((finding) => make("div", { class: `finding ${finding.severity}` },
    make("p", {}, make("strong", {}, finding.severity), finding.line ? ` on line ${finding.line}: ` : ": ", finding.message, " ", make("code", {}, finding.rule)),
    finding.help && make("p", { class: "help" }, finding.help)));
}

function files(skill) {
  const groups = ["scripts", "references", "assets", "other"].filter((group) => skill.resources[group]?.length);
  const nested = (skill.resources.nested ?? []).map((folder) => make("p", { class: "notice" }, "Another skill stands in ", make("code", {}, folder), ". Its files are not served: move it out."));
  if (groups.length === 0) return [make("p", { class: "empty" }, "No other files."), ...nested];
  return [...groups.map((group) => make("div", {}, make("h3", { class: "hint" }, group), make("ul", { class: "files" }, skill.resources[group].map((path) => make("li", {}, make("a", { href: address("file", skill.id, path) }, make("bdi", {}, path))))))), ...nested];
}

// The parts of a page, and buttons that lead to them: links would change the address, which names the page.
function parted(sections) {
  const jump = make("div", { class: "jump", role: "group", "aria-label": "Parts of this page" }, sections.map((section) => {
    const title = section.querySelector("h2");
    title.tabIndex = -1;
    const button = make("button", { type: "button" }, title.textContent);
    button.addEventListener("click", () => { section.scrollIntoView(); title.focus({ preventScroll: true }); });
    return button;
  }));
  return [jump, ...sections];
}

async function skillView(id) {
  const skill = await ask("/api/skill", { id });
  const lines = new Set(skill.findings.map((finding) => finding.line).filter(Boolean));
  const worst = ["error", "warning"].find((severity) => skill.findings.some((finding) => finding.severity === severity));
  const count = ["scripts", "references", "assets", "other"].reduce((sum, group) => sum + (skill.resources[group]?.length ?? 0), 0);
  return [
    make("p", { class: "back" }, make("a", { href: "#/" }, "← all skills")),
    make("h1", { dir: "auto" }, skill.name),
    make("p", { class: "lead", dir: "auto" }, skill.description),
    skill.notice && make("p", { class: "notice" }, skill.notice),
    tiles([
      [skill.tokens.catalog, "tokens in the catalog"], [skill.tokens.activation, "tokens when loaded"],
      [count, count === 1 ? "file beside" : "files beside"],
      [skill.findings.length, skill.findings.length === 1 ? "finding" : "findings", worst],
    ]),
    ...parted([
      titled("Instructions", make("div", { class: "prose", dir: "auto" }, prose(skill.body, skill.id))),
      titled(`Findings (${skill.findings.length})`, findings(skill.findings)),
      titled("Files", files(skill), skill.resources.truncated && make("p", { class: "notice" }, "There are more files than are listed.")),
      titled("Frontmatter", source(skill.frontmatter, lines)),
      titled("What a model receives", make("p", { class: "hint" }, `${plural(skill.activation.tokens, "token")}, when it loads the skill`), make("pre", { tabindex: "0", dir: "auto" }, skill.activation.text)),
      titled("About", facts([
        ["id", skill.id], ["source", skill.source], ["file", skill.location], ["licence", skill.license], ["needs", skill.compatibility],
        ["tools", skill.tools?.join(", ")], ["digest", skill.digest],
      ])),
    ]),
  ];
}

async function fileView(id, path) {
  const file = await ask("/api/file", { id, path });
  return [
    make("p", {}, make("a", { href: address("skill", id) }, `← ${id}`)),
    make("h1", {}, path),
    make("p", { class: "hint" }, plural(file.bytes, "byte")),
    file.text === null ? make("p", { class: "empty" }, "This file is not text.") : source(file.text, new Set()),
  ];
}

async function problemsView() {
  const { problems, shadowed, counts } = await ask("/api/problems");
  const rest = (all, shown) => all > shown && make("p", { class: "hint" }, `and ${number(all - shown)} more`);
  return [
    make("h1", {}, "Problems"),
    problems.length === 0 ? make("p", { class: "empty" }, "None: every skill that was found is loaded.") : problems.map((problem) => make("div", { class: `finding ${problem.severity}` },
      make("p", {}, make("strong", {}, problem.severity), " in ", make("bdi", {}, problem.location), `: ${problem.message}`), problem.help && make("p", { class: "help" }, problem.help))),
    rest(counts.problems, problems.length),
    titled("Shadowed skills", shadowed.length === 0 ? make("p", { class: "empty" }, "None: every name belongs to one skill.") : make("ul", { class: "rows" }, shadowed.map((entry) => make("li", {}, make("a", { href: address("skill", entry.id) }, make("bdi", {}, entry.id)), make("p", { class: "help" }, entry.why)))), rest(counts.shadowed, shadowed.length)),
  ];
}

async function promptView() {
  const prompt = await ask("/api/prompt", { q: words(), budget: budget() });
  return [
    make("h1", {}, "The catalog as a model sees it"),
    make("p", { class: "hint" }, `${plural(prompt.tokens, "token")}: what this server tells agents when they connect${budget() === served ? "" : ", in another budget"}`),
    prompt.text === "" ? make("p", { class: "empty" }, "Nothing: no skill is offered, or none fits the budget.") : make("pre", { tabindex: "0", dir: "auto" }, prompt.text),
  ];
}

async function homeView() {
  const [{ counts }, { counts: found }] = await Promise.all([ask("/api/catalog", { budget: budget(), count: 1 }), ask("/api/problems")]);
  const offered = counts.included + counts.shortened + counts.omitted;
  return [
    make("h1", {}, "What your agents see"),
    tiles([
      [offered, "offered to models"], [counts.shortened, "shortened", counts.shortened ? "warning" : null], [counts.omitted, "left out", counts.omitted ? "warning" : null],
      [counts.hidden, "not offered"], [found.serious, "problems", found.serious ? "error" : null], [found.shadowed, "shadowed"],
    ]),
    make("p", {}, "Type what a user might say, and see which skills a model would be shown, in which order, and how sure the ranking is. Change the budget to see what is kept in full, shortened or left out. Open a skill to read it as a model receives it, with everything that is worth mending."),
    titled("Connect an agent", make("p", {}, "Agents reach the same skills over MCP at"), make("pre", { tabindex: "0" }, `${location.origin}/mcp`),
      make("p", {}, "and the lines for the configuration of a host come from"), make("pre", { tabindex: "0" }, `metier serve --http ${location.host} --print-config claude`)),
    offered === 0 && counts.hidden === 0 && titled("There are no skills yet", make("p", {}, "Make one, and it appears here by itself:"), make("pre", { tabindex: "0" }, "metier new my-first-skill --dir FOLDER")),
  ];
}

function tokenView() {
  const field = make("input", { id: "token", type: "password", autocomplete: "off", required: true });
  const form = make("form", {}, make("label", { for: "token" }, "Token"), field, make("button", {}, "Go on"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem("token", field.value);
    start();
  });
  return [make("h1", {}, "This server asks for its token"), make("p", {}, "It stands in the file that the server was started with."), form];
}

let drawn = 0;

async function drawView({ keepFocus = false } = {}) {
  const turn = ++drawn;
  const { page, parts } = place();
  const view = byId("view");
  let nodes;
  try {
    if (page === "skill") nodes = await skillView(parts[0]);
    else if (page === "file") nodes = await fileView(parts[0], parts.slice(1).join("/"));
    else if (page === "problems") nodes = await problemsView();
    else if (page === "prompt") nodes = await promptView();
    else nodes = await homeView();
  } catch (error) {
    if (error instanceof TokenNeeded) nodes = tokenView();
    else nodes = [make("h1", {}, "That did not work"), make("p", { class: "notice" }, error.message)];
  }
  if (turn !== drawn) return;
  view.replaceChildren(...nodes.flat(2).filter(Boolean));
  document.body.classList.toggle("reading", page !== "");
  for (const item of document.querySelectorAll("nav a")) {
    if (item.dataset.page === page) item.setAttribute("aria-current", "page"); else item.removeAttribute("aria-current");
  }
  const title = view.querySelector("h1")?.textContent;
  document.title = page === "" || !title ? "metier" : `${title} · metier`;
  if (!keepFocus) { scrollTo(0, 0); view.scrollTop = 0; view.focus({ preventScroll: true }); }
}

async function countProblems() {
  const { counts } = await ask("/api/problems").catch(() => ({ counts: { serious: 0 } }));
  const badge = byId("problem-count");
  badge.hidden = counts.serious === 0;
  badge.textContent = number(counts.serious);
  badge.setAttribute("aria-label", plural(counts.serious, "problem"));
}

// ---------------------------------------------------------------------------------------- Events

let hideStatus;
function say(text) {
  const status = byId("status");
  status.textContent = text;
  status.classList.add("shown");
  clearTimeout(hideStatus);
  hideStatus = setTimeout(() => status.classList.remove("shown"), 2500);
}

let waiting;
function soon(action) {
  clearTimeout(waiting);
  waiting = setTimeout(action, 60);
}

function typed() {
  soon(() => { refreshList(); if (["", "prompt"].includes(place().page)) drawView({ keepFocus: true }); });
}

function move(step) {
  const links = [...document.querySelectorAll("#skills a")];
  const at = links.indexOf(document.activeElement);
  const next = links[at + step];
  if (next) next.focus(); else if (step < 0) byId("query").focus();
}

function pressed(event) {
  const typing = event.target instanceof HTMLInputElement;
  const inList = event.target.closest?.("#skills");
  if (event.key === "/" && !typing) { event.preventDefault(); byId("query").focus(); byId("query").select(); }
  else if (event.key === "Escape" && (typing || inList)) { byId("query").value = ""; byId("query").focus(); refreshList(); }
  else if (event.key === "ArrowDown" && (event.target === byId("query") || inList)) { event.preventDefault(); move(1); }
  else if (event.key === "ArrowUp" && inList) { event.preventDefault(); move(-1); }
  else if (event.key === "Escape" && event.target.closest?.("main")) (document.querySelector("#skills [aria-current]") ?? byId("query")).focus();
}

// How long the server may be silent: it says that it is there every 15 seconds.
const SILENCE = 40_000;

function away(is) {
  const gone = byId("gone");
  gone.textContent = is ? "The server does not answer. What is shown may be out of date; it is asked again every few seconds." : "";
  gone.hidden = !is;
}

// An EventSource cannot send a token, so the stream of events is read by hand.
async function listen() {
  let known = null;
  for (;;) {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE);
    try {
      const answer = await fetch("/api/events", { headers: headers(), signal: silence.signal });
      if (answer.status === 401) return;
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      // Whoever comes back may have become another one.
      if (!byId("gone").hidden) { away(false); changed("The server is back."); }
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE);
        text += part.value;
        const events = text.split("\n\n");
        text = events.pop();
        for (const event of events) {
          const generation = /^data: ?(\d+)$/m.exec(event)?.[1];
          if (generation === undefined || generation === known) continue;
          if (known !== null) changed("The skills changed.");
          known = generation;
        }
      }
    } catch { away(true); }
    clearTimeout(timer);
    await new Promise((go) => setTimeout(go, 1500));
  }
}

function changed(why) {
  say(why);
  refreshList();
  countProblems();
  drawView({ keepFocus: true });
}

// The budget that agents are given, until somebody tries another one.
let served = "";

async function start() {
  try {
    served = String((await ask("/api/about")).budget);
    if (budget() === "") byId("budget").value = served;
  } catch { /* A token is asked for below, and a server that is away is noticed there. */ }
  refreshList();
  countProblems();
  drawView({ keepFocus: true });
  listen();
}

byId("query").addEventListener("input", typed);
byId("budget").addEventListener("input", typed);
byId("limits").addEventListener("submit", (event) => event.preventDefault());
byId("search").addEventListener("submit", (event) => {
  event.preventDefault();
  if (catalog.skills[0]) location.hash = address("skill", catalog.skills[0].id);
});
byId("more").addEventListener("click", showMore);
byId("skip").addEventListener("click", () => byId("view").focus());
addEventListener("hashchange", () => { markCurrent(); drawView(); });
addEventListener("keydown", pressed);

start();
