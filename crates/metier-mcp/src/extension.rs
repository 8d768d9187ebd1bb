//! Turns the requests of the skills extension (SEP-2640) into results.

use crate::fault::{Fault, short};
use crate::media;
use crate::options::ServeOptions;
use crate::package::SKILL_FILE;
use crate::page::page;
use crate::store::Store;
use crate::uri;
use serde_json::{Value as Json, json};

/// The name under which the extension is declared.
pub(crate) const ID: &str = "io.modelcontextprotocol/skills";

/// Answers one request of the extension, without what newer protocols put beside every result.
pub(crate) fn answer(
    store: &Store,
    options: &ServeOptions,
    method: &str,
    params: &Json,
) -> Result<Json, Fault> {
    match method {
        "skills/list" => list(store, options, params),
        "skills/get" => get(store, params),
        "resources/directory/read" => read_directory(store, params),
        _ => Err(Fault::UnknownMethod(short(method))),
    }
}

fn list(store: &Store, options: &ServeOptions, params: &Json) -> Result<Json, Fault> {
    let served = store.served();
    let all = &served.addresses.all;
    let listed = &all[..all.len().min(options.list_cap)];
    let cursor = text(params, "cursor")?;
    let page = page(listed, |address| &address.path, cursor, options.page_size)?;
    let start = all.partition_point(|address| {
        page.items.first().is_some_and(|first| address.path < first.path)
    });
    let skills: Vec<Json> =
        (start..start + page.items.len()).filter_map(|at| store.entry(&served, at).ok()).collect();
    // The macro would copy every entry.
    let mut result = json!({});
    result["skills"] = Json::Array(skills);
    if let Some(next) = page.next {
        result["nextCursor"] = next.into();
    }
    Ok(result)
}

fn get(store: &Store, params: &Json) -> Result<Json, Fault> {
    let address = wanted(params)?;
    let served = store.served();
    let missing =
        || Fault::invalid_uri(format!("no skill is served at `{}`", short(address)), address);
    let segments = uri::segments(address).ok_or_else(missing)?;
    let (at, file) = served.addresses.find(&segments).ok_or_else(missing)?;
    if file != SKILL_FILE {
        return Err(missing());
    }
    match store.entry(&served, at) {
        Ok(entry) => Ok(json!({ "skill": entry })),
        Err(reason) => {
            let message = format!("the skill at `{}` cannot be verified: {reason}", short(address));
            Err(Fault::invalid_uri(message, address))
        }
    }
}

fn read_directory(store: &Store, params: &Json) -> Result<Json, Fault> {
    let address = wanted(params)?;
    // A skill has few enough files for one page, so no cursor is ours.
    if text(params, "cursor")?.is_some() {
        return Err(Fault::invalid("the cursor is none of ours"));
    }
    let served = store.served();
    let missing =
        || Fault::invalid_uri(format!("`{}` is not a directory", short(address)), address);
    let segments = uri::segments(address).ok_or_else(missing)?;
    let (at, directory) = served.addresses.find(&segments).ok_or_else(missing)?;
    let shelf = store.shelf(&served, at);
    let package = shelf.package.as_ref().map_err(|_| missing())?;
    let children = package.children(&directory).ok_or_else(missing)?;
    let resources: Vec<Json> = children
        .into_iter()
        .map(|(name, file)| {
            let uri = format!("{address}/{}", &uri::of(name)["skill://".len()..]);
            match file {
                Some(file) => {
                    let media = media::of(name);
                    json!({ "uri": uri, "name": name, "mimeType": media, "size": file.size })
                }
                None => json!({ "uri": uri, "name": name, "mimeType": media::DIRECTORY }),
            }
        })
        .collect();
    Ok(json!({ "resources": resources }))
}

fn wanted(params: &Json) -> Result<&str, Fault> {
    text(params, "uri")?.ok_or_else(|| Fault::invalid("`uri` is missing"))
}

/// A parameter that is text; `None` when it is not there.
pub(crate) fn text<'p>(params: &'p Json, key: &str) -> Result<Option<&'p str>, Fault> {
    match params.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(_) => Err(Fault::invalid(format!("`{key}` is not text"))),
    }
}
