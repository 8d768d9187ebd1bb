#!/usr/bin/env python3
"""Compare two OpenAPI 3 documents or two JSON Schemas and name every change that can break a client."""

import argparse
import json
import os
import re
import sys

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
MAX_DEPTH = 40
# keyword: +1 if a larger value is stricter, -1 if a smaller value is stricter
BOUNDS = {
    "minimum": 1,
    "exclusiveMinimum": 1,
    "minLength": 1,
    "minItems": 1,
    "minProperties": 1,
    "maximum": -1,
    "exclusiveMaximum": -1,
    "maxLength": -1,
    "maxItems": -1,
    "maxProperties": -1,
}
ORDER = {"breaking": 0, "risky": 1, "compatible": 2}


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def table(value):
    """The value if it is an object, else an empty one: foreign documents may hold anything."""
    return value if isinstance(value, dict) else {}


def listed(value):
    return value if isinstance(value, list) else []


def words(value):
    """The strings of a list."""
    return {item for item in listed(value) if isinstance(item, str)}


def ordered(keys):
    """Sets of keys in an order that does not change from run to run."""
    return sorted(keys, key=str)


class Contract:
    """One document and its local references."""

    def __init__(self, document):
        self.document = document

    def resolve(self, node):
        """Follow `$ref` inside the document. Foreign references stay as they are."""
        for _ in range(MAX_DEPTH):
            reference = table(node).get("$ref")
            if not isinstance(reference, str) or not reference.startswith("#"):
                return node
            target = self.document
            for part in filter(None, reference[1:].split("/")):
                part = part.replace("~1", "/").replace("~0", "~")
                if isinstance(target, list) and part.isdigit() and int(part) < len(target):
                    target = target[int(part)]
                else:
                    target = table(target).get(part)
            if target is None:
                return node
            node = target
        return node

    def schema(self, node, outer=()):
        """A schema with its references followed and its `allOf` parts merged."""
        node = self.resolve(node)
        if not isinstance(node, dict):
            return {} if node is not False else {"not": {}}
        if "allOf" not in node:
            return node
        merged = {key: value for key, value in node.items() if key != "allOf"}
        merged["properties"] = dict(table(merged.get("properties")))
        merged["required"] = list(listed(merged.get("required")))
        for part in listed(node["allOf"]):
            if any(self.resolve(part) is parent for parent in (*outer, node)):
                continue  # a schema that contains itself
            part = self.schema(part, (*outer, node))
            merged["properties"] = {**table(part.get("properties")), **merged["properties"]}
            merged["required"] += listed(part.get("required"))
            for key, value in part.items():
                merged.setdefault(key, value)
        return merged


def types(schema):
    """The set of types a schema allows, or None for any."""
    kind = schema.get("type")
    if kind is None:
        return None
    kinds = words(kind if isinstance(kind, list) else [kind])
    if schema.get("nullable") is True:
        kinds.add("null")
    if "number" in kinds:
        kinds.add("integer")
    return kinds


