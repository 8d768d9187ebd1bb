//! Turns an open directory into the files below it, and never into anything outside of it.

use crate::discover::directory::Directory;
#[cfg(unix)]
use crate::discover::directory::is_odd;
use crate::discover::discovery::Mounts;
use crate::disk::Kind;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, FileType, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;

#[cfg(unix)]
use std::os::fd::AsFd as _;

/// An open directory. Paths are resolved from the handle, one component after the other, by the
/// system where it can (`openat2`) and else by hand: what is swapped for a link meanwhile cannot lead
/// out (security R13, R14). Links that stay inside are followed (security R11).
#[derive(Debug)]
pub(crate) struct Confined {
    open: Dir,
    mounts: Mounts,
}

/// Why a file inside was not read.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// There is none.
    Missing,
    /// There is something, but not to be read.
    Forbidden(&'static str),
    /// It is larger than the limit.
    TooLarge { size: u64 },
    /// The system failed.
    Failed(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::Missing,
            // What is refused on the way has no number of the system.
            ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
                Self::Forbidden("it leads out of the skill")
            }
            ErrorKind::PermissionDenied => Self::Forbidden("there is no permission to read it"),
            ErrorKind::IsADirectory => Self::Forbidden("it is a directory"),
            ErrorKind::CrossesDevices => Self::Forbidden("it is mounted from elsewhere"),
            _ if is_loop(&error) => Self::Forbidden("it is a link that leads in a circle"),
            _ if is_odd(&error) => Self::Forbidden("it is a socket or a device"),
            _ => Self::Failed(error),
        }
    }
}

#[cfg(unix)]
fn is_loop(error: &io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP)
}

#[cfg(not(unix))]
fn is_loop(_: &io::Error) -> bool {
    false
}

#[cfg(not(unix))]
fn is_odd(_: &io::Error) -> bool {
    false
}

impl Confined {
    /// Opens a directory that the caller trusts to be the right one.
    pub(crate) fn open(directory: &Path) -> io::Result<Self> {
        let open = Dir::open_ambient_dir(directory, ambient_authority())?;
        Ok(Self { open, mounts: Mounts::Cross })
    }

    /// Takes over a directory that is open already.
    pub(crate) fn new(directory: Directory) -> io::Result<Self> {
        let open = Dir::from_std_file(directory.into_file()?);
        Ok(Self { open, mounts: Mounts::Cross })
    }

    /// Says what becomes of what is mounted below.
    pub(crate) fn mounts(mut self, mounts: Mounts) -> Self {
        self.mounts = mounts;
        self
    }

    /// Opens a directory below.
    pub(crate) fn below(&self, path: &Path) -> io::Result<Self> {
        let open = self.open.open_dir(path)?;
        #[cfg(unix)]
        self.mounts.permit(self.open.as_fd(), open.as_fd())?;
        Ok(Self { open, mounts: self.mounts })
    }

    /// Reads a regular file of at most `limit` bytes, or that many of a `range`, and says how large
    /// it is. One open file is looked at and read, so that nothing can come between.
    pub(crate) fn read(
        &self,
        path: &Path,
        limit: usize,
        range: Option<&Range<u64>>,
    ) -> Result<(Vec<u8>, u64), Refusal> {
        let mut file = self.open_file(path)?;
        let size = file.metadata()?.len();
        let (start, end) = range.map_or((0, size), |range| (range.start, range.end.min(size)));
        let wanted = end.saturating_sub(start);
        if wanted > limit as u64 {
            return Err(Refusal::TooLarge { size: wanted });
        }
        if start > 0 && wanted > 0 {
            file.seek(SeekFrom::Start(start))?;
        }
        // Without a range the whole file was meant: one byte more tells whether it has grown.
        let most = if range.is_some() { wanted } else { limit as u64 + 1 };
        let mut bytes = Vec::with_capacity(wanted as usize);
        file.take(most).read_to_end(&mut bytes)?;
        let read = bytes.len() as u64;
        if read > limit as u64 {
            return Err(Refusal::TooLarge { size: read });
        }
        Ok((bytes, size.max(start.min(size) + read)))
    }

