//! Turns frontmatter that is not YAML into the fields its author meant, each repair said and given as a fix.
//!
//! The text is cut into fields at its keys. A field that is YAML by itself is taken as it is. For
//! one that is not, an edit is looked for that makes it so, and the value is read from the edited
//! text: what is loaded and what the fix writes can never differ. One broken field leaves the
//! others alone.

pub(crate) mod anchor;
pub(crate) mod attempt;
pub(crate) mod field;
pub(crate) mod meant;
pub(crate) mod misquoted;
pub(crate) mod patch;
pub(crate) mod real_end;

use crate::line::lines;
use crate::parse::yaml::{self, YamlError};
use crate::repair::attempt::Attempt;
use crate::repair::field::{Field, fields};
use crate::repair::patch::Patch;
use crate::repair::real_end::RealEnd;
use crate::tree::{Duplicate, Entry, Map, Node, Value};
use crate::{Edit, Fix, Limits, Report, Rule, Span};
use std::ops::Range;

/// What could be read.
pub(crate) struct Repaired {
    pub(crate) map: Map,
    pub(crate) duplicates: Vec<Duplicate>,
    /// Where the frontmatter really ends, when its closing fence came too late.
    pub(crate) body_start: Option<usize>,
}

/// Keys whose values say what a skill may do. They are never guessed at (security Y28).
const NEVER_REPAIRED: [&str; 11] = [
    "allowed-tools",
    "allowed_tools",
    "allowedTools",
    "disable-model-invocation",
    "disallowed-tools",
    "disallowedTools",
    "hooks",
    "permissions",
    "tools",
    "user-invocable",
    "user-invokable",
];

/// Whether a rule refuses the file: no slip of the pen breaks it. It does so wherever in the file it
/// is broken, and whatever else is wrong there.
fn is_final(rule: Rule) -> bool {
    matches!(rule, Rule::TooDeep | Rule::TooManyNodes | Rule::SecondDocument | Rule::YamlDirective)
}

/// Reads `text[range]`, which failed as a whole with `first`; `None` when nothing can be made of it.
pub(crate) fn repair(
    text: &str,
    range: Range<usize>,
    limits: &Limits,
    first: &YamlError,
    report: &mut Report,
) -> Option<Repaired> {
    let is_final = is_final(first.rule);
    let real_end = RealEnd::find(text, range.clone());
    let end = real_end.as_ref().map_or(range.end, |real| real.fields);
    let fields = if is_final { Vec::new() } else { fields(text, range.start..end) };
    if fields.is_empty() {
        let is_prose =
            !text[range.clone()].trim_start().starts_with(['{', '[', '&', '!', '%', '?']);
        if !is_final && is_prose {
            let message = "the frontmatter holds no `key: value` field";
            report.push(Rule::NotAMapping, first.span, message, |f| {
                f.with_help("write a `name:` line and a `description:` line between the fences")
            });
        } else {
            report_error(text, first, report);
        }
        return None;
    }

    // Fields are read one by one here: together they are held to the same limit (security Y30).
    let most = limits.yaml_nodes / 2;
    if let Some(field) = fields.get(most) {
        let message = format!("the frontmatter holds more than {most} fields, the limit");
        report_error(
            text,
            &YamlError {
                rule: Rule::TooManyNodes,
                span: field.key_span(text),
                message,
                is_repairable: false,
            },
            report,
        );
        return None;
    }
    let found_before = report.len();
    let mut repair = Repair {
        text,
        range: range.clone(),
        limits,
        report,
        duplicates: Vec::new(),
        is_lost: false,
    };
    if let Some(real) = &real_end {
        repair.report_late_fence(real);
    }
    repair.report_strays(range.start..fields[0].lines[0].start);
    let map = repair.map(&fields);
    let Repair { duplicates, is_lost, .. } = repair;
    if report.len() == found_before {
        // Every field reads well alone, so what is wrong lies between them.
        report_error(text, first, report);
        return None;
    }
    (!is_lost).then_some(Repaired { map, duplicates, body_start: real_end.map(|real| real.body) })
}

