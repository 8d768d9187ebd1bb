//! Turns a catalog into an index that answers a query with the skills that fit it, and says why.
#![expect(clippy::cast_precision_loss, reason = "scores are compared, not counted")]

mod bits;
mod bytes;
mod checksum;
mod confidence;
mod document;
mod explanation;
mod index;
mod part;
mod pieces;
mod postings;
mod query;
mod ranked;
mod ranking;
mod rerank;
mod rescue;
mod saved;
mod search;
mod segment;
mod sketch;
mod usual;
mod vocabulary;
mod words;

pub use explanation::{Explanation, Field, Part, WordEvidence};
pub use index::{IndexSize, SkillIndex};
pub use part::IndexPart;
pub use pieces::IndexBytes;
pub use ranked::{Duplicates, Ranked, SearchOptions};
pub use ranking::{FieldWeight, Ranking};
pub use saved::{IndexUse, SavedIndexError};
