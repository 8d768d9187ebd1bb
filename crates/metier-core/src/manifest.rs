//! Turns a frontmatter into the fields of a skill: typed where they have a type, complete in any case.

pub(crate) mod packed;

use crate::manifest::packed::{Packed, PackedEntry, PackedNode};
use crate::tree::{Entry, Map, Node, Typed};
use crate::{AllowedTools, SharedText};
use std::borrow::Cow;

/// The keys of the specification, in the order in which they are written.
pub(crate) const SPEC_KEYS: [&str; 6] =
    ["name", "description", "license", "compatibility", "allowed-tools", "metadata"];

/// The key of the client-specific values.
const METADATA: &str = "metadata";

/// The frontmatter of a skill: typed where the specification says so, complete in any case.
///
/// ```
/// use metier_core::parse;
///
/// let text = "---\nname: pdf\ndescription: Fills forms. Use for PDFs.\nallowed-tools: Read, Bash(qpdf *)\nversion: 1.10\n---\n";
/// let skill = parse(text).skill.unwrap();
/// let manifest = skill.manifest();
/// assert_eq!(manifest.allowed_tools.as_ref().unwrap().to_string(), "Read Bash(qpdf *)");
/// assert_eq!(manifest.version().as_deref(), Some("1.10"));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Manifest {
    /// The name as written, without white space around it. See [`SkillName`](crate::SkillName)
    /// for what is valid.
    pub name: Option<SharedText>,
    /// What the skill does and when to use it, without white space around it.
    pub description: Option<Box<str>>,
    /// The licence, or the name of a file that holds it.
    pub license: Option<Box<str>>,
    /// What the skill needs to run.
    pub compatibility: Option<Box<str>>,
    /// The tools the skill asks for; `None` when it does not say.
    pub allowed_tools: Option<AllowedTools>,
    /// `metadata`, if there is any, and then every other key, in order.
    rest: Packed,
}

impl Manifest {
    /// Keeps the fields that have no type of their own, in the least room.
    pub(crate) fn keep(&mut self, metadata: Option<&Entry>, extra: &[Entry]) {
        self.rest = Packed::new(metadata.into_iter().chain(extra));
    }

    /// The client-specific values, as the full tree. A mapping, unless the author wrote something else.
    ///
    /// Made when it is asked for, as [`extra`](Self::extra) is: a catalog of many skills keeps both in
    /// as few bytes as it can.
    pub fn metadata(&self) -> Option<Node> {
        self.rest.get(METADATA).map(PackedNode::unpack)
    }

    /// Every key beside those of the specification, in order.
    ///
    /// ```
    /// let text = "---\nname: pdf\ndescription: Use for PDFs.\nversion: 1.10\ntags: [a, b]\n---\n";
    /// let extra = metier_core::parse(text).skill.unwrap().manifest().extra();
    /// assert_eq!(extra.get("version").unwrap().as_text(), Some("1.10"));
    /// assert_eq!(extra.get("tags").unwrap().as_list().unwrap().len(), 2);
    /// ```
    pub fn extra(&self) -> Map {
        Map::of(self.packed_extra().map(PackedEntry::unpack))
    }

    /// The metadata as the specification has it: text by key, in order. Lists and mappings are
    /// written in flow style.
    pub fn metadata_text(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        self.packed_metadata().map(|entry| (entry.key, entry.value.to_line()))
    }

    /// The metadata as a mapping; `None` when there is none.
    pub fn metadata_map(&self) -> Option<Map> {
        let metadata = self.rest.get(METADATA).filter(|node| node.is_map())?;
        Some(Map::of(metadata.entries().map(PackedEntry::unpack)))
    }

