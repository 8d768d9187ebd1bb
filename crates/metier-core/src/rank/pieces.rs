//! Turns many pieces of bytes into one, held in memory or read from where they are stored, and back.

use super::checksum::checksum;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The bytes of a saved index, read where they are asked for: a file, a blob, a slice.
pub trait IndexBytes: fmt::Debug + Send + Sync {
    /// How many bytes there are.
    fn length(&self) -> u64;

    /// So many bytes from a place; `None` where they cannot be had.
    fn read(&self, from: u64, length: usize) -> Option<Vec<u8>>;
}

/// How many pieces are counted from one place.
const GROUP: usize = 64;

/// How many bytes of a checksum stand behind every stored piece.
const CHECKSUM: usize = 8;

/// Where each of many pieces ends, in half the room that this takes for each alone.
#[derive(Debug, Clone, Default)]
pub(super) struct Ends {
    /// Where each group starts.
    pub(super) groups: Vec<u64>,
    /// Where each piece ends in its group.
    pub(super) ends: Vec<u32>,
}

impl Ends {
    /// Notes where the next piece ends.
    pub(super) fn push(&mut self, end: usize) {
        let end = end as u64;
        if self.ends.len().is_multiple_of(GROUP) {
            let start = self.get(self.ends.len()).start as u64;
            self.groups.push(start);
        }
        let start = self.groups.last().map_or(0, |&start| start);
        self.ends.push(u32::try_from(end - start).unwrap_or(u32::MAX));
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is a start for each group.
    pub(super) fn is_whole(&self) -> bool {
        self.groups.len() == self.ends.len().div_ceil(GROUP)
    }

    /// Where a piece is; nothing behind the last.
    pub(super) fn get(&self, at: usize) -> Range<usize> {
        let end = |at: usize| {
            let group = self.groups.get(at / GROUP).map_or(0, |&start| start);
            let end = self.ends.get(at).map_or(0, |&end| u64::from(end));
            usize::try_from(group.saturating_add(end)).unwrap_or(usize::MAX)
        };
        let start = at.checked_sub(1).map_or(0, end);
        if at < self.len() { start..end(at) } else { start..start }
    }

    pub(super) fn shrink(&mut self) {
        self.groups.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    pub(super) fn bytes(&self) -> usize {
        8 * self.groups.capacity() + 4 * self.ends.capacity()
    }
}

/// Pieces of bytes, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Pieces {
    pub(super) ends: Ends,
    held: Held,
}

#[derive(Debug, Clone)]
enum Held {
    Memory(Vec<u8>),
    /// Each piece has its checksum behind it. One that does not fit was changed after it was written.
    Stored {
        store: Arc<dyn IndexBytes>,
        start: u64,
        is_damaged: Arc<AtomicBool>,
    },
}

impl Default for Pieces {
    fn default() -> Self {
        Self { ends: Ends::default(), held: Held::Memory(Vec::new()) }
    }
}

impl Pieces {
    /// Pieces that stay where they are stored.
    pub(super) fn stored(ends: Ends, store: Arc<dyn IndexBytes>, start: u64) -> Self {
        let is_damaged = Arc::new(AtomicBool::new(false));
        Self { ends, held: Held::Stored { store, start, is_damaged } }
    }

    /// Pieces from the bytes they were stored as, each compared with its checksum.
    pub(super) fn from_stored(ends: Ends, stored: &[u8]) -> Option<Self> {
        let mut memory = Vec::with_capacity(stored.len().checked_sub(CHECKSUM * ends.len())?);
        for at in 0..ends.len() {
            let range = stored_range(&ends, at)?;
            memory.extend_from_slice(checked(stored.get(range)?)?);
        }
        (memory.len() + CHECKSUM * ends.len() == stored.len())
            .then_some(Self { ends, held: Held::Memory(memory) })
    }

    /// How many bytes pieces take that are stored.
    pub(super) fn stored_length(ends: &Ends) -> Option<u64> {
        let last = ends.len().checked_sub(1).map_or(Some(0..0), |last| stored_range(ends, last))?;
        u64::try_from(last.end).ok()
    }

    /// Appends all pieces, each with its checksum behind it.
    pub(super) fn store(&self, bytes: &mut Vec<u8>) {
        for at in 0..self.len() {
            let piece = self.get(at);
            bytes.extend_from_slice(&piece);
            bytes.extend_from_slice(&checksum(&piece).to_le_bytes());
        }
    }

