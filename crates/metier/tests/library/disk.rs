//! Turns every kind of file system object into bytes or a named refusal.
#![expect(clippy::disallowed_methods, reason = "the test looks at the files themselves")]

use metier::{OddFile, ReadError, create_folder, read_capped, write_atomically};
use std::time::Duration;
use testing::Fixture;

#[test]
fn reads_a_file_up_to_the_limit_and_not_beyond() {
    let fixture = Fixture::new().file("a", "12345").file("empty", "");
    assert_eq!(read_capped(&fixture.join("a"), 5).unwrap(), b"12345");
    assert_eq!(read_capped(&fixture.join("empty"), 5).unwrap(), b"");
    let error = read_capped(&fixture.join("a"), 4).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { limit: 4, size: 5, .. }), "{error}");
}

#[test]
fn names_what_is_wrong_with_a_path() {
    let fixture = Fixture::new().dir("SKILL.md");
    let missing = read_capped(&fixture.join("gone"), 10).unwrap_err();
    assert!(matches!(missing, ReadError::NotFound { .. }), "{missing}");
    let directory = read_capped(&fixture.join("SKILL.md"), 10).unwrap_err();
    assert!(matches!(directory, ReadError::Directory { .. }), "{directory}");
}

/// Security D01, D02: nothing waits for a writer, a peer or a device.
#[cfg(unix)]
#[test]
fn refuses_pipes_sockets_and_devices_at_once() {
    use std::os::unix::net::UnixListener;
    let fixture = Fixture::new().fifo("pipe");
    let _socket = UnixListener::bind(fixture.join("socket")).unwrap();
    for (path, expected) in [
        (fixture.join("pipe"), OddFile::Pipe),
        (fixture.join("socket"), OddFile::Socket),
        ("/dev/zero".into(), OddFile::Device),
        ("/dev/null".into(), OddFile::Device),
    ] {
        // A read that waits would wait forever, so it happens apart from the test.
        let (sender, receiver) = std::sync::mpsc::channel();
        let asked = path.clone();
        std::thread::spawn(move || sender.send(read_capped(&asked, 10)));
        match receiver.recv_timeout(Duration::from_secs(10)) {
            Ok(Err(ReadError::NotAFile { kind, .. })) => assert_eq!(kind, expected, "{path:?}"),
            other => panic!("{path:?}: {other:?}"),
        }
    }
}

/// Security D03: the size is judged before a byte is read.
#[test]
#[expect(clippy::disallowed_methods, reason = "a fixture writes bytes, and these are not written")]
fn a_sparse_file_of_ten_gigabytes_costs_nothing() {
    let fixture = Fixture::new().file("SKILL.md", "");
    let file = std::fs::OpenOptions::new().write(true).open(fixture.join("SKILL.md")).unwrap();
    file.set_len(10 << 30).unwrap();
    let error = read_capped(&fixture.join("SKILL.md"), 1 << 20).unwrap_err();
    assert_eq!(error.path(), fixture.join("SKILL.md"));
    assert!(error.to_string().ends_with("10737418240 bytes, the limit is 1048576"), "{error}");
}

/// Security D04: a file that says it is empty and is not (as those of `/proc`) is read to its end,
/// and still not past the limit.
#[cfg(target_os = "linux")]
#[test]
fn the_cap_counts_bytes_read_not_the_size_the_file_claims() {
    let path = std::path::Path::new("/proc/self/maps");
    assert!(read_capped(path, 1 << 20).unwrap().len() > 64);
    let error = read_capped(path, 16).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { limit: 16, .. }), "{error}");
}

#[test]
fn an_error_shows_a_hostile_path_on_one_line() {
    let error = read_capped("x\nERROR: fake\u{1b}[2J".as_ref(), 1).unwrap_err();
    assert_eq!(error.to_string(), r"`x\nERROR: fake\u{1b}[2J` does not exist");
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_permissions_and_leaves_nothing_behind() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new().file("a/SKILL.md", "old");
    let path = fixture.join("a/SKILL.md");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    write_atomically(&path, b"new").unwrap();
    assert_eq!(fixture.read("a/SKILL.md"), "new");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fixture.path().join("a").read_dir().unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_linked_file_is_replaced_where_it_stands_and_the_link_stays() {
    let fixture = Fixture::new()
        .file("real/text.md", "old")
        .dir("skill")
        .link("skill/SKILL.md", "../real/text.md");
    write_atomically(&fixture.join("skill/SKILL.md"), b"new").unwrap();
    assert!(fixture.join("skill/SKILL.md").is_symlink());
    assert_eq!(fixture.read("real/text.md"), "new");
}

#[cfg(unix)]
#[test]
fn nothing_but_a_file_is_replaced() {
    let fixture = Fixture::new().fifo("pipe").dir("folder");
    for path in ["pipe", "folder"] {
        let error = write_atomically(&fixture.join(path), b"new").unwrap_err();
        assert!(error.to_string().contains("not a regular file"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_appears_whole_or_not_at_all() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new();
    let files = [("SKILL.md", "text"), ("scripts/run.sh", "#!/bin/sh\n")];
    create_folder(&fixture.join("deep/new"), &files).unwrap();
    assert_eq!(fixture.read("deep/new/scripts/run.sh"), "#!/bin/sh\n");
    let mode = |path: &str| fixture.join(path).metadata().unwrap().permissions().mode();
    assert_eq!(mode("deep/new/scripts/run.sh") & 0o100, 0o100);
    assert_eq!(mode("deep/new/SKILL.md") & 0o111, 0);
    assert_eq!(mode("deep/new") & 0o500, 0o500);

    let again = create_folder(&fixture.join("deep/new"), &[("SKILL.md", "other")]).unwrap_err();
    assert!(again.to_string().ends_with("it already exists"), "{again}");
    assert_eq!(fixture.read("deep/new/SKILL.md"), "text");
    assert_eq!(fixture.join("deep").read_dir().unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_left_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new().file("a/SKILL.md", "old");
    let path = fixture.join("a/SKILL.md");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    let error = write_atomically(&path, b"new").unwrap_err();
    assert!(error.to_string().ends_with("it is read-only"), "{error}");
    assert_eq!(fixture.read("a/SKILL.md"), "old");
}

#[test]
fn a_write_error_does_not_name_a_file_that_nobody_gave() {
    let fixture = Fixture::new().file("file", "");
    for error in [
        write_atomically(&fixture.join("gone/SKILL.md"), b"new").unwrap_err(),
        write_atomically(&fixture.join("file/SKILL.md"), b"new").unwrap_err(),
    ] {
        assert!(!error.to_string().contains(".metier-"), "{error}");
    }
}
