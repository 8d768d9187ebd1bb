//! Turns the files of a package into a table that takes little room, because there is one for every skill.

use crate::package::Packed;
use std::ops::Index;

/// The files by path, sorted. A map would take a kilobyte for the one or two files that most skills have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PackedFiles(Box<[(Box<str>, Packed)]>);

impl PackedFiles {
    pub(crate) fn get(&self, path: &str) -> Option<&Packed> {
        let found = self.0.binary_search_by(|(own, _)| (**own).cmp(path));
        found.ok().map(|at| &self.0[at].1)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Packed)> {
        self.0.iter().map(|(path, packed)| (&**path, packed))
    }

    /// The paths.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(path, _)| path)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl FromIterator<(Box<str>, Packed)> for PackedFiles {
    fn from_iter<I: IntoIterator<Item = (Box<str>, Packed)>>(files: I) -> Self {
        let mut files: Box<[_]> = files.into_iter().collect();
        files.sort_by(|a, b| a.0.cmp(&b.0));
        Self(files)
    }
}

impl Index<&str> for PackedFiles {
    type Output = Packed;

    fn index(&self, path: &str) -> &Packed {
        self.get(path).expect("the path is one of the table")
    }
}
