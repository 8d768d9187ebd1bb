//! Turns what all five systems agree on into one check, and a few words into skills and names.

use metier::{Listing, Mode, ParseOptions, Registry, Rule, Skill, parse, parse_with};

/// The text of a skill that nobody complains about.
pub(crate) fn text(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nBody of {description}.\n")
}

/// The names of a listing, in its order.
pub(crate) fn names(listing: &Listing) -> Vec<&str> {
    listing.skills.iter().map(|skill| skill.name.as_str()).collect()
}

/// The keys of a listing, in its order.
pub(crate) fn keys(listing: &Listing) -> Vec<&str> {
    listing.skills.iter().map(|skill| skill.key.as_str()).collect()
}

/// What can be asked for by name.
pub(crate) fn ids(registry: &Registry) -> Vec<String> {
    registry.iter().map(|entry| entry.id.to_string()).collect()
}

fn read(text: &str) -> Skill {
    parse(text).skill.unwrap_or_else(|| panic!("{text:?} does not load"))
}

/// What is true of all five parsers.
pub(crate) fn check_what_all_parsers_agree_on() {
    let skill = read("---\nname: a-b\ndescription: hi\n---\nbody\n");
    assert_eq!((skill.name(), skill.description(), skill.body()), ("a-b", "hi", "body\n"));
    for end in ["---", "---\n"] {
        assert_eq!(read(&format!("---\nname: a-b\ndescription: hi\n{end}")).body(), "");
    }
    let body = "one\n---\ntwo\n---\nname: other\n---\n";
    let skill = read(&format!("---\nname: a-b\ndescription: hi\n---\n{body}"));
    assert_eq!((skill.name(), skill.body()), ("a-b", body));
    let skill = read("---\r\nname: a-b\r\ndescription: hi\r\n---\r\nbody\r\n");
    assert_eq!((skill.name(), skill.description()), ("a-b", "hi"));
    for (value, expected) in [
        ("'a-b'", "a-b"),
        ("\"Foo: bar\"", "Foo: bar"),
        ("c#sharp", "c#sharp"),
        ("http://x.y/z", "http://x.y/z"),
        ("2024-01-01", "2024-01-01"),
        ("|\n  one\n  two", "one\ntwo"),
        ("|-\n  one\n  two", "one\ntwo"),
        (">-\n  one\n  two", "one two"),
    ] {
        let skill = read(&format!("---\nname: \"a-b\"\ndescription: {value}\n---\n"));
        assert_eq!((skill.name(), skill.description()), ("a-b", expected));
    }
    let skill = read("---\nname: a-b\ndescription: hi\nunheard-of: 1\n---\n");
    assert_eq!(skill.manifest().extra().get("unheard-of").and_then(|n| n.as_text()), Some("1"));

    let strict = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
    let judge = |text: &str| parse_with(text, &strict).into_result().is_ok();
    let fields = "name: a-b\ndescription: hi\n";
    for refused in [
        format!("# Title\n---\n{fields}---\n"),
        format!("<!-- c -->\n---\n{fields}---\n"),
        format!("---\n{fields}...\nbody\n"),
        "---\nName: a-b\ndescription: hi\n---\n".to_owned(),
        "+++\nname = \"a-b\"\ndescription = \"hi\"\n+++\n".to_owned(),
        "{\"name\": \"a-b\", \"description\": \"hi\"}\n".to_owned(),
    ] {
        assert!(!judge(&refused), "{refused:?}");
    }
    // An indented closer is read, but never without a word.
    let indented = parse_with(&format!("---\n{fields} ---\nbody\n"), &strict);
    assert!(indented.report.iter().any(|finding| finding.rule == Rule::IndentedFence));
    for (name, description, fits) in [(64, 1024, true), (65, 1024, false), (64, 1025, false)] {
        let (name, description) = ("n".repeat(name), "d".repeat(description));
        assert_eq!(judge(&text(&name, &description)), fits);
    }
}
