//! Turns a real embedding model into proof that the hybrid helps, on machines that have one.
//!
//! `METIER_TEST_MODEL` names a folder with a program `embed`: it reads a JSON list of texts from each
//! line of stdin, and writes a JSON list of their vectors as a line of stdout. MiniLM-L6 behind thirty
//! lines of any language will do. Without the variable the test says so and passes.

#![expect(
    clippy::disallowed_methods,
    reason = "a test asks the environment for a program, runs it and says what it found"
)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use metier_core::{CachedEmbedder, EmbedError, Embedder, Hybrid, Matcher, SkillIndex, SkillText};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

/// A program that embeds, one list of texts at a time.
struct Program {
    child: Child,
    pipes: Mutex<(ChildStdin, BufReader<ChildStdout>)>,
}

impl Program {
    fn start(folder: &Path) -> Self {
        let mut command = Command::new(folder.join("embed"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, pipes: Mutex::new((stdin, stdout)) }
    }

    fn ask(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Box<dyn std::error::Error>> {
        let mut pipes = self.pipes.lock().unwrap();
        writeln!(pipes.0, "{}", serde_json::to_string(texts)?)?;
        pipes.0.flush()?;
        let mut line = String::new();
        pipes.1.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }
}

impl Embedder for Program {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.ask(texts).map_err(|error| EmbedError::Failed(error.to_string()))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Pairs of skills that share words, and differ in meaning.
const SKILLS: [(&str, &str); 10] = [
    ("bank-accounts", "Opens a bank account and moves money between accounts of a bank."),
    ("river-works", "Strengthens the bank of a river and plans flood walls along the bank."),
    ("cell-biology", "Explains how a cell divides and what a cell is made of."),
    ("phone-cells", "Finds the radio cell of a phone and measures the signal of a cell."),
    ("python-code", "Writes Python programs and reviews Python modules."),
    ("reptile-care", "Feeds and houses a python and other snakes kept at home."),
    ("jaguar-cars", "Repairs a Jaguar: engine, gears and brakes of the car."),
    ("wild-cats", "Describes how the jaguar hunts and where wild cats live."),
    ("court-cases", "Prepares a case for a court of law and drafts motions."),
    ("tennis-court", "Books a court and a trainer, and marks the lines of a court."),
];

/// What users say: one word leads to both of a pair, the meaning to one.
const QUERIES: [(&str, &str); 10] = [
    ("wire some cash through my bank", "bank-accounts"),
    ("water is washing away the bank near our village", "river-works"),
    ("mitosis of a cell for my exam", "cell-biology"),
    ("my mobile drops calls in this cell", "phone-cells"),
    ("debug a script in python", "python-code"),
    ("my python refuses to eat mice", "reptile-care"),
    ("strange noise from the motor of my jaguar", "jaguar-cars"),
    ("which animals does a jaguar prey on", "wild-cats"),
    ("the judge wants documents before court", "court-cases"),
    ("play doubles on a clay court this weekend", "tennis-court"),
];

#[test]
fn the_hybrid_is_better_than_words_alone() {
    let Some(folder) = std::env::var_os("METIER_TEST_MODEL") else {
        eprintln!("METIER_TEST_MODEL names no folder with a model: nothing is tested");
        return;
    };
    let skills = || {
        let skill = |(id, description): &(&'static str, &'static str)| SkillText {
            id,
            name: id,
            description,
            ..SkillText::default()
        };
        SKILLS.iter().map(skill).collect::<Vec<_>>()
    };
    let model = CachedEmbedder::new(Program::start(Path::new(&folder)));
    let hybrid = Hybrid::new(SkillIndex::build(skills()), model.clone(), skills());
    let first = |matcher: &dyn Matcher| {
        let is_first = |(query, id): &&(&str, &str)| {
            matcher.search(query, 1).first().is_some_and(|hit| &*hit.id == *id)
        };
        QUERIES.iter().filter(is_first).count()
    };
    let words = first(&SkillIndex::build(skills()));
    let both = first(&hybrid);
    eprintln!("of {} queries, words alone put {words} right, the hybrid {both}", QUERIES.len());
    assert!(hybrid.try_search(QUERIES[0].0, 1).is_ok(), "the model answers");
    assert!(both > words && both >= 8, "words {words}, hybrid {both}");
    assert!(model.len() <= SKILLS.len() + QUERIES.len(), "each text is embedded once");
}
