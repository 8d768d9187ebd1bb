//! Turns what is locked into what there is to be had now, with changes by hand kept.

use super::differences::Differences;
use super::file_record::FileRecord;
use super::git::History;
use super::install_error::InstallError;
use super::installer::{Existing, Installer, Network, OlderVersion};
use super::lock::{LockError, LockedSkill};
use super::merge::{Merged, merge};
use super::origin::Origin;
use super::placement::There;
use super::plan::{Plan, PlannedFetch};
use super::reference::Reference;
use super::tree::{FileTree, TreeFile};
use super::verified::{Concern, Fetched, Findings, Verified};
use metier_core::{Finding, ResourcePath, SkillName};

/// One skill, and what an update would do to it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Update {
    /// What is locked.
    pub locked: LockedSkill,
    /// What there is; `None` when that is the same.
    pub new: Option<Verified>,
    /// What its author has changed.
    pub changes: Differences,
    /// What may be run now: files that could not be run before, and those that could and changed.
    pub runs: Vec<ResourcePath>,
    /// Findings that the version here does not have (security L11).
    pub brings: Vec<Finding>,
    /// Concerns that the version here does not give.
    pub concerns: Vec<Concern>,
    /// Whether it is newer, as far as that can be told.
    pub history: History,
    /// What happens to the files here.
    pub outcome: Outcome,
}

/// What an update does to the files of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// There is nothing new.
    Current,
    /// The new files take the place of the old ones.
    Clean,
    /// The new files take the place of the old ones, except these, which were changed here.
    Merged(Vec<ResourcePath>),
    /// These were changed here and by the author, each in another way. Nothing happens.
    Conflict(Vec<ResourcePath>),
    /// The files here cannot be read as a skill. Nothing happens.
    Odd(String),
    /// The source has gone back to something older. Nothing happens.
    Older,
    /// The new version has errors, or something that nobody can look into. Nothing happens.
    Refused(Vec<String>),
    /// The source cannot be asked. Nothing happens.
    Unavailable(String),
}

impl Outcome {
    /// Whether the update can be done.
    pub fn is_possible(&self) -> bool {
        matches!(self, Self::Clean | Self::Merged(_))
    }

    /// One word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Clean => "clean",
            Self::Merged(_) => "merged",
            Self::Conflict(_) => "conflict",
            Self::Odd(_) => "odd",
            Self::Older => "older",
            Self::Refused(_) => "refused",
            Self::Unavailable(_) => "unavailable",
        }
    }
}

impl Update {
    fn of(locked: &LockedSkill, outcome: Outcome) -> Self {
        Self {
            locked: locked.clone(),
            new: None,
            changes: Differences::default(),
            runs: Vec::new(),
            brings: Vec::new(),
            concerns: Vec::new(),
            history: History::Unknown,
            outcome,
        }
    }
}

/// What can be run in a new version and was not there, or not like that, in the old one. A file with
/// an executable bit can, and so can one under `scripts/` or with `#!` at its start.
fn runs(old: &[FileRecord], new: &FileTree) -> Vec<ResourcePath> {
    let can_run = |file: &&TreeFile| {
        file.record.executable
            || file.record.path.starts_with_dir("scripts")
            || file.bytes.starts_with(b"#!")
    };
    let files = new.files().iter().filter(can_run).filter(|file| !old.contains(&file.record));
    files.map(|file| file.record.path.clone()).collect()
}

/// What is found in the new version and was not found in the old one. Where nobody can look into the
/// old one any more, everything is new.
fn news(
    locked: &LockedSkill,
    old: Option<FileTree>,
    new: &Verified,
) -> (Vec<Finding>, Vec<Concern>) {
    let before = old.and_then(|tree| {
        let fetched = Fetched { tree, origin: locked.source.clone(), ..new.fetched.clone() };
        fetched.verify(Findings::Allow).ok()
    });
    // A finding that only moved to another line is the same one.
    let same =
        |a: &Finding, b: &Finding| (a.rule, &a.file, &a.message) == (b.rule, &b.file, &b.message);
    let mut known: Vec<&Finding> = before.iter().flat_map(|old| old.report.iter()).collect();
    let mut brings = Vec::new();
    for finding in &new.report {
        match known.iter().position(|old| same(old, finding)) {
            Some(at) => drop(known.swap_remove(at)),
            None => brings.push(finding.clone()),
        }
    }
    let mut concerns = new.concerns.clone();
    concerns.retain(|it| before.as_ref().is_none_or(|old| !old.concerns.contains(it)));
    (brings, concerns)
}

