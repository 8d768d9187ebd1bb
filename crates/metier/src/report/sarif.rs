//! Turns findings into SARIF 2.1.0, the format of code scanning services.

use super::RenderOptions;
use super::place::{Place, Places, slashed};
use crate::check::fix::is_fixable;
use crate::{CheckedFile, rule_page};
use metier_core::{Finding, Fix, Mode, Position, Rule, Severity};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::Path;

pub(super) fn render(files: &[CheckedFile], options: &RenderOptions) -> String {
    let rules: Vec<Value> = Rule::ALL.iter().map(|&rule| describe(rule)).collect();
    let mut results = Vec::new();
    for file in files {
        let places = Places::new(file);
        for finding in &file.report {
            results.push(result(finding, &places.of(finding), options));
        }
    }
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "metier",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            // YAML also ends a line at a lone carriage return, and so do our line numbers.
            "newlineSequences": ["\r\n", "\n", "\r"],
            "results": results,
        }],
    });
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    text
}

fn describe(rule: Rule) -> Value {
    let page = rule_page(rule);
    let level = rule.severity(Mode::Strict).or(rule.severity(Mode::Lenient)).map_or("none", level);
    json!({
        "id": rule.code(),
        "shortDescription": { "text": rule.title() },
        "help": { "text": page, "markdown": page },
        "defaultConfiguration": { "level": level },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        _ => "note",
    }
}

fn result(finding: &Finding, place: &Place<'_>, options: &RenderOptions) -> Value {
    let mut text = finding.message.clone();
    if let Some(help) = &finding.help {
        let _ = write!(text, "\nhelp: {help}");
    }
    let artifact = json!({ "uri": uri(&place.path, &options.base) });
    let mut location = Map::new();
    location.insert("artifactLocation".into(), artifact.clone());
    if let Some((start, end)) = place.range {
        location.insert("region".into(), region(start, end));
    }
    let mut result = Map::new();
    result.insert("ruleId".into(), finding.rule.code().into());
    let index = Rule::ALL.iter().position(|&rule| rule == finding.rule);
    result.insert("ruleIndex".into(), index.into());
    result.insert("level".into(), level(finding.severity).into());
    result.insert("message".into(), json!({ "text": text }));
    result.insert("locations".into(), json!([{ "physicalLocation": location }]));
    if let Some(fix) = finding.fix.as_ref().filter(|_| is_fixable(finding)) {
        result.insert("fixes".into(), json!([replacements(fix, place, &artifact)]));
    }
    Value::Object(result)
}

fn replacements(fix: &Fix, place: &Place<'_>, artifact: &Value) -> Value {
    let edits: Vec<Value> = fix
        .edits
        .iter()
        .map(|edit| {
            let (start, end) = place.positions(edit.span);
            json!({
                "deletedRegion": region(start, end),
                "insertedContent": { "text": edit.replacement },
            })
        })
        .collect();
    json!({
        "description": { "text": fix.title },
        "artifactChanges": [{ "artifactLocation": artifact, "replacements": edits }],
    })
}

/// The end column of a region is the one after its last character, as ours is.
fn region(start: Position, end: Position) -> Value {
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

/// A relative reference where the path is relative, a `file:` address where it is not.
fn uri(path: &Path, base: &Path) -> String {
    let path = slashed(path, base);
    let mut uri = String::with_capacity(path.len());
    if path.starts_with('/') {
        uri.push_str("file://");
    } else if path.as_bytes().get(1) == Some(&b':') && cfg!(windows) {
        uri.push_str("file:///");
    }
    for &byte in path.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}
