//! Turns arguments into calls, and results into output.
fn main() {}