class Differ:
    def __init__(self, old, new):
        self.old, self.new = Contract(old), Contract(new)
        self.changes, self.seen = [], set()

    def note(self, severity, rule, where, message):
        change = {"severity": severity, "rule": rule, "where": where, "message": message}
        if change not in self.changes:
            self.changes.append(change)

    # Schemas. A request may only accept more; a response may only promise more.

    def schema(self, old, new, where, direction, depth=0):
        # A reference names the same comparison wherever it occurs; this also ends cycles.
        key = (table(old).get("$ref"), table(new).get("$ref"), direction)
        if isinstance(key[0], str) and isinstance(key[1], str):
            if key in self.seen:
                return
            self.seen.add(key)
        if depth > MAX_DEPTH:
            return
        old, new = self.old.schema(old), self.new.schema(new)
        request = direction == "request"
        self.types(old, new, where, request)
        self.enum(old, new, where, request)
        self.bounds(old, new, where, request)
        for keyword in ("format", "pattern", "const"):
            if old.get(keyword) != new.get(keyword):
                tighter = request and keyword in new or not request and keyword in old
                self.note(
                    "risky" if tighter else "compatible",
                    f"{keyword}-changed",
                    where,
                    f"{keyword} was {old.get(keyword)!r}, is {new.get(keyword)!r}",
                )
        if request and old.get("default") != new.get("default"):
            self.note(
                "risky", "default-changed", where, f"default was {old.get('default')!r}, is {new.get('default')!r}"
            )
        self.properties(old, new, where, direction, depth)
        if isinstance(old.get("items"), dict) and isinstance(new.get("items"), dict):
            self.schema(old["items"], new["items"], where + "[]", direction, depth + 1)
        for keyword in ("oneOf", "anyOf"):
            self.variants(old, new, where, direction, keyword, depth)

    def types(self, old, new, where, request):
        before, after = types(old), types(new)
        if before == after:
            return
        lost = after is not None and (before is None or before - after)
        gained = before is not None and (after is None or after - before)
        message = (
            f"type was {'any' if before is None else '/'.join(sorted(before))}, "
            f"is {'any' if after is None else '/'.join(sorted(after))}"
        )
        self.note("breaking" if (lost if request else gained) else "compatible", "type-changed", where, message)

    def enum(self, old, new, where, request):
        before, after = old.get("enum"), new.get("enum")
        if before == after:
            return
        if before is None or after is None:
            narrower = before is None
            self.note(
                "breaking" if narrower == request else "compatible",
                "enum-changed",
                where,
                "values are now a fixed list" if narrower else "values are no longer a fixed list",
            )
            return
        removed = [value for value in listed(before) if value not in listed(after)]
        added = [value for value in listed(after) if value not in listed(before)]
        if removed:
            self.note(
                "breaking" if request else "compatible",
                "enum-value-removed",
                where,
                f"no longer {'accepted' if request else 'sent'}: {removed!r}"[:300],
            )
        if added:
            self.note(
                "compatible" if request else "risky",
                "enum-value-added",
                where,
                f"newly {'accepted' if request else 'sent'}: {added!r}"[:300],
            )

    def bounds(self, old, new, where, request):
        for keyword, sign in BOUNDS.items():
            before, after = old.get(keyword), new.get(keyword)
            if before == after or not (number(before) or number(after)):
                continue
            if not number(before) or not number(after):
                stricter = number(after)
            else:
                stricter = (after - before) * sign > 0
            severity = (
                ("breaking" if stricter else "compatible") if request else ("compatible" if stricter else "risky")
            )
            self.note(
                severity,
                "limit-tightened" if stricter else "limit-loosened",
                where,
                f"{keyword} was {before}, is {after}",
            )

    def properties(self, old, new, where, direction, depth):
        request = direction == "request"
        before, after = table(old.get("properties")), table(new.get("properties"))
        needed_before, needed_after = words(old.get("required")), words(new.get("required"))
        closed = new.get("additionalProperties") is False
        for name in ordered(before.keys() - after.keys()):
            if not request:
                self.note("breaking", "property-removed", f"{where}.{name}", "no longer sent")
            else:
                self.note(
                    "breaking" if closed else "risky",
                    "property-removed",
                    f"{where}.{name}",
                    "rejected, as no other properties are allowed" if closed else "no longer read",
                )
        for name in ordered(after.keys() - before.keys()):
            if request and name in needed_after:
                self.note("breaking", "required-property-added", f"{where}.{name}", "must now be sent")
            else:
                self.note("compatible", "property-added", f"{where}.{name}", "new")
        for name in ordered(before.keys() & after.keys()):
            here = f"{where}.{name}"
            if request and name in needed_after - needed_before:
                self.note("breaking", "property-now-required", here, "must now be sent")
            if not request and name in needed_before - needed_after:
                self.note("breaking", "property-now-optional", here, "was always sent, may now be absent")
            self.schema(before[name], after[name], here, direction, depth + 1)
        if request and closed and old.get("additionalProperties") is not False:
            self.note("breaking", "closed-object", where, "other properties are now rejected")
        if isinstance(old.get("additionalProperties"), dict) and isinstance(new.get("additionalProperties"), dict):
            self.schema(old["additionalProperties"], new["additionalProperties"], where + ".*", direction, depth + 1)

    def variants(self, old, new, where, direction, keyword, depth):
        """Variants are paired by reference or title, else by position."""

        def named(contract, parts):
            return {
                table(p).get("$ref") or table(contract.resolve(p)).get("title") or f"#{n}": p
                for n, p in enumerate(listed(parts))
            }

        before, after = named(self.old, old.get(keyword)), named(self.new, new.get(keyword))
        request = direction == "request"
        if bool(before) != bool(after):
            self.note("risky", "variants-changed", where, f"{keyword} {'is new' if after else 'is gone'}")
            return
        for name in ordered(before.keys() - after.keys()):
            self.note("breaking" if request else "compatible", "variant-removed", where, f"{keyword} lost {name}")
        for name in ordered(after.keys() - before.keys()):
            self.note("compatible" if request else "risky", "variant-added", where, f"{keyword} gained {name}")
        for name in ordered(before.keys() & after.keys()):
            self.schema(before[name], after[name], f"{where}({name.rpartition('/')[2]})", direction, depth + 1)

    # OpenAPI

    def openapi(self):
        def routes(contract):
            # Names of path parameters do not matter to a client: /users/{id} equals /users/{user}.
            found = {}
            for path, item in table(contract.document.get("paths")).items():
                item = table(contract.resolve(item))
                for method in METHODS:
                    if isinstance(item.get(method), dict):
                        found[method, re.sub(r"\{[^}]*\}", "{}", path)] = (path, item, item[method])
            return found

        before, after = routes(self.old), routes(self.new)
        for key in ordered(before.keys() - after.keys()):
            was_deprecated = before[key][2].get("deprecated") is True
            self.note(
                "breaking",
                "operation-removed",
                f"{key[0].upper()} {before[key][0]}",
                "removed after deprecation" if was_deprecated else "removed without deprecation",
            )
        for key in ordered(after.keys() - before.keys()):
            self.note("compatible", "operation-added", f"{key[0].upper()} {after[key][0]}", "new")
        for key in ordered(before.keys() & after.keys()):
            self.operation(f"{key[0].upper()} {after[key][0]}", *before[key], *after[key])

    def operation(self, where, old_path, old_item, old, new_path, new_item, new):
        self.parameters(where, old_path, old_item, old, new_path, new_item, new)
        self.body(
            where, table(self.old.resolve(old.get("requestBody"))), table(self.new.resolve(new.get("requestBody")))
        )
        self.responses(where, table(old.get("responses")), table(new.get("responses")))
        before = old.get("security", self.old.document.get("security", []))
        after = new.get("security", self.new.document.get("security", []))
        accepted = listed(after) or [{}]  # `{}` means that anybody may call
        lost = [choice for choice in listed(before) or [{}] if choice not in accepted]
        if lost and {} not in accepted:
            self.note("breaking", "security-changed", where, f"no longer accepted: {json.dumps(lost)[:200]}")
        if new.get("deprecated") is True and old.get("deprecated") is not True:
            self.note("compatible", "operation-deprecated", where, "deprecated")

    def parameters(self, where, old_path, old_item, old, new_path, new_item, new):
        def collect(contract, path, item, operation):
            found, places = {}, re.findall(r"\{([^}]*)\}", path)
            for raw in listed(item.get("parameters")) + listed(operation.get("parameters")):
                entry = table(contract.resolve(raw))
                name = str(entry.get("name"))
                if entry.get("in") == "path" and name in places:
                    name = f"#{places.index(name) + 1}"
                elif entry.get("in") == "header":
                    name = name.lower()
                found[entry.get("in"), name] = entry
            return found

        before = collect(self.old, old_path, old_item, old)
        after = collect(self.new, new_path, new_item, new)
        for place, name in ordered(before.keys() - after.keys()):
            self.note("risky", "parameter-removed", where, f"{place} parameter {name} is ignored or rejected")
        for key in ordered(after.keys() - before.keys()):
            needed = after[key].get("required") is True
            self.note(
                "breaking" if needed else "compatible",
                "parameter-added",
                where,
                f"{'required' if needed else 'optional'} {key[0]} parameter {key[1]}",
            )
        for key in ordered(before.keys() & after.keys()):
            here = f"{where} {key[0]} {after[key].get('name')}"
            if after[key].get("required") is True and before[key].get("required") is not True:
                self.note("breaking", "parameter-now-required", here, "must now be sent")
            for keyword in ("style", "explode"):
                if before[key].get(keyword) != after[key].get(keyword):
                    self.note("risky", "parameter-format", here, f"{keyword} changed")
            self.schema(table(before[key].get("schema")), table(after[key].get("schema")), here, "request")

    def body(self, where, old, new):
        if new.get("required") is True and old.get("required") is not True:
            self.note("breaking", "body-now-required", where, "a request body must now be sent")
        self.media(where + " request", table(old.get("content")), table(new.get("content")), "request")

    def responses(self, where, old, new):
        for status in ordered(old.keys() - new.keys()):
            good = str(status).startswith("2")
            self.note("breaking" if good else "risky", "response-removed", where, f"status {status} is gone")
        for status in ordered(new.keys() - old.keys()):
            self.note(
                "risky" if str(status).startswith(("2", "3")) else "compatible",
                "response-added",
                where,
                f"status {status} is new",
            )
        for status in ordered(old.keys() & new.keys()):
            before, after = table(self.old.resolve(old[status])), table(self.new.resolve(new[status]))
            here = f"{where} response {status}"
            for name in ordered(table(before.get("headers")).keys() - table(after.get("headers")).keys()):
                self.note("risky", "header-removed", here, f"header {name} is gone")
            self.media(here, table(before.get("content")), table(after.get("content")), "response")

    def media(self, where, old, new, direction):
        for kind in ordered(old.keys() - new.keys()):
            self.note("breaking", "media-type-removed", where, f"{kind} is gone")
        for kind in ordered(new.keys() - old.keys()):
            self.note("compatible", "media-type-added", where, f"{kind} is new")
        for kind in ordered(old.keys() & new.keys()):
            self.schema(table(old[kind]).get("schema", {}), table(new[kind]).get("schema", {}), where, direction)


