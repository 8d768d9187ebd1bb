//! Turns a chain of calls into a temporary folder that disappears with its value.

use crate::Command;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A temporary folder, built by value and removed when dropped.
///
/// Paths are relative to the folder and written with `/`; parents are made on the way. A call that
/// cannot do its work panics with the path.
///
/// ```
/// use testing::Fixture;
///
/// let fixture = Fixture::new()
///     .skill("pdf", "---\nname: pdf\ndescription: Fills forms.\n---\n")
///     .file("pdf/references/forms.md", "# Forms\n")
///     .dir("pdf/assets");
/// assert_eq!(fixture.tree(), ["pdf/SKILL.md", "pdf/assets/", "pdf/references/forms.md"]);
/// ```
#[derive(Debug)]
pub struct Fixture {
    root: PathBuf,
    _folder: TempDir,
}

impl Fixture {
    /// Makes an empty folder.
    #[expect(clippy::new_without_default, reason = "making a folder is an effect, not a default")]
    pub fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("metier-")
            .tempdir()
            .unwrap_or_else(|error| panic!("cannot make a temporary folder: {error}"));
        // A temporary folder may stand behind a link (macOS), and commands print the real path.
        // Windows is left alone: its canonical form is one that nobody writes.
        let root = if cfg!(windows) {
            folder.path().to_owned()
        } else {
            let path = folder.path();
            path.canonicalize().unwrap_or_else(|error| fail("resolve", path, &error))
        };
        Self { root, _folder: folder }
    }

    /// Writes a text file, replacing what was there.
    pub fn file(self, path: &str, text: &str) -> Self {
        self.bytes(path, text.as_bytes())
    }

    /// Writes `directory/SKILL.md`.
    pub fn skill(self, directory: &str, text: &str) -> Self {
        self.file(&format!("{directory}/SKILL.md"), text)
    }

    /// Writes a file of any bytes, replacing what was there.
    pub fn bytes(self, path: &str, bytes: &[u8]) -> Self {
        let path = self.place(path);
        fs::write(&path, bytes).unwrap_or_else(|error| fail("write", &path, &error));
        self
    }

    /// Makes a folder.
    pub fn dir(self, path: &str) -> Self {
        let path = self.join(path);
        fs::create_dir_all(&path).unwrap_or_else(|error| fail("make the folder", &path, &error));
        self
    }

    /// Writes a text file that may be run; Windows knows no such bit.
    pub fn executable(self, path: &str, text: &str) -> Self {
        let fixture = self.file(path, text);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let path = fixture.join(path);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
                .unwrap_or_else(|error| fail("make executable", &path, &error));
        }
        fixture
    }

    /// Makes a symbolic link; `target` is kept as it is written, so it may dangle or be relative.
    #[cfg(unix)]
    pub fn link(self, path: &str, target: impl AsRef<Path>) -> Self {
        let path = self.place(path);
        std::os::unix::fs::symlink(target, &path)
            .unwrap_or_else(|error| fail("link", &path, &error));
        self
    }

    /// Makes a named pipe, the file that hangs whoever reads it.
    #[cfg(unix)]
    pub fn fifo(self, path: &str) -> Self {
        let path = self.place(path);
        let status = std::process::Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap_or_else(|error| fail("run `mkfifo` for", &path, &error));
        assert!(status.success(), "cannot make the pipe {}: {status}", path.display());
        self
    }

    /// Removes a file, a link or a whole folder.
    pub fn remove(self, path: &str) -> Self {
        let path = self.join(path);
        let kind = path.symlink_metadata().unwrap_or_else(|error| fail("find", &path, &error));
        let removed =
            if kind.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.unwrap_or_else(|error| fail("remove", &path, &error));
        self
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// A path inside the folder, whether or not something is there.
    pub fn join(&self, path: &str) -> PathBuf {
        assert!(!Path::new(path).is_absolute(), "`{path}` is not relative to the fixture");
        path.split('/').fold(self.root.clone(), |joined, part| joined.join(part))
    }

    /// The text of a file.
    pub fn read(&self, path: &str) -> String {
        let path = self.join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| fail("read", &path, &error))
    }

    /// Everything in the folder, sorted, one string an entry.
    ///
    /// Marked as `ls -F` marks them: `run.sh*` may be run, `empty/` is a folder with nothing in it,
    /// `pipe|` is a pipe, and a link shows its target: `link -> target`.
    pub fn tree(&self) -> Vec<String> {
        let mut entries = Vec::new();
        collect(&self.root, "", &mut entries);
        entries.sort();
        entries
    }

    /// A command to run in the folder.
    pub fn command<A: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = A>,
    ) -> Command {
        Command::new(program, self.path()).args(args)
    }

    /// The full path of `path`, its parents made.
    fn place(&self, path: &str) -> PathBuf {
        let path = self.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)
                .unwrap_or_else(|error| fail("make the folder", parent, &error));
        }
        path
    }
}

