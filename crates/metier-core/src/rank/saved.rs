//! Turns an index into bytes and back, and trusts none that it did not write.
//!
//! ```text
//! magic 8 · version 4 · zero 4 · length 8 · checksum 8 │ key 8 · lengths 80 · arrays, each length 8 · bytes
//! ```
//!
//! All numbers are little-endian. The checksum covers all behind the bar. The key stands for the
//! ranking and for what the text room does, so that words cut in another way are never searched.

use super::document::{Lengths, SEARCHED};
use super::index::SkillIndex;
use super::postings::{Postings, Weights};
use super::ranking::Ranking;
use super::segment::Segment;
use super::sketch::Sketch;
use super::vocabulary::{Vocabulary, hash};
use std::fmt;
use std::sync::Arc;

const MAGIC: [u8; 8] = *b"metier\x00i";

/// The version of the form.
const VERSION: u32 = 1;

/// Counts up with every change of what a word is, or of what the words of a skill are.
const TEXT_VERSION: u32 = 1;

const HEADER: usize = 32;

/// Why bytes are no index that can be used. Build it anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SavedIndexError {
    /// The bytes do not start as an index does.
    NotAnIndex,
    /// Another version of metier wrote it.
    Version {
        /// The version that was found.
        found: u32,
    },
    /// It was made with another ranking, or of words cut in another way.
    Ranking,
    /// Bytes are missing or were changed.
    Damaged,
}

impl fmt::Display for SavedIndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnIndex => f.write_str("not a saved index"),
            Self::Version { found } => write!(f, "saved in version {found}, this is {VERSION}"),
            Self::Ranking => f.write_str("saved with another ranking"),
            Self::Damaged => f.write_str("bytes are missing or were changed"),
        }
    }
}

impl std::error::Error for SavedIndexError {}

impl SkillIndex {
    /// The index as bytes, to be read by [`from_bytes`](Self::from_bytes).
    ///
    /// ```
    /// use metier_core::{SavedIndexError, SkillIndex, SkillText};
    ///
    /// let skill = SkillText { id: "pdf", name: "pdf", description: "Fills forms.", ..SkillText::default() };
    /// let mut bytes = SkillIndex::build([skill]).to_bytes();
    /// assert_eq!(SkillIndex::from_bytes(&bytes).unwrap().len(), 1);
    /// bytes[100] ^= 1;
    /// assert_eq!(SkillIndex::from_bytes(&bytes).unwrap_err(), SavedIndexError::Damaged);
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        match &self.segments[..] {
            [segment] if self.count == self.gone.len() => self.write(segment),
            [] => self.write(&Segment::default()),
            _ => {
                let whole = self.compacted();
                whole.segments.first().map_or_else(
                    || whole.write(&Segment::default()),
                    |segment| whole.write(segment),
                )
            }
        }
    }

    fn write(&self, segment: &Segment) -> Vec<u8> {
        let (letters, ends, stems) = self.vocabulary.parts();
        let mut bytes = vec![0; HEADER];
        bytes.extend(key(&self.ranking).to_le_bytes());
        for (sum, count) in self.lengths.0 {
            bytes.extend(sum.to_le_bytes());
            bytes.extend(count.to_le_bytes());
        }
        put(&mut bytes, letters.bytes().map(|byte| [byte]));
        put(&mut bytes, ends.iter().map(|number| number.to_le_bytes()));
        put(&mut bytes, stems.iter().map(|number| number.to_le_bytes()));
        put(&mut bytes, self.frequencies.iter().map(|number| number.to_le_bytes()));
        put(&mut bytes, segment.ids.bytes().map(|byte| [byte]));
        put(&mut bytes, segment.id_ends.iter().map(|number| number.to_le_bytes()));
        put(&mut bytes, segment.names.iter().map(|number| number.to_le_bytes()));
        put(&mut bytes, segment.sketches.iter().map(|sketch| sketch.0.to_le_bytes()));
        put(&mut bytes, segment.stamps.iter().map(|number| number.to_le_bytes()));
        put(&mut bytes, segment.streams.iter().map(|byte| [*byte]));
        put(&mut bytes, segment.stream_ends.iter().map(|number| number.to_le_bytes()));
        put(&mut bytes, segment.postings.stems.iter().map(|number| number.to_le_bytes()));
        put(&mut bytes, segment.postings.ends.iter().map(|number| number.to_le_bytes()));
        put(&mut bytes, segment.postings.coded.iter().map(|byte| [*byte]));
        let checksum = checksum(&bytes[HEADER..]);
        let length = bytes.len() as u64;
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[16..24].copy_from_slice(&length.to_le_bytes());
        bytes[24..32].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads an index with the default ranking, as [`to_bytes`](Self::to_bytes) wrote it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SavedIndexError> {
        Self::from_bytes_with(Ranking::default(), bytes)
    }

    /// Reads an index that was made with a ranking.
    pub fn from_bytes_with(ranking: Ranking, bytes: &[u8]) -> Result<Self, SavedIndexError> {
        let header = bytes.get(..HEADER).ok_or(if bytes.starts_with(&MAGIC) {
            SavedIndexError::Damaged
        } else {
            SavedIndexError::NotAnIndex
        })?;
        if header[..8] != MAGIC {
            return Err(SavedIndexError::NotAnIndex);
        }
        let mut head = Cursor { bytes: &header[8..] };
        let found = head.number().map(u32::from_le_bytes).ok_or(SavedIndexError::Damaged)?;
        if found != VERSION {
            return Err(SavedIndexError::Version { found });
        }
        let is_zero = head.number() == Some([0; 4]);
        let is_whole = head.u64() == Some(bytes.len() as u64);
        let body = &bytes[HEADER..];
        if !is_zero || !is_whole || head.u64() != Some(checksum(body)) {
            return Err(SavedIndexError::Damaged);
        }
        let mut body = Cursor { bytes: body };
        if body.u64() != Some(key(&ranking)) {
            return Err(SavedIndexError::Ranking);
        }
        read(ranking, body).ok_or(SavedIndexError::Damaged)
    }
}

