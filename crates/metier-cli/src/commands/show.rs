//! Turns one skill into a page about it: what it says, what it costs and what it brings.

use crate::args::Show;
use crate::exit::{Exit, Failure};
use crate::ui::{STRONG, Ui, count};
use crate::withheld::{self, Withheld};
use crate::{catalog, input};
use metier::{
    CatalogEntry, CheckOptions, EntryKind, Estimate, Files, FolderListing, Limits, Mode,
    ParseOptions, Registry, RenderOptions, Severity, Skill, TokenCounter as _, check, check_bytes,
    directory_name, list_folder, manifest_of, parse_with, read_capped, render, visible,
};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use unicode_width::UnicodeWidthStr as _;

/// The column at which values start.
const INDENT: usize = 15;

pub(crate) fn run(args: &Show, ui: &mut Ui) -> Result<Exit, Failure> {
    let base = input::working_directory()?;
    let (id, path) = match find(args, ui)? {
        Found::File(id, path) => (id, path),
        Found::Elsewhere(registry, entry) => return show_remote(&registry, &entry, args, ui),
    };
    let place = Place::of(&path, &base);
    let directory = place.folder.as_ref().and_then(|_| directory_name(&path, &base));
    let parse = ParseOptions { directory, ..ParseOptions::default() };
    let bytes = read_capped(&path, parse.limits.file_bytes)?;

    // Shown as it would be loaded, judged as it would be checked.
    let loaded = check(&bytes, place.folder.as_ref(), &parse);
    let Some(skill) = loaded.skill else {
        let options = CheckOptions { parse, base: base.clone(), ..CheckOptions::default() };
        let file = check_bytes(&path, &bytes, &options);
        let (color, width) = (ui.colors_data(), Ui::width());
        ui.say(
            render(&[file], &RenderOptions { color, width, base, ..Default::default() }).trim_end(),
        );
        ui.say("\nthe skill cannot be loaded");
        return Ok(Exit::Findings);
    };
    if args.json {
        ui.data(&format!(
            "{:#}\n",
            as_json(id.as_deref().unwrap_or(skill.name()), &skill, &place)
        ))?;
    } else {
        let parse = ParseOptions { mode: Mode::Strict, ..parse };
        let options = CheckOptions { parse, base, ..CheckOptions::default() };
        let report = check_bytes(&path, &bytes, &options).report;
        let errors = report.count(Severity::Error);
        let warnings = report.count(Severity::Warning);
        ui.data(&page(&skill, &place, errors, warnings))?;
    }
    Ok(Exit::Ok)
}

/// A skill of another server: its own file is fetched, and no other.
fn show_remote(
    registry: &Registry,
    entry: &CatalogEntry,
    args: &Show,
    ui: &mut Ui,
) -> Result<Exit, Failure> {
    let skill = registry.load_blocking(&entry.id)?;
    let place = Place::elsewhere(entry, &registry.files_blocking(&entry.id)?);
    if args.json {
        ui.data(&format!("{:#}\n", as_json(&entry.id, &skill, &place)))?;
    } else {
        let strict = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
        let report = parse_with(skill.text(), &strict).report;
        let (errors, warnings) = (report.count(Severity::Error), report.count(Severity::Warning));
        ui.data(&page(&skill, &place, errors, warnings))?;
    }
    Ok(Exit::Ok)
}

/// The skill that is meant.
enum Found {
    /// One on this machine: its id, where one is known, and its file.
    File(Option<String>, PathBuf),
    /// One of another server.
    Elsewhere(Registry, CatalogEntry),
}

/// The skill that is meant: by its name where one has it, else by its path.
fn find(args: &Show, ui: &mut Ui) -> Result<Found, Failure> {
    let by_path = || manifest_of(&args.skill);
    let is_path = args.skill.components().count() != 1
        || args
            .skill
            .to_str()
            .is_none_or(|text| text.contains(['/', '\\']) || text.starts_with('.'));
    if is_path {
        return Ok(Found::File(None, by_path()?));
    }
    let registry = catalog::open(&args.sources)?;
    let name = args.skill.to_string_lossy();
    match (registry.get(&name), by_path()) {
        (Some(entry), _) if withheld::is_remote(&entry) => Ok(Found::Elsewhere(registry, entry)),
        (Some(entry), _) => {
            // Who looks at a skill that was changed should know that it was.
            let mut changed = Withheld::of(&registry).changed;
            changed.retain(|problem| problem.location == entry.location());
            ui.problems(&changed);
            Ok(Found::File(Some(entry.id.to_string()), PathBuf::from(entry.location())))
        }
        (None, Ok(path)) => Ok(Found::File(None, path)),
        (None, Err(_)) => Err(catalog::get(&registry, &name).err().unwrap_or_else(|| {
            Failure::fault(format!("there is no skill `{name}`"), "give its folder")
        })),
    }
}

