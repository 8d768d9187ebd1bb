//! Turns generated corpora into the inputs of the benchmarks, and rounds of work into figures that can be compared.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and writes its corpus")]

pub mod search;

use std::path::Path;
use std::time::{Duration, Instant};
use testing::{Corpus, Layout};

/// The texts of `count` generated skills.
pub fn texts(count: usize) -> Vec<String> {
    Corpus { skills: count, ..Corpus::default() }.texts().map(|(_, text)| text).collect()
}

/// Writes `count` generated skills to a temporary folder.
pub fn folder(count: usize, layout: Layout) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let corpus = Corpus { skills: count, layout, ..Corpus::default() };
    corpus.write_to(folder.path()).expect("the corpus can be written");
    folder
}

/// Runs every job once a round, in turn, so that a busy moment hits all alike; gives the shortest
/// time of each.
pub fn shortest(rounds: usize, jobs: &mut [(&str, &mut dyn FnMut() -> usize)]) -> Vec<Duration> {
    let mut best = vec![Duration::MAX; jobs.len()];
    for _ in 0..rounds {
        for (at, (name, job)) in jobs.iter_mut().enumerate() {
            let start = Instant::now();
            let done = std::hint::black_box(job());
            best[at] = best[at].min(start.elapsed());
            assert!(done > 0, "{name} did nothing");
        }
    }
    best
}

/// How many skills the benchmarks on disk use: 10 000, or what `METIER_BENCH_SKILLS` says.
pub fn skills() -> usize {
    let given = std::env::var("METIER_BENCH_SKILLS").ok();
    given.and_then(|count| count.parse().ok()).unwrap_or(10_000)
}

/// The whole of every file, read with nothing in between: the floor of every check.
pub fn read_whole(files: &[impl AsRef<Path> + Sync], threads: usize) -> usize {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let bytes = std::sync::atomic::AtomicUsize::new(0);
    let work = || {
        loop {
            let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some(file) = files.get(at) else { break };
            let read = std::fs::read(file).map_or(0, |bytes| bytes.len());
            bytes.fetch_add(read, std::sync::atomic::Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    bytes.into_inner()
}