/// Adds what stands under `folder`, whose own relative path is `prefix`.
fn collect(folder: &Path, prefix: &str, entries: &mut Vec<String>) {
    let listing = fs::read_dir(folder).unwrap_or_else(|error| fail("list", folder, &error));
    for entry in listing {
        let entry = entry.unwrap_or_else(|error| fail("list", folder, &error));
        let (path, name) = (entry.path(), entry.file_name());
        let name = format!("{prefix}{}", name.to_string_lossy());
        let kind = path.symlink_metadata().unwrap_or_else(|error| fail("find", &path, &error));
        if kind.is_dir() {
            let before = entries.len();
            collect(&path, &format!("{name}/"), entries);
            if entries.len() == before {
                entries.push(format!("{name}/"));
            }
        } else if kind.is_symlink() {
            let target =
                fs::read_link(&path).unwrap_or_else(|error| fail("read the link", &path, &error));
            entries.push(format!("{name} -> {}", target.display()));
        } else {
            entries.push(name + mark(&kind));
        }
    }
}

/// The sign that `ls -F` puts behind a file.
#[cfg(unix)]
fn mark(kind: &fs::Metadata) -> &'static str {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};
    if kind.file_type().is_fifo() {
        "|"
    } else if kind.permissions().mode() & 0o111 != 0 {
        "*"
    } else {
        ""
    }
}

/// The sign that `ls -F` puts behind a file.
#[cfg(not(unix))]
fn mark(_: &fs::Metadata) -> &'static str {
    ""
}

/// Ends the test with the operation and the path that failed.
fn fail(operation: &str, path: &Path, error: &std::io::Error) -> ! {
    panic!("cannot {operation} {}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::Fixture;

    #[test]
    fn a_later_file_replaces_an_earlier_one() {
        let fixture = Fixture::new().file("a/b.txt", "one").file("a/b.txt", "two");
        assert_eq!(fixture.read("a/b.txt"), "two");
        assert_eq!(fixture.tree(), ["a/b.txt"]);
    }

    #[test]
    fn bytes_are_kept_as_given() {
        let fixture = Fixture::new().bytes("a.bin", &[0xff, 0, b'\r', b'\n']);
        assert_eq!(std::fs::read(fixture.join("a.bin")).unwrap(), [0xff, 0, b'\r', b'\n']);
    }

    #[test]
    fn the_folder_goes_with_the_fixture() {
        let path = {
            let fixture = Fixture::new().file("a", "");
            fixture.path().to_owned()
        };
        assert!(!path.exists());
    }

    #[test]
    fn a_removed_folder_is_gone_from_the_tree() {
        let fixture = Fixture::new().file("a/b/c", "").file("d", "").remove("a");
        assert_eq!(fixture.tree(), ["d"]);
    }

    #[test]
    #[should_panic(expected = "is not relative to the fixture")]
    fn an_absolute_path_is_refused() {
        let absolute = if cfg!(windows) { "C:\\x" } else { "/x" };
        Fixture::new().join(absolute);
    }

    #[cfg(unix)]
    #[test]
    fn the_tree_marks_what_is_not_a_plain_file() {
        let fixture = Fixture::new()
            .executable("run.sh", "#!/bin/sh\n")
            .dir("empty/inner")
            .link("dangling", "nowhere")
            .link("deep/up", "../run.sh")
            .fifo("pipe");
        assert_eq!(
            fixture.tree(),
            ["dangling -> nowhere", "deep/up -> ../run.sh", "empty/inner/", "pipe|", "run.sh*"]
        );
    }
}
