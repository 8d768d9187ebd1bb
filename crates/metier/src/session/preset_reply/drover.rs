//! Turns what a call did into the replies of `skill_load` and `skill_resource`, as `@drover/skills` words them.

use crate::session::Session;
use crate::session::activate::Activated;
use crate::session::call::{CallError, Done, Failure, too_large};
use crate::session::error::SessionError;
use crate::source::resource::Files;
use metier_core::{ResourcePath, ToolReply};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(crate) fn done(session: &Session, done: Done) -> ToolReply {
    match done {
        Done::Listed { entry, files } => {
            let data = json!({ "skill": *entry.id, "resources": grouped(&files) });
            ToolReply::ok(listed(&files)).with_data(data)
        }
        Done::Read { entry, part } => {
            let data = json!({ "skill": *entry.id, "resource": part.path });
            ToolReply::ok(part.text).with_data(data)
        }
        // Whoever wants no files listed wants no word about them.
        Done::Loaded(activated) => loaded(&activated, session.options().activation.max_listed > 0),
        // No tool of drover's searches, unloads or runs.
        Done::Found(_) | Done::Unloaded { .. } | Done::Ran { .. } => ToolReply::ok(""),
    }
}

fn loaded(activated: &Activated, hints: bool) -> ToolReply {
    let files = &activated.files;
    let mut content = activated.skill.instructions().to_owned();
    let counts: Vec<String> = [
        (files.scripts.len(), "script(s)"),
        (files.references.len(), "reference(s)"),
        (files.assets.len(), "asset(s)"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, noun)| format!("{count} {noun}"))
    .collect();
    if hints && !counts.is_empty() {
        let (counts, id) = (counts.join(", "), &activated.id);
        let _ = write!(
            content,
            "\n\n---\nThis skill ships {counts}. Call `skill_resource(name=\"{id}\")` to list, or \
             `skill_resource(name=\"{id}\", resource=\"<relative-path>\")` to read one."
        );
    }
    let path = activated.skill.path().map(|path| path.to_string_lossy().into_owned());
    let mut data = json!({ "skill": activated.id, "path": path });
    if hints {
        data["resources"] = grouped(files);
    }
    ToolReply::ok(content).with_data(data)
}

/// The files in drover's groups, relative to the folder of each.
fn grouped(files: &Files) -> Value {
    let inside = |paths: &[ResourcePath], folder: &str| -> Vec<String> {
        let strip = |path: &ResourcePath| path.as_str().strip_prefix(folder).map(str::to_owned);
        paths.iter().filter_map(strip).collect()
    };
    json!({
        "scripts": inside(&files.scripts, "scripts/"),
        "references": inside(&files.references, "references/"),
        "assets": inside(&files.assets, "assets/"),
        "other": files.other,
    })
}

fn listed(files: &Files) -> String {
    let mut lines = Vec::new();
    let groups =
        [("scripts", &files.scripts), ("references", &files.references), ("assets", &files.assets)];
    for (name, paths) in groups.into_iter().filter(|(_, paths)| !paths.is_empty()) {
        lines.push(format!("## {name}"));
        lines.extend(paths.iter().map(|path| format!("- {path}")));
        lines.push(String::new());
    }
    if !files.other.is_empty() {
        lines.push("## other".to_owned());
        lines.extend(files.other.iter().map(|path| format!("- {path}")));
    }
    if lines.is_empty() {
        lines.push("(no supporting files)".to_owned());
    }
    lines.join("\n")
}

/// Words the failures that drover has words for.
pub(crate) fn failed(session: &Session, failure: &Failure) -> Option<ToolReply> {
    let skill = failure.skill.as_deref()?;
    let shown = crate::visible(skill);
    let refused = |content: String, reason: &str| {
        let data = json!({ "skill": skill, "reason": reason });
        Some(ToolReply::error(content, reason).with_data(data))
    };
    let is_in_list =
        session.options().allow.as_ref().is_some_and(|allow| allow.iter().any(|id| id == skill));
    match &failure.error {
        CallError::Session(SessionError::UnknownSkill { .. })
            if is_in_list && !session.registry().has(skill) =>
        {
            let content = format!(
                "skill '{shown}' is allowed but not registered — check that the skill directory \
                 contains a SKILL.md."
            );
            refused(content, "missing")
        }
        CallError::NoSkills
        | CallError::Session(SessionError::UnknownSkill { .. } | SessionError::Filtered { .. }) => {
            let allowed = allowed(session);
            let allowed = if allowed.is_empty() { "(none)".to_owned() } else { allowed.join(", ") };
            let content =
                format!("skill '{shown}' is not available to this agent. allowed: [{allowed}]");
            refused(content, "not_allowed")
        }
        error => {
            let path = failure.path.as_deref()?;
            let resource = crate::visible(path);
            let (content, reason) = match error {
                CallError::Session(error) => match too_large(error) {
                    Some((_, limit)) => (
                        format!(
                            "resource '{resource}' exceeds {limit} bytes — refusing to inline. \
                             Read it directly via a file tool if appropriate."
                        ),
                        "too_large",
                    ),
                    None => (format!("cannot read '{resource}': {error}"), "read_failed"),
                },
                CallError::NotText { .. } => {
                    (format!("cannot read '{resource}': it is not text"), "read_failed")
                }
                _ => return None,
            };
            let data = json!({ "skill": skill, "resource": path, "reason": reason });
            Some(ToolReply::error(content, reason).with_data(data))
        }
    }
}

/// What the agent may load: the allow-list in its order, without what is hidden here; without a list,
/// the catalog.
fn allowed(session: &Session) -> Vec<String> {
    let visible: Vec<String> = session.catalog().iter().map(|entry| entry.id.to_string()).collect();
    match &session.options().allow {
        None => visible,
        Some(allow) => {
            let is_hidden = |id: &&String| session.registry().has(id) && !visible.contains(*id);
            allow.iter().filter(|id| !is_hidden(id)).cloned().collect()
        }
    }
}
