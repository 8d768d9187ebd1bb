//! Turns an eval file beside a skill into trigger tests, and what is wrong with it into findings.

pub(crate) mod overlapping;
pub(crate) mod run;

use crate::manifest::boolean;
use crate::parse::yaml;
use crate::quoted::Quoted;
use crate::tree::{Map, Node, Value};
use crate::{Fix, Limits, LineIndex, Mode, Report, Rule, Span};
use std::collections::BTreeMap;

/// The files beside a skill that may hold trigger tests, the likeliest first.
pub const TRIGGER_FILES: [&str; 8] = [
    "evals/triggers.yaml",
    "evals/triggers.yml",
    "evals/triggers.json",
    "evals/trigger_eval.json",
    "evals/trigger_evals.json",
    "evals/eval_queries.json",
    "evals/evals.json",
    "trigger_eval.json",
];

/// The keys under which a file has its tests.
const LISTS: [&str; 7] =
    ["tests", "triggers", "trigger_tests", "trigger_evals", "evals", "cases", "queries"];
const QUERY: [&str; 3] = ["query", "prompt", "request"];
const SHOULD: [&str; 2] = ["should_trigger", "should"];
const SHOULD_NOT: [&str; 2] = ["should_not_trigger", "should_not"];

/// Something that a user says, and which skills it should and should not lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TriggerTest {
    /// What the user says.
    pub query: String,
    /// The skills that should be found.
    pub expect: Vec<String>,
    /// The skills that should not be found first.
    pub not: Vec<String>,
    /// The line of the file that the test starts in, from 1.
    pub line: usize,
}

/// What an eval file holds.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct TriggerFile {
    /// The tests, in the order of the file.
    pub tests: Vec<TriggerTest>,
    /// What is wrong with the file; a test with a finding is left out.
    pub report: Report,
}

impl TriggerFile {
    /// Reads YAML or JSON in any of the shapes that skill authors use. `skill` is the one that the file
    /// stands beside: what a test is about that names no other.
    ///
    /// 1. A list of tests, or a mapping that has it under `tests`, `triggers`, `evals`, `cases` or
    ///    `queries`, with `skill_name` where it is about another skill.
    /// 2. A test is text that should trigger the skill, or a mapping: `query` (or `prompt`), then
    ///    `should_trigger: true` or `false`, or `expect` and `not` with names of skills. Other keys are
    ///    for other programs.
    /// 3. Or two lists, `should_trigger` and `should_not_trigger`; also one such pair for each skill under
    ///    `skills`.
    ///
    /// ```
    /// use metier_core::TriggerFile;
    ///
    /// let yaml = "- query: fill in this tax form\n- query: what is a PDF\n  should_trigger: false\n";
    /// let file = TriggerFile::parse(yaml, "pdf");
    /// assert_eq!(file.tests[0].expect, ["pdf"]);
    /// assert_eq!((file.tests[1].not[0].as_str(), file.tests[1].line), ("pdf", 2));
    /// assert!(file.report.is_empty());
    /// ```
    pub fn parse(text: &str, skill: &str) -> Self {
        let report = Report::new(Mode::Strict);
        let mut reader =
            Reader { text, lines: LineIndex::new(text), found: Self { tests: Vec::new(), report } };
        if let Some(root) = reader.tree() {
            reader.root(&root, skill);
            reader.contradictions();
        }
        reader.found
    }
}

struct Reader<'t> {
    text: &'t str,
    lines: LineIndex,
    found: TriggerFile,
}