/// Where a skill stands, and what stands beside it.
struct Place {
    /// The absolute path of its file.
    location: PathBuf,
    folder: Option<FolderListing>,
    /// Its files by conventional folder, each sorted.
    resources: [(&'static str, Vec<String>); 4],
    /// Whether it stands on another machine.
    is_elsewhere: bool,
}

impl Place {
    fn of(path: &Path, base: &Path) -> Self {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let parent = base.join(path.parent().unwrap_or(Path::new("")));
        // Only a `SKILL.md` owns its folder; another file stands alone.
        let owns_folder = name.eq_ignore_ascii_case("skill.md");
        let folder = owns_folder.then(|| list_folder(&parent, &name).ok()).flatten();

        let mut resources =
            ["scripts", "references", "assets", "other"].map(|key| (key, Vec::new()));
        for entry in folder.iter().flat_map(|folder| &folder.entries) {
            let is_file =
                matches!(entry.kind, EntryKind::File { .. } | EntryKind::Link { inside: true });
            if !is_file {
                continue;
            }
            let top = entry.path.split_once('/').map_or("", |(top, _)| top);
            let group = resources.iter().position(|(key, _)| *key == top).unwrap_or(3);
            resources[group].1.push(entry.path.clone());
        }
        Self { location: base.join(path), folder, resources, is_elsewhere: false }
    }

    /// The place of a skill of another server, where nothing is looked into.
    fn elsewhere(entry: &CatalogEntry, files: &Files) -> Self {
        let groups = [
            ("scripts", &files.scripts),
            ("references", &files.references),
            ("assets", &files.assets),
            ("other", &files.other),
        ];
        let resources = groups
            .map(|(key, paths)| (key, paths.iter().map(|path| path.as_str().to_owned()).collect()));
        let location = PathBuf::from(entry.location());
        Self { location, folder: None, resources, is_elsewhere: true }
    }
}

/// The documented object: every key is there, in this order.
fn as_json(id: &str, skill: &Skill, place: &Place) -> Value {
    let mut known = skill.to_json();
    let mut take = |key: &str, default: Value| {
        known.get_mut(key).map(Value::take).filter(|value| !value.is_null()).unwrap_or(default)
    };
    let mut object = Map::new();
    object.insert("id".into(), id.into());
    for (key, default) in [
        ("name", Value::Null),
        ("description", Value::Null),
        ("license", Value::Null),
        ("compatibility", Value::Null),
        ("allowed-tools", json!([])),
        ("metadata", json!({})),
        ("extra", json!({})),
    ] {
        object.insert(key.into(), take(key, default));
    }
    object.insert("body".into(), skill.body().into());
    object.insert("location".into(), place.location.to_string_lossy().into());
    object.insert("digest".into(), skill.digest().into());
    let resources = place.resources.iter().map(|(key, files)| ((*key).to_owned(), json!(files)));
    object.insert("resources".into(), Value::Object(resources.collect()));
    Value::Object(object)
}

/// The page for people.
fn page(skill: &Skill, place: &Place, errors: usize, warnings: usize) -> String {
    let manifest = skill.manifest();
    let width = Ui::width().clamp(40, 100);
    let mut page = Page { text: format!("{STRONG}{}{STRONG:#}\n", visible(skill.name())) };
    for line in wrap(skill.description(), width) {
        let _ = writeln!(page.text, "{}", visible(&line));
    }
    page.text.push('\n');
    page.row("license", manifest.license.iter());
    page.row(
        "compatibility",
        manifest.compatibility.iter().flat_map(|text| wrap(text, width - INDENT)),
    );
    let tools = manifest.allowed_tools.as_ref().map(ToString::to_string);
    page.row("tools", tools.iter().flat_map(|text| wrap(text, width - INDENT)));
    page.row("metadata", manifest.metadata_text().map(|(key, value)| format!("{key}: {value}")));
    page.row("tokens", tokens(skill, place));
    for (key, files) in &place.resources {
        page.row(key, files.iter());
    }
    if place.folder.as_ref().is_some_and(|folder| folder.truncated) {
        page.row("", ["(and more: the listing stops at 1 000 entries)"]);
    }
    page.row("location", [place.location.to_string_lossy()]);
    page.row("digest", [skill.digest()]);
    let findings = if errors + warnings == 0 {
        "none".to_owned()
    } else {
        let (errors, warnings) = (count(errors, "error"), count(warnings, "warning"));
        let more = if place.is_elsewhere { "" } else { "; `metier check` shows them" };
        format!("{errors}, {warnings}{more}")
    };
    page.row("findings", [findings]);
    page.text
}

/// What the skill costs at each level of disclosure (spec X2), by estimate.
fn tokens(skill: &Skill, place: &Place) -> Vec<String> {
    let listed = Estimate.count(&skill.describe());
    let active = Estimate.count(skill.instructions());
    let mut lines =
        vec![format!("about {listed} in a catalog"), format!("about {active} when it is used")];
    let folder = place.location.parent().unwrap_or(Path::new(""));
    let files = place.resources.iter().flat_map(|(_, files)| files);
    // Nothing is fetched just to be counted.
    let files = files.filter(|_| !place.is_elsewhere);
    // Only what a model can read as text counts; pictures and archives cost it nothing.
    let texts = files.filter_map(|file| {
        let bytes = read_capped(&folder.join(file), Limits::default().file_bytes).ok()?;
        String::from_utf8(bytes).ok()
    });
    let resources: usize = texts.map(|text| Estimate.count(&text)).sum();
    if resources > 0 {
        lines.push(format!("about {resources} in its files, read when they are needed"));
    }
    lines
}

struct Page {
    text: String,
}

impl Page {
    /// Adds a label and its lines; nothing when there are none.
    fn row<T: AsRef<str>>(&mut self, label: &str, lines: impl IntoIterator<Item = T>) {
        for (number, line) in lines.into_iter().enumerate() {
            let label = if number == 0 { label } else { "" };
            let _ =
                writeln!(self.text, "{STRONG}{label:INDENT$}{STRONG:#}{}", visible(line.as_ref()));
        }
    }
}

/// Breaks a text between words into lines of at most `width` columns.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.width() + 1 + word.width() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_between_words_and_never_inside_one() {
        assert_eq!(wrap("a bb ccc dddd", 6), ["a bb", "ccc", "dddd"]);
        assert_eq!(wrap("unbreakable", 3), ["unbreakable"]);
        assert_eq!(wrap("技能 技能", 5), ["技能", "技能"]);
        assert_eq!(wrap("", 5), [""]);
    }
}