    /// `version`, or `metadata.version`, as written.
    pub fn version(&self) -> Option<Cow<'_, str>> {
        self.text("version")
    }

    /// `author`, or `metadata.author`.
    pub fn author(&self) -> Option<Cow<'_, str>> {
        self.text("author")
    }

    /// `homepage`, or `metadata.homepage`.
    pub fn homepage(&self) -> Option<Cow<'_, str>> {
        self.text("homepage")
    }

    /// `when_to_use`, or `metadata.when_to_use`.
    pub fn when_to_use(&self) -> Option<Cow<'_, str>> {
        self.text("when_to_use")
    }

    /// `when_not_to_use`, or `metadata.when_not_to_use`.
    pub fn when_not_to_use(&self) -> Option<Cow<'_, str>> {
        self.text("when_not_to_use")
    }

    /// `argument-hint`. Written as `[file]` without quotes it is a list to YAML; it is text here.
    pub fn argument_hint(&self) -> Option<Cow<'_, str>> {
        self.text("argument-hint")
    }

    /// `tags`, or `metadata.tags`: a list, or text with commas.
    pub fn tags(&self) -> Vec<String> {
        let Some(node) = self.extension("tags") else { return Vec::new() };
        let clean = |tag: &str| Some(tag.trim().to_owned()).filter(|tag| !tag.is_empty());
        match node.typed() {
            Some(_) => node.to_line().split(',').filter_map(clean).collect(),
            None => node.items().filter_map(|item| clean(&item.to_line())).collect(),
        }
    }

    /// Whether a user may call the skill by name: `user-invocable`.
    pub fn user_invocable(&self) -> Option<bool> {
        self.rest.get("user-invocable").and_then(PackedNode::typed).and_then(truth)
    }

    /// Whether the author keeps the model from choosing the skill by itself.
    ///
    /// Two dialects stand in the frontmatter, and the first one found counts:
    /// 1. `disable-model-invocation: true`
    /// 2. `metadata: {opencode/autoinvoke: "false"}`
    ///
    /// A third one stands in a file of its own, `agents/openai.yaml`; see
    /// [`disables_model_invocation`].
    pub fn disable_model_invocation(&self) -> Option<bool> {
        let disabled = self.rest.get("disable-model-invocation").and_then(PackedNode::typed);
        disabled.and_then(truth).or_else(|| {
            let mut metadata = self.packed_metadata();
            let autoinvoke = metadata.find(|entry| entry.key == "opencode/autoinvoke")?;
            autoinvoke.value.typed().and_then(truth).map(|on| !on)
        })
    }

    /// Whether the two are equal but for their names.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        // Every field is named, so that a new one cannot be forgotten.
        let Self { name: _, description, license, compatibility, allowed_tools, rest } = self;
        *description == other.description
            && *license == other.license
            && *compatibility == other.compatibility
            && *allowed_tools == other.allowed_tools
            && *rest == other.rest
    }

    fn packed_extra(&self) -> impl Iterator<Item = PackedEntry<'_>> {
        self.rest.iter().filter(|entry| entry.key != METADATA)
    }

    fn packed_metadata(&self) -> impl Iterator<Item = PackedEntry<'_>> {
        self.rest.get(METADATA).into_iter().flat_map(PackedNode::entries)
    }

    fn extension(&self, key: &str) -> Option<PackedNode<'_>> {
        self.packed_extra()
            .chain(self.packed_metadata())
            .find(|entry| entry.key == key && entry.value.typed() != Some(Typed::Null))
            .map(|entry| entry.value)
    }

    fn text(&self, key: &str) -> Option<Cow<'_, str>> {
        self.extension(key).map(PackedNode::to_line)
    }
}

/// Whether `agents/openai.yaml`, the third dialect of `disable-model-invocation`, keeps the model
/// from choosing the skill by itself: `policy.allow_implicit_invocation: false`.
///
/// `None` when the file does not say, is not YAML, or is larger than a frontmatter may be.
///
/// ```
/// use metier_core::disables_model_invocation;
///
/// let yaml = "policy:\n  allow_implicit_invocation: false\n";
/// assert_eq!(disables_model_invocation(yaml), Some(true));
/// ```
pub fn disables_model_invocation(openai_yaml: &str) -> Option<bool> {
    let limits = crate::Limits::default();
    if openai_yaml.len() > limits.frontmatter_bytes {
        return None;
    }
    let tree = crate::parse::yaml::read(openai_yaml, 0..openai_yaml.len(), &limits).ok()?;
    let policy = tree.root.as_ref()?.as_map()?.get("policy")?.as_map()?;
    policy.get("allow_implicit_invocation").and_then(boolean).map(|allowed| !allowed)
}

/// A boolean, also when someone quoted it.
pub(crate) fn boolean(node: &Node) -> Option<bool> {
    truth(node.as_scalar()?.typed())
}

fn truth(typed: Typed<'_>) -> Option<bool> {
    match typed {
        Typed::Bool(value) => Some(value),
        Typed::Text(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Typed::Text(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}
