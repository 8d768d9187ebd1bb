//! Turns one directory into the skill it is, or into the directories and links to look into next.

use crate::check::find::spelling;
use crate::discover::directory::Directory;
use crate::discover::discovery::RootSkill;
use crate::discover::found::{Found, Job};
use crate::discover::{ROOT, Walk, join};
use crate::disk::{Kind, LastLink, ReadError};
use metier_core::Severity;
use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::path::Path;

impl Walk<'_> {
    /// Sorts the entries of one directory into the skill file, links, and directories below.
    pub(crate) fn look(&self, job: &Job, found: &mut Found) {
        let mut entries = Entries::default();
        let scanned = self.open(job).and_then(|directory| {
            directory
                .scan(|name, kind| self.sort(name.to_str().ok_or(name), kind, &mut entries))?;
            Ok(directory)
        });
        let directory = match scanned.map_err(|error| ReadError::new(&self.place(job), error)) {
            Ok(directory) => directory,
            Err(error) if job.key == ROOT => {
                found.unreadable = Some(error);
                return;
            }
            Err(error) => {
                let help = error.help();
                let problem = self.problem(&job.key, Severity::Error, error.reason(), help);
                return self.meet(found, problem);
            }
        };
        let Entries { mut manifests, mut folders, odd } = entries;
        if job.key == ROOT && self.options.root_skill == RootSkill::Ignored {
            manifests.clear();
        }
        // A real file before anything odd; then the order of spellings, and of names.
        manifests.sort_by(|(a, a_kind), (b, b_kind)| {
            let rank = |name: &str, kind| (kind == Kind::Directory, spelling(name));
            (rank(a, *a_kind), a).cmp(&(rank(b, *b_kind), b))
        });
        for (name, _) in manifests.extract_if(.., |(_, kind)| *kind == Kind::Directory) {
            let key = join(&job.key, &name);
            let help = "a skill is a folder with a file of this name";
            let message = "it is a directory, not a file";
            let problem = self.problem(&key, Severity::Error, message, help);
            self.meet(found, problem);
            if !self.options.skips(&name) {
                folders.push((name.into_owned(), Kind::Directory));
            }
        }
        if let [(name, kind), others @ ..] = manifests.as_slice() {
            let others: Vec<&str> = others.iter().map(|(name, _)| &**name).collect();
            let loads = self.load(job, &directory, name, *kind, &others, found);
            if !loads {
                found.broken.push(job.key.clone());
            }
            if self.options.below_skills.ends_at(loads) {
                return;
            }
        }
        self.descend(job, folders, odd, found);
    }

    /// Opens a directory, from the root unless a link led out of it.
    fn open(&self, job: &Job) -> io::Result<Directory> {
        let below = |path| self.root.directory.below(path, self.options.mounts);
        match &job.real {
            None => below(Path::new(&job.key)),
            Some(real) => match self.inside(real) {
                Some(inside) => below(inside),
                None => Directory::open(real, LastLink::Refuse),
            },
        }
    }

    fn sort(&self, name: Result<&str, &std::ffi::OsStr>, kind: Kind, entries: &mut Entries) {
        match name {
            Ok("SKILL.md") if self.options.file_name.matches("SKILL.md") => {
                entries.manifests.push(("SKILL.md".into(), kind));
            }
            Ok(name) if self.options.file_name.matches(name) => {
                entries.manifests.push((name.to_owned().into(), kind));
            }
            Ok(name)
                if matches!(kind, Kind::Directory | Kind::Link) && !self.options.skips(name) =>
            {
                entries.folders.push((name.to_owned(), kind));
            }
            Err(name) if kind == Kind::Directory => entries.odd.push(name.to_owned()),
            _ => {}
        }
    }

    fn descend(
        &self,
        job: &Job,
        folders: Vec<(String, Kind)>,
        odd: Vec<OsString>,
        found: &mut Found,
    ) {
        for name in odd {
            let key = join(&job.key, &name.to_string_lossy());
            let message = "its name is not UTF-8, so it was not looked into";
            let problem = self.problem(&key, Severity::Error, message, "rename the folder");
            self.meet(found, problem);
        }
        for (name, kind) in folders {
            let real = job.real.as_ref().map(|real| real.join(&name));
            let key = if job.key == ROOT { name } else { join(&job.key, &name) };
            if kind == Kind::Directory && job.depth >= self.options.depth {
                found.deep.push(key);
                continue;
            }
            let next = Job { key, depth: job.depth + 1, real };
            match kind {
                Kind::Directory => found.below.push(next),
                // Where it leads is asked when all real directories are known.
                _ if next.depth <= self.options.depth => found.links.push(next),
                _ => {}
            }
        }
    }
}

/// What a directory holds, as far as it matters.
#[derive(Default)]
struct Entries {
    /// What may be the file of a skill.
    manifests: Vec<(Cow<'static, str>, Kind)>,
    /// Directories, and links that may lead to some.
    folders: Vec<(String, Kind)>,
    /// Directories whose names are not text.
    odd: Vec<OsString>,
}
