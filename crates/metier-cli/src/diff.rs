//! Turns two versions of a file into a unified diff that is safe to show.

use crate::ui::{ADDED, NOTE, REMOVED};
use metier::visible;
use similar::{ChangeTag, TextDiff};
use std::fmt::Write as _;
use std::path::Path;

/// The changes from `old` to `new` with three lines around them.
///
/// Without colours the result can be given to `patch`, unless the file holds characters that are
/// not fit to be shown; those are escaped.
pub(crate) fn unified(path: &Path, old: &str, new: &str) -> String {
    let path = path.to_string_lossy();
    let path = visible(&path);
    let mut out = format!("{REMOVED}--- {path}{REMOVED:#}\n{ADDED}+++ {path}{ADDED:#}\n");
    let diff = TextDiff::from_lines(old, new);
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        let _ = writeln!(out, "{NOTE}{}{NOTE:#}", hunk.header().to_string().trim_end());
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', REMOVED),
                ChangeTag::Insert => ('+', ADDED),
                ChangeTag::Equal => (' ', anstyle::Style::new()),
            };
            let line = change.value();
            let text = line.trim_end_matches(['\n', '\r']);
            let ending = &line[text.len()..];
            let _ = write!(out, "{style}{sign}{}", shown(text));
            // A line break other than `\n` is part of what changed, so it must be seen.
            if ending.contains('\r') {
                out.push_str(&visible(ending.trim_end_matches('\n')));
            }
            let _ = writeln!(out, "{style:#}");
            if change.missing_newline() {
                out.push_str("\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// A line made visible, with its tabs left as they are.
fn shown(line: &str) -> String {
    line.split('\t').map(visible).collect::<Vec<_>>().join("\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(old: &str, new: &str) -> String {
        anstream::adapter::strip_str(&unified(Path::new("a/SKILL.md"), old, new)).to_string()
    }

    #[test]
    fn shows_three_lines_around_a_change() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        assert_eq!(
            plain(old, &old.replace('5', "five")),
            "--- a/SKILL.md\n+++ a/SKILL.md\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
    }

    #[test]
    fn says_when_the_last_line_is_not_ended() {
        let shown = plain("a\nb", "a\nb\n");
        assert!(shown.ends_with("-b\n\\ No newline at end of file\n+b\n"), "{shown}");
    }

    #[test]
    fn hidden_characters_and_line_ends_are_visible() {
        let shown = plain("\u{feff}a\r\nb\u{1b}\n", "a\nb\n");
        assert!(shown.contains("-\\u{feff}a\\r\n"), "{shown}");
        assert!(shown.contains("-b\\u{1b}\n"), "{shown}");
    }
}
