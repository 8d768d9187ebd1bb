//! Turns text into a path that stays inside its skill.

use crate::is_windows_device;
use crate::quoted::Quoted;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The longest path, in bytes.
const MAX_BYTES: usize = 512;
/// The most components of a path.
const MAX_COMPONENTS: usize = 16;
/// The longest component, in bytes: what common file systems hold.
const MAX_COMPONENT_BYTES: usize = 255;

/// The path of a file inside a skill, valid by construction: relative, separated by `/`, without
/// `..`, and one that means the same file on every system.
///
/// `./` and doubled slashes are dropped. Nothing is decoded: `%2e%2e/x` is a file in a directory of
/// that very name (security R06). Whether the file exists, and whether a link leads out, is for the
/// source that reads it.
///
/// ```
/// use metier_core::{PathProblem, ResourcePath};
///
/// let path: ResourcePath = "./scripts//fill.py".parse().unwrap();
/// assert_eq!(path.as_str(), "scripts/fill.py");
/// assert_eq!(path.file_name(), "fill.py");
/// assert!(path.starts_with_dir("scripts"));
///
/// let error = "../secret".parse::<ResourcePath>().unwrap_err();
/// assert_eq!(error.problem, PathProblem::Parent);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct ResourcePath(Arc<str>);

/// One way in which text is not a path inside a skill.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PathProblem {
    /// Nothing is left once `./` and slashes are dropped.
    Empty,
    /// The path is longer than 512 bytes.
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// The path starts at a root: `/etc`.
    Absolute,
    /// The path starts with a drive: `C:\x`, `C:x` (security R04).
    Drive,
    /// The path names a host or a device: `\\host\share`, `//host`, `\\?\C:\x` (security R04).
    Unc,
    /// A component is `..` (security R01).
    Parent,
    /// A backslash, which separates components on Windows and nowhere else.
    Backslash,
    /// A control character, NUL among them.
    Control(char),
    /// A component holds a colon, which opens a hidden stream on Windows.
    Colon {
        /// The component.
        component: String,
    },
    /// A component ends in a dot or a space, which Windows drops (security R21).
    TrailingDotOrSpace {
        /// The component.
        component: String,
    },
    /// A component is a device on Windows: `nul`, `com1.txt`.
    Device {
        /// The component.
        component: String,
    },
    /// A component is longer than 255 bytes.
    LongComponent {
        /// How long it is.
        bytes: usize,
    },
    /// There are more than 16 components.
    TooManyComponents {
        /// How many there are.
        components: usize,
    },
}

/// Text that is not a path inside a skill, and the first reason why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidPath {
    /// The text, as written.
    pub path: String,
    /// What is wrong with it.
    pub problem: PathProblem,
}

impl ResourcePath {
    /// The path as text, separated by `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// What follows the last dot of the file name; `None` for `README` and `.gitignore`.
    pub fn extension(&self) -> Option<&str> {
        let (stem, extension) = self.file_name().rsplit_once('.')?;
        (!stem.is_empty()).then_some(extension)
    }

    /// The directory that holds the file; `None` when that is the skill itself.
    pub fn parent(&self) -> Option<&str> {
        self.0.rsplit_once('/').map(|(parent, _)| parent)
    }

    /// The components, outermost first. There is at least one.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// Whether the file lies in the directory `dir`, at any depth. Whole components are compared:
    /// `scripts-old/x` is not in `scripts` (security R16).
    pub fn starts_with_dir(&self, dir: &str) -> bool {
        let rest = self.0.strip_prefix(dir.trim_end_matches('/'));
        !dir.is_empty() && rest.is_some_and(|rest| rest.starts_with('/'))
    }
}

