//! Turns each command's arguments into calls of the library: one module a command.

pub(crate) mod activate;
pub(crate) mod add;
pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod completions;
#[cfg(feature = "serve")]
pub(crate) mod export;
pub(crate) mod fmt;
pub(crate) mod index;
pub(crate) mod installed;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod new;
pub(crate) mod prompt;
pub(crate) mod read;
pub(crate) mod remove;
pub(crate) mod rule;
pub(crate) mod search;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod sync;
pub(crate) mod test;
pub(crate) mod tools;
pub(crate) mod trust;
pub(crate) mod update;
