#!/usr/bin/env python3
"""Cluster log lines by template, count them, and compare them with a quieter time."""

import argparse
import gzip
import json
import os
import re
import sys

LEVELS = {
    "fatal": "fatal",
    "critical": "fatal",
    "panic": "fatal",
    "emerg": "fatal",
    "alert": "fatal",
    "error": "error",
    "err": "error",
    "severe": "error",
    "warning": "warning",
    "warn": "warning",
    "notice": "info",
    "info": "info",
    "debug": "debug",
    "trace": "debug",
}
RANK = {"fatal": 0, "error": 1, "warning": 2, "none": 3, "info": 4, "debug": 5}
LEVEL = re.compile(r"(?<![\w-])(" + "|".join(LEVELS) + r")(?![\w-])", re.I)
TIME = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|\d{1,2}/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
)
# Secrets go first and disappear from examples too.
SECRETS = [
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}"), r"\1 <secret>"),
    (
        re.compile(
            r"(?i)\b(pass(?:word|wd)?|secret|token|api[_-]?key|authorization)(\"?\s*[=:]\s*\"?)(?!<)[^\s\",;&]+"
        ),
        r"\1\2<secret>",
    ),
    (re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+"), "<email>"),
]
MASKS = [
    (TIME, "<time>"),
    (re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"), "<uuid>"),
    (re.compile(r"\b[a-z][a-z+.-]*://[^\s\"'<>]+"), "<url>"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"), "<ip>"),
    (re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{1,4}:){3,7}:?[0-9a-fA-F]{0,4}(?![\w:])"), "<ip>"),
    (re.compile(r"(?<![\w.])/(?:[\w.@%+-]+/)+[\w.@%+-]*"), "<path>"),
    (re.compile(r"\b0x[0-9a-fA-F]+\b|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b"), "<hex>"),
    (re.compile(r"(?<![\w<])[+-]?\d+(?:[.,]\d+)*(?=(?:ns|us|ms|s|m|h|B|KB|MB|GB|KiB|MiB|GiB|%)?(?!\w))"), "<n>"),
    (re.compile(r"(?<=[A-Za-z_#=-])\d+\b"), "<n>"),
    (re.compile(r"\"[^\"]{1,200}\"|(?<!\w)'[^']{1,200}'(?!\w)"), "<text>"),
]
# A line that continues the event before it: stack frames and causes.
CONTINUED = re.compile(
    r"^(\s+\S|Caused by:|Traceback \(most recent|\.\.\. \d+ more|During handling of|The above exception)"
)
EXCEPTION = re.compile(r"^(?:Caused by: )?([\w.$]+(?:Error|Exception|Interrupt|Warning)\b(?:: .*)?)$")
MAX_CLUSTERS = 5_000
MAX_REMEMBERED = 100_000
MAX_EXCEPTIONS = 5
MAX_LINE = 4_000


class Cluster:
    def __init__(self, tokens, level, where, example):
        self.tokens, self.level, self.where, self.example = tokens, level, where, example
        self.count, self.first, self.last, self.continued = 0, None, None, 0
        self.exceptions = []

    def likeness(self, tokens):
        return sum(a == b for a, b in zip(self.tokens, tokens)) / len(tokens)

    def template(self):
        return " ".join(self.tokens)


class Clusters:
    """Templates grouped by level, length and first word; near ones merge into one with `<*>`."""

    def __init__(self, masks, threshold):
        self.masks, self.threshold = masks, threshold
        self.groups, self.exact = {}, {}
        self.events = self.lines = self.total = self.overflow = 0

    def read(self, lines, name):
        current, in_trace = None, False
        for place, raw in enumerate(lines, 1):
            line = raw.rstrip("\r\n")[:MAX_LINE]
            self.lines += 1
            if not line.strip():
                continue
            exception = EXCEPTION.match(line)
            # A trace belongs to the error above it; after a harmless line it is an event of its own.
            orphan = line.startswith("Traceback") and current and RANK[current.level] > RANK["error"]
            if current and not orphan and (CONTINUED.match(line) or in_trace and exception):
                current.continued += 1
                in_trace = not exception
                if exception and len(current.exceptions) < MAX_EXCEPTIONS:
                    words = self.mask(hide(exception[1]))[:200]
                    current.exceptions += [words] if words not in current.exceptions else []
                continue
            in_trace = line.startswith("Traceback")
            current = self.add(line, f"{name}:{place}")

    def mask(self, message):
        for pattern, word in self.masks:
            message = pattern.sub(word, message)
        return message

    def add(self, line, where):
        message, level, time = parse(line)
        example = hide(message)
        tokens = bare(self.mask(example).split()[:60])
        self.events += 1
        key = (level, len(tokens), tokens[0])
        exact = (level, *tokens)
        cluster = self.exact.get(exact)
        if cluster is None:
            group = self.groups.setdefault(key, [])
            cluster = nearest(group, tokens, self.threshold)
            if cluster is None:
                if self.total >= MAX_CLUSTERS:
                    self.overflow += 1
                    return None
                cluster = Cluster(tokens, level, where, example[:300])
                group.append(cluster)
                self.total += 1
            if len(self.exact) < MAX_REMEMBERED:
                self.exact[exact] = cluster
            cluster.tokens = [a if a == b else "<*>" for a, b in zip(cluster.tokens, tokens)]
        cluster.count += 1
        cluster.first = cluster.first or time
        cluster.last = time or cluster.last
        return cluster

    def all(self):
        return [cluster for group in self.groups.values() for cluster in group]

    def find(self, cluster):
        """The same kind of line in these clusters, or None."""
        key = (cluster.level, len(cluster.tokens), cluster.tokens[0])
        return nearest(self.groups.get(key, []), cluster.tokens, self.threshold)


def nearest(group, tokens, threshold):
    """The cluster most like these words, if it is like enough."""
    best = max(group, key=lambda cluster: cluster.likeness(tokens), default=None)
    return best if best and best.likeness(tokens) >= threshold else None


def hide(message):
    """The message without secrets."""
    for pattern, word in SECRETS:
        message = pattern.sub(word, message)
    return message


def bare(tokens):
    """The words without time and level: these are reported apart, and would make all lines alike."""
    head = [
        word
        for word in tokens[:5]
        if word.strip("[]()|:-") not in ("", "<time>") and word.strip("[]()<>|:-").lower() not in LEVELS
    ]
    return head + tokens[5:] or ["<empty>"]


def parse(line):
    """Message, level and time of a plain line, a JSON line or a key=value line."""
    if line.startswith("{"):
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            data = {}
        low = {str(key).lower(): value for key, value in data.items()} if isinstance(data, dict) else {}
        message = next(
            (low[key] for key in ("message", "msg", "event", "log", "text") if isinstance(low.get(key), str)), None
        )
        if message is not None:
            level = next((str(low[key]) for key in ("level", "severity", "lvl", "loglevel") if key in low), "")
            level = {"60": "fatal", "50": "error", "40": "warn", "30": "info", "20": "debug"}.get(level, level)
            time = next((str(low[key]) for key in ("timestamp", "time", "ts", "@timestamp") if key in low), None)
            extra = next((low[key] for key in ("error", "err", "exception") if isinstance(low.get(key), str)), None)
            return f"{message}: {extra}" if extra else message, LEVELS.get(level.lower(), "none"), time
    time = TIME.search(line[:80])
    level = LEVEL.search(line[:120])
    if level is None and line.startswith("Traceback"):
        return line, "error", None
    return line, LEVELS[level[1].lower()] if level else "none", time[0] if time else None


def opened(path):
    if path == "-":
        return sys.stdin
    if path.endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8", errors="replace")
    return open(path, encoding="utf-8", errors="replace")


def gather(paths, masks, threshold):
    clusters = Clusters(masks, threshold)
    for path in paths:
        with opened(path) as lines:
            clusters.read(lines, path)
    return clusters


def extra_masks(path):
    """Masks of the project: a JSON list of objects with `pattern` and `word`."""
    with open(path, encoding="utf-8") as file:
        return [(re.compile(entry["pattern"]), entry["word"].replace("\\", "\\\\")) for entry in json.load(file)]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="exit codes: 0 done, 1 new or surging clusters of level error or worse (only with --baseline), "
        "2 usage, 3 a file cannot be read",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="logs, plain or .gz, `-` for standard input")
    parser.add_argument("--baseline", nargs="+", default=[], metavar="FILE", help="logs of a time when all was well")
    parser.add_argument("--level", choices=["fatal", "error", "warning"], help="only this level and worse")
    parser.add_argument("--masks", metavar="JSON", help="more masks, applied before the built-in ones")
    parser.add_argument(
        "--sort",
        choices=["level", "count", "time"],
        default="level",
        help="worst, most frequent or earliest first; with --baseline, changes come before the rest",
    )
    parser.add_argument(
        "--threshold",
        type=float,
        default=0.6,
        metavar="X",
        help="share of equal words that makes two lines alike (default: 0.6)",
    )
    parser.add_argument("--top", type=int, default=30, metavar="N", help="clusters to print (default: 30)")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    options = parser.parse_args()
    if not 0 < options.threshold <= 1:
        parser.error("--threshold must be above 0 and at most 1")

    try:
        masks = (extra_masks(options.masks) if options.masks else []) + MASKS
        now = gather(options.files, masks, options.threshold)
        before = gather(options.baseline, masks, options.threshold)
    except (OSError, EOFError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    except (ValueError, KeyError, TypeError, AttributeError, re.error) as error:
        print(f"error: {options.masks}: not a list of objects with `pattern` and `word`: {error}", file=sys.stderr)
        return 3
    if now.overflow:
        print(f"warning: {now.overflow} events left out after {MAX_CLUSTERS} clusters, add masks", file=sys.stderr)

    rows, matched = [], set()
    for cluster in now.all():
        row = {
            "level": cluster.level,
            "count": cluster.count,
            "share": round(cluster.count / now.events, 4),
            "template": cluster.template()[:400],
            "first": cluster.first,
            "last": cluster.last,
            "where": cluster.where,
            "example": cluster.example,
            "continued_lines": cluster.continued,
            "exceptions": cluster.exceptions,
        }
        if options.baseline:
            old = before.find(cluster)
            matched.add(id(old))
            old_share = old.count / before.events if old else 0
            row["change"] = (
                "new" if not old else "surge" if row["share"] > 3 * old_share and cluster.count >= 10 else "same"
            )
            row["baseline_count"] = old.count if old else 0
        rows.append(row)
    gone = [c for c in before.all() if id(c) not in matched and c.count >= 10]
    if options.level:
        rows = [row for row in rows if RANK[row["level"]] <= RANK[options.level]]
    changes = {"new": 0, "surge": 1, "same": 2}
    order = {"level": lambda r: RANK[r["level"]], "count": lambda r: 0, "time": lambda r: r["first"] or "~"}[
        options.sort
    ]
    rows.sort(key=lambda r: (changes.get(r.get("change"), 0), order(r), -r["count"], r["template"]))
    alarms = sum(row.get("change") in ("new", "surge") and RANK[row["level"]] <= 1 for row in rows)
    shown = rows[: options.top]
    gone.sort(key=lambda c: -c.count)
    report = {
        "lines": now.lines,
        "events": now.events,
        "clusters": len(rows),
        "left_out": len(rows) - len(shown),
        "results": shown,
        "gone": [{"level": c.level, "count": c.count, "template": c.template()[:400]} for c in gone[: options.top]],
    }
    if options.format == "json":
        print(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        print(f"{now.lines} lines, {now.events} events, {len(rows)} clusters")
        for row in shown:
            change = f" {row['change']}" if row.get("change", "same") != "same" else ""
            span = f", {row['first']} to {row['last']}" if row["first"] else ""
            print(f"\n{row['count']} x {row['level']}{change} ({100 * row['share']:.1f} %{span})")
            print(f"    {row['template']}")
            for exception in row["exceptions"]:
                print(f"    with {exception}")
            print(f"    e.g. {row['where']}: {row['example']}")
        if report["left_out"]:
            print(f"\n... {report['left_out']} more clusters, raise --top")
        for entry in report["gone"]:
            print(f"\ngone, {entry['count']} x {entry['level']} in the baseline\n    {entry['template']}")
    return 1 if alarms else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
