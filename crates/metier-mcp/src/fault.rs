//! Turns what kept a request from being answered into the error that a client is told.

use serde_json::{Value as Json, json};

/// Why a request has no answer. What it says names addresses of skills and never a path of this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// The method is not one of this server's.
    #[error("there is no method `{0}`")]
    UnknownMethod(String),
    /// The parameters do not make sense.
    #[error("{message}")]
    Invalid {
        /// What is wrong.
        message: String,
        /// What it is about.
        data: Option<Json>,
    },
    /// Nothing is served at an address.
    #[error("{message}")]
    NotFound {
        /// What is wrong.
        message: String,
        /// The address.
        uri: String,
    },
    /// Something is served there, and it cannot be had now.
    #[error("{0}")]
    Unavailable(String),
}

impl Fault {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid { message: message.into(), data: None }
    }

    /// Parameters that name something which is not there (SEP-2640: -32602 with the address).
    pub(crate) fn invalid_uri(message: impl Into<String>, uri: &str) -> Self {
        Self::Invalid { message: message.into(), data: Some(json!({ "uri": short(uri) })) }
    }

    pub(crate) fn not_found(message: impl Into<String>, uri: &str) -> Self {
        Self::NotFound { message: message.into(), uri: short(uri) }
    }
}

/// What a client sent, short enough to be sent back.
pub(crate) fn short(text: &str) -> String {
    const MOST: usize = 512;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
