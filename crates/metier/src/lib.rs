//! The Agent Skills runtime: turns folders of `SKILL.md` files into skills, reports and repaired files.
//!
//! One skill, from text, without a disk:
//!
//! ```
//! let parsed = metier::parse("---\nname: pdf\ndescription: Use for PDFs.\n---\n# Steps\n");
//! assert_eq!(parsed.skill.unwrap().instructions(), "# Steps");
//! assert!(parsed.report.is_empty());
//! ```
//!
//! Many, from folders:
//!
//! ```no_run
//! use metier::{CheckOptions, FindOptions, check_all, find};
//!
//! let found = find(&["skills"], &FindOptions::default());
//! for fault in &found.faults {
//!     eprintln!("{fault}");
//! }
//! for checked in check_all(&found, &CheckOptions::default(), 4, &|_| {}) {
//!     match checked {
//!         Ok(file) => println!("{}: {} findings", file.path.display(), file.report.len()),
//!         Err(fault) => eprintln!("{fault}"),
//!     }
//! }
//! ```
//!
//! - [`find`] turns paths and patterns into skill files, [`check_all`] checks them on several threads,
//!   [`fix_path`] mends one, [`write_atomically`] replaces it.
//! - [`Registry`] turns folders, tables and web sites into a catalog that answers by id, [`Session`]
//!   into what one conversation knows: a prompt, tools for every model API, activations. The guide
//!   `docs/embedding.md` goes from `cargo add` to a working loop.
//! - `render`, with the feature `report`, shows what was found: snippets, lines, JSON, SARIF, GitHub.
//! - [`parse`], [`Skill`], [`Manifest`], [`Report`] and all other pure parts come from `metier-core`.
//!
//! Everything is taken by argument: the library reads no environment variable, no home directory
//! and no clock, and prints nothing. What is wrong with a skill is a [`Finding`]; only what is wrong
//! around it, such as a missing file, is an error, and it ends nothing but its own file.

mod check;
mod discover;
mod disk;
#[cfg(feature = "tokens")]
mod exact_tokens;
#[cfg(feature = "install")]
pub mod install;
mod registry;
#[cfg(feature = "report")]
mod report;
mod rule_page;
mod select;
mod session;
mod source;
mod trigger_test;
mod visible;

pub use check::find::{FindError, FindOptions, Found, find, manifest_of};
pub use check::fix::{Fixed, fix_path, fix_text};
pub use check::folder::list_folder;
pub use check::{CheckOptions, CheckedFile, check_all, check_bytes, check_path, directory_name};
pub use discover::discover;
pub use discover::discovery::{
    BelowSkills, Discovery, FileName, Links, MissingRoot, Mounts, OnProblem, RootSkill,
};
pub use disk::{OddFile, ReadError, WriteError, create_folder, read_capped, write_atomically};
#[cfg(feature = "tokens")]
pub use exact_tokens::ExactTokens;
pub use registry::builder::RegistryBuilder;
pub use registry::catalog::CatalogEntry;
pub use registry::catalog_filter::{Audience, CatalogFilter, Refusal};
pub use registry::changes::Changes;
pub use registry::path_filter::PathFilter;
pub use registry::snapshot::{ShadowReason, Shadowed, Snapshot};
pub use registry::{Registry, RegistryError, RegistryOptions};
#[cfg(feature = "report")]
pub use report::{Format, RenderOptions, render};
pub use rule_page::rule_page;
pub use select::index_file::{LoadIndexError, build_index, load_index, open_index, save_index};
pub use select::{MatcherKind, SelectOptions, Selected};
pub use session::Session;
pub use session::activate::{Activated, Injection};
pub use session::active::Invoker;
pub use session::compaction::Restated;
pub use session::error::SessionError;
pub use session::options::{Retention, SessionOptions};
#[cfg(all(feature = "run", unix))]
pub use session::process::{Process, ProcessOptions};
pub use session::runner::{Decision, RunError, RunOutput, RunRequest, Runner};
pub use session::state::{ActiveState, SessionState, Usage, Vanished};
pub use session::tool_names::{ToolNames, UnknownToolNames};
pub use source::blocking::{Blocking, BlockingSource, block_on};
pub use source::folder_source::Folder;
#[cfg(feature = "http")]
pub use source::http::{Http, HttpOptions};
pub use source::layers::{InvalidMount, Layer, Layers, Precedence};
pub use source::memory::Memory;
pub use source::resource::{Files, Resource};
pub use source::scopes::{Scope, Surroundings, standard_scopes};
#[cfg(feature = "watch")]
pub use source::watch::{Watch, WatchError};
pub use source::{BoxFuture, Listed, Listing, Problem, ReadOptions, Source, SourceError, Trust};
pub use trigger_test::{TestedFile, TriggerTestOptions, TriggerTests};
pub use visible::visible;

pub use metier_core::Folder as FolderListing;
pub use metier_core::{
    Activation, ActivationForm, ActivationOptions, AllowedTools, Bm25, Bm25Parameters, Budget,
    Bundle, BundledFile, CachedEmbedder, Candidate, CatalogFormat, CatalogLine, Checked, Confusion,
    ConfusionKind, Counter, Cutoff, Duplicates, Edit, EmbedError, Embedder, Embedding, Entry,
    EntryKind, Estimate, Everything, Explanation, External, Fallback, Field, FieldWeight, Finding,
    Fix, FolderEntry, FormatError, FromJsonError, Head, Hit, Hybrid, HybridOptions, IndexBytes,
    IndexUse, InvalidName, InvalidPath, Invocation, Keyword, Lexical, Limits, LineIndex, Locations,
    Manifest, Map, Matcher, Mode, NameProblem, NameRules, Narrowed, Node, NotPortable,
    OverlappingPair, Parameter, ParameterKind, ParseOptions, Parsed, ParsedHead, Part, PathProblem,
    Position, Preamble, Prompt, Ranked, Ranking, Relevance, Render, Report, ResourcePath, Rule,
    SavedIndexError, Scalar, SearchOptions, Selector, Severity, SharedText, Skill, SkillIndex,
    SkillName, SkillText, Span, TRIGGER_FILES, Tags, TokenCounter, Tool, ToolCall, ToolFormat,
    ToolPattern, ToolProblem, ToolReply, ToolSet, TriggerFile, TriggerOptions, TriggerOutcome,
    TriggerTest, Typed, UnknownRule, UnknownToolFormat, Value, WhenEmpty, WordEvidence, check,
    check_resource, disables_model_invocation, format, frontmatter_json, mean_recall,
    name_problems, nearest, overlapping_pairs, parse, parse_with, strip_hidden, terms,
};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;

/// The examples of the guide to installing, as tests.
#[cfg(all(doctest, feature = "install"))]
#[doc = include_str!("../../../docs/installing.md")]
pub struct Installing;

/// The examples of the guide to sources, as tests.
#[cfg(all(doctest, feature = "install"))]
#[doc = include_str!("../../../docs/sources.md")]
pub struct Sources;

/// The examples of the guide to embedding, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embedding.md")]
pub struct EmbeddingGuide;
