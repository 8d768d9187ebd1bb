//! Turns three states of a skill, what was installed, what is there and what is new, into one.

use super::file_record::FileRecord;
use super::package_limits::PackageLimits;
use super::tree::{FileTree, TreeError, TreeFile};
use metier_core::ResourcePath;
use std::collections::{BTreeMap, BTreeSet};

/// What three states come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Merged {
    /// One state, and the files of it that are the user's own.
    Clean { tree: FileTree, kept: Vec<ResourcePath> },
    /// Files that both sides have changed, each in its own way.
    Conflict(Vec<ResourcePath>),
}

/// Merges file by file: who alone has changed a file is right about it.
pub(crate) fn merge(
    base: &[FileRecord],
    local: &FileTree,
    remote: &FileTree,
    limits: &PackageLimits,
) -> Result<Merged, TreeError> {
    let base: BTreeMap<&ResourcePath, &FileRecord> =
        base.iter().map(|record| (&record.path, record)).collect();
    let by_path = |tree: &FileTree| -> BTreeMap<ResourcePath, TreeFile> {
        tree.files().iter().map(|file| (file.record.path.clone(), file.clone())).collect()
    };
    let (local, remote) = (by_path(local), by_path(remote));
    let paths: BTreeSet<&ResourcePath> = local.keys().chain(remote.keys()).collect();
    let mut tree = FileTree::builder(limits);
    let (mut kept, mut conflicts) = (Vec::new(), Vec::new());
    for path in paths {
        let (was, is, new) = (base.get(path), local.get(path), remote.get(path));
        let record = |file: &TreeFile| file.record.clone();
        let changed_here = was.copied() != is.map(record).as_ref();
        let changed_there = was.copied() != new.map(record).as_ref();
        let chosen = match (changed_here, changed_there) {
            (true, true) if is.map(record) != new.map(record) => {
                conflicts.push(path.clone());
                continue;
            }
            (true, false) => {
                kept.push(path.clone());
                is
            }
            _ => new,
        };
        if let Some(file) = chosen {
            tree.add_file(path.as_str(), file.bytes.clone(), file.record.executable)?;
        }
    }
    // What the user has deleted and nobody has changed stays deleted.
    let deleted = base.iter().filter(|(path, was)| {
        !local.contains_key(**path) && remote.get(**path).is_some_and(|new| new.record == ***was)
    });
    kept.extend(deleted.map(|(path, _)| (*path).clone()));
    if !conflicts.is_empty() {
        return Ok(Merged::Conflict(conflicts));
    }
    kept.sort();
    kept.dedup();
    Ok(Merged::Clean { tree: tree.finish()?, kept })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> FileTree {
        let mut tree = FileTree::builder(&PackageLimits::default());
        for (path, text) in files {
            tree.add_file(path, text.as_bytes(), false).unwrap();
        }
        tree.finish().unwrap()
    }

    fn merged(base: &FileTree, local: &FileTree, remote: &FileTree) -> Merged {
        let base: Vec<_> = base.records().cloned().collect();
        merge(&base, local, remote, &PackageLimits::default()).unwrap()
    }

    fn paths(texts: &[&str]) -> Vec<ResourcePath> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn who_alone_has_changed_a_file_is_right_about_it() {
        let base = tree(&[("a", "1"), ("b", "1"), ("gone", "1"), ("deleted", "1"), ("same", "1")]);
        let local =
            tree(&[("a", "mine"), ("b", "1"), ("gone", "1"), ("notes", "x"), ("same", "2")]);
        let remote = tree(&[("a", "1"), ("b", "2"), ("deleted", "1"), ("new", "x"), ("same", "2")]);
        let expected =
            tree(&[("a", "mine"), ("b", "2"), ("new", "x"), ("notes", "x"), ("same", "2")]);
        let kept = paths(&["a", "deleted", "notes"]);
        assert_eq!(merged(&base, &local, &remote), Merged::Clean { tree: expected, kept });
    }

    #[test]
    fn what_both_have_changed_is_a_conflict() {
        let base = tree(&[("a", "1"), ("b", "1"), ("c", "1")]);
        let local = tree(&[("a", "mine"), ("b", "mine"), ("n", "mine")]);
        let remote = tree(&[("a", "theirs"), ("c", "theirs"), ("n", "theirs")]);
        let conflicts = paths(&["a", "b", "c", "n"]);
        assert_eq!(merged(&base, &local, &remote), Merged::Conflict(conflicts));
    }

    #[test]
    fn nothing_changed_here_means_theirs() {
        let (base, remote) = (tree(&[("a", "1"), ("b", "1")]), tree(&[("a", "2"), ("c", "3")]));
        let clean = Merged::Clean { tree: remote.clone(), kept: Vec::new() };
        assert_eq!(merged(&base, &base, &remote), clean);
    }
}
