//! Turns the index of a web site into the entries it lists, whichever of the known shapes it has.
//!
//! 1. With `$schema`: the discovery index v0.2.0, entries with `type`, `url` and `digest` (spec W1).
//!    Any other `$schema` is not read.
//! 2. Without: `{"skills": [..]}` or the bare list. An entry with `files` has its files below
//!    `<name>/` beside the index (discovery v0.1, OpenCode); one without has its `SKILL.md` in `<id>/`.

use super::address::Reach;
use super::entry::{Beside, Draft, Entry, Remark, Shape, remarks};
use super::json;
use crate::Problem;
use metier_core::Severity;
use serde_json::Value;
use std::collections::BTreeSet;
use url::Url;

/// The discovery index that entries with digests come in.
pub(super) const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// How many characters of an index a message repeats.
const MAX_QUOTED: usize = 200;

/// How an index is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndexOptions {
    /// The most entries.
    pub(super) entries: usize,
    /// The deepest nesting.
    pub(super) depth: usize,
    /// Which addresses an entry may name.
    pub(super) reach: Reach,
}

/// What an index lists.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) entries: Vec<Entry>,
    /// Entries that are archives. They are problems too: a source reads files.
    pub(super) archives: Vec<Entry>,
    pub(super) problems: Vec<Problem>,
}

/// Reads the index that came from `at`. Entries that cannot be used are problems; an error means
/// that nothing of it can be used.
pub(super) fn parse(bytes: &[u8], at: &Url, options: &IndexOptions) -> Result<Index, String> {
    let value = json::parse(bytes, options.depth)
        .map_err(|error| format!("the index is not JSON that can be used: {}", clipped(&error)))?;
    let mut index = Index::default();
    let (values, shape) = match value {
        Value::Array(values) => (values, Shape::Plain),
        Value::Object(mut object) => {
            let shape = match object.get("$schema") {
                None => Shape::Plain,
                Some(Value::String(schema)) if schema == SCHEMA => Shape::Discovery,
                Some(other) => return Err(unknown_schema(other)), // spec W2, security H07
            };
            match object.remove("skills") {
                Some(Value::Array(values)) => (values, shape),
                Some(_) => return Err("`skills` of the index is not a list".to_owned()),
                None => {
                    index.problems.push(Problem::new(
                        at.as_str(),
                        Severity::Warning,
                        "the index has no `skills`",
                        "check that the address is that of an index of skills",
                    ));
                    return Ok(index);
                }
            }
        }
        _ => return Err("the index is neither a list nor an object".to_owned()),
    };
    if values.len() > options.entries {
        let (entries, limit) = (values.len(), options.entries);
        return Err(format!("the index has {entries} entries, the limit is {limit}"));
    }
    let mut keys = BTreeSet::new();
    for (place, value) in values.iter().enumerate() {
        let draft = match value.as_object() {
            Some(fields) => Draft { fields, at, reach: options.reach }.read(shape),
            None => Err(Remark::error("it is not an object", "write it as an object")),
        };
        let said = match draft {
            Ok(entry) if entry.beside == Beside::Archive => {
                index.archives.push(entry);
                vec![Remark::error("archives are installed, not read", "install the skill")]
            }
            Ok(entry) if keys.insert(entry.key.clone()) => {
                let said = remarks(&entry);
                index.entries.push(entry);
                said
            }
            Ok(_) => vec![Remark::error(
                "the name stands twice, the first is kept",
                "give it another name",
            )],
            Err(refusal) => vec![refusal],
        };
        let title = title(place, value);
        index.problems.extend(said.into_iter().map(|Remark { severity, message, help }| {
            let message = format!("{title}: {}", clipped(&message));
            Problem::new(at.as_str(), severity, message, help)
        }));
    }
    Ok(index)
}

fn unknown_schema(schema: &Value) -> String {
    let found = schema.as_str().map_or_else(|| schema.to_string(), str::to_owned);
    let found = clipped(&found);
    format!("the index has the `$schema` `{found}`, which is not known; this reads `{SCHEMA}`")
}

/// Text that quotes a stranger: one line that can be seen, and not a megabyte of it.
fn clipped(text: &impl ToString) -> String {
    let text = text.to_string();
    let mut chars = text.chars();
    let mut start: String = chars.by_ref().take(MAX_QUOTED).collect();
    if chars.next().is_some() {
        start.push('…');
    }
    crate::visible(&start).into_owned()
}

