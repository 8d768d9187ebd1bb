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
mod check;
mod finding;
mod format;
mod frontmatter;
mod limits;
mod line;
mod manifest;
mod matcher;
mod name;
mod nearest;
mod parse;
mod quoted;
mod rank;
mod render;
mod repair;
mod resource_path;
mod rule;
mod shared_text;
mod skill;
mod span;
mod text;
mod tokens;
mod tool;
mod tools;
mod tree;
mod triggers;

pub use activation::{
    Activation, ActivationForm, ActivationOptions, Bundle, BundledFile, Invocation,
};
pub use check::folder::{EntryKind, Folder, FolderEntry};
pub use check::hidden::strip_hidden;
pub use check::resource::check_resource;
pub use check::{Checked, check};
pub use finding::{Edit, Finding, Fix, Mode, Report, Severity};
pub use format::{FormatError, format};
pub use frontmatter::{NotPortable, frontmatter_json};
pub use limits::Limits;
pub use manifest::{Manifest, disables_model_invocation};
pub use matcher::bm25::{Bm25, Bm25Parameters};
pub use matcher::cutoff::Cutoff;
pub use matcher::embedder::{CachedEmbedder, EmbedError, Embedder};
pub use matcher::embedding::Embedding;
pub use matcher::everything::Everything;
pub use matcher::external::{Candidate, External, Fallback, Narrowed};
pub use matcher::hybrid::{Hybrid, HybridOptions};
pub use matcher::keyword::Keyword;
pub use matcher::lexical::Lexical;
pub use matcher::selector::Selector;
pub use matcher::tags::Tags;
pub use matcher::{Hit, Matcher, SkillText};
pub use name::{
    InvalidName, NameProblem, NameRules, SkillName, is_windows_device, name_problems, twin_key,
};
pub use nearest::nearest;
pub use parse::head::{Head, ParsedHead};
pub use parse::{ParseOptions, Parsed, parse, parse_with};
pub use rank::{
    Duplicates, Explanation, Field, FieldWeight, IndexBytes, IndexPart, IndexSize, IndexUse, Part,
    Ranked, Ranking, SavedIndexError, SearchOptions, SkillIndex, WordEvidence,
};
pub use render::prompt::Prompt;
pub use render::{
    Budget, CatalogFormat, CatalogLine, Counter, Locations, Preamble, Relevance, Render, WhenEmpty,
};
pub use resource_path::{InvalidPath, PathProblem, ResourcePath};
pub use rule::{Rule, UnknownRule};
pub use shared_text::SharedText;
pub use skill::{FromJsonError, Skill};
pub use span::{LineIndex, Position, Span};
pub use text::terms;
pub use tokens::{Estimate, TokenCounter};
pub use tool::call::{ToolCall, ToolReply};
pub use tool::format::{ToolFormat, UnknownToolFormat};
pub use tool::{Parameter, ParameterKind, Tool, ToolSet};
pub use tools::{AllowedTools, ToolPattern, ToolProblem};
pub use tree::{Entry, Map, Node, Scalar, Typed, Value};
pub use triggers::overlapping::{OverlappingPair, overlapping_pairs};
pub use triggers::run::{Confusion, ConfusionKind, TriggerOptions, TriggerOutcome, mean_recall};
pub use triggers::{TRIGGER_FILES, TriggerFile, TriggerTest};
