//! Turns queries with known answers into figures: how well a matcher finds the right skill.
//!
//! A folder has `queries.jsonl` (`id`, `text`), `qrels.tsv` (query, skill, 1) and `skills.jsonl` (`id`,
//! `name`, `description`, `body`); several folders may share a catalog in `skills/` beside them.

#![expect(clippy::disallowed_methods, reason = "an evaluation reads its files")]
#![expect(clippy::cast_precision_loss, reason = "counts are small")]

mod ablations;
mod distractors;
mod matchers;
mod measures;
mod model;
mod reliability;
mod separation;
mod set;

pub use ablations::{ABLATIONS, Ablation};
pub use matchers::{Build, MATCHERS, with_model};
pub use measures::Measures;
pub use model::Model;
pub use reliability::Reliability;
pub use separation::Separation;
pub use set::{Catalog, Query, Record, Set};
