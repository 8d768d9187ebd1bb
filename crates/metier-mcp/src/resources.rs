//! Turns what is served into plain resources, for clients that know no skills.

use crate::fault::Fault;
use crate::listing_entry::is_name;
use crate::media;
use crate::options::ServeOptions;
use crate::package::SKILL_FILE;
use crate::page::page;
use crate::store::Store;
use crate::uri;
use metier::strip_hidden;
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// The schema of indexes, which the older form of the extension borrowed.
pub(crate) const INDEX_SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// A resource in a list.
#[derive(Debug)]
pub(crate) struct ListedResource {
    pub(crate) uri: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) media: &'static str,
}

/// The bytes of a resource.
#[derive(Debug)]
pub(crate) struct ReadResource {
    pub(crate) media: &'static str,
    pub(crate) bytes: Arc<[u8]>,
}

/// One page of the skills, each as its `SKILL.md`; the index comes first.
pub(crate) fn list(
    store: &Store,
    options: &ServeOptions,
    cursor: Option<&str>,
) -> Result<(Vec<ListedResource>, Option<String>), Fault> {
    let served = store.served();
    let all = &served.addresses.all;
    let listed = &all[..all.len().min(options.list_cap)];
    let page = page(listed, |address| &address.path, cursor, options.page_size)?;
    let index = cursor.is_none().then(|| ListedResource {
        uri: uri::INDEX.to_owned(),
        name: "index.json".to_owned(),
        description: "The skills of this server, for clients without the skills extension"
            .to_owned(),
        media: "application/json",
    });
    let skills = page.items.iter().map(|address| ListedResource {
        uri: uri::of_file(&address.path, SKILL_FILE),
        name: address.entry.name().to_owned(),
        description: strip_hidden(address.entry.description()).into_owned(),
        media: "text/markdown",
    });
    Ok((index.into_iter().chain(skills).collect(), page.next))
}

/// The resource at an address: a file of a skill, or the index.
pub(crate) fn read(
    store: &Store,
    options: &ServeOptions,
    address: &str,
) -> Result<ReadResource, Fault> {
    if address == uri::INDEX {
        let bytes = index(store, options).to_string().into_bytes().into();
        return Ok(ReadResource { media: "application/json", bytes });
    }
    let file = store.file(address)?;
    let media = media::of_bytes(&file.path, &file.bytes);
    Ok(ReadResource { media, bytes: file.bytes })
}

/// What servers had before `skills/list`, and some clients still ask for.
fn index(store: &Store, options: &ServeOptions) -> Json {
    let served = store.served();
    let named = served.addresses.all.iter().filter(|address| is_name(address.entry.name()));
    let skills: Vec<Json> = named
        .take(options.list_cap)
        .map(|address| {
            json!({
                "name": address.entry.name(),
                "type": "skill-md",
                "description": strip_hidden(address.entry.description()),
                "url": uri::of_file(&address.path, SKILL_FILE),
            })
        })
        .collect();
    json!({ "$schema": INDEX_SCHEMA, "skills": skills })
}