/// The normal form of `text`, or the first problem.
fn normalize(text: &str) -> Result<String, PathProblem> {
    // What starts elsewhere is told first: it says more than the backslash or colon it is made of.
    let mut bytes = text.bytes();
    match (bytes.next(), bytes.next()) {
        (Some(b'/' | b'\\'), Some(b'/' | b'\\')) => return Err(PathProblem::Unc),
        (Some(b'/' | b'\\'), _) => return Err(PathProblem::Absolute),
        (Some(letter), Some(b':')) if letter.is_ascii_alphabetic() => {
            return Err(PathProblem::Drive);
        }
        _ => {}
    }
    if text.len() > MAX_BYTES {
        return Err(PathProblem::TooLong { bytes: text.len() });
    }
    if text.split(['/', '\\']).any(|component| component == "..") {
        return Err(PathProblem::Parent);
    }
    if let Some(control) = text.chars().find(|c| c.is_control()) {
        return Err(PathProblem::Control(control));
    }
    if text.contains('\\') {
        return Err(PathProblem::Backslash);
    }
    let components: Vec<&str> =
        text.split('/').filter(|component| !matches!(*component, "" | ".")).collect();
    for &component in &components {
        let owned = || component.to_owned();
        if component.contains(':') {
            return Err(PathProblem::Colon { component: owned() });
        }
        if component.ends_with(['.', ' ']) {
            return Err(PathProblem::TrailingDotOrSpace { component: owned() });
        }
        if is_windows_device(component) {
            return Err(PathProblem::Device { component: owned() });
        }
        if component.len() > MAX_COMPONENT_BYTES {
            return Err(PathProblem::LongComponent { bytes: component.len() });
        }
    }
    match components.len() {
        0 => Err(PathProblem::Empty),
        components if components > MAX_COMPONENTS => {
            Err(PathProblem::TooManyComponents { components })
        }
        _ => Ok(components.join("/")),
    }
}

impl FromStr for ResourcePath {
    type Err = InvalidPath;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match normalize(text) {
            Ok(path) => Ok(Self(path.into())),
            Err(problem) => Err(InvalidPath { path: text.to_owned(), problem }),
        }
    }
}

impl TryFrom<&str> for ResourcePath {
    type Error = InvalidPath;

    fn try_from(text: &str) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl TryFrom<String> for ResourcePath {
    type Error = InvalidPath;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl fmt::Display for ResourcePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl AsRef<str> for ResourcePath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ResourcePath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PathProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::TooLong { bytes } => {
                write!(f, "it is {bytes} bytes long, the limit is {MAX_BYTES}")
            }
            Self::Absolute => f.write_str("it is absolute"),
            Self::Drive => f.write_str("it starts with a drive"),
            Self::Unc => f.write_str("it names a host or a device"),
            Self::Parent => f.write_str("it has a `..` component, which leads outside the skill"),
            Self::Backslash => f.write_str("it has a backslash, components are separated by `/`"),
            Self::Control(c) => {
                write!(f, "it has the control character {}", Quoted(c.encode_utf8(&mut [0; 4])))
            }
            Self::Colon { component } => write!(f, "{} has a colon", Quoted(component)),
            Self::TrailingDotOrSpace { component } => {
                write!(f, "{} ends in a dot or a space", Quoted(component))
            }
            Self::Device { component } => {
                write!(f, "{} is a device on Windows", Quoted(component))
            }
            Self::LongComponent { bytes } => {
                write!(f, "a component is {bytes} bytes long, the limit is {MAX_COMPONENT_BYTES}")
            }
            Self::TooManyComponents { components } => {
                write!(f, "it has {components} components, the limit is {MAX_COMPONENTS}")
            }
        }
    }
}

impl fmt::Display for InvalidPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a path inside the skill: {}", Quoted(&self.path), self.problem)
    }
}

impl std::error::Error for InvalidPath {}

#[cfg(test)]
mod tests {
    use super::PathProblem::{
        Absolute, Backslash, Colon, Control, Device, Drive, Empty, LongComponent, Parent, TooLong,
        TooManyComponents, TrailingDotOrSpace, Unc,
    };
    use super::*;
    use proptest::prelude::*;
    use std::path::{Component, Path, PathBuf};

    fn path(text: &str) -> ResourcePath {
        text.parse().unwrap()
    }

    #[test]
    fn accepted_paths_and_their_normal_form() {
        for (text, normal) in [
            ("SKILL.md", "SKILL.md"),
            ("references/a b.md", "references/a b.md"),
            ("./scripts/x", "scripts/x"),
            ("././a//b///c/./d/", "a/b/c/d"),
            ("..foo/a..b/...x", "..foo/a..b/...x"),
            (".hidden", ".hidden"),
            ("%2e%2e/x", "%2e%2e/x"),
            ("%252e%252e/x", "%252e%252e/x"),
            ("技能/é.md", "技能/é.md"),
            ("~/x", "~/x"),
            ("-rf", "-rf"),
            ("console/com10", "console/com10"),
            (" leading", " leading"),
        ] {
            assert_eq!(path(text).as_str(), normal, "{text}");
        }
    }

