//! Turns what `@deuz-sdk/core/skills` promises its users into tests: one level, ids, merged sources.

#![allow(clippy::unwrap_used, reason = "what tests share fails like a test")]

#[path = "deuz/choosing.rs"]
mod choosing;
#[path = "deuz/rendering.rs"]
mod rendering;
mod shared;
#[path = "deuz/tools.rs"]
mod tools;

use metier::{
    Blocking, BlockingSource, Discovery, FileName, Folder, Layer, Layers, Links, Listed, Listing,
    Memory, Mode, NameRules, ParseOptions, PathProblem, Precedence, ReadOptions, Registry,
    RegistryError, Resource, ResourcePath, RootSkill, Rule, Source, SourceError, block_on, parse,
    parse_with,
};
use shared::{ids, keys, names, text};
use testing::Fixture;

/// Only `<folder>/<id>/SKILL.md`; hidden folders too, links not.
fn deuz() -> Discovery {
    Discovery {
        file_name: FileName::Exact("SKILL.md".to_owned()),
        depth: 1,
        skip_prefixes: Vec::new(),
        skip_names: Vec::new(),
        root_skill: RootSkill::Ignored,
        linked_directories: Links::Never,
        linked_files: Links::Never,
        ..Discovery::default()
    }
}

fn folder(fixture: &Fixture, path: &str) -> Folder {
    Folder::new(fixture.join(path)).label(path).discovery(deuz())
}

fn path(text: &str) -> ResourcePath {
    text.parse().unwrap()
}

fn read(source: &impl Source, key: &str, file: &str) -> Result<Resource, SourceError> {
    block_on(source.read(key, &path(file), &ReadOptions::default()))
}

fn body(source: &impl Source, key: &str) -> String {
    read(source, key, "SKILL.md").unwrap().text_lossy().into_owned()
}

fn list(source: &impl Source) -> Listing {
    block_on(source.list()).unwrap()
}

fn one(label: &str) -> Memory {
    Memory::new(label).skill("pdf", text("pdf", label))
}

// Parsing.

#[test]
fn parses_what_all_systems_parse() {
    shared::check_what_all_parsers_agree_on();
}

#[test]
fn parsing_never_fails_and_says_what_is_wrong() {
    for text in ["", "body", "---\nname", "---\n\u{0}\n---", "\u{feff}\u{feff}---\n---\n"] {
        assert!(!parse(text).report.is_empty(), "{text:?}");
    }
}

#[test]
fn one_byte_order_mark_is_stripped_and_stays_in_the_raw_text() {
    let raw = format!("\u{feff}{}", text("pdf", "one"));
    let skill = parse(&raw).skill.unwrap();
    assert_eq!((skill.name(), skill.text()), ("pdf", raw.as_str()));
}

#[test]
fn allowed_tools_are_a_list_in_every_form() {
    for (value, expected) in [
        ("\n  - Read\n  - Write", vec!["Read", "Write"]),
        ("[Read, Write]", vec!["Read", "Write"]),
        ("Read, Write", vec!["Read", "Write"]),
        ("[]", vec![]),
    ] {
        let text = format!("---\nname: pdf\ndescription: d\nallowed-tools: {value}\n---\n");
        let skill = parse(&text).skill.unwrap();
        // An empty list is no tools at all, and not the same as no list.
        let tools = skill.manifest().allowed_tools.as_ref().unwrap();
        assert_eq!(tools.tools(), expected, "{value}");
    }
    let skill = parse(&text("pdf", "one")).skill.unwrap();
    assert!(skill.manifest().allowed_tools.is_none());
}

#[test]
fn the_other_spelling_of_allowed_tools_is_said_and_mended() {
    // It is not taken for what it means: a slip must not change what a skill may do.
    let text = "---\nname: pdf\ndescription: d\nallowedTools: [Read]\n---\n";
    let parsed = parse(text);
    assert!(parsed.skill.unwrap().manifest().allowed_tools.is_none());
    let mended = parse(&parsed.report.apply_fixes(text)).skill.unwrap();
    assert_eq!(mended.manifest().allowed_tools.as_ref().unwrap().tools(), ["Read"]);
}

