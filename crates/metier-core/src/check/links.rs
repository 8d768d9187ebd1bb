//! Turns the instructions of a skill into findings about the files they point at.

use crate::line::lines;
use crate::{EntryKind, Folder, Report, Rule, Span};
use pulldown_cmark::{Event, LinkType, Parser, Tag};
use std::collections::BTreeSet;
use std::ops::Range;

/// The folders whose files a skill's text names by path (spec F1).
const FOLDERS: [&str; 3] = ["scripts/", "references/", "assets/"];

/// Checks every relative link and every named file of the body against the folder. Without a
/// listing only the paths themselves are judged.
pub(crate) fn check_links(text: &str, body: Span, folder: Option<&Folder>, report: &mut Report) {
    let source = body.slice(text);
    let checked = if may_lead_astray(source, folder) {
        check_targets(text, body, folder, report)
    } else {
        BTreeSet::new()
    };
    Mentions { text, folder, checked, report, in_code: false }.check(body);
}

/// Judges the target of every link; gives the paths inside the skill that they name.
fn check_targets(
    text: &str,
    body: Span,
    folder: Option<&Folder>,
    report: &mut Report,
) -> BTreeSet<String> {
    let mut checked = BTreeSet::new();
    for (event, range) in Parser::new(body.slice(text)).into_offset_iter() {
        let Event::Start(tag) = event else { continue };
        if let Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. } = tag
            // `<a@b.example>` and `<https://b.example>` never name a file.
            && !matches!(link_type, LinkType::Email | LinkType::Autolink)
        {
            let whole = body.start() + range.start..body.start() + range.end;
            let span = target_span(text, whole, &dest_url);
            checked.extend(check_target(&dest_url, span, folder, report));
        }
    }
    checked
}

/// Whether there may be a link to judge: one that is not plainly written, or whose target is not
/// plainly right. Most skills have none, and a look for one is a hundred times cheaper than Markdown.
fn may_lead_astray(source: &str, folder: Option<&Folder>) -> bool {
    let bytes = source.as_bytes();
    memchr::memchr_iter(b']', bytes).any(|at| match bytes.get(at + 1) {
        // What `[a][b]` leads to stands behind a `]:`.
        Some(b':') => true,
        Some(b'(') => !is_harmless(&source[at + 2..], folder),
        _ => false,
    })
}

/// Whether what follows `](` is a target without quotes, brackets or escapes, so that Markdown can make
/// only one thing of it, and nothing is to be said about that.
fn is_harmless(rest: &str, folder: Option<&Folder>) -> bool {
    let is_plain = |b: &u8| b.is_ascii_alphanumeric() || b"/._-:#?=%+,~@!".contains(b);
    let length = rest.as_bytes().iter().take_while(|b| is_plain(b)).count();
    let target = &rest[..length];
    let is_whole = rest.as_bytes().get(length) == Some(&b')');
    is_whole
        && match where_to(target) {
            Target::Elsewhere => true,
            Target::Outside => false,
            Target::Inside(path) => !folder.is_some_and(|folder| is_missing(folder, &path)),
        }
}

/// Where the target of a link stands inside it.
fn target_span(text: &str, link: Range<usize>, target: &str) -> Span {
    let source = &text[link.clone()];
    match source.rfind(target).filter(|_| !target.is_empty()) {
        Some(at) => Span::new(text, link.start + at..link.start + at + target.len()),
        None => Span::new(text, link),
    }
}

/// Judges the target of a link; gives the path inside the skill that it names.
fn check_target(
    target: &str,
    span: Span,
    folder: Option<&Folder>,
    report: &mut Report,
) -> Option<String> {
    match where_to(target) {
        Target::Elsewhere => None,
        Target::Outside => {
            let message = format!("`{target}` leads out of the skill");
            report.push(Rule::PathLeavesSkill, span, message, |f| {
                f.with_help(
                    "keep what the skill needs inside its folder, and link to it from there",
                )
            });
            None
        }
        Target::Inside(path) => {
            if folder.is_some_and(|folder| is_missing(folder, &path)) {
                let message = format!("`{target}` leads nowhere");
                let help = near(folder, &path).map_or_else(
                    || "add the file, or correct the link".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                report.push(Rule::DeadLink, span, message, |f| f.with_help(help));
            }
            Some(path)
        }
    }
}

/// Where a link leads.
enum Target {
    /// To another place, or to one that is yet to be filled in.
    Elsewhere,
    /// To a file that is not the skill's.
    Outside,
    /// To this path in the skill's folder.
    Inside(String),
}

fn where_to(target: &str) -> Target {
    let is_elsewhere = target.is_empty()
        || target.starts_with('#')
        || target.starts_with("//")
        || has_scheme(target)
        || target.contains(['<', '>', '{', '}', '$', '*', '|'])
        || target.contains("...");
    if is_elsewhere {
        return Target::Elsewhere;
    }
    let path = target.split(['#', '?']).next().unwrap_or_default();
    inside(&percent_decoded(path)).map_or(Target::Outside, Target::Inside)
}

fn has_scheme(target: &str) -> bool {
    target.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() > 1
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    })
}

