//! Turns paths, folders and patterns into the skill files they mean.
#![expect(clippy::disallowed_methods, reason = "the test looks at the files themselves")]

use metier::{FindError, FindOptions, Found, find};
use std::path::PathBuf;
use testing::Fixture;

/// The files found below the fixture, relative to it, and the faults as text.
fn found(fixture: &Fixture, paths: &[&str], options: &FindOptions) -> (Vec<String>, Vec<String>) {
    let paths: Vec<PathBuf> = paths.iter().map(|path| fixture.path().join(path)).collect();
    let Found { files, faults, .. } = find(&paths, options);
    let root = format!("{}/", fixture.path().display());
    let files = files.iter().map(|file| file.display().to_string().replace(&root, ""));
    let faults = faults.iter().map(|fault| fault.to_string().replace(&root, ""));
    (files.collect(), faults.collect())
}

fn files(fixture: &Fixture, paths: &[&str]) -> Vec<String> {
    let (files, faults) = found(fixture, paths, &FindOptions::default());
    assert_eq!(faults, [""; 0]);
    files
}

fn fault(fixture: &Fixture, path: &str) -> String {
    let (files, faults) = found(fixture, &[path], &FindOptions::default());
    assert_eq!((files.len(), faults.len()), (0, 1), "{files:?} {faults:?}");
    faults[0].clone()
}

/// Spec assertions 1 to 3, 5: which file of a folder is the skill.
#[test]
fn skill_md_wins_over_other_spellings() {
    let fixture = Fixture::new()
        .file("a/SKILL.md", "")
        .file("a/skill.md", "")
        .file("b/skill.md", "")
        .file("b/Skill.md", "")
        .file("c/Skill.md", "")
        .file("c/README.md", "");
    assert_eq!(files(&fixture, &[""]), ["a/SKILL.md", "b/skill.md", "c/Skill.md"]);
}

/// Spec assertions 4, 6, 7: what is no skill is named.
#[test]
fn what_is_no_skill_is_a_fault() {
    let fixture = Fixture::new().file("empty/README.md", "").file("notes.txt", "");
    assert_eq!(fault(&fixture, "empty"), "no `SKILL.md` under `empty`");
    assert_eq!(fault(&fixture, "gone"), "`gone` does not exist");
    assert_eq!(fault(&fixture, "notes.txt"), "`notes.txt` is not a skill");
    assert_eq!(fault(&fixture, "*.rst"), "no skill matches `*.rst`");
}

/// Spec assertion 8, and any other Markdown file someone names.
#[test]
fn a_file_is_itself() {
    let fixture = Fixture::new().file("a/SKILL.md", "").file("draft.md", "");
    assert_eq!(files(&fixture, &["a/SKILL.md", "draft.md"]), ["a/SKILL.md", "draft.md"]);
}

/// Spec assertion 9: it is found, so that reading it can say what is wrong.
#[test]
fn a_directory_called_skill_md_is_found() {
    let fixture = Fixture::new().dir("a/SKILL.md");
    assert_eq!(files(&fixture, &["a"]), ["a/SKILL.md"]);
}

#[test]
fn looks_below_skills_and_into_dot_folders_but_not_into_git_or_node_modules() {
    let fixture = Fixture::new()
        .file("SKILL.md", "")
        .file("sub/deep/SKILL.md", "")
        .file(".claude/skills/x/SKILL.md", "")
        .file(".git/hooks/SKILL.md", "")
        .file("node_modules/p/SKILL.md", "");
    let expected = [".claude/skills/x/SKILL.md", "SKILL.md", "sub/deep/SKILL.md"];
    assert_eq!(files(&fixture, &[""]), expected);
}

#[test]
fn a_file_named_twice_is_found_once() {
    let fixture = Fixture::new().file("a/SKILL.md", "");
    assert_eq!(files(&fixture, &["a", "a/SKILL.md", "*"]), ["a/SKILL.md"]);
}

