//! Turns hostile and damaged archives into named errors, and sound ones into trees.

use crate::pack::{TarEntry, ZipEntry, gzip, seal, tar, zip, zip_with};
use metier::PathProblem;
use metier::install::{ArchiveError as E, FileTree, PackageLimits, TreeError, unpack};
use proptest::prelude::*;
use testing::Fixture;

const SKILL: &str = "---\nname: a\ndescription: d\n---\n";

fn read(bytes: &[u8]) -> Result<FileTree, E> {
    unpack("", bytes, &PackageLimits::default())
}

/// A sound skill with this entry after it.
fn tar_error(entries: &[TarEntry]) -> E {
    let all = [&[TarEntry::file("SKILL.md", SKILL)], entries].concat();
    let plain = read(&tar(&all)).unwrap_err();
    assert_eq!(read(&gzip(&tar(&all))).unwrap_err(), plain, "compressed or not, it is the same");
    plain
}

fn zip_error(entry: ZipEntry) -> E {
    read(&zip(&[ZipEntry::file("SKILL.md", SKILL.as_bytes()), entry])).unwrap_err()
}

fn paths(tree: &FileTree) -> Vec<&str> {
    tree.records().map(|record| record.path.as_str()).collect()
}

fn problem(error: &E) -> &PathProblem {
    match error {
        E::Tree(TreeError::Path(error)) => &error.problem,
        other => panic!("{other:?}"),
    }
}

#[test]
fn sound_archives_are_read() {
    let long = format!("references/{}.md", "x".repeat(120));
    let entries = [
        TarEntry::extended(b'g', &[("comment", "0123456789")]),
        TarEntry::file("./", "").kind(b'5'),
        TarEntry::file("./SKILL.md", SKILL),
        TarEntry::file("scripts/", "").kind(b'5').mode(0o2755),
        TarEntry::file("scripts/x.sh", "#!/bin/sh\n").mode(0o755),
        TarEntry::extended(b'x', &[("path", &long), ("mtime", "1.5"), ("size", "4")]),
        TarEntry::file("short", "long"),
        TarEntry::file("././@LongLink", "assets/named-by-gnu\0").kind(b'L'),
        TarEntry::file("assets/nam", "gnu").kind(0),
    ];
    for bytes in [tar(&entries), gzip(&tar(&entries))] {
        let tree = read(&bytes).unwrap();
        assert_eq!(paths(&tree), ["SKILL.md", "assets/named-by-gnu", &long, "scripts/x.sh"]);
        assert_eq!(&*tree.get("SKILL.md").unwrap().bytes, SKILL.as_bytes());
        let runs: Vec<_> = tree.records().map(|record| record.executable).collect();
        assert_eq!(runs, [false, false, false, true]);
    }
    // A document is an archive itself, and where it is stored its end stands near ours.
    let inner = zip(&[ZipEntry::file("word/document.xml", b"x")]);
    let stored = [ZipEntry::file("SKILL.md", b"x"), ZipEntry::stored("form.docx", &inner)];
    assert_eq!(&*read(&zip(&stored)).unwrap().get("form.docx").unwrap().bytes, inner);
    let later = ZipEntry { flags: 8, ..ZipEntry::file("later.md", b"later") };
    let dos = ZipEntry { system: 0, attributes: 0x20, ..ZipEntry::file("dos.md", b"dos") };
    let entries = [
        ZipEntry::stored("SKILL.md", SKILL.as_bytes()),
        ZipEntry::stored("scripts/", b"").mode(0o40755),
        ZipEntry::file("scripts/x.sh", b"#!/bin/sh\n").mode(0o100_755),
        ZipEntry::file("é.md", b""),
        later,
        dos,
    ];
    let tree = read(&zip_with(&entries, b"", b"a comment, such as a commit")).unwrap();
    assert_eq!(paths(&tree), ["SKILL.md", "dos.md", "later.md", "scripts/x.sh", "é.md"]);
    assert!(tree.get("scripts/x.sh").unwrap().record.executable);
    assert_eq!(&*tree.get("later.md").unwrap().bytes, b"later");
}

