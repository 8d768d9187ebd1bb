//! Turns the default ranking into rankings that lack one part each: what each part is worth.

use metier_core::{FieldWeight, Ranking};

/// A part, and the ranking without it.
pub type Ablation = (&'static str, fn(Ranking) -> Ranking);

fn without_weight(field: FieldWeight) -> FieldWeight {
    FieldWeight { weight: 0.0, ..field }
}

/// Every part of the ranking that can be left out.
pub const ABLATIONS: &[Ablation] = &[
    ("all parts", |ranking| ranking),
    ("no close look", |ranking| Ranking {
        phrase: 0.0,
        near: 0.0,
        exact: 0.0,
        name_in_query: 0.0,
        against: 0.0,
        ..ranking
    }),
    ("no phrases", |ranking| Ranking { phrase: 0.0, ..ranking }),
    ("no nearness", |ranking| Ranking { near: 0.0, ..ranking }),
    ("no spellings", |ranking| Ranking { exact: 0.0, ..ranking }),
    ("no names in queries", |ranking| Ranking { name_in_query: 0.0, ..ranking }),
    ("nothing against", |ranking| Ranking { against: 0.0, ..ranking }),
    ("no name", |ranking| Ranking { name: without_weight(ranking.name), ..ranking }),
    ("no description", |ranking| Ranking {
        description: without_weight(ranking.description),
        ..ranking
    }),
    ("no headings", |ranking| Ranking { headings: without_weight(ranking.headings), ..ranking }),
    ("no body", |ranking| Ranking { body: without_weight(ranking.body), ..ranking }),
    ("pairs as words", |ranking| Ranking { unspaced_pair: 1.0, ..ranking }),
    ("no kin, nothing rescued", |ranking| Ranking { kin: 0.0, ..ranking }),
    ("rarity by the catalog alone", |ranking| Ranking { skills_at_large: 0.0, ..ranking }),
    ("32 words of a query", |ranking| Ranking { query_words: 32, ..ranking }),
    ("a head of 200", |ranking| Ranking { head: 200, ..ranking }),
];
