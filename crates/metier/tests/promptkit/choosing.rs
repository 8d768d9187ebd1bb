//! Turns what PromptKit promises about selecting into tests: tags, everything, and selectors outside.

use metier::{
    Audience, Blocking, Candidate, CatalogFilter, Everything, External, Fallback, Hit, Matcher,
    MatcherKind, Memory, Registry, SelectOptions, SkillText, Tags, Trust,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn tagged(name: &str, tags: &str) -> String {
    format!("---\nname: {name}\ndescription: does {name}\nmetadata:\n  tags: \"{tags}\"\n---\n")
}

fn registry() -> Registry {
    let table = Memory::new("t")
        .skill("pay", tagged("pay", "billing, money"))
        .skill("refund", tagged("refund", " billing ,support"))
        .skill("ship", tagged("ship", "Billing"))
        .skill("none", "---\nname: none\ndescription: does none\n---\n");
    Registry::builder().source(Blocking(table)).open()
}

fn ids(hits: &[Hit]) -> String {
    hits.iter().map(|hit| &*hit.id).collect::<Vec<_>>().join(" ")
}

/// What a matcher reads of a skill: its id, description and tags.
type Parts = (Arc<str>, String, Vec<String>);

fn texts(registry: &Registry) -> Vec<Parts> {
    let text = |entry: metier::CatalogEntry| {
        (entry.id.clone(), entry.description().to_owned(), entry.manifest().tags())
    };
    registry.iter().map(text).collect()
}

fn skill_texts(parts: &[Parts]) -> Vec<SkillText<'_>> {
    parts
        .iter()
        .map(|(id, description, tags)| SkillText {
            id,
            name: id,
            description,
            tags: tags.iter().map(|tag| tag.as_str().into()).collect(),
            ..SkillText::default()
        })
        .collect()
}

#[test]
fn tags_select_skills_that_have_one_of_them() {
    let parts = texts(&registry());
    let select = |tags: &[&str]| {
        ids(&Tags::new(tags, skill_texts(&parts)).search("the query does not count", usize::MAX))
    };
    assert_eq!(select(&["billing"]), "pay refund");
    assert_eq!(select(&["support", "money", "support"]), "pay refund");
    assert_eq!(select(&[" Billing "]), "ship");
    for tags in [&[][..], &["", "  "], &["other"]] {
        assert_eq!(select(tags), "", "{tags:?}");
    }
}

#[test]
fn a_registry_selects_by_tags_too() {
    let select = |tags: &[&str]| {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let filter = CatalogFilter { tags, ..CatalogFilter::default() };
        let options =
            SelectOptions { filter, matcher: MatcherKind::Everything, ..SelectOptions::default() };
        ids(&registry().select_blocking("", &options).hits)
    };
    assert_eq!(select(&["billing", "support"]), "pay refund");
    assert_eq!(select(&["other"]), "");
}

#[test]
fn the_model_driven_selector_shows_every_skill() {
    let parts = texts(&registry());
    let everything = Everything::new(skill_texts(&parts));
    for query in ["", "pay"] {
        assert_eq!(ids(&everything.search(query, usize::MAX)), "none pay refund ship");
    }
    let options = SelectOptions {
        top_k: usize::MAX,
        matcher: MatcherKind::Everything,
        ..SelectOptions::default()
    };
    assert_eq!(ids(&registry().select_blocking("", &options).hits), "none pay refund ship");
}

#[test]
fn a_selector_outside_narrows_and_keeps_the_order_of_the_registry() {
    let parts = texts(&registry());
    let external = External::new(skill_texts(&parts), |query: &str, known: &[Candidate]| {
        assert_eq!((query, known.len()), ("money", 4));
        assert_eq!((&*known[1].name, &*known[1].description), ("pay", "does pay"));
        Ok(vec!["ship".to_owned(), "unheard-of".to_owned(), "pay".to_owned()])
    });
    assert_eq!(ids(&external.search("money", usize::MAX)), "pay ship");
    assert_eq!(external.narrow("money").fallback, None);
}

#[test]
fn a_selector_outside_is_skipped_without_a_query() {
    let parts = texts(&registry());
    let asked = AtomicUsize::new(0);
    let external = External::new(skill_texts(&parts), |_: &str, _: &[Candidate]| {
        asked.fetch_add(1, Ordering::SeqCst);
        Ok(vec!["pay".to_owned()])
    });
    assert_eq!(external.narrow("").fallback, Some(Fallback::NoQuery));
    assert_eq!(external.narrow("").ids.len(), 4);
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[test]
fn a_failing_selector_outside_never_empties_the_catalog() {
    let parts = texts(&registry());
    for (answer, fallback) in [
        (Err("timeout".to_owned()), Fallback::Failed("timeout".to_owned())),
        (Ok(Vec::new()), Fallback::Empty),
        (Ok(vec!["x".to_owned()]), Fallback::Unknown(vec!["x".to_owned()])),
    ] {
        let external =
            External::new(skill_texts(&parts), |_: &str, _: &[Candidate]| answer.clone());
        let narrowed = external.narrow("money");
        assert_eq!(narrowed.ids.join(" "), "none pay refund ship");
        assert_eq!(narrowed.fallback, Some(fallback));
    }
}

#[test]
fn what_a_model_may_not_see_is_not_selected_for_it() {
    let mine = Memory::new("mine")
        .skill("pay", tagged("pay", "billing"))
        .skill("own", "---\nname: own\ndescription: d\ndisable-model-invocation: true\n---\n");
    let theirs = Memory::new("theirs").trust(Trust::Untrusted).skill("x", tagged("x", "billing"));
    let registry = Registry::builder().source(Blocking(mine)).source(Blocking(theirs)).open();
    let select = |audience| {
        let filter = CatalogFilter { audience, ..CatalogFilter::default() };
        let options =
            SelectOptions { filter, matcher: MatcherKind::Everything, ..SelectOptions::default() };
        ids(&registry.select_blocking("", &options).hits)
    };
    assert_eq!(select(Audience::Model), "pay");
    assert_eq!(select(Audience::Person), "own pay x");
}
