//! Turns an open directory into the names in it, the directories below it, and open files.

use crate::discover::discovery::Mounts;
use crate::disk::{Kind, LastLink, OddFile, ReadError};
#[cfg(unix)]
use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
#[cfg(unix)]
use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, statat};
#[cfg(unix)]
use std::ffi::CStr;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// An open directory. What stands in it and below it is opened from the handle where the system can
/// do that, so that what was listed and what is read stand in the same directory.
#[derive(Debug)]
pub(crate) struct Directory {
    #[cfg(unix)]
    open: OwnedFd,
    #[cfg(not(unix))]
    path: PathBuf,
}

#[cfg(unix)]
const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A file is opened without waiting for anybody, and without taking over a terminal.
#[cfg(unix)]
const FILE: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

#[cfg(unix)]
impl Directory {
    /// Opens a directory, never anything else.
    pub(crate) fn open(path: &Path, link: LastLink) -> io::Result<Self> {
        let mut flags = DIRECTORY;
        flags.set(OFlags::NOFOLLOW, link == LastLink::Refuse);
        Ok(Self { open: openat(rustix::fs::CWD, path, flags, Mode::empty())? })
    }

    /// Opens a directory below, where no component of the path may be a link.
    pub(crate) fn below(&self, path: &Path, mounts: Mounts) -> io::Result<Self> {
        Ok(Self { open: open_below(self.open.as_fd(), path, DIRECTORY, mounts)? })
    }

