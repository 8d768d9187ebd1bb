//! Turns a query and a skill into why the one finds the other: word by word, field by field.

use super::confidence::Scale;
use super::index::SkillIndex;
use super::postings::{impact, norms, often};
use super::query::Query;
use super::ranked::SearchOptions;
use super::rerank::Reader;
use super::search::Found;
use super::words::{SEARCHED, Words};
use serde::Serialize;
use std::fmt;

/// A part of a skill that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Field {
    /// The name.
    Name,
    /// The description, without what it says the skill is not for.
    Description,
    /// The tags and `when_to_use`.
    When,
    /// The headings of the body.
    Headings,
    /// The rest of the body.
    Body,
}

impl Field {
    /// All of them, in order.
    pub const ALL: [Self; SEARCHED] =
        [Self::Name, Self::Description, Self::When, Self::Headings, Self::Body];
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "name",
            Self::Description => "description",
            Self::When => "when to use",
            Self::Headings => "headings",
            Self::Body => "body",
        })
    }
}

/// How a skill came to its score.
///
/// The points of the words and of the parts add up to `points`; the score is how sure these points
/// are, given what the best other skill has.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The id of the skill.
    pub id: String,
    /// The score, as on a hit.
    pub score: f64,
    /// All points together.
    pub points: f32,
    /// The points that would be had if every word of the query stood everywhere in the skill.
    pub possible: f32,
    /// The words of the query that the skill has, in the order of the query.
    pub words: Vec<WordEvidence>,
    /// The words of the query that the skill does not have.
    pub missing: Vec<String>,
    /// What a close look added or took away; parts that came to nothing are left out.
    pub parts: Vec<(Part, f32)>,
}

/// What one word of a query found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WordEvidence {
    /// The word, folded, as the query has it.
    pub word: String,
    /// How rare its stem is in the catalog.
    pub rarity: f32,
    /// Its points.
    pub points: f32,
    /// Where it was found: the field, how often, and its share of the points.
    pub fields: Vec<(Field, u32, f32)>,
}

/// What a close look at a skill is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// Words that follow one another in query and skill.
    Phrase,
    /// Such words near one another.
    Near,
    /// Words spelt as in the query.
    Exact,
    /// The name's words in the query.
    Name,
    /// The skill called by name: `$name` or `/name`.
    Mention,
    /// What the skill says it is not for.
    Against,
}

impl SkillIndex {
    /// Why a skill has the score it has for a query, or would have; `None` where no skill has the id.
    ///
    /// ```
    /// use metier_core::{Field, SkillIndex, SkillText};
    ///
    /// let skill = SkillText { id: "pdf", name: "pdf", description: "Fills forms.", ..SkillText::default() };
    /// let why = SkillIndex::build([skill]).explain("filling a large form", "pdf").unwrap();
    /// assert_eq!(why.words[0].word, "filling");
    /// assert_eq!(why.words[0].fields[0].0, Field::Description);
    /// assert_eq!(why.missing, ["large"]);
    /// ```
    pub fn explain(&self, query: &str, id: &str) -> Option<Explanation> {
        let document = self.document(id)?;
        let query = self.query(query);
        let stream = self.stream(document);
        let read = Words::new(&stream);
        let norms = norms(&self.weights, &read);
        let mut counts = vec![[0u32; SEARCHED]; query.terms.len()];
        read.each(|field, word| {
            if let Some(term) = query.term(self.vocabulary.stem_of(word))
                && let Some(count) = counts[usize::from(term)].get_mut(field)
            {
                *count += 1;
            }
        });
        let mut words = Vec::new();
        let mut missing = Vec::new();
        let mut sum = 0.0;
        for (term, counts) in query.terms.iter().zip(&counts) {
            let amounts: [f32; SEARCHED] =
                std::array::from_fn(|field| norms[field] * often(counts[field]));
            let amount: f32 = amounts.iter().sum();
            if amount == 0.0 {
                if term.is_asked {
                    missing.push(term.word.clone());
                }
                continue;
            }
            let points = term.weight / 255.0 * f32::from(impact(amount, self.ranking.saturation));
            sum += points;
            let found = (0..SEARCHED).filter(|&field| counts[field] > 0);
            let share = |field: usize| points * amounts[field] / amount;
            words.push(WordEvidence {
                word: term.word.clone(),
                rarity: term.rarity,
                points,
                fields: found.map(|at| (Field::ALL[at], counts[at], share(at))).collect(),
            });
        }
        let mut reader = Reader::new(self, &query);
        let close = reader.read(document);
        let is_mentioned = query.mentions.contains(&self.name(document));
        let mention = if is_mentioned { self.ranking.mention } else { 0.0 };
        let points = sum + mention + close.sum();
        let parts = [
            (Part::Phrase, close.phrase),
            (Part::Near, close.near),
            (Part::Exact, close.exact),
            (Part::Name, close.name),
            (Part::Mention, mention),
            (Part::Against, -close.against),
        ];
        Some(Explanation {
            id: id.to_owned(),
            score: self.score_among_others(&query, document, points),
            points,
            possible: query.total,
            words,
            missing,
            parts: parts.into_iter().filter(|&(_, points)| points != 0.0).collect(),
        })
    }

    /// The score of a skill, seen against the best of the others.
    fn score_among_others(&self, query: &Query, document: u32, points: f32) -> f64 {
        let options = SearchOptions { limit: 2, ..SearchOptions::default() };
        let is_other =
            |found: &Found| found.document != document && !found.duplicates.contains(&document);
        let mut others = self.find(query, &options);
        others.retain(is_other);
        let best = others.first().map_or(0.0, |found| found.points);
        let (first, second) = (points.max(best), points.min(best));
        Scale { unit: self.rarest(), first, second }.confidence(points)
    }
}
