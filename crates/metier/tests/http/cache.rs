//! Turns answers that did not change into answers that are not sent again.

use crate::server::{Reply, Server, local};
use crate::shapes::{PDF, read};
use metier::{BlockingSource, Http, HttpOptions};

const INDEX: &str = r#"[{"name": "pdf", "description": "Use for PDFs."}]"#;

#[test]
fn an_answer_with_a_validator_is_asked_about() {
    for (validator, condition, value) in [
        ("ETag", "if-none-match", "\"v1\""),
        ("Last-Modified", "if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT"),
    ] {
        let server = Server::new();
        server.on("/index.json", Reply::ok(INDEX).with(validator, value));
        server.on("/pdf/SKILL.md", Reply::ok(PDF).with(validator, value));
        let source = server.source("/index.json");
        for round in 0..3 {
            assert_eq!(source.list().unwrap().skills.len(), 1);
            assert_eq!(read(&source, "pdf", "SKILL.md").unwrap(), PDF);
            for request in server.requests() {
                let expected = (round > 0).then_some(value);
                assert_eq!(request.header(condition), expected, "{request:?}");
            }
        }
        // A change is seen.
        server.on("/index.json", Reply::ok("[]").with(validator, "other"));
        assert!(source.list().unwrap().skills.is_empty());
    }
}

#[test]
fn an_answer_that_may_not_be_kept_is_not() {
    let server = Server::new();
    let reply = Reply::ok(INDEX).with("ETag", "\"v1\"").with("Cache-Control", "no-store");
    server.on("/index.json", reply);
    let source = server.source("/index.json");
    for _ in 0..2 {
        source.list().unwrap();
        assert_eq!(server.requests()[0].header("if-none-match"), None);
    }
}

#[test]
fn the_cache_has_a_size() {
    let server = Server::new();
    server.on("/index.json", Reply::ok(INDEX).with("ETag", "\"v1\""));
    let options = HttpOptions { cache_bytes: INDEX.len() - 1, ..local() };
    let source = Http::new(&server.url("/index.json"), options).unwrap();
    for _ in 0..2 {
        source.list().unwrap();
        assert_eq!(server.requests()[0].header("if-none-match"), None);
    }
}

#[test]
fn nothing_changed_is_no_answer_to_the_first_question() {
    let server = Server::new();
    server.on("/index.json", Reply::status(304));
    let error = server.source("/index.json").list().unwrap_err().to_string();
    assert!(error.contains("nothing was kept"), "{error}");
}
