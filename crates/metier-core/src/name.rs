//! Turns text into the name of a skill, or into everything that is wrong with it.

pub(crate) mod suggestion;

use crate::quoted::Quoted;
use serde::{Deserialize, Serialize};
use std::borrow::{Borrow, Cow};
use std::fmt;
use std::str::FromStr;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};
use unicode_properties::UnicodeGeneralCategory;

/// The longest name, in Unicode scalar values after NFKC (spec N1, N2).
pub(crate) const MAX_CHARS: usize = 64;

/// Words that one vendor keeps for itself (spec N7).
const RESERVED: [&str; 2] = ["anthropic", "claude"];

/// The name of a skill, valid by construction under [`NameRules::Reference`] and kept in NFKC form.
///
/// Surrounding blanks are not trimmed here: `foo ` is not a name (security N07). A valid name holds
/// no separator, dot, control or invisible character, so it can be one component of a path; on
/// Windows a few of them are devices, see [`is_windows_device`].
///
/// ```
/// use metier_core::SkillName;
///
/// let name: SkillName = "pdf-tools".parse().unwrap();
/// assert_eq!(name.as_str(), "pdf-tools");
///
/// let error = "PDF_Tools".parse::<SkillName>().unwrap_err();
/// assert_eq!(error.problems.len(), 2);
/// assert_eq!(SkillName::suggest("PDF_Tools"), Some(name));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct SkillName(Box<str>);

/// Which names are allowed. The specification contradicts itself (Unicode or `a-z`, spec N1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum NameRules {
    /// What the reference validator accepts: lower-case letters and digits of any script, hyphens.
    #[default]
    Reference,
    /// `a-z`, `0-9` and single hyphens between them, as written.
    Ascii,
    /// [`NameRules::Ascii`], and neither `anthropic` nor `claude` inside.
    Anthropic,
}

/// One way in which text is not a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NameProblem {
    /// There is no character at all.
    Empty,
    /// There are more than 64 characters.
    TooLong {
        /// How many there are, in Unicode scalar values after NFKC.
        chars: usize,
    },
    /// The text differs from its lower-case form.
    Uppercase,
    /// The text starts or ends with a hyphen.
    EdgeHyphen,
    /// Two hyphens stand together.
    DoubleHyphen,
    /// Characters that are neither letters, digits nor hyphens: each once, in order.
    Characters(Vec<char>),
    /// Letters or digits outside `a-z` and `0-9`, under rules that want ASCII.
    NotAscii,
    /// A reserved word, under rules that know some.
    Reserved(&'static str),
}

/// Text that is not a name, with everything that is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidName {
    /// The text, as written.
    pub name: String,
    /// What is wrong, in the order of [`name_problems`]; never empty.
    pub problems: Vec<NameProblem>,
}

/// Everything that is wrong with `name`, in the order of the reference validator; empty for a name.
///
/// ```
/// use metier_core::{NameProblem, NameRules, name_problems};
///
/// assert_eq!(name_problems("café", NameRules::Reference), []);
/// assert_eq!(name_problems("café", NameRules::Ascii), [NameProblem::NotAscii]);
/// ```
pub fn name_problems(name: &str, rules: NameRules) -> Vec<NameProblem> {
    if rules != NameRules::Anthropic && is_kebab_case(name) {
        return Vec::new();
    }
    let normal = nfkc(name);
    let mut problems = Vec::new();
    if normal.is_empty() {
        problems.push(NameProblem::Empty);
    }
    let chars = normal.chars().count();
    if chars > MAX_CHARS {
        problems.push(NameProblem::TooLong { chars });
    }
    if normal.to_lowercase() != *normal {
        problems.push(NameProblem::Uppercase);
    }
    if normal.starts_with('-') || normal.ends_with('-') {
        problems.push(NameProblem::EdgeHyphen);
    }
    if normal.contains("--") {
        problems.push(NameProblem::DoubleHyphen);
    }
    let mut foreign = Vec::new();
    for c in normal.chars().filter(|&c| c != '-' && !is_alphanumeric(c)) {
        if !foreign.contains(&c) {
            foreign.push(c);
        }
    }
    if !foreign.is_empty() {
        problems.push(NameProblem::Characters(foreign));
    }
    if rules == NameRules::Reference {
        return problems;
    }
    if name.chars().any(|c| !c.is_ascii() && is_alphanumeric(c)) {
        problems.push(NameProblem::NotAscii);
    }
    if rules == NameRules::Anthropic {
        let lower = normal.to_lowercase();
        let words = RESERVED.iter().filter(|&word| lower.contains(word));
        problems.extend(words.map(|word| NameProblem::Reserved(word)));
    }
    problems
}

