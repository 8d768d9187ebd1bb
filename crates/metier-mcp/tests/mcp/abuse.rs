//! What no client should send: the server answers or closes, and the next request works (security M05, M09, M13).

use crate::client::{Client, Era, Site, meta, modern, server};
use metier_mcp::HttpOptions;
use serde_json::{Value, json};

#[tokio::test]
async fn addresses_that_lead_elsewhere_lead_nowhere() {
    let server = server();
    for era in [Era::Modern, Era::Legacy] {
        let mut client = Client::connect(&server, era).await;
        for uri in [
            "skill://pdf/../notes/SKILL.md",
            "skill://pdf/..%2fnotes%2fSKILL.md",
            "skill://pdf/..%2f..%2fetc/passwd",
            "skill://pdf/%2e%2e/notes/SKILL.md",
            "skill://pdf/%252e%252e/notes/SKILL.md",
            "skill://pdf/a%00b",
            "skill://pdf/a%5c..%5cb",
            "skill://pdf//SKILL.md",
            "skill://pdf/./SKILL.md",
            "skill://pdf/skill.md",
            "skill://pdf/references",
            "skill://pdf",
            "skill://PDF/SKILL.md",
            "skill://pdf@notes/SKILL.md",
            "skill://evil/SKILL.md",
            "skill://deploy/SKILL.md",
            "skill:///etc/passwd",
            "file:///etc/passwd",
            "/etc/passwd",
            "http://169.254.169.254/",
            "",
        ] {
            let error = client.error("resources/read", json!({ "uri": uri })).await;
            let expected = if era == Era::Modern { -32602 } else { -32002 };
            assert_eq!(error["code"], expected, "{uri}: {error}");
            assert_eq!(error["data"]["uri"], uri);
            let error = client.error("skills/get", json!({ "uri": uri })).await;
            assert_eq!(error["code"], -32602, "{uri}: {error}");
        }
        let long = format!("skill://{}", "a".repeat(1_000_000));
        let error = client.error("resources/read", json!({ "uri": long })).await;
        assert!(error.to_string().len() < 10_000, "what was sent is not sent back");
    }
}

#[tokio::test]
async fn parameters_of_the_wrong_kind_are_told_so() {
    let server = server();
    let mut client = Client::connect(&server, Era::Modern).await;
    for (method, params) in [
        ("skills/get", json!({})),
        ("skills/get", json!({ "uri": 7 })),
        ("skills/get", json!({ "uri": null })),
        ("skills/list", json!({ "cursor": 7 })),
        ("skills/list", json!({ "cursor": ["x"] })),
        ("resources/directory/read", json!({ "uri": { "a": 1 } })),
        ("resources/directory/read", json!({ "uri": "skill://pdf", "cursor": "61-00000000" })),
    ] {
        assert_eq!(client.error(method, params.clone()).await["code"], -32602, "{method} {params}");
    }
    for method in ["skills/delete", "skills/", "nothing", "tools/execute", &"x".repeat(100_000)] {
        let error = client.error(method, json!({})).await;
        assert_eq!(error["code"], -32601);
        assert!(error.to_string().len() < 10_000);
    }
}

#[tokio::test]
async fn lines_that_are_no_messages_do_not_end_the_conversation() {
    let server = server();
    // Before the first request, and after it.
    for era in [Era::Modern, Era::Legacy] {
        for has_started in [false, true] {
            let mut client = if has_started {
                Client::connect(&server, era).await
            } else {
                Client::raw(&server, era)
            };
            let deep = "[".repeat(100_000);
            let nested = format!("{}{}", "[".repeat(500), "]".repeat(500));
            for line in [
                "",
                "   ",
                "hello",
                "{",
                "null",
                "7",
                "[]",
                "[{}]",
                "{}",
                "\"text\"",
                r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
                r#"{"jsonrpc":"2.0","id":1e400,"method":"ping"}"#,
                r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
                r#"{"jsonrpc":"2.0","id":1}"#,
                r#"{"jsonrpc":"2.0","method":7}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
                r#"{"jsonrpc":"2.0","id":5,"result":{}}"#,
                r#"{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"x"}}"#,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\u{0}\"}",
                &deep,
                &nested,
            ] {
                client.send_line(line.as_bytes()).await;
            }
            client.send_line(b"\xff\xfe\x00 not UTF-8 \xc3\x28").await;
            client.send_line(&vec![b'x'; 5 * 1024 * 1024]).await;
            let id = json!("still here");
            let mut request = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
            if era == Era::Modern {
                request = modern("skills/list", json!({}));
                request["id"] = id.clone();
            }
            client.send(&request).await;
            loop {
                let message = client.receive().await;
                if message["id"] == id {
                    assert!(message.get("result").is_some(), "{message}");
                    break;
                }
            }
        }
    }
}

