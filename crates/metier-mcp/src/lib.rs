//! Agent Skills over MCP: turns a registry of skills into a server that speaks both protocol eras.

mod adapter;
mod address;
mod archive;
mod byte_cache;
mod change;
#[cfg(feature = "client")]
mod client;
mod digest;
mod extension;
mod fault;
#[cfg(feature = "watch")]
mod hot;
mod http;
mod http_options;
mod journal;
mod listing_entry;
mod media;
mod options;
mod package;
mod page;
mod prompts;
mod resources;
mod server;
mod store;
mod tools;
mod uri;
mod web;
mod web_index;

#[cfg(feature = "client")]
pub use client::{McpError, McpSource, McpSourceOptions};
pub use http::{HttpError, HttpServer};
pub use http_options::HttpOptions;
pub use journal::{Journal, Level, Record};
pub use options::ServeOptions;
pub use server::{Ended, Server};
pub use tokio_util::sync::CancellationToken;
pub use web_index::WebIndex;