/// What people find an entry by: its place, and its name where it has one.
fn title(place: usize, value: &Value) -> String {
    let place = place + 1;
    match value.get("name").or_else(|| value.get("id")).and_then(Value::as_str) {
        Some(name) => format!("entry {place} `{}`", clipped(&name)),
        None => format!("entry {place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::http::entry::Beside;
    use proptest::prelude::*;
    use serde_json::json;

    const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn parse_at(value: &Value, at: &str) -> Result<Index, String> {
        let options = IndexOptions { entries: 5, depth: 64, reach: Reach::default() };
        parse(value.to_string().as_bytes(), &at.parse().unwrap(), &options)
    }

    fn read(value: &Value) -> Index {
        parse_at(value, "https://a.example/base/index.json?x#y").unwrap()
    }

    fn messages(index: &Index) -> Vec<&str> {
        index.problems.iter().map(|problem| problem.message.as_str()).collect()
    }

    fn discovery(change: &Value) -> Value {
        let mut entry = json!({
            "name": "pdf", "type": "skill-md", "description": "Use for PDFs.",
            "url": "pdf/SKILL.md", "digest": DIGEST,
        });
        for (key, value) in change.as_object().unwrap() {
            entry[key] = value.clone();
        }
        json!({ "$schema": SCHEMA, "skills": [entry] })
    }

    #[test]
    fn addresses_are_resolved_against_that_of_the_index() {
        for (url, expected) in [
            ("pdf/SKILL.md", "https://a.example/base/pdf/SKILL.md"),
            ("/s/SKILL.md?v=2#x", "https://a.example/s/SKILL.md?v=2"),
            ("//b.example/SKILL.md", "https://b.example/SKILL.md"),
            ("https://b.example:8443/x", "https://b.example:8443/x"),
            ("../../../x", "https://a.example/x"),
        ] {
            let index = read(&discovery(&json!({ "url": url })));
            assert_eq!(index.entries[0].url.as_str(), expected);
            assert!(index.problems.is_empty());
        }
    }

    #[test]
    fn what_an_entry_of_the_discovery_index_must_have() {
        let nothing = Value::Null;
        for (change, message) in [
            (json!({ "digest": nothing }), "there is no `digest`"),
            (json!({ "digest": "" }), "there is no `digest`"),
            (json!({ "digest": 1 }), "`digest` is not text"),
            (json!({ "digest": "md5:0" }), "`md5:0` is not a digest"),
            (json!({ "digest": DIGEST.replace("sha", "SHA") }), "is not a digest"),
            (json!({ "digest": DIGEST.to_uppercase().replace("SHA", "sha") }), "is not a digest"),
            (json!({ "digest": &DIGEST[..70] }), "is not a digest"),
            (json!({ "digest": format!("{DIGEST}0") }), "is not a digest"),
            (json!({ "digest": &DIGEST[7..] }), "is not a digest"),
            (json!({ "description": " " }), "there is no `description`"),
            (json!({ "type": nothing }), "there is no `type`"),
            (json!({ "type": "archive" }), "archives are installed, not read"),
            (json!({ "url": "http://a.example/x" }), "from `https:` to `http:`"),
            (json!({ "url": "https://10.0.0.1/x" }), "not a public address"),
            (json!({ "url": "file:///etc/passwd" }), "not a scheme"),
            (json!({ "url": "https://u@b.example/x" }), "user name"),
            (json!({ "url": "https://[" }), "is not an address"),
        ] {
            let index = read(&discovery(&change));
            assert!(index.entries.is_empty(), "{change}");
            assert!(messages(&index)[0].contains(message), "{change}: {:?}", messages(&index));
            assert_eq!(index.problems[0].severity, Severity::Error);
        }
    }

    #[test]
    fn an_unknown_type_is_skipped_with_a_warning_and_an_unknown_field_ignored() {
        let index = read(&discovery(&json!({ "type": "mcp", "files": 3 })));
        assert_eq!(index.problems[0].severity, Severity::Warning);
        assert_eq!(
            messages(&index),
            ["entry 1 `pdf`: the type `mcp` is not known, the entry is skipped"]
        );
        assert_eq!(read(&discovery(&json!({ "files": 3 }))).entries[0].beside, Beside::Nothing);
    }

    #[test]
    fn a_hostile_name_is_refused_and_the_others_kept() {
        for name in [
            "../x",
            "..",
            ".",
            ".git",
            "/etc",
            "a/b",
            "a\\b",
            "C:x",
            "\\\\host\\x",
            "-x",
            "--x=y",
            "nul",
            "COM\u{b9}",
            "aux.md",
            "x.",
            "x ",
            "pdf\u{200b}",
            "\u{202e}x",
            "a\nb",
            "",
            "./x",
            "x/",
        ] {
            let plain = json!([{ "name": name }, { "name": "pdf" }]);
            let id = json!([{ "id": name, "name": "x" }, { "id": "pdf" }]);
            let mut strict = discovery(&json!({}));
            let kept = strict["skills"][0].clone();
            strict["skills"][0]["name"] = name.into();
            strict["skills"].as_array_mut().unwrap().push(kept);
            for value in [plain, id, strict] {
                let index = read(&value);
                assert_eq!(index.problems.len(), 1, "{value}");
                assert_eq!(index.entries.len(), 1, "{value}");
                assert_eq!(index.entries[0].key, "pdf");
            }
        }
    }

    #[test]
    fn an_odd_name_is_kept_where_no_schema_forbids_it() {
        let index =
            read(&json!({ "skills": [{ "id": "PDF_1", "description": "x".repeat(1025) }] }));
        assert_eq!(index.entries[0].url.as_str(), "https://a.example/base/PDF_1/SKILL.md");
        assert!(index.problems.iter().all(|problem| problem.severity == Severity::Warning));
        assert_eq!(index.problems.len(), 2);
        assert!(read(&discovery(&json!({ "name": "PDF" }))).entries.is_empty());
    }

    #[test]
    fn messages_quote_a_stranger_within_bounds() {
        let long = format!("\u{1b}[2J{}", "x".repeat(100_000));
        let index = read(&json!([{ "name": long, "description": 1 }, { "name": &long }]));
        assert!(messages(&index).iter().all(|message| message.chars().count() < 500));
        let error = parse_at(&json!({ "$schema": long }), "https://a.example/").unwrap_err();
        assert!(error.contains(r"`\u{1b}[2Jxxx") && error.chars().count() < 400, "{error}");
        let twice = format!(r#"{{"{}": 1, "{0}": 2}}"#, "\u{202e}".repeat(1000));
        let options = IndexOptions { entries: 5, depth: 64, reach: Reach::default() };
        let error = parse(twice.as_bytes(), &"https://a.example/".parse().unwrap(), &options);
        assert!(!error.unwrap_err().contains('\u{202e}'));
    }

    #[test]
    fn files_stand_below_the_name() {
        let files = json!(["SKILL.md", "a b/%2e%2e/#?.md"]);
        let index = read(&json!([{ "name": "pdf", "files": files, "version": "1" }]));
        let entry = &index.entries[0];
        let path = "a b/%2e%2e/#?.md".parse().unwrap();
        assert_eq!(
            entry.address(&path).unwrap().as_str(),
            "https://a.example/base/pdf/a%20b/%252e%252e/%23%3F.md"
        );
        assert_eq!(entry.address(&"other.md".parse().unwrap()), None);
        for files in [json!([]), json!(["a.md"]), json!(["SKILL.md", "../x"]), json!([1]), json!(1)]
        {
            let index = read(&json!([{ "name": "pdf", "files": files }]));
            assert!(index.entries.is_empty() && index.problems.len() == 1);
        }
    }

    #[test]
    fn what_no_entry_can_be_read_from_is_an_error() {
        for (value, message) in [
            (
                json!({ "$schema": "https://x/9.9.9", "skills": [] }),
                "`https://x/9.9.9`, which is not",
            ),
            (json!({ "$schema": null, "skills": [] }), "`null`, which is not known"),
            (json!({ "skills": {} }), "`skills` of the index is not a list"),
            (json!("x"), "neither a list nor an object"),
            (json!([1, 2, 3, 4, 5, 6]), "6 entries, the limit is 5"),
        ] {
            let error = parse_at(&value, "https://a.example/").unwrap_err();
            assert!(error.contains(message), "{error}");
        }
        assert_eq!(messages(&read(&json!({}))), ["the index has no `skills`"]);
        let twice = read(&json!([{ "name": "a" }, { "name": "a" }, 1]));
        assert_eq!((twice.entries.len(), twice.problems.len()), (1, 2));
    }

    proptest! {
        #[test]
        fn an_entry_is_kept_or_a_problem(
            name in ".{0,12}", id in proptest::option::of(".{0,12}"), file in ".{0,12}", url in ".{0,20}",
        ) {
            let entries = json!([
                { "name": name, "id": id },
                { "name": "with-files", "files": ["SKILL.md", file] },
            ]);
            let index = read(&entries);
            prop_assert!(index.entries.len() + index.problems.len() >= 2);
            for entry in &index.entries {
                prop_assert!(entry.url.as_str().starts_with("https://a.example/base/"));
            }
            let index = read(&discovery(&json!({ "url": url })));
            prop_assert_eq!(index.entries.len() + index.problems.len(), 1);
        }
    }
}