impl Reader<'_> {
    fn report(&mut self, span: Span, message: impl Into<String>, help: &str, fix: Option<Fix>) {
        self.found.report.push(Rule::BadTriggerTest, span, message, |finding| {
            let finding = finding.with_help(help);
            match fix {
                Some(fix) => finding.with_fix(fix),
                None => finding,
            }
        });
    }

    /// Reads the file as YAML, which JSON is too.
    fn tree(&mut self) -> Option<Node> {
        let most = Limits { yaml_nodes: 65_536, ..Limits::default() };
        let all = Span::all(self.text);
        if self.text.len() > most.file_bytes {
            let message =
                format!("the file has {} bytes, the limit is {}", self.text.len(), most.file_bytes);
            self.report(Span::at(self.text, 0), message, "split it into several files", None);
            return None;
        }
        match yaml::read(self.text, 0..self.text.len(), &most) {
            Ok(tree) if tree.root.is_some() => tree.root,
            Ok(_) => {
                self.report(all, "the file is empty", "write a list of tests into it", None);
                None
            }
            Err(error) => {
                let help = "mend the YAML or JSON: none of the tests is run";
                self.report(error.span, error.message, help, None);
                None
            }
        }
    }

    fn root(&mut self, root: &Node, skill: &str) {
        let before = (self.found.tests.len(), self.found.report.len());
        match &root.value {
            Value::List(items) => self.items(items, skill, true),
            Value::Map(map) => self.map(map, skill),
            Value::Scalar(_) => {}
        }
        if before == (self.found.tests.len(), self.found.report.len()) {
            let help = "write a list of tests, each with a `query` and `should_trigger`";
            self.report(root.span, "there is no trigger test in the file", help, None);
        }
    }

    /// A mapping that holds tests somewhere.
    fn map(&mut self, map: &Map, skill: &str) {
        let skill = first(map, &["skill_name", "skill"]).and_then(Node::as_text).unwrap_or(skill);
        for key in LISTS {
            match map.get(key).map(|node| &node.value) {
                Some(Value::List(items)) => self.items(items, skill, true),
                Some(Value::Map(map)) => self.map(map, skill),
                _ => {}
            }
        }
        for (keys, should) in [(SHOULD, true), (SHOULD_NOT, false)] {
            if let Some(items) = first(map, &keys).and_then(Node::as_list) {
                self.items(items, skill, should);
            }
        }
        for entry in map.get("skills").and_then(Node::as_map).into_iter().flat_map(Map::iter) {
            if let Some(map) = entry.value.as_map() {
                self.map(map, &entry.key);
            }
        }
    }

    fn items(&mut self, items: &[Node], skill: &str, should: bool) {
        for item in items {
            match &item.value {
                Value::Map(map) if is_pair_of_lists(map) => self.map(map, skill),
                Value::Map(map) => self.test(map, item.span, skill, should),
                Value::Scalar(scalar) => {
                    self.add(scalar.text(), item.span, Wanted::of(skill, should));
                }
                Value::List(_) => {
                    let help = "write text, or a mapping with a `query`";
                    self.report(item.span, "a test must not be a list", help, None);
                }
            }
        }
    }

    fn test(&mut self, map: &Map, span: Span, skill: &str, should: bool) {
        let skill = map.get("skill").and_then(Node::as_text).unwrap_or(skill);
        self.misspelt(map);
        let Some(query) = first(map, &QUERY) else {
            self.report(span, "the test has no `query`", "add what a user would say", None);
            return;
        };
        let Some(text) = query.as_text() else {
            let message = format!("`query` must be text, not {}", query.kind());
            self.report(query.span, message, "write what a user would say", None);
            return;
        };
        let should = match map.get("should_trigger") {
            None => Some(should),
            Some(node) => match boolean(node) {
                Some(should) => Some(should),
                None => return self.not_a_boolean(node),
            },
        };
        let wanted = match (map.get("expect"), map.get("not")) {
            (None, None) => Wanted::of(skill, should.unwrap_or(true)),
            (expect, not) => {
                let names = |node: Option<&Node>| node.map_or(Some(Vec::new()), names);
                let (Some(expect), Some(mut not)) = (names(expect), names(not)) else {
                    let help = "write a name, or a list of names";
                    let message = "`expect` and `not` must be names of skills";
                    return self.report(span, message, help, None);
                };
                // To expect nothing is to expect that this skill stays away.
                if expect.is_empty() && not.is_empty() {
                    not.push(skill.to_owned());
                }
                Wanted { expect, not }
            }
        };
        let both = wanted.expect.iter().find(|name| wanted.not.contains(name));
        let denied = map.get("should_trigger").is_some_and(|_| should == Some(false));
        if let Some(name) = both.or(wanted.expect.first().filter(|_| denied)) {
            let message = format!("the test expects {} and does not", Quoted(name));
            self.report(span, message, "keep one of the two", None);
            return;
        }
        self.add(text, query.span, wanted);
    }

    fn add(&mut self, query: &str, span: Span, wanted: Wanted) {
        let query = query.trim();
        if query.is_empty() {
            self.report(span, "the query is empty", "write what a user would say", None);
            return;
        }
        let Wanted { expect, not } = wanted;
        let line = self.lines.line(span.start());
        self.found.tests.push(TriggerTest { query: query.to_owned(), expect, not, line });
    }

    fn not_a_boolean(&mut self, node: &Node) {
        let meant = match node.to_line().to_ascii_lowercase().as_str() {
            "yes" | "on" | "1" => Some("true"),
            "no" | "off" | "0" => Some("false"),
            _ => None,
        };
        let fix = meant.map(|meant| Fix::replace(format!("write `{meant}`"), node.span, meant));
        let message =
            format!("`should_trigger` must be true or false, not {}", Quoted(&node.to_line()));
        self.report(node.span, message, "write `true` or `false`", fix);
    }

    /// Keys that a hasty hand writes for `should_trigger`.
    fn misspelt(&mut self, map: &Map) {
        for entry in map.iter().filter(|entry| entry.key != "should_trigger") {
            let letters: String = entry.key.chars().filter(char::is_ascii_alphabetic).collect();
            if letters.eq_ignore_ascii_case("shouldtrigger") {
                let is_quoted = entry.key_span.slice(self.text).starts_with('"');
                let key = if is_quoted { "\"should_trigger\"" } else { "should_trigger" };
                let fix = Fix::replace("rename the key", entry.key_span, key);
                let message = format!("{} is not read", Quoted(&entry.key));
                self.report(entry.key_span, message, "write `should_trigger`", Some(fix));
            }
        }
    }

    /// The same words cannot both lead to a skill and not.
    fn contradictions(&mut self) {
        let mut expected: BTreeMap<(String, String), usize> = BTreeMap::new();
        for test in &self.found.tests {
            for name in &test.expect {
                expected.entry((test.query.clone(), name.clone())).or_insert(test.line);
            }
        }
        let mut found = Vec::new();
        for test in &self.found.tests {
            for name in &test.not {
                if let Some(line) = expected.get(&(test.query.clone(), name.clone())) {
                    found.push((test.line, *line, name.clone()));
                }
            }
        }
        for (line, other, name) in found {
            let name = Quoted(&name);
            let message = format!("line {other} expects {name} for the same query, this does not");
            let span = self.lines.line_span(self.text, line);
            self.report(span, message, "keep one of the two tests", None);
        }
    }
}

