//! Turns generated or real skills into documents and queries of given sizes, and searches into percentiles.

use serde::Deserialize;
use std::path::Path;
use std::time::{Duration, Instant};
use testing::Corpus;

/// A skill, as a search reads it.
#[derive(Debug, Clone, Deserialize)]
pub struct Document {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Its body.
    pub body: String,
}

/// So many generated skills, with bodies of 4 KB.
pub fn generated(count: usize) -> Vec<Document> {
    let corpus = Corpus { skills: count, ..Corpus::default() };
    let skills = (0..count).map(|at| corpus.skill(at));
    let document = |skill: testing::Generated| {
        let parsed = metier_core::parse(&skill.text).skill?;
        Some(Document {
            id: skill.directory,
            name: skill.name,
            description: parsed.description().to_owned(),
            body: parsed.body().to_owned(),
        })
    };
    skills.filter_map(document).collect()
}

/// So many real skills, from a file of JSON lines. Where the file has fewer, they are shuffled: the
/// body of one under the description of a second and the name of a third.
pub fn real(path: &Path, count: usize) -> Option<Vec<Document>> {
    let text = std::fs::read_to_string(path).ok()?;
    let known: Vec<Document> =
        text.lines().map(serde_json::from_str).collect::<Result<_, _>>().ok()?;
    let document = |at: usize| {
        let (round, place) = (at / known.len(), at % known.len());
        let pick = |step: usize| &known[(place + round * step) % known.len()];
        Document {
            id: format!("{}-{round}", pick(0).id),
            name: pick(101).name.clone(),
            description: pick(211).description.clone(),
            body: pick(0).body.clone(),
        }
    };
    Some((0..count).map(document).collect())
}

/// Queries of so many words: what stands somewhere in a description or, if it is long, in a body.
pub fn queries(documents: &[Document], words: usize, count: usize) -> Vec<String> {
    let mut queries = Vec::new();
    for at in 0..count * 20 {
        let document = &documents[(at * 7919) % documents.len()];
        let text = if words <= 3 { &document.description } else { &document.body };
        let all: Vec<&str> = text.split_whitespace().collect();
        if all.len() >= words && queries.len() < count {
            let start = (at * 31) % (all.len() - words + 1);
            queries.push(all[start..start + words].join(" "));
        }
    }
    queries
}

/// The time of each query, the shortest of a few, sorted: what is slow is the query, not the moment.
pub fn times(queries: &[String], mut ask: impl FnMut(&str) -> usize) -> Vec<Duration> {
    let mut best = vec![Duration::MAX; queries.len()];
    for _ in 0..7 {
        for (best, query) in best.iter_mut().zip(queries) {
            let start = Instant::now();
            std::hint::black_box(ask(query));
            *best = (*best).min(start.elapsed());
        }
    }
    best.sort_unstable();
    best
}

/// How long this thread has run, to some milliseconds, where the system tells it: other work on a busy
/// machine does not count.
pub fn processor_time() -> Option<Duration> {
    let about = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(about.split(' ').next()?.parse().ok()?))
}

/// The half and the hundredth of times that are slowest begin here, in microseconds.
pub fn percentiles(times: &[Duration]) -> String {
    let at = |percent: usize| times.get(times.len() * percent / 100).map_or(0, Duration::as_micros);
    format!("p50 {:>7} µs  p99 {:>7} µs", at(50), at(99))
}

/// How many skills to search among: what `METIER_BENCH_SEARCH` says, as `1000,10000`; else up to 100 000.
pub fn sizes() -> Vec<usize> {
    let given = std::env::var("METIER_BENCH_SEARCH").unwrap_or_default();
    let given: Vec<usize> = given.split(',').filter_map(|count| count.parse().ok()).collect();
    if given.is_empty() { vec![1000, 10_000, 100_000] } else { given }
}
