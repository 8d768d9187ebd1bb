//! Changes on disk reach the clients of both protocol eras, and digests and bytes never part (security M08).

use crate::client::{Client, Era, meta};
use metier::Registry;
use metier_mcp::{ServeOptions, Server};
use serde_json::{Value, json};
use testing::Fixture;

const SKILL: &str = "---\nname: pdf\ndescription: Use for PDFs.\n---\nBody.\n";

fn folder() -> (Fixture, Server) {
    let folder = Fixture::new().file("pdf/SKILL.md", SKILL).file("pdf/a.md", "one");
    let server = Server::new(Registry::open([folder.path()]), ServeOptions::default());
    (folder, server)
}

/// Waits for a notification.
async fn wait_for(client: &mut Client, method: &str) -> Value {
    loop {
        let message = if client.notifications.is_empty() {
            client.receive().await
        } else {
            client.notifications.remove(0)
        };
        if message["method"] == method {
            return message;
        }
    }
}

#[cfg(feature = "watch")]
#[tokio::test]
async fn an_edit_is_told_to_clients_of_the_older_protocols() {
    let (folder, server) = folder();
    let _watch = server.watch([folder.path()]).unwrap();
    let mut client = Client::connect(&server, Era::Legacy).await;
    client.result("resources/subscribe", json!({ "uri": "skill://pdf/a.md" })).await;
    std::fs::write(folder.path().join("pdf/a.md"), "two").unwrap();
    let updated = wait_for(&mut client, "notifications/resources/updated").await;
    assert_eq!(updated["params"]["uri"], "skill://pdf/a.md");
    let read = client.result("resources/read", json!({ "uri": "skill://pdf/a.md" })).await;
    assert_eq!(read["contents"][0]["text"], "two");

    let folder = folder.file("csv/SKILL.md", "---\nname: csv\ndescription: Use for tables.\n---\n");
    wait_for(&mut client, "notifications/resources/list_changed").await;
    let mut names = Vec::new();
    // One event may come for the folder before the file is in it.
    while names != ["csv", "pdf"] {
        let listed = client.result("skills/list", json!({})).await;
        let skills = listed["skills"].as_array().unwrap();
        names =
            skills.iter().map(|s| s["frontmatter"]["name"].as_str().unwrap().to_owned()).collect();
    }
    drop(folder);
}

#[cfg(feature = "watch")]
#[tokio::test]
async fn an_edit_is_told_to_those_who_listen() {
    let (folder, server) = folder();
    let _watch = server.watch([folder.path()]).unwrap();
    let mut client = Client::connect(&server, Era::Modern).await;
    client.result("skills/list", json!({})).await;
    let wanted =
        json!({ "resourcesListChanged": true, "resourceSubscriptions": ["skill://pdf/SKILL.md"] });
    let params = json!({ "notifications": wanted, "_meta": meta() });
    client.send(&json!({ "jsonrpc": "2.0", "id": "L", "method": "subscriptions/listen", "params": params })).await;
    let acknowledged = wait_for(&mut client, "notifications/subscriptions/acknowledged").await;
    assert_eq!(acknowledged["params"]["notifications"], wanted);
    std::fs::write(folder.path().join("pdf/SKILL.md"), SKILL.replace("Body", "Other")).unwrap();
    let changed = wait_for(&mut client, "notifications/resources/list_changed").await;
    assert_eq!(changed["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "L");
    let updated = wait_for(&mut client, "notifications/resources/updated").await;
    assert_eq!(updated["params"]["uri"], "skill://pdf/SKILL.md");
}

#[tokio::test]
async fn bytes_are_those_of_the_listing_until_the_next_one() {
    let (folder, server) = folder();
    let mut client = Client::connect(&server, Era::Modern).await;
    let uri = json!({ "uri": "skill://pdf/SKILL.md" });
    let before = client.result("skills/get", uri.clone()).await;
    std::fs::write(folder.path().join("pdf/a.md"), "two").unwrap();
    // Nobody reloaded: what was listed is what is read.
    assert_eq!(client.result("skills/get", uri.clone()).await, before);
    let read = client.result("resources/read", json!({ "uri": "skill://pdf/a.md" })).await;
    assert_eq!(read["contents"][0]["text"], "one");
    let unlisted = folder.path().join("pdf/new.md");
    std::fs::write(unlisted, "unlisted").unwrap();
    client.error("resources/read", json!({ "uri": "skill://pdf/new.md" })).await;
}

#[tokio::test]
async fn a_reload_is_seen_with_the_next_request() {
    let folder = Fixture::new().file("pdf/SKILL.md", SKILL).file("pdf/a.md", "one");
    let registry = Registry::open([folder.path()]);
    let server = Server::new(registry.clone(), ServeOptions::default());
    let mut client = Client::connect(&server, Era::Legacy).await;
    let uri = json!({ "uri": "skill://pdf/SKILL.md" });
    let before = client.result("skills/get", uri.clone()).await;
    std::fs::write(folder.path().join("pdf/a.md"), "two").unwrap();
    registry.reload_blocking();
    let after = client.result("skills/get", uri).await;
    assert_ne!(before["skill"]["resources"][1], after["skill"]["resources"][1]);
    wait_for(&mut client, "notifications/resources/list_changed").await;
    registry.unregister("pdf").unwrap();
    assert_eq!(client.result("tools/list", json!({})).await["tools"], json!([]));
    server.refresh();
    wait_for(&mut client, "notifications/tools/list_changed").await;
}
