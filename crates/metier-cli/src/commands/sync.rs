//! Turns the lock into what stands on the disk, and the lock of another installer into ours.

use crate::exit::{Exit, Failure};
use crate::install_args::Sync;
use crate::installing::{Surroundings, options, say_untrusted};
use crate::ui::{Ui, count};
use metier::SkillName;
use metier::install::{SyncMode, Synced, TakenOver};
use serde_json::{Value, json};

pub(crate) fn run(args: &Sync, ui: &mut Ui) -> Result<Exit, Failure> {
    let surroundings = Surroundings::read()?.reaching(&args.fetching);
    let location = surroundings.location(args.place.level())?;
    let mode = if args.frozen { SyncMode::Frozen } else { SyncMode::Follow };
    let options = options(&args.fetching);
    let (taken, synced) = surroundings.with(location, options, |installer| {
        let taken = match mode {
            SyncMode::Follow => installer.take_over()?,
            _ => None,
        };
        Ok((taken, installer.sync(mode)?))
    })?;
    if let Some(taken) = &taken {
        say_taken_over(taken, ui);
    }
    if args.place.json {
        ui.data(&format!("{:#}\n", as_json(&synced)))?;
    } else {
        show(&synced, ui)?;
        if !synced.installed.is_empty() {
            say_untrusted(&surroundings.location(args.place.level())?, ui);
        }
    }
    Ok(if synced.kept.is_empty() { Exit::Ok } else { Exit::Findings })
}

/// Says what was taken over from another installer.
fn say_taken_over(taken: &TakenOver, ui: &mut Ui) {
    let (path, migrated) = (taken.path.display(), &taken.migrated);
    let skills = count(migrated.requests.entries().len(), "skill");
    ui.note(&format!("took over {skills} from `{path}` into `skills.toml`"));
    for (name, reason) in &migrated.skipped {
        ui.note(&format!("`{name}` was not taken over: {reason}"));
    }
}

fn names(skills: &[SkillName]) -> Vec<&str> {
    skills.iter().map(SkillName::as_str).collect()
}

fn as_json(synced: &Synced) -> Value {
    let kept: Vec<Value> = synced
        .kept
        .iter()
        .map(|(name, reason)| json!({ "name": name.as_str(), "reason": reason }))
        .collect();
    json!({
        "installed": names(&synced.installed),
        "unchanged": names(&synced.unchanged),
        "locked": names(&synced.locked),
        "pruned": names(&synced.pruned),
        "kept": kept,
    })
}

fn show(synced: &Synced, ui: &mut Ui) -> Result<(), Failure> {
    for (word, skills) in
        [("locked", &synced.locked), ("installed", &synced.installed), ("removed", &synced.pruned)]
    {
        for name in names(skills) {
            ui.data(&format!("{word} {name}\n"))?;
        }
    }
    for (name, reason) in &synced.kept {
        ui.note(&format!("`{}` was left alone: {reason}", name.as_str()));
    }
    if !synced.kept.is_empty() {
        ui.help("`metier sync --force` restores what is locked, `metier trust` keeps your changes");
    }
    let all = synced.installed.len() + synced.unchanged.len();
    ui.say(&format!("{} as locked", count(all, "skill")));
    Ok(())
}