/// What programs that everyone has write is read, and comes to the same tree in every form.
#[test]
fn archives_of_other_programs() {
    let repo = crate::repository::Repo::new();
    let long = format!("references/{}/{}.md", "d".repeat(90), "f".repeat(90));
    repo.file("SKILL.md", SKILL).file(&long, "long").file("scripts/x.sh", "#!/bin/sh\n");
    repo.file("assets/é.txt", &"text ".repeat(1000)).file("empty.txt", "").commit();
    repo.git(&["update-index", "--chmod=+x", "scripts/x.sh"]);
    repo.git(&["commit", "--quiet", "--message=x"]);
    let path = |name: &str| repo.fixture.join(name).display().to_string();
    let mut archives = vec![];
    for format in ["tar.gz", "zip"] {
        let output = path(&format!("a.{format}"));
        repo.git(&["archive", &format!("--format={format}"), "--output", &output, "HEAD"]);
        archives.push(output);
    }
    repo.git(&["checkout-index", "--all", &format!("--prefix={}/", path("out"))]);
    let made = |program: &str, arguments: &[&str]| {
        let mut command = std::process::Command::new(program);
        let status = command.args(arguments).current_dir(path("out")).status();
        let made = status.is_ok_and(|status| status.success());
        if !made {
            eprintln!("no `{program}` here: what it writes was not read");
        }
        made
    };
    for format in ["gnu", "pax", "ustar"] {
        let output = path(&format!("{format}.tgz"));
        if made("tar", &["-czf", &output, &format!("--format={format}"), "."]) {
            archives.push(output);
        }
    }
    for (format, call) in [("zip", "'w'"), ("stored.zip", "'w', zipfile.ZIP_STORED")] {
        let output = path(&format!("python.{format}"));
        let script = format!(
            "import os, sys, zipfile\n\
             z = zipfile.ZipFile(sys.argv[1], {call})\n\
             for folder, _, files in os.walk('.'):\n\
             \x20 for file in files: z.write(os.path.join(folder, file))\n\
             z.close()\n"
        );
        if made("python3", &["-c", &script, &output]) {
            archives.push(output);
        }
    }
    let digest = metier::install::read_folder(&repo.fixture.join("out"), &PackageLimits::default());
    let digest = digest.unwrap().digest();
    for archive in archives {
        let tree = unpack(&archive, &std::fs::read(&archive).unwrap(), &PackageLimits::default());
        assert_eq!(
            tree.unwrap_or_else(|error| panic!("{archive}: {error}")).digest(),
            digest,
            "{archive}"
        );
    }
}

/// Security Z01, Z02, Z11.
#[test]
fn names_that_lead_out_or_mean_something_else_on_another_system() {
    for (name, expected) in [
        ("../evil.txt", PathProblem::Parent),
        ("a/../../evil.txt", PathProblem::Parent),
        ("/tmp/evil.txt", PathProblem::Absolute),
        ("..\\evil.txt", PathProblem::Parent),
        ("a\\evil.txt", PathProblem::Backslash),
        ("C:\\evil.txt", PathProblem::Drive),
        ("\\\\host\\evil.txt", PathProblem::Unc),
        ("aux.md", PathProblem::Device { component: "aux.md".to_owned() }),
        ("COM\u{b9}", PathProblem::Device { component: "COM\u{b9}".to_owned() }),
        ("a:b", PathProblem::Drive),
        ("ab:c", PathProblem::Colon { component: "ab:c".to_owned() }),
        ("trail.", PathProblem::TrailingDotOrSpace { component: "trail.".to_owned() }),
    ] {
        assert_eq!(problem(&tar_error(&[TarEntry::file(name, "x")])), &expected, "{name}");
        let folder = TarEntry::file(&format!("{name}/x/"), "").kind(b'5');
        assert!(matches!(tar_error(&[folder]), E::Tree(TreeError::Path(_))), "{name}");
        assert_eq!(problem(&zip_error(ZipEntry::file(name, b"x"))), &expected, "{name}");
    }
    let deep = format!("{}/f", vec!["d"; 3000].join("/"));
    let path = TarEntry::extended(b'x', &[("path", &deep)]);
    let error = tar_error(&[path, TarEntry::file("f", "x")]);
    assert_eq!(problem(&error), &PathProblem::TooLong { bytes: 6001 });
    let message = tar_error(&[TarEntry::file("../evil.txt", "x")]).to_string();
    assert!(message.contains("`../evil.txt`"), "{message}");
}

