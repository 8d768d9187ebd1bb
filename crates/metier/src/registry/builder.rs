//! Turns sources and options into a registry.

use crate::registry::{Registry, RegistryOptions, Shared};
use crate::select::search_index::IndexSlot;
use crate::source::blocking::block_on;
use crate::source::layers::Precedence;
use crate::source::{Source, SourceError};
use metier_core::ParseOptions;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, RwLock};

/// A registry that has not looked at its sources yet.
#[derive(Debug, Default)]
#[must_use = "a registry knows nothing before it is opened"]
pub struct RegistryBuilder {
    sources: Vec<Arc<dyn Source>>,
    options: RegistryOptions,
}

impl RegistryBuilder {
    /// Adds a source behind the others.
    pub fn source(mut self, source: impl Source + 'static) -> Self {
        self.sources.push(Arc::new(source));
        self
    }

    /// Adds sources behind the others.
    pub fn sources(mut self, sources: impl IntoIterator<Item = Arc<dyn Source>>) -> Self {
        self.sources.extend(sources);
        self
    }

    /// Sets all options.
    pub fn options(mut self, options: RegistryOptions) -> Self {
        self.options = options;
        self
    }

    /// Which of several skills of one name counts; the first, by default.
    pub fn precedence(mut self, precedence: Precedence) -> Self {
        self.options.precedence = precedence;
        self
    }

    /// How skills are read when they are loaded; leniently, by default.
    pub fn parse_with(mut self, options: ParseOptions) -> Self {
        self.options.parse = options;
        self
    }

    /// Where relative paths start, for [`Registry::list_for_dir`].
    pub fn base(mut self, base: impl Into<PathBuf>) -> Self {
        self.options.base = base.into();
        self
    }

    /// Lists all sources and waits for them. A source that fails is a problem of the registry, and
    /// the others work.
    pub fn open(self) -> Registry {
        block_on(self.load())
    }

    /// Lists all sources at once. A source that fails is a problem of the registry, and the others
    /// work.
    pub async fn load(self) -> Registry {
        let registry = self.empty();
        registry.reload().await;
        registry
    }

    /// [`open`](Self::open), for those who rather have nothing than a part: the first source that
    /// fails is the answer.
    pub fn try_open(self) -> Result<Registry, SourceError> {
        block_on(self.try_load())
    }

    /// [`load`](Self::load), for those who rather have nothing than a part: the first source that
    /// fails is the answer.
    pub async fn try_load(self) -> Result<Registry, SourceError> {
        let registry = self.empty();
        registry.try_reload().await?;
        Ok(registry)
    }

    fn empty(self) -> Registry {
        let shared = Shared {
            options: self.options,
            current: RwLock::default(),
            ledger: Mutex::default(),
            loaded: Mutex::default(),
            index: IndexSlot::default(),
            reloading: AtomicUsize::default(),
        };
        let registry = Registry { shared: Arc::new(shared) };
        for source in self.sources {
            registry.ledger().hold(source);
        }
        registry
    }
}
