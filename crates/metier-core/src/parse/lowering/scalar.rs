//! Turns plain scalars that YAML readers do not agree on into findings.

use super::Lowering;
use crate::format::emit;
use crate::tree::{Node, Typed};
use crate::{Fix, Rule};

/// What a field holds by its definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Text: a number or a boolean is a slip.
    Text,
    /// Whatever its client likes.
    Anything,
}

impl Lowering<'_> {
    /// Reports a plain scalar that YAML readers do not agree on, or that is a number where the
    /// specification wants text.
    pub(super) fn ambiguous(&mut self, node: &Node, wanted: Wanted) {
        let scalar = node.as_scalar().filter(|scalar| scalar.is_plain());
        let Some(scalar) = scalar.filter(|_| self.report.wants(Rule::AmbiguousScalar)) else {
            return;
        };
        let text = scalar.text();
        let octal =
            text.len() > 1 && text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
        let shorter = without_final_zeros(text).map(|number| format!("the number {number}"));
        let taken_for = match scalar.typed() {
            Typed::Int(_) if octal => Some("an octal number"),
            Typed::Float(_) if shorter.is_some() => shorter.as_deref(),
            Typed::Int(_) | Typed::Float(_) if wanted == Wanted::Text => Some("a number"),
            Typed::Bool(_) if wanted == Wanted::Text => Some("a boolean"),
            Typed::Text(text) => emit::ambiguity(text),
            _ => None,
        };
        let Some(taken_for) = taken_for else { return };
        let message = format!("`{text}` is {taken_for} to some readers");
        self.report.push(Rule::AmbiguousScalar, node.span, message, |f| {
            f.with_help(format!("quote it: `\"{text}\"`")).with_fix(Fix::replace(
                "quote the value",
                node.span,
                format!("\"{text}\""),
            ))
        });
    }
}

/// How readers show a decimal fraction whose final zeros they drop: `1.10` as `1.1`.
fn without_final_zeros(number: &str) -> Option<&str> {
    let (_, fraction) = number.split_once('.').filter(|_| !number.contains(['e', 'E']))?;
    let zeros = fraction.len() - fraction.trim_end_matches('0').len();
    let dropped = if zeros == fraction.len() { zeros.saturating_sub(1) } else { zeros };
    (dropped > 0).then(|| &number[..number.len() - dropped])
}
