//! Turns `skills.lock` into what was installed, to the byte, and back into the same text.

use super::file_record::{FileRecord, tree_digest};
use super::origin::Origin;
use super::sha256::Sha256;
use crate::visible;
use metier_core::{ResourcePath, SkillName};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The version of the format that is written, and the newest that is read.
const VERSION: i64 = 1;

const HEADER: &str = "\
# What was installed, to the byte. Written by metier: change `skills.toml` and run `metier sync`.
# Keep this file under version control. The format is described in docs/lock-format.md.
";

/// What is installed, and from where.
///
/// ```
/// use metier::install::Lock;
///
/// let lock = Lock::parse("version = 1\n").unwrap();
/// assert!(lock.skills().next().is_none());
/// let error = Lock::parse("version = 9\n").unwrap_err();
/// assert_eq!(error.to_string(), "the lock has version 9, this metier reads up to 1");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock {
    skills: BTreeMap<SkillName, LockedSkill>,
}

/// One installed skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LockedSkill {
    /// Its name, which is also that of its folder.
    pub name: SkillName,
    /// The reference that asked for it.
    pub requested: String,
    /// The folder that its folder stands in, from the root; the usual one without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<ResourcePath>,
    /// Where it came from.
    pub source: Origin,
    /// The digest of all its files.
    pub digest: Sha256,
    /// The agents whose folders show it too, and how.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub links: BTreeMap<String, LinkMode>,
    /// Its files, sorted by path.
    pub files: Vec<FileRecord>,
}

/// How the folder of an agent shows a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LinkMode {
    /// By a link.
    Link,
    /// By a copy, where the file system has no links.
    Copy,
}

/// Why a lock cannot be used. It is never taken for an empty one (security L09).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Two branches were merged and nobody has chosen.
    #[error("the lock has a merge conflict in line {line}")]
    Conflict {
        /// The line of the first mark.
        line: usize,
    },
    /// It was written by a newer metier.
    #[error("the lock has version {version}, this metier reads up to {VERSION}")]
    Newer {
        /// Its version.
        version: i64,
    },
    /// It is not TOML, or not a lock.
    #[error("the lock cannot be read: {}", visible(message))]
    Syntax {
        /// What is wrong, with the line.
        message: String,
    },
    /// A skill stands in it twice.
    #[error("the skill `{name}` stands in the lock twice")]
    Twice {
        /// Its name.
        name: String,
    },
    /// The files of a skill do not come to its digest.
    #[error("the files of `{name}` in the lock do not have the digest that stands beside them")]
    Tampered {
        /// Its name.
        name: String,
    },
}

impl LockError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Conflict { .. } => {
                "take either side, run `metier sync`, and add what is missing again"
            }
            Self::Newer { .. } => "update metier",
            Self::Syntax { .. } | Self::Twice { .. } | Self::Tampered { .. } => {
                "take `skills.lock` from version control; or remove it, and `metier sync` makes it \
                 anew from `skills.toml`"
            }
        }
    }
}

#[derive(Deserialize)]
struct Version {
    version: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[expect(dead_code, reason = "it was read before; here it is a field that may be there")]
    version: i64,
    #[serde(default, rename = "skill")]
    skills: Vec<LockedSkill>,
}

