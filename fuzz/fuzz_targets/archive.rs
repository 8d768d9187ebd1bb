//! Turns any bytes into a tree that is within its limits, or into an error that can be shown.

#![no_main]

use metier::install::{PackageLimits, unpack};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let limits = PackageLimits {
        file_bytes: 4096,
        total_bytes: 16 * 1024,
        entries: 16,
        ..PackageLimits::default()
    };
    match unpack("", bytes, &limits) {
        Ok(tree) => {
            assert!(!tree.files().is_empty() && tree.files().len() <= limits.entries);
            assert!(tree.size() <= limits.total_bytes);
            assert!(tree.records().all(|record| record.size <= limits.file_bytes));
        }
        Err(error) => assert!(!error.to_string().contains(char::is_control)),
    }
});
