//! Turns "how should the catalog look, and how long may it be" into options with defaults.

pub(crate) mod entry_text;
pub(crate) mod fitting;
pub(crate) mod layout;
pub(crate) mod markup;
pub(crate) mod prompt;
pub(crate) mod shorten;

use crate::{Estimate, TokenCounter};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// How a catalog becomes the text that tells a model which skills there are.
///
/// When the text would exceed its [`Budget`], it is made smaller in this order:
///
/// 1. Descriptions are shortened: at the end of a sentence or a clause, else of a word. Skills of
///    equal relevance lose evenly; the more relevant ones lose nothing until the others have
///    nothing left but their names.
/// 2. Skills are left out, the least relevant first. Names stay as long as they fit, except that
///    descriptions of pinned, relevant and used skills may take up to half of the room.
/// 3. A closing line says how many are hidden, and which tool finds them.
///
/// Relevance is: pinned or not, then the score, then how often the skill was used; among equals the
/// earlier one stays. It never changes the order of the lines, so an unchanged catalog gives the
/// same bytes, and a prompt cache keeps its prefix.
///
/// Nothing a skill says can open, close or break the markup: text is escaped for its format, line
/// formats get one line a skill, and characters that nobody can see are taken out and reported.
///
/// ```
/// use metier_core::{Budget, CatalogLine, Render};
///
/// let lines = [
///     CatalogLine::new("csv", "Reads tables. Use for CSV files."),
///     CatalogLine::new("pdf", "Fills in forms. Use for <PDF> files."),
/// ];
/// let prompt = Render::default().render(&lines);
/// assert_eq!(prompt.text, "\
/// <available_skills>
///   <skill>
///     <name>csv</name>
///     <description>Reads tables. Use for CSV files.</description>
///   </skill>
///   <skill>
///     <name>pdf</name>
///     <description>Fills in forms. Use for &lt;PDF&gt; files.</description>
///   </skill>
/// </available_skills>");
///
/// let budget = Budget::Tokens(70);
/// let prompt = Render { budget, pins: vec!["pdf".into()], ..Render::default() }.render(&lines);
/// assert!(prompt.tokens <= 70);
/// assert_eq!(prompt.included, ["pdf"]);
/// assert_eq!(prompt.shortened, ["csv"]);
/// ```
#[derive(Debug, Clone)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct Render {
    /// What the text looks like.
    pub format: CatalogFormat,
    /// Only these skills, by id, and in this order; each once. All of them, in theirs, by default.
    pub allow: Option<Vec<String>>,
    /// Whether the text says where each skill stands.
    pub locations: Locations,
    /// What the model is told to do with the list, before it.
    pub preamble: Preamble,
    /// How many tokens the text may take.
    pub budget: Budget,
    /// What counts them.
    pub counter: Counter,
    /// Skills that are shortened and left out last, by id.
    pub pins: Vec<String>,
    /// How often each skill was used, by id.
    pub usage: BTreeMap<String, u64>,
    /// How well each skill fits what is asked for.
    pub relevance: Relevance,
    /// The tool that finds hidden skills, for the closing line; `None` when there is none.
    pub search_tool: Option<String>,
    /// No description has more characters than this (security N12).
    pub max_description: usize,
    /// What an empty catalog becomes.
    pub when_empty: WhenEmpty,
}

impl Default for Render {
    fn default() -> Self {
        Self {
            format: CatalogFormat::default(),
            allow: None,
            locations: Locations::default(),
            preamble: Preamble::default(),
            budget: Budget::default(),
            counter: Counter::default(),
            pins: Vec::new(),
            usage: BTreeMap::new(),
            relevance: Relevance::default(),
            search_tool: Some("search_skills".to_owned()),
            max_description: 1024,
            when_empty: WhenEmpty::default(),
        }
    }
}

/// A skill as a catalog shows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct CatalogLine<'a> {
    /// What allow-lists, pins and reports call the skill.
    pub id: &'a str,
    /// The name that is shown.
    pub name: &'a str,
    /// What the skill does and when to use it.
    pub description: &'a str,
    /// Where the skill's file stands.
    pub location: Option<&'a str>,
    /// What the skill needs.
    pub compatibility: Option<&'a str>,
    /// Where the skill comes from, when that is not this machine (security P06).
    pub origin: Option<&'a str>,
}

impl<'a> CatalogLine<'a> {
    /// A skill whose id is its name.
    pub fn new(name: &'a str, description: &'a str) -> Self {
        Self { id: name, name, description, ..Self::default() }
    }
}