/// Reads what stands behind the key. `None` where the parts do not fit together.
fn read(ranking: Ranking, mut body: Cursor<'_>) -> Option<SkillIndex> {
    let mut lengths = Lengths::default();
    for (sum, count) in &mut lengths.0 {
        (*sum, *count) = (body.u64()?, body.u64()?);
    }
    let letters = body.text()?;
    let ends = body.numbers(u32::from_le_bytes)?;
    let stems = body.numbers(u32::from_le_bytes)?;
    let frequencies = body.numbers(u32::from_le_bytes)?;
    let segment = Segment {
        ids: body.text()?,
        id_ends: body.numbers(u64::from_le_bytes)?,
        names: body.numbers(u64::from_le_bytes)?,
        sketches: body.numbers(|bytes| Sketch(u128::from_le_bytes(bytes)))?,
        stamps: body.numbers(u64::from_le_bytes)?,
        streams: body.array()?.to_vec(),
        stream_ends: body.numbers(u64::from_le_bytes)?,
        postings: Postings {
            stems: body.numbers(u32::from_le_bytes)?,
            ends: body.numbers(u64::from_le_bytes)?,
            coded: body.array()?.to_vec(),
        },
    };
    let count = segment.len();
    let each = [segment.id_ends.len(), segment.names.len(), segment.sketches.len()];
    let fits = body.bytes.is_empty()
        && each == [count; 3]
        && segment.stamps.len() == count
        && u32::try_from(count).is_ok()
        && stems.len() == ends.len()
        && frequencies.len() <= ends.len()
        && segment.postings.stems.len() == segment.postings.ends.len();
    if !fits {
        return None;
    }
    let mut usual = lengths.usual();
    if count == 0 {
        usual = [1.0; SEARCHED];
    }
    let (starts, segments) = match count {
        0 => (vec![0], Vec::new()),
        _ => (vec![0, count as u32], vec![Arc::new(segment)]),
    };
    Some(SkillIndex {
        weights: Weights::new(&ranking, usual),
        ranking,
        vocabulary: Arc::new(Vocabulary::with(letters, ends, stems)),
        segments,
        starts,
        gone: vec![false; count],
        count,
        lengths,
        frequencies,
    })
}

/// Appends an array: how many bytes it has, then its items.
fn put<const N: usize>(bytes: &mut Vec<u8>, items: impl ExactSizeIterator<Item = [u8; N]>) {
    bytes.extend(((items.len() * N) as u64).to_le_bytes());
    bytes.extend(items.flatten());
}

/// What is still to be read.
struct Cursor<'a> {
    bytes: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn number<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (number, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*number)
    }

    fn u64(&mut self) -> Option<u64> {
        self.number().map(u64::from_le_bytes)
    }

    fn array(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.u64()?).ok()?;
        let (array, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(array)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.array()?.to_vec()).ok()
    }

    fn numbers<T, const N: usize>(&mut self, read: impl Fn([u8; N]) -> T) -> Option<Vec<T>> {
        let (items, rest) = self.array()?.as_chunks();
        rest.is_empty().then(|| items.iter().map(|item| read(*item)).collect())
    }
}

/// What stands for a ranking and for the text room.
fn key(ranking: &Ranking) -> u64 {
    hash(u64::from(TEXT_VERSION), format!("{ranking:?}").as_bytes())
}

/// A checksum that any change of one byte changes: each step can be undone, so no two inputs that
/// differ in one place meet.
fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |state: u64, word: u64| (state ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let mut lanes = [1u64, 2, 3, 4];
    let (blocks, rest) = bytes.as_chunks::<32>();
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = step(*lane, u64::from_le_bytes(*word));
        }
    }
    let whole = lanes.into_iter().fold(bytes.len() as u64, step);
    rest.iter().fold(whole, |state, &byte| step(state, u64::from(byte)))
}
