//! Turns promises about searching a registry into tests: what is indexed, when, and who is asked.

use metier::{
    Audience, Blocking, BlockingSource, BoxFuture, CatalogFilter, EmbedError, Embedder, Files,
    Folder, HybridOptions, Layer, Layers, Listing, MatcherKind, Memory, ReadOptions, Registry,
    Resource, ResourcePath, SelectOptions, SkillIndex, Source, SourceError, Trust, block_on,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use testing::Fixture;

fn skill(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n{body}\n")
}

fn office() -> Memory {
    Memory::new("office")
        .skill("pdf", skill("pdf", "Fills in forms.", "Works on tax returns and invoices."))
        .skill("git", skill("git", "Writes commit messages.", "Read the diff first."))
        .skill("menu", skill("menu", "Plans meals.", "Cooks soup."))
}

fn ids(registry: &Registry, query: &str) -> Vec<String> {
    registry.search(query, 5).iter().map(|hit| hit.id.to_string()).collect()
}

/// A source that counts what it is asked, and searches by itself if it has answers.
#[derive(Debug)]
struct Counting {
    table: Memory,
    reads: Arc<AtomicUsize>,
    /// What a search finds; `None` leaves the search to the registry.
    finds: Option<Result<Vec<&'static str>, &'static str>>,
    queries: Arc<Mutex<Vec<(String, usize)>>>,
}

impl Counting {
    fn new(table: Memory) -> Self {
        Self { table, reads: Arc::default(), finds: None, queries: Arc::default() }
    }
}

impl Source for Counting {
    fn label(&self) -> &str {
        BlockingSource::label(&self.table)
    }

    fn list(&self) -> BoxFuture<'_, Result<Listing, SourceError>> {
        let listing = BlockingSource::list(&self.table);
        Box::pin(async { listing })
    }

    fn read<'a>(
        &'a self,
        key: &'a str,
        path: &'a ResourcePath,
        options: &'a ReadOptions,
    ) -> BoxFuture<'a, Result<Resource, SourceError>> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        let read = BlockingSource::read(&self.table, key, path, options);
        Box::pin(async { read })
    }

    fn files<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Files, SourceError>> {
        let files = BlockingSource::files(&self.table, key);
        Box::pin(async { files })
    }

    fn search<'a>(
        &'a self,
        query: &'a str,
        limit: usize,
    ) -> Option<BoxFuture<'a, Result<Vec<String>, SourceError>>> {
        let finds = self.finds.clone()?;
        Some(Box::pin(async move {
            self.queries.lock().unwrap().push((query.to_owned(), limit));
            let keys = finds.map(|keys| keys.into_iter().map(str::to_owned).collect());
            keys.map_err(|message| SourceError::Unavailable {
                location: "database".to_owned(),
                message: message.to_owned(),
            })
        }))
    }
}

#[test]
fn bodies_are_searched_too() {
    let registry = Registry::builder().source(Blocking(office())).open();
    assert_eq!(ids(&registry, "my tax returns"), ["pdf"]);
    assert_eq!(ids(&registry, "write a commit message"), ["git"]);
    assert!(ids(&registry, "quantum chromodynamics").is_empty());
    assert!(registry.search("soup", 0).is_empty());
}

#[test]
fn the_index_is_built_once_for_a_snapshot() {
    let source = Counting::new(office());
    let reads = source.reads.clone();
    let registry = Registry::builder().source(source).open();
    assert_eq!(reads.load(Ordering::SeqCst), 0, "nothing is read before someone searches");
    for query in ["tax", "soup", "diff"] {
        assert_eq!(ids(&registry, query).len(), 1);
    }
    assert_eq!(reads.load(Ordering::SeqCst), 3);
    registry.reload_blocking();
    assert_eq!(ids(&registry, "soup"), ["menu"]);
    assert_eq!(reads.load(Ordering::SeqCst), 6, "bodies may have changed");
}

#[test]
fn many_threads_share_one_index() {
    let source = Counting::new(office());
    let reads = source.reads.clone();
    let registry = Registry::builder().source(source).open();
    let started = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                // All of them at once, so that each finds no index.
                started.fetch_add(1, Ordering::SeqCst);
                while started.load(Ordering::SeqCst) < 8 {
                    std::thread::yield_now();
                }
                assert_eq!(ids(&registry, "tax"), ["pdf"]);
            });
        }
    });
    assert_eq!(reads.load(Ordering::SeqCst), 3);
}

