//! Turns findings into the workflow commands that GitHub shows as annotations.

use super::RenderOptions;
use super::place::{Places, slashed};
use crate::{CheckedFile, visible};
use metier_core::Severity;
use std::fmt::Write as _;

pub(super) fn render(files: &[CheckedFile], options: &RenderOptions) -> String {
    let mut out = String::new();
    for file in files {
        let places = Places::new(file);
        for finding in &file.report {
            let place = places.of(finding);
            let command = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                _ => "notice",
            };
            let path = slashed(&place.path, &options.base);
            let _ = write!(out, "::{command} file={}", property(&visible(&path)));
            if let Some((start, end)) = place.range {
                let _ = write!(out, ",line={},col={}", start.line, start.column);
                let _ = write!(out, ",endLine={},endColumn={}", end.line, end.column);
            }
            let mut message = visible(&finding.message).into_owned();
            if let Some(help) = &finding.help {
                let _ = write!(message, "\nhelp: {}", visible(help));
            }
            let _ = writeln!(out, ",title={}::{}", property(finding.rule.code()), data(&message));
        }
    }
    out
}

/// Escapes the text after `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property, where `,` and `:` have a meaning too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