    /// Names everything in the directory, in no order. Costs no call per entry.
    pub(crate) fn scan(&self, mut found: impl FnMut(&OsStr, Kind)) -> io::Result<()> {
        // On the stack: most directories are small, and a buffer for each costs more than reading it.
        #[cfg(target_os = "linux")]
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        #[cfg(target_os = "linux")]
        let mut entries = rustix::fs::RawDir::new(&self.open, &mut buffer);
        #[cfg(not(target_os = "linux"))]
        let mut entries = rustix::fs::Dir::read_from(&self.open)?;
        while let Some(entry) = entries.next() {
            let entry = entry?;
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

    /// Opens a regular file in the directory or below, and says how large it is. Links are refused,
    /// and nothing is looked up by the path that people know: it may lead elsewhere by now.
    pub(crate) fn open_file(
        &self,
        path: &Path,
        mounts: Mounts,
        shown: impl Fn() -> PathBuf,
    ) -> Result<(File, u64), ReadError> {
        let opened = open_below(self.open.as_fd(), path, FILE, mounts).and_then(|file| {
            let about = fstat(&file)?;
            Ok((file, about))
        });
        let kind = match opened {
            Ok((file, about)) => match FileType::from_raw_mode(about.st_mode) {
                FileType::RegularFile => {
                    return Ok((file.into(), u64::try_from(about.st_size).unwrap_or_default()));
                }
                kind => kind,
            },
            // A socket cannot be opened at all, so ask what it is.
            Err(error) => match statat(&self.open, path, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(about) if is_odd(&error) => FileType::from_raw_mode(about.st_mode),
                _ => return Err(ReadError::new(&shown(), error)),
            },
        };
        let kind = match kind {
            FileType::Directory => return Err(ReadError::Directory { path: shown() }),
            FileType::Fifo => OddFile::Pipe,
            FileType::Socket => OddFile::Socket,
            FileType::CharacterDevice | FileType::BlockDevice => OddFile::Device,
            _ => OddFile::Other,
        };
        Err(ReadError::NotAFile { path: shown(), kind })
    }

    /// The handle.
    #[expect(clippy::unnecessary_wraps, reason = "systems without handles have to ask for one")]
    pub(crate) fn into_file(self) -> io::Result<File> {
        Ok(self.open.into())
    }
}

/// What the system says when a socket, or a device without a driver, is opened.
#[cfg(unix)]
pub(crate) fn is_odd(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(Errno::from_io_error(error), Some(Errno::NXIO | Errno::NODEV))
}

/// Opens what a path names below a directory. No component may be a link: whatever is put in the
/// place of a folder meanwhile, the path does not lead out (security R13, R14).
#[cfg(unix)]
fn open_below(
    directory: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    mounts: Mounts,
) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::NOFOLLOW;
    // A single name needs no more than that, and the call is the cheapest one.
    let is_name = !path.as_os_str().as_encoded_bytes().contains(&b'/');
    let opened = if is_name {
        openat(directory, path, flags, Mode::empty())?
    } else {
        open_path(directory, path, flags)?
    };
    mounts.permit(directory, opened.as_fd())?;
    Ok(opened)
}

#[cfg(target_os = "linux")]
fn open_path(directory: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};
    use rustix::io::Errno;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    match openat2(directory, path, flags, Mode::empty(), resolve) {
        // A system before 5.6, or a sandbox that does not know the call.
        Err(Errno::NOSYS | Errno::PERM) => open_by_component(directory, path, flags),
        opened => Ok(opened?),
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
fn open_path(directory: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    open_by_component(directory, path, flags)
}

/// Opens what a path names below a directory, one component after the other.
#[cfg(unix)]
fn open_by_component(directory: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let mut reached: Option<OwnedFd> = None;
    let mut components = path.components().peekable();
    while let Some(component) = components.next() {
        let is_last = components.peek().is_none();
        let flags = if is_last { flags } else { DIRECTORY | OFlags::NOFOLLOW };
        let from = reached.as_ref().map_or(directory, |open| open.as_fd());
        reached = Some(openat(from, component.as_os_str(), flags, Mode::empty())?);
    }
    reached.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

#[cfg(unix)]
impl Mounts {
    /// Whether what was opened below a directory may be read: an error for what is mounted there, if
    /// that is not wanted (security R26).
    pub(crate) fn permit(
        self,
        directory: BorrowedFd<'_>,
        opened: BorrowedFd<'_>,
    ) -> io::Result<()> {
        if self == Self::Cross || mount_of(directory)? == mount_of(opened)? {
            return Ok(());
        }
        Err(io::ErrorKind::CrossesDevices.into())
    }
}

/// The number of the mount that something was opened through. That of its device would not do: a folder
/// that is mounted a second time has the device that it had.
#[cfg(target_os = "linux")]
fn mount_of(open: BorrowedFd<'_>) -> io::Result<u64> {
    use rustix::fs::{StatxFlags, statx};
    let about = statx(open, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID)?;
    if about.stx_mask & StatxFlags::MNT_ID.bits() == 0 {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(about.stx_mnt_id)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn mount_of(open: BorrowedFd<'_>) -> io::Result<rustix::fs::Dev> {
    Ok(fstat(open)?.st_dev)
}

#[cfg(not(unix))]
impl Directory {
    /// Remembers a directory.
    pub(crate) fn open(path: &Path, _: LastLink) -> io::Result<Self> {
        Ok(Self { path: path.to_owned() })
    }

    /// Remembers a directory below.
    pub(crate) fn below(&self, path: &Path, _: Mounts) -> io::Result<Self> {
        Ok(Self { path: self.path.join(path) })
    }

    /// Names everything in the directory, in no order.
    pub(crate) fn scan(&self, found: impl FnMut(&OsStr, Kind)) -> io::Result<()> {
        crate::disk::scan_path(&self.path, found)
    }

    /// Opens a regular file in the directory, and says how large it is.
    pub(crate) fn open_file(
        &self,
        path: &Path,
        _: Mounts,
        _: impl Fn() -> PathBuf,
    ) -> Result<(File, u64), ReadError> {
        crate::disk::open_file(&self.path.join(path), LastLink::Refuse)
    }

    /// A handle of the directory.
    pub(crate) fn into_file(self) -> io::Result<File> {
        let open = cap_std::fs::Dir::open_ambient_dir(self.path, cap_std::ambient_authority())?;
        Ok(open.into_std_file())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::discover::confined::Refusal;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_is_mounted_from_elsewhere_has_an_error_of_its_own() {
        let root = Directory::open(Path::new("/"), LastLink::Follow).unwrap();
        let own = root.below(Path::new("."), Mounts::Refuse).unwrap();
        assert!(Mounts::Refuse.permit(root.open.as_fd(), own.open.as_fd()).is_ok());
        let error = ReadError::new(Path::new("a"), io::ErrorKind::CrossesDevices.into());
        assert!(matches!(error, ReadError::Mounted { .. }), "{error}");
        assert_eq!(error.reason(), "it is mounted from elsewhere");
        assert_eq!(error.to_string(), "`a` is mounted from elsewhere");
        let refusal = Refusal::from(io::Error::from(io::ErrorKind::CrossesDevices));
        assert!(matches!(refusal, Refusal::Forbidden("it is mounted from elsewhere")));
        // Where the system has mounts at hand, they are seen.
        let Ok(proc) = root.below(Path::new("proc"), Mounts::Cross) else { return };
        if mount_of(root.open.as_fd()).unwrap() == mount_of(proc.open.as_fd()).unwrap() {
            return;
        }
        let refused = root.below(Path::new("proc"), Mounts::Refuse).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::CrossesDevices);
    }

    fn reads(opened: io::Result<OwnedFd>) -> io::Result<String> {
        use std::io::Read as _;
        let mut text = String::new();
        File::from(opened?).read_to_string(&mut text)?;
        Ok(text)
    }

    /// Both ways to open must agree; the second one is for systems without the call.
    #[test]
    fn no_component_may_be_a_link() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("root");
        crate::create_folder(&root, &[("a/b/ok.txt", "inside")]).unwrap();
        crate::create_folder(&place.path().join("outside"), &[("b/ok.txt", "outside")]).unwrap();
        symlink("../outside", root.join("link")).unwrap();
        symlink("a", root.join("inner")).unwrap();
        symlink("ok.txt", root.join("a/b/name")).unwrap();
        let directory = Directory::open(&root, LastLink::Refuse).unwrap();
        let handle = directory.open.as_fd();
        for open in [open_path, open_by_component] {
            let flags = FILE | OFlags::NOFOLLOW;
            let read = |path: &str| reads(open(handle, Path::new(path), flags));
            assert_eq!(read("a/b/ok.txt").unwrap(), "inside");
            for path in ["link/b/ok.txt", "inner/b/ok.txt", "a/b/name", "a/b/none", ""] {
                assert!(read(path).is_err(), "{path}");
            }
        }
        assert!(directory.below(Path::new("a/b"), Mounts::Cross).is_ok());
        for path in ["link", "link/b", "inner", "a/b/ok.txt"] {
            assert!(directory.below(Path::new(path), Mounts::Cross).is_err(), "{path}");
        }
    }
}
