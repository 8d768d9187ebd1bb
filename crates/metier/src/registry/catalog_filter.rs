//! Turns a catalog into the part of it that may be chosen from, before anything is ranked.

use crate::check::glob;
use crate::registry::catalog::CatalogEntry;
use crate::registry::path_filter::{PathFilter, path_of};
use crate::registry::snapshot::Snapshot;
use metier_core::AllowedTools;
use std::fmt;
use std::path::{Path, PathBuf};

/// Which skills there are to choose from. The default lets every skill in; each field that is filled
/// in leaves some out.
///
/// 1. `audience`: a model is offered trusted skills that it may choose by itself.
/// 2. `deny`, then `allow`: ids or names, or patterns with `*`, `?` and `[..]`.
/// 3. `sources`: the labels of sources, or patterns.
/// 4. `path`: where the skill appears, by its virtual path or its directory.
/// 5. `tags`: one common tag is enough.
/// 6. `available_tools`: every tool of the skill's `allowed-tools` must be among them, by its base
///    name and without regard to case. A skill that names no tool passes.
///
/// ```
/// use metier::{Blocking, CatalogFilter, Memory, Registry};
///
/// let text = |name: &str, tools: &str| {
///     format!("---\nname: {name}\ndescription: Use it.\nallowed-tools: {tools}\n---\n")
/// };
/// let table = Memory::new("t")
///     .skill("git", text("git", "Bash(git:*) Read"))
///     .skill("web", text("web", "WebFetch"));
/// let registry = Registry::builder().source(Blocking(table)).open();
///
/// let available_tools = Some(vec!["bash".into(), "read".into()]);
/// let filter = CatalogFilter { available_tools, ..CatalogFilter::default() };
/// let catalog = registry.catalog();
/// let names: Vec<_> = filter.apply(catalog.iter()).map(|entry| entry.name()).collect();
/// assert_eq!(names, ["git"]);
/// let refusal = filter.refusal(catalog.get("web").unwrap()).unwrap();
/// assert_eq!(refusal.to_string(), "it needs the tool `WebFetch`");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct CatalogFilter {
    /// For whom the skills are.
    pub audience: Audience,
    /// Leave these out, also where `allow` names them.
    pub deny: Vec<String>,
    /// These only, where there are any.
    pub allow: Vec<String>,
    /// Skills of these sources only, where there are any.
    pub sources: Vec<String>,
    /// Skills that appear at these paths only.
    pub path: PathFilter,
    /// What `path` is relative to. Where it is empty, a registry takes its own base.
    pub base: PathBuf,
    /// Skills with one of these tags only, where there are any.
    pub tags: Vec<String>,
    /// Skills that need no other tools than these; `None` asks for nothing.
    pub available_tools: Option<Vec<String>>,
}

/// For whom skills are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Audience {
    /// For a person, who may ask for any skill.
    #[default]
    Person,
    /// For a model: [`CatalogEntry::is_offered`] decides.
    Model,
}

/// Why a skill is not among those to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// A model is not offered it.
    NotOffered,
    /// The deny list names it.
    Denied,
    /// There is an allow list, and it does not name it.
    NotAllowed,
    /// It comes from another source.
    OtherSource,
    /// It appears at another path.
    OtherPath,
    /// It has none of the tags.
    OtherTags,
    /// It needs these tools, which are not available.
    MissingTools(Vec<String>),
}

