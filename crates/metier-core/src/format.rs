//! Turns a `SKILL.md` into the same skill with its frontmatter in canonical form and its body untouched.

pub(crate) mod emit;

use crate::line::lines;
use crate::manifest::SPEC_KEYS;
use crate::parse::document::Document;
use crate::parse::lowering::is_refused_control;
use crate::parse::yaml;
use crate::tree::{Entry, Map, Node, Value};
use crate::{AllowedTools, Limits, Mode, Report};
use std::fmt;

/// Why a file cannot be formatted.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FormatError {
    /// The frontmatter is not one that can be written differently without guessing.
    Unreadable {
        /// What stands in the way.
        report: Report,
    },
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Unreadable { report } = self;
        f.write_str("the frontmatter cannot be read")?;
        report.iter().take(1).try_for_each(|finding| write!(f, ": {}", finding.message))
    }
}

impl std::error::Error for FormatError {}

/// Writes the frontmatter in canonical form:
///
/// 1. the fences are `---` and nothing else, without a byte order mark or blank lines before them;
/// 2. the keys of the specification come first, in its order, then the others in theirs;
/// 3. values are in block style, quoted exactly where some reader would take them for something
///    else; `allowed-tools` is one string;
/// 4. a comment stays above the field it stands above; a field with a comment inside stays as it is;
/// 5. line breaks of the frontmatter are those of the file's first line.
///
/// The skill stays the same, and so does every byte of the body. A frontmatter that is not YAML, or
/// gives a key twice, is left to `check --fix`.
///
/// ```
/// let text = "---\ndescription:   'Use for PDFs.'\n# shown to users\nname: pdf\n---\nBody\n";
/// assert_eq!(
///     metier_core::format(text)?,
///     "---\n# shown to users\nname: pdf\ndescription: Use for PDFs.\n---\nBody\n"
/// );
/// # Ok::<(), metier_core::FormatError>(())
/// ```
pub fn format(text: &str) -> Result<String, FormatError> {
    let limits = Limits::default();
    let mut report = Report::new(Mode::Strict);
    let unreadable = |report: Report| FormatError::Unreadable { report };
    let Some(document) = Document::split(text, &limits, &mut report) else {
        return Err(unreadable(report));
    };
    let opener = document.frontmatter.start();
    let before = text[..opener].trim_start_matches('\u{feff}');
    if before.trim() != "---" {
        // A comment or a code fence above the fence is moved by a fix, not by the way.
        return Err(unreadable(report));
    }
    let unprintable = crate::parse::unprintable(text, document.frontmatter, &mut report);
    if unprintable.is_none_or(|patch| !patch.is_empty()) {
        if report.is_empty() {
            let message = "the frontmatter holds a byte order mark";
            report.add(crate::Rule::HiddenCharacters, document.frontmatter, message);
        }
        return Err(unreadable(report));
    }
    let tree = match yaml::read(text, document.frontmatter.range(), &limits) {
        Ok(tree) => tree,
        Err(error) => {
            crate::repair::report_error(text, &error, &mut report);
            return Err(unreadable(report));
        }
    };
    if crate::parse::swallows_fence(text, &document, &tree) {
        let message = "an indented `---` may close the frontmatter";
        report.add(crate::Rule::IndentedFence, document.earlier_closer, message);
        return Err(unreadable(report));
    }
    let Some(Node { value: Value::Map(map), .. }) = tree.root else {
        report.add(crate::Rule::NotAMapping, document.closer, "the frontmatter is not a mapping");
        return Err(unreadable(report));
    };
    if let Some(duplicate) = tree.duplicates.first() {
        let message = format!("`{}` is given twice", duplicate.again.key);
        report.add(crate::Rule::DuplicateKey, duplicate.again.key_span, message);
        return Err(unreadable(report));
    }

    let is_block = !text[document.frontmatter.range()].trim_start().starts_with('{');
    let mut sources = if is_block { sources(text, &document, map.iter().collect()) } else { None };
    let mut chunks: Vec<(usize, String)> = Vec::new();
    for (at, entry) in map.iter().enumerate() {
        let rank = SPEC_KEYS.iter().position(|key| *key == entry.key).unwrap_or(SPEC_KEYS.len());
        let source = sources.as_mut().map(|sources| std::mem::take(&mut sources[at]));
        let mut chunk = source.as_ref().map(|s| s.comments.clone()).unwrap_or_default();
        match source {
            Some(source) if source.has_inner_comment => chunk.push_str(&source.text),
            None if is_block => return Ok(text.to_owned()),
            _ => write_field(entry, &mut chunk),
        }
        chunks.push((rank, chunk));
    }
    chunks.sort_by_key(|(rank, _)| *rank);

    let crlf = text[..opener].ends_with("\r\n");
    let mut formatted = String::with_capacity(text.len());
    formatted.push_str("---\n");
    if chunks.is_empty() {
        formatted.push_str("{}\n");
    }
    formatted.extend(chunks.into_iter().map(|(_, chunk)| chunk));
    formatted.push_str(&trailing_comments(text, &document, &map));
    formatted.push_str("---\n");
    if crlf {
        formatted = formatted.replace('\n', "\r\n");
    }
    let closed = document.body.start() > document.closer.end();
    if !closed {
        // The file ended with the fence; it still does.
        formatted.truncate(formatted.trim_end().len());
    }
    formatted.push_str(document.body.slice(text));
    Ok(formatted)
}

