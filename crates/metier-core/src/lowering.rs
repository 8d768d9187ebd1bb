//! Turns the tree of a frontmatter into a manifest, collecting every finding in one pass.

use crate::emit;
use crate::known_key::{EXTENSION_KEYS, MEANT, meant_key};
use crate::manifest::{SPEC_KEYS, boolean};
use crate::name::{self, NameProblem};
use crate::tree::{Entry, Map, Node, Scalar, Typed, Value};
use crate::trigger::says_when;
use crate::{AllowedTools, Fix, Manifest, NameRules, ParseOptions, Report, Rule, SkillName, Span};
use std::ops::Range;
use unicode_normalization::UnicodeNormalization as _;

/// Lowers the tree of a frontmatter.
pub(crate) struct Lowering<'p> {
    pub(crate) text: &'p str,
    pub(crate) options: &'p ParseOptions,
    /// Where to point when a field is missing.
    pub(crate) missing_at: Span,
    /// Where a missing field can be added.
    pub(crate) first_field_at: usize,
    pub(crate) report: &'p mut Report,
}

impl Lowering<'_> {
    pub(crate) fn lower(&mut self, tree: Map) -> Manifest {
        let mut manifest = Manifest::default();
        let mut extra = Map::default();
        let mut description_seen = false;
        let mut name_seen = false;
        // The meanings that are taken: by their own key, then by the first key that misspells them.
        let mut taken: Vec<&str> = tree
            .iter()
            .filter_map(|entry| MEANT.into_iter().find(|known| *known == entry.key))
            .collect();
        for entry in tree.into_entries() {
            self.check_control(&entry.key, entry.key_span, "the key");
            let key = self.known_key(&entry, &mut taken);
            match key.as_str() {
                "name" => {
                    name_seen = true;
                    manifest.name = self.name(&entry);
                }
                "description" => {
                    description_seen = true;
                    manifest.description = self.description(&entry);
                }
                "license" => manifest.license = self.plain_text(&entry),
                "compatibility" => manifest.compatibility = self.compatibility(&entry),
                "allowed-tools" => manifest.allowed_tools = self.allowed_tools(&entry),
                "metadata" => manifest.metadata = self.metadata(&entry),
                _ => {
                    self.extension(&entry);
                    // Keys are distinct already.
                    let _ = extra.insert(entry);
                }
            }
        }
        manifest.extra = extra;
        if !name_seen {
            self.missing_name(None);
        }
        if !description_seen {
            let message = "the skill has no `description`";
            self.report.push(Rule::MissingDescription, self.missing_at, message, |f| {
                f.with_help("add `description:` and say what the skill does and when to use it")
            });
        }
        manifest
    }

    /// The key that an entry stands for: its own, or the one that it misspells.
    fn known_key(&mut self, entry: &Entry, taken: &mut Vec<&'static str>) -> String {
        let key = entry.key.as_str();
        if SPEC_KEYS.contains(&key) || self.options.allow_fields.iter().any(|k| k == key) {
            return key.to_owned();
        }
        let Some(meant) = meant_key(key) else {
            if !EXTENSION_KEYS.contains(&key) || !self.options.allow_fields.iter().any(|k| k == key)
            {
                self.unknown(entry);
            }
            return key.to_owned();
        };
        let is_free = !taken.contains(&meant);
        if is_free {
            taken.push(meant);
        }
        let message = format!("`{key}` is not a field, `{meant}` is");
        self.report.push(Rule::MisspeltField, entry.key_span, message, |f| {
            let f = f.with_help(format!("write `{meant}`"));
            if is_free {
                f.with_fix(Fix::replace(format!("rename it to `{meant}`"), entry.key_span, meant))
            } else {
                f
            }
        });
        // Only the fields that identify a skill are taken at their meant name; the others could
        // change what it may do.
        if is_free && matches!(meant, "name" | "description") {
            meant.to_owned()
        } else {
            key.to_owned()
        }
    }

    fn unknown(&mut self, entry: &Entry) {
        if !self.report.wants(Rule::UnknownField) {
            return;
        }
        let key = &entry.key;
        let message = format!("the specification does not know the field `{key}`");
        let help = match key.as_str() {
            "tools" => "pre-approve tools with `allowed-tools`".to_owned(),
            key if EXTENSION_KEYS.contains(&key) => format!(
                "some clients read `{key}`; keep it with `--allow-field {key}`, or move it under `metadata`"
            ),
            key => format!("move `{key}` under `metadata`, where clients keep their own fields"),
        };
        self.report.push(Rule::UnknownField, entry.key_span, message, |f| f.with_help(help));
    }

    fn name(&mut self, entry: &Entry) -> Option<String> {
        if entry.value.as_scalar().is_some_and(|s| s.is_null() || s.text().trim().is_empty()) {
            self.missing_name(Some(entry));
            return None;
        }
        let text = self.required_text(entry, Rule::MissingName, Rule::NameType)?;
        let span = entry.value.span;
        let name = text.trim();
        if name.contains(is_refused_control) {
            return Some(name.to_owned());
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
        self.advise_on_name(name, is_valid, span);
        // A name that becomes the directory's once it is mended needs no second word about it.
        let is_mended = suggestion.as_ref().is_some_and(|name| Some(name.as_str()) == directory);
        if let Some(directory) = directory.filter(|_| is_mismatch && !is_mended) {
            let message =
                format!("the name `{name}` is not the name of its directory, `{directory}`");
            self.report.push(Rule::NameMismatch, span, message, |f| {
                let renamed = suggestion.as_ref().map_or(name, SkillName::as_str);
                let help = format!("rename the directory to `{renamed}`");
                let is_name = name::name_problems(directory, self.options.names).is_empty();
                let or = format!(", or write `name: {directory}`");
                f.with_help(if is_name { help + &or } else { help })
            });
        }
        self.ambiguous(&entry.value, true);
        Some(name.to_owned())
    }

    fn advise_on_name(&mut self, name: &str, is_valid: bool, span: Span) {
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
        if is_valid && !name.is_ascii() && self.options.names == NameRules::Reference {
            let message = format!("the name `{name}` has letters outside a-z");
            self.report.push(Rule::NameNotAscii, span, message, |f| {
                f.with_help("some clients accept ASCII names only")
            });
        }
    }

    /// Reports a name that is not there, or is an `empty` one.
    fn missing_name(&mut self, empty: Option<&Entry>) {
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

    fn description(&mut self, entry: &Entry) -> Option<String> {
        let text =
            self.required_text(entry, Rule::MissingDescription, Rule::DescriptionType)?.to_owned();
        let span = entry.value.span;
        let length = text.chars().count();
        if length > 1024 {
            let message = format!("the description is {length} characters long, the limit is 1024");
            self.report.push(Rule::DescriptionTooLong, span, message, |f| {
                f.with_help(
                    "keep what decides whether to use the skill, and move the rest into the body",
                )
            });
        }
        if let Some(found) = text.chars().find(|c| matches!(c, '<' | '>')) {
            let at =
                entry.value.span.slice(self.text).find(found).map_or(span, |at| {
                    Span::new(self.text, span.start() + at..span.start() + at + 1)
                });
            let message = format!("the description holds `{found}`");
            self.report.push(Rule::DescriptionMarkup, at, message, |f| {
                f.with_help("some clients refuse angle brackets in descriptions: use words")
            });
        }
        if !says_when(&text) {
            let message = "the description never says when to use the skill";
            self.report.push(Rule::DescriptionWithoutTrigger, span, message, |f| {
                f.with_help("add a sentence such as `Use when the user asks for ...`")
            });
        }
        self.cut_by_comment(&entry.value);
        self.ambiguous(&entry.value, true);
        Some(text.trim().to_owned())
    }

    /// The text of a field that must be there, untrimmed; reports why not.
    fn required_text<'n>(&mut self, entry: &'n Entry, empty: Rule, wrong: Rule) -> Option<&'n str> {
        let (key, node) = (&entry.key, &entry.value);
        let span = if node.span.is_empty() { entry.key_span } else { node.span };
        match node.as_scalar() {
            None => {
                let message = format!("`{key}` is {}, it must be text", node.kind());
                self.report
                    .push(wrong, span, message, |f| f.with_help(format!("write `{key}: \"...\"`")));
                None
            }
            Some(scalar) if scalar.is_null() || scalar.text().trim().is_empty() => {
                let (span, message) = empty_value(entry);
                self.report.push(empty, span, message, |f| {
                    f.with_help(format!("write `{key}: ...`, or quote the value if it is meant"))
                });
                None
            }
            Some(scalar) => {
                self.check_control(scalar.text(), span, &format!("`{key}`"));
                Some(scalar.text())
            }
        }
    }

    /// The text of a field that may be missing.
    fn plain_text(&mut self, entry: &Entry) -> Option<String> {
        let node = &entry.value;
        if node.as_scalar().is_none() {
            let message = format!("`{}` is {}, it must be text", entry.key, node.kind());
            self.report.push(Rule::FieldType, node.span, message, |f| {
                f.with_help(format!("write `{}: \"...\"`", entry.key))
            });
            return None;
        }
        let text = node.as_text()?;
        self.check_control(text, node.span, &format!("`{}`", entry.key));
        self.ambiguous(node, true);
        Some(text.trim().to_owned())
    }

    fn compatibility(&mut self, entry: &Entry) -> Option<String> {
        let span = if entry.value.span.is_empty() { entry.key_span } else { entry.value.span };
        if entry.value.as_scalar().is_some_and(|s| s.is_null() || s.text().trim().is_empty()) {
            let message = "`compatibility` is empty";
            self.report.push(Rule::CompatibilityLength, span, message, |f| {
                f.with_help("say what the skill needs, or remove the field")
            });
            return None;
        }
        let length = entry.value.as_text().map_or(0, |text| text.chars().count());
        if length > 500 {
            let message = format!("`compatibility` is {length} characters long, the limit is 500");
            self.report.push(Rule::CompatibilityLength, span, message, |f| {
                f.with_help("keep what the skill needs, and move the rest into the body")
            });
        }
        self.plain_text(entry)
    }

    fn allowed_tools(&mut self, entry: &Entry) -> Option<AllowedTools> {
        let node = &entry.value;
        let wrong = |report: &mut Report, node: &Node, what: &str| {
            let message = format!("{what} is {}, it must be text", node.kind());
            report.push(Rule::FieldType, node.span, message, |f| {
                f.with_help("write `allowed-tools: Read Bash(git:*)`")
            });
        };
        let (tools, problems) = match &node.value {
            Value::Scalar(scalar) if scalar.is_null() => return None,
            Value::Scalar(scalar) => {
                let (tools, problems) = AllowedTools::parse(scalar.text());
                (tools, problems.into_iter().map(|problem| (node, problem)).collect())
            }
            Value::List(items) => {
                for item in items.iter().filter(|item| item.as_text().is_none()) {
                    wrong(self.report, item, "an item of `allowed-tools`");
                }
                let named: Vec<&Node> =
                    items.iter().filter(|item| item.as_text().is_some()).collect();
                let (tools, problems) =
                    AllowedTools::from_items(named.iter().filter_map(|item| item.as_text()));
                let place = |at: usize| named.get(at).copied().unwrap_or(node);
                (tools, problems.into_iter().map(|(at, p)| (place(at), p)).collect::<Vec<_>>())
            }
            Value::Map(_) => {
                wrong(self.report, node, "`allowed-tools`");
                return None;
            }
        };
        for (node, problem) in problems {
            let span = self.part(node, problem.range());
            let message = format!("{problem} in `allowed-tools`");
            self.report.push(Rule::AllowedToolsUnbalanced, span, message, |f| {
                f.with_help("write each tool as `Bash(git:*)`, with spaces between them")
            });
        }
        self.tools_form(entry, &tools);
        Some(tools)
    }

    /// Where a part of a scalar's text stands; the whole scalar when it is not written as it reads.
    fn part(&self, node: &Node, range: Range<usize>) -> Span {
        let source = node.span.slice(self.text);
        let text = node.as_scalar().map_or("", Scalar::text);
        match source.find(text).filter(|at| *at <= 1) {
            Some(at) => {
                let start = node.span.start() + at;
                Span::new(self.text, start + range.start..start + range.end)
            }
            None => node.span,
        }
    }

    /// The specification wants one string with spaces (spec A1); lists and commas are common.
    fn tools_form(&mut self, entry: &Entry, tools: &AllowedTools) {
        let node = &entry.value;
        let written = node.as_scalar().map(Scalar::text);
        let form = match written {
            _ if tools.is_empty() => return,
            None => "a list",
            Some(text) if text.trim() != tools.to_string() && text.contains(',') => {
                "separated by commas"
            }
            Some(_) => return,
        };
        let message =
            format!("`allowed-tools` is {form}, the specification wants spaces between tools");
        let whole =
            Span::new(self.text, entry.key_span.end()..node.span.end().max(entry.key_span.end()));
        let has_comment = whole.slice(self.text).contains('#');
        let has_question_mark = self.has_question_mark(entry);
        self.report.push(Rule::AllowedToolsForm, node.span, message, |f| {
            let f = f.with_help(format!("write `allowed-tools: {tools}`"));
            if has_comment || has_question_mark {
                return f;
            }
            let value = format!(": {}", emit::inline_text(&tools.to_string()));
            f.with_fix(Fix::replace("write the tools as one string", whole, value))
        });
    }

    /// Whether the key is written `? key`, so that its colon stands in a line of its own.
    fn has_question_mark(&self, entry: &Entry) -> bool {
        self.text[..entry.key_span.start()].trim_end().ends_with('?')
    }

    fn metadata(&mut self, entry: &Entry) -> Option<Node> {
        let node = &entry.value;
        if node.is_null() {
            return None;
        }
        match node.as_map() {
            None => {
                let message = format!("`metadata` is {}, it must be a mapping", node.kind());
                self.report.push(Rule::MetadataType, node.span, message, |f| {
                    f.with_help("write one `key: \"value\"` a line, indented under `metadata:`")
                });
            }
            Some(map) => {
                for entry in map {
                    self.check_control(&entry.key, entry.key_span, "the key");
                    if let Value::Scalar(_) = entry.value.value {
                        self.ambiguous(&entry.value, true);
                    } else {
                        let message = format!(
                            "`metadata.{}` is {}, the specification wants text",
                            entry.key,
                            entry.value.kind()
                        );
                        self.report.push(Rule::MetadataValue, entry.key_span, message, |f| {
                            f.with_help("some clients drop or flatten it: keep metadata to text")
                        });
                    }
                }
            }
        }
        Some(node.clone())
    }

    fn extension(&mut self, entry: &Entry) {
        let node = &entry.value;
        match entry.key.as_str() {
            "hooks" => {
                let message = "the frontmatter declares hooks; metier never runs them";
                self.report.push(Rule::DeclaresHooks, entry.key_span, message, |f| {
                    f.with_help(
                        "some clients run hooks as soon as a skill is used: read them first",
                    )
                });
            }
            "user-invocable" | "disable-model-invocation"
                if !node.is_null() && boolean(node).is_none() =>
            {
                let message =
                    format!("`{}` is {}, it must be true or false", entry.key, node.kind());
                self.report.push(Rule::FieldType, node.span, message, |f| {
                    f.with_help(format!("write `{}: true` or `{}: false`", entry.key, entry.key))
                });
            }
            "tags" if node.as_map().is_some() => {
                let message = "`tags` is a mapping, it must be a list or text with commas";
                self.report.push(Rule::FieldType, node.span, message, |f| {
                    f.with_help("write one `- tag` a line")
                });
            }
            "version" => self.ambiguous(node, true),
            _ => self.ambiguous(node, false),
        }
    }

    /// Reports a plain scalar that YAML readers do not agree on, or that is a number where the
    /// specification wants text.
    fn ambiguous(&mut self, node: &Node, wants_text: bool) {
        let scalar = node.as_scalar().filter(|scalar| scalar.is_plain());
        let Some(scalar) = scalar.filter(|_| self.report.wants(Rule::AmbiguousScalar)) else {
            return;
        };
        let text = scalar.text();
        let octal =
            text.len() > 1 && text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
        let shorter = without_final_zeros(text).map(|number| format!("the number {number}"));
        let taken_for = match scalar.typed() {
            Typed::Int(_) if octal => Some("an octal number"),
            Typed::Float(_) if shorter.is_some() => shorter.as_deref(),
            Typed::Int(_) | Typed::Float(_) if wants_text => Some("a number"),
            Typed::Bool(_) if wants_text => Some("a boolean"),
            Typed::Text(text) => emit::ambiguity(text),
            _ => None,
        };
        let Some(taken_for) = taken_for else { return };
        let message = format!("`{text}` is {taken_for} to some readers");
        self.report.push(Rule::AmbiguousScalar, node.span, message, |f| {
            f.with_help(format!("quote it: `\"{text}\"`")).with_fix(Fix::replace(
                "quote the value",
                node.span,
                format!("\"{text}\""),
            ))
        });
    }

    /// Reports a plain value behind which ` #` starts a comment (security Y31).
    fn cut_by_comment(&mut self, node: &Node) {
        let is_plain = node.as_scalar().is_some_and(Scalar::is_plain);
        let rest = &self.text[node.span.end()..];
        let line = rest.lines().next().unwrap_or_default();
        if is_plain && line.trim_start().starts_with('#') && line.starts_with([' ', '\t']) {
            let span = Span::new(self.text, node.span.end()..node.span.end() + line.len());
            let message = "the description ends here: ` #` starts a comment";
            self.report.push(Rule::CommentInValue, span, message, |f| {
                f.with_help("quote the description if the rest belongs to it")
            });
        }
    }

    /// Control characters that came in through an escape (security Y21).
    fn check_control(&mut self, value: &str, span: Span, what: &str) {
        if value.bytes().all(|b| matches!(b, 0x20..0x7f)) {
            return;
        }
        if let Some(c) = value.chars().find(|&c| is_refused_control(c)) {
            let message = format!("{what} holds the control character U+{:04X}", u32::from(c));
            self.report.push(Rule::ControlCharacter, span, message, |f| f.with_help("remove it"));
        }
    }
}

/// Where a value that is empty or null stands, and what to say about it.
fn empty_value(entry: &Entry) -> (Span, String) {
    let node = &entry.value;
    let span = if node.span.is_empty() { entry.key_span } else { node.span };
    let is_written = node.as_scalar().is_some_and(|s| s.is_null() && !s.text().is_empty());
    (span, format!("`{}` is {}", entry.key, if is_written { "null" } else { "empty" }))
}

pub(crate) fn is_refused_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t' | '\r')
}

/// How readers show a decimal fraction whose final zeros they drop: `1.10` as `1.1`.
fn without_final_zeros(number: &str) -> Option<&str> {
    let (_, fraction) = number.split_once('.').filter(|_| !number.contains(['e', 'E']))?;
    let zeros = fraction.len() - fraction.trim_end_matches('0').len();
    let dropped = if zeros == fraction.len() { zeros.saturating_sub(1) } else { zeros };
    (dropped > 0).then(|| &number[..number.len() - dropped])
}
