//! Turns catalogs, queries and damage into the promises of the ranker, each held on its own.

use metier_core::{
    Duplicates, Field, IndexBytes, IndexPart, IndexUse, Matcher, Part, Ranking, SavedIndexError,
    SearchOptions, SkillIndex, SkillText, parse,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A saved index that is read where it is asked for.
#[derive(Debug)]
struct Blob(Vec<u8>);

impl IndexBytes for Blob {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, from: u64, length: usize) -> Option<Vec<u8>> {
        let from = usize::try_from(from).ok()?;
        Some(self.0.get(from..from.checked_add(length)?)?.to_vec())
    }
}

fn skill<'a>(name: &'a str, description: &'a str) -> SkillText<'a> {
    SkillText { id: name, name, description, ..SkillText::default() }
}

fn ids(index: &SkillIndex, query: &str) -> Vec<String> {
    index.search(query, 10).iter().map(|hit| hit.id.to_string()).collect()
}

fn office() -> SkillIndex {
    SkillIndex::build([
        skill("pdf-filler", "Fills in PDF forms. Use for tax forms and applications."),
        skill("chart-maker", "Draws charts from tables of numbers."),
        skill("mail-sorter", "Sorts mail into folders. Do not use for newsletters or tax letters."),
        skill("release-notes", "Writes release notes from the commits since the last tag."),
        skill("github-issues", "Opens and triages issues on GitHub."),
        skill("cpp-guide", "Style of C++ code, and of .NET bindings."),
        skill("会议纪要", "整理会议记录，生成会议纪要。"),
    ])
}

#[test]
fn the_right_skill_is_first() {
    let index = office();
    assert_eq!(ids(&index, "please fill out this tax form")[0], "pdf-filler");
    assert_eq!(ids(&index, "draw me a chart")[0], "chart-maker");
    assert_eq!(ids(&index, "what changed since the last release?")[0], "release-notes");
    assert_eq!(ids(&index, "帮我整理一下昨天的会议")[0], "会议纪要");
}

#[test]
fn spellings_of_one_name_meet() {
    let index = office();
    for query in ["github", "GitHub", "git hub issue"] {
        assert_eq!(ids(&index, query)[0], "github-issues", "{query}");
    }
    for query in ["c++", "cpp", "dotnet", ".NET"] {
        assert_eq!(ids(&index, query)[0], "cpp-guide", "{query}");
    }
}

#[test]
fn a_mention_wins() {
    let index = office();
    for query in ["/chart-maker tax forms", "tax forms, $chart-maker", "tax form (`/Chart-Maker`)"]
    {
        assert_eq!(ids(&index, query)[0], "chart-maker", "{query}");
    }
    assert_eq!(ids(&index, "tax forms in /chart-maker/forms")[0], "pdf-filler");
    assert_eq!(ids(&index, "$chart-maker"), ["chart-maker"]);
}

#[test]
fn what_a_skill_is_not_for_counts_against_it() {
    let index = office();
    assert!(!ids(&index, "newsletters").contains(&"mail-sorter".to_owned()));
    let why = index.explain("sort the newsletters", "mail-sorter").unwrap();
    assert!(why.parts.iter().any(|&(part, points)| part == Part::Against && points < 0.0));

    let apart =
        SkillText { when_not_to_use: Some("For invoices.".into()), ..skill("a", "Reads papers.") };
    let index = SkillIndex::build([apart, skill("b", "Reads papers.")]);
    assert_eq!(ids(&index, "read the papers about invoices")[0], "b");
}

#[test]
fn tags_and_when_to_use_are_found() {
    let tagged = SkillText {
        tags: vec!["accounting".into()],
        when_to_use: Some("At the end of the quarter.".into()),
        ..skill("a", "Closes books.")
    };
    let index = SkillIndex::build([skill("b", "Opens books."), tagged]);
    assert_eq!(ids(&index, "accounting"), ["a"]);
    let why = index.explain("quarter", "a").unwrap();
    assert_eq!(why.words[0].fields[0].0, Field::When);
}

