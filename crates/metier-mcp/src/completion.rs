//! Turns the beginning of an address into the addresses that start so, for people who type one.

use crate::package::SKILL_FILE;
use crate::store::Store;

/// The template of the address of every file, and its one variable.
pub(crate) const TEMPLATE: &str = "skill://{+path}";
pub(crate) const VARIABLE: &str = "path";

/// The most values that a client may be given at once.
pub(crate) const MOST: usize = 100;

/// The values of the variable that start with what was typed, and how many there are in all. Skills come
/// first; once a skill is typed, its files.
pub(crate) fn paths(store: &Store, typed: &str) -> (Vec<String>, usize) {
    let served = store.served();
    let segments: Vec<String> = typed.split('/').map(str::to_owned).collect();
    if let Some((at, _)) = served.addresses.find(&segments).filter(|_| segments.len() > 1) {
        let skill = &served.addresses.all[at].path;
        let shelf = store.shelf(&served, at);
        let files =
            shelf.package.as_ref().map(|package| package.files.keys()).into_iter().flatten();
        let paths = files.map(|file| format!("{skill}/{file}"));
        return cut(paths.filter(|path| path.starts_with(typed)));
    }
    // They stand in the order of their paths, so those that start alike stand together.
    let all = &served.addresses.all;
    let start = all.partition_point(|address| *address.path < *typed);
    let fitting = all[start..].iter().take_while(|address| address.path.starts_with(typed));
    cut(fitting.map(|address| format!("{}/{SKILL_FILE}", address.path)))
}

fn cut(mut values: impl Iterator<Item = String>) -> (Vec<String>, usize) {
    let first: Vec<String> = values.by_ref().take(MOST).collect();
    let total = first.len() + values.count();
    (first, total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Journal;
    use metier::{Blocking, Memory, Registry};

    #[test]
    fn addresses_are_completed_skill_by_skill_and_file_by_file() {
        let memory = (0..150).fold(Memory::new("m"), |memory, n| {
            memory.inline(&format!("many-{n:03}"), "Use it.", "Body.")
        });
        let memory =
            memory.inline("pdf", "Use it.", "Body.").resource("pdf", "references/a.md", "x");
        let store =
            Store::new(Registry::builder().source(Blocking(memory)).open(), Journal::default());
        assert_eq!(paths(&store, "p"), (vec!["pdf/SKILL.md".to_owned()], 1));
        assert_eq!(paths(&store, "pdf/").0, ["pdf/SKILL.md", "pdf/references/a.md"]);
        assert_eq!(paths(&store, "pdf/ref").0, ["pdf/references/a.md"]);
        assert_eq!(paths(&store, "pdf/x"), (Vec::new(), 0));
        let (values, total) = paths(&store, "many");
        assert_eq!((values.len(), total, values[0].as_str()), (100, 150, "many-000/SKILL.md"));
        assert_eq!(paths(&store, "").1, 151);
    }
}
