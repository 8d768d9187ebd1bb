//! Turns trigger tests and an index into what each query found, and what misled it.

use crate::{Field, Hit, SearchOptions, SkillIndex, TriggerTest};
use serde::Serialize;

/// How many places are looked at behind the first.
const DEPTH: usize = 50;
/// How many words an account of a confusion names.
const WORDS: usize = 6;

/// When a test has passed.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct TriggerOptions {
    /// An expected skill must be among this many.
    pub top: usize,
    /// A skill that should stay away may come first with a lower score than this: a model that is shown
    /// so weak a hit leaves it alone.
    pub min_score: f64,
}

impl Default for TriggerOptions {
    fn default() -> Self {
        Self { top: 3, min_score: 0.5 }
    }
}

/// What a test found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TriggerOutcome {
    /// What the user says.
    pub query: String,
    /// The skills that should be found, each with its place, from 1; `None` for one that is not among
    /// the first 50.
    pub expect: Vec<(String, Option<usize>)>,
    /// The skills that should stay away.
    pub not: Vec<String>,
    /// The line of the test.
    pub line: usize,
    /// The first hits.
    pub found: Vec<Hit>,
    /// Whether all went as the test wants it.
    pub passed: bool,
    /// What went wrong, once for each skill that was missed or came uncalled.
    pub confusions: Vec<Confusion>,
}

/// A skill that a query missed, or that it should not have found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Confusion {
    /// The skill that the test is about.
    pub skill: String,
    /// What happened to it.
    pub kind: ConfusionKind,
    /// The skill that came first; `None` when nothing was found.
    pub went_to: Option<String>,
    /// The words of the query that led there, the strongest first.
    pub because: Vec<String>,
    /// The words of the query that neither the name nor the description of the missed skill has, in the
    /// order of the query: the words that would have caught it.
    pub lacking: Vec<String>,
}

/// What happened to a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConfusionKind {
    /// It should have been found, and was not, or too late.
    Missed,
    /// It should have stayed away, and came first.
    Triggered,
}

impl TriggerTest {
    /// Asks the index what the test asks. Skills that say the same as a hit count as found in its place.
    ///
    /// ```
    /// use metier_core::{SkillIndex, SkillText, TriggerFile, TriggerOptions};
    ///
    /// let skill = |id, description| SkillText { id, name: id, description, ..SkillText::default() };
    /// let index = SkillIndex::build([skill("pdf", "Fills in forms."), skill("ink", "Signs contracts.")]);
    /// let file = TriggerFile::parse("[fill in a form, sign this]", "pdf");
    /// let outcomes: Vec<_> =
    ///     file.tests.iter().map(|test| test.run(&index, &TriggerOptions::default())).collect();
    /// assert!(outcomes[0].passed);
    /// let confusion = &outcomes[1].confusions[0];
    /// assert_eq!(confusion.went_to.as_deref(), Some("ink"));
    /// assert_eq!((confusion.because.join(" "), confusion.lacking.join(" ")), ("sign".into(), "sign".into()));
    /// ```
    pub fn run(&self, index: &SkillIndex, options: &TriggerOptions) -> TriggerOutcome {
        let search = SearchOptions { limit: DEPTH, ..SearchOptions::default() };
        let ranked = index.search_with(&self.query, &search);
        let place = |skill: &String| {
            let here = |id: &str| id == skill;
            let found =
                ranked.iter().position(|r| here(&r.hit.id) || r.duplicates.iter().any(|d| here(d)));
            found.map(|at| at + 1)
        };
        let expect: Vec<(String, Option<usize>)> =
            self.expect.iter().map(|skill| (skill.clone(), place(skill))).collect();
        let first = ranked.first().map(|ranked| &ranked.hit);
        let mut confusions = Vec::new();
        for (skill, place) in &expect {
            if place.is_none_or(|place| place > options.top) {
                confusions.push(self.confusion(index, skill, ConfusionKind::Missed, first));
            }
        }
        for skill in &self.not {
            let is_sure = first.is_some_and(|hit| hit.score >= options.min_score);
            if is_sure && place(skill) == Some(1) {
                confusions.push(self.confusion(index, skill, ConfusionKind::Triggered, first));
            }
        }
        TriggerOutcome {
            query: self.query.clone(),
            expect,
            not: self.not.clone(),
            line: self.line,
            found: ranked.into_iter().take(5).map(|ranked| ranked.hit).collect(),
            passed: confusions.is_empty(),
            confusions,
        }
    }

    fn confusion(
        &self,
        index: &SkillIndex,
        skill: &str,
        kind: ConfusionKind,
        first: Option<&Hit>,
    ) -> Confusion {
        let because = first.and_then(|hit| index.explain(&self.query, &hit.id)).map(|why| {
            let mut words = why.words;
            words.sort_by(|a, b| b.points.total_cmp(&a.points));
            words.into_iter().take(WORDS).map(|word| word.word).collect()
        });
        Confusion {
            skill: skill.to_owned(),
            kind,
            went_to: first.map(|hit| hit.id.to_string()),
            because: because.unwrap_or_default(),
            lacking: match kind {
                ConfusionKind::Missed => self.lacking(index, skill),
                ConfusionKind::Triggered => Vec::new(),
            },
        }
    }

