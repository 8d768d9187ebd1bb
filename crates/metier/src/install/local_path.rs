//! Turns the spelling of a local path into the path, given a home and a working directory.

use crate::visible;
use std::fmt;
use std::path::{Path, PathBuf};

/// A path on this machine as someone wrote it: `./x`, `../x`, `/x` or `~/x`.
///
/// ```
/// use metier::install::Reference;
/// use std::path::Path;
///
/// let Reference::Folder { path, .. } = "~/skills/pdf".parse().unwrap() else { panic!() };
/// let resolved = path.resolve(Path::new("/work"), Some(Path::new("/home/me"))).unwrap();
/// assert_eq!(resolved, Path::new("/home/me/skills/pdf"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalPath(String);

/// A path starts with `~`, and nobody said where the home is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is below the home, which is not known", visible(path))]
#[non_exhaustive]
pub struct NoHome {
    /// The path as it was written.
    pub path: String,
}

impl LocalPath {
    /// Whether the text is spelt like a path on this machine, and not like anything else.
    pub(crate) fn is_meant_by(text: &str) -> bool {
        let drive = matches!(text.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
        let starts = ["./", "../", "/", "~", ".\\", "..\\"];
        drive || matches!(text, "." | "..") || starts.iter().any(|start| text.starts_with(start))
    }

    /// Whoever calls has asked [`LocalPath::is_meant_by`].
    pub(crate) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The path as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path, where `base` is what relative paths start from.
    pub fn resolve(&self, base: &Path, home: Option<&Path>) -> Result<PathBuf, NoHome> {
        match self.0.strip_prefix('~') {
            None => Ok(base.join(&self.0)),
            Some(rest) => match home {
                Some(home) => Ok(home.join(rest.trim_start_matches('/'))),
                None => Err(NoHome { path: self.0.clone() }),
            },
        }
    }
}

impl fmt::Display for LocalPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_path_and_what_is_not() {
        for path in ["./a", "../a", "/a", "~", "~/a", ".", "..", "C:\\a", "c:/a"] {
            assert!(LocalPath::is_meant_by(path), "{path}");
        }
        for other in ["a", "a/b", ".a/b", "@a/b", "host:a", "https://a", ""] {
            assert!(!LocalPath::is_meant_by(other), "{other}");
        }
    }

    #[test]
    fn a_path_starts_at_the_base_or_at_the_home() {
        let resolve = |text| LocalPath::new(text).resolve(Path::new("/b"), Some(Path::new("/h")));
        assert_eq!(resolve("./a"), Ok(PathBuf::from("/b/./a")));
        assert_eq!(resolve("/a"), Ok(PathBuf::from("/a")));
        assert_eq!(resolve("~"), Ok(PathBuf::from("/h/")));
        assert_eq!(resolve("~//a"), Ok(PathBuf::from("/h/a")));
        let error = LocalPath::new("~/a").resolve(Path::new("/b"), None).unwrap_err();
        assert_eq!(error.to_string(), "`~/a` is below the home, which is not known");
    }
}
