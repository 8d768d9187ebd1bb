//! Drives the server as clients do: over streams and over HTTP, in both protocol eras, well and badly.

#![expect(clippy::disallowed_methods, reason = "tests change real files")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod abuse;
mod client;
mod conversation;
mod gate;
mod hostile;
mod hot;
mod limits;
mod page;
mod protocol;
#[cfg(feature = "client")]
mod source;
mod way;
mod web_index;
