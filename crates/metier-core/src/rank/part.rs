//! Turns skills into their words, apart from other skills, so that several threads can share the reading.

use super::segment::Segment;
use super::vocabulary::{NONE, Vocabulary, Word};
use super::words::WordWriter;
use crate::SkillText;

/// Skills whose words were read, on the way to an index.
///
/// Reading is most of the work of building an index, and parts can be read on as many threads as
/// there are; [`SkillIndex::join`](crate::SkillIndex::join) makes one index of them.
///
/// ```
/// use metier_core::{IndexPart, Ranking, SkillIndex, SkillText};
///
/// let skill = |name| SkillText { id: name, name, ..SkillText::default() };
/// let parts = [IndexPart::read([skill("a")]), IndexPart::read([skill("b")])];
/// let index = SkillIndex::join(Ranking::default(), parts);
/// assert_eq!(index.ids().collect::<Vec<_>>(), ["a", "b"]);
/// ```
#[derive(Debug)]
pub struct IndexPart {
    pub(super) vocabulary: Vocabulary,
    pub(super) segment: Segment,
}

impl Default for IndexPart {
    fn default() -> Self {
        Self { vocabulary: Vocabulary::new(), segment: Segment::default() }
    }
}

impl IndexPart {
    /// Reads the words of skills.
    pub fn read<'a>(skills: impl IntoIterator<Item = SkillText<'a>>) -> Self {
        let mut part = Self::default();
        part.segment.extend(skills, &mut part.vocabulary);
        part
    }

    /// Takes over all skills of another part.
    pub(super) fn append(&mut self, other: &Self) {
        let mut taking = Taking::new(&other.vocabulary);
        for at in 0..other.segment.len() {
            self.take(&other.segment, at, &mut taking);
        }
    }

    /// Takes over a skill.
    pub(super) fn take(&mut self, segment: &Segment, at: usize, taking: &mut Taking<'_>) {
        let Taking { vocabulary, numbers, writer } = taking;
        self.segment.take(segment, at, writer, |word| {
            let Some(number) = numbers.get_mut(word as usize) else { return NONE };
            if *number == NONE {
                *number = self.vocabulary.add(vocabulary.spelling(word)).unwrap_or(NONE);
            }
            *number
        });
    }
}

/// What is known of the words of another vocabulary while its skills are taken over.
pub(super) struct Taking<'a> {
    vocabulary: &'a Vocabulary,
    /// The new numbers of words that were met before.
    numbers: Vec<Word>,
    writer: WordWriter,
}

impl<'a> Taking<'a> {
    pub(super) fn new(vocabulary: &'a Vocabulary) -> Self {
        let numbers = vec![NONE; vocabulary.len()];
        Self { vocabulary, numbers, writer: WordWriter::default() }
    }
}
