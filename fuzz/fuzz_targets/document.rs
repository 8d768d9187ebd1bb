//! Turns any bytes into a check of a whole file: nothing panics, every span is right, nothing is dropped silently.

#![no_main]

#[path = "../../crates/metier-core/tests/law/mod.rs"]
#[allow(dead_code, reason = "each target holds its own laws")]
mod law;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    law::spans_lie_in_the_text(bytes, Some("pdf-tools"));
    law::modes_differ_in_severity_alone(bytes, None);
    law::nothing_is_dropped_silently(bytes, None);
});
