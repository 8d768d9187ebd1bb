//! Turns "every way to reach a server" into one kind of client: over streams and over HTTP, in both protocol eras.

use crate::client::{Client, Era, Site, modern};
use metier_mcp::{HttpOptions, Server};
use serde_json::{Value, json};

/// A client that has reached a server some way.
pub(crate) enum Way {
    Streams(Era, Client),
    Http(Site),
    Session(Site, String),
}

impl Way {
    /// A client for each way.
    pub(crate) async fn all(server: &Server) -> Vec<Self> {
        let mut ways = Vec::new();
        for era in [Era::Modern, Era::Legacy] {
            ways.push(Self::Streams(era, Client::connect(server, era).await));
        }
        ways.push(Self::Http(Site::open(server, HttpOptions::default()).await));
        let site = Site::open(server, HttpOptions::default()).await;
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        } });
        let reply = site.post_bytes(hello.to_string().as_bytes(), &session_headers("")[..3]).await;
        let session = reply.header("mcp-session-id").expect("a session").to_owned();
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        site.post_bytes(ready.to_string().as_bytes(), &session_headers(&session)).await;
        ways.push(Self::Session(site, session));
        ways
    }

    /// What it is called when something is wrong.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Streams(Era::Modern, _) => "streams",
            Self::Streams(Era::Legacy, _) => "streams, older protocol",
            Self::Http(_) => "HTTP",
            Self::Session(..) => "HTTP, session",
        }
    }

    pub(crate) fn is_modern(&self) -> bool {
        matches!(self, Self::Streams(Era::Modern, _) | Self::Http(_))
    }

    /// The answer to a request: a result or an error.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        match self {
            Self::Streams(_, client) => client.request(method, params).await,
            Self::Http(site) => site.post(&modern(method, params), &[]).await.message(),
            Self::Session(site, session) => {
                let message =
                    json!({ "jsonrpc": "2.0", "id": 2, "method": method, "params": params });
                let body = message.to_string();
                site.post_bytes(body.as_bytes(), &session_headers(session)).await.message()
            }
        }
    }

    /// The reply of a tool.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        self.ask("tools/call", params).await["result"].clone()
    }
}

fn session_headers(session: &str) -> [(&str, &str); 4] {
    [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2025-11-25"),
        ("Mcp-Session-Id", session),
    ]
}
