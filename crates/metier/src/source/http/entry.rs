//! Turns one object of an index into an entry, or into the reason why it is none.

use super::address::Reach;
use crate::source::skill_file;
use metier_core::{NameProblem, NameRules, ResourcePath, Severity, name_problems};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use url::Url;

/// The longest description, in characters (spec D1).
const MAX_DESCRIPTION: usize = 1024;

/// One skill of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// How the index knows the skill: its id, else its name.
    pub(super) key: String,
    pub(super) name: String,
    /// `None` where the shape has none; then only the file knows.
    pub(super) description: Option<String>,
    /// What the bytes of the skill's own file must hash to.
    pub(super) digest: Option<String>,
    /// Where the skill's own file is.
    pub(super) url: Url,
    /// What the skill's own file is called.
    pub(super) file: ResourcePath,
    /// The other files.
    pub(super) beside: Beside,
}

/// Which files a skill has beside its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Beside {
    /// None: what has a digest is one file.
    Nothing,
    /// The address is that of an archive with all of them.
    Archive,
    /// These.
    Files(Vec<ResourcePath>),
    /// The index does not say; one may ask.
    Unknown,
}

impl Entry {
    /// Where a file of the skill is; `None` when it has no such file.
    pub(super) fn address(&self, path: &ResourcePath) -> Option<Url> {
        if *path == self.file {
            return Some(self.url.clone());
        }
        match &self.beside {
            Beside::Nothing | Beside::Archive => None,
            Beside::Files(files) if !files.contains(path) => None,
            Beside::Files(_) | Beside::Unknown => Some(below(&self.url, path.components())),
        }
    }
}

/// The address of a file beside the one at `url`. Each component is escaped: `%2e` stays text.
fn below<'a>(url: &Url, components: impl Iterator<Item = &'a str>) -> Url {
    let mut address = url.clone();
    address.set_query(None);
    address.set_fragment(None);
    if let Ok(mut segments) = address.path_segments_mut() {
        segments.pop().extend(components);
    }
    address
}

/// What the entries of an index look like.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// As the schema of the discovery index v0.2.0 says (spec W1).
    Discovery,
    /// As was usual before there was a schema.
    Plain,
}

/// Why an entry is not listed, or a remark on one that is.
#[derive(Debug)]
pub(super) struct Remark {
    pub(super) severity: Severity,
    pub(super) message: String,
    pub(super) help: &'static str,
}

impl Remark {
    pub(super) fn error(message: impl Into<String>, help: &'static str) -> Self {
        Self { severity: Severity::Error, message: message.into(), help }
    }
}

/// An entry that is being read.
pub(super) struct Draft<'a> {
    pub(super) fields: &'a Map<String, Value>,
    /// Where the index is.
    pub(super) at: &'a Url,
    pub(super) reach: Reach,
}

impl<'a> Draft<'a> {
    pub(super) fn read(&self, shape: Shape) -> Result<Entry, Remark> {
        match shape {
            Shape::Discovery => self.discovery(),
            Shape::Plain => self.plain(),
        }
    }

    /// An entry of the discovery index v0.2.0.
    fn discovery(&self) -> Result<Entry, Remark> {
        let name = self.required("name")?;
        let problems = name_problems(name, NameRules::Ascii);
        if !problems.is_empty() {
            return Err(Remark::error(words(&problems), "lower-case letters, digits and hyphens"));
        }
        safe_component(name)?;
        let beside = match self.required("type")? {
            "skill-md" => Beside::Nothing,
            "archive" => Beside::Archive,
            other => {
                let message = format!("the type `{other}` is not known, the entry is skipped");
                let help = "`skill-md` and `archive` are known";
                return Err(Remark { severity: Severity::Warning, message, help });
            }
        };
        let description = self.required("description")?;
        let digest = self.required("digest")?;
        if !is_digest(digest) {
            let message = format!("`{digest}` is not a digest");
            return Err(Remark::error(
                message,
                "write `sha256:` and 64 lower-case hexadecimal digits",
            ));
        }
        let address = self.required("url")?;
        let url = self.at.join(address).map_err(|error| {
            Remark::error(format!("`{address}` is not an address: {error}"), "mend the `url`")
        })?;
        let url = self.allowed(url)?;
        Ok(Entry {
            key: name.to_owned(),
            name: name.to_owned(),
            description: Some(description.trim().to_owned()),
            digest: Some(digest.to_owned()),
            url,
            file: skill_file(),
            beside,
        })
    }

