//! Turns servers on this machine into what the library makes of their answers, one module a subject.
#![allow(clippy::unwrap_used, reason = "what tests share fails like a test")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the tests serve on sockets of their own"
)]

mod addresses;
mod cache;
mod limits;
mod redirects;
mod server;
mod shapes;
mod tls;
mod verify;
