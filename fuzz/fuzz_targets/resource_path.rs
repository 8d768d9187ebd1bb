//! Turns any text into a path that stays inside its skill, or into an error that can be shown.

#![no_main]

use metier_core::ResourcePath;
use std::path::{Component, Path};

libfuzzer_sys::fuzz_target!(|text: &str| match text.parse::<ResourcePath>() {
    Ok(path) => {
        let is_inside = |component| matches!(component, Component::Normal(_));
        assert!(Path::new(path.as_str()).components().all(is_inside), "{path}");
        assert!(path.as_str().len() <= 512 && path.components().count() <= 16);
        assert!(!path.as_str().contains(['\\', ':']) && !path.as_str().contains(char::is_control));
        assert_eq!(path.as_str().parse::<ResourcePath>().as_ref(), Ok(&path));
    }
    Err(error) => {
        let message = error.to_string();
        assert!(!message.contains(char::is_control), "{message:?}");
    }
});
