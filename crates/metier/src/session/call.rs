//! Turns a model's tool call into what the session does, and that into a reply that the model can act on.

use crate::registry::RegistryError;
use crate::registry::catalog::CatalogEntry;
use crate::session::Session;
use crate::session::activate::{Activated, Ask};
use crate::session::active::Invoker;
use crate::session::call_arguments::{ArgumentError, Arguments};
use crate::session::error::SessionError;
use crate::session::runner::{RunError, RunOutput, RunRequest};
use crate::session::tool_names::{ToolNames, Verb};
use crate::source::resource::{Files, Resource};
use crate::source::{ReadOptions, SourceError};
use metier_core::{ResourcePath, ToolCall, ToolFormat, ToolReply};
use serde_json::Value;

/// How many skills a search gives when nobody says.
const HITS: usize = 5;
/// How many it gives at most.
const MOST_HITS: usize = 50;

/// What a call did.
#[derive(Debug)]
pub(crate) enum Done {
    Found(Vec<(CatalogEntry, f64)>),
    Loaded(Box<Activated>),
    Unloaded { id: String, removed: Vec<String> },
    Listed { entry: CatalogEntry, files: Files },
    Read { entry: CatalogEntry, part: Part },
    Ran { request: Box<RunRequest>, output: RunOutput },
}

/// A text of a file, or a part of it that starts and ends between characters.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) path: ResourcePath,
    pub(crate) text: String,
    /// The byte at which the part starts.
    pub(crate) offset: u64,
    /// How large the file is.
    pub(crate) size: u64,
}

/// Why a call did nothing, or not all.
#[derive(Debug)]
pub(crate) enum CallError {
    UnknownTool,
    Arguments(ArgumentError),
    Session(SessionError),
    /// There is no skill at all that the model may load.
    NoSkills,
    /// The file is not text.
    NotText {
        path: ResourcePath,
        size: u64,
    },
    /// The part starts behind the end of the file.
    BehindEnd {
        path: ResourcePath,
        size: u64,
    },
    /// No script of this name.
    NoScript {
        path: String,
        scripts: Vec<String>,
    },
    /// The skill is in no directory of this machine.
    NoDirectory,
    Run(Box<RunError>),
}

/// A call that failed, and the skill and file that it was about, as far as they are known.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: CallError,
    pub(crate) skill: Option<String>,
    pub(crate) path: Option<String>,
}

impl Session {
    /// Does what a model asks for. Never fails: invalid JSON, a missing argument, a skill that is
    /// not there or not allowed, a file that is too large or leads elsewhere, a tool that nobody
    /// knows are all replies that say what to do instead.
    ///
    /// `arguments` is an object, or its JSON as text.
    ///
    /// ```
    /// use metier::{Blocking, Memory, Registry, Session, SessionOptions, block_on};
    /// use serde_json::json;
    ///
    /// let table = Memory::new("m").inline("pdf", "Use for PDFs.", "Open it.");
    /// let registry = Registry::builder().source(Blocking(table)).open();
    /// let session = Session::new(registry, SessionOptions::default());
    /// let reply = block_on(session.call("load_skill", json!({ "name": "pdf" })));
    /// assert!(reply.content.contains("Open it."));
    /// let reply = block_on(session.call("load_skill", json!({ "name": "pfd" })));
    /// assert!(reply.is_error);
    /// assert_eq!(reply.content, "there is no skill `pfd`: did you mean `pdf`?");
    /// ```
    pub async fn call(&self, tool: &str, arguments: impl Into<Value>) -> ToolReply {
        let arguments = arguments.into();
        let names = self.options().names;
        let mut failure = Failure { error: CallError::UnknownTool, skill: None, path: None };
        let done = match names.verb(tool) {
            None => Err(CallError::UnknownTool),
            Some(verb) => self.perform(verb, arguments, &mut failure).await,
        };
        match done {
            Ok(done) => self.worded(names, done),
            Err(error) => self.worded_failure(tool, names, Failure { error, ..failure }),
        }
    }

    /// Does everything that a model's message asks of the session, one call after the other, and
    /// gives what goes into the conversation for it. Calls of other tools are left to the host; to
    /// answer those in the same message, see [`ToolFormat::calls`] and [`ToolFormat::messages`].
    pub async fn answer(&self, format: ToolFormat, message: &Value) -> Vec<Value> {
        let mut replies: Vec<(ToolCall, ToolReply)> = Vec::new();
        for call in format.calls(message).into_iter().filter(|call| self.handles(&call.name)) {
            let reply = self.call(&call.name, call.arguments.clone()).await;
            replies.push((call, reply));
        }
        format.messages(&replies)
    }

