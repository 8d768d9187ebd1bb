//! Turns references, trees, archives and repositories into what the installer makes of them, one module a subject.
#![allow(clippy::unwrap_used, reason = "what tests share fails like a test")]
#![expect(clippy::disallowed_methods, reason = "the tests build real files and run real commands")]

mod archive;
mod pack;
mod reference;
mod tree;
