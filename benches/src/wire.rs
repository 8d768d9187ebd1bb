//! Turns MCP requests into bytes on a connection that is kept, and what comes back into JSON.

#![expect(clippy::disallowed_types, reason = "a benchmark of a server connects to it")]

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Which protocol a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// 2026-07-28: every request stands for itself.
    Modern,
    /// 2025-11-25: requests belong to a session.
    Legacy,
}

/// A client at the other end of one connection, which it uses for one request after the other.
#[derive(Debug)]
pub struct Wire {
    era: Era,
    stream: BufReader<TcpStream>,
    host: String,
    session: Option<String>,
    next: u64,
    /// Where bodies are read into, so that the client costs as little as it can.
    body: Vec<u8>,
}

impl Wire {
    /// Connects, and says hello where the protocol wants it.
    pub fn connect(address: SocketAddr, era: Era) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut wire = Self {
            era,
            stream: BufReader::with_capacity(64 * 1024, stream),
            host: address.to_string(),
            session: None,
            next: 1,
            body: Vec::new(),
        };
        if era == Era::Legacy {
            wire.ask(
                "initialize",
                &json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": {},
                    "clientInfo": { "name": "bench", "version": "1" },
                }),
            )?;
            let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            wire.post("notifications/initialized", None, &ready)?;
        }
        Ok(wire)
    }

    /// Sends a request and gives the bytes of its answer.
    pub fn ask(&mut self, method: &str, params: &Value) -> io::Result<&[u8]> {
        let mut params = params.clone();
        let name = match method {
            "tools/call" => params["name"].as_str().map(str::to_owned),
            "resources/read" => params["uri"].as_str().map(str::to_owned),
            _ => None,
        };
        if self.era == Era::Modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let id = self.next;
        self.next += 1;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.post(method, name.as_deref(), &message)?;
        Ok(&self.body)
    }

    /// [`ask`](Self::ask), read as the result that it must be.
    pub fn result(&mut self, method: &str, params: &Value) -> io::Result<Value> {
        let body = self.ask(method, params)?;
        let text = String::from_utf8_lossy(body);
        let wrong = || io::Error::other(format!("{method} has no result: {text:.300}"));
        let start = text.find("{\"jsonrpc\"").ok_or_else(wrong)?;
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        let message = values.next().ok_or_else(wrong)??;
        message.get("result").cloned().ok_or_else(wrong)
    }

    fn post(&mut self, method: &str, name: Option<&str>, message: &Value) -> io::Result<()> {
        let body = message.to_string();
        let mut request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            self.host,
            body.len()
        );
        match self.era {
            Era::Modern => {
                let _ =
                    write!(request, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n");
                if let Some(name) = name {
                    let _ = write!(request, "Mcp-Name: {name}\r\n");
                }
            }
            Era::Legacy => {
                request.push_str("MCP-Protocol-Version: 2025-11-25\r\n");
                if let Some(session) = &self.session {
                    let _ = write!(request, "Mcp-Session-Id: {session}\r\n");
                }
            }
        }
        request.push_str("\r\n");
        request.push_str(&body);
        self.stream.get_mut().write_all(request.as_bytes())?;
        self.receive()
    }

    fn receive(&mut self) -> io::Result<()> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let status: u16 = line.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or_default();
        let (mut length, mut is_chunked) = (0, false);
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().unwrap_or(0),
                "transfer-encoding" => is_chunked = value == "chunked",
                "mcp-session-id" => self.session = Some(value.to_owned()),
                _ => {}
            }
        }
        self.body.clear();
        while is_chunked {
            line.clear();
            self.stream.read_line(&mut line)?;
            let size = u64::from_str_radix(line.trim_end(), 16).map_err(io::Error::other)?;
            (&mut self.stream).take(size).read_to_end(&mut self.body)?;
            line.clear();
            self.stream.read_line(&mut line)?;
            is_chunked = size > 0;
        }
        (&mut self.stream).take(length).read_to_end(&mut self.body)?;
        if (200..300).contains(&status) {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&self.body);
        Err(io::Error::other(format!("status {status}: {text:.300}")))
    }
}

/// Whoever is done with a session says so.
impl Drop for Wire {
    fn drop(&mut self) {
        if let Some(session) = &self.session {
            let head = format!(
                "DELETE /mcp HTTP/1.1\r\nHost: {}\r\nMcp-Session-Id: {session}\r\n\r\n",
                self.host
            );
            // Without it, the session ends when it has been idle for a while.
            let _ = self.stream.get_mut().write_all(head.as_bytes());
            let _ = self.receive();
        }
    }
}
