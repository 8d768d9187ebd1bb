//! Turns the trigger tests beside skills into what their queries found, and into an exit code.

use crate::args::Test;
use crate::catalog;
use crate::exit::{Exit, Failure};
use crate::table::padded;
use crate::ui::{ERROR, NOTE, STRONG, Ui, WARNING, count};
use metier::{
    Confusion, ConfusionKind, TestedFile, TriggerOptions, TriggerOutcome, TriggerTestOptions,
    TriggerTests, mean_recall, visible,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr as _;

/// The places at which recall is told.
const PLACES: [usize; 3] = [1, 3, 5];

pub(crate) fn run(args: &Test, ui: &mut Ui) -> Result<Exit, Failure> {
    let registry = catalog::open_roots(&args.roots)?;
    for skill in &args.skills {
        catalog::get(&registry, skill)?;
    }
    let tests = registry.test_triggers_blocking(&TriggerTestOptions {
        skills: args.skills.clone(),
        run: TriggerOptions { top: args.top, min_score: args.min_score },
        overlap: args.overlap,
    })?;
    let verdict = Verdict::of(&tests, args);
    if args.json {
        ui.data(&format!("{:#}\n", as_json(&tests, &verdict)))?;
    } else {
        ui.data(&text(&tests))?;
    }
    ui.problems(&registry.problems());
    ui.problems(&tests.problems);
    if !args.json {
        verdict.say(&tests, args, ui);
    }
    Ok(if verdict.is_good { Exit::Ok } else { Exit::Findings })
}

/// All tests together.
struct Verdict {
    tests: usize,
    missed: usize,
    triggered: usize,
    is_good: bool,
}

impl Verdict {
    fn of(tests: &TriggerTests, args: &Test) -> Self {
        let with = |kind| {
            let has = |o: &&TriggerOutcome| o.confusions.iter().any(|c| c.kind == kind);
            tests.outcomes().filter(has).count()
        };
        let number = tests.outcomes().count();
        let triggered = with(ConfusionKind::Triggered);
        let is_found = tests.recall(args.top).is_none_or(|recall| recall >= args.min_recall);
        Self {
            tests: number,
            missed: with(ConfusionKind::Missed),
            triggered,
            // What cannot be run has not passed, and neither has nothing.
            is_good: number > 0
                && is_found
                && triggered <= args.max_triggered
                && tests.findings() == 0,
        }
    }

    fn say(&self, tests: &TriggerTests, args: &Test, ui: &mut Ui) {
        if self.tests == 0 && tests.findings() == 0 {
            ui.note("no trigger test was found: write `evals/triggers.yaml` beside a skill");
            return;
        }
        let skills = per_skill(tests).len();
        let mut line = format!("{} of {}", count(self.tests, "test"), count(skills, "skill"));
        if tests.recall(1).is_some() {
            let _ = write!(line, ": {}", recalls(&tests.outcomes().collect::<Vec<_>>()));
        }
        let _ = write!(line, "; {} missed, {} triggered", self.missed, self.triggered);
        ui.say(&line);
        if let Some(recall) = tests.recall(args.top).filter(|recall| *recall < args.min_recall) {
            let (recall, wanted) = (percent(recall), percent(args.min_recall));
            ui.note(&format!("recall@{} is {recall}, and should be {wanted}", args.top));
        }
    }
}

/// The outcomes of each skill.
fn per_skill(tests: &TriggerTests) -> BTreeMap<&str, Vec<&TriggerOutcome>> {
    let mut skills: BTreeMap<&str, Vec<&TriggerOutcome>> = BTreeMap::new();
    for file in &tests.files {
        skills.entry(&file.skill).or_default().extend(&file.outcomes);
    }
    skills
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn recalls(outcomes: &[&TriggerOutcome]) -> String {
    let at = |places| {
        let recall = mean_recall(outcomes.iter().copied(), places);
        format!("recall@{places} {}", recall.map_or("-".to_owned(), percent))
    };
    PLACES.map(at).join(", ")
}

fn text(tests: &TriggerTests) -> String {
    let mut text = String::new();
    let skills = per_skill(tests);
    let widest = skills.keys().map(|id| visible(id).width()).max().unwrap_or_default().min(40);
    for (id, outcomes) in &skills {
        let id = padded(&visible(id), widest);
        let number = padded(&count(outcomes.len(), "test"), 9);
        let recalls = recalls(outcomes);
        let _ = writeln!(text, "{STRONG}{id}{STRONG:#}  {number}  {recalls}");
    }
    for file in &tests.files {
        for outcome in &file.outcomes {
            for confusion in &outcome.confusions {
                text.push_str(&confused(file, outcome, confusion));
            }
        }
        for finding in &file.report {
            let place = visible(&format!("{}:{}", file.location, file.line(finding))).into_owned();
            let _ = writeln!(text, "\n{WARNING}{finding}{WARNING:#} ({place})");
            if let Some(help) = &finding.help {
                let _ = writeln!(text, "  {NOTE}help{NOTE:#}: {}", visible(help));
            }
        }
    }
    for pair in &tests.overlaps {
        let (one, other) = (visible(&pair.one), visible(&pair.other));
        let share = percent(pair.share);
        let words = visible(&pair.words.join(", ")).into_owned();
        let _ = writeln!(
            text,
            "\n{NOTE}alike{NOTE:#}: `{one}` and `{other}` share {share} of their words: {words}"
        );
    }
    text
}

fn confused(file: &TestedFile, outcome: &TriggerOutcome, confusion: &Confusion) -> String {
    let place = visible(&format!("{}:{}", file.location, outcome.line)).into_owned();
    let (query, skill) = (visible(&outcome.query), visible(&confusion.skill));
    let because = match confusion.because.join(", ") {
        words if words.is_empty() => String::new(),
        words => format!(" because of: {}", visible(&words)),
    };
    if confusion.kind == ConfusionKind::Triggered {
        let score = outcome.found.first().map_or(0.0, |hit| hit.score);
        return format!(
            "\n{ERROR}triggered{ERROR:#}: `{query}` ({place})\n  \
             `{skill}` came first with {score:.2}{because}\n"
        );
    }
    let went = match &confusion.went_to {
        Some(other) => format!("it went to `{}`{because}", visible(other)),
        None => "it found nothing".to_owned(),
    };
    let at = outcome.expect.iter().find(|(name, _)| *name == confusion.skill);
    let at = match at.and_then(|(_, place)| *place) {
        Some(place) => format!("is at place {place}"),
        None => "is not among the first 50".to_owned(),
    };
    let lacking = lacking(confusion);
    format!("\n{ERROR}missed{ERROR:#}: `{query}` ({place})\n  {went}\n  `{skill}` {at}{lacking}\n")
}

fn lacking(confusion: &Confusion) -> String {
    match confusion.lacking.join(", ") {
        words if words.is_empty() => String::new(),
        words => format!("; its name and description lack: {}", visible(&words)),
    }
}

fn as_json(tests: &TriggerTests, verdict: &Verdict) -> Value {
    let recall = |places| tests.recall(places);
    let skills = per_skill(tests).into_iter().map(|(id, outcomes)| {
        let recall = |places| mean_recall(outcomes.iter().copied(), places);
        json!({
            "id": id,
            "tests": outcomes.len(),
            "passed": outcomes.iter().filter(|outcome| outcome.passed).count(),
            "recall_at_1": recall(1),
            "recall_at_3": recall(3),
            "recall_at_5": recall(5),
        })
    });
    let outcomes = tests.files.iter().flat_map(|file| {
        file.outcomes.iter().map(|outcome| {
            let expect = outcome.expect.iter();
            json!({
                "skill": &*file.skill,
                "file": file.location,
                "line": outcome.line,
                "query": outcome.query,
                "expect": expect.map(|(id, place)| json!({ "id": id, "place": place })).collect::<Vec<_>>(),
                "not": outcome.not,
                "passed": outcome.passed,
                "found": outcome.found,
                "confusions": outcome.confusions,
            })
        })
    });
    let findings = tests.files.iter().flat_map(|file| {
        file.report.iter().map(|finding| {
            json!({
                "file": file.location,
                "line": file.line(finding),
                "rule": finding.rule.code(),
                "message": finding.message,
                "help": finding.help,
                "fixable": finding.fix.is_some(),
            })
        })
    });
    json!({
        "summary": {
            "ok": verdict.is_good,
            "tests": verdict.tests,
            "missed": verdict.missed,
            "triggered": verdict.triggered,
            "recall_at_1": recall(1),
            "recall_at_3": recall(3),
            "recall_at_5": recall(5),
        },
        "skills": skills.collect::<Vec<_>>(),
        "tests": outcomes.collect::<Vec<_>>(),
        "findings": findings.collect::<Vec<_>>(),
        "overlaps": tests.overlaps,
    })
}