    #[test]
    fn each_way_of_being_wrong() {
        let component = String::from;
        for (text, problem) in [
            ("", Empty),
            (".", Empty),
            ("./", Empty),
            ("..", Parent),
            ("../SKILL.md", Parent),
            ("a/../../x", Parent),
            ("a/..", Parent),
            ("a/../b", Parent),
            ("a\\..\\b", Parent),
            ("/etc/passwd", Absolute),
            ("/", Absolute),
            ("\\x", Absolute),
            ("C:\\x", Drive),
            ("C:x", Drive),
            ("c:", Drive),
            ("\\\\host\\s", Unc),
            ("\\\\?\\C:\\x", Unc),
            ("\\\\.\\pipe\\x", Unc),
            ("//host/s", Unc),
            ("a\\b", Backslash),
            ("a\0b", Control('\0')),
            ("a\nb", Control('\n')),
            ("a\u{85}", Control('\u{85}')),
            ("a/b:c", Colon { component: component("b:c") }),
            ("SKILL.md.", TrailingDotOrSpace { component: component("SKILL.md.") }),
            ("refs /a", TrailingDotOrSpace { component: component("refs ") }),
            ("a/...", TrailingDotOrSpace { component: component("...") }),
            ("a/aux.md", Device { component: component("aux.md") }),
            ("COM\u{b9}/x", Device { component: component("COM\u{b9}") }),
        ] {
            assert_eq!(text.parse::<ResourcePath>().unwrap_err().problem, problem, "{text:?}");
        }
    }

    #[test]
    fn limits_hold_to_the_byte() {
        let problem = |text: &str| text.parse::<ResourcePath>().err().map(|error| error.problem);
        let long = |bytes: usize| format!("{}/{}", "a".repeat(255), "b".repeat(bytes - 256));
        assert_eq!(problem(&long(511)), None);
        assert_eq!(problem(&format!("{}/a", long(510))), None);
        assert_eq!(problem(&format!("a/{}", "é".repeat(255))), Some(LongComponent { bytes: 510 }));
        assert_eq!(problem(&format!("{}/a", long(511))), Some(TooLong { bytes: 513 }));
        assert_eq!(problem(&"a".repeat(256)), Some(LongComponent { bytes: 256 }));
        assert_eq!(problem(&["a"; 16].join("/")), None);
        assert_eq!(problem(&["a"; 17].join("/")), Some(TooManyComponents { components: 17 }));
    }

    #[test]
    fn parts_of_a_path() {
        for (text, file_name, extension, parent) in [
            ("SKILL.md", "SKILL.md", Some("md"), None),
            ("a/b/c.tar.gz", "c.tar.gz", Some("gz"), Some("a/b")),
            ("a/README", "README", None, Some("a")),
            (".gitignore", ".gitignore", None, None),
        ] {
            let path = path(text);
            assert_eq!(path.file_name(), file_name);
            assert_eq!(path.extension(), extension);
            assert_eq!(path.parent(), parent);
        }
        assert_eq!(path("a/b/c").components().collect::<Vec<_>>(), ["a", "b", "c"]);
        for (dir, inside) in [
            ("scripts", true),
            ("scripts/", true),
            ("scripts/lib", true),
            ("script", false),
            ("scripts/lib/x.py", false),
            ("", false),
            ("/", false),
        ] {
            assert_eq!(path("scripts/lib/x.py").starts_with_dir(dir), inside, "{dir}");
        }
    }

    #[test]
    fn messages_name_the_path_and_the_reason() {
        let message = |text: &str| text.parse::<ResourcePath>().unwrap_err().to_string();
        assert_eq!(
            message("../x"),
            "`../x` is not a path inside the skill: \
             it has a `..` component, which leads outside the skill"
        );
        assert_eq!(
            message("a\u{1b}[2J"),
            r"`a\u{1b}[2J` is not a path inside the skill: it has the control character `\u{1b}`"
        );
    }

    #[test]
    fn serde_checks_too() {
        let path: ResourcePath = serde_json::from_str(r#""./a//b""#).unwrap();
        assert_eq!(serde_json::to_string(&path).unwrap(), r#""a/b""#);
        assert!(serde_json::from_str::<ResourcePath>(r#""../a""#).is_err());
    }

    proptest! {
        #[test]
        fn an_accepted_path_stays_under_any_root(
            text in "([a.% ~:é\\\\-]|\\.\\.|/|\\./|\\.\\./|C:|nul){0,12}|\\PC{0,30}"
        ) {
            if let Ok(path) = text.parse::<ResourcePath>() {
                let mut place = PathBuf::from("/root/skill");
                for component in Path::new(path.as_str()).components() {
                    prop_assert!(matches!(component, Component::Normal(_)), "{text}");
                    place.push(component);
                    prop_assert!(place.starts_with("/root/skill"));
                }
                prop_assert_eq!(path.components().count(), place.components().count() - 3);
                prop_assert_eq!(path.to_string().parse::<ResourcePath>().unwrap(), path);
            }
        }
    }
}
