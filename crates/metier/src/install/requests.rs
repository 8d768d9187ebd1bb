//! Turns `skills.toml` into what people ask for, and changes it without touching what they wrote around it.

use super::invalid_reference::InvalidReference;
use super::lock::line_at;
use super::reference::Reference;
use crate::visible;
use metier_core::{ResourcePath, SkillName};
use toml_edit::{DocumentMut, InlineTable, Item, Table, Value};

/// The table that the skills stand in.
const TABLE: &str = "skills";

const HEADER: &str =
    "# The skills this project asks for. `metier add` and `metier remove` change this file.\n\n";

/// What people ask for: a name and a reference each.
///
/// ```
/// use metier::install::Requests;
///
/// let mut requests = Requests::parse("# ours\n[skills]\npdf = \"acme/pdf#v1\" # pinned\n").unwrap();
/// let name = "review".parse().unwrap();
/// requests.set(&name, &"./review".parse().unwrap(), None);
/// assert_eq!(
///     requests.to_toml(),
///     "# ours\n[skills]\npdf = \"acme/pdf#v1\" # pinned\nreview = \"./review\"\n"
/// );
/// ```
#[derive(Debug, Clone)]
pub struct Requests {
    document: DocumentMut,
    entries: Vec<Request>,
}

/// One thing that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The name of the skill.
    pub name: SkillName,
    /// Where it comes from.
    pub reference: Reference,
    /// The folder that its folder stands in, when it is not the usual one.
    pub into: Option<ResourcePath>,
}

/// Why `skills.toml` cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestsError {
    /// It is not TOML.
    #[error("it is not TOML: {}", visible(message))]
    Syntax {
        /// What is wrong, with the line.
        message: String,
    },
    /// A key or a value is none that is known.
    #[error("`{}` is not understood: {reason}", visible(key))]
    Entry {
        /// The key.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A reference is none.
    #[error("`{}`: {problem}", visible(key))]
    Reference {
        /// The key.
        key: String,
        /// What is wrong with it.
        problem: InvalidReference,
    },
}

impl Default for Requests {
    fn default() -> Self {
        Self { document: DocumentMut::new(), entries: Vec::new() }
    }
}

impl Requests {
    /// Reads the text of a `skills.toml`.
    pub fn parse(text: &str) -> Result<Self, RequestsError> {
        let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
            let line = line_at(text, error.span());
            RequestsError::Syntax { message: format!("line {line}: {}", error.message()) }
        })?;
        let entry = |key: &str, reason: &str| RequestsError::Entry {
            key: key.to_owned(),
            reason: reason.to_owned(),
        };
        if let Some((key, _)) = document.iter().find(|(key, _)| *key != TABLE) {
            return Err(entry(key, "the only table is `[skills]`"));
        }
        let mut entries = Vec::new();
        if let Some(item) = document.get(TABLE) {
            let table = item.as_table_like().ok_or_else(|| entry(TABLE, "it must be a table"))?;
            for (key, item) in table.iter() {
                entries.push(request(key, item)?);
            }
        }
        Ok(Self { document, entries })
    }

    /// What is asked for, in the order of the file.
    pub fn entries(&self) -> &[Request] {
        &self.entries
    }

    /// What is asked for under a name.
    pub fn get(&self, name: &SkillName) -> Option<&Request> {
        self.entries.iter().find(|request| request.name == *name)
    }

    /// Asks for a skill, in place of what was asked for under its name.
    pub fn set(&mut self, name: &SkillName, reference: &Reference, into: Option<&ResourcePath>) {
        if !self.document.contains_key(TABLE) {
            if self.document.is_empty() {
                self.document.decor_mut().set_prefix(HEADER);
            }
            self.document.insert(TABLE, Item::Table(Table::new()));
        }
        let value = match into {
            None => Value::from(reference.to_string()),
            Some(into) => {
                let mut table = InlineTable::new();
                table.insert("source", reference.to_string().into());
                table.insert("into", into.as_str().into());
                Value::InlineTable(table)
            }
        };
        if let Some(table) = self.document.get_mut(TABLE).and_then(Item::as_table_like_mut) {
            match table.get_mut(name.as_str()).and_then(Item::as_value_mut) {
                Some(old) => {
                    // The comment after it stays where it is.
                    let decor = old.decor().clone();
                    *old = value;
                    *old.decor_mut() = decor;
                }
                None => drop(table.insert(name.as_str(), Item::Value(value))),
            }
        }
        let request =
            Request { name: name.clone(), reference: reference.clone(), into: into.cloned() };
        match self.entries.iter_mut().find(|request| request.name == *name) {
            Some(old) => *old = request,
            None => self.entries.push(request),
        }
    }

    /// Asks for a skill no longer, and says whether it was asked for.
    pub fn remove(&mut self, name: &SkillName) -> bool {
        if let Some(table) = self.document.get_mut(TABLE).and_then(Item::as_table_like_mut) {
            table.remove(name.as_str());
        }
        let before = self.entries.len();
        self.entries.retain(|request| request.name != *name);
        self.entries.len() < before
    }

    /// The text of the file.
    pub fn to_toml(&self) -> String {
        self.document.to_string()
    }
}

fn request(key: &str, item: &Item) -> Result<Request, RequestsError> {
    let wrong = |reason: String| RequestsError::Entry { key: key.to_owned(), reason };
    let name: SkillName =
        key.parse().map_err(|error: metier_core::InvalidName| wrong(error.to_string()))?;
    let (source, into) = if let Some(text) = item.as_str() {
        (text, None)
    } else {
        let usual = "it must be a reference, or `{ source = \"..\", into = \"..\" }`";
        let table = item.as_table_like().ok_or_else(|| wrong(usual.to_owned()))?;
        if let Some((other, _)) = table.iter().find(|(key, _)| !matches!(*key, "source" | "into")) {
            return Err(wrong(format!("it has the key `{other}`, {usual}")));
        }
        let source = table.get("source").and_then(Item::as_str);
        let into = match table.get("into") {
            None => None,
            Some(into) => Some(into.as_str().ok_or_else(|| wrong(usual.to_owned()))?),
        };
        (source.ok_or_else(|| wrong(usual.to_owned()))?, into)
    };
    let reference = source
        .parse()
        .map_err(|problem| RequestsError::Reference { key: key.to_owned(), problem })?;
    let into = into.map(|into| {
        into.parse().map_err(|error: metier_core::InvalidPath| wrong(error.to_string()))
    });
    Ok(Request { name, reference, into: into.transpose()? })
}
