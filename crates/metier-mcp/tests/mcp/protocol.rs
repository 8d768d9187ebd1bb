//! Messages that break the rules, over every way there is: the server says so, and goes on (security M05, M06, M09, M13, M14, H10 to H13, H16).

use crate::client::{Client, Era, Site, modern, server};
use crate::way::Way;
use metier_mcp::{HttpOptions, Journal, Record, ServeOptions, Server};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

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
async fn m05_addresses_that_lead_elsewhere_lead_nowhere_over_http_too() {
    for mut way in Way::all(&server()).await {
        for uri in [
            "skill://pdf/../notes/SKILL.md",
            "skill://pdf/..%2f..%2fetc/passwd",
            "skill://pdf/%2e%2e/notes/SKILL.md",
            "skill://pdf/%252e%252e/notes/SKILL.md",
            "skill://pdf/a%00b",
            "skill://pdf/a%5c..%5cb",
            "skill://pdf/SKILL.md?x",
            "skill://pdf/SKILL.md#x",
            "skill://user@pdf/SKILL.md",
            "file:///etc/passwd",
        ] {
            for method in ["resources/read", "skills/get", "resources/directory/read"] {
                let answer = way.ask(method, json!({ "uri": uri })).await;
                let code = &answer["error"]["code"];
                let is_refused = *code == -32602 || *code == -32002;
                assert!(is_refused, "{method} {uri}, {}: {answer}", way.name());
                assert!(!answer.to_string().contains("root:"), "{answer}");
            }
        }
    }
}

#[tokio::test]
async fn m06_names_that_are_none_are_told_so() {
    for mut way in Way::all(&server()).await {
        let long = "x".repeat(1_000_000);
        for name in [json!("../x"), json!(long), json!(7), json!(null), json!(["pdf"]), json!("")] {
            for tool in ["load_skill", "unload_skill", "read_skill_file"] {
                let key = if tool == "read_skill_file" { "skill" } else { "name" };
                let reply = way.call(tool, json!({ key: name })).await;
                assert_eq!(reply["isError"], true, "{tool}, {}: {reply:.300}", way.name());
            }
        }
        for tool in ["LOAD_SKILL", "../load_skill", "run_skill_script", "no tool"] {
            let answer = way.ask("tools/call", json!({ "name": tool, "arguments": {} })).await;
            assert_eq!(answer["error"]["code"], -32602, "{tool}, {}: {answer}", way.name());
        }
    }
}

#[tokio::test]
async fn m13_a_read_is_bound_to_one_skill() {
    for mut way in Way::all(&server()).await {
        for path in [
            "../notes/SKILL.md",
            "skill://notes/SKILL.md",
            "/notes/SKILL.md",
            "..\\notes\\SKILL.md",
            "references/../../notes/SKILL.md",
            "references",
            "C:\\notes",
            "a\0b",
        ] {
            let reply = way.call("read_skill_file", json!({ "skill": "pdf", "path": path })).await;
            assert_eq!(reply["isError"], true, "{path}, {}: {reply}", way.name());
            assert!(!reply.to_string().contains("Body of notes"), "{reply}");
        }
    }
}

#[tokio::test]
async fn m14_cursors_are_ours_or_none() {
    for mut way in Way::all(&server()).await {
        let long = "61".repeat(10_000);
        for cursor in ["", "0", "61-00000000", "zz", "-", "../x", "\u{1f3f4}", &long] {
            for method in ["skills/list", "resources/list", "prompts/list"] {
                let answer = way.ask(method, json!({ "cursor": cursor })).await;
                let what = format!("{method} {cursor:.20}, {}: {answer:.300}", way.name());
                assert_eq!(answer["error"]["code"], -32602, "{what}");
            }
        }
    }
}

