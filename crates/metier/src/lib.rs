//! Turns folders into skills.
pub use metier_core::*;
