//! Turns what was typed after `metier test` into options.

use crate::args::Roots;
use clap::Args;

/// Test whether what users say finds the skills it should
///
/// Runs the trigger tests that stand beside skills, in evals/triggers.yaml, evals/trigger_eval.json or
/// evals/evals.json, against all skills: offline, and the same every time. A miss says which skill the
/// query went to, which words led there, and which words would have caught it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier test --root skills                   every skill with trigger tests
  metier test pdf-filler --root skills        the tests of one skill
  metier test --min-recall 0.9                let one query in ten miss
  metier test --json | jq .summary            for machines

A file of trigger tests:
  - query: fill in this tax form
  - query: what is a PDF
    should_trigger: false
  - query: sign this contract
    expect: contract-signing")]
pub(crate) struct Test {
    /// The names of the skills whose tests are run; all, without any
    #[arg(value_name = "SKILL")]
    pub(crate) skills: Vec<String>,

    #[command(flatten)]
    pub(crate) roots: Roots,

    /// An expected skill must be among the first N
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) top: usize,

    /// Exit with 1 when a smaller share of the expected skills is among the first N, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    pub(crate) min_recall: f64,

    /// Exit with 1 when more queries than this find a skill first that should stay away
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) max_triggered: usize,

    /// A skill that should stay away may come first with a lower score than this
    #[arg(long, value_name = "SCORE", default_value_t = 0.5)]
    pub(crate) min_score: f64,

    /// Tell pairs of descriptions that share at least this much of their words, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    pub(crate) overlap: f64,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
