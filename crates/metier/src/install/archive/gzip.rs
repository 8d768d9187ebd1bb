//! Turns gzip into the bytes it holds, and stops when they are too many.

use super::ArchiveError;
use crate::install::package_limits::PackageLimits;
use flate2::bufread::GzDecoder;
use std::io::{ErrorKind, Read as _};

/// What the archive itself is called in errors.
const SELF: &str = "the archive";

/// How much a tar may need beyond its files: a header, a long name and padding an entry.
const OVERHEAD: u64 = 4 * 1024;

/// Unpacks one gzip stream. A second one after it, or anything else, is refused: some programs
/// would read it and some would not (security Z14).
pub(super) fn read(bytes: &[u8], limits: &PackageLimits) -> Result<Vec<u8>, ArchiveError> {
    let limit = limits.total_bytes.saturating_add(OVERHEAD.saturating_mul(limits.entries as u64));
    let mut decoder = GzDecoder::new(bytes);
    let mut unpacked = Vec::new();
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let count = match decoder.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                return Err(ArchiveError::Truncated { place: SELF.to_owned() });
            }
            Err(error) if error.to_string().contains("checksum") => {
                return Err(ArchiveError::Checksum { entry: SELF.to_owned() });
            }
            Err(_) => return Err(ArchiveError::Damaged { entry: SELF.to_owned() }),
        };
        unpacked.extend_from_slice(&chunk[..count]);
        let size = unpacked.len() as u64;
        if size > limits.ratio_from && size > limits.ratio.saturating_mul(bytes.len() as u64) {
            return Err(ArchiveError::Bomb { ratio: limits.ratio });
        }
        if size > limit {
            return Err(ArchiveError::TooLarge { limit: limits.total_bytes });
        }
    }
    if !decoder.into_inner().is_empty() {
        let reason = "there is more after the end of the compressed data";
        return Err(ArchiveError::Ambiguous { entry: SELF.to_owned(), reason });
    }
    Ok(unpacked)
}
