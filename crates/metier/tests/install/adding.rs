//! Turns references into installed skills, and everything that must not be overwritten into an error.

use crate::pack::{TarEntry, ZipEntry, gzip, tar, zip};
use crate::place::{Place, plan};
use crate::repository::{Repo, skill};
use metier::install::{
    Change, Existing, Findings, InstallError, LinkMode, LocalError, Location, Network, Origin,
    PlannedFetch, Selection, Sha256, TreeError, Wrapper,
};

const PDF: &str = "project/.agents/skills/pdf";

fn repo() -> Repo {
    let repo = Repo::new();
    repo.skill("skills/pdf", "one").file("skills/pdf/references/forms.md", "# Forms\n");
    repo.skill("skills/review", "one").commit();
    repo.git(&["tag", "v1"]);
    repo
}

#[test]
fn a_skill_is_installed_locked_and_asked_for() {
    let (repo, place) = (repo(), Place::new());
    let reference = format!("{}//skills/pdf#v1", repo.url());
    let placed = place.add(&reference).unwrap();
    assert_eq!(placed[0].change, Change::New);
    assert_eq!(
        place.tree(),
        [
            ".agents/skills/pdf/SKILL.md",
            ".agents/skills/pdf/references/forms.md",
            "skills.lock",
            "skills.toml",
        ]
        .map(|path| format!("project/{path}"))
    );
    assert_eq!(place.read(".agents/skills/pdf/SKILL.md"), skill("pdf", "one"));
    let lock = place.lock();
    let locked = lock.get(&"pdf".parse().unwrap()).unwrap();
    assert_eq!(locked.requested, reference);
    assert!(matches!(&locked.source, Origin::Git { reference: Some(name), commit, .. }
        if name == "refs/tags/v1" && commit.len() == 40));
    assert_eq!(locked.digest, placed[0].skill.fetched.tree.digest());
    assert_eq!(locked.files.len(), 2);
    assert!(place.read("skills.toml").ends_with(&format!("[skills]\npdf = \"{reference}\"\n")));
    let again = place.add(&reference).unwrap();
    assert_eq!(again[0].change, Change::Same, "twice is once");
}

#[test]
fn one_of_many_all_of_them_or_a_question() {
    let (repo, place) = (repo(), Place::new());
    let url = repo.url();
    let error = place.add(&url.to_string()).unwrap_err();
    assert!(
        matches!(&error, InstallError::ManySkills { names, .. } if *names == ["pdf", "review"])
    );
    assert!(place.tree().is_empty(), "nothing happens before there is an answer");
    let error = place.add(&format!("{url}@none")).unwrap_err();
    assert!(matches!(error, InstallError::UnknownSkill { .. }));
    place.add(&format!("{url}@review")).unwrap();
    let mut all = plan(&format!("{url}#v1"));
    all.fetches[0].select = Selection::All;
    let error = place.with(|installer| installer.add(&all));
    assert_eq!(error.unwrap().len(), 2);
    let lock = place.lock();
    let requested: Vec<_> = lock.skills().map(|skill| skill.requested.clone()).collect();
    assert_eq!(requested, ["pdf", "review"].map(|name| format!("{url}//skills/{name}#v1")));
}

#[test]
fn folders_and_archives_on_this_machine() {
    let place = Place::new();
    place.write("../source/pdf/SKILL.md", &skill("pdf", "x"));
    place.write("../source/pdf/.git/config", "x");
    place.write("../home/mine/SKILL.md", &skill("mine", "x"));
    place.add("../source").unwrap();
    place.add("~/mine").unwrap();
    let text = skill("packed", "x");
    let archive = gzip(&tar(&[TarEntry::file("SKILL.md", text.as_bytes())]));
    std::fs::write(place.fixture.join("project/packed.tgz"), archive).unwrap();
    place.add("./packed.tgz").unwrap();
    let lock = place.lock();
    let sources: Vec<_> = lock.skills().map(|skill| skill.source.source()).collect();
    assert_eq!(sources, ["~/mine", "./packed.tgz", "../source/pdf"]);
    assert!(matches!(
        place.add("./none").unwrap_err(),
        InstallError::Local(LocalError::Missing { .. })
    ));
    assert!(matches!(place.add("../outside").unwrap_err(), InstallError::NoSkill { .. }));
}

