//! Turns public sets of queries into promises about the default ranker, on machines that have the sets.
//!
//! `METIER_TEST_SETS` names the folder with the sets, each a folder as the evaluation reads it;
//! `METIER_TEST_MODEL` one with a program `embed`. Without them the tests say so and pass.

#![expect(clippy::disallowed_methods, reason = "tests ask the environment where the sets are")]
#![expect(clippy::print_stderr, reason = "tests that were not run say so")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use eval::{Catalog, Measures, Model, Record, Set, with_model};
use metier_core::{Bm25, CachedEmbedder, Matcher, SkillIndex};
use std::path::{Path, PathBuf};

/// hit@1, recall@5, recall@10 and nDCG@10 in percent of the recipe that the default started from. One
/// right skill of one query is worth up to a point in the smallest sets: that much may be missing.
const LEX: [(&str, [f64; 4], f64); 6] = [
    ("authored", [74.1, 87.9, 90.9, 82.8], 0.1),
    ("skillsbench", [95.3, 82.6, 86.6, 86.9], 0.5),
    ("skillsbench_short", [68.0, 57.2, 60.5, 59.0], 1.0),
    ("livemcp", [30.2, 27.1, 37.0, 31.7], 0.5),
    ("metatool", [51.8, 69.9, 75.9, 63.7], 0.1),
    ("sealtools", [96.4, 86.3, 93.1, 90.7], 0.1),
];

fn folder(variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    if folder.is_none() {
        eprintln!("`{variable}` names no folder: nothing is tested");
    }
    folder
}

fn read(folder: &Path) -> (Catalog, Set) {
    (Catalog::read(&Catalog::path_for(folder)).unwrap(), Set::read(folder).unwrap())
}

fn measure(matcher: &dyn Matcher, set: &Set) -> Measures {
    Measures::mean(&Measures::of_each(matcher, set))
}

#[test]
fn the_default_is_as_good_as_the_recipe_it_started_from() {
    let Some(sets) = folder("METIER_TEST_SETS") else { return };
    for (name, recipe, error) in LEX {
        let (catalog, set) = read(&sets.join(name));
        let index = SkillIndex::build(catalog.skills.iter().map(Record::text));
        let found = measure(&index, &set);
        let figures = [found.hit1, found.recall[1], found.recall[2], found.ndcg10];
        for (figure, least) in figures.into_iter().zip(recipe) {
            assert!(100.0 * figure >= least - error, "{name}: {found}, and not {recipe:?}");
        }
    }
}

#[test]
fn other_tongues_are_found_better_than_by_raw_tokens() {
    let Some(sets) = folder("METIER_TEST_SETS") else { return };
    let (catalog, set) = read(&sets.join("authored_multilingual"));
    let texts = || catalog.skills.iter().map(Record::text);
    let (own, raw) =
        (measure(&SkillIndex::build(texts()), &set), measure(&Bm25::new(texts()), &set));
    assert!(own.ndcg10 >= raw.ndcg10 + 0.1, "{own}\n{raw}");
    assert!(own.hit1 >= raw.hit1 && own.recall[1] >= raw.recall[1], "{own}\n{raw}");
}

#[test]
fn a_model_makes_author_queries_better() {
    let (Some(sets), Some(model)) = (folder("METIER_TEST_SETS"), folder("METIER_TEST_MODEL"))
    else {
        return;
    };
    let (catalog, mut set) = read(&sets.join("authored"));
    // Every fourth query is enough to tell, and a model without an accelerator is slow.
    let mut at = 0;
    set.queries.retain(|_| {
        at += 1;
        at % 4 == 0
    });
    let index = SkillIndex::build(catalog.skills.iter().map(Record::text));
    let model = CachedEmbedder::new(Model::start(&model).unwrap());
    let matchers = with_model(&model, &catalog);
    let (_, hybrid) = matchers.iter().find(|(name, _)| *name == "hybrid").unwrap();
    let (words, both) = (measure(&index, &set), measure(&**hybrid, &set));
    eprintln!("words  {words}\nhybrid {both}");
    assert!(both.ndcg10 > words.ndcg10 && both.recall[2] >= words.recall[2]);
}
