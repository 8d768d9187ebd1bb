//! Turns sources into a catalog that answers by id, and ids into skills and their files.

pub(crate) mod builder;
pub(crate) mod catalog;
pub(crate) mod catalog_filter;
pub(crate) mod changes;
pub(crate) mod join;
pub(crate) mod loaded;
pub(crate) mod names;
pub(crate) mod path_filter;
pub(crate) mod reload;
pub(crate) mod shelf;
pub(crate) mod snapshot;

use crate::registry::builder::RegistryBuilder;
use crate::registry::catalog::CatalogEntry;
use crate::registry::loaded::Loaded;
use crate::registry::reload::{LAST_GOOD, Ledger};
use crate::registry::snapshot::{Shadowed, Snapshot};
use crate::select::search_index::IndexSlot;
use crate::source::blocking::{Blocking, block_on};
use crate::source::layers::Precedence;
use crate::source::{Problem, ReadOptions, Source, SourceError};
use crate::{Files, Folder, Resource};
use metier_core::{InvalidPath, ParseOptions, ResourcePath, Severity, Skill, parse_with};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// Sources, the catalog of what they hold, and access to it. Cheap to clone; clones are one registry.
///
/// Every method can be called from any thread at any time. Methods that answer from the catalog
/// wait for nothing; [`load`](Self::load), [`files`](Self::files) and [`read`](Self::read) ask the
/// source, and have a `_blocking` twin for programs without an async runtime.
///
/// ```
/// use metier::{Blocking, Memory, ReadOptions, Registry};
///
/// let table = Memory::new("built-in")
///     .skill("pdf", "---\nname: pdf\ndescription: Fills forms. Use for PDFs.\n---\nRun it.\n")
///     .resource("pdf", "scripts/fill.py", "print()\n");
/// let registry = Registry::builder().source(Blocking(table)).open();
///
/// assert_eq!(registry.get("pdf").unwrap().description(), "Fills forms. Use for PDFs.");
/// assert_eq!(registry.load_blocking("pdf")?.instructions(), "Run it.");
/// let script = registry.read_blocking("pdf", "scripts/fill.py", &ReadOptions::default())?;
/// assert_eq!(script.text(), Some("print()\n"));
/// # Ok::<(), metier::RegistryError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Registry {
    pub(crate) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: RegistryOptions,
    pub(crate) current: RwLock<Arc<Snapshot>>,
    /// Taken by whoever makes a new snapshot, for as long as that takes and never while waiting for
    /// a source.
    pub(crate) ledger: Mutex<Ledger>,
    pub(crate) loaded: Mutex<Loaded>,
    pub(crate) index: IndexSlot,
    /// How many reloads are under way: sources may have listed what the catalog does not show yet.
    pub(crate) reloading: AtomicUsize,
}

/// How a registry treats what its sources list.
#[derive(Debug, Clone, Default)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct RegistryOptions {
    /// Which of several skills of one name counts.
    pub precedence: Precedence,
    /// How skills are read when they are loaded. The directory is filled in for each.
    pub parse: ParseOptions,
    /// Where relative paths start, for [`Registry::list_for_dir`].
    pub base: PathBuf,
}

impl Registry {
    /// A registry of the skills in these folders, the first one first. What cannot be read is in
    /// [`problems`](Self::problems), and the rest works.
    ///
    /// ```no_run
    /// use metier::Registry;
    ///
    /// let registry = Registry::open(["./skills", "/home/me/.agents/skills"]);
    /// for problem in registry.problems() {
    ///     eprintln!("{problem}");
    /// }
    /// ```
    pub fn open<P: Into<PathBuf>>(roots: impl IntoIterator<Item = P>) -> Self {
        let folders = roots.into_iter().map(|root| Folder::new(root));
        folders.fold(Self::builder(), |builder, folder| builder.source(Blocking(folder))).open()
    }

    /// A registry to be filled with sources.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// A registry of these sources, first to last; options can be set before it is opened.
    pub fn with(sources: impl IntoIterator<Item = Arc<dyn Source>>) -> RegistryBuilder {
        Self::builder().sources(sources)
    }

