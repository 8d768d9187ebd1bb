//! Turns redirects and artifacts elsewhere into requests, or into the reason why not; and keeps the token home.

use crate::server::{Reply, Server, local};
use crate::shapes::{PDF, PDF_DIGEST, discovery, read};
use metier::{BlockingSource, Http, HttpOptions};
use serde_json::json;

const INDEX: &str = r#"[{"name": "pdf", "description": "Use for PDFs."}]"#;

fn with_token(server: &Server, path: &str) -> Http {
    let options = HttpOptions { token: Some("secret".to_owned()), ..local() };
    Http::new(&server.url(path), options).unwrap()
}

fn tokens(server: &Server) -> Vec<Option<String>> {
    let requests = server.requests();
    requests.iter().map(|request| request.header("authorization").map(str::to_owned)).collect()
}

#[test]
fn every_redirect_is_followed_and_the_index_is_where_it_ends() {
    for status in [301, 302, 303, 307, 308] {
        let server = Server::new();
        server.on("/index.json", Reply::moved(status, "/new/index.json#top"));
        server.on("/new/index.json", Reply::ok(INDEX)).on("/new/pdf/SKILL.md", Reply::ok(PDF));
        let source = server.source("/index.json");
        assert_eq!(read(&source, "pdf", "SKILL.md").unwrap(), PDF);
        assert_eq!(server.paths(), ["/index.json", "/new/index.json", "/new/pdf/SKILL.md"]);
    }
}

#[test]
fn redirects_come_to_an_end() {
    let server = Server::new();
    server.on("/index.json", Reply::moved(302, "/index.json"));
    let error = server.source("/index.json").list().unwrap_err().to_string();
    assert!(error.ends_with("it redirects more than 5 times"), "{error}");
    assert_eq!(server.paths().len(), 6);

    // Five are fine.
    for hop in 0..5 {
        server.on(&format!("/{hop}.json"), Reply::moved(302, &format!("{}.json", hop + 1)));
    }
    server.on("/5.json", Reply::ok(INDEX));
    assert_eq!(server.source("/0.json").list().unwrap().skills.len(), 1);

    let options = HttpOptions { max_redirects: 0, ..local() };
    let source = Http::new(&server.url("/4.json"), options).unwrap();
    assert!(source.list().is_err());
}

#[test]
fn a_redirect_is_judged_like_any_address() {
    for (target, message) in [
        ("http://10.0.0.1/index.json", "`http:` is refused"),
        ("http://example.com/index.json", "`http:` is refused"),
        ("https://169.254.169.254/latest", "`169.254.169.254` is not a public address"),
        ("https://[::ffff:10.0.0.1]/", "`10.0.0.1` is not a public address"),
        ("https://u:hidden@example.com/", "`https://example.com/`: an address with a user name"),
        ("file:///etc/passwd", "`file:` is not a scheme"),
        ("https://[", "which is no address"),
    ] {
        let server = Server::new();
        server.on("/index.json", Reply::moved(302, target));
        let error = server.source("/index.json").list().unwrap_err().to_string();
        assert!(error.contains(message), "{target}: {error}");
    }
    let server = Server::new();
    server.on("/index.json", Reply::status(302));
    let error = server.source("/index.json").list().unwrap_err().to_string();
    assert!(error.ends_with("it redirects to nowhere"), "{error}");
}

/// Security H16.
#[test]
fn a_token_does_not_follow_a_redirect_to_another_origin() {
    let (home, away) = (Server::new(), Server::new());
    home.on("/index.json", Reply::moved(302, &away.url("/index.json")));
    away.on("/index.json", Reply::moved(302, &home.url("/back.json")));
    home.on("/back.json", Reply::ok("[]"));
    with_token(&home, "/index.json").list().unwrap();
    let secret = || Some("Bearer secret".to_owned());
    assert_eq!(tokens(&home), [secret(), secret()]);
    assert_eq!(tokens(&away), [None]);

    // Another name for the same machine is another origin.
    let other = format!("http://localhost:{}/back.json", home.port());
    home.on("/index.json", Reply::moved(302, &other));
    with_token(&home, "/index.json").list().unwrap();
    assert_eq!(tokens(&home), [secret(), None]);
}

#[test]
fn an_artifact_elsewhere_is_read_without_the_token() {
    let (home, away) = (Server::new(), Server::new());
    discovery(&home, &json!({ "url": away.url("/pdf.md"), "digest": PDF_DIGEST }));
    away.on("/pdf.md", Reply::ok(PDF));
    let source = with_token(&home, "");
    assert_eq!(read(&source, "pdf", "SKILL.md").unwrap(), PDF);
    assert_eq!(tokens(&home), [Some("Bearer secret".to_owned())]);
    assert_eq!(tokens(&away), [None]);
    // Its digest is what makes it the one that the index means.
    away.on("/pdf.md", Reply::ok(PDF.replace("Open", "Burn")));
    assert!(read(&source, "pdf", "SKILL.md").unwrap_err().to_string().contains("digest"));
}

#[test]
fn an_artifact_on_a_private_address_is_not_listed() {
    let home = Server::new();
    discovery(&home, &json!({ "url": "https://192.168.0.1/SKILL.md" }));
    let listing = home.source("").list().unwrap();
    assert!(listing.skills.is_empty());
    assert!(listing.problems[0].message.contains("`192.168.0.1` is not a public address"));
}

#[test]
fn a_token_is_neither_shown_nor_broken_into_lines() {
    let server = Server::new();
    assert!(!format!("{:?}", with_token(&server, "/")).contains("secret"));
    let options = HttpOptions { token: Some("a\r\nHost: b".to_owned()), ..local() };
    let error = Http::new(&server.url("/"), options).unwrap_err().to_string();
    assert!(error.ends_with("the token holds characters that a header cannot hold"), "{error}");
}
