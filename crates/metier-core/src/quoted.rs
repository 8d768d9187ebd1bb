//! Turns untrusted text into text that can stand in a message: between backticks, visible and short.

use std::fmt;

/// Untrusted text for a message: in backticks, with invisible characters escaped and a long tail cut.
///
/// Control, bidi and zero-width characters would let a skill rewrite the line it is named on
/// (security U), so they show as `\u{202e}`.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

/// How many characters of the text are shown.
const SHOWN: usize = 80;

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`")?;
        let mut chars = self.0.chars();
        for c in chars.by_ref().take(SHOWN) {
            match c {
                // `escape_debug` also escapes what is special in a Rust literal; this is none.
                '\\' | '"' | '\'' => write!(f, "{c}")?,
                c => write!(f, "{}", c.escape_debug())?,
            }
        }
        f.write_str(if chars.next().is_some() { "…`" } else { "`" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_escaped_and_the_rest_is_not() {
        for (text, quoted) in [
            ("pdf-tools", "`pdf-tools`"),
            ("", "``"),
            (r#"it's "C:\x""#, r#"`it's "C:\x"`"#),
            ("技能 é", "`技能 é`"),
            ("a\u{200b}b\u{202e}c\u{7}\n", r"`a\u{200b}b\u{202e}c\u{7}\n`"),
        ] {
            assert_eq!(Quoted(text).to_string(), quoted);
        }
        assert_eq!(Quoted(&"x".repeat(80)).to_string(), format!("`{}`", "x".repeat(80)));
        assert_eq!(Quoted(&"x".repeat(81)).to_string(), format!("`{}…`", "x".repeat(80)));
    }
}