#[test]
fn a_reload_is_searched_with_what_came_changed_and_went() {
    let fixture = Fixture::new()
        .skill("r/one", &skill("one", "a", "walrus"))
        .skill("r/two", &skill("two", "b", "zebra"));
    let registry = Registry::builder().source(Blocking(Folder::new(fixture.join("r")))).open();
    assert_eq!(ids(&registry, "walrus"), ["one"]);
    let fixture = fixture
        .skill("r/one", &skill("one", "a", "giraffe"))
        .skill("r/three", &skill("three", "c", "walrus"));
    assert_eq!(ids(&registry, "walrus"), ["one"], "a snapshot does not change");
    registry.reload_blocking();
    assert_eq!(ids(&registry, "walrus"), ["three"]);
    assert_eq!(ids(&registry, "giraffe"), ["one"]);
    registry.unregister("two").unwrap();
    assert!(ids(&registry, "zebra").is_empty());
    drop(fixture);
}

#[test]
fn a_body_that_cannot_be_read_is_said_and_the_rest_is_searched() {
    let fixture = Fixture::new()
        .skill("r/one", &skill("one", "Feeds a walrus.", "x"))
        .skill("r/two", &skill("two", "b", "zebra"));
    let registry = Registry::builder().source(Blocking(Folder::new(fixture.join("r")))).open();
    let fixture = fixture.bytes("r/one/SKILL.md", b"---\nname: one\ndescription: \xff\n---\n");
    let selected = registry.select_blocking("walrus", &SelectOptions::default());
    assert_eq!(&*selected.hits[0].id, "one");
    assert_eq!(selected.problems.len(), 1);
    let problem = &selected.problems[0];
    assert!(problem.location.ends_with("SKILL.md"), "{problem}");
    assert!(problem.message.starts_with("the body is not searched"), "{problem}");
    assert_eq!(ids(&registry, "zebra"), ["two"]);
    drop(fixture);
}

#[test]
fn filters_come_before_ranking_with_every_matcher() {
    let registry = Registry::builder()
        .source(Blocking(office()))
        .source(Blocking(
            Memory::new("theirs")
                .trust(Trust::Untrusted)
                .skill("tax", skill("tax", "Tax forms.", "")),
        ))
        .open();
    let matchers = [
        MatcherKind::Default,
        MatcherKind::Keyword,
        MatcherKind::Bm25(metier::Bm25Parameters::default()),
        MatcherKind::Lexical(metier::Cutoff::Above(0.0)),
        MatcherKind::Everything,
    ];
    for matcher in matchers {
        let select = |filter, top_k| {
            let options =
                SelectOptions { top_k, filter, matcher: matcher.clone(), min_score: None };
            let selected = registry.select_blocking("forms", &options);
            let ids: Vec<_> = selected.hits.iter().map(|hit| hit.id.to_string()).collect();
            (ids, selected.candidates, selected.left_out)
        };
        let (all, ..) = select(CatalogFilter::default(), 9);
        assert!(all.contains(&"pdf".to_owned()) && all.contains(&"tax".to_owned()), "{matcher:?}");
        let audience = Audience::Model;
        let trusted = select(CatalogFilter { audience, ..CatalogFilter::default() }, 9);
        assert!(!trusted.0.contains(&"tax".to_owned()), "{matcher:?}");
        assert_eq!((trusted.1, trusted.2), (3, 1));
        // What is left out takes no place among the first.
        let allow = vec!["pdf".to_owned()];
        let one = select(CatalogFilter { allow, ..CatalogFilter::default() }, 1);
        assert_eq!(one, (vec!["pdf".to_owned()], 1, 3), "{matcher:?}");
    }
}

#[test]
fn scores_are_between_0_and_1_and_reach_the_least_that_is_asked_for() {
    let registry = Registry::builder().source(Blocking(office())).open();
    let selected = registry.select_blocking("fills in forms", &SelectOptions::default());
    let best = selected.hits[0].score;
    assert!(best > 0.0 && best <= 1.0, "{best}");
    for (least, expected) in [(best, 1), (best + 1e-9, 0)] {
        let options = SelectOptions { min_score: Some(least), ..SelectOptions::default() };
        assert_eq!(registry.select_blocking("fills in forms", &options).hits.len(), expected);
    }
}

