//! Turns paths into bytes, listings and replaced files: the one room that touches the disk.
#![expect(clippy::disallowed_methods, reason = "this is the room that owns the file system")]

#[cfg(feature = "install")]
pub(crate) mod file_lock;
#[cfg(feature = "install")]
pub(crate) mod held_folder;
#[cfg(feature = "install")]
pub(crate) mod staging;
pub(crate) mod stored_file;

use crate::discover::directory::Directory;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write as _};
use std::path::{Path, PathBuf};

/// What stands at a path where a file was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OddFile {
    /// A FIFO.
    #[error("a named pipe")]
    Pipe,
    /// A socket.
    #[error("a socket")]
    Socket,
    /// A character or block device.
    #[error("a device")]
    Device,
    /// Something this system knows and we do not.
    #[error("a special file")]
    Other,
}

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Nothing stands at the path.
    #[error("`{}` does not exist", shown(path))]
    NotFound {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The path names a directory.
    #[error("`{}` is a directory, not a file", shown(path))]
    Directory {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The path names a pipe, a socket or a device.
    #[error("`{}` is {kind}, not a file", shown(path))]
    NotAFile {
        /// The path that was asked for.
        path: PathBuf,
        /// What stands there.
        kind: OddFile,
    },
    /// The file is larger than the caller takes.
    #[error("`{}` is too large: {size} bytes, the limit is {limit}", shown(path))]
    TooLarge {
        /// The path that was asked for.
        path: PathBuf,
        /// How many bytes the caller takes.
        limit: usize,
        /// How many bytes there are, as far as was seen.
        size: u64,
    },
    /// The system does not let us read it.
    #[error("no permission to read `{}`", shown(path))]
    Denied {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// It is mounted from elsewhere, and the options say to stay where we are.
    #[error("`{}` is mounted from elsewhere", shown(path))]
    Mounted {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// Anything else the system says.
    #[error("cannot read `{}`: {source}", shown(path))]
    Io {
        /// The path that was asked for.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl ReadError {
    /// The path that could not be read.
    pub fn path(&self) -> &Path {
        match self {
            Self::NotFound { path }
            | Self::Directory { path }
            | Self::NotAFile { path, .. }
            | Self::TooLarge { path, .. }
            | Self::Denied { path }
            | Self::Mounted { path }
            | Self::Io { path, .. } => path,
        }
    }

    /// What the user can do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "check the spelling of the path",
            Self::Directory { .. } => "replace the directory with a file, or give another path",
            Self::NotAFile { .. } => "replace it with an ordinary file",
            Self::TooLarge { .. } => "move parts of it into files beside it",
            Self::Denied { .. } => "change the permissions of the file or of its folder",
            Self::Mounted { .. } => "copy what is mounted there, or let mounts be crossed",
            Self::Io { .. } => "check the disk and the path",
        }
    }

    /// What is wrong, without the path: for those who name the path themselves.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::NotFound { .. } => "it does not exist".to_owned(),
            Self::Directory { .. } => "it is a directory, not a file".to_owned(),
            Self::NotAFile { kind, .. } => format!("it is {kind}, not a file"),
            Self::TooLarge { limit, size, .. } => {
                format!("it has {size} bytes, the limit is {limit}")
            }
            Self::Denied { .. } => "there is no permission to read it".to_owned(),
            Self::Mounted { .. } => "it is mounted from elsewhere".to_owned(),
            Self::Io { source, .. } => format!("it cannot be read: {source}"),
        }
    }

    pub(crate) fn new(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            ErrorKind::NotFound => Self::NotFound { path },
            ErrorKind::PermissionDenied => Self::Denied { path },
            ErrorKind::IsADirectory => Self::Directory { path },
            ErrorKind::CrossesDevices => Self::Mounted { path },
            _ => Self::Io { path, source },
        }
    }
}

