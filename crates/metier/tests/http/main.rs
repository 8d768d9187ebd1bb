//! Turns servers on this machine into what the library makes of their answers, one module a subject.
#![allow(clippy::unwrap_used, reason = "what tests share fails like a test")]

mod addresses;
mod cache;
mod limits;
mod redirects;
mod server;
mod shapes;
mod tls;
mod verify;
