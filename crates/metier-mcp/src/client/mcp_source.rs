//! Turns what another MCP server lists into skills, and what it sends into files that were verified.

use super::connection::{Connection, McpError};
use super::http_wire::HttpWire;
use super::remote_skill::RemoteSkill;
use super::stream_wire::StreamWire;
use crate::uri;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use metier::{
    BlockingSource, Files, Listing, ParseOptions, Problem, ReadOptions, Resource, ResourcePath,
    Severity, SourceError, Trust,
};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

/// How another server is asked.
#[derive(Debug, Clone)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct McpSourceOptions {
    /// Whether its skills may reach a model without a person having agreed. That a file has the digest
    /// which the same server gave for it says nothing about that.
    pub trust: Trust,
    /// How long to wait for an answer.
    pub timeout: Duration,
    /// How many pages are read (security M15).
    pub max_pages: usize,
    /// How many skills are listed.
    pub max_skills: usize,
    /// How frontmatter is read.
    pub parse: ParseOptions,
}

impl Default for McpSourceOptions {
    fn default() -> Self {
        Self {
            trust: Trust::Untrusted,
            timeout: Duration::from_secs(30),
            max_pages: 250,
            max_skills: 10_000,
            parse: ParseOptions::default(),
        }
    }
}

/// The skills of another MCP server (SEP-2640), of either protocol era.
///
/// 1. Listing fetches no file: a skill is known by what the server says of it.
/// 2. A file is fetched when it is read, if it was listed, and only used if its size and digest are those
///    of the listing; a `SKILL.md` also if its frontmatter is, field by field.
/// 3. Its skills give way to skills of the same name from any other source, and stay reachable as
///    `label:name`.
/// 4. A server without the extension is asked for the older `skill://index.json`.
///
/// ```no_run
/// use metier::{Blocking, Registry};
/// use metier_mcp::{McpSource, McpSourceOptions};
///
/// let team = McpSource::http("team", "https://skills.example.com/mcp", None, McpSourceOptions::default());
/// let registry = Registry::builder().source(Blocking(team)).open();
/// # let _ = registry;
/// ```
#[derive(Debug)]
pub struct McpSource {
    label: String,
    options: McpSourceOptions,
    connection: Mutex<Connection>,
    skills: RwLock<Arc<BTreeMap<String, RemoteSkill>>>,
}

/// A skill, or the address of an entry that is refused, and why.
type ReadEntry = Result<RemoteSkill, (String, String)>;

impl McpSource {
    /// The server at an address; `token` is sent to it and nowhere else.
    pub fn http(
        label: impl Into<String>,
        url: &str,
        token: Option<String>,
        options: McpSourceOptions,
    ) -> Self {
        let wire = HttpWire::new(url, token, options.timeout);
        Self::new(label.into(), Connection::new(wire), options)
    }

    /// The server at the other end of two streams, such as the output and input of a program that the
    /// host has started.
    pub fn streams(
        label: impl Into<String>,
        read: impl Read + Send + 'static,
        write: impl Write + Send + 'static,
        options: McpSourceOptions,
    ) -> Self {
        let wire = StreamWire::new(read, write, options.timeout);
        Self::new(label.into(), Connection::new(wire), options)
    }

