//! Turns a file into bytes that are read where they are asked for.

use super::{LastLink, ReadError, open_file};
use metier_core::IndexBytes;
use std::fs::File;
use std::path::Path;

/// A file that stays open. Whoever puts another in its place does not change what is read here.
#[derive(Debug)]
pub(crate) struct StoredFile {
    #[cfg(unix)]
    file: File,
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
    length: u64,
}

impl StoredFile {
    pub(crate) fn open(path: &Path) -> Result<Self, ReadError> {
        let (file, length) = open_file(path, LastLink::Follow)?;
        #[cfg(not(unix))]
        let file = std::sync::Mutex::new(file);
        Ok(Self { file, length })
    }

    #[cfg(unix)]
    fn fill(&self, from: u64, bytes: &mut [u8]) -> std::io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, bytes, from)
    }

    /// Elsewhere there is one place in a file, so one reads at a time.
    #[cfg(not(unix))]
    fn fill(&self, from: u64, bytes: &mut [u8]) -> std::io::Result<()> {
        use std::io::{Read as _, Seek as _, SeekFrom};
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(bytes)
    }
}

impl IndexBytes for StoredFile {
    fn length(&self) -> u64 {
        self.length
    }

    fn read(&self, from: u64, length: usize) -> Option<Vec<u8>> {
        // What is asked for is in the file, so nobody is made to take room for more.
        from.checked_add(length as u64).filter(|&end| end <= self.length)?;
        let mut bytes = vec![0; length];
        self.fill(from, &mut bytes).ok()?;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::StoredFile;
    use metier_core::IndexBytes as _;

    #[test]
    fn any_part_of_a_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        crate::write_atomically(&path, b"0123456789").unwrap();
        let file = StoredFile::open(&path).unwrap();
        crate::write_atomically(&path, b"another").unwrap();
        assert_eq!(file.length(), 10);
        assert_eq!(file.read(3, 4).unwrap(), b"3456");
        assert_eq!(file.read(10, 0).unwrap(), b"");
        assert_eq!(file.read(8, 3), None);
        assert_eq!(file.read(u64::MAX, 2), None);
        assert!(StoredFile::open(folder.path()).is_err());
    }
}
