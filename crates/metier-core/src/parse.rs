//! Turns the text of a `SKILL.md` into a skill and a report; it never fails.

pub(crate) mod common_yaml;
pub(crate) mod document;
pub(crate) mod head;
pub(crate) mod known_key;
pub(crate) mod lowering;
pub(crate) mod trigger;
pub(crate) mod yaml;

use crate::check::hidden;
use crate::parse::document::Document;
use crate::parse::lowering::Lowering;
use crate::parse::yaml::YamlError;
use crate::repair::field;
use crate::repair::patch::Patch;
use crate::repair::{self, Repaired};
use crate::tree::{Duplicate, Entry, Map, Node, Scalar, Value};
use crate::{
    Edit, Fix, Limits, Manifest, Mode, NameRules, ParsedHead, Report, Rule, SharedText, Skill, Span,
};

/// How to read a skill.
///
/// ```
/// use metier_core::{Mode, ParseOptions, parse_with};
///
/// let options = ParseOptions {
///     mode: Mode::Strict,
///     directory: Some("pdf".to_owned()),
///     ..ParseOptions::default()
/// };
/// let parsed = parse_with("---\nname: docx\ndescription: Use for Word files.\n---\n", &options);
/// assert!(parsed.report.has_errors()); // the name is not the name of the directory
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct ParseOptions {
    /// How strictly to judge.
    pub mode: Mode,
    /// Which names are valid.
    pub names: NameRules,
    /// The name of the skill's directory, which must be the skill's name; `None` to leave that out.
    pub directory: Option<String>,
    /// How large things may be.
    pub limits: Limits,
    /// Keys beside those of the specification that are fine.
    pub allow_fields: Vec<String>,
}

/// A skill, if there is one, and everything that was found on the way.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Parsed {
    /// The skill; `None` when it cannot be loaded, and then the report has an error.
    pub skill: Option<Skill>,
    /// Everything that was found.
    pub report: Report,
}

impl Parsed {
    /// The skill, or the report when it has an error.
    ///
    /// ```
    /// let report = metier_core::parse("no frontmatter").into_result().unwrap_err();
    /// assert_eq!(report.iter().next().unwrap().rule.code(), "missing-frontmatter");
    /// ```
    pub fn into_result(self) -> Result<Skill, Report> {
        match self.skill {
            Some(skill) if !self.report.has_errors() => Ok(skill),
            _ => Err(self.report),
        }
    }
}

/// Reads a skill leniently. See [`parse_with`].
///
/// ```
/// let parsed = metier_core::parse("---\nname: pdf\ndescription: Fills forms: fast\n---\n# Steps\n");
/// let skill = parsed.skill.unwrap();
/// assert_eq!(skill.description(), "Fills forms: fast"); // repaired ...
/// assert_eq!(parsed.report.len(), 1); // ... and said
/// assert_eq!(skill.body(), "# Steps\n");
/// ```
pub fn parse(text: &str) -> Parsed {
    parse_with(text, &ParseOptions::default())
}

/// Reads a skill: fences, YAML, fields. Whatever the text is, the answer is a skill, or a report
/// with an error that says where and why not.
pub fn parse_with(text: &str, options: &ParseOptions) -> Parsed {
    let mut report = Report::new(options.mode);
    let Examined { skill, .. } = examine(text, options, &mut report);
    report.sort();
    Parsed { skill, report }
}

/// A skill, and where its body stands even when it cannot be loaded.
pub(crate) struct Examined {
    pub(crate) skill: Option<Skill>,
    pub(crate) body: Option<Span>,
}

pub(crate) fn examine(text: &str, options: &ParseOptions, report: &mut Report) -> Examined {
    let Some(read) = read(text, options, report) else {
        return Examined { skill: None, body: None };
    };
    let body = read.document.body;
    let skill = read
        .manifest
        .map(|manifest| Skill::assemble(text, manifest, body, options.directory.as_deref()));
    Examined { skill, body: Some(body) }
}

/// Reads the frontmatter alone.
pub(crate) fn parse_head(bytes: &[u8], options: &ParseOptions) -> ParsedHead {
    let mut report = Report::new(options.mode);
    // Reading stops at its limit, which may be inside a character.
    let is_cut = bytes.len() > head::most_bytes(&options.limits);
    let read = match std::str::from_utf8(bytes) {
        Ok(text) => read(text, options, &mut report),
        Err(error) if is_cut && error.error_len().is_none() => {
            read(&String::from_utf8_lossy(&bytes[..error.valid_up_to()]), options, &mut report)
        }
        Err(error) => {
            let text = String::from_utf8_lossy(bytes);
            report_not_utf8(&text, error.valid_up_to(), &mut report);
            None
        }
    };
    report.sort();
    let body_offset = read.as_ref().map(|read| read.document.body.start());
    let manifest = read.and_then(|read| read.manifest);
    let name = manifest.as_ref().map(|m| effective_name(m, options.directory.as_deref()));
    ParsedHead { name, manifest, body_offset, report }
}

