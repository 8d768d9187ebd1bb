//! Turns several sources into one: each with its prefix, filter, place and cache, merged by name.

use crate::check::glob;
use crate::registry::join::join_all;
use crate::registry::names::normal;
use crate::source::{BoxFuture, Listed, Listing, Problem, ReadOptions, Source, SourceError, Trust};
use crate::{Files, Resource};
use metier_core::{ResourcePath, Severity};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Which of several skills of one name counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Precedence {
    /// The one of the first source, and in a source the first by key.
    #[default]
    First,
    /// The one of the last source, and in a source the last by key.
    Last,
}

/// Sources on top of one another, as one source.
///
/// 1. Each layer lists; one that fails is a problem of that layer alone, and what it listed before
///    stays.
/// 2. The layer's filters see its skills under their own names.
/// 3. Prefix, mount and preload mark are put on.
/// 4. Of skills with one name (NFKC), the [`Precedence`] picks one; the others are noted, stay
///    readable under `label:name`, and hand on their preload mark.
///
/// The key of a skill is its name here. Reading goes by the table of the last listing, so that what
/// is read is what was listed.
///
/// ```
/// use metier::{Blocking, BlockingSource, Layer, Layers, Memory, Source, block_on};
///
/// let text = |what: &str| format!("---\nname: pdf\ndescription: Use for {what}.\n---\n");
/// let project = Memory::new("project").skill("pdf", text("forms"));
/// let user = Memory::new("user").skill("pdf", text("tables"));
/// let layers = Layers::new("all")
///     .layer(Layer::new(Blocking(project)).prefix("proj"))
///     .layer(Layer::new(Blocking(user)).mount_as("office")?);
/// let listing = block_on(layers.list()).unwrap();
/// let names: Vec<_> = listing.skills.iter().map(|skill| skill.name.as_str()).collect();
/// assert_eq!(names, ["pdf", "proj:pdf"]);
/// assert_eq!(listing.skills[0].virtual_path.as_deref(), Some("office/pdf"));
/// # Ok::<(), metier::InvalidMount>(())
/// ```
#[derive(Debug, Default)]
pub struct Layers {
    label: String,
    precedence: Precedence,
    stack: Vec<Layer>,
    /// Where each key leads: `None` before the first listing.
    routes: RwLock<Option<Arc<Routes>>>,
}

type Routes = BTreeMap<String, Route>;

#[derive(Debug, Clone)]
struct Route {
    layer: usize,
    key: String,
}

impl Layers {
    /// No layer yet.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// Adds a layer behind the others.
    pub fn layer(mut self, layer: Layer) -> Self {
        self.stack.push(layer);
        self
    }

    /// Which of several skills of one name counts, for listing and reading alike.
    pub fn precedence(mut self, precedence: Precedence) -> Self {
        self.precedence = precedence;
        self
    }

    /// Makes cached layers list anew the next time.
    pub fn refresh(&self) {
        for layer in &self.stack {
            layer.lock().is_fresh = false;
        }
    }

    async fn merge(&self) -> Listing {
        let listing_all =
            self.stack.iter().map(|layer| Box::pin(layer.list()) as BoxFuture<'_, Seen>);
        let listings = join_all(listing_all).await;
        let mut listing = Listing::default();
        let mut candidates = Vec::new();
        for (index, (skills, problems)) in listings.into_iter().enumerate() {
            listing.problems.extend(problems);
            candidates.extend(skills.into_iter().map(|skill| (index, skill)));
        }
        if self.precedence == Precedence::Last {
            candidates.reverse();
        }
        let mut winners: BTreeMap<String, Listed> = BTreeMap::new();
        let mut routes = Routes::new();
        let mut others = Vec::new();
        for (layer, (key, mut skill)) in candidates {
            match winners.entry(normal(&skill.name).into_owned()) {
                Entry::Vacant(slot) => {
                    skill.key = skill.name.clone();
                    routes.insert(skill.name.to_string(), Route { layer, key });
                    slot.insert(skill);
                }
                Entry::Occupied(mut winner) => {
                    let winner = winner.get_mut();
                    winner.preload |= skill.preload;
                    let qualified = format!("{}:{}", self.stack[layer].source.label(), skill.name);
                    listing.problems.push(Problem::new(
                        skill.location(),
                        Severity::Note,
                        format!("`{}` is hidden by `{}`", skill.name, winner.location()),
                        format!("ask for it as `{qualified}`, or rename one of them"),
                    ));
                    others.push((qualified, Route { layer, key }));
                }
            }
        }
        for (qualified, route) in others {
            routes.entry(qualified).or_insert(route);
        }
        listing.skills.extend(winners.into_values());
        listing.sort();
        *self.routes.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(routes));
        listing
    }

    /// Where each key leads, by the last listing.
    async fn routes(&self) -> Arc<Routes> {
        let routes = || self.routes.read().unwrap_or_else(PoisonError::into_inner).clone();
        if routes().is_none() {
            self.merge().await;
        }
        routes().unwrap_or_default()
    }

