#!/usr/bin/env python3
"""Read the lock files of a project: direct and indirect packages, duplicates, odd sources, missing pins."""

import argparse
import json
import os
import re
import sys
import tomllib
from collections import defaultdict

SKIPPED = {"node_modules", "vendor", "target", "dist", "build", "venv", "__pycache__", "site-packages"}
MAX_BYTES = 50 * 1024 * 1024
# A manifest of the left kind wants one of the lock files on the right beside it or above it.
WANTED = {
    "Cargo.toml": ["Cargo.lock"],
    "package.json": ["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock"],
    "composer.json": ["composer.lock"],
    "Gemfile": ["Gemfile.lock"],
}


def package(name, version, direct=None, source="registry", verified=True):
    """One locked package. `direct` is None where the lock file does not tell."""
    return {"name": name, "version": version, "direct": direct, "source": source, "verified": verified}


def normal(name):
    """Python names compare without case and with one kind of separator."""
    return re.sub(r"[-_.]+", "-", name).lower()


def sibling(path, name):
    """The text of a file in the same folder, or None."""
    try:
        with open(os.path.join(os.path.dirname(path), name), encoding="utf-8") as file:
            return file.read()
    except OSError:
        return None


def cargo(text, path):
    packages = tomllib.loads(text).get("package", [])
    local = [entry for entry in packages if "source" not in entry]
    # Workspace members have no source; what they name is direct.
    # `name`, or `name version` where several versions are locked.
    direct = {need for entry in local for need in entry.get("dependencies", [])}
    for entry in packages:
        origin = entry.get("source", "")
        if origin:
            kind = "git" if origin.startswith("git+") else "registry"
            named = entry["name"] in direct or f"{entry['name']} {entry['version']}" in direct
            yield package(entry["name"], entry["version"], named, kind, kind == "git" or "checksum" in entry)


def npm(text, path):
    data = json.loads(text)
    if "packages" not in data:  # lock file version 1
        yield from npm_tree(data.get("dependencies", {}), json.loads(sibling(path, "package.json") or "{}"))
        return
    groups = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
    members = [entry for where, entry in data["packages"].items() if "node_modules/" not in where]
    direct = {name for entry in members for group in groups for name in entry.get(group, {})}
    for where, entry in data["packages"].items():
        if "node_modules/" not in where or entry.get("link"):
            continue
        name = entry.get("name") or where.rpartition("node_modules/")[2]
        top = where.count("node_modules/") == 1
        kind = origin(entry.get("resolved", ""))
        verified = "integrity" in entry or kind == "git" or entry.get("inBundle", False)
        yield package(name, entry.get("version", "?"), top and name in direct, kind, verified)


def npm_tree(tree, manifest, depth=0):
    direct = {**manifest.get("dependencies", {}), **manifest.get("devDependencies", {})}
    for name, entry in tree.items():
        kind = origin(entry.get("resolved", entry.get("version", "")))
        yield package(
            name,
            entry.get("version", "?"),
            depth == 0 and name in direct,
            kind,
            "integrity" in entry or kind == "git" or entry.get("bundled", False),
        )
        if depth < 50:
            yield from npm_tree(entry.get("dependencies", {}), manifest, depth + 1)


def origin(url):
    """Where a resolved address points."""
    if url.startswith(("git+", "git:", "github:", "git@")):
        return "git"
    if url.startswith(("file:", "link:")):
        return "path"
    if url.startswith("http://"):
        return "plain-http"
    return "registry"


def yarn(text, path):
    manifest = json.loads(sibling(path, "package.json") or "{}")
    direct = {**manifest.get("dependencies", {}), **manifest.get("devDependencies", {})}
    for block in re.split(r"\n(?=\S)", text):
        head = re.match(r'"?(@?[^@"\s]+)@([^",:]*:)?', block)
        version = re.search(r'^  "?version"?:? "?([^"\s]+)"?', block, re.M)
        if not head or not version or block.startswith(("#", "__metadata")):
            continue
        if (head[2] or "").startswith(("workspace", "link", "portal")):
            continue
        resolved = re.search(r'^  (?:resolved|resolution):? "?([^"\s]+)', block, re.M)
        kind = origin(resolved[1]) if resolved else "registry"
        verified = bool(re.search(r"^  (integrity|checksum)", block, re.M)) or kind == "git"
        yield package(head[1], version[1], head[1] in direct if manifest else None, kind, verified)


def pnpm(text, path):
    manifest = json.loads(sibling(path, "package.json") or "{}")
    direct = {**manifest.get("dependencies", {}), **manifest.get("devDependencies", {})}
    section = re.search(r"^packages:\n(.*?)(?=^\S|\Z)", text, re.M | re.S)
    for entry in re.finditer(
        r"^  '?/?(@?[^@'\s(]+)@([^:('\s]+)[^\n]*:\n((?:    .*\n?|\n)*)", section[1] if section else "", re.M
    ):
        kind = origin(entry[2]) if not entry[2][0].isdigit() else "registry"
        yield package(entry[1], entry[2], entry[1] in direct if manifest else None, kind, "integrity:" in entry[3])


