//! Turns the skills of a catalog into addresses, one each, of which none is the start of another.

use metier::{CatalogEntry, Snapshot};
use std::collections::{BTreeSet, HashMap};

/// A skill and where it is served.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    /// `pdf`, or `team/pdf` when another skill is called `pdf`; the last segment is the name.
    pub(crate) path: Box<str>,
    pub(crate) entry: CatalogEntry,
}

/// The addresses of the skills that a model may be offered, in the order of their paths.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    pub(crate) all: Vec<Address>,
    /// The ids of skills that are offered, and whose names cannot stand in an address.
    pub(crate) nameless: BTreeSet<String>,
}

impl Addresses {
    /// Gives every skill that is offered an address. One that counts is at its name; one that it
    /// shadows is below a segment made of its source, which is no name of a skill.
    pub(crate) fn of(catalog: &Snapshot) -> Self {
        let mut all = Vec::new();
        let mut names = BTreeSet::from(["index.json"]);
        for entry in catalog.iter().filter(|entry| is_segment(entry.name())) {
            // Skills that are not offered keep their names: an address never changes hands with trust.
            let is_free = names.insert(entry.name());
            if entry.is_offered() && is_free {
                all.push(Address { path: entry.name().into(), entry: entry.clone() });
            }
        }
        let mut owners: HashMap<String, &str> = HashMap::new();
        let mut paths = BTreeSet::new();
        let others = catalog.shadowed().iter().map(|shadowed| &shadowed.entry);
        for entry in others.filter(|entry| entry.is_offered() && is_segment(entry.name())) {
            let slug = slug(entry.source());
            let folders = (1..).map(|n| if n == 1 { slug.clone() } else { format!("{slug}-{n}") });
            let mut free = folders.filter_map(|folder| {
                let is_mine = !names.contains(&*folder)
                    && *owners.entry(folder.clone()).or_insert(entry.source()) == entry.source();
                let path = format!("{folder}/{}", entry.name());
                (is_mine && paths.insert(path.clone())).then_some(path)
            });
            all.extend(free.next().map(|path| Address { path: path.into(), entry: entry.clone() }));
        }
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all.shrink_to_fit();
        let others = catalog.shadowed().iter().map(|shadowed| &shadowed.entry);
        let offered = catalog.iter().chain(others).filter(|entry| entry.is_offered());
        let nameless = offered.filter(|entry| !is_segment(entry.name()));
        let nameless = nameless.map(|entry| entry.id.to_string()).collect();
        Self { all, nameless }
    }

    /// The skill at the start of an address, and the path of the file behind it, if there is one.
    pub(crate) fn find(&self, segments: &[String]) -> Option<(usize, String)> {
        let mut path = String::new();
        for (at, segment) in segments.iter().enumerate() {
            path.push_str(segment);
            if let Ok(index) = self.all.binary_search_by(|address| (*address.path).cmp(&path)) {
                return Some((index, segments[at + 1..].join("/")));
            }
            path.push('/');
        }
        None
    }
}

/// Whether a name can stand between two slashes of an address.
fn is_segment(name: &str) -> bool {
    !matches!(name, "" | "." | "..")
        && !name.contains(|c: char| c == '/' || c == '\\' || c.is_control())
}

/// A segment that says which source it is, without the folders of this machine (security P08).
fn slug(label: &str) -> String {
    let last = label.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let slug: String = last.chars().map(plain).collect();
    match slug.trim_matches('-') {
        "" => "source".to_owned(),
        slug => slug.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metier::{Blocking, Memory, Registry, Trust};

    fn text(name: &str, more: &str) -> String {
        format!("---\nname: {name}\ndescription: Use it.\n{more}\n---\n")
    }

    fn paths(registry: &Registry) -> Vec<String> {
        Addresses::of(&registry.catalog())
            .all
            .into_iter()
            .map(|address| address.path.into())
            .collect()
    }

    #[test]
    fn names_that_occur_twice_are_told_by_their_source() {
        let one = Memory::new("one").skill("pdf", text("pdf", "for: forms"));
        let two = Memory::new("/home/me/My Skills/")
            .skill("a/pdf", text("pdf", "for: a"))
            .skill("b/pdf", text("pdf", "for: b"))
            .skill("my-skills", text("my-skills", "for: x"));
        let registry = Registry::builder().source(Blocking(one)).source(Blocking(two)).open();
        let expected = ["my-skills", "my-skills-2/pdf", "my-skills-3/pdf", "pdf"];
        assert_eq!(paths(&registry), expected);

        let addresses = Addresses::of(&registry.catalog());
        let find = |path: &str| {
            let segments: Vec<_> = path.split('/').map(str::to_owned).collect();
            let (at, file) = addresses.find(&segments)?;
            Some((addresses.all[at].path.to_string(), file))
        };
        let found = |path: &str, file: &str| Some((path.to_owned(), file.to_owned()));
        assert_eq!(find("pdf/a/b.md"), found("pdf", "a/b.md"));
        assert_eq!(find("my-skills-2/pdf/SKILL.md"), found("my-skills-2/pdf", "SKILL.md"));
        assert_eq!(find("pdf"), found("pdf", ""));
        assert_eq!(find("my-skills-2"), None);
        assert_eq!(find("nope/SKILL.md"), None);
    }

    #[test]
    fn what_is_not_offered_has_no_address() {
        let hidden = text("hidden", "disable-model-invocation: true");
        let memory = Memory::new("m").skill("hidden", hidden).skill("pdf", text("pdf", "for: x"));
        let untrusted =
            Memory::new("u").trust(Trust::Untrusted).skill("evil", text("evil", "for: x"));
        let registry =
            Registry::builder().source(Blocking(memory)).source(Blocking(untrusted)).open();
        assert_eq!(paths(&registry), ["pdf"]);
    }

    #[test]
    fn what_has_no_address_is_known() {
        let memory =
            Memory::new("m").skill("ci", text("CI/CD", "for: x")).skill("a", text("a", ""));
        let registry = Registry::builder().source(Blocking(memory)).open();
        assert_eq!(paths(&registry), ["a"]);
        assert!(Addresses::of(&registry.catalog()).nameless.contains("CI/CD"));
    }
}
