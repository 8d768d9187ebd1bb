//! Turns a recorded conversation into a server that plays the model's part of it.

#![expect(clippy::disallowed_types, reason = "an example plays a model")]

use serde_json::{Value, json};
use std::error::Error;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

/// Starts a server on this machine that answers with the recorded messages, one after the other, and
/// with the API's own errors when a request breaks its rules.
pub(crate) fn start(conversation: &str) -> Result<SocketAddr, Box<dyn Error>> {
    let recorded: Vec<Value> = serde_json::from_str(conversation)?;
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        let mut recorded = recorded.into_iter();
        for stream in listener.incoming() {
            // A client that hung up ends its own request only.
            let _ = stream.and_then(|stream| serve(stream, &mut recorded));
        }
    });
    Ok(address)
}

fn serve(mut stream: TcpStream, recorded: &mut impl Iterator<Item = Value>) -> io::Result<()> {
    let (status, body) = match read_request(&stream).and_then(|request| check(&request)) {
        Err(message) => ("400 Bad Request", error("invalid_request_error", &message)),
        Ok(()) => match recorded.next() {
            Some(answer) => ("200 OK", answer),
            None => ("529 Overloaded", error("overloaded_error", "the recording is over")),
        },
    };
    let body = body.to_string();
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    )
}

fn error(kind: &str, message: &str) -> Value {
    json!({ "type": "error", "error": { "type": kind, "message": message } })
}

fn read_request(stream: &TcpStream) -> Result<Value, String> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    let mut line = String::new();
    let mut is_first = true;
    loop {
        line.clear();
        reader.read_line(&mut line).map_err(|error| error.to_string())?;
        let header = line.trim_end().to_ascii_lowercase();
        if is_first && !header.starts_with("post /v1/messages ") {
            return Err(format!("no such endpoint: {header}"));
        }
        is_first = false;
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(|_| "content-length: not a number".to_owned())?;
        }
        if header.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).map_err(|error| error.to_string())?;
    serde_json::from_slice(&body).map_err(|error| error.to_string())
}

/// The rules of the Messages API that a loop can break.
fn check(request: &Value) -> Result<(), String> {
    for (key, is_right) in [
        ("model", request["model"].is_string()),
        ("max_tokens", request["max_tokens"].as_u64().is_some_and(|n| n > 0)),
        ("messages", request["messages"].as_array().is_some_and(|m| !m.is_empty())),
        ("tools", request["tools"].as_array().is_some_and(|tools| tools.iter().all(is_tool))),
    ] {
        if !is_right {
            return Err(format!("{key}: Field required"));
        }
    }
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    for (at, message) in messages.iter().enumerate() {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        if message["role"] != role {
            return Err(format!("messages.{at}: roles must alternate, expected `{role}`"));
        }
        let next = messages.get(at + 1);
        for call in ids(message, "tool_use", "id") {
            let is_answered =
                next.is_some_and(|next| ids(next, "tool_result", "tool_use_id").contains(&call));
            if !is_answered {
                return Err(format!("messages.{at}: `{call}` has no `tool_result` behind it"));
            }
        }
    }
    Ok(())
}

fn is_tool(tool: &Value) -> bool {
    tool["name"].is_string() && tool["input_schema"]["type"] == "object"
}

/// The ids in the blocks of one type.
fn ids<'m>(message: &'m Value, kind: &str, key: &str) -> Vec<&'m str> {
    let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    blocks.iter().filter(|block| block["type"] == kind).filter_map(|b| b[key].as_str()).collect()
}
