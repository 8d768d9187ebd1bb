//! Turns the skills of roots into a saved index, and a saved index into its size or what is wrong with it.

use crate::catalog;
use crate::exit::{Exit, Failure};
use crate::index_args::{Index, IndexAction};
use crate::saved_folders;
use crate::saved_index::{self, SavedIndex};
use crate::ui::{Ui, count};
use metier::{SkillIndex, visible};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) fn run(args: &Index, ui: &mut Ui) -> Result<Exit, Failure> {
    let file = saved_index::file_of(&args.roots)?;
    match args.action {
        IndexAction::Build => build(args, &file, ui),
        IndexAction::Show => show(args, &file, ui),
        IndexAction::Verify => verify(args, &file, ui),
    }
}

fn build(args: &Index, file: &Path, ui: &mut Ui) -> Result<Exit, Failure> {
    let folders = saved_folders::without_skills(&catalog::folders(&args.roots)?);
    let registry = catalog::open_roots(&args.roots)?;
    // One that cannot be used is made anew.
    if let Ok(Some(saved)) = saved_index::load(file) {
        registry.start_from_index(saved.index);
    }
    saved_index::save(&registry, folders.as_deref(), file)?;
    ui.problems(&registry.problems());
    tell(args, file, &registry.index(), ui)?;
    Ok(Exit::Ok)
}

fn show(args: &Index, file: &Path, ui: &mut Ui) -> Result<Exit, Failure> {
    let saved = expect_saved(file)?;
    tell(args, file, &saved.index, ui)?;
    Ok(Exit::Ok)
}

fn tell(args: &Index, file: &Path, index: &SkillIndex, ui: &mut Ui) -> Result<(), Failure> {
    let size = index.size();
    if args.json {
        let (path, bytes) = (file.to_string_lossy(), index.to_bytes().len());
        let json = json!({
            "path": path,
            "skills": size.skills,
            "words": size.words,
            "bytes": bytes,
            "memory": size.bytes,
        });
        return ui.data(&format!("{json:#}\n"));
    }
    ui.data(&format!("{}\n", visible(&file.to_string_lossy())))?;
    let each = size.bytes / size.skills.max(1);
    let skills = count(size.skills, "skill");
    ui.say(&format!(
        "{skills}, {} words, {} bytes in memory ({each} a skill)",
        size.words, size.bytes
    ));
    Ok(())
}

fn verify(args: &Index, file: &Path, ui: &mut Ui) -> Result<Exit, Failure> {
    let saved = expect_saved(file)?;
    let registry = catalog::open_roots(&args.roots)?;
    let index = registry.index();
    let (then, now): (BTreeMap<_, _>, BTreeMap<_, _>) =
        (saved.index.stamps().collect(), index.stamps().collect());
    let added: Vec<&str> = now.keys().filter(|id| !then.contains_key(*id)).copied().collect();
    let removed: Vec<&str> = then.keys().filter(|id| !now.contains_key(*id)).copied().collect();
    let is_changed = |(id, stamp): &(&&str, &u64)| then.get(**id).is_some_and(|old| old != *stamp);
    let changed: Vec<&str> = now.iter().filter(is_changed).map(|(id, _)| *id).collect();
    let is_current = added.is_empty() && removed.is_empty() && changed.is_empty();
    if args.json {
        let json =
            json!({ "ok": is_current, "added": added, "changed": changed, "removed": removed });
        ui.data(&format!("{json:#}\n"))?;
    } else if is_current {
        ui.say(&format!("the index holds what {} say", count(now.len(), "skill")));
    } else {
        for (word, ids) in [("added", &added), ("changed", &changed), ("removed", &removed)] {
            for id in ids {
                ui.data(&format!("{word} {}\n", visible(id)))?;
            }
        }
        ui.note("the index is out of date; `metier index` brings it up to date");
    }
    Ok(if is_current { Exit::Ok } else { Exit::Findings })
}

fn expect_saved(file: &Path) -> Result<SavedIndex, Failure> {
    let help = "`metier index` makes it";
    match saved_index::load(file) {
        Ok(Some(saved)) => Ok(saved),
        Ok(None) => Err(Failure::fault("there is no saved index of these roots", help)),
        Err(error) => Err(Failure::fault(error.to_string(), help)),
    }
}
