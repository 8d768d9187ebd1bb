//! The Agent Skills runtime: turns folders of `SKILL.md` files into skills, reports and repaired files.
//!
//! Everything is taken by argument: the library reads no environment variable, no home directory
//! and no clock, and prints nothing. The pure part is `metier-core`, re-exported here.
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

mod blocking;
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
mod listed_file;
#[cfg(feature = "report")]
mod report;
mod resource;
mod rule_page;
mod source;
mod visible;

pub use blocking::{Blocking, BlockingSource, block_on};
pub use check::{CheckOptions, CheckedFile, check_all, check_bytes, check_path, directory_name};
pub use discover::discover;
pub use discovery::{BelowSkills, Discovery, FileName, Links, MissingRoot, OnProblem, RootSkill};
pub use disk::{OddFile, ReadError, WriteError, create_folder, read_capped, write_atomically};
pub use find::{FindError, FindOptions, Found, find, manifest_of};
pub use fix::{Fixed, fix_path, fix_text};
pub use folder::list_folder;
pub use folder_source::Folder;
#[cfg(feature = "report")]
pub use report::{Format, RenderOptions, render};
pub use resource::{Files, Resource};
pub use rule_page::rule_page;
pub use source::{BoxFuture, Listed, Listing, Problem, ReadOptions, Source, SourceError, Trust};
pub use visible::visible;

pub use metier_core::Folder as FolderListing;
pub use metier_core::{
    AllowedTools, Checked, Edit, EntryKind, Estimate, Finding, Fix, FolderEntry, FormatError,
    FromJsonError, Head, InvalidName, InvalidPath, Limits, LineIndex, Manifest, Mode, NameProblem,
    NameRules, ParseOptions, Parsed, ParsedHead, PathProblem, Position, Report, ResourcePath, Rule,
    Severity, Skill, SkillName, Span, TokenCounter, ToolPattern, ToolProblem, UnknownRule, check,
    check_resource, format, model_invocation_policy, name_problems, parse, parse_with,
};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
