//! Turns what is served into the index and the files that web discovery reads (`/.well-known/agent-skills/`).

use crate::archive::archive;
use crate::digest::{Digest, digest, hex, labelled};
use crate::journal::Level;
use crate::listing_entry::is_name;
use crate::media;
use crate::package::{Contents, Package, SKILL_FILE};
use crate::resources::INDEX_SCHEMA;
use crate::server::Server;
use crate::uri;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What a folder on the web holds for tools that look for skills: the index (v0.2.0), every file of
/// every skill in it, and an archive of each skill that has more than one file.
///
/// Each entry has `files` and `version` too, for clients that read files one by one; the version is
/// different whenever a file is.
///
/// ```
/// use metier::{Blocking, Memory, Registry};
/// use metier_mcp::{ServeOptions, Server};
///
/// let memory = Memory::new("m").inline("haiku", "Writes haiku. Use for poems.", "Five, seven, five.");
/// let registry = Registry::builder().source(Blocking(memory)).open();
/// let index = Server::new(registry, ServeOptions::default()).web_index();
/// let paths: Vec<_> = index.paths().collect();
/// assert_eq!(paths, ["haiku/SKILL.md", "index.json"]);
/// assert!(index.read("haiku/SKILL.md").unwrap().starts_with(b"---\nname: haiku"));
/// ```
#[derive(Clone)]
pub struct WebIndex {
    server: Server,
    made: Arc<Made>,
}

/// What the index holds at one generation of the catalog.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) generation: u64,
    files: BTreeMap<String, WebFile>,
    index: Arc<[u8]>,
}

/// A file below the index.
#[derive(Debug)]
struct WebFile {
    digest: Digest,
    kind: WebKind,
}

#[derive(Debug)]
enum WebKind {
    Index,
    /// A file of a skill, by its address.
    File(String),
    /// The archive of the skill at an address.
    Archive(String),
}

impl Made {
    pub(crate) fn of(server: &Server) -> Self {
        let store = server.store();
        let served = store.served();
        let mut files = BTreeMap::new();
        let mut skills = Vec::new();
        let all = served.addresses.all.iter().enumerate();
        // One skill a name: the others are for those who know their addresses.
        for (at, address) in all.filter(|(_, address)| is_name(&address.path)) {
            if skills.len() >= server.options().list_cap {
                break;
            }
            let shelf = store.shelf(&served, at);
            let entry = store.entry(&served, at);
            let (Ok(package), Ok(entry)) = (&shelf.package, entry) else { continue };
            let name = &*address.path;
            let made = Artifact::make(server, name, package);
            let Some(artifact) = made else {
                let fields =
                    [("skill", uri::of(name)), ("reason", "a path is too long".to_owned())];
                store.journal.record(Level::Warn, "not in the web index", &fields);
                continue;
            };
            skills.push(json!({
                "name": name,
                "type": artifact.kind,
                "description": entry["frontmatter"]["description"],
                "url": artifact.path,
                "digest": labelled(&artifact.digest),
                "files": package.files.keys().collect::<Vec<_>>(),
                "version": version(package),
            }));
            for (path, packed) in package.files.iter() {
                let kind = WebKind::File(uri::of_file(name, path));
                files.insert(format!("{name}/{path}"), WebFile { digest: packed.digest, kind });
            }
            if artifact.kind == ARCHIVE {
                let kind = WebKind::Archive(name.to_owned());
                files.insert(artifact.path, WebFile { digest: artifact.digest, kind });
            }
        }
        let index: Json = json!({ "$schema": INDEX_SCHEMA, "skills": skills });
        let index: Arc<[u8]> = format!("{index:#}\n").into_bytes().into();
        files.insert(
            "index.json".to_owned(),
            WebFile { digest: digest(&index), kind: WebKind::Index },
        );
        Self { generation: served.generation, files, index }
    }
}

impl WebIndex {
    pub(crate) fn new(server: &Server, made: Arc<Made>) -> Self {
        Self { server: server.clone(), made }
    }

    /// The paths of all files, relative to the index, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.made.files.keys().map(String::as_str)
    }

    /// The bytes of a file; `None` for a path that is not there, and for a file that has changed since
    /// the index was made.
    pub fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        let file = self.made.files.get(path)?;
        let bytes = match &file.kind {
            WebKind::Index => self.made.index.clone(),
            WebKind::File(address) => self.server.store().file(address).ok()?.bytes,
            WebKind::Archive(name) => {
                let prefix = format!("{name}/");
                let inside = self.made.files.keys().filter(|path| path.starts_with(&prefix));
                let paths = inside.map(|path| path[prefix.len()..].to_owned());
                archive(&contents(&self.server, name, paths)?)?.into()
            }
        };
        (digest(&bytes) == file.digest).then_some(bytes)
    }

    /// The digest of a file in lower-case hexadecimal.
    pub fn digest(&self, path: &str) -> Option<String> {
        self.made.files.get(path).map(|file| hex(&file.digest))
    }

    /// The media type of a file.
    pub fn media(&self, path: &str) -> &'static str {
        media::of(path)
    }
}

impl fmt::Debug for WebIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebIndex").field("files", &self.made.files.len()).finish_non_exhaustive()
    }
}

/// The two kinds of artifacts.
const SKILL_MD: &str = "skill-md";
const ARCHIVE: &str = "archive";

/// What an entry of the index points at.
struct Artifact {
    kind: &'static str,
    path: String,
    digest: Digest,
}

impl Artifact {
    fn make(server: &Server, name: &str, package: &Package) -> Option<Self> {
        if package.files.len() == 1 {
            let path = format!("{name}/{SKILL_FILE}");
            return Some(Self { kind: SKILL_MD, path, digest: package.files[SKILL_FILE].digest });
        }
        let contents = contents(server, name, package.files.keys().map(str::to_owned))?;
        let digest = digest(&archive(&contents)?);
        Some(Self { kind: ARCHIVE, path: format!("{name}.tar.gz"), digest })
    }
}

/// The bytes of files of a skill.
fn contents(server: &Server, name: &str, paths: impl Iterator<Item = String>) -> Option<Contents> {
    let read = |path: String| {
        let file = server.store().file(&uri::of_file(name, &path)).ok()?;
        Some((path, file.bytes))
    };
    paths.map(read).collect()
}

/// Short text that is different whenever a file is.
fn version(package: &Package) -> String {
    let listed = package.files.iter().fold(String::new(), |text, (path, packed)| {
        text + path + "\0" + &hex(&packed.digest) + "\n"
    });
    hex(&digest(listed.as_bytes()))[..16].to_owned()
}
