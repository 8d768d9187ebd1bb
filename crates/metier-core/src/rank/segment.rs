//! Turns skills into one immutable piece of an index: their ids, their words, their postings.

use super::document::{self, Lengths};
use super::pieces::{Ends, Pieces};
use super::postings::{Postings, Weights};
use super::query::name_key;
use super::sketch::{Sketch, Sketcher};
use super::vocabulary::{NONE, Vocabulary, Word, hash};
use super::words::{ORDER, WordWriter, Words};
use crate::SkillText;
use std::borrow::Cow;

/// Skills that were indexed together.
#[derive(Debug, Clone, Default)]
pub(super) struct Segment {
    pub(super) ids: String,
    pub(super) id_ends: Ends,
    /// The names, folded and hashed, for mentions.
    pub(super) names: Vec<u64>,
    pub(super) sketches: Vec<Sketch>,
    /// What tells one text of a skill from another.
    pub(super) stamps: Vec<u64>,
    /// The words of every skill, one after the other.
    pub(super) streams: Pieces,
    pub(super) postings: Postings,
}

impl Segment {
    /// Adds skills, without their postings.
    pub(super) fn extend<'a>(
        &mut self,
        skills: impl IntoIterator<Item = SkillText<'a>>,
        vocabulary: &mut Vocabulary,
    ) {
        let (mut sketcher, mut writer) = (Sketcher::default(), WordWriter::default());
        for skill in skills {
            let fields = document::fields(&skill, vocabulary);
            self.streams.push(|stream| writer.write(&fields, stream));
            let stream = self.streams.get(self.streams.len() - 1);
            self.sketches.push(sketcher.sketch(&Words::new(&stream), vocabulary));
            self.ids.push_str(skill.id);
            self.id_ends.push(self.ids.len());
            self.names.push(name_key(skill.name));
            self.stamps.push(stamp(&skill));
        }
    }

    /// Takes over a skill of another segment, whose words are in another vocabulary.
    pub(super) fn take(
        &mut self,
        other: &Self,
        at: usize,
        writer: &mut WordWriter,
        mut renumber: impl FnMut(Word) -> Word,
    ) {
        let mut fields = Words::new(&other.stream(at)).fields();
        for field in ORDER {
            let words = &mut fields[field];
            for word in words.iter_mut() {
                *word = renumber(*word);
            }
            words.retain(|&word| word != NONE);
        }
        self.streams.push(|stream| writer.write(&fields, stream));
        self.ids.push_str(other.id(at));
        self.id_ends.push(self.ids.len());
        self.names.push(other.names[at]);
        self.sketches.push(other.sketches[at]);
        self.stamps.push(other.stamps[at]);
    }

    /// Makes the postings, once all skills are there.
    pub(super) fn invert(&mut self, vocabulary: &Vocabulary, weights: &Weights) {
        self.ids.shrink_to_fit();
        self.id_ends.shrink();
        self.names.shrink_to_fit();
        self.sketches.shrink_to_fit();
        self.stamps.shrink_to_fit();
        self.streams.shrink();
        self.postings = Postings::invert(|give| self.each(give), vocabulary, weights);
    }

    /// Gives the words of every skill.
    fn each(&self, mut give: impl FnMut(usize, &Words<'_>)) {
        for at in 0..self.len() {
            give(at, &Words::new(&self.stream(at)));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.streams.len()
    }

    pub(super) fn id(&self, at: usize) -> &str {
        self.ids.get(self.id_ends.get(at)).unwrap_or_default()
    }

    pub(super) fn stream(&self, at: usize) -> Cow<'_, [u8]> {
        self.streams.get(at)
    }

    /// How long the fields of all skills are.
    pub(super) fn lengths(&self) -> Lengths {
        let mut lengths = Lengths::default();
        self.each(|_, words| lengths.add(words));
        lengths
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let each = 8 * (self.names.capacity() + self.stamps.capacity())
            + self.id_ends.bytes()
            + size_of::<Sketch>() * self.sketches.capacity();
        self.ids.capacity() + each + self.streams.bytes() + self.postings.bytes()
    }
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