impl CatalogFilter {
    /// The skills to choose from, in their order.
    pub fn apply<'c>(
        &self,
        entries: impl IntoIterator<Item = &'c CatalogEntry>,
    ) -> impl Iterator<Item = &'c CatalogEntry> {
        entries.into_iter().filter(|entry| self.admits(entry))
    }

    /// Whether a skill is among those to choose from.
    pub fn admits(&self, entry: &CatalogEntry) -> bool {
        self.refusal(entry).is_none()
    }

    /// Why a skill is not among those to choose from; `None` when it is.
    pub fn refusal(&self, entry: &CatalogEntry) -> Option<Refusal> {
        let names = |patterns: &[String]| {
            let fits = |p: &String| glob::matches(p, &entry.id) || glob::matches(p, entry.name());
            patterns.iter().any(fits)
        };
        let is_from = |label: &String| glob::matches(label, entry.source());
        if self.audience == Audience::Model && !entry.is_offered() {
            return Some(Refusal::NotOffered);
        }
        if names(&self.deny) {
            return Some(Refusal::Denied);
        }
        if !self.allow.is_empty() && !names(&self.allow) {
            return Some(Refusal::NotAllowed);
        }
        if !self.sources.is_empty() && !self.sources.iter().any(is_from) {
            return Some(Refusal::OtherSource);
        }
        if !self.path.pattern().is_empty() && !self.path.matches(&path_of(entry, &self.base)) {
            return Some(Refusal::OtherPath);
        }
        if !self.tags.is_empty() {
            let tags = entry.manifest().tags();
            if !self.tags.iter().any(|wanted| tags.iter().any(|tag| tag == wanted.trim())) {
                return Some(Refusal::OtherTags);
            }
        }
        let missing = self.missing_tools(entry.manifest().allowed_tools.as_ref());
        (!missing.is_empty()).then_some(Refusal::MissingTools(missing))
    }

    /// How many skills there are to choose from. Asked with every search, so that filters without
    /// conditions are not asked about every skill.
    pub(crate) fn count(&self, catalog: &Snapshot) -> usize {
        let without = Self { audience: self.audience, base: self.base.clone(), ..Self::default() };
        match self.audience {
            _ if *self != without => self.apply(catalog.iter()).count(),
            Audience::Person => catalog.len(),
            Audience::Model => catalog.offered_count(),
        }
    }

    /// The filter of a registry with this base.
    pub(crate) fn based(&self, base: &Path) -> Self {
        let is_free = self.base.as_os_str().is_empty();
        Self { base: if is_free { base.to_owned() } else { self.base.clone() }, ..self.clone() }
    }

    fn missing_tools(&self, needed: Option<&AllowedTools>) -> Vec<String> {
        let (Some(available), Some(needed)) = (&self.available_tools, needed) else {
            return Vec::new();
        };
        let available = || available.iter().map(String::as_str);
        if needed.satisfied_by(available()) {
            return Vec::new();
        }
        let is_missing = |tool: &&str| !AllowedTools::parse(tool).0.satisfied_by(available());
        needed.tools().into_iter().filter(is_missing).map(str::to_owned).collect()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOffered => f.write_str("a model is not offered it"),
            Self::Denied => f.write_str("it is on the deny list"),
            Self::NotAllowed => f.write_str("it is not on the allow list"),
            Self::OtherSource => f.write_str("it is from another source"),
            Self::OtherPath => f.write_str("it is at another path"),
            Self::OtherTags => f.write_str("it has none of the tags"),
            Self::MissingTools(tools) => {
                let noun = if tools.len() == 1 { "tool" } else { "tools" };
                write!(f, "it needs the {noun} `{}`", crate::visible(&tools.join("`, `")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blocking, Layer, Layers, MatcherKind, Memory, Registry, SelectOptions, Trust};

    fn text(name: &str, more: &str) -> String {
        format!("---\nname: {name}\ndescription: Use it.\n{more}---\n")
    }

    fn registry() -> Registry {
        let one = Memory::new("one")
            .skill("git", text("git", "tags: [code, office]\nallowed-tools: Bash(git:*) read\n"))
            .skill("pdf", text("pdf", "metadata:\n  tags: office, paper\n"))
            .skill("own", text("own", "disable-model-invocation: true\n"));
        let two = Memory::new("two")
            .trust(Trust::Untrusted)
            .skill("web", text("web", "allowed-tools: WebFetch mcp__x__*\n"));
        Registry::builder().source(Blocking(one)).source(Blocking(two)).open()
    }

    fn names(filter: &CatalogFilter) -> String {
        let catalog = registry().catalog();
        filter.apply(catalog.iter()).map(CatalogEntry::name).collect::<Vec<_>>().join(" ")
    }

    fn list(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    #[test]
    fn without_conditions_every_skill_is_in() {
        assert_eq!(names(&CatalogFilter::default()), "git own pdf web");
    }

    #[test]
    fn each_condition_leaves_some_out() {
        let all = CatalogFilter::default;
        for (filter, expected) in [
            (CatalogFilter { audience: Audience::Model, ..all() }, "git pdf"),
            (CatalogFilter { deny: list(&["p*", "one:git"]), ..all() }, "git own web"),
            (CatalogFilter { allow: list(&["git", "[p]df"]), ..all() }, "git pdf"),
            (CatalogFilter { allow: list(&["git"]), deny: list(&["g?t"]), ..all() }, ""),
            (CatalogFilter { sources: list(&["two"]), ..all() }, "web"),
            (CatalogFilter { sources: list(&["t*", "one"]), ..all() }, "git own pdf web"),
            (CatalogFilter { tags: list(&[" paper ", "code"]), ..all() }, "git pdf"),
            (CatalogFilter { tags: list(&["Office"]), ..all() }, ""),
            (CatalogFilter { available_tools: Some(vec![]), ..all() }, "own pdf"),
            (
                CatalogFilter { available_tools: Some(list(&["BASH", "Read", "x"])), ..all() },
                "git own pdf",
            ),
            (
                CatalogFilter {
                    available_tools: Some(list(&["webfetch", "mcp__x__get"])),
                    ..all()
                },
                "own pdf web",
            ),
        ] {
            assert_eq!(names(&filter), expected, "{filter:?}");
        }
    }

    #[test]
    fn paths_are_virtual_or_real_and_relative_to_the_base() {
        let mounted = Layer::new(Blocking(Memory::new("m").skill("refunds", text("refunds", ""))));
        let layers = Layers::new("all").layer(mounted.mount_as("skills/billing").unwrap());
        let registry = Registry::builder()
            .base("/work")
            .source(layers)
            .source(Blocking(Memory::new("t").skill("loose", text("loose", ""))))
            .open();
        let found = |pattern: &str, base: &str| {
            let (path, base) = (PathFilter::new(pattern), PathBuf::from(base));
            let filter = CatalogFilter { path, base, ..CatalogFilter::default() };
            let options = SelectOptions {
                filter,
                matcher: MatcherKind::Everything,
                ..SelectOptions::default()
            };
            let hits = registry.select_blocking("", &options).hits;
            hits.iter().map(|hit| hit.id.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found("", ""), "loose refunds");
        assert_eq!(found("skills/billing", ""), "refunds");
        assert_eq!(found("skills/*/re*", "skills"), "");
        assert_eq!(found("billing/*", "skills"), "refunds");
        assert_eq!(found("*", ""), "loose");
        assert_eq!(found("none", ""), "");
    }

    #[test]
    fn a_refusal_says_what_is_missing() {
        let registry = registry();
        let available_tools = Some(list(&["read"]));
        let filter = CatalogFilter { available_tools, ..CatalogFilter::default() };
        let refusal = |id| filter.refusal(&registry.get(id).unwrap()).map(|r| r.to_string());
        assert_eq!(refusal("git").as_deref(), Some("it needs the tool `Bash`"));
        assert_eq!(refusal("web").as_deref(), Some("it needs the tools `WebFetch`, `mcp__x__*`"));
        assert_eq!(refusal("pdf"), None);
    }
}
