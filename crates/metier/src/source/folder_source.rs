//! Turns a folder on disk into a source: its skills, their files, and the bytes of each.

use crate::discover::confined::{Confined, Refusal};
use crate::discover::found::Linked;
use crate::discover::{OpenRoot, survey};
use crate::disk::{self, Kind};
use crate::source::skill_file;
use crate::{
    BlockingSource, Discovery, FileName, Files, Listed, Listing, ReadOptions, Resource,
    SourceError, Trust, visible,
};
use metier_core::{ResourcePath, SharedText};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// How many files of a skill are listed before the list is cut (DESIGN.md §5).
const MAX_FILES: usize = 1_000;

/// How many directories of a skill are looked into for that.
const MAX_DIRECTORIES: usize = 10_000;

/// A folder of skills on this machine.
///
/// 1. [`list`](BlockingSource::list) finds the skills as [`discover`](crate::discover) does, and
///    keeps the folder open. Only what the last listing named can be read, and what an earlier one
///    named whose `SKILL.md` no longer loads; what came later is unknown until the folder is listed
///    again.
/// 2. A file is read through the open folder, never by joining paths. A link is followed while it
///    stays inside its skill, and refused otherwise; `SKILL.md` itself may be a link to any place that
///    [`Discovery::linked_files`] allows.
/// 3. Pipes, sockets, devices and directories are refused at once. What is larger than the limit is
///    refused, or read in ranges.
///
/// ```
/// use metier::{BlockingSource, Folder, ReadOptions};
/// # let place = tempfile::tempdir()?;
/// # let path = place.path();
/// # metier::create_folder(
/// #     &path.join("pdf"),
/// #     &[
/// #         ("SKILL.md", "---\nname: pdf\ndescription: Use for PDFs.\n---\nOpen it.\n"),
/// #         ("references/forms.md", "# Forms\n"),
/// #     ],
/// # )?;
/// let folder = Folder::new(path).label("project");
/// let listing = folder.list()?;
/// assert_eq!(listing.skills[0].name, "pdf");
///
/// let files = folder.files("pdf")?;
/// let forms = folder.read("pdf", &files.references[0], &ReadOptions::default())?;
/// assert_eq!(forms.text(), Some("# Forms\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    label: String,
    trust: Trust,
    discovery: Discovery,
    preload: bool,
    index: RwLock<Option<Arc<Index>>>,
}

/// What the last listing named, and the folder as it was then.
#[derive(Debug)]
struct Index {
    root: Confined,
    /// By key. A hundred thousand of them are held, so each is small.
    places: Vec<Place>,
}

/// Where a listed skill is.
#[derive(Debug, Clone)]
struct Place {
    key: SharedText,
    /// What is not as it is with nearly every skill.
    unusual: Option<Box<Unusual>>,
}

/// A skill with links, or with a file of another name.
#[derive(Debug, Clone)]
struct Unusual {
    /// Its own file.
    file: ResourcePath,
    /// Where the links lead, when there are any.
    linked_directory: Option<Target>,
    linked_file: Option<Target>,
}

impl Place {
    /// The skill's own file.
    fn file(&self) -> ResourcePath {
        self.unusual.as_ref().map_or_else(skill_file, |unusual| unusual.file.clone())
    }
}

/// The end of a link.
#[derive(Debug, Clone)]
enum Target {
    /// Below the root; relative to it.
    Inside(PathBuf),
    /// Anywhere else. Only when the options let links lead there.
    Outside(PathBuf),
}

impl Target {
    fn new(path: PathBuf, root: &Path) -> Self {
        match path.strip_prefix(root) {
            Ok(inside) => Self::Inside(inside.to_owned()),
            Err(_) => Self::Outside(path),
        }
    }
}