#[test]
fn reserved_words_and_angle_brackets_are_issues() {
    let (mode, names) = (Mode::Strict, NameRules::Anthropic);
    let options = ParseOptions { mode, names, ..ParseOptions::default() };
    for text in [
        text("claude-tools", "Use it."),
        text("my-anthropic", "Use it."),
        text("pdf", "Use <b>it</b>."),
        text("'a<b'", "Use it."),
    ] {
        assert!(!parse_with(&text, &options).report.is_empty(), "{text}");
    }
    assert!(parse_with(&text("pdf", "Use it."), &options).report.is_empty());
}

#[test]
fn a_blank_description_is_an_issue() {
    let report = parse("---\nname: pdf\ndescription: '  '\n---\n").report;
    assert!(report.has_errors());
}

#[test]
fn a_colon_in_a_description_is_fine() {
    let parsed = parse("---\nname: pdf\ndescription: Foo: bar\n---\n");
    assert_eq!(parsed.skill.unwrap().description(), "Foo: bar");
}

// The folder source.

#[test]
fn only_the_first_level_counts_and_the_id_is_the_folder() {
    let fixture = Fixture::new()
        .skill("r", &text("r", "root"))
        .skill("r/a", &text("a", "one"))
        .skill("r/.hidden", &text("hidden", "two"))
        .skill("r/group/deep", &text("deep", "three"))
        .file("r/lower/skill.md", &text("lower", "four"));
    let listing = folder(&fixture, "r").list().unwrap();
    assert_eq!(keys(&listing), ["a", ".hidden"]);
}

#[test]
fn the_name_is_that_of_the_frontmatter_or_the_id() {
    let fixture = Fixture::new()
        .skill("r/a", &text("other", "one"))
        .skill("r/b", "---\ndescription: two\n---\n");
    let listing = folder(&fixture, "r").list().unwrap();
    let both: Vec<_> = listing.skills.iter().map(|s| (s.key.as_str(), s.name.as_str())).collect();
    assert_eq!(both, [("b", "b"), ("a", "other")]);
}

#[test]
fn two_folders_with_skills_of_one_name_both_stay() {
    let fixture = Fixture::new()
        .skill("r/a", "---\nname: pdf\ndescription: a\n---\n")
        .skill("r/b", "---\nname: pdf\ndescription: b\n---\n");
    let source = folder(&fixture, "r");
    assert_eq!(keys(&source.list().unwrap()), ["a", "b"]);
    let registry = Registry::builder().source(Blocking(source)).open();
    for id in ["a", "b"] {
        let skill = registry.load_blocking(&format!("r:{id}")).unwrap();
        assert_eq!(skill.description(), id);
    }
}

#[test]
fn ids_are_folders_where_a_layer_says_so() {
    let fixture = Fixture::new()
        .skill("one/a", "---\nname: pdf\ndescription: one a\n---\n")
        .skill("one/b", "---\nname: pdf\ndescription: one b\n---\n")
        .skill("two/a", "---\nname: web\ndescription: two a\n---\n");
    let layers = Layers::new("all")
        .layer(Layer::new(Blocking(folder(&fixture, "one"))).named_by_key())
        .layer(Layer::new(Blocking(folder(&fixture, "two"))).named_by_key());
    let registry = Registry::builder().source(layers).open();
    assert_eq!(ids(&registry), ["a", "b"]);
    assert_eq!(registry.load_blocking("a").unwrap().description(), "one a");
    assert_eq!(registry.load_blocking("b").unwrap().name(), "pdf");
}

#[cfg(unix)]
#[test]
fn linked_folders_are_not_listed() {
    let fixture = Fixture::new().skill("real/pdf", &text("pdf", "one")).dir("r");
    let pdf = fixture.join("real/pdf");
    let fixture = fixture.link("r/pdf", pdf);
    assert!(folder(&fixture, "r").list().unwrap().skills.is_empty());
}

#[test]
fn missing_folders_are_skipped() {
    let fixture = Fixture::new().skill("r/pdf", &text("pdf", "one"));
    let registry = Registry::builder()
        .source(Blocking(folder(&fixture, "missing")))
        .source(Blocking(folder(&fixture, "r")))
        .open();
    assert_eq!(ids(&registry), ["pdf"]);
}

