#!/usr/bin/env python3
"""Group the commits of a range into the sections of a Keep a Changelog release."""

import argparse
import json
import os
import re
import subprocess
import sys

SECTIONS = ["Security", "Removed", "Deprecated", "Changed", "Added", "Fixed"]
GROUPS = [*SECTIONS, "Unsorted", "Internal"]

# Conventional Commits types. `perf` is a change that users feel; `refactor` is not.
TYPES = {
    "feat": "Added",
    "feature": "Added",
    "add": "Added",
    "fix": "Fixed",
    "bugfix": "Fixed",
    "hotfix": "Fixed",
    "perf": "Changed",
    "change": "Changed",
    "revert": "Changed",
    "deprecate": "Deprecated",
    "remove": "Removed",
    "security": "Security",
    "sec": "Security",
    "build": "Internal",
    "chore": "Internal",
    "ci": "Internal",
    "docs": "Internal",
    "refactor": "Internal",
    "style": "Internal",
    "test": "Internal",
    "tests": "Internal",
}

# First words of plain imperative subjects.
VERBS = {
    "Added": "add allow enable implement introduce support",
    "Changed": "change improve increase make rename replace switch update use",
    "Deprecated": "deprecate",
    "Removed": "delete drop remove",
    "Fixed": "correct fix handle prevent repair resolve restore",
    "Internal": "bump format lint merge refactor release reword test",
}
FIRST_WORD = {
    form: group
    for group, verbs in VERBS.items()
    for verb in verbs.split()
    for form in (verb, verb + "s", verb + "es", verb.rstrip("e") + "ed", verb.rstrip("e") + "ing")
}

CONVENTIONAL = re.compile(r"^(?P<type>[A-Za-z]+)(?:\((?P<scope>[^)]*)\))?(?P<bang>!)?:\s+(?P<text>\S.*)$")
BREAKING_NOTE = re.compile(r"^BREAKING[ -]CHANGE:\s*(.+?)(?=\n\s*\n|\n[A-Z][A-Za-z-]+: |\Z)", re.M | re.S)
REVERTED = re.compile(r"This reverts commit ([0-9a-f]{7,40})")
REFERENCE = re.compile(r"(?<![\w/])#(\d+)\b")
SECURITY = re.compile(r"\b(CVE-\d{4}-\d{4,}|GHSA-[\w-]+|vulnerabilit\w+|XSS|CSRF|SQL injection)\b", re.I)


class GitFailed(Exception):
    """A git command ended with an error."""


def git(repo, *arguments):
    """Run one git command and return what it printed."""
    try:
        done = subprocess.run(["git", "-C", repo, *arguments], capture_output=True, check=False)
    except OSError as error:
        raise GitFailed(f"cannot run git: {error}") from error
    if done.returncode != 0:
        words = done.stderr.decode("utf-8", "replace").strip()
        raise GitFailed(words or f"git {arguments[0]} failed")
    return done.stdout.decode("utf-8", "replace")


def resolve(repo, ref):
    """Turn a ref into a commit hash, so that no later command can mistake it for an option."""
    if ref.startswith("-"):
        raise GitFailed(f"not a ref: {ref}")
    try:
        return git(repo, "rev-parse", "--verify", ref + "^{commit}").strip()
    except GitFailed as error:
        raise GitFailed(f"`{ref}` names no commit: {error}") from error


def last_tag(repo, ref):
    """The nearest tag before `ref`, or None. A tag on `ref` itself would give an empty range."""
    try:
        return git(repo, "describe", "--tags", "--abbrev=0", resolve(repo, ref) + "^").strip()
    except GitFailed:
        return None


def read_commits(repo, since, until):
    """All commits of the range without merges, newest first."""
    span = f"{resolve(repo, since)}..{resolve(repo, until)}" if since else resolve(repo, until)
    fields = "%H%x1f%h%x1f%as%x1f%an%x1f%s%x1f%b"
    text = git(repo, "log", "--no-merges", "-z", f"--format={fields}", span)
    for record in filter(None, text.split("\0")):
        full, short, date, author, subject, body = record.split("\x1f", 5)
        yield {"hash": full, "short": short, "date": date, "author": author, "subject": subject, "body": body}


