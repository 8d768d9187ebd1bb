//! Turns calls of tools into replies that a model can read, by the rules of sessions.

use crate::fault::{Fault, short};
use crate::store::Store;
use metier::{
    ActivationOptions, CatalogEntry, Matcher, Registry, Session, SessionOptions, ToolReply,
    block_on,
};
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// The tool that loads a skill, for the text that lists the skills.
pub(crate) const LOAD: &str = "load_skill";

/// The tool that finds skills.
pub(crate) const SEARCH: &str = "search_skills";

/// The tool that says that a skill is no longer needed.
const UNLOAD: &str = "unload_skill";

/// The tool that runs scripts, which sessions of a server never offer.
const RUN: &str = "run_skill_script";

/// What a client's model may do. A client may hold many conversations over one connection, and does
/// not say which one a call belongs to, so nothing is remembered from call to call: whoever loads a skill
/// gets it whole.
pub(crate) fn session(registry: &Registry) -> Session {
    session_with(registry, None)
}

fn session_with(registry: &Registry, matcher: Option<Arc<dyn Matcher>>) -> Session {
    let activation = ActivationOptions {
        // A directory of this machine is of no use elsewhere, and nobody's business (security P08).
        directory: false,
        ..ActivationOptions::default()
    };
    let options = SessionOptions { activation, matcher, ..SessionOptions::default() };
    Session::new(registry.clone(), options)
}

/// The definitions, as MCP has them.
pub(crate) fn list(store: &Store) -> Vec<Json> {
    let Json::Array(mut tools) = session(&store.registry).tools().to_mcp() else {
        return Vec::new();
    };
    for tool in &mut tools {
        // Nothing is remembered from call to call, so none of them changes anything here: hosts that ask
        // before a tool changes something need not ask.
        tool["annotations"]["readOnlyHint"] = true.into();
        tool["annotations"]["idempotentHint"] = true.into();
    }
    tools
}

/// Does what a call asks for. A call that fails is a reply too; only a tool that is not there is a fault.
pub(crate) fn call(store: &Store, tool: &str, arguments: Json) -> Result<ToolReply, Fault> {
    let earlier = if tool == SEARCH { store.index.get(&store.registry) } else { None };
    let matcher = earlier.map(|index| index as Arc<dyn Matcher>);
    let session = session_with(&store.registry, matcher);
    // Nothing is run here, and without a skill there is nothing to offer.
    let is_offered =
        session.handles(tool) && tool != RUN && !store.served().addresses.all.is_empty();
    if !is_offered {
        let message = format!("there is no tool `{}`", short(tool));
        return Err(Fault::Invalid { message, data: Some(json!({ "name": short(tool) })) });
    }
    if tool == UNLOAD
        && let Some(name) = arguments["name"].as_str()
    {
        // The conversation loaded it, with a call that is forgotten.
        let _ = block_on(session.activate(name));
    }
    let name = ["name", "skill"].iter().find_map(|key| arguments[*key].as_str());
    let entry = name.and_then(|name| store.registry.get(name));
    let reply = block_on(session.call(tool, arguments));
    Ok(match entry {
        Some(entry) if reply.is_error => without_places(reply, &entry),
        _ => reply,
    })
}

/// The reply, unless it names the place where a skill stands: then one that says no more than that the
/// skill cannot be read.
fn without_places(mut reply: ToolReply, entry: &CatalogEntry) -> ToolReply {
    let directory = entry.listed.directory().map(|path| path.to_string_lossy());
    let places = [Some(entry.source()), Some(entry.location()), directory.as_deref()];
    let mut places = places.into_iter().flatten().filter(|place| place.contains(['/', '\\']));
    if places.any(|place| reply.content.contains(place)) {
        reply.content = format!("the skill `{}` cannot be read at the moment", short(&entry.id));
    }
    reply
}
