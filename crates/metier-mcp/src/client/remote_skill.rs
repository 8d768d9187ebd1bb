//! Turns an entry of another server's listing into a skill whose files can be verified, or the reason why not.

use crate::digest::{digest, labelled};
use crate::package::{MAX_BYTES, MAX_FILES, SKILL_FILE};
use crate::uri;
use metier::{Files, Listed, ParseOptions, ResourcePath, frontmatter_json};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

/// A skill as the other server describes it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RemoteSkill {
    /// The address of its `SKILL.md`, which is its key.
    pub(crate) uri: String,
    /// What its `SKILL.md` must say: all of it, or just these fields where the listing is an old index.
    claimed: Claim,
    /// Its files; `None` when the server says that they come and go.
    files: Option<BTreeMap<ResourcePath, RemoteFile>>,
}

#[derive(Debug, Clone, PartialEq)]
enum Claim {
    Whole(Map<String, Json>),
    Part(Map<String, Json>),
}

/// A file as the other server describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RemoteFile {
    pub(crate) uri: String,
    pub(crate) size: Option<usize>,
    digest: Option<String>,
}

impl RemoteSkill {
    /// Reads an entry of `skills/list`. A rule that is broken is a reason not to load the skill (SEP-2640).
    pub(crate) fn of_entry(entry: &Json) -> Result<Self, String> {
        let uri = entry["uri"].as_str().ok_or("it has no address")?;
        let frontmatter = entry["frontmatter"].as_object().ok_or("it has no frontmatter")?;
        let root = root_of(uri)?;
        let name = frontmatter.get("name").and_then(Json::as_str).ok_or("it has no name")?;
        let last = root.rsplit('/').next().unwrap_or_default();
        if uri::decode(last).as_deref() != Some(name) {
            return Err("its address does not end in its name".to_owned());
        }
        let files = match &entry["resources"] {
            Json::Array(resources) => Some(files(root, resources)?),
            Json::String(dynamic) if dynamic == "dynamic" => None,
            _ => return Err("it does not say which files it has".to_owned()),
        };
        let own = files.as_ref().map(|files| files.values().any(|file| file.uri == uri));
        if own == Some(false) {
            return Err("it does not list its own `SKILL.md`".to_owned());
        }
        Ok(Self { uri: uri.to_owned(), claimed: Claim::Whole(frontmatter.clone()), files })
    }

    /// Reads an entry of the index that servers had before `skills/list`.
    pub(crate) fn of_index(entry: &Json) -> Result<Self, String> {
        let uri = entry["url"].as_str().ok_or("it has no address")?;
        root_of(uri)?;
        let mut claimed = Map::new();
        for key in ["name", "description"] {
            let value = entry[key].as_str().ok_or_else(|| format!("it has no {key}"))?;
            claimed.insert(key.to_owned(), value.into());
        }
        let digest = entry.get("digest").and_then(Json::as_str).map(str::to_owned);
        let file = RemoteFile { uri: uri.to_owned(), size: None, digest };
        let path = SKILL_FILE.parse().map_err(|_| "it has no `SKILL.md`")?;
        let files = Some(BTreeMap::from([(path, file)]));
        Ok(Self { uri: uri.to_owned(), claimed: Claim::Part(claimed), files })
    }

    /// What a catalog knows of the skill, from what the server claims: nothing is fetched.
    pub(crate) fn listed(&self, options: &ParseOptions) -> Result<Listed, String> {
        let (Claim::Whole(claimed) | Claim::Part(claimed)) = &self.claimed;
        // JSON is YAML, so what a file says and what a server says of it are read alike.
        let text = format!("---\n{}\n---\n", Json::Object(claimed.clone()));
        let (listed, report) = Listed::parse(&self.uri, text.as_bytes(), options);
        let mut listed = listed.ok_or_else(|| {
            let first = report.iter().next().map(|finding| finding.message.clone());
            first.unwrap_or_else(|| "its frontmatter is no skill's".to_owned())
        })?;
        listed.set_location(self.uri.as_str());
        listed.body_offset = 0;
        let own = self.files.iter().flat_map(BTreeMap::values).find(|file| file.uri == self.uri);
        listed.digest = own.and_then(|file| file.digest.as_deref().map(Into::into));
        Ok(listed)
    }