    /// The server that a command starts. It is ended when the source is dropped.
    ///
    /// ```no_run
    /// use metier_mcp::{McpSource, McpSourceOptions};
    /// use std::process::Command;
    ///
    /// let mut command = Command::new("metier");
    /// command.args(["serve", "--root", "team-skills"]);
    /// let team = McpSource::command("team", command, McpSourceOptions::default())?;
    /// # drop(team);
    /// # Ok::<(), metier_mcp::McpError>(())
    /// ```
    pub fn command(
        label: impl Into<String>,
        mut command: Command,
        options: McpSourceOptions,
    ) -> Result<Self, McpError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let program = command.get_program().to_string_lossy().into_owned();
        let unstarted = |error: &dyn fmt::Display| {
            McpError::unreachable(format!("`{program}` cannot be started: {error}"))
        };
        let child = command.spawn().map_err(|error| unstarted(&error))?;
        let wire = StreamWire::program(child, options.timeout);
        let wire = wire.ok_or_else(|| unstarted(&"it has no streams"))?;
        Ok(Self::new(label.into(), Connection::new(wire), options))
    }

    /// Makes sure that the server is there and lists skills, or says why not. Nobody needs to call it:
    /// it is done when the source is listed.
    pub fn connect(&self) -> Result<(), McpError> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner).has_skills().map(drop)
    }

    /// Asks for the listing once more, and says whether it is another one than the source has.
    pub fn has_changed(&self) -> Result<bool, McpError> {
        let (skills, _) = self.look()?;
        Ok(skills != **self.skills.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn new(label: String, connection: Connection, options: McpSourceOptions) -> Self {
        Self { label, options, connection: Mutex::new(connection), skills: RwLock::default() }
    }

    fn request(&self, method: &str, params: &Json) -> Result<Json, McpError> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner).request(method, params)
    }

    fn unavailable(&self, error: &McpError) -> SourceError {
        SourceError::Unavailable { location: self.label.clone(), message: error.to_string() }
    }

    /// The entries that the server lists, and whether there may be more.
    fn entries(&self) -> Result<(Vec<ReadEntry>, bool), McpError> {
        let name = |entry: &Json, key: &str| {
            let place = entry[key].as_str().unwrap_or("an entry without an address");
            crate::fault::short(place)
        };
        let has_skills =
            self.connection.lock().unwrap_or_else(PoisonError::into_inner).has_skills()?;
        if !has_skills {
            let read = self.request("resources/read", &json!({ "uri": uri::INDEX }))?;
            let text = read["contents"][0]["text"].as_str().unwrap_or_default();
            let index: Json = serde_json::from_str(text).map_err(|_| {
                McpError::failed("the server has neither the skills extension nor an index")
            })?;
            let listed = index["skills"].as_array().cloned().unwrap_or_default();
            let listed = listed.iter().filter(|entry| entry["type"] == "skill-md");
            let is_cut = listed.clone().count() > self.options.max_skills;
            let read = |entry: &Json| {
                RemoteSkill::of_index(entry).map_err(|why| (name(entry, "url"), why))
            };
            return Ok((listed.take(self.options.max_skills).map(read).collect(), is_cut));
        }
        let mut skills = Vec::new();
        let mut cursor: Option<String> = None;
        for _ in 0..self.options.max_pages {
            let params =
                cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
            let page = self.request("skills/list", &params)?;
            for entry in page["skills"].as_array().into_iter().flatten() {
                if skills.len() == self.options.max_skills {
                    return Ok((skills, true));
                }
                skills.push(RemoteSkill::of_entry(entry).map_err(|why| (name(entry, "uri"), why)));
            }
            cursor = page["nextCursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                return Ok((skills, false));
            }
        }
        Ok((skills, true))
    }

    /// The skills that the server lists now, and what a registry is told of them.
    fn look(&self) -> Result<(BTreeMap<String, RemoteSkill>, Listing), McpError> {
        let (entries, is_cut) = self.entries()?;
        let mut listing = Listing::default();
        let mut skills = BTreeMap::new();
        let mut twice = BTreeSet::new();
        let refuse = |place: &str, why: &str| {
            let message = format!("the skill is refused: {why}");
            Problem::new(place, Severity::Error, message, "tell whoever runs the server")
        };
        for entry in entries {
            let skill = match entry {
                Ok(skill) => skill,
                Err((place, why)) => {
                    listing.problems.push(refuse(&place, &why));
                    continue;
                }
            };
            match skill.listed(&self.options.parse) {
                Ok(_) if skills.contains_key(&skill.uri) => {
                    twice.insert(skill.uri);
                }
                Ok(listed) => {
                    skills.insert(skill.uri.clone(), skill);
                    listing.skills.push(listed);
                }
                Err(why) => listing.problems.push(refuse(&skill.uri, &why)),
            }
        }
        // Of two entries with one address neither can be believed.
        for uri in twice {
            skills.remove(&uri);
            listing.skills.retain(|listed| listed.key != uri);
            listing.problems.push(refuse(&uri, "it is listed more than once"));
        }
        if is_cut {
            let message =
                format!("the server lists more than the {} skills that were read", skills.len());
            let problem = Problem::new(&self.label, Severity::Warning, message, "raise the limits");
            listing.problems.push(problem);
        }
        listing.sort();
        Ok((skills, listing))
    }

    fn skill(&self, key: &str) -> Result<RemoteSkill, SourceError> {
        let skills = self.skills.read().unwrap_or_else(PoisonError::into_inner).clone();
        skills.get(key).cloned().ok_or_else(|| SourceError::UnknownSkill {
            label: self.label.clone(),
            key: key.to_owned(),
        })
    }

    fn fetch(&self, uri: &str) -> Result<Vec<u8>, McpError> {
        let read = self.request("resources/read", &json!({ "uri": uri }))?;
        let contents = read["contents"].as_array().map(Vec::as_slice).unwrap_or_default();
        let content = contents.iter().find(|content| content["uri"] == uri);
        let content =
            content.ok_or_else(|| McpError::failed("the answer is about another file"))?;
        match (content["text"].as_str(), content["blob"].as_str()) {
            (Some(text), _) => Ok(text.as_bytes().to_vec()),
            (None, Some(blob)) => {
                BASE64.decode(blob).map_err(|_| McpError::failed("the answer is not Base64"))
            }
            (None, None) => Err(McpError::failed("the answer has no contents")),
        }
    }
}

