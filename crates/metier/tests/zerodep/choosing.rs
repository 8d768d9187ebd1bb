//! Turns what zerodep promises about selecting into tests: keywords, BM25, thresholds, available tools.

use metier::{
    Blocking, Bm25, Bm25Parameters, CatalogFilter, Folder, Hit, Keyword, Matcher, MatcherKind,
    Memory, Registry, SelectOptions, SkillText,
};
use std::sync::Arc;
use testing::Fixture;

fn skill(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n{body}")
}

/// The three skills that zerodep's numbers were taken from.
fn golden() -> Registry {
    let table = Memory::new("t")
        .skill("alpha-one", skill("alpha-one", "fox runs", "quick brown fox"))
        .skill("beta-two", skill("beta-two", "lazy dog", "the lazy dog sleeps"))
        .skill("gamma-three", skill("gamma-three", "fox and dog", ""));
    Registry::builder().source(Blocking(table)).open()
}

fn tools() -> Registry {
    let skill = |name: &str, tools: &str| {
        format!("---\nname: {name}\ndescription: converts files\n{tools}---\n")
    };
    let table = Memory::new("t")
        .skill("any", skill("any", ""))
        .skill("empty", skill("empty", "allowed-tools: ''\n"))
        .skill("git", skill("git", "allowed-tools: Bash(git add:*) Read\n"))
        .skill("web", skill("web", "allowed-tools: WebFetch\n"));
    Registry::builder().source(Blocking(table)).open()
}

fn keyword() -> SelectOptions {
    SelectOptions { matcher: MatcherKind::Keyword, ..SelectOptions::default() }
}

fn bm25() -> SelectOptions {
    let matcher = MatcherKind::Bm25(Bm25Parameters::default());
    SelectOptions { matcher, ..SelectOptions::default() }
}

fn select(registry: &Registry, query: &str, options: &SelectOptions) -> Vec<(String, f64)> {
    let hits = registry.select_blocking(query, options).hits;
    hits.into_iter().map(|hit| (hit.id.to_string(), hit.score)).collect()
}

fn names(hits: &[(String, f64)]) -> Vec<&str> {
    hits.iter().map(|(name, _)| name.as_str()).collect()
}

