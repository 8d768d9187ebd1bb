//! Turns skills on disk into two figures: discovery against a bare walk, and the memory of a listing.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::disallowed_methods, reason = "the floor reads files with nothing in between")]

use benches::{folder, least, line, skills};
use metier::{Discovery, discover};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use testing::Layout;

/// How many listings are held to see what one of them takes.
const MORE: usize = 3;

fn main() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    // Listings are held to the end: what one gave back would hide what the next one takes.
    let mut kept = Vec::new();
    for layout in [Layout::Flat, Layout::Nested] {
        let count = skills();
        let corpus = folder(count, layout);
        let options = Discovery { threads, ..Discovery::default() };
        let find = || discover(corpus.path(), &options, &|_| {}).expect("the corpus can be read");

        // Once before measuring, so that neither pays for a cold disk.
        assert_eq!(floor(corpus.path(), threads), count);
        // The first listing leaves room behind that it needed on the way; the others fill it.
        let listing = find();
        assert_eq!((listing.skills.len(), listing.problems.len()), (count, 0));
        let text: usize = listing.skills.iter().map(|skill| skill.description().len()).sum();
        kept.extend((0..MORE).map(|_| find()));
        let before = resident();
        kept.extend((0..MORE).map(|_| find()));
        let grown = resident().zip(before).map(|(now, before)| now.saturating_sub(before) / MORE);

        let costs = least(
            if count > 20_000 { 5 } else { 15 },
            &mut [
                ("walking", &mut || floor(corpus.path(), threads)),
                ("discovering", &mut || find().skills.len()),
            ],
        );
        let each = |at: usize| costs[at].each(count);
        println!("{count} skills, {layout:?}, {threads} threads, microseconds a skill: wall, CPU");
        println!("{}", line("floor: walk, open, read 4 KiB", each(0), None));
        println!("{}", line("discover", each(1), Some(each(0))));
        if let Some(grown) = grown {
            let (each, text) = (grown / count, text / count);
            println!("  memory: {each} bytes a skill, {text} of them its description");
        }
    }
}

/// Looks into every directory down to the skills, and reads the first 4 KiB of each `SKILL.md`.
fn floor(root: &Path, threads: usize) -> usize {
    let found = AtomicUsize::new(0);
    let mut level = vec![root.to_owned()];
    while !level.is_empty() {
        let next = AtomicUsize::new(0);
        let below = Mutex::new(Vec::new());
        let work = || {
            let mut own = Vec::new();
            while let Some(directory) = level.get(next.fetch_add(1, Ordering::Relaxed)) {
                if visit(directory, &mut own) {
                    found.fetch_add(1, Ordering::Relaxed);
                }
            }
            below.lock().unwrap_or_else(PoisonError::into_inner).extend(own);
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        level = below.into_inner().unwrap_or_else(PoisonError::into_inner);
    }
    found.into_inner()
}

/// Whether a directory is a skill; if it is not, what stands below it is still to be looked into.
fn visit(directory: &Path, below: &mut Vec<PathBuf>) -> bool {
    let before = below.len();
    let mut is_skill = false;
    for entry in fs::read_dir(directory).expect("it was listed").flatten() {
        if entry.file_name() == "SKILL.md" {
            is_skill = true;
            let mut file = fs::File::open(entry.path()).expect("it was listed");
            let mut head = [0; 4096];
            std::hint::black_box(file.read(&mut head).expect("it was opened"));
        } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            below.push(entry.path());
        }
    }
    if is_skill {
        below.truncate(before);
    }
    is_skill
}

/// How much memory the process holds, where the system says so.
fn resident() -> Option<usize> {
    let about = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = about.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
