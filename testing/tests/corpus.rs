//! Turns generated corpora over and looks for what tests and benchmarks rely on.

use std::collections::{BTreeMap, BTreeSet};
use testing::{Corpus, Defect, Fixture, Generated, Layout, command_snapshot};

fn skills(corpus: &Corpus) -> impl Iterator<Item = Generated> {
    (0..corpus.skills).map(|index| corpus.skill(index))
}

/// What stands between the fences of a skill without defects.
fn frontmatter(text: &str) -> &str {
    let inside = text.strip_prefix("---\n").expect("the text opens with a fence");
    &inside[..=inside.find("\n---\n").expect("the fence is closed")]
}

#[test]
fn the_same_seed_makes_the_same_bytes_everywhere() {
    // FNV-1a over paths and texts. A change here changes the meaning of every recorded benchmark.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let corpus = Corpus { skills: 100, layout: Layout::Nested, defects: 0.5, ..Corpus::default() };
    for (path, text) in corpus.texts() {
        for byte in path.bytes().chain(text.bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    assert_eq!(hash, 0xf765_1f85_a33f_487b, "{hash:#x}");
    let other = Corpus { seed: 2, ..corpus.clone() };
    assert_ne!(corpus.texts().next(), other.texts().next());
}

#[test]
fn a_skill_does_not_depend_on_the_others_nor_its_words_on_defects() {
    let small = Corpus { skills: 5, ..Corpus::default() };
    let large = Corpus { skills: 50, defects: 0.3, ..Corpus::default() };
    for (sound, other) in skills(&small).zip(skills(&large)) {
        assert_eq!((&sound.name, &sound.files), (&other.name, &other.files));
        assert_eq!(sound.text == other.text, other.defect.is_none());
    }
}

#[test]
fn sizes_and_styles_are_those_of_real_skills() {
    let corpus = Corpus { skills: 1000, ..Corpus::default() };
    let mut heads = Vec::new();
    let mut bodies = 0;
    let mut keys = BTreeMap::<String, usize>::new();
    for skill in skills(&corpus) {
        let head = frontmatter(&skill.text);
        heads.push(head.len());
        bodies += skill.text.len() - head.len();
        for line in head.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase())) {
            let key = line.split(':').next().unwrap_or_default();
            *keys.entry(key.to_owned()).or_default() += 1;
        }
    }
    heads.sort_unstable();
    // Real: median 441 bytes, nine in ten up to 705; ours lack the keys of the largest catalogues.
    assert!((340..450).contains(&heads[500]), "{}", heads[500]);
    assert!((580..720).contains(&heads[900]), "{}", heads[900]);
    let mean = bodies / corpus.skills;
    assert!((4096..4700).contains(&mean), "{mean}");
    assert_eq!((keys["name"], keys["description"]), (1000, 1000));
    for (key, least, most) in [
        ("allowed-tools", 270, 360),
        ("metadata", 160, 240),
        ("version", 270, 360),
        ("tags", 120, 190),
    ] {
        assert!((least..most).contains(&keys[key]), "{key}: {}", keys[key]);
    }
}

#[test]
fn the_vocabulary_is_large_and_unevenly_used() {
    let corpus = Corpus { skills: 500, ..Corpus::default() };
    let mut words = BTreeMap::<String, usize>::new();
    for (_, text) in corpus.texts() {
        for word in text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() > 1) {
            *words.entry(word.to_ascii_lowercase()).or_default() += 1;
        }
    }
    assert!(words.len() > 3000, "{}", words.len());
    let mut counts: Vec<_> = words.into_values().collect();
    counts.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
    let total: usize = counts.iter().sum();
    let top: usize = counts[..20].iter().sum();
    assert!(top * 6 > total && top * 2 < total, "{top} of {total}");
}

#[test]
fn links_point_at_files_that_are_there() {
    let corpus = Corpus { skills: 200, ..Corpus::default() };
    let mut linked = 0;
    for skill in skills(&corpus) {
        let files: BTreeSet<_> = skill.files.iter().map(|(path, _)| path.as_str()).collect();
        for link in skill.text.split("](").skip(1) {
            let target = link.split(')').next().unwrap_or_default();
            assert!(files.contains(target), "{}: {target}", skill.name);
            linked += 1;
        }
        for file in files {
            assert!(skill.text.contains(file), "{}: {file}", skill.name);
        }
    }
    assert!(linked > 20, "{linked}");
}