#[test]
fn headings_and_bodies_are_told_apart() {
    let text = "---\nname: a\ndescription: Bakes.\n---\n# Oven\n```\n# flour\n```\nSalt.\n";
    let skill = parse(text).skill.unwrap();
    let index = SkillIndex::build([SkillText::of(&skill)]);
    let why = index.explain("oven flour salt", "a").unwrap();
    let fields: Vec<_> = why.words.iter().map(|word| word.fields[0].0).collect();
    assert_eq!(fields, [Field::Headings, Field::Body, Field::Body]);
}

#[test]
fn an_explanation_adds_up_to_the_score() {
    let index = office();
    for query in ["fill in the tax forms", "release notes for GitHub", "/chart-maker of mail", "x"]
    {
        for ranked in index.search_with(query, &SearchOptions::default()) {
            let why = index.explain(query, &ranked.hit.id).unwrap();
            assert!((why.score - ranked.hit.score).abs() < 1e-5, "{query}: {why:?}");
            let words: f32 = why.words.iter().map(|word| word.points).sum();
            let parts: f32 = why.parts.iter().map(|(_, points)| points).sum();
            assert!((words + parts - why.points).abs() < 1e-3, "{why:?}");
            for word in &why.words {
                let fields: f32 = word.fields.iter().map(|(_, _, points)| points).sum();
                assert!((fields - word.points).abs() < 1e-3, "{word:?}");
            }
        }
    }
    assert!(index.explain("tax", "no-such-skill").is_none());
}

#[test]
fn a_threshold_can_say_that_nothing_fits() {
    let index = office();
    let sure = SearchOptions { min_score: 0.5, ..SearchOptions::default() };
    assert_eq!(index.search_with("fill in the pdf tax form", &sure).len(), 1);
    assert!(index.search_with("what time is it in Lima?", &sure).is_empty());
}

#[test]
fn what_a_filter_leaves_out_takes_no_place() {
    let index = office();
    let keep = |id: &str| id != "pdf-filler";
    let options = SearchOptions { keep: Some(&keep), limit: 1, ..SearchOptions::default() };
    let hits = index.search_with("tax forms", &options);
    assert!(hits.iter().all(|ranked| &*ranked.hit.id != "pdf-filler"));
    assert!(index.search_with("tax", &SearchOptions { limit: 0, ..options }).is_empty());
}

#[test]
fn copies_are_named_on_one_hit() {
    let text =
        "Converts ledgers between formats, checks their sums and prints a report of what differs.";
    let index = SkillIndex::build([
        skill("b-copy", text),
        skill("a-copy", text),
        skill("ledger", "Checks ledgers."),
    ]);
    let hits = index.search_with("convert a ledger", &SearchOptions::default());
    assert_eq!(hits.len(), 2);
    assert_eq!(&*hits[0].hit.id, "a-copy");
    assert_eq!(hits[0].duplicates, [Arc::from("b-copy")]);
    let keep = SearchOptions { duplicates: Duplicates::Keep, ..SearchOptions::default() };
    assert_eq!(index.search_with("convert a ledger", &keep).len(), 3);
}

#[test]
fn of_two_with_one_id_the_later_counts() {
    let index = SkillIndex::build([skill("a", "Fills forms."), skill("a", "Draws charts.")]);
    assert_eq!(index.len(), 1);
    assert!(ids(&index, "forms").is_empty());
    assert_eq!(ids(&index, "charts"), ["a"]);
    assert!(index.is_current(&skill("a", "Draws charts.")));
    assert!(!index.is_current(&skill("a", "Fills forms.")));
}

#[test]
fn saying_a_word_over_and_over_does_not_win() {
    let spam = "invoice ".repeat(10_000);
    let body = SkillText { body: &spam, ..skill("spam-body", "Something else entirely.") };
    let index = SkillIndex::build([
        skill("spam", &spam),
        body,
        skill("invoices", "Reads an invoice and checks its totals."),
        skill("mail", "Sorts mail."),
    ]);
    assert_eq!(ids(&index, "check this invoice")[0], "invoices");
    assert_eq!(ids(&index, "invoice")[0], "invoices");
}

