//! The pure part of metier: turns the bytes of a `SKILL.md` into a skill, with every finding on the way.

mod check;
mod document;
mod emit;
mod field;
mod finding;
mod folder;
mod format;
mod head;
mod hidden;
mod known_key;
mod limits;
mod line;
mod links;
mod lowering;
mod manifest;
mod meant;
mod misquoted;
mod name;
mod name_suggestion;
mod parse;
mod patch;
mod quoted;
mod real_end;
mod repair;
mod resource;
mod resource_path;
mod rule;
mod scan;
mod skill;
mod span;
mod tokens;
mod tool_match;
mod tools;
mod tree;
mod trigger;
mod yaml;

pub use check::{Checked, check};
pub use finding::{Edit, Finding, Fix, Mode, Report, Severity};
pub use folder::{EntryKind, Folder, FolderEntry};
pub use format::{FormatError, format};
pub use head::{Head, ParsedHead};
pub use limits::Limits;
pub use manifest::{Manifest, model_invocation_policy};
pub use name::{
    InvalidName, NameProblem, NameRules, SkillName, is_windows_device, name_problems, twin_key,
};
pub use parse::{ParseOptions, Parsed, parse, parse_with};
pub use resource::check_resource;
pub use resource_path::{InvalidPath, PathProblem, ResourcePath};
pub use rule::{Rule, UnknownRule};
pub use skill::{FromJsonError, Skill};
pub use span::{LineIndex, Position, Span};
pub use tokens::{Estimate, TokenCounter};
pub use tools::{AllowedTools, ToolPattern, ToolProblem};
pub use tree::{Entry, Map, Node, Scalar, Typed, Value};