#[test]
fn waiting_and_not_waiting_find_the_same() {
    for matcher in [MatcherKind::Default, MatcherKind::Bm25(metier::Bm25Parameters::default())] {
        let registry = Registry::builder().source(Blocking(office())).open();
        let options = SelectOptions { matcher, ..SelectOptions::default() };
        let here = block_on(registry.select("tax soup", &options));
        assert_eq!(here.hits, registry.select_blocking("tax soup", &options).hits);
        assert_eq!(here.hits.len(), 2);
    }
}

#[test]
fn an_explanation_names_the_words() {
    let registry = Registry::builder().source(Blocking(office())).open();
    let why = registry.explain("tax forms please", "pdf").unwrap();
    let words: Vec<_> = why.words.iter().map(|word| word.word.as_str()).collect();
    assert_eq!(words, ["tax", "forms"]);
    assert!(registry.explain("tax", "unheard-of").is_none());
}

#[test]
fn copies_do_not_crowd_the_list() {
    let body =
        "Fills in tax returns, invoices and customs declarations, then signs and sends them.";
    let table = (0..8).fold(office(), |table, n| {
        let name = format!("copy-{n}");
        table.skill(name.clone(), skill(&name, "Fills in customs declarations for parcels.", body))
    });
    let registry = Registry::builder().source(Blocking(table)).open();
    let selected =
        registry.select_blocking("customs declarations and tax", &SelectOptions::default());
    let found: Vec<_> = selected.hits.iter().map(|hit| hit.id.to_string()).collect();
    assert_eq!(found, ["copy-0", "pdf"]);
    assert_eq!(selected.duplicates["copy-0"].len(), 7);
}

#[test]
fn a_source_that_searches_is_asked_and_its_bodies_are_not_read() {
    let table = Memory::new("database")
        .skill("deep", skill("deep", "Measures the sea.", "sonar"))
        .skill("tax", skill("tax", "Files tax returns.", "x"))
        .skill("wide", skill("wide", "Measures roads.", "odometer"));
    let source = Counting { finds: Some(Ok(vec!["deep", "gone", "tax"])), ..Counting::new(table) };
    let (reads, queries) = (source.reads.clone(), source.queries.clone());
    let registry = Registry::builder().source(source).source(Blocking(office())).open();
    let hits = registry.search("tax returns", 3);
    let found: Vec<_> = hits.iter().map(|hit| &*hit.id).collect();
    assert_eq!(reads.load(Ordering::SeqCst), 0);
    assert_eq!(*queries.lock().unwrap(), [("tax returns".to_owned(), 3)]);
    // The source says `deep` before `tax`, so it does; ours stands where its score puts it.
    assert_eq!(found.len(), 3, "{hits:?}");
    let place = |id| found.iter().position(|other| *other == id).unwrap();
    assert!(place("deep") < place("tax"), "{hits:?}");
    assert!(found.contains(&"pdf"), "{hits:?}");
    assert!(hits.is_sorted_by(|a, b| a.score >= b.score), "{hits:?}");
    // What the source does not find is not found, whatever the index says.
    assert!(!registry.search("roads", 5).iter().any(|hit| &*hit.id == "wide"));
}

#[test]
fn a_source_that_fails_to_search_is_found_by_its_frontmatter() {
    let table = Memory::new("database").skill("tax", skill("tax", "Files tax returns.", "x"));
    let source = Counting { finds: Some(Err("down")), ..Counting::new(table) };
    let registry = Registry::builder().source(source).open();
    let selected = registry.select_blocking("tax", &SelectOptions::default());
    assert_eq!(&*selected.hits[0].id, "tax");
    assert_eq!(selected.problems.len(), 1);
    assert!(selected.problems[0].message.contains("down"), "{}", selected.problems[0]);
}

#[test]
fn an_empty_registry_finds_nothing() {
    let registry = Registry::builder().open();
    assert!(registry.search("anything", 5).is_empty());
    assert!(registry.explain("anything", "x").is_none());
}

