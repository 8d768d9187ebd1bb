//! Turns folders, good and hostile, into a source, and asks it for what it must not give.
#![expect(
    clippy::disallowed_methods,
    reason = "hostile trees are made by hand, and waiting is timed"
)]
#![expect(clippy::unwrap_used, reason = "a test ends where something is wrong")]

use metier::{
    BlockingSource, Discovery, Files, Folder, Links, ReadOptions, Resource, ResourcePath,
    SourceError, Trust,
};
use std::path::Path;
use testing::Fixture;

const SKILL: &str = "---\nname: s\ndescription: Does s. Use for s.\n---\nBody.\n";

/// A skill `s` with files, beside a secret.
fn fixture() -> Fixture {
    Fixture::new()
        .file("secret/id_rsa", "swordfish")
        .skill("root/s", SKILL)
        .file("root/s/references/a.md", "inside a")
        .file("root/s/sub/ok.txt", "inside ok")
}

fn folder(fixture: &Fixture) -> Folder {
    Folder::new(fixture.join("root"))
}

fn read(folder: &Folder, path: &str) -> Result<Resource, SourceError> {
    folder.read("s", &path.parse::<ResourcePath>().unwrap(), &ReadOptions::default())
}

fn text(folder: &Folder, path: &str) -> String {
    read(folder, path).unwrap().text().unwrap().to_owned()
}

/// Why a file is refused, having looked that nothing from outside is in the answer.
#[track_caller]
fn refusal(folder: &Folder, path: &str) -> &'static str {
    match read(folder, path) {
        Err(SourceError::Refused { reason, .. }) => reason,
        other => panic!("{other:?}"),
    }
}

fn paths(files: &Files) -> Vec<&str> {
    files.iter().map(ResourcePath::as_str).collect()
}

#[test]
fn a_folder_says_what_it_is() {
    let fixture = fixture();
    let folder = folder(&fixture);
    assert_eq!(folder.path(), fixture.join("root"));
    assert_eq!(BlockingSource::label(&folder), fixture.join("root").display().to_string());
    assert_eq!(BlockingSource::trust(&folder), Trust::Trusted);
    assert!(!folder.list().unwrap().skills[0].preload);

    let folder = folder.label("project").trust(Trust::Untrusted).preload();
    assert_eq!(BlockingSource::label(&folder), "project");
    assert_eq!(BlockingSource::trust(&folder), Trust::Untrusted);
    assert!(folder.list().unwrap().skills[0].preload);
}

#[test]
fn reads_the_skill_and_its_files() {
    let fixture = fixture();
    let folder = folder(&fixture);
    assert_eq!(text(&folder, "SKILL.md"), SKILL);
    assert_eq!(text(&folder, "./references//a.md"), "inside a");
    let missing = read(&folder, "references/b.md").unwrap_err();
    assert_eq!(missing.to_string(), "the skill `s` has no file `references/b.md`");
    assert!(matches!(read(&folder, "SKILL.md/x"), Err(SourceError::NoSuchFile { .. })));
}

/// Spec assertion 101: what is on disk counts, not what was there when it was listed.
#[test]
fn edits_are_seen() {
    let fixture = fixture();
    let folder = folder(&fixture);
    assert_eq!(text(&folder, "sub/ok.txt"), "inside ok");
    let fixture = fixture.file("root/s/sub/ok.txt", "new");
    assert_eq!(text(&folder, "sub/ok.txt"), "new");
    let _fixture = fixture.remove("root/s");
    let gone = read(&folder, "SKILL.md").unwrap_err();
    assert!(matches!(gone, SourceError::UnknownSkill { .. }), "{gone}");
}

