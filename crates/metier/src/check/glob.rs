//! Turns a pattern with `*`, `?`, `[..]` and `**` into the paths that match it.

use crate::disk::{self, Kind};
use std::path::{Path, PathBuf};

/// How many directories a pattern may open.
const MAX_DIRECTORIES: usize = 200_000;

/// Whether the text would mean something to a shell's path expansion.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// The paths that match `pattern`, sorted. `**` stands for any number of folders, links and
/// `.git` and `node_modules` left out; other wildcards never match a leading dot.
pub(crate) fn expand(pattern: &str) -> Vec<PathBuf> {
    let (base, rest) = match pattern.strip_prefix('/') {
        Some(rest) => (PathBuf::from("/"), rest),
        None => (PathBuf::new(), pattern),
    };
    let segments: Vec<&str> = rest.split('/').filter(|segment| !segment.is_empty()).collect();
    let mut search = Search { found: Vec::new(), opened: 0 };
    search.descend(&base, &segments);
    search.found.sort();
    search.found.dedup();
    search.found
}

struct Search {
    found: Vec<PathBuf>,
    opened: usize,
}

impl Search {
    fn descend(&mut self, base: &Path, segments: &[&str]) {
        let Some((&segment, rest)) = segments.split_first() else {
            self.found.push(base.to_owned());
            return;
        };
        if !is_pattern(segment) {
            let next = base.join(segment);
            if disk::kind(&next).is_ok() {
                self.descend(&next, rest);
            }
            return;
        }
        if segment == "**" {
            self.descend(base, rest);
        }
        self.opened += 1;
        if self.opened > MAX_DIRECTORIES {
            return;
        }
        let directory = if base.as_os_str().is_empty() { Path::new(".") } else { base };
        let Ok(entries) = disk::entries(directory) else { return };
        for entry in entries {
            let next = base.join(&entry.name);
            if segment == "**" {
                if entry.kind == Kind::Directory
                    && ![".git", "node_modules"].contains(&&*entry.name)
                {
                    self.descend(&next, segments);
                }
            } else if matches(segment, &entry.name)
                && (segment.starts_with('.') || !entry.name.starts_with('.'))
            {
                self.descend(&next, rest);
            }
        }
    }
}

/// Whether one name matches one segment of a pattern.
///
/// On a mismatch it goes back to the last `*` only, so the time is at most the product of the two
/// lengths, whatever the pattern.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if pattern.get(p) == Some(&'*') {
            star = Some((p, n));
            p += 1;
        } else if let Some(after) = one(&pattern, p, name[n]) {
            p = after;
            n += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            p = at + 1;
            n = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// Matches one character at `p`, and says where the pattern goes on.
fn one(pattern: &[char], p: usize, c: char) -> Option<usize> {
    match *pattern.get(p)? {
        '?' => Some(p + 1),
        '[' => match set(&pattern[p + 1..], c) {
            Some((true, length)) => Some(p + 1 + length),
            Some((false, _)) => None,
            None => (c == '[').then_some(p + 1),
        },
        literal => (literal == c).then_some(p + 1),
    }
}

/// Reads `a-z]`, `!a]`, `]]`: whether `c` is in the set, and its length; `None` when never closed.
fn set(pattern: &[char], c: char) -> Option<(bool, usize)> {
    let negated = matches!(pattern.first(), Some('!' | '^'));
    let start = usize::from(negated);
    // A bracket right at the start is a member, not the end.
    let end = start + 1 + pattern.get(start + 1..)?.iter().position(|&c| c == ']')?;
    let members = &pattern[start..end];
    let mut found = false;
    let mut at = 0;
    while at < members.len() {
        if members.get(at + 1) == Some(&'-') && at + 2 < members.len() {
            found |= (members[at]..=members[at + 2]).contains(&c);
            at += 3;
        } else {
            found |= members[at] == c;
            at += 1;
        }
    }
    Some((found != negated, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("*", "anything", true),
            ("*.md", "SKILL.md", true),
            ("*.md", "SKILL.mdx", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b-d", false),
            ("?", "é", true),
            ("?", "", false),
            ("pdf-[a-c]?", "pdf-b1", true),
            ("pdf-[!a-c]", "pdf-b", false),
            ("[]x]", "]", true),
            ("[x", "[x", true),
            ("a**", "a", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} against {name}");
        }
    }

    #[test]
    fn many_stars_take_no_exponential_time() {
        assert!(!matches(&"*a".repeat(200), &"a".repeat(199)));
    }
}
