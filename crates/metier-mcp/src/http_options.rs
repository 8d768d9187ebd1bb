//! Turns "who may connect, how often, with how much" into fields with defaults.

use std::time::Duration;

/// How a server answers over HTTP.
#[derive(Clone)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct HttpOptions {
    /// What clients must send as `Authorization: Bearer`. Required unless the address is a loopback one.
    pub token: Option<String>,
    /// Names beside `localhost` and addresses that the server may be called by.
    pub allowed_hosts: Vec<String>,
    /// Web pages, as `https://host:port`, that may send requests. A page of the server itself may.
    pub allowed_origins: Vec<String>,
    /// How many connections are open at once.
    pub max_connections: usize,
    /// How many requests are worked on at once.
    pub max_in_flight: usize,
    /// How many sessions there are at once. Only the older protocols have sessions.
    pub max_sessions: usize,
    /// How many requests a second one address may send, for long; `None` for any number.
    pub rate: Option<u32>,
    /// How long the head of a request may take, and a connection be idle.
    pub head_timeout: Duration,
    /// How long the body of a request may take.
    pub body_timeout: Duration,
    /// How long an answer may take to begin.
    pub answer_timeout: Duration,
    /// How long a client may read nothing of an answer that it is being sent.
    pub write_timeout: Duration,
    /// How long a session lasts without a request.
    pub session_idle: Duration,
    /// How long requests may go on when the server stops.
    pub grace: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            token: None,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            max_connections: 1_024,
            max_in_flight: 256,
            max_sessions: 1_000,
            rate: Some(1_000),
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(10),
            answer_timeout: Duration::from_secs(60),
            write_timeout: Duration::from_secs(30),
            session_idle: Duration::from_secs(300),
            grace: Duration::from_secs(5),
        }
    }
}

/// Written by hand so that no log holds the token.
impl std::fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpOptions")
            .field("token", &self.token.as_ref().map(|_| "..."))
            .field("allowed_hosts", &self.allowed_hosts)
            .field("allowed_origins", &self.allowed_origins)
            .finish_non_exhaustive()
    }
}
