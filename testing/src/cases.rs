//! Turns a folder of case files and a way to run a case into a pass, or a list of all that differs.

use crate::case::{Block, Case, CaseFile};
use crate::diff::diff;
use crate::{escape, escape_line};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The variable that asks for expectations to be rewritten.
const UPDATE: &str = "METIER_UPDATE_CASES";

/// What became of a case's skill.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// All findings in order, as a case writes them: `error[unquoted-colon] 3:14 message`.
    pub findings: Vec<String>,
    /// The text after all fixes; the text as it was, where there is nothing to fix.
    pub fixed: Option<String>,
    /// The fields that were read, as text.
    pub value: BTreeMap<String, String>,
}

/// Runs every case of every `*.md` file in a folder, and panics with all that differs.
///
/// The format stands in the source of this crate, at the top of `case.rs`, and in
/// `CONTRIBUTING.md`. With `METIER_UPDATE_CASES=1` the expectations that are there are rewritten
/// to what was found, and nothing else; what cannot be rewritten still fails.
///
/// ```
/// use testing::{Fixture, Outcome, run_cases};
///
/// let cases = "## Empty\n\n```skill\n```\n\n```findings\nerror[empty] 1:1 the file is empty\n```\n";
/// let fixture = Fixture::new().file("empty.md", cases);
/// run_cases(fixture.path(), |case| {
///     let empty = case.text.is_empty();
///     let findings = empty.then(|| "error[empty] 1:1 the file is empty".to_owned());
///     Outcome { findings: findings.into_iter().collect(), ..Outcome::default() }
/// });
/// ```
pub fn run_cases(folder: impl AsRef<Path>, run: impl Fn(&Case) -> Outcome) {
    let intent = match env::var_os(UPDATE) {
        Some(value) if value == "1" => Intent::Update,
        Some(value) => panic!("`{UPDATE}` is `{}`: set it to 1", value.to_string_lossy()),
        None => Intent::Compare,
    };
    if let Err(report) = check(folder.as_ref(), intent, run) {
        panic!("{report}");
    }
}

/// What to do with an expectation that is not met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Intent {
    Compare,
    Update,
}

/// Runs the cases of a folder; the error is the whole report.
fn check(folder: &Path, intent: Intent, run: impl Fn(&Case) -> Outcome) -> Result<(), String> {
    let mut failures = Vec::new();
    let mut total = 0;
    for path in case_files(folder)? {
        let text = fs::read_to_string(&path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let file = match CaseFile::parse(&path, &text) {
            Ok(file) => file,
            Err(error) => {
                failures.push(format!("{error}\n"));
                continue;
            }
        };
        total += file.cases.len();
        let mut rewrites = Vec::new();
        for case in &file.cases {
            let differences = match catch_unwind(AssertUnwindSafe(|| run(case))) {
                Ok(outcome) => differences(case, &outcome),
                Err(panic) => vec![Difference::fatal(format!("panicked: {}\n", said(&*panic)))],
            };
            for difference in differences {
                match difference.rewrite {
                    Some(rewrite) if intent == Intent::Update => rewrites.push(rewrite),
                    _ => failures.push(format!(
                        "{}:{}: {}\n{}",
                        path.display(),
                        difference.line.unwrap_or(case.line),
                        case.name,
                        difference.report
                    )),
                }
            }
        }
        if !rewrites.is_empty() {
            fs::write(&path, rewritten(&file, rewrites))
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{}\n{} differences in {total} cases; `{UPDATE}=1` rewrites what is expected\n",
        failures.join("\n"),
        failures.len()
    ))
}

/// The `*.md` files of a folder, sorted.
fn case_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let fault = |error| format!("cannot list {}: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(format!("{} has no `*.md` file", folder.display()));
    }
    paths.sort();
    Ok(paths)
}

/// One expectation that was not met.
struct Difference {
    /// The line of the block, from 1.
    line: Option<usize>,
    report: String,
    rewrite: Option<Rewrite>,
}

/// A block and the lines that it should hold.
struct Rewrite {
    block: Block,
    shown: String,
}

impl Difference {
    /// A difference that no rewriting can mend.
    fn fatal(report: String) -> Self {
        Self { line: None, report, rewrite: None }
    }

