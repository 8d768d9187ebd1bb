//! Turns an index into bytes and back, and trusts none that it did not write.
//!
//! ```text
//! magic 8 · version 4 · zero 4 · length 8 · length of the next part 8 · its checksum 8
//! │ key 8 · lengths 80 · key of the table 8 · arrays, each length 8 · bytes
//! │ postings, stem by stem, each with its checksum 8
//! │ words, skill by skill, each with its checksum 8
//! ```
//!
//! All numbers are little-endian. The first part is read at once; postings can be, and words need
//! not be: what is read later is compared with its own checksum then. The key stands for the ranking and for
//! what the text room does, so that words cut in another way are never searched.

use super::checksum::checksum;
use super::document::Lengths;
use super::index::SkillIndex;
use super::pieces::{Ends, IndexBytes, Pieces};
use super::postings::{Postings, Weights};
use super::ranking::Ranking;
use super::segment::Segment;
use super::sketch::Sketch;
use super::vocabulary::{Vocabulary, VocabularyParts, hash};
use super::words::SEARCHED;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

const MAGIC: [u8; 8] = *b"metier\x00i";

/// The version of the form.
const VERSION: u32 = 2;

/// Counts up with every change of what a word is, or of what the words of a skill are.
const TEXT_VERSION: u32 = 1;

const HEADER: usize = 40;

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
        let Segment { ids, id_ends, names, sketches, stamps, streams, postings } = segment;
        let (letters, numbers, tags, table_key) = self.vocabulary.parts();
        let mut bytes = vec![0; HEADER];
        bytes.extend(key(&self.ranking).to_le_bytes());
        for (sum, count) in self.lengths.0 {
            bytes.extend(sum.to_le_bytes());
            bytes.extend(count.to_le_bytes());
        }
        bytes.extend(table_key.to_le_bytes());
        put_bytes(&mut bytes, letters.as_bytes());
        for numbers in numbers {
            put(&mut bytes, numbers.iter().map(|number| number.to_le_bytes()));
        }
        put_bytes(&mut bytes, tags);
        put(&mut bytes, self.frequencies.iter().map(|number| number.to_le_bytes()));
        put_bytes(&mut bytes, ids.as_bytes());
        put_ends(&mut bytes, id_ends);
        put(&mut bytes, names.iter().map(|number| number.to_le_bytes()));
        put(&mut bytes, sketches.iter().map(|sketch| sketch.0.to_le_bytes()));
        put(&mut bytes, stamps.iter().map(|number| number.to_le_bytes()));
        put_ends(&mut bytes, &streams.ends);
        put(&mut bytes, postings.stems.iter().map(|number| number.to_le_bytes()));
        put_ends(&mut bytes, &postings.lists.ends);
        let (first, sum) = (bytes.len() - HEADER, checksum(&bytes[HEADER..]));
        postings.lists.store(&mut bytes);
        streams.store(&mut bytes);
        let length = bytes.len() as u64;
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[16..24].copy_from_slice(&length.to_le_bytes());
        bytes[24..32].copy_from_slice(&(first as u64).to_le_bytes());
        bytes[32..40].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads an index with the default ranking, as [`to_bytes`](Self::to_bytes) wrote it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SavedIndexError> {
        Self::from_bytes_with(Ranking::default(), bytes)
    }

    /// Reads an index that was made with a ranking.
    pub fn from_bytes_with(ranking: Ranking, bytes: &[u8]) -> Result<Self, SavedIndexError> {
        read(ranking, &Saved::Slice(bytes))
    }

    /// Opens an index with the default ranking where it is stored, and leaves there what it need not hold:
    /// the words of the skills, of which a query reads those of the best few, and the postings if so
    /// wanted, of which it reads those of its words.
    ///
    /// What is read later is compared with its checksum then; [`is_damaged`](Self::is_damaged) tells.
    ///
    /// ```
    /// use metier_core::{IndexBytes, IndexUse, Matcher, SkillIndex, SkillText};
    /// use std::sync::Arc;
    ///
    /// #[derive(Debug)]
    /// struct Blob(Vec<u8>);
    ///
    /// impl IndexBytes for Blob {
    ///     fn length(&self) -> u64 {
    ///         self.0.len() as u64
    ///     }
    ///     fn read(&self, from: u64, length: usize) -> Option<Vec<u8>> {
    ///         let from = usize::try_from(from).ok()?;
    ///         Some(self.0.get(from..from.checked_add(length)?)?.to_vec())
    ///     }
    /// }
    ///
    /// let skill = SkillText { id: "pdf", name: "pdf", description: "Fills forms.", ..SkillText::default() };
    /// let saved = SkillIndex::build([skill]).to_bytes();
    /// let index = SkillIndex::open(Arc::new(Blob(saved)), IndexUse::OneQuery)?;
    /// assert_eq!(&*index.search("fill this form", 5)[0].id, "pdf");
    /// assert!(!index.is_damaged());
    /// # Ok::<(), metier_core::SavedIndexError>(())
    /// ```
    pub fn open(store: Arc<dyn IndexBytes>, for_use: IndexUse) -> Result<Self, SavedIndexError> {
        read(Ranking::default(), &Saved::Store(store, for_use))
    }

    /// Whether something that was left where the index is [stored](Self::open) turned out to be missing or
    /// changed when it was read. Answers since then may lack skills: build the index anew.
    pub fn is_damaged(&self) -> bool {
        self.segments
            .iter()
            .any(|segment| segment.streams.is_damaged() || segment.postings.lists.is_damaged())
    }
}

