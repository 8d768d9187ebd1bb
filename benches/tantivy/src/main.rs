//! Turns one catalog into two indexes, metier's and tantivy's, and prints what each costs.
//!
//! `cargo run --release` in this folder; a crate of its own, so that nobody compiles tantivy who did
//! not ask for it.

use benches::search::{Document, generated, percentiles, queries, real, sizes, times};
use metier_core::{Matcher as _, SkillIndex, SkillText};
use std::time::Instant;
use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions};
use tantivy::{Index, doc};

fn main() {
    let file = testing::shared_data().map(|data| data.join("retrieval/skills/skills.jsonl"));
    for count in sizes() {
        beside("generated", &generated(count));
        if let Some(documents) = file.as_ref().and_then(|file| real(file, count)) {
            beside("real", &documents);
        }
    }
}

fn beside(kind: &str, documents: &[Document]) {
    println!("{} {kind} skills", documents.len());
    let start = Instant::now();
    let index = SkillIndex::build(documents.iter().map(|document| SkillText {
        id: &document.id,
        name: &document.name,
        description: &document.description,
        body: &document.body,
        ..SkillText::default()
    }));
    println!("  metier   build {:.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let peer = Peer::build(documents).expect("documents in memory can be indexed");
    println!("  tantivy  build {:.2} s", start.elapsed().as_secs_f64());
    for words in [3, 30, 300] {
        let queries = queries(documents, words, 100);
        let ours = times(&queries, |query| index.search(query, 10).len());
        let theirs = times(&queries, |query| peer.search(query));
        println!(
            "  {words:>3} words  metier {}  tantivy {}",
            percentiles(&ours),
            percentiles(&theirs)
        );
    }
}

/// tantivy with its default words and BM25 over three fields, boosted as ours are weighed.
struct Peer {
    parser: QueryParser,
    searcher: tantivy::Searcher,
}

impl Peer {
    fn build(documents: &[Document]) -> tantivy::Result<Self> {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("default")
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let text = TextOptions::default().set_indexing_options(indexing);
        let mut schema = Schema::builder();
        let id = schema.add_text_field("id", STRING | STORED);
        let name = schema.add_text_field("name", text.clone());
        let description = schema.add_text_field("description", text.clone());
        let body = schema.add_text_field("body", text);
        let index = Index::create_in_ram(schema.build());
        let mut writer = index.writer_with_num_threads(1, 200_000_000)?;
        for document in documents {
            writer.add_document(doc!(
                id => document.id.as_str(),
                name => document.name.as_str(),
                description => document.description.as_str(),
                body => document.body.as_str(),
            ))?;
        }
        writer.commit()?;
        let mut parser = QueryParser::for_index(&index, vec![name, description, body]);
        parser.set_field_boost(name, 3.0);
        parser.set_field_boost(description, 3.0);
        Ok(Self { parser, searcher: index.reader()?.searcher() })
    }

    fn search(&self, query: &str) -> usize {
        let (query, _) = self.parser.parse_query_lenient(query);
        let top = TopDocs::with_limit(10).order_by_score();
        self.searcher.search(&query, &top).map_or(0, |hits| hits.len())
    }
}
