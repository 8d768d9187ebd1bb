//! Turns a path into something that one process at a time holds, for as long as it lives.

use super::{File, Path, fs, io};

/// A file that one process at a time holds. It is let go when this goes, or when the process does.
#[derive(Debug)]
pub(crate) struct FileLock {
    _file: File,
}

impl FileLock {
    /// Waits until nobody else holds the file.
    pub(crate) fn hold(path: &Path) -> io::Result<Self> {
        hold(path)
    }

    /// Holds the file if nobody else does.
    pub(crate) fn try_hold(path: &Path) -> io::Result<Option<Self>> {
        try_hold(path)
    }
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        // A link that someone has put there is not followed (security L14).
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
}

#[cfg(unix)]
fn hold(path: &Path) -> io::Result<FileLock> {
    use rustix::fs::{FlockOperation, flock};
    let file = open(path)?;
    loop {
        match flock(&file, FlockOperation::LockExclusive) {
            Ok(()) => return Ok(FileLock { _file: file }),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(unix)]
fn try_hold(path: &Path) -> io::Result<Option<FileLock>> {
    use rustix::fs::{FlockOperation, flock};
    let file = open(path)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(FileLock { _file: file })),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// On Windows, a file that is opened without sharing is held.
#[cfg(windows)]
fn try_hold(path: &Path) -> io::Result<Option<FileLock>> {
    use std::os::windows::fs::OpenOptionsExt as _;
    const SHARING_VIOLATION: i32 = 32;
    let mut options = fs::OpenOptions::new();
    options.create(true).truncate(false).write(true).share_mode(0);
    match options.open(path) {
        Ok(file) => Ok(Some(FileLock { _file: file })),
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(windows)]
fn hold(path: &Path) -> io::Result<FileLock> {
    loop {
        if let Some(held) = try_hold(path)? {
            return Ok(held);
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