/// Security Z03, Z05, Z06, Z08.
#[test]
fn links_and_special_files() {
    let named = |kind: u8| TarEntry::file("d", "").kind(kind).link("/outside");
    let entry = || "d".to_owned();
    for (kind, error) in [
        (b'2', E::Link { entry: entry() }),
        (b'1', E::HardLink { entry: entry() }),
        (b'3', E::Special { entry: entry() }),
        (b'4', E::Special { entry: entry() }),
        (b'6', E::Special { entry: entry() }),
        (b'7', E::Special { entry: entry() }),
        (b'S', E::Special { entry: entry() }),
        (b'V', E::Special { entry: entry() }),
        (0xff, E::Special { entry: entry() }),
    ] {
        assert_eq!(tar_error(&[named(kind), TarEntry::file("d/evil.txt", "x")]), error);
    }
    let target = TarEntry::extended(b'x', &[("linkpath", "/etc/passwd")]);
    assert!(matches!(tar_error(&[target, TarEntry::file("d", "")]), E::Link { .. }));
    for (mode, error) in [
        (0o120_777, E::Link { entry: entry() }),
        (0o010_644, E::Special { entry: entry() }),
        (0o020_644, E::Special { entry: entry() }),
        (0o140_644, E::Special { entry: entry() }),
        (0o106_777, E::Privileged { entry: entry() }),
    ] {
        assert_eq!(zip_error(ZipEntry::file("d", b"../../secret").mode(mode)), error);
    }
    let privileged = TarEntry::file("d", "x").mode(0o6777);
    assert_eq!(tar_error(&[privileged]), E::Privileged { entry: entry() });
}

/// Security Z09, Z10, Z17.
#[test]
fn entries_that_collide() {
    for (first, second) in [
        ("SKILL.md", "SKILL.md"),
        ("x", "SKILL.md"),
        ("x", "Skill.md"),
        ("x", "\u{17f}KILL.md"),
        ("caf\u{e9}.md", "cafe\u{301}.md"),
        ("a", "a/b"),
        ("A/x", "a/y"),
        ("x", ".git/hooks/post-checkout"),
    ] {
        let tar = tar_error(&[TarEntry::file(first, "1"), TarEntry::file(second, "2")]);
        let zip = read(&zip(&[
            ZipEntry::file("SKILL.md", SKILL.as_bytes()),
            ZipEntry::file(first, b"1"),
            ZipEntry::file(second, b"2"),
        ]));
        assert_eq!(tar, zip.unwrap_err(), "{first} {second}");
        assert!(
            matches!(
                tar,
                E::Tree(
                    TreeError::Duplicate { .. }
                        | TreeError::Collision { .. }
                        | TreeError::FileAndFolder { .. }
                        | TreeError::VersionControl { .. }
                )
            ),
            "{tar}"
        );
    }
}

/// Security Z12.
#[test]
fn bombs_end_at_the_cap() {
    let zeros = vec![0; 11 * 1024 * 1024];
    assert_eq!(zip_error(ZipEntry::file("b", &zeros)), E::Bomb { ratio: 100 });
    let bomb = gzip(&tar(&[TarEntry::file("b", zeros.clone())]));
    assert_eq!(read(&bomb).unwrap_err(), E::Bomb { ratio: 100 });
    let limits = PackageLimits { ratio: u64::MAX, ..PackageLimits::default() };
    let large = |bytes: &[u8]| unpack("", bytes, &limits).unwrap_err();
    let file = E::Tree(TreeError::FileTooLarge {
        path: "b".to_owned(),
        size: zeros.len() as u64,
        limit: 10 * 1024 * 1024,
    });
    assert_eq!(large(&bomb), file);
    assert_eq!(large(&zip(&[ZipEntry::file("b", &zeros)])), file);
    let limits = PackageLimits { total_bytes: 1024, ..limits };
    let error = unpack("", &bomb, &limits).unwrap_err();
    assert_eq!(error, E::TooLarge { limit: 1024 });
    let many: Vec<_> = (0..1001).map(|n| TarEntry::file(&format!("f{n}"), "")).collect();
    assert!(matches!(tar_error(&many), E::Tree(TreeError::TooManyEntries { limit: 1000, .. })));
}

