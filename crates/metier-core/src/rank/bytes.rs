//! Turns numbers into few bytes and back: seven bits a byte, the low ones first.

/// Appends a number.
pub(super) fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a number at a place, and moves past it. What is cut short reads as if zeros followed.
#[inline]
pub(super) fn get(bytes: &[u8], at: &mut usize) -> u32 {
    let mut number = 0;
    let mut shift = 0;
    while let Some(&byte) = bytes.get(*at) {
        *at += 1;
        number |= u32::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 || shift >= 35 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::{get, put};

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 127, 128, 16_383, 16_384, 1 << 28, u32::MAX] {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            let mut at = 0;
            assert_eq!((get(&bytes, &mut at), at), (number, bytes.len()));
        }
    }

    #[test]
    fn what_is_cut_short_still_ends() {
        let mut at = 0;
        assert_eq!(get(&[0x81], &mut at), 1);
        assert_eq!(get(&[0xff; 9], &mut 0), u32::MAX);
    }
}
