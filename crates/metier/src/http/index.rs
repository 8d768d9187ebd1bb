//! Turns the index of a web site into the entries it lists, whichever of the known shapes it has.
//!
//! 1. With `$schema`: the discovery index v0.2.0, entries with `type`, `url` and `digest` (spec W1).
//!    Any other `$schema` is not read.
//! 2. Without: `{"skills": [..]}` or the bare list. An entry with `files` has its files below
//!    `<name>/` beside the index (discovery v0.1, OpenCode); one without has its `SKILL.md` in `<id>/`.

use super::address::Reach;
use super::json;
use crate::source::{Problem, skill_file};
use metier_core::{NameProblem, NameRules, ResourcePath, Severity, name_problems};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use url::Url;

/// The discovery index that entries with digests come in.
pub(super) const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// The longest description, in characters (spec D1).
const MAX_DESCRIPTION: usize = 1024;

/// What the entries of an index look like.
#[derive(Clone, Copy)]
enum Shape {
    /// As `$schema` says: [`SCHEMA`].
    Discovery,
    /// As was usual before there was a schema.
    Plain,
}

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
    pub(super) problems: Vec<Problem>,
}

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
            Beside::Nothing => None,
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

/// Reads the index that came from `at`. Entries that cannot be used are problems; an error means
/// that nothing of it can be used.
pub(super) fn parse(bytes: &[u8], at: &Url, options: &IndexOptions) -> Result<Index, String> {
    let value = json::parse(bytes, options.depth)
        .map_err(|error| format!("the index is not JSON that can be used: {error}"))?;
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
        let mut warnings = Vec::new();
        let entry = match value.as_object() {
            Some(fields) => Draft { fields, at, reach: options.reach }.read(shape),
            None => Err(Skip::error("it is not an object", "write it as an object")),
        };
        let entry = entry.and_then(|entry| {
            warnings = remarks(&entry);
            if keys.insert(entry.key.clone()) {
                Ok(entry)
            } else {
                Err(Skip::error("the name stands twice, the first is kept", "give it another name"))
            }
        });
        match entry {
            Ok(entry) => index.entries.push(entry),
            Err(skip) => warnings = vec![skip],
        }
        let title = title(place, value);
        index.problems.extend(warnings.into_iter().map(|Skip { severity, message, help }| {
            Problem::new(at.as_str(), severity, format!("{title}: {message}"), help)
        }));
    }
    Ok(index)
}

fn unknown_schema(schema: &Value) -> String {
    let known = schema.as_str().map_or_else(|| schema.to_string(), str::to_owned);
    format!("the index has the `$schema` `{known}`, which is not known; this reads `{SCHEMA}`")
}

/// What people find an entry by: its place, and its name where it has one.
fn title(place: usize, value: &Value) -> String {
    let place = place + 1;
    match value.get("name").or_else(|| value.get("id")).and_then(Value::as_str) {
        Some(name) => {
            let name: String = name.chars().take(80).collect();
            format!("entry {place} `{name}`")
        }
        None => format!("entry {place}"),
    }
}

/// What is worth knowing about an entry that is kept.
fn remarks(entry: &Entry) -> Vec<Skip> {
    let warning = |message, help| Skip { severity: Severity::Warning, message, help };
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

/// Why an entry is not listed, or a remark on one that is.
#[derive(Debug)]
struct Skip {
    severity: Severity,
    message: String,
    help: &'static str,
}

impl Skip {
    fn error(message: impl Into<String>, help: &'static str) -> Self {
        Self { severity: Severity::Error, message: message.into(), help }
    }
}

/// An entry that is being read.
struct Draft<'a> {
    fields: &'a Map<String, Value>,
    at: &'a Url,
    reach: Reach,
}

impl<'a> Draft<'a> {
    fn read(&self, shape: Shape) -> Result<Entry, Skip> {
        match shape {
            Shape::Discovery => self.discovery(),
            Shape::Plain => self.plain(),
        }
    }

