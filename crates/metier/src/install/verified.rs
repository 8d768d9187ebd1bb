//! Turns fetched files into a skill that was checked, with everything that was found.

use super::install_error::InstallError;
use super::origin::Origin;
use super::reference::Reference;
use super::tree::FileTree;
use metier_core::{
    EntryKind, Folder, FolderEntry, Mode, ParseOptions, Report, ResourcePath, Severity, SkillName,
    check, check_resource, is_windows_device,
};
use std::collections::BTreeSet;
use std::fmt;

/// Files, and where they came from. Nothing is known about them yet.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fetched {
    /// What asked for exactly these.
    pub requested: Reference,
    /// Where they came from.
    pub origin: Origin,
    /// The files.
    pub tree: FileTree,
    /// The folder that the skill's folder will stand in, from the root; the usual one without.
    pub into: Option<ResourcePath>,
    /// Agents whose folders will show it too.
    pub links: Vec<String>,
    /// What a caller should hear, in words.
    pub notices: Vec<String>,
}

/// A skill that can be installed: it has a name, and it was checked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Verified {
    /// Its name.
    pub name: SkillName,
    /// The files, and where they came from.
    pub fetched: Fetched,
    /// What the rules found.
    pub report: Report,
    /// What no rule can look into.
    pub concerns: Vec<Concern>,
}

/// Something that a person should know before a skill is installed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Concern {
    /// The file is a placeholder for one that Git LFS keeps elsewhere (security G10).
    LfsPointer(ResourcePath),
    /// The file is an archive, which nothing has looked into (security Z20).
    Opaque(ResourcePath),
    /// The file would configure an agent if it stood elsewhere (security Z17).
    AgentConfiguration(ResourcePath),
}

impl Concern {
    /// Whether the skill is refused because of it, unless the caller says otherwise.
    pub fn refuses(&self) -> bool {
        !matches!(self, Self::AgentConfiguration(_))
    }
}

impl fmt::Display for Concern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LfsPointer(path) => {
                write!(f, "`{path}` is only a pointer to a file in Git LFS")
            }
            Self::Opaque(path) => write!(f, "`{path}` is an archive that nobody looked into"),
            Self::AgentConfiguration(path) => write!(f, "`{path}` looks like settings of an agent"),
        }
    }
}

/// What is done with skills that have errors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Findings {
    /// They are refused.
    #[default]
    Refuse,
    /// They are installed all the same.
    Allow,
}

impl Fetched {
    /// Checks the files with every rule, as `metier check` would where they will stand.
    pub fn verify(self, findings: Findings) -> Result<Verified, InstallError> {
        let place = self.origin.source();
        let Some(file) = self.tree.get("SKILL.md") else {
            return Err(InstallError::NoSkill { place });
        };
        let folder = listing(&self.tree);
        let mut options = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
        let skill = check(&file.bytes, Some(&folder), &options).skill;
        let text = skill.as_ref().map(|skill| skill.name().to_owned()).unwrap_or_default();
        let invalid = |reason: String| InstallError::Name { place: place.clone(), reason };
        let name: SkillName = match text.parse() {
            Ok(_) if is_windows_device(&text) => {
                return Err(invalid(format!("`{text}` is a device on Windows")));
            }
            Ok(name) => name,
            Err(_) if skill.is_none() => {
                let found = check(&file.bytes, Some(&folder), &options).report;
                let errors = found.iter().filter(|finding| finding.severity == Severity::Error);
                let reasons = errors.map(ToString::to_string).collect();
                return Err(InstallError::NotASkill { place, reasons });
            }
            Err(error) => return Err(invalid(error.to_string())),
        };
        // It will stand in a folder of its own name.
        options.directory = Some(name.as_str().to_owned());
        let mut report = check(&file.bytes, Some(&folder), &options).report;
        let mut concerns = Vec::new();
        for file in self.tree.files() {
            let path = &file.record.path;
            concerns.extend(concern(path, &file.bytes));
            if path.as_str() != "SKILL.md" {
                report.extend(check_resource(path, &file.bytes, options.mode));
            }
        }
        report.sort();
        let mut reasons: Vec<String> = report
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .map(ToString::to_string)
            .collect();
        reasons.extend(concerns.iter().filter(|it| it.refuses()).map(ToString::to_string));
        if findings == Findings::Refuse && !reasons.is_empty() {
            let name = name.as_str().to_owned();
            return Err(InstallError::Refused { name, reasons, report });
        }
        Ok(Verified { name, fetched: self, report, concerns })
    }
}

/// The listing that rules are checked against, as if the files stood in a folder.
fn listing(tree: &FileTree) -> Folder {
    let mut folder = Folder::new("SKILL.md");
    let mut folders = BTreeSet::new();
    for file in tree.files() {
        let path = file.record.path.as_str();
        let hidden = path.split('/').any(|part| part.starts_with('.') || part == "node_modules");
        if hidden || path == "SKILL.md" {
            continue;
        }
        folders.extend(path.match_indices('/').map(|(at, _)| path[..at].to_owned()));
        let kind = EntryKind::File {
            executable: file.record.executable,
            shebang: file.bytes.starts_with(b"#!"),
        };
        folder.entries.push(FolderEntry { path: path.to_owned(), kind });
    }
    let folders = folders.into_iter().map(|path| FolderEntry { path, kind: EntryKind::Directory });
    folder.entries.extend(folders);
    folder.entries.sort_by(|a, b| a.path.cmp(&b.path));
    folder
}

fn concern(path: &ResourcePath, bytes: &[u8]) -> Option<Concern> {
    let archives: [&[u8]; 7] = [
        b"PK\x03\x04",
        b"\x1f\x8b",
        b"BZh",
        b"\xfd7zXZ\0",
        b"7z\xbc\xaf\x27\x1c",
        b"Rar!\x1a\x07",
        b"\x28\xb5\x2f\xfd",
    ];
    // Documents are zips too, of a kind that programs open and do not run.
    let documents = ["docx", "xlsx", "pptx", "odt", "ods", "odp", "epub"];
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    if bytes.starts_with(b"version https://git-lfs.github.com/spec/") {
        return Some(Concern::LfsPointer(path.clone()));
    }
    if archives.iter().any(|magic| bytes.starts_with(magic))
        && !documents.contains(&extension.as_str())
    {
        return Some(Concern::Opaque(path.clone()));
    }
    let settings = [".claude", ".cursor", ".codex", ".gemini", ".vscode", ".mcp.json", ".envrc"];
    let configures = path.components().any(|part| settings.contains(&part));
    configures.then(|| Concern::AgentConfiguration(path.clone()))
}
