//! Turns a server and a listening socket into answers over HTTP: MCP, the web index, health and numbers.

mod connections;
mod front;
mod gate;
mod metrics;
mod rate;
mod steady;
mod well_known;

use crate::http_options::HttpOptions;
use crate::journal::Level;
use crate::server::Server;
use connections::accept;
use front::{Front, router};
use std::io;
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// A server at an address, not yet answering.
#[derive(Debug)]
pub struct HttpServer {
    server: Server,
    listener: TcpListener,
    address: SocketAddr,
    options: HttpOptions,
}

/// Why a server does not answer over HTTP.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// Others than this machine could connect, and nobody would have to say who they are (security M04).
    #[error("`{address}` can be reached from other machines, and no token is set")]
    TokenRequired {
        /// The address.
        address: SocketAddr,
    },
    /// The token could be guessed.
    #[error("the token has {length} characters, and at least {MIN_TOKEN} are needed")]
    WeakToken {
        /// How long it is.
        length: usize,
    },
    /// The address cannot be had.
    #[error("the server cannot listen at `{address}`: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

/// The fewest characters of a token.
const MIN_TOKEN: usize = 16;

impl HttpError {
    /// What can be done about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::TokenRequired { .. } => "give a token, or listen at `127.0.0.1`",
            Self::WeakToken { .. } => "make one with `openssl rand -hex 32`",
            Self::Listen { .. } => "choose another port, or stop what listens there",
        }
    }
}

impl HttpServer {
    /// Listens at an address. One that others can reach needs a token.
    pub async fn bind(
        server: &Server,
        address: SocketAddr,
        options: HttpOptions,
    ) -> Result<Self, HttpError> {
        match &options.token {
            None if !address.ip().is_loopback() => {
                return Err(HttpError::TokenRequired { address });
            }
            Some(token) if token.len() < MIN_TOKEN => {
                return Err(HttpError::WeakToken { length: token.len() });
            }
            _ => {}
        }
        let fault = |source| HttpError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(fault)?;
        let address = listener.local_addr().map_err(fault)?;
        Ok(Self { server: server.clone(), listener, address, options })
    }

    /// Where it listens; the port is the real one when any was asked for.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` is cancelled, and then finishes what was begun.
    pub async fn serve(self, stop: CancellationToken) {
        let Self { server, listener, address, options } = self;
        let journal = server.options().journal.clone();
        journal.record(Level::Info, "listening", &[("address", address.to_string())]);
        let front = Front::new(&server, address.ip(), options.clone(), stop.child_token());
        accept(listener, router(front), &options, &stop, &journal).await;
        journal.record(Level::Info, "stopped", &[("address", address.to_string())]);
    }
}
