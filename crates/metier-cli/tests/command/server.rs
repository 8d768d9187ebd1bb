//! A server in a process of its own, treated badly: it answers or ends cleanly, and says why (security M09, M10, M11).

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "a test starts a server and waits for it")]
#![expect(clippy::disallowed_types, reason = "a test connects to the server")]

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};
use testing::Fixture;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

fn fixture() -> Fixture {
    let body = "A line of the body.\n".repeat(2_000);
    Fixture::new()
        .skill("skills/pdf", "---\nname: pdf\ndescription: Use for PDFs.\n---\nOpen it.\n")
        .skill("skills/long", &format!("---\nname: long\ndescription: Use it.\n---\n{body}"))
}

/// A running server, killed when it is dropped.
struct Server {
    child: Child,
    /// What it says on stderr, line by line.
    records: Receiver<String>,
}

impl Server {
    fn start(fixture: &Fixture, more: &[&str], stdin: Stdio) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_metier"))
            .args(["serve", "--root", "skills"])
            .args(more)
            .current_dir(fixture.path())
            .env("HOME", fixture.path())
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let stderr = BufReader::new(child.stderr.take().expect("stderr"));
        let (send, records) = channel();
        thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        Self { child, records }
    }

    /// At an address; nothing comes on stdin.
    fn at_address(fixture: &Fixture) -> (Self, SocketAddr) {
        let args = ["--http", "127.0.0.1:0", "--rate", "0"];
        let server = Self::start(fixture, &args, Stdio::null());
        let address = server.wait_for("listening address=");
        let address = address.rsplit('=').next().and_then(|it| it.parse().ok());
        (server, address.expect("an address"))
    }

    /// The first record that holds this.
    fn wait_for(&self, wanted: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let record = self.records.recv_timeout(left).expect(wanted);
            assert!(!record.contains("panicked"), "{record}");
            if record.contains(wanted) {
                return record;
            }
        }
    }

    fn streams(&mut self) -> (ChildStdin, BufReader<ChildStdout>) {
        let input = self.child.stdin.take().expect("stdin");
        (input, BufReader::new(self.child.stdout.take().expect("stdout")))
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.expect("kill runs").success());
    }

    /// How it ended, once it did; nothing it said may be a panic.
    fn ended(mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            match self.child.try_wait().expect("a child can be waited for") {
                Some(status) => break status,
                None => assert!(Instant::now() < deadline, "the server does not end"),
            }
            thread::sleep(Duration::from_millis(5));
        };
        for record in &self.records {
            assert!(!record.contains("panicked"), "{record}");
        }
        status.code()
    }

    /// What it holds in memory, in KiB.
    #[cfg(target_os = "linux")]
    fn memory(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).expect("the server is there");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).expect("its memory")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn modern(id: usize, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn load(id: usize, name: &str) -> Value {
    modern(id, "tools/call", json!({ "name": "load_skill", "arguments": { "name": name } }))
}

fn post(address: SocketAddr, message: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
    let method = message["method"].as_str().unwrap_or_default();
    let name = message["params"]["name"]
        .as_str()
        .map_or_else(String::new, |name| format!("Mcp-Name: {name}\r\n"));
    let body = message.to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).expect("it reads");
    stream
}

fn answer(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("it answers");
    text
}

fn assert_alive(address: SocketAddr) {
    let text = answer(post(address, &load(1, "pdf")));
    assert!(text.starts_with("HTTP/1.1 200") && text.contains("Open it."), "{text}");
}

#[test]
fn every_request_before_the_end_of_stdin_is_answered() {
    let fixture = fixture();
    for round in 0..5 {
        let mut server = Server::start(&fixture, &[], Stdio::piped());
        let (mut input, output) = server.streams();
        let count = 40 * (round + 1);
        let lines: String = (0..count).map(|id| load(id, "long").to_string() + "\n").collect();
        // The pipe is full long before the last one, so it is written beside the reading.
        let writing = thread::spawn(move || input.write_all(lines.as_bytes()).expect("it reads"));
        let mut ids: Vec<u64> = output
            .lines()
            .map(|line| {
                let message: Value = serde_json::from_str(&line.expect("text")).expect("JSON");
                assert!(message["result"]["content"][0]["text"].is_string(), "{message:.300}");
                message["id"].as_u64().expect("an id")
            })
            .collect();
        writing.join().expect("all is written");
        ids.sort_unstable();
        assert_eq!(ids.len(), count);
        assert_eq!(server.ended(), Some(0));
    }
}

