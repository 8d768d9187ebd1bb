//! Turns entries of the catalog into the texts that matchers read, with the bodies read from their sources.

use crate::registry::Registry;
use crate::registry::catalog::CatalogEntry;
use crate::registry::join::join_all;
use crate::source::blocking::block_on;
use crate::source::{BoxFuture, Problem};
use metier_core::{Severity, Skill, SkillText};
use std::thread;

/// How many files are asked for at once.
const AT_ONCE: usize = 64;

/// The body of a skill, or why there is none.
pub(crate) type Body = Result<Skill, Problem>;

impl Registry {
    /// Reads the bodies of skills, in their order, in the task of the caller: its runtime may be one
    /// that the sources need.
    pub(crate) async fn bodies(&self, entries: &[&CatalogEntry]) -> Vec<Body> {
        let mut bodies = Vec::with_capacity(entries.len());
        for part in entries.chunks(AT_ONCE) {
            let reading =
                part.iter().map(|entry| Box::pin(self.body(entry)) as BoxFuture<'_, Body>);
            bodies.extend(join_all(reading).await);
        }
        bodies
    }

    /// Reads the bodies of skills, in their order, on as many threads as the machine runs at once.
    pub(crate) fn bodies_blocking(&self, entries: &[&CatalogEntry]) -> Vec<Body> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let share = entries.len().div_ceil(threads).max(AT_ONCE);
        if entries.len() <= share {
            return block_on(self.bodies(entries));
        }
        thread::scope(|scope| {
            let parts: Vec<_> = entries
                .chunks(share)
                .map(|part| scope.spawn(|| block_on(self.bodies(part))))
                .collect();
            // A source that panics on one of the threads panics here, as it would without them.
            let bodies = parts
                .into_iter()
                .map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            bodies.flatten().collect()
        })
    }

    async fn body(&self, entry: &CatalogEntry) -> Body {
        if entry.held.source.is_lazy() {
            let message =
                "the body is not searched: nothing is fetched before somebody asks for it";
            let help = "the skill is found by its frontmatter";
            return Err(Problem::new(entry.location(), Severity::Note, message, help));
        }
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
