//! Turns the skills that would be served into the files of a web site, for tools that look for an index.

mod site;

use crate::catalog;
use crate::commands::tools::note_untrusted;
use crate::exit::{Exit, Failure};
use crate::serve_args::Export;
use crate::ui::{Ui, count};
use metier::visible;
use metier_mcp::{Journal, Level, ServeOptions, Server};
use serde_json::{Value, json};
use site::{Outcome, Site};
use std::sync::{Arc, Mutex, PoisonError};

/// Where the index stands below a site.
const PLACE: &str = ".well-known/agent-skills";

pub(crate) fn run(args: &Export, ui: &mut Ui) -> Result<Exit, Failure> {
    let registry = catalog::open(&args.sources)?;
    ui.problems(&registry.problems());
    note_untrusted(&registry, ui);
    let (journal, left_out) = left_out();
    // A site has no pages: everything is listed.
    let options = ServeOptions { journal, list_cap: usize::MAX, ..ServeOptions::default() };
    let index = Server::new(registry, options).web_index();
    let folder = args.folder.join(PLACE);
    let outcome = Site::open(folder.clone(), &index)?.write()?;
    let is_skill = |path: &&str| path.ends_with("/SKILL.md") && path.matches('/').count() == 1;
    let skills = index.paths().filter(is_skill).count();
    let left_out = left_out.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let place = folder.join("index.json").to_string_lossy().into_owned();
    if args.json {
        let skipped = left_out.iter().map(|(skill, why)| json!({ "skill": skill, "reason": why }));
        let answer = json!({
            "index": place,
            "skills": skills,
            "written": outcome.written,
            "unchanged": outcome.unchanged,
            "removed": outcome.removed,
            "kept": outcome.kept,
            "left_out": skipped.collect::<Vec<Value>>(),
        });
        ui.data(&format!("{answer:#}\n"))?;
    }
    for (skill, why) in &left_out {
        ui.note(&format!("`{skill}` is left out: {why}"));
    }
    for path in &outcome.kept {
        ui.note(&format!("`{path}` is no longer needed, and stays because somebody changed it"));
    }
    if !args.json {
        ui.say(&format!("{} in `{}`: {}", count(skills, "skill"), visible(&place), said(&outcome)));
    }
    Ok(Exit::Ok)
}

fn said(outcome: &Outcome) -> String {
    let (written, removed) = (outcome.written.len(), outcome.removed.len());
    format!(
        "{} written, {} unchanged, {removed} removed",
        count(written, "file"),
        outcome.unchanged
    )
}

/// What was left out: the skill and why.
type LeftOut = Arc<Mutex<Vec<(String, String)>>>;

/// A journal that keeps what was left out.
fn left_out() -> (Journal, LeftOut) {
    let left_out = LeftOut::default();
    let kept = left_out.clone();
    let journal = Journal::new(move |record| {
        let field =
            |name| record.fields.iter().find(|(key, _)| *key == name).map(|(_, value)| value);
        if let (Level::Warn, Some(skill), Some(reason)) =
            (record.level, field("skill"), field("reason"))
        {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push((skill.clone(), reason.clone()));
        }
    });
    (journal, left_out)
}