#[track_caller]
fn assert_hits(hits: &[(String, f64)], expected: &[(&str, f64)]) {
    assert_eq!(names(hits), expected.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for ((name, score), (_, golden)) in hits.iter().zip(expected) {
        assert!((score - golden).abs() < 1e-12, "{name} has {score} instead of {golden}");
    }
}

#[test]
fn keywords_score_the_share_of_the_query_in_name_and_description() {
    let registry = golden();
    assert_hits(
        &select(&registry, "Fox DOG!", &keyword()),
        &[("gamma-three", 1.0), ("alpha-one", 0.5), ("beta-two", 0.5)],
    );
    // The name is read as its words, repeated words count once, the body does not count.
    assert_hits(&select(&registry, "one one cat", &keyword()), &[("alpha-one", 0.5)]);
    assert_hits(&select(&registry, "quick sleeps", &keyword()), &[]);
    for query in ["", "?!", " \n"] {
        assert_hits(&select(&registry, query, &keyword()), &[]);
    }
}

#[test]
fn words_are_those_of_python() {
    let table = Memory::new("t")
        .skill("menu", skill("menu", "cafe\u{301}s don't snake_case x² Straße", ""));
    let registry = Registry::builder().source(Blocking(table)).open();
    for (query, score) in [
        ("cafe", 1.0),
        ("café", 0.0),
        ("s", 1.0),
        ("don", 1.0),
        ("T", 1.0),
        ("snake", 0.0),
        ("snake_case", 1.0),
        ("X²", 1.0),
        ("straße strasse", 0.5),
    ] {
        let found = select(&registry, query, &keyword()).first().map_or(0.0, |hit| hit.1);
        assert!((found - score).abs() < 1e-12, "{query}: {found}");
    }
}

#[test]
fn bm25_has_the_golden_numbers() {
    let registry = golden();
    let (alpha, gamma) = (1.130_817_167_728_316_3, 0.999_585_183_325_437_9);
    assert_hits(
        &select(&registry, "fox", &bm25()),
        &[("alpha-one", alpha), ("gamma-three", gamma)],
    );
    assert_hits(
        &select(&registry, "fox fox", &bm25()),
        &[("alpha-one", 2.0 * alpha), ("gamma-three", 2.0 * gamma)],
    );
    assert_hits(
        &select(&registry, "fox dog", &bm25()),
        &[
            ("gamma-three", 1.999_170_366_650_875_8),
            ("alpha-one", alpha),
            ("beta-two", 1.100_880_983_937_998),
        ],
    );
    assert_hits(
        &select(&registry, "quick lazy", &bm25()),
        &[("beta-two", 2.297_378_585_913_372), ("alpha-one", 1.940_075_466_226_128_4)],
    );
    assert_hits(&select(&registry, "cat", &bm25()), &[]);
}

#[test]
fn the_best_five_come_unless_top_k_says_otherwise() {
    let table = (0..9).fold(Memory::new("t"), |table, n| {
        let name = format!("s{n}");
        table.skill(name.clone(), skill(&name, "same", ""))
    });
    let registry = Registry::builder().source(Blocking(table)).open();
    assert_eq!(names(&select(&registry, "same", &keyword())), ["s0", "s1", "s2", "s3", "s4"]);
    let two = SelectOptions { top_k: 2, ..keyword() };
    assert_eq!(names(&select(&registry, "same", &two)), ["s0", "s1"]);
    let none = SelectOptions { top_k: 0, ..keyword() };
    assert!(select(&registry, "same", &none).is_empty());
}

#[test]
fn min_score_keeps_what_reaches_it() {
    let registry = golden();
    let at_least = |least| {
        let options = SelectOptions { min_score: Some(least), ..keyword() };
        select(&registry, "fox dog", &options).len()
    };
    assert_eq!([at_least(0.0), at_least(0.5), at_least(0.51), at_least(1.01)], [3, 3, 1, 0]);
}

#[test]
fn skills_that_need_other_tools_are_left_out_first() {
    let registry = tools();
    let with = |available: Option<&[&str]>| {
        let available = available.map(|tools| tools.iter().map(|t| (*t).to_owned()).collect());
        let filter = CatalogFilter { available_tools: available, ..CatalogFilter::default() };
        let selected = registry.select_blocking("files", &SelectOptions { filter, ..keyword() });
        let ids: Vec<_> = selected.hits.iter().map(|hit| hit.id.to_string()).collect();
        assert_eq!(selected.candidates + selected.left_out, 4);
        ids.join(" ")
    };
    assert_eq!(with(None), "any empty git web");
    assert_eq!(with(Some(&[])), "any empty");
    assert_eq!(with(Some(&["bash", "READ"])), "any empty git");
    assert_eq!(with(Some(&["Bash(rm:*)", "read", "webfetch"])), "any empty git web");
}

#[test]
fn what_is_left_out_does_not_count_in_the_statistics() {
    let only = |allow: &[&str]| SelectOptions {
        filter: CatalogFilter {
            allow: allow.iter().map(|name| (*name).to_owned()).collect(),
            ..CatalogFilter::default()
        },
        ..bm25()
    };
    let registry = golden();
    let two = select(&registry, "fox", &only(&["alpha-one", "beta-two"]));
    // Of two skills, 7 and 8 words long, one has the word twice.
    let weight = ((2.0_f64 - 1.0 + 0.5) / 1.5 + 1.0).ln();
    let score = weight * (2.0 * 2.5 / (2.0 + 1.5 * (0.25 + 0.75 * 7.0 / 7.5)) + 1.0);
    assert_hits(&two, &[("alpha-one", score)]);
    assert!(select(&registry, "fox", &only(&["nothing"])).is_empty());
}

#[test]
fn a_program_brings_its_own_selector() {
    let longest = |_: &str, skills: &[SkillText<'_>], _: usize| -> Vec<Hit> {
        let mut skills: Vec<_> = skills.iter().collect();
        skills.sort_by_key(|skill| std::cmp::Reverse(skill.body.len()));
        skills.iter().map(|skill| Hit::new(skill.id, 1.0)).collect()
    };
    let matcher = MatcherKind::Custom(Arc::new(longest));
    let options = SelectOptions { matcher, top_k: 2, ..SelectOptions::default() };
    assert_eq!(names(&select(&golden(), "any", &options)), ["beta-two", "alpha-one"]);
}

// Defects that are not repeated.

#[test]
fn not_ranked_by_contents_that_are_gone() {
    let fixture = Fixture::new()
        .skill("r/one", &skill("one", "a", "fox"))
        .skill("r/two", &skill("two", "b", "dog"));
    let registry = Registry::builder().source(Blocking(Folder::new(fixture.join("r")))).open();
    assert_eq!(names(&select(&registry, "fox", &bm25())), ["one"]);
    let fixture =
        fixture.skill("r/one", &skill("one", "a", "dog")).skill("r/two", &skill("two", "b", "fox"));
    registry.reload_blocking();
    assert_eq!(names(&select(&registry, "fox", &bm25())), ["two"]);
    drop(fixture);
}

#[test]
fn not_an_error_when_two_skills_have_one_name() {
    let text = |id: &'static str, body: &'static str| SkillText {
        id,
        name: "pdf",
        body,
        ..SkillText::default()
    };
    let skills = [text("one:pdf", "fox"), text("two:pdf", "fox fox")];
    let ids = |hits: Vec<Hit>| hits.iter().map(|hit| hit.id.to_string()).collect::<Vec<_>>();
    assert_eq!(ids(Bm25::new(skills.clone()).search("fox", 5)), ["two:pdf", "one:pdf"]);
    assert_eq!(ids(Keyword::new(skills).search("pdf", 5)), ["one:pdf", "two:pdf"]);
}

#[test]
fn not_in_the_order_in_which_skills_happen_to_be_found() {
    let folders = ["z", "m", "a", "q"];
    let fixture = folders.into_iter().fold(Fixture::new(), |fixture, folder| {
        fixture.skill(&format!("r/{folder}"), &skill(folder, "same words", "same words"))
    });
    for options in [keyword(), bm25()] {
        let registry = Registry::builder().source(Blocking(Folder::new(fixture.join("r")))).open();
        assert_eq!(names(&select(&registry, "same", &options)), ["a", "m", "q", "z"]);
    }
}

#[test]
fn not_splitting_the_names_of_tools_at_hyphens() {
    let text = "---\nname: find\ndescription: d\nallowed-tools: web-search\n---\n";
    let table = Memory::new("t").skill("find", text);
    let registry = Registry::builder().source(Blocking(table)).open();
    for (tool, expected) in [("Web-Search", true), ("web", false), ("search", false)] {
        let available_tools = Some(vec![tool.to_owned()]);
        let filter = CatalogFilter { available_tools, ..CatalogFilter::default() };
        assert_eq!(filter.admits(&registry.get("find").unwrap()), expected, "{tool}");
    }
}
