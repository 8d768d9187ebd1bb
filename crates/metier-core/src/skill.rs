//! Turns a manifest and a body into a skill, and a skill into Markdown, JSON and a digest.

use crate::format::emit;
use crate::manifest::SPEC_KEYS;
use crate::parse::{ParseOptions, effective_name, parse_with};
use crate::tree::{Map, Node, Scalar, Typed, Value};
use crate::{Manifest, Report, SharedText, SkillName, Span};
use serde_json::{Map as JsonMap, Value as Json};
use sha2::{Digest as _, Sha256};
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A skill: its manifest, its instructions and the text they were read from. Cheap to clone.
///
/// Skills are equal when manifest, name and body are; where they came from does not count.
#[derive(Debug, Clone)]
pub struct Skill {
    inner: Arc<Inner>,
}

#[derive(Debug, Clone)]
struct Inner {
    text: Box<str>,
    name: SharedText,
    manifest: Manifest,
    body: Span,
    path: Option<PathBuf>,
    /// Worked out once: loading, comparing and activating all ask for it.
    digest: OnceLock<String>,
}

impl PartialEq for Skill {
    fn eq(&self, other: &Self) -> bool {
        // A name taken from the directory is as good as one that is written down.
        self.name() == other.name()
            && self.body() == other.body()
            && self.manifest().says_the_same(other.manifest())
    }
}

impl Skill {
    pub(crate) fn assemble(
        text: &str,
        manifest: Manifest,
        body: Span,
        directory: Option<&str>,
    ) -> Self {
        let name = effective_name(&manifest, directory);
        Self {
            inner: Arc::new(Inner {
                text: text.into(),
                name,
                manifest,
                body,
                path: None,
                digest: OnceLock::new(),
            }),
        }
    }

    /// Remembers where the skill's file stands.
    pub fn with_path(mut self, path: impl Into<PathBuf>) -> Self {
        Arc::make_mut(&mut self.inner).path = Some(path.into());
        self
    }

    /// The name as written, or the name of the directory when none is given.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The name, if it is valid under the specification's rules.
    pub fn valid_name(&self) -> Option<SkillName> {
        self.name().parse().ok()
    }

    /// What the skill does and when to use it.
    pub fn description(&self) -> &str {
        self.inner.manifest.description.as_deref().unwrap_or_default()
    }

    /// The whole frontmatter.
    pub fn manifest(&self) -> &Manifest {
        &self.inner.manifest
    }

    /// The text of the file, as it was read.
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// Everything after the frontmatter, to the byte.
    pub fn body(&self) -> &str {
        self.inner.body.slice(&self.inner.text)
    }

    /// The byte of the file at which the body starts.
    pub fn body_offset(&self) -> usize {
        self.inner.body.start()
    }

    /// The span of the body in the text.
    pub fn body_span(&self) -> Span {
        self.inner.body
    }

    /// The body without white space around it: what a model is given.
    pub fn instructions(&self) -> &str {
        self.body().trim()
    }

    /// The path of the file, when the skill came from one.
    pub fn path(&self) -> Option<&Path> {
        self.inner.path.as_deref()
    }

    /// The directory that the skill's relative paths start from.
    pub fn dir(&self) -> Option<&Path> {
        self.path().and_then(Path::parent)
    }

    /// The SHA-256 of the text: `sha256:` and 64 hexadecimal digits.
    pub fn digest(&self) -> String {
        let compute = || {
            let hash = Sha256::digest(self.text().as_bytes());
            hash.iter().fold(String::from("sha256:"), |mut digest, byte| {
                let _ = write!(digest, "{byte:02x}");
                digest
            })
        };
        self.inner.digest.get_or_init(compute).clone()
    }

    /// One line for a catalog: `name: description`.
    pub fn describe(&self) -> String {
        format!("{}: {}", self.name(), self.description())
    }