    /// The words of the query that the skill has in no place that counts.
    fn lacking(&self, index: &SkillIndex, skill: &str) -> Vec<String> {
        let Some(why) = index.explain(&self.query, skill) else { return Vec::new() };
        let counts =
            |field: &Field| matches!(field, Field::Name | Field::Description | Field::When);
        let weak = why.words.iter().filter(|w| !w.fields.iter().any(|(field, ..)| counts(field)));
        let weak = weak.map(|word| word.word.clone());
        let mut words: Vec<String> = weak.chain(why.missing.iter().cloned()).collect();
        let query = self.query.to_lowercase();
        words.sort_by_key(|word| query.find(word.as_str()).unwrap_or(usize::MAX));
        words.truncate(WORDS);
        words
    }
}

impl TriggerOutcome {
    /// The share of the expected skills among the first `places`; `None` when none is expected.
    pub fn recall(&self, places: usize) -> Option<f64> {
        let found = self.expect.iter().filter(|(_, at)| at.is_some_and(|at| at <= places)).count();
        let wanted = self.expect.len();
        (wanted > 0).then(|| f64::from(found as u32) / f64::from(wanted as u32))
    }
}

/// The mean recall of tests that expect something, among the first `places`; `None` when none does.
pub fn mean_recall<'o>(
    outcomes: impl IntoIterator<Item = &'o TriggerOutcome>,
    places: usize,
) -> Option<f64> {
    let recalls: Vec<f64> = outcomes.into_iter().filter_map(|o| o.recall(places)).collect();
    let count = recalls.len();
    (count > 0).then(|| recalls.iter().sum::<f64>() / f64::from(count as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SkillText, TriggerFile};

    fn index() -> SkillIndex {
        let skill = |id, description, body| SkillText {
            id,
            name: id,
            description,
            body,
            ..SkillText::default()
        };
        SkillIndex::build([
            skill("pdf-forms", "Fills in PDF forms.", "Reads a tax return."),
            skill("signing", "Signs contracts.", ""),
            skill("cooking", "Plans meals.", ""),
        ])
    }

    fn run(yaml: &str) -> Vec<TriggerOutcome> {
        let file = TriggerFile::parse(yaml, "pdf-forms");
        assert!(file.report.is_empty(), "{:?}", file.report);
        file.tests
            .iter()
            .map(|test| test.run(&index(), &TriggerOptions { top: 1, min_score: 0.3 }))
            .collect()
    }

    #[test]
    fn what_is_expected_has_its_place() {
        let outcomes = run(
            "- query: fill in a pdf form\n- query: sign a pdf form\n  expect: [pdf-forms, signing]\n",
        );
        assert!(outcomes[0].passed);
        assert_eq!(outcomes[0].expect, [("pdf-forms".to_owned(), Some(1))]);
        assert_eq!(outcomes[1].recall(1), Some(0.5));
        assert_eq!(outcomes[1].recall(2), Some(1.0));
        assert_eq!(outcomes[1].confusions.len(), 1);
        assert_eq!(mean_recall(&outcomes, 1), Some(0.75));
    }

    #[test]
    fn a_miss_says_where_the_query_went_and_what_is_lacking() {
        let outcomes = run("- sign my tax papers\n");
        let confusion = &outcomes[0].confusions[0];
        assert_eq!(confusion.kind, ConfusionKind::Missed);
        assert_eq!(
            (confusion.skill.as_str(), confusion.went_to.as_deref()),
            ("pdf-forms", Some("signing"))
        );
        assert_eq!(confusion.because, ["sign"]);
        assert_eq!(confusion.lacking, ["sign", "tax", "papers"]);
    }

    #[test]
    fn a_query_that_finds_nothing_went_nowhere() {
        let outcomes = run("- juggle oranges\n");
        let confusion = &outcomes[0].confusions[0];
        assert_eq!((confusion.went_to.as_deref(), confusion.because.len()), (None, 0));
        assert_eq!(confusion.lacking, ["juggle", "oranges"]);
        assert_eq!(outcomes[0].expect[0].1, None);
    }

    #[test]
    fn what_should_stay_away_may_not_come_first() {
        let outcomes = run("should_not_trigger: [fill in pdf forms, plan my meals]\n");
        assert_eq!(outcomes.iter().map(|o| o.passed).collect::<Vec<_>>(), [false, true]);
        let confusion = &outcomes[0].confusions[0];
        assert_eq!((confusion.kind, confusion.lacking.len()), (ConfusionKind::Triggered, 0));
        assert_eq!(outcomes[0].recall(1), None);
        assert_eq!(mean_recall(&outcomes, 1), None);
    }

    #[test]
    fn a_weak_first_place_is_let_pass() {
        let file = TriggerFile::parse("should_not_trigger: [fill in pdf forms]\n", "pdf-forms");
        let outcome = file.tests[0].run(&index(), &TriggerOptions { top: 1, min_score: 1.0 });
        assert!(outcome.passed, "{outcome:?}");
    }
}
