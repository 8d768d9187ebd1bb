//! Turns the skills that would be served into the files of a web site, for tools that look for an index.

use crate::catalog;
use crate::exit::{Exit, Failure};
use crate::serve_args::Export;
use crate::ui::{Ui, count};
use metier::{visible, write_atomically};
use metier_mcp::{Journal, Level, ServeOptions, Server};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Where the index stands below a site.
const PLACE: &str = ".well-known/agent-skills";

pub(crate) fn run(args: &Export, ui: &mut Ui) -> Result<Exit, Failure> {
    let registry = catalog::open(&args.sources)?;
    ui.problems(&registry.problems());
    let (journal, notes) = notes();
    // A site has no pages: everything is listed.
    let options = ServeOptions { journal, list_cap: usize::MAX, ..ServeOptions::default() };
    let index = Server::new(registry, options).web_index();
    let folder = args.folder.join(PLACE);
    let mut skills = 0;
    // The index comes last, so that it never names what is not there.
    let (last, files): (Vec<_>, Vec<_>) = index.paths().partition(|path| *path == "index.json");
    for path in files.into_iter().chain(last) {
        let bytes = index.read(path).ok_or_else(|| {
            let message = format!("`{}` changed while it was exported", visible(path));
            Failure::fault(message, "export again")
        })?;
        let file = folder.join(path);
        make_folders(&file)?;
        write_atomically(&file, &bytes)?;
        skills += usize::from(path.ends_with("/SKILL.md") && path.matches('/').count() == 1);
    }
    for note in notes.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        ui.note(note);
    }
    let place = folder.join("index.json");
    ui.say(&format!("{} in `{}`", count(skills, "skill"), visible(&place.to_string_lossy())));
    Ok(Exit::Ok)
}

/// A journal that keeps what was left out, in words.
fn notes() -> (Journal, Arc<Mutex<Vec<String>>>) {
    let notes: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = notes.clone();
    let journal = Journal::new(move |record| {
        let field =
            |name| record.fields.iter().find(|(key, _)| *key == name).map(|(_, value)| value);
        if let (Level::Warn, Some(skill), Some(reason)) =
            (record.level, field("skill"), field("reason"))
        {
            let note = format!("`{}` is left out: {}", visible(skill), visible(reason));
            kept.lock().unwrap_or_else(PoisonError::into_inner).push(note);
        }
    });
    (journal, notes)
}

#[expect(clippy::disallowed_methods, reason = "the command makes the folders it was asked to fill")]
fn make_folders(file: &Path) -> Result<(), Failure> {
    let Some(folder) = file.parent() else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|error| {
        let message = format!("`{}` cannot be made: {error}", visible(&folder.to_string_lossy()));
        Failure::fault(message, "choose another folder")
    })
}