impl Lock {
    /// Reads a lock. Everything in it is checked, so that what is used later is sound.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let marks = ["<<<<<<<", "=======", ">>>>>>>"];
        let conflict =
            text.lines().position(|line| marks.iter().any(|mark| line.starts_with(mark)));
        if let Some(line) = conflict {
            return Err(LockError::Conflict { line: line + 1 });
        }
        let syntax = |error: toml_edit::de::Error| {
            let line = line_at(text, error.span());
            LockError::Syntax { message: format!("line {line}: {}", error.message()) }
        };
        // A newer format may have anything else in it, so its number is read first.
        let Version { version } = toml_edit::de::from_str(text).map_err(syntax)?;
        if version > VERSION {
            return Err(LockError::Newer { version });
        }
        let written: Written = toml_edit::de::from_str(text).map_err(syntax)?;
        let mut lock = Self::default();
        for skill in written.skills {
            let name = skill.name.as_str().to_owned();
            let sorted = skill.files.windows(2).all(|pair| pair[0].path < pair[1].path);
            if !sorted || tree_digest(skill.files.len(), skill.files.iter()) != skill.digest {
                return Err(LockError::Tampered { name });
            }
            let twin = lock.skills.keys().any(|other| other.twin_key() == skill.name.twin_key());
            if twin || lock.skills.insert(skill.name.clone(), skill).is_some() {
                return Err(LockError::Twice { name });
            }
        }
        Ok(lock)
    }

    /// The skills, sorted by name.
    pub fn skills(&self) -> impl ExactSizeIterator<Item = &LockedSkill> {
        self.skills.values()
    }

    /// The skill of that name.
    pub fn get(&self, name: &SkillName) -> Option<&LockedSkill> {
        self.skills.get(name)
    }

    /// Puts a skill in, in place of one of the same name.
    pub fn insert(&mut self, skill: LockedSkill) {
        self.skills.insert(skill.name.clone(), skill);
    }

    /// Takes a skill out.
    pub fn remove(&mut self, name: &SkillName) -> Option<LockedSkill> {
        self.skills.remove(name)
    }

    /// The lock as text: sorted, one file a line, so that a difference reads like what changed.
    pub fn to_toml(&self) -> String {
        let mut text = format!("{HEADER}\nversion = {VERSION}\n");
        for skill in self.skills.values() {
            let _ = write!(
                text,
                "\n[[skill]]\nname = {}\nrequested = {}\nsource = {}\ndigest = \"{}\"\n",
                quoted(skill.name.as_str()),
                quoted(&skill.requested),
                source(&skill.source),
                skill.digest,
            );
            if let Some(into) = &skill.into {
                let _ = writeln!(text, "into = {}", quoted(into.as_str()));
            }
            if !skill.links.is_empty() {
                let links: Vec<String> = skill
                    .links
                    .iter()
                    .map(|(agent, mode)| format!("{} = \"{}\"", quoted(agent), mode.as_str()))
                    .collect();
                let _ = writeln!(text, "links = {{ {} }}", links.join(", "));
            }
            text.push_str("files = [\n");
            for file in &skill.files {
                let executable = if file.executable { ", executable = true" } else { "" };
                let _ = writeln!(
                    text,
                    "  {{ path = {}, size = {}, sha256 = \"{}\"{executable} }},",
                    quoted(file.path.as_str()),
                    file.size,
                    file.sha256,
                );
            }
            text.push_str("]\n");
        }
        text
    }
}

impl LinkMode {
    /// The word that stands in a lock.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Copy => "copy",
        }
    }
}

/// The line that a place in a text is on.
pub(crate) fn line_at(text: &str, span: Option<std::ops::Range<usize>>) -> usize {
    let before = span.and_then(|span| text.get(..span.start)).unwrap_or_default();
    before.matches('\n').count() + 1
}

fn source(origin: &Origin) -> String {
    let mut fields: Vec<(&str, String)> = Vec::new();
    match origin {
        Origin::Git { url, reference, commit, subpath } => {
            fields.push(("kind", "git".to_owned()));
            fields.push(("url", url.to_string()));
            fields.extend(reference.iter().map(|it| ("reference", it.clone())));
            fields.push(("commit", commit.clone()));
            fields.extend(subpath.iter().map(|it| ("subpath", it.to_string())));
        }
        Origin::Folder { path } => {
            fields.extend([("kind", "folder".to_owned()), ("path", path.clone())]);
        }
        Origin::Archive { location, sha256 } => fields.extend([
            ("kind", "archive".to_owned()),
            ("location", location.clone()),
            ("sha256", sha256.to_string()),
        ]),
        Origin::Site { url, skill } => fields.extend([
            ("kind", "site".to_owned()),
            ("url", url.clone()),
            ("skill", skill.as_str().to_owned()),
        ]),
    }
    let fields: Vec<String> =
        fields.into_iter().map(|(key, value)| format!("{key} = {}", quoted(&value))).collect();
    format!("{{ {} }}", fields.join(", "))
}

/// A basic string of TOML, always in double quotes so that one lock has one spelling.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
