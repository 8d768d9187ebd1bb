//! Turns bytes into their SHA-256 digest, as text.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// A SHA-256 digest.
pub(crate) type Digest = [u8; 32];

/// The digest of some bytes.
pub(crate) fn digest(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

/// The digest in lower-case hexadecimal.
pub(crate) fn hex(digest: &Digest) -> String {
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The digest of some bytes in lower-case hexadecimal.
pub(crate) fn hex_digest(bytes: &[u8]) -> String {
    hex(&digest(bytes))
}

/// A digest as the protocols write it: `sha256:` and 64 digits.
pub(crate) fn labelled(digest: &Digest) -> String {
    format!("sha256:{}", hex(digest))
}
