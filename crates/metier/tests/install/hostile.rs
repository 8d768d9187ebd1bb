//! Turns everything hostile at once into refusals: nothing is written, nothing leaves, and no program is started.

use crate::pack::{TarEntry, ZipEntry, gzip, tar, zip};
use crate::place::Place;
use crate::repository::{Repo, skill};
use metier::install::InstallError;
use std::path::Path;
use testing::Fixture;

/// Says to the child where the packages are.
const PACKAGES: &str = "METIER_HOSTILE_PACKAGES";

/// Installs every package there is; those called `good` work, and all others are refused.
fn install_all(packages: &Path) {
    let place = Place::new();
    let mut names: Vec<_> =
        std::fs::read_dir(packages).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert!(names.len() > 8, "{names:?}");
    for path in &names {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let before = place.tree();
        match place.add(&path.display().to_string()) {
            Ok(placed) => assert!(name.starts_with("good"), "{name}: {placed:?}"),
            Err(error) => {
                assert!(!name.starts_with("good"), "{name}: {error}");
                let named = matches!(
                    error,
                    InstallError::Archive { .. }
                        | InstallError::NotAtRoot { .. }
                        | InstallError::NotASkill { .. }
                        | InstallError::Name { .. }
                        | InstallError::Refused { .. }
                        | InstallError::Local(_)
                        | InstallError::NoSkill { .. }
                );
                assert!(named, "{name}: {error:?}");
                assert_eq!(place.tree(), before, "{name}: nothing is left");
            }
        }
        let outside = std::fs::read_dir(place.fixture.join("outside")).unwrap().count();
        assert_eq!(outside, 0, "{name}: something left the project");
    }
    let left: Vec<String> =
        place.fixture.tree().into_iter().filter(|path| path.contains("/.metier-")).collect();
    assert_eq!(left, [""; 0]);
}

/// Not a test: the process that the other one watches.
#[test]
#[ignore = "it is started by the test of hostile packages"]
fn child() {
    if let Some(packages) = std::env::var_os(PACKAGES) {
        install_all(Path::new(&packages));
    }
}

/// Archives of our own, folders that want to be run, and the archives of the security reference where
/// they are to be had.
fn packages() -> Fixture {
    let text = skill("good", "x");
    let own = || TarEntry::file("SKILL.md", text.as_bytes());
    let fixture = Fixture::new()
        .dir("packages")
        .dir("outside")
        .bytes("packages/up.tar.gz", &gzip(&tar(&[own(), TarEntry::file("../evil", "x")])))
        .bytes("packages/root.tar.gz", &gzip(&tar(&[own(), TarEntry::file("/tmp/evil", "x")])))
        .bytes(
            "packages/link.tar.gz",
            &gzip(&tar(&[own(), TarEntry::file("d", "").kind(b'2').link("/outside")])),
        )
        .bytes(
            "packages/up.zip",
            &zip(&[ZipEntry::file("SKILL.md", text.as_bytes()), ZipEntry::file("../evil", b"x")]),
        )
        .bytes("packages/empty.zip", &zip(&[]))
        .bytes("packages/text.zip", b"no archive")
        .skill("packages/name", &skill("..", "x"))
        .skill("packages/good-folder", &skill("good-folder", "x"))
        .file(
            "packages/good-folder/package.json",
            r#"{"scripts":{"preinstall":"touch evil","postinstall":"touch evil"}}"#,
        )
        .file("packages/good-folder/setup.py", "open('evil', 'w')\n")
        .file("packages/good-folder/conftest.py", "open('evil', 'w')\n")
        .file("packages/good-folder/Makefile", "all:\n\ttouch evil\n")
        .executable("packages/good-folder/scripts/install.sh", "#!/bin/sh\ntouch evil\n")
        .bytes("packages/good.tar.gz", &gzip(&tar(&[own()])));
    let Some(data) = testing::shared_data() else { return fixture };
    let made = std::process::Command::new("python3")
        .arg(data.join("security/gen_archives.py"))
        .arg(fixture.join("generated"))
        .arg(fixture.join("outside"))
        .stderr(std::process::Stdio::null())
        .status();
    assert!(made.is_ok_and(|status| status.success()), "the generator failed");
    for entry in std::fs::read_dir(fixture.join("generated")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).unwrap();
        let (name, bytes) = match name.strip_suffix(".tar") {
            Some(name) => (format!("reference-{name}.tar.gz"), gzip(&bytes)),
            None => (format!("reference-{name}"), bytes),
        };
        std::fs::write(fixture.join("packages").join(name), bytes).unwrap();
    }
    fixture
}

/// Security Z01 to Z24, L17: every hostile package through the whole installer, with the system
/// watching what is started: nothing but the test itself.
#[test]
fn nothing_is_started_and_nothing_leaves() {
    let fixture = packages();
    let here = std::env::current_exe().unwrap();
    let arguments = ["--exact", "hostile::child", "--ignored"];
    let traced = std::process::Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=execve,execveat", "-s", "200", "-o"])
        .arg(fixture.join("log"))
        .arg(&here)
        .args(arguments)
        .env(PACKAGES, fixture.join("packages"))
        .stdout(std::process::Stdio::null())
        .status();
    if let Ok(status) = traced {
        assert!(status.success(), "{status}");
        let log = fixture.read("log");
        let started: Vec<&str> = log.lines().filter(|line| line.contains("exec")).collect();
        assert_eq!(started.len(), 1, "{started:#?}");
    } else {
        eprintln!("no `strace` here: what is started was not watched");
        install_all(&fixture.join("packages"));
    }
    assert_eq!(std::fs::read_dir(fixture.join("outside")).unwrap().count(), 0);
}

/// Security G10: a file that Git LFS keeps elsewhere, from a real repository.
#[test]
fn a_pointer_to_git_lfs_is_not_installed_as_if_it_were_the_file() {
    let (repo, place) = (Repo::new(), Place::new());
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    repo.skill("pdf", "x").file("pdf/assets/model.bin", pointer);
    repo.file(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n").commit();
    let error = place.add(&format!("{}//pdf", repo.url())).unwrap_err();
    assert!(error.to_string().contains("`assets/model.bin` is only a pointer"), "{error}");
    assert!(place.tree().is_empty());
}

/// Security G07: a submodule is not fetched, and that is told.
#[test]
fn a_submodule_is_left_out_and_told() {
    let (repo, place) = (Repo::new(), Place::new());
    repo.skill("pdf", "x").file("pdf/.gitmodules", "[submodule \"sub\"]\n\turl = /x\n").commit();
    let commit = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},pdf/sub")]);
    repo.git(&["commit", "--quiet", "--message=x"]);
    let placed = place.add(&format!("{}//pdf", repo.url())).unwrap();
    assert_eq!(
        placed[0].skill.fetched.notices,
        ["`pdf/sub` is another repository, and was left out"]
    );
    assert!(!place.fixture.join("project/.agents/skills/pdf/sub").exists());
}