#[test]
fn patterns_match_files_folders_and_trees() {
    let fixture = Fixture::new()
        .file("skills/pdf/SKILL.md", "")
        .file("skills/pdf/references/x.md", "")
        .file("skills/xls/SKILL.md", "")
        .file("skills/.hidden/SKILL.md", "")
        .file("other/deep/pdf/SKILL.md", "");
    assert_eq!(files(&fixture, &["skills/p*/SKILL.md"]), ["skills/pdf/SKILL.md"]);
    assert_eq!(files(&fixture, &["skills/*"]), ["skills/pdf/SKILL.md", "skills/xls/SKILL.md"]);
    assert_eq!(files(&fixture, &["skills/[w-z]??"]), ["skills/xls/SKILL.md"]);
    let every_pdf = ["other/deep/pdf/SKILL.md", "skills/pdf/SKILL.md"];
    assert_eq!(files(&fixture, &["**/pdf"]), every_pdf);
    // A pattern means skills; another Markdown file must be named.
    assert_eq!(fault(&fixture, "skills/**/x.md"), "no skill matches `skills/**/x.md`");
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_the_folder_and_named_when_they_leave_it() {
    let fixture = Fixture::new()
        .file("root/real/SKILL.md", "")
        .link("root/alias", "real")
        .link("root/real/loop", "..")
        .link("root/broken", "nowhere")
        .file("outside/x/SKILL.md", "")
        .file("build/log.txt", "")
        .link("root/result", "../build")
        .link("root/escape", "../outside/x")
        .dir("root/linked")
        .link("root/linked/SKILL.md", "../../outside/x/SKILL.md");
    let (files, faults) = found(&fixture, &["root"], &FindOptions::default());
    assert_eq!(files, ["root/alias/SKILL.md", "root/real/SKILL.md"]);
    assert_eq!(
        faults,
        [
            "`root/escape` links to `outside/x`, outside of the folder",
            "`root/linked/SKILL.md` links to `outside/x/SKILL.md`, outside of the folder",
        ]
    );
}

#[cfg(unix)]
#[test]
fn folders_that_link_to_one_another_end() {
    let mut fixture = Fixture::new();
    for a in 0..8 {
        fixture = fixture.file(&format!("{a}/SKILL.md"), "");
        for b in 0..8 {
            fixture = fixture.link(&format!("{a}/to-{b}"), format!("../{b}"));
        }
    }
    assert!(files(&fixture, &[""]).len() <= 16);
}

#[test]
fn limits_are_said() {
    let fixture = Fixture::new().file("a/b/c/d/SKILL.md", "").file("z/SKILL.md", "");
    let options = FindOptions { depth: 2, ..FindOptions::default() };
    let (files, faults) = found(&fixture, &[""], &options);
    assert_eq!(files, ["z/SKILL.md"]);
    assert!(
        faults[0].ends_with("is more than 2 folders deep and was not looked into"),
        "{faults:?}"
    );

    let options = FindOptions { directories: 3, ..FindOptions::default() };
    let Found { faults, .. } = find(&[fixture.path()], &options);
    assert!(matches!(faults[..], [FindError::TooMany { limit: 3, .. }]), "{faults:?}");
}

/// Security D15: the rest is found all the same. Root may read everything, so it proves nothing.
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_is_a_fault_and_the_walk_goes_on() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new().file("a/SKILL.md", "").file("locked/SKILL.md", "");
    let locked = fixture.join("locked");
    let set =
        |mode| std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(mode)).unwrap();
    set(0o000);
    let is_root = locked.read_dir().is_ok();
    let (files, faults) = found(&fixture, &[""], &FindOptions::default());
    set(0o755);
    if !is_root {
        assert_eq!(files, ["a/SKILL.md"]);
        assert!(faults[0].starts_with("no permission to read"), "{faults:?}");
    }
}

#[test]
fn the_order_does_not_depend_on_threads() {
    let mut fixture = Fixture::new();
    for number in 0..300 {
        fixture = fixture.file(&format!("{}/{number}/SKILL.md", number % 7), "");
    }
    let alone = files(&fixture, &[""]);
    assert_eq!(alone.len(), 300);
    let options = FindOptions { threads: 8, ..FindOptions::default() };
    assert_eq!(found(&fixture, &[""], &options).0, alone);
}

#[cfg(unix)]
#[test]
fn a_skill_file_that_leads_nowhere_is_named() {
    let fixture = Fixture::new()
        .file("root/good/SKILL.md", "")
        .dir("root/bad")
        .link("root/bad/SKILL.md", "nowhere")
        .dir("root/self")
        .link("root/self/SKILL.md", "SKILL.md");
    let (files, faults) = found(&fixture, &["root"], &FindOptions::default());
    assert_eq!(files, ["root/good/SKILL.md"]);
    assert_eq!(
        faults,
        [
            "`root/bad/SKILL.md` is a link that leads nowhere",
            "`root/self/SKILL.md` is a link that leads nowhere",
        ]
    );
}
