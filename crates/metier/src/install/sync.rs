//! Turns what is asked for and what is locked into what stands on the disk: that, and nothing else of ours.

use super::differences::Differences;
use super::install_error::InstallError;
use super::installer::{Existing, Installer, Step};
use super::lock::{Lock, LockedSkill};
use super::owned::{Owned, OwnedSkill};
use super::placement::There;
use super::plan::{Plan, PlannedFetch};
use super::requests::{Request, Requests};
use crate::disk::staging::take_away;
use metier_core::SkillName;

/// What a sync may change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyncMode {
    /// The lock follows what is asked for.
    #[default]
    Follow,
    /// The lock is the law: if it does not fit what is asked for, or if something was changed by
    /// hand, that is an error and nothing happens.
    Frozen,
}

/// What a sync has done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Synced {
    /// Skills that were put in place.
    pub installed: Vec<SkillName>,
    /// Skills that were in place.
    pub unchanged: Vec<SkillName>,
    /// Skills that are locked for the first time, or from another place than before.
    pub locked: Vec<SkillName>,
    /// Skills that are gone because the lock has them no longer.
    pub pruned: Vec<SkillName>,
    /// Skills that differ from the lock because someone changed them; they were left alone.
    pub kept: Vec<(SkillName, String)>,
}

/// What stands at the place of a locked skill.
enum Here {
    /// What is locked.
    Sound,
    /// Nothing.
    Nothing,
    /// Something else that we have put there.
    Ours,
    /// Something that someone has changed, and how.
    Edited(String),
}