    /// An entry of an index without a schema.
    fn plain(&self) -> Result<Entry, Remark> {
        let files = match self.fields.get("files") {
            None | Some(Value::Null) => None,
            Some(Value::Array(files)) => Some(files),
            Some(_) => return Err(Remark::error("`files` is not a list", "list paths")),
        };
        let (key, name) = match (self.text("id")?, self.text("name")?) {
            (Some(id), name) if files.is_none() => (id, name.unwrap_or(id)),
            (_, Some(name)) => (name, name),
            (Some(id), None) => (id, id),
            (None, None) => return Err(Remark::error("there is no `name`", "give it a `name`")),
        };
        safe_component(key)?;
        safe_component(name)?;
        let description = self.text("description")?.map(str::trim);
        let (file, beside) = match files {
            None => (skill_file(), Beside::Unknown),
            Some(files) => own_file(files)?,
        };
        let url = below(self.at, [key].into_iter().chain(file.components()));
        Ok(Entry {
            key: key.to_owned(),
            name: name.to_owned(),
            description: description.filter(|text| !text.is_empty()).map(str::to_owned),
            digest: None,
            url: self.allowed(url)?,
            file,
            beside,
        })
    }

    fn text(&self, field: &str) -> Result<Option<&'a str>, Remark> {
        match self.fields.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Remark::error(format!("`{field}` is not text"), "write it as a string")),
        }
    }

    fn required(&self, field: &str) -> Result<&'a str, Remark> {
        match self.text(field)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            _ => Err(Remark::error(
                format!("there is no `{field}`"),
                "an entry has `name`, `type`, `description`, `url` and `digest`",
            )),
        }
    }

    fn allowed(&self, mut url: Url) -> Result<Url, Remark> {
        url.set_fragment(None);
        match self.reach.follow(self.at, &url) {
            Ok(()) => Ok(url),
            Err(reason) => Err(Remark::error(format!("`{url}`: {reason}"), "mend the `url`")),
        }
    }
}

/// The name of the skill's own file and the others, from a list of paths.
fn own_file(files: &[Value]) -> Result<(ResourcePath, Beside), Remark> {
    let help = "list paths inside the skill, `SKILL.md` among them";
    let mut paths = BTreeSet::new();
    for file in files {
        let text = file.as_str().ok_or_else(|| Remark::error("a file is not text", help))?;
        let path: ResourcePath =
            text.parse().map_err(|error| Remark::error(format!("{error}"), help))?;
        paths.insert(path);
    }
    let own = paths.iter().find(|path| path.as_str() == "SKILL.md");
    let own = own.or_else(|| paths.iter().find(|path| path.as_str() == "skill.md"));
    let own = own.cloned().ok_or_else(|| Remark::error("`files` has no `SKILL.md`", help))?;
    paths.remove(&own);
    Ok((own, Beside::Files(paths.into_iter().collect())))
}

/// Names and ids are parts of addresses, and of paths once a skill is installed (security H08, N03
/// to N09): one component, not hidden, not an option, nothing invisible.
fn safe_component(text: &str) -> Result<(), Remark> {
    let help = "use lower-case letters, digits and single hyphens";
    let path: ResourcePath = text
        .parse()
        .map_err(|error| Remark::error(format!("the name is refused: {error}"), help))?;
    let reason = if path.as_str() != text || path.components().count() != 1 {
        "it is more than one component of a path"
    } else if text.starts_with(['.', '-']) {
        "it starts with a dot or a hyphen"
    } else if crate::visible(text) != text {
        "it holds characters that cannot be seen"
    } else {
        return Ok(());
    };
    Err(Remark::error(format!("the name is refused: {reason}"), help))
}

/// `sha256:` and 64 lower-case hexadecimal digits, exactly (security H05).
fn is_digest(text: &str) -> bool {
    let digits = text.strip_prefix("sha256:").unwrap_or_default();
    digits.len() == 64 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// What is worth knowing about an entry that is kept.
pub(super) fn remarks(entry: &Entry) -> Vec<Remark> {
    let warning = |message, help| Remark { severity: Severity::Warning, message, help };
    let mut remarks = Vec::new();
    let problems = name_problems(&entry.name, NameRules::Reference);
    if !problems.is_empty() {
        remarks.push(warning(words(&problems), "lower-case letters, digits and single hyphens"));
    }
    let chars = entry.description.as_ref().map_or(0, |description| description.chars().count());
    if chars > MAX_DESCRIPTION {
        let message =
            format!("the description has {chars} characters, {MAX_DESCRIPTION} are allowed");
        remarks.push(warning(message, "shorten it"));
    }
    remarks
}

fn words(problems: &[NameProblem]) -> String {
    let words: Vec<_> = problems.iter().map(ToString::to_string).collect();
    format!("the name is not valid: {}", words.join("; "))
}
