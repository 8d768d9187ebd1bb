//! Turns any bytes into an index or an error, and an index that was changed by them into an error.

#![no_main]

use metier_core::{IndexBytes, IndexUse, Matcher as _, SkillIndex, SkillText};
use std::sync::Arc;

#[derive(Debug)]
struct Blob(Vec<u8>);

impl IndexBytes for Blob {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, from: u64, length: usize) -> Option<Vec<u8>> {
        let from = usize::try_from(from).ok()?;
        Some(self.0.get(from..from.checked_add(length)?)?.to_vec())
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for index in [
        SkillIndex::from_bytes(bytes),
        SkillIndex::open(Arc::new(Blob(bytes.to_vec())), IndexUse::OneQuery),
    ]
    .into_iter()
    .flatten()
    {
        let _ = index.search("fill in the tax form", 10);
    }
    let text = String::from_utf8_lossy(bytes);
    let skill = SkillText { id: "a", name: &text, description: &text, ..SkillText::default() };
    let index = SkillIndex::build([skill]);
    let saved = index.to_bytes();
    let read = SkillIndex::from_bytes(&saved).expect("what was written can be read");
    assert_eq!(index.search(&text, 10), read.search(&text, 10));
    let mut changed = saved;
    for (place, byte) in bytes.iter().enumerate() {
        let at = (place * 257 + usize::from(*byte)) % changed.len();
        changed[at] ^= 1;
        assert!(SkillIndex::from_bytes(&changed).is_err());
        // What is read later is seen to be damaged then.
        if let Ok(opened) = SkillIndex::open(Arc::new(Blob(changed.clone())), IndexUse::OneQuery) {
            let _ = opened.search(&text, 10);
            let _ = opened.to_bytes();
            assert!(opened.is_damaged());
        }
        changed[at] ^= 1;
    }
});
