//! Turns methods and parameters into messages of the protocol that the server speaks, and answers into results.

use crate::extension;
use serde_json::{Value as Json, json};
use std::fmt;

/// What carries messages.
pub(crate) trait Wire: fmt::Debug + Send {
    /// Sends a message, and waits for the answer if it is a request.
    fn exchange(&mut self, message: &Json, era: Era) -> Result<Option<Json>, McpError>;

    /// Forgets what belongs to a conversation, before another one.
    fn reset(&mut self);
}

/// Which protocol is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// 2026-07-28: every request says what the client is.
    Modern,
    /// 2025-11-25 and older: said once, at the start.
    Legacy,
}

impl Era {
    pub(crate) fn version(self) -> &'static str {
        match self {
            Self::Modern => "2026-07-28",
            Self::Legacy => "2025-11-25",
        }
    }
}

/// Why a server gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// The server cannot be reached, or has gone away.
    #[error("{message}")]
    Unreachable {
        /// What went wrong.
        message: String,
    },
    /// The server wants a token, or another one.
    #[error("the server does not let us in (status {status})")]
    Unauthorized {
        /// 401 or 403.
        status: u16,
    },
    /// There is a token, and anybody between here and the server could read it.
    #[error("the token is not sent without TLS")]
    Exposed,
    /// What the server sends is no answer.
    #[error("{message}")]
    Failed {
        /// What went wrong.
        message: String,
    },
    /// The server says that it cannot do that.
    #[error("the server says: {} ({code})", metier::visible(message))]
    Refused {
        /// The code of JSON-RPC.
        code: i64,
        /// The server's words.
        message: String,
    },
    /// The server does not know the conversation any more.
    #[error("the server has forgotten the session")]
    Forgotten,
}

impl McpError {
    /// What can be done about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "check the address, and that the server is running",
            Self::Unauthorized { .. } => "give the token that the server was set up with",
            Self::Exposed => "reach the server by an `https://` address, or on this machine",
            Self::Failed { .. } => {
                "give the address of its MCP endpoint, such as `https://skills.example.com/mcp`"
            }
            Self::Refused { .. } | Self::Forgotten => "ask whoever runs the server",
        }
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into() }
    }

    pub(crate) fn unreachable(message: impl Into<String>) -> Self {
        Self::Unreachable { message: message.into() }
    }
}

/// A conversation with a server.
#[derive(Debug)]
pub(crate) struct Connection {
    wire: Box<dyn Wire>,
    known: Option<Known>,
    next: u64,
}

/// What is known of the server once it was asked.
#[derive(Debug, Clone, Copy)]
struct Known {
    era: Era,
    has_skills: bool,
}

impl Connection {
    pub(crate) fn new(wire: impl Wire + 'static) -> Self {
        Self { wire: Box::new(wire), known: None, next: 1 }
    }

    /// Whether the server has the skills extension.
    pub(crate) fn has_skills(&mut self) -> Result<bool, McpError> {
        Ok(self.known()?.has_skills)
    }

    /// The result of a request.
    pub(crate) fn request(&mut self, method: &str, params: &Json) -> Result<Json, McpError> {
        let known = self.known()?;
        match self.ask(known.era, method, params.clone()) {
            Err(McpError::Forgotten) => {
                self.known = None;
                let known = self.known()?;
                self.ask(known.era, method, params.clone())
            }
            answer => answer,
        }
    }

    /// Finds out which protocol the server speaks: the newer one, if it answers to that.
    fn known(&mut self) -> Result<Known, McpError> {
        if let Some(known) = self.known {
            return Ok(known);
        }
        self.wire.reset();
        let (era, about) = match self.ask(Era::Modern, "server/discover", json!({})) {
            Ok(about) => (Era::Modern, about),
            // Another language does not help a server that is not there.
            Err(
                error @ (McpError::Unreachable { .. }
                | McpError::Unauthorized { .. }
                | McpError::Exposed),
            ) => return Err(error),
            Err(_) => (Era::Legacy, self.greet()?),
        };
        let has_skills = about["capabilities"]["extensions"][extension::ID].is_object();
        let known = Known { era, has_skills };
        self.known = Some(known);
        Ok(known)
    }

    /// Starts a conversation as the older protocols do.
    fn greet(&mut self) -> Result<Json, McpError> {
        self.wire.reset();
        let hello = json!({
            "protocolVersion": Era::Legacy.version(),
            "capabilities": { "extensions": { extension::ID: {} } },
            "clientInfo": client_info(),
        });
        let about = self.ask(Era::Legacy, "initialize", hello)?;
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        self.wire.exchange(&ready, Era::Legacy)?;
        Ok(about)
    }

    fn ask(&mut self, era: Era, method: &str, mut params: Json) -> Result<Json, McpError> {
        if era == Era::Modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": era.version(),
                "io.modelcontextprotocol/clientInfo": client_info(),
                "io.modelcontextprotocol/clientCapabilities": { "extensions": { extension::ID: {} } },
            });
        }
        let id = self.next;
        self.next += 1;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let answer = self.wire.exchange(&message, era)?;
        let mut answer = answer.ok_or_else(|| McpError::failed("the server did not answer"))?;
        if let Some(error) = answer.get("error") {
            return Err(McpError::Refused {
                code: error["code"].as_i64().unwrap_or_default(),
                message: crate::fault::short(error["message"].as_str().unwrap_or_default()),
            });
        }
        match answer["result"].take() {
            result @ Json::Object(_) => Ok(result),
            _ => Err(McpError::failed("the answer has no result")),
        }
    }
}

fn client_info() -> Json {
    json!({ "name": "metier", "version": env!("CARGO_PKG_VERSION") })
}
