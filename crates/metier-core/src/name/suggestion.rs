//! Turns text that is not a name into the name its author probably wanted.

use crate::SkillName;
use crate::name::{MAX_CHARS, is_alphanumeric, nfkc};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

impl SkillName {
    /// The valid name nearest to `text`, if there is one that a reader would recognise.
    ///
    /// Words are kept and everything between them becomes one hyphen; capitals inside a text of one
    /// word start a new one. Accents on ASCII letters are dropped, letters of other scripts are kept.
    ///
    /// ```
    /// use metier_core::SkillName;
    ///
    /// let suggest = |text| SkillName::suggest(text).map(|name| name.to_string());
    /// assert_eq!(suggest("PDF Tools ✓").as_deref(), Some("pdf-tools"));
    /// assert_eq!(suggest("MyCoolSkill").as_deref(), Some("my-cool-skill"));
    /// assert_eq!(suggest("✓"), None);
    /// ```
    pub fn suggest(text: &str) -> Option<Self> {
        let plain = without_accents(text)?;
        let in_word = |c: char| is_alphanumeric(c) || "+#&'’".contains(c);
        let capitals_split = plain.chars().all(is_alphanumeric);
        let mut name = String::with_capacity(plain.len());
        for word in plain.split(|c| !in_word(c)).filter(|word| !word.is_empty()) {
            name.push('-');
            match word.to_lowercase().as_str() {
                "&" => name.push_str("and"),
                "c++" => name.push_str("cpp"),
                "c#" => name.push_str("csharp"),
                "f#" => name.push_str("fsharp"),
                _ if capitals_split => push_split(&mut name, word),
                lower => {
                    name.push_str(&lower.replace(['\'', '’'], "").replace(['+', '#', '&'], "-"));
                }
            }
        }
        cut(&nfkc(&name)).parse().ok()
    }
}

/// NFKC without the accents of ASCII letters and without marks that a reader can do without, such as
/// Hebrew points; `None` when the rest would be another word, as for Devanagari vowel signs.
fn without_accents(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    for c in text.nfkc() {
        let base = std::iter::once(c).nfkd().next().filter(char::is_ascii_alphanumeric);
        let is_mark = c.general_category_group() == GeneralCategoryGroup::Mark;
        match canonical_combining_class(c) {
            _ if !is_mark => plain.push(base.unwrap_or(c)),
            // Hebrew and Arabic points (10 to 35), accents below and above (202 to 234).
            10..=35 | 202..=234 => {}
            // Variation selectors, which only choose between text and emoji.
            0 if ('\u{fe00}'..='\u{fe0f}').contains(&c) => {}
            _ => return None,
        }
    }
    Some(plain)
}

/// Adds `word` in lower case, with a hyphen before each capital that starts a word inside it:
/// `MyPDFTool2Go` is `my-pdf-tool2-go`, `iOS` stays `ios`.
fn push_split(name: &mut String, word: &str) {
    let chars: Vec<char> = word.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let after_word = at > 1 && !chars[at - 1].is_uppercase();
        let before_word = at > 0 && chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && (after_word || before_word && chars[at - 1].is_uppercase()) {
            name.push('-');
        }
        name.extend(c.to_lowercase());
    }
}

/// Single hyphens, none at the edges, and no more than the limit: cut at a hyphen unless that would
/// lose more than half.
fn cut(name: &str) -> String {
    let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
    let name = words.join("-");
    let Some((end, next)) = name.char_indices().nth(MAX_CHARS) else { return name };
    let kept = &name[..end];
    match kept.rfind('-') {
        _ if next == '-' => kept.to_owned(),
        Some(hyphen) if hyphen * 2 >= end => kept[..hyphen].to_owned(),
        _ => kept.trim_end_matches('-').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn suggestions() {
        for (text, name) in [
            ("PDF Tools ✓", "pdf-tools"),
            ("my_skill", "my-skill"),
            ("MyCoolSkill", "my-cool-skill"),
            ("parsePDFFile", "parse-pdf-file"),
            ("MyPDFTool2Go", "my-pdf-tool2-go"),
            ("Base64Encoder", "base64-encoder"),
            ("iOS", "ios"),
            ("GitHub Actions", "github-actions"),
            ("C++ Helper", "cpp-helper"),
            ("C#", "csharp"),
            ("Q&A", "q-a"),
            ("Search & Rescue", "search-and-rescue"),
            ("Don't Panic!", "dont-panic"),
            ("--upload-pack=x", "upload-pack-x"),
            ("  .claude/skills  ", "claude-skills"),
            ("Crème brûlée", "creme-brulee"),
            ("cafe\u{301}", "cafe"),
            ("x\u{302}y", "xy"),
            ("İstanbul", "istanbul"),
            ("Мой навык", "мой-навык"),
            ("技能（新）", "技能-新"),
            ("שָׁלוֹם", "שלום"),
            ("pdf\u{200b}tools", "pdf-tools"),
            ("♥️ pdf", "pdf"),
        ] {
            let suggested = SkillName::suggest(text);
            assert_eq!(suggested.as_ref().map(SkillName::as_str), Some(name), "{text}");
        }
        for text in ["", "✓", "---", "हिंदी"] {
            assert_eq!(SkillName::suggest(text), None, "{text}");
        }
    }

    #[test]
    fn a_long_suggestion_is_cut_between_words() {
        let words = "word-".repeat(20);
        assert_eq!(SkillName::suggest(&words).unwrap(), *("word-".repeat(12) + "word"));
        let ends_at_limit = format!("{}-b", "a".repeat(64));
        assert_eq!(SkillName::suggest(&ends_at_limit).unwrap(), *"a".repeat(64));
        let long_word = format!("{}-{}", "a".repeat(25), "b".repeat(80));
        let cut = format!("{}-{}", "a".repeat(25), "b".repeat(38));
        assert_eq!(SkillName::suggest(&long_word).unwrap(), *cut);
    }

    proptest! {
        #[test]
        fn a_suggestion_is_its_own(text in "\\PC{0,80}|[A-Za-z0-9 _.+#&'-]{0,90}") {
            if let Some(name) = SkillName::suggest(&text) {
                prop_assert_eq!(SkillName::suggest(name.as_str()).unwrap(), name);
            }
        }

        #[test]
        fn any_words_have_a_suggestion(text in "[A-Za-z][A-Za-z0-9 _.+#&'-]{0,90}") {
            prop_assert!(SkillName::suggest(&text).is_some());
        }
    }
}
