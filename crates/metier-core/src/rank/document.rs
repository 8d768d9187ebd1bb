//! Turns a skill into the stream of its words, field by field, and the stream back into words.

use super::bytes::{get, put};
use super::vocabulary::{Vocabulary, Word};
use crate::SkillText;
use crate::text::cut;

/// How many fields are searched: name, description, tags and `when_to_use`, headings, body.
pub(super) const SEARCHED: usize = 5;

/// The searched fields, and what the skill says it is not for.
pub(super) const FIELDS: usize = SEARCHED + 1;

/// The order of the fields in a stream: the body is last, so that what precedes it is near at hand.
const ORDER: [usize; FIELDS] = [0, 1, 2, 3, 5, 4];

/// How many words of a field are kept.
const LONGEST_FIELD: usize = 50_000;

/// Appends the words of a skill to a stream: how many each field has, then all of them.
pub(super) fn write(skill: &SkillText<'_>, vocabulary: &mut Vocabulary, stream: &mut Vec<u8>) {
    let mut words: [Vec<Word>; FIELDS] = Default::default();
    let mut add = |field: usize, text: &str| {
        let words = &mut words[field];
        cut(text, &mut |word| {
            if words.len() < LONGEST_FIELD {
                words.extend(vocabulary.add(word));
            }
        });
    };
    add(0, skill.name);
    for (is_against, sentence) in clauses(skill.description) {
        add(if is_against { 5 } else { 1 }, sentence);
    }
    for tag in &skill.tags {
        add(2, tag);
    }
    add(2, skill.when_to_use.as_deref().unwrap_or_default());
    let mut is_code = false;
    for line in skill.body.split_inclusive('\n') {
        let start = line.trim_start();
        is_code ^= start.starts_with("```") || start.starts_with("~~~");
        add(if !is_code && start.starts_with('#') { 3 } else { 4 }, line);
    }
    add(5, skill.when_not_to_use.as_deref().unwrap_or_default());
    for field in ORDER {
        put(stream, words[field].len() as u32);
    }
    for &word in ORDER.iter().flat_map(|&field| &words[field]) {
        put(stream, word);
    }
}

/// Copies a stream, with each of its words under a new number.
pub(super) fn renumber(stream: &[u8], copy: &mut Vec<u8>, mut number: impl FnMut(Word) -> Word) {
    let words = Words::new(stream);
    for field in ORDER {
        put(copy, words.length(field));
    }
    words.each(|_, _, word| put(copy, number(word)));
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

/// The words of a document, read from its stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a> {
    /// The words, behind the lengths.
    stream: &'a [u8],
    lengths: [u32; FIELDS],
}

impl<'a> Words<'a> {
    pub(super) fn new(stream: &'a [u8]) -> Self {
        let mut at = 0;
        let mut lengths = [0; FIELDS];
        for field in ORDER {
            lengths[field] = get(stream, &mut at);
        }
        Self { stream: &stream[at..], lengths }
    }

    /// How many words a field has.
    pub(super) fn length(&self, field: usize) -> u32 {
        self.lengths[field]
    }

    /// Gives every word with its field and its place.
    pub(super) fn each(&self, give: impl FnMut(usize, u32, Word)) {
        self.each_up_to(u32::MAX, give);
    }

    /// Gives every word with its field and its place, of the body only so many.
    #[inline]
    pub(super) fn each_up_to(&self, body: u32, mut give: impl FnMut(usize, u32, Word)) {
        let mut bytes = self.stream;
        let mut place = 0u32;
        for field in ORDER {
            let length = self.lengths[field];
            let wanted = if field == SEARCHED - 1 { length.min(body) } else { length };
            for at in 0..wanted {
                let word = match bytes {
                    [] => return,
                    [first, rest @ ..] if *first < 0x80 => {
                        bytes = rest;
                        u32::from(*first)
                    }
                    [first, second, rest @ ..] if *second < 0x80 => {
                        bytes = rest;
                        u32::from(*first & 0x7f) | u32::from(*second) << 7
                    }
                    _ => {
                        let mut at = 0;
                        let word = get(bytes, &mut at);
                        bytes = &bytes[at..];
                        word
                    }
                };
                give(field, place.wrapping_add(at), word);
            }
            place = place.wrapping_add(length);
        }
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