/// Numbers that look random and are the same each time.
struct Noise(u64);

impl Noise {
    fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below.max(1)
    }

    fn value(&mut self, depth: usize) -> Value {
        const TEXTS: [&str; 12] = [
            "",
            "skill://pdf/SKILL.md",
            "skill://pdf",
            "pdf",
            "../../etc/passwd",
            "\u{0}",
            "2026-07-28",
            "a\u{202e}b",
            "load_skill",
            "\u{10ffff}",
            "-1",
            "skills/list",
        ];
        const KEYS: [&str; 12] = [
            "uri",
            "cursor",
            "name",
            "arguments",
            "_meta",
            "query",
            "limit",
            "path",
            "skill",
            "offset",
            "notifications",
            "io.modelcontextprotocol/protocolVersion",
        ];
        match self.next(if depth == 0 { 5 } else { 8 }) {
            0 => Value::Null,
            1 => json!([-1, 0, 1][self.next(3)]),
            2 => json!(1e300),
            3 => json!(self.next(2) == 0),
            4 => json!(TEXTS[self.next(TEXTS.len())]),
            5 => (0..self.next(4)).map(|_| self.value(depth - 1)).collect(),
            _ => {
                let keys: Vec<_> = (0..self.next(5)).map(|_| KEYS[self.next(KEYS.len())]).collect();
                keys.into_iter().map(|key| (key.to_owned(), self.value(depth - 1))).collect()
            }
        }
    }

    fn request(&mut self) -> Value {
        const METHODS: [&str; 16] = [
            "skills/list",
            "skills/get",
            "resources/directory/read",
            "resources/read",
            "resources/list",
            "prompts/get",
            "prompts/list",
            "tools/call",
            "tools/list",
            "ping",
            "initialize",
            "server/discover",
            "resources/templates/list",
            "resources/unsubscribe",
            "completion/complete",
            "logging/setLevel",
        ];
        let mut params = match self.value(3) {
            Value::Object(params) if self.next(4) > 0 => Value::Object(params),
            other if self.next(4) == 0 => other,
            _ => json!({ "uri": self.value(0), "name": self.value(0), "arguments": self.value(2) }),
        };
        if self.next(4) > 0 && params.is_object() {
            params["_meta"] = meta();
        }
        let method = METHODS[self.next(METHODS.len())];
        json!({ "jsonrpc": "2.0", "id": self.next(1000), "method": method, "params": params })
    }

    fn bytes(&mut self) -> Vec<u8> {
        let mut bytes = self.request().to_string().into_bytes();
        for _ in 0..self.next(6) {
            let at = self.next(bytes.len());
            match self.next(3) {
                0 => bytes[at] = self.next(256) as u8,
                1 => bytes.truncate(at),
                _ => bytes.insert(at, b"{}[]\",:\\\x00\xff"[self.next(10)]),
            }
            if bytes.is_empty() {
                bytes.push(b'{');
            }
        }
        bytes.retain(|byte| *byte != b'\n');
        bytes
    }
}

