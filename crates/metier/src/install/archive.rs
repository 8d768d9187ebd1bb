//! Turns the bytes of an archive into a tree of files: the first bad entry refuses the whole.

mod gzip;
mod tar;
mod zip;

use super::package_limits::PackageLimits;
use super::tree::{FileTree, TreeError};
use crate::visible;

/// What kind of archive some bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArchiveFormat {
    /// A tar, compressed with gzip.
    TarGz,
    /// A tar as it is.
    Tar,
    /// A zip.
    Zip,
}

/// Why an archive is refused. Each is one attack, one kind of damage, or one limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The bytes are no archive that is known.
    #[error("it is neither a `.tar.gz` nor a `.zip`")]
    Unknown,
    /// The bytes are another kind than the name says (security H13).
    #[error("it is called a {expected} and is a {found}")]
    Mislabelled {
        /// What the name says.
        expected: &'static str,
        /// What the bytes are.
        found: &'static str,
    },
    /// The archive ends in the middle (security Z21).
    #[error("it is cut off at `{place}`")]
    Truncated {
        /// What was being read.
        place: String,
    },
    /// A checksum does not match what it was made of (security Z21).
    #[error("the checksum of `{}` is wrong", visible(entry))]
    Checksum {
        /// The entry, or the archive itself.
        entry: String,
    },
    /// Compressed data cannot be read (security Z21).
    #[error("the compressed data of `{}` is damaged", visible(entry))]
    Damaged {
        /// The entry, or the archive itself.
        entry: String,
    },
    /// A header cannot be read, or has a form that no skill needs.
    #[error("the header of `{}` is not understood: {reason}", visible(entry))]
    Header {
        /// The entry, or the archive itself.
        entry: String,
        /// What is odd.
        reason: &'static str,
    },
    /// Two places that must say the same do not, so two readers would see two archives (security
    /// Z13, Z14, Z15).
    #[error("two readers would not agree on `{}`: {reason}", visible(entry))]
    Ambiguous {
        /// The entry, or the archive itself.
        entry: String,
        /// What differs.
        reason: &'static str,
    },
    /// A symbolic link (security Z03).
    #[error("`{}` is a link, and links are not installed", visible(entry))]
    Link {
        /// The entry.
        entry: String,
    },
    /// A hard link (security Z05).
    #[error("`{}` is a hard link, and links are not installed", visible(entry))]
    HardLink {
        /// The entry.
        entry: String,
    },
    /// A pipe, a device, or anything else that is neither file nor folder (security Z06).
    #[error("`{}` is neither a file nor a folder", visible(entry))]
    Special {
        /// The entry.
        entry: String,
    },
    /// A file that would run with the rights of another (setuid, setgid).
    #[error("`{}` would run with the rights of another user", visible(entry))]
    Privileged {
        /// The entry.
        entry: String,
    },
    /// An encrypted entry (security Z19).
    #[error("`{}` is encrypted", visible(entry))]
    Encrypted {
        /// The entry.
        entry: String,
    },
    /// A name that is not UTF-8.
    #[error("the name `{}` is not UTF-8", visible(entry))]
    NotUtf8 {
        /// The name, with marks for what could not be read.
        entry: String,
    },
    /// It unpacks to far more than it is (security Z12).
    #[error("it unpacks to more than {ratio} times its size")]
    Bomb {
        /// The ratio that is allowed.
        ratio: u64,
    },
    /// It unpacks to more than the limit (security Z12).
    #[error("it unpacks to more than {limit} bytes")]
    TooLarge {
        /// How much is allowed.
        limit: u64,
    },
    /// An entry cannot be part of a tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl ArchiveFormat {
    /// The kind that the bytes themselves say they are.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x1f, 0x8b, ..] => Some(Self::TarGz),
            [b'P', b'K', 3 | 5, 4 | 6, ..] => Some(Self::Zip),
            _ if bytes.get(257..262) == Some(b"ustar") => Some(Self::Tar),
            _ => None,
        }
    }

    /// The kind that a name says an archive is.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        match name {
            name if name.strip_suffix(".tar.gz").is_some()
                || name.strip_suffix(".tgz").is_some() =>
            {
                Some(Self::TarGz)
            }
            name if name.strip_suffix(".tar").is_some() => Some(Self::Tar),
            name if name.strip_suffix(".zip").is_some() => Some(Self::Zip),
            _ => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::TarGz => "`.tar.gz`",
            Self::Tar => "`.tar`",
            Self::Zip => "`.zip`",
        }
    }
}

/// Reads an archive into memory, within limits. Nothing is written anywhere.
///
/// `name` is what the archive is called; the bytes must be what it says (security H13). Only regular
/// files and folders are taken. Anything else, anything that two programs could read in two ways and
/// anything over a limit refuses the whole archive, with an error that names the entry.
///
/// ```
/// use metier::install::{ArchiveError, PackageLimits, unpack};
///
/// let error = unpack("pdf.zip", b"\x1f\x8b", &PackageLimits::default()).unwrap_err();
/// assert_eq!(error.to_string(), "it is called a `.zip` and is a `.tar.gz`");
/// ```
pub fn unpack(name: &str, bytes: &[u8], limits: &PackageLimits) -> Result<FileTree, ArchiveError> {
    let format = ArchiveFormat::of(bytes).ok_or(ArchiveError::Unknown)?;
    if let Some(expected) = ArchiveFormat::named(name).filter(|named| *named != format) {
        let (expected, found) = (expected.as_str(), format.as_str());
        return Err(ArchiveError::Mislabelled { expected, found });
    }
    match format {
        ArchiveFormat::TarGz => tar::read(&gzip::read(bytes, limits)?, limits),
        ArchiveFormat::Tar => tar::read(bytes, limits),
        ArchiveFormat::Zip => zip::read(bytes, limits),
    }
}

/// A name from an archive as text that may stand in an error.
fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}
