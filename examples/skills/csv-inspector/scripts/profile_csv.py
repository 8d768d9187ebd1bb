#!/usr/bin/env python3
"""Profile a CSV file: column types, missing values, duplicates, outliers and broken rows."""

import argparse
import codecs
import csv
import json
import os
import random
import re
import statistics
import sys
from collections import Counter

DELIMITERS = [",", ";", "\t", "|"]
MISSING = {"", "na", "n/a", "nan", "null", "none", "nil", "-", "--", "?", "#n/a"}
MAX_DISTINCT = 100_000  # distinct values counted for each column
MAX_SAMPLE = 50_000  # numbers kept for each column to find quartiles
MAX_ROWS_REMEMBERED = 2_000_000  # rows and keys compared for duplicates
MAX_EXAMPLES = 5

PATTERNS = [
    ("identifier", re.compile(r"[+-]?0\d+")),  # 00123: a number would lose its zeros
    ("integer", re.compile(r"[+-]?\d{1,18}")),
    ("decimal", re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?")),
    ("decimal-comma", re.compile(r"[+-]?\d{1,3}(\.\d{3})*,\d+|[+-]?\d+,\d+")),
    ("thousands", re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")),
    ("boolean", re.compile(r"true|false|yes|no", re.I)),
    ("datetime", re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")),
    ("date", re.compile(r"\d{4}-\d\d-\d\d")),
    ("date-ambiguous", re.compile(r"\d{1,2}[/.]\d{1,2}[/.](\d{4}|\d\d)")),
]
NUMERIC = {"integer", "decimal"}


def kind_of(value):
    """The narrowest type whose form the value has."""
    # `1,234` fits both; as the only comma with three digits behind it, it is more often a thousand.
    if PATTERNS[4][1].fullmatch(value):
        return "thousands"
    return next((name for name, pattern in PATTERNS if pattern.fullmatch(value)), "text")


class Column:
    """Everything counted about one column, in one pass and bounded memory."""

    def __init__(self, name):
        self.name = name
        self.rows = self.missing = self.padded = self.seen_numbers = 0
        self.kinds, self.values, self.overflow = Counter(), Counter(), False
        self.examples, self.sample = {}, []
        self.low = self.high = None
        self.chance = random.Random(0)  # a fixed seed: the same file gives the same profile

    def add(self, raw, line):
        self.rows += 1
        value = raw.strip()
        if value.lower() in MISSING:
            self.missing += 1
            return
        self.padded += value != raw
        if value in self.values or len(self.values) < MAX_DISTINCT:
            self.values[value] += 1
        else:
            self.overflow = True
        kind = kind_of(value)
        self.kinds[kind] += 1
        found = self.examples.setdefault(kind, [])
        if len(found) < MAX_EXAMPLES:
            found.append({"line": line, "value": value[:80]})
        if kind in NUMERIC:
            self.number(float(value), line)

    def number(self, number, line):
        """Keep extremes exactly and a uniform sample of the rest."""
        self.seen_numbers += 1
        if self.low is None or number < self.low[0]:
            self.low = (number, line)
        if self.high is None or number > self.high[0]:
            self.high = (number, line)
        if len(self.sample) < MAX_SAMPLE:
            self.sample.append(number)
        elif (place := self.chance.randrange(self.seen_numbers)) < MAX_SAMPLE:
            self.sample[place] = number

    def kind(self):
        """The type of the column, and the types that do not fit it."""
        kinds = Counter(self.kinds)
        if kinds["identifier"]:  # one leading zero makes the whole column an identifier
            kinds["identifier"] += kinds.pop("integer", 0)
        elif kinds["decimal"]:
            kinds["decimal"] += kinds.pop("integer", 0)
        kinds = +kinds
        if not kinds:
            return "empty", {}
        main, count = kinds.most_common(1)[0]
        if main != "text" and count < 0.8 * sum(kinds.values()):
            return "mixed", dict(kinds)
        return main, {kind: n for kind, n in kinds.items() if kind != main} if main != "text" else {}

    def numbers(self):
        if len(self.sample) < 4:
            return None
        first, median, third = statistics.quantiles(self.sample, n=4, method="inclusive")
        return {
            "min": self.low[0],
            "q1": first,
            "median": median,
            "q3": third,
            "max": self.high[0],
            "mean": round(statistics.fmean(self.sample), 6),
            "sampled": self.seen_numbers > MAX_SAMPLE,
        }

    def outliers(self, numbers):
        """Values beyond three times the interquartile range: Tukey's far fence."""
        width = numbers["q3"] - numbers["q1"]
        if width == 0:
            return []
        low, high = numbers["q1"] - 3 * width, numbers["q3"] + 3 * width
        ends = [end for end in (self.low, self.high) if not low <= end[0] <= high]
        return [{"line": line, "value": f"{number:g}"} for number, line in ends]

    def report(self, top):
        kind, strays = self.kind()
        present = self.rows - self.missing
        distinct = len(self.values)
        report = {
            "name": self.name,
            "type": kind,
            "missing": self.missing,
            "distinct": distinct,
            "distinct_is_floor": self.overflow,
            "top": [{"value": v[:80], "count": n} for v, n in self.values.most_common(top) if n > 1],
        }
        findings = []

        def find(rule, message, examples=()):
            findings.append({"rule": rule, "column": self.name, "message": message, "examples": list(examples)})

        if kind == "mixed":
            forms = ", ".join(f"{n} {k}" for k, n in sorted(strays.items(), key=lambda item: -item[1]))
            find("mixed-types", f"no type covers 80 % of the values: {forms}")
        for stray, count in strays.items() if kind != "mixed" else ():
            find("stray-values", f"{count} of {present} values are {stray}, not {kind}", self.examples[stray])
        if kind in ("decimal-comma", "thousands", "date-ambiguous"):
            find("locale-format", f"values have the form `{kind}`", self.examples[kind][:2])
        if self.missing == self.rows:
            find("empty-column", "every value is missing")
        elif self.missing > 0.5 * self.rows:
            find("mostly-missing", f"{self.missing} of {self.rows} values are missing")
        if distinct == 1 and present > 1:
            find("constant-column", f"every value is `{next(iter(self.values))[:80]}`")
        if self.padded:
            find("padding", f"{self.padded} values have blanks at an end")
        if kind == "text" and not self.overflow:
            folded = Counter(value.casefold() for value in self.values)
            clashes = sum(1 for n in folded.values() if n > 1)
            if clashes and distinct < 0.5 * present:
                find("case-variants", f"{clashes} values occur in several spellings of case")
        if kind in NUMERIC and (numbers := self.numbers()):
            report["numbers"] = numbers
            if far := self.outliers(numbers):
                find("outlier", "extremes beyond three interquartile ranges", far)
        return report, findings


def guess_encoding(path):
    with open(path, "rb") as file:
        head = file.read(4)
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            return "utf-16"
        file.seek(0)
        try:
            decode = codecs.getincrementaldecoder("utf-8")()
            while block := file.read(1 << 20):
                decode.decode(block)
            decode.decode(b"", final=True)
        except UnicodeDecodeError:
            return "cp1252"
    return "utf-8-sig"


def guess_delimiter(path, encoding):
    """The delimiter that splits the first lines into the most columns of equal number."""
    with open(path, encoding=encoding, errors="replace", newline="") as file:
        head = [line for _, line in zip(range(50), file)]

    def score(delimiter):
        widths = Counter(len(row) for row in csv.reader(head, delimiter=delimiter) if row)
        width, rows = widths.most_common(1)[0] if widths else (1, 0)
        return (rows if width > 1 else 0, width)

    return max(DELIMITERS, key=score)


def profile(path, options):
    encoding = options.encoding or guess_encoding(path)
    delimiter = options.delimiter or guess_delimiter(path, encoding)
    findings, ragged, ragged_count = [], [], 0
    seen, duplicate_lines, duplicates = set(), [], 0
    keys, key_lines, key_duplicates = set(), [], 0
    rows, truncated = 0, False

    def find(rule, message, examples=(), column=None):
        findings.append({"rule": rule, "column": column, "message": message, "examples": list(examples)})

    if encoding == "cp1252":
        find("encoding", "not UTF-8: read as Windows-1252, check accented letters")
    with open(path, encoding=encoding, errors="replace", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter)
        first = next((row for row in reader if row), None)
        if first is None:
            raise ValueError("the file has no rows")
        names = [f"column{n}" for n in range(1, len(first) + 1)] if options.no_header else [n.strip() for n in first]
        for name, count in Counter(names).items():
            if not name:
                find("blank-header", f"{count} columns have no name")
            elif count > 1:
                find("duplicate-header", f"{count} columns have this name", column=name)
        unknown = [name for name in options.key if name not in names]
        if unknown:
            raise KeyError(f"no column `{unknown[0]}`, the file has: {', '.join(names)[:500]}")
        key_places = [names.index(name) for name in options.key]
        columns = [Column(name) for name in names]

        def table():
            if options.no_header:
                yield first
            yield from reader

        for row in table():
            if not row:
                continue
            if options.max_rows and rows >= options.max_rows:
                truncated = True
                break
            rows += 1
            line = reader.line_num
            if len(row) != len(names):
                ragged_count += 1
                if len(ragged) < MAX_EXAMPLES:
                    ragged.append({"line": line, "value": f"{len(row)} fields"})
            for column, value in zip(columns, row):
                column.add(value, line)
            mark = hash(tuple(row))
            if mark in seen:
                duplicates += 1
                duplicate_lines += [{"line": line, "value": delimiter.join(row)[:80]}][
                    : MAX_EXAMPLES - len(duplicate_lines)
                ]
            elif len(seen) < MAX_ROWS_REMEMBERED:
                seen.add(mark)
            if key_places and max(key_places) < len(row):
                key = tuple(row[place].strip() for place in key_places)
                if key in keys:
                    key_duplicates += 1
                    key_lines += [{"line": line, "value": ", ".join(key)[:80]}][: MAX_EXAMPLES - len(key_lines)]
                elif len(keys) < MAX_ROWS_REMEMBERED:
                    keys.add(key)

    if ragged_count:
        find("ragged-rows", f"{ragged_count} rows do not have {len(names)} fields", ragged)
    if duplicates:
        find("duplicate-rows", f"{duplicates} rows repeat an earlier row", duplicate_lines)
    if key_duplicates:
        find("duplicate-key", f"{key_duplicates} rows repeat a key", key_lines, ", ".join(options.key))
    reports = []
    for column in columns:
        report, found = column.report(options.top)
        reports.append(report)
        findings += found
    candidates = [c.name for c in columns if rows and len(c.values) == rows and not c.missing]
    return {
        "file": path,
        "encoding": encoding,
        "delimiter": delimiter,
        "rows": rows,
        "truncated": truncated,
        "key_candidates": candidates,
        "columns": reports,
        "findings": findings,
    }


def text(report, limit):
    delimiter = {"\t": "tab"}.get(report["delimiter"], report["delimiter"])
    more = " (stopped at --max-rows)" if report["truncated"] else ""
    lines = [
        f"{report['file']}: {report['rows']} rows{more}, {len(report['columns'])} columns, "
        f"{report['encoding']}, delimiter `{delimiter}`",
        f"possible keys: {', '.join(report['key_candidates'][:10]) or 'none'}",
        "",
        f"{'column':<24} {'type':<14} {'missing':>8} {'distinct':>9}  range or most frequent",
    ]
    for column in report["columns"][:limit]:
        if "numbers" in column:
            n = column["numbers"]
            summary = f"{n['min']:g} .. {n['median']:g} .. {n['max']:g}"
        else:
            summary = ", ".join(f"{top['value'][:20]} ({top['count']})" for top in column["top"][:3])
        floor = "+" if column["distinct_is_floor"] else ""
        lines.append(
            f"{column['name'][:24]:<24} {column['type']:<14} {column['missing']:>8} "
            f"{str(column['distinct']) + floor:>9}  {summary}".rstrip()
        )
    if len(report["columns"]) > limit:
        lines.append(f"... {len(report['columns']) - limit} more columns, raise --limit")
    lines += ["", f"{len(report['findings'])} findings"]
    for finding in report["findings"][:limit]:
        place = f" {finding['column']}:" if finding["column"] else ""
        lines.append(f"- [{finding['rule']}]{place} {finding['message']}")
        lines += [f"    line {example['line']}: {example['value']}" for example in finding["examples"]]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="exit codes: 0 nothing found, 1 findings, 2 usage, 3 the file cannot be read as CSV"
    )
    parser.add_argument("file")
    parser.add_argument(
        "--key",
        type=lambda names: names.split(","),
        default=[],
        metavar="A,B",
        help="columns that should identify a row",
    )
    parser.add_argument("--delimiter", help="one character, or `tab` (default: guessed)")
    parser.add_argument("--encoding", help="a Python codec name (default: guessed)")
    parser.add_argument("--no-header", action="store_true", help="the first row is data")
    parser.add_argument("--max-rows", type=int, default=0, metavar="N", help="stop after N rows (default: read all)")
    parser.add_argument("--top", type=int, default=5, metavar="N", help="most frequent values to list (default: 5)")
    parser.add_argument(
        "--limit", type=int, default=60, metavar="N", help="columns and findings to print (default: 60)"
    )
    parser.add_argument("--format", choices=["text", "json"], default="text")
    options = parser.parse_args()
    if options.delimiter == "tab":
        options.delimiter = "\t"
    if options.delimiter is not None and len(options.delimiter) != 1:
        parser.error("--delimiter must be one character or `tab`")

    csv.field_size_limit(10_000_000)
    try:
        report = profile(options.file, options)
    except (OSError, LookupError, ValueError, csv.Error) as error:
        words = error.args[0] if isinstance(error, KeyError) else error
        print(f"error: {options.file}: {words}", file=sys.stderr)
        return 3
    if options.format == "json":
        report["columns"] = report["columns"][: options.limit]
        report["findings"] = report["findings"][: options.limit]
        print(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        print(text(report, options.limit))
    return 1 if report["findings"] else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
