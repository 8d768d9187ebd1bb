//! Turns requests into the bytes that clients send, and what comes back into JSON.

use metier_mcp::{CancellationToken, HttpOptions, HttpServer, ServeOptions, Server};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf,
    WriteHalf,
};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Longer than anything here takes, so that a test that hangs fails instead.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Which protocol a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Modern,
    Legacy,
}

/// What every request of the newer protocol says about its client.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A client at the other end of two streams.
pub(crate) struct Client {
    era: Era,
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    next: u64,
    /// What came that was no answer.
    pub(crate) notifications: Vec<Value>,
}

impl Client {
    /// Connects, and says hello where the protocol wants it.
    pub(crate) async fn connect(server: &Server, era: Era) -> Self {
        let mut client = Self::raw(server, era);
        if era == Era::Legacy {
            let hello = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            });
            let answer = client.request("initialize", hello).await;
            assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
            client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        }
        client
    }

    /// Connects and says nothing.
    pub(crate) fn raw(server: &Server, era: Era) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(theirs);
        let server = server.clone();
        tokio::spawn(async move { server.serve(read, write, CancellationToken::new()).await });
        let (read, write) = tokio::io::split(ours);
        Self { era, read: BufReader::new(read), write, next: 1, notifications: Vec::new() }
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes()).await;
    }

    pub(crate) async fn send_line(&mut self, line: &[u8]) {
        self.write.write_all(line).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    /// The next message, whatever it is.
    pub(crate) async fn receive(&mut self) -> Value {
        let mut line = String::new();
        let read =
            timeout(PATIENCE, self.read.read_line(&mut line)).await.expect("an answer in time");
        assert!(read.unwrap() > 0, "the server hung up");
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn request(&mut self, method: &str, mut params: Value) -> Value {
        if self.era == Era::Modern {
            params["_meta"] = meta();
        }
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        loop {
            let message = self.receive().await;
            if message["id"] == id {
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// The result of a request that must succeed.
    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params).await;
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The error of a request that must fail.
    pub(crate) async fn error(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params).await;
        assert!(answer.get("result").is_none(), "{method}: {answer}");
        answer["error"].clone()
    }
}

/// A server at a port of its own, stopped when it is dropped.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) stop: CancellationToken,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Site {
    pub(crate) async fn open(server: &Server, options: HttpOptions) -> Self {
        let http = HttpServer::bind(server, "127.0.0.1:0".parse().unwrap(), options).await.unwrap();
        let address = http.address();
        let stop = CancellationToken::new();
        tokio::spawn(http.serve(stop.clone()));
        Self { address, stop }
    }

    /// Sends bytes over a connection of their own, and gives all that comes back.
    pub(crate) async fn exchange(&self, request: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        // A server that has said no need not listen any more.
        let _ = stream.write_all(request).await;
        let mut bytes = Vec::new();
        let _ = timeout(PATIENCE, stream.read_to_end(&mut bytes)).await.expect("an answer in time");
        Reply { text: String::from_utf8_lossy(&bytes).into_owned() }
    }

    pub(crate) async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        let head = self.head("GET", path, headers);
        self.exchange(head.as_bytes()).await
    }

    /// Sends a JSON-RPC message as a client of the newer protocol does.
    pub(crate) async fn post(&self, message: &Value, headers: &[(&str, &str)]) -> Reply {
        let method = message["method"].as_str().unwrap_or_default();
        let name = message["params"]["uri"].as_str().or(message["params"]["name"].as_str());
        let mut all = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
        ];
        all.extend(name.map(|name| ("Mcp-Name", name)));
        all.retain(|(name, _)| !headers.iter().any(|(other, _)| other == name));
        all.extend(headers);
        self.post_bytes(message.to_string().as_bytes(), &all).await
    }

    pub(crate) async fn post_bytes(&self, body: &[u8], headers: &[(&str, &str)]) -> Reply {
        let length = body.len().to_string();
        let mut all = headers.to_vec();
        all.push(("Content-Length", &length));
        let mut request = self.head("POST", "/mcp", &all).into_bytes();
        request.extend_from_slice(body);
        self.exchange(&request).await
    }

    /// A request head for this site, with `Host` unless one is given.
    pub(crate) fn head(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> String {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            let _ = write!(head, "Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head + "\r\n"
    }
}

/// What came back over HTTP.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) text: String,
}

impl Reply {
    pub(crate) fn status(&self) -> u16 {
        self.text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default()
    }

    pub(crate) fn header(&self, wanted: &str) -> Option<&str> {
        let head = self.text.split("\r\n\r\n").next()?;
        head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case(wanted).then_some(value)
        })
    }

    pub(crate) fn body(&self) -> &str {
        self.text.split_once("\r\n\r\n").map_or("", |(_, body)| body)
    }

    /// The JSON-RPC message in the body, as JSON or as an event of a stream.
    pub(crate) fn message(&self) -> Value {
        let from = self.body().find("{\"jsonrpc\"").expect(&self.text);
        let mut values = serde_json::Deserializer::from_str(&self.body()[from..]).into_iter();
        values.next().unwrap().unwrap()
    }
}

/// A request of the newer protocol.
pub(crate) fn modern(method: &str, mut params: Value) -> Value {
    params["_meta"] = meta();
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// Two skills: `pdf` with files, `notes` without.
pub(crate) fn server() -> Server {
    server_with(ServeOptions::default())
}

pub(crate) fn server_with(options: ServeOptions) -> Server {
    use metier::{Blocking, Memory, Registry, Trust};
    let skill = |name: &str, more: &str| {
        format!(
            "---\nname: {name}\ndescription: Use for {name} files.\n{more}---\nBody of {name}.\n"
        )
    };
    let memory = Memory::new("team")
        .skill("pdf", skill("pdf", "argument-hint: \"[file]\"\n"))
        .resource("pdf", "references/forms.md", "# Forms\n")
        .resource("pdf", "scripts/fill.py", "print()\n")
        .resource("pdf", "logo.png", b"\x89PNG\xff".to_vec())
        .skill("notes", skill("notes", "user-invocable: false\n"))
        .skill("deploy", skill("deploy", "disable-model-invocation: true\n"));
    let evil = Memory::new("project").trust(Trust::Untrusted).skill("evil", skill("evil", ""));
    let registry = Registry::builder().source(Blocking(memory)).source(Blocking(evil)).open();
    Server::new(registry, options)
}