def python_lock(text, path):
    """poetry.lock and uv.lock: both are lists of `package` tables."""
    project = tomllib.loads(sibling(path, "pyproject.toml") or "")
    named = list(project.get("project", {}).get("dependencies", []))
    for extra in project.get("project", {}).get("optional-dependencies", {}).values():
        named += extra
    for group in project.get("dependency-groups", {}).values():
        named += [item for item in group if isinstance(item, str)]
    poetry = project.get("tool", {}).get("poetry", {})
    named += list(poetry.get("dependencies", {})) + list(poetry.get("dev-dependencies", {}))
    for group in poetry.get("group", {}).values():
        named += list(group.get("dependencies", {}))
    direct = {normal(re.split(r"[\s\[<>=!~;@(]", item, maxsplit=1)[0]) for item in named}
    for entry in tomllib.loads(text).get("package", []):
        where = entry.get("source", {})
        if {"editable", "virtual"} & where.keys():
            continue  # the project itself
        kind = where.get("type") or next(iter(where), "registry")
        kind = {"legacy": "registry", "directory": "path", "file": "path"}.get(kind, kind)
        hashed = bool(entry.get("files") or entry.get("sdist") or entry.get("wheels"))
        yield package(
            entry["name"],
            entry.get("version", "?"),
            normal(entry["name"]) in direct if project else None,
            kind,
            hashed or kind in ("git", "path"),
        )


def requirements(text, path):
    for line in re.sub(r"\\\n", " ", text).splitlines():
        line = re.sub(r"(^|\s)#.*", "", line).strip()
        if not line or line.startswith("-"):
            continue
        name = re.match(r"[A-Za-z0-9][\w.-]*", line)
        if not name:
            continue
        pin = re.search(r"===?\s*([^\s;,]+)", line)
        kind = "git" if "git+" in line else "url" if "://" in line else "registry"
        yield package(name[0], pin[1] if pin else "unpinned", None, kind, "--hash" in line)


def go(text, path):
    sums = sibling(path, "go.sum") or ""
    for match in re.finditer(
        r"^(?:require\s+|\s+)([\w.~-]+(?:/[\w.~-]+)+|[\w-]+\.[\w.]+)\s+(v\S+)([^\n]*)$", text, re.M
    ):
        yield package(
            match[1],
            match[2],
            "// indirect" not in match[3],
            "registry",
            f"{match[1]} {match[2]} " in sums or f"{match[1]} {match[2]}/go.mod" in sums,
        )


def gemfile(text, path):
    direct = set(
        re.findall(r"^  ([\w.-]+)!?(?: \(.*\))?$", text.partition("\nDEPENDENCIES\n")[2].partition("\n\n")[0], re.M)
    )
    for section in re.finditer(r"^(GEM|GIT|PATH)\n((?:[ \t].*\n?)*)", text, re.M):
        kind = {"GEM": "registry", "GIT": "git", "PATH": "path"}[section[1]]
        for name, version in re.findall(r"^    ([\w.-]+) \(([^)]+)\)$", section[2], re.M):
            yield package(name, version, name in direct, kind)


def composer(text, path):
    data = json.loads(text)
    manifest = json.loads(sibling(path, "composer.json") or "{}")
    direct = {**manifest.get("require", {}), **manifest.get("require-dev", {})}
    for entry in data.get("packages", []) + data.get("packages-dev", []):
        kind = "path" if entry.get("dist", {}).get("type") == "path" else "registry"
        yield package(entry["name"], entry["version"], entry["name"] in direct if manifest else None, kind)


READERS = [
    (re.compile(r"Cargo\.lock"), "cargo", cargo),
    (re.compile(r"package-lock\.json|npm-shrinkwrap\.json"), "npm", npm),
    (re.compile(r"yarn\.lock"), "npm", yarn),
    (re.compile(r"pnpm-lock\.yaml"), "npm", pnpm),
    (re.compile(r"poetry\.lock|uv\.lock"), "python", python_lock),
    (re.compile(r"requirements[\w.-]*\.txt"), "python", requirements),
    (re.compile(r"go\.mod"), "go", go),
    (re.compile(r"Gemfile\.lock"), "ruby", gemfile),
    (re.compile(r"composer\.lock"), "php", composer),
]


def walk(root, depth):
    """Yield folders with their files, in order, without installed packages."""
    for folder, folders, files in os.walk(root):
        level = os.path.relpath(folder, root).count(os.sep) + 1
        folders[:] = sorted(f for f in folders if f not in SKIPPED and not f.startswith(".")) if level < depth else []
        yield folder, sorted(files)


