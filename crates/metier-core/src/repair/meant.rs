//! Turns a value that is not YAML into the text that its author meant.

use crate::line::Line;

/// The indicator of a block scalar that a value starts with: `|`, `>-`, `|2`.
pub(crate) fn block_header(value: &str) -> Option<&str> {
    let rest = value.strip_prefix(['|', '>'])?;
    let modifiers = rest.len() - rest.trim_start_matches(['+', '-', '1', '2', '3', '4', '8']).len();
    let end = 1 + modifiers.min(2);
    let after = value[end..].chars().next();
    after.is_none_or(char::is_whitespace).then(|| &value[..end])
}

/// The text of a block scalar whose first words stand behind its indicator.
pub(crate) fn block_text(header: &str, rest: &str, below: &[Line<'_>], indent: usize) -> String {
    if header.starts_with('>') {
        return folded(rest, below);
    }
    let margin =
        below.iter().filter(|line| !line.is_blank()).map(Line::indent).min().unwrap_or(indent);
    let mut text = rest.to_owned();
    for line in below {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line.text.get(margin..).unwrap_or_default().trim_end());
    }
    text
}

/// Joins the lines of a value as YAML folds them: with a space, or a line break for a blank line.
pub(crate) fn folded(inline: &str, below: &[Line<'_>]) -> String {
    let mut text = inline.to_owned();
    let mut breaks = 0;
    for line in below {
        if line.is_blank() {
            breaks += 1;
            continue;
        }
        if breaks > 0 {
            text.push_str(&"\n".repeat(breaks));
        } else if !text.is_empty() {
            text.push(' ');
        }
        breaks = 0;
        text.push_str(line.text.trim());
    }
    text
}
