//! Turns a skill into the list of its files, each with the digest and size of the bytes that are served.

use crate::digest::{Digest, digest};
use crate::packed_files::PackedFiles;
use metier::{
    CatalogEntry, ReadOptions, Registry, RegistryError, SourceError, disables_model_invocation,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most files and bytes of a skill that every host must accept (SEP-2640).
pub(crate) const MAX_FILES: usize = 512;
pub(crate) const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The file that every skill has, under this name whatever it is called on disk.
pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// The file in which one dialect says that a model may not choose the skill.
const POLICY_FILE: &str = "agents/openai.yaml";

/// What a skill consists of at one moment. Bytes that do not have the digest are never served.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Package {
    /// The files by path.
    pub(crate) files: PackedFiles,
    /// The folders of other skills inside it, which are not served: a catalog stops at a skill.
    pub(crate) nested: Vec<String>,
}

/// A file of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Packed {
    pub(crate) digest: Digest,
    pub(crate) size: usize,
    /// The path in the source, where it differs.
    source: Option<Box<str>>,
}

/// The files of a package with their bytes, as they were read.
pub(crate) type Contents = BTreeMap<String, Arc<[u8]>>;

/// Why a skill is not served as files. It names no path of this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unserved {
    #[error("it has more than {MAX_FILES} files")]
    TooMany,
    #[error("it has more than {MAX_BYTES} bytes")]
    TooLarge,
    #[error("its file `{0}` cannot be read")]
    Unreadable(String),
    #[error("its author keeps models from choosing it")]
    Withheld,
    #[error("it is gone")]
    Gone,
}

impl Package {
    /// Reads every file of a skill once.
    pub(crate) fn read(
        registry: &Registry,
        entry: &CatalogEntry,
    ) -> Result<(Self, Contents), Unserved> {
        let listed = registry.files_blocking(&entry.id).map_err(|_| Unserved::Gone)?;
        if listed.truncated || listed.len() >= MAX_FILES {
            return Err(Unserved::TooMany);
        }
        let own = entry.listed.file.as_str();
        let source = (own != SKILL_FILE).then(|| own.into());
        let mut contents = Contents::new();
        let mut left = MAX_BYTES;
        let mut read = |path: &str, name: &str| {
            let options = ReadOptions { limit: left, range: None };
            let file = registry.read_blocking(&entry.id, path, &options);
            let file = file.map_err(|error| match error {
                RegistryError::Source(SourceError::TooLarge { .. }) => Unserved::TooLarge,
                _ => Unserved::Unreadable(name.to_owned()),
            })?;
            left -= file.bytes.len().min(left);
            contents.insert(name.to_owned(), file.bytes.into());
            Ok(())
        };
        for path in listed.iter() {
            read(path.as_str(), path.as_str())?;
        }
        read(own, SKILL_FILE)?;
        let policy = contents.get(POLICY_FILE).and_then(|bytes| std::str::from_utf8(bytes).ok());
        if policy.and_then(disables_model_invocation) == Some(true) {
            return Err(Unserved::Withheld);
        }
        let pack = |(path, bytes): (&String, &Arc<[u8]>)| {
            let source = source.clone().filter(|_| path == SKILL_FILE);
            (path.as_str().into(), Packed { digest: digest(bytes), size: bytes.len(), source })
        };
        let nested = listed.nested.iter().map(|folder| folder.as_str().to_owned()).collect();
        Ok((Self { files: contents.iter().map(pack).collect(), nested }, contents))
    }

    /// Reads one file again; `None` unless it still has the digest it was listed with (security M08).
    pub(crate) fn read_again(
        &self,
        registry: &Registry,
        entry: &CatalogEntry,
        path: &str,
    ) -> Option<Arc<[u8]>> {
        let packed = self.files.get(path)?;
        let options = ReadOptions { limit: packed.size, range: None };
        let place = packed.source.as_deref().unwrap_or(path);
        let file = registry.read_blocking(&entry.id, place, &options).ok()?;
        (digest(&file.bytes) == packed.digest).then(|| file.bytes.into())
    }

