//! Turns what deuz promises about matching into tests: word overlap, embeddings, strict thresholds.

use metier::{
    Blocking, CachedEmbedder, Cutoff, EmbedError, Embedding, Hit, Lexical, Matcher, MatcherKind,
    Memory, Registry, SelectOptions, SkillText,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

fn skills() -> [SkillText<'static>; 3] {
    let skill = |id, name, description| SkillText { id, name, description, ..SkillText::default() };
    [
        skill("pdf", "pdf-filler", "Fill out PDF forms"),
        skill("xls", "sheets", "Work with a spreadsheet form"),
        skill("cafe", "café", "Orders coffee"),
    ]
}

fn pairs(hits: &[Hit]) -> Vec<(&str, f64)> {
    hits.iter().map(|hit| (&*hit.id, hit.score)).collect()
}

#[test]
fn words_overlap_without_stop_words_and_accents() {
    let matcher = Lexical::new(skills());
    // `a` and `the` do not count, `forms` is not `form`.
    let hits = matcher.search("fill out the pdf form", usize::MAX);
    assert_eq!(pairs(&hits), [("pdf", 0.75), ("xls", 0.25)]);
    assert_eq!(pairs(&matcher.search("How do I order at the CAFÉ?", 5)), [("cafe", 1.0 / 3.0)]);
    // Ties keep the order of the skills; repeated words count once.
    assert_eq!(pairs(&matcher.search("sheets filler sheets", 5)), [("pdf", 0.5), ("xls", 0.5)]);
    for query in ["", "how do I", "the to of", "?!"] {
        assert!(matcher.search(query, 5).is_empty(), "{query}");
    }
}

#[test]
fn top_k_is_all_unless_it_is_given() {
    let matcher = Lexical::new(skills());
    assert_eq!(matcher.search("sheets filler orders", usize::MAX).len(), 3);
    assert_eq!(matcher.search("sheets filler orders", 1).len(), 1);
    assert!(matcher.search("sheets filler orders", 0).is_empty());
}

#[test]
fn a_threshold_is_strict() {
    let count = |threshold, query| {
        Lexical::new(skills()).cutoff(Cutoff::Above(threshold)).search(query, 5).len()
    };
    assert_eq!(count(1.0, "sheets"), 0, "a perfect hit is not above 1");
    assert_eq!(count(0.99, "sheets"), 1);
    assert_eq!(count(0.5, "sheets filler"), 0);
    assert_eq!(count(-1.0, "sheets"), 3, "even those without a common word");
    assert_eq!(count(-1.0, "the"), 0);
}

#[test]
fn metiers_own_threshold_is_not() {
    let hits = Lexical::new(skills()).cutoff(Cutoff::AtLeast(1.0)).search("sheets", 5);
    assert_eq!(pairs(&hits), [("xls", 1.0)]);
}

/// Embeds each text as whether it speaks of paper, and of money.
#[expect(clippy::unnecessary_wraps, reason = "an embedder may fail")]
fn model(texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
    let says = |text: &str, words: &[&str]| {
        let count = words.iter().filter(|word| text.to_lowercase().contains(*word)).count();
        f32::from(u8::try_from(count).unwrap())
    };
    let vector = |text: &&str| {
        vec![says(text, &["pdf", "paper", "form"]), says(text, &["coffee", "money", "price"])]
    };
    Ok(texts.iter().map(vector).collect())
}

#[test]
fn embeddings_score_the_cosine_in_one_call() {
    let calls = Mutex::new(Vec::new());
    let embed = |texts: &[&str]| {
        calls.lock().unwrap().push(texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>());
        model(texts)
    };
    let matcher = Embedding::new(embed, skills());
    let hits = matcher.search("paper", 5);
    assert_eq!(pairs(&hits), [("pdf", 1.0), ("xls", 1.0), ("cafe", 0.0)]);
    assert_eq!(
        *calls.lock().unwrap(),
        [[
            "paper",
            "pdf-filler Fill out PDF forms",
            "sheets Work with a spreadsheet form",
            "café Orders coffee"
        ]]
    );
    // A vector of zeros is at no angle to anything.
    assert!(matcher.search("nothing of the kind", 5).iter().all(|hit| hit.score == 0.0));
    assert_eq!(matcher.search("paper", 1).len(), 1);
}

#[test]
fn without_candidates_nothing_is_embedded() {
    let embed = |_: &[&str]| -> Result<Vec<Vec<f32>>, EmbedError> { panic!("it was asked") };
    assert!(Embedding::new(embed, []).search("paper", 5).is_empty());
}

#[test]
fn vectors_of_another_length_score_0() {
    let embed = |texts: &[&str]| {
        let lengths = [2, 3, 2, 0];
        Ok(texts.iter().zip(lengths).map(|(_, length)| vec![1.0; length]).collect())
    };
    let hits = Embedding::new(embed, skills()).search("paper", 5);
    assert_eq!(hits[0].id.as_ref(), "xls");
    assert!((hits[0].score - 1.0).abs() < 1e-12);
    assert_eq!(pairs(&hits)[1..], [("pdf", 0.0), ("cafe", 0.0)]);
}

#[test]
fn an_embedding_threshold_is_strict_too() {
    let search = |threshold| {
        Embedding::new(model, skills()).cutoff(Cutoff::Above(threshold)).search("paper", 5).len()
    };
    assert_eq!([search(-1.0), search(0.0), search(1.0)], [3, 2, 0]);
}

#[test]
fn a_registry_takes_any_matcher() {
    let table = skills()
        .iter()
        .fold(Memory::new("t"), |table, skill| table.inline(skill.id, skill.description, "Go."));
    let registry = Registry::builder().source(Blocking(table)).open();
    let top = |matcher| {
        let options = SelectOptions { top_k: 2, matcher, ..SelectOptions::default() };
        let hits = registry.select_blocking("fill out a pdf form", &options).hits;
        hits.iter().map(|hit| hit.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(top(MatcherKind::Lexical(Cutoff::Above(0.0))), ["pdf", "xls"]);
    let embedded = Arc::new(AtomicUsize::new(0));
    let counted = embedded.clone();
    let cached = CachedEmbedder::new(move |texts: &[&str]| {
        counted.fetch_add(texts.len(), Ordering::SeqCst);
        model(texts)
    });
    let matcher = MatcherKind::Custom(Arc::new(
        move |query: &str, skills: &[SkillText<'_>], limit: usize| {
            Embedding::new(cached.clone(), skills.iter().cloned()).search(query, limit)
        },
    ));
    for _ in 0..3 {
        assert_eq!(top(matcher.clone()), ["pdf", "xls"]);
    }
    assert_eq!(embedded.load(Ordering::SeqCst), 4, "one query and three skills, once each");
}
