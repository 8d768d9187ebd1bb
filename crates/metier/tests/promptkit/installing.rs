//! Turns what PromptKit's installer promises into tests: references, two levels, into, local, list, remove, resolve.

use crate::shared::text;
use metier::ResourcePath;
use metier::install::{
    FileTree, Git, GitEntry, GitError, GitUrl, InstallError, InstallOptions, Installer, Level,
    Location, OverHttp, PackageLimits, Placement, Plan, PlannedFetch, Reference, Repositories,
    Repository, Resolved, Revision, Status, resolve,
};
use std::cell::RefCell;
use testing::Fixture;

/// PromptKit's `GitCloneFunc` and `GitCheckout`, as the trait that a host implements here.
#[derive(Default)]
struct Clones {
    asked: RefCell<Vec<String>>,
    fails: bool,
    empty: bool,
}

struct Cloned {
    entries: Vec<GitEntry>,
    name: String,
}

impl Repositories for Clones {
    fn resolve(&self, url: &GitUrl, revision: Option<&Revision>) -> Result<Resolved, GitError> {
        let version = revision.map(|it| format!("@{it}")).unwrap_or_default();
        self.asked.borrow_mut().push(format!("{url}{version}"));
        if self.fails {
            return Err(GitError::Empty { url: url.clone() });
        }
        Ok(Resolved::commit("a".repeat(40)))
    }

    fn open(&self, url: &GitUrl, _: &Resolved) -> Result<Box<dyn Repository>, GitError> {
        let name = url.as_str().rsplit('/').next().unwrap().to_owned();
        // What `git ls-tree` would list.
        let listed = if self.empty { "README.md" } else { "SKILL.md" };
        let entries = GitEntry::parse_all(format!("100644 blob x\t{listed}\0").as_bytes());
        Ok(Box::new(Cloned { entries, name }))
    }
}

impl Repository for Cloned {
    fn entries(&self) -> &[GitEntry] {
        &self.entries
    }

    fn tree(&self, _: Option<&ResourcePath>, limits: &PackageLimits) -> Result<FileTree, GitError> {
        let mut tree = FileTree::builder(limits);
        tree.add_file("SKILL.md", text(&self.name, "Use this for one.").into_bytes(), false)?;
        Ok(tree.finish()?)
    }

    fn notices(&self) -> &[metier::install::GitNotice] {
        &[]
    }
}

