//! Turns a place into a temporary folder in it, and folders there that nobody holds any more into nothing.

use super::file_lock::FileLock;
use super::{Path, fs, io};
use tempfile::TempDir;

/// The file that tells who lives from who does not.
const HELD: &str = "metier.lock";

/// A temporary folder that others leave alone for as long as this process lives. It goes when this
/// goes; when the process was killed, the next one that makes such a folder removes it.
#[derive(Debug)]
pub(crate) struct HeldFolder {
    /// Let go before the folder goes.
    _held: FileLock,
    folder: TempDir,
}

impl HeldFolder {
    /// Makes a folder in `place`, private and under a name that nobody can know before (security
    /// L14), and removes those that processes left there which are gone.
    pub(crate) fn make_in(place: &Path, prefix: &str) -> io::Result<Self> {
        // One at a time: a folder that was just made is not held yet.
        let _turn = FileLock::hold(&place.join("lock"))?;
        sweep(place, prefix)?;
        let folder = tempfile::Builder::new()
            .prefix(prefix)
            .tempdir_in(place)
            .map_err(|error| io::Error::from(error.kind()))?;
        let held = FileLock::hold(&folder.path().join(HELD))?;
        Ok(Self { _held: held, folder })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn sweep(place: &Path, prefix: &str) -> io::Result<()> {
    for entry in fs::read_dir(place)?.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(prefix);
        if !ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let held = FileLock::try_hold(&entry.path().join(HELD));
        if let Ok(Some(unheld)) = held {
            drop(unheld);
            // A program that outlived its parent may still write; the next run tries again.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_holds_is_removed_and_what_somebody_holds_is_not() {
        let place = tempfile::tempdir().unwrap();
        let living = HeldFolder::make_in(place.path(), ".x-").unwrap();
        let dead = place.path().join(".x-dead");
        fs::create_dir_all(dead.join("objects")).unwrap();
        fs::write(dead.join(HELD), "").unwrap();
        fs::create_dir(place.path().join(".x-never-held")).unwrap();
        fs::create_dir(place.path().join("other")).unwrap();
        let next = HeldFolder::make_in(place.path(), ".x-").unwrap();
        assert!(!dead.exists() && !place.path().join(".x-never-held").exists());
        assert!(place.path().join("other").exists());
        assert!(living.path().exists() && next.path().exists());
        let path = living.path().to_owned();
        drop(living);
        assert!(!path.exists());
    }
}
