//! Turns an open directory into the names in it, and a name into an open file.

use crate::disk::{Kind, LastLink, ReadError};
#[cfg(unix)]
use rustix::fs::{AtFlags, FileType, statat};
#[cfg(unix)]
use std::ffi::CStr;
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};

/// An open directory. Its files are opened from the handle where the system can do that, so that
/// what was listed and what is read stand in the same directory.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    #[cfg(unix)]
    open: rustix::fd::OwnedFd,
}

#[cfg(unix)]
impl Directory {
    /// Opens a directory, never anything else.
    pub(crate) fn open(path: PathBuf, link: LastLink) -> Result<Self, ReadError> {
        use rustix::fs::{CWD, Mode, OFlags, openat};
        let mut flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        flags.set(OFlags::NOFOLLOW, link == LastLink::Refuse);
        match openat(CWD, &path, flags, Mode::empty()) {
            Ok(open) => Ok(Self { path, open }),
            Err(error) => Err(ReadError::new(&path, error.into())),
        }
    }

    /// Names everything in the directory, in no order. Costs no call per entry.
    pub(crate) fn scan(&self, mut found: impl FnMut(&OsStr, Kind)) -> Result<(), ReadError> {
        // On the stack: most directories are small, and a buffer for each costs more than reading it.
        #[cfg(target_os = "linux")]
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        #[cfg(target_os = "linux")]
        let mut entries = rustix::fs::RawDir::new(&self.open, &mut buffer);
        #[cfg(not(target_os = "linux"))]
        let mut entries = rustix::fs::Dir::read_from(&self.open)
            .map_err(|error| ReadError::new(&self.path, error.into()))?;
        while let Some(entry) = entries.next() {
            let entry = entry.map_err(|error| ReadError::new(&self.path, error.into()))?;
            self.name(entry.file_name(), entry.file_type(), &mut found);
        }
        Ok(())
    }

    fn name(&self, name: &CStr, mut kind: FileType, found: &mut impl FnMut(&OsStr, Kind)) {
        use std::os::unix::ffi::OsStrExt as _;
        if matches!(name.to_bytes(), b"." | b"..") {
            return;
        }
        if kind == FileType::Unknown {
            // A file system that does not say must be asked.
            let about = statat(&self.open, name, AtFlags::SYMLINK_NOFOLLOW);
            kind = about.map_or(kind, |about| FileType::from_raw_mode(about.st_mode));
        }
        let kind = match kind {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Directory,
            FileType::Symlink => Kind::Link,
            _ => Kind::Special,
        };
        found(OsStr::from_bytes(name.to_bytes()), kind);
    }

    /// Opens a regular file in the directory without waiting for anybody, and says how large it is. A
    /// link is refused.
    pub(crate) fn open_file(&self, name: &str) -> Result<(File, u64), ReadError> {
        use rustix::fs::{Mode, OFlags, fstat, openat};
        let flags =
            OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat(&self.open, name, flags, Mode::empty());
        let about = opened.and_then(|file| fstat(&file).map(|about| (file, about)));
        match about {
            Ok((file, about)) if FileType::from_raw_mode(about.st_mode).is_file() => {
                Ok((file.into(), u64::try_from(about.st_size).unwrap_or_default()))
            }
            // What is no regular file is told by its path.
            _ => crate::disk::open_file(&self.path.join(name), LastLink::Refuse),
        }
    }
}

#[cfg(not(unix))]
impl Directory {
    /// Remembers a directory.
    pub(crate) fn open(path: PathBuf, _: LastLink) -> Result<Self, ReadError> {
        Ok(Self { path })
    }

    /// Names everything in the directory, in no order.
    pub(crate) fn scan(&self, found: impl FnMut(&OsStr, Kind)) -> Result<(), ReadError> {
        crate::disk::scan_path(&self.path, found)
    }

    /// Opens a regular file in the directory, and says how large it is.
    pub(crate) fn open_file(&self, name: &str) -> Result<(File, u64), ReadError> {
        crate::disk::open_file(&self.path.join(name), LastLink::Refuse)
    }
}

impl Directory {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
