//! Turns a few lines into the files, commands and corpora that metier's own tests need.
//!
//! - [`Fixture`] is a temporary folder, built in one expression.
//! - [`command_snapshot!`] runs the built command there and snapshots all that a caller can see.
//! - [`run_cases`] reads Markdown files that are specification and test at once.
//! - [`Corpus`] makes thousands of believable skills from a seed.
//!
//! Nothing here depends on metier, because metier's core tests itself with it. A test that cannot
//! go on panics, and names what it could not do.

#![expect(clippy::disallowed_methods, reason = "tests build real files and run real commands")]

mod case;
mod cases;
mod command;
mod corpus;
mod data;
mod defect;
mod diff;
mod escape;
mod fixture;
mod frontmatter;
mod prose;
mod random;
mod words;

pub use case::{Case, CaseFile, Mode};
pub use cases::{Outcome, run_cases};
pub use command::{Command, Output, run};
pub use corpus::{Corpus, Generated, Layout};
pub use data::shared_data;
pub use defect::Defect;
pub use escape::{escape, escape_line, unescape};
pub use fixture::Fixture;

// `command_snapshot!` names it in the caller's crate, which then needs no dependency of its own.
#[doc(hidden)]
pub use insta;
