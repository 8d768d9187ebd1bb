//! Who may send requests over HTTP: hosts, pages, tokens (security M01 to M04).

use crate::client::{Site, modern, server};
use metier_mcp::{HttpError, HttpOptions, HttpServer};
use serde_json::json;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

#[tokio::test]
async fn other_names_and_other_pages_are_turned_away() {
    let site = Site::open(&server(), HttpOptions::default()).await;
    let list = modern("skills/list", json!({}));
    for (name, value) in [
        ("Host", "evil.example"),
        ("Host", "127.0.0.1.evil.example:7331"),
        ("Origin", "http://evil.example"),
        ("Origin", "null"),
        ("Origin", "http://localhost:1"),
    ] {
        let reply = site.post(&list, &[(name, value)]).await;
        assert_eq!(reply.status(), 403, "{name}: {value}");
        assert!(!reply.text.contains("skill://"), "{reply:?}");
        assert_eq!(site.get("/metrics", &[(name, value)]).await.status(), 403);
        assert_eq!(site.get("/healthz", &[(name, value)]).await.status(), 403);
    }
    let own = format!("http://{}", site.address);
    let reply = site.post(&list, &[("Origin", &own)]).await;
    assert_eq!(reply.status(), 200);
    assert_eq!(reply.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn pages_that_were_allowed_may_ask() {
    let page = "https://app.example";
    let options = HttpOptions {
        token: Some(TOKEN.to_owned()),
        allowed_origins: vec![page.to_owned()],
        ..HttpOptions::default()
    };
    let site = Site::open(&server(), options).await;
    let head = site.head(
        "OPTIONS",
        "/mcp",
        &[("Origin", page), ("Access-Control-Request-Method", "POST")],
    );
    let asked = site.exchange(head.as_bytes()).await;
    assert_eq!((asked.status(), asked.header("access-control-allow-origin")), (204, Some(page)));
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("Origin", page), ("Authorization", bearer.as_str())];
    let reply = site.post(&modern("skills/list", json!({})), &headers).await;
    assert_eq!((reply.status(), reply.header("access-control-allow-origin")), (200, Some(page)));
    let other = site.head("OPTIONS", "/mcp", &[("Origin", "https://evil.example")]);
    assert_eq!(site.exchange(other.as_bytes()).await.status(), 403);
}

#[tokio::test]
async fn a_page_cannot_post_without_asking() {
    let site = Site::open(&server(), HttpOptions::default()).await;
    let list = modern("skills/list", json!({}));
    // What a browser sends without a preflight: no JSON.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        assert_eq!(site.post(&list, &[("Content-Type", kind)]).await.status(), 415, "{kind}");
    }
}

#[tokio::test]
async fn the_token_opens_everything_but_health_and_the_bare_page() {
    let site = Site::open(
        &server(),
        HttpOptions { token: Some(TOKEN.to_owned()), ..HttpOptions::default() },
    )
    .await;
    let list = modern("skills/list", json!({}));
    for wrong in ["", "Bearer", "Bearer x", "Basic 0123456789abcdef0123456789abcdef"] {
        let reply = site.post(&list, &[("Authorization", wrong)]).await;
        assert_eq!(
            (reply.status(), reply.header("www-authenticate")),
            (401, Some("Bearer")),
            "{wrong}"
        );
    }
    assert_eq!(site.post(&list, &[]).await.status(), 401);
    for path in ["/metrics", "/mcp", "/api/catalog", "/nothing"] {
        assert_eq!(site.get(path, &[]).await.status(), 401, "{path}");
    }
    assert_eq!(site.get("/healthz", &[]).await.status(), 200);
    let bearer = format!("Bearer {TOKEN}");
    assert_eq!(site.post(&list, &[("Authorization", &bearer)]).await.status(), 200);
    let numbers = site.get("/metrics", &[("Authorization", &bearer)]).await;
    assert!(
        numbers.body().contains("metier_http_refused_total{reason=\"token\"} 9"),
        "{numbers:?}"
    );
    assert!(numbers.body().contains("metier_skills 2"));
}

#[tokio::test]
async fn others_may_only_connect_with_a_token() {
    let server = server();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let bound =
            HttpServer::bind(&server, address.parse().unwrap(), HttpOptions::default()).await;
        assert!(matches!(bound, Err(HttpError::TokenRequired { .. })), "{address}: {bound:?}");
    }
    let weak = HttpOptions { token: Some("short".to_owned()), ..HttpOptions::default() };
    let bound = HttpServer::bind(&server, "127.0.0.1:0".parse().unwrap(), weak).await;
    assert!(matches!(bound, Err(HttpError::WeakToken { length: 5 })));
    let options = HttpOptions { token: Some(TOKEN.to_owned()), ..HttpOptions::default() };
    assert!(HttpServer::bind(&server, "0.0.0.0:0".parse().unwrap(), options).await.is_ok());
}
