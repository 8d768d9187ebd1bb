//! Turns tables in memory into listings, files and bytes.

use crate::changing::skill;
use metier::{
    Blocking, BlockingSource, Limits, Memory, Mode, ParseOptions, ReadOptions, Registry, Severity,
    SourceError, Trust,
};

fn path(text: &str) -> metier::ResourcePath {
    text.parse().unwrap()
}

fn table() -> Memory {
    Memory::new("built-in")
        .skill("office/pdf", skill("pdf", "Use for PDFs.", "Open it.\n"))
        .resource("office/pdf", "scripts/fill.py", "0123456789")
        .resource("office/pdf", "references/forms.md", "# Forms\n")
        .resource("office/pdf", "assets/logo.png", [0x89, b'P'])
        .resource("office/pdf", "LICENSE", "MIT\n")
}

#[test]
fn lists_by_name_and_keeps_keys_apart_from_names() {
    let listing = table().skill("a", skill("zip", "Use for archives.", "")).list().unwrap();
    let listed: Vec<_> = listing.skills.iter().map(|s| (&*s.name, &*s.key, s.location())).collect();
    assert_eq!(listed, [("pdf", "office/pdf", "built-in:office/pdf"), ("zip", "a", "built-in:a")]);
    assert!(listing.problems.is_empty(), "{:?}", listing.problems);
}

#[test]
fn a_skill_without_a_name_goes_by_the_end_of_its_key() {
    let source = Memory::new("m").skill("a/pdf", "---\ndescription: Use for PDFs.\n---\nBody");
    let listing = source.list().unwrap();
    assert_eq!(listing.skills[0].name, "pdf");
    assert_eq!(listing.problems.len(), 1); // and it is said that the name is missing
    let registry = Registry::builder().source(Blocking(source)).open();
    assert_eq!(registry.load_blocking("pdf").unwrap().name(), "pdf");
}

#[test]
fn reads_honour_limits_and_ranges() {
    let table = table();
    let read = |limit: usize, range: Option<std::ops::Range<u64>>| {
        table.read("office/pdf", &path("scripts/fill.py"), &ReadOptions { limit, range })
    };
    assert_eq!(read(10, None).unwrap().text(), Some("0123456789"));
    for (range, expected) in [
        (2..5, "234"),
        (8..99, "89"),
        (10..12, ""),
        (99..100, ""),
        (std::ops::Range { start: 5, end: 2 }, ""),
        (0..u64::MAX, "0123456789"),
    ] {
        let part = read(10, Some(range.clone())).unwrap();
        assert_eq!((part.text(), part.size), (Some(expected), 10), "{range:?}");
    }
    for (limit, range, size) in [(9, None, 10), (3, Some(2..6), 4)] {
        let error = read(limit, range).unwrap_err();
        assert!(
            matches!(error, SourceError::TooLarge { size: s, limit: l, .. } if s == size && l == limit),
            "{error}"
        );
    }
    assert_eq!(read(3, Some(2..5)).unwrap().bytes.len(), 3);
    let image = table.read("office/pdf", &path("assets/logo.png"), &ReadOptions::default());
    assert_eq!(image.unwrap().text(), None);
}

#[test]
fn files_are_grouped_without_dotfiles_and_nested_skills() {
    let table = table()
        .resource("office/pdf", ".env", "")
        .resource("office/pdf", "references/.cache/x", "")
        .resource("office/pdf", "sub/SKILL.md", "")
        .resource("office/pdf", "sub/scripts/x.py", "");
    let files = table.files("office/pdf").unwrap();
    let all: Vec<_> = files.iter().map(metier::ResourcePath::as_str).collect();
    assert_eq!(all, ["scripts/fill.py", "references/forms.md", "assets/logo.png", "LICENSE"]);
    assert_eq!(files.other.len(), 1);
}

#[test]
fn what_is_not_there_is_named() {
    let table = table();
    let read = |key: &str, file: &str| {
        table.read(key, &path(file), &ReadOptions::default()).unwrap_err().to_string()
    };
    assert_eq!(read("pdf", "SKILL.md"), "`built-in` has no skill `pdf`");
    assert_eq!(read("office/pdf", "nope"), "the skill `office/pdf` has no file `nope`");
    assert_eq!(table.files("x").unwrap_err().to_string(), "`built-in` has no skill `x`");
    // A key is no path: nothing is joined or cleaned.
    assert_eq!(read("./office/pdf", "SKILL.md"), "`built-in` has no skill `./office/pdf`");
}

#[test]
fn mistakes_in_the_table_are_problems_and_the_rest_works() {
    let listing = table()
        .resource("office/pdf", "../secret", "")
        .resource("office/pdf", "SKILL.md", "")
        .resource("orphan", "a.txt", "")
        .skill("bad", "no frontmatter")
        .skill("latin", b"---\nname: latin\ndescription: caf\xe9\n---\n".to_vec())
        .list()
        .unwrap();
    assert_eq!(listing.skills.len(), 1);
    let problems: Vec<_> = listing.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 5, "{problems:#?}");
    assert!(listing.problems.iter().all(|p| p.severity == Severity::Error));
    for (location, part) in [
        ("built-in:bad", "frontmatter"),
        ("built-in:latin", "UTF-8"),
        ("built-in:office/pdf", "`..`"),
        ("built-in:office/pdf", "`SKILL.md` is no resource"),
        ("built-in:orphan", "no text"),
    ] {
        assert!(
            problems.iter().any(|p| p.contains(location) && p.contains(part)),
            "{location} {part}: {problems:#?}"
        );
    }
}

#[test]
fn a_skill_over_the_limit_is_a_problem() {
    let limits = Limits { file_bytes: 60, ..Limits::default() };
    let source = Memory::new("m")
        .parse_with(ParseOptions { limits, mode: Mode::Lenient, ..ParseOptions::default() })
        .skill("pdf", skill("pdf", "Use for PDFs.", &"x".repeat(60)));
    let listing = source.list().unwrap();
    assert!(listing.skills.is_empty());
    assert!(listing.problems[0].message.contains("the limit is 60"), "{:?}", listing.problems);
}

/// What PromptKit takes: any name, no description, instructions to the byte.
#[test]
fn inline_skills_are_not_judged_beyond_loading() {
    let source = Memory::new("inline")
        .trust(Trust::Untrusted)
        .inline("Bad Name", "Does: things \"quoted\" # all", "  keep \n\n")
        .inline("silent", " ", "x")
        .inline("", "Use it.", "x")
        .preload("silent");
    let listing = source.list().unwrap();
    let names: Vec<_> = listing.skills.iter().map(|s| (&*s.name, s.preload)).collect();
    assert_eq!(names, [("Bad Name", false), ("silent", true)]);
    assert!(listing.problems.iter().any(|p| p.message.contains("has no description")));
    let is_unnamed = |p: &metier::Problem| p.location == "inline:" && p.severity == Severity::Error;
    assert!(listing.problems.iter().any(is_unnamed), "{:?}", listing.problems);
    let registry = Registry::builder().source(Blocking(source)).open();
    let loaded = registry.load_blocking("Bad Name").unwrap();
    assert_eq!(loaded.body(), "  keep \n\n");
    assert_eq!(loaded.description(), "Does: things \"quoted\" # all");
    assert_eq!(registry.load_blocking("silent").unwrap().description(), "silent");
    assert_eq!(registry.catalog().offered().count(), 0); // untrusted
    // An inline skill has no directory, so it is in none.
    assert!(registry.list_for_dir("/").is_empty());
    assert_eq!(registry.list_for_dir("").len(), 2);
}
