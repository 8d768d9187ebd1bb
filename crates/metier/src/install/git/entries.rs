//! Turns what `ls-tree` prints into entries, and those below a folder into the files of a skill.

use super::GitError;
use metier_core::ResourcePath;

/// One entry of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GitEntry {
    /// Its path, as the bytes that git has.
    pub path: Vec<u8>,
    /// What it is.
    pub kind: GitEntryKind,
    /// The id of its contents.
    pub id: String,
}

/// What an entry of a commit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GitEntryKind {
    /// A file.
    File,
    /// A file that may be run.
    Executable,
    /// A symbolic link.
    Link,
    /// Another repository.
    Submodule,
}

impl GitEntry {
    /// Reads what `git ls-tree -r -z` prints: `mode type id TAB path NUL ...`. Entries of another kind
    /// are left out; the result is sorted by path.
    pub fn parse_all(listed: &[u8]) -> Vec<Self> {
        let mut entries: Vec<Self> = listed.split(|byte| *byte == 0).filter_map(parse).collect();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        entries
    }

    /// Its path as text, with marks for what is not UTF-8.
    pub fn shown(&self) -> String {
        String::from_utf8_lossy(&self.path).into_owned()
    }
}

/// A file that is wanted, with its path below the folder that was asked for.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) path: String,
    pub(super) id: String,
    pub(super) executable: bool,
}

fn parse(line: &[u8]) -> Option<GitEntry> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let mut words = std::str::from_utf8(&line[..tab]).ok()?.split(' ');
    let kind = match words.next()? {
        "100755" => GitEntryKind::Executable,
        "120000" => GitEntryKind::Link,
        "160000" => GitEntryKind::Submodule,
        mode if mode.starts_with("100") => GitEntryKind::File,
        _ => return None,
    };
    Some(GitEntry { path: line[tab + 1..].to_vec(), kind, id: words.nth(1)?.to_owned() })
}

/// The files below a folder. A link refuses the whole (security G09); a submodule is left out where
/// it stands beside the files, since nothing in a skill can lead to it (security G07).
pub(super) fn below(
    entries: &[GitEntry],
    folder: Option<&ResourcePath>,
) -> Result<Vec<Wanted>, GitError> {
    let prefix = folder.map(|folder| format!("{folder}/")).unwrap_or_default();
    let mut wanted = Vec::new();
    for entry in entries {
        if folder.is_some_and(|folder| entry.path == folder.as_str().as_bytes()) {
            let path = entry.shown();
            match entry.kind {
                GitEntryKind::Link => return Err(GitError::Link { path }),
                GitEntryKind::Submodule => return Err(GitError::Submodule { path }),
                _ => continue,
            }
        }
        let Some(rest) = entry.path.strip_prefix(prefix.as_bytes()) else { continue };
        match entry.kind {
            GitEntryKind::Link => return Err(GitError::Link { path: entry.shown() }),
            GitEntryKind::Submodule => continue,
            GitEntryKind::File | GitEntryKind::Executable => {}
        }
        let Ok(path) = std::str::from_utf8(rest) else {
            return Err(GitError::NotUtf8 { path: entry.shown() });
        };
        let executable = entry.kind == GitEntryKind::Executable;
        wanted.push(Wanted { path: path.to_owned(), id: entry.id.clone(), executable });
    }
    match (folder, wanted.is_empty()) {
        (Some(folder), true) => Err(GitError::NoFolder { path: folder.clone() }),
        _ => Ok(wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_as_they_are() {
        let listed = [
            &b"100644 blob aa\tb"[..],
            b"100755 blob bb\ta/x\n\xff",
            b"120000 blob cc\tl",
            b"160000 commit dd\tm",
        ]
        .join(&0);
        let entries = GitEntry::parse_all(&listed);
        let kinds: Vec<_> = entries.iter().map(|entry| (entry.shown(), entry.kind)).collect();
        assert_eq!(
            kinds,
            [
                ("a/x\n\u{fffd}".to_owned(), GitEntryKind::Executable),
                ("b".to_owned(), GitEntryKind::File),
                ("l".to_owned(), GitEntryKind::Link),
                ("m".to_owned(), GitEntryKind::Submodule),
            ]
        );
        let folder: ResourcePath = "a".parse().unwrap();
        assert!(matches!(below(&entries, Some(&folder)), Err(GitError::NotUtf8 { .. })));
        let folder: ResourcePath = "l".parse().unwrap();
        assert!(matches!(below(&entries, Some(&folder)), Err(GitError::Link { .. })));
        let folder: ResourcePath = "m".parse().unwrap();
        assert!(matches!(below(&entries, Some(&folder)), Err(GitError::Submodule { .. })));
        let folder: ResourcePath = "none".parse().unwrap();
        assert!(matches!(below(&entries, Some(&folder)), Err(GitError::NoFolder { .. })));
    }
}
