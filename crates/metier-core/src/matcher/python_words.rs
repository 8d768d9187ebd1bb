//! Turns text into lower-case words as Python's `\w+` finds them.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};

/// The words of a text, in order and lower case. No word is left out or shortened.
///
/// Python's `\w` holds letters, numbers of every kind (`²`, `½`, `Ⅷ`) and `_`, but no combining
/// marks: `cafe\u{301}s` is `cafe` and `s`. The `\w` of other languages differs in both.
pub(crate) fn python_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c| !is_word(c)).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    let group = c.general_category_group();
    matches!(group, GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_python() {
        for (text, expected) in [
            ("", &[][..]),
            ("?! -- \u{301}", &[]),
            ("Don't", &["don", "t"]),
            ("snake_case kebab-case", &["snake_case", "kebab", "case"]),
            ("x² ½ Ⅷ", &["x²", "½", "ⅷ"]),
            ("cafe\u{301}s café", &["cafe", "s", "café"]),
            ("हिन्दी", &["ह", "न", "द"]),
            ("ΟΔΟΣ İ", &["οδος", "i\u{307}"]),
            ("技能 ⓐ", &["技能"]),
        ] {
            assert_eq!(python_words(text).collect::<Vec<_>>(), expected, "{text:?}");
        }
    }
}
