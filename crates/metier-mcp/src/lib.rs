//! Agent Skills over MCP: turns a registry of skills into a server that speaks both protocol eras.
//!
//! ```
//! use metier::Registry;
//! use metier_mcp::{CancellationToken, ServeOptions, Server};
//!
//! # async fn run() -> std::io::Result<()> {
//! let server = Server::new(Registry::open(["./skills"]), ServeOptions::default());
//! server.serve(tokio::io::empty(), tokio::io::sink(), CancellationToken::new()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! - [`Server`] serves a registry: [`Server::serve`] over two streams, [`HttpServer`] at an address, with the limits of
//!   [`HttpOptions`]. Tools, the skills extension (SEP-2640), resources and prompts come from one catalog.
//! - [`WebIndex`] is the same as files, for tools that look for skills on the web.
//! - `McpSource`, with the feature `client`, reads skills from another server, verified.
//!
//! The guide is `docs/serving.md`.

mod adapter;
mod address;
mod archive;
mod byte_cache;
mod change;
#[cfg(feature = "client")]
mod client;
mod completion;
mod digest;
mod extension;
mod fault;
#[cfg(feature = "watch")]
mod hot;
mod http;
mod http_options;
mod journal;
mod lanes;
mod listing_entry;
mod media;
mod options;
mod package;
mod packed_files;
mod page;
mod prompts;
mod ready_index;
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

/// The examples of the guide to serving, as tests.
#[cfg(all(doctest, feature = "watch"))]
#[doc = include_str!("../../../docs/serving.md")]
pub struct Serving;
