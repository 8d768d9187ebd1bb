//! Turns trees of folders, good and hostile, into listings.
#![expect(
    clippy::disallowed_methods,
    reason = "broken trees are made by hand, and waiting is timed"
)]
#![expect(clippy::unwrap_used, reason = "a test ends where something is wrong")]

use metier::{
    BelowSkills, Discovery, FileName, Links, Listing, MissingRoot, Mode, OnProblem, ParseOptions,
    RootSkill, Severity, SourceError, discover,
};
use std::path::Path;
use std::sync::Mutex;
use testing::Fixture;

fn text(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}. Use for {name}.\n---\nBody.\n")
}

fn skill(fixture: Fixture, directory: &str) -> Fixture {
    let name = directory.rsplit('/').next().unwrap_or_default().to_owned();
    fixture.skill(directory, &text(&name))
}

fn skills(directories: &[&str]) -> Fixture {
    directories.iter().fold(Fixture::new(), |fixture, directory| skill(fixture, directory))
}

fn listing(root: &Path, options: &Discovery) -> Listing {
    discover(root, options, &|_| {}).unwrap()
}

fn keys(listing: &Listing) -> Vec<&str> {
    listing.skills.iter().map(|skill| skill.key.as_str()).collect()
}

/// The problems as text, paths relative to the root.
fn problems(listing: &Listing, root: &Path) -> Vec<String> {
    let root = format!("{}/", root.display());
    listing.problems.iter().map(|problem| problem.to_string().replace(&root, "")).collect()
}

/// The keys and problems of a fixture under the default options.
#[track_caller]
fn expect(fixture: &Fixture, expected: &[&str], messages: &[&str]) {
    expect_with(fixture, &Discovery::default(), expected, messages);
}

#[track_caller]
fn expect_with(fixture: &Fixture, options: &Discovery, expected: &[&str], messages: &[&str]) {
    let listing = listing(fixture.path(), options);
    assert_eq!(keys(&listing), expected);
    assert_eq!(problems(&listing, fixture.path()), messages);
}

#[test]
fn a_listing_has_everything_but_the_body() {
    let fixture = skills(&["docs/pdf", "docx"]);
    let listing = listing(fixture.path(), &Discovery::default());
    let docx = &listing.skills[0];
    assert_eq!((docx.key.as_str(), docx.name.as_str()), ("docx", "docx"));
    assert_eq!(docx.file.as_str(), "SKILL.md");
    let pdf = &listing.skills[1];
    assert_eq!((pdf.key.as_str(), pdf.name.as_str()), ("docs/pdf", "pdf"));
    assert_eq!(pdf.description(), "Does pdf. Use for pdf.");
    assert_eq!(pdf.location(), fixture.join("docs/pdf/SKILL.md").display().to_string());
    assert_eq!(pdf.directory(), Some(&*fixture.join("docs/pdf")));
    assert_eq!(&text("pdf")[pdf.body_offset..], "Body.\n");
}

/// Spec assertion 78: by name, then by key, however many threads look.
#[test]
fn the_order_is_the_same_every_time() {
    let mut fixture = Fixture::new();
    for number in 0..300 {
        let directory = format!("{}/{number}/same-{}", number % 7, number % 3);
        fixture = skill(fixture, &directory);
    }
    let alone = listing(fixture.path(), &Discovery { threads: 1, ..Discovery::default() });
    let names: Vec<_> = alone.skills.iter().map(|s| (s.name.clone(), s.key.clone())).collect();
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(names, sorted);
    assert_eq!(names.len(), 300);
    for threads in [0, 2, 8] {
        let options = Discovery { threads, ..Discovery::default() };
        assert_eq!(keys(&listing(fixture.path(), &options)), keys(&alone));
    }
}

