#!/usr/bin/env python3
"""Check HTML files for accessibility mistakes that can be seen in the markup."""

import argparse
import json
import os
import re
import sys
from collections import Counter
from html.parser import HTMLParser

VOID = set("area base br col embed hr img input link meta source track wbr".split())
# End tags that HTML lets authors leave out: a new one of the left kind closes an open one on the right.
CLOSES = {
    "li": {"li"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
    "option": {"option"},
    "tr": {"tr", "td", "th"},
    "td": {"td", "th"},
    "th": {"td", "th"},
    "tbody": {"thead", "tbody", "tr", "td", "th"},
}
CLOSE_P = set(
    "address article aside blockquote div dl fieldset footer form h1 h2 h3 h4 h5 h6 header hr main nav "
    "ol p pre section table ul".split()
)
NATIVE = {"a", "button", "input", "select", "textarea", "summary"}
UNLABELLED_INPUTS = {"hidden", "submit", "reset", "button", "image"}
VAGUE = {"click here", "here", "more", "read more", "learn more", "link", "this", "details", "continue"}
ROLES = set(
    "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox "
    "complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid "
    "gridcell group heading img image insertion link list listbox listitem log main mark marquee math menu menubar "
    "menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar "
    "radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status "
    "strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar "
    "tooltip tree treegrid treeitem".split()
)
REFERENCES = ("aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-activedescendant")

# rule: (severity, WCAG success criterion, fix)
RULES = {
    "document-lang": ("error", "3.1.1", "add `lang` with the page's language to `html`"),
    "document-title": ("error", "2.4.2", "add a `title` that says what this page is"),
    "no-main": ("warning", "1.3.1", "put the content that is unique to the page into one `main`"),
    "zoom-blocked": ("error", "1.4.4", "remove `user-scalable=no` and any `maximum-scale` below 2"),
    "timed-refresh": ("error", "2.2.1", "let the user reload, or redirect on the server"),
    "image-alt": ("error", "1.1.1", "describe what the picture tells, or write `alt` empty if it only decorates"),
    "alt-is-file-name": ("error", "1.1.1", "write what the picture tells"),
    "field-label": ("error", "1.3.1", "add a `label` whose `for` names the field's `id`"),
    "placeholder-as-label": ("error", "3.3.2", "add a visible `label`; a placeholder vanishes when typing starts"),
    "empty-control": ("error", "4.1.2", "put text inside, or `aria-label` if there is only an icon"),
    "vague-link": ("warning", "2.4.4", "name the target in the link's own words"),
    "link-without-target": ("warning", "2.1.1", "use `button` for actions, `a` with `href` for places"),
    "empty-heading": ("error", "1.3.1", "remove it or give it text"),
    "heading-skip": ("warning", "1.3.1", "use the next level; style it with CSS"),
    "no-h1": ("warning", "1.3.1", "give the page one `h1`"),
    "duplicate-id": ("error", "4.1.2", "make each `id` unique"),
    "dangling-reference": ("error", "1.3.1", "point it to an `id` that exists"),
    "positive-tabindex": ("error", "2.4.3", "use 0 and order the source instead"),
    "click-on-static": ("error", "2.1.1", "use `button`: it has a role, focus and keys built in"),
    "hidden-but-focusable": ("error", "4.1.2", "remove `aria-hidden`, or take the control out of the tab order"),
    "nested-control": ("error", "4.1.2", "take the inner control out of the outer one"),
    "unknown-role": ("error", "4.1.2", "use a role of ARIA 1.2, or none"),
    "frame-title": ("error", "4.1.2", "add a `title` that names the frame's content"),
    "table-headers": ("warning", "1.3.1", "mark headers with `th` and `scope`, or use CSS if it is layout"),
    "autoplay-sound": ("error", "1.4.2", "remove `autoplay`, or add `muted` and controls"),
    "video-captions": ("warning", "1.2.2", "add a `track` of kind captions"),
    "group-legend": ("warning", "1.3.1", "start the `fieldset` with a `legend`"),
}


class Element:
    def __init__(self, tag, attributes, place, parent):
        self.tag, self.place, self.parent = tag, place, parent
        self.attributes = {}
        for name, value in attributes:
            self.attributes.setdefault(name, value or "")
        self.children, self.text = [], []

    def get(self, name):
        return self.attributes.get(name, "").strip()

    def ancestors(self):
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def walk(self):
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def words(self):
        """What a screen reader would read inside: text, `alt` and `aria-label`, nothing hidden."""
        parts, stack = [], [self]
        while stack:
            node = stack.pop()
            if isinstance(node, str):
                parts.append(node)
            elif node.get("aria-hidden") == "true" or "hidden" in node.attributes or node.tag in ("script", "style"):
                continue
            elif node is not self and node.get("aria-label"):
                parts.append(node.get("aria-label"))
            elif node.tag == "img":
                parts.append(node.get("alt"))
            else:
                stack.extend(reversed(node.text))
        return " ".join(" ".join(parts).split())


class Tree(HTMLParser):
    """Builds elements with their places. Tags left open are closed where HTML would."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.root = Element("#root", [], (1, 0), None)
        self.open = self.root

    def handle_starttag(self, tag, attributes):
        closing = CLOSES.get(tag, set()) | ({"p"} if tag in CLOSE_P else set())
        while self.open.tag in closing:
            self.open = self.open.parent
        element = Element(tag, attributes, self.getpos(), self.open)
        self.open.children.append(element)
        self.open.text.append(element)
        if tag not in VOID:
            self.open = element

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        # `<div/>` opens a div in HTML; in SVG and MathML the slash closes.
        if tag not in VOID and any(node.tag in ("svg", "math") for node in self.open.ancestors()):
            self.open = self.open.parent

    def handle_endtag(self, tag):
        if any(node.tag == tag for node in [self.open, *self.open.ancestors()]):
            while self.open.tag != tag:
                self.open = self.open.parent
            self.open = self.open.parent

    def handle_data(self, data):
        self.open.text.append(data)


class Check:
    def __init__(self, path, source, fragment):
        tree = Tree()
        tree.feed(source)
        tree.close()
        self.path, self.findings = path, []
        self.elements = [element for element in tree.root.walk()][1:]
        self.ids = Counter(element.get("id") for element in self.elements if element.get("id"))
        self.label_targets = {e.get("for") for e in self.elements if e.tag == "label" and self.name(e)}
        if not fragment and any(element.tag in ("html", "body") for element in self.elements):
            self.document()
        self.headings()
        for element in self.elements:
            self.element(element)
        for name in (name for name, count in self.ids.items() if count > 1):
            second = [element for element in self.elements if element.get("id") == name][1]
            self.find("duplicate-id", second, f"`{name}` occurs {self.ids[name]} times")

    def find(self, rule, element, message):
        severity, criterion, fix = RULES[rule]
        line, column = element.place if element else (1, 0)
        self.findings.append(
            {
                "rule": rule,
                "severity": severity,
                "wcag": criterion,
                "file": self.path,
                "line": line,
                "column": column + 1,
                "message": message,
                "fix": fix,
            }
        )

    def first(self, tag):
        return next((element for element in self.elements if element.tag == tag), None)

    def document(self):
        html = self.first("html")
        if html is None or not html.get("lang"):
            self.find("document-lang", html, "the page does not say its language")
        title = next(
            (e for e in self.elements if e.tag == "title" and not any(a.tag == "svg" for a in e.ancestors())), None
        )
        if title is None or not title.words():
            self.find("document-title", title or html, "the page has no title")
        if not any(e.tag == "main" or e.get("role") == "main" for e in self.elements):
            self.find("no-main", self.first("body") or html, "no `main` landmark")
        if not any(e.tag == "h1" for e in self.elements):
            self.find("no-h1", self.first("body") or html, "no `h1`")

    def headings(self):
        last = 0
        for element in self.elements:
            if not re.fullmatch(r"h[1-6]", element.tag):
                continue
            level = int(element.tag[1])
            if not self.name(element):
                self.find("empty-heading", element, f"`{element.tag}` has no text")
            if last and level > last + 1:
                self.find("heading-skip", element, f"`{element.tag}` follows `h{last}`")
            last = level

    def name(self, element):
        """The accessible name, near enough: ARIA first, then content, then title."""
        labels = (
            [e.words() for e in self.elements if e.get("id") in element.get("aria-labelledby").split()]
            if element.get("aria-labelledby")
            else []
        )
        inner = next((e.words() for e in element.walk() if e.tag == "title" and e is not element), "")
        return " ".join(labels).strip() or element.get("aria-label") or element.words() or inner or element.get("title")

    def element(self, e):
        tag, role = e.tag, e.get("role")
        if tag == "meta":
            self.meta(e)
        if tag == "img":
            if "alt" not in e.attributes and role not in ("none", "presentation") and not e.get("aria-label"):
                self.find("image-alt", e, f"`img` {os.path.basename(e.get('src'))[:60]} has no `alt`")
            elif re.fullmatch(r"[\w-]+\.(png|jpe?g|gif|svg|webp|avif)", e.get("alt"), re.I):
                self.find("alt-is-file-name", e, f"`alt` is a file name: {e.get('alt')[:60]}")
        if tag in ("input", "select", "textarea"):
            self.field(e)
        if tag == "a" and "href" not in e.attributes and ("onclick" in e.attributes or role == "button"):
            self.find("link-without-target", e, "`a` without `href` acts as a button")
        if tag == "button" or tag == "a" and "href" in e.attributes or role in ("button", "link", "tab", "menuitem"):
            name = self.name(e)
            if not name:
                self.find("empty-control", e, f"`{tag}` has no name")
            elif tag == "a" and name.lower().strip(" .>") in VAGUE:
                self.find("vague-link", e, f"link text is `{name}`")
        if re.fullmatch(r"\+?[0-9]{1,9}", e.get("tabindex")) and int(e.get("tabindex")) > 0:
            self.find("positive-tabindex", e, f"`tabindex` is {e.get('tabindex')[:10]}")
        if "onclick" in e.attributes and tag not in NATIVE | {"label", "body", "form", "option", "area"}:
            if not role or "tabindex" not in e.attributes:
                self.find("click-on-static", e, f"`{tag}` reacts to clicks but cannot be reached by keyboard")
        if self.focusable(e):
            if any(node.get("aria-hidden") == "true" for node in [e, *e.ancestors()]):
                self.find("hidden-but-focusable", e, f"`{tag}` takes focus inside `aria-hidden`")
            outer = next(
                (
                    node.tag
                    for node in e.ancestors()
                    if node.tag == "button" or node.tag == "a" and "href" in node.attributes
                ),
                None,
            )
            if outer:
                self.find("nested-control", e, f"`{tag}` inside `{outer}`")
        if role and not any(name.lower() in ROLES or name.startswith("doc-") for name in role.split()):
            self.find("unknown-role", e, f"role `{role[:40]}` does not exist")
        for attribute in REFERENCES:
            for target in e.get(attribute).split():
                if target not in self.ids:
                    self.find("dangling-reference", e, f"`{attribute}` names `{target[:60]}`, which is not on the page")
        if tag == "label" and e.get("for") and e.get("for") not in self.ids:
            self.find("dangling-reference", e, f"`for` names `{e.get('for')[:60]}`, which is not on the page")
        if tag == "iframe" and not self.name(e) and e.get("aria-hidden") != "true":
            self.find("frame-title", e, "`iframe` has no title")
        if tag == "table" and role not in ("none", "presentation") and not any(c.tag == "th" for c in e.walk()):
            self.find("table-headers", e, "`table` has no header cells")
        if tag in ("audio", "video") and "autoplay" in e.attributes and "muted" not in e.attributes:
            self.find("autoplay-sound", e, f"`{tag}` starts with sound by itself")
        if tag == "video" and "muted" not in e.attributes and not any(c.tag == "track" for c in e.walk()):
            self.find("video-captions", e, "`video` has no captions track")
        if (
            tag == "fieldset"
            and not any(c.tag == "legend" and c.words() for c in e.children)
            and not e.get("aria-label")
            and not e.get("aria-labelledby")
        ):
            self.find("group-legend", e, "`fieldset` has no `legend`")

    def meta(self, e):
        content = e.get("content").lower().replace(" ", "")
        if e.get("name").lower() == "viewport":
            scale = re.search(r"maximum-scale=([0-9.]+)", content)
            small = scale and re.fullmatch(r"[0-9]+(\.[0-9]+)?", scale[1]) and float(scale[1]) < 2
            if re.search(r"user-scalable=(no|0)", content) or small:
                self.find("zoom-blocked", e, "the page forbids zooming")
        if e.get("http-equiv").lower() == "refresh" and not re.match(r"0(;|,|$)", content):
            self.find("timed-refresh", e, "the page reloads or moves on by itself")

    def field(self, e):
        kind = e.get("type").lower()
        if e.tag == "input" and kind in UNLABELLED_INPUTS:
            if kind == "image" and not e.get("alt") and not e.get("aria-label"):
                self.find("image-alt", e, "`input` of type image has no `alt`")
            if kind == "button" and not e.get("value") and not e.get("aria-label"):
                self.find("empty-control", e, "`input` of type button has no `value`")
            return
        wrapped = any(node.tag == "label" and self.name(node) for node in e.ancestors())
        if wrapped or e.get("id") and e.get("id") in self.label_targets:
            return
        if e.get("aria-label") or e.get("aria-labelledby") or e.get("title"):
            return
        what = f"`{e.tag}` {e.get('name')[:40]}".rstrip()
        if e.get("placeholder"):
            self.find("placeholder-as-label", e, f"{what} has only a placeholder")
        else:
            self.find("field-label", e, f"{what} has no label")

    @staticmethod
    def focusable(e):
        if e.get("tabindex").startswith("-") or "disabled" in e.attributes or e.get("type").lower() == "hidden":
            return False
        return e.tag in NATIVE - {"a"} or e.tag == "a" and "href" in e.attributes or "tabindex" in e.attributes


def sources(paths):
    """Files as given, and the HTML files under folders, in order."""
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, folders, files in os.walk(path):
            folders[:] = sorted(f for f in folders if f != "node_modules" and not f.startswith("."))
            yield from (
                os.path.join(folder, f) for f in sorted(files) if f.lower().endswith((".html", ".htm", ".xhtml"))
            )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="exit codes: 0 nothing found, 1 findings, 2 usage, 3 a file cannot be read or there is none",
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="HTML files or folders, `-` for standard input")
    parser.add_argument("--fragment", action="store_true", help="parts of a page: skip language, title, h1 and main")
    parser.add_argument("--ignore", action="append", default=[], metavar="RULE", help="leave out a rule (repeatable)")
    parser.add_argument("--rules", action="store_true", help="list the rules and stop")
    parser.add_argument("--limit", type=int, default=100, metavar="N", help="findings to print (default: 100)")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    options = parser.parse_args()
    if options.rules:
        for rule, (severity, criterion, fix) in RULES.items():
            print(f"{rule:<22} {severity:<8} WCAG {criterion:<6} {fix}")
        return 0
    if not options.paths:
        parser.error("name at least one file or folder")
    if unknown := [rule for rule in options.ignore if rule not in RULES]:
        parser.error(f"no rule is called `{unknown[0]}`, see --rules")

    findings, files = [], 0
    for path in sources(options.paths):
        try:
            if path == "-":
                source = sys.stdin.read()
            else:
                with open(path, encoding="utf-8", errors="replace") as file:
                    source = file.read()
        except OSError as error:
            print(f"error: {error}", file=sys.stderr)
            return 3
        files += 1
        findings += [f for f in Check(path, source, options.fragment).findings if f["rule"] not in options.ignore]
    if not files:
        print("error: no HTML file found", file=sys.stderr)
        return 3
    findings.sort(key=lambda f: (f["severity"], f["file"], f["line"], f["column"]))
    shown = findings[: options.limit]
    errors = sum(f["severity"] == "error" for f in findings)
    if options.format == "json":
        print(
            json.dumps(
                {
                    "files": files,
                    "errors": errors,
                    "warnings": len(findings) - errors,
                    "left_out": len(findings) - len(shown),
                    "findings": shown,
                },
                indent=2,
                ensure_ascii=False,
            )
        )
    else:
        for f in shown:
            print(
                f"{f['file']}:{f['line']}:{f['column']}: {f['severity']} [{f['rule']}] "
                f"{f['message']} (WCAG {f['wcag']})"
            )
            print(f"    fix: {f['fix']}")
        if len(shown) < len(findings):
            print(f"... {len(findings) - len(shown)} more, raise --limit")
        print(f"{files} files, {errors} errors, {len(findings) - errors} warnings")
    return 1 if findings else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
