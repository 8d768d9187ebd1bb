//! Skills of other servers: listed without fetching, read only when what comes is what was listed.

use crate::client::{Site, server};
use metier::{Blocking, BlockingSource as _, Memory, ReadOptions, Registry, SourceError, Trust};
use metier_mcp::{HttpOptions, McpError, McpSource, McpSourceOptions};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const FILE: &str = "---\nname: pdf\ndescription: Use for PDFs.\nversion: 1.10\n---\nOpen it.\n";

/// `sha256:` of some text, by a way of its own: the digest that metier gives a skill's file.
fn digest(text: &str) -> String {
    let memory = Memory::new("m").inline("x", "y", "").resource("x", "f", text);
    let registry = Registry::builder().source(Blocking(memory)).open();
    let server = metier_mcp::Server::new(registry, metier_mcp::ServeOptions::default());
    let index = server.web_index();
    format!("sha256:{}", index.digest("x/f").unwrap())
}

fn entry() -> Value {
    json!({
        "uri": "skill://acme/pdf/SKILL.md",
        "frontmatter": { "name": "pdf", "description": "Use for PDFs.", "version": 1.1 },
        "resources": [
            { "uri": "skill://acme/pdf/SKILL.md", "digest": digest(FILE), "size": FILE.len() },
            { "uri": "skill://acme/pdf/references/a%20b.md", "digest": digest("hello"), "size": 5 },
        ],
    })
}

/// A server that does as it is told, and remembers what it was asked.
struct Mock {
    source: McpSource,
    asked: Arc<Mutex<Vec<String>>>,
}

type Answer = Result<Value, i64>;

fn mock(
    options: McpSourceOptions,
    answer: impl Fn(&str, &Value) -> Answer + Send + 'static,
) -> Mock {
    let (their_read, our_write) = std::io::pipe().unwrap();
    let (our_read, mut their_write) = std::io::pipe().unwrap();
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = asked.clone();
    std::thread::spawn(move || {
        for line in BufReader::new(their_read).lines() {
            let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
            let Some(method) = message["method"].as_str() else { continue };
            seen.lock().unwrap().push(method.to_owned());
            if message.get("id").is_none() {
                continue;
            }
            // Things that nobody asked for come first.
            let others = "not JSON\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\
                {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\
                {\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"roots/list\"}\n";
            let reply = match answer(method, &message["params"]) {
                Ok(result) => json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }),
                Err(code) => {
                    json!({ "jsonrpc": "2.0", "id": message["id"], "error": { "code": code, "message": "no" } })
                }
            };
            let _ = writeln!(their_write, "{others}{reply}");
        }
    });
    Mock { source: McpSource::streams("acme", our_read, our_write, options), asked }
}

fn discover() -> Value {
    json!({ "capabilities": { "extensions": { "io.modelcontextprotocol/skills": {} }, "resources": {} } })
}

/// A good server of one skill.
fn good(method: &str, params: &Value) -> Answer {
    match method {
        "server/discover" => Ok(discover()),
        "skills/list" => Ok(json!({ "skills": [entry()] })),
        "resources/read" => match params["uri"].as_str().unwrap() {
            "skill://acme/pdf/SKILL.md" => {
                Ok(json!({ "contents": [{ "uri": params["uri"], "text": FILE }] }))
            }
            "skill://acme/pdf/references/a%20b.md" => {
                Ok(json!({ "contents": [{ "uri": params["uri"], "blob": "aGVsbG8=" }] }))
            }
            _ => Err(-32602),
        },
        _ => Err(-32601),
    }
}

fn options() -> McpSourceOptions {
    McpSourceOptions { timeout: Duration::from_secs(20), ..McpSourceOptions::default() }
}

#[test]
fn nothing_is_fetched_until_it_is_read() {
    let Mock { source, asked } = mock(options(), good);
    let registry = Registry::builder().source(Blocking(source)).try_open().unwrap();
    let skill = registry.get("pdf").unwrap();
    assert_eq!((skill.description(), skill.trust()), ("Use for PDFs.", Trust::Untrusted));
    assert_eq!(registry.files_blocking("pdf").unwrap().references[0].as_str(), "references/a b.md");
    assert_eq!(*asked.lock().unwrap(), ["server/discover", "skills/list"]);
    assert_eq!(registry.load_blocking("pdf").unwrap().instructions(), "Open it.");
    let read = |path: &str, range| {
        registry.read_blocking("pdf", path, &ReadOptions { range, ..ReadOptions::default() })
    };
    assert_eq!(read("references/a b.md", None).unwrap().bytes, b"hello");
    assert_eq!(read("references/a b.md", Some(1..3)).unwrap().bytes, b"el");
    assert_eq!(read("references/a b.md", Some(9..99)).unwrap().bytes, b"");
    let before = asked.lock().unwrap().len();
    // What is not listed is not asked for, nor what is too large.
    assert!(read("references/other.md", None).is_err());
    let small = ReadOptions { limit: 4, range: None };
    assert!(registry.read_blocking("pdf", "references/a b.md", &small).is_err());
    assert_eq!(asked.lock().unwrap().len(), before);
}