/// Spec assertions 79, 84; security D16.
#[test]
fn d16_git_node_modules_and_hidden_folders_are_left_out() {
    let fixture = skills(&[
        "a",
        ".git/hooks/b",
        "node_modules/c",
        ".hidden/d",
        "_drafts/e",
        "deep/node_modules/f",
    ])
    .file("README.md", "# Skills\n")
    .file("deep/README.md", "");
    expect(&fixture, &["a"], &[]);
    let everything =
        Discovery { skip_prefixes: Vec::new(), skip_names: Vec::new(), ..Discovery::default() };
    let expected =
        ["a", ".git/hooks/b", "node_modules/c", ".hidden/d", "_drafts/e", "deep/node_modules/f"];
    expect_with(&fixture, &everything, &expected, &[]);
}

/// Spec assertion 80; security D06: what was left out is said, and is the same every time.
#[test]
fn d06_limits_are_said() {
    let fixture = skills(&["1/2/3/4/5/six", "1/2/3/4/5/6/seven", "1/2/3/4/5/6/eight", "z"]);
    expect(
        &fixture,
        &["1/2/3/4/5/six", "z"],
        &["warning: 1/2/3/4/5/6/eight: 2 folders more than 6 deep were not looked into"],
    );
    let flat = Discovery { depth: 1, ..Discovery::default() };
    expect_with(
        &fixture,
        &flat,
        &["z"],
        &["warning: 1/2: 1 folders more than 1 deep were not looked into"],
    );

    let mut fixture = Fixture::new();
    for number in 0..100 {
        fixture = skill(fixture, &format!("s{number:02}"));
    }
    for threads in [1, 8] {
        let few = Discovery { directories: 11, threads, ..Discovery::default() };
        let listing = listing(fixture.path(), &few);
        let expected: Vec<String> = (0..10).map(|number| format!("s{number:02}")).collect();
        assert_eq!(keys(&listing), expected);
        assert_eq!(
            listing.problems[0].message,
            "it holds more than 11 folders, some were not looked into"
        );
        assert_eq!(listing.problems[0].severity, Severity::Error);
    }
}

/// Spec assertion 89; security D14.
#[test]
fn d14_a_skill_inside_a_skill_is_a_resource() {
    let fixture = skills(&["a", "a/sub/inner"]);
    expect(&fixture, &["a"], &[]);
    let descend = Discovery { below_skills: BelowSkills::Descend, ..Discovery::default() };
    expect_with(&fixture, &descend, &["a", "a/sub/inner"], &[]);
}

#[test]
fn the_root_may_be_a_skill() {
    let fixture = skills(&["root", "root/inner"]);
    let root = fixture.join("root");
    let found = listing(&root, &Discovery::default());
    assert_eq!((keys(&found), found.skills[0].name.as_str()), (vec!["."], "root"));
    let not = Discovery { root_skill: RootSkill::Ignored, ..Discovery::default() };
    assert_eq!(keys(&listing(&root, &not)), ["inner"]);
}

/// Security D10: `SKILL.md`, else `skill.md`, else any other case.
#[test]
fn d10_case_variants() {
    let fixture = Fixture::new()
        .file("both/SKILL.md", &text("both"))
        .file("both/Skill.md", &text("other"))
        .file("lower/skill.md", &text("lower"))
        .file("odd/SKILL.MD", &text("odd"));
    let beside = "both/SKILL.md: `Skill.md` stands beside `SKILL.md`, only one of them is read";
    let odd = "odd/SKILL.MD: the file is called `SKILL.MD`, it must be called `SKILL.md`";
    let warnings = [format!("warning: {beside}"), format!("warning: {odd}")];
    let warnings: Vec<&str> = warnings.iter().map(String::as_str).collect();
    expect(&fixture, &["both", "lower", "odd"], &warnings);

    let any = Discovery { file_name: FileName::AnyCase, ..Discovery::default() };
    expect_with(&fixture, &any, &["both", "lower", "odd"], &warnings[..1]);
    let exact = Discovery { file_name: FileName::Exact("SKILL.md".into()), ..Discovery::default() };
    expect_with(&fixture, &exact, &["both"], &[]);
    let parse = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
    let strict = listing(fixture.path(), &Discovery { parse, ..Discovery::default() });
    assert_eq!(keys(&strict), ["both", "lower"]);
}

