//! Turns skills that a program registers one by one into a source.

use crate::source::blocking::BlockingSource;
use crate::source::{Listing, ReadOptions, SourceError};
use crate::{Files, Memory, Resource};
use metier_core::{ParseOptions, ResourcePath, Skill};
use std::sync::{PoisonError, RwLock};

/// The label of the source.
pub(crate) const LABEL: &str = "registered";

/// A table that can change while it is read.
#[derive(Debug)]
pub(crate) struct Shelf {
    table: RwLock<Memory>,
}

impl Shelf {
    pub(crate) fn new(parse: &ParseOptions) -> Self {
        Self { table: RwLock::new(Memory::new(LABEL).parse_with(parse.clone())) }
    }

    pub(crate) fn put(&self, skill: &Skill) {
        // A name that came from a directory is not in the text.
        let text = match skill.manifest().name {
            Some(_) => skill.text().to_owned(),
            None => skill.to_markdown(),
        };
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        *table = std::mem::take(&mut *table).skill(skill.name(), text);
    }

    pub(crate) fn take(&self, key: &str) {
        self.table.write().unwrap_or_else(PoisonError::into_inner).remove(key);
    }

    fn table(&self) -> std::sync::RwLockReadGuard<'_, Memory> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BlockingSource for Shelf {
    fn label(&self) -> &'static str {
        LABEL
    }

    fn list(&self) -> Result<Listing, SourceError> {
        self.table().list()
    }

    fn read(
        &self,
        key: &str,
        path: &ResourcePath,
        options: &ReadOptions,
    ) -> Result<Resource, SourceError> {
        self.table().read(key, path, options)
    }

    fn files(&self, key: &str) -> Result<Files, SourceError> {
        self.table().files(key)
    }
}