#[test]
fn a_hundred_thousand_copies_do_not_crowd_the_list() {
    let names: Vec<String> = (0..100_000).map(|at| format!("copy-{at:06}")).collect();
    let copies = names.iter().map(|name| skill(name, "Fills in forms for the tax office."));
    let index = SkillIndex::build(copies.chain([skill("z-forms", "Draws forms.")]));
    let hits = index.search_with("fill in the forms", &SearchOptions::default());
    assert_eq!(hits.len(), 2);
    assert_eq!(&*hits[0].hit.id, "copy-000000");
    assert_eq!(hits[0].duplicates.len(), 99_999);
    assert_eq!(&*hits[1].hit.id, "z-forms");
}

#[test]
fn odd_queries_get_an_answer() {
    let index = office();
    let long = "tax forms and charts ".repeat(50_000);
    for query in
        ["", " ", "the of and please", "x", "\0\u{1b}[31m\u{202e}", "🦀", "'''", "$", "/", "帮我"]
    {
        assert!(ids(&index, query).is_empty(), "{query:?}");
    }
    assert_eq!(ids(&index, &long), ["pdf-filler", "chart-maker"]);
    assert!(ids(&SkillIndex::build([]), "tax").is_empty());
    let bare = SkillIndex::build([skill("", ""), skill("x", "")]);
    assert_eq!(ids(&bare, "x"), ["x"]);
}

#[test]
fn equal_skills_beyond_the_head_come_by_id() {
    let names: Vec<String> = (0..3000).map(|at| format!("s{:04}", at * 1999 % 3000)).collect();
    let texts: Vec<String> = (0..3000).map(|at| format!("Paints wall{at} red.")).collect();
    let skills = names.iter().zip(&texts).map(|(name, text)| skill(name, text));
    let index = SkillIndex::build(skills);
    let expected: Vec<String> = (0..10).map(|at| format!("s{at:04}")).collect();
    assert_eq!(ids(&index, "paint it red"), expected);
    let keep = |id: &str| id >= "s2990";
    let options = SearchOptions { keep: Some(&keep), ..SearchOptions::default() };
    let kept = index.search_with("paint it red", &options);
    assert_eq!(kept.iter().map(|it| &*it.hit.id).collect::<Vec<_>>().len(), 10);
    assert_eq!(&*kept[0].hit.id, "s2990");
}

/// Words that meet often, in several scripts.
const WORDS: [&str; 18] = [
    "form",
    "forms",
    "tax",
    "chart",
    "GitHub",
    "issue",
    "release",
    "notes",
    "會議",
    "записка",
    "c++",
    "do not use for",
    "mail",
    "mailing",
    "zip",
    "the",
    "\n# plan",
    "\n",
];

fn words() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&WORDS[..]), 0..12).prop_map(|words| words.join(" "))
}

type Text = (String, String);

fn texts() -> impl Strategy<Value = BTreeMap<String, Text>> {
    prop::collection::btree_map("[a-f]{1,2}", (words(), words()), 0..12)
}

fn texts_of(texts: &BTreeMap<String, Text>) -> impl Iterator<Item = SkillText<'_>> {
    texts.iter().map(|(id, (description, body))| SkillText { body, ..skill(id, description) })
}

/// All that a search and its explanations say.
fn answers(index: &SkillIndex, query: &str) -> Vec<String> {
    let ranked = index.search_with(query, &SearchOptions::default());
    let why = |id: &str| format!("{:?}", index.explain(query, id));
    ranked.iter().map(|ranked| format!("{ranked:?} {}", why(&ranked.hit.id))).collect()
}

