//! Turns any text into a skill that is checked, fixed, formatted and written, with every law held.

#![no_main]

#[path = "../../crates/metier-core/tests/law/mod.rs"]
#[allow(dead_code, reason = "each target holds its own laws")]
mod law;

libfuzzer_sys::fuzz_target!(|text: &str| {
    law::modes_differ_in_severity_alone(text.as_bytes(), Some("pdf-tools"));
    law::fixes_end_and_keep_the_skill(text, Some("pdf-tools"));
    law::formatting_keeps_the_skill(text);
    law::skills_survive_writing(text, None);
});