def classify(commit):
    """Add group, scope, text, breaking note and references to a commit."""
    subject, body = commit["subject"], commit["body"]
    match = CONVENTIONAL.match(subject)
    text, scope, group, bang = subject, None, None, False
    if match and match["type"].lower() in TYPES:
        text, scope, bang = match["text"], match["scope"] or None, bool(match["bang"])
        group = TYPES[match["type"].lower()]
    if group is None:
        group = FIRST_WORD.get(re.split(r"\W", subject, maxsplit=1)[0].lower(), "Unsorted")
    note = BREAKING_NOTE.search(body)
    breaking = bang or note is not None
    if SECURITY.search(subject) or re.search(r"CVE-\d{4}-\d{4,}", body):
        group = "Security"
    elif breaking and group in ("Added", "Internal", "Unsorted"):
        group = "Changed"  # what breaks existing use is neither new nor internal
    return {
        "short": commit["short"],
        "date": commit["date"],
        "author": commit["author"],
        "group": group,
        "scope": scope,
        "text": re.sub(r"\s*\(#\d+\)$", "", text),
        "breaking": breaking,
        "breaking_note": " ".join(note[1].split()) if note else None,
        "references": sorted({int(number) for number in REFERENCE.findall(subject + "\n" + body)}),
    }


def drop_reverted(commits):
    """Split off pairs of a commit and its revert: the release holds neither."""
    by_hash = {commit["hash"]: commit for commit in commits}
    gone = set()
    for commit in commits:
        if commit["hash"] in gone:
            continue  # a reverted revert brings the first commit back
        match = REVERTED.search(commit["body"])
        target = next((full for full in by_hash if match and full.startswith(match[1])), None)
        if target:
            gone |= {commit["hash"], target}
    kept = [commit for commit in commits if commit["hash"] not in gone]
    return kept, [f"{by_hash[full]['short']} {by_hash[full]['subject']}" for full in by_hash if full in gone]


def markdown(report):
    """The draft: sections in order, then what a person must still sort or leave out."""
    lines = [f"Draft from {report['from'] or 'the first commit'} to {report['to']}: {report['total']} commits", ""]
    for group in GROUPS:
        entries = report["groups"].get(group, [])
        if not entries:
            continue
        lines.append(f"### {group}" if group in SECTIONS else f"({group.lower()}: sort by hand or leave out)")
        lines.append("")
        for entry in entries:
            mark = "**Breaking:** " if entry["breaking"] else ""
            scope = f"{entry['scope']}: " if entry["scope"] else ""
            refs = "".join(f" #{number}" for number in entry["references"])
            lines.append(f"- {mark}{scope}{entry['text']} [{entry['short']}{refs}]")
            if entry["breaking_note"]:
                lines.append(f"  ({entry['breaking_note'][:300]})")
        lines.append("")
    if report["reverted"]:
        lines += ["(reverted inside the range, not in the release)", ""]
        lines += [f"- {line}" for line in report["reverted"]]
    return "\n".join(lines).rstrip()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="exit codes: 0 a draft was printed, 1 no commits in the range, 2 usage, 3 git failed",
    )
    parser.add_argument("--repo", default=".", help="the repository (default: the working directory)")
    parser.add_argument("--from", dest="since", metavar="REF", help="last release (default: the nearest earlier tag)")
    parser.add_argument("--to", dest="until", metavar="REF", default="HEAD", help="end of the range (default: HEAD)")
    parser.add_argument("--limit", type=int, default=300, metavar="N", help="most commits to print (default: 300)")
    parser.add_argument("--format", choices=["markdown", "json"], default="markdown")
    options = parser.parse_args()
    if options.limit < 1:
        parser.error("--limit must be at least 1")

    try:
        since = options.since or last_tag(options.repo, options.until)
        commits = list(read_commits(options.repo, since, options.until))
    except GitFailed as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    if not options.since:
        print(f"note: range starts at {since or 'the first commit'}", file=sys.stderr)
    if not commits:
        print("note: no commits in the range", file=sys.stderr)
        return 1

    kept, reverted = drop_reverted(commits)
    shown = kept[: options.limit]
    if len(shown) < len(kept):
        print(f"warning: {len(kept) - len(shown)} older commits left out, raise --limit", file=sys.stderr)
    entries = [classify(commit) for commit in shown]
    groups = {group: [entry for entry in entries if entry["group"] == group] for group in GROUPS}
    report = {
        "from": since,
        "to": options.until,
        "total": len(commits),
        "left_out": len(kept) - len(shown),
        "breaking": sum(entry["breaking"] for entry in entries),
        "groups": {group: found for group, found in groups.items() if found},
        "reverted": reverted[: options.limit],
    }
    print(json.dumps(report, indent=2, ensure_ascii=False) if options.format == "json" else markdown(report))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