/// Security Z13, Z14, Z15, Z19.
#[test]
fn what_two_readers_would_see_differently_in_a_zip() {
    let sound = || ZipEntry::file("x", b"some text, some text");
    let ambiguous = |error: E, part: &str| match error {
        E::Ambiguous { reason, .. } if reason.contains(part) => {}
        other => panic!("{part}: {other:?}"),
    };
    ambiguous(zip_error(ZipEntry { local_size: 10, ..sound() }), "other sizes");
    ambiguous(zip_error(ZipEntry { local_size: 10, flags: 8, ..sound() }), "sizes after its data");
    ambiguous(zip_error(ZipEntry { local_name: b"y".to_vec(), ..sound() }), "another name");
    let lie = ZipEntry { size: 10, local_size: 10, ..sound() };
    ambiguous(zip_error(lie), "not the one that was announced");
    let lie = ZipEntry { size: 30, local_size: 30, ..sound() };
    ambiguous(zip_error(lie), "not the one that was announced");
    let packed = [sound().packed, b"more".to_vec()].concat();
    ambiguous(zip_error(ZipEntry { packed, ..sound() }), "after its compressed data");
    let name = b"\x75\x70\x06\0\x01\0\0\0\0y".to_vec();
    ambiguous(zip_error(ZipEntry { extra: name, ..sound() }), "two names");
    let size = b"\x01\0\x08\0\0\0\0\0\0\0\0\0".to_vec();
    ambiguous(zip_error(ZipEntry { extra: size, ..sound() }), "two sizes");
    ambiguous(zip_error(ZipEntry { extra: b"\x02\0\xff\0".to_vec(), ..sound() }), "no end");
    ambiguous(zip_error(sound().mode(0o40755)), "a file and a folder");

    let hidden = ZipEntry { before: zip(&[ZipEntry::file("z", b"hidden")]), ..sound() };
    ambiguous(zip_error(hidden), "something stands between them");
    // The second entry of the directory is the first one again: one file, two names for it.
    let mut overlap = zip(&[sound(), ZipEntry::file("y", b"")]);
    let end = overlap.len() - 22;
    overlap[end - 1 - 4..end - 1].copy_from_slice(&[0; 4]);
    ambiguous(read(&overlap).unwrap_err(), "overlap");

    let bytes = zip(&[sound()]);
    ambiguous(read(&[&bytes[..], b"JUNK"].concat()).unwrap_err(), "more after its end");
    let prepended = [&b"PK\x03\x04JUNK"[..], &bytes].concat();
    ambiguous(read(&prepended).unwrap_err(), "not where its end says");
    ambiguous(read(&zip_with(&[sound()], b"GAP", b"")).unwrap_err(), "between its entries");
    let inner = zip_with(&[sound()], b"", b"PK\x05\x06 is not a comment");
    ambiguous(read(&inner).unwrap_err(), "more than one end");
    let mut fewer = zip(&[sound(), ZipEntry::file("y", b"")]);
    let end = fewer.len() - 22;
    fewer[end + 8..end + 12].copy_from_slice(&[1, 0, 1, 0]);
    ambiguous(read(&fewer).unwrap_err(), "more entries than its end says");
    let mut parts = bytes.clone();
    let end = parts.len() - 22;
    parts[end + 4] = 1;
    ambiguous(read(&parts).unwrap_err(), "one part of several");

    let entry = || "x".to_owned();
    let encrypted = E::Encrypted { entry: entry() };
    assert_eq!(zip_error(ZipEntry { flags: 1, ..sound() }), encrypted);
    assert_eq!(zip_error(ZipEntry { method: 99, ..sound() }), encrypted);
    assert!(matches!(zip_error(ZipEntry { method: 12, ..sound() }), E::Header { .. }));
    assert_eq!(zip_error(ZipEntry { checksum: 1, ..sound() }), E::Checksum { entry: entry() });
    let packed = vec![0xff; 8];
    assert_eq!(zip_error(ZipEntry { packed, ..sound() }), E::Damaged { entry: entry() });
    let latin = ZipEntry { name: b"\xe9".to_vec(), local_name: b"\xe9".to_vec(), ..sound() };
    assert!(matches!(zip_error(latin), E::NotUtf8 { .. }));
    let unflagged = ZipEntry { flags: 0, ..ZipEntry::file("é", b"") };
    assert!(matches!(zip_error(unflagged), E::NotUtf8 { .. }));
}

