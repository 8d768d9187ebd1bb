//! Turns the eval files beside the skills of a registry into what their queries find in it.

use crate::registry::catalog::CatalogEntry;
use crate::registry::snapshot::Snapshot;
use crate::registry::{Registry, RegistryError};
use crate::select::bodies::text_of;
use crate::select::search_index::Indexed;
use crate::source::blocking::block_on;
use crate::source::{Problem, ReadOptions, SourceError};
use metier_core::{
    Finding, LineIndex, OverlappingPair, Report, ResourcePath, Rule, Severity, SkillText,
    TRIGGER_FILES, TriggerFile, TriggerOptions, TriggerOutcome, TriggerTest, mean_recall,
    overlapping_pairs,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Which skills are tested, and how.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct TriggerTestOptions {
    /// The ids of the skills whose files are run; all skills where there are none.
    pub skills: Vec<String>,
    /// When a test has passed.
    pub run: TriggerOptions,
    /// Descriptions that share so much of their words, from 0 to 1, are told as pairs.
    pub overlap: f64,
}

impl Default for TriggerTestOptions {
    fn default() -> Self {
        Self { skills: Vec::new(), run: TriggerOptions::default(), overlap: 0.5 }
    }
}

/// What trigger tests found.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TriggerTests {
    /// The files, by skill and path.
    pub files: Vec<TestedFile>,
    /// The tested skills whose descriptions say nearly the same as others, the most alike first.
    pub overlaps: Vec<OverlappingPair>,
    /// What kept files from being read, and bodies from being searched.
    pub problems: Vec<Problem>,
}

/// A file of trigger tests that was run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TestedFile {
    /// The skill that the file stands beside.
    pub skill: Arc<str>,
    /// Where the file stands, for people.
    pub location: String,
    /// The text of the file, for the places of findings.
    pub text: String,
    /// What is wrong with the file; a test with a finding was not run.
    pub report: Report,
    /// What each test found, in the order of the file.
    pub outcomes: Vec<TriggerOutcome>,
}

impl TestedFile {
    /// The line of a finding, from 1.
    pub fn line(&self, finding: &Finding) -> usize {
        let start = finding.span.map_or(0, metier_core::Span::start);
        LineIndex::new(&self.text).line(start)
    }
}

impl TriggerTests {
    /// What every test found.
    pub fn outcomes(&self) -> impl Iterator<Item = &TriggerOutcome> {
        self.files.iter().flat_map(|file| &file.outcomes)
    }

    /// The mean share of expected skills among the first `places`; `None` when nothing is expected.
    pub fn recall(&self, places: usize) -> Option<f64> {
        mean_recall(self.outcomes(), places)
    }

    /// How many findings there are about files.
    pub fn findings(&self) -> usize {
        self.files.iter().map(|file| file.report.len()).sum()
    }
}

impl Registry {
    /// Runs the trigger tests that stand beside skills ([`TRIGGER_FILES`]) against all skills of the
    /// registry, by the default ranker: offline, and the same every time.
    ///
    /// ```
    /// use metier::{Blocking, Memory, Registry, TriggerTestOptions};
    ///
    /// let table = Memory::new("t")
    ///     .inline("pdf", "Fills in forms. Use for PDF files.", "Run fill.py.")
    ///     .inline("git", "Commits changes.", "Run git.")
    ///     .resource("pdf", "evals/triggers.yaml", "- fill in this form\n- commit it\n");
    /// let registry = Registry::builder().source(Blocking(table)).open();
    /// let tests = registry.test_triggers_blocking(&TriggerTestOptions::default())?;
    /// assert_eq!(tests.recall(1), Some(0.5));
    /// let missed = tests.outcomes().nth(1).unwrap();
    /// assert_eq!(missed.confusions[0].went_to.as_deref(), Some("git"));
    /// # Ok::<(), metier::RegistryError>(())
    /// ```
    pub async fn test_triggers(
        &self,
        options: &TriggerTestOptions,
    ) -> Result<TriggerTests, RegistryError> {
        let catalog = self.catalog();
        let indexed = self.indexed(&catalog).await;
        self.run_tests(&catalog, &indexed, options).await
    }

