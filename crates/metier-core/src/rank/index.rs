//! Turns skills into an index, and an index into the numbers that describe it.

use super::document::{self, SEARCHED, Words};
use super::postings::{Postings, Weights};
use super::query::Query;
use super::ranking::Ranking;
use super::sketch::Sketch;
use super::vocabulary::{Vocabulary, Word, hash};
use crate::SkillText;

/// The default ranker: an index of skills in memory that answers in microseconds.
///
/// Fielded BM25 over stems orders the catalog; the head of that order is looked at closely, for
/// phrases, nearness, spellings and names. `docs/ranking.md` says how, and what each part is worth.
///
/// ```
/// use metier_core::{Matcher, SkillIndex, SkillText};
///
/// let skill = |name, description| SkillText { id: name, name, description, ..SkillText::default() };
/// let index = SkillIndex::build([
///     skill("pdf-filler", "Fills in PDF forms. Use for tax forms and applications."),
///     skill("chart-maker", "Draws charts from tables of numbers."),
/// ]);
/// let hits = index.search("fill in this tax form", 5);
/// assert_eq!(&*hits[0].id, "pdf-filler");
/// assert_eq!(hits.len(), 1); // nothing speaks for the other
/// ```
#[derive(Debug)]
pub struct SkillIndex {
    pub(super) ranking: Ranking,
    /// The weights of the ranking, for the lengths that the fields of these skills have.
    pub(super) weights: Weights,
    pub(super) vocabulary: Vocabulary,
    pub(super) ids: Vec<Box<str>>,
    /// The names, folded and hashed, for mentions.
    pub(super) names: Vec<u64>,
    pub(super) sketches: Vec<Sketch>,
    /// The words of every skill, one after the other.
    pub(super) streams: Vec<u8>,
    /// Where the words of each skill end.
    pub(super) ends: Vec<u64>,
    pub(super) postings: Postings,
    /// How many skills have each stem.
    pub(super) frequencies: Vec<u32>,
}

impl SkillIndex {
    /// Indexes skills, with the default ranking. Of two skills with one id, the later counts.
    pub fn build<'a>(skills: impl IntoIterator<Item = SkillText<'a>>) -> Self {
        Self::build_with(Ranking::default(), skills)
    }

    /// Indexes skills, with a ranking of the caller's.
    pub fn build_with<'a>(
        ranking: Ranking,
        skills: impl IntoIterator<Item = SkillText<'a>>,
    ) -> Self {
        let mut index = Self {
            weights: Weights::new(&ranking, [0.0; SEARCHED]),
            ranking,
            vocabulary: Vocabulary::new(),
            ids: Vec::new(),
            names: Vec::new(),
            sketches: Vec::new(),
            streams: Vec::new(),
            ends: Vec::new(),
            postings: Postings::default(),
            frequencies: Vec::new(),
        };
        let mut sketcher = Sketch::maker();
        for skill in skills {
            let start = index.streams.len();
            document::write(&skill, &mut index.vocabulary, &mut index.streams);
            index.sketches.push(sketcher(&index.streams[start..], &index.vocabulary));
            index.ids.push(skill.id.into());
            index.names.push(name_key(skill.name));
            index.ends.push(index.streams.len() as u64);
        }
        index.invert();
        index
    }

    /// Makes the postings from the words.
    fn invert(&mut self) {
        let count = self.ids.len() as u32;
        let lengths = (0..count).map(|at| Words::new(self.stream(at)));
        self.weights = Weights::new(&self.ranking, Weights::usual(lengths));
        let documents = (0..count).map(|at| (at, self.stream(at)));
        self.postings = Postings::invert(documents, &self.vocabulary, &self.weights);
        let stems = 0..self.vocabulary.len() as Word;
        self.frequencies = stems.map(|stem| self.postings.count(stem)).collect();
    }

    /// How many skills there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The ids of all skills, in the order they came.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().map(|id| &**id)
    }

    /// The number of the skill with an id.
    pub(super) fn document(&self, id: &str) -> Option<u32> {
        self.ids.iter().rposition(|known| **known == *id).map(|at| at as u32)
    }

    pub(super) fn id(&self, document: u32) -> &str {
        &self.ids[document as usize]
    }

    /// The words of a skill.
    pub(super) fn stream(&self, document: u32) -> &[u8] {
        let at = document as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.streams[start as usize..self.ends[at] as usize]
    }

    /// How rare a stem is; `None` asks for one that no skill has.
    pub(super) fn rarity(&self, stem: Option<Word>) -> f32 {
        let frequency = stem.map_or(0, |stem| self.frequencies[stem as usize]);
        rarity(frequency, self.ids.len())
    }

    pub(super) fn query(&self, text: &str) -> Query {
        Query::new(text, &self.vocabulary, &self.ranking, |stem| self.rarity(stem))
    }
}

/// The inverse document frequency of BM25, which is never negative.
fn rarity(frequency: u32, skills: usize) -> f32 {
    let frequency = frequency as f32;
    (1.0 + (skills as f32 - frequency + 0.5) / (frequency + 0.5)).ln()
}

/// What a mention of a name is told by.
pub(super) fn name_key(name: &str) -> u64 {
    hash(0, name.trim().to_lowercase().as_bytes())
}
