//! Turns a description into a yes or no: does it say when to use the skill?

/// Whether a description says when to use the skill, in one of the languages skills are written in.
pub(crate) fn says_when(description: &str) -> bool {
    const WORDS: [&str; 24] = [
        "use",
        "used",
        "uses",
        "using",
        "usage",
        "when",
        "whenever",
        "trigger",
        "triggers",
        "invoke",
        "asks",
        "asked",
        "if",
        "before",
        "after",
        "during",
        "cuando",
        "usar",
        "quand",
        "wenn",
        "когда",
        "Когда",
        "при",
        "При",
    ];
    const PARTS: [&str; 12] =
        ["使用", "适用", "當", "当", "时", "触发", "場合", "とき", "際に", "사용", "때", "utilis"];
    let is_word = |word: &str| WORDS.iter().any(|known| known.eq_ignore_ascii_case(word));
    if description.is_ascii() {
        // Most words of a description are longer than any of these, or start with another letter.
        let may_be = |word: &&[u8]| matches!(word, [first, ..] if word.len() <= 8 && b"uwtiabdcq".contains(&first.to_ascii_lowercase()));
        let words = description.as_bytes().split(|byte| !byte.is_ascii_alphanumeric());
        return words.filter(may_be).any(|word| std::str::from_utf8(word).is_ok_and(is_word));
    }
    description.split(|c: char| !c.is_alphanumeric()).any(is_word)
        || PARTS.iter().any(|part| description.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_and_parts_of_words_do_not() {
        for text in [
            "Use for PDFs.",
            "Fills forms WHEN asked",
            "Run before a release",
            "Para usar con facturas",
            "编写发票。当用户需要时",
            "請求書を作成する場合",
        ] {
            assert!(says_when(text), "{text}");
        }
        for text in
            ["", "A user manual", "Invoice writer", "Muse of museums", "Rechnungen", "used2"]
        {
            assert!(!says_when(text), "{text}");
        }
    }
}
