//! Turns entries of the catalog into the texts that matchers read, with the bodies read from their sources.

use crate::blocking::block_on;
use crate::catalog::CatalogEntry;
use crate::join::join_all;
use crate::registry::Registry;
use crate::source::{BoxFuture, Problem};
use metier_core::{Severity, Skill, SkillText};
use std::thread;

/// How many files are asked for at once.
const AT_ONCE: usize = 64;

/// Where the waiting is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// In the task of the caller, which may belong to a runtime that the sources need.
    Here,
    /// On threads of our own, the caller waiting for them.
    Threads,
}

/// The body of a skill, or why there is none.
pub(crate) type Body = Result<Skill, Problem>;

impl Registry {
    /// Reads the bodies of skills, in their order.
    pub(crate) async fn bodies(&self, entries: &[&CatalogEntry], reading: Reading) -> Vec<Body> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        if reading == Reading::Here || threads == 1 || entries.len() < 2 {
            return self.read_bodies(entries).await;
        }
        let share = entries.len().div_ceil(threads);
        thread::scope(|scope| {
            let parts: Vec<_> = entries
                .chunks(share)
                .map(|part| scope.spawn(|| block_on(self.read_bodies(part))))
                .collect();
            // A thread that panics takes its part along; whoever waits here goes on panicking.
            let joined = parts.into_iter().map(|part| match part.join() {
                Ok(bodies) => bodies,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.flatten().collect()
        })
    }

    async fn read_bodies(&self, entries: &[&CatalogEntry]) -> Vec<Body> {
        let mut bodies = Vec::with_capacity(entries.len());
        for part in entries.chunks(AT_ONCE) {
            let reading =
                part.iter().map(|entry| Box::pin(self.body(entry)) as BoxFuture<'_, Body>);
            bodies.extend(join_all(reading).await);
        }
        bodies
    }

    async fn body(&self, entry: &CatalogEntry) -> Body {
        match self.read_skill(entry).await {
            Ok(Ok(skill)) => Ok(skill),
            Ok(Err(problem)) => Err(unread(entry, &problem.message)),
            Err(error) => Err(unread(entry, &error.to_string())),
        }
    }
}

fn unread(entry: &CatalogEntry, reason: &str) -> Problem {
    let message = format!("the body is not searched: {reason}");
    let help = "mend the file: until then the skill is found by its frontmatter";
    Problem::new(entry.location(), Severity::Warning, message, help)
}

/// What a matcher reads of a skill: the frontmatter of the catalog, and the body where there is one.
pub(crate) fn text_of<'a>(entry: &'a CatalogEntry, body: Option<&'a Skill>) -> SkillText<'a> {
    SkillText {
        name: entry.name(),
        body: body.map(Skill::body).unwrap_or_default(),
        ..SkillText::of_manifest(&entry.id, entry.manifest())
    }
}