    async fn perform(
        &self,
        verb: Verb,
        arguments: Value,
        about: &mut Failure,
    ) -> Result<Done, CallError> {
        let names = self.options().names;
        let arguments = Arguments::read(arguments).map_err(CallError::Arguments)?;
        if verb == Verb::Search {
            let query = arguments.text("query").map_err(CallError::Arguments)?;
            let limit = arguments.optional_number("limit").map_err(CallError::Arguments)?;
            let limit = limit.map_or(HITS, |limit| usize::try_from(limit).unwrap_or(MOST_HITS));
            return Ok(Done::Found(self.search(&query, limit.clamp(1, MOST_HITS)).await));
        }
        let id = arguments.text(names.skill_argument(verb)).map_err(CallError::Arguments)?;
        about.skill = Some(id.clone());
        match verb {
            Verb::Load => self.load(&id).await,
            Verb::Unload => {
                let removed = self.deactivate(&id).map_err(CallError::Session)?;
                Ok(Done::Unloaded { id, removed })
            }
            Verb::Run => self.run(&id, &arguments, about).await,
            Verb::Read | Verb::Search => self.read(&id, &arguments, about).await,
        }
    }

    async fn load(&self, id: &str) -> Result<Done, CallError> {
        // The other systems answer with the body each time.
        let always_whole = self.options().names != ToolNames::Default;
        let ask = Ask { by: Invoker::Model, arguments: None, always_whole };
        let activated = self.activate_for(id, ask).await;
        activated.map(|activated| Done::Loaded(Box::new(activated))).map_err(|e| self.hidden(e))
    }

    async fn read(
        &self,
        id: &str,
        arguments: &Arguments,
        about: &mut Failure,
    ) -> Result<Done, CallError> {
        let names = self.options().names;
        let argument = names.path_argument();
        let path = arguments.optional_text(argument).map_err(CallError::Arguments)?;
        about.path.clone_from(&path);
        let number = |name| arguments.optional_number(name).map_err(CallError::Arguments);
        let (offset, length) = match names {
            ToolNames::Default => (number("offset")?, number("length")?),
            _ => (None, None),
        };
        if path.is_none() && names == ToolNames::PromptKit {
            return Err(CallError::Arguments(ArgumentError::Missing { name: argument }));
        }
        let entry = self.find(id, Invoker::Model).map_err(|error| self.hidden(error))?;
        let Some(path) = path else {
            let files = self.registry().files(&entry.id).await;
            let files = files.map_err(|error| CallError::Session(error.into()))?;
            return Ok(Done::Listed { entry, files });
        };
        let options = self.read_options(offset, length);
        let resource = self.registry().read(&entry.id, &path, &options).await;
        let resource = resource.map_err(|error| CallError::Session(error.into()))?;
        let part = part_of(resource, offset.unwrap_or(0), options.range.is_some())?;
        self.count(&entry.id, |usage| usage.reads += 1);
        Ok(Done::Read { entry, part })
    }

    /// The part that is asked for: as much as may be read at once, where only its start is given.
    fn read_options(&self, offset: Option<u64>, length: Option<u64>) -> ReadOptions {
        let usual = match self.options().names {
            ToolNames::Drover => 64 * 1024,
            _ => ReadOptions::default().limit,
        };
        let limit = self.options().read_limit.unwrap_or(usual);
        if offset.is_none() && length.is_none() {
            return ReadOptions { limit, range: None };
        }
        // A character takes up to four bytes, and a part must be able to hold one.
        let limit = limit.max(4);
        let length = length.map_or(limit as u64, |length| length.clamp(4, limit as u64));
        let offset = offset.unwrap_or(0);
        ReadOptions { limit, range: Some(offset..offset.saturating_add(length)) }
    }