/// The name a skill goes by: its own, else its directory's.
pub(crate) fn effective_name(manifest: &Manifest, directory: Option<&str>) -> SharedText {
    manifest.name.clone().unwrap_or_else(|| directory.unwrap_or("unnamed").into())
}

/// Reports bytes that are not text, at their place in the text with U+FFFD in it.
pub(crate) fn report_not_utf8(lossy: &str, valid_up_to: usize, report: &mut Report) {
    let message = format!("the file is not UTF-8: byte {valid_up_to} starts no character");
    let span = Span::new(lossy, valid_up_to..valid_up_to + 1);
    report.push(Rule::NotUtf8, span, message, |f| f.with_help("save the file as UTF-8"));
}

/// The parts of a file, and its manifest unless it must not be loaded.
struct Read {
    document: Document,
    manifest: Option<Manifest>,
}

/// Reads a file; `None` when it has no frontmatter.
fn read(text: &str, options: &ParseOptions, report: &mut Report) -> Option<Read> {
    let read = read_parts(text, options, report);
    report.end_lines_like(text);
    read
}

fn read_parts(text: &str, options: &ParseOptions, report: &mut Report) -> Option<Read> {
    let limit = options.limits.file_bytes;
    if text.len() > limit {
        let message = format!("the file is {} bytes long, the limit is {limit}", text.len());
        report.push(Rule::FileTooLarge, Span::at(text, 0), message, |f| {
            f.with_help("move long text into files under `references/`")
        });
        return None;
    }
    let mut document = Document::split(text, &options.limits, report)?;
    let fields = unprintable(text, document.frontmatter, report).and_then(|unprintable| {
        if unprintable.is_empty() {
            fields(text, &mut document, &options.limits, report)
        } else {
            fields_without(text, &unprintable, &mut document, &options.limits, report)
        }
    });
    // What a late fence turned into body is no frontmatter, and its text is left alone.
    let body = document.body.start();
    report.retain(|f| f.rule != Rule::Mojibake || f.span.is_none_or(|span| span.start() < body));
    document.report_indented_closer(text, report);
    let manifest = fields.and_then(|fields| lower(text, &document, fields, options, report));
    Some(Read { document, manifest })
}

/// The manifest; `None` without a description, or with a control character in a value.
fn lower(
    text: &str,
    document: &Document,
    fields: Fields,
    options: &ParseOptions,
    report: &mut Report,
) -> Option<Manifest> {
    report_duplicates(text, fields.duplicates, report);
    let first_field = fields.map.iter().next().map(|entry| entry.key_span.start());
    let found_before = report.len();
    let manifest = Lowering {
        text,
        options,
        missing_at: document.closer,
        first_field_at: line_start(text, first_field.unwrap_or(document.frontmatter.start())),
        report,
    }
    .lower(fields.map);
    let mut found = report.iter().skip(found_before);
    let is_hostile = found.any(|finding| finding.rule == Rule::ControlCharacter);
    (manifest.description.is_some() && !is_hostile).then_some(manifest)
}

fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind(['\n', '\r']).map_or(0, |at| at + 1)
}

/// The fields of the frontmatter, and the keys that were given twice.
struct Fields {
    map: Map,
    duplicates: Vec<Duplicate>,
}

fn fields(
    text: &str,
    document: &mut Document,
    limits: &Limits,
    report: &mut Report,
) -> Option<Fields> {
    let read = yaml::read(text, document.frontmatter.range(), limits);
    let may_end_earlier = read.as_ref().map_or(true, |tree| swallows_fence(text, document, tree));
    let earlier = document.closed_earlier(text).filter(|earlier| {
        let fence = earlier.closer.slice(text);
        let indent = fence.len() - fence.trim_start().len();
        may_end_earlier && !field::is_in_block(text, earlier.frontmatter.range(), indent)
    });
    let Some(mut earlier) = earlier else {
        return match read {
            Ok(tree) => mapping(document, tree, report),
            Err(error) => repaired(text, document, limits, &error, report),
        };
    };
    let read_earlier = yaml::read(text, earlier.frontmatter.range(), limits);
    let (error, error_earlier) = match (read, read_earlier) {
        (_, Ok(tree)) if matches!(tree.root, Some(Node { value: Value::Map(_), .. })) => {
            *document = earlier;
            return mapping(document, tree, report);
        }
        (Ok(tree), _) => return mapping(document, tree, report),
        (Err(error), Ok(_)) => return repaired(text, document, limits, &error, report),
        (Err(error), Err(error_earlier)) => (error, error_earlier),
    };
    // Where both need mending, the closer counts that leaves less to mend: a slip elsewhere must
    // not decide where the frontmatter ends.
    let (mut found, mut found_earlier) = (Report::new(report.mode()), Report::new(report.mode()));
    let fields = repaired(text, document, limits, &error, &mut found);
    let fields_earlier = repaired(text, &mut earlier, limits, &error_earlier, &mut found_earlier);
    if fields_earlier.is_some() && (fields.is_none() || found_earlier.len() < found.len()) {
        *document = earlier;
        report.extend(found_earlier);
        return fields_earlier;
    }
    report.extend(found);
    fields
}