def load(path):
    with open(path, encoding="utf-8-sig") as file:
        text = file.read()
    try:
        document = json.loads(text)
    except ValueError as error:
        hint = "" if text.lstrip().startswith(("{", "[")) else ": not JSON; convert YAML first, see the skill"
        raise ValueError(f"{error}{hint}") from error
    if not isinstance(document, dict):
        raise ValueError("not a JSON object")
    if "swagger" in document:
        raise ValueError("Swagger 2 is not read: convert it to OpenAPI 3 first")
    return document


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="exit codes: 0 nothing at or above --fail-on, 1 such changes, 2 usage, 3 a file cannot be read",
    )
    parser.add_argument("old", help="the published contract, JSON")
    parser.add_argument("new", help="the proposed contract, JSON")
    parser.add_argument(
        "--direction",
        choices=["request", "response", "both"],
        default="both",
        help="for JSON Schemas: who writes the data, client or server (default: both)",
    )
    parser.add_argument("--fail-on", choices=["breaking", "risky"], default="breaking")
    parser.add_argument(
        "--show", choices=list(ORDER), default="compatible", help="least severity to print (default: all)"
    )
    parser.add_argument("--limit", type=int, default=200, metavar="N", help="changes to print (default: 200)")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    options = parser.parse_args()

    documents = []
    for path in (options.old, options.new):
        try:
            documents.append(load(path))
        except (OSError, ValueError, RecursionError) as error:
            print(f"error: {path}: {error}", file=sys.stderr)
            return 3
    kinds = ["openapi" in document for document in documents]
    if kinds[0] != kinds[1]:
        print("error: one file is an OpenAPI document, the other is not", file=sys.stderr)
        return 3

    differ = Differ(*documents)
    if kinds[0]:
        differ.openapi()
    else:
        for direction in ("request", "response") if options.direction == "both" else (options.direction,):
            differ.schema(documents[0], documents[1], direction, direction)
    changes = sorted(differ.changes, key=lambda c: (ORDER[c["severity"]], c["where"], c["rule"], c["message"]))
    counts = {severity: sum(c["severity"] == severity for c in changes) for severity in ORDER}
    wanted = [c for c in changes if ORDER[c["severity"]] <= ORDER[options.show]]
    shown = wanted[: options.limit]
    if options.format == "json":
        print(json.dumps({"counts": counts, "left_out": len(wanted) - len(shown), "changes": shown}, indent=2))
    else:
        for change in shown:
            print(f"{change['severity']:<10} [{change['rule']}] {change['where']}: {change['message']}")
        if len(shown) < len(wanted):
            print(f"... {len(wanted) - len(shown)} more, raise --limit")
        print(", ".join(f"{count} {severity}" for severity, count in counts.items()))
    return 1 if any(ORDER[c["severity"]] <= ORDER[options.fail_on] for c in changes) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