/// A key is one that was listed, never a path to be joined (a known defect elsewhere).
#[test]
fn keys_that_were_not_listed_are_unknown() {
    let fixture = fixture().skill("secret/t", SKILL).dir("root/empty");
    let folder = folder(&fixture);
    let inside = fixture.join("root/s").display().to_string();
    for key in ["", ".", "..", "../secret/t", "s/../s", "./s", "s/", "S", "empty", "s\0", &inside] {
        let path = "SKILL.md".parse().unwrap();
        let error = folder.read(key, &path, &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, SourceError::UnknownSkill { .. }), "{key}: {error}");
        let error = folder.files(key).unwrap_err();
        assert!(matches!(error, SourceError::UnknownSkill { .. }), "{key}: {error}");
    }
    // A skill that came later is known when the folder is listed again.
    let _fixture = fixture.skill("root/late", SKILL);
    assert!(folder.files("late").is_err());
    folder.list().unwrap();
    assert!(folder.files("late").is_ok());
}

#[test]
fn a_folder_that_does_not_exist_is_empty_until_it_does() {
    let fixture = Fixture::new();
    let folder = folder(&fixture);
    assert_eq!(folder.list().unwrap().problems.len(), 1);
    assert!(matches!(read(&folder, "SKILL.md"), Err(SourceError::UnknownSkill { .. })));
    let _fixture = fixture.skill("root/s", SKILL);
    assert_eq!(text(&folder, "SKILL.md"), SKILL);
}

/// Spec assertion 97: relative, with `/`, sorted, without dotfiles, nested skills and `SKILL.md`.
#[test]
fn files_are_grouped_and_sorted() {
    let fixture = fixture()
        .file("root/s/scripts/b.py", "")
        .file("root/s/scripts/a.sh", "")
        .file("root/s/assets/logo.svg", "")
        .file("root/s/NOTES.md", "")
        .file("root/s/.env", "")
        .file("root/s/.git/config", "")
        .file("root/s/node_modules/x.js", "")
        .skill("root/s/inner", SKILL)
        .file("root/s/inner/x.md", "")
        .file("root/s/inner/deep/x.md", "");
    let files = folder(&fixture).files("s").unwrap();
    assert_eq!(
        paths(&files),
        [
            "scripts/a.sh",
            "scripts/b.py",
            "references/a.md",
            "assets/logo.svg",
            "NOTES.md",
            "sub/ok.txt"
        ]
    );
    assert!(!files.truncated);
    assert_eq!(files.nested.iter().map(ResourcePath::as_str).collect::<Vec<_>>(), ["inner"]);
}

#[cfg(unix)]
#[test]
fn files_names_only_what_can_be_read() {
    let fixture = fixture()
        .link("root/s/inside.txt", "sub/ok.txt")
        .link("root/s/out.txt", "../../secret/id_rsa")
        .link("root/s/examples", "../../secret")
        .link("root/s/again", "sub")
        .link("root/s/loop", "loop")
        .link("root/s/up", "..")
        .fifo("root/s/pipe")
        .file("root/s/back\\slash", "")
        .file("root/s/nul", "");
    let folder = folder(&fixture);
    let files = folder.files("s").unwrap();
    assert_eq!(paths(&files), ["references/a.md", "inside.txt", "sub/ok.txt"]);
    for path in files.iter() {
        assert!(folder.read("s", path, &ReadOptions::default()).is_ok(), "{path}");
    }
}

#[test]
fn files_stops_at_a_thousand_and_says_so() {
    let mut fixture = fixture();
    for number in 0..998 {
        fixture = fixture.file(&format!("root/s/many/{number:04}.txt"), "");
    }
    let source = folder(&fixture);
    let files = source.files("s").unwrap();
    assert_eq!((files.len(), files.truncated), (1_000, false));
    let _fixture = fixture.file("root/s/zzz.txt", "");
    let files = source.files("s").unwrap();
    assert_eq!((files.len(), files.truncated), (1_000, true));
}

/// Security R01, R02, R04, R16, R21, spec assertion 98: such paths cannot be asked for at all.
#[test]
fn r01_r02_r04_r16_r21_paths_that_are_none() {
    for path in [
        "../SKILL.md",
        "a/../../x",
        "..",
        "/etc/passwd",
        "C:\\x",
        "C:x",
        "\\\\host\\s",
        "\\\\?\\C:\\x",
        "\\\\.\\pipe\\x",
        "//host/s",
        "../sister/x",
        "SKILL.md.",
        "refs /a",
        "a\0b",
        "",
    ] {
        assert!(path.parse::<ResourcePath>().is_err(), "{path:?}");
    }
}