/// The path from the skill's folder, without `.` and `..`; `None` when it leaves the folder.
fn inside(path: &str) -> Option<String> {
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with(['/', '~', '\\']) || is_drive {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Whether the folder has no such path. What a listing leaves out is not missing.
fn is_missing(folder: &Folder, path: &str) -> bool {
    let is_unlisted = path.split('/').any(|part| part.starts_with('.') || part == "node_modules");
    !folder.truncated && !is_unlisted && !folder.has(path)
}

/// A file with the same name elsewhere in the folder, or the same path in another case.
fn near<'f>(folder: Option<&'f Folder>, path: &str) -> Option<&'f str> {
    let name = path.rsplit('/').next()?;
    let files = || folder.into_iter().flat_map(|folder| &folder.entries).map(|e| e.path.as_str());
    files()
        .find(|file| file.eq_ignore_ascii_case(path))
        .or_else(|| files().find(|file| file.rsplit('/').next().is_some_and(|n| n == name)))
}

fn percent_decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = path.get(at + 1..at + 3).filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (bytes[at], code) {
            (b'%', Some(code)) => {
                decoded.push(code);
                at += 3;
            }
            (byte, _) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| path.to_owned())
}

/// Goes through the text for files that are named rather than linked.
struct Mentions<'m> {
    text: &'m str,
    folder: Option<&'m Folder>,
    /// Paths that were judged already.
    checked: BTreeSet<String>,
    report: &'m mut Report,
    in_code: bool,
}

impl Mentions<'_> {
    fn check(mut self, body: Span) {
        let source = body.slice(self.text);
        let named = memchr::memchr_iter(b'/', source.as_bytes())
            .any(|slash| folder_at(source, slash).is_some());
        if !named {
            return;
        }
        for line in lines(self.text, body.range()) {
            let trimmed = line.text.trim_start();
            if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
                self.in_code = !self.in_code;
                continue;
            }
            for slash in memchr::memchr_iter(b'/', line.text.as_bytes()) {
                if let Some(name) = folder_at(line.text, slash) {
                    self.mention(line.text, line.start, slash + 1 - name.len());
                }
            }
        }
    }

    fn mention(&mut self, line: &str, line_start: usize, at: usize) {
        let Some(start) = start_of_path(line, at) else { return };
        // A link was judged as one, unless it stands in code: then it is an example.
        if line[..start].ends_with("](") {
            return;
        }
        let is_part = |c: char| c.is_alphanumeric() || "_-./".contains(c);
        let end = at + line[at..].find(|c| !is_part(c)).unwrap_or(line.len() - at);
        // A sentence may end with the path.
        let path = line[at..end].trim_end_matches(['.', '/', '-']);
        let next = line[end..].chars().next();
        let is_pattern = next.is_some_and(|c| "*<{[$%|".contains(c));
        let file = path.rsplit('/').next().unwrap_or_default();
        let is_file = file.rsplit_once('.').is_some_and(|(stem, extension)| {
            !stem.is_empty() && !extension.is_empty() && extension.len() <= 8
        });
        if is_pattern || !is_file || path.contains("..") {
            return;
        }
        let span = Span::new(self.text, line_start + at..line_start + at + path.len());
        let Some(folder) = self.folder else { return };
        if is_missing(folder, path) {
            if self.checked.insert(path.to_owned()) {
                let message = format!("`{path}` is named here but does not exist");
                let help = near(Some(folder), path).map_or_else(
                    || "add the file, or correct the path".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                self.report.push(Rule::MissingResource, span, message, |f| f.with_help(help));
            }
        } else if self.is_run_bare(line, start, at + path.len()) {
            self.check_executable(folder, path, span);
        }
    }

    /// Whether a line runs the file by itself, without naming an interpreter.
    fn is_run_bare(&self, line: &str, start: usize, end: usize) -> bool {
        let before = line[..start].trim();
        let starts_command =
            matches!(before, "" | "$" | ">" | "%") || before.ends_with(['&', ';', '|']);
        let in_span = line[..start].ends_with('`') && line[end..].starts_with(' ');
        self.in_code && starts_command || in_span || line[start..].starts_with("./")
    }

    fn check_executable(&mut self, folder: &Folder, path: &str, span: Span) {
        let kind = folder.entry(path).map(|entry| entry.kind);
        let Some(EntryKind::File { executable: false, .. }) = kind else { return };
        let interpreter = match path.rsplit('.').next() {
            Some("py") => "python3",
            Some("sh" | "bash") => "bash",
            Some("js" | "mjs" | "cjs") => "node",
            Some("rb") => "ruby",
            Some("pl") => "perl",
            _ => return,
        };
        if self.checked.insert(format!("run:{path}")) {
            let message = format!("`{path}` is run directly, but it is not executable");
            self.report.push(Rule::ScriptInterpreter, span, message, |f| {
                f.with_help(format!(
                    "write `{interpreter} {path}`: installers do not keep the executable bit"
                ))
            });
        }
    }
}