#[test]
fn a_client_that_stops_reading_ends_the_server() {
    let fixture = fixture();
    let mut server = Server::start(&fixture, &[], Stdio::piped());
    let (mut input, mut output) = server.streams();
    writeln!(input, "{}", load(1, "pdf")).expect("it reads");
    let mut line = String::new();
    output.read_line(&mut line).expect("it answers");
    drop(output);
    for id in 0..50 {
        // Sooner or later nobody reads this either.
        let _ = writeln!(input, "{}", load(id, "long"));
    }
    drop(input);
    assert_eq!(server.ended(), Some(0));
}

#[test]
fn a_stderr_that_nobody_reads_is_no_reason_to_end() {
    let fixture = fixture();
    let mut child = Command::new(env!("CARGO_BIN_EXE_metier"))
        .args(["serve", "--root", "skills", "--log-level", "debug"])
        .current_dir(fixture.path())
        .env("HOME", fixture.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the server starts");
    drop(child.stderr.take());
    let mut input = child.stdin.take().expect("stdin");
    let mut output = BufReader::new(child.stdout.take().expect("stdout"));
    for id in 0..10 {
        writeln!(input, "not JSON\n{}", load(id, "pdf")).expect("it reads");
        let mut line = String::new();
        while !line.contains("Open it.") {
            line.clear();
            assert!(output.read_line(&mut line).expect("it answers") > 0, "it ended");
        }
    }
    drop(input);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn signals_end_it_whoever_is_connected() {
    let fixture = fixture();
    for signal in ["TERM", "INT"] {
        let args = ["--http", "127.0.0.1:0"];
        let mut server = Server::start(&fixture, &args, Stdio::piped());
        let address = server.wait_for("listening address=");
        let address = address.rsplit('=').next().and_then(|it| it.parse().ok()).expect("one");
        let (mut input, mut output) = server.streams();
        writeln!(input, "{}", load(1, "pdf")).expect("it reads");
        output.read_line(&mut String::new()).expect("it answers");
        let filter = json!({ "notifications": { "resourcesListChanged": true } });
        let listening = post(address, &modern(2, "subscriptions/listen", filter));
        let idle = TcpStream::connect(address).expect("the server listens");
        server.signal(signal);
        let stopping = server.wait_for("stopping reason=");
        assert!(stopping.contains("signal"), "{stopping}");
        assert_eq!(server.ended(), Some(0), "{signal}");
        drop((input, output, listening, idle));
    }
}

#[test]
fn clients_that_leave_in_the_middle_are_not_missed() {
    let fixture = fixture();
    let (server, address) = Server::at_address(&fixture);
    for id in 0..300 {
        let mut stream = post(address, &load(id, "long"));
        match id % 3 {
            // Before the answer, in the middle of it, and with an error instead of an end.
            0 => {}
            1 => drop(stream.read_exact(&mut [0; 100])),
            _ => drop(stream.shutdown(std::net::Shutdown::Write)),
        }
    }
    assert_alive(address);
    server.signal("TERM");
    assert_eq!(server.ended(), Some(0));
}

#[test]
fn what_a_stranger_says_on_stdin_does_not_end_the_address() {
    let fixture = fixture();
    let mut server = Server::start(&fixture, &["--http", "127.0.0.1:0"], Stdio::piped());
    let address = server.wait_for("listening address=");
    let address = address.rsplit('=').next().and_then(|it| it.parse().ok()).expect("one");
    let (mut input, _output) = server.streams();
    // A request before `initialize`, which this protocol does not allow.
    writeln!(input, r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list"}}"#).expect("it reads");
    writeln!(input, r#"{{"jsonrpc":"2.0","id":2,"method":"initialize"}}"#).expect("it reads");
    assert_alive(address);
    server.signal("TERM");
    assert_eq!(server.ended(), Some(0));
}

#[test]
fn records_are_lines_whatever_a_folder_is_called() {
    // Security P10 and P11.
    let fixture = Fixture::new().file("skills/x\nerror: fake\u{1b}[2J/SKILL.md", "no skill");
    let mut server = Server::start(&fixture, &[], Stdio::piped());
    let (input, _output) = server.streams();
    let problem = server.wait_for("problem");
    assert!(problem.contains("fake") && !problem.contains('\u{1b}'), "{problem}");
    drop(input);
    assert_eq!(server.ended(), Some(0));
}

/// Bytes that look random and are the same each time.
fn noise(seed: &mut u64, length: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length);
    for _ in 0..length {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        bytes.push((*seed >> 40) as u8);
    }
    bytes.retain(|byte| *byte != b'\n');
    bytes
}

#[test]
fn ten_thousand_lines_of_noise_are_survived() {
    let fixture = fixture();
    let mut server = Server::start(&fixture, &[], Stdio::piped());
    let (mut input, mut output) = server.streams();
    let mut seed = 1;
    for round in 0..100 {
        for at in 0..100 {
            let good = load(1, "pdf").to_string().into_bytes();
            let mut line = noise(&mut seed, at);
            if at % 2 == 0 {
                let cut = at * good.len() / 100;
                line = [&good[..cut], &line, &good[cut..]].concat();
                line.retain(|byte| *byte != b'\n');
            }
            line.push(b'\n');
            input.write_all(&line).expect("it reads");
        }
        writeln!(input, "{}", load(1_000 + round, "pdf")).expect("it reads");
        loop {
            let mut line = Vec::new();
            assert!(output.read_until(b'\n', &mut line).expect("it answers") > 0, "it ended");
            let message: Value = serde_json::from_slice(&line).expect("stdout holds messages");
            if message["id"] == json!(1_000 + round) {
                break;
            }
        }
    }
    drop((input, output));
    assert_eq!(server.ended(), Some(0));
}

#[test]
fn ten_thousand_requests_of_noise_over_http_are_survived() {
    let fixture = fixture();
    let (server, address) = Server::at_address(&fixture);
    let mut seed = 2;
    for at in 0..10_000_usize {
        let mut stream = TcpStream::connect(address).expect("the server listens");
        let body = noise(&mut seed, at % 300);
        let head = match at % 4 {
            0 => String::new(),
            1 => format!(
                "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n\r\n",
                body.len()
            ),
            2 => format!(
                "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
                 Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n",
                body.len()
            ),
            _ => format!("GET /{at} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"),
        };
        // It may have said no already.
        let _ = stream.write_all(&[head.as_bytes(), &body, b"\r\n\r\n"].concat());
        if at % 7 == 0 {
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let _ = stream.read_to_end(&mut Vec::new());
        }
        if at % 1_000 == 0 {
            assert_alive(address);
        }
    }
    assert_alive(address);
    server.signal("TERM");
    assert_eq!(server.ended(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn listeners_that_do_not_read_and_sessions_that_are_left_cost_little() {
    let fixture = fixture();
    let (server, address) = Server::at_address(&fixture);
    assert_alive(address);
    let before = server.memory();
    let filter = json!({ "notifications": { "resourcesListChanged": true } });
    let listeners: Vec<_> = (0..200)
        .map(|id| post(address, &modern(id, "subscriptions/listen", filter.clone())))
        .collect();
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    } });
    for _ in 0..1_500 {
        let mut stream = TcpStream::connect(address).expect("the server listens");
        let body = hello.to_string();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).expect("it reads");
        let _ = stream.read(&mut [0; 64]);
    }
    // Forty changes, of which no listener hears, because none of them reads.
    for n in 0..40 {
        let text = format!("---\nname: pdf\ndescription: Use for PDFs {n}.\n---\nOpen it.\n");
        std::fs::write(fixture.path().join("skills/pdf/SKILL.md"), text).expect("it is written");
        thread::sleep(Duration::from_millis(20));
    }
    assert_alive(address);
    let grown = server.memory().saturating_sub(before);
    assert!(grown < 100 * 1024, "{grown} KiB more");
    drop(listeners);
    server.signal("TERM");
    assert_eq!(server.ended(), Some(0));
}
