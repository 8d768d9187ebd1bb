//! Turns "how much does each part count" into fields with defaults.

/// How much a field counts, and how its length is made up for.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct FieldWeight {
    /// How much a word of the field counts.
    pub weight: f32,
    /// From 0, length does not matter, to 1, in a field twice as long as usual a word counts half.
    pub length: f32,
}

/// How skills are ranked. The defaults were found by a coarse search; `docs/ranking.md` has what
/// each part is worth.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct Ranking {
    /// The name.
    pub name: FieldWeight,
    /// The description.
    pub description: FieldWeight,
    /// The tags and `when_to_use`.
    pub when: FieldWeight,
    /// The headings of the body.
    pub headings: FieldWeight,
    /// The rest of the body.
    pub body: FieldWeight,
    /// How soon more of a word stops to count (k1 of BM25).
    pub saturation: f32,
    /// The same for words that the query repeats (k3).
    pub query_saturation: f32,
    /// How many words of a long query count: the heaviest. At most 255.
    pub query_words: usize,
    /// What a pair of characters of an unspaced script is worth against a word: every other pair
    /// lies across two words.
    pub unspaced_pair: f32,
    /// What a word is worth that is said for one of the query: `javascript` for `js`, `photo` for
    /// `picture`. The longer the bodies of a catalog, the less: they have both words. At 0, words that no
    /// skill has are not taken for others either.
    pub kin: f32,
    /// As how many skills the usual words of skills at large count, where a catalog is so small that it
    /// cannot tell which words are rare.
    pub skills_at_large: f32,
    /// How many skills are looked at closely.
    pub head: usize,
    /// What two words are worth that stand together in query and skill, in the same order.
    pub phrase: f32,
    /// What they are worth near one another.
    pub near: f32,
    /// How near: at most so many words on.
    pub window: u32,
    /// How soon more of such a pair stops to count.
    pub pair_saturation: f32,
    /// What a word is worth that is spelt as in the query, not just of the same stem.
    pub exact: f32,
    /// What the words of the name are worth when the query has them all.
    pub name_in_query: f32,
    /// What it is worth that the query calls the skill by name: `$name` or `/name`.
    pub mention: f32,
    /// What is taken away for a word that the skill says it is not for.
    pub against: f32,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            name: FieldWeight { weight: 6.0, length: 0.4 },
            description: FieldWeight { weight: 7.0, length: 0.73 },
            when: FieldWeight { weight: 7.0, length: 0.73 },
            headings: FieldWeight { weight: 1.3, length: 0.9 },
            body: FieldWeight { weight: 0.75, length: 0.9 },
            saturation: 2.5,
            query_saturation: 1.2,
            query_words: 48,
            unspaced_pair: 0.5,
            kin: 0.45,
            skills_at_large: 800.0,
            head: 48,
            phrase: 1.0,
            near: 1.1,
            window: 4,
            pair_saturation: 2.2,
            exact: 0.6,
            name_in_query: 0.2,
            mention: 100.0,
            against: 0.5,
        }
    }
}

impl Ranking {
    /// The fields, in the order in which a document has them.
    pub(super) fn fields(&self) -> [FieldWeight; 5] {
        [self.name, self.description, self.when, self.headings, self.body]
    }
}
