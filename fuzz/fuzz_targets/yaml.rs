//! Turns any text into the frontmatter of a file, so that the bytes that are tried are all YAML.

#![no_main]

#[path = "../../crates/metier-core/tests/law/mod.rs"]
#[allow(dead_code, reason = "each target holds its own laws")]
mod law;

libfuzzer_sys::fuzz_target!(|fields: &str| {
    let text = format!("---\n{fields}\n---\n# Steps\n");
    law::spans_lie_in_the_text(text.as_bytes(), None);
    law::nothing_is_dropped_silently(text.as_bytes(), None);
    law::skills_survive_writing(&text, None);
    law::formatting_keeps_the_skill(&text);
    law::a_comment_changes_nothing(&text);
});
