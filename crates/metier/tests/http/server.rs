//! Turns a table of replies into a real HTTP server in this process, and requests into a record.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use metier::{Http, HttpOptions};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A server on a port of its own, which is an origin of its own.
pub(crate) struct Server {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    replies: Mutex<BTreeMap<String, Reply>>,
    requests: Mutex<Vec<Request>>,
}

/// A request as it came in; the names of headers are in lower case.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) path: String,
    headers: BTreeMap<String, String>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// What the server says to one path.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Body,
}

#[derive(Debug, Clone)]
enum Body {
    Bytes(Vec<u8>),
    /// Chunks without an end.
    Endless,
    /// One byte now and then, without an end.
    Trickle,
    /// Not even a status line.
    Silence,
    /// Fewer bytes than were announced.
    Short,
}

impl Reply {
    pub(crate) fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Body::Bytes(Vec::new()) }
    }

    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self { body: Body::Bytes(body.into()), ..Self::status(200) }
    }

    pub(crate) fn moved(status: u16, to: &str) -> Self {
        Self::status(status).with("Location", to)
    }

    pub(crate) fn endless() -> Self {
        Self { body: Body::Endless, ..Self::status(200) }
    }

    pub(crate) fn trickle() -> Self {
        Self { body: Body::Trickle, ..Self::status(200) }
    }

    pub(crate) fn silence() -> Self {
        Self { body: Body::Silence, ..Self::status(200) }
    }

    pub(crate) fn short() -> Self {
        Self { body: Body::Short, ..Self::status(200) }
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

impl Server {
    pub(crate) fn new() -> Self {
        Self::start(None)
    }

    /// A server that speaks TLS.
    pub(crate) fn with_tls(config: Arc<ServerConfig>) -> Self {
        Self::start(Some(config))
    }

    fn start(tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let server = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (shared, tls) = (Arc::clone(&server), tls.clone());
                // A client that hangs up is no failure of the server.
                thread::spawn(move || match tls {
                    None => shared.answer(stream).ok(),
                    Some(config) => {
                        let connection = ServerConnection::new(config).ok()?;
                        shared.answer(StreamOwned::new(connection, stream)).ok()
                    }
                });
            }
        });
        Self { port, shared }
    }

    /// Says `reply` to every later request for `path`.
    pub(crate) fn on(&self, path: &str, reply: Reply) -> &Self {
        self.shared.replies.lock().unwrap().insert(path.to_owned(), reply);
        self
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The address over TLS.
    pub(crate) fn tls_url(&self, path: &str) -> String {
        format!("https://127.0.0.1:{}{path}", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The requests since the last time this was asked.
    pub(crate) fn requests(&self) -> Vec<Request> {
        std::mem::take(&mut *self.shared.requests.lock().unwrap())
    }

    /// The paths that were asked for since the last time.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.path).collect()
    }

    /// A source at `path`, which may reach this machine.
    pub(crate) fn source(&self, path: &str) -> Http {
        Http::new(&self.url(path), local()).unwrap()
    }
}

/// Options that reach this machine over plain HTTP.
pub(crate) fn local() -> HttpOptions {
    HttpOptions { allow_loopback_http: true, ..HttpOptions::default() }
}

impl Shared {
    fn answer(&self, mut stream: impl Read + Write) -> std::io::Result<()> {
        let request = read_request(&mut stream)?;
        let reply = self.replies.lock().unwrap().get(&request.path).cloned();
        self.requests.lock().unwrap().push(request.clone());
        let mut reply = reply.unwrap_or_else(|| Reply::status(404));
        let same = [("ETag", "if-none-match"), ("Last-Modified", "if-modified-since")];
        let unchanged = same.iter().any(|(validator, condition)| {
            let value = reply.headers.iter().find(|(name, _)| name == validator);
            value.is_some_and(|(_, value)| request.header(condition) == Some(value))
        });
        if unchanged {
            reply = Reply::status(304);
        }
        send(&mut stream, &reply)?;
        stream.flush()
    }
}

fn read_request(stream: &mut impl Read) -> std::io::Result<Request> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = BTreeMap::new();
    for line in lines {
        let line = line?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    Ok(Request { path, headers })
}

fn send(stream: &mut (impl Read + Write), reply: &Reply) -> std::io::Result<()> {
    if let Body::Silence = reply.body {
        // Until the client has had enough.
        return stream.read(&mut [0]).map(|_| ());
    }
    let mut head = format!("HTTP/1.1 {} x\r\nConnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    let framing = match &reply.body {
        Body::Bytes(bytes) => format!("Content-Length: {}", bytes.len()),
        Body::Short => "Content-Length: 1000".to_owned(),
        _ => "Transfer-Encoding: chunked".to_owned(),
    };
    let _ = write!(head, "{framing}\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    match &reply.body {
        Body::Bytes(bytes) => stream.write_all(bytes),
        Body::Short => stream.write_all(b"[]"),
        Body::Silence => Ok(()),
        Body::Endless => loop {
            stream.write_all(format!("1000\r\n{}\r\n", " ".repeat(0x1000)).as_bytes())?;
        },
        Body::Trickle => loop {
            stream.write_all(b"1\r\n \r\n")?;
            thread::sleep(Duration::from_millis(20));
        },
    }
}