    /// The skill as a `SKILL.md`: keys in the specification's order, then the others; block style;
    /// text quoted exactly where some reader would take it for something else.
    ///
    /// ```
    /// let text = "---\ndescription: 'Fills forms: fast'\nname: pdf\n---\n# Steps\n";
    /// let skill = metier_core::parse(text).skill.unwrap();
    /// let markdown = skill.to_markdown();
    /// assert_eq!(markdown, "---\nname: pdf\ndescription: \"Fills forms: fast\"\n---\n# Steps\n");
    /// assert_eq!(metier_core::parse(&markdown).skill.unwrap(), skill);
    /// ```
    pub fn to_markdown(&self) -> String {
        let mut text = String::from("---\n");
        let manifest = self.manifest();
        emit::write_text_entry("name", self.name(), 0, &mut text);
        emit::write_text_entry("description", self.description(), 0, &mut text);
        for (key, value) in
            [("license", &manifest.license), ("compatibility", &manifest.compatibility)]
        {
            if let Some(value) = value {
                emit::write_text_entry(key, value, 0, &mut text);
            }
        }
        if let Some(tools) = &manifest.allowed_tools {
            emit::write_text_entry("allowed-tools", &tools.to_string(), 0, &mut text);
        }
        if let Some(metadata) = manifest.metadata() {
            emit::write_entry("metadata", &metadata, 0, &mut text);
        }
        emit::write_map(&manifest.extra(), 0, &mut text);
        text.push_str("---\n");
        text.push_str(self.body());
        text
    }

    /// The skill as JSON: `name`, `description`, then `license`, `compatibility`, `allowed-tools`
    /// (a list), `metadata`, `extra` where there are any, and `body`.
    ///
    /// Numbers that JSON would write differently (`1.10`) are text.
    pub fn to_json(&self) -> Json {
        let manifest = self.manifest();
        let mut json = JsonMap::new();
        json.insert("name".to_owned(), self.name().into());
        json.insert("description".to_owned(), self.description().into());
        if let Some(license) = &manifest.license {
            json.insert("license".to_owned(), (&**license).into());
        }
        if let Some(compatibility) = &manifest.compatibility {
            json.insert("compatibility".to_owned(), (&**compatibility).into());
        }
        if let Some(tools) = &manifest.allowed_tools {
            let tools = tools.iter().map(|tool| tool.to_string().into()).collect();
            json.insert("allowed-tools".to_owned(), Json::Array(tools));
        }
        if let Some(metadata) = manifest.metadata() {
            json.insert("metadata".to_owned(), node_json(&metadata));
        }
        let extra = manifest.extra();
        if !extra.is_empty() {
            json.insert("extra".to_owned(), map_json(&extra));
        }
        json.insert("body".to_owned(), self.body().into());
        Json::Object(json)
    }

    /// Makes a skill from JSON: what [`to_json`](Self::to_json) writes, or a flat object of fields.
    /// `allowed-tools` may be spelt `allowed_tools`, and be a list or a string; the body may be
    /// called `body` or `instructions`.
    ///
    /// ```
    /// use metier_core::Skill;
    /// use serde_json::json;
    ///
    /// let skill = Skill::from_json(&json!({
    ///     "name": "pdf",
    ///     "description": "Fills forms. Use for PDFs.",
    ///     "allowed_tools": "Read Write",
    /// }))?;
    /// assert_eq!(Skill::from_json(&skill.to_json())?, skill);
    /// # Ok::<(), metier_core::FromJsonError>(())
    /// ```
    pub fn from_json(json: &Json) -> Result<Self, FromJsonError> {
        let object = json.as_object().ok_or(FromJsonError::NotAnObject)?;
        let text_of = |key: &'static str| match object.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(FromJsonError::WrongType { key, wanted: "text" }),
        };
        let mut text = String::from("---\n");
        for key in ["name", "description"] {
            let value = text_of(key)?.ok_or(FromJsonError::Missing { key })?;
            emit::write_text_entry(key, value, 0, &mut text);
        }
        for key in ["license", "compatibility"] {
            if let Some(value) = text_of(key)? {
                emit::write_text_entry(key, value, 0, &mut text);
            }
        }
        let tools = object.get("allowed-tools").or_else(|| object.get("allowed_tools"));
        match tools {
            None | Some(Json::Null) => {}
            Some(Json::String(tools)) => {
                emit::write_text_entry("allowed-tools", tools, 0, &mut text);
            }
            Some(Json::Array(tools)) => {
                let tools: Option<Vec<_>> = tools.iter().map(Json::as_str).collect();
                let wanted = "text or a list of text";
                let wrong = FromJsonError::WrongType { key: "allowed-tools", wanted };
                let tools = tools.ok_or(wrong)?.join(" ");
                emit::write_text_entry("allowed-tools", &tools, 0, &mut text);
            }
            Some(_) => {
                let wanted = "text or a list of text";
                return Err(FromJsonError::WrongType { key: "allowed-tools", wanted });
            }
        }
        let span = Span::at("", 0);
        if let Some(metadata) = object.get("metadata").filter(|m| !m.is_null()) {
            emit::write_entry("metadata", &json_node(metadata, span), 0, &mut text);
        }
        if let Some(extra) = object.get("extra").and_then(Json::as_object) {
            for (key, value) in extra.iter().filter(|(key, _)| !SPEC_KEYS.contains(&key.as_str())) {
                emit::write_entry(key, &json_node(value, span), 0, &mut text);
            }
        }
        text.push_str("---\n");
        let body = text_of("body")?.or(text_of("instructions")?);
        text.push_str(body.unwrap_or_default());
        // Reading the text back is what makes the skill hold what its text says.
        let parsed = parse_with(&text, &ParseOptions::default());
        parsed.skill.ok_or(FromJsonError::Invalid { report: parsed.report })
    }
}

