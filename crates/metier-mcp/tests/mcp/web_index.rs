//! What tools on the web find: the index, files and archives, with digests that hold.

use crate::client::{Site, server};
use metier::{Blocking, Memory, Registry};
use metier_mcp::{HttpOptions, ServeOptions, Server};
use serde_json::Value;

const BASE: &str = "/.well-known/agent-skills";

#[tokio::test]
async fn the_index_names_every_skill_and_its_files() {
    let site = Site::open(&server(), HttpOptions::default()).await;
    let reply = site.get(&format!("{BASE}/index.json"), &[]).await;
    assert_eq!((reply.status(), reply.header("content-type")), (200, Some("application/json")));
    let index: Value = serde_json::from_str(reply.body()).unwrap();
    assert_eq!(index["$schema"], "https://schemas.agentskills.io/discovery/0.2.0/schema.json");
    let skills = index["skills"].as_array().unwrap();
    let shown: Vec<_> = skills.iter().map(|s| (&s["name"], &s["type"], &s["url"])).collect();
    // Untrusted skills and those that are kept from models are not there.
    assert_eq!(
        format!("{shown:?}"),
        "[(String(\"notes\"), String(\"skill-md\"), String(\"notes/SKILL.md\")), \
        (String(\"pdf\"), String(\"archive\"), String(\"pdf.tar.gz\"))]"
    );
    assert_eq!(
        skills[1]["files"],
        serde_json::json!(["SKILL.md", "logo.png", "references/forms.md", "scripts/fill.py"])
    );
    assert_eq!(skills[1]["version"].as_str().unwrap().len(), 16);

    for skill in skills {
        let digest = skill["digest"].as_str().unwrap().strip_prefix("sha256:").unwrap();
        let file = site.get(&format!("{BASE}/{}", skill["url"].as_str().unwrap()), &[]).await;
        assert_eq!(file.header("etag"), Some(format!("\"{digest}\"").as_str()));
        for path in skill["files"].as_array().unwrap() {
            let path =
                format!("{BASE}/{}/{}", skill["name"].as_str().unwrap(), path.as_str().unwrap());
            assert_eq!(site.get(&path, &[]).await.status(), 200, "{path}");
        }
    }
}

#[tokio::test]
async fn what_is_known_is_not_sent_again() {
    let site = Site::open(&server(), HttpOptions::default()).await;
    for path in ["index.json", "pdf.tar.gz", "pdf/SKILL.md"] {
        let path = format!("{BASE}/{path}");
        let first = site.get(&path, &[]).await;
        let tag = first.header("etag").unwrap().to_owned();
        for known in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}")] {
            let again = site.get(&path, &[("If-None-Match", &known)]).await;
            assert_eq!((again.status(), again.body()), (304, ""), "{path} {known}");
        }
        assert_eq!(site.get(&path, &[("If-None-Match", "\"x\"")]).await.status(), 200);
        let head = site.exchange(site.head("HEAD", &path, &[]).as_bytes()).await;
        assert_eq!(
            (head.status(), head.body(), head.header("etag")),
            (200, "", Some(tag.as_str()))
        );
    }
}

#[tokio::test]
async fn nothing_else_is_there_and_nothing_is_run() {
    let site = Site::open(&server(), HttpOptions::default()).await;
    for path in [
        "evil/SKILL.md",
        "deploy/SKILL.md",
        "pdf/",
        "pdf",
        "pdf/../notes/SKILL.md",
        "pdf/..%2fnotes%2fSKILL.md",
        "%2e%2e/%2e%2e/etc/passwd",
        "pdf/%00",
        "notes.tar.gz",
        "pdf/logo.PNG",
        "",
    ] {
        let reply = site.get(&format!("{BASE}/{path}"), &[]).await;
        assert!([400, 404].contains(&reply.status()), "{path}: {reply:?}");
    }
    let file = site.get(&format!("{BASE}/pdf/SKILL.md"), &[]).await;
    assert!(file.header("content-security-policy").unwrap().contains("sandbox"));
    assert_eq!(file.header("x-content-type-options"), Some("nosniff"));
}

#[test]
fn the_same_skills_make_the_same_bytes_and_others_do_not() {
    let index = |text: &str| {
        let memory = Memory::new("m")
            .inline("haiku", "Writes haiku. Use for poems.", "Five, seven, five.")
            .resource("haiku", "a.md", text);
        let registry = Registry::builder().source(Blocking(memory)).open();
        Server::new(registry, ServeOptions::default()).web_index()
    };
    let bytes = |text: &str| {
        let index = index(text);
        index.paths().map(|path| (path.to_owned(), index.read(path).unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(bytes("one"), bytes("one"));
    let (one, two) = (bytes("one"), bytes("two"));
    let differ: Vec<_> =
        one.iter().zip(&two).filter(|(a, b)| a != b).map(|(a, _)| a.0.as_str()).collect();
    assert_eq!(differ, ["haiku.tar.gz", "haiku/a.md", "index.json"]);
}