    /// Adds a piece that `write` appends. Only what is in memory can grow.
    pub(super) fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        if let Held::Memory(memory) = &mut self.held {
            write(memory);
            self.ends.push(memory.len());
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A piece; none, where it was damaged since it was stored.
    pub(super) fn get(&self, at: usize) -> Cow<'_, [u8]> {
        match &self.held {
            Held::Memory(memory) => {
                Cow::Borrowed(memory.get(self.ends.get(at)).unwrap_or_default())
            }
            Held::Stored { store, start, is_damaged } => {
                let piece = stored_range(&self.ends, at).and_then(|range| {
                    let from = start.checked_add(range.start as u64)?;
                    let mut piece = store.read(from, range.len())?;
                    let length = checked(&piece)?.len();
                    piece.truncate(length);
                    Some(piece)
                });
                if piece.is_none() {
                    is_damaged.store(true, Ordering::Relaxed);
                }
                Cow::Owned(piece.unwrap_or_default())
            }
        }
    }

    /// Whether a piece was asked for that had been damaged.
    pub(super) fn is_damaged(&self) -> bool {
        matches!(&self.held, Held::Stored { is_damaged, .. } if is_damaged.load(Ordering::Relaxed))
    }

    pub(super) fn shrink(&mut self) {
        self.ends.shrink();
        if let Held::Memory(memory) = &mut self.held {
            memory.shrink_to_fit();
        }
    }

    /// How many bytes of memory they take.
    pub(super) fn bytes(&self) -> usize {
        let held = if let Held::Memory(memory) = &self.held { memory.capacity() } else { 0 };
        self.ends.bytes() + held
    }
}

/// Where a piece is stored, with its checksum.
fn stored_range(ends: &Ends, at: usize) -> Option<Range<usize>> {
    let Range { start, end } = ends.get(at);
    let before = CHECKSUM.checked_mul(at)?;
    let range = start.checked_add(before)?..end.checked_add(before)?.checked_add(CHECKSUM)?;
    (start <= end).then_some(range)
}

/// A piece without the checksum behind it, if that fits.
fn checked(stored: &[u8]) -> Option<&[u8]> {
    let (piece, sum) = stored.split_last_chunk::<CHECKSUM>()?;
    (checksum(piece) == u64::from_le_bytes(*sum)).then_some(piece)
}

#[cfg(test)]
mod tests {
    use super::{IndexBytes, Pieces};
    use std::sync::Arc;

    #[derive(Debug)]
    struct Stored(Vec<u8>);

    impl IndexBytes for Stored {
        fn length(&self) -> u64 {
            self.0.len() as u64
        }

        fn read(&self, from: u64, length: usize) -> Option<Vec<u8>> {
            let from = usize::try_from(from).ok()?;
            Some(self.0.get(from..from.checked_add(length)?)?.to_vec())
        }
    }

    fn pieces() -> Pieces {
        let mut pieces = Pieces::default();
        for at in 0..300u32 {
            pieces.push(|bytes| bytes.extend(at.to_le_bytes().repeat(at as usize % 5)));
        }
        pieces
    }

    #[test]
    fn stored_pieces_come_back() {
        let (pieces, mut bytes) = (pieces(), vec![7; 3]);
        pieces.store(&mut bytes);
        assert_eq!(Pieces::stored_length(&pieces.ends), Some(bytes.len() as u64 - 3));
        let memory = Pieces::from_stored(pieces.ends.clone(), &bytes[3..]).unwrap();
        let stored = Pieces::stored(pieces.ends.clone(), Arc::new(Stored(bytes)), 3);
        for at in 0..301 {
            assert_eq!(pieces.get(at), memory.get(at));
            if at < 300 {
                assert_eq!(pieces.get(at), stored.get(at));
            }
        }
        assert!(!stored.is_damaged());
    }

    #[test]
    fn a_damaged_piece_is_not_given() {
        let (pieces, mut bytes) = (pieces(), Vec::new());
        pieces.store(&mut bytes);
        let at = bytes.len() - 12;
        bytes[at] ^= 1;
        assert!(Pieces::from_stored(pieces.ends.clone(), &bytes).is_none());
        let stored = Pieces::stored(pieces.ends.clone(), Arc::new(Stored(bytes)), 0);
        assert_eq!(stored.get(298), pieces.get(298));
        assert!(!stored.is_damaged());
        assert!(stored.get(299).is_empty() && !pieces.get(299).is_empty());
        assert!(stored.is_damaged());
    }
}
