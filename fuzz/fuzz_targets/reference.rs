//! Turns any text into a reference that can be written and read again, or into an error that can be shown.

#![no_main]

use metier::install::Reference;

libfuzzer_sys::fuzz_target!(|text: &str| match text.parse::<Reference>() {
    Ok(reference) => {
        let shown = reference.to_string();
        assert!(!shown.starts_with('-'), "{shown}");
        // The name of a folder may be anything; an address names no program.
        let url = reference.repository().map(|(url, ..)| url.to_string());
        assert!(url.is_none_or(|url| !url.contains("::") || url.contains("[")), "{shown}");
        assert_eq!(shown.parse::<Reference>().as_ref(), Ok(&reference), "{shown}");
    }
    Err(error) => {
        let message = error.to_string();
        assert!(!message.contains(char::is_control), "{message:?}");
    }
});
