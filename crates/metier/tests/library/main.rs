//! Turns real folders into what the library says about them, one module for each room.

mod check;
mod disk;
mod find;
mod folder;
