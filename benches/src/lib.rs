//! Turns generated corpora into the inputs of the benchmarks.

use testing::Corpus;

/// The texts of `count` generated skills.
pub fn texts(count: usize) -> Vec<String> {
    Corpus { skills: count, ..Corpus::default() }.texts().map(|(_, text)| text).collect()
}