    /// The file at a path; `None` when the skill has none there.
    pub(crate) fn file(&self, path: &ResourcePath) -> Option<RemoteFile> {
        if let Some(files) = &self.files {
            return files.get(path).cloned();
        }
        let root = self.uri.strip_suffix(SKILL_FILE)?;
        let uri = format!("{root}{}", uri::encode(path.as_str()));
        Some(RemoteFile { uri, size: None, digest: None })
    }

    /// The files beside its own.
    pub(crate) fn files(&self) -> Files {
        let paths = self.files.iter().flat_map(BTreeMap::keys);
        Files::of_skill(paths.filter(|path| path.as_str() != SKILL_FILE).cloned())
    }

    /// Whether bytes are what the server said they would be.
    pub(crate) fn verify(&self, path: &ResourcePath, bytes: &[u8]) -> Result<(), &'static str> {
        let file = self.file(path).ok_or("it is not listed")?;
        if file.size.is_some_and(|size| size != bytes.len()) {
            return Err("its size is not the one that the server listed");
        }
        if file.digest.is_some_and(|listed| listed != labelled(&digest(bytes))) {
            return Err("its digest is not the one that the server listed");
        }
        if path.as_str() != SKILL_FILE {
            return Ok(());
        }
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8")?;
        let found = frontmatter_json(text).map_err(|_| "its frontmatter cannot be compared")?;
        let is_as_claimed = match &self.claimed {
            Claim::Whole(claimed) => is_same(&Json::Object(claimed.clone()), &Json::Object(found)),
            Claim::Part(claimed) => {
                claimed.iter().all(|(key, value)| found.get(key).is_some_and(|f| is_same(value, f)))
            }
        };
        if is_as_claimed {
            Ok(())
        } else {
            Err("its frontmatter is not the one that the server listed")
        }
    }
}

/// The address of the directory of a skill, from that of its `SKILL.md`.
fn root_of(uri: &str) -> Result<&str, &'static str> {
    let root = uri.strip_suffix(SKILL_FILE).and_then(|root| root.strip_suffix('/'));
    let root = root.filter(|root| !root.ends_with('/') && root.contains("://"));
    root.filter(|_| !uri.contains(['?', '#'])).ok_or("its address is not one of a `SKILL.md`")
}

fn files(root: &str, resources: &[Json]) -> Result<BTreeMap<ResourcePath, RemoteFile>, String> {
    if resources.len() > MAX_FILES {
        return Err(format!("it has more than {MAX_FILES} files"));
    }
    let mut files = BTreeMap::new();
    let mut total: usize = 0;
    for resource in resources {
        let uri = resource["uri"].as_str().ok_or("a file has no address")?;
        let below = uri.strip_prefix(root).and_then(|below| below.strip_prefix('/'));
        let below =
            below.ok_or_else(|| format!("`{}` is not below the skill", metier::visible(uri)))?;
        let segments: Option<Vec<String>> = below.split('/').map(uri::decode).collect();
        let is_plain =
            |segment: &String| !segment.is_empty() && !segment.contains('/') && segment != ".";
        let segments = segments.filter(|segments| segments.iter().all(is_plain));
        let path = segments.and_then(|segments| segments.join("/").parse::<ResourcePath>().ok());
        let path =
            path.ok_or_else(|| format!("`{}` is no path in a skill", metier::visible(uri)))?;
        let size = resource["size"].as_u64().and_then(|size| usize::try_from(size).ok());
        let size = size.ok_or("a file has no size")?;
        total = total.saturating_add(size);
        if total > MAX_BYTES {
            return Err(format!("it has more than {MAX_BYTES} bytes"));
        }
        let digest = resource["digest"].as_str().filter(|digest| is_digest(digest));
        let digest = Some(digest.ok_or("a file has no digest")?.to_owned());
        if files
            .insert(path, RemoteFile { uri: uri.to_owned(), size: Some(size), digest })
            .is_some()
        {
            return Err(format!("`{}` is listed twice", metier::visible(uri)));
        }
    }
    Ok(files)
}

/// `sha256:` and 64 lower-case digits (security H05).
fn is_digest(text: &str) -> bool {
    let digits = text.strip_prefix("sha256:").unwrap_or_default();
    digits.len() == 64 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Equal in every field, whatever the order of keys; numbers by value.
fn is_same(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, one)| other.get(key).is_some_and(|other| is_same(one, other)))
        }
        (one, other) => one == other,
    }
}
