//! Turns texts and bytes held in memory into a source of skills.

use crate::source::blocking::BlockingSource;
use crate::source::{Listed, Listing, Problem, ReadOptions, SourceError, Trust, skill_file};
use crate::{Files, Resource};
use metier_core::{FromJsonError, ParseOptions, ResourcePath, Severity, Skill};
use serde_json::json;
use std::collections::BTreeMap;
use std::ops::Range;

/// A table of skills and their files, for what a program brings along.
///
/// Skills are listed by key, and read leniently unless [`parse_with`](Self::parse_with) says
/// otherwise. What is wrong with the table, a resource without a skill for one, is a problem of the
/// listing.
///
/// ```
/// use metier::{Blocking, Memory, Registry};
///
/// let table = Memory::new("built-in")
///     .skill("pdf", "---\nname: pdf\ndescription: Fills forms. Use for PDFs.\n---\nRun fill.py.\n")
///     .resource("pdf", "scripts/fill.py", "print()\n")
///     .inline("greet", "Says hello. Use at the start.", "Say hello.")
///     .preload("greet");
/// let registry = Registry::builder().source(Blocking(table)).open();
/// assert_eq!(registry.len(), 2);
/// assert_eq!(registry.load_blocking("greet").unwrap().body(), "Say hello.");
/// assert_eq!(registry.preloaded()[0].name(), "greet");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Memory {
    label: String,
    trust: Trust,
    parse: ParseOptions,
    rows: BTreeMap<String, Row>,
    problems: Vec<Problem>,
}

#[derive(Debug, Clone, Default)]
struct Row {
    /// The skill's own file; `None` for files that wait for one.
    text: Option<Vec<u8>>,
    resources: BTreeMap<ResourcePath, Vec<u8>>,
    preload: bool,
}

impl Memory {
    /// An empty table.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// Whether the skills may reach a model without being asked about; they may, by default.
    pub fn trust(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self
    }

    /// How the skills are read.
    pub fn parse_with(mut self, options: ParseOptions) -> Self {
        self.parse = options;
        self
    }

    /// Adds a skill by the text of its `SKILL.md`, replacing the text of an earlier one.
    ///
    /// A skill without a name goes by the last component of its key.
    pub fn skill(mut self, key: impl Into<String>, text: impl Into<Vec<u8>>) -> Self {
        self.rows.entry(key.into()).or_default().text = Some(text.into());
        self
    }

    /// Adds a file to a skill, whether that is there already or comes later.
    pub fn resource(
        mut self,
        key: impl Into<String>,
        path: &str,
        bytes: impl Into<Vec<u8>>,
    ) -> Self {
        let key = key.into();
        match path.parse::<ResourcePath>() {
            Ok(path) if path == skill_file() => {
                let help = "give the skill's own file with `skill`";
                self.note(&key, "`SKILL.md` is no resource", help);
            }
            Ok(path) => {
                self.rows.entry(key).or_default().resources.insert(path, bytes.into());
            }
            Err(error) => {
                self.note(&key, &error.to_string(), "give a relative path with `/`");
            }
        }
        self
    }

    /// Adds a skill by its parts, under its name. Any name and description that can be written down
    /// will do; without a description, the name stands in for it. The instructions are kept to the
    /// byte.
    pub fn inline(mut self, name: &str, description: &str, instructions: &str) -> Self {
        let description = if description.trim().is_empty() {
            self.problems.push(Problem::new(
                self.location(name),
                Severity::Warning,
                format!("the inline skill `{name}` has no description, its name stands in"),
                "say what the skill does and when to use it",
            ));
            name
        } else {
            description
        };
        let parts = json!({ "name": name, "description": description, "body": instructions });
        match Skill::from_json(&parts) {
            Ok(skill) => return self.skill(name, skill.text()),
            Err(FromJsonError::Invalid { report }) => {
                self.problems.extend(Problem::of_skill(self.location(name), report));
            }
            Err(error) => self.note(name, &error.to_string(), "give the skill a name"),
        }
        self
    }

