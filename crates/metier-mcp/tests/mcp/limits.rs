//! How much a client may send, how fast and how many at once (security M09, M11).

use crate::client::{PATIENCE, Site, modern, server, server_with};
use metier_mcp::{HttpOptions, ServeOptions};
use serde_json::json;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

const JSON: [(&str, &str); 4] = [
    ("Content-Type", "application/json"),
    ("Accept", "application/json, text/event-stream"),
    ("MCP-Protocol-Version", "2026-07-28"),
    ("Mcp-Method", "skills/list"),
];

async fn assert_alive(site: &Site) {
    let reply = site.post(&modern("skills/list", json!({})), &[]).await;
    assert_eq!(reply.status(), 200, "{reply:?}");
}

#[tokio::test]
async fn large_requests_are_refused_while_they_come() {
    let server = server_with(ServeOptions { max_message: 100_000, ..ServeOptions::default() });
    let site = Site::open(&server, HttpOptions::default()).await;
    let body = vec![b' '; 200_000];
    assert_eq!(site.post_bytes(&body, &JSON).await.status(), 413);

    // Without a length, and without an end.
    let mut headers = JSON.to_vec();
    headers.push(("Transfer-Encoding", "chunked"));
    let mut stream = TcpStream::connect(site.address).await.unwrap();
    stream.write_all(site.head("POST", "/mcp", &headers).as_bytes()).await.unwrap();
    let chunk = format!("{:x}\r\n{}\r\n", 10_000, " ".repeat(10_000));
    let sending = async { while stream.write_all(chunk.as_bytes()).await.is_ok() {} };
    timeout(PATIENCE, sending).await.expect("the server stops listening");
    assert_eq!(site.get("/mcp", &[("X", &"y".repeat(300_000))]).await.status(), 431);
    assert_alive(&site).await;
}

#[tokio::test]
async fn slow_requests_end() {
    let short = Duration::from_millis(200);
    let options =
        HttpOptions { head_timeout: short, body_timeout: short, ..HttpOptions::default() };
    let site = Site::open(&server(), options).await;
    // A head that never ends.
    let mut head = TcpStream::connect(site.address).await.unwrap();
    head.write_all(b"GET /healthz HTTP/1.1\r\nHost: loc").await.unwrap();
    let mut rest = Vec::new();
    let _ = timeout(PATIENCE, head.read_to_end(&mut rest)).await.expect("the connection is closed");
    // A body that never comes.
    let mut headers = JSON.to_vec();
    headers.push(("Content-Length", "1000"));
    let reply = site.exchange(site.head("POST", "/mcp", &headers).as_bytes()).await;
    assert_eq!(reply.status(), 408);
    // A connection on which nothing is said.
    let mut idle = TcpStream::connect(site.address).await.unwrap();
    let _ = timeout(PATIENCE, idle.read_to_end(&mut rest)).await.expect("the connection is closed");
    assert_alive(&site).await;
}

#[tokio::test]
async fn connections_are_bounded_and_others_are_served_when_there_is_room() {
    let head_timeout = Duration::from_millis(300);
    let options = HttpOptions { max_connections: 8, head_timeout, ..HttpOptions::default() };
    let site = Site::open(&server(), options).await;
    let mut idle = Vec::new();
    for _ in 0..200 {
        idle.push(TcpStream::connect(site.address).await.unwrap());
    }
    drop(idle.split_off(20));
    assert_alive(&site).await;
}

#[tokio::test]
async fn clients_that_do_not_read_are_let_go() {
    use metier::{Blocking, Memory, Registry};
    // More than the system holds for a connection.
    let large = vec![b'x'; 12 << 20];
    let memory = Memory::new("m").inline("pdf", "Use it.", "Body.").resource("pdf", "a", large);
    let registry = Registry::builder().source(Blocking(memory)).open();
    let server = metier_mcp::Server::new(registry, ServeOptions::default());
    let write_timeout = Duration::from_millis(300);
    let options = HttpOptions { max_connections: 2, write_timeout, ..HttpOptions::default() };
    let site = Site::open(&server, options).await;
    let read = modern("resources/read", json!({ "uri": "skill://pdf/a" })).to_string();
    let length = read.len().to_string();
    let mut headers = JSON[..3].to_vec();
    headers.extend([("Mcp-Method", "resources/read"), ("Mcp-Name", "skill://pdf/a")]);
    headers.push(("Content-Length", length.as_str()));
    let mut idle = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(site.address).await.unwrap();
        let request = site.head("POST", "/mcp", &headers) + &read;
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).await.unwrap();
        assert_eq!(&start[9..], b"200");
        idle.push(stream);
    }
    // There is no room for a third before one of them is gone.
    timeout(PATIENCE, assert_alive(&site)).await.expect("there is room again");
    drop(idle);
}

#[tokio::test]
async fn an_address_may_send_so_many_requests_a_second() {
    let site = Site::open(&server(), HttpOptions { rate: Some(1), ..HttpOptions::default() }).await;
    let mut statuses = Vec::new();
    for _ in 0..6 {
        let reply = site.get("/healthz", &[]).await;
        statuses.push((reply.status(), reply.header("retry-after").is_some()));
    }
    assert_eq!(statuses[0], (200, false));
    assert!(statuses.contains(&(429, true)), "{statuses:?}");
}

#[tokio::test]
async fn sessions_are_bounded() {
    let site =
        Site::open(&server(), HttpOptions { max_sessions: 3, ..HttpOptions::default() }).await;
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    } });
    let headers = [("MCP-Protocol-Version", "2025-11-25")];
    let mut statuses = Vec::new();
    for _ in 0..5 {
        // The stream of the answer stays open, so only its start is read.
        let mut stream = TcpStream::connect(site.address).await.unwrap();
        let body = hello.to_string();
        let length = body.len().to_string();
        let mut all =
            vec![("Content-Type", "application/json"), ("Content-Length", length.as_str())];
        all.push(("Accept", "application/json, text/event-stream"));
        all.extend(headers);
        stream.write_all((site.head("POST", "/mcp", &all) + &body).as_bytes()).await.unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).await.unwrap();
        statuses.push(String::from_utf8_lossy(&start[9..]).into_owned());
    }
    assert_eq!(statuses, ["200", "200", "200", "503", "503"]);
    // The newer protocol has no sessions.
    assert_alive(&site).await;
}

#[tokio::test]
async fn stopping_lets_go_of_everybody() {
    let options = HttpOptions { grace: Duration::from_secs(1), ..HttpOptions::default() };
    let site = Site::open(&server(), options).await;
    let listen = modern(
        "subscriptions/listen",
        json!({ "notifications": { "resourcesListChanged": true } }),
    );
    let body = listen.to_string();
    let length = body.len().to_string();
    let mut headers = JSON[..3].to_vec();
    headers.extend([("Mcp-Method", "subscriptions/listen"), ("Content-Length", length.as_str())]);
    let mut stream = TcpStream::connect(site.address).await.unwrap();
    stream.write_all((site.head("POST", "/mcp", &headers) + &body).as_bytes()).await.unwrap();
    let mut start = [0; 12];
    stream.read_exact(&mut start).await.unwrap();
    assert_eq!(&start[9..], b"200");
    site.stop.cancel();
    let mut rest = Vec::new();
    let _ = timeout(PATIENCE, stream.read_to_end(&mut rest)).await.expect("the stream ends");
    let refused = async {
        while TcpStream::connect(site.address).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, refused).await.expect("nobody listens any more");
}
