//! Turns a request into a model's answer, over HTTP.

#![expect(clippy::disallowed_types, reason = "an example talks to a model")]

use serde_json::Value;
use std::error::Error;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

/// A model behind the Anthropic Messages API. A real host uses the HTTP client it has anyway.
pub(crate) struct Model {
    pub(crate) address: SocketAddr,
}

impl Model {
    /// Sends one request to `/v1/messages` and waits for the answer.
    pub(crate) fn ask(&self, request: &Value) -> Result<Value, Box<dyn Error>> {
        let body = request.to_string();
        let mut stream = TcpStream::connect(self.address)?;
        write!(
            stream,
            "POST /v1/messages HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
             anthropic-version: 2023-06-01\r\nx-api-key: none\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n{body}",
            self.address,
            body.len()
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or("the answer is not HTTP")?;
        let answer: Value = serde_json::from_str(body)?;
        if head.starts_with("HTTP/1.1 200") {
            Ok(answer)
        } else {
            Err(format!("the model refused the request: {}", answer["error"]["message"]).into())
        }
    }
}