impl BlockingSource for McpSource {
    fn label(&self) -> &str {
        &self.label
    }

    fn trust(&self) -> Trust {
        self.options.trust
    }

    fn gives_way(&self) -> bool {
        true
    }

    fn is_lazy(&self) -> bool {
        true
    }

    fn list(&self) -> Result<Listing, SourceError> {
        let (skills, listing) = self.look().map_err(|error| self.unavailable(&error))?;
        *self.skills.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(skills);
        Ok(listing)
    }

    fn read(
        &self,
        key: &str,
        path: &ResourcePath,
        options: &ReadOptions,
    ) -> Result<Resource, SourceError> {
        let skill = self.skill(key)?;
        let missing = || SourceError::NoSuchFile { key: key.to_owned(), path: path.clone() };
        let file = skill.file(path).ok_or_else(missing)?;
        let too_large = |size: usize| SourceError::TooLarge {
            key: key.to_owned(),
            path: path.clone(),
            size: size as u64,
            limit: options.limit,
        };
        let is_whole = options.range.is_none();
        if let Some(size) = file.size.filter(|size| is_whole && *size > options.limit) {
            return Err(too_large(size));
        }
        let bytes = match self.fetch(&file.uri) {
            Ok(bytes) => bytes,
            Err(McpError::Refused { code: -32602 | -32002, .. }) => return Err(missing()),
            Err(error) => return Err(self.unavailable(&error)),
        };
        skill.verify(path, &bytes).map_err(|reason| SourceError::Refused {
            key: key.to_owned(),
            path: path.clone(),
            reason,
        })?;
        let size = bytes.len() as u64;
        let part = match &options.range {
            None if bytes.len() > options.limit => return Err(too_large(bytes.len())),
            None => bytes,
            Some(range) => {
                let at = |place: u64| usize::try_from(place.min(size)).unwrap_or(bytes.len());
                let (start, end) = (at(range.start), at(range.end));
                let part = bytes.get(start..end.max(start)).unwrap_or_default();
                if part.len() > options.limit {
                    return Err(too_large(part.len()));
                }
                part.to_vec()
            }
        };
        let mut resource = Resource::whole(path.clone(), part);
        resource.size = size;
        Ok(resource)
    }

    fn files(&self, key: &str) -> Result<Files, SourceError> {
        Ok(self.skill(key)?.files())
    }
}
