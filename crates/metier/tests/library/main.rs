//! Turns real folders into what the library says about them, one module for each room.

mod disk;
mod find;
mod folder;
