//! Turns a folder that is filled beside its place into the one at its place, in one step.

use super::{ErrorKind, File, Path, PathBuf, fs, io, rename_new};
use std::io::Write as _;
use tempfile::TempDir;

/// What every temporary folder of ours starts with.
const PREFIX: &str = ".metier-";
/// Where a new folder waits inside it, and where an old one is put.
const NEW: &str = "new";
const OLD: &str = "old";

/// A filled folder that waits beside its place. It goes when this goes.
#[derive(Debug)]
pub(crate) struct Staged {
    room: TempDir,
    name: String,
}

/// A file to be staged.
pub(crate) struct StagedFile<'f> {
    /// Its path, separated by `/`, without anything that leads out.
    pub(crate) path: &'f str,
    pub(crate) bytes: &'f [u8],
    pub(crate) executable: bool,
}

impl Staged {
    /// Fills a folder called `name` beside those in `folder`, on the same file system, and waits
    /// until the disk has it.
    pub(crate) fn fill<'f>(
        folder: &Path,
        name: &str,
        files: impl IntoIterator<Item = StagedFile<'f>>,
    ) -> io::Result<Self> {
        let room = room_in(folder)?;
        let place = room.path().join(NEW).join(name);
        fs::create_dir_all(&place)?;
        for file in files {
            let path = file.path.split('/').fold(place.clone(), |path, part| path.join(part));
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            let mut open = File::create_new(&path)?;
            open.write_all(file.bytes)?;
            if file.executable {
                make_executable(&open)?;
            }
            open.sync_all()?;
        }
        sync_folder(&place)?;
        Ok(Self { room, name: name.to_owned() })
    }

    fn new_place(&self) -> PathBuf {
        self.room.path().join(NEW).join(&self.name)
    }

    /// Moves the folder to where nothing is yet.
    pub(crate) fn place(self, target: &Path) -> io::Result<()> {
        rename_new(&self.new_place(), target)?;
        sync_parent(target)?;
        self.room.close()
    }

    /// Moves the folder to where an old one is, which goes.
    ///
    /// Both change places in one step where the system can do that. Where it cannot, the old one is
    /// put aside first; [`sweep`] puts it back if nobody came to the second step.
    pub(crate) fn replace(self, target: &Path) -> io::Result<()> {
        match exchange(&self.new_place(), target) {
            Ok(()) => {}
            Err(error) if cannot_exchange(&error) => {
                let old = self.room.path().join(OLD);
                fs::create_dir_all(&old)?;
                fs::rename(target, old.join(&self.name))?;
                fs::rename(self.new_place(), target)?;
            }
            Err(error) => return Err(error),
        }
        sync_parent(target)?;
        self.room.close()
    }
}

/// Takes a folder away in one step, and removes it then.
pub(crate) fn take_away(target: &Path) -> io::Result<()> {
    let folder = super::folder_of(target);
    let room = room_in(folder)?;
    let name = target.file_name().unwrap_or_default();
    fs::rename(target, room.path().join(name))?;
    sync_parent(target)?;
    room.close()
}

/// Removes what a run that ended early has left in `folder`, and puts back what it had put aside.
/// Only for who holds the lock: a run that is going on has such folders too.
pub(crate) fn sweep(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        if !entry.file_type()?.is_dir() {
            fs::remove_file(entry.path())?;
            continue;
        }
        if let Ok(old) = fs::read_dir(entry.path().join(OLD)) {
            for old in old.flatten() {
                let target = folder.join(old.file_name());
                if fs::symlink_metadata(&target).is_err() {
                    fs::rename(old.path(), target)?;
                }
            }
        }
        fs::remove_dir_all(entry.path())?;
    }
    Ok(())
}

/// Replaces a file in one step, by one that was filled in the folder `room`. A link at its place is
/// replaced too, and never followed.
pub(crate) fn replace_file(path: &Path, bytes: &[u8], room: &Path) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut staged = builder.tempfile_in(room).map_err(|error| io::Error::from(error.kind()))?;
    staged.write_all(bytes)?;
    staged.as_file().sync_all()?;
    match staged.persist(path) {
        Ok(_) => sync_parent(path),
        // The folder is another disk, and so the file must be filled beside its place.
        Err(error) if error.error.kind() == ErrorKind::CrossesDevices => {
            super::replace(path, bytes)
        }
        Err(error) => Err(error.error),
    }
}

