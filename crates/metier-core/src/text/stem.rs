//! Turns a word into its stem; the only room that names the stemmer.

use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;
use std::fmt;

/// The English Snowball stemmer, for words it is made for.
pub(crate) struct Stem(Stemmer);

impl Stem {
    pub(crate) fn new() -> Self {
        Self(Stemmer::create(Algorithm::English))
    }

    /// The stem of a folded word. Words with a digit, a mark or a letter outside ASCII stay as they
    /// are: they are names, versions, or of another language.
    pub(crate) fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        if word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            self.0.stem(word)
        } else {
            Cow::Borrowed(word)
        }
    }
}

impl Clone for Stem {
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl fmt::Debug for Stem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stem")
    }
}

#[cfg(test)]
mod tests {
    use super::Stem;

    #[test]
    fn english_words_alone_are_stemmed() {
        let stem = Stem::new();
        for (word, expected) in [
            ("deployments", "deploy"),
            ("running", "run"),
            ("skies", "sky"),
            ("is", "is"),
            ("utf8s", "utf8s"),
            ("c++", "c++"),
            ("façades", "façades"),
        ] {
            assert_eq!(stem.stem(word), expected);
        }
    }
}
