//! Turns messages into lines on a pair of streams, such as those of a server that the host has started.

use super::connection::{Era, McpError, Wire};
use super::http_wire::MAX_ANSWER;
use serde_json::{Value as Json, json};
use std::fmt;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How many messages that nobody asked for may come before an answer.
const MOST_OTHERS: usize = 10_000;

/// A server at the other end of two streams.
pub(crate) struct StreamWire {
    lines: Receiver<Json>,
    write: Box<dyn Write + Send>,
    timeout: Duration,
}

impl fmt::Debug for StreamWire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamWire").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl StreamWire {
    pub(crate) fn new(
        read: impl Read + Send + 'static,
        write: impl Write + Send + 'static,
        timeout: Duration,
    ) -> Self {
        // Reading waits for as long as the server likes; asking does not.
        let (sender, lines) = sync_channel(16);
        std::thread::spawn(move || {
            let mut read = BufReader::new(read);
            loop {
                let mut line = Vec::new();
                match (&mut read).take(MAX_ANSWER).read_until(b'\n', &mut line) {
                    Ok(length) if length > 0 && line.ends_with(b"\n") => {}
                    _ => return,
                }
                let Ok(message) = serde_json::from_slice(&line) else { continue };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { lines, write: Box::new(write), timeout }
    }

    fn send(&mut self, message: &Json) -> Result<(), McpError> {
        let sent = writeln!(self.write, "{message}").and_then(|()| self.write.flush());
        sent.map_err(|error| McpError::failed(format!("the server cannot be reached: {error}")))
    }
}

impl Wire for StreamWire {
    fn exchange(&mut self, message: &Json, _: Era) -> Result<Option<Json>, McpError> {
        self.send(message)?;
        let Some(id) = message.get("id") else { return Ok(None) };
        for _ in 0..MOST_OTHERS {
            let answer = self.lines.recv_timeout(self.timeout).map_err(|error| match error {
                RecvTimeoutError::Timeout => McpError::failed("the server did not answer in time"),
                RecvTimeoutError::Disconnected => McpError::failed("the server hung up"),
            })?;
            match (answer.get("id"), answer.get("method")) {
                (Some(of), None) if of == id => return Ok(Some(answer)),
                // The older protocols let servers ask too.
                (Some(of), Some(method)) if method == "ping" => {
                    self.send(&json!({ "jsonrpc": "2.0", "id": of, "result": {} }))?;
                }
                (Some(of), Some(_)) => {
                    let error = json!({ "code": -32601, "message": "there is no such method" });
                    self.send(&json!({ "jsonrpc": "2.0", "id": of, "error": error }))?;
                }
                _ => {}
            }
        }
        Err(McpError::failed("the server says much and answers nothing"))
    }

    fn reset(&mut self) {}
}
