//! Turns text into the name of a tag, a branch or a commit that git cannot take for anything else.

use crate::visible::is_hidden;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The longest revision, in bytes.
const MAX_BYTES: usize = 255;

/// The name of a tag or a branch, or the id of a commit.
///
/// A subset of what `git check-ref-format` accepts: no option, no range, no refspec, and none of the
/// operators by which git finds one commit from another (security G02).
///
/// ```
/// use metier::install::Revision;
///
/// let revision: Revision = "release/v1.2".parse().unwrap();
/// assert_eq!(revision.as_str(), "release/v1.2");
/// assert!("--output=/tmp/x".parse::<Revision>().is_err());
/// assert!("HEAD@{1}".parse::<Revision>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Revision(String);

/// Why text is not a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidRevision {
    /// There is nothing.
    #[error("it is empty")]
    Empty,
    /// It is longer than 255 bytes.
    #[error("it is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// It starts with `-` and would be read as an option.
    #[error("it starts with `-`")]
    Option,
    /// It holds a character that git gives a meaning, or one that cannot be seen.
    #[error("it holds {}", quoted(*.0))]
    Character(char),
    /// It holds `..` or `@{`, which mean more than one commit or an earlier one.
    #[error("it holds `{0}`")]
    Operator(&'static str),
    /// A part between slashes is empty, starts with a dot, or ends in a dot or `.lock`.
    #[error("a part of it is empty, starts with a dot, or ends in a dot or `.lock`")]
    Part,
}

fn quoted(c: char) -> String {
    format!("`{}`", c.escape_debug())
}

impl Revision {
    /// The revision as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is spelt like the whole id of a commit.
    pub fn is_commit(&self) -> bool {
        is_object_id(&self.0)
    }
}

/// Whether the text is the whole id of an object: 40 digits, or 64 where a repository uses SHA-256.
pub(crate) fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn problem(text: &str) -> Option<InvalidRevision> {
    if text.is_empty() {
        return Some(InvalidRevision::Empty);
    }
    if text.len() > MAX_BYTES {
        return Some(InvalidRevision::TooLong);
    }
    if text.starts_with('-') {
        return Some(InvalidRevision::Option);
    }
    for operator in ["..", "@{"] {
        if text.contains(operator) {
            return Some(InvalidRevision::Operator(operator));
        }
    }
    let special = |c: char| " :?*[\\^~".contains(c) || is_hidden(c) || c.is_whitespace();
    if let Some(c) = text.chars().find(|c| special(*c)) {
        return Some(InvalidRevision::Character(c));
    }
    let wrong = |part: &str| {
        part.is_empty()
            || part.starts_with('.')
            || part.ends_with('.')
            || part.strip_suffix(".lock").is_some()
    };
    if text == "@" || text.split('/').any(wrong) {
        return Some(InvalidRevision::Part);
    }
    None
}

impl FromStr for Revision {
    type Err = InvalidRevision;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match problem(text) {
            None => Ok(Self(text.to_owned())),
            Some(problem) => Err(problem),
        }
    }
}

impl TryFrom<String> for Revision {
    type Error = InvalidRevision;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Revision> for String {
    fn from(revision: Revision) -> Self {
        revision.0
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Security G02.
    #[test]
    fn each_way_of_being_wrong() {
        use InvalidRevision::{Character, Empty, Operator, Option, Part, TooLong};
        for (text, problem) in [
            ("", Empty),
            ("-", Option),
            ("--output=/tmp/x", Option),
            ("a..b", Operator("..")),
            ("HEAD@{1}", Operator("@{")),
            ("x:y", Character(':')),
            ("x\ny", Character('\n')),
            ("a b", Character(' ')),
            ("a^", Character('^')),
            ("a~1", Character('~')),
            ("a*", Character('*')),
            ("a\u{202e}b", Character('\u{202e}')),
            ("/a", Part),
            ("a/", Part),
            ("a//b", Part),
            (".a", Part),
            ("a/.b", Part),
            ("a.lock", Part),
            ("a.", Part),
            ("@", Part),
        ] {
            assert_eq!(text.parse::<Revision>(), Err(problem), "{text:?}");
        }
        assert_eq!("a".repeat(256).parse::<Revision>(), Err(TooLong));
    }

    #[test]
    fn what_people_call_their_tags() {
        for text in ["v1.0.0", "main", "feature/x-y", "@scope/pkg@1.2.3", "1.x", "é", "_", "HEAD"]
        {
            assert_eq!(text.parse::<Revision>().unwrap().as_str(), text);
        }
        assert!("a".repeat(40).parse::<Revision>().unwrap().is_commit());
        assert!(!"a".repeat(39).parse::<Revision>().unwrap().is_commit());
        assert!(!"A".repeat(40).parse::<Revision>().unwrap().is_commit());
    }
}
