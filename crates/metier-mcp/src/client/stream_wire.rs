//! Turns messages into lines on a pair of streams, such as those of a server that the host has started.

use super::connection::{Era, McpError, Wire};
use super::http_wire::MAX_ANSWER;
use serde_json::{Value as Json, json};
use std::fmt;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How many messages that nobody asked for may come before an answer.
const MOST_OTHERS: usize = 10_000;

/// How much of what a program says beside its messages is kept.
const MOST_WORDS: usize = 4096;

/// How long a program has to end once nobody talks to it any more.
const PATIENCE: Duration = Duration::from_secs(2);

/// A server at the other end of two streams.
pub(crate) struct StreamWire {
    lines: Receiver<Json>,
    write: Box<dyn Write + Send>,
    timeout: Duration,
    program: Option<Program>,
}

/// A server that was started, and is ended with the wire.
struct Program {
    child: Child,
    /// The end of what it said on stderr.
    words: Arc<Mutex<Vec<u8>>>,
    /// Hangs up when it says no more.
    speaking: Receiver<()>,
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
        Self { lines, write: Box::new(write), timeout, program: None }
    }

    /// Talks to a program that was started with three pipes; `None` when one is missing.
    pub(crate) fn program(mut child: Child, timeout: Duration) -> Option<Self> {
        let (write, read) = (child.stdin.take()?, child.stdout.take()?);
        let mut said = child.stderr.take()?;
        let words: Arc<Mutex<Vec<u8>>> = Arc::default();
        let kept = words.clone();
        let (speaks, speaking) = sync_channel(0);
        std::thread::spawn(move || {
            let _speaks: SyncSender<()> = speaks;
            let mut part = [0; 1024];
            while let Ok(length @ 1..) = said.read(&mut part) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&part[..length]);
                let surplus = kept.len().saturating_sub(MOST_WORDS);
                kept.drain(..surplus);
            }
        });
        let mut wire = Self::new(read, write, timeout);
        wire.program = Some(Program { child, words, speaking });
        Some(wire)
    }

    /// That the server is gone, with the last lines it said.
    fn gone(&self, message: &str) -> McpError {
        let Some(program) = &self.program else { return McpError::unreachable(message) };
        let _ = program.speaking.recv_timeout(PATIENCE);
        let words = program.words.lock().unwrap_or_else(PoisonError::into_inner);
        let words = String::from_utf8_lossy(&words);
        let mut lines: Vec<&str> =
            words.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(3).collect();
        lines.reverse();
        if lines.is_empty() {
            return McpError::unreachable(message);
        }
        let lines = crate::fault::short(&lines.join("; "));
        McpError::unreachable(format!("{message}, and said: {}", metier::visible(&lines)))
    }

    fn send(&mut self, message: &Json) -> Result<(), McpError> {
        let sent = writeln!(self.write, "{message}").and_then(|()| self.write.flush());
        sent.map_err(|error| self.gone(&format!("the server has ended: {error}")))
    }
}

impl Wire for StreamWire {
    fn exchange(&mut self, message: &Json, _: Era) -> Result<Option<Json>, McpError> {
        self.send(message)?;
        let Some(id) = message.get("id") else { return Ok(None) };
        for _ in 0..MOST_OTHERS {
            let answer = self.lines.recv_timeout(self.timeout).map_err(|error| match error {
                RecvTimeoutError::Timeout => McpError::failed("the server did not answer in time"),
                RecvTimeoutError::Disconnected => self.gone("the server has ended"),
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

/// Ends a program as the protocol has it: nobody talks to it any more, and it is given time to notice.
impl Drop for StreamWire {
    fn drop(&mut self) {
        let Some(program) = &mut self.program else { return };
        self.write = Box::new(std::io::sink());
        while self.lines.recv_timeout(PATIENCE).is_ok() {}
        // One that has ended cannot be killed, and one that has not must be.
        let _ = program.child.kill();
        let _ = program.child.wait();
    }
}
