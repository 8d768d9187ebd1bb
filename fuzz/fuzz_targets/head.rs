//! Turns any text and any way of cutting it into a head that agrees with the whole file.

#![no_main]

#[path = "../../crates/metier-core/tests/law/mod.rs"]
#[allow(dead_code, reason = "each target holds its own laws")]
mod law;

libfuzzer_sys::fuzz_target!(|input: (u8, &str)| {
    let (chunk, text) = input;
    law::heads_agree_with_files(text, Some("pdf-tools"), usize::from(chunk));
});
