//! Turns a skill and the list of its files into the text that a model receives when the skill is activated.

pub(crate) mod arguments;

use crate::activation::arguments::substitute;
use crate::check::hidden;
use crate::render::Counter;
use crate::render::markup::{Breaks, plain, push_escaped};
use crate::{ResourcePath, Skill};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write as _;

/// How a skill is handed to a model.
///
/// The body stands between `<skill_content>` tags. It is not escaped, because code must stay code;
/// but in anything that looks like one of our own tags the `<` becomes `&lt;`, so that no body can
/// end the wrapper or list files of its own (spec assertion 96, security P05). Characters that nobody
/// can see are taken out. Both are counted in the [`Activation`]. `` !`command` `` is text like any other.
#[derive(Debug, Clone)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct ActivationOptions {
    /// What the text looks like.
    pub form: ActivationForm,
    /// Who asked for the skill.
    pub invocation: Invocation,
    /// Whether the text says which directory paths start from, where the skill has one.
    pub directory: bool,
    /// The files that are listed; a note says how many there are beyond.
    pub max_listed: usize,
    /// Files of at most this many bytes stand in the text with their contents; `None` lists only.
    pub max_inline_bytes: Option<usize>,
    /// Where the skill comes from, when that is not this machine; it and the digest are then said
    /// (security P06).
    pub origin: Option<String>,
    /// What counts the tokens of the text.
    pub counter: Counter,
}

impl Default for ActivationOptions {
    fn default() -> Self {
        Self {
            form: ActivationForm::default(),
            invocation: Invocation::default(),
            directory: true,
            max_listed: 100,
            max_inline_bytes: None,
            origin: None,
            counter: Counter::default(),
        }
    }
}

/// What the text of an activation looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ActivationForm {
    /// The client guide's (spec G21): the instructions, the directory that paths start from, and all
    /// files.
    #[default]
    Guide,
    /// The one of zerodep's `to_prompt`: the body to the byte, and the files right in `scripts`,
    /// `references` and `assets`.
    Zerodep,
}

/// Who asked for a skill.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Invocation {
    /// A model: nothing in the body is replaced.
    #[default]
    Model,
    /// A person (spec assertion 103).
    User {
        /// What replaces `$ARGUMENTS`, and word by word `$1`, `$2` ...; what has no place in the
        /// body stands behind it. Nothing is replaced for `None`.
        arguments: Option<String>,
    },
}

/// The files of a skill, as far as an activation needs them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct Bundle {
    /// The files beside the skill's own, in the order in which they are listed.
    pub files: Vec<BundledFile>,
    /// Whether there are more than were listed.
    pub truncated: bool,
}

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "it is a path and its text")]
pub struct BundledFile {
    /// Its path in the skill.
    pub path: ResourcePath,
    /// What it holds, where that was read and is text.
    pub text: Option<String>,
}

/// What a model receives, and what was done to make it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Activation {
    /// The name of the skill.
    pub name: String,
    /// The text for the model.
    pub text: String,
    /// How many tokens it is.
    pub tokens: usize,
    /// The tools that the skill names as allowed.
    pub tools: Vec<String>,
    /// The files that are listed.
    pub resources: Vec<ResourcePath>,
    /// Those of them whose contents stand in the text.
    pub inlined: Vec<ResourcePath>,
    /// How many files are known and not listed.
    pub unlisted: usize,
    /// Whether there are files that nobody counted.
    pub truncated: bool,
    /// How many of the skill's own tags were escaped because they looked like ours.
    pub escaped: usize,
    /// How many characters that nobody can see were taken out.
    pub stripped: usize,
    /// The digest of the skill's file.
    pub digest: String,
}

impl Activation {
    /// The texts of several skills, one after the other; empty for none.
    pub fn compose<'a>(activations: impl IntoIterator<Item = &'a Self>) -> String {
        let texts: Vec<&str> = activations.into_iter().map(|one| one.text.as_str()).collect();
        texts.join("\n\n")
    }
}

impl Skill {
    /// What a model receives when the skill is activated, without a list of files.
    ///
    /// ```
    /// use metier_core::{ActivationOptions, parse};
    ///
    /// let text = "---\nname: pdf\ndescription: Use for PDFs.\n---\nSteps\n</skill_content>\n";
    /// let skill = parse(text).skill.unwrap().with_path("/skills/pdf/SKILL.md");
    /// let activation = skill.activation(&ActivationOptions::default());
    /// assert_eq!(activation.text, "\
    /// <skill_content name=\"pdf\">
    /// Steps
    /// &lt;/skill_content>
    ///
    /// Skill directory: /skills/pdf
    /// Relative paths in this skill start from the skill directory.
    /// </skill_content>");
    /// assert_eq!(activation.escaped, 1);
    /// ```
    pub fn activation(&self, options: &ActivationOptions) -> Activation {
        self.activation_with(&Bundle::default(), options)
    }

    /// What a model receives when the skill is activated, with the files beside it.
    pub fn activation_with(&self, bundle: &Bundle, options: &ActivationOptions) -> Activation {
        let mut activation = Activation {
            name: self.name().to_owned(),
            digest: self.digest(),
            truncated: bundle.truncated,
            ..Activation::default()
        };
        let tools = self.manifest().allowed_tools.iter().flat_map(|tools| tools.iter());
        activation.tools = tools.map(ToString::to_string).collect();
        activation.open(options);
        activation.body(self, options);
        match options.form {
            ActivationForm::Guide => {
                activation.place(self, bundle, options);
                activation.list(&bundle.files.iter().collect::<Vec<_>>(), "  ", options);
            }
            ActivationForm::Zerodep => {
                let files: Vec<_> =
                    bundle.files.iter().filter(|file| is_conventional(&file.path)).collect();
                activation.list(&files, "", options);
            }
        }
        activation.text.push_str("\n</skill_content>");
        activation.tokens = options.counter.count(&activation.text);
        activation
    }
}

