//! Turns files in memory into a web server on this machine, and what it serves into installed skills.

use crate::pack::{TarEntry, ZipEntry, gzip, tar, zip};
use crate::place::{Place, plan};
use crate::repository::skill;
use metier::install::{
    ArchiveError, FileTree, GitEntry, GitError, GitUrl, InstallError, Installer, OverHttp,
    PackageLimits, Repositories, Repository, Resolved, Revision, Selection, Sha256, Web, WebError,
};
use metier::{ResourcePath, SkillName};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

/// A server of a few files, which may change.
pub(crate) struct Served {
    port: u16,
    files: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
}

impl Served {
    pub(crate) fn new(files: &[(&str, &[u8])]) -> Self {
        let files: BTreeMap<String, Vec<u8>> =
            files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let served = Self { port, files: Arc::new(Mutex::new(files)) };
        let files = Arc::clone(&served.files);
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let first = lines.next().and_then(Result::ok).unwrap_or_default();
                let _ = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).count();
                let path = first.split(' ').nth(1).unwrap_or_default();
                let (status, body) = match files.lock().unwrap().get(path) {
                    Some(body) => (200, body.clone()),
                    None => (404, Vec::new()),
                };
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status} x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
                );
                // A client that hangs up is no failure of the server.
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
            }
        });
        served
    }

    /// Serves something else from now on.
    pub(crate) fn put(&self, path: &str, bytes: &[u8]) {
        self.files.lock().unwrap().insert(path.to_owned(), bytes.to_vec());
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

#[test]
fn an_archive_from_the_web() {
    let text = skill("pdf", "x");
    let tar = gzip(&tar(&[TarEntry::file("SKILL.md", text.as_bytes())]));
    let zip = zip(&[ZipEntry::file("SKILL.md", text.as_bytes())]);
    let server = Served::new(&[("/a.tar.gz", &tar), ("/b.tar.gz", &zip)]);
    let place = Place::new();
    let reference = format!("{}#{}", server.url("/a.tar.gz"), Sha256::of(&tar));
    place.add(&reference).unwrap();
    assert_eq!(place.read(".agents/skills/pdf/SKILL.md"), text);
    let error = place.add(&server.url("/b.tar.gz")).unwrap_err();
    assert!(
        matches!(&error, InstallError::Archive { error, .. } if matches!(**error, ArchiveError::Mislabelled { .. })),
        "{error:?}"
    );
    assert!(matches!(place.add(&server.url("/c.zip")).unwrap_err(), InstallError::Web(_)));
}

/// Security H01, H11: what an installer downloads goes by the rules of the web source.
#[test]
fn private_addresses_and_endless_files_are_refused() {
    let web = OverHttp::default();
    for host in [
        "127.0.0.1",
        "127.1",
        "0x7f000001",
        "2130706433",
        "169.254.169.254",
        "10.0.0.1",
        "[::1]",
        "[::ffff:10.0.0.1]",
        "[fd00::1]",
        "localhost.",
    ] {
        for scheme in ["https", "http"] {
            let error = web.download(&format!("{scheme}://{host}/x.zip"), 100).unwrap_err();
            assert!(matches!(error, WebError::Source(_)), "{host}: {error:?}");
            assert!(!error.to_string().contains("onnect"), "nobody tried to: {error}");
        }
    }
    let server = Served::new(&[("/large.zip", &[0; 1000])]);
    let options = metier::HttpOptions { allow_loopback_http: true, ..Default::default() };
    let web = OverHttp { options, ..OverHttp::default() };
    let error = web.download(&server.url("/large.zip"), 999).unwrap_err();
    assert!(error.to_string().contains("the limit is 999"), "{error}");
    assert_eq!(web.download(&server.url("/large.zip"), 1000).unwrap().len(), 1000);
}

/// A host that has its own way to the web and to repositories brings it.
#[test]
fn a_host_brings_its_own_way() {
    struct Shelf;

    fn tree(name: &str, limits: &PackageLimits) -> FileTree {
        let mut tree = FileTree::builder(limits);
        tree.add_file("SKILL.md", skill(name, "from the host").into_bytes(), false).unwrap();
        tree.finish().unwrap()
    }

    impl Web for Shelf {
        fn download(&self, _: &str, _: u64) -> Result<Vec<u8>, WebError> {
            Ok(zip(&[ZipEntry::file("SKILL.md", skill("packed", "from the host").as_bytes())]))
        }

        fn names(&self, _: &str) -> Result<Vec<String>, WebError> {
            Ok(vec!["listed".to_owned()])
        }

        fn skill(
            &self,
            _: &str,
            name: &SkillName,
            limits: &PackageLimits,
        ) -> Result<FileTree, WebError> {
            Ok(tree(name.as_str(), limits))
        }
    }

    impl Repositories for Shelf {
        fn resolve(&self, _: &GitUrl, _: Option<&Revision>) -> Result<Resolved, GitError> {
            Ok(Resolved::commit("1".repeat(40)))
        }

        fn open(&self, _: &GitUrl, _: &Resolved) -> Result<Box<dyn Repository>, GitError> {
            Ok(Box::new(OneSkill(GitEntry::parse_all(
                b"100644 blob 1111111111111111111111111111111111111111\tSKILL.md\0",
            ))))
        }
    }

    struct OneSkill(Vec<GitEntry>);

    impl Repository for OneSkill {
        fn entries(&self) -> &[GitEntry] {
            &self.0
        }

        fn tree(
            &self,
            _: Option<&ResourcePath>,
            limits: &PackageLimits,
        ) -> Result<FileTree, GitError> {
            Ok(tree("cloned", limits))
        }

        fn notices(&self) -> &[metier::install::GitNotice] {
            &[]
        }
    }

    let place = Place::new();
    for reference in ["https://h.example/x.zip", "https://h.example/", "acme/cloned"] {
        place.with(|installer| {
            let host = Installer {
                location: installer.location.clone(),
                store: None,
                base: installer.base.clone(),
                home: None,
                options: installer.options.clone(),
                repositories: &Shelf,
                web: &Shelf,
                ..*installer
            };
            host.add(&plan(reference)).unwrap();
        });
    }
    let names: Vec<_> = place.lock().skills().map(|it| it.name.as_str().to_owned()).collect();
    assert_eq!(names, ["cloned", "listed", "packed"]);
}

/// Security H09 and the rest of the rules are those of the web source.
#[test]
fn skills_of_a_site_with_an_index() {
    let (pdf, review) = (skill("pdf", "x"), skill("review", "x"));
    let entry = |name: &str, text: &str| {
        let description = format!("Use this for {name} in tests.");
        let digest = Sha256::of(text.as_bytes()).to_string();
        json!({ "name": name, "type": "skill-md", "description": description,
                "url": format!("/{name}.md"), "digest": digest })
    };
    let schema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
    let mut lying = entry("evil", &pdf);
    lying["description"] = "Use this for pdf in tests.".into();
    let index = json!({ "$schema": schema, "skills": [entry("pdf", &pdf), entry("review", &review), lying] });
    let server = Served::new(&[
        ("/.well-known/agent-skills/index.json", index.to_string().as_bytes()),
        ("/pdf.md", pdf.as_bytes()),
        ("/review.md", review.as_bytes()),
        ("/evil.md", pdf.as_bytes()),
    ]);
    let place = Place::new();
    let site = server.url("/");
    place.add(&format!("{site}#@pdf")).unwrap();
    assert_eq!(place.read(".agents/skills/pdf/SKILL.md"), pdf);
    let error = place.add(&site).unwrap_err();
    assert!(matches!(error, InstallError::ManySkills { .. }), "{error:?}");
    let error = place.add(&format!("{site}#@evil")).unwrap_err();
    assert!(error.to_string().contains("name is not the one in the index"), "{error}");
    assert!(place.add(&format!("{site}#@none")).is_err());
    let mut all = plan(&site);
    all.fetches[0].select = Selection::All;
    assert!(place.with(|installer| installer.add(&all)).is_err(), "all or nothing");
    assert!(!place.fixture.join("project/.agents/skills/review").exists());
}

/// The discovery index may list archives, which a source cannot read and an installer can.
#[test]
fn archives_of_a_site_with_an_index() {
    let good = gzip(&tar(&[
        TarEntry::file("SKILL.md", skill("pdf", "x").as_bytes()),
        TarEntry::file("scripts/x.sh", "#!/bin/sh\n").mode(0o755),
    ]));
    let evil = gzip(&tar(&[TarEntry::file("../evil", "x")]));
    let entry = |name: &str, path: &str, bytes: &[u8]| {
        json!({ "name": name, "type": "archive", "description": format!("Use this for {name} in tests."),
                "url": path, "digest": Sha256::of(bytes).to_string() })
    };
    let schema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
    let index = json!({ "$schema": schema, "skills": [
        entry("pdf", "/pdf.tar.gz", &good),
        entry("other", "/pdf.tar.gz", &good),
        entry("evil", "/evil.tar.gz", &evil),
        entry("wrong", "/pdf.tar.gz", &evil),
    ]});
    let server = Served::new(&[
        ("/.well-known/agent-skills/index.json", index.to_string().as_bytes()),
        ("/pdf.tar.gz", &good),
        ("/evil.tar.gz", &evil),
    ]);
    let place = Place::new();
    let add = |name: &str| place.add(&format!("{}#@{name}", server.url("/")));
    let placed = add("pdf").unwrap();
    assert!(placed[0].skill.fetched.tree.get("scripts/x.sh").unwrap().record.executable);
    for (name, part) in [
        ("other", "its name is not the one in the index"),
        ("evil", "`../evil`"),
        ("wrong", "its digest is not the one in the index"),
    ] {
        let error = add(name).unwrap_err();
        assert!(error.to_string().contains(part), "{name}: {error}");
    }
    assert!(
        matches!(place.add(&server.url("/")).unwrap_err(), InstallError::ManySkills { names, .. } if names.len() == 4)
    );
}
