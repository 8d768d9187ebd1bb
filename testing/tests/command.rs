//! Turns the snapshot macro on commands whose output is known.

#![cfg(unix)]

use testing::{Fixture, command_snapshot};

#[test]
fn both_streams_the_code_and_the_root_are_in_one_snapshot() {
    let fixture = Fixture::new().dir("below");
    let script = r#"pwd; cat; echo "in $HOME as $WHO" >&2; exit 7"#;
    let command = fixture
        .command("sh", ["-c", script])
        .folder("below")
        .env("WHO", "me")
        .stdin("from stdin\n");
    command_snapshot!(command, @r"
    exit_code: 7
    ----- stdout -----
    [ROOT]/below
    from stdin
    ----- stderr -----
    in [ROOT] as me
    ");
}

#[test]
fn what_is_invisible_shows() {
    let fixture = Fixture::new();
    let command = fixture.command("printf", [r"a\r\n\033[31mred\033[0m"]);
    let output = command_snapshot!(command, @r"
    exit_code: 0
    ----- stdout -----
    a␍
    ⟨U+001B⟩[31mred⟨U+001B⟩[0m␄
    ----- stderr -----
    ");
    assert_eq!(output.stdout_bytes(), b"a\r\n\x1b[31mred\x1b[0m");
}
