//! Turns installed skills into what their sources have now, after showing what changes.

use crate::exit::{Exit, Failure};
use crate::install_args::{Outdated, Update as Args};
use crate::installing::{Surroundings, installed_names, options, say_untrusted};
use crate::ui::{STRONG, Ui, count};
use metier::install::{History, OlderVersion, Outcome, Update};
use metier::{Finding, ResourcePath, Severity, visible};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{IsTerminal as _, stdin};

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Failure> {
    let surroundings = Surroundings::read()?.reaching(&args.fetching);
    let names = installed_names(&surroundings, &args.place, &args.names)?;
    let location = surroundings.location(args.place.level())?;
    let mut options = options(&args.fetching);
    if args.allow_older {
        options.older = OlderVersion::Allow;
    }
    let updates = surroundings.with(location.clone(), options.clone(), |it| it.updates(&names))?;
    let new = updates.iter().filter(|update| update.outcome.is_possible()).count();
    if !args.dry_run && new > 0 && !args.yes {
        // A new version may do anything, so a person sees what changes first (security L11).
        ui.say(text(&updates).trim_end());
        if !agreed(new, ui) {
            if args.place.json {
                answer(&updates, true, ui)?;
            }
            return Ok(Exit::Findings);
        }
    }
    let updates = if args.dry_run || new == 0 {
        updates
    } else {
        surroundings.with(location, options, |installer| installer.apply(updates))?
    };
    answer(&updates, args.place.json, ui)?;
    if !args.place.json && !args.dry_run && new > 0 {
        say_untrusted(&surroundings.location(args.place.level())?, ui);
    }
    Ok(updates.iter().map(exit).max().unwrap_or(Exit::Ok))
}

/// How an update alone would have ended.
fn exit(update: &Update) -> Exit {
    match update.outcome {
        Outcome::Current | Outcome::Clean | Outcome::Merged(_) => Exit::Ok,
        Outcome::Unavailable(_) => Exit::Fault,
        _ => Exit::Findings,
    }
}

/// `metier outdated`.
pub(crate) fn outdated(args: &Outdated, ui: &mut Ui) -> Result<Exit, Failure> {
    let surroundings = Surroundings::read()?.reaching(&args.fetching);
    let location = surroundings.location(args.place.level())?;
    let mut updates = surroundings.with(location, options(&args.fetching), |it| it.updates(&[]))?;
    updates.retain(|update| update.outcome != Outcome::Current);
    answer(&updates, args.place.json, ui)?;
    if updates.is_empty() && !args.place.json {
        ui.say("nothing new");
    }
    let all = updates.iter().map(|update| exit(update).max(Exit::Findings));
    Ok(all.max().unwrap_or(Exit::Ok))
}

fn agreed(new: usize, ui: &mut Ui) -> bool {
    if !stdin().is_terminal() || !Ui::is_watched() {
        ui.note("nothing is changed without a person to ask; `--yes` says yes");
        return false;
    }
    ui.say(&format!("take {}? [y/N]", count(new, "update")));
    let mut line = String::new();
    stdin().read_line(&mut line).is_ok() && matches!(line.trim(), "y" | "Y" | "yes")
}

fn answer(updates: &[Update], json: bool, ui: &mut Ui) -> Result<(), Failure> {
    if json {
        let all = updates.iter().map(as_json).collect();
        return ui.data(&format!("{:#}\n", Value::Array(all)));
    }
    ui.data(&text(updates))
}

fn paths(paths: &[ResourcePath]) -> Vec<&str> {
    paths.iter().map(ResourcePath::as_str).collect()
}

fn as_json(update: &Update) -> Value {
    let (kept, conflicts) = match &update.outcome {
        Outcome::Merged(kept) => (paths(kept), Vec::new()),
        Outcome::Conflict(conflicts) => (Vec::new(), paths(conflicts)),
        _ => (Vec::new(), Vec::new()),
    };
    let new = update.new.as_ref();
    let findings = new.map(|new| new.report.iter().map(ToString::to_string).collect::<Vec<_>>());
    let reason = match &update.outcome {
        Outcome::Odd(reason) | Outcome::Unavailable(reason) => Some(reason.clone()),
        Outcome::Refused(reasons) => Some(reasons.join("; ")),
        _ => None,
    };
    json!({
        "name": update.locked.name.as_str(),
        "outcome": update.outcome.as_str(),
        "source": update.locked.source.source(),
        "from": update.locked.source.version(),
        "to": new.and_then(|new| new.fetched.origin.version()),
        "history": update.history.as_str(),
        "changes": update.changes,
        "runs": paths(&update.runs),
        "kept": kept,
        "conflicts": conflicts,
        "findings": findings.unwrap_or_default(),
        "brings": brings(update),
        "notices": new.map(|new| new.fetched.notices.clone()).unwrap_or_default(),
        "reason": reason,
    })
}

fn text(updates: &[Update]) -> String {
    let mut text = String::new();
    for update in updates {
        let name = update.locked.name.as_str();
        let from = update.locked.source.version();
        let to = update.new.as_ref().and_then(|new| new.fetched.origin.version());
        let versions = match (from, to) {
            (Some(from), Some(to)) => format!(" {from} -> {to}"),
            _ => String::new(),
        };
        let outcome = match &update.outcome {
            Outcome::Current => "nothing new".to_owned(),
            Outcome::Clean => "new version".to_owned(),
            Outcome::Merged(kept) => {
                format!("new version; your changes stay in {}", paths(kept).join(", "))
            }
            Outcome::Conflict(both) => {
                format!("conflict: both sides changed {}", paths(both).join(", "))
            }
            Outcome::Odd(reason) => format!("left alone: {}", visible(reason)),
            Outcome::Older => {
                "left alone: the source has gone back to something older; `--allow-older` takes it"
                    .to_owned()
            }
            Outcome::Refused(reasons) => {
                let reasons = visible(&reasons.join("; ")).into_owned();
                format!("refused: {reasons}")
            }
            Outcome::Unavailable(reason) => format!("cannot be asked for: {}", visible(reason)),
            _ => update.outcome.as_str().to_owned(),
        };
        let _ = writeln!(text, "{STRONG}{name}{STRONG:#}{versions}: {outcome}");
        match update.history {
            History::Older => text.push_str("  older than what is locked\n"),
            History::Rewritten => {
                text.push_str("  the history was rewritten: what is locked does not lead here\n");
            }
            _ => {}
        }
        for notice in update.new.iter().flat_map(|new| &new.fetched.notices) {
            let _ = writeln!(text, "  {}", visible(notice));
        }
        for (word, path) in update.changes.iter() {
            let _ = writeln!(text, "  {word} {path}");
        }
        if !update.runs.is_empty() {
            let _ = writeln!(text, "  can be run: {}", paths(&update.runs).join(", "));
        }
        for line in brings(update) {
            let _ = writeln!(text, "  new: {}", visible(&line));
        }
    }
    text
}

/// What is found in the new version, and was not found in the one that is here.
fn brings(update: &Update) -> Vec<String> {
    let findings = update.brings.iter().filter(|finding| finding.severity >= Severity::Warning);
    let told = |finding: &Finding| match &finding.file {
        Some(file) => format!("{finding} (in {file})"),
        None => finding.to_string(),
    };
    findings.map(told).chain(update.concerns.iter().map(ToString::to_string)).collect()
}
