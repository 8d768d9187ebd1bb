//! Turns what was typed behind `index` into its options.

use crate::args::Roots;
use clap::{Args, ValueEnum};

/// Keep an index of the skills, so that searching starts at once
///
/// The index is a file in METIER_CACHE, else in the cache folder of the user, one for each set of roots.
/// `metier search` starts from it and compares every skill with it; `metier search --saved` asks it alone, and
/// brings it up to date when skills came or went.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier index --root skills            make it, or bring it up to date
  metier index show --root skills       where it is, and how large
  metier index verify --root skills     exit with 1 unless it holds what the skills say now
  metier search --saved 'tax form' --root skills")]
pub(crate) struct Index {
    /// What to do
    #[arg(value_name = "ACTION", default_value = "build")]
    pub(crate) action: IndexAction,

    #[command(flatten)]
    pub(crate) roots: Roots,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to do with an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum IndexAction {
    /// Make it, or bring it up to date
    Build,
    /// Say where it is and how large
    Show,
    /// Compare it with the skills
    Verify,
}
