//! Turns catalogs of growing size into what their index costs: time to build, memory, time a query.
//!
//! `METIER_BENCH_SEARCH=1000000` asks for other sizes. `benches/tantivy` runs the same beside tantivy.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use benches::search::{
    Document, generated, percentiles, processor_time, queries, real, sizes, times,
};
use metier_core::{IndexUse, Matcher as _, SkillIndex, SkillText};
use std::time::Instant;

fn main() {
    let file = testing::shared_data().map(|data| data.join("retrieval/skills/skills.jsonl"));
    for count in sizes() {
        measure("generated", &generated(count));
        if let Some(documents) = file.as_ref().and_then(|file| real(file, count)) {
            measure("real", &documents);
        }
    }
}

fn text(document: &Document) -> SkillText<'_> {
    let Document { id, name, description, body } = document;
    SkillText { id, name, description, body, ..SkillText::default() }
}

fn measure(kind: &str, documents: &[Document]) {
    let count = documents.len();
    let bytes: usize = documents.iter().map(|document| document.body.len()).sum();
    println!("{count} {kind} skills, bodies of {} bytes", bytes / count);
    let start = Instant::now();
    let heads = documents.iter().map(|document| SkillText { body: "", ..text(document) });
    let heads = SkillIndex::build(heads);
    println!("  build without bodies  {:.2} s, {}", start.elapsed().as_secs_f64(), memory(&heads));
    drop(heads);
    let texts: Vec<SkillText<'_>> = documents.iter().map(text).collect();
    let start = processor_time();
    drop(SkillIndex::build(texts.iter().cloned()));
    if let Some((now, then)) = processor_time().zip(start) {
        let spent = now.saturating_sub(then).as_secs_f64();
        println!("  on one processor      {spent:.2} s with bodies");
    }
    let before = resident();
    let start = Instant::now();
    let index = metier::build_index(&texts, threads());
    let building = start.elapsed().as_secs_f64();
    println!("  build with bodies     {building:.2} s, {}{}", memory(&index), grown(before, count));
    let built: Vec<_> = LENGTHS.map(|words| ask(&index, documents, words)).into();

    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join("skills.index");
    let start = Instant::now();
    metier::save_index(&file, &index).expect("the index can be saved");
    let writing = start.elapsed().as_millis();
    let length = std::fs::metadata(&file).map_or(0, |about| about.len());
    println!("  saved                 {} bytes a skill, in {writing} ms", length / count as u64);
    drop(index);
    let (took, loaded) = shortest(|| metier::load_index(&file).expect("it was just written"));
    println!("  loaded                {took} ms, {}", memory(&loaded));
    drop(loaded);
    let open = |for_use| metier::open_index(&file, for_use).expect("it was just written");
    let (took, opened) = shortest(|| open(IndexUse::OneQuery));
    println!("  opened for one query  {took} ms, {}", memory(&opened));
    drop(opened);
    let before = resident();
    let (took, opened) = shortest(|| open(IndexUse::ManyQueries));
    println!("  opened for many       {took} ms, {}{}", memory(&opened), grown(before, count));
    for (words, built) in LENGTHS.into_iter().zip(built) {
        println!("  {words:>3} words  built       {built}");
        println!("             opened      {}", ask(&opened, documents, words));
    }
}

/// How many words the queries have.
const LENGTHS: [usize; 3] = [3, 30, 300];

fn ask(index: &SkillIndex, documents: &[Document], words: usize) -> String {
    let queries = queries(documents, words, 300);
    percentiles(&times(&queries, |query| index.search(query, 10).len()))
}

/// The least of three times in milliseconds, and what came of it.
fn shortest<T>(job: impl Fn() -> T) -> (u128, T) {
    let timed = || {
        let start = Instant::now();
        let made = job();
        (start.elapsed().as_millis(), made)
    };
    let before = timed().0.min(timed().0);
    let (last, made) = timed();
    (last.min(before), made)
}

/// How many bytes of memory the process has taken, where the system tells it.
fn resident() -> Option<usize> {
    let about = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(4096 * about.split(' ').nth(1)?.parse::<usize>().ok()?)
}

/// How much more it has taken since, for each skill.
fn grown(before: Option<usize>, skills: usize) -> String {
    let grown = resident().zip(before).map(|(now, before)| now.saturating_sub(before) / skills);
    grown.map(|bytes| format!("; the process grew by {bytes}")).unwrap_or_default()
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn memory(index: &SkillIndex) -> String {
    let size = index.size();
    format!("{} bytes a skill, {} words", size.bytes / size.skills.max(1), size.words)
}