#[test]
fn searching_and_comparing_fetch_nothing_either() {
    let is_fetched = |asked: Arc<Mutex<Vec<String>>>| {
        asked.lock().unwrap().iter().any(|method| method == "resources/read")
    };
    let Mock { source, asked } = mock(options(), good);
    let registry = Registry::builder().source(Blocking(source)).open();
    // The body says "Open it.", which nobody has read.
    assert_eq!(&*registry.search("PDFs", 5)[0].id, "pdf");
    assert!(registry.search("open it", 5).is_empty());
    assert!(!is_fetched(asked));

    // Two skills of one name are compared by their digests, which the listing has.
    let Mock { source, asked } = mock(options(), good);
    let local = Memory::new("local").skill("pdf", FILE);
    let registry = Registry::builder().source(Blocking(local)).source(Blocking(source)).open();
    assert_eq!((registry.len(), registry.shadowed().len()), (1, 0), "a copy is the same skill");
    registry.reload_blocking();
    assert!(!is_fetched(asked));
}

#[test]
fn a_listing_that_changes_is_noticed() {
    let calls = Arc::new(Mutex::new(0));
    let Mock { source, .. } = mock(options(), move |method, params| {
        let mut entry = entry();
        if method == "skills/list" {
            let mut calls = calls.lock().unwrap();
            *calls += 1;
            if *calls > 2 {
                entry["resources"][1]["digest"] = json!(digest("other"));
            }
            return Ok(json!({ "skills": [entry, json!("broken")] }));
        }
        good(method, params)
    });
    source.connect().unwrap();
    source.list().unwrap();
    assert_eq!(source.has_changed(), Ok(false));
    assert_eq!(source.has_changed(), Ok(true));
    source.list().unwrap();
    assert_eq!(source.has_changed(), Ok(false));
}

#[test]
fn what_is_not_as_listed_is_refused() {
    type Change = fn(&mut Value);
    let cases: [(&str, Change); 7] = [
        ("digest", |entry| {
            entry["resources"][0]["digest"] = json!(format!("sha256:{}", "0".repeat(64)));
        }),
        ("size", |entry| entry["resources"][0]["size"] = json!(3)),
        ("frontmatter", |entry| entry["frontmatter"]["description"] = json!("Use for everything.")),
        ("frontmatter", |entry| entry["frontmatter"]["version"] = json!("1.10")),
        ("frontmatter", |entry| entry["frontmatter"]["more"] = json!(true)),
        ("frontmatter", |entry| {
            entry["frontmatter"].as_object_mut().unwrap().remove("version");
        }),
        ("digest", |entry| entry["resources"][0]["digest"] = json!(digest("x"))),
    ];
    for (reason, change) in cases {
        let Mock { source, .. } = mock(options(), move |method, params| {
            let mut entry = entry();
            change(&mut entry);
            if method == "skills/list" {
                Ok(json!({ "skills": [entry] }))
            } else {
                good(method, params)
            }
        });
        let key = source.list().unwrap().skills[0].key.clone();
        let read = source.read(&key, &"SKILL.md".parse().unwrap(), &ReadOptions::default());
        let error = read.unwrap_err();
        assert!(
            matches!(error, SourceError::Refused { .. }) && error.to_string().contains(reason),
            "{error}"
        );
    }
}

