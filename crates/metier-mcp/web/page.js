// Turns what the server knows into a page. Every text of a skill is set as text: this file never
// writes markup, so nothing that a skill says can become any.
"use strict";

const byId = (id) => document.getElementById(id);

/** An element with attributes and children; a child that is a string becomes text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
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
  const body = await answer.json().catch(() => ({}));
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

async function refreshList() {
  asked?.abort();
  asked = new AbortController();
  const parameters = { q: byId("query").value.trim(), budget: byId("budget").value };
  try {
    catalog = await ask("/api/catalog", parameters, asked.signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    catalog = { skills: [], total: 0, error: error.message };
  }
  drawList();
  drawGauge();
}

function drawList() {
  const current = place();
  const chosen = current.page === "skill" || current.page === "file" ? current.parts[0] : null;
  const best = Math.max(...catalog.skills.map((skill) => skill.score ?? 0), 0.000001);
  byId("skills").replaceChildren(...catalog.skills.map((skill) => {
    const scored = skill.score !== null && skill.score !== undefined;
    const bar = scored && make("span", { class: "bar", "aria-hidden": "true" });
    if (bar) bar.style.width = `${Math.max(2, (100 * skill.score) / best)}%`;
    return make("li", {}, make("a", { href: address("skill", skill.id), "aria-current": skill.id === chosen ? "true" : null },
      make("span", { class: "row" },
        make("span", { class: "name" }, skill.name),
        scored && make("span", { class: "score", title: "how well it fits, from 0 to 1" }, skill.score.toFixed(2)),
        make("span", { class: `fate ${skill.fate}`, title: skill.why ?? null }, skill.fate)),
      make("span", { class: "about" }, skill.description),
      bar));
  }));
  const asking = byId("query").value.trim() !== "";
  const shown = catalog.skills.length;
  byId("list-title").textContent = catalog.error ? "The server did not answer" : asking ? `${plural(shown, "skill")} that may fit` : plural(catalog.total, "skill");
  const more = byId("more");
  more.hidden = !catalog.error && (shown > 0 && (asking || shown >= catalog.total));
  more.textContent = catalog.error ?? (shown === 0 ? (asking ? "No skill fits these words." : "There are no skills yet.") : `The first ${number(shown)} are shown; search for the others.`);
}

function drawGauge() {
  const { prompt, counts, budget } = catalog;
  const gauge = byId("gauge");
  const fill = byId("gauge-fill");
  if (!prompt) { byId("gauge-text").textContent = ""; return; }
  const limit = budget ?? prompt.tokens;
  const share = limit ? Math.min(1, prompt.tokens / limit) : 0;
  gauge.setAttribute("aria-valuemax", String(limit));
  gauge.setAttribute("aria-valuenow", String(prompt.tokens));
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
const facts = (rows) => make("dl", { class: "facts" }, rows.filter(([, value]) => value !== undefined && value !== null && value !== "").flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));

function source(text, marked) {
  return make("pre", { class: "lines", tabindex: "0" }, text.split("\n").map((line, index) => make("span", { class: marked.has(index + 1) ? "marked" : null }, line === "" ? " " : line)));
}

function findings(list) {
  if (list.length === 0) return make("p", { class: "empty" }, "Nothing was found.");
  return list.map((finding) => make("div", { class: `finding ${finding.severity}` },
    make("p", {}, make("strong", {}, finding.severity), finding.line ? ` on line ${finding.line}: ` : ": ", finding.message, " ", make("code", {}, finding.rule)),
    finding.help && make("p", { class: "help" }, finding.help)));
}

function files(skill) {
  const groups = ["scripts", "references", "assets", "other"].filter((group) => skill.resources[group]?.length);
  if (groups.length === 0) return make("p", { class: "empty" }, "No other files.");
  return groups.map((group) => make("div", {}, make("h3", { class: "hint" }, group), make("ul", { class: "files" }, skill.resources[group].map((path) => make("li", {}, make("a", { href: address("file", skill.id, path) }, path))))));
}

async function skillView(id) {
  const skill = await ask("/api/skill", { id });
  const lines = new Set(skill.findings.map((finding) => finding.line).filter(Boolean));
  return [
    make("h1", {}, skill.name),
    make("p", { class: "lead" }, skill.description),
    skill.notice && make("p", { class: "notice" }, skill.notice),
    facts([
      ["id", skill.id], ["source", skill.source], ["file", skill.location], ["licence", skill.license], ["needs", skill.compatibility],
      ["tools", skill.tools?.join(", ")], ["digest", skill.digest],
      ["tokens", `${number(skill.tokens.catalog)} in the catalog, ${number(skill.tokens.activation)} when loaded`],
    ]),
    titled(`Findings (${skill.findings.length})`, findings(skill.findings)),
    titled("Instructions", make("div", { class: "prose" }, prose(skill.body, skill.id))),
    titled("Files", files(skill), skill.resources.truncated && make("p", { class: "notice" }, "There are more files than are listed.")),
    titled("Frontmatter", source(skill.frontmatter, lines)),
    titled("What a model receives when it loads the skill", make("p", { class: "hint" }, plural(skill.activation.tokens, "token")), make("pre", { tabindex: "0" }, skill.activation.text)),
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
  const { problems, shadowed } = await ask("/api/problems");
  return [
    make("h1", {}, "Problems"),
    problems.length === 0 ? make("p", { class: "empty" }, "None.") : problems.map((problem) => make("div", { class: `finding ${problem.severity}` },
      make("p", {}, make("strong", {}, problem.severity), ` in ${problem.location}: ${problem.message}`), problem.help && make("p", { class: "help" }, problem.help))),
    titled("Shadowed skills", shadowed.length === 0 ? make("p", { class: "empty" }, "None.") : make("ul", {}, shadowed.map((entry) => make("li", {}, make("a", { href: address("skill", entry.id) }, entry.id), `: ${entry.why}`)))),
  ];
}

async function promptView() {
  const prompt = await ask("/api/prompt", { q: byId("query").value.trim(), budget: byId("budget").value });
  return [
    make("h1", {}, "The catalog as a model sees it"),
    make("p", { class: "hint" }, `${plural(prompt.tokens, "token")}, byte for byte what stands in the system prompt`),
    prompt.text === "" ? make("p", { class: "empty" }, "Nothing: no skill is offered, or none fits the budget.") : make("pre", { tabindex: "0" }, prompt.text),
  ];
}

function homeView() {
  return [
    make("h1", {}, "What your agents see"),
    make("p", {}, "Type what a user might say, and see which skills a model would be shown, in which order, and how sure the ranking is. Set a budget to see what is kept in full, shortened or left out."),
    make("p", {}, "Open a skill to read it as a model receives it, with everything that is worth mending."),
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
    else nodes = homeView();
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
  if (!keepFocus) { scrollTo(0, 0); view.focus({ preventScroll: true }); }
}

async function countProblems() {
  const { problems } = await ask("/api/problems").catch(() => ({ problems: [] }));
  const errors = problems.filter((problem) => problem.severity !== "note").length;
  const badge = byId("problem-count");
  badge.hidden = errors === 0;
  badge.textContent = number(errors);
  badge.setAttribute("aria-label", plural(errors, "problem"));
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
  soon(() => { refreshList(); if (place().page === "prompt") drawView({ keepFocus: true }); });
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
}

// An EventSource cannot send a token, so the stream of events is read by hand.
async function listen() {
  let known = null;
  for (;;) {
    try {
      const answer = await fetch("/api/events", { headers: headers() });
      if (answer.status === 401) return;
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        text += part.value;
        const events = text.split("\n\n");
        text = events.pop();
        for (const event of events) {
          const generation = /^data: ?(\d+)$/m.exec(event)?.[1];
          if (generation === undefined || generation === known) continue;
          if (known !== null) changed();
          known = generation;
        }
      }
    } catch { /* The server went away; it is asked again below. */ }
    await new Promise((go) => setTimeout(go, 1500));
  }
}

function changed() {
  say("The skills changed.");
  refreshList();
  countProblems();
  drawView({ keepFocus: true });
}

function start() {
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
addEventListener("hashchange", () => { drawList(); drawView(); });
addEventListener("keydown", pressed);

start();
