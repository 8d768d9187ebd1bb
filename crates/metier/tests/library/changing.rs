//! Turns a table that tests edit into a source, and a source that fails on demand.

use metier::{
    BlockingSource, Files, Listing, Memory, ReadOptions, Resource, ResourcePath, SourceError, Trust,
};
use std::sync::{Arc, Mutex};

/// A skill file.
pub(crate) fn skill(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n{body}")
}

/// A table of one skill, whose description tells which one it is.
pub(crate) fn one(label: &str, name: &str) -> Memory {
    Memory::new(label).skill(name, skill(name, &format!("Use the one of {label}."), label))
}

/// A source whose contents tests change, and which counts how often it is listed.
#[derive(Debug)]
pub(crate) struct Changing {
    label: String,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    table: Memory,
    fails: bool,
    listed: usize,
}

impl Changing {
    pub(crate) fn new(label: &str) -> Arc<Self> {
        let state = State { table: Memory::new(label), fails: false, listed: 0 };
        Arc::new(Self { label: label.to_owned(), state: Mutex::new(state) })
    }

    pub(crate) fn put(&self, key: &str, text: impl Into<Vec<u8>>) {
        let mut state = self.state.lock().unwrap();
        state.table = std::mem::take(&mut state.table).skill(key, text);
    }

    pub(crate) fn remove(&self, key: &str) {
        assert!(self.state.lock().unwrap().table.remove(key));
    }

    pub(crate) fn fail(&self, fails: bool) {
        self.state.lock().unwrap().fails = fails;
    }

    pub(crate) fn listed(&self) -> usize {
        self.state.lock().unwrap().listed
    }

    fn ask<T>(
        &self,
        ask: impl FnOnce(&Memory) -> Result<T, SourceError>,
    ) -> Result<T, SourceError> {
        let state = self.state.lock().unwrap();
        if state.fails {
            let location = self.label.clone();
            return Err(SourceError::Unavailable { location, message: "it is out".to_owned() });
        }
        ask(&state.table)
    }
}

impl BlockingSource for Changing {
    fn label(&self) -> &str {
        &self.label
    }

    fn trust(&self) -> Trust {
        Trust::Trusted
    }

    fn list(&self) -> Result<Listing, SourceError> {
        self.state.lock().unwrap().listed += 1;
        self.ask(Memory::list)
    }

    fn read(
        &self,
        key: &str,
        path: &ResourcePath,
        options: &ReadOptions,
    ) -> Result<Resource, SourceError> {
        self.ask(|table| table.read(key, path, options))
    }

    fn files(&self, key: &str) -> Result<Files, SourceError> {
        self.ask(|table| table.files(key))
    }
}
