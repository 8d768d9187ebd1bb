//! Turns numbers into as many bits as they need and back, the low ones first.

use std::ops::Range;

/// How many numbers of a list share one width.
const BLOCK: usize = 32;

/// How many bits say how wide the numbers of a block are.
const WIDTH: u32 = 5;

/// From so many steps on, a number stands there in full.
const MOST_STEPS: u32 = 20;

/// How many bits a number has, at least one.
pub(super) fn width(number: u32) -> u32 {
    (32 - number.leading_zeros()).max(1)
}

/// Appends bits to bytes.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    pending: u64,
    count: u32,
}

impl BitWriter {
    /// Appends the low bits of a number, at most 32 of them.
    pub(super) fn put(&mut self, bytes: &mut Vec<u8>, number: u32, bits: u32) {
        self.pending |= u64::from(number) << self.count;
        self.count += bits;
        while self.count >= 8 {
            bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    /// Fills up the last byte.
    pub(super) fn finish(&mut self, bytes: &mut Vec<u8>) {
        if self.count > 0 {
            bytes.push(self.pending as u8);
        }
        *self = Self::default();
    }
}

/// Appends numbers that ascend, none twice: the distances between them as Golomb-Rice codes, whose
/// width suits thirty-two at a time.
pub(super) fn put_ascending(bytes: &mut Vec<u8>, numbers: &[u32]) {
    let mut writer = BitWriter::default();
    let mut next = 0;
    for block in numbers.chunks(BLOCK) {
        let distances: [u32; BLOCK] = std::array::from_fn(|at| {
            let Some(&number) = block.get(at) else { return 0 };
            let distance = number - next;
            next = number.wrapping_add(1);
            distance
        });
        let distances = &distances[..block.len()];
        let width = best_width(distances);
        writer.put(bytes, width, WIDTH);
        for &distance in distances {
            let steps = distance >> width;
            if steps < MOST_STEPS {
                writer.put(bytes, 1 << steps, steps + 1);
                writer.put(bytes, distance & ((1 << width) - 1), width);
            } else {
                writer.put(bytes, 0, MOST_STEPS);
                writer.put(bytes, distance, 32);
            }
        }
    }
    writer.finish(bytes);
}

/// The width that makes these distances shortest, of three about their mean.
fn best_width(distances: &[u32]) -> u32 {
    let sum: u64 = distances.iter().map(|&distance| u64::from(distance)).sum();
    let mean = sum / distances.len().max(1) as u64;
    let middle = (64 - mean.leading_zeros()).clamp(1, 30);
    let cost = |width: u32| -> u64 {
        let steps = distances.iter().map(|&distance| (distance >> width).min(MOST_STEPS + 32));
        steps.map(u64::from).sum::<u64>() + u64::from(width) * distances.len() as u64
    };
    (middle - 1..=middle + 1).min_by_key(|&width| cost(width)).unwrap_or(middle)
}

/// Sixty-four bits at a place, zeros behind the end.
#[inline]
fn window(bytes: &[u8], bit: usize) -> u64 {
    let rest = bytes.get(bit / 8..).unwrap_or_default();
    let word = match rest.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    word >> (bit % 8)
}

/// Numbers that ascend, as [`put_ascending`] wrote them.
#[derive(Debug, Clone)]
pub(super) struct Ascending<'a> {
    bytes: &'a [u8],
    bit: usize,
    left: usize,
    /// How many numbers of the block are left, and their width.
    block: usize,
    width: u32,
    next: u32,
}

impl<'a> Ascending<'a> {
    /// So many numbers, as far as the bytes go.
    pub(super) fn new(bytes: &'a [u8], count: usize) -> Self {
        Self { bytes, bit: 0, left: count, block: 0, width: 0, next: 0 }
    }
}

impl Iterator for Ascending<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.left == 0 || self.bit >= 8 * self.bytes.len() {
            return None;
        }
        if self.block == 0 {
            self.width = (window(self.bytes, self.bit) & ((1 << WIDTH) - 1)) as u32;
            self.bit += WIDTH as usize;
            self.block = BLOCK;
        }
        self.block -= 1;
        self.left -= 1;
        let bits = window(self.bytes, self.bit);
        let steps = bits.trailing_zeros();
        let distance = if steps < MOST_STEPS {
            self.bit += (steps + 1 + self.width) as usize;
            let low = (bits >> (steps + 1)) as u32 & ((1 << self.width) - 1);
            steps.wrapping_shl(self.width) | low
        } else {
            self.bit += (MOST_STEPS + 32) as usize;
            (bits >> MOST_STEPS) as u32
        };
        let number = self.next.wrapping_add(distance);
        self.next = number.wrapping_add(1);
        Some(number)
    }
}

/// Gives some of many numbers of one width, as far as the bytes go.
#[inline]
pub(super) fn each_of_width(
    bytes: &[u8],
    width: u32,
    range: Range<usize>,
    mut give: impl FnMut(usize, u32),
) {
    let width = width.clamp(1, 32) as usize;
    let end = range.end.min(8 * bytes.len() / width);
    let mask = (1u64 << width) - 1;
    // A window has at least 57 bits that count.
    let together = 57 / width;
    let mut at = range.start;
    while at < end {
        let mut bits = window(bytes, at * width);
        for at in at..end.min(at + together) {
            give(at, (bits & mask) as u32);
            bits >>= width;
        }
        at += together;
    }
}

#[cfg(test)]
mod tests {
    use super::{Ascending, BitWriter, each_of_width, put_ascending, width};

    fn round_trip(numbers: &[u32]) -> Vec<u32> {
        let mut bytes = Vec::new();
        put_ascending(&mut bytes, numbers);
        Ascending::new(&bytes, numbers.len()).collect()
    }

    #[test]
    fn ascending_numbers_come_back() {
        let near: Vec<u32> = (0..100).collect();
        let far: Vec<u32> = (0..100).map(|at| at * at * 400_000).collect();
        let mixed: Vec<u32> = (0..31).chain([5_000_000, u32::MAX - 1, u32::MAX]).collect();
        for numbers in [vec![], vec![0], vec![u32::MAX], near, far, mixed] {
            assert_eq!(round_trip(&numbers), numbers);
        }
    }

    #[test]
    fn near_numbers_take_few_bits() {
        let mut bytes = Vec::new();
        put_ascending(&mut bytes, &(0..320).map(|at| at * 8).collect::<Vec<_>>());
        assert!(bytes.len() < 320 * 6 / 8, "{} bytes", bytes.len());
    }

    #[test]
    fn any_bytes_end() {
        for bytes in [&[0xff; 40][..], &[0; 40], &[0x55; 3], &[]] {
            assert!(Ascending::new(bytes, usize::MAX).count() <= 8 * bytes.len());
        }
    }

    #[test]
    fn numbers_of_one_width_come_back() {
        for numbers in [vec![1, 0, 1], vec![5, 300, 0, 511], vec![u32::MAX, 0, 7]] {
            let bits = numbers.iter().copied().map(width).max().unwrap_or(1);
            let (mut bytes, mut writer) = (Vec::new(), BitWriter::default());
            for &number in &numbers {
                writer.put(&mut bytes, number, bits);
            }
            writer.finish(&mut bytes);
            let mut read = Vec::new();
            each_of_width(&bytes, bits, 0..numbers.len(), |_, number| read.push(number));
            assert_eq!(read, numbers);
            each_of_width(&bytes, bits, 1..2, |at, number| {
                assert_eq!((at, number), (1, numbers[1]));
            });
            each_of_width(&bytes, bits, 1000..usize::MAX, |_, _| panic!("there are no more"));
        }
    }
}