fn write_field(entry: &Entry, out: &mut String) {
    if entry.value.as_text().is_some_and(|text| text.contains(is_refused_control)) {
        // It keeps the file from loading; taking it away with the blanks would let it in.
        return emit::write_entry(&entry.key, &entry.value, 0, out);
    }
    if let (true, Some(text)) = (SPEC_KEYS.contains(&entry.key.as_str()), entry.value.as_text()) {
        let text = match entry.key.as_str() {
            // Values of the specification are text, whatever YAML would take them for.
            "metadata" => return emit::write_entry(&entry.key, &entry.value, 0, out),
            "allowed-tools" => AllowedTools::parse(text).0.to_string(),
            _ => text.trim().to_owned(),
        };
        return emit::write_text_entry(&entry.key, &text, 0, out);
    }
    if let ("allowed-tools", Some(items)) = (entry.key.as_str(), entry.value.as_list()) {
        let is_text = items.iter().all(|item| item.as_text().is_some());
        if is_text && !items.is_empty() {
            let tools = AllowedTools::from_items(items.iter().filter_map(Node::as_text)).0;
            return emit::write_text_entry(&entry.key, &tools.to_string(), 0, out);
        }
    }
    emit::write_entry(&entry.key, &entry.value, 0, out);
}

/// A field as its author wrote it.
#[derive(Default)]
struct Source {
    /// The comment lines right above it.
    comments: String,
    text: String,
    has_inner_comment: bool,
}

/// The source of every entry; `None` when two of them share a line.
fn sources(text: &str, document: &Document, entries: Vec<&Entry>) -> Option<Vec<Source>> {
    let mut sources = Vec::with_capacity(entries.len());
    let mut done = document.frontmatter.start();
    for entry in entries {
        let key_line = text[..entry.key_span.start()].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        if key_line < done {
            return None;
        }
        let comments = comments(text, done..key_line);
        let end = end_with_breaks(text, entry);
        // Behind the last line break of a block, nothing of the next line is its.
        let ends_line = text[..end].ends_with(['\n', '\r']);
        let rest = if ends_line { "" } else { &text[end..] };
        let line_end = end + rest.find(['\n', '\r']).unwrap_or(rest.len());
        let next = lines(text, line_end..text.len()).next().map_or(line_end, |line| line.next);
        let source = text[key_line..line_end].replace("\r\n", "\n");
        sources.push(Source {
            comments,
            has_inner_comment: has_comment(text, entry, end..line_end),
            text: source + if ends_line { "" } else { "\n" },
        });
        done = if ends_line { end } else { next.min(document.closer.start()) };
    }
    Some(sources)
}

/// Where a field ends, with the blank lines below it that a block such as `|+` counts as its own.
fn end_with_breaks(text: &str, entry: &Entry) -> usize {
    let end = entry.key_span.cover(entry.value.span).end();
    let mut node = &entry.value;
    while let Some(last) = match &node.value {
        Value::List(items) => items.last(),
        Value::Map(map) => map.iter().last().map(|entry| &entry.value),
        Value::Scalar(_) => None,
    } {
        node = last;
    }
    let rest = &text[end..];
    let blank = &rest[..rest.len() - rest.trim_start().len()];
    let breaks = blank.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    if node.as_text().is_some_and(|text| text.ends_with('\n')) { end + breaks } else { end }
}

/// The comment lines of a range, each with its line break.
fn comments(text: &str, range: std::ops::Range<usize>) -> String {
    lines(text, range)
        .map(|line| line.text.trim())
        .filter(|line| line.starts_with('#'))
        .flat_map(|line| [line, "\n"])
        .collect()
}

fn trailing_comments(text: &str, document: &Document, map: &Map) -> String {
    let last = map.iter().last().map(|entry| entry.key_span.cover(entry.value.span).end());
    let last = last.unwrap_or(document.frontmatter.start());
    let start = text[last..].find(['\n', '\r']).map_or(last, |at| last + at);
    comments(text, start..document.closer.start().max(start))
}

/// Whether a comment stands inside a field: a `#` that no scalar accounts for.
fn has_comment(text: &str, entry: &Entry, tail: std::ops::Range<usize>) -> bool {
    let mut scalars = Vec::new();
    collect_scalars(&entry.value, &mut scalars);
    let mut at = entry.key_span.end();
    let mut gaps = Vec::new();
    for span in scalars {
        if span.start() > at {
            gaps.push(at..span.start());
        }
        at = at.max(span.end());
    }
    gaps.push(at..tail.end.max(at));
    gaps.into_iter().any(|gap| text[gap].contains('#'))
}

fn collect_scalars(node: &Node, spans: &mut Vec<crate::Span>) {
    match &node.value {
        Value::Scalar(_) => spans.push(node.span),
        Value::List(items) => items.iter().for_each(|item| collect_scalars(item, spans)),
        Value::Map(map) => {
            for entry in map {
                spans.push(entry.key_span);
                collect_scalars(&entry.value, spans);
            }
        }
    }
}