#[test]
fn entries_that_break_a_rule_are_refused_and_the_others_stay() {
    let file = |uri: &str| json!({ "uri": uri, "digest": digest("x"), "size": 1 });
    let own = "skill://bad/SKILL.md";
    let with = |resources: Value| json!({ "uri": own, "frontmatter": { "name": "bad", "description": "x" }, "resources": resources });
    let many: Vec<Value> = (0..513).map(|n| file(&format!("skill://bad/{n}"))).collect();
    let bad = vec![
        json!({}),
        json!("text"),
        json!({ "uri": own, "frontmatter": { "name": "bad", "description": "x" } }),
        with(json!("static")),
        with(json!([])),
        with(json!([{ "uri": own, "size": 1 }])),
        with(json!([{ "uri": own, "digest": "md5:00", "size": 1 }])),
        with(json!([{ "uri": own, "digest": digest("x").to_uppercase(), "size": 1 }])),
        with(json!([{ "uri": own, "digest": digest("x") }])),
        with(json!([{ "uri": own, "digest": digest("x"), "size": -1 }])),
        with(json!([{ "uri": own, "digest": digest("x"), "size": 17 * 1024 * 1024 }])),
        with(json!([file(own), file("skill://other/x")])),
        with(json!([file(own), file("skill://bad/../x")])),
        with(json!([file(own), file("skill://bad/%2e%2e/x")])),
        with(json!([file(own), file("skill://bad/a%2fb")])),
        with(json!([file(own), file("skill://badly/x")])),
        with(json!([file(own), file(own)])),
        with(Value::Array(many)),
        json!({ "uri": "skill://x/SKILL.md", "frontmatter": { "name": "bad", "description": "x" }, "resources": "dynamic" }),
        json!({ "uri": "skill://bad/skill.md", "frontmatter": { "name": "bad", "description": "x" }, "resources": "dynamic" }),
        json!({ "uri": "skill://bad/SKILL.md?x", "frontmatter": { "name": "bad", "description": "x" }, "resources": "dynamic" }),
        json!({ "uri": own, "frontmatter": { "name": "bad" }, "resources": "dynamic" }),
        json!({ "uri": own, "frontmatter": { "name": "bad", "description": "a\u{0}b" }, "resources": "dynamic" }),
    ];
    let count = bad.len();
    let Mock { source, .. } = mock(options(), move |method, params| {
        let mut skills = bad.clone();
        skills.push(entry());
        if method == "skills/list" { Ok(json!({ "skills": skills })) } else { good(method, params) }
    });
    let listing = source.list().unwrap();
    let names: Vec<_> = listing.skills.iter().map(|listed| listed.name.as_str()).collect();
    assert_eq!(names, ["pdf"]);
    assert_eq!(listing.problems.len(), count, "{:#?}", listing.problems);
}

#[test]
fn two_entries_with_one_address_are_both_refused() {
    let Mock { source, .. } = mock(options(), |method, params| match method {
        "skills/list" => Ok(json!({ "skills": [entry(), entry()] })),
        _ => good(method, params),
    });
    let listing = source.list().unwrap();
    assert_eq!((listing.skills.len(), listing.problems.len()), (0, 1));
}

#[test]
fn a_listing_without_an_end_ends() {
    let small = McpSourceOptions { max_pages: 5, ..options() };
    let Mock { source, asked } = mock(small, |method, params| match method {
        "skills/list" => {
            let page = params["cursor"].as_str().map_or(0, |cursor| cursor.parse::<u32>().unwrap());
            let mut entry = entry();
            let uri = format!("skill://p{page}/pdf/SKILL.md");
            entry["uri"] = json!(uri);
            entry["resources"] =
                json!([{ "uri": uri, "digest": digest(FILE), "size": FILE.len() }]);
            Ok(json!({ "skills": [entry], "nextCursor": (page + 1).to_string() }))
        }
        _ => good(method, params),
    });
    let listing = source.list().unwrap();
    assert_eq!((listing.skills.len(), listing.problems.len()), (5, 1));
    assert_eq!(asked.lock().unwrap().iter().filter(|method| *method == "skills/list").count(), 5);
}

