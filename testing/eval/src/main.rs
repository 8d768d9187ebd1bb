//! Turns folders of queries with known answers into a table: every matcher, side by side.
//!
//! `cargo run --release -p eval -- [OPTION...] DIR...`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a command")]
#![expect(clippy::disallowed_methods, reason = "a command reads its arguments")]

use eval::{
    ABLATIONS, Catalog, MATCHERS, Measures, Model, Record, Reliability, Separation, Set, with_model,
};
use metier_core::{CachedEmbedder, Matcher, Ranking, SkillIndex};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: eval [OPTION...] DIR...

  --ablate            the default ranking without each of its parts
  --distractors DIR   more skills to choose from: `skills.jsonl` and `SKILL.md` files below DIR
  --folds N           nDCG@10 of each Nth part of the queries too
  --model DIR         vectors and the hybrid too, by the program `embed` in DIR
  --reliability       how often a score is right, in tenths";

#[derive(Default)]
struct Options {
    folders: Vec<PathBuf>,
    distractors: Vec<PathBuf>,
    model: Option<CachedEmbedder<Model>>,
    folds: usize,
    ablates: bool,
    is_reliability: bool,
}

fn main() -> ExitCode {
    let result = read_options(std::env::args().skip(1)).map(|options| evaluate(&options));
    match result {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(message)) => {
            eprintln!("{message}");
            ExitCode::from(3)
        }
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn read_options(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options::default();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("`{argument}` has no value"));
        match argument.as_str() {
            "--ablate" => options.ablates = true,
            "--reliability" => options.is_reliability = true,
            "--distractors" => options.distractors.push(value()?.into()),
            "--folds" => options.folds = value()?.parse().map_err(|_| "`--folds` is no number")?,
            "--model" => {
                let model = Model::start(Path::new(&value()?))?;
                options.model = Some(CachedEmbedder::new(model));
            }
            option if option.starts_with("--") => return Err(format!("no option `{option}`")),
            folder => options.folders.push(folder.into()),
        }
    }
    if options.folders.is_empty() { Err("no folder to read".into()) } else { Ok(options) }
}

/// Builds every matcher once a catalog, and prints a line for every set.
fn evaluate(options: &Options) -> Result<(), String> {
    let folders = &options.folders;
    let mut catalogs: Vec<PathBuf> =
        folders.iter().map(|folder| Catalog::path_for(folder)).collect();
    catalogs.sort();
    catalogs.dedup();
    for path in &catalogs {
        let mut catalog = Catalog::read(path)?;
        for folder in &options.distractors {
            let added = catalog.distract(folder)?;
            println!("{added} more skills from {}", folder.display());
        }
        let of_this = |folder: &&PathBuf| Catalog::path_for(folder) == *path;
        let sets: Vec<Set> = folders
            .iter()
            .filter(of_this)
            .map(|folder| Set::read(folder))
            .collect::<Result<_, _>>()?;
        println!("{}: {} skills", shown(path), catalog.skills.len());
        for (name, matcher) in matchers(options, &catalog) {
            compare(name, &*matcher, &sets, options);
        }
        if options.model.is_none() && !options.ablates {
            println!("  no model: embedding and hybrid are left out; `--model DIR` has one");
        }
    }
    Ok(())
}

fn matchers(options: &Options, catalog: &Catalog) -> Vec<(&'static str, Box<dyn Matcher>)> {
    if options.ablates {
        let build = |ablation: fn(Ranking) -> Ranking| -> Box<dyn Matcher> {
            let skills = catalog.skills.iter().map(Record::text);
            Box::new(SkillIndex::build_with(ablation(Ranking::default()), skills))
        };
        return ABLATIONS.iter().map(|&(name, ablation)| (name, build(ablation))).collect();
    }
    let mut matchers: Vec<_> =
        MATCHERS.iter().map(|&(name, build)| (name, build(catalog))).collect();
    if let Some(model) = &options.model {
        matchers.extend(with_model(model, catalog));
    }
    matchers
}

/// Prints the lines of one matcher.
fn compare(name: &str, matcher: &dyn Matcher, sets: &[Set], options: &Options) {
    let (answered, misses): (Vec<_>, Vec<_>) = sets.iter().partition(|set| !set.is_of_misses());
    for set in &answered {
        let label = format!("{} ({} queries)", set.name, set.queries.len());
        let each = Measures::of_each(matcher, set);
        println!("  {name:<25}{label:<38}{}", Measures::mean(&each));
        if options.folds > 1 {
            let folds = Measures::folds(&each, options.folds);
            let shown: Vec<String> =
                folds.iter().map(|fold| format!("{:.1}", 100.0 * fold.ndcg10)).collect();
            println!("  {name:<25}{:<38}nDCG@10 in parts: {}", set.name, shown.join("  "));
        }
        if options.is_reliability {
            println!("  {name:<25}{:<38}{}", set.name, Reliability::of(matcher, set));
        }
    }
    for set in misses {
        let separation = Separation::of(matcher, &answered, set);
        println!("  {name:<25}{:<38}{separation}", set.name);
    }
}

fn shown(path: &Path) -> String {
    path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}
