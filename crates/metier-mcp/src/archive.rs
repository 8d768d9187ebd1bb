//! Turns the files of a skill into a `.tar.gz` that is the same wherever and whenever it is made.

use crate::package::Contents;
use flate2::{Compression, GzBuilder};
use std::io::Write as _;

/// The size of everything in a tar.
const BLOCK: usize = 512;

/// The most bytes of a name, and of the directories before it, that every reader of tar understands.
const NAME: usize = 100;
const PREFIX: usize = 155;

/// The archive, with the files at its root and in the order of their paths; `None` when a path is longer
/// than old readers understand, or the archive cannot be written.
pub(crate) fn archive(contents: &Contents) -> Option<Vec<u8>> {
    let mut tar = Vec::new();
    for (path, bytes) in contents {
        tar.extend_from_slice(&header(path, bytes)?);
        tar.extend_from_slice(bytes);
        tar.resize(tar.len().next_multiple_of(BLOCK), 0);
    }
    tar.resize(tar.len() + 2 * BLOCK, 0);
    // No time and no system: the same files are the same bytes.
    let mut gzip =
        GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::new(9));
    gzip.write_all(&tar).ok()?;
    gzip.finish().ok()
}

/// The header of a regular file, as POSIX `ustar` has it.
fn header(path: &str, bytes: &[u8]) -> Option<[u8; BLOCK]> {
    let (prefix, name) = split(path)?;
    // Whoever may read a script may run it.
    let mode = if bytes.starts_with(b"#!") { "0000755\0" } else { "0000644\0" };
    let size = format!("{:011o}\0", bytes.len());
    let mut header = [0; BLOCK];
    let fields: [(usize, &[u8]); 10] = [
        (0, name.as_bytes()),
        (100, mode.as_bytes()),
        (108, b"0000000\0"),
        (116, b"0000000\0"),
        (124, size.as_bytes()),
        (136, b"00000000000\0"),
        // The sum is made as if its own field were blank.
        (148, b"        "),
        (156, b"0"),
        (257, b"ustar\x0000"),
        (345, prefix.as_bytes()),
    ];
    for (at, field) in fields {
        header[at..at + field.len()].copy_from_slice(field);
    }
    let sum: u32 = header.iter().copied().map(u32::from).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Some(header)
}

/// The directories and the name, each within its bounds; the directories are empty where there is room.
fn split(path: &str) -> Option<(&str, &str)> {
    if path.len() <= NAME {
        return Some(("", path));
    }
    let slashes = path.match_indices('/').map(|(at, _)| at);
    slashes
        .map(|at| (&path[..at], &path[at + 1..]))
        .find(|(prefix, name)| prefix.len() <= PREFIX && name.len() <= NAME)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    fn contents(files: &[(&str, &str)]) -> Contents {
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().into())).collect()
    }

    #[test]
    fn the_same_files_are_the_same_bytes() {
        let one = contents(&[("SKILL.md", "x"), ("scripts/a.sh", "#!/bin/sh\n")]);
        let two = contents(&[("scripts/a.sh", "#!/bin/sh\n"), ("SKILL.md", "x")]);
        assert_eq!(archive(&one), archive(&two));
        let mut tar = Vec::new();
        flate2::read::GzDecoder::new(&archive(&one).unwrap()[..]).read_to_end(&mut tar).unwrap();
        assert_eq!(tar.len(), 6 * BLOCK);
        assert_eq!(&tar[..8], b"SKILL.md");
        assert_eq!(&tar[100..107], b"0000644");
        assert_eq!(&tar[1024 + 100..1024 + 107], b"0000755");
        let sum = std::str::from_utf8(&tar[148..154]).unwrap();
        let mut header = tar[..BLOCK].to_vec();
        header[148..156].copy_from_slice(b"        ");
        let expected: u32 = header.iter().copied().map(u32::from).sum();
        assert_eq!(u32::from_str_radix(sum, 8), Ok(expected));
    }

    #[test]
    fn long_paths_are_split_where_there_is_a_slash() {
        let (folder, name) = ("d".repeat(120), "n".repeat(90));
        assert_eq!(split(&format!("{folder}/{name}")), Some((folder.as_str(), name.as_str())));
        assert_eq!(split("short/name"), Some(("", "short/name")));
        assert_eq!(split(&"n".repeat(101)), None);
        assert_eq!(split(&format!("{}/{name}", "d".repeat(156))), None);
        assert!(archive(&contents(&[(&"n".repeat(101), "")])).is_none());
    }
}
