//! Turns a plan into installed skills and a lock that says so, and a name into a skill that is gone.

use super::differences::Differences;
use super::install_error::InstallError;
use super::installer::{Existing, Installer, Step};
use super::lock::{LinkMode, Lock, LockedSkill};
use super::placement::{Placement, There};
use super::plan::{Plan, Selection};
use super::verified::Verified;
use crate::disk::staging::{sweep, take_away};
use metier_core::SkillName;
use std::collections::BTreeSet;

impl Installer<'_> {
    /// Fetches, checks and installs everything that is planned: all of it or nothing.
    pub fn add(&self, plan: &Plan) -> Result<Vec<Placement>, InstallError> {
        let skills = self.check(plan)?;
        self.install(skills)
    }

    /// Fetches and checks everything that is planned.
    pub fn check(&self, plan: &Plan) -> Result<Vec<Verified>, InstallError> {
        let mut skills = Vec::new();
        for planned in &plan.fetches {
            for fetched in self.fetch_one(planned)? {
                let skill = fetched.verify(self.options.findings)?;
                // A place that is one skill is taken whatever it is called; here it says what it is.
                if let Selection::Named(name) = &planned.select
                    && *name != skill.name
                {
                    return Err(InstallError::UnknownSkill {
                        place: planned.reference.to_string(),
                        name: name.as_str().to_owned(),
                        names: vec![skill.name.as_str().to_owned()],
                    });
                }
                skills.push(skill);
            }
        }
        Ok(skills)
    }

    /// What [`Installer::add`] would do.
    pub fn preview(&self, plan: &Plan) -> Result<Vec<Placement>, InstallError> {
        let skills = self.check(plan)?;
        self.decide(skills, &self.lock()?)
    }

    /// Installs skills that were checked, and locks them.
    ///
    /// One run at a time holds a place; what another run has locked meanwhile is kept. A run that
    /// ends at any point leaves each skill as it was or as it will be, and the next run finishes.
    pub fn install(&self, skills: Vec<Verified>) -> Result<Vec<Placement>, InstallError> {
        let _held = self.location.hold()?;
        let mut lock = self.lock()?;
        let mut requests = self.requests()?.unwrap_or_default();
        self.sweep(&lock)?;
        let placements = self.decide(skills, &lock)?;
        for placement in &placements {
            let skill = &placement.skill;
            for agent in &skill.fetched.links {
                self.agent_way(agent, skill.name.as_str(), &placement.folder, &skill.fetched.tree)?;
            }
        }
        for placement in &placements {
            self.place(placement)?;
            let skill = &placement.skill;
            let mut locked = skill.locked();
            if let Some(old) = lock.get(&skill.name) {
                locked.links.clone_from(&old.links);
                if old.into != locked.into {
                    self.take(old)?;
                }
            }
            for agent in &skill.fetched.links {
                let name = skill.name.as_str();
                let mode = self.show(agent, name, &placement.folder, &skill.fetched.tree)?;
                locked.links.insert(agent.clone(), mode);
            }
            requests.set(&skill.name, &skill.fetched.requested, skill.fetched.into.as_ref());
            lock.insert(locked);
        }
        // What is asked for and not locked is made good by a later run; what is locked and not asked
        // for would be pruned by it.
        self.write_requests(&requests)?;
        self.write_lock(&lock)?;
        self.write_owned(&lock)?;
        Ok(placements)
    }

    /// Removes a skill that the lock has, and nothing else. Changes by hand are kept unless the
    /// options say otherwise.
    pub fn remove(&self, names: &[SkillName]) -> Result<Vec<LockedSkill>, InstallError> {
        let _held = self.location.hold()?;
        let mut lock = self.lock()?;
        let mut requests = self.requests()?;
        self.sweep(&lock)?;
        let mut removed = Vec::new();
        for name in names {
            let asked = requests.as_ref().is_some_and(|requests| requests.get(name).is_some());
            let Some(locked) = lock.get(name) else {
                if asked {
                    // Someone has written it down, and it never came to be installed.
                    continue;
                }
                return Err(InstallError::NotInstalled { name: name.as_str().to_owned() });
            };
            self.check_unchanged(locked)?;
            removed.push(locked.clone());
        }
        for skill in &removed {
            self.take(skill)?;
            lock.remove(&skill.name);
        }
        if let Some(requests) = &mut requests {
            for name in names {
                requests.remove(name);
            }
        }
        self.write_lock(&lock)?;
        if let Some(requests) = &requests {
            self.write_requests(requests)?;
        }
        self.write_owned(&lock)?;
        Ok(removed)
    }

    /// Refuses to go on with a skill that was changed by hand.
    fn check_unchanged(&self, locked: &LockedSkill) -> Result<(), InstallError> {
        if self.options.existing == Existing::Replace {
            return Ok(());
        }
        for (agent, _) in locked.links.iter().filter(|(_, mode)| **mode == LinkMode::Copy) {
            self.check_copy(agent, locked)?;
        }
        let name = || locked.name.as_str().to_owned();
        let folder = self.location.folder(locked.into.as_ref());
        self.location.confine(&folder)?;
        match self.there(&folder.join(locked.name.as_str()))? {
            There::Nothing => Ok(()),
            There::Odd(error) => Err(InstallError::Odd { name: name(), reason: error.to_string() }),
            There::Files(tree) => {
                let digest = tree.digest();
                if digest == locked.digest || self.stored(&digest).is_some() {
                    return Ok(());
                }
                let differences = Differences::between(&locked.files, tree.records());
                Err(InstallError::Edited { name: name(), differences: differences.into() })
            }
        }
    }

    /// Takes a skill and what shows it away from the disk.
    pub(crate) fn take(&self, locked: &LockedSkill) -> Result<(), InstallError> {
        let name = locked.name.as_str();
        let root = self.location.folder(locked.into.as_ref());
        self.location.confine(&root)?;
        let folder = root.join(name);
        for (agent, mode) in &locked.links {
            self.hide(agent, name, &folder, *mode)?;
        }
        match self.there(&folder)? {
            There::Nothing => Ok(()),
            There::Odd(_) | There::Files(_) => {
                take_away(&folder).map_err(|it| InstallError::io("remove", &folder, &it))?;
                (self.progress)(Step::TakenAway(name));
                Ok(())
            }
        }
    }

    /// Cleans up after a run that ended early, in every folder that skills may stand in.
    pub(crate) fn sweep(&self, lock: &Lock) -> Result<(), InstallError> {
        let mut folders = BTreeSet::from([self.location.skills(), self.location.own_folder()]);
        folders.extend(lock.skills().map(|skill| self.location.folder(skill.into.as_ref())));
        let owned = self.owned()?;
        folders.extend(owned.skills.values().map(|it| self.location.folder(it.into.as_ref())));
        for folder in folders {
            self.location.confine(&folder)?;
            sweep(&folder).map_err(|error| InstallError::io("clean up", &folder, &error))?;
        }
        Ok(())
    }
}