impl Folder {
    /// A folder that need not exist yet. It is called after its path, and trusted.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self {
            label: visible(&path.to_string_lossy()).into_owned(),
            path,
            trust: Trust::default(),
            discovery: Discovery::default(),
            preload: false,
            index: RwLock::new(None),
        }
    }

    /// What people call it: `project`, `user`.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Whether its skills may reach a model without a person having agreed.
    pub fn trust(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self
    }

    /// How to look for skills in it.
    pub fn discovery(mut self, discovery: Discovery) -> Self {
        self.discovery = discovery;
        self
    }

    /// Has all its skills active from the start.
    pub fn preload(mut self) -> Self {
        self.preload = true;
        self
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the last listing named; lists if there was none.
    fn index(&self) -> Result<Option<Arc<Index>>, SourceError> {
        let current = || self.index.read().unwrap_or_else(PoisonError::into_inner).clone();
        if current().is_none() {
            BlockingSource::list(self)?;
        }
        Ok(current())
    }

    fn find<'i>(
        &self,
        index: Option<&'i Index>,
        key: &str,
    ) -> Result<(&'i Index, &'i Place), SourceError> {
        index.and_then(|index| Some((index, index.place(key)?))).ok_or_else(|| self.unknown(key))
    }

    fn unknown(&self, key: &str) -> SourceError {
        SourceError::UnknownSkill { label: self.label.clone(), key: key.to_owned() }
    }

    /// Opens the directory of a skill. One that is gone, or is now a link elsewhere, is unknown.
    fn open(&self, index: &Index, place: &Place, key: &str) -> Result<Confined, SourceError> {
        let opened =
            match place.unusual.as_ref().and_then(|unusual| unusual.linked_directory.as_ref()) {
                None => index.root.below(Path::new(key)),
                Some(Target::Inside(path)) => index.root.below(&or_here(path)),
                Some(Target::Outside(path)) => {
                    Confined::open(path).map(|open| open.mounts(self.discovery.mounts))
                }
            };
        opened.map_err(|_| self.unknown(key))
    }
}

impl Index {
    fn new(root: Confined, real: &Path, listing: &Listing, mut linked: Links) -> Self {
        let target = |path| Target::new(path, real);
        let place = |skill: &Listed| {
            let linked = linked.remove(skill.key.as_str());
            let is_unusual = linked.is_some() || skill.file != skill_file();
            let unusual = is_unusual.then(|| {
                let Linked { directory, file } = linked.unwrap_or_default();
                Box::new(Unusual {
                    file: skill.file.clone(),
                    linked_directory: directory.map(target),
                    linked_file: file.map(target),
                })
            });
            Place { key: skill.key.clone(), unusual }
        };
        let mut places: Vec<Place> = listing.skills.iter().map(place).collect();
        places.sort_by(|a, b| a.key.cmp(&b.key));
        Self { root, places }
    }

    fn place(&self, key: &str) -> Option<&Place> {
        let at = self.places.binary_search_by(|place| place.key.as_str().cmp(key)).ok()?;
        self.places.get(at)
    }

    /// Keeps the places of skills that an edit broke: a registry holds their last good version, and
    /// their other files are as good as ever.
    fn keep(&mut self, broken: &[String], before: &Index) {
        // What is broken was not listed, so no key is there twice.
        self.places.extend(broken.iter().filter_map(|key| before.place(key)).cloned());
        self.places.sort_by(|a, b| a.key.cmp(&b.key));
    }
}

type Links = std::collections::BTreeMap<String, Linked>;

impl BlockingSource for Folder {
    fn label(&self) -> &str {
        &self.label
    }

    fn trust(&self) -> Trust {
        self.trust
    }

    fn list(&self) -> Result<Listing, SourceError> {
        let survey = survey(&self.path, &self.discovery, &|_| {})?;
        let mut listing = survey.listing;
        // A folder that does not exist has no skills either, so nothing is lost when it cannot open.
        let opened = survey.root.and_then(|OpenRoot { directory, real }| {
            Some((Confined::new(directory).ok()?.mounts(self.discovery.mounts), real?))
        });
        let index = opened.map(|(root, real)| Index::new(root, &real, &listing, survey.linked));
        let mut current = self.index.write().unwrap_or_else(PoisonError::into_inner);
        let before = current.take();
        *current = index.map(|mut index| {
            if let Some(before) = before {
                index.keep(&survey.broken, &before);
            }
            Arc::new(index)
        });
        drop(current);
        for skill in &mut listing.skills {
            skill.preload = self.preload;
        }
        Ok(listing)
    }