    /// Compares the lines of a block; `None` when they are the same.
    fn between(block: &Block, expected: &str, actual: String) -> Option<Self> {
        if expected == actual {
            return None;
        }
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        Some(Self {
            line: Some(block.lines.start + 1),
            report: format!("{}:\n{}", block.info, diff(&lines(expected), &lines(&actual))),
            rewrite: Some(Rewrite { block: block.clone(), shown: actual }),
        })
    }
}

/// Everything in which an outcome is not what its case expects.
///
/// Both sides are compared as a case file would show them, so equal means equal to the byte.
fn differences(case: &Case, outcome: &Outcome) -> Vec<Difference> {
    let mut differences = Vec::new();
    if let (Some(block), Some(expected)) = (&case.blocks.findings, &case.findings) {
        let actual = entries(outcome.findings.iter().map(|finding| escape_line(finding)));
        let expected = entries(expected.iter().map(|finding| escape_line(finding)));
        differences.extend(Difference::between(block, &expected, actual));
    }
    if let (Some(block), Some(expected)) = (&case.blocks.fixed, &case.fixed) {
        differences.extend(match &outcome.fixed {
            Some(actual) => Difference::between(block, &escape(expected), escape(actual)),
            None => Some(Difference::fatal("fixed: there is no text after fixes\n".to_owned())),
        });
    }
    if let (Some(block), Some(expected)) = (&case.blocks.value, &case.value) {
        let actual = expected.keys().map(|key| field(key, outcome.value.get(key)));
        let expected = expected.iter().map(|(key, value)| field(key, value.as_ref()));
        differences.extend(Difference::between(block, &entries(expected), entries(actual)));
    }
    differences
}

/// One line an entry.
fn entries(lines: impl Iterator<Item = String>) -> String {
    lines.flat_map(|line| [line, "\n".to_owned()]).collect()
}

/// A field as a `value` block shows it.
fn field(key: &str, value: Option<&String>) -> String {
    match value.map(String::as_str) {
        None => format!("!{key}"),
        Some("") => format!("{key}:"),
        Some(value) => format!("{key}: {}", escape_line(value)),
    }
}

/// The file with some of its blocks rewritten.
fn rewritten(file: &CaseFile, mut rewrites: Vec<Rewrite>) -> String {
    let mut lines = file.lines.clone();
    // From the last to the first, so that the lines above keep their numbers.
    rewrites.sort_by_key(|rewrite| std::cmp::Reverse(rewrite.block.lines.start));
    for Rewrite { block, shown } in rewrites {
        let fence = fence_around(&shown, &block.fence);
        let opening = format!("{fence}{}", block.info);
        let inside = shown.lines().map(str::to_owned);
        let block_lines = std::iter::once(opening).chain(inside).chain([fence]);
        lines.splice(block.lines, block_lines);
    }
    entries(lines.into_iter())
}

/// The fence, made longer where the text inside would close it.
fn fence_around(shown: &str, fence: &str) -> String {
    let sign = if fence.starts_with('~') { '~' } else { '`' };
    let run = |line: &str| line.chars().take_while(|character| *character == sign).count();
    let longest = shown.lines().map(run).max().unwrap_or(0);
    sign.to_string().repeat(fence.len().max(longest + 1))
}

