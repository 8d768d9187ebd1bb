//! Turns a word into "carries meaning" or not.

/// English function words, and what every request to an assistant has; sorted.
#[rustfmt::skip]
pub(crate) const STOP_WORDS: [&str; 161] = [
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

/// Whether a folded word is one of them.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}
