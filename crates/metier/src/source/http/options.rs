//! Turns what a caller allows into how the web is read.

use super::address::Reach;
use super::index::IndexOptions;
use crate::Trust;
use std::fmt;
use std::time::Duration;

/// How skills are read from the web. The default reaches public hosts over `https:` and nothing else.
///
/// ```
/// use metier::HttpOptions;
///
/// let options = HttpOptions { token: Some("secret".to_owned()), ..HttpOptions::default() };
/// assert!(!format!("{options:?}").contains("secret"));
/// ```
#[derive(Clone)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct HttpOptions {
    /// What people call the source; the host when it is `None`.
    pub label: Option<String>,
    /// Whether what is found may reach a model without being asked about. It may not by default.
    pub trust: Trust,
    /// A bearer token. It is sent to the origin of the source's address, and to no other.
    pub token: Option<String>,
    /// Whether `http:` is fine when the server is on this very machine.
    pub allow_loopback_http: bool,
    /// Whether private, loopback and link-local addresses are fine, over `https:`.
    pub allow_private: bool,
    /// How many redirects are followed.
    pub max_redirects: usize,
    /// The largest index, in bytes.
    pub max_index_bytes: usize,
    /// The most entries of an index.
    pub max_entries: usize,
    /// The deepest nesting of an index. Beyond 127 it has no effect.
    pub max_depth: usize,
    /// The largest file, in bytes, that a part is read of. A whole file has the limit of
    /// [`ReadOptions`](crate::ReadOptions).
    pub max_file_bytes: usize,
    /// How many bytes of answers are kept, to be asked about instead of sent again.
    pub cache_bytes: usize,
    /// How long to wait for a name to resolve, and then for a connection.
    pub connect_timeout: Duration,
    /// How long a server may be silent.
    pub read_timeout: Duration,
    /// How long one request may take from beginning to end. A redirect is a new request.
    pub total_timeout: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            label: None,
            trust: Trust::Untrusted,
            token: None,
            allow_loopback_http: false,
            allow_private: false,
            max_redirects: 5,
            max_index_bytes: 5 * 1024 * 1024,
            max_entries: 10_000,
            max_depth: 64,
            max_file_bytes: 10 * 1024 * 1024,
            cache_bytes: 16 * 1024 * 1024,
            connect_timeout: Duration::from_secs(10),
            read_timeout: Duration::from_secs(10),
            total_timeout: Duration::from_secs(30),
        }
    }
}

impl HttpOptions {
    pub(super) fn reach(&self) -> Reach {
        Reach { loopback_http: self.allow_loopback_http, private: self.allow_private }
    }

    pub(super) fn index(&self) -> IndexOptions {
        IndexOptions { entries: self.max_entries, depth: self.max_depth, reach: self.reach() }
    }
}

/// Everything but the token.
impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions")
            .field("label", &self.label)
            .field("trust", &self.trust)
            .field("token", &self.token.as_ref().map(|_| "hidden"))
            .field("allow_loopback_http", &self.allow_loopback_http)
            .field("allow_private", &self.allow_private)
            .field("max_redirects", &self.max_redirects)
            .field("max_index_bytes", &self.max_index_bytes)
            .field("max_entries", &self.max_entries)
            .field("max_depth", &self.max_depth)
            .field("max_file_bytes", &self.max_file_bytes)
            .field("cache_bytes", &self.cache_bytes)
            .field("connect_timeout", &self.connect_timeout)
            .field("read_timeout", &self.read_timeout)
            .field("total_timeout", &self.total_timeout)
            .finish()
    }
}