/// The skills that a test wants and does not want.
struct Wanted {
    expect: Vec<String>,
    not: Vec<String>,
}

impl Wanted {
    fn of(skill: &str, should: bool) -> Self {
        let skill = vec![skill.to_owned()];
        if should {
            Self { expect: skill, not: Vec::new() }
        } else {
            Self { expect: Vec::new(), not: skill }
        }
    }
}

fn first<'m>(map: &'m Map, keys: &[&str]) -> Option<&'m Node> {
    keys.iter().find_map(|key| map.get(key))
}

fn is_pair_of_lists(map: &Map) -> bool {
    SHOULD.iter().chain(&SHOULD_NOT).any(|key| map.get(key).is_some_and(|n| n.as_list().is_some()))
}

/// A name, or a list of names; nothing is an empty list.
fn names(node: &Node) -> Option<Vec<String>> {
    match &node.value {
        Value::Scalar(scalar) if scalar.is_null() => Some(Vec::new()),
        Value::Scalar(scalar) => Some(vec![scalar.text().to_owned()]),
        Value::List(items) => items.iter().map(|n| Some(n.as_text()?.to_owned())).collect(),
        Value::Map(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each test as `query > expected ! unwanted`.
    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let file = TriggerFile::parse(text, "pdf");
        let tests = file.tests.iter().map(|test| {
            let list = |mark: &str, names: &[String]| match names {
                [] => String::new(),
                names => format!(" {mark} {}", names.join(",")),
            };
            format!(
                "{}: {}{}{}",
                test.line,
                test.query,
                list(">", &test.expect),
                list("!", &test.not)
            )
        });
        let lines = LineIndex::new(text);
        let findings = file.report.iter().map(|finding| {
            let line = lines.line(finding.span.unwrap().start());
            format!("{line}: {}", finding.message)
        });
        (tests.collect(), findings.collect())
    }

    #[test]
    fn every_public_shape_is_read() {
        for (text, expected) in [
            (
                "- fill it in\n- query: other\n  should_trigger: false\n",
                &["1: fill it in > pdf", "2: other ! pdf"][..],
            ),
            (
                "[{\"query\": \"a b\", \"should_trigger\": true},\n {\"query\": \"c\", \"should_trigger\": false}]",
                &["1: a b > pdf", "2: c ! pdf"],
            ),
            (
                "{\"skill_name\": \"x\", \"evals\": [{\"id\": 1, \"prompt\": \"do it\", \"expectations\": [\"done\"]}]}",
                &["1: do it > x"],
            ),
            (
                "tests:\n- query: q\n  expect: [a, b]\n  not: c\n- {query: r, not: d}\n- {query: s, expect: []}\n",
                &["2: q > a,b ! c", "5: r ! d", "6: s ! pdf"],
            ),
            (
                "should_trigger: [a, {prompt: b}]\nshould_not_trigger:\n- c\n",
                &["1: a > pdf", "1: b > pdf", "3: c ! pdf"],
            ),
            (
                "cases:\n- skill: x\n  should_trigger: [a]\n  should_not_trigger: [b]\n",
                &["3: a > x", "4: b ! x"],
            ),
            (
                "skills:\n  one: {should: [a], should_not: [b]}\n  two: {should: [c]}\n",
                &["2: a > one", "2: b ! one", "3: c > two"],
            ),
            (
                "trigger_tests:\n  should_trigger: [a]\nevals:\n- prompt: b\n  should_trigger: 'false'\n",
                &["2: a > pdf", "4: b ! pdf"],
            ),
        ] {
            let (mut tests, findings) = read(text);
            tests.sort();
            assert_eq!(tests, expected, "{text}");
            assert!(findings.is_empty(), "{text}: {findings:?}");
        }
    }

    #[test]
    fn json_has_its_tabs_and_escapes() {
        let (tests, findings) = read("[\n\t{\"query\": \"smile \\ud83d\\ude00\"}\n]");
        assert_eq!(tests, ["2: smile 😀 > pdf"]);
        assert!(findings.is_empty(), "{findings:?}");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, expected) in [
            ("", "1: the file is empty"),
            ("version: 2\n", "1: there is no trigger test in the file"),
            ("just words\n", "1: there is no trigger test in the file"),
            ("- should_trigger: true\n", "1: the test has no `query`"),
            ("- query: [a]\n", "1: `query` must be text, not a list"),
            ("- query: '  '\n", "1: the query is empty"),
            ("- a\n- [b]\n", "2: a test must not be a list"),
            (
                "- query: a\n  should_trigger: maybe\n",
                "2: `should_trigger` must be true or false, not `maybe`",
            ),
            ("- query: a\n  expect: {x: y}\n", "1: `expect` and `not` must be names of skills"),
            ("- query: a\n  expect: x\n  not: [y, x]\n", "1: the test expects `x` and does not"),
            (
                "- query: a\n  expect: x\n  should_trigger: false\n",
                "1: the test expects `x` and does not",
            ),
            (
                "- a\n- b\n- query: a\n  should_trigger: false\n",
                "3: line 1 expects `pdf` for the same query, this does not",
            ),
            ("- query: a\n  shouldTrigger: false\n", "2: `shouldTrigger` is not read"),
        ] {
            let (_, findings) = read(text);
            assert_eq!(findings, [expected], "{text:?}");
        }
        let (tests, findings) = read("- query: \"a\n- b: [\n");
        assert!(tests.is_empty() && findings.len() == 1, "{findings:?}");
    }

    #[test]
    fn slips_are_mended() {
        for (text, mended) in [
            ("- query: a\n  should_trigger: no\n", "- query: a\n  should_trigger: false\n"),
            (
                "[{\"query\": \"a\", \"should-trigger\": true}]",
                "[{\"query\": \"a\", \"should_trigger\": true}]",
            ),
        ] {
            assert_eq!(TriggerFile::parse(text, "pdf").report.apply_fixes(text), mended);
        }
    }
}