/// Whether `name` is `^[a-z0-9]+(-[a-z0-9]+)*$` and short enough, which is valid under all rules but
/// those about words, and true of most names.
fn is_kebab_case(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    name.len() <= MAX_CHARS && name.split('-').all(is_part)
}

/// Whether `c` is a letter or a digit to the reference validator, which asks Python's `isalnum`.
///
/// That is the general categories L*, Nd, Nl and No. `char::is_alphanumeric` would also let in
/// combining marks and circled letters (spec N4). Compared with Python 3.11 (Unicode 14.0) over every
/// code point, alone and after an `a`, all problems and their order: the 26 898 letters and digits
/// that Unicode 15.0 to 18.0 added are valid here and unknown there, and nothing else differs.
pub(crate) fn is_alphanumeric(c: char) -> bool {
    use unicode_properties::GeneralCategoryGroup::{Letter, Number};
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    matches!(c.general_category_group(), Letter | Number)
}

/// The NFKC form; borrowed when `text` has it already, as nearly every name does.
pub(crate) fn nfkc(text: &str) -> Cow<'_, str> {
    match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfkc().collect()),
    }
}

/// The key under which two names are twins: equal to a file system or a reader (security N10).
///
/// NFKC and case folding, so `Code-Review` and `code-review` collide, and so do a composed and a
/// decomposed `é`. The key is for comparing, not for showing.
///
/// ```
/// use metier_core::twin_key;
///
/// assert_eq!(twin_key("Code-Review"), twin_key("code-review"));
/// assert_eq!(twin_key("cafe\u{301}"), twin_key("CAFÉ"));
/// ```
pub fn twin_key(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    // Down, up and down again, a character at a time, is Unicode's full case folding (`ẞ` and `ß` to
    // `ss`, both sigmas to one), compared with Python's `casefold` over every code point. The dotless
    // `ı` is left out: its capital is the `I` of `i`.
    let fold = |c: char| -> String {
        match c {
            'ı' => c.into(),
            c => {
                c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
            }
        }
    };
    let folded: String = nfkc(name).chars().map(fold).collect();
    nfkc(&folded).into_owned()
}

/// Whether Windows takes `name` for a device instead of a file, whatever its case or extension.
///
/// The superscript digits count as digits there (security N06).
///
/// ```
/// use metier_core::is_windows_device;
///
/// assert!(is_windows_device("nul") && is_windows_device("COM¹.txt"));
/// assert!(!is_windows_device("console"));
/// ```
pub fn is_windows_device(name: &str) -> bool {
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ');
    // `conout$` is the longest, and names are mostly longer.
    if stem.len() > 7 {
        return false;
    }
    let is = |device: &&str| stem.eq_ignore_ascii_case(device);
    if ["con", "prn", "aux", "nul", "conin$", "conout$"].iter().any(is) {
        return true;
    }
    let Some((port, digits)) = stem.split_at_checked(3) else { return false };
    let mut digits = digits.chars();
    ["com", "lpt"].iter().any(|known| port.eq_ignore_ascii_case(known))
        && matches!(digits.next(), Some('0'..='9' | '¹' | '²' | '³'))
        && digits.next().is_none()
}

impl SkillName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key under which this name collides with its twins, see [`twin_key`].
    pub fn twin_key(&self) -> String {
        twin_key(&self.0)
    }
}

impl FromStr for SkillName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let problems = name_problems(text, NameRules::Reference);
        if problems.is_empty() {
            Ok(Self(nfkc(text).into()))
        } else {
            Err(InvalidName { name: text.to_owned(), problems })
        }
    }
}

