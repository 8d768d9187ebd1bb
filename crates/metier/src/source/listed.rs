//! Turns the start of a skill's file into its entry in a listing, in as little memory as it takes.

use crate::Trust;
use crate::disk::folder_of;
use metier_core::{Head, Manifest, ParseOptions, Report, ResourcePath, SharedText};
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// A skill as its source lists it: everything but the body.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Listed {
    /// How the source knows the skill; unique in the source.
    pub key: SharedText,
    /// The name of the skill: its own, else that of its directory.
    pub name: SharedText,
    /// The frontmatter.
    pub manifest: Arc<Manifest>,
    /// The skill's own file, `SKILL.md` as a rule.
    pub file: ResourcePath,
    /// Where the skill appears for filters by path, when that is not where it is.
    pub virtual_path: Option<Box<str>>,
    /// The byte of the file at which the body starts.
    pub body_offset: usize,
    /// The digest of the file, when the source knows it without reading the file.
    pub digest: Option<Box<str>>,
    /// Whether the skill should be active from the start.
    pub preload: bool,
    /// Whether this very skill may reach a model without being asked about; what the source says of
    /// all its skills without.
    pub trust: Option<Trust>,
    location: Box<str>,
    directory: Directory,
}

/// The directory of a skill. Nearly always it is the one that the location names, and a hundred
/// thousand paths are not kept twice.
#[derive(Debug, Clone)]
enum Directory {
    /// It is not on this machine.
    None,
    /// The one that the location stands in.
    OfLocation,
    /// Another one: a link led there.
    Other(Box<Path>),
}

impl Listed {
    /// Makes an entry of its three parts; what else there is to say is said by its fields.
    pub fn new(
        key: impl Into<SharedText>,
        name: impl Into<SharedText>,
        manifest: impl Into<Arc<Manifest>>,
    ) -> Self {
        let key = key.into();
        Self {
            location: key.as_str().into(),
            key,
            name: name.into(),
            manifest: manifest.into(),
            file: skill_file(),
            virtual_path: None,
            body_offset: 0,
            digest: None,
            preload: false,
            trust: None,
            directory: Directory::None,
        }
    }

    /// Makes an entry of a skill whose location is that of its file in its directory.
    pub(crate) fn in_its_directory(
        key: &str,
        name: SharedText,
        manifest: Manifest,
        location: Box<str>,
    ) -> Self {
        Self {
            location,
            directory: Directory::OfLocation,
            key: key.into(),
            name,
            manifest: Arc::new(manifest),
            file: skill_file(),
            virtual_path: None,
            body_offset: 0,
            digest: None,
            preload: false,
            trust: None,
        }
    }

    /// The order of a listing: by name, then by key.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        (&self.name, &self.key).cmp(&(&other.name, &other.key))
    }

    /// Makes an entry of the start of a `SKILL.md`, or says why it cannot be loaded. The report goes
    /// with either.
    ///
    /// ```
    /// use metier::{Listed, ParseOptions};
    ///
    /// let file = b"---\nname: pdf\ndescription: Use for PDFs.\n---\nOpen it.\n";
    /// let (listed, report) = Listed::parse("pdf", file, &ParseOptions::default());
    /// assert_eq!(listed.unwrap().body_offset, 45);
    /// assert!(report.is_empty());
    /// ```
    pub fn parse(key: &str, bytes: &[u8], options: &ParseOptions) -> (Option<Self>, Report) {
        let head = match Head::read(&mut &*bytes, &options.limits) {
            Ok(head) => head.parse(options),
            Err(_) => return (None, Report::new(options.mode)),
        };
        let listed = head.manifest.zip(head.name).map(|(manifest, name)| Self {
            body_offset: head.body_offset.unwrap_or_default(),
            ..Self::new(key, name, manifest)
        });
        (listed, head.report)
    }

    /// What the skill does and when to use it.
    pub fn description(&self) -> &str {
        self.manifest.description.as_deref().unwrap_or_default()
    }

    /// Where the skill's own file stands, for people: a path or an address. The key, unless the source
    /// says more.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Says where the skill's own file stands; its directory stays the same.
    pub fn set_location(&mut self, location: impl Into<Box<str>>) {
        let directory = self.directory().map(Path::to_owned);
        self.location = location.into();
        self.set_directory(directory);
    }

    /// The directory of the skill, when it is one on this machine.
    pub fn directory(&self) -> Option<&Path> {
        match &self.directory {
            Directory::None => None,
            Directory::OfLocation => Some(folder_of(Path::new(&*self.location))),
            Directory::Other(path) => Some(path),
        }
    }

    /// Says which directory is that of the skill.
    ///
    /// ```
    /// use metier::{Listed, Manifest};
    /// use std::path::Path;
    ///
    /// let mut listed = Listed::new("pdf", "pdf", Manifest::default());
    /// assert_eq!(listed.directory(), None);
    /// listed.set_location("/skills/pdf/SKILL.md");
    /// listed.set_directory(Some("/skills/pdf".into()));
    /// assert_eq!(listed.directory(), Some(Path::new("/skills/pdf")));
    /// ```
    pub fn set_directory(&mut self, directory: Option<PathBuf>) {
        let of_location = folder_of(Path::new(&*self.location)).as_os_str();
        self.directory = match directory {
            None => Directory::None,
            // To the byte: paths are equal in more ways than that.
            Some(path) if path.as_os_str() == of_location => Directory::OfLocation,
            Some(path) => Directory::Other(path.into()),
        };
    }
}

/// `SKILL.md`.
pub(crate) fn skill_file() -> ResourcePath {
    static SKILL_FILE: LazyLock<ResourcePath> =
        LazyLock::new(|| "SKILL.md".parse().expect("`SKILL.md` is a path"));
    SKILL_FILE.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_kept_whatever_becomes_of_the_location() {
        for (location, directory) in [
            ("skills/pdf/SKILL.md", "skills/pdf"),
            ("skills/pdf/SKILL.md", "skills/./pdf"),
            ("skills/pdf/SKILL.md", "/real/pdf"),
            ("SKILL.md", "."),
            ("", "skills"),
            ("https://example.com/SKILL.md", "skills"),
        ] {
            let mut listed = Listed::new("pdf", "pdf", Manifest::default());
            listed.set_location(location);
            listed.set_directory(Some(directory.into()));
            let shown = |listed: &Listed| listed.directory().unwrap().as_os_str().to_owned();
            assert_eq!(shown(&listed), directory, "{location}");
            listed.set_location("elsewhere");
            assert_eq!((listed.location(), &*shown(&listed)), ("elsewhere", directory.as_ref()));
            listed.set_directory(None);
            assert_eq!(listed.directory(), None);
        }
    }

    #[test]
    fn the_directory_that_the_location_names_takes_no_memory() {
        let mut listed = Listed::new("pdf", "pdf", Manifest::default());
        listed.set_location("skills/pdf/SKILL.md");
        listed.set_directory(Some("skills/pdf".into()));
        assert!(matches!(listed.directory, Directory::OfLocation));
    }
}