    /// [`test_triggers`](Self::test_triggers), waiting for it; bodies are read on several threads.
    pub fn test_triggers_blocking(
        &self,
        options: &TriggerTestOptions,
    ) -> Result<TriggerTests, RegistryError> {
        let catalog = self.catalog();
        let indexed = self.indexed_blocking(&catalog);
        block_on(self.run_tests(&catalog, &indexed, options))
    }

    async fn run_tests(
        &self,
        catalog: &Snapshot,
        indexed: &Indexed,
        options: &TriggerTestOptions,
    ) -> Result<TriggerTests, RegistryError> {
        let mut tests = TriggerTests { problems: indexed.problems.clone(), ..Default::default() };
        let mut tested: BTreeSet<Arc<str>> = BTreeSet::new();
        for entry in wanted(catalog, &options.skills)? {
            for (path, text) in self.trigger_files(entry, &mut tests.problems).await {
                let file = TriggerFile::parse(&text, entry.name());
                let mut report = file.report;
                let known = resolve(catalog, file.tests, &text, &mut report);
                let run = known.iter().map(|test| test.run(&indexed.index, &options.run));
                tests.files.push(TestedFile {
                    skill: entry.id.clone(),
                    location: location(entry, &path),
                    outcomes: run.collect(),
                    report,
                    text,
                });
                tested.insert(entry.id.clone());
            }
        }
        let texts: Vec<SkillText<'_>> = catalog.iter().map(|entry| text_of(entry, None)).collect();
        tests.overlaps = overlapping_pairs(&texts, |id| tested.contains(id), options.overlap);
        Ok(tests)
    }

    /// The files of a skill that may hold trigger tests, with their texts.
    async fn trigger_files(
        &self,
        entry: &CatalogEntry,
        problems: &mut Vec<Problem>,
    ) -> Vec<(ResourcePath, String)> {
        let source = &entry.held.source;
        let mut problem = |path: &str, error: &SourceError| {
            let message = format!("`{path}` is not run: {error}");
            problems.push(Problem::new(entry.location(), Severity::Error, message, error.help()));
        };
        let files = match source.files(&entry.listed.key).await {
            Ok(files) => files,
            Err(error) => {
                problem("evals", &error);
                return Vec::new();
            }
        };
        let mut found = Vec::new();
        for path in files.iter().filter(|path| TRIGGER_FILES.contains(&path.as_str())) {
            match source.read(&entry.listed.key, path, &ReadOptions::default()).await {
                Ok(file) => found.push((path.clone(), file.text_lossy().into_owned())),
                Err(error) => problem(path.as_str(), &error),
            }
        }
        found
    }
}

fn wanted<'c>(
    catalog: &'c Snapshot,
    ids: &[String],
) -> Result<Vec<&'c CatalogEntry>, RegistryError> {
    if ids.is_empty() {
        return Ok(catalog.iter().collect());
    }
    let entry =
        |id: &String| catalog.get(id).ok_or_else(|| RegistryError::UnknownSkill { id: id.clone() });
    ids.iter().map(entry).collect()
}

/// The tests with the ids of the skills they name; one that names an unknown skill is reported instead.
fn resolve(
    catalog: &Snapshot,
    tests: Vec<TriggerTest>,
    text: &str,
    report: &mut Report,
) -> Vec<TriggerTest> {
    let lines = LineIndex::new(text);
    let mut known = Vec::new();
    for mut test in tests {
        let names = test.expect.iter_mut().chain(&mut test.not);
        let mut unknown = Vec::new();
        for name in names {
            match catalog.get(name) {
                Some(entry) => *name = entry.id.to_string(),
                None => unknown.push(name.clone()),
            }
        }
        if unknown.is_empty() {
            known.push(test);
            continue;
        }
        for name in unknown {
            let message = format!("there is no skill `{}`", crate::visible(&name));
            let help = "check the name, or add the folder that holds the skill";
            let span = lines.line_span(text, test.line);
            report.push(Rule::BadTriggerTest, span, message, |finding| finding.with_help(help));
        }
    }
    known
}

fn location(entry: &CatalogEntry, path: &ResourcePath) -> String {
    match entry.listed.directory() {
        Some(directory) => directory.join(path.as_str()).to_string_lossy().into_owned(),
        None => format!("{}:{path}", entry.id),
    }
}
