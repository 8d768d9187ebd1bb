//! Turns the name of a skill into findings about it: its form, its directory, and that it is there.

use super::Lowering;
use super::scalar::Wanted;
use super::text::{empty_value, is_refused_control};
use crate::format::emit;
use crate::name::{self, NameProblem};
use crate::tree::Entry;
use crate::{Fix, NameRules, Rule, SharedText, SkillName, Span};
use unicode_normalization::UnicodeNormalization as _;

impl Lowering<'_> {
    pub(super) fn name(&mut self, entry: &Entry) -> Option<SharedText> {
        if entry.value.as_scalar().is_some_and(|s| s.is_null() || s.text().trim().is_empty()) {
            self.missing_name(Some(entry));
            return None;
        }
        let text = self.required_text(entry, Rule::MissingName, Rule::NameType)?;
        let span = entry.value.span;
        let name = text.trim();
        if name.contains(is_refused_control) {
            return Some(name.into());
        }
        let problems = name::name_problems(name, self.options.names);
        let directory = self.options.directory.as_deref();
        let is_mismatch = directory.is_some_and(|dir| dir != name && !dir.nfkc().eq(name.nfkc()));
        let is_suggesting = is_mismatch || !problems.is_empty();
        let suggestion = is_suggesting.then(|| SkillName::suggest(name)).flatten();
        let is_valid = problems.is_empty();
        for problem in problems {
            let rule = match problem {
                NameProblem::TooLong { .. } => Rule::NameTooLong,
                NameProblem::Uppercase => Rule::NameCase,
                NameProblem::EdgeHyphen | NameProblem::DoubleHyphen => Rule::NameHyphens,
                // The rest is about single characters, or words that the chosen rules forbid.
                _ => Rule::NameCharacters,
            };
            self.report.push(rule, span, format!("the {problem}"), |f| match &suggestion {
                Some(name) if name.as_str() == directory.unwrap_or_default() => f
                    .with_help(format!("write `name: {name}`, as the directory is called"))
                    .with_fix(Fix::replace(format!("write `{name}`"), span, name.as_str())),
                Some(name) => f.with_help(format!("try `{name}`")),
                None => f.with_help("use lower-case letters, digits and single hyphens"),
            });
        }
        self.advise_on_name(name, span);
        if is_valid && !name.is_ascii() && self.options.names == NameRules::Reference {
            let message = format!("the name `{name}` has letters outside a-z");
            self.report.push(Rule::NameNotAscii, span, message, |f| {
                f.with_help("some clients accept ASCII names only")
            });
        }
        // A name that becomes the directory's once it is mended needs no second word about it.
        let is_mended = suggestion.as_ref().is_some_and(|name| Some(name.as_str()) == directory);
        if let Some(directory) = directory.filter(|_| is_mismatch && !is_mended) {
            let message =
                format!("the name `{name}` is not the name of its directory, `{directory}`");
            self.report.push(Rule::NameMismatch, span, message, |f| {
                let renamed = suggestion.as_ref().map_or(name, SkillName::as_str);
                let help = format!("rename the directory to `{renamed}`");
                let is_name = name::name_problems(directory, self.options.names).is_empty();
                f.with_help(if is_name {
                    format!("{help}, or write `name: {directory}`")
                } else {
                    help
                })
            });
        }
        self.ambiguous(&entry.value, Wanted::Text);
        Some(name.into())
    }

    /// Words that are valid in a name and still unwise.
    fn advise_on_name(&mut self, name: &str, span: Span) {
        let reserved = ["claude", "anthropic"].into_iter().find(|word| name.contains(word));
        if let Some(word) = reserved.filter(|_| self.options.names != NameRules::Anthropic) {
            let message = format!("the name holds `{word}`, which some clients reserve");
            self.report.push(Rule::NameReserved, span, message, |f| {
                f.with_help("choose a name that says what the skill does")
            });
        }
        if name::is_windows_device(name) {
            let message = format!("`{name}` is the name of a device on Windows");
            self.report.push(Rule::NameReserved, span, message, |f| {
                f.with_help("choose another name: the directory cannot be made on Windows")
            });
        }
    }

    /// Reports a name that is not there, or is an `empty` one.
    pub(super) fn missing_name(&mut self, empty: Option<&Entry>) {
        let directory = self.options.directory.as_deref();
        let valid = directory.filter(|name| name.parse::<SkillName>().is_ok());
        let (span, message, at) = match empty {
            None => {
                let at = Span::at(self.text, self.first_field_at);
                (self.missing_at, "the skill has no `name`".to_owned(), at)
            }
            Some(entry) => {
                let (span, message) = empty_value(entry);
                // The place of a value that is not there lies before the colon.
                let key_end = entry.key_span.end();
                let colon = self.text[key_end..].find(':').map_or(key_end, |at| key_end + at + 1);
                let end = entry.value.span.end().max(colon);
                (span, message, Span::new(self.text, entry.key_span.end()..end))
            }
        };
        let rest = &self.text[self.first_field_at..];
        let indent = &rest[..rest.len() - rest.trim_start_matches(' ').len()];
        // In flow style there is no line above the first field, and a tab is mended first.
        let is_block = !rest[indent.len()..].starts_with(['{', '[', '?', '\t']);
        let can_fix = is_block
            && !at.slice(self.text).contains('#')
            && !empty.is_some_and(|entry| self.has_question_mark(entry));
        self.report.push(Rule::MissingName, span, message, |f| {
            let Some(name) = valid else {
                return f.with_help("add `name:` with the name of the directory");
            };
            let f = f.with_help(format!("write `name: {name}`, as the directory is called"));
            if !can_fix {
                return f;
            }
            let text = emit::inline_text(name);
            let text = match empty {
                None => format!("{indent}name: {text}\n"),
                Some(_) => format!(": {text}"),
            };
            f.with_fix(Fix::replace("add the name", at, text))
        });
    }
}
