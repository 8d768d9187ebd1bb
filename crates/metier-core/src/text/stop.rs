//! Turns a word into "carries meaning" or not.

/// English function words, and what every request to an assistant has; sorted.
#[rustfmt::skip]
const STOP_WORDS: [&str; 161] = [
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any",
    "are", "arent", "as", "at", "be", "because", "been", "before", "being", "below", "between",
    "both", "but", "by", "can", "cannot", "cant", "could", "couldnt", "did", "didnt", "do",
    "does", "doesnt", "doing", "dont", "down", "during", "each", "few", "for", "from", "further",
    "get", "had", "has", "hasnt", "have", "havent", "having", "he", "help", "her", "here", "hers",
    "herself", "him", "himself", "his", "how", "i", "if", "ill", "im", "in", "into", "is", "isnt",
    "it", "its", "itself", "ive", "just", "let", "lets", "like", "make", "me", "more", "most",
    "my", "myself", "need", "no", "nor", "not", "now", "of", "off", "on", "once", "only", "or",
    "other", "our", "ours", "ourselves", "out", "over", "own", "please", "same", "she", "should",
    "shouldnt", "so", "some", "such", "than", "that", "thats", "the", "their", "theirs", "them",
    "themselves", "then", "there", "these", "they", "this", "those", "through", "to", "too",
    "under", "until", "up", "us", "use", "used", "user", "users", "uses", "using", "very", "want",
    "was", "wasnt", "we", "were", "what", "whats", "when", "where", "which", "while", "who",
    "whom", "why", "will", "with", "wont", "would", "you", "your", "yours", "yourself",
    "yourselves",
];

/// Chinese characters that carry grammar or courtesy and are hardly ever part of another word; a
/// pair with one of them says nothing.
const STOP_CHARACTERS: [char; 26] = [
    '的', '了', '我', '你', '您', '们', '們', '吗', '嗎', '呢', '吧', '啊', '把', '请', '請', '帮',
    '幫', '这', '這', '那', '它', '他', '她', '么', '麼', '哪',
];

/// Whether a folded word carries nothing.
pub(crate) fn is_stop_word(word: &str) -> bool {
    match word.as_bytes() {
        // Han starts at three bytes a character.
        [0xe3..=0xe9, ..] => word.contains(STOP_CHARACTERS),
        _ => STOP_WORDS.binary_search(&word).is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::{STOP_WORDS, is_stop_word};

    #[test]
    fn the_list_can_be_searched() {
        assert!(STOP_WORDS.is_sorted());
        assert!(STOP_WORDS.iter().all(|word| is_stop_word(word)));
        assert!(!is_stop_word("pdf") && !is_stop_word(""));
    }

    #[test]
    fn courtesy_is_no_content_in_chinese_either() {
        assert!(is_stop_word("帮我") && is_stop_word("的原"));
        assert!(!is_stop_word("原型") && !is_stop_word("対話"));
    }
}