#[test]
fn the_file_can_have_another_name() {
    let fixture = Fixture::new().file("a/AGENT.md", &text("a")).file("b/SKILL.md", &text("b"));
    let options =
        Discovery { file_name: FileName::Exact("AGENT.md".into()), ..Discovery::default() };
    let found = listing(fixture.path(), &options);
    assert_eq!((keys(&found), found.skills[0].file.as_str()), (vec!["a"], "AGENT.md"));
}

/// Security D01: a pipe as a skill file is refused at once.
#[cfg(unix)]
#[test]
fn d01_a_pipe_is_reported() {
    let fixture = skills(&["good"]).fifo("a/SKILL.md");
    let start = std::time::Instant::now();
    expect(&fixture, &["good"], &["error: a/SKILL.md: it is a named pipe, not a file"]);
    assert!(start.elapsed().as_secs() < 5, "it waited for a writer");
}

/// Security D02: so are a directory, a device and a socket.
#[cfg(unix)]
#[test]
fn d02_directories_devices_and_sockets_are_reported() {
    let fixture = skills(&["good"]).dir("dir/SKILL.md").dir("socket").dir("device");
    let _socket = std::os::unix::net::UnixListener::bind(fixture.join("socket/SKILL.md")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", fixture.join("device/SKILL.md")).unwrap();
    let options = Discovery {
        linked_directories: Links::Anywhere,
        linked_files: Links::Anywhere,
        ..Discovery::default()
    };
    expect_with(
        &fixture,
        &options,
        &["good"],
        &[
            "error: device/SKILL.md: it is a device, not a file",
            "error: dir/SKILL.md: it is a directory, not a file",
            "error: socket/SKILL.md: it is a socket, not a file",
        ],
    );
}

/// Security D03, spec assertion 91: a sparse file of ten gigabytes is not read.
#[test]
fn d03_a_huge_file_is_reported() {
    let fixture = skills(&["good", "huge"]);
    let file = std::fs::OpenOptions::new().write(true).open(fixture.join("huge/SKILL.md"));
    file.unwrap().set_len(10 << 30).unwrap();
    let message = "error: huge/SKILL.md: it has 10737418240 bytes, the limit is 1048576";
    expect(&fixture, &["good"], &[message]);
}

/// Security D07, D08: a link out of the root is for those who ask for it.
#[cfg(unix)]
#[test]
fn d07_d08_links_out_of_the_root() {
    let fixture = skills(&["root/good", "elsewhere/x"])
        .file("elsewhere/plain/log.txt", "")
        .link("root/x", "../elsewhere/x")
        .link("root/build", "../elsewhere/plain");
    let root = fixture.join("root");
    let found = listing(&root, &Discovery::default());
    assert_eq!(keys(&found), ["good"]);
    assert_eq!(problems(&found, &root), ["error: x: it is a link that leaves the root"]);

    let anywhere = Discovery {
        linked_directories: Links::Anywhere,
        linked_files: Links::Anywhere,
        ..Discovery::default()
    };
    let found = listing(&root, &anywhere);
    assert_eq!((keys(&found), problems(&found, &root).len()), (vec!["good", "x"], 0));
    assert_eq!(found.skills[1].directory(), Some(&*fixture.join("elsewhere/x")));

    let never = Discovery {
        linked_directories: Links::Never,
        linked_files: Links::Never,
        ..Discovery::default()
    };
    let found = listing(&root, &never);
    assert_eq!(keys(&found), ["good"]);
    assert_eq!(problems(&found, &root), ["note: x: it is a link, and links are not followed"]);
}

/// Security D09: the contents of the target are nowhere in the answer.
#[cfg(unix)]
#[test]
fn d09_a_skill_file_that_links_out_is_reported() {
    let fixture = Fixture::new()
        .file("secret.md", "---\nname: a\ndescription: The password is swordfish.\n---\n")
        .dir("root/a")
        .link("root/a/SKILL.md", "../../secret.md");
    let root = fixture.join("root");
    let found = listing(&root, &Discovery::default());
    assert_eq!(keys(&found), [""; 0]);
    assert_eq!(problems(&found, &root), ["error: a/SKILL.md: it is a link that leaves the root"]);
    assert!(
        !format!("{found:?}").contains("swordfish") && !format!("{found:?}").contains("secret")
    );
}

/// Spec assertion 82: links inside the root are followed and count by their own names.
#[cfg(unix)]
#[test]
fn links_inside_the_root_are_followed() {
    let fixture = skills(&[".store/one"])
        .file(".store/shared.md", &text("shared"))
        .link("pdf", ".store/one")
        .dir("shared")
        .link("shared/SKILL.md", "../.store/shared.md");
    let found = listing(fixture.path(), &Discovery::default());
    assert_eq!(keys(&found), ["pdf", "shared"]);
    // The name stays the author's, and does not fit the link's.
    assert_eq!(found.skills[0].name, "one");
    assert!(problems(&found, fixture.path())[0].starts_with("warning: pdf/SKILL.md: "));
}

/// Spec assertions 81, 83, 88: cycles end, dangling links are nothing, twice is once.
#[cfg(unix)]
#[test]
fn cycles_end_and_the_same_folder_counts_once() {
    let fixture = skills(&["a/real"])
        .link("again", "a/real")
        .link("a/up", "..")
        .link("self", "self")
        .link("dangling", "nowhere")
        .link("here", ".");
    let note = "note: again: it is the same folder as another one, and counted once";
    expect(&fixture, &["a/real"], &[note]);

    // Two links to one place: the first in the order of paths counts.
    let fixture = skills(&[".store/s"]).link("y", ".store/s").link("x", ".store/s");
    let found = listing(fixture.path(), &Discovery::default());
    assert_eq!(keys(&found), ["x"]);
    assert!(problems(&found, fixture.path()).iter().any(|p| p.starts_with("note: y: ")));

    // Folders full of links to one another.
    let mut fixture = Fixture::new();
    for a in 0..8 {
        fixture = fixture.file(&format!("{a}/README.md"), "");
        for b in 0..8 {
            fixture = fixture.link(&format!("{a}/to-{b}"), format!("../{b}"));
        }
    }
    let anywhere = Discovery {
        linked_directories: Links::Anywhere,
        linked_files: Links::Anywhere,
        depth: usize::MAX,
        ..Discovery::default()
    };
    expect_with(&fixture, &anywhere, &[], &[]);
}

/// A link to a folder above the root must not bring the root in a second time.
#[cfg(unix)]
#[test]
fn a_link_above_the_root_ends() {
    let fixture = skills(&["top/root/a", "top/b"]).link("top/root/up", "..");
    let anywhere = Discovery {
        linked_directories: Links::Anywhere,
        linked_files: Links::Anywhere,
        ..Discovery::default()
    };
    let found = listing(&fixture.join("top/root"), &anywhere);
    assert_eq!(keys(&found), ["a", "up/b"]);
}

/// Security D15, spec assertions 85, 90: 200 good ones and what is broken.
#[test]
fn d15_one_bad_skill_breaks_no_other() {
    let mut fixture = Fixture::new()
        .skill("bad-yaml", "---\nname: [\n---\n")
        .bytes("latin/SKILL.md", b"---\nname: latin\ndescription: caf\xe9\n---\n");
    for number in 0..200 {
        fixture = skill(fixture, &format!("good-{number}"));
    }
    let heard = Mutex::new(0);
    let found =
        discover(fixture.path(), &Discovery::default(), &|_| *heard.lock().unwrap() += 1).unwrap();
    assert_eq!(found.skills.len(), 200);
    assert_eq!(found.problems.len(), 2);
    assert_eq!(*heard.lock().unwrap(), 2);
    assert!(found.problems.iter().all(|p| p.severity == Severity::Error && p.report.is_some()));
    assert!(found.problems[1].message.contains("not UTF-8"), "{}", found.problems[1]);
}

/// Security D15: root may read everything, so it proves nothing there.
#[cfg(unix)]
#[test]
fn d15_a_folder_that_cannot_be_read_is_reported() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = skills(&["good", "locked"]);
    let locked = fixture.join("locked");
    let set =
        |mode| std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(mode)).unwrap();
    set(0o000);
    let is_root = locked.read_dir().is_ok();
    let found = listing(fixture.path(), &Discovery::default());
    set(0o755);
    if !is_root {
        assert_eq!(keys(&found), ["good"]);
        let messages = problems(&found, fixture.path());
        assert_eq!(messages, ["error: locked: there is no permission to read it"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_unicode_are_reported() {
    use std::os::unix::ffi::OsStrExt as _;
    let fixture = skills(&["good"]);
    let odd = fixture.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join("SKILL.md"), text("odd")).unwrap();
    let message = "error: caf\u{fffd}: its name is not UTF-8, so it was not looked into";
    expect(&fixture, &["good"], &[message]);
}

#[test]
fn a_missing_root_is_a_note_or_the_end() {
    let fixture = Fixture::new().file("file", "");
    for (name, reason) in [("gone", "it does not exist"), ("file", "it is not a directory")] {
        let root = fixture.join(name);
        let found = listing(&root, &Discovery::default());
        assert_eq!(found.problems[0].to_string(), format!("note: {}: {reason}", root.display()));
        let abort = Discovery { missing_root: MissingRoot::Abort, ..Discovery::default() };
        let error = discover(&root, &abort, &|_| {}).unwrap_err();
        assert!(matches!(error, SourceError::Unavailable { .. }), "{error}");
        assert!(error.to_string().ends_with(reason), "{error}");
    }
}

/// The first in the order of paths, whichever thread met one first; warnings are no reason.
#[test]
fn a_problem_can_be_the_end() {
    let abort = Discovery { on_problem: OnProblem::Abort, threads: 4, ..Discovery::default() };
    let mut fixture = Fixture::new().file("odd/SKILL.MD", &text("odd"));
    assert_eq!(keys(&listing(fixture.path(), &abort)), ["odd"]);
    for number in 0..20 {
        fixture = fixture.skill(&format!("bad-{number:02}"), "nothing");
    }
    for _ in 0..5 {
        let error = discover(fixture.path(), &abort, &|_| {}).unwrap_err();
        let SourceError::Aborted { problem } = error else { panic!("{error}") };
        assert!(problem.location.ends_with("SKILL.md") && problem.location.contains("bad-00"));
    }
}

/// In strict mode what breaks the specification is not listed.
#[test]
fn strict_mode_lists_what_is_valid() {
    let fixture = skills(&["good"]).skill("other", &text("not-other"));
    let parse = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
    let strict = Discovery { parse, ..Discovery::default() };
    let found = listing(fixture.path(), &strict);
    assert_eq!((keys(&found), found.problems.len()), (vec!["good"], 1));
    assert_eq!(found.problems[0].severity, Severity::Error);
    assert_eq!(listing(fixture.path(), &Discovery::default()).skills.len(), 2);
}

/// A frontmatter longer than the first read, and a body that is never looked at.
#[test]
fn long_heads_are_read_to_their_end() {
    let long = format!("---\nname: long\ndescription: Long.\nx: {}\n---\n", "y".repeat(20_000));
    let mut with_body = text("binary").into_bytes();
    with_body.extend([0xff; 10_000]);
    let fixture = Fixture::new().skill("long", &long).bytes("binary/SKILL.md", &with_body);
    let found = listing(fixture.path(), &Discovery::default());
    assert_eq!(keys(&found), ["binary", "long"]);
    assert_eq!(found.skills[1].body_offset, long.len());
}
