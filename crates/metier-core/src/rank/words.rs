//! Turns the words of a skill into few bytes and back.
//!
//! ```text
//! how many words each field has · the name · how many different words, and in how many bytes ·
//! the different words, ascending · for every word behind the name which of them it is
//! ```
//!
//! What two skills have in common, and whether a skill has the words of a query at all, is seen from the
//! different words, which are few; where they stand is read without asking the vocabulary.

use super::bits::{Ascending, BitWriter, each_of_width, put_ascending, width};
use super::bytes::{get, put};
use super::vocabulary::{NONE, Word};

/// How many fields are searched: name, description, tags and `when_to_use`, headings, body.
pub(super) const SEARCHED: usize = 5;

/// The searched fields, and what the skill says it is not for.
pub(super) const FIELDS: usize = SEARCHED + 1;

/// The order of the fields: the body is last, so that what precedes it is near at hand.
pub(super) const ORDER: [usize; FIELDS] = [0, 1, 2, 3, 5, 4];

/// The words of each field of a skill.
pub(super) type Fields = [Vec<Word>; FIELDS];

/// Writes the words of one skill after the other.
#[derive(Debug, Default)]
pub(super) struct WordWriter {
    /// The place of each word among the different ones.
    places: Vec<u32>,
    different: Vec<Word>,
    coded: Vec<u8>,
}

impl WordWriter {
    /// Appends the words of a skill.
    pub(super) fn write(&mut self, fields: &Fields, stream: &mut Vec<u8>) {
        let Self { places, different, coded } = self;
        let words = || ORDER[1..].iter().flat_map(|&field| &fields[field]);
        different.clear();
        for &word in words() {
            let at = word as usize;
            if at >= places.len() {
                places.resize(at + 1, NONE);
            }
            if places[at] == NONE {
                places[at] = 0;
                different.push(word);
            }
        }
        different.sort_unstable();
        for (place, &word) in (0..).zip(&*different) {
            places[word as usize] = place;
        }
        coded.clear();
        put_ascending(coded, different);

        for field in ORDER {
            put(stream, fields[field].len() as u32);
        }
        for &word in &fields[0] {
            put(stream, word);
        }
        put(stream, different.len() as u32);
        put(stream, coded.len() as u32);
        stream.extend_from_slice(coded);
        let (mut writer, bits) = (BitWriter::default(), place_width(different.len()));
        for &word in words() {
            writer.put(stream, places[word as usize], bits);
        }
        writer.finish(stream);
        for &word in &*different {
            places[word as usize] = NONE;
        }
    }
}

/// How many bits the place of one of so many different words takes.
fn place_width(different: usize) -> u32 {
    width(u32::try_from(different.saturating_sub(1)).unwrap_or(u32::MAX))
}

/// The words of a skill, read from its stream. Any bytes can be read, and give at most as many words as
/// they have bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a> {
    lengths: [u32; FIELDS],
    name: &'a [u8],
    count: usize,
    different: &'a [u8],
    places: &'a [u8],
}

impl<'a> Words<'a> {
    pub(super) fn new(stream: &'a [u8]) -> Self {
        let mut at = 0;
        let mut lengths = [0; FIELDS];
        for field in ORDER {
            lengths[field] = get(stream, &mut at);
        }
        let start = at;
        for _ in 0..lengths[0] {
            if at == stream.len() {
                break;
            }
            get(stream, &mut at);
        }
        let name = &stream[start..at];
        let count = get(stream, &mut at) as usize;
        let coded = get(stream, &mut at) as usize;
        let (different, places) = stream[at..].split_at_checked(coded).unwrap_or_default();
        Self { lengths, name, count, different, places }
    }

    /// How many words a field has.
    pub(super) fn length(&self, field: usize) -> u32 {
        self.lengths[field]
    }

    /// The words of the name.
    pub(super) fn name(&self) -> impl Iterator<Item = Word> + use<'a> {
        let (name, mut at) = (self.name, 0);
        std::iter::from_fn(move || (at < name.len()).then(|| get(name, &mut at)))
    }

    /// How many different words there are, the name aside.
    pub(super) fn count(&self) -> usize {
        self.count.min(8 * self.different.len())
    }

    /// The different words, ascending, the name aside.
    pub(super) fn different(&self) -> Ascending<'a> {
        Ascending::new(self.different, self.count)
    }

    /// Gives every word behind the name: its field, where it stands, and its place among the different words.
    /// Of the body only so many.
    #[inline]
    pub(super) fn each_place(&self, body: u32, mut give: impl FnMut(usize, u32, usize)) {
        let (name, width) = (self.lengths[0], place_width(self.count));
        let mut start = 0usize;
        for &field in &ORDER[1..] {
            let length = self.lengths[field];
            let wanted = if field == SEARCHED - 1 { length.min(body) } else { length };
            let range = start..start.saturating_add(wanted as usize);
            each_of_width(self.places, width, range, |at, place| {
                give(field, name.wrapping_add(at as u32), place as usize);
            });
            start = start.saturating_add(length as usize);
        }
    }

    /// Gives every word with its field, the name's too.
    pub(super) fn each(&self, mut give: impl FnMut(usize, Word)) {
        self.name().for_each(|word| give(0, word));
        let different: Vec<Word> = self.different().collect();
        self.each_place(u32::MAX, |field, _, place| {
            give(field, different.get(place).map_or(NONE, |&word| word));
        });
    }

    /// The words of each field. What is cut short has fewer than it says.
    pub(super) fn fields(&self) -> Fields {
        let mut fields = Fields::default();
        self.each(|field, word| fields[field].push(word));
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::{Fields, WordWriter, Words};
    use proptest::prelude::*;

    fn words() -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(prop_oneof![0u32..40, 0u32..1_000_000], 0..60)
    }

    proptest! {
        #[test]
        fn words_come_back(fields in prop::array::uniform6(words())) {
            let fields: Fields = fields;
            let mut stream = Vec::new();
            let mut writer = WordWriter::default();
            writer.write(&Fields::default(), &mut stream);
            stream.clear();
            writer.write(&fields, &mut stream);
            prop_assert_eq!(&Words::new(&stream).fields(), &fields);
            let mut different: Vec<u32> = fields[1..].concat();
            different.sort_unstable();
            different.dedup();
            prop_assert_eq!(Words::new(&stream).different().collect::<Vec<_>>(), different);
        }

        #[test]
        fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let words = Words::new(&bytes);
            let mut given = 0;
            words.each(|_, _| given += 1);
            prop_assert!(given <= 8 * bytes.len());
        }
    }
}
