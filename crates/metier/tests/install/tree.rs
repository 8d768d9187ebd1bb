//! Turns files into trees: what the digest depends on, and every name that is refused.

use metier::PathProblem;
use metier::install::{FileTree, PackageLimits, Sha256, TreeError};
use proptest::prelude::*;
use std::collections::BTreeMap;

type Files<'f> = &'f [(&'f str, &'f str, bool)];

fn build(files: Files<'_>) -> Result<FileTree, TreeError> {
    let mut tree = FileTree::builder(&PackageLimits::default());
    for (path, text, executable) in files {
        tree.add_file(path, text.as_bytes(), *executable)?;
    }
    tree.finish()
}

fn digest(files: Files<'_>) -> Sha256 {
    build(files).unwrap().digest()
}

/// The format is a promise: a lock that was written once must be read for ever.
#[test]
fn the_digest_is_what_the_documentation_says() {
    let tree = build(&[("SKILL.md", "abc", false), ("scripts/x", "", true)]).unwrap();
    let mut bytes = b"metier tree 1\n".to_vec();
    bytes.extend(2_u64.to_be_bytes());
    for (path, executable, text) in [("SKILL.md", 0, "abc"), ("scripts/x", 1, "")] {
        bytes.extend((path.len() as u64).to_be_bytes());
        bytes.extend(path.as_bytes());
        bytes.push(executable);
        bytes.extend((text.len() as u64).to_be_bytes());
        bytes.extend(Sha256::of(text.as_bytes()).as_bytes());
    }
    assert_eq!(tree.digest(), Sha256::of(&bytes));
    assert_eq!(
        tree.digest().to_string(),
        "sha256:923cfe5c0d01fb8a0ffb05cff1fbb9ef947f18d08b3faf9e05900b90f3805192"
    );
}

/// The installer that most people use takes these two for one.
#[test]
fn a_name_and_its_contents_cannot_trade_letters() {
    assert_ne!(
        digest(&[("SKILL.md", "", false), ("a", "bc", false)]),
        digest(&[("SKILL.md", "", false), ("ab", "c", false)]),
    );
}

/// Security L10.
#[test]
fn a_rename_a_swap_and_a_bit_change_the_digest() {
    let first = digest(&[("a", "1", false), ("b", "2", false)]);
    for other in [
        digest(&[("a", "1", false), ("c", "2", false)]),
        digest(&[("a", "2", false), ("b", "1", false)]),
        digest(&[("a", "1", true), ("b", "2", false)]),
        digest(&[("a", "1", false)]),
        digest(&[("a", "1", false), ("b", "2", false), ("c", "", false)]),
        digest(&[("a", "1", false), ("b/b", "2", false)]),
    ] {
        assert_ne!(first, other);
    }
    assert_eq!(first, digest(&[("b", "2", false), ("a", "1", false)]));
}

#[test]
fn empty_folders_and_composition_do_not_count() {
    let mut tree = FileTree::builder(&PackageLimits::default());
    tree.add_folder("empty").unwrap();
    tree.add_folder("refs").unwrap();
    tree.add_file("refs/cafe\u{301}.md", b"1".as_slice(), false).unwrap();
    let tree = tree.finish().unwrap();
    assert_eq!(tree.files()[0].record.path.as_str(), "refs/caf\u{e9}.md");
    assert_eq!(tree.digest(), digest(&[("refs/caf\u{e9}.md", "1", false)]));
}

/// Security Z09, Z10, Z11, Z17, G11.
#[test]
fn each_name_that_is_refused() {
    let named = |files: Files<'_>| build(files).unwrap_err();
    let path = |text: &str| text.to_owned();
    let collision =
        |first: &str, second: &str| TreeError::Collision { path: path(second), other: path(first) };
    for (first, second, error) in [
        ("SKILL.md", "SKILL.md", TreeError::Duplicate { path: path("SKILL.md") }),
        ("SKILL.md", "./SKILL.md", TreeError::Duplicate { path: path("SKILL.md") }),
        ("SKILL.md", "Skill.md", collision("SKILL.md", "Skill.md")),
        ("SKILL.md", "\u{17f}KILL.md", collision("SKILL.md", "\u{17f}KILL.md")),
        ("Straße", "STRASSE", collision("Straße", "STRASSE")),
        ("Refs/a", "refs/b", collision("Refs", "refs")),
        ("a", "a/b", TreeError::FileAndFolder { path: path("a") }),
        ("a/b", "a", TreeError::FileAndFolder { path: path("a") }),
        ("A", "a/b", collision("A", "a")),
        ("caf\u{e9}", "cafe\u{301}", TreeError::Duplicate { path: path("caf\u{e9}") }),
        ("x", ".git/hooks/post-checkout", TreeError::VersionControl { path: path(".git") }),
        ("x", "a/.GIT/config", TreeError::VersionControl { path: path("a/.GIT") }),
        ("x", "GIT~1/config", TreeError::VersionControl { path: path("GIT~1") }),
        ("x", ".svn/a", TreeError::VersionControl { path: path(".svn") }),
        ("x", ".g\u{200c}it/a", TreeError::Hidden { path: path(".g\u{200c}it/a") }),
        ("x", "a\u{202e}b", TreeError::Hidden { path: path("a\u{202e}b") }),
    ] {
        assert_eq!(named(&[(first, "", false), (second, "", false)]), error);
    }
    for (text, problem) in [
        ("../evil", PathProblem::Parent),
        ("/evil", PathProblem::Absolute),
        ("..\\evil", PathProblem::Parent),
        ("a\\b", PathProblem::Backslash),
        ("C:\\evil", PathProblem::Drive),
        ("a\0/../../evil", PathProblem::Parent),
        ("a\0b", PathProblem::Control('\0')),
        ("", PathProblem::Empty),
    ] {
        let TreeError::Path(error) = named(&[(text, "", false)]) else { panic!("{text}") };
        assert_eq!(error.problem, problem, "{text}");
    }
    assert_eq!(named(&[]), TreeError::Empty);
    // What looks a little like version control is not.
    build(&[(".gitignore", "", false), (".github/x", "", false), ("git/x", "", false)]).unwrap();
}

