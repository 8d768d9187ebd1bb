//! Turns who asks, and what host, author and parents allow, into a yes or the first reason why not.

use crate::check::glob;
use crate::registry::catalog::CatalogEntry;
use crate::registry::path_filter::{PathFilter, path_of};
use crate::registry::snapshot::Snapshot;
use crate::session::Session;
use crate::session::active::Invoker;
use crate::session::error::SessionError;
use crate::source::Trust;
use metier_core::{Manifest, nearest};

/// How many names are offered in place of one that nobody has.
const OFFERED: usize = 3;

impl Session {
    /// The skills that the model may be told of and may load, by name.
    pub fn catalog(&self) -> Vec<CatalogEntry> {
        self.visible(&self.registry().catalog()).cloned().collect()
    }

    /// The skills of a snapshot that the model may load, by name.
    pub(crate) fn visible<'s>(
        &self,
        snapshot: &'s Snapshot,
    ) -> impl Iterator<Item = &'s CatalogEntry> {
        let filters = self.filters();
        snapshot.iter().filter(move |entry| self.check(entry, Invoker::Model, &filters).is_ok())
    }

    /// Whether nothing but trust and authors keeps skills from the model.
    pub(crate) fn is_unrestricted(&self) -> bool {
        let options = self.options();
        options.allow.is_none()
            && options.deny.is_empty()
            && self.lock().filter.pattern().is_empty()
            && self.parent().is_none_or(Self::is_unrestricted)
    }

    /// The skill with this id, if it may be used.
    pub(crate) fn find(&self, id: &str, by: Invoker) -> Result<CatalogEntry, SessionError> {
        match self.registry().get(id) {
            Some(entry) => self.check(&entry, by, &self.filters()).map(|()| entry),
            None => Err(self.unknown(id)),
        }
    }

    /// An error that offers the nearest skills that may be used.
    pub(crate) fn unknown(&self, id: &str) -> SessionError {
        let snapshot = self.registry().catalog();
        let near = nearest(id, self.visible(&snapshot).map(|entry| &*entry.id), OFFERED);
        let nearest = near.into_iter().map(str::to_owned).collect();
        SessionError::UnknownSkill { id: id.to_owned(), nearest }
    }

    /// Whether a skill may be used, and if not, the first reason why.
    pub(crate) fn check(
        &self,
        entry: &CatalogEntry,
        by: Invoker,
        filters: &[PathFilter],
    ) -> Result<(), SessionError> {
        let id = || entry.id.to_string();
        if entry.trust() != Trust::Trusted {
            return Err(SessionError::Untrusted { id: id() });
        }
        if !self.lists_allow(entry) {
            return Err(SessionError::NotAllowed { id: id() });
        }
        check_invoker(&entry.id, entry.manifest(), by)?;
        if filters.iter().any(|filter| !filter.pattern().is_empty()) {
            let path = path_of(entry, &self.registry().shared.options.base);
            if let Some(filter) = filters.iter().find(|filter| !filter.matches(&path)) {
                return Err(SessionError::Filtered { id: id(), filter: filter.clone() });
            }
        }
        Ok(())
    }

    /// Whether the lists of this session and of those above agree to a skill.
    fn lists_allow(&self, entry: &CatalogEntry) -> bool {
        let options = self.options();
        let qualified = || format!("{}:{}", entry.source(), entry.name());
        let is_allowed = options.allow.as_ref().is_none_or(|allow| {
            // The name alone does not do: it is another skill that answers to it.
            allow.iter().any(|p| glob::matches(p, &entry.id) || glob::matches(p, &qualified()))
        });
        let is_denied = options.deny.iter().any(|p| {
            [&*entry.id, entry.name(), &qualified()].into_iter().any(|id| glob::matches(p, id))
        });
        is_allowed && !is_denied && self.parent().is_none_or(|parent| parent.lists_allow(entry))
    }

    /// The filters of this session and of those above.
    pub(crate) fn filters(&self) -> Vec<PathFilter> {
        let mut filters = self.parent().map(Self::filters).unwrap_or_default();
        filters.push(self.lock().filter.clone());
        filters
    }
}

/// Whether the author of a skill lets it be called by who calls it.
pub(crate) fn check_invoker(
    id: &str,
    manifest: &Manifest,
    by: Invoker,
) -> Result<(), SessionError> {
    match by {
        Invoker::Model if manifest.disable_model_invocation() == Some(true) => {
            Err(SessionError::UserOnly { id: id.to_owned() })
        }
        Invoker::User if manifest.user_invocable() == Some(false) => {
            Err(SessionError::ModelOnly { id: id.to_owned() })
        }
        Invoker::Model | Invoker::User | Invoker::Host => Ok(()),
    }
}
