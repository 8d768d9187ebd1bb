//! Turns a finding into the path, the text and the lines it points at.

use crate::CheckedFile;
use metier_core::{Finding, LineIndex, Position, ResourcePath, Span};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The texts of one checked file with their lines, to resolve its findings one by one.
pub(super) struct Places<'a> {
    file: &'a CheckedFile,
    skill: Text<'a>,
    resources: BTreeMap<&'a ResourcePath, Text<'a>>,
    /// For a finding about a file that was not kept.
    none: Text<'a>,
}

/// A text and its lines.
struct Text<'a> {
    text: &'a str,
    lines: LineIndex,
}

/// Where a finding is.
pub(super) struct Place<'a> {
    /// The path of the file, as given.
    pub(super) path: PathBuf,
    pub(super) text: &'a str,
    /// Start and end, if the finding is about a part of the file.
    pub(super) range: Option<(Position, Position)>,
    pub(super) lines: &'a LineIndex,
}

impl<'a> Places<'a> {
    pub(super) fn new(file: &'a CheckedFile) -> Self {
        let indexed = |text: &'a str| Text { text, lines: LineIndex::new(text) };
        let resources = file.resources.iter().map(|(path, text)| (path, indexed(text)));
        Self { file, skill: indexed(&file.text), resources: resources.collect(), none: indexed("") }
    }

    pub(super) fn of(&'a self, finding: &Finding) -> Place<'a> {
        let (path, Text { text, lines }) = match &finding.file {
            None => (self.file.path.clone(), &self.skill),
            Some(resource) => {
                let folder = self.file.path.parent().unwrap_or(Path::new(""));
                let text = self.resources.get(resource).unwrap_or(&self.none);
                (folder.join(resource.as_str()), text)
            }
        };
        let range = finding
            .span
            .map(|span| (lines.position(text, span.start()), lines.position(text, span.end())));
        Place { path, text, range, lines }
    }
}

impl Place<'_> {
    /// Start and end of another span in the same text.
    pub(super) fn positions(&self, span: Span) -> (Position, Position) {
        let at = |offset| self.lines.position(self.text, offset);
        (at(span.start()), at(span.end()))
    }
}

/// A path with `/` between its parts, relative to `base` where it lies below it.
pub(super) fn slashed(path: &Path, base: &Path) -> String {
    let path =
        if base.as_os_str().is_empty() { path } else { path.strip_prefix(base).unwrap_or(path) };
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' {
        text.into_owned()
    } else {
        text.replace(std::path::MAIN_SEPARATOR, "/")
    }
}
