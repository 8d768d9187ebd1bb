//! Turns a catalog into every matcher there is to compare.

use crate::{Catalog, Record};
use metier_core::{
    Bm25, Bm25Parameters, CachedEmbedder, Duplicates, Embedder, Embedding, Hit, Hybrid, Keyword,
    Lexical, Matcher, SearchOptions, SkillIndex, SkillText,
};

/// How a matcher is made of a catalog.
pub type Build = fn(&Catalog) -> Box<dyn Matcher>;

/// Every matcher that needs no model, with the name that the table has for it. A new one is a new line.
/// `Tags` is not among them: it does not read the query, and the records of these sets have no tags.
pub const MATCHERS: &[(&str, Build)] = &[
    ("default", |catalog| Box::new(SkillIndex::build(texts(catalog)))),
    ("default, copies kept", |catalog| Box::new(Keeping(SkillIndex::build(texts(catalog))))),
    ("zerodep KeywordSelector", |catalog| Box::new(Keyword::new(texts(catalog)))),
    ("zerodep BM25Selector", |catalog| Box::new(Bm25::new(texts(catalog)))),
    ("plain BM25", |catalog| {
        let plain = Bm25Parameters { delta: 0.0, ..Bm25Parameters::default() };
        Box::new(Bm25::with(plain, texts(catalog)))
    }),
    ("plain BM25, no bodies", |catalog| {
        let plain = Bm25Parameters { delta: 0.0, ..Bm25Parameters::default() };
        let heads = texts(catalog).map(|text| SkillText { body: "", ..text });
        Box::new(Bm25::with(plain, heads))
    }),
    ("deuz lexicalMatcher", |catalog| Box::new(Lexical::new(texts(catalog)))),
];

/// The matchers that need a model: vectors alone, and the hybrid. They share what was embedded.
pub fn with_model<E: Embedder + 'static>(
    model: &CachedEmbedder<E>,
    catalog: &Catalog,
) -> Vec<(&'static str, Box<dyn Matcher>)> {
    let embedding = Embedding::new(model.clone(), texts(catalog));
    let hybrid = Hybrid::new(SkillIndex::build(texts(catalog)), model.clone(), texts(catalog));
    vec![("embedding", Box::new(embedding)), ("hybrid", Box::new(hybrid))]
}

fn texts(catalog: &Catalog) -> impl Iterator<Item = SkillText<'_>> {
    catalog.skills.iter().map(Record::text)
}

/// The default, with every copy of a skill in a place of its own.
#[derive(Debug)]
struct Keeping(SkillIndex);

impl Matcher for Keeping {
    fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let options =
            SearchOptions { limit, duplicates: Duplicates::Keep, ..SearchOptions::default() };
        self.0.search_with(query, &options).into_iter().map(|ranked| ranked.hit).collect()
    }
}