fn at<T>(
    fixture: &Fixture,
    level: Level,
    clones: &dyn Repositories,
    act: impl FnOnce(&Installer<'_>) -> T,
) -> T {
    let location = match level {
        Level::User => Location::user(fixture.join("home")),
        _ => Location::project(fixture.join("project")),
    };
    act(&Installer {
        location,
        repositories: clones,
        web: &OverHttp::default(),
        store: None,
        base: fixture.path().to_owned(),
        home: None,
        options: InstallOptions::default(),
        progress: &|_| {},
    })
}

fn install(
    fixture: &Fixture,
    level: Level,
    clones: &Clones,
    reference: &str,
) -> Result<Vec<Placement>, InstallError> {
    let plan = Plan { fetches: vec![PlannedFetch::new(reference.parse().unwrap())] };
    at(fixture, level, clones, |installer| installer.add(&plan))
}

/// `List`: the project's before the user's, each sorted by name.
fn list(fixture: &Fixture) -> Vec<Status> {
    let status =
        |level| at(fixture, level, &Clones::default(), |installer| installer.status().unwrap());
    [status(Level::Project), status(Level::User)].concat()
}

#[test]
fn references_are_org_name_and_version() {
    for (text, org, name, version) in [
        ("@anthropic/pdf-processing", "anthropic", "pdf-processing", None),
        ("@anthropic/pdf-processing@v1.0.0", "anthropic", "pdf-processing", Some("v1.0.0")),
    ] {
        let Reference::Named { org: o, name: n, version: v, .. } = text.parse().unwrap() else {
            panic!("{text}")
        };
        assert_eq!((o.as_str(), n.as_str()), (org, name));
        assert_eq!(v.as_ref().map(Revision::as_str), version);
    }
    for text in ["anthropic", "@", "@org", "@/name", "@org/", "@org/a/b", "@org/name@"] {
        assert!(text.parse::<Reference>().is_err(), "{text}");
    }
    // What PromptKit lets through, and what removing it would have removed.
    for text in ["@../name", "@org/..", "@org/name@-v", "@org/name@--upload-pack=x", "@o/n@a@b "] {
        assert!(text.parse::<Reference>().is_err(), "{text}");
    }
    for (text, local) in [("./a", true), ("../a", true), ("/a", true), ("a/b", false)] {
        assert_eq!(text.parse::<Reference>().unwrap().is_local(), local, "{text}");
    }
}

#[test]
fn a_reference_is_cloned_from_github_at_its_version() {
    let (fixture, clones) = (Fixture::new().dir("project").dir("home"), Clones::default());
    install(&fixture, Level::Project, &clones, "@acme/pdf@v1").unwrap();
    assert_eq!(*clones.asked.borrow(), ["https://github.com/acme/pdf@v1"]);
    assert!(fixture.read("project/.agents/skills/pdf/SKILL.md").contains("name: pdf"));
}

#[test]
fn install_into_a_stage_directory() {
    let (fixture, clones) = (Fixture::new().dir("project"), Clones::default());
    let mut fetch = PlannedFetch::new("@acme/pdf".parse().unwrap());
    fetch.into = Some("skills/billing".parse().unwrap());
    let plan = Plan { fetches: vec![fetch] };
    at(&fixture, Level::Project, &clones, |installer| installer.add(&plan)).unwrap();
    assert!(fixture.read("project/skills/billing/pdf/SKILL.md").contains("name: pdf"));
}

#[test]
fn local_skills_are_copied_under_the_org_local() {
    let fixture = Fixture::new().dir("project").skill("mine", &text("mine", "Use this for one."));
    install(&fixture, Level::Project, &Clones::default(), "./mine").unwrap();
    let listed = list(&fixture);
    assert_eq!((listed[0].org().as_str(), listed[0].locked.name.as_str()), ("local", "mine"));
}

#[test]
fn the_list_and_what_a_reference_resolves_to() {
    let (fixture, clones) = (Fixture::new().dir("project").dir("home"), Clones::default());
    for (level, reference) in
        [(Level::User, "@acme/pdf"), (Level::User, "@acme/csv"), (Level::Project, "@acme/pdf@v2")]
    {
        install(&fixture, level, &clones, reference).unwrap();
    }
    let listed = list(&fixture);
    let rows: Vec<_> = listed
        .iter()
        .map(|it| (it.level.as_str(), it.org(), it.locked.name.as_str().to_owned()))
        .collect();
    let row = |level, name: &str| (level, "acme".to_owned(), name.to_owned());
    assert_eq!(rows, [row("project", "pdf"), row("user", "csv"), row("user", "pdf")]);

    let found = |text: &str| resolve(&listed, &text.parse().unwrap()).map(|it| it.level);
    assert_eq!(found("@acme/pdf"), Some(Level::Project), "the project's before the user's");
    assert_eq!(found("@acme/pdf@v9"), Some(Level::Project), "whatever the version");
    assert_eq!(found("@acme/csv"), Some(Level::User));
    assert_eq!(found("@other/pdf"), None);

    let name = ["pdf".parse().unwrap()];
    at(&fixture, Level::Project, &clones, |installer| installer.remove(&name)).unwrap();
    let listed = list(&fixture);
    let left = resolve(&listed, &"@acme/pdf".parse().unwrap()).unwrap();
    assert_eq!(left.level, Level::User, "only the first one is removed");
    assert!(fixture.read("home/.agents/skills/pdf/SKILL.md").contains("name: pdf"));
}

#[test]
fn what_fails_leaves_nothing_behind() {
    let fixture = Fixture::new().dir("project");
    for clones in
        [Clones { fails: true, ..Clones::default() }, Clones { empty: true, ..Clones::default() }]
    {
        install(&fixture, Level::Project, &clones, "@acme/pdf").unwrap_err();
        assert_eq!(fixture.tree(), ["project/"]);
    }
    let clones = Clones::default();
    install(&fixture, Level::Project, &clones, "@acme/pdf").unwrap();
    let error = install(&fixture, Level::Project, &clones, "@other/pdf").unwrap_err();
    assert!(matches!(error, InstallError::OtherSource { .. }), "already installed: {error}");
}

/// A `git` is looked for in absolute folders only.
#[test]
fn without_git_the_error_says_so() {
    let fixture = Fixture::new().dir("project");
    assert_eq!(Git::find("relative".as_ref()), None);
    let git = Git::new("/no/git", [], fixture.join("tmp"), metier::install::GitOptions::default());
    let plan = Plan { fetches: vec![PlannedFetch::new("@acme/pdf".parse().unwrap())] };
    let error = at(&fixture, Level::Project, &git, |installer| installer.add(&plan)).unwrap_err();
    assert_eq!(error.to_string(), "`/no/git` cannot be run: entity not found");
    assert_eq!(error.help().unwrap(), "install git, or check PATH");
}
