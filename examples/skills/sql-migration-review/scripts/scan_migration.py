#!/usr/bin/env python3
"""Find statements in SQL migrations that lock, rewrite, lose data or break running code."""

import argparse
import json
import os
import re
import sys

# One token of SQL that must not be searched for keywords, or the end of a statement.
# Only MySQL reads a backslash in a string as an escape and `#` as a comment.
STANDARD = re.compile(
    r"""--[^\n]* | /\*.*?(?:\*/|\Z) | '(?:[^']|'')*(?:'|\Z) | \$(\w*)\$.*?(?:\$\1\$|\Z) | ;""", re.X | re.S
)
MYSQL = re.compile(r"""(?:--\s|\#)[^\n]* | /\*.*?(?:\*/|\Z) | '(?:[^'\\]|''|\\.)*(?:'|\Z) | ;""", re.X | re.S)
ALL = ("postgresql", "mysql", "sqlite")

# (rule, dialects, severity, statement must match, statement must not match, why, safer way)
RULES = [
    (
        "index-locks-writes",
        ("postgresql",),
        "high",
        r"^CREATE\s+(UNIQUE\s+)?INDEX\b",
        r"\bCONCURRENTLY\b",
        "building the index blocks every write to the table",
        "CREATE INDEX CONCURRENTLY, outside a transaction",
    ),
    (
        "drop-index-locks",
        ("postgresql",),
        "medium",
        r"^DROP\s+INDEX\b",
        r"\bCONCURRENTLY\b",
        "takes an exclusive lock on the table",
        "DROP INDEX CONCURRENTLY, outside a transaction",
    ),
    (
        "column-type-rewrite",
        ("postgresql",),
        "high",
        r"^ALTER\s+TABLE\b.*\bALTER\s+(COLUMN\s+)?\S+\s+(SET\s+DATA\s+)?TYPE\b",
        None,
        "most type changes rewrite the table under an exclusive lock",
        "add a new column, copy in batches, switch reads, drop the old one",
    ),
    (
        "volatile-default-rewrite",
        ("postgresql",),
        "high",
        r"^ALTER\s+TABLE\b.*\bADD\s+(COLUMN\s+)?.*\bDEFAULT\s+"
        r"(gen_random_uuid|uuid_generate\w*|random|clock_timestamp|nextval)\s*\("
        r"|\bADD\s+(COLUMN\s+)?\S+\s+(BIG|SMALL)?SERIAL\b",
        None,
        "a volatile default is computed for every row: the table is rewritten",
        "add the column without default, set the default, fill in batches",
    ),
    (
        "set-not-null-scan",
        ("postgresql",),
        "high",
        r"^ALTER\s+TABLE\b.*\bSET\s+NOT\s+NULL\b",
        None,
        "scans the whole table under an exclusive lock unless a valid CHECK proves it",
        "ADD CHECK (column IS NOT NULL) NOT VALID, VALIDATE CONSTRAINT, then SET NOT NULL",
    ),
    (
        "constraint-validates",
        ("postgresql",),
        "high",
        r"^ALTER\s+TABLE\b.*\bADD\s+(CONSTRAINT\s+\S+\s+)?(FOREIGN\s+KEY|CHECK)\b",
        r"\bNOT\s+VALID\b",
        "checks every row while writes wait",
        "add it NOT VALID, then VALIDATE CONSTRAINT in a second migration",
    ),
    (
        "unique-builds-index",
        ("postgresql",),
        "high",
        r"^ALTER\s+TABLE\b.*\bADD\s+(CONSTRAINT\s+\S+\s+)?(UNIQUE|PRIMARY\s+KEY)\b",
        r"\bUSING\s+INDEX\b",
        "builds its index under an exclusive lock",
        "CREATE UNIQUE INDEX CONCURRENTLY, then ADD CONSTRAINT ... USING INDEX",
    ),
    (
        "blocking-maintenance",
        ("postgresql",),
        "high",
        r"^(VACUUM\s*\(?\s*FULL|CLUSTER|REINDEX|REFRESH\s+MATERIALIZED\s+VIEW|LOCK\s)",
        r"\bCONCURRENTLY\b",
        "holds a lock that stops reads or writes for as long as it runs",
        "the CONCURRENTLY form, or a maintenance window",
    ),
    (
        "algorithm-not-stated",
        ("mysql",),
        "medium",
        r"^(ALTER\s+TABLE|CREATE\s+(UNIQUE\s+)?INDEX|DROP\s+INDEX)\b",
        r"\bALGORITHM\s*=",
        "the server may silently fall back to copying the table",
        "state ALGORITHM=INSTANT, or ALGORITHM=INPLACE, LOCK=NONE, so that it fails instead",
    ),
    (
        "table-copy",
        ("mysql",),
        "high",
        r"^ALTER\s+TABLE\b.*\b(MODIFY|CHANGE|CONVERT\s+TO|DROP\s+PRIMARY\s+KEY|ENGINE\s*=)",
        r"\bALGORITHM\s*=\s*(INSTANT|INPLACE)\b",
        "usually copies the table and blocks writes",
        "an online schema change tool, or a new column that is filled in batches",
    ),
    (
        "alter-rewrites",
        ("sqlite",),
        "medium",
        r"^ALTER\s+TABLE\b.*\bDROP\s+(COLUMN\s+)?\S+",
        None,
        "rewrites the table, and fails on indexed, unique or referenced columns",
        "new table, copy, rename, inside one transaction",
    ),
    (
        "not-null-without-default",
        ALL,
        "high",
        r"^ALTER\s+TABLE\b.*\bADD\s+(COLUMN\s+)?"
        r"(?!CONSTRAINT\b|CHECK\b|INDEX\b|KEY\b|FOREIGN\b|UNIQUE\b|PRIMARY\b).*\bNOT\s+NULL\b",
        r"\bDEFAULT\b|\bSET\s+NOT\s+NULL\b|\bGENERATED\b|\bCHECK\b",
        "fails on a table with rows, or breaks inserts of the running release",
        "add it nullable or with a constant default first",
    ),
    (
        "drop-breaks-running-code",
        ALL,
        "high",
        r"^(DROP\s+(TABLE|VIEW|SCHEMA|DATABASE|TYPE)\b|ALTER\s+TABLE\b.*\bDROP\s+COLUMN\b)",
        None,
        "data is lost and the release that is still running may read it",
        "stop using it in one release, drop it in a later one, after a backup",
    ),
    (
        "rename-breaks-running-code",
        ALL,
        "high",
        r"^(ALTER\s+TABLE\b.*\bRENAME\b|RENAME\s+TABLE\b)",
        None,
        "old and new code run side by side during a deployment; one of them fails",
        "add the new name, write both, switch, remove the old one",
    ),
    (
        "whole-table-write",
        ALL,
        "high",
        r"^(UPDATE|DELETE)\b",
        r"\bWHERE\b",
        "touches every row in one transaction",
        "batches by key range, each in its own transaction",
    ),
    (
        "truncate",
        ALL,
        "high",
        r"^TRUNCATE\b",
        None,
        "removes all rows under an exclusive lock",
        "confirm that the data can be rebuilt",
    ),
    (
        "data-in-schema-migration",
        ALL,
        "low",
        r"^(UPDATE|DELETE)\b.*\bWHERE\b",
        None,
        "rows are changed inside a schema migration: how many?",
        "count them first; above some thousands use batches",
    ),
]
RULES = [(*r[:3], re.compile(r[3], re.I | re.S), r[4] and re.compile(r[4], re.I | re.S), *r[5:]) for r in RULES]


