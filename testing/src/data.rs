//! Turns the place where real skills may lie into a path, or into a line that says they are absent.

use std::env;
use std::path::{Path, PathBuf};

/// The folder of real skills that some tests also run on; they are too large to be kept here.
///
/// `METIER_TEST_DATA` names it; without that, `shared/data` beside the repository counts. Where
/// neither is there, a line says so and the test passes with `None`. A variable that names no
/// folder panics: who sets it wants the test to run.
///
/// ```
/// let Some(data) = testing::shared_data() else { return };
/// assert!(data.is_dir());
/// ```
#[expect(clippy::print_stderr, reason = "a test that runs on less must say so")]
pub fn shared_data() -> Option<PathBuf> {
    if let Some(path) = env::var_os("METIER_TEST_DATA") {
        let path = PathBuf::from(path);
        assert!(path.is_dir(), "`METIER_TEST_DATA` is not a folder: {}", path.display());
        return Some(path);
    }
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    if beside.is_dir() {
        return Some(beside);
    }
    eprintln!("no real skills to test on: set `METIER_TEST_DATA` to a folder of them");
    None
}
