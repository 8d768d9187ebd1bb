//! Turns roots into the place of their saved index, and a query into hits of it that still hold.

use crate::args::Roots;
use crate::catalog;
use crate::exit::Failure;
use crate::saved_folders::SavedFolder;
use metier::{
    Hit, IndexUse, LoadIndexError, ParseOptions, ReadError, Registry, SearchOptions, Skill,
    SkillIndex, SkillText, load_index, open_index, parse_with, read_capped, save_index,
    write_atomically,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How large the list of places may be: some millions of skills.
const LARGEST: usize = 1 << 30;

/// An index that was saved, and where the skills in it stand.
pub(crate) struct SavedIndex {
    pub(crate) index: SkillIndex,
    places: Places,
}

/// Where the skills of an index stand: a line of JSON with the folders that they were found in, then
/// one for each skill, its id and its `SKILL.md`, sorted.
struct Places(String);

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

/// Writes the index of a registry to its place, with the folders as they were before it was opened: what came
/// in between is seen as new next time.
#[expect(clippy::disallowed_methods, reason = "the command makes its own cache folder")]
pub(crate) fn save(
    registry: &Registry,
    folders: Option<&[SavedFolder]>,
    file: &Path,
) -> Result<(), Failure> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| {
        let message = format!("cannot make the folder `{}`: {error}", folder.display());
        Failure::fault(message, "set `METIER_CACHE` to a folder that can be written")
    })?;
    let mut lines: Vec<String> =
        registry.into_iter().map(|entry| place_line(&entry.id, entry.location())).collect();
    lines.sort_unstable();
    let mut places = serde_json::to_string(&folders).unwrap_or_default();
    for line in lines {
        places.push('\n');
        places.push_str(&line);
    }
    write_atomically(&places_of(file), places.as_bytes())?;
    Ok(save_index(file, &registry.index())?)
}

fn places_of(file: &Path) -> PathBuf {
    file.with_extension("places")
}

fn place_line(id: &str, location: &str) -> String {
    serde_json::json!([id, location]).to_string()
}

/// Reads the index of these roots; `None` when there is none.
pub(crate) fn load(file: &Path) -> Result<Option<SavedIndex>, LoadIndexError> {
    with_places(file, load_index(file))
}

/// Opens the index of these roots for one query; `None` when there is none.
pub(crate) fn open(file: &Path) -> Result<Option<SavedIndex>, LoadIndexError> {
    with_places(file, open_index(file, IndexUse::OneQuery))
}

fn with_places(
    file: &Path,
    index: Result<SkillIndex, LoadIndexError>,
) -> Result<Option<SavedIndex>, LoadIndexError> {
    let index = match index {
        Ok(index) => index,
        Err(LoadIndexError::Read(ReadError::NotFound { .. })) => return Ok(None),
        Err(error) => return Err(error),
    };
    // Lines that are no text are of no use, and then the index is out of date.
    let places = String::from_utf8(read_capped(&places_of(file), LARGEST)?).unwrap_or_default();
    Ok(Some(SavedIndex { index, places: Places(places) }))
}

impl SavedIndex {
    /// The best hits, each compared with its file. `None` when one of them is not what was indexed, when a
    /// skill was added or taken away, and when the index turns out to be damaged.
    pub(crate) fn search(&self, query: &str, options: &SearchOptions<'_>) -> Option<Vec<SavedHit>> {
        if !self.places.folders().is_some_and(|folders| folders.iter().all(SavedFolder::is_same)) {
            return None;
        }
        let ranked = self.index.search_with(query, options);
        if self.index.is_damaged() {
            return None;
        }
        let wanted: Vec<&str> = ranked.iter().map(|ranked| &*ranked.hit.id).collect();
        let stamps: BTreeMap<&str, u64> =
            self.index.stamps().filter(|(id, _)| wanted.contains(id)).collect();
        let hits = ranked.iter().map(|ranked| {
            let location = self.places.get(&ranked.hit.id)?;
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
}

impl Places {
    /// The folders that skills were found in; `None` if that is not known.
    fn folders(&self) -> Option<Vec<SavedFolder>> {
        serde_json::from_str(self.0.lines().next()?).ok()
    }

    /// The `SKILL.md` of a skill, found by halving.
    fn get(&self, id: &str) -> Option<String> {
        let start = format!("[{},", serde_json::Value::from(id));
        let (_, mut rest) = self.0.split_once('\n')?;
        while !rest.is_empty() {
            let before = &rest.as_bytes()[..rest.len() / 2];
            let from = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            let end = rest[from..].find('\n').map_or(rest.len(), |length| from + length);
            let line = &rest[from..end];
            if line.starts_with(&start) {
                let (_, location): (String, String) = serde_json::from_str(line).ok()?;
                return Some(location);
            }
            rest = if line < start.as_str() {
                rest.get(end + 1..).unwrap_or_default()
            } else {
                &rest[..from.saturating_sub(1)]
            };
        }
        None
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

#[cfg(test)]
mod tests {
    use super::{Places, place_line};

    #[test]
    fn every_place_is_found_and_no_other() {
        for count in 0..20 {
            let ids: Vec<String> =
                (0..count).map(|at| format!("skill-{}\"é", at * 7 % 20)).collect();
            let mut lines: Vec<String> =
                ids.iter().map(|id| place_line(id, &id.to_uppercase())).collect();
            lines.sort_unstable();
            lines.insert(0, "[]".to_owned());
            let places = Places(lines.join("\n"));
            for id in &ids {
                assert_eq!(places.get(id), Some(id.to_uppercase()), "{id} of {count}");
            }
            assert_eq!(places.get("skill-"), None);
            assert_eq!(places.get(""), None);
            assert_eq!(places.get("zebra"), None);
        }
    }
}
