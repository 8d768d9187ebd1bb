//! Turns bytes that arrive into news for whoever waits for them.

use std::fmt;
use std::sync::Arc;

/// How much of something has arrived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Received {
    /// The bytes that are here.
    pub bytes: u64,
    /// How many there will be, when the other side has said so.
    pub total: Option<u64>,
    /// How much of the whole that is, in per cent: of the bytes, or of the objects of a repository,
    /// whose bytes nobody knows before.
    pub percent: Option<u8>,
}

impl Received {
    pub(crate) fn of(bytes: u64, total: Option<u64>) -> Self {
        let part =
            |total: u64| u8::try_from(bytes.saturating_mul(100) / total).unwrap_or(100).min(100);
        Self { bytes, total, percent: total.filter(|total| *total > 0).map(part) }
    }
}

/// Someone who hears how far a fetch is; nobody by default.
///
/// ```
/// use metier::install::{OverHttp, Progress};
///
/// let progress = Progress::new(|received| eprintln!("{} bytes", received.bytes));
/// let web = OverHttp { progress, ..OverHttp::default() };
/// # drop(web);
/// ```
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Fn(Received) + Send + Sync>>);

impl Progress {
    /// Calls this with every piece of news.
    pub fn new(hear: impl Fn(Received) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hear)))
    }

    /// Whether anyone hears.
    pub(crate) fn is_heard(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn tell(&self, received: Received) {
        if let Some(hear) = &self.0 {
            hear(received);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Progress").field(&self.is_heard()).finish()
    }
}