#[test]
fn an_unknown_id_is_named_with_its_source() {
    let fixture = Fixture::new().skill("r/pdf", &text("pdf", "one"));
    let error = folder(&fixture, "r").read("zz", &path("SKILL.md"), &ReadOptions::default());
    assert_eq!(error.unwrap_err().to_string(), "`r` has no skill `zz`");
}

// The static source.

#[test]
fn a_static_source_lists_reads_and_names_what_it_lacks() {
    let table = one("built-in").resource("pdf", "./refs//a.md", "a\n");
    let source = Blocking(table);
    assert_eq!(names(&list(&source)), ["pdf"]);
    assert_eq!(body(&source, "pdf"), text("pdf", "built-in"));
    assert_eq!(read(&source, "pdf", "refs/a.md").unwrap().text(), Some("a\n"));
    let error = read(&source, "x", "SKILL.md").unwrap_err();
    assert_eq!(error.to_string(), "`built-in` has no skill `x`");
}

// The fetch source.

#[cfg(feature = "http")]
mod fetch {
    use super::*;
    use metier::{Http, HttpOptions};
    use std::io::{BufRead, BufReader, Write};
    use std::net::SocketAddr;

    /// Serves the replies by path, each as often as it is asked for; anything else is a 404.
    fn serve(replies: &'static [(&'static str, &'static [u8])]) -> SocketAddr {
        #[expect(clippy::disallowed_types, reason = "a source of the web needs a web")]
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
                let first = lines.next().unwrap_or_default();
                let _ = lines.take_while(|line| !line.is_empty()).count();
                let asked = first.split(' ').nth(1).unwrap_or_default();
                let reply = replies.iter().find(|(path, _)| *path == asked);
                let (status, body) = reply.map_or((404, &b""[..]), |(_, body)| (200, *body));
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status} x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
                );
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
            }
        });
        address
    }

    fn source(address: SocketAddr, path: &str) -> Blocking<Http> {
        let options = HttpOptions { allow_loopback_http: true, ..HttpOptions::default() };
        Blocking(Http::new(&format!("http://{address}{path}"), options).unwrap())
    }

    const PDF: &[u8] = b"---\nname: pdf\ndescription: d\n---\nbody\n";

    #[test]
    fn an_index_is_an_array_or_an_object_of_skills() {
        for index in [
            &br#"[{"id": "pdf", "name": "pdf", "description": "d"}]"#[..],
            br#"{"skills": [{"id": "pdf", "name": "pdf", "description": "d"}]}"#,
        ] {
            let replies = [("/s/index.json", index), ("/s/pdf/SKILL.md", PDF)];
            let address = serve(Box::leak(Box::new(replies)));
            for base in ["/s", "/s/", "/s//"] {
                let source = source(address, base);
                let listing = list(&source);
                assert_eq!(keys(&listing), ["pdf"], "{base} {:?}", listing.problems);
                assert_eq!(listing.skills[0].description(), "d");
                assert_eq!(body(&source, "pdf").as_bytes(), PDF);
            }
        }
    }

    #[test]
    fn an_empty_index_holds_nothing() {
        assert!(list(&source(serve(&[("/index.json", b"{}")]), "/")).skills.is_empty());
        assert!(list(&source(serve(&[("/index.json", b"[]")]), "/")).skills.is_empty());
    }

    #[test]
    fn a_refusal_names_its_status() {
        let error = block_on(source(serve(&[]), "/index.json").list()).unwrap_err();
        assert!(error.to_string().contains("404"), "{error}");
    }

    #[test]
    fn resources_are_bytes() {
        let index = br#"[{"id": "pdf", "name": "pdf", "description": "d"}]"#;
        let address = serve(Box::leak(Box::new([
            ("/index.json", &index[..]),
            ("/pdf/SKILL.md", PDF),
            ("/pdf/assets/logo.bin", &[0xff, 0, 0xfe]),
        ])));
        let source = source(address, "/");
        assert_eq!(keys(&list(&source)), ["pdf"]);
        let logo = read(&source, "pdf", "assets/logo.bin").unwrap();
        assert_eq!((logo.bytes.as_slice(), logo.text()), (&[0xff, 0, 0xfe][..], None));
    }
}

