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
//! - `render`, with the feature `report`, shows what was found: snippets, lines, JSON, SARIF, GitHub.
//! - [`parse`], [`Skill`], [`Manifest`], [`Report`] and all other pure parts come from `metier-core`.
//!
//! Everything is taken by argument: the library reads no environment variable, no home directory
//! and no clock, and prints nothing. What is wrong with a skill is a [`Finding`]; only what is wrong
//! around it, such as a missing file, is an error, and it ends nothing but its own file.

mod blocking;
mod catalog;
mod changes;
mod check;
mod confined;
mod directory;
mod discover;
mod discovery;
mod disk;
mod find;
mod fix;
mod folder;
mod folder_source;
mod glob;
#[cfg(feature = "http")]
mod http;
mod index_file;
mod join;
mod layers;
mod listed_file;
mod loaded;
mod memory;
mod names;
mod registry;
mod registry_builder;
mod reload;
#[cfg(feature = "report")]
mod report;
mod resource;
mod rule_page;
mod scopes;
mod shelf;
mod snapshot;
mod source;
mod visible;
#[cfg(feature = "watch")]
mod watch;

pub use blocking::{Blocking, BlockingSource, block_on};
pub use catalog::CatalogEntry;
pub use changes::Changes;
pub use check::{CheckOptions, CheckedFile, check_all, check_bytes, check_path, directory_name};
pub use discover::discover;
pub use discovery::{BelowSkills, Discovery, FileName, Links, MissingRoot, OnProblem, RootSkill};
pub use disk::{OddFile, ReadError, WriteError, create_folder, read_capped, write_atomically};
pub use find::{FindError, FindOptions, Found, find, manifest_of};
pub use fix::{Fixed, fix_path, fix_text};
pub use folder::list_folder;
pub use folder_source::Folder;
#[cfg(feature = "http")]
pub use http::{Http, HttpOptions};
pub use index_file::{LoadIndexError, build_index, load_index, save_index};
pub use layers::{InvalidMount, Layer, Layers, Precedence};
pub use memory::Memory;
pub use registry::{Registry, RegistryError, RegistryOptions};
pub use registry_builder::RegistryBuilder;
#[cfg(feature = "report")]
pub use report::{Format, RenderOptions, render};
pub use resource::{Files, Resource};
pub use rule_page::rule_page;
pub use scopes::{Scope, Surroundings, standard_scopes};
pub use snapshot::{ShadowReason, Shadowed, Snapshot};
pub use source::{BoxFuture, Listed, Listing, Problem, ReadOptions, Source, SourceError, Trust};
pub use visible::visible;
#[cfg(feature = "watch")]
pub use watch::{Watch, WatchError};

pub use metier_core::Folder as FolderListing;
pub use metier_core::{
    AllowedTools, Checked, Duplicates, Edit, Entry, EntryKind, Estimate, Explanation, Field,
    FieldWeight, Finding, Fix, FolderEntry, FormatError, FromJsonError, Head, Hit, InvalidName,
    InvalidPath, Limits, LineIndex, Manifest, Map, Matcher, Mode, NameProblem, NameRules, Node,
    ParseOptions, Parsed, ParsedHead, Part, PathProblem, Position, Ranked, Ranking, Report,
    ResourcePath, Rule, SavedIndexError, Scalar, SearchOptions, Severity, Skill, SkillIndex,
    SkillName, SkillText, Span, TokenCounter, ToolPattern, ToolProblem, Typed, UnknownRule, Value,
    WordEvidence, check, check_resource, disables_model_invocation, format, name_problems, parse,
    parse_with, terms,
};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;

/// The examples of the guide to sources, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/sources.md")]
pub struct Sources;
