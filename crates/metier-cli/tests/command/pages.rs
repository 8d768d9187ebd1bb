//! Turns the command's own arguments into completions and manual pages.

use crate::{commands, metier};
use std::collections::BTreeSet;
use testing::Fixture;

#[test]
fn completions_exist_for_every_shell() {
    let fixture = Fixture::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = metier(&fixture, &["completions", shell]);
        assert_eq!(output.exit_code(), Some(0), "{shell}");
        assert!(output.stdout().contains("stdin-name"), "{shell}");
    }
    assert_eq!(metier(&fixture, &["completions", "cmd"]).exit_code(), Some(2));
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let fixture = Fixture::new().dir("man1");
    let output = metier(&fixture, &["man"]);
    assert!(output.stdout().contains(".TH metier 1"), "{output}");
    let output = metier(&fixture, &["man", "man1"]);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    let tree = fixture.tree();
    let pages: BTreeSet<&str> = tree.iter().filter_map(|path| path.strip_prefix("man1/")).collect();
    let mut expected: Vec<String> =
        commands(&fixture).iter().map(|name| format!("metier-{name}.1")).collect();
    expected.push("metier.1".to_owned());
    assert_eq!(pages, expected.iter().map(String::as_str).collect());
    assert!(fixture.read("man1/metier-check.1").contains("deny\\-warnings"));
    assert_eq!(metier(&fixture, &["man", "gone"]).exit_code(), Some(3));
}
