//! Turns a `SKILL.md` and the folder around it into everything there is to say about them.

pub(crate) mod folder;
pub(crate) mod hidden;
pub(crate) mod links;
pub(crate) mod plain_copy;
pub(crate) mod resource;
pub(crate) mod scan;

use crate::check::plain_copy::PlainCopy;
use crate::parse::{self, Examined};
use crate::tokens::{Estimate, TokenCounter as _};
use crate::{Folder, ParseOptions, Report, Rule, Skill, Span};
use std::borrow::Cow;

/// The most lines that instructions should have (spec X2).
const BODY_LINES: usize = 500;

/// The most tokens that instructions should have (spec X2).
const BODY_TOKENS: usize = 5000;

/// What a check found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Checked<'b> {
    /// The text that the findings point into. Bytes that are not UTF-8 stand in it as U+FFFD.
    pub text: Cow<'b, str>,
    /// The skill; `None` when it cannot be loaded.
    pub skill: Option<Skill>,
    /// Everything that was found, in the order of the text.
    pub report: Report,
}

/// Checks a `SKILL.md` with every rule: fences, YAML and fields as [`parse_with`](crate::parse_with)
/// does, then the body, hidden text, and the files around it.
///
/// ```
/// use metier_core::{Folder, Mode, ParseOptions, check};
///
/// let file = b"---\nname: pdf\ndescription: Use for PDFs.\n---\nSee [the forms](references/forms.md).\n";
/// let options = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
/// let checked = check(file, Some(&Folder::new("SKILL.md")), &options);
/// let finding = checked.report.iter().next().unwrap();
/// assert_eq!(finding.to_string(), "warning[dead-link]: `references/forms.md` leads nowhere");
/// ```
pub fn check<'b>(bytes: &'b [u8], folder: Option<&Folder>, options: &ParseOptions) -> Checked<'b> {
    let mut report = Report::new(options.mode);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(error) => {
            let text = String::from_utf8_lossy(bytes);
            parse::report_not_utf8(&text, error.valid_up_to(), &mut report);
            return Checked { text, skill: None, report };
        }
    };
    let Examined { skill, body } = parse::examine(&text, options, &mut report);
    if text.len() <= options.limits.file_bytes {
        // A byte order mark at the start has a rule of its own.
        let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let copy = PlainCopy::new(&text, start..text.len());
        if copy.differs() {
            check_characters(&text, start, &mut report);
        }
        scan::check_text(&text, &copy, &mut report);
        if let Some(body) = body {
            check_body(&text, body, &mut report);
            hidden::check_far_right(&text, body.range(), &mut report);
            links::check_links(&text, body, folder, &mut report);
        }
    }
    if let Some(folder) = folder {
        folder::check_folder(folder, &mut report);
    }
    report.sort();
    Checked { text, skill, report }
}

fn check_characters(text: &str, start: usize, report: &mut Report) {
    let places = |rule: Rule| report.iter().filter(move |f| f.rule == rule).filter_map(|f| f.span);
    if places(Rule::ControlCharacter).next().is_some() {
        return;
    }
    let garbled: Vec<_> = places(Rule::Mojibake).collect();
    hidden::check_characters(text, start..text.len(), report);
    // Half of a garbled letter is a control character: one finding says it all.
    report.retain(|f| {
        let is_garbled = |span: Span| garbled.iter().any(|garbled| garbled.overlaps(span));
        f.rule != Rule::HiddenCharacters || !f.span.is_some_and(is_garbled)
    });
}

fn check_body(text: &str, body: Span, report: &mut Report) {
    let instructions = body.slice(text).trim();
    if instructions.is_empty() {
        let message = "there are no instructions after the frontmatter";
        report.push(Rule::EmptyBody, Span::at(text, body.start()), message, |f| {
            f.with_help("say, step by step, what to do when the skill is used")
        });
        return;
    }
    let start = body.end() - body.slice(text).trim_start().len();
    let first_line = instructions.lines().next().unwrap_or_default().len();
    let place = Span::new(text, start..start + first_line);
    let count = memchr::memchr_iter(b'\n', instructions.as_bytes()).count() + 1;
    if count > BODY_LINES {
        let message = format!("the instructions are {count} lines long, more than {BODY_LINES}");
        report.push(Rule::BodyTooLong, place, message, |f| {
            f.with_help("move details into files under `references/`, and say when to read them")
        });
    }
    // Counting takes longer than all other looks at a body; no language packs a token into less
    // than two bytes on average.
    let may_be_long = instructions.len() > 2 * BODY_TOKENS;
    let tokens = if may_be_long { Estimate.count(instructions) } else { 0 };
    if tokens > BODY_TOKENS {
        let message =
            format!("the instructions are about {tokens} tokens long, more than {BODY_TOKENS}");
        report.push(Rule::BodyTooLong, place, message, |f| {
            f.with_help("move details into files under `references/`, and say when to read them")
        });
    }
}