/// Whether an indented `---` became the end of an unquoted value and the heading below it a
/// comment. That is YAML, but it would cut the instructions off without a word.
pub(crate) fn swallows_fence(text: &str, document: &Document, tree: &yaml::Tree) -> bool {
    let Some(fence) = document.earlier_closer else { return false };
    let below = text[fence.end()..document.frontmatter.end()].trim_start();
    let in_plain_value = |entry: &Entry| {
        entry.value.span.overlaps(fence) && entry.value.as_scalar().is_some_and(Scalar::is_plain)
    };
    let root = tree.root.as_ref().and_then(Node::as_map);
    below.starts_with('#') && root.is_some_and(|map| map.iter().any(in_plain_value))
}

fn repaired(
    text: &str,
    document: &mut Document,
    limits: &Limits,
    error: &YamlError,
    report: &mut Report,
) -> Option<Fields> {
    let range = document.frontmatter.range();
    let mut found = Report::new(report.mode());
    let repaired = repair::repair(text, range, limits, error, &mut found);
    let keeps_fixes =
        repaired.as_ref().is_none_or(|repaired| reads_alike(text, &found, repaired, limits));
    for mut finding in found {
        finding.fix = finding.fix.filter(|_| keeps_fixes);
        report.take(finding);
    }
    let Repaired { map, duplicates, body_start } = repaired?;
    if let Some(start) = body_start {
        document.frontmatter = Span::new(text, document.frontmatter.start()..start);
        document.body = Span::new(text, start..document.body.end());
        document.is_closer_indented = false;
    }
    Some(Fields { map, duplicates })
}

/// Whether the fixed file says what was repaired. Fields are repaired one by one: put together, they
/// can be YAML that says something else, and then no fix is certain.
fn reads_alike(text: &str, found: &Report, repaired: &Repaired, limits: &Limits) -> bool {
    let fixed = found.apply_fixes(text);
    if fixed == text {
        return true;
    }
    let mut found = Report::new(found.mode());
    let Some(document) = Document::split(&fixed, limits, &mut found) else { return false };
    let range = document.frontmatter.range();
    match yaml::read(&fixed, range.clone(), limits) {
        Ok(tree) => tree.root.as_ref().and_then(Node::as_map) == Some(&repaired.map),
        Err(error) => repair::repair(&fixed, range, limits, &error, &mut found)
            .is_some_and(|again| again.map == repaired.map),
    }
}

fn mapping(document: &Document, tree: yaml::Tree, report: &mut Report) -> Option<Fields> {
    let (span, what) = match tree.root {
        Some(node) => match node.value {
            Value::Map(map) => return Some(Fields { map, duplicates: tree.duplicates }),
            Value::List(_) => (node.span, "a list"),
            Value::Scalar(scalar) if scalar.is_null() => (document.closer, "empty"),
            Value::Scalar(_) => (node.span, "text"),
        },
        None => (document.closer, "empty"),
    };
    let message = format!("the frontmatter is {what}, it must be a mapping of keys to values");
    report.push(Rule::NotAMapping, span, message, |f| {
        f.with_help("write a `name:` line and a `description:` line between the fences")
    });
    None
}

/// Reads a frontmatter from which characters were taken that YAML has no place for. Findings keep
/// their places; their fixes wait until those characters are gone.
fn fields_without(
    text: &str,
    unprintable: &Patch,
    document: &mut Document,
    limits: &Limits,
    report: &mut Report,
) -> Option<Fields> {
    let clean = unprintable.apply(text);
    let moved = |span: Span| unprintable.original_span(text, span);
    let mut inner = Document::split(&clean, limits, &mut Report::new(report.mode()))?;
    let mut findings = Report::new(report.mode());
    let fields = fields(&clean, &mut inner, limits, &mut findings);
    *document = inner.move_spans(&moved);
    for mut finding in findings {
        finding.span = finding.span.map(moved);
        finding.fix = None;
        report.take(finding);
    }
    let Fields { map, duplicates } = fields?;
    let duplicates = duplicates
        .into_iter()
        .map(|d| Duplicate {
            first: moved(d.first),
            again: d.again.move_spans(&moved),
            same: false,
        })
        .collect();
    let map = map.move_spans(&moved);
    Some(Fields { map, duplicates })
}

