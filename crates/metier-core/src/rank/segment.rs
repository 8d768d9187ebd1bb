//! Turns skills into one immutable piece of an index: their ids, their words, their postings.

use super::document::{self, Lengths, Words};
use super::postings::{Postings, Weights};
use super::query::name_key;
use super::sketch::{Sketch, Sketcher};
use super::vocabulary::{Vocabulary, hash};
use crate::SkillText;

/// Skills that were indexed together.
#[derive(Debug, Clone, Default)]
pub(super) struct Segment {
    pub(super) ids: String,
    /// Where each id ends.
    pub(super) id_ends: Vec<u64>,
    /// The names, folded and hashed, for mentions.
    pub(super) names: Vec<u64>,
    pub(super) sketches: Vec<Sketch>,
    /// What tells one text of a skill from another.
    pub(super) stamps: Vec<u64>,
    /// The words of every skill, one after the other.
    pub(super) streams: Vec<u8>,
    /// Where the words of each skill end.
    pub(super) stream_ends: Vec<u64>,
    pub(super) postings: Postings,
}

impl Segment {
    /// Adds skills, without their postings.
    pub(super) fn extend<'a>(
        &mut self,
        skills: impl IntoIterator<Item = SkillText<'a>>,
        vocabulary: &mut Vocabulary,
    ) {
        let mut sketcher = Sketcher::default();
        for skill in skills {
            let start = self.streams.len();
            document::write(&skill, vocabulary, &mut self.streams);
            self.sketches.push(sketcher.sketch(&self.streams[start..], vocabulary));
            self.ids.push_str(skill.id);
            self.id_ends.push(self.ids.len() as u64);
            self.names.push(name_key(skill.name));
            self.stamps.push(stamp(&skill));
            self.stream_ends.push(self.streams.len() as u64);
        }
    }

    /// Takes over a skill of another segment, whose words are in another vocabulary.
    pub(super) fn take(&mut self, other: &Self, at: usize, renumber: impl FnMut(u32) -> u32) {
        document::renumber(other.stream(at), &mut self.streams, renumber);
        self.stream_ends.push(self.streams.len() as u64);
        self.ids.push_str(other.id(at));
        self.id_ends.push(self.ids.len() as u64);
        self.names.push(other.names[at]);
        self.sketches.push(other.sketches[at]);
        self.stamps.push(other.stamps[at]);
    }

    /// Makes the postings, once all skills are there.
    pub(super) fn invert(&mut self, vocabulary: &Vocabulary, weights: &Weights) {
        self.streams.shrink_to_fit();
        self.ids.shrink_to_fit();
        let documents = (0..self.len()).map(|at| self.stream(at));
        self.postings = Postings::invert(documents, vocabulary, weights);
    }

    pub(super) fn len(&self) -> usize {
        self.stream_ends.len()
    }

    pub(super) fn id(&self, at: usize) -> &str {
        self.ids.get(range(&self.id_ends, at)).unwrap_or_default()
    }

    pub(super) fn stream(&self, at: usize) -> &[u8] {
        self.streams.get(range(&self.stream_ends, at)).unwrap_or_default()
    }

    /// How long the fields of all skills are.
    pub(super) fn lengths(&self) -> Lengths {
        let mut lengths = Lengths::default();
        for at in 0..self.len() {
            lengths.add(&Words::new(self.stream(at)));
        }
        lengths
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let each = 8 * (self.id_ends.capacity() + self.names.capacity() + self.stamps.capacity())
            + 8 * self.stream_ends.capacity()
            + size_of::<Sketch>() * self.sketches.capacity();
        self.ids.capacity() + each + self.streams.capacity() + self.postings.bytes()
    }
}

/// Where a piece is, given where each one ends.
fn range(ends: &[u64], at: usize) -> std::ops::Range<usize> {
    let end = |at: usize| ends.get(at).map_or(0, |&end| usize::try_from(end).unwrap_or(usize::MAX));
    at.checked_sub(1).map_or(0, end)..end(at)
}

impl SkillText<'_> {
    /// A number that tells this text of the skill from another, save for a rare accident: a hash of all
    /// that a matcher reads, the id apart. It is the same on every machine.
    pub fn stamp(&self) -> u64 {
        stamp(self)
    }
}

/// What tells one text of a skill from another: a hash of all that a matcher reads.
pub(super) fn stamp(skill: &SkillText<'_>) -> u64 {
    let fixed = [skill.name, skill.description, skill.body];
    let tags = skill.tags.iter().map(AsRef::as_ref);
    let asides = [&skill.when_to_use, &skill.when_not_to_use];
    let asides = asides.into_iter().map(|aside| aside.as_deref().unwrap_or_default());
    fixed.into_iter().chain(asides).chain(tags).fold(1, |stamp, text| hash(stamp, text.as_bytes()))
}