impl TryFrom<String> for SkillName {
    type Error = InvalidName;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl AsRef<str> for SkillName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for SkillName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for SkillName {
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other
    }
}

impl PartialEq<&str> for SkillName {
    fn eq(&self, other: &&str) -> bool {
        *self.0 == **other
    }
}

impl fmt::Display for NameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("name is empty"),
            Self::TooLong { chars } => {
                write!(f, "name is {chars} characters long, the limit is {MAX_CHARS}")
            }
            Self::Uppercase => f.write_str("name is not all lower case"),
            Self::EdgeHyphen => f.write_str("name starts or ends with a hyphen"),
            Self::DoubleHyphen => f.write_str("name has two hyphens in a row"),
            Self::Characters(chars) => {
                f.write_str("name has characters other than letters, digits and hyphens: ")?;
                // A text of garbage has hundreds; the first few show what it is.
                for (at, c) in chars.iter().take(8).enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}{}", Quoted(c.encode_utf8(&mut [0; 4])))?;
                }
                match chars.len().checked_sub(8) {
                    None | Some(0) => Ok(()),
                    Some(more) => write!(f, " and {more} more"),
                }
            }
            Self::NotAscii => f.write_str("name has letters or digits other than `a-z` and `0-9`"),
            Self::Reserved(word) => write!(f, "name contains the reserved word `{word}`"),
        }
    }
}

