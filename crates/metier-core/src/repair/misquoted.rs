//! Turns a value whose quotes YAML cannot read into what is wrong with them, and into the text they were put around.

use crate::Span;

/// What is wrong with a value that starts with a quote, and where; `None` when it is something else.
pub(crate) fn quote_slip(text: &str, key: &str, value: Span) -> Option<(Span, String)> {
    let source = value.slice(text);
    let quote = source.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = &source[1..];
    let start = value.start() + 1;
    let end = closing_quote(inner, quote);
    let escape = unknown_escape(&inner[..end.unwrap_or(inner.len())]);
    if let Some(at) = escape.filter(|_| quote == '"') {
        let letter = inner[at + 1..].chars().next().map_or(0, char::len_utf8);
        let span = Span::new(text, start + at..start + at + 1 + letter);
        return Some((span, format!("`{}` is not an escape that YAML knows", span.slice(text))));
    }
    match end {
        None => {
            let span = Span::new(text, value.start()..start);
            Some((span, format!("the quote that opens the value of `{key}` is never closed")))
        }
        Some(at) if at + 1 < inner.len() => {
            let span = Span::new(text, start + at..start + at + 1);
            Some((span, format!("this quote ends the value of `{key}`, but text follows it")))
        }
        Some(_) => None,
    }
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
fn closing_quote(text: &str, quote: char) -> Option<usize> {
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
fn unknown_escape(text: &str) -> Option<usize> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_what_the_quotes_were_put_around() {
        for (value, text) in [
            (r#""say "hi" twice""#, r#"say "hi" twice"#),
            ("'it's time'", "it's time"),
            ("'it''s' time", "it's time"),
            (r#""one." two"#, "one. two"),
            (r#""never closed"#, "never closed"),
            (r#""MIT" or "BSD""#, r#""MIT" or "BSD""#),
            (r#""a\nb" c"#, "a\nb c"),
            (r#""C:\new\invoices""#, r"C:\new\invoices"),
            ("plain", "plain"),
        ] {
            assert_eq!(unquoted(value), text, "{value}");
        }
    }

    #[test]
    fn the_slip_is_pointed_at() {
        for (value, place, says) in [
            (r#""say "hi" twice""#, 5, "text follows"),
            ("'it''s' time", 6, "text follows"),
            (r#""never closed"#, 0, "never closed"),
            (r#""C:\invoices""#, 3, "not an escape"),
        ] {
            let (span, message) =
                quote_slip(value, "key", Span::new(value, 0..value.len())).unwrap();
            assert_eq!(span.start(), place, "{value}");
            assert!(message.contains(says), "{value}: {message}");
        }
        let fine = r#""fine \"so\" far""#;
        assert_eq!(quote_slip(fine, "key", Span::new(fine, 0..fine.len())), None);
    }
}