/// The folder whose name ends with the slash at `slash`.
fn folder_at(text: &str, slash: usize) -> Option<&'static str> {
    FOLDERS.into_iter().find(|name| text[..=slash].ends_with(name))
}

/// Where the path around `at` starts, when it starts at the skill's folder: `scripts/x` and
/// `./scripts/x` do, and so does a variable for the folder; `other/scripts/x` does not.
fn start_of_path(line: &str, at: usize) -> Option<usize> {
    let before = &line[..at];
    if let Some(rest) = before.strip_suffix("./") {
        let is_own = !rest.ends_with(['.', '/']) && !rest.ends_with(char::is_alphanumeric);
        return is_own.then_some(rest.len());
    }
    if let Some(rest) = before.strip_suffix('/') {
        let variables = [
            "{baseDir}",
            "${CLAUDE_SKILL_DIR}",
            "$CLAUDE_SKILL_DIR",
            "{skill_dir}",
            "$SKILL_DIR",
            "${SKILL_DIR}",
        ];
        let variable = variables.iter().find(|variable| rest.ends_with(**variable))?;
        return Some(rest.len() - variable.len());
    }
    let is_own =
        before.chars().next_back().is_none_or(|c| !c.is_alphanumeric() && !"_-.\\~@".contains(c));
    is_own.then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FolderEntry, Mode};
    use proptest::prelude::*;
    use proptest::sample::select;

    const PIECES: &[&str] = &[
        "[a](references/a.md)",
        "[b](references/b.md)",
        "![c](./references/a.md#x)",
        "[d](../x)",
        "[e](/x)",
        "[f](https://x.example/y)",
        "[g](<references/b.md>)",
        "[h](references/b.md \"t\")",
        "[i][j]",
        "[j]: references/b.md",
        "[k](x(y))",
        "<a@b.example>",
        "<https://x.example>",
        "](",
        "[",
        "]",
        "(",
        ")",
        "`",
        "```\n",
        "    ",
        "\n",
        "\n\n",
        "references/b.md",
        "references/a.md",
        "a",
        "%2e%2e/",
        "&amp;",
        "\\",
        "[l](#x)",
        "[m]()",
        "[n](mailto:x)",
        "[o](a b)",
    ];

    fn folder() -> Folder {
        let kind = EntryKind::File { executable: false, shebang: false };
        let entries = vec![FolderEntry { path: "references/a.md".to_owned(), kind }];
        Folder { entries, ..Folder::new("SKILL.md") }
    }

    proptest! {
        #[test]
        fn what_is_not_parsed_has_nothing_to_report(
            pieces in prop::collection::vec(select(PIECES), 0..8),
            has_folder in any::<bool>(),
        ) {
            let text = pieces.concat();
            let folder = has_folder.then(folder);
            let body = Span::all(&text);
            let mut parsed = Report::new(Mode::Strict);
            let checked = check_targets(&text, body, folder.as_ref(), &mut parsed);
            Mentions { text: &text, folder: folder.as_ref(), checked, report: &mut parsed, in_code: false }
                .check(body);
            let mut found = Report::new(Mode::Strict);
            check_links(&text, body, folder.as_ref(), &mut found);
            prop_assert_eq!(found, parsed);
        }
    }
}