def statements(sql, dialect):
    """Yield (line, text) for each statement; comments and literals are blanked, lines kept."""
    start, pieces, last = 0, [], 0

    def emit(end):
        text = "".join(pieces) + sql[last:end]
        lead = len(text) - len(text.lstrip())
        return sql.count("\n", 0, start) + text[:lead].count("\n") + 1, text.strip()

    for token in (MYSQL if dialect == "mysql" else STANDARD).finditer(sql):
        if token[0] == ";":
            line, text = emit(token.start())
            if text:
                yield line, text
            start, pieces = token.end(), []
        else:
            pieces.append(sql[last : token.start()])
            blank = "''" if token[0].startswith(("'", "$")) else " "
            pieces.append(blank + "\n" * token[0].count("\n"))
        last = token.end()
    line, text = emit(len(sql))
    if text:
        yield line, text


def scan(path, sql, dialect):
    findings = []
    created, in_transaction, has_timeout, first_lock = set(), False, False, None

    def find(rule, severity, line, text, why, instead):
        findings.append(
            {
                "rule": rule,
                "severity": severity,
                "file": path,
                "line": line,
                "statement": " ".join(text.split())[:160],
                "why": why,
                "instead": instead,
            }
        )

    for line, text in statements(sql, dialect):
        if re.match(r"(BEGIN|START\s+TRANSACTION)\b", text, re.I):
            in_transaction = True
        elif re.match(r"(COMMIT|END|ROLLBACK)\b", text, re.I):
            in_transaction = False
        has_timeout |= bool(re.match(r"SET\b.*\b(lock_timeout|lock_wait_timeout)\b", text, re.I | re.S))
        if made := re.match(r"CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w.\"`]+)", text, re.I):
            created.add(made[1].strip('"`').lower())
        target = re.match(
            r"(?:ALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?|CREATE\s+(?:UNIQUE\s+)?INDEX\b.*?\bON\s+(?:ONLY\s+)?"
            r"|UPDATE\s+|DELETE\s+FROM\s+)"
            r"([\w.\"`]+)",
            text,
            re.I | re.S,
        )
        if target and target[1].strip('"`').lower() in created:
            continue  # a table made in this migration is empty and unknown to running code
        if first_lock is None and re.match(r"(ALTER|DROP|TRUNCATE)\b", text, re.I):
            first_lock = (line, text, has_timeout)
        for rule, dialects, severity, needs, without, why, instead in RULES:
            if dialect in dialects and needs.search(text) and not (without and without.search(text)):
                find(rule, severity, line, text, why, instead)
        if dialect == "postgresql" and in_transaction and re.search(r"\bCONCURRENTLY\b", text, re.I):
            find(
                "concurrently-in-transaction",
                "high",
                line,
                text,
                "CONCURRENTLY cannot run inside a transaction block: the migration fails",
                "move it into a migration of its own with transactions switched off",
            )
    if first_lock and not first_lock[2] and dialect in ("postgresql", "mysql"):
        setting = "lock_timeout" if dialect == "postgresql" else "lock_wait_timeout"
        find(
            "no-lock-timeout",
            "medium",
            first_lock[0],
            first_lock[1],
            "while it waits for its lock, every later query on the table waits behind it",
            f"SET {setting} to a few seconds first, and retry",
        )
    return findings


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="exit codes: 0 nothing found, 1 findings, 2 usage, 3 a file cannot be read"
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="SQL migrations, `-` for standard input")
    parser.add_argument("--dialect", choices=ALL, required=True)
    parser.add_argument("--limit", type=int, default=100, metavar="N", help="findings to print (default: 100)")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    options = parser.parse_args()

    findings = []
    for path in options.files:
        try:
            if path == "-":
                sql = sys.stdin.read()
            else:
                with open(path, encoding="utf-8-sig") as file:
                    sql = file.read()
        except (OSError, UnicodeDecodeError) as error:
            print(f"error: {path}: {error}", file=sys.stderr)
            return 3
        findings += scan(path, sql, options.dialect)

    order = {"high": 0, "medium": 1, "low": 2}
    findings.sort(key=lambda finding: order[finding["severity"]])
    shown = findings[: options.limit]
    if options.format == "json":
        print(json.dumps({"dialect": options.dialect, "total": len(findings), "findings": shown}, indent=2))
    else:
        for finding in shown:
            print(f"{finding['file']}:{finding['line']}: {finding['severity']} [{finding['rule']}]")
            print(f"    {finding['statement']}")
            print(f"    why: {finding['why']}")
            print(f"    instead: {finding['instead']}")
        print(f"{len(findings)} findings" + (f", {len(shown)} shown" if len(shown) < len(findings) else ""))
    return 1 if findings else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