    /// An entry of the discovery index v0.2.0.
    fn discovery(&self) -> Result<Entry, Skip> {
        let name = self.required("name")?;
        let problems = name_problems(name, NameRules::Ascii);
        if !problems.is_empty() {
            return Err(Skip::error(words(&problems), "lower-case letters, digits and hyphens"));
        }
        safe_component(name)?;
        match self.required("type")? {
            "skill-md" => {}
            "archive" => {
                return Err(Skip::error("archives are installed, not read", "install the skill"));
            }
            other => {
                let message = format!("the type `{other}` is not known, the entry is skipped");
                let help = "`skill-md` and `archive` are known";
                return Err(Skip { severity: Severity::Warning, message, help });
            }
        }
        let description = self.required("description")?;
        let digest = self.required("digest")?;
        if !is_digest(digest) {
            let message = format!("`{digest}` is not a digest");
            return Err(Skip::error(
                message,
                "write `sha256:` and 64 lower-case hexadecimal digits",
            ));
        }
        let address = self.required("url")?;
        let url = self.at.join(address).map_err(|error| {
            Skip::error(format!("`{address}` is not an address: {error}"), "mend the `url`")
        })?;
        let url = self.allowed(url)?;
        Ok(Entry {
            key: name.to_owned(),
            name: name.to_owned(),
            description: Some(description.trim().to_owned()),
            digest: Some(digest.to_owned()),
            url,
            file: skill_file(),
            beside: Beside::Nothing,
        })
    }

    /// An entry of an index without a schema.
    fn plain(&self) -> Result<Entry, Skip> {
        let files = match self.fields.get("files") {
            None | Some(Value::Null) => None,
            Some(Value::Array(files)) => Some(files),
            Some(_) => return Err(Skip::error("`files` is not a list", "list paths")),
        };
        let (key, name) = match (self.text("id")?, self.text("name")?) {
            (Some(id), name) if files.is_none() => (id, name.unwrap_or(id)),
            (_, Some(name)) => (name, name),
            (Some(id), None) => (id, id),
            (None, None) => return Err(Skip::error("there is no `name`", "give it a `name`")),
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

    fn text(&self, field: &str) -> Result<Option<&'a str>, Skip> {
        match self.fields.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Skip::error(format!("`{field}` is not text"), "write it as a string")),
        }
    }

    fn required(&self, field: &str) -> Result<&'a str, Skip> {
        match self.text(field)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            _ => Err(Skip::error(
                format!("there is no `{field}`"),
                "an entry has `name`, `type`, `description`, `url` and `digest`",
            )),
        }
    }

    fn allowed(&self, mut url: Url) -> Result<Url, Skip> {
        url.set_fragment(None);
        match self.reach.follow(self.at, &url) {
            Ok(()) => Ok(url),
            Err(reason) => Err(Skip::error(format!("`{url}`: {reason}"), "mend the `url`")),
        }
    }
}

/// The name of the skill's own file and the others, from a list of paths.
fn own_file(files: &[Value]) -> Result<(ResourcePath, Beside), Skip> {
    let help = "list paths inside the skill, `SKILL.md` among them";
    let mut paths = BTreeSet::new();
    for file in files {
        let text = file.as_str().ok_or_else(|| Skip::error("a file is not text", help))?;
        let path: ResourcePath =
            text.parse().map_err(|error| Skip::error(format!("{error}"), help))?;
        paths.insert(path);
    }
    let own = paths.iter().find(|path| path.as_str() == "SKILL.md");
    let own = own.or_else(|| paths.iter().find(|path| path.as_str() == "skill.md"));
    let own = own.cloned().ok_or_else(|| Skip::error("`files` has no `SKILL.md`", help))?;
    paths.remove(&own);
    Ok((own, Beside::Files(paths.into_iter().collect())))
}

/// Names and ids are parts of addresses, and of paths once a skill is installed (security H08, N03
/// to N09): one component, not hidden, not an option, nothing invisible.
fn safe_component(text: &str) -> Result<(), Skip> {
    let help = "use lower-case letters, digits and single hyphens";
    let path: ResourcePath =
        text.parse().map_err(|error| Skip::error(format!("the name is refused: {error}"), help))?;
    let reason = if path.as_str() != text || path.components().count() != 1 {
        "it is more than one component of a path"
    } else if text.starts_with(['.', '-']) {
        "it starts with a dot or a hyphen"
    } else if crate::visible(text) != text {
        "it holds characters that cannot be seen"
    } else {
        return Ok(());
    };
    Err(Skip::error(format!("the name is refused: {reason}"), help))
}

/// `sha256:` and 64 lower-case hexadecimal digits, exactly (security H05).
fn is_digest(text: &str) -> bool {
    let digits = text.strip_prefix("sha256:").unwrap_or_default();
    digits.len() == 64 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;
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
