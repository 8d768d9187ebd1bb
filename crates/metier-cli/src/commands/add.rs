//! Turns sources into installed skills, or into what would be installed.

use crate::exit::{Exit, Failure};
use crate::install_args::Add;
use crate::installing::{Surroundings, options, say_untrusted};
use crate::ui::{STRONG, Ui, count};
use metier::install::{Change, Placement, Plan, PlannedFetch, Reference, Selection, Wrapper};
use metier::{ResourcePath, Severity, visible};
use serde_json::{Value, json};
use std::path::{Component, Path, PathBuf};

pub(crate) fn run(args: &Add, ui: &mut Ui) -> Result<Exit, Failure> {
    let surroundings = Surroundings::read()?.reaching(&args.fetching);
    let location = surroundings.location(args.place.level())?;
    let root = location.root().to_owned();
    let mut plan = Plan::default();
    for source in &args.sources {
        plan.fetches.push(planned(args, source, &surroundings, &root)?);
    }
    let mut options = options(&args.fetching);
    if args.wrapped {
        options.wrapper = Wrapper::Strip;
    }
    let placements = surroundings.with(location, options, |installer| {
        if args.dry_run { installer.preview(&plan) } else { installer.add(&plan) }
    })?;
    if args.place.json {
        let all = placements.iter().map(as_json).collect();
        ui.data(&format!("{:#}\n", Value::Array(all)))?;
        return Ok(Exit::Ok);
    }
    for placement in &placements {
        show(placement, args.dry_run, &root, ui)?;
    }
    if !args.dry_run {
        say_untrusted(&surroundings.location(args.place.level())?, ui);
    }
    Ok(Exit::Ok)
}

fn planned(
    args: &Add,
    source: &str,
    surroundings: &Surroundings,
    root: &Path,
) -> Result<PlannedFetch, Failure> {
    let spelt = from_root(source, &surroundings.working_directory, root);
    let reference: Reference =
        spelt.parse().map_err(|error: metier::install::InvalidReference| {
            Failure::usage(error.to_string(), error.help())
        })?;
    let mut fetch = PlannedFetch::new(reference);
    if args.all {
        fetch.select = Selection::All;
    }
    if let Some(name) = &args.skill {
        let name = name.parse().map_err(|error: metier::InvalidName| {
            Failure::usage(error.to_string(), "a name has lower-case letters, digits and hyphens")
        })?;
        fetch.select = Selection::Named(name);
    }
    if let Some(into) = &args.into {
        fetch.into = Some(inside(&surroundings.working_directory.join(into), root)?);
    }
    fetch.links.clone_from(&args.link);
    Ok(fetch)
}

/// A relative path as it is written from the root, where the lock is.
fn from_root(source: &str, working_directory: &Path, root: &Path) -> String {
    let relative =
        source.starts_with("./") || source.starts_with("../") || matches!(source, "." | "..");
    if !relative || working_directory == root {
        return source.to_owned();
    }
    let path = plain(&working_directory.join(source));
    let common = root.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let up = root.components().skip(common).map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(path.components().skip(common)).collect();
    let way = way.to_string_lossy().replace('\\', "/");
    if way.starts_with("..") { way } else { format!("./{way}") }
}

/// A folder as a path inside the project.
fn inside(folder: &Path, root: &Path) -> Result<ResourcePath, Failure> {
    let folder = plain(folder);
    let below = folder.strip_prefix(root).ok().and_then(Path::to_str);
    let below = below.and_then(|path| path.replace('\\', "/").parse().ok());
    below.ok_or_else(|| {
        Failure::usage(
            format!("`{}` is not inside the project `{}`", folder.display(), root.display()),
            "a lock speaks of its own project; run metier in the other one",
        )
    })
}

/// The path without `.` and `..`, by its spelling alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

fn word(change: &Change) -> &'static str {
    match change {
        Change::New => "new",
        Change::Same => "same",
        _ => "replace",
    }
}

fn as_json(placement: &Placement) -> Value {
    let skill = &placement.skill;
    let findings: Vec<String> = skill.report.iter().map(ToString::to_string).collect();
    json!({
        "name": skill.name.as_str(),
        "change": word(&placement.change),
        "requested": skill.fetched.requested.to_string(),
        "source": skill.fetched.origin.source(),
        "version": skill.fetched.origin.version(),
        "digest": skill.fetched.tree.digest().to_string(),
        "folder": placement.folder,
        "files": skill.fetched.tree.files().len(),
        "findings": findings,
        "concerns": skill.concerns.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "notices": skill.fetched.notices,
    })
}

fn show(placement: &Placement, dry_run: bool, root: &Path, ui: &mut Ui) -> Result<(), Failure> {
    let skill = &placement.skill;
    for notice in &skill.fetched.notices {
        ui.note(notice);
    }
    for concern in &skill.concerns {
        ui.note(&format!("{}: {concern}", skill.name.as_str()));
    }
    let warnings =
        skill.report.iter().filter(|finding| finding.severity >= Severity::Warning).count();
    if warnings > 0 {
        let folder = placement.folder.strip_prefix(root).unwrap_or(&placement.folder);
        let findings = count(warnings, "finding");
        ui.note(&format!(
            "{findings} in `{}`; `metier check {}` shows them",
            skill.name.as_str(),
            folder.display()
        ));
    }
    if dry_run {
        return ui.data(&format!("would {placement}\n"));
    }
    let done = match &placement.change {
        Change::New => "installed",
        Change::Same => "unchanged",
        _ => "replaced",
    };
    let name = skill.name.as_str();
    let origin = skill.fetched.origin.to_string();
    ui.data(&format!("{done} {STRONG}{name}{STRONG:#} from {}\n", visible(&origin)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_source_is_written_from_the_root() {
        let from =
            |source: &str, folder: &str| from_root(source, Path::new(folder), Path::new("/p"));
        assert_eq!(from("./x", "/p"), "./x");
        assert_eq!(from("./x", "/p/a"), "./a/x");
        assert_eq!(from("../x", "/p/a"), "./x");
        assert_eq!(from("../../x", "/p/a"), "../x");
        assert_eq!(from("acme/x", "/p/a"), "acme/x");
        assert_eq!(from("/x", "/p/a"), "/x");
    }

    #[test]
    fn a_target_is_inside_the_project() {
        let inside = |folder: &str| inside(Path::new(folder), Path::new("/p"));
        assert_eq!(inside("/p/a/../b").unwrap().as_str(), "b");
        assert!(inside("/p/../q").is_err() && inside("/p").is_err());
    }
}
