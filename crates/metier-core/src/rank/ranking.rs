//! Turns "how much does each part count" into fields with defaults.

/// How much a field counts, and how its length is made up for.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct FieldWeight {
    /// How much a word of the field counts.
    pub weight: f32,
    /// From 0, length does not matter, to 1, in a field twice as long a word counts half.
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
    /// How many words of a long query count: the heaviest.
    pub query_words: usize,
    /// How many skills are looked at closely.
    pub head: usize,
    /// What two words are worth that stand together in query and skill, in the same order.
    pub phrase: f32,
    /// What they are worth near one another.
    pub near: f32,
    /// How near: this many words.
    pub window: usize,
    /// What pairs in headings and body are worth against those in name and description.
    pub pairs_in_body: f32,
    /// How soon more of a pair stops to count.
    pub pair_saturation: f32,
    /// What a word is worth that name, description, tags or `when_to_use` have.
    pub coverage: f32,
    /// What a word is worth that is written as in the query, not just of the same stem.
    pub exact: f32,
    /// What the words of the name are worth when the query has them all.
    pub name_in_query: f32,
    /// What it is worth that the query calls the skill by name: `$name` or `/name`.
    pub mention: f32,
    /// What is taken away when the skill says that it is not for this.
    pub against: f32,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            name: FieldWeight { weight: 4.7, length: 0.36 },
            description: FieldWeight { weight: 6.25, length: 0.79 },
            when: FieldWeight { weight: 5.0, length: 0.79 },
            headings: FieldWeight { weight: 1.35, length: 0.95 },
            body: FieldWeight { weight: 0.75, length: 1.0 },
            saturation: 2.5,
            query_saturation: 1.2,
            query_words: 32,
            head: 200,
            phrase: 1.5,
            near: 1.0,
            window: 8,
            pairs_in_body: 1.0,
            pair_saturation: 2.0,
            coverage: 0.0,
            exact: 0.3,
            name_in_query: 0.0,
            mention: 100.0,
            against: 0.0,
        }
    }
}

impl Ranking {
    /// The fields, in the order in which a document has them.
    pub(super) fn fields(&self) -> [FieldWeight; 5] {
        [self.name, self.description, self.when, self.headings, self.body]
    }
}
