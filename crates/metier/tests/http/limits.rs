//! Turns servers that send too much, too slowly or nothing into errors.

use crate::server::{Reply, Server, local};
use crate::shapes::{PDF, path, read};
use metier::{BlockingSource, Http, HttpOptions, ReadOptions, SourceError};
use std::time::Duration;

const INDEX: &str = r#"[{"name": "pdf", "description": "Use for PDFs."}]"#;

fn site() -> Server {
    let server = Server::new();
    server.on("/index.json", Reply::ok(INDEX)).on("/pdf/SKILL.md", Reply::ok(PDF));
    server
}

fn list_error(server: &Server, options: HttpOptions) -> String {
    let source = Http::new(&server.url("/index.json"), options).unwrap();
    source.list().unwrap_err().to_string()
}

#[test]
fn a_fault_of_the_server_is_told_with_its_status() {
    for status in [204, 401, 404, 429, 500, 503] {
        let server = site();
        server.on("/index.json", Reply::status(status));
        let error = list_error(&server, local());
        assert!(error.contains(&format!("status {status}")), "{error}");
        assert_eq!(server.paths(), ["/index.json"]);
        server.on("/index.json", Reply::ok(INDEX)).on("/pdf/SKILL.md", Reply::status(status));
        let error = read(&server.source("/index.json"), "pdf", "SKILL.md").unwrap_err();
        assert_eq!(matches!(error, SourceError::NoSuchFile { .. }), status == 404, "{error}");
    }
    // A site whose first place is broken is not taken for one without an index.
    let server = site();
    server.on("/.well-known/agent-skills/index.json", Reply::status(500));
    let error = server.source("/").list().unwrap_err().to_string();
    assert!(error.contains("agent-skills/index.json` cannot be read"), "{error}");
}

#[test]
fn an_index_has_a_largest_size() {
    let server = site();
    let options = HttpOptions { max_index_bytes: INDEX.len(), ..local() };
    let source = Http::new(&server.url("/index.json"), options.clone()).unwrap();
    assert_eq!(source.list().unwrap().skills.len(), 1);
    server.on("/index.json", Reply::ok(format!("{INDEX} ")));
    let error = list_error(&server, options);
    assert!(error.ends_with("it has 50 bytes, the limit is 49"), "{error}");

    server.on("/index.json", Reply::ok(" ".repeat(5 * 1024 * 1024 + 1)));
    assert!(list_error(&server, local()).ends_with("the limit is 5242880"));
}

/// Security H11: no length is announced, so the cap alone ends it.
#[test]
fn a_body_without_an_end_is_cut() {
    let server = site();
    server.on("/index.json", Reply::endless());
    let error = list_error(&server, local());
    assert!(error.ends_with("it has more bytes than the limit of 5242880"), "{error}");

    server.on("/index.json", Reply::ok(INDEX)).on("/pdf/big", Reply::endless());
    let error = read(&server.source("/index.json"), "pdf", "big").unwrap_err().to_string();
    assert!(error.ends_with("it has more bytes than the limit of 1048576"), "{error}");
}

#[test]
fn a_body_that_ends_early_is_an_error() {
    let server = site();
    server.on("/index.json", Reply::short());
    assert!(list_error(&server, local()).contains("cannot be read"));
}

#[test]
fn a_file_over_the_limit_can_be_read_in_parts() {
    let server = site();
    server.on("/pdf/data", Reply::ok("0123456789"));
    let source = server.source("/index.json");
    let read = |limit, range| source.read("pdf", &path("data"), &ReadOptions { limit, range });
    let error = read(4, None).unwrap_err().to_string();
    assert_eq!(error, "`data` of the skill `pdf` has 10 bytes, the limit is 4");
    let part = read(4, Some(2..5)).unwrap();
    assert_eq!((part.text(), part.size), (Some("234"), 10));
    assert_eq!(read(4, Some(8..u64::MAX)).unwrap().text(), Some("89"));
    assert_eq!(read(4, Some(20..30)).unwrap().text(), Some(""));
    assert!(matches!(read(4, Some(0..5)), Err(SourceError::TooLarge { size: 5, limit: 4, .. })));

    let options = HttpOptions { max_file_bytes: 9, ..local() };
    let source = Http::new(&server.url("/index.json"), options).unwrap();
    let options = ReadOptions { limit: 4, range: Some(0..1) };
    let error = source.read("pdf", &path("data"), &options).unwrap_err();
    assert!(matches!(error, SourceError::TooLarge { size: 10, limit: 9, .. }));
}

/// Security H12: what is asked for is the bytes as they are, and what comes otherwise is not unpacked.
#[test]
fn a_packed_answer_is_refused() {
    let server = site();
    let reply = || Reply::ok(vec![0x1f, 0x8b, 8, 0]).with("Content-Encoding", "gzip");
    server.on("/index.json", reply());
    let error = list_error(&server, local());
    assert!(error.contains("with the coding `gzip`, which was not asked for"), "{error}");
    assert_eq!(server.requests()[0].header("accept-encoding"), Some("identity"));

    server.on("/index.json", Reply::ok(INDEX)).on("/pdf/SKILL.md", reply());
    assert!(read(&server.source("/index.json"), "pdf", "SKILL.md").is_err());
    server.on("/pdf/SKILL.md", Reply::ok(PDF).with("Content-Encoding", "identity"));
    assert!(read(&server.source("/index.json"), "pdf", "SKILL.md").is_ok());
}

#[test]
fn a_file_that_is_packed_by_itself_comes_as_it_is() {
    let server = site();
    server.on("/pdf/a.gz", Reply::ok([0x1f, 0x8b, 8, 0]).with("Content-Type", "application/gzip"));
    let source = server.source("/index.json");
    let file = source.read("pdf", &path("a.gz"), &ReadOptions::default()).unwrap();
    assert_eq!(file.bytes, [0x1f, 0x8b, 8, 0]);
}

/// Security H11: the client has no patience for a silent server, nor for one that never ends.
#[test]
fn a_slow_server_is_given_up() {
    let server = site();
    let short = Duration::from_millis(200);
    server.on("/index.json", Reply::silence());
    let error = list_error(&server, HttpOptions { read_timeout: short, ..local() });
    assert!(error.contains("timeout: per read"), "{error}");
    let error = list_error(&server, HttpOptions { total_timeout: short, ..local() });
    assert!(error.contains("timeout: global"), "{error}");
    // Never silent for long, and never done.
    server.on("/index.json", Reply::trickle());
    let error = list_error(&server, HttpOptions { total_timeout: short, ..local() });
    assert!(error.contains("timeout: global"), "{error}");
}

#[test]
fn a_server_that_is_not_there_is_an_error() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let source = Http::new(&format!("http://127.0.0.1:{port}/"), local()).unwrap();
    let error = source.list().unwrap_err();
    assert!(matches!(error, SourceError::Unavailable { .. }), "{error}");
}
