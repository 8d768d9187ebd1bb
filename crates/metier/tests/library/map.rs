//! Turns the source folders into the rooms that ARCHITECTURE.md must name.

#![expect(clippy::disallowed_methods, reason = "the test reads the repository")]

use std::path::Path;

#[test]
fn the_map_names_every_room() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let map = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let mut missing = Vec::new();
    for folder in ["crates/metier-core/src", "crates/metier/src", "crates/metier-mcp/src"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let is_room = path.extension().is_some_and(|e| e == "rs") && name != "lib";
            if is_room && !map.contains(&format!("`{name}`")) {
                missing.push(format!("{folder}/{name}.rs"));
            }
        }
    }
    missing.sort();
    assert!(missing.is_empty(), "ARCHITECTURE.md does not name {missing:?}");
}
