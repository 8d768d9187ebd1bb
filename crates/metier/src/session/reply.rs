//! Turns what a call did, or why it did not, into words for a model and data for programs.

use crate::registry::catalog::CatalogEntry;
use crate::session::Session;
use crate::session::activate::{Activated, Injection};
use crate::session::call::{CallError, Done, Failure, Part, too_large};
use crate::session::call_arguments::ArgumentError;
use crate::session::error::quoted;
use crate::session::preset_reply::{drover, fizeau, promptkit};
use crate::session::runner::{RunError, RunOutput};
use crate::session::tool_names::ToolNames;
use crate::source::resource::Files;
use crate::visible::visible;
use metier_core::{ResourcePath, ToolReply, strip_hidden};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// How much of a description a list of hits shows, in characters.
const SHOWN: usize = 400;

impl Session {
    /// Words what a call did.
    pub(crate) fn worded(&self, names: ToolNames, done: Done) -> ToolReply {
        match (names, done) {
            (ToolNames::Drover, done) => drover::done(self, done),
            (ToolNames::Fizeau, Done::Loaded(activated)) => fizeau::loaded(&activated),
            (ToolNames::PromptKit, done) => promptkit::done(done),
            (_, Done::Found(hits)) => found(&hits),
            (_, Done::Loaded(activated)) => loaded(&activated),
            (_, Done::Unloaded { id, removed }) => unloaded(&id, &removed),
            (_, Done::Listed { entry, files }) => listed(&entry, &files),
            (_, Done::Read { entry, part }) => read(&entry, part),
            (_, Done::Ran { request, output }) => {
                let data = json!({ "skill": request.skill, "script": request.script });
                ran(&output, data)
            }
        }
    }

    /// Words why a call failed.
    pub(crate) fn worded_failure(
        &self,
        tool: &str,
        names: ToolNames,
        failure: Failure,
    ) -> ToolReply {
        let special = match names {
            ToolNames::Drover => drover::failed(self, &failure),
            ToolNames::Fizeau => fizeau::failed(self, &failure),
            ToolNames::PromptKit => promptkit::failed(self, tool, &failure),
            ToolNames::Default => None,
        };
        special.unwrap_or_else(|| self.failed(tool, failure))
    }

    fn failed(&self, tool: &str, failure: Failure) -> ToolReply {
        let Failure { error, skill, path } = failure;
        let mut data = Map::new();
        data.extend(skill.map(|skill| ("skill".to_owned(), skill.into())));
        data.extend(path.map(|path| ("path".to_owned(), path.into())));
        let (content, reason) = match error {
            CallError::UnknownTool => {
                let tools = self.tools();
                let names: Vec<String> = tools.names().into_iter().map(str::to_owned).collect();
                let help = if names.is_empty() {
                    "there are no tools for skills here".to_owned()
                } else {
                    format!("call one of {}", quoted(&names, ", "))
                };
                (format!("there is no tool `{}`: {help}", visible(tool)), "unknown_tool")
            }
            CallError::Arguments(error) => (wrong_arguments(tool, &error), "invalid_arguments"),
            CallError::NoSkills => {
                ("there are no skills to load: go on without".to_owned(), "unknown_skill")
            }
            CallError::Session(error) => {
                if let Some(nearest) = nearest(&error) {
                    data.insert("nearest".to_owned(), nearest);
                }
                match too_large(&error) {
                    Some((size, limit)) => {
                        data.insert("bytes".to_owned(), size.into());
                        let help = format!(
                            "read it in parts of at most {limit} bytes with `offset` and `length`"
                        );
                        (format!("{error}: {help}"), "too_large")
                    }
                    None => (format!("{error}: {}", error.help()), error.reason()),
                }
            }
            CallError::NotText { path, size } => {
                data.insert("bytes".to_owned(), size.into());
                let help = "use a tool that works on the file itself";
                (format!("`{path}` is not text, it has {size} bytes: {help}"), "not_text")
            }
            CallError::BehindEnd { path, size } => {
                data.insert("bytes".to_owned(), size.into());
                let help = "start before that";
                (format!("`{path}` ends at byte {size}: {help}"), "behind_end")
            }
            CallError::NoScript { path, scripts } => {
                let help = if scripts.is_empty() {
                    "it has none".to_owned()
                } else {
                    format!("it has {}", quoted(&scripts, ", "))
                };
                (format!("the skill has no script `{}`: {help}", visible(&path)), "no_script")
            }
            CallError::NoDirectory => {
                let help = "read the script, and run it with a tool of your own";
                (format!("the skill is in no folder of this machine: {help}"), "no_directory")
            }
            CallError::Run(error) => return not_run(&error, data),
        };
        data.insert("reason".to_owned(), reason.into());
        ToolReply::error(content, reason).with_data(data.into())
    }
}

fn nearest(error: &crate::SessionError) -> Option<Value> {
    match error {
        crate::SessionError::UnknownSkill { nearest, .. } => Some(json!(nearest)),
        _ => None,
    }
}

fn wrong_arguments(tool: &str, error: &ArgumentError) -> String {
    let tool = visible(tool);
    match error {
        ArgumentError::NotJson { message } => {
            format!("the arguments of `{tool}` are not JSON ({message}): send one JSON object")
        }
        ArgumentError::NotAnObject => {
            format!("the arguments of `{tool}` are no object: send one JSON object")
        }
        ArgumentError::Missing { name } => format!("`{tool}` needs the argument `{name}`"),
        ArgumentError::WrongType { name, wanted } => {
            format!("the argument `{name}` of `{tool}` must be {wanted}")
        }
    }
}

