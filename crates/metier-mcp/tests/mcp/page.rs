//! What people see: the page, and what it asks the server for.

use crate::client::{Site, server};
use metier_mcp::HttpOptions;
use serde_json::Value;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

async fn json(site: &Site, path: &str) -> Value {
    let reply = site.get(path, &[]).await;
    assert_eq!((reply.status(), reply.header("content-type")), (200, Some("application/json")));
    serde_json::from_str(reply.body()).unwrap()
}

#[tokio::test]
async fn nothing_but_our_own_files_is_loaded_or_run() {
    let site = Site::open(&server(), HttpOptions::default()).await;
    for path in ["/", "/web/page.css", "/web/page.js", "/web/icon.svg", "/api/catalog"] {
        let reply = site.get(path, &[]).await;
        assert_eq!(reply.status(), 200, "{path}");
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(reply.header("x-frame-options"), Some("DENY"));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    }
    let page = site.get("/", &[]).await;
    for inline in ["<style", "style=", "onclick", "onload", "<script>", "http://", "https://"] {
        assert!(!page.body().contains(inline), "{inline}");
    }
    // The script builds elements, and never writes markup.
    let script = site.get("/web/page.js", &[]).await;
    for markup in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
        assert!(!script.body().contains(markup), "{markup}");
    }
}

#[tokio::test]
async fn the_page_is_open_and_what_it_shows_is_not() {
    let options = HttpOptions { token: Some(TOKEN.to_owned()), ..HttpOptions::default() };
    let site = Site::open(&server(), options).await;
    for path in ["/", "/web/page.css", "/web/page.js", "/web/icon.svg"] {
        assert_eq!(site.get(path, &[]).await.status(), 200, "{path}");
    }
    for path in ["/api/catalog", "/api/skill?id=pdf", "/api/problems", "/api/events", "/web/x"] {
        assert_eq!(site.get(path, &[]).await.status(), 401, "{path}");
    }
    let bearer = format!("Bearer {TOKEN}");
    let reply = site.get("/api/catalog", &[("Authorization", &bearer)]).await;
    assert_eq!(reply.status(), 200);
    let reply = site.get("/", &[("Host", "evil.example")]).await;
    assert_eq!(reply.status(), 403);
}

#[tokio::test]
async fn the_catalog_says_what_becomes_of_every_skill() {
    let site = Site::open(&server(), HttpOptions::default()).await;
    let all = json(&site, "/api/catalog").await;
    let total = all["total"].as_u64().unwrap();
    let fates: Vec<&str> =
        all["skills"].as_array().unwrap().iter().map(|s| s["fate"].as_str().unwrap()).collect();
    assert_eq!(fates.len() as u64, total);
    // People see what models are not offered, and why.
    let hidden = all["skills"].as_array().unwrap().iter().filter(|s| s["fate"] == "hidden");
    assert!(hidden.clone().count() > 0 && hidden.clone().all(|s| s["why"].is_string()), "{all}");

    let little = json(&site, "/api/catalog?budget=30").await;
    assert!(little["prompt"]["tokens"].as_u64().unwrap() <= 30, "{little}");
    assert!(little["counts"]["omitted"].as_u64().unwrap() > 0, "{little}");

    let found = json(&site, "/api/catalog?q=fill%20in%20a%20PDF%20form").await;
    assert_eq!(found["skills"][0]["id"], "pdf", "{found}");
    let scores: Vec<f64> =
        found["skills"].as_array().unwrap().iter().map(|s| s["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
}

#[tokio::test]
async fn a_skill_is_shown_as_a_model_receives_it() {
    let site = Site::open(&server(), HttpOptions::default()).await;
    let skill = json(&site, "/api/skill?id=pdf").await;
    let text = skill["activation"]["text"].as_str().unwrap();
    assert!(text.starts_with("<skill_content name=\"pdf\">"), "{text}");
    assert!(skill["frontmatter"].as_str().unwrap().contains("name: pdf"), "{skill}");
    assert!(skill["tokens"]["catalog"].as_u64() < skill["tokens"]["activation"].as_u64());
    let file = json(&site, "/api/file?id=pdf&path=references/forms.md").await;
    assert!(file["text"].is_string(), "{file}");
    let picture = json(&site, "/api/file?id=pdf&path=logo.png").await;
    assert!(picture["text"].is_null(), "{picture}");
}

#[tokio::test]
async fn what_is_not_there_is_named() {
    let site = Site::open(&server(), HttpOptions::default()).await;
    for path in [
        "/api/skill?id=none",
        "/api/skill",
        "/api/file?id=pdf&path=../../etc/passwd",
        "/api/file?id=pdf&path=none.md",
    ] {
        let reply = site.get(path, &[]).await;
        assert_eq!(reply.status(), 404, "{path}");
        let error: Value = serde_json::from_str(reply.body()).unwrap();
        assert!(!error["error"].as_str().unwrap().is_empty(), "{path}");
    }
    assert_eq!(site.get("/api/catalog?budget=many", &[]).await.status(), 400);
    assert_eq!(site.get("/nothing", &[]).await.status(), 404);
}
