//! Turns text into a path that stays inside its skill.

use serde::Serialize;

/// The path of a file inside a skill.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ResourcePath(String);
