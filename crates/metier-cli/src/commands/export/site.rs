//! Turns the files of an index into exactly those in a folder, beside what somebody else has put there.

use crate::exit::Failure;
use metier::install::Sha256;
use metier::{ReadError, ResourcePath, read_capped, visible, write_atomically};
use metier_mcp::WebIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The record of what was written: lines as `sha256sum` has them.
const RECORD: &str = ".metier-export";

/// The file that names all others, and so is written last.
const INDEX: &str = "index.json";

/// How large the record and a file may be.
const LARGEST: usize = 256 * 1024 * 1024;

/// The digests that were written to a path: more than one when an export was interrupted.
type Record = BTreeMap<String, BTreeSet<Sha256>>;

/// A folder that is written to.
pub(super) struct Site<'s> {
    folder: PathBuf,
    index: &'s WebIndex,
    before: Record,
    after: Record,
}

/// What became of the files.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) written: Vec<String>,
    pub(super) unchanged: usize,
    pub(super) removed: Vec<String>,
    /// Files of an earlier export that somebody has changed since, and that are no longer needed.
    pub(super) kept: Vec<String>,
}

impl<'s> Site<'s> {
    pub(super) fn open(folder: PathBuf, index: &'s WebIndex) -> Result<Self, Failure> {
        let before = match read_capped(&folder.join(RECORD), LARGEST) {
            Ok(bytes) => parse(&String::from_utf8_lossy(&bytes)),
            Err(ReadError::NotFound { .. }) => Record::new(),
            Err(error) => return Err(error.into()),
        };
        let digest = |path: &str| format!("sha256:{}", index.digest(path)?).parse().ok();
        let after =
            index.paths().filter_map(|path| Some((path.to_owned(), [digest(path)?].into())));
        let after = after.collect();
        Ok(Self { folder, index, before, after })
    }

    /// Makes the folder hold what the index does. Whoever reads it meanwhile finds an index whose files
    /// are all there: new ones come before it, and old ones go after it.
    pub(super) fn write(&self) -> Result<Outcome, Failure> {
        self.refuse_strangers()?;
        make_folders(&self.folder.join(RECORD))?;
        // Whatever happens from here on, the next export knows what is ours.
        let mut ours = self.before.clone();
        for (path, digests) in &self.after {
            ours.entry(path.clone()).or_default().extend(digests);
        }
        self.record(&ours)?;
        let mut outcome = Outcome::default();
        let stale = || self.before.keys().filter(|path| !self.after.contains_key(*path));
        for path in stale().filter(|path| self.is_in_the_way(path)) {
            self.remove(path, &mut outcome)?;
        }
        let (last, files): (Vec<_>, Vec<_>) = self.after.keys().partition(|path| *path == INDEX);
        for path in files.into_iter().chain(last) {
            self.put(path, &mut outcome)?;
        }
        for path in stale().filter(|path| !self.is_in_the_way(path)) {
            self.remove(path, &mut outcome)?;
        }
        self.record(&self.after)?;
        Ok(outcome)
    }

