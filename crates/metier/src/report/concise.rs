//! Turns findings into one line each: `path:line:column: severity[rule] message`.

use super::RenderOptions;
use super::place::Places;
use crate::{CheckedFile, visible};
use anstyle::{AnsiColor, Style};
use metier_core::Severity;
use std::fmt::Write as _;

pub(super) fn render(files: &[CheckedFile], options: &RenderOptions) -> String {
    let mut out = String::new();
    for file in files {
        let places = Places::new(file);
        for finding in &file.report {
            let place = places.of(finding);
            let path = place.path.to_string_lossy();
            out.push_str(&visible(&path));
            if let Some((start, _)) = place.range {
                let _ = write!(out, ":{}:{}", start.line, start.column);
            }
            let style = if options.color { style(finding.severity) } else { Style::new() };
            let _ = writeln!(
                out,
                ": {style}{}[{}]{style:#} {}",
                finding.severity,
                finding.rule,
                visible(&finding.message)
            );
        }
    }
    out
}

fn style(severity: Severity) -> Style {
    let color = match severity {
        Severity::Error => AnsiColor::BrightRed,
        Severity::Warning => AnsiColor::Yellow,
        _ => AnsiColor::BrightGreen,
    };
    color.on_default().bold()
}