/// Security Z18, Z20, Z23, G10.
#[test]
fn archives_and_what_nobody_can_look_into() {
    let mut place = Place::new();
    let text = skill("packed", "x");
    let write = |place: &Place, bytes: &[u8]| {
        std::fs::write(place.fixture.join("project/a.zip"), bytes).unwrap();
    };
    write(&place, &zip(&[ZipEntry::file("pkg/SKILL.md", text.as_bytes())]));
    let error = place.add("./a.zip").unwrap_err();
    assert_eq!(error.help().unwrap(), "take what is in `pkg` with `--wrapped`");
    place.options.wrapper = Wrapper::Strip;
    place.add("./a.zip").unwrap();
    for (contents, part) in [
        (zip(&[ZipEntry::file("x", b"x")]), "archive that nobody looked into"),
        (b"version https://git-lfs.github.com/spec/v1\noid x".to_vec(), "Git LFS"),
    ] {
        let files = [
            ZipEntry::file("SKILL.md", text.as_bytes()),
            ZipEntry::file("scripts/payload.bin", &contents),
        ];
        write(&place, &zip(&files));
        let error = place.add("./a.zip").unwrap_err();
        assert!(matches!(&error, InstallError::Refused { .. }), "{error:?}");
        assert!(error.to_string().contains(part), "{error}");
    }
    place.options.findings = Findings::Allow;
    place.add("./a.zip").unwrap();
    let hostile = [ZipEntry::file("SKILL.md", text.as_bytes()), ZipEntry::file("../../evil", b"x")];
    write(&place, &zip(&hostile));
    let error = place.add("./a.zip").unwrap_err();
    assert!(matches!(error, InstallError::Archive { .. }), "{error:?}");
    assert_eq!(std::fs::read_dir(place.fixture.join("outside")).unwrap().count(), 0);
}

/// Security L18: a folder with a pipe, a link or a file without end is refused and does not hang.
#[test]
fn folders_that_hold_more_than_files() {
    let place = Place::new();
    let error = |name: &str| match place.add(&format!("../{name}")).unwrap_err() {
        InstallError::Local(error) => error,
        other => panic!("{other:?}"),
    };
    for name in ["pipe", "link", "large", "socket"] {
        place.write(&format!("../{name}/SKILL.md"), &skill(name, "x"));
    }
    let path = |text: &str| place.fixture.join(text);
    std::os::unix::fs::symlink("/etc/passwd", path("link/x")).unwrap();
    assert_eq!(error("link"), LocalError::Link { path: "x".to_owned() });
    let made = std::process::Command::new("mkfifo").arg(path("pipe/x")).status().unwrap();
    assert!(made.success());
    assert_eq!(error("pipe"), LocalError::Special { path: "x".to_owned() });
    let _socket = std::os::unix::net::UnixListener::bind(path("socket/x")).unwrap();
    assert_eq!(error("socket"), LocalError::Special { path: "x".to_owned() });
    let large = std::fs::File::create(path("large/x")).unwrap();
    large.set_len(20 << 30).unwrap();
    assert!(matches!(error("large"), LocalError::Tree(TreeError::FileTooLarge { .. })));
    assert!(place.tree().is_empty());
}

#[test]
fn a_skill_with_errors_is_refused_unless_allowed() {
    let mut place = Place::new();
    place.write("../bad/SKILL.md", "---\nname: bad\ndescription: x\nbogus: 1\n---\n");
    let error = place.add("../bad").unwrap_err();
    assert!(matches!(&error, InstallError::Refused { name, .. } if name == "bad"), "{error:?}");
    assert!(place.tree().is_empty());
    place.options.findings = Findings::Allow;
    place.add("../bad").unwrap();
    place.write("../worse/SKILL.md", "---\nname: ../worse\ndescription: x\n---\n");
    let error = place.add("../worse").unwrap_err();
    assert!(matches!(error, InstallError::Name { .. }), "a name is a folder: {error:?}");
    for name in ["nul", "com1"] {
        place.write("../device/SKILL.md", &skill(name, "x"));
        assert!(matches!(place.add("../device").unwrap_err(), InstallError::Name { .. }));
    }
}

