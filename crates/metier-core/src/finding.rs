//! Turns what is wrong with a skill into plain data: findings, fixes and reports, with no terminal in sight.

use crate::repair::patch::Patch;
use crate::{ResourcePath, Rule, Span};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// How strictly a skill is judged.
///
/// The mode changes severities only. Both modes find the same things in the same places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Mode {
    /// For loading: what can be repaired is repaired, and said.
    #[default]
    Lenient,
    /// For checking: the specification and its reference validator, without the validator's defects.
    Strict,
}

/// How much a finding matters, in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Worth mending; the skill works.
    Warning,
    /// Breaks the specification, or keeps the skill from loading.
    Error,
}

impl Severity {
    /// The lower-case word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One replacement of bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "a replacement has no third part")]
pub struct Edit {
    /// What is replaced; empty to insert.
    pub span: Span,
    /// What stands there afterwards; empty to delete.
    pub replacement: String,
}

/// A change that makes a finding go away without changing what the author meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "callers write fixes of their own")]
pub struct Fix {
    /// What the fix does, as an imperative: "quote the value".
    pub title: String,
    /// The edits, in the order of the text, none overlapping another.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// A fix that replaces one span.
    pub fn replace(title: impl Into<String>, span: Span, replacement: impl Into<String>) -> Self {
        Self { title: title.into(), edits: vec![Edit { span, replacement: replacement.into() }] }
    }

    /// A fix that deletes one span.
    pub fn delete(title: impl Into<String>, span: Span) -> Self {
        Self::replace(title, span, "")
    }
}

/// Something to say about a skill: what, where, how bad, and what to do about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The rule that found it.
    pub rule: Rule,
    /// How much it matters in the mode of the check.
    pub severity: Severity,
    /// One sentence, lower case, without a final period; literals stand in backticks.
    pub message: String,
    /// The place in the file; `None` when the finding is about the file as a whole.
    pub span: Option<Span>,
    /// The file of the skill that the finding is about; `None` for `SKILL.md` itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<ResourcePath>,
    /// What the author can do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The edit that does it, where one is certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

impl Finding {
    /// Adds advice.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the edit that makes the finding go away.
    pub fn with_fix(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }

    /// Says that the finding is about another file of the skill.
    pub fn in_file(mut self, file: ResourcePath) -> Self {
        self.file = Some(file);
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity, self.rule.code(), self.message)
    }
}

/// Everything found in one pass over a skill, in the order of the text.
///
/// ```
/// use metier_core::{Mode, ParseOptions, parse_with};
///
/// let text = "---\nname: pdf\ndescription: Fills forms: quickly\n---\n";
/// let parsed = parse_with(text, &ParseOptions { mode: Mode::Strict, ..Default::default() });
/// assert!(parsed.report.has_errors());
/// let fixed = parsed.report.apply_fixes(text);
/// assert!(fixed.contains("description: \"Fills forms: quickly\""));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    findings: Vec<Finding>,
    mode: Mode,
}

impl Report {
    /// An empty report that will judge in `mode`.
    pub fn new(mode: Mode) -> Self {
        Self { findings: Vec::new(), mode }
    }

    /// The mode that set the severities.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Adds a finding with the rule's severity in this mode, unless the mode has the rule off.
    pub fn add(&mut self, rule: Rule, span: impl Into<Option<Span>>, message: impl Into<String>) {
        self.push(rule, span, message, |finding| finding);
    }

    /// Adds a finding that `complete` gives help, a fix or a file.
    pub fn push(
        &mut self,
        rule: Rule,
        span: impl Into<Option<Span>>,
        message: impl Into<String>,
        complete: impl FnOnce(Finding) -> Finding,
    ) {
        if let Some(severity) = rule.severity(self.mode) {
            self.findings.push(complete(Finding {
                rule,
                severity,
                message: message.into(),
                span: span.into(),
                file: None,
                help: None,
                fix: None,
            }));
        }
    }

    /// Whether findings of this rule are kept in this mode.
    pub(crate) fn wants(&self, rule: Rule) -> bool {
        rule.severity(self.mode).is_some()
    }

    /// Takes over a finding as it is.
    pub(crate) fn take(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Takes over the findings of another report.
    pub fn extend(&mut self, other: Self) {
        self.findings.extend(other.findings);
    }

    /// Keeps only the findings that `keep` says yes to.
    pub fn retain(&mut self, keep: impl FnMut(&Finding) -> bool) {
        self.findings.retain(keep);
    }

    /// Puts the findings in the order of the text: `SKILL.md` first, then its files by path.
    pub fn sort(&mut self) {
        self.findings.sort_by(|a, b| {
            let place = |f: &Finding| f.span.map(|span| (span.start(), span.end()));
            (&a.file, place(a), a.rule).cmp(&(&b.file, place(b), b.rule))
        });
    }

    /// Lets the lines that fixes add to `text` end as its first line does.
    pub(crate) fn end_lines_like(&mut self, text: &str) {
        let line_break = first_line_break(text);
        if line_break == "\n" {
            return;
        }
        let fixes = self.findings.iter_mut().filter_map(|finding| finding.fix.as_mut());
        for edit in fixes.flat_map(|fix| &mut fix.edits) {
            edit.replacement = edit.replacement.replace("\r\n", "\n").replace('\n', line_break);
        }
    }

    /// Whether anything found is an error.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// How many findings have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.severity == severity).count()
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// How many findings there are.
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// The findings in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.findings.iter()
    }

    /// Applies every fix for `SKILL.md` that does not overlap an earlier one to `text`, the text the
    /// report is about. Bytes outside the edits stay as they are.
    ///
    /// A fix can uncover another finding; check again until no fix is left.
    pub fn apply_fixes(&self, text: &str) -> String {
        // By place: none of the edits taken overlaps another, so only neighbours can clash.
        let mut edits: BTreeMap<Span, &Edit> = BTreeMap::new();
        for finding in self.findings.iter().filter(|f| f.file.is_none()) {
            let Some(fix) = &finding.fix else { continue };
            let clashes = fix.edits.iter().any(|new| {
                let before = edits.range(..=new.span).next_back();
                let after = edits.range(new.span..).take(2);
                before.into_iter().chain(after).any(|(_, old)| {
                    new.span.overlaps(old.span)
                        || new.span.start() == old.span.start() && *old != new
                })
            });
            if !clashes {
                edits.extend(fix.edits.iter().map(|new| (new.span, new)));
            }
        }
        Patch::new(edits.into_values().cloned().collect()).apply(text)
    }
}

/// How the first line of a text ends.
fn first_line_break(text: &str) -> &'static str {
    match text.split_once(['\n', '\r']) {
        Some((line, rest)) if text[line.len()..].starts_with('\r') => {
            if rest.starts_with('\n') {
                "\r\n"
            } else {
                "\r"
            }
        }
        _ => "\n",
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.findings.serialize(serializer)
    }
}

impl<'a> IntoIterator for &'a Report {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.findings.iter()
    }
}

impl IntoIterator for Report {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.findings.into_iter()
    }
}