    async fn run(
        &self,
        id: &str,
        arguments: &Arguments,
        about: &mut Failure,
    ) -> Result<Done, CallError> {
        let Some(runner) = self.options().runner.clone() else {
            return Err(CallError::UnknownTool);
        };
        let script = arguments.text("script").map_err(CallError::Arguments)?;
        about.path = Some(script.clone());
        let given = arguments.optional_list("arguments").map_err(CallError::Arguments)?;
        let input = arguments.optional_text("input").map_err(CallError::Arguments)?;
        let entry = self.find(id, Invoker::Model).map_err(|error| self.hidden(error))?;
        if !self.is_active(&entry.id) {
            return Err(CallError::Session(SessionError::NotActive { id: id.to_owned() }));
        }
        let files = self.registry().files(&entry.id).await;
        let files = files.map_err(|error| CallError::Session(error.into()))?;
        let path = script.parse::<ResourcePath>().ok().filter(|path| files.scripts.contains(path));
        let Some(path) = path else {
            let scripts = files.scripts.iter().map(ToString::to_string).collect();
            return Err(CallError::NoScript { path: script, scripts });
        };
        let Some(directory) = entry.listed.directory() else { return Err(CallError::NoDirectory) };
        // What runs is a file on the disk, and all that it may load beside it (security R15).
        let sound = entry.held.source.verify(&entry.listed.key).await;
        let changed = |error| CallError::Session(RegistryError::from(error).into());
        sound.map_err(changed)?;
        let mut request = RunRequest::new(&*entry.id, directory, path);
        request.arguments = given;
        request.input = input.unwrap_or_default();
        let output = runner.run(&request).await;
        let output = output.map_err(|error| CallError::Run(Box::new(error)))?;
        self.count(&entry.id, |usage| usage.runs += 1);
        Ok(Done::Ran { request: Box::new(request), output })
    }

    /// What the model may know of an error: nothing of skills that are hidden from it (spec G15).
    fn hidden(&self, error: SessionError) -> CallError {
        let id = match error {
            SessionError::UnknownSkill { ref id, .. }
            | SessionError::NotAllowed { ref id }
            | SessionError::Untrusted { ref id }
            | SessionError::UserOnly { ref id } => id.clone(),
            other => return CallError::Session(other),
        };
        if self.visible(&self.registry().catalog()).next().is_none() {
            CallError::NoSkills
        } else {
            CallError::Session(self.unknown(&id))
        }
    }
}

/// The text of a resource, cut between characters where it is a part.
fn part_of(resource: Resource, offset: u64, is_part: bool) -> Result<Part, CallError> {
    let Resource { path, bytes, size, .. } = resource;
    if is_part && offset >= size && size > 0 {
        return Err(CallError::BehindEnd { path, size });
    }
    let mut bytes = &bytes[..];
    let mut start = offset;
    if is_part {
        // Up to three bytes at either end may belong to characters of the parts beside it.
        while offset > 0 && start - offset < 3 && bytes.first().is_some_and(|b| b & 0xc0 == 0x80) {
            bytes = &bytes[1..];
            start += 1;
        }
        if let Err(error) = std::str::from_utf8(bytes)
            && error.error_len().is_none()
            && start + (bytes.len() as u64) < size
        {
            bytes = &bytes[..error.valid_up_to()];
        }
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Part { path, text: text.to_owned(), offset: start, size }),
        Err(_) => Err(CallError::NotText { path, size }),
    }
}

/// Whether an error says that a file is too large, and by how much.
pub(crate) fn too_large(error: &SessionError) -> Option<(u64, usize)> {
    match error {
        SessionError::Registry(RegistryError::Source(SourceError::TooLarge {
            size,
            limit,
            ..
        })) => Some((*size, *limit)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &[u8], range: std::ops::Range<usize>) -> Result<Part, CallError> {
        let offset = range.start as u64;
        let end = range.end.min(text.len());
        let mut resource =
            Resource::whole("a".parse().unwrap(), text[range.start.min(end)..end].to_vec());
        resource.size = text.len() as u64;
        part_of(resource, offset, true)
    }

    #[test]
    fn parts_start_and_end_between_characters() {
        let text = "aé😀z".as_bytes();
        for (range, expected, offset) in
            [(0..8, "aé😀z", 0), (0..2, "a", 0), (2..8, "😀z", 3), (0..5, "aé", 0), (4..8, "z", 7)]
        {
            let part = part(text, range.clone()).unwrap();
            assert_eq!((part.text.as_str(), part.offset), (expected, offset), "{range:?}");
        }
        assert!(matches!(part(text, 8..9), Err(CallError::BehindEnd { size: 8, .. })));
        assert!(matches!(part(b"a\xff\xfeb", 0..4), Err(CallError::NotText { .. })));
        // The end of the file is no end of a part: what is broken there is broken.
        assert!(matches!(part(b"ab\xc3", 0..3), Err(CallError::NotText { .. })));
    }

    #[test]
    fn parts_read_one_after_the_other_make_the_whole() {
        let text = "añ😀日z".repeat(7);
        let mut whole = String::new();
        let mut at = 0;
        while at < text.len() {
            let next = part(text.as_bytes(), at..at + 4).unwrap();
            assert_eq!(next.offset, at as u64);
            whole.push_str(&next.text);
            at += next.text.len();
        }
        assert_eq!(whole, text);
    }
}