def audit(root, depth):
    locks, findings = [], []

    def find(rule, severity, file, message, packages=()):
        findings.append(
            {"rule": rule, "severity": severity, "file": file, "message": message, "packages": list(packages)}
        )

    for folder, files in walk(root, depth):
        for name in files:
            path = os.path.join(folder, name)
            shown = os.path.relpath(path, root)
            ecosystem, reader = next(((e, r) for pattern, e, r in READERS if pattern.fullmatch(name)), (None, None))
            if reader:
                try:
                    if os.path.getsize(path) > MAX_BYTES:
                        raise ValueError(f"larger than {MAX_BYTES} bytes")
                    with open(path, encoding="utf-8-sig") as file:
                        packages = list(reader(file.read(), path))
                except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                    find("unreadable", "high", shown, f"cannot be read: {error}")
                    continue
                locks.append({"file": shown, "ecosystem": ecosystem, "packages": packages})
            wanted = WANTED.get(name)
            above = [folder]
            while os.path.abspath(above[-1]) != os.path.abspath(root):
                above.append(os.path.dirname(above[-1]))
            if wanted and not any(os.path.exists(os.path.join(place, lock)) for place in above for lock in wanted):
                find("no-lock-file", "medium", shown, f"no {' or '.join(wanted[:3])} beside it or above it")

    for lock in locks:
        versions = defaultdict(set)
        for entry in lock["packages"]:
            versions[entry["name"]].add(entry["version"])
        several = {name: sorted(found) for name, found in versions.items() if len(found) > 1}
        if several:
            find(
                "duplicate-versions",
                "low",
                lock["file"],
                f"{len(several)} packages are locked in several versions",
                [
                    f"{name} {', '.join(found)}"
                    for name, found in sorted(several.items(), key=lambda i: (-len(i[1]), i[0]))
                ],
            )
        for rule, severity, message, test in (
            ("odd-source", "high", "packages do not come from a registry", lambda e: e["source"] != "registry"),
            ("unpinned", "high", "requirements have no exact version", lambda e: e["version"] == "unpinned"),
            (
                "not-verified",
                "medium",
                "packages have no checksum",
                lambda e: not e["verified"] and e["version"] != "unpinned",
            ),
        ):
            names = [f"{e['name']} {e['version']} ({e['source']})" for e in lock["packages"] if test(e)]
            if names:
                find(rule, severity, lock["file"], f"{len(names)} {message}", names)
    order = {"high": 0, "medium": 1, "low": 2}
    findings.sort(key=lambda finding: order[finding["severity"]])
    return locks, findings


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="exit codes: 0 nothing found, 1 findings, 2 usage, 3 no lock file or manifest under the folder",
    )
    parser.add_argument("folder", nargs="?", default=".", help="the project (default: the working directory)")
    parser.add_argument("--direct", action="store_true", help="list only packages that the project names itself")
    parser.add_argument("--package", metavar="NAME", help="list only this package, wherever it is locked")
    parser.add_argument("--depth", type=int, default=5, metavar="N", help="folders to descend (default: 5)")
    parser.add_argument("--limit", type=int, default=40, metavar="N", help="packages to print a list (default: 40)")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    options = parser.parse_args()
    if not os.path.isdir(options.folder):
        parser.error(f"not a folder: {options.folder}")

    locks, findings = audit(options.folder, options.depth)
    if not locks and not findings:
        print(f"error: no lock file or manifest under {options.folder}", file=sys.stderr)
        return 3
    for lock in locks:
        everything = lock["packages"]
        chosen = [
            e
            for e in everything
            if (not options.direct or e["direct"])
            and (not options.package or normal(e["name"]) == normal(options.package))
        ]
        lock.update(
            total=len(everything),
            direct=sum(bool(e["direct"]) for e in everything),
            left_out=max(0, len(chosen) - options.limit),
            packages=sorted(chosen, key=lambda e: (e["name"], e["version"]))[: options.limit],
        )
    for finding in findings:
        finding["left_out"] = max(0, len(finding["packages"]) - options.limit)
        finding["packages"] = finding["packages"][: options.limit]

    if options.format == "json":
        print(json.dumps({"lock_files": locks, "findings": findings}, indent=2))
        return 1 if findings else 0
    for lock in locks:
        print(f"{lock['file']} ({lock['ecosystem']}): {lock['total']} packages, {lock['direct']} direct")
        if options.direct or options.package:
            for entry in lock["packages"]:
                how = {True: "direct", False: "indirect", None: "unknown"}[entry["direct"]]
                print(f"    {entry['name']} {entry['version']} ({how}, {entry['source']})")
            if lock["left_out"]:
                print(f"    ... {lock['left_out']} more, raise --limit")
    print(f"\n{len(findings)} findings")
    for finding in findings:
        print(f"- {finding['severity']} [{finding['rule']}] {finding['file']}: {finding['message']}")
        for line in finding["packages"]:
            print(f"    {line}")
        if finding["left_out"]:
            print(f"    ... {finding['left_out']} more, raise --limit")
    return 1 if findings else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
