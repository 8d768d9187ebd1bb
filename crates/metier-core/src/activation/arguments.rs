//! Turns the words that a person typed behind a skill's name into the places that the skill keeps for them.

/// The body with `$ARGUMENTS` replaced by all of the words, and `$1`, `$2` ... by one of them. What
/// was put in is not looked at again. A number without a word stays as it is, and so do amounts of
/// money; arguments that found no place stand at the end.
pub(crate) fn substitute(body: &str, arguments: &str) -> String {
    let arguments = arguments.trim();
    let words = words(arguments);
    let mut out = String::with_capacity(body.len() + arguments.len());
    let mut is_used = false;
    let mut done = 0;
    for at in memchr::memchr_iter(b'$', body.as_bytes()) {
        let rest = &body[at + 1..];
        let (length, value) = if let Some(after) = rest.strip_prefix("ARGUMENTS") {
            let goes_on = |c: char| c.is_alphanumeric() || c == '_';
            if after.starts_with(goes_on) {
                continue;
            }
            ("ARGUMENTS".len(), arguments)
        } else {
            match number(rest).and_then(|(length, number)| Some((length, words.get(number - 1)?))) {
                Some((length, word)) => (length, word.as_str()),
                None => continue,
            }
        };
        out.push_str(&body[done..at]);
        out.push_str(value);
        done = at + 1 + length;
        is_used = true;
    }
    out.push_str(&body[done..]);
    if !is_used && !arguments.is_empty() {
        out.truncate(out.trim_end().len());
        out.push_str("\n\nARGUMENTS: ");
        out.push_str(arguments);
    }
    out
}

/// The number from 1 that a text starts with, and how long it is; none for `$5.00` and `$1,000`.
fn number(text: &str) -> Option<(usize, usize)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_amount = text[length..]
        .strip_prefix(['.', ','])
        .is_some_and(|cents| cents.starts_with(|c: char| c.is_ascii_digit()));
    let number: usize = text[..length].parse().ok().filter(|number| *number > 0)?;
    (!is_amount).then_some((length, number))
}

/// Words between blanks; quotation marks keep blanks inside a word.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_once_and_nothing_else_is() {
        for (body, arguments, expected) in [
            ("Do $ARGUMENTS.", "a b", "Do a b."),
            ("$1 then $2, $1", "'a b' c", "a b then c, a b"),
            ("$1", "$2 $ARGUMENTS", "$2"),
            ("$2 $10 $0 $", "only", "$2 $10 $0 $\n\nARGUMENTS: only"),
            ("costs $1.50 or $1,000", "x", "costs $1.50 or $1,000\n\nARGUMENTS: x"),
            ("$ARGUMENTS_FILE", "x", "$ARGUMENTS_FILE\n\nARGUMENTS: x"),
            ("plain\n", "x y", "plain\n\nARGUMENTS: x y"),
            ("plain", "  ", "plain"),
            ("a$1b", "x", "axb"),
            ("$99999999999999999999", "", "$99999999999999999999"),
        ] {
            assert_eq!(substitute(body, arguments), expected, "{body} {arguments}");
        }
    }
}