/// Security R06: nothing is decoded.
#[test]
fn r06_percent_encoding_is_literal() {
    let fixture = fixture();
    let folder = folder(&fixture);
    for path in ["%2e%2e/x", "%2e%2e%2fx", "%252e%252e/x", "a%00b", "a%5c..%5cb"] {
        assert!(matches!(read(&folder, path), Err(SourceError::NoSuchFile { .. })), "{path}");
    }
    let _fixture = fixture.file("root/s/%2e%2e/x", "literal");
    assert_eq!(text(&folder, "%2e%2e/x"), "literal");
}

/// Security R07 to R10, R25: links out are refused, and the answer does not say where they lead.
#[cfg(unix)]
#[test]
fn r07_r08_r09_r10_r25_links_that_leave_the_skill() {
    let fixture = fixture().skill("root/sister", SKILL);
    let secret = fixture.join("secret");
    let fixture = fixture
        .link("root/s/relative", "../../secret/id_rsa")
        .link("root/s/absolute", secret.join("id_rsa"))
        .link("root/s/examples", "../../secret")
        .link("root/s/examples2", &secret)
        .link("root/s/sister", "../sister")
        .link("root/s/p", "/proc/self")
        .link("root/s/fd", "/proc/self/fd")
        .link("root/s/chain", "sub/chain")
        .link("root/s/sub/chain", "../../../secret/id_rsa");
    let folder = folder(&fixture);
    for path in [
        "relative",
        "absolute",
        "examples/id_rsa",
        "examples2/id_rsa",
        "sister/SKILL.md",
        "p/root/etc/passwd",
        "fd/0",
        "chain",
    ] {
        assert_eq!(refusal(&folder, path), "it leads out of the skill", "{path}");
        let error = format!("{0} {0:?}", read(&folder, path).unwrap_err());
        assert!(!error.contains("secret") && !error.contains("proc"), "{error}");
    }
}

/// Security R11: links inside the skill are followed; a circle is refused.
#[cfg(unix)]
#[test]
fn r11_links_inside_the_skill_are_followed() {
    let fixture = fixture()
        .link("root/s/l", "sub/ok.txt")
        .link("root/s/d", "sub")
        .link("root/s/sub/up.md", "../references/a.md")
        .link("root/s/loop", "loop");
    let folder = folder(&fixture);
    assert_eq!(text(&folder, "l"), "inside ok");
    assert_eq!(text(&folder, "d/ok.txt"), "inside ok");
    assert_eq!(text(&folder, "sub/up.md"), "inside a");
    assert_eq!(refusal(&folder, "loop"), "it is a link that leads in a circle");
}

