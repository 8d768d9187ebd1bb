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
    description.split(|c: char| !c.is_alphanumeric()).any(is_word)
        || !description.is_ascii() && PARTS.iter().any(|part| description.contains(part))
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
        for text in ["", "A user manual", "Invoice writer", "Muse of museums", "Rechnungen"] {
            assert!(!says_when(text), "{text}");
        }
    }
}