impl Activation {
    fn open(&mut self, options: &ActivationOptions) {
        self.text.push_str("<skill_content");
        let name = self.name.clone();
        self.attribute("name", &name);
        if let Some(origin) = &options.origin {
            let digest = self.digest.clone();
            self.attribute("origin", origin);
            self.attribute("digest", &digest);
        }
        self.text.push('>');
    }

    fn attribute(&mut self, key: &str, value: &str) {
        let _ = write!(self.text, " {key}=\"");
        self.escape(value, Breaks::Join);
        self.text.push('"');
    }

    /// Appends text in which nothing is markup.
    fn escape(&mut self, text: &str, breaks: Breaks) {
        let (text, removed) = plain(text, breaks);
        self.stripped += removed;
        push_escaped(&mut self.text, &text);
    }

    fn body(&mut self, skill: &Skill, options: &ActivationOptions) {
        let body = match options.form {
            ActivationForm::Guide => skill.instructions(),
            ActivationForm::Zerodep => skill.body(),
        };
        let body = match &options.invocation {
            Invocation::User { arguments: Some(arguments) } => {
                Cow::Owned(substitute(body, arguments))
            }
            _ => Cow::Borrowed(body),
        };
        let (body, removed) = hidden::strip(&body);
        self.stripped += removed;
        if body.is_empty() && options.form == ActivationForm::Guide {
            return;
        }
        self.text.push('\n');
        self.escaped += push_without_our_tags(&mut self.text, &body);
    }

    /// Says where relative paths start: models take them for paths of the working directory.
    fn place(&mut self, skill: &Skill, bundle: &Bundle, options: &ActivationOptions) {
        match skill.dir().filter(|_| options.directory) {
            Some(directory) => {
                self.text.push_str("\n\nSkill directory: ");
                self.escape(&directory.to_string_lossy(), Breaks::Join);
                self.text
                    .push_str("\nRelative paths in this skill start from the skill directory.");
            }
            None if !bundle.files.is_empty() => {
                self.text
                    .push_str("\n\nRelative paths in this skill are those of the files below.");
            }
            None => {}
        }
    }

    fn list(&mut self, files: &[&BundledFile], indent: &str, options: &ActivationOptions) {
        let listed = &files[..files.len().min(options.max_listed)];
        self.unlisted = files.len() - listed.len();
        if files.is_empty() && !self.truncated {
            return;
        }
        let blank = if options.form == ActivationForm::Guide { "\n" } else { "" };
        let _ = write!(self.text, "\n{blank}<skill_resources>");
        for file in listed {
            let most = options.max_inline_bytes;
            let inlined =
                file.text.as_ref().filter(|text| most.is_some_and(|most| text.len() <= most));
            let _ = write!(self.text, "\n{indent}<file");
            if let Some(text) = inlined {
                self.attribute("name", file.path.as_str());
                self.text.push_str(">\n");
                self.escape(text, Breaks::Keep);
                self.text.push('\n');
                self.inlined.push(file.path.clone());
            } else {
                self.text.push('>');
                self.escape(file.path.as_str(), Breaks::Join);
            }
            self.text.push_str("</file>");
            self.resources.push(file.path.clone());
        }
        let note = match (self.unlisted, self.truncated) {
            (0, false) => None,
            (0, true) => Some("there may be more files".to_owned()),
            (1, false) => Some("1 more file is not listed".to_owned()),
            (more, false) => Some(format!("{more} more files are not listed")),
            (more, true) => Some(format!("more than {more} files are not listed")),
        };
        if let Some(note) = note {
            let _ = write!(self.text, "\n{indent}<note>the list is truncated: {note}</note>");
        }
        self.text.push_str("\n</skill_resources>");
    }
}

/// Whether a file stands right in one of the folders that the specification names.
fn is_conventional(path: &ResourcePath) -> bool {
    let mut components = path.components();
    matches!(components.next(), Some("scripts" | "references" | "assets"))
        && components.next().is_some()
        && components.next().is_none()
}

/// The tags that are ours alone.
const OUR_TAGS: [&str; 2] = ["skill_content", "skill_resources"];

/// Appends text with the `<` of everything escaped that could be taken for a tag of ours, however it
/// is spaced or spelt; gives how many there were.
fn push_without_our_tags(out: &mut String, text: &str) -> usize {
    let mut escaped = 0;
    let mut done = 0;
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        let name = text[at + 1..].trim_start_matches(|c: char| c == '/' || c.is_whitespace());
        let is_ours = OUR_TAGS
            .iter()
            .any(|tag| name.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag)));
        if is_ours {
            out.push_str(&text[done..at]);
            out.push_str("&lt;");
            done = at + 1;
            escaped += 1;
        }
    }
    out.push_str(&text[done..]);
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_like_ours_are_escaped_and_others_are_not() {
        for (text, expected, count) in [
            ("<b>x</b> a < b", "<b>x</b> a < b", 0),
            ("</skill_content>", "&lt;/skill_content>", 1),
            ("< / SKILL_Content >", "&lt; / SKILL_Content >", 1),
            ("<<skill_resources>", "<&lt;skill_resources>", 1),
            ("<skill", "<skill", 0),
        ] {
            let mut out = String::new();
            assert_eq!(push_without_our_tags(&mut out, text), count, "{text}");
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn a_wall_of_brackets_takes_linear_time() {
        let mut out = String::new();
        assert_eq!(push_without_our_tags(&mut out, &"<".repeat(1 << 20)), 0);
    }
}
