//! Turns a format into the pieces of its text: what stands before, each skill, and what stands after.

use crate::render::entry_text::{Change, Entry, Inner, Parts};
use crate::render::markup::{Breaks, plain, push_escaped, push_without_tags};
use crate::render::shorten::shorten;
use crate::render::{CatalogFormat, CatalogLine, Locations, Preamble, Render};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Write as _;

/// How much of a description is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// All of it.
    Whole,
    /// So many characters.
    Cut(usize),
    /// None: the name alone.
    Name,
}

/// Whether the pieces are those of a catalog, or of what changed in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    Catalog,
    Changes,
}

/// A format with its options.
pub(crate) struct Layout<'r> {
    render: &'r Render,
    subject: Subject,
    locations: bool,
}

/// How Fizeau's section ends.
const LOAD_SKILL: &str =
    "Call the load_skill tool with a skill name to load its full instructions.";

/// How many skills are not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unlisted {
    Nobody,
    /// So many, beside those that are.
    Some(usize),
    /// All of them, so many.
    All(usize),
}

impl<'r> Layout<'r> {
    pub(crate) fn new(render: &'r Render, subject: Subject) -> Self {
        let locations = match render.locations {
            Locations::Show => true,
            Locations::Hide => false,
            Locations::Auto => !matches!(render.preamble, Preamble::CallTool(_)),
        };
        Self { render, subject, locations }
    }

    fn format(&self) -> CatalogFormat {
        self.render.format
    }

