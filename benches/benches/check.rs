//! Turns ten thousand skills on disk into ratios: every rule on all of them, against reading them.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::disallowed_methods, reason = "the floor reads files with nothing in between")]

use benches::{folder, least, line, read_whole, skills};
use metier::{CheckOptions, FindOptions, Mode, ParseOptions, check_all, find};
use std::fs;
use std::path::{Path, PathBuf};
use testing::Layout;

fn main() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    for layout in [Layout::Flat, Layout::Nested] {
        let count = skills();
        let corpus = folder(count, layout);
        let root = [corpus.path()];
        let search = FindOptions { threads, ..FindOptions::default() };
        let options = CheckOptions {
            parse: ParseOptions { mode: Mode::Strict, ..ParseOptions::default() },
            ..CheckOptions::default()
        };
        let found = find(&root, &search);
        let all = all_files(corpus.path());
        let costs = least(
            15,
            &mut [
                ("reading", &mut || read_whole(&found.files, threads)),
                ("reading all", &mut || read_whole(&all, threads)),
                ("finding", &mut || find(&root, &search).files.len()),
                ("checking", &mut || check_all(&found, &options, threads, &|_| {}).len()),
                ("finding and checking", &mut || {
                    check_all(&find(&root, &search), &options, threads, &|_| {}).len()
                }),
            ],
        );
        let each = |at: usize| costs[at].each(count);
        let (read, read_all) = (each(0), each(1));
        println!("{count} skills, {layout:?}, {threads} threads, microseconds a skill: wall, CPU");
        println!("{}", line("reading every SKILL.md", read, None));
        println!("{}", line("every rule", each(3), Some(read)));
        // A check reads the other files of a skill too.
        println!("{}", line("reading every file", read_all, None));
        println!("{}", line("every rule", each(3), Some(read_all)));
        // Our own search is no floor, so it is shown apart.
        println!("{}", line("our search", each(2), None));
        println!("{}", line("search and every rule", each(4), None));
    }
}

/// The skill files and all others beside them.
fn all_files(root: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the corpus can be read").flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder { &mut folders } else { &mut files }.push(entry.path());
        }
    }
    files
}