    /// Marks a skill as one that should be active from the start.
    pub fn preload(mut self, key: impl Into<String>) -> Self {
        self.rows.entry(key.into()).or_default().preload = true;
        self
    }

    /// Takes a skill and its files out; `false` when there is none.
    pub fn remove(&mut self, key: &str) -> bool {
        self.rows.remove(key).is_some()
    }

    /// Where a skill stands, for people.
    fn location(&self, key: &str) -> String {
        format!("{}:{key}", self.label)
    }

    fn note(&mut self, key: &str, message: &str, help: &str) {
        let location = self.location(key);
        self.problems.push(Problem::new(location, Severity::Error, message, help));
    }

    fn row(&self, key: &str) -> Result<(&Row, &[u8]), SourceError> {
        let row = self.rows.get(key).and_then(|row| Some((row, row.text.as_deref()?)));
        row.ok_or_else(|| SourceError::UnknownSkill { label: self.label.clone(), key: key.into() })
    }

    fn list_row(&self, key: &str, row: &Row, listing: &mut Listing) {
        let location = self.location(key);
        let problem = |message: String, help: &str| {
            Problem::new(location.clone(), Severity::Error, message, help)
        };
        let Some(text) = &row.text else {
            let message = format!("`{key}` has resources or a preload mark, but no text");
            listing.problems.push(problem(message, "add the skill under the same key"));
            return;
        };
        let limit = self.parse.limits.file_bytes;
        if text.len() > limit {
            let message = format!("the skill has {} bytes, the limit is {limit}", text.len());
            listing.problems.push(problem(message, "move parts of it into resources"));
            return;
        }
        let (listed, report) = Listed::parse(key, text, &self.parse);
        listing.problems.extend(Problem::of_skill(location.clone(), report));
        if let Some(mut listed) = listed {
            if listed.manifest.name.is_none() {
                listed.name = key.rsplit('/').next().unwrap_or(key).into();
            }
            if listed.name.trim().is_empty() {
                let message = "the skill has no name, and neither has its key".to_owned();
                listing.problems.push(problem(message, "give the skill a name"));
                return;
            }
            listed.set_location(location);
            listed.preload = row.preload;
            listing.skills.push(listed);
        }
    }
}

impl BlockingSource for Memory {
    fn label(&self) -> &str {
        &self.label
    }

    fn trust(&self) -> Trust {
        self.trust
    }

    fn list(&self) -> Result<Listing, SourceError> {
        let mut listing = Listing { problems: self.problems.clone(), ..Listing::default() };
        for (key, row) in &self.rows {
            self.list_row(key, row, &mut listing);
        }
        listing.sort();
        Ok(listing)
    }

    fn read(
        &self,
        key: &str,
        path: &ResourcePath,
        options: &ReadOptions,
    ) -> Result<Resource, SourceError> {
        let (row, text) = self.row(key)?;
        let own = (*path == skill_file()).then_some(text);
        let bytes = own.or_else(|| row.resources.get(path).map(Vec::as_slice));
        let bytes = bytes
            .ok_or_else(|| SourceError::NoSuchFile { key: key.to_owned(), path: path.clone() })?;
        let part = cut(bytes, options.range.as_ref());
        if part.len() > options.limit {
            return Err(SourceError::TooLarge {
                key: key.to_owned(),
                path: path.clone(),
                size: part.len() as u64,
                limit: options.limit,
            });
        }
        let mut resource = Resource::whole(path.clone(), part.to_vec());
        resource.size = bytes.len() as u64;
        Ok(resource)
    }

    fn files(&self, key: &str) -> Result<Files, SourceError> {
        let (row, _) = self.row(key)?;
        Ok(Files::of_skill(row.resources.keys().cloned()))
    }
}

/// The part of `bytes` that `range` asks for, as far as there is one.
fn cut<'b>(bytes: &'b [u8], range: Option<&Range<u64>>) -> &'b [u8] {
    let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    match range {
        None => bytes,
        Some(range) => &bytes[at(range.start)..at(range.end).max(at(range.start))],
    }
}