/// The skill and its own file may be links where discovery lets them; the rest stays confined.
#[cfg(unix)]
#[test]
fn linked_skills_are_read_where_they_are() {
    let fixture = Fixture::new()
        .skill("root/.store/one", SKILL)
        .file("root/.store/one/a.md", "inside")
        .file("root/.store/secret.md", "swordfish")
        .link("root/.store/one/out.md", "../secret.md")
        .file("root/.store/shared.md", SKILL);
    let store = fixture.join("root/.store");
    let fixture = fixture
        .link("root/relative", ".store/one")
        .dir("root/shared")
        .link("root/shared/SKILL.md", store.join("shared.md"))
        .skill("elsewhere/far", SKILL)
        .file("elsewhere/far/a.md", "far")
        .link("root/far", "../elsewhere/far")
        .dir("root/file")
        .link("root/file/SKILL.md", "../../elsewhere/far/SKILL.md");
    let anywhere = Discovery {
        linked_directories: Links::Anywhere,
        linked_files: Links::Anywhere,
        ..Discovery::default()
    };
    let source = folder(&fixture).discovery(anywhere);
    let read = |folder: &Folder, key: &str, path: &str| {
        let read = folder.read(key, &path.parse().unwrap(), &ReadOptions::default());
        read.map(|resource| resource.text_lossy().into_owned())
    };
    for key in ["relative", "shared", "far", "file"] {
        assert_eq!(read(&source, key, "SKILL.md").unwrap(), SKILL, "{key}");
    }
    assert_eq!(read(&source, "relative", "a.md").unwrap(), "inside");
    assert_eq!(read(&source, "far", "a.md").unwrap(), "far");
    assert!(matches!(read(&source, "relative", "out.md"), Err(SourceError::Refused { .. })));
    assert_eq!(paths(&source.files("far").unwrap()), ["a.md"]);

    let inside = folder(&fixture);
    assert_eq!(read(&inside, "shared", "SKILL.md").unwrap(), SKILL);
    for key in ["far", "file"] {
        let error = read(&inside, key, "SKILL.md").unwrap_err();
        assert!(matches!(error, SourceError::UnknownSkill { .. }), "{error}");
    }
}

/// Security R13, R14: folders that are swapped for links while we read, below the skill, at it and
/// above it.
#[cfg(unix)]
#[test]
fn r13_r14_races_never_lead_out() {
    let fixture = Fixture::new()
        .skill("root/s", SKILL)
        .file("root/s/d/f", "inside")
        .file("outside/f", "swordfish")
        .skill("outside/s", SKILL)
        .file("outside/s/d/f", "swordfish");
    let outside = fixture.join("outside");
    let fixture = fixture
        .link("root/s/link", &outside)
        .link("root/other", outside.join("s"))
        .link("elsewhere", &outside);
    let source = folder(&fixture);
    source.list().unwrap();
    let mut refused = 0;
    for (place, link) in
        [("root/s/d", "root/s/link"), ("root/s", "root/other"), ("root", "elsewhere")]
    {
        let mut good = 0;
        for answer in read_while_swapping(&source, &fixture.join(place), &fixture.join(link)) {
            match answer {
                Ok(text) => {
                    assert_eq!(text, "inside", "{place}");
                    good += 1;
                }
                Err(_) => refused += 1,
            }
        }
        assert!(good > 0, "{place} was never read");
    }
    assert!(refused > 0, "the race did not take place");
}

/// What is read and listed in two thirds of a second while another thread swaps a folder and a link.
#[cfg(unix)]
fn read_while_swapping(
    source: &Folder,
    place: &Path,
    link: &Path,
) -> Vec<Result<String, SourceError>> {
    use std::fs::rename;
    use std::sync::atomic::{AtomicBool, Ordering};
    let stop = AtomicBool::new(false);
    let aside = place.with_file_name(".aside");
    let mut answers = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                rename(place, &aside).unwrap();
                rename(link, place).unwrap();
                rename(place, link).unwrap();
                rename(&aside, place).unwrap();
            }
        });
        let start = std::time::Instant::now();
        while start.elapsed().as_millis() < 667 {
            let text = read(source, "d/f").map(|resource| resource.text_lossy().into_owned());
            answers.push(text);
            let files = source.files("s").map(|files| paths(&files).concat());
            // Nothing, or the one file there is.
            answers.extend(files.ok().filter(|listed| !["", "d/f"].contains(&&**listed)).map(Ok));
        }
        stop.store(true, Ordering::Relaxed);
    });
    answers
}

/// Security R17: pipes, sockets, devices and directories, without waiting.
#[cfg(unix)]
#[test]
fn r17_only_regular_files_are_read() {
    let fixture = fixture().fifo("root/s/pipe");
    let _socket = std::os::unix::net::UnixListener::bind(fixture.join("root/s/socket")).unwrap();
    let folder = folder(&fixture);
    let start = std::time::Instant::now();
    assert_eq!(refusal(&folder, "pipe"), "it is a pipe or a device");
    assert_eq!(refusal(&folder, "socket"), "it is a socket or a device");
    assert_eq!(refusal(&folder, "sub"), "it is a directory");
    assert!(start.elapsed().as_secs() < 5, "it waited for a writer");
}