    /// A file that no export has written is not replaced, unless it is the same.
    fn refuse_strangers(&self) -> Result<(), Failure> {
        for (path, digests) in
            self.after.iter().filter(|(path, _)| !self.before.contains_key(*path))
        {
            match self.digest(path)? {
                Some(digest) if !digests.contains(&digest) => {
                    let file = self.folder.join(path);
                    let file = visible(&file.to_string_lossy()).into_owned();
                    let message =
                        format!("`{file}` is there already, and no export has written it");
                    return Err(Failure::fault(
                        message,
                        "move it away, or export into another folder",
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn put(&self, path: &str, outcome: &mut Outcome) -> Result<(), Failure> {
        if self.digest(path)?.is_some_and(|digest| self.after[path].contains(&digest)) {
            outcome.unchanged += 1;
            return Ok(());
        }
        let bytes = self.index.read(path).ok_or_else(|| {
            let message = format!("`{}` changed while it was exported", visible(path));
            Failure::fault(message, "export again")
        })?;
        let file = self.folder.join(path);
        make_folders(&file)?;
        write_atomically(&file, &bytes)?;
        outcome.written.push(path.to_owned());
        Ok(())
    }

    /// Whether a file stands where a folder is needed, or the other way round.
    fn is_in_the_way(&self, stale: &str) -> bool {
        let is_below = |path: &str, folder: &str| {
            path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        self.after.keys().any(|path| is_below(path, stale) || is_below(stale, path))
    }

    /// Removes a file of an earlier export, and the folders that it leaves empty. One that is not what
    /// was written, or that a link leads to, is somebody else's.
    fn remove(&self, path: &str, outcome: &mut Outcome) -> Result<(), Failure> {
        let Some(digest) = self.digest(path)? else { return Ok(()) };
        if !self.before[path].contains(&digest) || !self.is_inside(path) {
            outcome.kept.push(path.to_owned());
            return Ok(());
        }
        let file = self.folder.join(path);
        remove_file(&file)?;
        outcome.removed.push(path.to_owned());
        let mut folders =
            Path::new(path).ancestors().skip(1).filter(|it| !it.as_os_str().is_empty());
        while folders.next().is_some_and(|folder| is_removed(&self.folder.join(folder))) {}
        Ok(())
    }

    /// The digest of a file; `None` when there is none. A folder in its place, and a file in the place of
    /// a folder above it, are met again when it is written.
    fn digest(&self, path: &str) -> Result<Option<Sha256>, Failure> {
        match read_capped(&self.folder.join(path), LARGEST) {
            Ok(bytes) => Ok(Some(Sha256::of(&bytes))),
            Err(ReadError::NotFound { .. } | ReadError::Directory { .. }) => Ok(None),
            Err(ReadError::Io { source, .. }) if source.kind() == ErrorKind::NotADirectory => {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Whether no link leads out of the folder.
    #[expect(clippy::disallowed_methods, reason = "the command looks where it removes")]
    fn is_inside(&self, path: &str) -> bool {
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        match (real(&self.folder), real(&self.folder.join(path))) {
            (Some(folder), Some(file)) => file == folder.join(path),
            _ => false,
        }
    }

    fn record(&self, record: &Record) -> Result<(), Failure> {
        let mut text = String::new();
        for (path, digests) in record {
            for digest in digests {
                let digest = digest.to_string();
                let hex = digest.strip_prefix("sha256:").unwrap_or(&digest);
                let _ = writeln!(text, "{hex}  {path}");
            }
        }
        Ok(write_atomically(&self.folder.join(RECORD), text.as_bytes())?)
    }
}

/// Reads a record. What is no line of one, or leads out of the folder, counts for nothing.
fn parse(text: &str) -> Record {
    let mut record = Record::new();
    for (hex, path) in text.lines().filter_map(|line| line.split_once("  ")) {
        if let (Ok(digest), Ok(path)) =
            (format!("sha256:{hex}").parse(), path.parse::<ResourcePath>())
        {
            record.entry(path.as_str().to_owned()).or_default().insert(digest);
        }
    }
    record
}

#[expect(clippy::disallowed_methods, reason = "the command makes the folders it was asked to fill")]
fn make_folders(file: &Path) -> Result<(), Failure> {
    let Some(folder) = file.parent() else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|error| {
        let message = format!("`{}` cannot be made: {error}", visible(&folder.to_string_lossy()));
        Failure::fault(message, "choose another folder")
    })
}

#[expect(clippy::disallowed_methods, reason = "the command removes what an export has written")]
fn remove_file(file: &Path) -> Result<(), Failure> {
    std::fs::remove_file(file).map_err(|error| {
        let message = format!("`{}` cannot be removed: {error}", visible(&file.to_string_lossy()));
        Failure::fault(message, "check its permissions, and export again")
    })
}

/// Removes a folder if it is empty.
#[expect(clippy::disallowed_methods, reason = "the command removes what an export has made")]
fn is_removed(folder: &Path) -> bool {
    std::fs::remove_dir(folder).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_names_nothing_outside() {
        let hex = "0".repeat(64);
        let text = format!("{hex}  a/b.md\n{hex}  ../b.md\n{hex}  /etc/passwd\nx  c\n{hex} d\n");
        assert_eq!(parse(&text).keys().collect::<Vec<_>>(), ["a/b.md"]);
    }
}
