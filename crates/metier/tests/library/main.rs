//! Turns real folders into what the library says about them, one module for each room.

mod check;
mod discover;
mod disk;
mod find;
mod folder;
mod folder_source;