/// What a stored index is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum IndexUse {
    /// Many queries: postings are read at once and held.
    #[default]
    ManyQueries,
    /// One query, or few: postings are read where they are needed.
    OneQuery,
}

/// Where a saved index is.
enum Saved<'a> {
    Slice(&'a [u8]),
    Store(Arc<dyn IndexBytes>, IndexUse),
}

impl Saved<'_> {
    fn length(&self) -> u64 {
        match self {
            Self::Slice(bytes) => bytes.len() as u64,
            Self::Store(store, _) => store.length(),
        }
    }

    fn read(&self, from: u64, length: u64) -> Option<Cow<'_, [u8]>> {
        // Nobody is made to take room for more than there is.
        let end = from.checked_add(length).filter(|&end| end <= self.length())?;
        let (from, end) = (usize::try_from(from).ok()?, usize::try_from(end).ok()?);
        match self {
            Self::Slice(bytes) => bytes.get(from..end).map(Cow::Borrowed),
            Self::Store(store, _) => {
                let bytes = store.read(from as u64, end - from)?;
                (bytes.len() == end - from).then_some(Cow::Owned(bytes))
            }
        }
    }

    /// The postings, from a place on.
    fn postings(&self, ends: Ends, from: u64, length: u64) -> Option<Pieces> {
        match self {
            Self::Store(store, IndexUse::OneQuery) => {
                Some(Pieces::stored(ends, Arc::clone(store), from))
            }
            _ => Pieces::from_stored(ends, &self.read(from, length)?),
        }
    }

    /// The words, from a place on.
    fn words(&self, ends: Ends, from: u64, length: u64) -> Option<Pieces> {
        match self {
            Self::Store(store, _) => Some(Pieces::stored(ends, Arc::clone(store), from)),
            Self::Slice(_) => Pieces::from_stored(ends, &self.read(from, length)?),
        }
    }
}