    /// The name of the element around everything.
    fn root(&self) -> &'static str {
        match self.subject {
            Subject::Catalog => "available_skills",
            Subject::Changes => "available_skills_changes",
        }
    }

    /// Everything before the first skill.
    pub(crate) fn open(&self) -> String {
        let root = self.root();
        let is_catalog = self.subject == Subject::Catalog;
        let start = match self.format() {
            CatalogFormat::Xml
            | CatalogFormat::SkillsRef
            | CatalogFormat::Zerodep
            | CatalogFormat::Deuz => format!("<{root}>"),
            CatalogFormat::Json => format!("{{\"{root}\":["),
            CatalogFormat::Markdown if is_catalog => "## Available skills\n".to_owned(),
            CatalogFormat::Drover if is_catalog => "\n## Available skills\n\n\
                Call `skill_load(name=\"<name>\")` to load the instructions of one before you use it.\n"
                .to_owned(),
            CatalogFormat::Fizeau if is_catalog => "# Available Skills\n".to_owned(),
            CatalogFormat::PromptKit if is_catalog => "Available skills:".to_owned(),
            CatalogFormat::Markdown => "## Changes to the available skills\n".to_owned(),
            CatalogFormat::Drover => "\n## Changes to the available skills\n".to_owned(),
            CatalogFormat::Fizeau => "# Changes to the Available Skills\n".to_owned(),
            CatalogFormat::PromptKit => "Changes to the available skills:".to_owned(),
        };
        format!("{}{start}", self.preamble())
    }

    fn preamble(&self) -> String {
        let text = match (&self.render.preamble, self.subject) {
            (Preamble::None, _) => return String::new(),
            (_, Subject::Changes) => {
                "The skills that are available have changed. The list below replaces what an earlier \
                 list says of the skills it names; all others are as they were."
                    .to_owned()
            }
            (Preamble::ReadFile, Subject::Catalog) => {
                "Skills are instructions for particular kinds of tasks. When a task fits the \
                 description of a skill below, read the file at its location before you go on. Paths \
                 in a skill start from the directory of that file; use absolute paths in tool calls."
                    .to_owned()
            }
            (Preamble::CallTool(tool), Subject::Catalog) => {
                let (tool, _) = plain(tool, Breaks::Collapse);
                format!(
                    "Skills are instructions for particular kinds of tasks. When a task fits the \
                     description of a skill below, call the tool `{tool}` with its name before you \
                     go on."
                )
            }
        };
        format!("{text}\n\n")
    }

    /// Everything after the last skill, with a line about those that are not listed.
    pub(crate) fn close(&self, unlisted: Unlisted) -> String {
        let mut out = String::new();
        let root = self.root();
        let note = match unlisted {
            Unlisted::Nobody => None,
            Unlisted::Some(count) => Some(self.note(count, "more ")),
            Unlisted::All(count) => Some(self.note(count, "")),
        };
        match self.format() {
            CatalogFormat::Xml | CatalogFormat::Zerodep | CatalogFormat::SkillsRef => {
                if let Some(note) = note {
                    out.push_str(match self.format() {
                        CatalogFormat::Xml => "\n  <note>",
                        CatalogFormat::SkillsRef => "\n<note>\n",
                        _ => "\n<note>",
                    });
                    push_escaped(&mut out, &note);
                    let is_apart = self.format() == CatalogFormat::SkillsRef;
                    out.push_str(if is_apart { "\n</note>" } else { "</note>" });
                }
                let _ = write!(out, "\n</{root}>");
            }
            CatalogFormat::Deuz => {
                if let Some(note) = note {
                    out.push_str("\n(");
                    push_without_tags(&mut out, &note);
                    out.push(')');
                }
                let _ = write!(out, "\n</{root}>");
            }
            CatalogFormat::Json => {
                out.push_str("\n]");
                if let Some(note) = note {
                    let _ = write!(out, ",\n\"note\":{}", Value::from(note));
                }
                out.push('}');
            }
            CatalogFormat::Fizeau | CatalogFormat::Markdown | CatalogFormat::Drover => {
                if let Some(note) = note {
                    let _ = write!(out, "\n\n({note})");
                }
                if self.format() == CatalogFormat::Fizeau && self.subject == Subject::Catalog {
                    let _ = write!(out, "\n\n{LOAD_SKILL}");
                }
            }
            CatalogFormat::PromptKit => {
                if let Some(note) = note {
                    let _ = write!(out, "\n({note})");
                }
            }
        }
        out
    }

    fn note(&self, hidden: usize, more: &str) -> String {
        let (what, are) = match (self.subject, hidden) {
            (Subject::Catalog, 1) => ("skill", "is"),
            (Subject::Catalog, _) => ("skills", "are"),
            (Subject::Changes, 1) => ("change", "is"),
            (Subject::Changes, _) => ("changes", "are"),
        };
        match &self.render.search_tool {
            Some(tool) => {
                let (tool, _) = plain(tool, Breaks::Collapse);
                let find = if hidden == 1 { "find it" } else { "find them" };
                format!("{hidden} {more}{what} {are} not listed: call `{tool}` to {find}")
            }
            None => format!("{hidden} {more}{what} {are} not listed"),
        }
    }

    /// What the format's own system writes for no skills.
    pub(crate) fn empty(&self) -> String {
        match self.format() {
            CatalogFormat::SkillsRef | CatalogFormat::Zerodep => {
                "<available_skills>\n</available_skills>".to_owned()
            }
            CatalogFormat::PromptKit => "No skills available.".to_owned(),
            _ => String::new(),
        }
    }

    /// What is said of a skill in this format.
    pub(crate) fn parts<'a>(&self, line: &CatalogLine<'a>) -> Parts<'a> {
        Parts::new(line, self.format(), self.locations)
    }

    /// Appends one skill; gives whether less is said of it than there is to say.
    pub(crate) fn push(
        &self,
        out: &mut String,
        parts: &Parts<'_>,
        change: Option<Change>,
        shown: Shown,
        is_first: bool,
    ) -> bool {
        let description = match shown {
            _ if change == Some(Change::Removed) => Cow::Borrowed(""),
            Shown::Name => Cow::Borrowed(""),
            Shown::Cut(most) => self.cut(&parts.description, most.min(self.render.max_description)),
            Shown::Whole => self.cut(&parts.description, self.render.max_description),
        };
        let entry = Entry { parts, description: &description, change };
        match self.format() {
            CatalogFormat::Xml => entry.push_xml(out, "    ", Inner::Inline),
            CatalogFormat::Zerodep => entry.push_xml(out, "", Inner::Inline),
            CatalogFormat::SkillsRef => entry.push_xml(out, "", Inner::OwnLine),
            CatalogFormat::Json => entry.push_json(out, is_first),
            format => entry.push_line(out, format),
        }
        description.len() != parts.description.len() && change != Some(Change::Removed)
    }

    fn cut<'t>(&self, text: &'t str, most: usize) -> Cow<'t, str> {
        if self.format() != CatalogFormat::Drover {
            return shorten(text, most);
        }
        // Theirs cuts after 200 units of UTF-16, without a mark, and never half a character here.
        let mut units = 0;
        let is_in = |c: &char| {
            units += c.len_utf16();
            units <= 200
        };
        let end: usize = text.chars().take_while(is_in).map(char::len_utf8).sum();
        shorten(&text[..end], most)
    }
}
