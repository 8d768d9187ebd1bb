//! Turns what a call did into the words and shapes that the tools of other systems answer with.

pub(crate) mod drover;
pub(crate) mod fizeau;
pub(crate) mod promptkit;