#[test]
fn each_limit_is_named_with_its_value_and_the_file() {
    let limits =
        PackageLimits { file_bytes: 4, total_bytes: 6, entries: 3, ..PackageLimits::default() };
    let mut tree = FileTree::builder(&limits);
    tree.add_file("a/b", b"1234".as_slice(), false).unwrap();
    let error = tree.add_file("c", b"12345".as_slice(), false).unwrap_err();
    assert_eq!(error.to_string(), "`c` has 5 bytes or more, the limit of a file is 4");
    let error = tree.add_file("c", b"123".as_slice(), false).unwrap_err();
    assert_eq!(error.to_string(), "with `c` the files have 7 bytes, the limit is 6");
    tree.add_file("c", b"12".as_slice(), false).unwrap();
    let error = tree.add_folder("d").unwrap_err();
    assert_eq!(error.to_string(), "`d` is one entry too many, the limit is 3");
    assert_eq!(tree.finish().unwrap().size(), 6);
}

#[test]
fn a_tree_below_a_folder() {
    let tree = build(&[("pkg/SKILL.md", "1", false), ("pkg/a/x", "2", true)]).unwrap();
    let wrapper = tree.wrapper().unwrap();
    assert_eq!(wrapper.as_str(), "pkg");
    let inner = tree.below(&wrapper).unwrap();
    assert_eq!(inner, build(&[("SKILL.md", "1", false), ("a/x", "2", true)]).unwrap());
    assert_eq!(inner.wrapper(), None);
    assert_eq!(inner.below(&"b".parse().unwrap()), None);
    assert_eq!(inner.get("a/x").map(|file| file.record.executable), Some(true));
    assert_eq!(inner.get("a"), None);
}

type Tree = BTreeMap<String, (Vec<u8>, bool)>;

fn of(tree: &Tree) -> Sha256 {
    let mut built = FileTree::builder(&PackageLimits::default());
    for (path, (bytes, executable)) in tree {
        built.add_file(path, bytes.clone(), *executable).unwrap();
    }
    built.finish().unwrap().digest()
}

fn trees() -> impl Strategy<Value = Tree> {
    let file = (proptest::collection::vec(any::<u8>(), 0..6), any::<bool>());
    proptest::collection::btree_map("[a-c]{1,3}(/[d-f]{1,2})?", file, 1..6).prop_filter(
        "no file is a folder",
        |tree| {
            tree.keys().all(|path| !tree.keys().any(|other| other.starts_with(&format!("{path}/"))))
        },
    )
}

proptest! {
    /// Two trees have one digest exactly when they are one tree.
    #[test]
    fn the_digest_tells_any_two_trees_apart(first in trees(), second in trees()) {
        prop_assert_eq!(of(&first) == of(&second), first == second);
    }

    #[test]
    fn any_single_change_changes_the_digest(tree in trees(), at: prop::sample::Index, byte: u8) {
        let before = of(&tree);
        let path = tree.keys().nth(at.index(tree.len())).unwrap().clone();
        let change = |edit: &dyn Fn(&mut Tree)| {
            let mut tree = tree.clone();
            edit(&mut tree);
            of(&tree)
        };
        prop_assert_ne!(before, change(&|tree| tree.get_mut(&path).unwrap().0.push(byte)));
        prop_assert_ne!(before, change(&|tree| { let bit = &mut tree.get_mut(&path).unwrap().1; *bit = !*bit; }));
        prop_assert_ne!(before, change(&|tree| { let file = tree.remove(&path).unwrap(); tree.insert("z".to_owned(), file); }));
        prop_assert_ne!(before, change(&|tree| { tree.insert("z".to_owned(), (vec![byte], false)); }));
        prop_assert_eq!(before, change(&|_| {}));
    }
}