#[test]
fn older_servers_are_understood() {
    // One that must be greeted first, and one that has the index alone.
    let legacy = |method: &str, params: &Value| match method {
        "server/discover" => Err(-32601),
        "initialize" => {
            assert_eq!(params["protocolVersion"], "2025-11-25");
            let mut about = discover();
            about["protocolVersion"] = json!("2025-11-25");
            Ok(about)
        }
        _ => {
            assert!(params.get("_meta").is_none());
            good(method, params)
        }
    };
    let Mock { source, asked } = mock(options(), legacy);
    assert_eq!(source.list().unwrap().skills.len(), 1);
    assert_eq!(asked.lock().unwrap()[1..3], ["initialize", "notifications/initialized"]);

    let old = |claimed: &'static str| {
        move |method: &str, params: &Value| match (method, params["uri"].as_str()) {
            ("server/discover", _) => Ok(json!({ "capabilities": { "resources": {} } })),
            ("resources/read", Some("skill://index.json")) => {
                let index = json!({ "skills": [
                    { "name": "pdf", "type": "skill-md", "description": claimed, "url": "skill://acme/pdf/SKILL.md" },
                    { "type": "mcp-resource-template", "description": "x", "url": "skill://docs/{p}/SKILL.md" },
                ] });
                Ok(
                    json!({ "contents": [{ "uri": "skill://index.json", "text": index.to_string() }] }),
                )
            }
            _ => good(method, params),
        }
    };
    for (claimed, is_true) in [("Use for PDFs.", true), ("Use for everything.", false)] {
        let Mock { source, .. } = mock(options(), old(claimed));
        let listing = source.list().unwrap();
        assert_eq!(listing.skills.len(), 1, "{:?}", listing.problems);
        let read = source.read(
            &listing.skills[0].key,
            &"SKILL.md".parse().unwrap(),
            &ReadOptions::default(),
        );
        assert_eq!(read.is_ok(), is_true, "{read:?}");
    }
}

#[test]
fn answers_about_something_else_are_no_answers() {
    for contents in [
        json!([]),
        json!([{ "uri": "skill://other/SKILL.md", "text": FILE }]),
        json!([{ "uri": "skill://acme/pdf/SKILL.md" }]),
        json!([{ "uri": "skill://acme/pdf/SKILL.md", "blob": "?" }]),
        json!("text"),
    ] {
        let Mock { source, .. } = mock(options(), move |method, params| match method {
            "resources/read" => Ok(json!({ "contents": contents })),
            _ => good(method, params),
        });
        let key = source.list().unwrap().skills[0].key.clone();
        let read = source.read(&key, &"SKILL.md".parse().unwrap(), &ReadOptions::default());
        assert!(matches!(read, Err(SourceError::Unavailable { .. })), "{read:?}");
    }
    let broken = McpSource::http("gone", "http://127.0.0.1:1/mcp", None, options());
    assert!(matches!(broken.list(), Err(SourceError::Unavailable { .. })));
}

#[test]
fn a_skill_of_another_server_never_takes_a_name() {
    let trusted = McpSourceOptions { trust: Trust::Trusted, ..options() };
    let Mock { source, .. } = mock(trusted, good);
    let local = Memory::new("local").inline("pdf", "Mine.", "My own.");
    // It comes first, and gives way all the same.
    let registry = Registry::builder().source(Blocking(source)).source(Blocking(local)).open();
    assert_eq!(registry.get("pdf").unwrap().source(), "local");
    assert_eq!(registry.get("acme:pdf").unwrap().source(), "acme");
    assert_eq!(registry.shadowed().len(), 1);
    assert_eq!(registry.load_blocking("acme:pdf").unwrap().instructions(), "Open it.");
}

#[tokio::test(flavor = "multi_thread")]
async fn our_own_server_is_a_source() {
    let token = "0123456789abcdef0123456789abcdef".to_owned();
    let http = HttpOptions { token: Some(token.clone()), ..HttpOptions::default() };
    let site = Site::open(&server(), http).await;
    let url = format!("http://{}/mcp", site.address);
    let reading = tokio::task::spawn_blocking(move || {
        let source = McpSource::http("team", &url, Some(token), options());
        let registry = Registry::builder().source(Blocking(source)).try_open().unwrap();
        assert!(registry.problems().is_empty());
        let names: Vec<_> = registry.iter().map(|entry| entry.name().to_owned()).collect();
        assert_eq!(names, ["notes", "pdf"]);
        for path in registry.files_blocking("pdf").unwrap().iter() {
            registry.read_blocking("pdf", path.as_str(), &ReadOptions::default()).unwrap();
        }
        assert_eq!(registry.load_blocking("pdf").unwrap().instructions(), "Body of pdf.");
        let stranger = McpSource::http("team", &url, None, options());
        assert!(matches!(stranger.list(), Err(SourceError::Unavailable { .. })));
        assert_eq!(stranger.connect(), Err(McpError::Unauthorized { status: 401 }));
        let elsewhere = url.replace("/mcp", "/");
        let lost = McpSource::http("team", &elsewhere, Some("x".repeat(20)), options());
        assert!(lost.connect().is_err());
    });
    reading.await.unwrap();
}