/// Why JSON is not a skill.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FromJsonError {
    /// The JSON is a list or a single value.
    NotAnObject,
    /// A field that every skill has is not there.
    Missing {
        /// The field.
        key: &'static str,
    },
    /// A field has the wrong type.
    WrongType {
        /// The field.
        key: &'static str,
        /// What it should be.
        wanted: &'static str,
    },
    /// The fields make no skill that can be loaded.
    Invalid {
        /// Why not.
        report: Report,
    },
}

impl fmt::Display for FromJsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject => f.write_str("a skill in JSON must be an object"),
            Self::Missing { key } => write!(f, "the skill has no `{key}`"),
            Self::WrongType { key, wanted } => write!(f, "`{key}` must be {wanted}"),
            Self::Invalid { report } => {
                f.write_str("the fields make no skill")?;
                report.iter().try_for_each(|finding| write!(f, "; {}", finding.message))
            }
        }
    }
}

impl std::error::Error for FromJsonError {}

fn node_json(node: &Node) -> Json {
    match &node.value {
        Value::Scalar(scalar) => scalar_json(scalar),
        Value::List(items) => Json::Array(items.iter().map(node_json).collect()),
        Value::Map(map) => map_json(map),
    }
}

fn map_json(map: &Map) -> Json {
    Json::Object(map.iter().map(|entry| (entry.key.clone(), node_json(&entry.value))).collect())
}

fn scalar_json(scalar: &Scalar) -> Json {
    let typed = match scalar.typed() {
        Typed::Null => return Json::Null,
        Typed::Bool(value) => return Json::Bool(value),
        Typed::Text(text) => return text.into(),
        Typed::Int(value) => Json::from(value),
        Typed::Float(value) => Json::from(value),
    };
    // JSON has one way to write a number; where the author chose another, the text is the truth.
    let json_text = typed.to_string();
    if json_text == scalar.text() { typed } else { scalar.text().into() }
}

fn json_node(json: &Json, span: Span) -> Node {
    let value = match json {
        Json::Null => Value::Scalar(Scalar::plain("null")),
        Json::Bool(value) => Value::Scalar(Scalar::plain(value.to_string())),
        Json::Number(number) => Value::Scalar(Scalar::plain(number.to_string())),
        Json::String(text) => Value::Scalar(Scalar::quoted(text)),
        Json::Array(items) => Value::List(items.iter().map(|item| json_node(item, span)).collect()),
        Json::Object(object) => {
            let mut map = Map::default();
            for (key, value) in object {
                let value = json_node(value, span);
                // JSON keys are distinct already.
                let _ = map.insert(crate::Entry { key: key.clone(), key_span: span, value });
            }
            Value::Map(map)
        }
    };
    Node { value, span }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_numbers_in_json_unless_json_would_write_them_differently() {
        for (text, json) in
            [("1", Json::from(1)), ("1.5", Json::from(1.5)), ("1.10", "1.10".into())]
        {
            assert_eq!(scalar_json(&Scalar::plain(text)), json);
        }
    }
}
