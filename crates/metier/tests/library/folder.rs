//! Turns the folder of a skill into its listing.

use metier::{EntryKind, list_folder};
use testing::Fixture;

#[cfg(unix)]
#[test]
fn lists_sorted_with_what_matters_about_each_entry() {
    let fixture = Fixture::new()
        .file("s/SKILL.md", "")
        .file("s/scripts-old/x.md", "")
        .executable("s/scripts/run.sh", "#!/bin/sh\n")
        .file("s/scripts/lib.py", "import os\n")
        .file("s/tool.py", "#!/usr/bin/env python3\n")
        .file("s/.env", "")
        .file("s/node_modules/x.js", "")
        .file("outside.md", "")
        .link("s/in", "scripts")
        .link("s/out", "../outside.md")
        .link("s/gone", "nowhere")
        .fifo("s/pipe");
    let folder = list_folder(&fixture.join("s"), "SKILL.md").unwrap();
    let file = |executable, shebang| EntryKind::File { executable, shebang };
    let listed: Vec<_> = folder.entries.iter().map(|e| (e.path.as_str(), e.kind)).collect();
    assert_eq!(
        listed,
        [
            ("gone", EntryKind::Link { inside: false }),
            ("in", EntryKind::Link { inside: true }),
            ("out", EntryKind::Link { inside: false }),
            ("pipe", EntryKind::Special),
            ("scripts", EntryKind::Directory),
            ("scripts-old", EntryKind::Directory),
            ("scripts-old/x.md", file(false, false)),
            ("scripts/lib.py", file(false, false)),
            ("scripts/run.sh", file(true, true)),
            ("tool.py", file(false, true)),
        ]
    );
    assert!(!folder.truncated);
}

#[test]
fn stops_at_a_thousand_entries_and_says_so() {
    let mut fixture = Fixture::new();
    for number in 0..1_001 {
        fixture = fixture.file(&format!("s/{number:04}.txt"), "");
    }
    let folder = list_folder(&fixture.join("s"), "SKILL.md").unwrap();
    assert_eq!((folder.entries.len(), folder.truncated), (1_000, true));
}
