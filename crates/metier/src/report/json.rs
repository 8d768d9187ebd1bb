//! Turns findings into the JSON object of `metier check --json`.

use super::place::Places;
use crate::CheckedFile;
use crate::check::fix::is_fixable;
use metier_core::{Finding, ResourcePath, Rule, Severity};
use serde::Serialize;

#[derive(Serialize)]
struct Output<'a> {
    files: Vec<File<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct File<'a> {
    path: String,
    name: Option<&'a str>,
    ok: bool,
    findings: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct Item<'a> {
    rule: Rule,
    severity: Severity,
    message: &'a str,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
    help: Option<&'a str>,
    fixable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

#[derive(Serialize)]
struct Summary {
    files: usize,
    errors: usize,
    warnings: usize,
}

pub(super) fn render(files: &[CheckedFile]) -> String {
    let count = |severity| files.iter().map(|file| file.report.count(severity)).sum();
    let output = Output {
        files: files.iter().map(one).collect(),
        summary: Summary {
            files: files.len(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
        },
    };
    // Plain data with string keys always serialises.
    let mut text = serde_json::to_string_pretty(&output).unwrap_or_default();
    text.push('\n');
    text
}

fn one(file: &CheckedFile) -> File<'_> {
    let places = Places::new(file);
    File {
        path: file.path.to_string_lossy().into_owned(),
        name: file.name.as_deref(),
        ok: !file.report.has_errors(),
        findings: file.report.iter().map(|finding| item(finding, &places)).collect(),
    }
}

fn item<'a>(finding: &'a Finding, places: &Places<'_>) -> Item<'a> {
    let (start, end) = places.of(finding).range.unzip();
    Item {
        rule: finding.rule,
        severity: finding.severity,
        message: &finding.message,
        line: start.map(|start| start.line),
        column: start.map(|start| start.column),
        end_line: end.map(|end| end.line),
        end_column: end.map(|end| end.column),
        help: finding.help.as_deref(),
        fixable: is_fixable(finding),
        file: finding.file.as_ref().map(ResourcePath::as_str),
    }
}