    async fn route(&self, key: &str) -> Result<(&Layer, Route), SourceError> {
        let route = self.routes().await.get(key).cloned();
        let found = route.and_then(|route| Some((self.stack.get(route.layer)?, route)));
        found
            .ok_or_else(|| SourceError::UnknownSkill { label: self.label.clone(), key: key.into() })
    }
}

impl Source for Layers {
    fn label(&self) -> &str {
        &self.label
    }

    /// Untrusted when one of the layers is: a name alone does not say where a skill came from.
    fn trust(&self) -> Trust {
        let untrusted = self.stack.iter().any(|l| l.source.trust() == Trust::Untrusted);
        if untrusted { Trust::Untrusted } else { Trust::Trusted }
    }

    /// Gives way when every layer does.
    fn gives_way(&self) -> bool {
        !self.stack.is_empty() && self.stack.iter().all(|layer| layer.source.gives_way())
    }

    /// Lazy when one of the layers is: rather search too little than fetch too much.
    fn is_lazy(&self) -> bool {
        self.stack.iter().any(|layer| layer.source.is_lazy())
    }

    fn list(&self) -> BoxFuture<'_, Result<Listing, SourceError>> {
        Box::pin(async { Ok(self.merge().await) })
    }

    fn read<'a>(
        &'a self,
        key: &'a str,
        path: &'a ResourcePath,
        options: &'a ReadOptions,
    ) -> BoxFuture<'a, Result<Resource, SourceError>> {
        Box::pin(async move {
            let (layer, route) = self.route(key).await?;
            layer.source.read(&route.key, path, options).await
        })
    }

    fn files<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Files, SourceError>> {
        Box::pin(async move {
            let (layer, route) = self.route(key).await?;
            layer.source.files(&route.key).await
        })
    }

    fn verify<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), SourceError>> {
        Box::pin(async move {
            let (layer, route) = self.route(key).await?;
            layer.source.verify(&route.key).await
        })
    }

    /// Where every layer searches by itself, their answers in turn: the best of each, then the next.
    /// One that does not leaves the search to the registry, which has the frontmatter of all.
    fn search<'a>(
        &'a self,
        query: &'a str,
        limit: usize,
    ) -> Option<BoxFuture<'a, Result<Vec<String>, SourceError>>> {
        let searching: Option<Vec<_>> =
            self.stack.iter().map(|layer| layer.source.search(query, limit)).collect();
        let searching = searching.filter(|layers| !layers.is_empty())?;
        Some(Box::pin(async move {
            let routes = self.routes().await;
            let names: BTreeMap<(usize, &str), &String> =
                routes.iter().map(|(name, to)| ((to.layer, to.key.as_str()), name)).collect();
            let answers: Result<Vec<Vec<String>>, _> =
                join_all(searching).await.into_iter().collect();
            let answers = answers?;
            let deepest = answers.iter().map(Vec::len).max().unwrap_or_default();
            let places = (0..deepest).flat_map(|rank| (0..answers.len()).map(move |at| (rank, at)));
            let found = places.filter_map(|(rank, layer)| {
                names.get(&(layer, answers[layer].get(rank)?.as_str())).map(|name| (*name).clone())
            });
            Ok(found.take(limit).collect())
        }))
    }
}

/// The skills of a layer that pass, each with its key in the source, and what went wrong.
type Seen = (Vec<(String, Listed)>, Vec<Problem>);

type Filter = dyn Fn(&Listed) -> bool + Send + Sync;

/// A source and how its skills appear among those of others.
pub struct Layer {
    source: Arc<dyn Source>,
    named_by_key: bool,
    prefix: Option<String>,
    only: Vec<String>,
    except: Vec<String>,
    filter: Option<Box<Filter>>,
    mount: Option<String>,
    preload: bool,
    cached: bool,
    last: Mutex<Last>,
}

/// What a layer listed last.
#[derive(Debug, Default)]
struct Last {
    listing: Option<Arc<Listing>>,
    is_fresh: bool,
}

impl Layer {
    /// A source as it is.
    pub fn new(source: impl Source + 'static) -> Self {
        Self {
            source: Arc::new(source),
            named_by_key: false,
            prefix: None,
            only: Vec::new(),
            except: Vec::new(),
            filter: None,
            mount: None,
            preload: false,
            cached: false,
            last: Mutex::default(),
        }
    }

    /// Calls every skill by its key, which for folders is the path, and not by its own name. Of two
    /// skills in one source, none hides the other then.
    pub fn named_by_key(mut self) -> Self {
        self.named_by_key = true;
        self
    }

    /// Puts `prefix:` before every name.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// Lists these skills only: names, or patterns with `*`, `?` and `[..]`.
    pub fn only<P: Into<String>>(mut self, names: impl IntoIterator<Item = P>) -> Self {
        self.only.extend(names.into_iter().map(Into::into));
        self
    }

    /// Leaves these skills out, also where `only` names them.
    pub fn except<P: Into<String>>(mut self, names: impl IntoIterator<Item = P>) -> Self {
        self.except.extend(names.into_iter().map(Into::into));
        self
    }

