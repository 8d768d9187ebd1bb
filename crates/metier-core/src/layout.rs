//! Turns a format into the pieces of its text: what stands before, each skill, and what stands after.

use crate::markup::{Breaks, plain, push_escaped, push_without_tags};
use crate::render::{CatalogFormat, CatalogLine, Locations, Preamble, Render};
use crate::shorten::shorten;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt::Write as _;

/// What became of a skill since an earlier catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Added,
    Changed,
    Removed,
}

impl Change {
    fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}

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

/// What happened to the text of a skill on its way into a line.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Written {
    pub(crate) is_shortened: bool,
    pub(crate) is_stripped: bool,
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

    /// Everything after the last skill, with a line about `hidden` ones if there are any.
    pub(crate) fn close(&self, hidden: usize) -> String {
        let mut out = String::new();
        let root = self.root();
        let note = (hidden > 0).then(|| self.note(hidden));
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

    fn note(&self, hidden: usize) -> String {
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
                format!("{hidden} more {what} {are} not listed: call `{tool}` to {find}")
            }
            None => format!("{hidden} more {what} {are} not listed"),
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

    /// Appends one skill.
    pub(crate) fn push(
        &self,
        out: &mut String,
        line: &CatalogLine<'_>,
        change: Option<Change>,
        shown: Shown,
        is_first: bool,
    ) -> Written {
        let mut written = Written::default();
        let breaks = match self.format() {
            CatalogFormat::SkillsRef | CatalogFormat::Zerodep | CatalogFormat::Json => Breaks::Keep,
            CatalogFormat::Xml | CatalogFormat::Drover | CatalogFormat::Markdown => {
                Breaks::Collapse
            }
            _ => Breaks::Join,
        };
        let mut clean = |text, breaks| {
            let (text, removed) = plain(text, breaks);
            written.is_stripped |= removed > 0;
            text
        };
        // A name is one line in every format.
        let name = clean(line.name, Breaks::Join);
        let shows_id = matches!(self.format(), CatalogFormat::Deuz | CatalogFormat::Json);
        let id = if shows_id { clean(line.id, Breaks::Join) } else { Cow::Borrowed(line.id) };
        let origin = line.origin.map(|origin| clean(origin, Breaks::Join));
        let location = line.location.filter(|_| self.locations);
        let location = location.map(|location| clean(location, Breaks::Join));
        let shows_needs = matches!(
            self.format(),
            CatalogFormat::Drover | CatalogFormat::Markdown | CatalogFormat::Json
        );
        let compatibility = line.compatibility.filter(|_| shows_needs);
        let compatibility = compatibility.map(|text| clean(text, Breaks::Collapse));
        let is_bare = shown == Shown::Name || change == Some(Change::Removed);
        let (description, is_shortened) = if is_bare {
            let is_lost = !line.description.is_empty() && change != Some(Change::Removed);
            (Cow::Borrowed(""), is_lost)
        } else {
            let text = clean(line.description, breaks);
            match self.shown(&text, shown) {
                Cow::Borrowed(all) if all.len() == text.len() => (text, false),
                short => (Cow::Owned(short.into_owned()), true),
            }
        };
        written.is_shortened = is_shortened;
        let parts = Parts { name, id, description, location, compatibility, origin, change };
        match self.format() {
            CatalogFormat::Xml => parts.push_xml(out, "    ", Inner::Inline),
            CatalogFormat::Zerodep => parts.push_xml(out, "", Inner::Inline),
            CatalogFormat::SkillsRef => parts.push_xml(out, "", Inner::OwnLine),
            CatalogFormat::Json => parts.push_json(out, is_first),
            format => parts.push_line(out, format),
        }
        written
    }

    fn shown<'t>(&self, text: &'t str, shown: Shown) -> Cow<'t, str> {
        let most = match shown {
            Shown::Whole => self.render.max_description,
            Shown::Cut(limit) => limit.min(self.render.max_description),
            Shown::Name => 0,
        };
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