/// Reports why a frontmatter cannot be read.
pub(crate) fn report_error(text: &str, error: &YamlError, report: &mut Report) {
    let help = match error.rule {
        Rule::YamlAnchor => "write the value out in full; to start text with `&` or `*`, quote it",
        Rule::YamlTag => "remove the tag; to start text with `!`, quote it",
        Rule::YamlDirective => "remove the line; to start text with `%`, quote it",
        Rule::SecondDocument => "keep one document between the two lines of `---`",
        Rule::TabIndentation => "indent with spaces",
        Rule::TooDeep | Rule::TooManyNodes => "keep large data in a file of the skill",
        Rule::ComplexKey => "use plain words as keys; quote text that starts with `{`, `[` or `?`",
        _ => "write each field as `key: value`, and quote values that hold `: ` or ` #`",
    };
    let at_end = error.span.is_empty() && error.span.start() >= text.len();
    let span = if at_end { Span::at(text, text.trim_end().len()) } else { error.span };
    // What keeps a file from loading is an error in both modes; a tab alone is not.
    let rule = if error.rule == Rule::TabIndentation { Rule::InvalidYaml } else { error.rule };
    report.push(rule, span, error.message.clone(), |f| f.with_help(help));
}

struct Repair<'r, 't> {
    text: &'t str,
    /// The frontmatter.
    range: Range<usize>,
    limits: &'r Limits,
    report: &'r mut Report,
    duplicates: Vec<Duplicate>,
    /// Whether something was found that must not be loaded around.
    is_lost: bool,
}

