//! Turns skills that people call by name into prompts.

use crate::fault::{Fault, short};
use crate::options::ServeOptions;
use crate::page::page;
use crate::store::Store;
use crate::tools;
use metier::{CatalogEntry, Trust, block_on, strip_hidden};
use std::borrow::Cow;

/// The one argument of every prompt.
pub(crate) const ARGUMENT: &str = "arguments";

/// A prompt in a list.
#[derive(Debug)]
pub(crate) struct ListedPrompt {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) hint: String,
}

/// Whether people may call a skill by its name, also one that models may not choose.
fn is_prompt(entry: &CatalogEntry) -> bool {
    entry.trust() == Trust::Trusted && entry.manifest().user_invocable() != Some(false)
}

/// One page of the skills that people may call.
pub(crate) fn list(
    store: &Store,
    options: &ServeOptions,
    cursor: Option<&str>,
) -> Result<(Vec<ListedPrompt>, Option<String>), Fault> {
    let catalog = store.registry.catalog();
    // The catalog is in the order of names as they are compared, pages are in that of ids.
    let mut entries: Vec<_> =
        catalog.iter().filter(|entry| is_prompt(entry)).take(options.list_cap).collect();
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    let page = page(&entries, |entry| &entry.id, cursor, options.page_size)?;
    let prompts = page.items.iter().map(|entry| ListedPrompt {
        name: entry.id.to_string(),
        description: strip_hidden(entry.description()).into_owned(),
        hint: entry
            .manifest()
            .argument_hint()
            .map_or(Cow::Borrowed("what the skill should work on"), |hint| {
                strip_hidden(&hint).into_owned().into()
            })
            .into_owned(),
    });
    Ok((prompts.collect(), page.next))
}

/// The description and the text of a prompt.
pub(crate) fn get(
    store: &Store,
    name: &str,
    arguments: Option<&str>,
) -> Result<(String, String), Fault> {
    let unknown = || Fault::invalid(format!("there is no prompt `{}`", short(name)));
    let entry = store.registry.get(name).filter(is_prompt).ok_or_else(unknown)?;
    let activated = block_on(tools::session(&store.registry).invoke(&entry.id, arguments));
    match activated {
        Ok(activated) => Ok((strip_hidden(entry.description()).into_owned(), activated.text)),
        Err(_) => Err(Fault::Unavailable(format!("the skill `{}` does not load", short(name)))),
    }
}
