//! Turns bytes into a number that changes with them.

/// A checksum that any change of one byte changes: each step can be undone, so no two inputs that
/// differ in one place meet.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
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

#[cfg(test)]
mod tests {
    use super::checksum;

    #[test]
    fn every_byte_counts() {
        let bytes: Vec<u8> = (0..100).collect();
        let whole = checksum(&bytes);
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 0x40;
            assert_ne!(checksum(&other), whole);
            assert_ne!(checksum(&bytes[..at]), whole);
        }
    }
}