/// What a message may not be: each is answered with an error, or not at all.
fn malformed() -> Vec<Vec<u8>> {
    let list = modern("skills/list", json!({})).to_string();
    let deep = |count: usize| format!("{}{}", "[".repeat(count), "]".repeat(count));
    let with = |params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"skills/list","params":{params}}}"#)
    };
    let huge = "9".repeat(100_000);
    let mut all: Vec<Vec<u8>> = [
        String::new(),
        " ".to_owned(),
        "null".to_owned(),
        "[]".to_owned(),
        format!("[{list}]"),
        format!("[{}]", vec![list.as_str(); 1_000].join(",")),
        format!("{list}{list}"),
        list[..list.len() - 1].to_owned(),
        deep(127),
        deep(100_000),
        "[".repeat(1_000_000),
        with(&deep(200)),
        with(&format!(r#"{{"a":{}}}"#, r#"{"a":"#.repeat(100_000))),
        format!(r#"{{"jsonrpc":"2.0","id":{huge},"method":"ping"}}"#),
        r#"{"jsonrpc":"2.0","id":1e400,"method":"ping"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":-1.5,"method":"ping"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#.to_owned(),
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#.to_owned(),
        r#"{"id":1,"method":"ping"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#.to_owned(),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\0ng\"}".to_owned(),
        "\u{feff}{}".to_owned(),
    ]
    .into_iter()
    .map(String::into_bytes)
    .collect();
    all.push(b"\xff\xfe{\x00}\x00".to_vec());
    all.push(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3\x28\"}".to_vec());
    all
}

#[tokio::test]
async fn m09_malformed_messages_over_http_are_refused() {
    let site = Site::open(&server(), HttpOptions::default()).await;
    for body in malformed() {
        let start = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
        for headers in [&JSON[..], &JSON[..2]] {
            let reply = site.post_bytes(&body, headers).await;
            let status = reply.status();
            assert!((400..500).contains(&status), "{start}: {reply:?}");
            assert!(!reply.text.contains("skill://"), "{start}: {reply:?}");
        }
    }
    assert_alive(&site).await;
}

#[tokio::test]
async fn m09_malformed_lines_are_passed_over() {
    for era in [Era::Modern, Era::Legacy] {
        let mut client = Client::connect(&server(), era).await;
        for body in malformed() {
            client.send_line(&body).await;
            let id = json!("next");
            let mut next = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
            if era == Era::Modern {
                next = modern("skills/list", json!({}));
                next["id"] = id.clone();
            }
            client.send(&next).await;
            loop {
                let message = client.receive().await;
                if message["id"] == id {
                    assert!(message.get("result").is_some(), "{message}");
                    break;
                }
                assert!(message.get("result").is_none_or(|it| it == &json!({})), "{message}");
            }
        }
    }
}

#[tokio::test]
async fn h10_keys_that_stand_twice_do_not_smuggle() {
    let site = Site::open(&server(), HttpOptions::default()).await;
    let uri = r#""uri":"skill://pdf/SKILL.md","uri":"skill://evil/SKILL.md""#;
    let meta = modern("x", json!({}))["params"]["_meta"].to_string();
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{{{uri},"_meta":{meta}}}}}"#
    );
    let mut headers = JSON[..3].to_vec();
    headers.extend([("Mcp-Method", "resources/read"), ("Mcp-Name", "skill://pdf/SKILL.md")]);
    let reply = site.post_bytes(body.as_bytes(), &headers).await;
    assert!(!reply.text.contains("Body of evil"), "{reply:?}");
    assert_alive(&site).await;
}

#[tokio::test]
async fn h12_bodies_are_not_unpacked() {
    let site = Site::open(&server(), HttpOptions::default()).await;
    // A gzip head: what it would unpack to is never asked.
    let body = [&b"\x1f\x8b\x08\0\0\0\0\0\0\x03"[..], &[0; 64]].concat();
    let mut headers = JSON.to_vec();
    headers.push(("Content-Encoding", "gzip"));
    let reply = site.post_bytes(&body, &headers).await;
    assert!((400..500).contains(&reply.status()), "{reply:?}");
    assert_alive(&site).await;
}

#[tokio::test]
async fn h13_a_body_is_what_its_type_says() {
    let site = Site::open(&server(), HttpOptions::default()).await;
    let list = modern("skills/list", json!({}));
    for kind in ["text/plain", "text/json", "application/zip", ""] {
        let reply = site.post(&list, &[("Content-Type", kind)]).await;
        assert_eq!(reply.status(), 415, "{kind}: {reply:?}");
    }
    let reply = site.post(&list, &[("Accept", "text/html")]).await;
    assert_eq!(reply.status(), 406, "{reply:?}");
}

#[tokio::test]
async fn h16_the_token_is_nowhere_but_in_requests() {
    let token = "0123456789abcdef0123456789abcdef";
    let records = Arc::new(Mutex::new(String::new()));
    let journal = {
        let records = records.clone();
        Journal::new(move |record: &Record<'_>| {
            let _ = writeln!(records.lock().unwrap(), "{record:?}");
        })
    };
    let memory = metier::Memory::new("m").inline("pdf", "Use it.", "Body.");
    let registry = metier::Registry::builder().source(metier::Blocking(memory)).open();
    let server = Server::new(registry, ServeOptions { journal, ..ServeOptions::default() });
    let options = HttpOptions { token: Some(token.to_owned()), ..HttpOptions::default() };
    let site = Site::open(&server, options).await;
    let bearer = format!("Bearer {token}");
    let almost = format!("Bearer {}0", &token[..31]);
    let list = modern("skills/list", json!({}));
    for value in [bearer.as_str(), &almost, ""] {
        let reply = site.post(&list, &[("Authorization", value)]).await;
        assert_eq!(reply.status() == 200, value == bearer, "{value}");
        assert!(!reply.text.contains(&token[..31]), "{reply:?}");
        let numbers = site.get("/metrics", &[("Authorization", value)]).await;
        assert!(!numbers.text.contains(&token[..31]), "{numbers:?}");
    }
    // Neither in the address, which proxies write down.
    let reply = site.get(&format!("/metrics?token={token}"), &[]).await;
    assert_eq!(reply.status(), 401);
    let records = records.lock().unwrap();
    assert!(records.contains("refused") && !records.contains(&token[..31]), "{records}");
}

#[tokio::test]
async fn ids_come_back_as_they_were() {
    let site = Site::open(&server(), HttpOptions::default()).await;
    for id in [json!(0), json!(u32::MAX), json!("x".repeat(10_000)), json!("\u{202e}\"\\")] {
        let mut list: Value = modern("skills/list", json!({}));
        list["id"] = id.clone();
        let reply = site.post(&list, &[]).await;
        assert_eq!(reply.message()["id"], id, "{reply:?}");
    }
}
