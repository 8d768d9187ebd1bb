//! Turns what a source lists into an entry of the catalog: level 1 of disclosure.

use crate::registry::names::normal;
use crate::source::{Listed, Source, Trust};
use metier_core::Manifest;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A source in a registry, under a label that no other source there has.
#[derive(Debug)]
pub(crate) struct Held {
    /// The place in the order of sources; never given twice.
    pub(crate) number: usize,
    pub(crate) label: String,
    pub(crate) source: Arc<dyn Source>,
}

/// A skill as the catalog knows it: everything but the body. Cheap to clone.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CatalogEntry {
    /// What to ask the registry for: the name, or `label:name` where another skill has the name.
    pub id: Arc<str>,
    /// What the source listed.
    pub listed: Arc<Listed>,
    /// The digest of the file, where it had to be read to compare it, or the source knew it.
    pub digest: Option<Arc<str>>,
    /// Whether the skill, or one that it shadows, should be active from the start.
    pub preload: bool,
    /// Whether this is an earlier version, because the present one does not load.
    pub stale: bool,
    pub(crate) held: Arc<Held>,
}

impl CatalogEntry {
    pub(crate) fn new(held: &Arc<Held>, listed: Listed) -> Self {
        Self {
            id: listed.name.clone().into(),
            digest: listed.digest.as_deref().map(Into::into),
            preload: listed.preload,
            listed: Arc::new(listed),
            stale: false,
            held: held.clone(),
        }
    }

    /// The name of the skill.
    pub fn name(&self) -> &str {
        &self.listed.name
    }

    /// What the skill does and when to use it.
    pub fn description(&self) -> &str {
        self.listed.description()
    }

    /// The frontmatter.
    pub fn manifest(&self) -> &Manifest {
        &self.listed.manifest
    }

    /// Where the skill's own file stands, for people.
    pub fn location(&self) -> &str {
        self.listed.location()
    }

    /// The label of the source in the registry.
    pub fn source(&self) -> &str {
        &self.held.label
    }

    /// Whether a person agreed to the skill, or to everything in its source.
    pub fn trust(&self) -> Trust {
        self.listed.trust.unwrap_or_else(|| self.held.source.trust())
    }

    /// Whether a model may be offered the skill: a trusted one, whose author does not keep the model
    /// from choosing it. Users may ask for any skill by its id (spec assertion 87).
    pub fn is_offered(&self) -> bool {
        self.trust() == Trust::Trusted && self.manifest().disable_model_invocation() != Some(true)
    }

    /// Whether the skill appears in `dir` or below: at its virtual path if it has one, else in its
    /// directory. Whole components count; relative paths start from `base`. A skill that is at no
    /// path is in no directory.
    pub(crate) fn is_in(&self, dir: &Path, base: &Path) -> bool {
        let place = match &self.listed.virtual_path {
            Some(path) => Some(Path::new(&**path)),
            None => self.listed.directory(),
        };
        place.is_some_and(|place| plain(&base.join(place)).starts_with(plain(&base.join(dir))))
    }

    /// The name as it is compared.
    pub(crate) fn normal(&self) -> std::borrow::Cow<'_, str> {
        normal(self.name())
    }

    /// What tells the skill from all others, whatever its name.
    pub(crate) fn place(&self) -> (usize, &str) {
        (self.held.number, &self.listed.key)
    }

    /// Whether a host that knows `other` knows this one.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let (a, b) = (&*self.listed, &*other.listed);
        self.place() == other.place()
            && a.name == b.name
            && a.manifest == b.manifest
            && a.location() == b.location()
            && a.virtual_path == b.virtual_path
            && a.body_offset == b.body_offset
            && a.digest == b.digest
            && a.trust == b.trust
            && self.preload == other.preload
            && self.stale == other.stale
    }
}

/// The path without `.` and `..`, as it is written: nothing is looked up.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            component => plain.push(component),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_plain_as_written() {
        for (path, expected) in
            [("./a//b/.", "a/b"), ("a/../b", "b"), ("../a", "../a"), ("/..", "/.."), ("", "")]
        {
            assert_eq!(plain(Path::new(path)), Path::new(expected), "{path}");
        }
    }
}
