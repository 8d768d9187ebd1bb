//! Turns real folders into what the library says about them, one module for each room.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod changing;
mod check;
mod choosing;
mod confinement;
mod disclosure;
mod discover;
mod disk;
mod find;
mod folder;
mod folder_source;
mod layers;
mod map;
mod memory;
mod registry;
mod reload;
mod trigger_test;