fn read(ranking: Ranking, saved: &Saved<'_>) -> Result<SkillIndex, SavedIndexError> {
    let length = saved.length();
    let start = saved.read(0, length.min(HEADER as u64)).ok_or(SavedIndexError::Damaged)?;
    if !start.starts_with(&MAGIC) {
        return Err(SavedIndexError::NotAnIndex);
    }
    let mut head = Cursor { bytes: &start[MAGIC.len()..] };
    let found = head.number().map(u32::from_le_bytes).ok_or(SavedIndexError::Damaged)?;
    if found != VERSION {
        return Err(SavedIndexError::Version { found });
    }
    let is_zero = head.number() == Some([0; 4]);
    let is_whole = head.u64() == Some(length);
    let (first, sum) = head.u64().zip(head.u64()).ok_or(SavedIndexError::Damaged)?;
    let body = saved.read(HEADER as u64, first).ok_or(SavedIndexError::Damaged)?;
    if !is_zero || !is_whole || checksum(&body) != sum {
        return Err(SavedIndexError::Damaged);
    }
    let mut body = Cursor { bytes: &body };
    if body.u64() != Some(key(&ranking)) {
        return Err(SavedIndexError::Ranking);
    }
    read_parts(ranking, body, saved, HEADER as u64 + first).ok_or(SavedIndexError::Damaged)
}

/// Reads what stands behind the key. `None` where the parts do not fit together.
fn read_parts(
    ranking: Ranking,
    mut body: Cursor<'_>,
    saved: &Saved<'_>,
    end: u64,
) -> Option<SkillIndex> {
    let mut lengths = Lengths::default();
    for (sum, count) in &mut lengths.0 {
        (*sum, *count) = (body.u64()?, body.u64()?);
    }
    let key = body.u64()?;
    let vocabulary = VocabularyParts {
        letters: body.text()?,
        ends: body.numbers(u32::from_le_bytes)?,
        stems: body.numbers(u32::from_le_bytes)?,
        table: body.numbers(u32::from_le_bytes)?,
        tags: body.array()?.to_vec(),
        key,
    };
    let frequencies = body.numbers(u32::from_le_bytes)?;
    let (ids, id_ends) = (body.text()?, body.ends()?);
    let names = body.numbers(u64::from_le_bytes)?;
    let sketches = body.numbers(|bytes| Sketch(u128::from_le_bytes(bytes)))?;
    let stamps = body.numbers(u64::from_le_bytes)?;
    let stream_ends = body.ends()?;
    let (stems, list_ends) = (body.numbers(u32::from_le_bytes)?, body.ends()?);
    let count = stream_ends.len();
    let each = [id_ends.len(), names.len(), sketches.len(), stamps.len()];
    let fits = body.bytes.is_empty()
        && each == [count; 4]
        && u32::try_from(count).is_ok()
        && vocabulary.stems.len() == vocabulary.ends.len()
        && vocabulary.tags.len() == vocabulary.table.len()
        && frequencies.len() <= vocabulary.ends.len()
        && stems.len() == list_ends.len();
    let (lists, streams) =
        (Pieces::stored_length(&list_ends)?, Pieces::stored_length(&stream_ends)?);
    if !fits || end.checked_add(lists)?.checked_add(streams)? != saved.length() {
        return None;
    }
    let postings = Postings { stems, lists: saved.postings(list_ends, end, lists)? };
    let streams = saved.words(stream_ends, end + lists, streams)?;
    let segment = Segment { ids, id_ends, names, sketches, stamps, streams, postings };
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
        vocabulary: Arc::new(Vocabulary::with(vocabulary)),
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

fn put_bytes(bytes: &mut Vec<u8>, items: &[u8]) {
    bytes.extend((items.len() as u64).to_le_bytes());
    bytes.extend_from_slice(items);
}

fn put_ends(bytes: &mut Vec<u8>, ends: &Ends) {
    put(bytes, ends.groups.iter().map(|number| number.to_le_bytes()));
    put(bytes, ends.ends.iter().map(|number| number.to_le_bytes()));
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

    fn ends(&mut self) -> Option<Ends> {
        let ends = Ends {
            groups: self.numbers(u64::from_le_bytes)?,
            ends: self.numbers(u32::from_le_bytes)?,
        };
        ends.is_whole().then_some(ends)
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
