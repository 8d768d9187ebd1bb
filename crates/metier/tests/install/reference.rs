//! Turns every spelling of a reference into the place it means, and every wrong one into its reason.

use metier::install::{InvalidGitUrl, InvalidRevision, Reference, ReferenceProblem};
use metier::{PathProblem, SkillName};
use proptest::prelude::*;

fn parsed(text: &str) -> Reference {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn problem(text: &str) -> ReferenceProblem {
    match text.parse::<Reference>() {
        Ok(reference) => panic!("{text} was read as {reference:?}"),
        Err(error) => error.problem,
    }
}

#[test]
fn every_form_and_its_shortest_spelling() {
    for (text, kind, shortest) in [
        ("@acme/pdf", "Named", "@acme/pdf"),
        ("@acme/pdf@v1.0.0", "Named", "@acme/pdf@v1.0.0"),
        ("acme/skills", "GitHub", "acme/skills"),
        ("acme/skills.git", "GitHub", "acme/skills"),
        ("acme/skills/", "GitHub", "acme/skills"),
        ("acme/skills/a/b#v1@pdf", "GitHub", "acme/skills/a/b#v1@pdf"),
        ("acme/skills@pdf", "GitHub", "acme/skills@pdf"),
        ("acme/skills/a/@pdf/.//", "GitHub", "acme/skills/a@pdf"),
        ("acme/skills/@scope/x", "GitHub", "acme/skills/@scope/x"),
        ("acme/skills#pkg@1.2.0", "GitHub", "acme/skills#pkg@1.2.0"),
        ("acme/skills#pkg@1.2.0@pdf", "GitHub", "acme/skills#pkg@1.2.0@pdf"),
        ("https://github.com/acme/skills", "GitHub", "acme/skills"),
        ("https://github.com/acme/skills.git#v1", "GitHub", "acme/skills#v1"),
        ("https://github.com/acme/skills/tree/main", "GitHub", "acme/skills#main"),
        ("https://github.com/acme/skills/tree/main/a/b/", "GitHub", "acme/skills/a/b#main"),
        ("https://github.com/a/b/blob/main/x/SKILL.md", "GitHub", "a/b/x#main"),
        ("https://github.com/a/b/blob/main/SKILL.md", "GitHub", "a/b#main"),
        ("git+https://github.com/a/b//x", "GitHub", "a/b/x"),
        ("https://gitlab.com/g/s/p", "Git", "git+https://gitlab.com/g/s/p"),
        ("https://h.example/x.git", "Git", "https://h.example/x.git"),
        ("https://h.example/x.git//a/b#v1@pdf", "Git", "https://h.example/x.git//a/b#v1@pdf"),
        ("https://h.example/x//a", "Git", "git+https://h.example/x//a"),
        ("git+https://h.example/x", "Git", "git+https://h.example/x"),
        ("git+ssh://git@h.example/x", "Git", "ssh://git@h.example/x"),
        ("git@h.example:x.git//a#v1", "Git", "git@h.example:x.git//a#v1"),
        ("git@h.example:x/@pdf", "Git", "git@h.example:x@pdf"),
        ("ssh://h.example/x", "Git", "ssh://h.example/x"),
        ("file:///srv/x", "Git", "file:///srv/x"),
        ("file:///srv/x//a@pdf", "Git", "file:///srv/x//a@pdf"),
        ("git+http://127.0.0.1:9/x", "Git", "git+http://127.0.0.1:9/x"),
        (".", "Folder", "."),
        ("./a", "Folder", "./a"),
        ("../a#b@c", "Folder", "../a#b@c"),
        ("~/a", "Folder", "~/a"),
        ("/a.d/b", "Folder", "/a.d/b"),
        ("./a.tar.gz", "ArchiveFile", "./a.tar.gz"),
        ("/x/A.ZIP", "ArchiveFile", "/x/A.ZIP"),
        ("~/a.tgz", "ArchiveFile", "~/a.tgz"),
        ("https://h.example/a.tar.gz", "Archive", "https://h.example/a.tar.gz"),
        (
            "https://github.com/a/b/archive/v1.zip",
            "Archive",
            "https://github.com/a/b/archive/v1.zip",
        ),
        ("https://h.example", "Site", "https://h.example/"),
        ("https://h.example/docs#@pdf", "Site", "https://h.example/docs#@pdf"),
        ("http://127.0.0.1:9/", "Site", "http://127.0.0.1:9/"),
        ("http://localhost/a.zip", "Archive", "http://localhost/a.zip"),
    ] {
        let reference = parsed(text);
        let debug = format!("{reference:?}");
        assert_eq!(debug.split(' ').next(), Some(kind), "{text}");
        assert_eq!(reference.to_string(), shortest);
        assert_eq!(parsed(shortest), reference);
    }
    let digest = format!("https://h.example/a.zip#sha256:{}", "0".repeat(64));
    assert_eq!(parsed(&digest).to_string(), digest);
}

#[test]
fn what_a_reference_says() {
    let reference = parsed("@acme/pdf@v1");
    let (url, path, revision) = reference.repository().unwrap();
    assert_eq!(url.as_str(), "https://github.com/acme/pdf");
    assert_eq!((path, revision.unwrap().as_str()), (None, "v1"));
    let reference = parsed("acme/skills/a#v1@pdf");
    let (url, path, _) = reference.repository().unwrap();
    assert_eq!((url.as_str(), path.unwrap().as_str()), ("https://github.com/acme/skills", "a"));
    assert_eq!(reference.skill().map(SkillName::as_str), Some("pdf"));
    assert!(parsed("./x").is_local() && parsed("file:///x").is_local());
    assert!(!parsed("a/b").is_local() && parsed("./x").repository().is_none());
}

/// Security G01 to G03, G06, G13, H14, and what PromptKit let through.
#[test]
fn each_way_of_being_wrong() {
    use ReferenceProblem as P;
    let git = |problem: InvalidGitUrl| P::Git(problem);
    let revision = |revision: &str, problem| P::Revision { revision: revision.to_owned(), problem };
    for (text, expected) in [
        ("", P::Empty),
        ("--upload-pack=touch /tmp/p", P::Option),
        ("-uxx:y.git", P::Option),
        ("a/b\u{202e}", P::Hidden('\u{202e}')),
        ("a/b\0", P::Hidden('\0')),
        ("ext::sh -c \"touch x\"", git(InvalidGitUrl::Helper("ext".to_owned()))),
        ("fd::17", git(InvalidGitUrl::Helper("fd".to_owned()))),
        ("git+ext::sh", git(InvalidGitUrl::Helper("ext".to_owned()))),
        ("git:--upload-pack=touch /tmp/p.git", git(InvalidGitUrl::Part("path"))),
        ("git://h.example/x", git(InvalidGitUrl::Plain("git".to_owned()))),
        ("http://h.example/x", git(InvalidGitUrl::Plain("http".to_owned()))),
        ("gopher://h.example/x", git(InvalidGitUrl::Scheme("gopher".to_owned()))),
        ("https://u:secret@h.example/x.git", P::Credentials),
        ("https://github.com@evil.example/", P::Credentials),
        ("http://u:secret@127.0.0.1/x", P::Credentials),
        ("ssh://u:secret@h.example/x", git(InvalidGitUrl::Credentials)),
        ("https://h.example/a.zip?token=x", P::Query),
        ("https://", P::Address("empty host".to_owned())),
        ("@acme", P::Named),
        ("@acme/a/b", P::Named),
        ("@/a", P::Owner(String::new())),
        ("@../a", P::Owner("..".to_owned())),
        ("@acme/..", P::Repository("..".to_owned())),
        ("@acme/", P::Repository(String::new())),
        ("@acme/a@", P::EmptyVersion),
        ("@acme/a@-x", revision("-x", InvalidRevision::Option)),
        ("acme/..", P::Repository("..".to_owned())),
        ("acme/../x", P::Repository("..".to_owned())),
        (".../x", P::Owner("...".to_owned())),
        ("acme/x/../../y", P::Path(PathProblem::Parent)),
        ("acme/x//y", P::Path(PathProblem::Absolute)),
        (" acme/x", P::Blank),
        ("http://git+ ", P::Blank),
        ("http://git+/x", git(InvalidGitUrl::Plain("http".to_owned()))),
        ("https://h.example/x.git//../..", P::Path(PathProblem::Parent)),
        ("https://..\\h.example/a", P::Address("it has a backslash".to_owned())),
        ("https://h.example/a/%2E./b", P::Path(PathProblem::Parent)),
        ("git@h.example:x//../y", P::Path(PathProblem::Parent)),
        ("https://github.com/a/b/tree/main/../../x", P::Path(PathProblem::Parent)),
        ("acme/x#", revision("", InvalidRevision::Empty)),
        ("acme/x#--output=/tmp/x", revision("--output=/tmp/x", InvalidRevision::Option)),
        ("acme/x#a..b", revision("a..b", InvalidRevision::Operator(".."))),
        ("https://h.example/a.zip#md5:0", P::Digest),
        ("https://h.example/docs#v1", P::SiteRevision),
        ("~root/x", P::OtherHome),
        ("pdf", P::Word),
        ("pdf.zip", P::BareArchive),
    ] {
        assert_eq!(problem(text), expected, "{text}");
    }
    assert!(matches!(problem("acme/x@Not_A_Name"), P::Skill { .. }));
    assert!(matches!(problem(&"a/".repeat(2000)), P::TooLong { bytes: 4000, .. }));
}

#[test]
fn messages_hold_no_credentials_and_nothing_unseen() {
    for text in [
        "https://me:s3cret@h.example/x.git",
        "ssh://me:s3cret@h.example/x.git",
        "http://me:s3cret@h.example/x",
        "ftp://me:s3cret@h.example/x",
        "me:s3cret@h.example:x",
        "git+https://s3cret@h.example/x",
        "https://me:s3cret@h.example/x.git#a..b",
    ] {
        let error = text.parse::<Reference>().unwrap_err();
        let all = format!("{error} {error:?} {}", error.help());
        assert!(!all.contains("s3cret"), "{all}");
    }
    let message = "a\u{1b}[2J".parse::<Reference>().unwrap_err().to_string();
    assert_eq!(
        message,
        r"`a\u{1b}[2J` is not a reference to a skill: it holds the character `\u{1b}`"
    );
    assert!("x".repeat(5000).parse::<Reference>().unwrap_err().to_string().len() < 400);
}

const PIECES: &str = "(@|#|/|//|\\.\\.|\\./|~/|:|::|-|\\.git|\\.zip|acme|pdf|v1|main|tree|https://|http://|ssh://\
                      |file://|git\\+|github\\.com|h\\.example|127\\.0\\.0\\.1|git@| |%20|é|\\?){0,10}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn what_is_read_can_be_written_and_read_again(text in PIECES) {
        if let Ok(reference) = text.parse::<Reference>() {
            let shown = reference.to_string();
            prop_assert_eq!(shown.parse::<Reference>(), Ok(reference), "{} as {}", text, shown);
        }
    }

    #[test]
    fn any_text_is_a_reference_or_an_error_that_can_be_shown(text in "\\PC{0,60}|.{0,60}") {
        match text.parse::<Reference>() {
            Ok(reference) => prop_assert!(!reference.to_string().starts_with('-')),
            Err(error) => prop_assert!(!error.to_string().contains(char::is_control)),
        }
    }
}
