//! Turns skills into an index, changes into a changed one, and an index into the numbers that describe it.

use super::document::Lengths;
use super::part::{IndexPart, Taking};
use super::postings::Weights;
use super::query::Query;
use super::ranking::Ranking;
use super::segment::{Segment, stamp};
use super::sketch::Sketch;
use super::usual;
use super::vocabulary::{Vocabulary, Word};
use super::words::{SEARCHED, Words};
use crate::SkillText;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// How many pieces an index may have before they are made one.
const MOST_SEGMENTS: usize = 8;

/// In bodies of so many words, kin of words count half: the body is likely to have them as well.
const SAID_BOTH_WAYS: f32 = 256.0;

/// The default ranker: an index of skills in memory that answers in microseconds.
///
/// Fielded BM25 over stems orders the catalog; the head of that order is looked at closely, for
/// phrases, nearness, spellings and names. `docs/ranking.md` says how, and what each part is worth.
///
/// An index is a value: a clone shares what does not change, so that a snapshot can keep one while
/// the next is made from it.
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
#[derive(Debug, Clone)]
pub struct SkillIndex {
    pub(super) ranking: Ranking,
    /// The weights of the ranking, for the lengths that the fields of these skills have.
    pub(super) weights: Weights,
    pub(super) vocabulary: Arc<Vocabulary>,
    /// Skills are numbered through all segments.
    pub(super) segments: Vec<Arc<Segment>>,
    /// The number of the first skill of each segment, and of the next to come.
    pub(super) starts: Vec<u32>,
    /// Which skills were taken away.
    pub(super) gone: Vec<bool>,
    pub(super) count: usize,
    pub(super) lengths: Lengths,
    /// How many skills have each stem.
    pub(super) frequencies: Vec<u32>,
}

