//! Turns a finding into the path, the text and the lines it points at.

use crate::CheckedFile;
use metier_core::{Finding, LineIndex, Position, Span};
use std::path::{Path, PathBuf};

/// The texts of one checked file with their lines, to resolve its findings one by one.
pub(super) struct Places<'a> {
    file: &'a CheckedFile,
    lines: LineIndex,
}

/// Where a finding is.
pub(super) struct Place<'a> {
    /// The path of the file, as given.
    pub(super) path: PathBuf,
    pub(super) text: &'a str,
    /// Start and end, if the finding is about a part of the file.
    pub(super) range: Option<(Position, Position)>,
    lines: std::borrow::Cow<'a, LineIndex>,
}

impl<'a> Places<'a> {
    pub(super) fn new(file: &'a CheckedFile) -> Self {
        Self { file, lines: LineIndex::new(&file.text) }
    }

    pub(super) fn of(&'a self, finding: &Finding) -> Place<'a> {
        use std::borrow::Cow;
        let (path, text, lines) = match &finding.file {
            None => (self.file.path.clone(), &*self.file.text, Cow::Borrowed(&self.lines)),
            Some(resource) => {
                let folder = self.file.path.parent().unwrap_or(Path::new(""));
                let text = self.file.resources.get(resource).map_or("", String::as_str);
                (folder.join(resource.as_str()), text, Cow::Owned(LineIndex::new(text)))
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