impl Installer<'_> {
    /// What there is for these skills; for all of them when none is named. Nothing is changed.
    pub fn updates(&self, names: &[SkillName]) -> Result<Vec<Update>, InstallError> {
        let lock = self.lock()?;
        if let Some(name) = names.iter().find(|name| lock.get(name).is_none()) {
            return Err(InstallError::NotInstalled { name: name.as_str().to_owned() });
        }
        let mut updates = Vec::new();
        for locked in lock.skills() {
            if names.is_empty() || names.contains(&locked.name) {
                // What is wrong with one source is no reason to leave the others alone.
                let update = match self.update_of(locked) {
                    Ok(update) => update,
                    Err(
                        InstallError::Refused { reasons, .. }
                        | InstallError::NotASkill { reasons, .. },
                    ) => Update::of(locked, Outcome::Refused(reasons)),
                    Err(error) if error.is_about_source() => {
                        Update::of(locked, Outcome::Unavailable(error.to_string()))
                    }
                    Err(error) => return Err(error),
                };
                updates.push(update);
            }
        }
        Ok(updates)
    }

    fn update_of(&self, locked: &LockedSkill) -> Result<Update, InstallError> {
        let current = Update::of(locked, Outcome::Current);
        let reference: Reference =
            locked.requested.parse().map_err(|error| InstallError::Lock {
                path: self.location.lock_file(),
                error: LockError::Syntax { message: format!("{error}") },
            })?;
        if let (Origin::Git { commit, .. }, Some((url, _, revision))) =
            (&locked.source, reference.repository())
        {
            let online = self.options.network == Network::Online;
            if online && self.repositories.resolve(&url, revision)?.commit == *commit {
                return Ok(current);
            }
        }
        let mut planned = PlannedFetch::new(reference);
        planned.into.clone_from(&locked.into);
        let mut skills = self.unwrapping().check(&Plan { fetches: vec![planned] })?;
        let found = skills.iter().position(|skill| skill.name == locked.name);
        let Some(at) = found else {
            return Err(InstallError::UnknownSkill {
                place: locked.requested.clone(),
                name: locked.name.as_str().to_owned(),
                names: skills.iter().map(|skill| skill.name.as_str().to_owned()).collect(),
            });
        };
        let new = skills.swap_remove(at);
        if new.fetched.tree.digest() == locked.digest {
            return Ok(current);
        }
        let old = self.as_installed(locked);
        let history = self.age(locked, old.as_ref(), &new)?;
        let (mut outcome, _) = self.outcome(locked, &new)?;
        if history == History::Older && self.options.older == OlderVersion::Refuse {
            outcome = Outcome::Older;
        }
        let (brings, concerns) = news(locked, old, &new);
        Ok(Update {
            changes: Differences::between(&locked.files, new.fetched.tree.records()),
            runs: runs(&locked.files, &new.fetched.tree),
            brings,
            concerns,
            history,
            outcome,
            new: Some(new),
            ..current
        })
    }

    /// What happens to the files here, and what they will be.
    fn outcome(
        &self,
        locked: &LockedSkill,
        new: &Verified,
    ) -> Result<(Outcome, Option<FileTree>), InstallError> {
        let root = self.location.folder(locked.into.as_ref());
        self.location.confine(&root)?;
        let remote = &new.fetched.tree;
        let theirs = (Outcome::Clean, Some(remote.clone()));
        let force = self.options.existing == Existing::Replace;
        let local = match self.there(&root.join(locked.name.as_str()))? {
            There::Nothing => return Ok(theirs),
            There::Odd(_) if force => return Ok(theirs),
            There::Odd(error) => return Ok((Outcome::Odd(error.to_string()), None)),
            There::Files(local) => local,
        };
        // What the store has was installed and not written by hand.
        if force || local.digest() == locked.digest || self.stored(&local.digest()).is_some() {
            return Ok(theirs);
        }
        let limits = &self.options.limits;
        let merged = merge(&locked.files, &local, remote, limits)
            .map_err(|error| InstallError::Local(error.into()))?;
        Ok(match merged {
            Merged::Conflict(paths) => (Outcome::Conflict(paths), None),
            Merged::Clean { tree, kept } if kept.is_empty() => (Outcome::Clean, Some(tree)),
            Merged::Clean { tree, kept } => (Outcome::Merged(kept), Some(tree)),
        })
    }

    /// Does the updates that can be done, and says of each what came of it.
    pub fn apply(&self, updates: Vec<Update>) -> Result<Vec<Update>, InstallError> {
        let _held = self.location.hold()?;
        let mut lock = self.lock()?;
        self.sweep(&lock)?;
        let mut done = Vec::new();
        for mut update in updates {
            let Some(new) = &update.new else {
                done.push(update);
                continue;
            };
            let name = new.name.as_str();
            // Someone may have been quicker.
            let Some(locked) = lock.get(&new.name).filter(|it| **it == update.locked).cloned()
            else {
                let reason = "it was changed meanwhile".to_owned();
                update.outcome = Outcome::Odd(reason);
                done.push(update);
                continue;
            };
            if update.outcome == Outcome::Older {
                done.push(update);
                continue;
            }
            let (outcome, tree) = self.outcome(&locked, new)?;
            update.outcome = outcome;
            if let Some(tree) = tree {
                self.keep(&new.fetched.tree)?;
                let folder = self.location.folder(locked.into.as_ref()).join(name);
                let existing = match self.there(&folder)? {
                    There::Nothing => Existing::Keep,
                    _ => Existing::Replace,
                };
                self.put(name, &tree, &folder, existing)?;
                let mut relocked = new.locked();
                for agent in locked.links.keys() {
                    let mode = self.show(agent, name, &folder, &tree)?;
                    relocked.links.insert(agent.clone(), mode);
                }
                lock.insert(relocked);
            }
            done.push(update);
        }
        self.write_lock(&lock)?;
        self.write_owned(&lock)?;
        Ok(done)
    }
}
