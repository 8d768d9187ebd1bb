//! Turns plain functions into a source, and a future into its result without a runtime.

use crate::source::{BoxFuture, Listing, ReadOptions, Source, SourceError, Trust};
use crate::{Files, Resource};
use metier_core::ResourcePath;
use std::fmt;
use std::future::{Future, ready};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// A place that skills come from, as plain functions. [`Blocking`] makes it a [`Source`].
pub trait BlockingSource: fmt::Debug + Send + Sync {
    /// What people call the source.
    fn label(&self) -> &str;

    /// Whether what the source holds may reach a model without being asked about.
    fn trust(&self) -> Trust {
        Trust::Trusted
    }

    /// Whether its skills give way to skills of the same name from any other source.
    fn gives_way(&self) -> bool {
        false
    }

    /// Whether nothing of a skill is fetched before somebody asks for that skill.
    fn is_lazy(&self) -> bool {
        false
    }

    /// Every skill, without its body.
    fn list(&self) -> Result<Listing, SourceError>;

    /// The bytes of a file of a skill.
    fn read(
        &self,
        key: &str,
        path: &ResourcePath,
        options: &ReadOptions,
    ) -> Result<Resource, SourceError>;

    /// The files of a skill beside its own.
    fn files(&self, key: &str) -> Result<Files, SourceError>;

    /// Whether a skill is still what it must be; see [`Source::verify`].
    fn verify(&self, _key: &str) -> Result<(), SourceError> {
        Ok(())
    }
}

/// A source that several hold is a source.
impl<S: BlockingSource + ?Sized> BlockingSource for Arc<S> {
    fn label(&self) -> &str {
        (**self).label()
    }

    fn trust(&self) -> Trust {
        (**self).trust()
    }

    fn gives_way(&self) -> bool {
        (**self).gives_way()
    }

    fn is_lazy(&self) -> bool {
        (**self).is_lazy()
    }

    fn list(&self) -> Result<Listing, SourceError> {
        (**self).list()
    }

    fn read(
        &self,
        key: &str,
        path: &ResourcePath,
        options: &ReadOptions,
    ) -> Result<Resource, SourceError> {
        (**self).read(key, path, options)
    }

    fn files(&self, key: &str) -> Result<Files, SourceError> {
        (**self).files(key)
    }

    fn verify(&self, key: &str) -> Result<(), SourceError> {
        (**self).verify(key)
    }
}

/// A [`BlockingSource`] as a [`Source`]: its futures are ready when they are first asked.
///
/// Polled on a thread of an async runtime, it keeps that thread busy for as long as the call takes.
#[derive(Debug, Clone)]
#[allow(clippy::exhaustive_structs, reason = "it wraps, and nothing else")]
pub struct Blocking<S>(pub S);

impl<S: BlockingSource> Source for Blocking<S> {
    fn label(&self) -> &str {
        self.0.label()
    }

    fn trust(&self) -> Trust {
        self.0.trust()
    }

    fn gives_way(&self) -> bool {
        self.0.gives_way()
    }

    fn is_lazy(&self) -> bool {
        self.0.is_lazy()
    }

    fn list(&self) -> BoxFuture<'_, Result<Listing, SourceError>> {
        Box::pin(ready(self.0.list()))
    }

    fn read<'a>(
        &'a self,
        key: &'a str,
        path: &'a ResourcePath,
        options: &'a ReadOptions,
    ) -> BoxFuture<'a, Result<Resource, SourceError>> {
        Box::pin(ready(self.0.read(key, path, options)))
    }

    fn files<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Files, SourceError>> {
        Box::pin(ready(self.0.files(key)))
    }

    fn verify<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), SourceError>> {
        Box::pin(ready(self.0.verify(key)))
    }
}

/// Waits for a future on this thread. A future that is ready costs nothing.
///
/// ```
/// assert_eq!(metier::block_on(async { 6 * 7 }), 42);
/// ```
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}