/// What was chosen among several is chosen again by an update, whatever its folder is called.
#[test]
fn the_choice_is_written_down() {
    let (repo, place) = (repo(), Place::new());
    repo.file("odd-folder/x/SKILL.md", &skill("even", "one")).commit();
    let mut planned = plan(&repo.url().to_string());
    planned.fetches[0].select = Selection::Named("pdf".parse().unwrap());
    place.with(|installer| installer.add(&planned)).unwrap();
    place.add(&format!("{}//odd-folder", repo.url())).unwrap();
    repo.skill("skills/pdf", "two").file("odd-folder/x/SKILL.md", &skill("even", "two")).commit();
    let updated = place.with(|installer| installer.apply(installer.updates(&[]).unwrap())).unwrap();
    assert!(updated.iter().all(|it| it.outcome == metier::install::Outcome::Clean), "{updated:?}");
    assert_eq!(place.read(".agents/skills/pdf/SKILL.md"), skill("pdf", "two"));
    assert_eq!(place.read(".agents/skills/even/SKILL.md"), skill("even", "two"));
    let error = place.add(&format!("{}//skills/pdf@other", repo.url())).unwrap_err();
    assert!(
        matches!(&error, InstallError::UnknownSkill { names, .. } if *names == ["pdf"]),
        "{error:?}"
    );
}

#[test]
fn what_is_in_the_way_of_a_link_stops_everything() {
    let place = Place::new();
    place.write("../pdf/SKILL.md", &skill("pdf", "x"));
    place.write(".claude/skills/pdf/SKILL.md", "by hand");
    let mut planned = plan("../pdf");
    planned.fetches[0].links = vec!["claude".to_owned()];
    let error = place.with(|installer| installer.add(&planned)).unwrap_err();
    assert!(matches!(error, InstallError::Unmanaged { .. }), "{error:?}");
    assert_eq!(place.tree(), ["project/.claude/skills/pdf/SKILL.md"]);
}

/// Security L07, and the fifth defect of the installer that most people use.
#[test]
fn what_is_in_the_way_stays_unless_forced() {
    let mut place = Place::new();
    for (folder, body) in [("one", "one"), ("two", "two")] {
        place.write(&format!("../{folder}/pdf/SKILL.md"), &skill("pdf", body));
    }
    place.write(".agents/skills/pdf/SKILL.md", "by hand");
    let error = place.add("../one").unwrap_err();
    assert!(matches!(error, InstallError::Unmanaged { .. }), "{error:?}");
    assert_eq!(place.read(".agents/skills/pdf/SKILL.md"), "by hand");
    place.options.existing = Existing::Replace;
    place.add("../one").unwrap();
    place.options.existing = Existing::Keep;

    let error = place.add("../two").unwrap_err();
    assert!(
        matches!(&error, InstallError::OtherSource { installed, wanted, .. }
            if installed == "../one/pdf" && wanted == "../two/pdf"),
        "{error:?}"
    );
    place.write(".agents/skills/pdf/NOTES.md", "mine");
    place.write("../one/pdf/SKILL.md", &skill("pdf", "newer"));
    let error = place.add("../one").unwrap_err();
    assert!(error.to_string().ends_with("added `NOTES.md`"), "{error}");
    assert_eq!(place.read(".agents/skills/pdf/SKILL.md"), skill("pdf", "one"));
    assert_eq!(place.read(".agents/skills/pdf/NOTES.md"), "mine");
    place.options.existing = Existing::Replace;
    place.add("../two").unwrap();
    assert_eq!(place.read(".agents/skills/pdf/SKILL.md"), skill("pdf", "two"));
    assert!(!place.fixture.join(PDF).join("NOTES.md").exists(), "trees are never merged");
}

/// Security N10.
#[test]
fn a_twin_of_an_installed_name_is_refused() {
    let place = Place::new();
    place.write(".agents/skills/PDF/x", "x");
    place.write("../pdf/SKILL.md", &skill("pdf", "x"));
    let error = place.add("../pdf").unwrap_err();
    assert!(matches!(&error, InstallError::Twin { other, .. } if other == "PDF"), "{error:?}");
}

/// Security L02, L03, L14.
#[test]
fn nothing_is_written_through_a_link() {
    let mut place = Place::new();
    place.options.existing = Existing::Replace;
    place.write("../pdf/SKILL.md", &skill("pdf", "x"));
    std::fs::create_dir_all(place.fixture.join("project/.agents/skills")).unwrap();
    std::os::unix::fs::symlink(place.fixture.join("outside"), place.fixture.join(PDF)).unwrap();
    let error = place.add("../pdf").unwrap_err();
    assert!(matches!(error, InstallError::LinkThere { .. }), "{error:?}");
    std::fs::remove_dir_all(place.fixture.join("project/.agents")).unwrap();
    for link in [".agents", ".agents/skills"] {
        let path = place.fixture.join("project").join(link);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(place.fixture.join("outside"), &path).unwrap();
        let error = place.add("../pdf").unwrap_err();
        assert!(matches!(error, InstallError::LinkOut { .. }), "{link}: {error:?}");
        std::fs::remove_file(path).unwrap();
    }
    assert_eq!(std::fs::read_dir(place.fixture.join("outside")).unwrap().count(), 0);
}

