//! Turns a skill into its words, field by field, and the words of many into how long their fields are.

use super::vocabulary::Vocabulary;
use super::words::{FIELDS, Fields, ORDER, SEARCHED, Words};
use crate::SkillText;
use crate::text::cut;

/// How many words of a field are kept.
const LONGEST_FIELD: usize = 50_000;

/// The words of a skill; those that the vocabulary does not know yet are added to it, in the order in
/// which the words are kept, so that skills that are taken over number their words alike.
pub(super) fn fields(skill: &SkillText<'_>, vocabulary: &mut Vocabulary) -> Fields {
    let mut texts: [Vec<&str>; FIELDS] = Default::default();
    texts[0].push(skill.name);
    for (is_against, sentence) in clauses(skill.description) {
        texts[if is_against { 5 } else { 1 }].push(sentence);
    }
    texts[2].extend(skill.tags.iter().map(AsRef::as_ref));
    texts[2].extend(skill.when_to_use.as_deref());
    let mut is_code = false;
    for line in skill.body.split_inclusive('\n') {
        let start = line.trim_start();
        is_code ^= start.starts_with("```") || start.starts_with("~~~");
        texts[if !is_code && start.starts_with('#') { 3 } else { 4 }].push(line);
    }
    texts[5].extend(skill.when_not_to_use.as_deref());
    let mut fields = Fields::default();
    for field in ORDER {
        let words = &mut fields[field];
        for text in &texts[field] {
            cut(text, &mut |word| {
                if words.len() < LONGEST_FIELD {
                    words.extend(vocabulary.add(word));
                }
            });
        }
    }
    fields
}

/// How many words the fields of skills have together, and how many skills have the field at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Lengths(pub(super) [(u64, u64); SEARCHED]);

impl Lengths {
    pub(super) fn add(&mut self, words: &Words<'_>) {
        for (field, (sum, count)) in self.0.iter_mut().enumerate() {
            *sum += u64::from(words.length(field));
            *count += u64::from(words.length(field) > 0);
        }
    }

    pub(super) fn remove(&mut self, words: &Words<'_>) {
        for (field, (sum, count)) in self.0.iter_mut().enumerate() {
            *sum = sum.saturating_sub(u64::from(words.length(field)));
            *count = count.saturating_sub(u64::from(words.length(field) > 0));
        }
    }

    /// The mean length of each field, to the nearest half power of two: coarse, so that it stays
    /// the same when a few skills come and go.
    pub(super) fn usual(&self) -> [f32; SEARCHED] {
        self.0.map(|(sum, count)| {
            let mean = sum as f64 / count.max(1) as f64;
            ((mean.max(1.0).log2() * 2.0).round() / 2.0).exp2() as f32
        })
    }
}

/// Where a sentence of a description begins to say what the skill is not for.
const AGAINST: [&str; 14] = [
    "do not use",
    "don't use",
    "don\u{2019}t use",
    "do not trigger",
    "don't trigger",
    "do not invoke",
    "do not activate",
    "never use",
    "not for ",
    "not intended for",
    "not suitable for",
    "should not be used",
    "skip when",
    "skip if",
];

/// The sentences of a description, each with whether it says what the skill is not for.
fn clauses(description: &str) -> Vec<(bool, &str)> {
    let mut clauses = Vec::new();
    let mut rest = description;
    while !rest.is_empty() {
        let end = sentence_end(rest);
        let (sentence, after) = rest.split_at(end);
        let folded = sentence.to_ascii_lowercase();
        let start = AGAINST.iter().filter_map(|phrase| folded.find(phrase)).min();
        match start {
            Some(start) => {
                clauses.push((false, &sentence[..start]));
                clauses.push((true, &sentence[start..]));
            }
            None => clauses.push((false, sentence)),
        }
        rest = after;
    }
    clauses
}

/// Where the first sentence ends: behind a full stop before a blank, a semicolon or a line break.
fn sentence_end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let ends = match c {
            '.' | '!' | '?' => chars.peek().is_none_or(|(_, next)| next.is_whitespace()),
            ';' | '\n' | '。' | '！' | '？' | '；' => true,
            _ => false,
        };
        if ends {
            return at + c.len_utf8();
        }
    }
    text.len()
}
