//! Turns the skills of a snapshot that a model may be offered into the text of a system prompt.

use crate::disk::real_path;
use crate::registry::catalog::CatalogEntry;
use crate::registry::snapshot::Snapshot;
use metier_core::{CatalogFormat, CatalogLine, Prompt, Render};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

impl CatalogEntry {
    /// What a catalog shows of the skill. Its name there is its id, which a tool call can ask for; its
    /// location is there when it is a path or an address, and its source when it is not on this machine.
    pub fn line(&self) -> CatalogLine<'_> {
        let is_remote = self.location().contains("://");
        let has_place = is_remote || self.listed.directory().is_some();
        CatalogLine {
            id: &self.id,
            name: &self.id,
            description: self.description(),
            location: has_place.then(|| self.location()),
            compatibility: self.manifest().compatibility.as_deref(),
            origin: is_remote.then(|| self.source()),
        }
    }
}

impl Snapshot {
    /// The text that tells a model which skills there are: those it may be [offered](Self::offered),
    /// and of those the ones on the allow-list, if there is one.
    ///
    /// Relative locations become absolute ones; [`CatalogFormat::SkillsRef`] shows locations without
    /// links, as the reference does.
    ///
    /// ```
    /// use metier::{Blocking, Budget, Memory, Registry, Render};
    ///
    /// let table = Memory::new("built-in")
    ///     .inline("csv", "Reads tables. Use for CSV files.", "Read it.")
    ///     .inline("pdf", "Fills in forms. Use for PDF files.", "Fill it in.");
    /// let registry = Registry::builder().source(Blocking(table)).open();
    ///
    /// let render = Render { budget: Budget::Tokens(2_000), ..Render::default() };
    /// let prompt = registry.catalog().render(&render);
    /// assert!(prompt.text.contains("<description>Fills in forms. Use for PDF files.</description>"));
    /// assert_eq!(prompt.included, ["csv", "pdf"]);
    /// assert!(prompt.omitted.is_empty());
    /// ```
    pub fn render(&self, render: &Render) -> Prompt {
        let shown = self.shown(render);
        render.render(&lines(&shown))
    }

    /// What a model that knows the catalog of `earlier` must be told to know this one: the skills that
    /// were added, changed and removed. Empty when nothing that is shown changed, so that a host can
    /// keep the catalog it sent and its prompt cache.
    pub fn delta(&self, earlier: &Self, render: &Render) -> Prompt {
        let (before, after) = (earlier.shown(render), self.shown(render));
        render.delta(&lines(&before), &lines(&after))
    }

    fn shown<'s>(&'s self, render: &'s Render) -> Vec<Shown<'s>> {
        let Some(allow) = &render.allow else {
            return self.offered().map(|entry| Shown::new(&entry.id, entry, render)).collect();
        };
        let mut seen = BTreeSet::new();
        let asked = allow.iter().filter_map(|id| Some((id.as_str(), self.get(id)?)));
        let offered = asked.filter(|(_, entry)| entry.is_offered() && seen.insert(&entry.id));
        offered.map(|(id, entry)| Shown::new(id, entry, render)).collect()
    }
}

/// An entry under the id it was asked for, with its location as it is shown.
struct Shown<'s> {
    line: CatalogLine<'s>,
    location: Option<Cow<'s, str>>,
}

impl<'s> Shown<'s> {
    fn new(id: &'s str, entry: &'s CatalogEntry, render: &Render) -> Self {
        let line = CatalogLine { id, ..entry.line() };
        let location = line.location.map(|location| {
            let path = Path::new(location);
            let is_path = line.origin.is_none();
            let is_wanted = render.format == CatalogFormat::SkillsRef || path.is_relative();
            let real = (is_path && is_wanted).then(|| real_path(path).ok()).flatten();
            real.map_or(Cow::Borrowed(location), |real| real.to_string_lossy().into_owned().into())
        });
        Self { line, location }
    }
}

fn lines<'a>(shown: &'a [Shown<'_>]) -> Vec<CatalogLine<'a>> {
    shown.iter().map(|one| CatalogLine { location: one.location.as_deref(), ..one.line }).collect()
}