    /// What stands directly in a directory: names, and the file when it is one. `None` when no file
    /// is in it.
    pub(crate) fn children(&self, directory: &str) -> Option<Vec<(&str, Option<&Packed>)>> {
        let mut children: Vec<(&str, Option<&Packed>)> = Vec::new();
        for (path, packed) in self.files.iter() {
            let below = match directory {
                "" => Some(path),
                directory => path.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/')),
            };
            let Some(below) = below else { continue };
            match below.split_once('/') {
                None => children.push((below, Some(packed))),
                Some((name, _)) if children.last().is_some_and(|last| last.0 == name) => {}
                Some((name, _)) => children.push((name, None)),
            }
        }
        (!children.is_empty()).then_some(children)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metier::{Blocking, Memory};

    fn registry(memory: Memory) -> (Registry, CatalogEntry) {
        let text = "---\nname: pdf\ndescription: Use for PDFs.\n---\n";
        let registry = Registry::builder().source(Blocking(memory.skill("pdf", text))).open();
        let entry = registry.get("pdf").unwrap();
        (registry, entry)
    }

    #[test]
    fn every_file_is_listed_with_its_digest() {
        let memory =
            Memory::new("m").resource("pdf", "a/b.txt", "one").resource("pdf", "a-b", "two");
        let (registry, entry) = registry(memory);
        let (package, contents) = Package::read(&registry, &entry).unwrap();
        assert_eq!(package.files.keys().collect::<Vec<_>>(), ["SKILL.md", "a-b", "a/b.txt"]);
        assert_eq!(package.files["a-b"].digest, digest(b"two"));
        assert_eq!(&*contents["a/b.txt"], b"one");
        assert_eq!(package.read_again(&registry, &entry, "a-b").as_deref(), Some(&b"two"[..]));
        assert_eq!(package.read_again(&registry, &entry, "other"), None);

        let names = |directory| {
            let children = package.children(directory)?;
            Some(children.iter().map(|(name, file)| (*name, file.is_some())).collect::<Vec<_>>())
        };
        assert_eq!(names(""), Some(vec![("SKILL.md", true), ("a-b", true), ("a", false)]));
        assert_eq!(names("a"), Some(vec![("b.txt", true)]));
        assert_eq!(names("a-b"), None);
        assert_eq!(names("x"), None);
    }

    #[test]
    fn bytes_that_are_not_the_listed_ones_are_not_served() {
        let (before, entry) = registry(Memory::new("m").resource("pdf", "a", "one"));
        let (package, _) = Package::read(&before, &entry).unwrap();
        for other in ["two", "longer than before", ""] {
            let (after, entry) = registry(Memory::new("m").resource("pdf", "a", other));
            assert_eq!(package.read_again(&after, &entry, "a"), None, "{other}");
        }
    }

    #[test]
    fn too_much_is_not_served() {
        let many = (0..MAX_FILES)
            .fold(Memory::new("m"), |memory, n| memory.resource("pdf", &format!("f{n}"), "x"));
        let (many, entry) = registry(many);
        assert_eq!(Package::read(&many, &entry).unwrap_err(), Unserved::TooMany);

        let half = vec![b'x'; MAX_BYTES / 2];
        let memory = Memory::new("m").resource("pdf", "a", half.clone()).resource("pdf", "b", half);
        let (large, entry) = registry(memory);
        assert_eq!(Package::read(&large, &entry).unwrap_err(), Unserved::TooLarge);
    }

    #[test]
    fn what_a_model_may_not_choose_is_not_served() {
        let policy = "policy:\n  allow_implicit_invocation: false\n";
        let (registry, entry) = registry(Memory::new("m").resource("pdf", POLICY_FILE, policy));
        assert_eq!(Package::read(&registry, &entry).unwrap_err(), Unserved::Withheld);
    }
}
