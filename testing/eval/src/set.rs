//! Turns a folder into a catalog, queries, and the skills that are right for each.

use metier_core::SkillText;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A skill as the files have it.
#[derive(Debug, Clone, Deserialize)]
pub struct Record {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Its body.
    #[serde(default)]
    pub body: String,
}

impl Record {
    /// What a matcher reads of it.
    pub fn text(&self) -> SkillText<'_> {
        SkillText {
            id: &self.id,
            name: &self.name,
            description: &self.description,
            body: &self.body,
            ..SkillText::default()
        }
    }
}

/// A query, and what is right.
#[derive(Debug, Clone, Deserialize)]
pub struct Query {
    /// Its id.
    pub id: String,
    /// What was asked.
    pub text: String,
    /// The skills that must not be first, where the set is one of near misses.
    #[serde(default, rename = "not")]
    pub wrong: BTreeSet<String>,
    /// The right skills.
    #[serde(skip)]
    pub right: BTreeSet<String>,
}

/// The skills to choose from.
#[derive(Debug)]
pub struct Catalog {
    /// Where they were read from.
    pub path: PathBuf,
    /// All of them.
    pub skills: Vec<Record>,
}

impl Catalog {
    /// Where the catalog of a folder is: in it, or in `skills/` beside it.
    pub fn path_for(folder: &Path) -> PathBuf {
        let own = folder.join("skills.jsonl");
        if own.is_file() { own } else { folder.with_file_name("skills").join("skills.jsonl") }
    }

    /// Reads a catalog.
    pub fn read(path: &Path) -> Result<Self, String> {
        Ok(Self { path: path.to_owned(), skills: lines(path)? })
    }
}

/// Queries with their answers.
#[derive(Debug)]
pub struct Set {
    /// The name of the folder.
    pub name: String,
    /// The queries, in the order of the file.
    pub queries: Vec<Query>,
}

impl Set {
    /// Reads the queries of a folder, and what is right where it says so.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let mut queries: Vec<Query> = lines(&folder.join("queries.jsonl"))?;
        let answers = folder.join("qrels.tsv");
        if answers.is_file() {
            let mut right: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
            let text = read(&answers)?;
            for line in text.lines() {
                let mut cells = line.split('\t');
                let (Some(query), Some(skill)) = (cells.next(), cells.next()) else { continue };
                if cells.next() != Some("0") {
                    right.entry(query).or_default().insert(skill.to_owned());
                }
            }
            for query in &mut queries {
                query.right = right.remove(query.id.as_str()).unwrap_or_default();
            }
            queries.retain(|query| !query.right.is_empty());
        }
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, queries })
    }

    /// Whether it says which skills are wrong, and not which are right.
    pub fn is_of_misses(&self) -> bool {
        self.queries.iter().all(|query| query.right.is_empty())
    }
}

pub(crate) fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, String> {
    let text = read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line)
                .map_err(|error| format!("{}:{}: {error}", path.display(), at + 1))
        })
        .collect()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))
}