/// Why a file could not be written. The old file, if there was one, is untouched.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{}`: {source}", shown(path))]
pub struct WriteError {
    /// The path that was to be written.
    pub path: PathBuf,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

/// A path as one line of visible characters.
fn shown(path: &Path) -> String {
    crate::visible(&path.to_string_lossy()).into_owned()
}

/// Reads a regular file of at most `limit` bytes.
///
/// Never waits: a FIFO, a socket or a device is refused (security D01, D02). The size is taken from
/// the open file and the cap applies to the bytes read, so neither a sparse file nor one that grows
/// meanwhile gets past it (security D03, D04).
pub fn read_capped(path: &Path, limit: usize) -> Result<Vec<u8>, ReadError> {
    let (file, about) = open_known(path, LastLink::Follow)?;
    read_open(file, about.len(), path, limit)
}

/// As [`read_capped`], and says whether the file has an executable bit.
pub(crate) fn read_executable(path: &Path, limit: usize) -> Result<(Vec<u8>, bool), ReadError> {
    let (file, about) = open_known(path, LastLink::Follow)?;
    let bytes = read_open(file, about.len(), path, limit)?;
    Ok((bytes, has_executable_bit(&about)))
}

fn read_open(mut file: File, size: u64, path: &Path, limit: usize) -> Result<Vec<u8>, ReadError> {
    let too_large = |size| ReadError::TooLarge { path: path.to_owned(), limit, size };
    if size > limit as u64 {
        return Err(too_large(size));
    }

    let expected = size as usize;
    let mut bytes = vec![0; expected + 1];
    let mut filled = 0;
    loop {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(ReadError::new(path, error)),
        }
        if filled > limit {
            return Err(too_large(filled as u64));
        }
        // The size was right, as it nearly always is: no need to ask for the end.
        if filled == expected {
            break;
        }
        if filled == bytes.len() {
            bytes.resize((filled * 2).max(4096).min(limit + 1), 0);
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// Whether a link at the end of a path is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastLink {
    Follow,
    /// What was a file when its directory was listed must still be one.
    Refuse,
}

/// Opens a regular file, and says how large it is.
pub(crate) fn open_file(path: &Path, link: LastLink) -> Result<(File, u64), ReadError> {
    open_known(path, link).map(|(file, about)| (file, about.len()))
}

fn open_known(path: &Path, link: LastLink) -> Result<(File, Metadata), ReadError> {
    let file = open(path, link)?;
    let about = file.metadata().map_err(|error| ReadError::new(path, error))?;
    if about.is_dir() {
        return Err(ReadError::Directory { path: path.to_owned() });
    }
    if !about.is_file() {
        return Err(ReadError::NotAFile { path: path.to_owned(), kind: odd(about.file_type()) });
    }
    Ok((file, about))
}

/// Opens without waiting for a writer, and without taking over a terminal.
#[cfg_attr(not(unix), expect(unused_variables, reason = "only Unix has the flag"))]
fn open(path: &Path, link: LastLink) -> Result<File, ReadError> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        flags.set(OFlags::NOFOLLOW, link == LastLink::Refuse);
        options.custom_flags(flags.bits().cast_signed());
    }
    options.open(path).map_err(|error| {
        // A socket cannot be opened at all, so ask what it is.
        match fs::metadata(path) {
            Ok(about) if !about.is_file() && !about.is_dir() => {
                ReadError::NotAFile { path: path.to_owned(), kind: odd(about.file_type()) }
            }
            Ok(about) if about.is_dir() => ReadError::Directory { path: path.to_owned() },
            _ => ReadError::new(path, error),
        }
    })
}

#[cfg(unix)]
fn odd(kind: fs::FileType) -> OddFile {
    use std::os::unix::fs::FileTypeExt as _;
    if kind.is_fifo() {
        OddFile::Pipe
    } else if kind.is_socket() {
        OddFile::Socket
    } else if kind.is_char_device() || kind.is_block_device() {
        OddFile::Device
    } else {
        OddFile::Other
    }
}

#[cfg(not(unix))]
fn odd(_: fs::FileType) -> OddFile {
    OddFile::Other
}

/// Replaces the contents of a file in one step: a reader sees the old bytes or the new ones, never
/// a mixture, and a crash leaves one of the two.
///
/// Permissions stay, and a file that is read-only is left alone. A link stays a link; the file it
/// leads to is replaced.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    replace(path, bytes).map_err(|source| WriteError { path: path.to_owned(), source })
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let old = match fs::symlink_metadata(path) {
        Ok(about) if about.is_symlink() => Some((fs::canonicalize(path)?, fs::metadata(path)?)),
        Ok(about) => Some((path.to_owned(), about)),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let target = old.as_ref().map_or(path, |(target, _)| target);
    if old.as_ref().is_some_and(|(_, about)| !about.is_file()) {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"));
    }
    // The folder may let us put another file in its place; whoever locked this one did not mean that.
    if old.as_ref().is_some_and(|(_, about)| about.permissions().readonly()) {
        return Err(io::Error::new(ErrorKind::PermissionDenied, "it is read-only"));
    }

    let mut builder = tempfile::Builder::new();
    builder.prefix(".metier-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut staged =
        builder.tempfile_in(folder_of(target)).map_err(|error| without_path(&error))?;
    staged.write_all(bytes)?;
    if let Some((_, about)) = &old {
        staged.as_file().set_permissions(about.permissions())?;
    }
    staged.as_file().sync_all()?;
    staged.persist(target)?;
    Ok(())
}

/// Leaves out the name of the staged file, which nobody gave and which is gone.
fn without_path(error: &io::Error) -> io::Error {
    io::Error::from(error.kind())
}

/// Creates a folder with files in one step: it is filled beside its place and then renamed.
///
/// Refuses to touch anything that is already there.
pub fn create_folder(folder: &Path, files: &[(&str, &str)]) -> Result<(), WriteError> {
    stage_folder(folder, files).map_err(|source| WriteError { path: folder.to_owned(), source })
}

fn stage_folder(folder: &Path, files: &[(&str, &str)]) -> io::Result<()> {
    if fs::symlink_metadata(folder).is_ok() {
        return Err(io::Error::new(ErrorKind::AlreadyExists, "it already exists"));
    }
    let parent = folder_of(folder);
    fs::create_dir_all(parent)?;
    let staged = tempfile::Builder::new()
        .prefix(".metier-")
        .tempdir_in(parent)
        .map_err(|error| without_path(&error))?;
    // A temporary folder is private; a skill is as readable as any other folder, so the one that is
    // renamed is made inside it under the usual mask.
    let inner = staged.path().join("skill");
    fs::create_dir(&inner)?;
    for (path, text) in files {
        let file = inner.join(path);
        fs::create_dir_all(folder_of(&file))?;
        let mut open = File::create_new(&file)?;
        open.write_all(text.as_bytes())?;
        open.sync_all()?;
        #[cfg(unix)]
        if text.starts_with("#!") {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = open.metadata()?.permissions().mode();
            // Whoever may read a script may run it.
            open.set_permissions(fs::Permissions::from_mode(mode | (mode & 0o444) >> 2))?;
        }
    }
    rename_new(&inner, folder)
}

/// Renames without replacing anything that appeared meanwhile.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// The folder a file stands in, as a path that can be opened.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => path,
    }
}

