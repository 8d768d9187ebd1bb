//! Turns the skills of a project into skills that may reach a model, as long as they stay what they are.

use crate::catalog;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::install_args::Trust as Args;
use crate::installing::Surroundings;
use crate::ui::{Ui, count};
use metier::install::{Judgement, Level, State, TrustRecord};
use metier::{Scope, Trust};
use serde_json::{Value, json};

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Failure> {
    let base = input::working_directory()?;
    let Some(file) = catalog::trust_file() else {
        return Err(Failure::fault("the home is not known", "set HOME or XDG_CONFIG_HOME"));
    };
    let scopes = catalog::scopes(&base);
    let level = if args.user { Level::User } else { Level::Project };
    let of_level = |scope: &Scope| match scope.trust {
        Trust::Untrusted => level == Level::Project,
        _ => level == Level::User && scope.root.is_some(),
    };
    let folders: Vec<_> = scopes.into_iter().filter(of_level).collect();
    let mut rows = Vec::new();
    for scope in &folders {
        let folder = &scope.path;
        let (state, skills) = if args.list {
            match TrustRecord::read(&file)?.judge(folder)? {
                Judgement::Trusted => ("trusted", Vec::new()),
                Judgement::Changed(skills) => ("changed", skills),
                _ => ("unknown", Vec::new()),
            }
        } else if args.revoke {
            let was = TrustRecord::change(&file, |record| record.revoke(folder))?;
            (if was { "revoked" } else { "unknown" }, Vec::new())
        } else {
            ("trusted", TrustRecord::change(&file, |record| record.trust(folder))?)
        };
        rows.push((folder, state, skills));
    }
    if args.json {
        let all = rows.iter().map(
            |(folder, state, skills)| json!({ "folder": folder, "state": state, "skills": skills }),
        );
        ui.data(&format!("{:#}\n", Value::Array(all.collect())))?;
    } else {
        for (folder, state, skills) in &rows {
            let names =
                if skills.is_empty() { String::new() } else { format!(": {}", skills.join(", ")) };
            let line = format!("{state} {}{names}", folder.display());
            ui.data(&format!("{}\n", metier::visible(&line)))?;
        }
        ui.say(&count(rows.len(), "folder"));
    }
    if !args.list && !args.revoke {
        say_changed(level, ui);
    }
    let changed = rows.iter().any(|(_, state, _)| *state == "changed");
    Ok(if changed { Exit::Findings } else { Exit::Ok })
}

/// Says what is trusted now although it is not what was installed: whoever did not mean that looks again.
fn say_changed(level: Level, ui: &mut Ui) {
    // A lock that cannot be read is told by those who need it.
    let installed = Surroundings::read().and_then(|surroundings| surroundings.status(level));
    for status in installed.unwrap_or_default() {
        if let State::Changed(changed) = &status.state {
            let name = status.locked.name.as_str();
            ui.note(&format!("`{name}` is trusted with changes since install: {changed}"));
        }
    }
}