/// Security Z13, Z15, and data after the end.
#[test]
fn what_two_readers_would_see_differently_in_a_tar() {
    let file = || TarEntry::file("x", "x");
    let path = |path: &str| TarEntry::extended(b'x', &[("path", path)]);
    let twice = TarEntry::extended(b'x', &[("path", "a"), ("path", "b")]);
    let size = TarEntry::extended(b'x', &[("size", "512")]);
    let long = || TarEntry::file("././@LongLink", "b\0").kind(b'L');
    for entries in [
        vec![twice, file()],
        vec![size, file()],
        vec![path("a"), path("b"), file()],
        vec![path("a"), long(), file()],
        vec![path("a")],
    ] {
        assert!(matches!(tar_error(&entries), E::Ambiguous { .. }));
    }
    let nul = tar_error(&[path("a\0/../../evil"), file()]);
    assert_eq!(problem(&nul), &PathProblem::Parent);
    assert_eq!(problem(&tar_error(&[path("a\0b"), file()])), &PathProblem::Control('\0'));
    let global = TarEntry::extended(b'g', &[("path", "a")]);
    assert!(matches!(tar_error(&[global, file()]), E::Header { .. }));
    let sparse = TarEntry::extended(b'x', &[("GNU.sparse.size", "1")]);
    assert!(matches!(tar_error(&[sparse, file()]), E::Header { .. }));
    for records in ["5 a=b", "99 a=b\n", "x a=b\n", "4 ab\n", "0 a=b\n", "+6 a=b\n"] {
        let broken = TarEntry::file("p", records).kind(b'x');
        assert!(matches!(tar_error(&[broken, file()]), E::Header { .. }), "{records}");
    }
    assert!(matches!(
        tar_error(&[TarEntry { name: b"a\0b".to_vec(), ..file() }]),
        E::Ambiguous { .. }
    ));
    assert!(matches!(
        tar_error(&[TarEntry { name: b"\xff".to_vec(), ..file() }]),
        E::NotUtf8 { .. }
    ));
    let sound = tar(&[file()]);
    let more = [&sound[..], &tar(&[TarEntry::file("y", "")])].concat();
    assert!(matches!(read(&more).unwrap_err(), E::Ambiguous { .. }));
    let two = [gzip(&sound), gzip(&sound)].concat();
    assert!(matches!(read(&two).unwrap_err(), E::Ambiguous { .. }));
    let mut wrong = sound.clone();
    wrong[0] = b'y';
    assert_eq!(read(&wrong).unwrap_err(), E::Checksum { entry: "y".to_owned() });
    let mut binary = sound;
    binary[124] = 0x80;
    seal(&mut binary);
    assert!(matches!(read(&binary).unwrap_err(), E::Header { .. }));
}

/// Security Z21: whatever is missing at the end, nothing is unpacked.
#[test]
fn cut_at_every_byte() {
    let tar = tar(&[TarEntry::file("SKILL.md", SKILL), TarEntry::file("x", "x")]);
    let zip = zip(&[ZipEntry::file("SKILL.md", SKILL.as_bytes()), ZipEntry::stored("x", b"x")]);
    for whole in [gzip(&tar), zip, tar] {
        assert!(read(&whole).is_ok());
        for end in 0..whole.len() {
            assert!(read(&whole[..end]).is_err(), "cut at {end} of {}", whole.len());
        }
    }
}

/// Security Z24, H13.
#[test]
fn empty_archives_and_wrong_labels() {
    let empty = Err(E::Tree(TreeError::Empty));
    assert_eq!(read(&gzip(&tar(&[]))), empty);
    assert_eq!(read(&tar(&[TarEntry::file("a/", "").kind(b'5')])), empty);
    assert_eq!(read(&zip(&[])), empty);
    assert_eq!(read(&zip(&[ZipEntry::stored("a/", b"").mode(0o40755)])), empty);
    assert_eq!(read(b"plain text"), Err(E::Unknown));
    let limits = PackageLimits::default();
    let zip = zip(&[ZipEntry::file("SKILL.md", b"")]);
    let error = unpack("skill.tar.gz", &zip, &limits).unwrap_err();
    assert_eq!(error.to_string(), "it is called a `.tar.gz` and is a `.zip`");
    assert!(unpack("SKILL.ZIP", &zip, &limits).is_ok());
}

