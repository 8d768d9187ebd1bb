//! The pure part of metier: turns the bytes of a `SKILL.md` into a skill, with every finding on the way.

mod finding;
mod name;
mod name_suggestion;
mod quoted;
mod resource_path;
mod rule;
mod span;
mod tokens;
mod tool_match;
mod tools;

pub use finding::{Edit, Finding, Fix, Mode, Report, Severity};
pub use name::{
    InvalidName, NameProblem, NameRules, SkillName, is_windows_device, name_problems, twin_key,
};
pub use resource_path::{InvalidPath, PathProblem, ResourcePath};
pub use rule::{Rule, UnknownRule};
pub use span::{LineIndex, Position, Span};
pub use tokens::{Estimate, TokenCounter};
pub use tools::{AllowedTools, ToolPattern, ToolProblem};
