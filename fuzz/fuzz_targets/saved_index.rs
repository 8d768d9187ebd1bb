//! Turns any bytes into an index or an error, and an index that was changed by them into an error.

#![no_main]

use metier_core::{Matcher as _, SkillIndex, SkillText};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(index) = SkillIndex::from_bytes(bytes) {
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
        changed[at] ^= 1;
    }
});