/// Security R18: over the limit is refused with the size, and read in ranges.
#[test]
fn r18_large_files_are_read_in_ranges() {
    let fixture = fixture();
    let place = fixture.join("root/s/big.bin");
    let fixture = fixture.bytes("root/s/big.bin", b"0123456789");
    std::fs::OpenOptions::new().write(true).open(&place).unwrap().set_len(16 << 20).unwrap();
    let folder = folder(&fixture);
    let error = read(&folder, "big.bin").unwrap_err();
    let message = "`big.bin` of the skill `s` has 16777216 bytes, the limit is 1048576";
    assert_eq!(error.to_string(), message);

    let part = |range, limit| {
        let options = ReadOptions { range: Some(range), limit };
        folder.read("s", &"big.bin".parse().unwrap(), &options)
    };
    let resource = part(2..5, 3).unwrap();
    assert_eq!((resource.bytes.as_slice(), resource.size), (&b"234"[..], 16 << 20));
    assert!(matches!(part(2..6, 3), Err(SourceError::TooLarge { size: 4, limit: 3, .. })));
    assert_eq!(part((16 << 20) - 2..u64::MAX, 3).unwrap().bytes, [0, 0]);
    assert_eq!(part(u64::MAX - 1..u64::MAX, 3).unwrap().bytes, [0_u8; 0]);
    let backwards = std::ops::Range { start: 5, end: 2 };
    assert_eq!(part(backwards, 3).unwrap().bytes, [0_u8; 0]);

    let exactly = |limit| {
        let options = ReadOptions { limit, range: None };
        folder.read("s", &"sub/ok.txt".parse().unwrap(), &options)
    };
    assert!(exactly(9).is_ok());
    assert!(matches!(exactly(8), Err(SourceError::TooLarge { size: 9, limit: 8, .. })));
}

/// Security R19: bytes stay bytes, and are text only when they are.
#[test]
fn r19_bytes_are_never_taken_for_text() {
    let fixture = fixture()
        .bytes("root/s/a.png", b"\x89PNG\r\n\x1a\n")
        .bytes("root/s/utf16.txt", b"\xff\xfea\0");
    let folder = folder(&fixture);
    for path in ["a.png", "utf16.txt"] {
        assert_eq!(read(&folder, path).unwrap().text(), None);
    }
    assert_eq!(read(&folder, "a.png").unwrap().bytes, b"\x89PNG\r\n\x1a\n");
}

/// Security R23: only the spelling on disk, on every file system.
#[test]
fn r23_another_case_is_another_file() {
    let fixture = fixture();
    let folder = folder(&fixture);
    for path in ["skill.MD", "Sub/ok.txt", "sub/OK.txt"] {
        assert!(matches!(read(&folder, path), Err(SourceError::NoSuchFile { .. })), "{path}");
    }
}

/// A listing holds the folder open; reading does not depend on the path any more.
#[cfg(unix)]
#[test]
fn r14_a_root_that_moves_is_still_the_same() {
    let fixture = fixture();
    let folder = folder(&fixture);
    folder.list().unwrap();
    std::fs::rename(fixture.join("root"), fixture.join("moved")).unwrap();
    let _fixture = fixture.link("root", "secret");
    assert_eq!(text(&folder, "sub/ok.txt"), "inside ok");
}

/// A source is shared between threads.
#[test]
fn readers_and_listers_do_not_disturb_one_another() {
    let fixture = fixture();
    let folder = folder(&fixture);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..50).for_each(|_| assert_eq!(text(&folder, "SKILL.md"), SKILL)));
            scope
                .spawn(|| (0..50).for_each(|_| assert_eq!(folder.list().unwrap().skills.len(), 1)));
        }
    });
    assert!(Path::new(folder.list().unwrap().skills[0].location()).exists());
}