#[test]
fn into_a_folder_for_an_agent_and_for_the_user() {
    let place = Place::new();
    place.write("../pdf/SKILL.md", &skill("pdf", "x"));
    let mut fetch = PlannedFetch::new("../pdf".parse().unwrap());
    fetch.into = Some("billing/skills".parse().unwrap());
    fetch.links = vec!["claude".to_owned()];
    let mut planned = plan("../pdf");
    planned.fetches[0] = fetch;
    place.with(|installer| installer.add(&planned)).unwrap();
    assert_eq!(
        place.tree(),
        [
            "project/.claude/skills/pdf -> ../../billing/skills/pdf",
            "project/billing/skills/pdf/SKILL.md",
            "project/skills.lock",
            "project/skills.toml",
        ]
    );
    assert_eq!(place.read(".claude/skills/pdf/SKILL.md"), skill("pdf", "x"));
    let lock = place.lock();
    let locked = lock.skills().next().unwrap();
    assert_eq!(locked.links.get("claude"), Some(&LinkMode::Link));
    planned.fetches[0].links = vec!["nobody".to_owned()];
    let error = place.with(|installer| installer.add(&planned)).unwrap_err();
    assert!(matches!(error, InstallError::UnknownAgent { .. }));

    let home = Location::user(place.fixture.join("home"));
    place.at(home, &|_| {}, |installer| installer.add(&plan("../pdf"))).unwrap();
    assert!(place.fixture.join("home/.agents/skills/pdf/SKILL.md").exists());
    assert!(place.fixture.join("home/.agents/skills.lock").exists());
    let removed = place.with(|installer| installer.remove(&["pdf".parse().unwrap()])).unwrap();
    assert_eq!(removed.len(), 1);
    assert_eq!(
        place.tree(),
        ["project/skills.lock", "project/skills.toml"]
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    );
}

/// The seventh defect: removing what is not there succeeded.
#[test]
fn only_what_the_lock_has_is_removed() {
    let place = Place::new();
    place.write("../pdf/SKILL.md", &skill("pdf", "x"));
    place.write(".agents/skills/mine/SKILL.md", &skill("mine", "x"));
    place.add("../pdf").unwrap();
    let remove = |name: &str| place.with(|installer| installer.remove(&[name.parse().unwrap()]));
    for name in ["nope", "mine"] {
        assert!(matches!(remove(name), Err(InstallError::NotInstalled { .. })), "{name}");
    }
    place.write(".agents/skills/pdf/SKILL.md", "edited");
    assert!(matches!(remove("pdf"), Err(InstallError::Edited { .. })));
    place.write(".agents/skills/pdf/SKILL.md", &skill("pdf", "x"));
    remove("pdf").unwrap();
    assert!(place.fixture.join("project/.agents/skills/mine/SKILL.md").exists());
    assert!(!place.fixture.join(PDF).exists());
    assert!(!place.read("skills.toml").contains("pdf"));
}

#[test]
fn offline_what_the_store_has_is_enough() {
    let (repo, mut place) = (repo(), Place::new());
    let reference = format!("git+{}//skills/pdf#v1", repo.url());
    place.add(&reference).unwrap();
    std::fs::remove_dir_all(place.fixture.join(PDF)).unwrap();
    drop(repo);
    place.options.network = Network::Offline;
    place.with(|installer| installer.sync(metier::install::SyncMode::Frozen)).unwrap();
    assert_eq!(place.read(".agents/skills/pdf/SKILL.md"), skill("pdf", "one"));
    let error = place.add("acme/skills").unwrap_err();
    assert!(matches!(error, InstallError::Offline { .. }), "{error:?}");
}

/// Security Z23: the digest is told before anything else about the archive.
#[test]
fn a_wrong_digest_is_told_before_a_hostile_archive() {
    use crate::web::Served;
    let place = Place::new();
    let bytes = gzip(&tar(&[TarEntry::file("../evil", "x")]));
    let server = Served::new(&[("/a.tar.gz", &bytes)]);
    let wrong = Sha256::of(b"other");
    let error = place.add(&format!("{}#{wrong}", server.url("/a.tar.gz"))).unwrap_err();
    assert!(matches!(error, InstallError::Digest { .. }), "{error:?}");
    let error = place.add(&server.url("/a.tar.gz")).unwrap_err();
    assert!(matches!(error, InstallError::Archive { .. }), "{error:?}");
    assert!(place.tree().is_empty());
}
