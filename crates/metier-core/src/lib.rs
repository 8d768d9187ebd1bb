//! The pure part of metier: turns the bytes of a `SKILL.md` into a skill, with every finding on the way.
//!
//! ```
//! let text = "---\nname: pdf\ndescription: Fills forms: fast. Use for PDFs.\n---\n# Steps\n";
//! let parsed = metier_core::parse(text);
//! let skill = parsed.skill.unwrap();
//! assert_eq!(skill.description(), "Fills forms: fast. Use for PDFs."); // repaired ...
//! let finding = parsed.report.iter().next().unwrap();
//! assert_eq!(finding.rule.code(), "unquoted-colon"); // ... and said, with the edit as a fix
//! ```
//!
//! Data walks in one direction, and each stage returns a value of its own:
//!
//! ```text
//! bytes ─▶ fences ─▶ YAML tree ─▶ Manifest ─▶ Skill
//!                        └─▶ repair ─┘          └─▶ Report
//! ```
//!
//! - [`parse`] and [`parse_with`] read a text; they never fail. [`Head`] reads the frontmatter alone
//!   from a reader and leaves it at the first byte of the body.
//! - [`check`] applies every [`Rule`] to a file and its [`Folder`], [`check_resource`] to the other
//!   files. A [`Report`] holds each [`Finding`] with its place, help and [`Fix`]; [`Mode`] decides how
//!   much it matters.
//! - [`Manifest`] has the fields, typed where they have a type, and as a [`Node`] where they have none.
//! - [`Skill`] writes itself as Markdown and JSON; [`format()`] makes a file's frontmatter canonical.
//! - [`Render`] turns a catalog into a [`Prompt`] that fits its [`Budget`]; [`Skill::activation`] gives a
//!   model one skill.
//! - [`SkillIndex`] orders skills by how well they fit a query, and says why; every way of choosing is
//!   a [`Matcher`] over [`SkillText`].
//! - [`SkillName`], [`ResourcePath`] and [`AllowedTools`] are valid by construction.
//! - A [`Tool`] is defined once; [`ToolFormat`] writes it, the calls of it and the replies to them for
//!   every model API.
//!
//! Nothing here names a file, a socket, a clock, the environment or a terminal. The crate `metier`
//! adds the disk and re-exports everything; depend on this one to stay clear of both.
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod activation;
mod anchor;
mod arguments;
mod attempt;
mod bm25;
mod check;
mod common_yaml;
mod cutoff;
mod document;
mod embedder;
mod embedding;
mod emit;
mod entry_text;
mod everything;
mod external;
mod field;
mod finding;
mod fitting;
mod folder;
mod format;
mod frontmatter;
mod head;
mod hidden;
mod hybrid;
mod keyword;
mod known_key;
mod layout;
mod lexical;
mod limits;
mod line;
mod links;
mod lowering;
mod manifest;
mod markup;
mod matcher;
mod meant;
mod misquoted;
mod name;
mod name_suggestion;
mod nearest;
mod overlap;
mod overlapping;
mod parse;
mod patch;
mod plain_copy;
mod prompt;
mod python_words;
mod quoted;
mod rank;
mod real_end;
mod render;
mod repair;
mod resource;
mod resource_path;
mod rule;
mod scan;
mod selector;
mod shorten;
mod skill;
mod span;
mod tags;
mod text;
mod tokens;
mod tool_call;
mod tool_definition;
mod tool_format;
mod tool_match;
mod tools;
mod tree;
mod trigger;
mod trigger_run;
mod triggers;
mod yaml;

pub use activation::{
    Activation, ActivationForm, ActivationOptions, Bundle, BundledFile, Invocation,
};
pub use bm25::{Bm25, Bm25Parameters};
pub use check::{Checked, check};
pub use cutoff::Cutoff;
pub use embedder::{CachedEmbedder, EmbedError, Embedder};
pub use embedding::Embedding;
pub use everything::Everything;
pub use external::{Candidate, External, Fallback, Narrowed};
pub use finding::{Edit, Finding, Fix, Mode, Report, Severity};
pub use folder::{EntryKind, Folder, FolderEntry};
pub use format::{FormatError, format};
pub use frontmatter::{NotPortable, frontmatter_json};
pub use head::{Head, ParsedHead};
pub use hidden::strip_hidden;
pub use hybrid::{Hybrid, HybridOptions};
pub use keyword::Keyword;
pub use lexical::Lexical;
pub use limits::Limits;
pub use manifest::{Manifest, disables_model_invocation};
pub use matcher::{Hit, Matcher, SkillText};
pub use name::{
    InvalidName, NameProblem, NameRules, SkillName, is_windows_device, name_problems, twin_key,
};
pub use nearest::nearest;
pub use overlapping::{OverlappingPair, overlapping_pairs};
pub use parse::{ParseOptions, Parsed, parse, parse_with};
pub use prompt::Prompt;
pub use rank::{
    Duplicates, Explanation, Field, FieldWeight, IndexPart, IndexSize, Part, Ranked, Ranking,
    SavedIndexError, SearchOptions, SkillIndex, WordEvidence,
};
pub use render::{
    Budget, CatalogFormat, CatalogLine, Counter, Locations, Preamble, Relevance, Render, WhenEmpty,
};
pub use resource::check_resource;
pub use resource_path::{InvalidPath, PathProblem, ResourcePath};
pub use rule::{Rule, UnknownRule};
pub use selector::Selector;
pub use skill::{FromJsonError, Skill};
pub use span::{LineIndex, Position, Span};
pub use tags::Tags;
pub use text::terms;
pub use tokens::{Estimate, TokenCounter};
pub use tool_call::{ToolCall, ToolReply};
pub use tool_definition::{Parameter, ParameterKind, Tool, ToolSet};
pub use tool_format::{ToolFormat, UnknownToolFormat};
pub use tools::{AllowedTools, ToolPattern, ToolProblem};
pub use tree::{Entry, Map, Node, Scalar, Typed, Value};
pub use trigger_run::{Confusion, ConfusionKind, TriggerOptions, TriggerOutcome, mean_recall};
pub use triggers::{TRIGGER_FILES, TriggerFile, TriggerTest};
