//! Turns the tree of a frontmatter into a manifest, collecting every finding in one pass.
//!
//! One room a kind of field: [`name`], [`text`], [`tools`], [`scalar`].

mod name;
mod scalar;
mod text;
mod tools;

pub(crate) use text::is_refused_control;

use crate::manifest::{SPEC_KEYS, boolean};
use crate::parse::known_key::{EXTENSION_KEYS, MEANT, meant_key};
use crate::tree::{Entry, Map, Node, Value};
use crate::{Fix, Manifest, ParseOptions, Report, Rule, Span};
use scalar::Wanted;

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

/// For each of the keys that are meant, whether one stands for it.
type Taken = [bool; MEANT.len()];

/// A text without white space around it, which it seldom has.
fn trimmed(text: String) -> Box<str> {
    let inner = text.trim();
    if inner.len() == text.len() { text.into_boxed_str() } else { inner.into() }
}

impl Lowering<'_> {
    pub(crate) fn lower(&mut self, tree: Map) -> Manifest {
        let mut manifest = Manifest::default();
        let (mut metadata, mut extra) = (None, Vec::new());
        let mut description_seen = false;
        let mut name_seen = false;
        // The meanings that are taken: by their own key, then by the first key that misspells them.
        let mut taken = MEANT.map(|known| tree.get(known).is_some());
        for entry in tree.into_entries() {
            self.check_control(&entry.key, entry.key_span, format_args!("the key"));
            match self.spec_key(&entry, &mut taken) {
                Some("name") => {
                    name_seen = true;
                    manifest.name = self.name(&entry);
                }
                Some("description") => {
                    description_seen = true;
                    let is_text = self.description(&entry);
                    let text = Some(entry.value).filter(|_| is_text).and_then(Node::into_text);
                    manifest.description = text.map(trimmed);
                }
                Some("license") => manifest.license = self.plain_text(&entry),
                Some("compatibility") => manifest.compatibility = self.compatibility(&entry),
                Some("allowed-tools") => manifest.allowed_tools = self.allowed_tools(&entry),
                Some("metadata") => {
                    self.check_metadata(&entry);
                    metadata = Some(entry).filter(|entry| !entry.value.is_null());
                }
                _ => {
                    self.extension(&entry);
                    extra.push(entry);
                }
            }
        }
        manifest.keep(metadata.as_ref(), &extra);
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

    /// The key of the specification that an entry stands for: its own, or the one that it
    /// misspells; `None` for every other key.
    fn spec_key(&mut self, entry: &Entry, taken: &mut Taken) -> Option<&'static str> {
        let key = entry.key.as_str();
        let own = SPEC_KEYS.into_iter().find(|known| *known == key);
        if own.is_some() || self.options.allow_fields.iter().any(|k| k == key) {
            return own;
        }
        let Some(meant) = meant_key(key) else {
            self.unknown(entry);
            return None;
        };
        let place = MEANT.iter().position(|known| *known == meant);
        let is_free = place.is_some_and(|place| !std::mem::replace(&mut taken[place], true));
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
        (is_free && matches!(meant, "name" | "description")).then_some(meant)
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

    fn check_metadata(&mut self, entry: &Entry) {
        let node = &entry.value;
        if node.is_null() {
            return;
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
                    self.check_control(&entry.key, entry.key_span, format_args!("the key"));
                    if let Value::Scalar(_) = entry.value.value {
                        self.ambiguous(&entry.value, Wanted::Text);
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
            "version" => self.ambiguous(node, Wanted::Text),
            _ => self.ambiguous(node, Wanted::Anything),
        }
    }

    /// Whether the key is written `? key`, so that its colon stands in a line of its own.
    fn has_question_mark(&self, entry: &Entry) -> bool {
        self.text[..entry.key_span.start()].trim_end().ends_with('?')
    }
}
