//! Turns "how much is too much for one skill" into fields with defaults.

/// What a package may hold. Real skills have at most 194 files and 1.3 MB.
///
/// ```
/// use metier::install::PackageLimits;
///
/// let limits = PackageLimits { entries: 10, ..PackageLimits::default() };
/// assert_eq!(limits.file_bytes, 10 * 1024 * 1024);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct PackageLimits {
    /// The largest file, in bytes.
    pub file_bytes: u64,
    /// All files together, in bytes.
    pub total_bytes: u64,
    /// The most files and folders.
    pub entries: usize,
    /// How many times larger than its archive a package may be.
    pub ratio: u64,
    /// Below this many bytes the ratio does not matter.
    pub ratio_from: u64,
}

impl Default for PackageLimits {
    fn default() -> Self {
        const MEBIBYTE: u64 = 1024 * 1024;
        Self {
            file_bytes: 10 * MEBIBYTE,
            total_bytes: 50 * MEBIBYTE,
            entries: 1_000,
            ratio: 100,
            ratio_from: MEBIBYTE,
        }
    }
}