    /// Reads a whole file of at most `limit` bytes, and says whether it may be run.
    #[cfg(feature = "install")]
    pub(crate) fn read_whole(&self, path: &Path, limit: u64) -> Result<(Vec<u8>, bool), Refusal> {
        let file = self.open_file(path)?;
        let about = file.metadata()?;
        if about.len() > limit {
            return Err(Refusal::TooLarge { size: about.len() });
        }
        #[cfg(unix)]
        let executable = cap_std::fs::MetadataExt::mode(&about) & 0o111 != 0;
        #[cfg(not(unix))]
        let executable = false;
        let mut bytes = Vec::with_capacity(about.len() as usize);
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(Refusal::TooLarge { size: bytes.len() as u64 });
        }
        Ok((bytes, executable))
    }

    /// Opens a regular file, waiting for nobody (security R17).
    fn open_file(&self, path: &Path) -> Result<File, Refusal> {
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            use rustix::fs::OFlags;
            options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
        }
        let file = self.open.open_with(path, &options)?;
        #[cfg(unix)]
        self.mounts.permit(self.open.as_fd(), file.as_fd())?;
        match kind(file.metadata()?.file_type()) {
            Kind::File => Ok(file),
            Kind::Directory => Err(Refusal::Forbidden("it is a directory")),
            Kind::Link | Kind::Special => Err(Refusal::Forbidden("it is a pipe or a device")),
        }
    }

    /// Whether a link leads to a regular file inside.
    pub(crate) fn leads_to_file(&self, path: &Path) -> bool {
        let about = match self.mounts {
            Mounts::Cross => self.open.metadata(path),
            Mounts::Refuse => return self.open_file(path).is_ok(),
        };
        about.is_ok_and(|about| about.is_file())
    }

    /// Everything in a directory whose name is Unicode, sorted.
    pub(crate) fn entries(&self, path: &Path) -> io::Result<Vec<(String, Kind)>> {
        let mut entries = Vec::new();
        for entry in self.below(path)?.open.entries()? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            entries.push((name, kind(entry.file_type()?)));
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(entries)
    }

    /// Everything in a directory, sorted.
    #[cfg(feature = "install")]
    pub(crate) fn all_entries(&self, path: &Path) -> io::Result<Vec<(std::ffi::OsString, Kind)>> {
        let mut entries = Vec::new();
        for entry in self.open.read_dir(path)? {
            let entry = entry?;
            entries.push((entry.file_name(), kind(entry.file_type()?)));
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(entries)
    }

    /// Whether each component of a path is written as its directory has it: some systems take
    /// `skill.MD` for `SKILL.md`, but what was listed is what counts (security R23).
    pub(crate) fn is_spelt(&self, path: &Path) -> io::Result<bool> {
        let mut directory = std::path::PathBuf::from(".");
        for component in path.components() {
            let name = component.as_os_str();
            let mut found = false;
            for entry in self.open.read_dir(&directory)? {
                found |= entry?.file_name() == name;
            }
            if !found {
                return Ok(false);
            }
            directory.push(name);
        }
        Ok(true)
    }
}

fn kind(kind: FileType) -> Kind {
    match kind {
        kind if kind.is_dir() => Kind::Directory,
        kind if kind.is_file() => Kind::File,
        kind if kind.is_symlink() => Kind::Link,
        _ => Kind::Special,
    }
}

#[cfg(test)]
mod tests {
    use super::Confined;
    use std::path::Path;

    /// Security R23, also where the system itself would not mind.
    #[test]
    fn only_the_spelling_on_disk_counts() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("root");
        crate::create_folder(&root, &[("sub/ok.txt", "")]).unwrap();
        let folder = Confined::open(&root).unwrap();
        assert!(folder.is_spelt(Path::new("sub/ok.txt")).unwrap());
        for path in ["Sub", "sub/OK.txt", "sub/ok"] {
            assert!(!folder.is_spelt(Path::new(path)).unwrap(), "{path}");
        }
    }
}
