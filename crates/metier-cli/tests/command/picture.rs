//! Turns the README's picture into what the command really prints.

#![expect(clippy::disallowed_methods, reason = "a test reads and rewrites the picture")]

use crate::metier;
use testing::Fixture;

const INVOICES: &str = "\
---
name: Invoices
description: Writes invoices. Use when: the user bills a customer.
allowed-tools: Read, Write
---

# Invoices

1. Fill in [the template](assets/invoice.md).
";

/// `METIER_UPDATE_DOCS=1 cargo test` draws the picture anew.
#[test]
fn the_readme_shows_what_the_command_prints() {
    let fixture = Fixture::new().skill("invoices", INVOICES);
    let output = metier(&fixture, &["check", "--color", "always"]);
    assert_eq!(output.exit_code(), Some(1));
    let printed = format!("$ metier check\n{}{}", output.stdout(), output.stderr());
    let picture = anstyle_svg::Term::new().min_width_px(820).render_svg(&printed);

    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/images/check.svg");
    if std::env::var_os("METIER_UPDATE_DOCS").is_some() {
        std::fs::write(path, &picture).unwrap();
    }
    let shown = std::fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    assert!(shown == picture, "{path} is stale; run the test with METIER_UPDATE_DOCS=1");
}
