//! Turns an open directory into the names in it, and a name into an open file.

use crate::disk::{Kind, LastLink, ReadError};
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};

/// An open directory. Its files are opened from the handle where the system can do that, so that
/// what was listed and what is read stand in the same directory.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    #[cfg(unix)]
    open: rustix::fs::Dir,
}

#[cfg(unix)]
impl Directory {
    /// Opens a directory, never anything else.
    pub(crate) fn open(path: PathBuf, link: LastLink) -> Result<Self, ReadError> {
        use rustix::fs::{CWD, Dir, Mode, OFlags, openat};
        let mut flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        flags.set(OFlags::NOFOLLOW, link == LastLink::Refuse);
        match openat(CWD, &path, flags, Mode::empty()).and_then(Dir::new) {
            Ok(open) => Ok(Self { path, open }),
            Err(error) => Err(ReadError::new(&path, error.into())),
        }
    }

    /// Names everything in the directory, in no order. Costs no call per entry.
    pub(crate) fn scan(&mut self, mut found: impl FnMut(&OsStr, Kind)) -> Result<(), ReadError> {
        use rustix::fs::{AtFlags, FileType, statat};
        use std::os::unix::ffi::OsStrExt as _;
        while let Some(entry) = self.open.read() {
            let entry = entry.map_err(|error| ReadError::new(&self.path, error.into()))?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let mut kind = entry.file_type();
            if kind == FileType::Unknown {
                // A file system that does not say must be asked.
                let directory = self.open.fd();
                let about = directory.and_then(|fd| statat(fd, name, AtFlags::SYMLINK_NOFOLLOW));
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
        Ok(())
    }

    /// Opens a regular file in the directory without waiting for anybody, and says how large it is. A
    /// link is refused.
    pub(crate) fn open_file(&self, name: &str) -> Result<(File, u64), ReadError> {
        use rustix::fs::{FileType, Mode, OFlags, fstat, openat};
        let flags =
            OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = self.open.fd().and_then(|fd| openat(fd, name, flags, Mode::empty()));
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
    pub(crate) fn scan(&mut self, mut found: impl FnMut(&OsStr, Kind)) -> Result<(), ReadError> {
        crate::disk::scan(&self.path, |name, kind| found(&name, kind))
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
