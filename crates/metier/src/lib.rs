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

mod activation;
mod active;
mod blocking;
mod bodies;
mod call;
mod call_arguments;
mod catalog;
mod catalog_filter;
mod changes;
mod check;
mod compaction;
mod confined;
mod directory;
mod discover;
mod discovery;
mod disk;
#[cfg(feature = "tokens")]
mod exact_tokens;
mod find;
mod fix;
mod folder;
mod folder_source;
mod given;
mod glob;
#[cfg(feature = "http")]
mod http;
mod index_file;
#[cfg(feature = "install")]
pub mod install;
mod join;
mod layers;
mod listed_file;
mod loaded;
mod memory;
mod names;
mod path_filter;
mod preset_reply;
#[cfg(all(feature = "run", unix))]
mod process;
mod prompt;
mod pushdown;
mod registry;
mod registry_builder;
mod reload;
mod reply;
#[cfg(feature = "report")]
mod report;
mod resource;
mod resource_check;
mod rule_page;
mod runner;
mod scopes;
mod search_index;
mod select;
mod session;
mod session_access;
mod session_activate;
mod session_error;
mod session_options;
mod session_search;
mod session_state;
mod shelf;
mod snapshot;
mod source;
mod tool_names;
mod toolbox;
mod trigger_test;
mod visible;
#[cfg(feature = "watch")]
mod watch;

pub use active::Invoker;
pub use blocking::{Blocking, BlockingSource, block_on};
pub use catalog::CatalogEntry;
pub use catalog_filter::{Audience, CatalogFilter, Refusal};
pub use changes::Changes;
pub use check::{CheckOptions, CheckedFile, check_all, check_bytes, check_path, directory_name};
pub use compaction::Restated;
pub use discover::discover;
pub use discovery::{BelowSkills, Discovery, FileName, Links, MissingRoot, OnProblem, RootSkill};
pub use disk::{OddFile, ReadError, WriteError, create_folder, read_capped, write_atomically};
#[cfg(feature = "tokens")]
pub use exact_tokens::ExactTokens;
pub use find::{FindError, FindOptions, Found, find, manifest_of};
pub use fix::{Fixed, fix_path, fix_text};
pub use folder::list_folder;
pub use folder_source::Folder;
#[cfg(feature = "http")]
pub use http::{Http, HttpOptions};
pub use index_file::{LoadIndexError, build_index, load_index, save_index};
pub use layers::{InvalidMount, Layer, Layers, Precedence};
pub use memory::Memory;
pub use path_filter::PathFilter;
#[cfg(all(feature = "run", unix))]
pub use process::{Process, ProcessOptions};
pub use registry::{Registry, RegistryError, RegistryOptions};
pub use registry_builder::RegistryBuilder;
#[cfg(feature = "report")]
pub use report::{Format, RenderOptions, render};
pub use resource::{Files, Resource};
pub use rule_page::rule_page;
pub use runner::{Decision, RunError, RunOutput, RunRequest, Runner};
pub use scopes::{Scope, Surroundings, standard_scopes};
pub use select::{MatcherKind, SelectOptions, Selected};
pub use session::Session;
pub use session_activate::{Activated, Injection};
pub use session_error::SessionError;
pub use session_options::{Retention, SessionOptions};
pub use session_state::{ActiveState, SessionState, Usage, Vanished};
pub use snapshot::{ShadowReason, Shadowed, Snapshot};
pub use source::{BoxFuture, Listed, Listing, Problem, ReadOptions, Source, SourceError, Trust};
pub use tool_names::{ToolNames, UnknownToolNames};
pub use trigger_test::{TestedFile, TriggerTestOptions, TriggerTests};
pub use visible::visible;
#[cfg(feature = "watch")]
pub use watch::{Watch, WatchError};

pub use metier_core::Folder as FolderListing;
pub use metier_core::{
    Activation, ActivationForm, ActivationOptions, AllowedTools, Bm25, Bm25Parameters, Budget,
    Bundle, BundledFile, CachedEmbedder, Candidate, CatalogFormat, CatalogLine, Checked, Confusion,
    ConfusionKind, Counter, Cutoff, Duplicates, Edit, EmbedError, Embedder, Embedding, Entry,
    EntryKind, Estimate, Everything, Explanation, External, Fallback, Field, FieldWeight, Finding,
    Fix, FolderEntry, FormatError, FromJsonError, Head, Hit, Hybrid, HybridOptions, InvalidName,
    InvalidPath, Invocation, Keyword, Lexical, Limits, LineIndex, Locations, Manifest, Map,
    Matcher, Mode, NameProblem, NameRules, Narrowed, Node, NotPortable, OverlappingPair, Parameter,
    ParameterKind, ParseOptions, Parsed, ParsedHead, Part, PathProblem, Position, Preamble, Prompt,
    Ranked, Ranking, Relevance, Render, Report, ResourcePath, Rule, SavedIndexError, Scalar,
    SearchOptions, Selector, Severity, Skill, SkillIndex, SkillName, SkillText, Span,
    TRIGGER_FILES, Tags, TokenCounter, Tool, ToolCall, ToolFormat, ToolPattern, ToolProblem,
    ToolReply, ToolSet, TriggerFile, TriggerOptions, TriggerOutcome, TriggerTest, Typed,
    UnknownRule, UnknownToolFormat, Value, WhenEmpty, WordEvidence, check, check_resource,
    disables_model_invocation, format, frontmatter_json, mean_recall, name_problems, nearest,
    overlapping_pairs, parse, parse_with, strip_hidden, terms,
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
#[cfg(doctest)]
#[doc = include_str!("../../../docs/sources.md")]
pub struct Sources;

/// The examples of the guide to embedding, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embedding.md")]
pub struct EmbeddingGuide;