/// What a panic said.
fn said(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::{Intent, Outcome, check};
    use crate::{Case, Fixture};
    use std::collections::BTreeMap;

    /// A made-up checker: shouting is an error, and its fix is to lower the voice.
    fn quiet(case: &Case) -> Outcome {
        assert!(!case.text.contains("panic"), "asked to");
        let loud = |(number, line): (usize, &str)| {
            let upper = line.find(|character: char| character.is_ascii_uppercase())?;
            Some(format!("error[loud] {}:{} too loud: `{line}`", number + 1, upper + 1))
        };
        Outcome {
            findings: case.text.split('\n').enumerate().filter_map(loud).collect(),
            fixed: Some(case.text.to_ascii_lowercase()),
            value: BTreeMap::from([("first".to_owned(), case.text.lines().take(1).collect())]),
        }
    }

    const GOOD: &str = "# Voices\n\n## Loud\n\n```skill\nhello\n\tyOU ␍\nthere␄\n```\n\n\
        ```findings\nerror[loud] 2:3 too loud: `⇥yOU ␍`\n```\n\nProse.\n\n\
        ```fixed\nhello\n⇥you ␍\nthere␄\n```\n\n```value\nfirst: hello\n!second\n```\n";

    #[test]
    fn a_case_that_is_met_passes() {
        let fixture = Fixture::new().file("a.md", GOOD).file("notes.txt", "not a case");
        assert_eq!(check(fixture.path(), Intent::Compare, quiet), Ok(()));
    }

    #[test]
    fn all_that_differs_is_reported_with_its_place() {
        let bad = GOOD.replace("hello\n\t", "Hello\n\t").replace("!second", "second: x");
        let fixture = Fixture::new()
            .file("a.md", &bad)
            .file("b.md", "# No case\n")
            .file("c.md", "## Bad\n```skill\npanic\n```\n```findings\n```\n");
        let report = check(fixture.path(), Intent::Compare, quiet).unwrap_err();
        let root = format!("{}{}", fixture.path().display(), std::path::MAIN_SEPARATOR);
        assert_eq!(
            report.replace(&root, ""),
            "a.md:11: Loud\nfindings:\n+ error[loud] 1:1 too loud: `Hello`\n  error[loud] 2:3 too \
             loud: `⇥yOU ␍`\n\na.md:23: Loud\nvalue:\n- first: hello\n- second: x\n+ first: Hello\n\
             + !second\n\nb.md:1: the file has no case: no line starts with `## `\n\nc.md:1: Bad\n\
             panicked: asked to\n\n4 differences in 2 cases; `METIER_UPDATE_CASES=1` rewrites what \
             is expected\n"
        );
    }

    #[test]
    fn a_difference_in_invisible_characters_counts() {
        let changes = [
            ("you ␍", "you "),
            ("there␄\n```\n\n```value", "there\n```\n\n```value"),
            ("```fixed\nhello", "```fixed\n\nhello"),
        ];
        for (from, to) in changes {
            let fixture = Fixture::new().file("a.md", &GOOD.replace(from, to));
            assert!(check(fixture.path(), Intent::Compare, quiet).is_err(), "{from}");
        }
    }

    #[test]
    fn an_update_rewrites_expectations_and_nothing_else() {
        let stale = GOOD
            .replace("error[loud] 2:3 too loud: `⇥yOU ␍`\n", "")
            .replace("```fixed\nhello\n⇥you ␍\nthere␄", "```fixed\nold")
            .replace("first: hello", "first: old");
        let fixture = Fixture::new().file("a.md", &stale);
        assert_eq!(check(fixture.path(), Intent::Update, quiet), Ok(()));
        assert_eq!(fixture.read("a.md"), GOOD);
        assert_eq!(check(fixture.path(), Intent::Compare, quiet), Ok(()));
    }

    #[test]
    fn an_update_leaves_a_file_that_is_right_alone() {
        let windows = GOOD.replace('\n', "\r\n");
        let fixture = Fixture::new().file("a.md", &windows);
        assert_eq!(check(fixture.path(), Intent::Update, quiet), Ok(()));
        assert_eq!(fixture.read("a.md"), windows);
    }

    #[test]
    fn an_update_makes_the_fence_longer_than_what_it_holds() {
        let case = "## A\n````skill\nX\n```\n````\n```fixed\n```\n";
        let fixture = Fixture::new().file("a.md", case);
        assert_eq!(check(fixture.path(), Intent::Update, quiet), Ok(()));
        assert!(fixture.read("a.md").ends_with("\n````fixed\nx\n```\n````\n"));
        assert_eq!(check(fixture.path(), Intent::Compare, quiet), Ok(()));
    }

    #[test]
    fn an_update_does_not_hide_what_it_cannot_mend() {
        let fixture = Fixture::new().file("a.md", "## A\n```skill\nx\n```\n```fixed\n```\n");
        let report = check(fixture.path(), Intent::Update, |_| Outcome::default()).unwrap_err();
        assert!(report.contains("there is no text after fixes"), "{report}");
    }

    #[test]
    fn a_folder_without_cases_fails() {
        let fixture = Fixture::new().file("a.txt", "");
        assert!(check(fixture.path(), Intent::Compare, quiet).is_err());
        assert!(check(&fixture.join("none"), Intent::Compare, quiet).is_err());
    }
}
