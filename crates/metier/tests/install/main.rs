//! Turns references, trees, archives and repositories into what the installer makes of them, one module a subject.
#![allow(clippy::unwrap_used, reason = "what tests share fails like a test")]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the tests build real files, run real commands and serve on sockets of their own"
)]

mod adding;
mod archive;
mod changing;
mod copies;
mod crash;
mod defects;
mod full_disk;
mod git;
mod going_back;
mod hostile;
mod locking;
mod pack;
mod place;
mod reference;
mod repository;
mod sealed;
mod transport;
mod tree;
mod trust;
mod web;