    fn read(
        &self,
        key: &str,
        path: &ResourcePath,
        options: &ReadOptions,
    ) -> Result<Resource, SourceError> {
        let index = self.index()?;
        let (index, place) = self.find(index.as_deref(), key)?;
        let range = options.range.as_ref();
        let file = Path::new(path.as_str());
        let linked = place.unusual.as_ref().and_then(|unusual| unusual.linked_file.as_ref());
        let read = match linked.filter(|_| *path == place.file()) {
            Some(Target::Inside(target)) => index.root.read(target, options.limit, range),
            Some(Target::Outside(target)) => {
                let folder = Confined::open(disk::folder_of(target)).map_err(Refusal::from);
                let name = target.file_name().unwrap_or_default();
                folder.and_then(|folder| folder.read(Path::new(name), options.limit, range))
            }
            None => {
                let skill = self.open(index, place, key)?;
                let read = skill.read(file, options.limit, range);
                match read {
                    Ok(_) if !skill.is_spelt(file).unwrap_or_default() => Err(Refusal::Missing),
                    read => read,
                }
            }
        };
        match read {
            Ok((bytes, size)) => Ok(Resource { path: path.clone(), bytes, size }),
            Err(refusal) => Err(explain(refusal, key, path, options.limit)),
        }
    }

    fn files(&self, key: &str) -> Result<Files, SourceError> {
        let index = self.index()?;
        let (index, place) = self.find(index.as_deref(), key)?;
        let skill = self.open(index, place, key)?;
        Ok(list_files(&skill, &place.file(), &self.discovery.file_name))
    }
}

/// The files of a skill other than its own, folder by folder in the order of paths.
fn list_files(skill: &Confined, own: &ResourcePath, manifest: &FileName) -> Files {
    let mut paths = Vec::new();
    let mut nested = Vec::new();
    let mut truncated = false;
    let mut looked = 0;
    let mut directories = vec![String::new()];
    while let Some(directory) = directories.pop() {
        looked += 1;
        if looked > MAX_DIRECTORIES || paths.len() > MAX_FILES {
            truncated = true;
            break;
        }
        // A folder that cannot be opened holds nothing that can be read.
        let Ok(entries) = skill.entries(&or_here(Path::new(&directory))) else { continue };
        let is_manifest =
            |(name, kind): &(String, Kind)| *kind != Kind::Directory && manifest.matches(name);
        if !directory.is_empty() && entries.iter().any(is_manifest) {
            nested.extend(directory.parse::<ResourcePath>());
            continue;
        }
        let mut below = Vec::new();
        for (name, kind) in entries {
            if name.starts_with('.') || name == "node_modules" {
                continue;
            }
            let path = if directory.is_empty() { name } else { format!("{directory}/{name}") };
            match kind {
                Kind::Directory => below.push(path),
                Kind::Link if !skill.leads_to_file(Path::new(&path)) => {}
                // A name that is no path everywhere can be read nowhere.
                Kind::File | Kind::Link => paths.extend(path.parse().ok().filter(|p| p != own)),
                Kind::Special => {}
            }
        }
        directories.extend(below.into_iter().rev());
    }
    truncated |= paths.len() > MAX_FILES;
    paths.truncate(MAX_FILES);
    nested.sort();
    Files { truncated, nested, ..Files::group(paths) }
}

/// A path that can be opened, also when it is empty.
fn or_here(path: &Path) -> PathBuf {
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path.to_owned() }
}

/// What is said about a file that was not read: the path that was asked for, and never the place
/// where a link leads (security R25).
fn explain(refusal: Refusal, key: &str, path: &ResourcePath, limit: usize) -> SourceError {
    let (key, path) = (key.to_owned(), path.clone());
    match refusal {
        Refusal::Missing => SourceError::NoSuchFile { key, path },
        Refusal::Forbidden(reason) => SourceError::Refused { key, path, reason },
        Refusal::TooLarge { size } => SourceError::TooLarge { key, path, size, limit },
        Refusal::Failed(error) => {
            let location = format!("{key}/{path}");
            SourceError::Unavailable { location, message: error.to_string() }
        }
    }
}
