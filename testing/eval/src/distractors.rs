//! Turns a folder of other skills into a larger catalog: more to be confused by.

use crate::set::lines;
use crate::{Catalog, Record};
use metier_core::parse;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// How deep below a folder skills are looked for.
const DEPTH: usize = 12;

impl Catalog {
    /// Adds the skills of a folder: those of each `skills.jsonl` and `SKILL.md` below it. Those whose id,
    /// or whose name and description, the catalog has already are left out: they would be right too. Says how
    /// many were added.
    pub fn distract(&mut self, folder: &Path) -> Result<usize, String> {
        let mut found = Vec::new();
        collect(folder, folder, DEPTH, &mut found)?;
        let text = |skill: &Record| (skill.name.clone(), skill.description.clone());
        let mut ids: BTreeSet<String> = self.skills.iter().map(|skill| skill.id.clone()).collect();
        let mut texts: BTreeSet<_> = self.skills.iter().map(text).collect();
        let before = self.skills.len();
        for skill in found {
            if texts.insert(text(&skill)) && ids.insert(skill.id.clone()) {
                self.skills.push(skill);
            }
        }
        Ok(self.skills.len() - before)
    }
}

fn collect(
    root: &Path,
    folder: &Path,
    depth: usize,
    found: &mut Vec<Record>,
) -> Result<(), String> {
    let cannot = |error| format!("cannot read `{}`: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(cannot)?;
    let mut paths: Vec<_> =
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            if depth > 0 {
                collect(root, &path, depth - 1, found)?;
            }
        } else if path.file_name().is_some_and(|name| name == "skills.jsonl") {
            found.extend(lines::<Record>(&path)?);
        } else if path.file_name().is_some_and(|name| name == "SKILL.md")
            && let Ok(text) = fs::read_to_string(&path)
            && let Some(skill) = parse(&text).skill
        {
            let id = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            let (name, description) = (skill.name().to_owned(), skill.description().to_owned());
            found.push(Record { id, name, description, body: skill.body().to_owned() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_already_is_left_out() {
        let folder = std::env::temp_dir().join(format!("metier-eval-{}", std::process::id()));
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("a/SKILL.md", "---\nname: a\ndescription: Reads.\n---\nBody\n");
        write("b/SKILL.md", "---\nname: b\ndescription: Writes.\n---\n");
        write("c/skills.jsonl", "{\"id\":\"c\",\"name\":\"c\",\"description\":\"Counts.\"}\n");
        let skill = |id: &str, name: &str, description: &str| Record {
            id: id.into(),
            name: name.into(),
            description: description.into(),
            body: String::new(),
        };
        let skills = vec![skill("own", "b", "Writes."), skill("c", "other", "Other.")];
        let mut catalog = Catalog { path: folder.clone(), skills };
        let added = catalog.distract(&folder);
        let _ = fs::remove_dir_all(&folder);
        assert_eq!(added, Ok(1));
        assert_eq!(
            (catalog.skills[2].id.as_str(), catalog.skills[2].body.trim()),
            ("a/SKILL.md", "Body")
        );
        assert!(catalog.distract(&folder.join("none")).is_err());
    }
}
