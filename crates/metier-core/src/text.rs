//! Turns text into terms: the one room that says what a word is, for everything that compares text.
//!
//! 1. **Cut.** A word is a run of letters, digits and the marks on them, in any script. `'` inside a
//!    word is dropped (`don't` is `dont`), and so is what follows it when that is a lone `s`. All else ends a
//!    word; characters without width are passed over.
//! 2. **Identifiers.** `camelCase` gives its parts and then the whole: `camel`, `case`, `camelcase`.
//!    `snake_case`, `kebab-case` and paths give their parts. `C++`, `C#`, `F#` and `.NET` keep their
//!    marks. Digits stay with their letters: `s3`, `h264`, `gpt4o`; versions are cut at dots.
//! 3. **Unspaced scripts** (Han, kana, Hangul, Thai, Lao, Khmer, Burmese) give each pair of neighbours;
//!    a character that stands alone gives itself.
//! 4. **Fold.** Compatibility forms become plain ones (`ﬁ`, `Ａ`), case and the accents of Latin, Greek and
//!    Cyrillic go, as do Hebrew and Arabic points; `ß` is `ss`, `ø` is `o`.
//! 5. **Stop.** Function words of English, the words that every request has (*please*, *want*), and
//!    pairs with a Chinese character of grammar or courtesy carry nothing and are left out.
//! 6. **Stem.** Words of ASCII letters are stemmed as English ones; no other word is.
//!
//! A word of more than 40 bytes is passed over: it is a digest or a blob, and nobody asks for it.

mod cut;
mod fold;
mod kin;
mod stem;
mod stop;

pub(crate) use cut::cut;
pub(crate) use fold::is_unspaced;
pub(crate) use kin::kin;
pub(crate) use stem::Stem;
pub(crate) use stop::is_stop_word;

/// The terms of a text, in order: cut, folded, without stop words, stemmed.
///
/// ```
/// use metier_core::terms;
///
/// assert_eq!(terms("Filling the PDF forms"), ["fill", "pdf", "form"]);
/// assert_eq!(terms("parseJson in C++"), ["pars", "json", "parsejson", "c++"]);
/// assert_eq!(terms("Café, 東京都"), ["cafe", "東京", "京都"]);
/// ```
pub fn terms(text: &str) -> Vec<String> {
    let stem = Stem::new();
    let mut terms = Vec::new();
    cut(text, &mut |word| {
        if !is_stop_word(word) {
            terms.push(stem.stem(word).into_owned());
        }
    });
    terms
}

#[cfg(test)]
mod tests {
    use super::terms;

    fn cut(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        super::cut(text, &mut |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn identifiers_give_parts_and_wholes() {
        assert_eq!(cut("GitHub"), ["git", "hub", "github"]);
        assert_eq!(cut("HTTPServer"), ["http", "server", "httpserver"]);
        assert_eq!(cut("parse_json-file/path.rs"), ["parse", "json", "file", "path", "rs"]);
        assert_eq!(cut("s3 H264 gpt-4o v3.5"), ["s3", "h264", "gpt", "4o", "v3", "5"]);
        assert_eq!(cut("iPhone APIs"), ["i", "phone", "iphone", "apis"]);
    }

    #[test]
    fn languages_of_programming_keep_their_marks() {
        assert_eq!(cut("C++, C# F#. notepad++"), ["c++", "c#", "f#", "notepad++"]);
        assert_eq!(cut(".NET and ASP.NET"), [".net", "and", "asp", ".net"]);
        assert_eq!(cut("example.net"), ["example", "net"]);
        assert_eq!(
            cut("issue#12 a+b dotnet cpp csharp"),
            ["issue", "12", "a", "b", ".net", "c++", "c#"]
        );
    }

    #[test]
    fn apostrophes_do_not_cut() {
        assert_eq!(cut("don't the user's l'été"), ["dont", "the", "user", "lete"]);
        assert_eq!(cut("it\u{2019}s 'quoted'"), ["it", "quoted"]);
    }

    #[test]
    fn scripts_are_folded_each_in_its_way() {
        assert_eq!(cut("ÉCOLE Straße Øre Łódź"), ["ecole", "strasse", "ore", "lodz"]);
        assert_eq!(cut("Ёлка ΆΛΦΑ"), ["елка", "αλφα"]);
        assert_eq!(cut("ｆｕｌｌ ﬁne"), ["full", "fine"]);
        assert_eq!(cut("हिन्दी"), ["हिन्दी"]);
        assert_eq!(cut("zero\u{200b}width"), ["zerowidth"]);
    }

    #[test]
    fn unspaced_scripts_give_pairs() {
        assert_eq!(cut("用它更新ID为"), ["用它", "它更", "更新", "id", "为"]);
        assert_eq!(cut("ガイド ｶﾞ"), ["ガイ", "イド", "ガ"]);
        assert_eq!(cut("한국어"), ["한국", "국어"]);
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert!(terms("").is_empty());
        assert!(terms("the of \u{0} \u{1b}[31m".get(..8).unwrap_or_default()).is_empty());
        assert!(terms(&"x".repeat(41)).is_empty());
        assert!(terms("please use it for me").is_empty());
    }
}
