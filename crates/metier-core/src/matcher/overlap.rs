//! Turns the words of skills and of a query into the share of the query that each skill has.

use crate::matcher::best_first;
use crate::{Cutoff, Hit};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Which skills have which words.
#[derive(Debug, Clone, Default)]
pub(crate) struct Overlap {
    ids: Vec<Arc<str>>,
    /// The skills that have a word, in their order.
    postings: HashMap<String, Vec<u32>>,
}

impl Overlap {
    pub(crate) fn add(&mut self, id: &str, words: BTreeSet<String>) {
        let number = self.ids.len() as u32;
        self.ids.push(id.into());
        for word in words {
            self.postings.entry(word).or_default().push(number);
        }
    }

    /// Scores each skill by the share of the query's words that it has. Equal scores keep the order
    /// of the skills; a query without words has no hits, whatever the cutoff.
    pub(crate) fn search(
        &self,
        query: &BTreeSet<String>,
        cutoff: Cutoff,
        limit: usize,
    ) -> Vec<Hit> {
        if query.is_empty() || limit == 0 {
            return Vec::new();
        }
        let mut counts = vec![0u32; self.ids.len()];
        for posting in query.iter().filter_map(|word| self.postings.get(word)) {
            for &number in posting {
                counts[number as usize] += 1;
            }
        }
        let scores = counts.iter().map(|&count| f64::from(count) / f64::from(query.len() as u32));
        let good = scores.zip(&self.ids).filter(|(score, _)| cutoff.admits(*score));
        best_first(good.map(|(score, id)| Hit::new(id.clone(), score)).collect(), limit)
    }
}