#[tokio::test]
async fn ten_thousand_garbled_lines_are_survived() {
    let server = server();
    let mut client = Client::connect(&server, Era::Modern).await;
    client.result("skills/list", json!({})).await;
    let mut noise = Noise(1);
    for round in 0..100 {
        for _ in 0..100 {
            let line = noise.bytes();
            client.send_line(&line).await;
        }
        let id = format!("round {round}");
        let mut request = modern("skills/get", json!({ "uri": "skill://pdf/SKILL.md" }));
        request["id"] = json!(id);
        client.send(&request).await;
        loop {
            let message = client.receive().await;
            if message["id"] == json!(id) {
                assert_eq!(message["result"]["skill"]["frontmatter"]["name"], "pdf", "{message}");
                break;
            }
        }
    }
}

#[tokio::test]
async fn ten_thousand_garbled_requests_over_http_are_survived() {
    let short = std::time::Duration::from_millis(200);
    let options = HttpOptions {
        rate: None,
        head_timeout: short,
        body_timeout: short,
        ..HttpOptions::default()
    };
    let site = Site::open(&server(), options).await;
    let mut noise = Noise(2);
    for _ in 0..10_000 {
        let body = noise.bytes();
        let method = ["skills/list", "tools/call", "initialize", "resources/read"][noise.next(4)];
        let version = ["2026-07-28", "2025-11-25", "1", "\u{e9}"][noise.next(4)];
        let headers = [
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Mcp-Method", method),
            ("MCP-Protocol-Version", version),
            ("Mcp-Session-Id", "none"),
        ];
        let given = noise.next(headers.len() + 1);
        let reply = site.post_bytes(&body, &headers[..given]).await;
        assert!((200..600).contains(&reply.status()), "{reply:?}");
        assert_ne!(reply.status(), 500, "{reply:?}");
    }
    for request in [
        "\r\n\r\n",
        "GARBAGE\r\n\r\n",
        "GET /mcp HTTP/9.9\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "GET http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "\u{16}\u{3}\u{1}",
    ] {
        let reply = site.exchange(&[request.as_bytes(), b"\r\n\r\n"].concat()).await;
        assert!(!reply.text.contains("200 OK"), "{request:?}: {reply:?}");
    }
    let reply = site.post(&modern("skills/list", json!({})), &[]).await;
    assert_eq!(reply.status(), 200);
}

#[tokio::test]
async fn errors_name_no_place_of_this_machine() {
    use metier::Registry;
    use metier_mcp::{ServeOptions, Server};
    let folder = testing::Fixture::new()
        .file("pdf/SKILL.md", "---\nname: pdf\ndescription: Use for PDFs.\n---\nBody.\n")
        .file("pdf/a.md", "A");
    let server = Server::new(Registry::open([folder.path()]), ServeOptions::default());
    let mut client = Client::connect(&server, Era::Modern).await;
    let place = folder.path().to_string_lossy().into_owned();
    let mut answers = Vec::new();
    for (method, params) in [
        ("server/discover", json!({})),
        ("skills/list", json!({})),
        ("resources/read", json!({ "uri": "skill://pdf/b.md" })),
        ("tools/call", json!({ "name": "load_skill", "arguments": { "name": "pdf" } })),
        ("tools/call", json!({ "name": "load_skill", "arguments": { "name": "nope" } })),
        (
            "tools/call",
            json!({ "name": "read_skill_file", "arguments": { "skill": "pdf", "path": "b.md" } }),
        ),
        (
            "tools/call",
            json!({ "name": "read_skill_file", "arguments": { "skill": "pdf", "path": "../x" } }),
        ),
        ("prompts/get", json!({ "name": "pdf" })),
    ] {
        answers.push(client.request(method, params).await);
    }
    std::fs::remove_dir_all(folder.path().join("pdf")).unwrap();
    for (method, params) in [
        ("skills/get", json!({ "uri": "skill://pdf/SKILL.md" })),
        ("resources/read", json!({ "uri": "skill://pdf/a.md" })),
        ("tools/call", json!({ "name": "load_skill", "arguments": { "name": "pdf" } })),
        (
            "tools/call",
            json!({ "name": "read_skill_file", "arguments": { "skill": "pdf", "path": "a.md" } }),
        ),
        ("prompts/get", json!({ "name": "pdf" })),
    ] {
        answers.push(client.request(method, params).await);
    }
    for answer in answers {
        assert!(!answer.to_string().contains(&place), "{answer}");
    }
}
