//! Turns roots into the place of their saved index, and a query into hits of it that still hold.

use crate::args::Roots;
use crate::catalog;
use crate::exit::Failure;
use metier::{
    Hit, LoadIndexError, ParseOptions, ReadError, Registry, SearchOptions, Skill, SkillIndex,
    SkillText, load_index, parse_with, read_capped, save_index, write_atomically,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How large the list of places may be: some millions of skills.
const LARGEST: usize = 1 << 30;

/// An index that was saved, and where the skills in it stand.
pub(crate) struct SavedIndex {
    pub(crate) index: SkillIndex,
    /// A line of JSON for each skill: its id and its `SKILL.md`.
    places: String,
}

/// A hit, and the skill as it is now.
pub(crate) struct SavedHit {
    pub(crate) hit: Hit,
    pub(crate) skill: Skill,
    pub(crate) location: String,
    pub(crate) copies: usize,
}

/// The file that the index of these roots is kept in, whether there is one or not.
pub(crate) fn file_of(roots: &Roots) -> Result<PathBuf, Failure> {
    let folders = catalog::folders(roots)?;
    // FNV-1a: the same roots in the same order have the same file, on every run.
    let mut key: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in folders.iter().flat_map(|folder| {
        folder.to_string_lossy().into_owned().into_bytes().into_iter().chain([0])
    }) {
        key = (key ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    Ok(cache_folder()?.join(format!("{key:016x}.index")))
}

/// The folder that the command keeps what it can make again in.
#[expect(clippy::disallowed_methods, reason = "the command reads the environment")]
fn cache_folder() -> Result<PathBuf, Failure> {
    let set =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("METIER_CACHE")
        .or_else(|| Some(set("XDG_CACHE_HOME").filter(|path| path.is_absolute())?.join("metier")))
        .or_else(|| Some(set("LOCALAPPDATA")?.join("metier").join("cache")))
        .or_else(|| Some(std::env::home_dir()?.join(".cache").join("metier")))
        .ok_or_else(|| Failure::fault("there is no cache folder", "set `METIER_CACHE` to a folder"))
}

/// Writes the index of a registry to its place.
#[expect(clippy::disallowed_methods, reason = "the command makes its own cache folder")]
pub(crate) fn save(registry: &Registry, index: &SkillIndex, file: &Path) -> Result<(), Failure> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| {
        let message = format!("cannot make the folder `{}`: {error}", folder.display());
        Failure::fault(message, "set `METIER_CACHE` to a folder that can be written")
    })?;
    let mut places = String::new();
    for entry in registry {
        places.push_str(&place_line(&entry.id, entry.location()));
        places.push('\n');
    }
    write_atomically(&places_of(file), places.as_bytes())?;
    Ok(save_index(file, index)?)
}

fn places_of(file: &Path) -> PathBuf {
    file.with_extension("places")
}

fn place_line(id: &str, location: &str) -> String {
    serde_json::json!([id, location]).to_string()
}

/// Reads the index of these roots; `None` when there is none.
pub(crate) fn load(file: &Path) -> Result<Option<SavedIndex>, LoadIndexError> {
    let index = match load_index(file) {
        Ok(index) => index,
        Err(LoadIndexError::Read(ReadError::NotFound { .. })) => return Ok(None),
        Err(error) => return Err(error),
    };
    let places = String::from_utf8_lossy(&read_capped(&places_of(file), LARGEST)?).into_owned();
    Ok(Some(SavedIndex { index, places }))
}

impl SavedIndex {
    /// The best hits, each compared with its file; `None` when one of them is not what was indexed.
    pub(crate) fn search(&self, query: &str, options: &SearchOptions<'_>) -> Option<Vec<SavedHit>> {
        let ranked = self.index.search_with(query, options);
        let wanted: Vec<&str> = ranked.iter().map(|ranked| &*ranked.hit.id).collect();
        let stamps: BTreeMap<&str, u64> =
            self.index.stamps().filter(|(id, _)| wanted.contains(id)).collect();
        let hits = ranked.iter().map(|ranked| {
            let location = self.place(&ranked.hit.id)?;
            let skill = read(Path::new(&location))?;
            let text = SkillText::of(&skill);
            (stamps.get(&*ranked.hit.id) == Some(&text.stamp())).then(|| SavedHit {
                hit: ranked.hit.clone(),
                copies: ranked.duplicates.len(),
                skill: skill.clone(),
                location,
            })
        });
        hits.collect()
    }

    fn place(&self, id: &str) -> Option<String> {
        let start = format!("[{},", serde_json::Value::from(id));
        let line = self.places.lines().find(|line| line.starts_with(&start))?;
        let (_, location): (String, String) = serde_json::from_str(line).ok()?;
        Some(location)
    }
}

/// The skill in a file, as a registry would read it.
fn read(file: &Path) -> Option<Skill> {
    let options = ParseOptions::default();
    let bytes = read_capped(file, options.limits.file_bytes).ok()?;
    let directory = file.parent()?.file_name()?.to_string_lossy().into_owned();
    let options = ParseOptions { directory: Some(directory), ..options };
    parse_with(std::str::from_utf8(&bytes).ok()?, &options).skill
}
