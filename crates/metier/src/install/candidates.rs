//! Turns the paths of a place into the folders of its skills, and those into the ones that are meant.

use super::install_error::InstallError;
use super::plan::Selection;

/// The folders that hold a `SKILL.md`, sorted; `""` is the place itself. What stands below a skill
/// belongs to it and is no skill of its own (security D14).
pub(crate) fn skill_folders<'p>(paths: impl IntoIterator<Item = &'p str>) -> Vec<String> {
    let mut folders: Vec<String> = paths
        .into_iter()
        .filter_map(|path| match path.rsplit_once('/') {
            Some((folder, "SKILL.md")) => Some(folder.to_owned()),
            None if path == "SKILL.md" => Some(String::new()),
            _ => None,
        })
        .filter(|folder| !folder.split('/').any(|part| part == "node_modules"))
        .collect();
    folders.sort();
    folders.dedup();
    let below = |folder: &str, above: &String| {
        folder != above
            && (above.is_empty()
                || folder.strip_prefix(above.as_str()).is_some_and(|rest| rest.starts_with('/')))
    };
    let all = folders.clone();
    folders.retain(|folder| !all.iter().any(|above| below(folder, above)));
    folders
}

/// Those that are meant. `likely` is the name of the place, which settles it where nothing else does.
pub(crate) fn choose(
    folders: Vec<String>,
    select: &Selection,
    place: &str,
    likely: Option<&str>,
) -> Result<Vec<String>, InstallError> {
    let place = || place.to_owned();
    let last = |folder: &str| folder.rsplit('/').next().unwrap_or_default().to_owned();
    if folders.is_empty() {
        return Err(InstallError::NoSkill { place: place() });
    }
    let wanted = match (select, &folders[..]) {
        (Selection::All, _) => return Ok(folders),
        // A place that is one skill; whether it has the name is seen when it is read.
        (_, [only]) if only.is_empty() => return Ok(folders),
        (Selection::Only, [_]) => return Ok(folders),
        (Selection::Only, _) => likely.map(str::to_owned),
        (Selection::Named(name), _) => Some(name.as_str().to_owned()),
    };
    let found: Vec<String> =
        folders.iter().filter(|folder| Some(last(folder)) == wanted).cloned().collect();
    match (found.len(), select) {
        (1, _) => Ok(found),
        (0, Selection::Named(name)) => Err(InstallError::UnknownSkill {
            place: place(),
            name: name.as_str().to_owned(),
            names: folders.iter().map(|folder| last(folder)).collect(),
        }),
        (0, _) => {
            let names = folders.iter().map(|folder| last(folder)).collect();
            Err(InstallError::ManySkills { place: place(), names })
        }
        _ => Err(InstallError::ManySkills { place: place(), names: found }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_below_a_skill_is_a_part_of_it() {
        let paths = [
            "b/SKILL.md",
            "a/SKILL.md",
            "a/sub/SKILL.md",
            "ab/SKILL.md",
            "x/node_modules/y/SKILL.md",
            "README.md",
        ];
        assert_eq!(skill_folders(paths), ["a", "ab", "b"]);
        assert_eq!(skill_folders(["SKILL.md", "a/SKILL.md"]), [""]);
        assert_eq!(skill_folders(["skill.md", "a/SKILL.md.bak"]), [""; 0]);
    }

    #[test]
    fn which_one_is_meant() {
        let folders = || vec!["x/a".to_owned(), "x/b".to_owned()];
        let named = |name: &str| Selection::Named(name.parse().unwrap());
        let choose = |folders, select: &Selection, likely| choose(folders, select, "p", likely);
        assert_eq!(choose(folders(), &named("b"), None).unwrap(), ["x/b"]);
        assert_eq!(choose(folders(), &Selection::All, None).unwrap(), folders());
        assert_eq!(choose(folders(), &Selection::Only, Some("a")).unwrap(), ["x/a"]);
        assert_eq!(choose(vec![String::new()], &named("b"), None).unwrap(), [""]);
        let many = choose(folders(), &Selection::Only, None).unwrap_err();
        assert_eq!(many.to_string(), "there are 2 skills in `p`: `a`, `b`");
        let none = choose(folders(), &named("c"), None).unwrap_err();
        assert_eq!(none.help().unwrap(), "there are `a`, `b`");
        let twice = vec!["x/a".to_owned(), "y/a".to_owned()];
        assert!(matches!(
            choose(twice, &named("a"), None),
            Err(InstallError::ManySkills { names, .. }) if names == ["x/a", "y/a"]
        ));
        assert!(matches!(
            choose(Vec::new(), &Selection::All, None),
            Err(InstallError::NoSkill { .. })
        ));
    }
}
