//! Turns skill files and what stands beside them into reports and fixes.

use metier::{
    CheckOptions, FindOptions, Mode, ParseOptions, check_all, check_path, find, fix_path,
};
use testing::Fixture;

const GOOD: &str =
    "---\nname: NAME\ndescription: Use when forms are asked for.\n---\n# Steps\n\nOpen it.\n";

fn strict() -> CheckOptions {
    let parse = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
    CheckOptions { parse, ..CheckOptions::default() }
}

/// `code` or `code file:line` for each finding.
fn found(fixture: &Fixture, path: &str) -> Vec<String> {
    let checked = check_path(&fixture.join(path), &strict()).expect("the file is readable");
    let shown = checked.report.iter().map(|finding| match (&finding.file, finding.span) {
        (Some(file), Some(span)) => {
            let text = &checked.resources[file];
            format!("{} {file}:{}", finding.rule, text[..span.start()].lines().count())
        }
        _ => finding.rule.to_string(),
    });
    shown.collect()
}

#[test]
fn files_beside_the_skill_are_looked_into_in_the_order_of_their_text() {
    let key = ["AKIA", "2E4XJ7Q9ZTL5MR8V"].concat();
    let fixture = Fixture::new()
        .skill("a", &GOOD.replace("NAME", "a"))
        .file("a/z.md", "zero\u{200b}width\n")
        .file("a/references/two.md", &format!("key {key}\nhidden\u{202e}\n"));
    assert_eq!(
        found(&fixture, "a/SKILL.md"),
        [
            "secret references/two.md:1",
            "hidden-characters references/two.md:2",
            "hidden-characters z.md:1"
        ]
    );
}

#[test]
fn the_files_of_a_nested_skill_are_left_to_its_own_check() {
    let fixture = Fixture::new()
        .skill("a", &GOOD.replace("NAME", "a"))
        .skill("a/inner/b", &GOOD.replace("NAME", "b"))
        .file("a/inner/b/notes.md", "x\u{200b}y\n");
    assert_eq!(found(&fixture, "a/SKILL.md"), ["nested-skill"]);
    assert_eq!(found(&fixture, "a/inner/b/SKILL.md"), ["hidden-characters notes.md:1"]);
}

/// The second spelling is no skill of its own, so nobody else would look into it.
#[test]
fn a_second_manifest_is_a_file_like_any_other() {
    let fixture =
        Fixture::new().skill("a", &GOOD.replace("NAME", "a")).file("a/skill.md", "x\u{200b}y\n");
    let found = found(&fixture, "a/SKILL.md");
    assert!(found.contains(&"hidden-characters skill.md:1".to_owned()), "{found:?}");
}

#[test]
fn results_come_in_the_order_of_the_files_on_any_number_of_threads() {
    let mut fixture = Fixture::new();
    for number in 0..200 {
        let name = format!("s{number:03}");
        fixture = fixture.skill(&name, &GOOD.replace("NAME", &name).repeat(1 + number % 7 * 40));
    }
    let found = find(&[fixture.path()], &FindOptions::default());
    let results = check_all(&found, &strict(), 8, &|_| {});
    let paths: Vec<_> = results.into_iter().map(|result| result.unwrap().path).collect();
    assert_eq!(paths, found.files);
    assert_eq!(paths.len(), 200);
}

/// What the search saw and what the disk says must lead to the same findings.
#[test]
fn a_check_after_a_search_finds_what_a_check_alone_finds() {
    let fixture = Fixture::new()
        .skill("a", &GOOD.replace("NAME", "a").replace("Open it.", "See [x](references/x.md)."))
        .file("a/references/x.md", "x\u{200b}y\n")
        .skill("a/inner/b", &GOOD.replace("NAME", "b").replace("Open it.", "[gone](gone.md)"));
    let found = find(&[fixture.path()], &FindOptions::default());
    for result in check_all(&found, &strict(), 1, &|_| {}) {
        let together = result.unwrap();
        let alone = check_path(&together.path, &strict()).unwrap();
        assert_eq!(together.report, alone.report);
        assert!(!alone.report.is_empty());
    }
}

/// The fence is mended first; only then can the value be read and quoted.
#[test]
fn fixes_go_on_until_none_is_left() {
    let fixture = Fixture::new()
        .skill("a", "name: a\ndescription: Use when: forms are asked for\n---\n# A\n\nx\n");
    let fixed = fix_path(&fixture.join("a/SKILL.md"), &strict()).unwrap().unwrap();
    let expected = "---\nname: a\ndescription: \"Use when: forms are asked for\"\n---\n# A\n\nx\n";
    assert_eq!(fixed.after, expected);
    assert_eq!(fixed.before, fixture.read("a/SKILL.md"));
}
