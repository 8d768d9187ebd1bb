//! Turns "how much, how long, for whom" into fields with defaults.

use crate::journal::Journal;

/// How a registry is served.
///
/// ```
/// use metier_mcp::ServeOptions;
///
/// let options = ServeOptions { page_size: 50, ..ServeOptions::default() };
/// assert_eq!(options.list_cap, 5_000);
/// ```
#[derive(Debug, Clone)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct ServeOptions {
    /// The name of the server, as clients show it.
    pub name: String,
    /// How many skills, resources or prompts stand on one page.
    pub page_size: usize,
    /// How many are listed at all. The others are served to whoever asks for them by address or name,
    /// because clients stop reading long lists (SEP-2640 lets a listing be partial).
    pub list_cap: usize,
    /// For how many milliseconds a client may keep a listing. Changes are told to those who listen.
    pub ttl_ms: u64,
    /// How many tokens the list of skills may take that clients are given when they connect.
    pub catalog_tokens: usize,
    /// The longest message, in bytes.
    pub max_message: usize,
    /// Where records of what happens go.
    pub journal: Journal,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            name: "metier".to_owned(),
            page_size: 100,
            list_cap: 5_000,
            ttl_ms: 60_000,
            catalog_tokens: 2_000,
            max_message: 4 * 1024 * 1024,
            journal: Journal::default(),
        }
    }
}