// Merging.

#[test]
fn a_prefix_keeps_sources_apart() {
    let layers = Layers::new("all")
        .layer(Layer::new(Blocking(one("one"))).prefix("p"))
        .layer(Layer::new(Blocking(one("two"))));
    assert_eq!(names(&list(&layers)), ["p:pdf", "pdf"]);
    assert_eq!(body(&layers, "p:pdf"), text("pdf", "one"));
    assert_eq!(body(&layers, "pdf"), text("pdf", "two"));
    let registry = Registry::builder().source(layers).open();
    assert_eq!(registry.load_blocking("p:pdf").unwrap().description(), "one");
}

#[test]
fn the_earlier_source_wins() {
    let layers = Layers::new("all")
        .layer(Layer::new(Blocking(one("one"))))
        .layer(Layer::new(Blocking(one("two"))));
    assert_eq!(list(&layers).skills[0].description(), "one");
    assert_eq!(body(&layers, "pdf"), text("pdf", "one"));
}

#[test]
fn a_source_that_fails_does_not_fail_the_others() {
    let fixture = Fixture::new().skill("r/pdf", &text("pdf", "one"));
    let options = Discovery { missing_root: metier::MissingRoot::Abort, ..deuz() };
    let failing = Folder::new(fixture.join("missing")).label("missing").discovery(options);
    let layers = Layers::new("all")
        .layer(Layer::new(Blocking(failing)))
        .layer(Layer::new(Blocking(folder(&fixture, "r"))));
    let listing = list(&layers);
    assert_eq!(names(&listing), ["pdf"]);
    assert_eq!(listing.problems.len(), 1);
    assert_eq!(body(&layers, "pdf"), text("pdf", "one"));
}

// Resources.

#[test]
fn resource_paths_are_normal_before_any_source_sees_them() {
    let table = one("built-in").resource("pdf", "refs/a.md", "a\n");
    let registry = Registry::builder().source(Blocking(table)).open();
    let read = |path: &str| registry.read_blocking("pdf", path, &ReadOptions::default());
    for fine in ["refs/a.md", "./refs/a.md", "refs//a.md", "././refs/a.md"] {
        assert_eq!(read(fine).unwrap().text(), Some("a\n"), "{fine}");
    }
    for (path, problem) in [
        ("/refs/a.md", PathProblem::Absolute),
        ("../refs/a.md", PathProblem::Parent),
        ("refs/../refs/a.md", PathProblem::Parent),
        ("..\\refs\\a.md", PathProblem::Parent),
        ("refs\\a.md", PathProblem::Backslash),
        ("C:/x", PathProblem::Drive),
        ("", PathProblem::Empty),
    ] {
        let error = read(path).unwrap_err();
        assert!(
            matches!(&error, RegistryError::Path(e) if e.problem == problem),
            "{path}: {error}"
        );
    }
    // Nothing is decoded: this is a folder of that very name, and there is none.
    let error = read("%2e%2e/x").unwrap_err();
    assert!(matches!(error, RegistryError::Source(SourceError::NoSuchFile { .. })), "{error}");
}

/// A source of one's own that has skills and nothing beside them.
#[derive(Debug)]
struct Plain;

impl BlockingSource for Plain {
    fn label(&self) -> &'static str {
        "plain"
    }

    fn list(&self) -> Result<Listing, SourceError> {
        let mut listing = Listing::default();
        let bytes = text("pdf", "plain");
        let (listed, _) = Listed::parse("pdf", bytes.as_bytes(), &ParseOptions::default());
        listing.skills.extend(listed);
        Ok(listing)
    }

    fn read(
        &self,
        key: &str,
        path: &ResourcePath,
        _: &ReadOptions,
    ) -> Result<Resource, SourceError> {
        match (key, path.as_str()) {
            ("pdf", "SKILL.md") => {
                Ok(Resource::whole(path.clone(), text("pdf", "plain").into_bytes()))
            }
            _ => Err(SourceError::NoSuchFile { key: key.to_owned(), path: path.clone() }),
        }
    }

    fn files(&self, _: &str) -> Result<metier::Files, SourceError> {
        Ok(metier::Files::default())
    }
}