proptest! {
    #[test]
    fn an_update_answers_like_a_rebuild(
        before in texts(),
        changes in prop::collection::vec((texts(), prop::collection::vec("[a-f]{1,2}", 0..6)), 1..12),
        query in words(),
    ) {
        let mut now = before.clone();
        let mut index = SkillIndex::build(texts_of(&before));
        for (added, removed) in &changes {
            let removed: Vec<&str> = removed.iter().map(String::as_str).collect();
            index.update(&removed, texts_of(added));
            now.retain(|id, _| !removed.contains(&id.as_str()));
            now.extend(added.clone());
        }
        let rebuilt = SkillIndex::build(texts_of(&now));
        prop_assert_eq!(index.len(), now.len());
        prop_assert_eq!(answers(&index, &query), answers(&rebuilt, &query));
        let bytes = index.to_bytes();
        let read = SkillIndex::from_bytes(&bytes).unwrap();
        prop_assert_eq!(answers(&read, &query), answers(&rebuilt, &query));
        for for_use in [IndexUse::ManyQueries, IndexUse::OneQuery] {
            let opened = SkillIndex::open(Arc::new(Blob(bytes.clone())), for_use).unwrap();
            prop_assert_eq!(answers(&opened, &query), answers(&rebuilt, &query));
            prop_assert!(!opened.is_damaged());
        }
    }

    #[test]
    fn any_text_can_be_indexed_and_asked_for(text in "\\PC*", query in "\\PC*", odd in any::<String>()) {
        let index = SkillIndex::build([skill("a", &text), skill("b", &odd)]);
        for query in [&query, &odd, &text] {
            let hits = index.search(query, 10);
            prop_assert!(hits.is_sorted_by(|one, other| one.score >= other.score));
            prop_assert!(hits.iter().all(|hit| hit.score > 0.0 && hit.score <= 1.0));
        }
    }

    #[test]
    fn damage_is_seen(texts in texts(), at in any::<prop::sample::Index>(), change in 1u8.., cut in any::<bool>()) {
        let mut bytes = SkillIndex::build(texts_of(&texts)).to_bytes();
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] ^= change;
        }
        prop_assert!(SkillIndex::from_bytes(&bytes).is_err());
        // An opened index sees it at once, or when it comes to the place.
        if let Ok(opened) = SkillIndex::open(Arc::new(Blob(bytes)), IndexUse::OneQuery) {
            opened.to_bytes();
            prop_assert!(opened.is_damaged());
        }
    }

    #[test]
    fn a_stranger_s_file_never_panics(texts in texts(), bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(SkillIndex::from_bytes(&bytes).is_err());
        let mut whole = SkillIndex::build(texts_of(&texts)).to_bytes();
        whole.extend(&bytes);
        prop_assert!(bytes.is_empty() || SkillIndex::from_bytes(&whole).is_err());
    }

    #[test]
    fn parts_make_the_same_index(texts in texts(), at in any::<prop::sample::Index>()) {
        let skills: Vec<SkillText<'_>> = texts_of(&texts).collect();
        let (one, other) = skills.split_at(at.index(skills.len() + 1));
        let parts = [one, other].map(|skills| IndexPart::read(skills.iter().cloned()));
        let joined = SkillIndex::join(Ranking::default(), parts);
        prop_assert_eq!(joined.to_bytes(), SkillIndex::build(skills).to_bytes());
    }
}

#[test]
fn each_way_of_being_no_index_has_its_name() {
    let bytes = office().to_bytes();
    let error = |bytes: &[u8]| SkillIndex::from_bytes(bytes).unwrap_err();
    assert_eq!(error(b""), SavedIndexError::NotAnIndex);
    assert_eq!(error(b"#!/bin/sh\nexit 0 # and some more text"), SavedIndexError::NotAnIndex);
    assert_eq!(error(&bytes[..20]), SavedIndexError::Damaged);
    assert_eq!(error(&bytes[..bytes.len() - 1]), SavedIndexError::Damaged);
    let mut other = bytes.clone();
    other[8] = 99;
    assert_eq!(error(&other), SavedIndexError::Version { found: 99 });
    let ranking = Ranking { head: 7, ..Ranking::default() };
    let other = SkillIndex::build_with(ranking.clone(), [skill("a", "b")]).to_bytes();
    assert_eq!(error(&other), SavedIndexError::Ranking);
    assert_eq!(SkillIndex::from_bytes_with(ranking, &other).unwrap().len(), 1);
}
