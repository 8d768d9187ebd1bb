//! Turns a catalog line into its parts, without anything that nobody can see, and those into an entry of a format.

use crate::render::markup::{Breaks, plain, push_escaped, push_without_tags};
use crate::render::{CatalogFormat, CatalogLine};
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

/// Where the text of an element stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inner {
    Inline,
    OwnLine,
}

/// What is said of a skill, as its format takes it and without anything that nobody can see.
pub(crate) struct Parts<'a> {
    name: Cow<'a, str>,
    id: Cow<'a, str>,
    pub(crate) description: Cow<'a, str>,
    location: Option<Cow<'a, str>>,
    compatibility: Option<Cow<'a, str>>,
    origin: Option<Cow<'a, str>>,
    /// Whether something was taken out.
    pub(crate) is_stripped: bool,
}

impl<'a> Parts<'a> {
    pub(crate) fn new(line: &CatalogLine<'a>, format: CatalogFormat, locations: bool) -> Self {
        use CatalogFormat::{Deuz, Drover, Json, Markdown, SkillsRef, Xml, Zerodep};
        let mut is_stripped = false;
        let mut clean = |text: &'a str, breaks| {
            let (text, removed) = plain(text, breaks);
            is_stripped |= removed > 0;
            text
        };
        let breaks = match format {
            SkillsRef | Zerodep | Json => Breaks::Keep,
            Xml | Drover | Markdown => Breaks::Collapse,
            _ => Breaks::Join,
        };
        let has_id = matches!(format, Deuz | Json);
        let has_location =
            locations && matches!(format, SkillsRef | Zerodep | Json | Xml | Markdown);
        let has_compatibility = matches!(format, Drover | Markdown | Json);
        // All but descriptions are one line in every format.
        Self {
            name: clean(line.name, Breaks::Join),
            id: if has_id { clean(line.id, Breaks::Join) } else { Cow::Borrowed(line.id) },
            description: clean(line.description, breaks),
            location: line.location.filter(|_| has_location).map(|text| clean(text, Breaks::Join)),
            compatibility: line
                .compatibility
                .filter(|_| has_compatibility)
                .map(|text| clean(text, Breaks::Collapse)),
            origin: line.origin.map(|text| clean(text, Breaks::Join)),
            is_stripped,
        }
    }
}

/// One skill in the text.
pub(crate) struct Entry<'p> {
    pub(crate) parts: &'p Parts<'p>,
    /// As much of the description as is shown.
    pub(crate) description: &'p str,
    pub(crate) change: Option<Change>,
}

impl Entry<'_> {
    fn is_removed(&self) -> bool {
        self.change == Some(Change::Removed)
    }

    pub(crate) fn push_xml(&self, out: &mut String, indent: &str, inner: Inner) {
        let outer = &indent[..indent.len() / 2];
        let is_bare = self.description.is_empty()
            && self.parts.location.is_none()
            && self.parts.origin.is_none();
        if is_bare && self.change.is_none() && !indent.is_empty() {
            // Where names alone are left, there is no room to waste.
            let _ = write!(out, "\n{outer}<skill><name>");
            push_escaped(out, &self.parts.name);
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
        element("name", &self.parts.name);
        if !self.is_removed() {
            if !self.description.is_empty() {
                element("description", self.description);
            }
            if let Some(location) = &self.parts.location {
                element("location", location);
            }
            if let Some(origin) = &self.parts.origin {
                element("origin", origin);
            }
        }
        let _ = write!(out, "\n{outer}</skill>");
    }

    pub(crate) fn push_json(&self, out: &mut String, is_first: bool) {
        out.push_str(if is_first { "\n" } else { ",\n" });
        let mut object = Map::new();
        if let Some(change) = self.change {
            object.insert("change".to_owned(), change.word().into());
        }
        object.insert("name".to_owned(), (&*self.parts.name).into());
        if self.parts.id != self.parts.name {
            object.insert("id".to_owned(), (&*self.parts.id).into());
        }
        if !self.is_removed() {
            if !self.description.is_empty() {
                object.insert("description".to_owned(), self.description.into());
            }
            for (key, value) in [
                ("location", &self.parts.location),
                ("compatibility", &self.parts.compatibility),
                ("origin", &self.parts.origin),
            ] {
                if let Some(value) = value {
                    object.insert(key.to_owned(), (&**value).into());
                }
            }
        }
        out.push_str(&Value::Object(object).to_string());
    }

    pub(crate) fn push_line(&self, out: &mut String, format: CatalogFormat) {
        let is_tagged = format == CatalogFormat::Deuz;
        let push = |out: &mut String, text: &str| {
            if is_tagged { push_without_tags(out, text) } else { out.push_str(text) }
        };
        out.push_str("\n- ");
        if let Some(change) = self.change {
            out.push_str(change.word());
            out.push(' ');
        }
        push(out, &self.parts.name);
        if is_tagged {
            out.push_str(" (");
            push(out, &self.parts.id);
            out.push(')');
        }
        if self.is_removed() {
            return;
        }
        if !self.description.is_empty() {
            out.push_str(": ");
            push(out, self.description);
        }
        if let Some(origin) = &self.parts.origin {
            out.push_str(" (from ");
            push(out, origin);
            out.push(')');
        }
        if let Some(location) = &self.parts.location {
            out.push_str("\n  (location: ");
            push(out, location);
            out.push(')');
        }
        let is_name_alone = self.description.is_empty() && !self.parts.description.is_empty();
        if let Some(compatibility) = self.parts.compatibility.as_ref().filter(|_| !is_name_alone) {
            out.push_str("\n  (compatibility: ");
            push(out, compatibility);
            out.push(')');
        }
    }
}