/// How large an index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexSize {
    /// How many skills there are.
    pub skills: usize,
    /// How many words and stems there are.
    pub words: usize,
    /// How many bytes of memory it takes.
    pub bytes: usize,
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
        Self::join(ranking, [IndexPart::read(skills)])
    }

    /// One index of parts that were read apart, as if it had been built of all skills in order.
    pub fn join(ranking: Ranking, parts: impl IntoIterator<Item = IndexPart>) -> Self {
        let mut parts = parts.into_iter();
        let mut whole = parts.next().unwrap_or_default();
        for part in parts {
            whole.append(&part);
        }
        Self::of(ranking, whole)
    }

    /// Makes the postings of what was read.
    fn of(ranking: Ranking, IndexPart { mut vocabulary, segment }: IndexPart) -> Self {
        vocabulary.settle();
        let mut index = Self {
            weights: Weights::new(&ranking, [1.0; SEARCHED]),
            ranking,
            vocabulary: Arc::new(vocabulary),
            segments: Vec::new(),
            starts: vec![0],
            gone: Vec::new(),
            count: 0,
            lengths: Lengths::default(),
            frequencies: Vec::new(),
        };
        index.push(segment);
        index.tidy();
        index
    }

    /// Takes skills away, and adds others. One that is added under the id of another replaces it.
    ///
    /// The result answers as if it had been built anew from the skills that are left. The cost is that of
    /// the skills that change, until there are so many changes that the pieces are made one.
    ///
    /// ```
    /// use metier_core::{Matcher, SkillIndex, SkillText};
    ///
    /// let skill = |name, description| SkillText { id: name, name, description, ..SkillText::default() };
    /// let mut index = SkillIndex::build([skill("a", "Fills forms."), skill("b", "Draws charts.")]);
    /// index.update(&["a"], [skill("c", "Prints forms.")]);
    /// assert_eq!(index.ids().collect::<Vec<_>>(), ["b", "c"]);
    /// assert_eq!(&*index.search("forms", 5)[0].id, "c");
    /// ```
    pub fn update<'a>(&mut self, removed: &[&str], added: impl IntoIterator<Item = SkillText<'a>>) {
        let mut segment = Segment::default();
        let vocabulary = Arc::make_mut(&mut self.vocabulary);
        segment.extend(added, vocabulary);
        let replaced = (0..segment.len()).map(|at| segment.id(at));
        let leaving: HashSet<&str> = removed.iter().copied().chain(replaced).collect();
        let leaving: Vec<u32> =
            self.documents().filter(|&at| leaving.contains(self.id(at))).collect();
        for document in leaving {
            self.remove(document);
        }
        self.push(segment);
        self.tidy();
    }

    /// Takes a skill away.
    fn remove(&mut self, document: u32) {
        self.gone[document as usize] = true;
        self.count -= 1;
        let (segment, at) = self.place(document);
        let segment = Arc::clone(&self.segments[segment]);
        let stream = segment.stream(at);
        let words = Words::new(&stream);
        self.lengths.remove(&words);
        for stem in stems(&words, &self.vocabulary) {
            if let Some(frequency) = self.frequencies.get_mut(stem as usize) {
                *frequency = frequency.saturating_sub(1);
            }
        }
    }

    /// Adds a segment. Of two of its skills with one id, the later counts.
    fn push(&mut self, mut segment: Segment) {
        if segment.len() == 0 {
            return;
        }
        self.frequencies.resize(self.vocabulary.len(), 0);
        let mut latest: HashMap<&str, usize> = HashMap::new();
        let mut earlier = Vec::new();
        for at in 0..segment.len() {
            earlier.extend(latest.insert(segment.id(at), at));
        }
        let lengths = segment.lengths();
        for (field, (sum, count)) in self.lengths.0.iter_mut().enumerate() {
            *sum += lengths.0[field].0;
            *count += lengths.0[field].1;
        }
        if self.segments.is_empty() {
            self.weights = Weights::new(&self.ranking, self.lengths.usual());
        }
        segment.invert(&self.vocabulary, &self.weights);
        for (stem, count) in segment.postings.counts() {
            if let Some(frequency) = self.frequencies.get_mut(stem as usize) {
                *frequency += count;
            }
        }
        let first = self.gone.len();
        self.gone.resize(first + segment.len(), false);
        self.count += segment.len();
        self.starts.push(self.gone.len() as u32);
        self.segments.push(Arc::new(segment));
        for at in earlier {
            self.remove((first + at) as u32);
        }
    }

    /// Makes one segment of all, where they are many, or hold much that is gone, or were weighed for
    /// fields of other lengths than they have now.
    fn tidy(&mut self) {
        let gone = self.gone.len() - self.count;
        let later = self.gone.len() - self.starts.get(1).map_or(0, |&first| first as usize);
        let weights = Weights::new(&self.ranking, self.lengths.usual());
        if weights == self.weights
            && self.segments.len() <= MOST_SEGMENTS
            && gone <= 64 + self.count / 4
            && later <= 64 + self.count / 4
        {
            return;
        }
        *self = self.compacted();
    }

    /// The same skills in one segment, with a vocabulary of their words alone.
    pub(super) fn compacted(&self) -> Self {
        let mut part = IndexPart::default();
        let mut taking = Taking::new(&self.vocabulary);
        for document in self.documents() {
            let (from, at) = self.place(document);
            part.take(&self.segments[from], at, &mut taking);
        }
        Self::of(self.ranking.clone(), part)
    }

    /// How many skills there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How large it is.
    pub fn size(&self) -> IndexSize {
        let segments: usize = self.segments.iter().map(|segment| segment.bytes()).sum();
        let own = 4 * self.frequencies.capacity() + self.gone.capacity();
        let bytes = segments + self.vocabulary.bytes() + own;
        IndexSize { skills: self.count, words: self.vocabulary.len(), bytes }
    }

    /// The ids of all skills, in the order they came.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.documents().map(|document| self.id(document))
    }

    /// Whether a skill is there with the same text: nothing would change if it were added.
    pub fn is_current(&self, skill: &SkillText<'_>) -> bool {
        self.document(skill.id).is_some_and(|document| {
            let (segment, at) = self.place(document);
            self.segments[segment].stamps[at] == stamp(skill)
        })
    }

    /// The ids of all skills, each with the [stamp](SkillText::stamp) of the text it was indexed with.
    pub fn stamps(&self) -> impl Iterator<Item = (&str, u64)> {
        self.documents().map(|document| {
            let (segment, at) = self.place(document);
            (self.segments[segment].id(at), self.segments[segment].stamps[at])
        })
    }

    /// The numbers of all skills.
    pub(super) fn documents(&self) -> impl Iterator<Item = u32> {
        (0u32..).zip(&self.gone).filter(|(_, gone)| !**gone).map(|(document, _)| document)
    }

    /// The number of the skill with an id.
    pub(super) fn document(&self, id: &str) -> Option<u32> {
        self.documents().find(|&document| self.id(document) == id)
    }

    /// The segment of a skill, and its place there.
    fn place(&self, document: u32) -> (usize, usize) {
        let segment = self.starts.partition_point(|&start| start <= document).saturating_sub(1);
        (segment, (document - self.starts[segment]) as usize)
    }

    pub(super) fn id(&self, document: u32) -> &str {
        let (segment, at) = self.place(document);
        self.segments[segment].id(at)
    }

    pub(super) fn name(&self, document: u32) -> u64 {
        let (segment, at) = self.place(document);
        self.segments[segment].names[at]
    }

    pub(super) fn sketch(&self, document: u32) -> Sketch {
        let (segment, at) = self.place(document);
        self.segments[segment].sketches[at]
    }

    /// The words of a skill.
    pub(super) fn stream(&self, document: u32) -> Cow<'_, [u8]> {
        let (segment, at) = self.place(document);
        self.segments[segment].stream(at)
    }

    /// How rare a stem is that some skill has.
    pub(super) fn rarity_of(&self, stem: Word) -> f32 {
        rarity(self.frequencies.get(stem as usize).map_or(0, |&frequency| frequency), self.count)
    }

    /// How rare a stem is that no skill has.
    pub(super) fn rarest(&self) -> f32 {
        rarity(0, self.count)
    }

    /// How rare a stem is, given the share of skills at large that have it. They count as so many more
    /// skills; the larger the catalog, the fewer, since it can tell by itself.
    fn rarity_at_large(&self, frequency: u32, share: f32) -> f32 {
        let (skills, prior) = (self.count as f32, self.ranking.skills_at_large);
        let more = prior * prior / (prior + skills).max(1.0);
        inverse_frequency(frequency as f32 + more * share, skills + more)
    }

    pub(super) fn query(&self, text: &str) -> Query {
        let frequency = |stem: Word| self.frequencies.get(stem as usize).map_or(0, |&count| count);
        let rarity = |frequency, stem: &str| {
            let own = rarity(frequency, self.count);
            usual::share(stem).map_or(own, |share| own.min(self.rarity_at_large(frequency, share)))
        };
        let body = self.lengths.usual()[SEARCHED - 1];
        let kin = self.ranking.kin / (1.0 + body / SAID_BOTH_WAYS);
        let ranking = Ranking { kin, ..self.ranking.clone() };
        Query::new(text, &self.vocabulary, &ranking, frequency, rarity)
    }
}

fn rarity(frequency: u32, skills: usize) -> f32 {
    inverse_frequency(frequency as f32, skills as f32)
}

/// The inverse document frequency of BM25, which is never negative.
fn inverse_frequency(frequency: f32, skills: f32) -> f32 {
    (1.0 + (skills - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln()
}

/// The stems that a document is found by.
fn stems(words: &Words<'_>, vocabulary: &Vocabulary) -> BTreeSet<Word> {
    let mut stems = BTreeSet::new();
    words.each(|field, word| {
        if field < SEARCHED {
            stems.insert(vocabulary.stem_of(word));
        }
    });
    stems
}