#[test]
fn every_defect_is_made_and_does_what_it_says() {
    let corpus = Corpus { skills: 400, defects: 1.0, ..Corpus::default() };
    let mut seen = BTreeSet::new();
    for skill in skills(&corpus) {
        let defect = skill.defect.expect("the share is everything");
        seen.insert(defect);
        let (text, name) = (&skill.text, &skill.name);
        let has = |line: &str| text.lines().any(|found| found.starts_with(line));
        let right = match defect {
            Defect::UnquotedColon => has("description: Use this: "),
            Defect::TextAfterBlockIndicator => has("description: | Use"),
            Defect::LeadingAsterisk => has("description: **"),
            Defect::LeadingBacktick => has("description: `"),
            Defect::InnerQuotes => has("description: \"Use on \""),
            Defect::UnindentedContinuation => has("and never otherwise"),
            Defect::BrokenFlow => has("keywords: [one, two"),
            Defect::DuplicateKey => text.matches("\nname: ").count() == 2,
            Defect::MissingDescription => !has("description:"),
            Defect::EmptyDescription => has("description: \"\""),
            Defect::LongDescription => {
                text.lines().any(|line| line.starts_with("description: ") && line.len() > 1037)
            }
            Defect::MissingName => !has("name: "),
            Defect::TitleName => has("name: ") && !has(&format!("name: {name}")),
            Defect::LongName => text.lines().nth(1).is_some_and(|line| line.len() > 6 + 64),
            Defect::OtherName => has(&format!("name: my-{name}")),
            Defect::MissingFrontmatter => text.starts_with("# "),
            Defect::UnclosedFrontmatter => text.lines().filter(|line| *line == "---").count() == 1,
            Defect::LeadingBlankLine => text.starts_with("\n---\n"),
            Defect::CarriageReturns => text.matches('\n').count() == text.matches("\r\n").count(),
            Defect::ByteOrderMark => text.starts_with("\u{feff}---\n"),
        };
        assert!(right, "{defect:?}\n{text}");
    }
    assert_eq!(seen.len(), Defect::ALL.len(), "{seen:?}");
}

#[test]
fn the_share_of_defects_is_kept() {
    let sound = Corpus { skills: 200, ..Corpus::default() };
    assert!(skills(&sound).all(|skill| skill.defect.is_none()));
    let corpus = Corpus { skills: 1000, body_bytes: 0, defects: 0.1, ..Corpus::default() };
    let wrong = skills(&corpus).filter(|skill| skill.defect.is_some()).count();
    assert!((70..130).contains(&wrong), "{wrong}");
}

#[test]
fn what_is_written_is_what_is_made() {
    for layout in [Layout::Flat, Layout::Nested] {
        let corpus = Corpus { skills: 20, layout, defects: 0.5, ..Corpus::default() };
        let fixture = Fixture::new();
        let written = corpus.write_to(fixture.path()).unwrap();
        assert_eq!(written, fixture.tree().len());
        assert_eq!(written, skills(&corpus).map(|skill| 1 + skill.files.len()).sum::<usize>());
        for (path, text) in corpus.texts() {
            assert_eq!(fixture.read(&path), text);
        }
    }
}

#[test]
fn the_command_writes_a_corpus_and_refuses_nonsense() {
    let corpus = env!("CARGO_BIN_EXE_corpus");
    let fixture = Fixture::new();
    let write = fixture.command(corpus, ["made", "--skills", "3", "--nested", "--seed", "9"]);
    command_snapshot!(write, @r"
    exit_code: 0
    ----- stdout -----
    3 skills in 3 files: made
    ----- stderr -----
    ");
    let made = Corpus { skills: 3, layout: Layout::Nested, seed: 9, ..Corpus::default() };
    for (path, text) in made.texts() {
        assert_eq!(fixture.read(&format!("made/{path}")), text);
    }
    command_snapshot!(fixture.command(corpus, ["made", "--defects", "2"]), @r"
    exit_code: 2
    ----- stdout -----
    ----- stderr -----
    error: `--defects` is not from 0 to 1: 2
    usage: corpus DIR [--skills N] [--nested] [--seed N] [--defects SHARE] [--body-bytes N]
    ");
    command_snapshot!(fixture.command(corpus, ["made", "--skills", "many"]), @r"
    exit_code: 2
    ----- stdout -----
    ----- stderr -----
    error: `--skills` is not a number: many
    usage: corpus DIR [--skills N] [--nested] [--seed N] [--defects SHARE] [--body-bytes N]
    ");
    let blocked = fixture.file("file", "");
    let output = blocked.command(corpus, ["file", "--skills", "1"]).run();
    assert_eq!(output.exit_code(), Some(3));
}
