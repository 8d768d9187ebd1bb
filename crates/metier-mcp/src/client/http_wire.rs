//! Turns messages into requests of streamable HTTP, and what comes back, JSON or events, into answers.

use super::connection::{Era, McpError, Wire};
use serde_json::Value as Json;
use std::io::{BufRead, BufReader, Read};
use std::net::IpAddr;
use std::time::Duration;
use ureq::http::Response;
use ureq::tls::{RootCerts, TlsConfig};

/// The largest answer: a file of 16 MiB, encoded, and what stands around it.
pub(crate) const MAX_ANSWER: u64 = 32 * 1024 * 1024;

/// A server at an address.
#[derive(Debug)]
pub(crate) struct HttpWire {
    agent: ureq::Agent,
    url: String,
    token: Option<String>,
    session: Option<String>,
}

impl HttpWire {
    pub(crate) fn new(url: &str, token: Option<String>, timeout: Duration) -> Self {
        let config = ureq::Agent::config_builder()
            // A server that moved is another server: whoever wants it names it (security H04, H16).
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .proxy(None)
            .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
            .user_agent(concat!("metier/", env!("CARGO_PKG_VERSION")))
            .accept_encoding("identity")
            .timeout_global(Some(timeout))
            .build();
        Self { agent: config.new_agent(), url: url.to_owned(), token, session: None }
    }

    fn post(&self, message: &Json, era: Era) -> Result<Response<ureq::Body>, McpError> {
        let method = message["method"].as_str().unwrap_or_default();
        let mut request = self
            .agent
            .post(&self.url)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", era.version());
        if era == Era::Modern {
            request = request.header("Mcp-Method", method);
            if let ("resources/read", Some(uri)) = (method, message["params"]["uri"].as_str()) {
                request = request.header("Mcp-Name", uri);
            }
        }
        if let Some(token) = &self.token {
            if !is_private(&self.url) {
                return Err(McpError::Exposed);
            }
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        if let Some(session) = &self.session {
            request = request.header("Mcp-Session-Id", session);
        }
        request
            .send(message.to_string())
            .map_err(|error| McpError::unreachable(format!("it cannot be reached: {error}")))
    }
}

/// Whether nobody between here and the server reads along.
fn is_private(url: &str) -> bool {
    let Ok(uri) = url.parse::<ureq::http::Uri>() else { return false };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let is_loopback = host.parse::<IpAddr>().map_or(host == "localhost", |ip| ip.is_loopback());
    uri.scheme_str() == Some("https") || is_loopback
}

impl Wire for HttpWire {
    fn exchange(&mut self, message: &Json, era: Era) -> Result<Option<Json>, McpError> {
        let response = self.post(message, era)?;
        let status = response.status().as_u16();
        let header = |name: &str| {
            let value = response.headers().get(name)?.to_str().ok()?;
            Some(value.to_owned())
        };
        if status == 404 && self.session.is_some() {
            return Err(McpError::Forgotten);
        }
        if matches!(status, 401 | 403) {
            return Err(McpError::Unauthorized { status });
        }
        if message["method"] == "initialize" {
            self.session = header("mcp-session-id");
        }
        let is_stream =
            header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
        let body = response.into_body().into_with_config().limit(MAX_ANSWER).reader();
        if message.get("id").is_none() {
            return Ok(None);
        }
        let answer = if is_stream { event(body, &message["id"]) } else { json(body) };
        match answer {
            // Errors of the protocol come with statuses of their own.
            Ok(answer) if answer["error"].is_object() || (200..300).contains(&status) => {
                Ok(Some(answer))
            }
            Err(error) if (200..300).contains(&status) => Err(error),
            _ if (300..400).contains(&status) => Err(McpError::failed(format!(
                "the server points elsewhere (status {status}), which is not followed"
            ))),
            _ => Err(McpError::failed(format!("the server answers with status {status}"))),
        }
    }

    fn reset(&mut self) {
        self.session = None;
    }
}

fn json(body: impl Read) -> Result<Json, McpError> {
    serde_json::from_reader(body).map_err(|_| McpError::failed("the answer is not JSON"))
}

/// The message with an id in a stream of events; others are passed over.
fn event(body: impl Read, id: &Json) -> Result<Json, McpError> {
    let mut data = String::new();
    for line in BufReader::new(body).lines() {
        let line =
            line.map_err(|error| McpError::failed(format!("the stream broke off: {error}")))?;
        if let Some(more) = line.strip_prefix("data:") {
            data.push_str(more.strip_prefix(' ').unwrap_or(more));
            data.push('\n');
        } else if line.is_empty() && !data.is_empty() {
            let message: Option<Json> = serde_json::from_str(&data).ok();
            data.clear();
            if let Some(message) =
                message.filter(|message| message["id"] == *id && message.get("method").is_none())
            {
                return Ok(message);
            }
        }
    }
    Err(McpError::failed("the stream ended without an answer"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_token_is_for_private_connections() {
        for url in [
            "https://a.example/mcp",
            "http://127.0.0.1:1/mcp",
            "http://[::1]/",
            "http://localhost/",
        ] {
            assert!(is_private(url), "{url}");
        }
        for url in [
            "http://a.example/mcp",
            "http://10.0.0.1/",
            "http://localhost.a.example/",
            "",
            "ftp://x",
        ] {
            assert!(!is_private(url), "{url}");
        }
    }

    #[test]
    fn the_answer_is_found_among_events() {
        let stream = ": hello\nid: 0\ndata:\n\nevent: message\ndata: {\"method\":\"notifications/x\"}\n\n\
            data: {\"id\":1,\"method\":\"ping\"}\n\ndata: {\"id\":2,\"result\":{}}\n\n\
            data: {\"id\":1,\ndata: \"result\":{\"a\":1}}\n\n";
        assert_eq!(event(stream.as_bytes(), &json!(1)).unwrap()["result"]["a"], 1);
        assert!(event(stream.as_bytes(), &json!(3)).is_err());
        assert!(event(&b"data: {"[..], &json!(1)).is_err());
    }
}