#[test]
fn layers_whose_sources_search_are_asked_in_turn() {
    let database = |label: &str, names: [&'static str; 2], finds| {
        let table = names.iter().fold(Memory::new(label), |table, name| {
            table.skill(*name, skill(name, "Does something.", "x"))
        });
        Counting { finds, ..Counting::new(table) }
    };
    let one = || database("one", ["a", "b"], Some(Ok(vec!["b", "a"])));
    let two = |finds| Layer::new(database("two", ["c", "d"], finds)).prefix("two");
    let layers = |finds| Layers::new("all").layer(Layer::new(one())).layer(two(finds));
    let found = layers(Some(Ok(vec!["c", "gone", "d"])));
    block_on(found.list()).unwrap();
    let answer = |limit| block_on(found.search("q", limit).unwrap()).unwrap();
    assert_eq!(answer(9), ["b", "two:c", "a", "two:d"]);
    assert_eq!(answer(2), ["b", "two:c"]);
    assert!(layers(None).search("q", 9).is_none(), "one of them does not search");
    assert!(block_on(layers(Some(Err("down"))).search("q", 9).unwrap()).is_err());
    let registry = Registry::builder().source(layers(Some(Ok(vec!["d"])))).open();
    let mut hits = ids(&registry, "nothing that is written anywhere");
    hits.sort();
    assert_eq!(hits, ["a", "b", "two:d"]);
}

#[test]
fn selecting_can_be_moved_to_another_thread() {
    fn is_send(_: impl Send) {}
    let registry = Registry::builder().source(Blocking(office())).open();
    is_send(registry.select("q", &SelectOptions::default()));
}

#[test]
fn a_model_puts_the_hits_in_a_better_order() {
    let table = Memory::new("t")
        .skill("river", skill("river", "Works on the bank of a river.", "x"))
        .skill("money", skill("money", "Works with a bank and its accounts.", "x"))
        .skill("boats", skill("boats", "Builds boats.", "x"));
    let registry = Registry::builder().source(Blocking(table)).open();
    let select = |model: Arc<dyn Embedder>, top_k| {
        let matcher = MatcherKind::Hybrid(model, HybridOptions::default());
        registry
            .select_blocking("bank", &SelectOptions { matcher, top_k, ..SelectOptions::default() })
    };
    let toward = |word: &'static str| {
        move |texts: &[&str]| {
            let near = |text: &&str| *text == "bank" || text.contains(word);
            Ok(texts
                .iter()
                .map(|t| if near(t) { vec![1.0, 0.0] } else { vec![0.0, 1.0] })
                .collect())
        }
    };
    for (word, first) in [("accounts", "money"), ("river", "river")] {
        let selected = select(Arc::new(toward(word)), 1);
        assert_eq!(&*selected.hits[0].id, first, "{word}");
        assert_eq!((selected.hits.len(), selected.problems.len()), (1, 0));
    }
    let failing = |_: &[&str]| Err(EmbedError::Failed("down".to_owned()));
    let selected = select(Arc::new(failing), 5);
    assert_eq!(selected.hits, registry.search("bank", 5));
    assert!(selected.problems[0].message.contains("down"), "{}", selected.problems[0]);
}

#[test]
fn an_index_that_was_kept_is_compared_before_it_is_searched() {
    let kept = Registry::builder().source(Blocking(office())).open().index();
    assert_eq!(kept.len(), 3);
    let mut table = office().skill("pdf", skill("pdf", "Feeds a walrus.", "Fish."));
    table.remove("git");
    let registry = Registry::builder().source(Blocking(table)).open();
    registry.start_from_index((*kept).clone());
    assert!(ids(&registry, "tax returns").is_empty(), "the old text is gone");
    assert_eq!(ids(&registry, "walrus"), ["pdf"]);
    assert!(ids(&registry, "commit messages").is_empty(), "so is the old skill");
    assert_eq!(ids(&registry, "soup"), ["menu"]);
    let now: Vec<_> = registry.index().ids().map(str::to_owned).collect();
    assert_eq!(now.len(), 2, "{now:?}");
}

#[test]
fn an_index_in_use_is_not_replaced_by_one_that_was_kept() {
    let registry = Registry::builder().source(Blocking(office())).open();
    assert_eq!(ids(&registry, "soup"), ["menu"]);
    registry.start_from_index(SkillIndex::build([]));
    assert_eq!(ids(&registry, "soup"), ["menu"]);
}

#[test]
fn many_skills_are_read_in_parts() {
    let number = 5000;
    let table = (0..number).fold(Memory::new("t"), |table, n| {
        let name = format!("s{n}");
        table.skill(name.clone(), skill(&name, &format!("Handles case{n}."), "x"))
    });
    let registry = Registry::builder().source(Blocking(table)).open();
    for n in [0, 4095, 4096, number - 1] {
        assert_eq!(ids(&registry, &format!("case{n}")), [format!("s{n}")]);
    }
    assert_eq!(registry.index().len(), number);
}
