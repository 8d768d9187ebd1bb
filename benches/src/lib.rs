//! Turns generated corpora into the inputs of the benchmarks, and rounds of work into figures that can be compared.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and writes its corpus")]

pub mod load;
pub mod search;
pub mod wire;

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

/// What a job took.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// As long as someone waits for it.
    pub wall: Duration,
    /// As long as all threads together worked on it, which others on the machine change less.
    pub cpu: Duration,
}

impl Cost {
    /// Microseconds of both, for one of `count` skills.
    pub fn each(self, count: usize) -> [f64; 2] {
        let count = f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        [self.wall, self.cpu].map(|time| time.as_secs_f64() * 1e6 / count)
    }
}

/// Runs every job once a round, in turn, so that a busy moment hits all alike; gives the shortest
/// time of each.
pub fn shortest(rounds: usize, jobs: &mut [(&str, &mut dyn FnMut() -> usize)]) -> Vec<Duration> {
    least(rounds, jobs).into_iter().map(|cost| cost.wall).collect()
}

/// As [`shortest`], with the least work of each.
pub fn least(rounds: usize, jobs: &mut [(&str, &mut dyn FnMut() -> usize)]) -> Vec<Cost> {
    let mut best = vec![Cost { wall: Duration::MAX, cpu: Duration::MAX }; jobs.len()];
    for _ in 0..rounds {
        for (at, (name, job)) in jobs.iter_mut().enumerate() {
            let (start, worked) = (Instant::now(), cpu_time());
            let done = std::hint::black_box(job());
            best[at].wall = best[at].wall.min(start.elapsed());
            best[at].cpu = best[at].cpu.min(cpu_time().saturating_sub(worked));
            assert!(done > 0, "{name} did nothing");
        }
    }
    best
}

/// How long the threads of this process have worked.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// One line of figures: a name, wall and CPU time, and both as multiples of a floor.
pub fn line(name: &str, each: [f64; 2], floor: Option<[f64; 2]>) -> String {
    let [wall, cpu] = each;
    match floor {
        None => format!("  {name:<34} {wall:6.2} {cpu:6.2}"),
        Some(floor) => {
            let (wall_ratio, cpu_ratio) = (wall / floor[0], cpu / floor[1]);
            format!(
                "  {name:<34} {wall:6.2} {cpu:6.2}   {wall_ratio:.2} {cpu_ratio:.2} times the floor"
            )
        }
    }
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