/// What the text looks like. Every format escapes what a skill says in its own way; ordinary text
/// gives the bytes of the system that the format is named after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CatalogFormat {
    /// Indented XML, an element a line, as in the client guide of the specification.
    #[default]
    Xml,
    /// A Markdown list under a heading.
    Markdown,
    /// One JSON object.
    Json,
    /// The bytes of the reference's `to-prompt`, with the location escaped too.
    SkillsRef,
    /// The block of `@drover/skills`: Markdown, descriptions cut after 200 UTF-16 units.
    Drover,
    /// The block of `@deuz-sdk/core`: a list with ids between tags.
    Deuz,
    /// The section of Fizeau.
    Fizeau,
    /// The catalog of zerodep's `skills`: XML, an element a line.
    Zerodep,
    /// The index of PromptKit.
    PromptKit,
}

impl CatalogFormat {
    /// Every format.
    pub const ALL: [Self; 9] = [
        Self::Xml,
        Self::Markdown,
        Self::Json,
        Self::SkillsRef,
        Self::Drover,
        Self::Deuz,
        Self::Fizeau,
        Self::Zerodep,
        Self::PromptKit,
    ];
}

/// Whether the text says where each skill stands. Formats that have no place for it never do: those
/// of drover, deuz, Fizeau and PromptKit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Locations {
    /// Where it is known, unless a tool loads skills by name (security P08).
    #[default]
    Auto,
    /// Where it is known.
    Show,
    /// Never.
    Hide,
}

/// What the model is told to do with the list.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Preamble {
    /// Nothing: the host says it elsewhere, or the format does.
    #[default]
    None,
    /// To read the file at the location with a tool that it has (spec G13).
    ReadFile,
    /// To call this tool with the name of the skill (spec G14).
    CallTool(String),
}

/// How many tokens a text may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Budget {
    /// As many as it needs.
    #[default]
    Unlimited,
    /// At most this many, whatever happens: a text that cannot be made to fit is empty.
    Tokens(usize),
}

/// What an empty catalog becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum WhenEmpty {
    /// Nothing at all, not even a preamble (spec G16).
    #[default]
    Nothing,
    /// What the format's own system writes: an empty element for [`CatalogFormat::SkillsRef`] and
    /// [`CatalogFormat::Zerodep`], a sentence for [`CatalogFormat::PromptKit`], nothing for others.
    AsFormat,
}

/// What counts tokens: [`Estimate`], or a counter of the caller's.
///
/// ```
/// use metier_core::{Counter, Render};
///
/// let characters = |text: &str| text.chars().count();
/// let render = Render { counter: Counter::new(characters), ..Render::default() };
/// assert_eq!(render.counter.count("four"), 4);
/// ```
#[derive(Clone)]
pub struct Counter(Arc<dyn TokenCounter + Send + Sync>);

impl Counter {
    /// Counts with this.
    pub fn new(counter: impl TokenCounter + Send + Sync + 'static) -> Self {
        Self(Arc::new(counter))
    }

    /// How many tokens the text is.
    pub fn count(&self, text: &str) -> usize {
        self.0.count(text)
    }
}

impl Default for Counter {
    fn default() -> Self {
        Self::new(Estimate)
    }
}

impl fmt::Debug for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counter")
    }
}

/// How well each skill fits what is asked for; more is better, and nothing counts below zero.
///
/// ```
/// use metier_core::Relevance;
///
/// let scores = Relevance::Scores([("pdf".to_owned(), 0.9)].into());
/// assert_eq!(scores.of("pdf"), 0.9);
/// assert_eq!(Relevance::by(|id| id.len() as f64).of("csv"), 3.0);
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Relevance {
    /// Nothing is known.
    #[default]
    Unknown,
    /// Scores by id; a skill without one has none.
    Scores(BTreeMap<String, f64>),
    /// A function from id to score.
    Function(Arc<dyn Fn(&str) -> f64 + Send + Sync>),
}

impl Relevance {
    /// Asks this function.
    pub fn by(score: impl Fn(&str) -> f64 + Send + Sync + 'static) -> Self {
        Self::Function(Arc::new(score))
    }

    /// The score of a skill; 0 when there is none, or none that can be compared.
    pub fn of(&self, id: &str) -> f64 {
        let score = match self {
            Self::Unknown => 0.0,
            Self::Scores(scores) => scores.get(id).copied().unwrap_or_default(),
            Self::Function(score) => score(id),
        };
        if score > 0.0 { score } else { 0.0 }
    }
}

impl fmt::Debug for Relevance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("Unknown"),
            Self::Scores(scores) => f.debug_tuple("Scores").field(scores).finish(),
            Self::Function(_) => f.write_str("Function"),
        }
    }
}
