//! Turns the text of a skill into the JSON that every reader of YAML 1.2 makes of its frontmatter.

use crate::parse::document::Document;
use crate::parse::yaml;
use crate::tree::{Map, Node, Scalar, Typed, Value};
use crate::{Limits, Mode, Report, Rule};
use serde_json::{Map as JsonMap, Value as Json};
use std::fmt;

/// Why two readers may disagree about a frontmatter, so that it cannot be handed on as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotPortable {
    /// What is in the way, in one sentence.
    pub reason: String,
}

impl fmt::Display for NotPortable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for NotPortable {}

/// The frontmatter as JSON, typed by the core schema of YAML 1.2 (§10.3) and complete: what a host
/// compares with its own reading of the file before it loads a skill from a server.
///
/// Nothing is repaired here. What only a lenient reader accepts, such as an unquoted colon or text before
/// the first fence, is refused with the reason.
///
/// ```
/// use metier_core::frontmatter_json;
///
/// let json = frontmatter_json("---\nname: pdf\nversion: 1.10\nbeta: yes\n---\n").unwrap();
/// assert_eq!(serde_json::to_string(&json).unwrap(), r#"{"name":"pdf","version":1.1,"beta":"yes"}"#);
/// assert!(frontmatter_json("---\nname: a: b\n---\n").is_err());
/// ```
pub fn frontmatter_json(text: &str) -> Result<JsonMap<String, Json>, NotPortable> {
    let limits = Limits::default();
    let mut report = Report::new(Mode::Strict);
    let document = Document::split(text, &limits, &mut report);
    // One byte order mark is dropped by every reader (security Y24).
    if let Some(finding) = report.iter().find(|finding| finding.rule != Rule::ByteOrderMark) {
        return Err(refuse(&finding.message));
    }
    let Some(document) = document.filter(|document| !document.is_closer_indented) else {
        return Err(refuse("the frontmatter is not closed"));
    };
    let range = document.frontmatter.start()..document.frontmatter.end();
    let tree = yaml::read(text, range, &limits).map_err(|error| refuse(&error.message))?;
    if let Some(duplicate) = tree.duplicates.first() {
        return Err(refuse(&format!("the key `{}` is there twice", duplicate.again.key)));
    }
    match tree.root.map(|root| root.value) {
        Some(Value::Map(map)) => map_json(text, &map),
        _ => Err(refuse("the frontmatter is not a mapping")),
    }
}

fn refuse(reason: &str) -> NotPortable {
    NotPortable { reason: reason.to_owned() }
}

fn map_json(text: &str, map: &Map) -> Result<JsonMap<String, Json>, NotPortable> {
    map.iter().map(|entry| Ok((entry.key.clone(), node_json(text, &entry.value)?))).collect()
}

fn node_json(text: &str, node: &Node) -> Result<Json, NotPortable> {
    let starts_with = |node: &Node, mark| text[node.span.start()..].starts_with(mark);
    match &node.value {
        Value::Scalar(scalar) => scalar_json(scalar),
        Value::Map(map) => map_json(text, map).map(Json::Object),
        Value::List(items) => {
            // `[optional: date]` is a list of one mapping to some readers, and an error to others.
            let is_bare = |item: &Node| item.as_map().is_some() && !starts_with(item, '{');
            if starts_with(node, '[') && items.iter().any(is_bare) {
                return Err(refuse("a mapping without braces stands in a list: quote it"));
            }
            items
                .iter()
                .map(|item| node_json(text, item))
                .collect::<Result<_, _>>()
                .map(Json::Array)
        }
    }
}

fn scalar_json(scalar: &Scalar) -> Result<Json, NotPortable> {
    Ok(match scalar.typed() {
        Typed::Null => Json::Null,
        Typed::Bool(value) => value.into(),
        Typed::Int(value) => value.into(),
        Typed::Text(text) => text.into(),
        Typed::Float(value) if value.is_finite() => value.into(),
        Typed::Float(_) => {
            return Err(refuse(&format!("`{}` is no number in JSON: quote it", scalar.text())));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(frontmatter: &str) -> Result<String, String> {
        let json = frontmatter_json(&format!("---\n{frontmatter}---\nBody\n"));
        json.map(|json| Json::Object(json).to_string()).map_err(|error| error.reason)
    }

    #[test]
    fn scalars_are_typed_as_yaml_1_2_types_them() {
        for (yaml, expected) in [
            ("yes", r#""yes""#),
            ("on", r#""on""#),
            ("1_000", r#""1_000""#),
            ("1.10", "1.1"),
            ("012", "12"),
            ("0x1F", "31"),
            ("2026-11-15", r#""2026-11-15""#),
            ("\"1.10\"", r#""1.10""#),
            ("~", "null"),
            ("True", "true"),
            ("[a, 1, {b: c}]", r#"["a",1,{"b":"c"}]"#),
            ("\n  - b: c\n  - [d]", r#"[{"b":"c"},["d"]]"#),
        ] {
            assert_eq!(
                json(&format!("x: {yaml}\n")),
                Ok(format!("{{\"x\":{expected}}}")),
                "{yaml}"
            );
        }
    }

    #[test]
    fn what_readers_disagree_about_is_refused() {
        for yaml in
            ["x: .inf\n", "x: a: b\n", "x: 1\nx: 2\n", "x: &a b\n", "- x\n", "x: *a\n", "x: !y z\n"]
        {
            assert!(json(yaml).is_err(), "{yaml}");
        }
        for text in [
            "\n---\nx: y\n---\n",
            "<!-- c -->\n---\nx: y\n---\n",
            "---\nx: y\n",
            "---\nx: y\n ---\n",
            "x",
        ] {
            assert!(frontmatter_json(text).is_err(), "{text}");
        }
        assert!(frontmatter_json("\u{feff}---\nx: y\n---\n").is_ok());
        assert!(frontmatter_json("---\r\nx: y\r\n---\r\n").is_ok());
    }
}
