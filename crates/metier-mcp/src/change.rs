//! Turns two states of what is served into what clients are told about the difference.

use std::collections::BTreeSet;

/// What became different.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Change {
    /// Whether skills came, went, or are described differently.
    pub(crate) list: bool,
    /// Whether there are tools now and were none, or the other way round.
    pub(crate) tools: bool,
    /// The addresses of files whose bytes are different.
    pub(crate) updated: BTreeSet<String>,
}

impl Change {
    /// Whether nothing is different.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
