//! Turns the command's own arguments into completions and manual pages.

use crate::metier;
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
    assert_eq!(
        fixture.tree().iter().filter(|path| path.ends_with(".1")).collect::<Vec<_>>(),
        [
            "man1/metier-add.1",
            "man1/metier-call.1",
            "man1/metier-check.1",
            "man1/metier-completions.1",
            "man1/metier-fmt.1",
            "man1/metier-installed.1",
            "man1/metier-list.1",
            "man1/metier-man.1",
            "man1/metier-new.1",
            "man1/metier-outdated.1",
            "man1/metier-read.1",
            "man1/metier-remove.1",
            "man1/metier-rule.1",
            "man1/metier-search.1",
            "man1/metier-show.1",
            "man1/metier-sync.1",
            "man1/metier-tools.1",
            "man1/metier-trust.1",
            "man1/metier-update.1",
            "man1/metier-verify.1",
            "man1/metier-why.1",
            "man1/metier.1",
        ]
    );
    assert!(fixture.read("man1/metier-check.1").contains("deny\\-warnings"));
    assert_eq!(metier(&fixture, &["man", "gone"]).exit_code(), Some(3));
}