/// Where the text of an element stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inner {
    Inline,
    OwnLine,
}

/// What is said of a skill, without anything that nobody can see.
struct Parts<'a> {
    name: Cow<'a, str>,
    id: Cow<'a, str>,
    description: Cow<'a, str>,
    location: Option<Cow<'a, str>>,
    compatibility: Option<Cow<'a, str>>,
    origin: Option<Cow<'a, str>>,
    change: Option<Change>,
}

impl Parts<'_> {
    fn is_removed(&self) -> bool {
        self.change == Some(Change::Removed)
    }

    fn push_xml(&self, out: &mut String, indent: &str, inner: Inner) {
        let outer = &indent[..indent.len() / 2];
        let is_bare =
            self.description.is_empty() && self.location.is_none() && self.origin.is_none();
        if is_bare && self.change.is_none() && !indent.is_empty() {
            // Where names alone are left, there is no room to waste.
            let _ = write!(out, "\n{outer}<skill><name>");
            push_escaped(out, &self.name);
            out.push_str("</name></skill>");
            return;
        }
        match self.change {
            Some(change) => {
                let _ = write!(out, "\n{outer}<skill change=\"{}\">", change.word());
            }
            None => {
                let _ = write!(out, "\n{outer}<skill>");
            }
        }
        let mut element = |tag: &str, text: &str| {
            let (start, end) = if inner == Inner::OwnLine { ("\n", "\n") } else { ("", "") };
            let _ = write!(out, "\n{indent}<{tag}>{start}");
            push_escaped(out, text);
            let _ = write!(out, "{end}</{tag}>");
        };
        element("name", &self.name);
        if !self.is_removed() {
            if !self.description.is_empty() {
                element("description", &self.description);
            }
            if let Some(location) = &self.location {
                element("location", location);
            }
            if let Some(origin) = &self.origin {
                element("origin", origin);
            }
        }
        let _ = write!(out, "\n{outer}</skill>");
    }

    fn push_json(&self, out: &mut String, is_first: bool) {
        out.push_str(if is_first { "\n" } else { ",\n" });
        let mut object = Map::new();
        if let Some(change) = self.change {
            object.insert("change".to_owned(), change.word().into());
        }
        object.insert("name".to_owned(), (&*self.name).into());
        if self.id != self.name {
            object.insert("id".to_owned(), (&*self.id).into());
        }
        if !self.is_removed() {
            if !self.description.is_empty() {
                object.insert("description".to_owned(), (&*self.description).into());
            }
            for (key, value) in [
                ("location", &self.location),
                ("compatibility", &self.compatibility),
                ("origin", &self.origin),
            ] {
                if let Some(value) = value {
                    object.insert(key.to_owned(), (&**value).into());
                }
            }
        }
        out.push_str(&Value::Object(object).to_string());
    }

    fn push_line(&self, out: &mut String, format: CatalogFormat) {
        let is_tagged = format == CatalogFormat::Deuz;
        let push = |out: &mut String, text: &str| {
            if is_tagged { push_without_tags(out, text) } else { out.push_str(text) }
        };
        out.push_str("\n- ");
        if let Some(change) = self.change {
            out.push_str(change.word());
            out.push(' ');
        }
        push(out, &self.name);
        if is_tagged {
            out.push_str(" (");
            push(out, &self.id);
            out.push(')');
        }
        if self.is_removed() {
            return;
        }
        if !self.description.is_empty() {
            out.push_str(": ");
            push(out, &self.description);
        }
        if let Some(origin) = &self.origin {
            out.push_str(" (from ");
            push(out, origin);
            out.push(')');
        }
        if let Some(location) = self.location.as_ref().filter(|_| format == CatalogFormat::Markdown)
        {
            out.push_str("\n  (location: ");
            push(out, location);
            out.push(')');
        }
        if let Some(compatibility) = &self.compatibility {
            out.push_str("\n  (compatibility: ");
            push(out, compatibility);
            out.push(')');
        }
    }
}