impl fmt::Display for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a skill name", Quoted(&self.name))?;
        for (at, problem) in self.problems.iter().enumerate() {
            write!(f, "{} {problem}", if at == 0 { ":" } else { ";" })?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidName {}

#[cfg(test)]
mod tests {
    use super::NameProblem::{
        Characters, DoubleHyphen, EdgeHyphen, Empty, NotAscii, Reserved, TooLong, Uppercase,
    };
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_of_the_reference_rules() {
        for (text, name) in [
            ("a", "a"),
            ("pdf-tools", "pdf-tools"),
            ("0-9", "0-9"),
            ("技能", "技能"),
            ("мой-навык", "мой-навык"),
            ("ภาษาไทย", "ภาษาไทย"),
            ("العربية", "العربية"),
            ("straße", "straße"),
            ("cafe\u{301}", "café"),
            ("ａｂｃ", "abc"),
            ("①", "1"),
            ("ⅳ", "iv"),
            ("com1", "com1"),
        ] {
            assert_eq!(text.parse::<SkillName>().unwrap(), name, "{text}");
        }
        let longest = "技".repeat(64);
        assert_eq!(longest.parse::<SkillName>().unwrap(), *longest);
    }

    #[test]
    fn each_way_of_being_wrong_is_told_in_the_reference_order() {
        let chars = |text: &str| Characters(text.chars().collect());
        for (text, problems) in [
            ("", vec![Empty]),
            (&*"a".repeat(65), vec![TooLong { chars: 65 }]),
            // NFKC comes before the count: one ligature is three letters.
            (&*"ﬃ".repeat(22), vec![TooLong { chars: 66 }]),
            ("Pdf", vec![Uppercase]),
            ("Навык", vec![Uppercase]),
            ("Ⅳ", vec![Uppercase]),
            ("-", vec![EdgeHyphen]),
            ("-a", vec![EdgeHyphen]),
            ("a-", vec![EdgeHyphen]),
            ("a--b", vec![DoubleHyphen]),
            ("--", vec![EdgeHyphen, DoubleHyphen]),
            ("--upload-pack=x", vec![EdgeHyphen, DoubleHyphen, chars("=")]),
            ("my_skill and/or: it.", vec![chars("_ /:.")]),
            ("foo ", vec![chars(" ")]),
            ("foo.", vec![chars(".")]),
            ("foo\n", vec![chars("\n")]),
            (".", vec![chars(".")]),
            ("..", vec![chars(".")]),
            (".git", vec![chars(".")]),
            ("C:\\x", vec![Uppercase, chars(":\\")]),
            ("\\\\host\\share", vec![chars("\\")]),
            ("pdf\u{200b}-tools", vec![chars("\u{200b}")]),
            ("हिंदी", vec![chars("ि\u{902}ी")]),
            ("ไทยดี", vec![chars("ี")]),
            ("ⓐ-🛠", vec![chars("🛠")]),
            ("-A--_", vec![Uppercase, EdgeHyphen, DoubleHyphen, chars("_")]),
        ] {
            assert_eq!(name_problems(text, NameRules::Reference), problems, "{text:?}");
            assert_eq!(text.parse::<SkillName>().unwrap_err().problems, problems);
        }
    }

    #[test]
    fn narrower_rules() {
        for (text, ascii, anthropic) in [
            ("pdf-2", vec![], vec![]),
            ("café", vec![NotAscii], vec![NotAscii]),
            ("ａｂｃ", vec![NotAscii], vec![NotAscii]),
            ("my-claude-kit", vec![], vec![Reserved("claude")]),
            ("anthropic-claude", vec![], vec![Reserved("anthropic"), Reserved("claude")]),
            ("Claude", vec![Uppercase], vec![Uppercase, Reserved("claude")]),
            ("a_b", vec![Characters(vec!['_'])], vec![Characters(vec!['_'])]),
        ] {
            assert_eq!(name_problems(text, NameRules::Ascii), ascii, "{text}");
            assert_eq!(name_problems(text, NameRules::Anthropic), anthropic, "{text}");
        }
    }

    #[test]
    fn windows_devices() {
        for device in [
            "con",
            "NUL",
            "aux.md",
            "prn",
            "com1",
            "LPT9",
            "COM\u{b9}",
            "lpt³.txt",
            "nul .txt",
            "CONIN$",
            "con:x",
            "aux ",
        ] {
            assert!(is_windows_device(device), "{device}");
        }
        for file in ["", "console", "com", "com10", "coma", "my-con", "lpt", "x.con", "comé"] {
            assert!(!is_windows_device(file), "{file}");
        }
    }

    #[test]
    fn twins_collide_and_neighbours_do_not() {
        for (a, b) in [
            ("Code-Review", "code-review"),
            ("cafe\u{301}", "CAFÉ"),
            ("STRASSE", "straße"),
            ("STRAẞE", "straße"),
            ("οδος", "ΟΔΟΣ"),
            ("ｐｄｆ", "pdf"),
            ("ǆ", "Ǆ"),
        ] {
            assert_eq!(twin_key(a), twin_key(b), "{a} {b}");
        }
        for (a, b) in [("cafe", "café"), ("pdf-tools", "pdftools"), ("ı", "i"), ("l", "1")] {
            assert_ne!(twin_key(a), twin_key(b), "{a} {b}");
        }
    }

    #[test]
    fn messages_name_the_place_and_hide_nothing() {
        let error = format!("{}_\u{202e}", "A".repeat(70)).parse::<SkillName>().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "`{}_\\u{{202e}}` is not a skill name: name is 72 characters long, the limit is 64; \
                 name is not all lower case; name has characters other than letters, digits and \
                 hyphens: `_`, `\\u{{202e}}`",
                "A".repeat(70)
            )
        );
        let many = Characters("!\"#$%&'()*".chars().collect()).to_string();
        assert!(many.ends_with("`'`, `(` and 2 more"), "{many}");
    }

    #[test]
    fn serde_checks_too() {
        let name: SkillName = serde_json::from_str("\"cafe\u{301}\"").unwrap();
        assert_eq!(serde_json::to_string(&name).unwrap(), "\"café\"");
        let error = serde_json::from_str::<SkillName>("\"a b\"").unwrap_err();
        assert!(error.to_string().contains("other than letters"), "{error}");
    }

    proptest! {
        #[test]
        fn names_and_keys_are_stable(text in "\\PC{0,80}|[A-Za-z0-9 _.+#&'-]{0,90}") {
            if let Ok(name) = text.parse::<SkillName>() {
                prop_assert_eq!(&name.as_str().parse::<SkillName>().unwrap(), &name);
                prop_assert!(!name.as_str().contains(['/', '\\', '.', ':', ' ', '\0']));
            }
            prop_assert_eq!(twin_key(&twin_key(&text)), twin_key(&text));
        }
    }
}