impl<'t> Repair<'_, 't> {
    fn map(&mut self, fields: &[Field<'t>]) -> Map {
        let mut map = Map::default();
        for field in fields {
            for entry in self.field(field) {
                if let Err(duplicate) = map.insert(entry) {
                    self.duplicates.push(duplicate);
                }
            }
        }
        map
    }

    /// The entries of one field: one as a rule, none when it cannot be read.
    fn field(&mut self, field: &Field<'t>) -> Vec<Entry> {
        for conflict in &field.conflicts {
            let span = Span::new(self.text, conflict.start..conflict.end());
            let message = "an unresolved merge left this line behind";
            self.report.push(Rule::MergeConflict, span, message, |f| {
                f.with_help("decide between the two sides and remove the marks")
            });
        }
        if field.is_misindented {
            self.report_misindented(field);
        }
        let error = match self.read(&Patch::new(self.own_edits(field)), field) {
            Ok(map) => return map.into_entries(),
            Err(error) => error,
        };
        if is_final(error.rule) {
            self.is_lost = true;
            report_error(self.text, &error, self.report);
            return Vec::new();
        }
        // `!!` asks a reader to build something; that is no slip of the pen (security Y19). Nor is a
        // `?` below a key (security Y08).
        let is_tag = error.rule == Rule::YamlTag && error.span.slice(self.text).starts_with("!!");
        let is_key = error.rule == Rule::ComplexKey && field.inline().is_empty();
        let is_anchor = error.rule == Rule::YamlAnchor
            && (self.is_lost || anchor::is_meant(self.text, self.range.clone(), error.span));
        let is_slip = error.is_repairable && !is_tag && !is_key && !is_anchor;
        if is_slip && !NEVER_REPAIRED.contains(&field.key) {
            if let Some(entries) = self.nested(field) {
                return entries;
            }
            for attempt in Attempt::all(self.text, field, &error, self.limits) {
                let mut edits = self.own_edits(field);
                edits.extend(attempt.edits.iter().cloned());
                if let Ok(map) = self.read(&Patch::new(edits), field) {
                    let help = attempt.help(field.key);
                    let fix = Fix { title: attempt.title.to_owned(), edits: attempt.edits };
                    self.report.push(attempt.rule, attempt.span, attempt.message, |f| {
                        f.with_help(help).with_fix(fix)
                    });
                    return map.into_entries();
                }
            }
        }
        self.report_unread(field, &error);
        Vec::new()
    }

    /// Edits that let a field be read alone: its merge marks are taken out, its indentation too.
    fn own_edits(&self, field: &Field<'t>) -> Vec<Edit> {
        let deleted =
            |range| Edit { span: Span::new(self.text, range), replacement: String::new() };
        let mut edits: Vec<_> =
            field.conflicts.iter().map(|line| deleted(line.start..line.next)).collect();
        if field.is_misindented {
            edits.push(deleted(field.start()..field.start() + field.indent));
        }
        edits
    }

    /// Reads the field with the edits made, and puts the spans back where they belong.
    fn read(&self, patch: &Patch, field: &Field<'t>) -> Result<Map, YamlError> {
        let (start, end) = (field.start(), field.next());
        if patch.is_empty() {
            return self.entries(yaml::read(self.text, start..end, self.limits)?, field);
        }
        // Only the field is copied: everything before it keeps its place by an offset.
        let source = &self.text[start..end];
        let local = Patch::new(
            patch
                .clone()
                .into_edits()
                .into_iter()
                .map(|edit| Edit {
                    span: Span::new(source, edit.span.start() - start..edit.span.end() - start),
                    ..edit
                })
                .collect(),
        );
        let changed = local.apply(source);
        let original = |span: Span| {
            let span = local.original_span(source, span);
            Span::new(self.text, start + span.start()..start + span.end())
        };
        let tree = yaml::read(&changed, 0..changed.len(), self.limits)
            .map_err(|error| YamlError { span: original(error.span), ..error })?;
        Ok(self.entries(tree, field)?.move_spans(&original))
    }

    fn entries(&self, tree: yaml::Tree, field: &Field<'t>) -> Result<Map, YamlError> {
        match tree.root.map(|root| root.value) {
            Some(Value::Map(map)) if tree.duplicates.is_empty() => Ok(map),
            _ => Err(YamlError {
                rule: Rule::InvalidYaml,
                span: field.key_span(self.text),
                message: format!("`{}` cannot be read", field.key),
                is_repairable: true,
            }),
        }
    }

    /// A field with nothing behind its colon and fields or items below it: those are repaired one
    /// by one.
    fn nested(&mut self, field: &Field<'t>) -> Option<Vec<Entry>> {
        let below = field.continuation();
        let (first, last) = (below.iter().find(|line| !line.is_blank())?, below.last()?);
        let is_nested = field.inline().is_empty() && first.indent() > field.indent;
        if !is_nested || first.text[..first.indent()].contains('\t') {
            return None;
        }
        let inner = fields(self.text, first.start..last.next);
        let starts_with_key = inner.first().is_some_and(|f| f.start() == first.start);
        if !starts_with_key || inner[0].indent <= field.indent {
            return None;
        }
        let span = Span::new(self.text, first.start + first.indent()..last.end());
        let value = Node { value: Value::Map(self.map(&inner)), span };
        Some(vec![Entry { key: field.key.to_owned(), key_span: field.key_span(self.text), value }])
    }

    fn report_unread(&mut self, field: &Field<'t>, error: &YamlError) {
        if matches!(error.rule, Rule::YamlAnchor | Rule::YamlTag) {
            self.is_lost = true;
            report_error(self.text, error, self.report);
            return;
        }
        let message =
            format!("`{}` could not be read and is left out: {}", field.key, error.message);
        let help = if NEVER_REPAIRED.contains(&field.key) {
            "this field is never guessed at, because it says what the skill may do: write it as YAML"
        } else {
            "write the field as YAML, or as one quoted text"
        };
        self.report.push(Rule::UnreadField, error.span, message, |f| f.with_help(help));
    }

    fn report_misindented(&mut self, field: &Field<'t>) {
        let span = field.key_span(self.text);
        let indent = Span::new(self.text, field.start()..field.start() + field.indent);
        let message = format!("`{}` is indented unlike the fields above it", field.key);
        self.report.push(Rule::MisindentedField, span, message, |f| {
            let f = f.with_help("start every field in the same column");
            if field.indent < field.margin.len() {
                // The fields above are the ones gone astray, and not all of them may be known.
                return f;
            }
            f.with_fix(Fix::replace("indent it like the first field", indent, field.margin))
        });
    }

    fn report_strays(&mut self, range: Range<usize>) {
        for line in lines(self.text, range) {
            let words = line.text.trim();
            let span = Span::new(self.text, line.start..line.end());
            let alone = yaml::read(self.text, line.start..line.next, self.limits);
            if let Err(error) = alone
                && is_final(error.rule)
            {
                self.is_lost = true;
                report_error(self.text, &error, self.report);
            } else if !words.is_empty() && !words.starts_with('#') {
                let message = "this line is not a field and is left out";
                self.report.push(Rule::UnreadField, span, message, |f| {
                    f.with_help("write each field as `key: value`, or start the line with `#`")
                });
            }
        }
    }

    fn report_late_fence(&mut self, real: &RealEnd) {
        self.report.push(Rule::LateFence, real.line, real.message, |f| {
            f.with_help("close the frontmatter with a line of `---` after its last field").with_fix(
                Fix { title: "close the frontmatter".to_owned(), edits: vec![real.edit.clone()] },
            )
        });
    }
}