/// Finds the characters that must not stand in a frontmatter (security Y20, Y23): `None` when one
/// of them is a control character, else the edits that take out what can be taken out.
pub(crate) fn unprintable(text: &str, part: Span, report: &mut Report) -> Option<Patch> {
    let source = part.slice(text);
    let refuses = |c: char| {
        c.is_control() && !matches!(c, '\t' | '\n' | '\r')
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
    };
    if hidden::suspect(source.as_bytes(), 0).is_none() {
        return Some(Patch::default());
    }
    let mut edits = Vec::new();
    let mut refused = false;
    let mut skip_to = 0;
    for (at, c) in source.char_indices() {
        if at < skip_to || !refuses(c) {
            continue;
        }
        let start = part.start() + at;
        let span = Span::new(text, start..start + c.len_utf8());
        if c == '\u{feff}' {
            // `hidden-characters` reports it, wherever in the file it stands.
            edits.push(Edit { span, replacement: String::new() });
            continue;
        }
        if matches!(c, '\u{80}'..='\u{9f}') && c != '\u{85}' {
            let (run, decoded) = mojibake(source, at);
            let span = Span::new(text, part.start() + run.start..part.start() + run.end);
            skip_to = run.end;
            let message = format!(
                "text was decoded twice: `{}` should be `{decoded}`",
                span.slice(text).escape_debug()
            );
            report.push(Rule::Mojibake, span, message, |f| {
                f.with_help("save the file as UTF-8 and write the characters again")
                    .with_fix(Fix::replace("decode the text once more", span, decoded.clone()))
            });
            edits.push(Edit { span, replacement: decoded });
            continue;
        }
        let is_break = matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}');
        let kind = if is_break { "line separator" } else { "control character" };
        let message = format!("the frontmatter holds the {kind} U+{:04X}", u32::from(c));
        let replacement = if is_break { " " } else { "" };
        report.push(Rule::ControlCharacter, span, message, |f| {
            f.with_help("remove it").with_fix(Fix::replace("remove it", span, replacement))
        });
        refused = true;
    }
    (!refused).then(|| Patch::new(edits))
}

/// The run of characters around `at` that are UTF-8 bytes taken for Latin-1, and what they spell;
/// nothing, when they spell nothing.
fn mojibake(source: &str, at: usize) -> (std::ops::Range<usize>, String) {
    let is_byte = |c: char| matches!(c, '\u{80}'..='\u{ff}');
    let start = source[..at]
        .char_indices()
        .rev()
        .take_while(|&(_, c)| is_byte(c))
        .last()
        .map_or(at, |(start, _)| start);
    let rest = &source[start..];
    let end = start + rest.find(|c| !is_byte(c)).unwrap_or(rest.len());
    let bytes: Vec<u8> = source[start..end].chars().map(|c| u32::from(c) as u8).collect();
    let decoded = String::from_utf8_lossy(&bytes);
    let decoded = decoded
        .chars()
        .filter(|c| !c.is_control() && !matches!(c, '\u{fffd}' | '\u{2028}' | '\u{2029}'))
        .collect();
    (start..end, decoded)
}

fn report_duplicates(text: &str, duplicates: Vec<Duplicate>, report: &mut Report) {
    if duplicates.is_empty() {
        return;
    }
    let index = crate::LineIndex::new(text);
    for Duplicate { first, again, same } in duplicates {
        let line = index.position(text, first.start()).line;
        let is_same_line = !text[first.start()..again.key_span.start()].contains(['\n', '\r']);
        let counts =
            if is_same_line { "the first".to_owned() } else { format!("the one in line {line}") };
        let message = format!("`{}` is given twice, {counts} counts", again.key);
        report.push(Rule::DuplicateKey, again.key_span, message, |f| {
            let f = f.with_help("keep one of them");
            let whole = whole_lines(text, again.key_span.cover(again.value.span));
            match whole.filter(|_| same) {
                Some(lines) => f.with_fix(Fix::delete("remove the copy", lines)),
                None => f,
            }
        });
    }
}

/// The span widened to whole lines; `None` when something else stands in them.
fn whole_lines(text: &str, span: Span) -> Option<Span> {
    let start = line_start(text, span.start());
    let rest = &text[span.end()..];
    let tail = rest.find(['\n', '\r']).unwrap_or(rest.len());
    let is_alone = text[start..span.start()].trim().is_empty() && rest[..tail].trim().is_empty();
    let break_length = if rest[tail..].starts_with("\r\n") { 2 } else { rest[tail..].len().min(1) };
    is_alone.then(|| Span::new(text, start..span.end() + tail + break_length))
}
