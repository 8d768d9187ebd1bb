//! Turns locks and disks into what is installed, where it is from and whether it is still the same.

use crate::exit::{Exit, Failure};
use crate::install_args::{Installed, Verify, Why};
use crate::installing::{Surroundings, installed_names};
use crate::ui::{STRONG, Ui, count};
use metier::install::{InstallOptions, Level, State, Status};
use metier::{ResourcePath, visible};
use serde_json::{Value, json};

/// `metier installed`: the project's before the user's.
pub(crate) fn run(args: &Installed, ui: &mut Ui) -> Result<Exit, Failure> {
    let surroundings = Surroundings::read()?;
    let mut all = Vec::new();
    for level in [Level::Project, Level::User] {
        // Without a home there is no user to ask.
        if surroundings.location(level).is_ok() {
            all.extend(surroundings.status(level)?);
        }
    }
    if args.json {
        let rows = all.iter().map(|status| {
            json!({
                "org": status.org(),
                "name": status.locked.name.as_str(),
                "location": status.level.as_str(),
                "path": status.folder,
                "source": status.locked.source.source(),
                "version": status.locked.source.version(),
                "digest": status.locked.digest.to_string(),
                "state": status.state.as_str(),
            })
        });
        ui.data(&format!("{:#}\n", Value::Array(rows.collect())))?;
        return Ok(Exit::Ok);
    }
    for status in &all {
        let name = status.locked.name.as_str();
        let origin = status.locked.source.to_string();
        let state = match &status.state {
            State::Sound => String::new(),
            state => format!(" ({})", state.as_str()),
        };
        let level = status.level.as_str();
        ui.data(&format!("{STRONG}{name}{STRONG:#}  {level}  {}{state}\n", visible(&origin)))?;
    }
    ui.say(&count(all.len(), "skill"));
    Ok(Exit::Ok)
}

/// `metier verify`: hashes everything again.
pub(crate) fn verify(args: &Verify, ui: &mut Ui) -> Result<Exit, Failure> {
    let surroundings = Surroundings::read()?;
    let all = surroundings.status(args.place.level())?;
    let wrong = all.iter().filter(|status| status.state != State::Sound).count();
    if args.place.json {
        let rows = all.iter().map(verified).collect();
        ui.data(&format!("{:#}\n", Value::Array(rows)))?;
    } else {
        for status in all.iter().filter(|status| status.state != State::Sound) {
            let name = status.locked.name.as_str();
            let State::Changed(changed) = &status.state else {
                let state = status.state.to_string();
                ui.data(&format!("{STRONG}{name}{STRONG:#}: {}\n", visible(&state)))?;
                continue;
            };
            ui.data(&format!("{STRONG}{name}{STRONG:#}: changed since install\n"))?;
            for (word, path) in changed.iter() {
                ui.data(&format!("  {word} {path}\n"))?;
            }
        }
        if wrong > 0 {
            ui.help(
                "`metier sync --force` restores what is locked, `metier trust` keeps your changes",
            );
        }
        let sound = count(all.len() - wrong, "skill");
        ui.say(&match wrong {
            0 => format!("{sound} as locked"),
            wrong => format!("{sound} as locked, {wrong} not"),
        });
    }
    Ok(if wrong == 0 { Exit::Ok } else { Exit::Findings })
}

fn verified(status: &Status) -> Value {
    let changed = match &status.state {
        State::Changed(changed) => changed.clone(),
        _ => metier::install::Differences::default(),
    };
    json!({
        "name": status.locked.name.as_str(),
        "state": status.state.as_str(),
        "message": status.state.to_string(),
        "path": status.folder,
        "modified": changed.modified,
        "added": changed.added,
        "removed": changed.removed,
        "mode": changed.mode,
    })
}

/// `metier why`: where a skill is from, and who asks for it.
pub(crate) fn why(args: &Why, ui: &mut Ui) -> Result<Exit, Failure> {
    let surroundings = Surroundings::read()?;
    let name = installed_names(&surroundings, &args.place, std::slice::from_ref(&args.name))?;
    let location = surroundings.location(args.place.level())?;
    let (requests_file, lock_file) = (location.requests_file(), location.lock_file());
    let (all, requests) = surroundings.with(location, InstallOptions::default(), |installer| {
        Ok((installer.status()?, installer.requests()?))
    })?;
    let found = all.into_iter().find(|status| name.contains(&status.locked.name));
    let Some(status) = found else {
        return Err(Failure::fault(
            format!("`{}` is asked for and not installed", visible(&args.name)),
            "`metier sync` installs it",
        ));
    };
    let locked = &status.locked;
    let asked = requests.as_ref().is_some_and(|requests| requests.get(&locked.name).is_some());
    let asks = if asked { &requests_file } else { &lock_file };
    if args.place.json {
        let into = locked.into.as_ref().map(ResourcePath::as_str);
        let answer = json!({
            "name": locked.name.as_str(),
            "asked_by": asks,
            "requested": locked.requested,
            "source": locked.source,
            "digest": locked.digest.to_string(),
            "into": into,
            "links": locked.links,
            "path": status.folder,
            "state": status.state.as_str(),
        });
        ui.data(&format!("{answer:#}\n"))?;
        return Ok(Exit::Ok);
    }
    let agents: Vec<&str> = locked.links.keys().map(String::as_str).collect();
    let mut lines = vec![
        format!("asked for by  {}", asks.display()),
        format!("as            {}", locked.requested),
        format!("from          {}", locked.source),
        format!("digest        {}", locked.digest),
        format!("files         {}", locked.files.len()),
        format!("stands in     {}", status.folder.display()),
    ];
    if !agents.is_empty() {
        lines.push(format!("shown to      {}", agents.join(", ")));
    }
    lines.push(format!("state         {}", status.state));
    ui.data(&format!("{STRONG}{}{STRONG:#}\n", locked.name.as_str()))?;
    for line in lines {
        ui.data(&format!("  {}\n", visible(&line)))?;
    }
    Ok(Exit::Ok)
}