    /// What the registry knows now. The snapshot never changes; ask again for a newer one.
    pub fn catalog(&self) -> Arc<Snapshot> {
        self.shared.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The skill with this id: a name, `label:name` or `label:key`.
    pub fn get(&self, id: &str) -> Option<CatalogEntry> {
        self.catalog().get(id).cloned()
    }

    /// Whether there is a skill with this id.
    pub fn has(&self, id: &str) -> bool {
        self.catalog().get(id).is_some()
    }

    /// The skills, by name.
    pub fn list(&self) -> Vec<CatalogEntry> {
        self.catalog().entries().to_vec()
    }

    /// The skills, by name, as they are now.
    pub fn iter(&self) -> std::vec::IntoIter<CatalogEntry> {
        self.list().into_iter()
    }

    /// The skills that appear in a directory or below, by name; all for an empty path. The virtual
    /// path of a skill counts, where it has one.
    pub fn list_for_dir(&self, dir: impl AsRef<Path>) -> Vec<CatalogEntry> {
        let base = &self.shared.options.base;
        self.catalog().list_for_dir(dir.as_ref(), base).cloned().collect()
    }

    /// How many skills there are.
    pub fn len(&self) -> usize {
        self.catalog().len()
    }

    /// Whether there is no skill.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The skills that should be active from the start, by name.
    pub fn preloaded(&self) -> Vec<CatalogEntry> {
        self.catalog().preloaded().cloned().collect()
    }

    /// The skills that do not answer to their name, and by whom they are shadowed.
    pub fn shadowed(&self) -> Vec<Shadowed> {
        self.catalog().shadowed().to_vec()
    }

    /// Everything that is wrong at the moment: what the sources met, what is shadowed, and edits
    /// since then that do not load.
    pub fn problems(&self) -> Vec<Problem> {
        let catalog = self.catalog();
        let loaded = self.loaded();
        let is_known = |location: &str| {
            let mut problems = catalog.problems().iter();
            problems.any(|p| p.severity == Severity::Error && p.location == location)
        };
        let since = loaded.problems().filter(|problem| !is_known(&problem.location));
        catalog.problems().iter().chain(since).cloned().collect()
    }

    /// The digest of a skill, as it was when it was loaded last; `None` when it was not.
    pub fn digest(&self, id: &str) -> Option<String> {
        let entry = self.get(id)?;
        self.loaded().digest(&entry).map(str::to_owned)
    }

    /// Loads a skill with its body: level 2. It is read anew each time, so that edits are seen
    /// (spec assertion 101).
    ///
    /// When an edit broke the skill, and a good version was loaded before, that one is the answer,
    /// and the fault stands in [`problems`](Self::problems).
    pub async fn load(&self, id: &str) -> Result<Skill, RegistryError> {
        loop {
            let generation = self.catalog().generation();
            let entry = self.entry(id)?;
            match self.load_entry(&entry).await {
                // A reload went by, and what it found may be the reason: ask with what it knows.
                Err(_) if self.catalog().generation() != generation => {}
                answer => return answer,
            }
        }
    }

    /// [`load`](Self::load), waiting for it.
    pub fn load_blocking(&self, id: &str) -> Result<Skill, RegistryError> {
        block_on(self.load(id))
    }

    /// Loads the skills that should be active from the start, by name; each with the reason when it
    /// cannot be loaded.
    pub async fn load_preloaded(&self) -> Vec<(CatalogEntry, Result<Skill, RegistryError>)> {
        let mut skills = Vec::new();
        for entry in self.preloaded() {
            let loaded = self.load_entry(&entry).await;
            skills.push((entry, loaded));
        }
        skills
    }

    /// The files of a skill beside its own: level 3.
    pub async fn files(&self, id: &str) -> Result<Files, RegistryError> {
        let entry = self.entry(id)?;
        Ok(entry.held.source.files(&entry.listed.key).await?)
    }

    /// [`files`](Self::files), waiting for it.
    pub fn files_blocking(&self, id: &str) -> Result<Files, RegistryError> {
        block_on(self.files(id))
    }

    /// Reads a file of a skill, through the source that listed the skill.
    pub async fn read(
        &self,
        id: &str,
        path: &str,
        options: &ReadOptions,
    ) -> Result<Resource, RegistryError> {
        let entry = self.entry(id)?;
        let path: ResourcePath = path.parse()?;
        Ok(entry.held.source.read(&entry.listed.key, &path, options).await?)
    }

    /// [`read`](Self::read), waiting for it.
    pub fn read_blocking(
        &self,
        id: &str,
        path: &str,
        options: &ReadOptions,
    ) -> Result<Resource, RegistryError> {
        block_on(self.read(id, path, options))
    }

    pub(crate) fn entry(&self, id: &str) -> Result<CatalogEntry, RegistryError> {
        self.get(id).ok_or_else(|| RegistryError::UnknownSkill { id: id.to_owned() })
    }

    pub(crate) async fn load_entry(&self, entry: &CatalogEntry) -> Result<Skill, RegistryError> {
        let at = self.loaded().begin();
        match self.read_skill(entry).await {
            Ok(Ok(skill)) => {
                self.loaded().keep(entry, &skill, at);
                Ok(skill)
            }
            Err(error) => self.last_good(entry, &error, at).ok_or_else(|| error.into()),
            Ok(Err(mut problem)) => {
                let advice = problem.help.replace(LAST_GOOD.to_owned());
                let last_good = self.loaded().fall_back(entry, &problem, at);
                problem.help = advice;
                last_good.ok_or_else(|| RegistryError::Broken { problem: Box::new(problem) })
            }
        }
    }

    /// The last good version of a skill that the catalog still has and its source does not: one that
    /// is stale, or one that a reload is about to take out or mark as such.
    fn last_good(&self, entry: &CatalogEntry, error: &SourceError, at: u64) -> Option<Skill> {
        if !entry.stale && self.shared.reloading.load(Ordering::SeqCst) == 0 {
            return None;
        }
        let problem =
            Problem::new(entry.location(), Severity::Error, error.to_string(), error.help());
        self.loaded().fall_back(entry, &problem, at)
    }

    /// Reads the file of a skill; the inner error is about its text.
    pub(crate) async fn read_skill(
        &self,
        entry: &CatalogEntry,
    ) -> Result<Result<Skill, Problem>, SourceError> {
        let listed = &entry.listed;
        let limit = self.shared.options.parse.limits.file_bytes;
        let options = ReadOptions { limit, range: None };
        let file = entry.held.source.read(&listed.key, &listed.file, &options).await?;
        let Some(text) = file.text() else {
            let message = "the file is not UTF-8";
            let help = "save the file as UTF-8";
            return Ok(Err(Problem::new(listed.location(), Severity::Error, message, help)));
        };
        // A skill without a name of its own goes by the one it was listed under.
        let directory = Some(match (&listed.manifest.name, listed.directory()) {
            (Some(_), Some(path)) if path.file_name().is_some() => {
                path.file_name().unwrap_or_default().to_string_lossy().into_owned()
            }
            _ => listed.name.to_string(),
        });
        let parsed =
            parse_with(text, &ParseOptions { directory, ..self.shared.options.parse.clone() });
        Ok(match parsed.skill {
            Some(skill) => Ok(match listed.directory() {
                Some(directory) => skill.with_path(directory.join(listed.file.as_str())),
                None => skill,
            }),
            None => Err(Problem::of_skill(listed.location(), parsed.report).unwrap_or_else(|| {
                let message = "the file is no skill";
                Problem::new(listed.location(), Severity::Error, message, "check the file")
            })),
        })
    }

    pub(crate) fn loaded(&self) -> MutexGuard<'_, Loaded> {
        self.shared.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IntoIterator for &Registry {
    type Item = CatalogEntry;
    type IntoIter = std::vec::IntoIter<CatalogEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Why a registry gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// No skill has this id.
    #[error("there is no skill `{}`", crate::visible(id))]
    UnknownSkill {
        /// The id that was asked for.
        id: String,
    },
    /// The text of the skill does not load, and no good version was loaded before.
    #[error("the skill does not load: {problem}")]
    Broken {
        /// What is wrong with it.
        problem: Box<Problem>,
    },
    /// The path is none inside a skill.
    #[error(transparent)]
    Path(#[from] InvalidPath),
    /// The source has no answer.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// There is a skill of this name already.
    #[error(
        "there is a skill `{}` already, at `{}`",
        crate::visible(name),
        crate::visible(location)
    )]
    AlreadyRegistered {
        /// The name.
        name: String,
        /// Where the other one stands.
        location: String,
    },
}

impl RegistryError {
    /// What can be done about it.
    pub fn help(&self) -> &str {
        match self {
            Self::UnknownSkill { .. } => "list the skills",
            Self::Broken { problem } => problem.help.as_deref().unwrap_or("check the file"),
            Self::Path(_) => "give a relative path with `/`, as `files` lists them",
            Self::Source(error) => error.help(),
            Self::AlreadyRegistered { .. } => "unregister the other one first",
        }
    }
}
