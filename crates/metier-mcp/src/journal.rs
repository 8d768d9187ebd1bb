//! Turns what happens in the server into records for whoever runs it.

use std::fmt;
use std::sync::Arc;

/// How much a record matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// Every request.
    Debug,
    /// Starts, stops and changes.
    Info,
    /// Something is not served, or was refused.
    Warn,
    /// Something does not work.
    Error,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        })
    }
}

/// Something that happened: an event and its fields, in order. Values come from strangers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Record<'r> {
    /// How much it matters.
    pub level: Level,
    /// What happened, in a few words that are always the same.
    pub event: &'static str,
    /// What it happened to.
    pub fields: &'r [(&'static str, String)],
}

/// Where records go. The library itself prints nothing; by default they go nowhere.
///
/// ```
/// use metier_mcp::Journal;
///
/// let journal = Journal::new(|record| eprintln!("{}: {}", record.level, record.event));
/// # let _ = journal;
/// ```
#[derive(Clone, Default)]
pub struct Journal {
    write: Option<Arc<Write>>,
}

/// What takes records.
type Write = dyn Fn(&Record<'_>) + Send + Sync;

impl Journal {
    /// A journal that hands every record to `write`, from any thread.
    pub fn new(write: impl Fn(&Record<'_>) + Send + Sync + 'static) -> Self {
        Self { write: Some(Arc::new(write)) }
    }

    /// Records that something happened.
    pub fn record(&self, level: Level, event: &'static str, fields: &[(&'static str, String)]) {
        if let Some(write) = &self.write {
            write(&Record { level, event, fields });
        }
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("writes", &self.write.is_some()).finish()
    }
}