/// The archives that the security reference generates, and what each of them must end in.
#[test]
fn the_archives_of_the_security_reference() {
    let Some(data) = testing::shared_data() else { return };
    let generator = data.join("security/gen_archives.py");
    let fixture = Fixture::new().dir("outside");
    let made = std::process::Command::new("python3")
        .arg(&generator)
        .arg(fixture.join("arch"))
        .arg(fixture.join("outside"))
        .status();
    assert!(made.is_ok_and(|status| status.success()), "`{}` failed", generator.display());
    let name = |error: &E| {
        let debug = format!("{error:?}");
        let word = |text: &str| text.split([' ', '(', '{']).next().unwrap_or_default().to_owned();
        debug.strip_prefix("Tree(").map_or_else(|| word(&debug), word)
    };
    for (file, expected) in [
        ("traverse.tar", "Path"),
        ("abs.tar", "Path"),
        ("symlink_then_write.tar", "Link"),
        ("symlink_out.tar", "Link"),
        ("hardlink_out.tar", "HardLink"),
        ("hardlink_abs.tar", "HardLink"),
        ("fifo.tar", "Special"),
        ("chardev.tar", "Special"),
        ("setuid.tar", "Privileged"),
        ("dup.tar", "Duplicate"),
        ("casefold.tar", "Collision"),
        ("longs.tar", "Collision"),
        ("nfd.tar", "Duplicate"),
        ("filedir.tar", "FileAndFolder"),
        ("backslash.tar", "Path"),
        ("device_names.tar", "Path"),
        ("dirchmod.tar", "Link"),
        ("gitdir.tar", "VersionControl"),
        ("nul_pax.tar", "Path"),
        ("longname.tar", "Path"),
        ("deep.tar", "Path"),
        ("empty.tar", "Unknown"),
        ("traverse.zip", "Path"),
        ("abs.zip", "Path"),
        ("symlink.zip", "Link"),
        ("symlink_only.zip", "Link"),
        ("bomb.zip", "Bomb"),
        ("backslash.zip", "Path"),
        ("dup.zip", "Duplicate"),
        ("setuid.zip", "Privileged"),
        ("trailing.zip", "Ambiguous"),
        ("prepended.zip", "Unknown"),
        ("truncated.zip", "Truncated"),
    ] {
        let bytes = std::fs::read(fixture.join("arch").join(file)).unwrap();
        let error = read(&bytes).expect_err(file);
        assert_eq!(name(&error), expected, "{file}: {error}");
        if file.strip_suffix(".tar").is_some() && file != "empty.tar" {
            assert_eq!(read(&gzip(&bytes)).expect_err(file), error);
        }
    }
    let wrapped = std::fs::read(fixture.join("arch/wrapped.tar")).unwrap();
    assert_eq!(read(&wrapped).unwrap().wrapper().unwrap().as_str(), "pkg");
    let count = std::fs::read_dir(fixture.join("arch")).unwrap().count();
    assert_eq!(count, 34, "an archive is not named above");
    assert_eq!(std::fs::read_dir(fixture.join("outside")).unwrap().count(), 0);
}

proptest! {
    #[test]
    fn any_bytes_are_a_tree_or_an_error_that_can_be_shown(
        mut bytes: Vec<u8>, kind in 0..4_usize, at: prop::sample::Index, byte: u8,
    ) {
        if kind > 0 {
            let tar = tar(&[TarEntry::file("SKILL.md", SKILL), TarEntry::file("x", bytes.clone())]);
            let zipped = [ZipEntry::file("SKILL.md", SKILL.as_bytes()), ZipEntry::file("x", &bytes)];
            bytes = [tar.clone(), gzip(&tar), zip(&zipped)][kind - 1].clone();
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Err(error) = read(&bytes) {
            prop_assert!(!error.to_string().contains(char::is_control));
        }
    }

    /// What is packed comes out again, in either form.
    #[test]
    fn what_was_packed_is_unpacked(files in proptest::collection::btree_map("[a-z]{1,8}", any::<Vec<u8>>(), 1..5)) {
        let tars: Vec<_> = files.iter().map(|(name, data)| TarEntry::file(name, data.clone())).collect();
        let zips: Vec<_> = files.iter().map(|(name, data)| ZipEntry::file(name, data)).collect();
        for tree in [read(&gzip(&tar(&tars))), read(&zip(&zips))] {
            let tree = tree.unwrap();
            let found: Vec<_> = tree.files().iter().map(|f| (f.record.path.to_string(), f.bytes.to_vec())).collect();
            prop_assert_eq!(found, files.clone().into_iter().collect::<Vec<_>>());
        }
    }
}