/// What a directory entry is, without following links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    Link,
    Special,
}

/// One name in a directory.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) path: PathBuf,
    /// The name; characters that are not Unicode are replaced.
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// Lists a directory, sorted by name. Costs no call per entry.
pub(crate) fn entries(directory: &Path) -> Result<Vec<Entry>, ReadError> {
    let mut entries = Vec::new();
    scan(directory, |name, kind| {
        let path = directory.join(name);
        entries.push(Entry { path, name: name.to_string_lossy().into_owned(), kind });
    })?;
    entries.sort_by(|a, b| a.path.file_name().cmp(&b.path.file_name()));
    Ok(entries)
}

/// Names everything in a directory, in no order.
pub(crate) fn scan(directory: &Path, found: impl FnMut(&OsStr, Kind)) -> Result<(), ReadError> {
    Directory::open(directory, LastLink::Follow)
        .and_then(|open| open.scan(found))
        .map_err(|error| ReadError::new(directory, error))
}

/// Names everything in a directory, on a system that has no handles for them.
#[cfg(not(unix))]
pub(crate) fn scan_path(directory: &Path, mut found: impl FnMut(&OsStr, Kind)) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let kind = match entry.file_type()? {
            kind if kind.is_dir() => Kind::Directory,
            kind if kind.is_file() => Kind::File,
            kind if kind.is_symlink() => Kind::Link,
            _ => Kind::Special,
        };
        found(&entry.file_name(), kind);
    }
    Ok(())
}

/// Makes a folder and those above it, where they are missing.
#[cfg(feature = "install")]
pub(crate) fn make_folders(folder: &Path) -> Result<(), WriteError> {
    fs::create_dir_all(folder).map_err(|source| WriteError { path: folder.to_owned(), source })
}

/// How many bytes the files right inside a folder have; what cannot be read counts nothing.
#[cfg(feature = "install")]
pub(crate) fn folder_size(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|about| about.len()).sum()
}

/// What a path leads to, links followed.
pub(crate) fn kind(path: &Path) -> Result<Kind, ReadError> {
    let about = fs::metadata(path).map_err(|error| ReadError::new(path, error))?;
    Ok(match about.file_type() {
        kind if kind.is_dir() => Kind::Directory,
        kind if kind.is_file() => Kind::File,
        _ => Kind::Special,
    })
}

/// The absolute path without links.
pub(crate) fn real_path(path: &Path) -> Result<PathBuf, ReadError> {
    fs::canonicalize(path).map_err(|error| ReadError::new(path, error))
}

/// Whether the file has an executable bit.
pub(crate) fn is_executable(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|about| has_executable_bit(&about))
}

#[cfg(unix)]
fn has_executable_bit(about: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    about.permissions().mode() & 0o111 != 0
}

/// This system has no such bit.
#[cfg(not(unix))]
fn has_executable_bit(_: &Metadata) -> bool {
    false
}

/// Whether a program can be started from the path: a regular file that may be executed, also behind a
/// link.
#[cfg(all(feature = "run", unix))]
pub(crate) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

/// The first bytes of a file, fewer when it is shorter or cannot be read.
pub(crate) fn first_bytes<const N: usize>(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(N);
    if let Ok(file) = open(path, LastLink::Follow) {
        // What was read before an error is still the start of the file.
        let _ = file.take(N as u64).read_to_end(&mut bytes);
    }
    bytes
}