/// What stands at a path, links not followed; `None` when nothing does.
pub(crate) fn standing(path: &Path) -> io::Result<Option<super::Kind>> {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_symlink() => Ok(Some(super::Kind::Link)),
        Ok(about) if about.is_dir() => Ok(Some(super::Kind::Directory)),
        Ok(about) if about.is_file() => Ok(Some(super::Kind::File)),
        Ok(_) => Ok(Some(super::Kind::Special)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Makes a link to a folder. `target` is written as it is.
#[cfg(unix)]
pub(crate) fn link_folder(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(windows)]
pub(crate) fn link_folder(target: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_dir(target, link)
}

/// Where a link leads, as it is written.
pub(crate) fn link_target(link: &Path) -> io::Result<PathBuf> {
    fs::read_link(link)
}

/// Removes a file or a link.
pub(crate) fn remove_file(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

fn room_in(folder: &Path) -> io::Result<TempDir> {
    fs::create_dir_all(folder)?;
    // Private, and under a name that nobody can know before (security L01, L14).
    tempfile::Builder::new()
        .prefix(PREFIX)
        .tempdir_in(folder)
        .map_err(|error| io::Error::from(error.kind()))
}

#[cfg(unix)]
fn make_executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = file.metadata()?.permissions().mode();
    // Whoever may read it may run it.
    file.set_permissions(fs::Permissions::from_mode(mode | (mode & 0o444) >> 2))
}

#[cfg(not(unix))]
fn make_executable(_: &File) -> io::Result<()> {
    Ok(())
}

/// Waits until the disk has the names in a folder and below it.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folder(&entry.path())?;
        }
    }
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Waits until the disk has the name of a folder.
fn sync_parent(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(super::folder_of(path))?.sync_all() } else { Ok(()) }
}

/// Lets two folders change places.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(new: &Path, old: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Whether the file system, or the system, knows no such step.
fn cannot_exchange(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::InvalidInput)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn staged(folder: &Path, text: &str) -> Staged {
        let file = StagedFile { path: "a/x", bytes: text.as_bytes(), executable: true };
        Staged::fill(folder, "pdf", [file]).unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_is_there_whole_or_not_at_all() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("pdf");
        staged(place.path(), "one").place(&target).unwrap();
        assert_eq!(fs::read(target.join("a/x")).unwrap(), b"one");
        assert!(staged(place.path(), "two").place(&target).is_err(), "nothing is overwritten");
        assert_eq!(fs::read(target.join("a/x")).unwrap(), b"one");
        staged(place.path(), "two").replace(&target).unwrap();
        assert_eq!(fs::read(target.join("a/x")).unwrap(), b"two");
        assert_eq!(names(place.path()), ["pdf"], "nothing temporary is left");
        take_away(&target).unwrap();
        assert_eq!(names(place.path()), [""; 0]);
    }

    #[test]
    fn what_was_put_aside_comes_back_when_nothing_took_its_place() {
        let place = tempfile::tempdir().unwrap();
        let old = place.path().join(".metier-x/old");
        fs::create_dir_all(old.join("pdf")).unwrap();
        fs::create_dir_all(old.join("new")).unwrap();
        fs::write(old.join("pdf/x"), "old").unwrap();
        fs::create_dir_all(place.path().join("new")).unwrap();
        fs::write(place.path().join("new/x"), "new").unwrap();
        fs::create_dir_all(place.path().join(".metier-y/new/half")).unwrap();
        sweep(place.path()).unwrap();
        assert_eq!(names(place.path()), ["new", "pdf"]);
        assert_eq!(fs::read(place.path().join("pdf/x")).unwrap(), b"old");
        assert_eq!(fs::read(place.path().join("new/x")).unwrap(), b"new");
        sweep(&place.path().join("none")).unwrap();
    }
}