impl Installer<'_> {
    /// Makes the disk what the lock says, and the lock what is asked for.
    pub fn sync(&self, mode: SyncMode) -> Result<Synced, InstallError> {
        let _held = self.location.hold()?;
        let mut lock = self.lock()?;
        let requests = self.requests()?;
        let mut synced = Synced::default();
        let stale = stale(requests.as_ref(), &lock);
        let dropped = dropped(requests.as_ref(), &lock);
        let mut owned = self.owned()?;
        self.sweep(&lock)?;
        if mode == SyncMode::Frozen {
            self.refuse_differences(&stale, &dropped, &lock, &owned)?;
        }
        for skill in lock.skills() {
            owned.skills.entry(skill.name.clone()).or_insert_with(|| OwnedSkill::of(skill));
        }
        self.relock(&stale, &mut lock, &mut synced)?;
        for name in &dropped {
            if let Some(skill) = lock.remove(name) {
                self.hide_everywhere(&skill)?;
            }
        }
        let skills: Vec<LockedSkill> = lock.skills().cloned().collect();
        for mut skill in skills {
            self.sync_one(&mut skill, &owned, &mut synced)?;
            lock.insert(skill);
        }
        self.prune(&owned, &lock, &mut synced)?;
        if mode == SyncMode::Follow {
            self.write_lock(&lock)?;
        }
        self.write_owned(&lock)?;
        Ok(synced)
    }

    /// Fetches what is asked for and not locked, or locked from elsewhere.
    fn relock(
        &self,
        stale: &[&Request],
        lock: &mut Lock,
        synced: &mut Synced,
    ) -> Result<(), InstallError> {
        for request in stale {
            // Who wants it elsewhere wants the same thing there, not what there is by now.
            let moved = lock
                .get(&request.name)
                .filter(|locked| locked.requested == request.reference.to_string())
                .map(|locked| LockedSkill { into: request.into.clone(), ..locked.clone() });
            if let Some(moved) = moved {
                lock.insert(moved);
                synced.locked.push(request.name.clone());
                continue;
            }
            let mut planned = PlannedFetch::new(request.reference.clone());
            planned.into.clone_from(&request.into);
            let skills = self.check(&Plan { fetches: vec![planned] })?;
            // Whoever has changed the request wants the new place.
            let mut allowed = lock.clone();
            if let (Some(old), [new]) = (lock.get(&request.name), &skills[..]) {
                let source = new.fetched.origin.clone();
                allowed.insert(LockedSkill { source, ..old.clone() });
            }
            for placement in self.decide(skills, &allowed)? {
                let skill = &placement.skill;
                if skill.name != request.name {
                    let name = request.name.as_str().to_owned();
                    let names = vec![skill.name.as_str().to_owned()];
                    let place = request.reference.to_string();
                    return Err(InstallError::UnknownSkill { place, name, names });
                }
                self.place(&placement)?;
                let mut locked = skill.locked();
                if let Some(old) = lock.get(&skill.name) {
                    locked.links.clone_from(&old.links);
                }
                lock.insert(locked);
                synced.locked.push(request.name.clone());
            }
        }
        Ok(())
    }

    /// What stands at the place of a locked skill.
    fn here(&self, skill: &LockedSkill, owned: &Owned) -> Result<Here, InstallError> {
        let root = self.location.folder(skill.into.as_ref());
        self.location.confine(&root)?;
        Ok(match self.there(&root.join(skill.name.as_str()))? {
            There::Nothing => Here::Nothing,
            There::Odd(error) => Here::Edited(error.to_string()),
            There::Files(tree) => {
                let digest = tree.digest();
                let owned = owned.skills.get(&skill.name);
                if digest == skill.digest {
                    Here::Sound
                } else if owned.is_some_and(|owned| owned.digest == digest)
                    || self.stored(&digest).is_some()
                {
                    Here::Ours
                } else {
                    Here::Edited(Differences::between(&skill.files, tree.records()).to_string())
                }
            }
        })
    }

    /// Puts one skill and its links in place.
    fn sync_one(
        &self,
        skill: &mut LockedSkill,
        owned: &Owned,
        synced: &mut Synced,
    ) -> Result<(), InstallError> {
        let name = skill.name.as_str().to_owned();
        let folder = self.location.folder(skill.into.as_ref()).join(&name);
        let existing = match self.here(skill, owned)? {
            Here::Sound => None,
            Here::Nothing => Some(Existing::Keep),
            Here::Edited(words) if self.options.existing == Existing::Keep => {
                synced.kept.push((skill.name.clone(), words));
                return Ok(());
            }
            Here::Ours | Here::Edited(_) => Some(Existing::Replace),
        };
        match existing {
            None => synced.unchanged.push(skill.name.clone()),
            Some(existing) => {
                let tree = self.fetch_locked(skill)?;
                self.put(&name, &tree, &folder, existing)?;
                synced.installed.push(skill.name.clone());
            }
        }
        if skill.links.is_empty() {
            return Ok(());
        }
        let agents: Vec<String> = skill.links.keys().cloned().collect();
        if let There::Files(tree) = self.there(&folder)? {
            for agent in agents {
                let shown = self.show(&agent, &name, &folder, &tree)?;
                skill.links.insert(agent, shown);
            }
        }
        Ok(())
    }

    /// Takes away what we have installed and the lock has no longer. What someone has changed since
    /// stays.
    fn prune(&self, owned: &Owned, lock: &Lock, synced: &mut Synced) -> Result<(), InstallError> {
        for (name, skill) in &owned.skills {
            if lock.get(name).is_some_and(|locked| locked.into == skill.into) {
                continue;
            }
            let root = self.location.folder(skill.into.as_ref());
            self.location.confine(&root)?;
            let folder = root.join(name.as_str());
            let unchanged = match self.there(&folder)? {
                There::Nothing => continue,
                There::Odd(_) => false,
                There::Files(tree) => {
                    tree.digest() == skill.digest || self.stored(&tree.digest()).is_some()
                }
            };
            if unchanged || self.options.existing == Existing::Replace {
                take_away(&folder).map_err(|it| InstallError::io("remove", &folder, &it))?;
                (self.progress)(Step::TakenAway(name.as_str()));
                synced.pruned.push(name.clone());
            } else {
                let words = "it is not in the lock any more, and was changed by hand".to_owned();
                synced.kept.push((name.clone(), words));
            }
        }
        Ok(())
    }

    fn hide_everywhere(&self, skill: &LockedSkill) -> Result<(), InstallError> {
        let name = skill.name.as_str();
        let folder = self.location.folder(skill.into.as_ref()).join(name);
        for (agent, mode) in &skill.links {
            self.hide(agent, name, &folder, *mode)?;
        }
        Ok(())
    }

    /// Everything in which the lock, what is asked for and the disk differ, before anything happens.
    fn refuse_differences(
        &self,
        stale: &[&Request],
        dropped: &[SkillName],
        lock: &Lock,
        owned: &Owned,
    ) -> Result<(), InstallError> {
        let mut differences: Vec<String> = Vec::new();
        for request in stale {
            let name = request.name.as_str();
            differences.push(match lock.get(&request.name) {
                None => format!("`{name}` is asked for and not locked"),
                Some(locked) => format!(
                    "`{name}` is asked for as `{}` and locked as `{}`",
                    request.reference,
                    crate::visible(&locked.requested)
                ),
            });
        }
        let gone =
            dropped.iter().map(|name| format!("`{}` is locked and not asked for", name.as_str()));
        differences.extend(gone);
        for skill in lock.skills() {
            if let Here::Edited(words) = self.here(skill, owned)? {
                differences.push(format!("`{}` was changed: {words}", skill.name.as_str()));
            }
        }
        if differences.is_empty() { Ok(()) } else { Err(InstallError::Frozen { differences }) }
    }
}

/// What is asked for and not locked, or locked by another reference.
fn stale<'r>(requests: Option<&'r Requests>, lock: &Lock) -> Vec<&'r Request> {
    let entries = requests.map(Requests::entries).unwrap_or_default();
    let locked = |request: &Request| {
        lock.get(&request.name).is_some_and(|locked| {
            locked.requested == request.reference.to_string() && locked.into == request.into
        })
    };
    entries.iter().filter(|request| !locked(request)).collect()
}

/// What is locked and not asked for. Where nothing is written down, the lock alone counts.
fn dropped(requests: Option<&Requests>, lock: &Lock) -> Vec<SkillName> {
    let Some(requests) = requests else { return Vec::new() };
    let gone = lock.skills().filter(|skill| requests.get(&skill.name).is_none());
    gone.map(|skill| skill.name.clone()).collect()
}
