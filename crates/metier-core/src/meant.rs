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

/// The text of a value that starts with a quote but is not a quoted scalar.
pub(crate) fn unquoted(value: &str) -> String {
    let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return value.to_owned();
    };
    let inner = &value[1..];
    let text = if is_several(inner, quote) {
        return value.to_owned();
    } else if let Some(inner) = inner.strip_suffix(quote) {
        inner.to_owned()
    } else if let Some(at) = closing_quote(inner, quote) {
        // `"A." and more`: the quotes end before the text does.
        format!("{}{}", &inner[..at], &inner[at + 1..])
    } else {
        inner.to_owned()
    };
    if quote == '\'' {
        return text.replace("''", "'");
    }
    // Who writes one backslash that is no escape, as in `C:\invoices\new`, means all of them.
    let has_escapes = unknown_escape(&text).is_none();
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('n') if has_escapes => plain.push('\n'),
            Some('t') if has_escapes => plain.push('\t'),
            Some(c @ ('"' | '\\' | '/')) => plain.push(c),
            Some(c) => plain.extend(['\\', c]),
            None => plain.push('\\'),
        }
    }
    plain
}

/// Whether quotes around the whole are quotes around its first and last words: `"MIT" or "BSD"`.
fn is_several(inner: &str, quote: char) -> bool {
    let Some(inner) = inner.strip_suffix(quote) else { return false };
    let (Some(first), Some(last)) = (inner.find(quote), inner.rfind(quote)) else { return false };
    let is_open = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || ",;:./|&+)".contains(c));
    let closes =
        !is_open(inner[..first].chars().next_back()) && is_open(inner[first + 1..].chars().next());
    let opens = inner[..last].ends_with([' ', '(', '/', '|', ','])
        && !is_open(inner[last + 1..].chars().next());
    first < last && closes && opens
}

/// Where the text behind an opening quote is closed.
pub(crate) fn closing_quote(text: &str, quote: char) -> Option<usize> {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|&(_, next)| next);
        let is_escape = match quote {
            '"' => c == '\\',
            _ => c == quote && next == Some(quote),
        };
        if is_escape {
            chars.next();
        } else if c == quote {
            return Some(at);
        }
    }
    None
}

/// The first backslash in a double-quoted text that starts no escape of YAML (YAML 1.2 §5.7).
pub(crate) fn unknown_escape(text: &str) -> Option<usize> {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            let (_, next) = chars.next()?;
            if !"0abt\tnvfe \"/\\N_LPxuU\n\r".contains(next) {
                return Some(at);
            }
        }
    }
    None
}
