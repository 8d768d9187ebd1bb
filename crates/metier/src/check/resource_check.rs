//! Turns the files beside a skill's own into their kinds and findings, opening each of them once.

use crate::check::find::is_manifest;
use crate::check::folder::{Look, file, is_scriptlike};
use crate::check::{CheckOptions, CheckedFile};
use crate::disk::{self, ReadError};
use metier_core::{EntryKind, Folder, Report, ResourcePath, check_resource};
use std::collections::BTreeMap;
use std::path::Path;

/// Extensions of files that hold neither text nor pictures we look into.
const OPAQUE: &[&str] = &[
    "7z", "bin", "bz2", "class", "dll", "dmg", "doc", "docx", "eot", "exe", "gz", "ico", "jar",
    "mov", "mp3", "mp4", "o", "odt", "otf", "pdf", "ppt", "pptx", "pyc", "so", "sqlite", "tar",
    "tgz", "ttf", "wasm", "wav", "webm", "woff", "woff2", "xls", "xlsx", "xz", "zip", "zst",
];

/// A look for hidden text and secrets in the files of a skill, which goes along while its folder is
/// listed.
pub(crate) struct ResourceCheck<'o> {
    options: &'o CheckOptions,
    /// What was found in each file that was read, by its path in the skill.
    read: BTreeMap<String, Result<Found, ReadError>>,
}

/// What was found in a file, and its text if that is anything.
struct Found {
    resource: ResourcePath,
    report: Report,
    text: String,
}

impl Look for ResourceCheck<'_> {
    fn look(&mut self, place: &Path, path: &str) -> EntryKind {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        if OPAQUE.iter().any(|opaque| extension.eq_ignore_ascii_case(opaque)) {
            return file(place, path);
        }
        // A path too long or too odd for a resource is no resource; the folder rules speak of it.
        let Ok(resource) = path.parse::<ResourcePath>() else { return file(place, path) };
        match disk::read_executable(place, self.options.parse.limits.file_bytes) {
            Ok((bytes, executable)) => {
                let shebang = is_scriptlike(path, executable) && bytes.starts_with(b"#!");
                self.read.insert(path.to_owned(), Ok(self.check(resource, &bytes)));
                EntryKind::File { executable, shebang }
            }
            Err(error) => {
                self.read.insert(path.to_owned(), Err(error));
                file(place, path)
            }
        }
    }
}

impl<'o> ResourceCheck<'o> {
    pub(crate) fn new(options: &'o CheckOptions) -> Self {
        Self { options, read: BTreeMap::new() }
    }

    fn check(&self, resource: ResourcePath, bytes: &[u8]) -> Found {
        let mut report = check_resource(&resource, bytes, self.options.parse.mode);
        report.retain(|finding| self.options.reports(finding.rule));
        let is_clean = report.is_empty();
        let text =
            if is_clean { String::new() } else { String::from_utf8_lossy(bytes).into_owned() };
        Found { resource, report, text }
    }

    /// Adds what was found to the check of the skill. A skill inside this one has its own check.
    pub(crate) fn finish(mut self, checked: &mut CheckedFile, directory: &Path, folder: &Folder) {
        let nested: Vec<&str> = folder
            .entries
            .iter()
            .filter_map(|entry| entry.path.rsplit_once('/'))
            .filter_map(|(parent, name)| is_manifest(name).then_some(parent))
            .collect();
        for entry in &folder.entries {
            let EntryKind::File { .. } = entry.kind else { continue };
            let below = |parent: &&str| {
                entry.path.strip_prefix(*parent).is_some_and(|rest| rest.starts_with('/'))
            };
            if nested.iter().any(below) {
                continue;
            }
            if !self.read.contains_key(&entry.path) {
                // The listing was cut before the file that makes its folder a skill.
                self.look(&directory.join(&entry.path), &entry.path);
            }
            match self.read.remove(&entry.path) {
                Some(Ok(found)) if !found.report.is_empty() => {
                    checked.report.extend(found.report);
                    checked.resources.insert(found.resource, found.text);
                }
                Some(Err(error)) => checked.unread.push(error),
                _ => {}
            }
        }
    }
}
