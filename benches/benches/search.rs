//! Turns catalogs of growing size into what their index costs: time to build, memory, time a query.
//!
//! `METIER_BENCH_SEARCH=1000000` asks for other sizes. `benches/tantivy` runs the same beside tantivy.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use benches::search::{
    Document, generated, percentiles, processor_time, queries, real, sizes, times,
};
use metier_core::{Matcher as _, SkillIndex, SkillText};
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
    let start = Instant::now();
    let index = metier::build_index(&texts, threads());
    println!("  build with bodies     {:.2} s, {}", start.elapsed().as_secs_f64(), memory(&index));
    let start = Instant::now();
    let saved = index.to_bytes();
    let writing = start.elapsed();
    let start = Instant::now();
    let read = SkillIndex::from_bytes(&saved).expect("it was just written");
    let (writing, reading) = (writing.as_millis(), start.elapsed().as_millis());
    println!(
        "  saved                 {} bytes, written in {writing} ms, read in {reading} ms",
        saved.len()
    );
    assert_eq!(read.len(), index.len());
    for words in [3, 30, 300] {
        let queries = queries(documents, words, 300);
        let times = times(&queries, |query| index.search(query, 10).len());
        println!("  {words:>3} words             {}", percentiles(&times));
    }
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn memory(index: &SkillIndex) -> String {
    let size = index.size();
    format!("{} bytes a skill, {} words", size.bytes / size.skills.max(1), size.words)
}
