//! Turns a rule's code into its documentation, or all rules into a table.

use crate::authoring_args::RuleArgs;
use crate::exit::{Exit, Failure};
use crate::ui::{ERROR, STRONG, Ui, WARNING};
use anstyle::Style;
use metier::{Mode, Rule, Severity, rule_page};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(crate) fn run(args: &RuleArgs, ui: &mut Ui) -> Result<Exit, Failure> {
    let text = match (args.code, args.json) {
        (Some(rule), true) => pretty(&describe(rule)),
        (None, true) => pretty(&Rule::ALL.iter().map(|&rule| describe(rule)).collect()),
        (Some(rule), false) => page(rule),
        (None, false) => table(),
    };
    ui.data(&text)?;
    Ok(Exit::Ok)
}

fn describe(rule: Rule) -> Value {
    json!({
        "code": rule.code(),
        "title": rule.title(),
        "strict": rule.severity(Mode::Strict),
        "lenient": rule.severity(Mode::Lenient),
        "docs": rule_page(rule),
    })
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// The documentation, with its headings in bold.
fn page(rule: Rule) -> String {
    let mut out = String::new();
    for line in rule_page(rule).lines() {
        let style = if line.starts_with('#') { STRONG } else { Style::new() };
        let _ = writeln!(out, "{style}{line}{style:#}");
    }
    out
}

fn table() -> String {
    let width = Rule::ALL.iter().map(|rule| rule.code().len()).max().unwrap_or_default();
    let mut out = format!("{STRONG}{:width$}  strict   lenient  title{STRONG:#}\n", "code");
    for &rule in Rule::ALL {
        let cell = |mode| {
            let style = style(rule.severity(mode));
            format!("{style}{:7}{style:#}", severity(rule, mode))
        };
        let (strict, lenient) = (cell(Mode::Strict), cell(Mode::Lenient));
        let _ = writeln!(out, "{:width$}  {strict}  {lenient}  {}", rule.code(), rule.title());
    }
    out
}

fn severity(rule: Rule, mode: Mode) -> &'static str {
    rule.severity(mode).map_or("off", Severity::as_str)
}

fn style(severity: Option<Severity>) -> Style {
    match severity {
        Some(Severity::Error) => ERROR,
        Some(Severity::Warning) => WARNING,
        _ => Style::new().dimmed(),
    }
}