fn found(hits: &[(CatalogEntry, f64)]) -> ToolReply {
    if hits.is_empty() {
        let data = json!({ "skills": [] });
        return ToolReply::ok("no skill fits; try other words, or go on without").with_data(data);
    }
    let line = |(entry, _): &(CatalogEntry, f64)| {
        format!("- {}: {}", visible(&entry.id), one_line(entry.description()))
    };
    let lines: Vec<String> = hits.iter().map(line).collect();
    let skills = hits.iter().map(|(entry, score)| {
        // Hosts hand data to models too (security U01).
        let description = strip_hidden(entry.description());
        json!({ "name": *entry.id, "description": description, "score": score })
    });
    let data = json!({ "skills": skills.collect::<Vec<_>>() });
    let content =
        format!("{}\n\nCall `load_skill` with the name of the one that fits.", lines.join("\n"));
    ToolReply::ok(content).with_data(data)
}

/// A description as one line that ends somewhere, without what cannot be seen (security P02).
fn one_line(text: &str) -> String {
    let line = strip_hidden(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let line = visible(&line);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.into_owned(),
    }
}

fn loaded(activated: &Activated) -> ToolReply {
    let paths: Vec<&str> = activated.files.iter().map(ResourcePath::as_str).collect();
    let mut data = json!({
        "name": activated.id,
        "repeated": activated.injection == Injection::Repeated,
        "tools": activated.tools,
        "added_tools": activated.added_tools,
        "resources": paths,
    });
    let mut content = activated.text.clone();
    if !activated.not_granted.is_empty() {
        data["not_granted"] = json!(activated.not_granted);
    }
    if !activated.released.is_empty() {
        data["released"] = json!(activated.released);
        let gone = match &activated.released[..] {
            [one] => format!("`{}` is", visible(one)),
            several => format!("{} are", quoted(several, ", ")),
        };
        let _ = write!(content, "\n\nTo make room, {gone} no longer loaded.");
    }
    ToolReply::ok(content).with_data(data)
}

fn unloaded(id: &str, removed: &[String]) -> ToolReply {
    let tools = if removed.is_empty() {
        String::new()
    } else {
        format!("; the tools {} went with it", quoted(removed, ", "))
    };
    let content = format!("the skill `{}` is no longer loaded{tools}", visible(id));
    ToolReply::ok(content).with_data(json!({ "name": id, "removed_tools": removed }))
}

fn listed(entry: &CatalogEntry, files: &Files) -> ToolReply {
    let mut lines: Vec<String> =
        files.iter().map(|path| visible(path.as_str()).into_owned()).collect();
    if lines.is_empty() {
        lines.push("the skill has no other files".to_owned());
    }
    if files.truncated {
        lines.push("(and more: the list stops here)".to_owned());
    }
    let data = json!({ "skill": *entry.id, "resources": files });
    ToolReply::ok(lines.join("\n")).with_data(data)
}

fn read(entry: &CatalogEntry, part: Part) -> ToolReply {
    let end = part.offset + part.text.len() as u64;
    let is_whole = part.offset == 0 && end == part.size;
    let data = json!({
        "skill": *entry.id,
        "path": part.path,
        "offset": part.offset,
        "end": end,
        "bytes": part.size,
    });
    let content = match (is_whole, end < part.size) {
        (true, _) => part.text,
        (false, true) => format!(
            "{}\n\n(bytes {} to {end} of {}; the next part starts at offset {end})",
            part.text, part.offset, part.size
        ),
        (false, false) => {
            format!("{}\n\n(bytes {} to {end}, the end of the file)", part.text, part.offset)
        }
    };
    ToolReply::ok(content).with_data(data)
}

fn ran(output: &RunOutput, mut data: Value) -> ToolReply {
    data["exit_code"] = json!(output.exit_code);
    data["stdout"] = json!(output.stdout);
    data["stderr"] = json!(output.stderr);
    data["truncated"] = json!(output.truncated);
    let is_ok = output.exit_code == Some(0);
    let mut content = match output.exit_code {
        Some(code) => format!("exit code: {code}"),
        None => "ended by a signal".to_owned(),
    };
    content.push_str(&streams(output));
    let reply =
        if is_ok { ToolReply::ok(content) } else { ToolReply::error(content, "script_failed") };
    if !is_ok {
        data["reason"] = "script_failed".into();
    }
    reply.with_data(data)
}

/// What a script wrote, under a heading each.
fn streams(output: &RunOutput) -> String {
    let mut text = String::new();
    for (name, stream) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !stream.is_empty() {
            let _ = write!(text, "\n\n{name}:\n{}", stream.trim_end_matches('\n'));
        }
    }
    if output.truncated {
        text.push_str("\n\n(and more: the output was cut)");
    }
    text
}

fn not_run(error: &RunError, mut data: Map<String, Value>) -> ToolReply {
    let mut content = format!("{error}: {}", error.help());
    if let RunError::TimedOut { output, .. } = error {
        content.push_str(&streams(output));
        data.insert("stdout".to_owned(), output.stdout.as_str().into());
        data.insert("stderr".to_owned(), output.stderr.as_str().into());
    }
    data.insert("reason".to_owned(), error.reason().into());
    ToolReply::error(content, error.reason()).with_data(data.into())
}
