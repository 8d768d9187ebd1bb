//! Turns a pattern over virtual paths into a yes or a no for a skill.

use crate::check::glob;
use crate::registry::catalog::CatalogEntry;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// Which skills may be used, by where they appear: the path of a skill is its virtual path, or its
/// directory, relative to the registry's base.
///
/// 1. An empty pattern lets every skill pass, `none` (in any case) lets none.
/// 2. `*` and `?` stand for characters of one folder's name, `[a-z]` for one of a set, `**` for any
///    number of folders.
/// 3. A pattern that ends at a folder lets everything below it pass: `skills/billing` is
///    `skills/billing/**`.
/// 4. A skill that is at no path, one held in memory, passes `*` and `**` only.
///
/// ```
/// use metier::PathFilter;
///
/// let filter = PathFilter::new("skills/billing/*");
/// assert!(filter.matches("skills/billing/refunds"));
/// assert!(!filter.matches("skills/orders/refunds"));
/// assert!(!PathFilter::new("None").matches("skills/billing/refunds"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct PathFilter {
    pattern: String,
}

impl PathFilter {
    /// A filter by this pattern.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into() }
    }

    /// Lets no skill pass.
    pub fn none() -> Self {
        Self::new("none")
    }

    /// The pattern, as written.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether a skill at this path passes.
    pub fn matches(&self, path: &str) -> bool {
        if self.pattern.is_empty() {
            return true;
        }
        if self.pattern.eq_ignore_ascii_case("none") {
            return false;
        }
        let starts_at_root = |text: &str| text.starts_with('/');
        let (pattern, path_parts) = (parts(&self.pattern), parts(path));
        if path_parts.is_empty() {
            return matches!(pattern[..], ["*" | "**"]);
        }
        starts_at_root(&self.pattern) == starts_at_root(path) && fits(&pattern, &path_parts)
    }
}

/// The components that mean something.
fn parts(path: &str) -> Vec<&str> {
    path.split(['/', '\\']).filter(|part| !["", "."].contains(part)).collect()
}

/// Whether the first components of `path` fit all of `pattern`: what lies below a folder that fits,
/// fits too.
fn fits(pattern: &[&str], path: &[&str]) -> bool {
    // `reached[n]`: the pattern read so far can stand for the first `n` components. Going through
    // the pattern once keeps the time at the product of the two lengths, whatever the pattern.
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for part in pattern {
        if *part == "**" {
            for at in 0..path.len() {
                reached[at + 1] |= reached[at];
            }
        } else {
            for at in (0..path.len()).rev() {
                reached[at + 1] = reached[at] && glob::matches(part, path[at]);
            }
            reached[0] = false;
        }
    }
    // A wildcard at the end means this level alone; a name means a folder and what is below it.
    let is_folder = pattern.last().is_some_and(|part| !glob::is_pattern(part));
    if is_folder { reached[1..].contains(&true) } else { reached[path.len()] }
}

/// Where a skill appears, relative to `base`; empty for one that is at no path.
pub(crate) fn path_of(entry: &CatalogEntry, base: &Path) -> String {
    let listed = &entry.listed;
    let path = match (listed.virtual_path.as_deref(), listed.directory()) {
        (Some(path), _) => Path::new(path),
        (None, Some(directory)) => directory,
        (None, None) => return String::new(),
    };
    let is_base = base.as_os_str().is_empty();
    let relative = path.strip_prefix(base).ok().filter(|_| !is_base);
    relative.unwrap_or(path).to_string_lossy().into_owned()
}

impl From<&str> for PathFilter {
    fn from(pattern: &str) -> Self {
        Self::new(pattern)
    }
}

impl From<String> for PathFilter {
    fn from(pattern: String) -> Self {
        Self::new(pattern)
    }
}

impl From<PathFilter> for String {
    fn from(filter: PathFilter) -> Self {
        filter.pattern
    }
}

impl fmt::Display for PathFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_components() {
        for (pattern, path, expected) in [
            ("", "skills/a", true),
            ("", "", true),
            ("none", "skills/a", false),
            ("NONE", "", false),
            ("None ", "None ", true),
            ("skills/*", "skills/a", true),
            ("skills/*", "skills/a/b", false),
            ("skills/*", "skills", false),
            ("skills/**", "skills/a/b", true),
            ("skills/**/b", "skills/b", true),
            ("skills/**/b", "skills/x/y/b", true),
            ("**/b", "b", true),
            ("skills/[a-q]*", "skills/billing", true),
            ("skills/[a-q]*", "skills/refunds", false),
            ("skills/billing", "skills/billing", true),
            ("skills/billing", "skills/billing/refunds/x", true),
            ("skills/billing/", "skills/billing/refunds", true),
            ("skills/bill", "skills/billing", false),
            ("skills/*/refunds", "skills/billing/refunds/deep", true),
            ("./skills/billing/*", "skills/billing/a", true),
            ("skills/{a,b}", "skills/a", false),
            ("[", "a", false),
            ("*", "", true),
            ("**", "", true),
            ("skills/*", "", false),
            ("/abs/*", "/abs/a", true),
            ("abs/*", "/abs/a", false),
            ("/abs/*", "abs/a", false),
        ] {
            let filter = PathFilter::new(pattern);
            assert_eq!(filter.matches(path), expected, "{pattern:?} on {path:?}");
        }
    }

    #[test]
    fn many_wildcards_take_no_exponential_time() {
        let pattern = "**/a/".repeat(64) + "b";
        assert!(!PathFilter::new(pattern).matches(&"a/".repeat(200)));
    }
}
