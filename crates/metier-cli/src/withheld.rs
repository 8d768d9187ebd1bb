//! Turns a registry into the skills that are kept from models, with the reason and the way to have them.

use crate::exit::{Exit, Failure};
use crate::ui::count;
use metier::{CatalogEntry, Problem, Registry, Severity, Trust};
use std::path::Path;

/// How many skills are called by their names.
const NAMED: usize = 10;

/// The skills that are kept from models.
#[derive(Default)]
pub(crate) struct Withheld {
    /// Those of a project that nobody has agreed to yet.
    project: Vec<CatalogEntry>,
    /// Those of other servers that nobody has agreed to.
    remote: Vec<CatalogEntry>,
    /// What is wrong with the others: they were changed.
    pub(crate) changed: Vec<Problem>,
}

impl Withheld {
    pub(crate) fn of(registry: &Registry) -> Self {
        let problems = registry.problems();
        let mut withheld = Self::default();
        for entry in registry.iter().filter(|entry| entry.trust() == Trust::Untrusted) {
            let changed = |it: &&Problem| {
                it.severity >= Severity::Warning
                    && it.location == entry.location()
                    && it.report.is_none()
            };
            match problems.iter().find(changed) {
                Some(problem) => withheld.changed.push(problem.clone()),
                None if is_remote(&entry) => withheld.remote.push(entry),
                None => withheld.project.push(entry),
            }
        }
        withheld
    }

    /// Which skills nobody has agreed to, and what to do about it.
    pub(crate) fn unknown(&self) -> Vec<(String, String)> {
        let mut said = Vec::new();
        if !self.project.is_empty() {
            let root = |entry: &CatalogEntry| {
                let root = entry.listed.directory().and_then(Path::parent)?;
                Some(format!("`--root {}`", root.display()))
            };
            let mut roots: Vec<_> = self.project.iter().filter_map(root).collect();
            roots.dedup();
            let help = format!(
                "look with `metier list`, then run `metier trust`; {} includes them once",
                roots.join(" ")
            );
            said.push((left_out(&self.project, "the project"), help));
        }
        if !self.remote.is_empty() {
            let help = "look with `metier list` and `metier show`, then give `--mcp-trust`";
            said.push((left_out(&self.remote, "other servers"), help.to_owned()));
        }
        said
    }
}

fn left_out(entries: &[CatalogEntry], of: &str) -> String {
    let names: Vec<&str> = entries.iter().map(CatalogEntry::name).take(NAMED).collect();
    let more = if entries.len() > NAMED { " ..." } else { "" };
    let skills = count(entries.len(), "skill");
    format!("{skills} of {of} left out, nobody agreed to: {}{more}", names.join(", "))
}

/// Whether a skill is one of another server: nothing of it is on this machine.
pub(crate) fn is_remote(entry: &CatalogEntry) -> bool {
    entry.listed.directory().is_none()
}

/// Fails when a skill must not reach a model, and says why: it was changed, or nobody has agreed to it.
pub(crate) fn check_trust(registry: &Registry, entry: &CatalogEntry) -> Result<(), Failure> {
    if entry.trust() == Trust::Trusted {
        return Ok(());
    }
    let changed = Withheld::of(registry).changed;
    if let Some(problem) = changed.into_iter().find(|it| it.location == entry.location()) {
        return Err(Failure {
            exit: Exit::Fault,
            message: format!("`{}` is kept from models: {}", entry.id, problem.message),
            help: problem.help,
        });
    }
    let (from, consent) = if is_remote(entry) {
        ("from another server", "give `--mcp-trust`")
    } else {
        ("with the project", "run `metier trust`")
    };
    Err(Failure::fault(
        format!("`{}` comes {from}, and nobody has agreed to it", entry.id),
        format!("look at it with `metier show {}`, then {consent}", entry.id),
    ))
}