#[test]
fn a_source_of_ones_own_works_without_resources() {
    let registry = Registry::builder().source(Blocking(Plain)).open();
    assert_eq!(registry.load_blocking("pdf").unwrap().description(), "plain");
    let error = registry.read_blocking("pdf", "a.md", &ReadOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "the skill `pdf` has no file `a.md`");
}

// Defects that are not repeated.

#[test]
fn not_reading_a_folder_that_was_not_listed() {
    let fixture = Fixture::new()
        .skill("r/pdf", &text("pdf", "one"))
        .skill("secret/key", &text("key", "secret"))
        .skill("r/pdf/inner", &text("inner", "inner"));
    let source = folder(&fixture, "r");
    source.list().unwrap();
    let absolute = fixture.join("secret/key");
    for id in ["../secret/key", "pdf/../../secret/key", "pdf/inner", ".", "./pdf", "pdf/", ""]
        .into_iter()
        .chain(absolute.to_str())
    {
        let error = source.read(id, &path("SKILL.md"), &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, SourceError::UnknownSkill { .. }), "{id}: {error}");
        assert!(source.files(id).is_err(), "{id}");
    }
}

#[test]
fn not_listing_one_skill_and_reading_another() {
    for (precedence, expected) in [(Precedence::First, "one"), (Precedence::Last, "two")] {
        let table = |label| one(label).resource("pdf", "a.md", label);
        let layers = Layers::new("all")
            .precedence(precedence)
            .layer(Layer::new(Blocking(table("one"))))
            .layer(Layer::new(Blocking(table("two"))));
        assert_eq!(list(&layers).skills[0].description(), expected);
        assert_eq!(body(&layers, "pdf"), text("pdf", expected));
        assert_eq!(read(&layers, "pdf", "a.md").unwrap().text(), Some(expected));
        let registry = Registry::builder()
            .precedence(precedence)
            .source(Blocking(table("one")))
            .source(Blocking(table("two")))
            .open();
        assert_eq!(registry.get("pdf").unwrap().description(), expected);
        assert_eq!(registry.load_blocking("pdf").unwrap().description(), expected);
        let file = registry.read_blocking("pdf", "a.md", &ReadOptions::default()).unwrap();
        assert_eq!(file.text(), Some(expected));
    }
}

#[test]
fn not_falling_through_to_another_source_when_a_read_fails() {
    let layers = Layers::new("all")
        .layer(Layer::new(Blocking(one("one"))))
        .layer(Layer::new(Blocking(one("two").resource("pdf", "a.md", "two"))));
    let error = read(&layers, "pdf", "a.md").unwrap_err();
    assert!(matches!(error, SourceError::NoSuchFile { .. }), "{error}");
}

#[cfg(unix)]
#[test]
fn not_reading_through_a_link_that_leaves_the_skill() {
    let fixture = Fixture::new()
        .skill("r/pdf", &text("pdf", "one"))
        .file("secret.txt", "secret\n")
        .link("r/pdf/notes.txt", "../../secret.txt");
    let error = read(&Blocking(folder(&fixture, "r")), "pdf", "notes.txt").unwrap_err();
    assert!(matches!(error, SourceError::Refused { .. }), "{error}");
}

#[test]
fn not_listing_a_file_without_frontmatter_as_a_skill_without_description() {
    let fixture = Fixture::new().skill("r/a", "just text\n").skill("r/pdf", &text("pdf", "one"));
    let listing = folder(&fixture, "r").list().unwrap();
    assert_eq!(keys(&listing), ["pdf"]);
    let report = listing.problems[0].report.as_ref().unwrap();
    assert_eq!(report.iter().next().unwrap().rule, Rule::MissingFrontmatter);
}

#[test]
fn not_losing_what_is_nested_in_metadata() {
    let skill = parse("---\nname: pdf\ndescription: d\nmetadata:\n  a:\n    b: c\n---\n");
    let skill = skill.skill.unwrap();
    let metadata = skill.manifest().metadata_map().unwrap();
    let inner = metadata.get("a").unwrap();
    assert_eq!(inner.as_map().unwrap().get("b").unwrap().as_text(), Some("c"));
}