    /// Lists the skills for which `keep` says yes. It sees them as their source lists them.
    pub fn filter(mut self, keep: impl Fn(&Listed) -> bool + Send + Sync + 'static) -> Self {
        self.filter = Some(Box::new(keep));
        self
    }

    /// Lets the skills appear below another folder for filters by path: that of the skill `a/b` is
    /// `mount/a/b`. Files are read from where they are.
    pub fn mount_as(mut self, mount: &str) -> Result<Self, InvalidMount> {
        self.mount = Some(checked_mount(mount)?);
        Ok(self)
    }

    /// Marks every skill as one that should be active from the start.
    pub fn preload(mut self) -> Self {
        self.preload = true;
        self
    }

    /// Keeps the first listing until [`Layers::refresh`].
    pub fn cached(mut self) -> Self {
        self.cached = true;
        self
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn list(&self) -> Seen {
        let kept = {
            let last = self.lock();
            last.listing.clone().filter(|_| self.cached && last.is_fresh)
        };
        let (listing, failure) = match kept {
            Some(listing) => (listing, None),
            None => match self.source.list().await {
                Ok(listing) => {
                    let listing = Arc::new(listing);
                    *self.lock() = Last { listing: Some(listing.clone()), is_fresh: true };
                    (listing, None)
                }
                Err(error) => self.fall_back(&error),
            },
        };
        let skills = listing.skills.iter().filter(|skill| self.passes(skill));
        let skills = skills.map(|skill| (skill.key.to_string(), self.dress(skill))).collect();
        (skills, listing.problems.iter().cloned().chain(failure).collect())
    }

    /// The listing of before, and the reason why it is not a new one.
    fn fall_back(&self, error: &SourceError) -> (Arc<Listing>, Option<Problem>) {
        let before = self.lock().listing.clone();
        let (message, help) = (error.to_string(), error.help());
        let message = match &before {
            Some(_) => format!("{message}; its last listing is used"),
            None => message,
        };
        let problem = Problem::new(self.source.label(), Severity::Error, message, help);
        (before.unwrap_or_default(), Some(problem))
    }

    fn passes(&self, skill: &Listed) -> bool {
        let is_in = |patterns: &[String]| patterns.iter().any(|p| glob::matches(p, &skill.name));
        (self.only.is_empty() || is_in(&self.only))
            && !is_in(&self.except)
            && self.filter.as_ref().is_none_or(|keep| keep(skill))
    }

    /// The skill as it appears here.
    fn dress(&self, skill: &Listed) -> Listed {
        let mut skill = skill.clone();
        if self.named_by_key {
            skill.name = skill.key.clone();
        }
        if let Some(prefix) = &self.prefix {
            skill.name = format!("{prefix}:{}", skill.name).into();
        }
        if let Some(mount) = &self.mount {
            let relative = skill.virtual_path.as_deref().unwrap_or(&skill.key);
            skill.virtual_path = Some(join(mount, relative).into());
        }
        skill.preload |= self.preload;
        skill
    }
}

impl fmt::Debug for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Layer")
            .field("source", &self.source)
            .field("named_by_key", &self.named_by_key)
            .field("prefix", &self.prefix)
            .field("only", &self.only)
            .field("except", &self.except)
            .field("mount", &self.mount)
            .field("preload", &self.preload)
            .field("cached", &self.cached)
            .finish_non_exhaustive()
    }
}

/// Why text is no place for skills to appear at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidMount {
    /// There is nothing in it.
    #[error("a mount needs a path")]
    Empty,
    /// A character would mean something in the patterns that such paths are compared with.
    #[error("the mount `{}` holds `{character}`, which is a wildcard", crate::visible(mount))]
    Wildcard {
        /// The path.
        mount: String,
        /// The first wildcard.
        character: char,
    },
    /// A component is `..`.
    #[error("the mount `{}` has a `..` component", crate::visible(mount))]
    Parent {
        /// The path.
        mount: String,
    },
}

/// The path without what has no meaning in it.
fn checked_mount(mount: &str) -> Result<String, InvalidMount> {
    if let Some(character) = mount.chars().find(|c| ['*', '?', '['].contains(c)) {
        return Err(InvalidMount::Wildcard { mount: mount.to_owned(), character });
    }
    if mount.split(['/', '\\']).any(|component| component == "..") {
        return Err(InvalidMount::Parent { mount: mount.to_owned() });
    }
    let clean = join("", mount);
    let clean = if mount.starts_with('/') { format!("/{clean}") } else { clean };
    if clean.is_empty() { Err(InvalidMount::Empty) } else { Ok(clean) }
}

/// Appends the components of `relative`. That of a source's own folder has none.
fn join(mount: &str, relative: &str) -> String {
    let mut path = mount.to_owned();
    for component in relative.split('/').filter(|c| !["", "."].contains(c)) {
        if !path.is_empty() && !path.ends_with('/') {
            path.push('/');
        }
        path.push_str(component);
    }
    path
}
