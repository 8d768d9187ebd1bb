//! Turns folders of queries with known answers into a table: every matcher, side by side.
//!
//! `cargo run --release -p eval -- DIR...`; with `--ablate` first, the default ranking without each part.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a command")]
#![expect(clippy::disallowed_methods, reason = "a command reads its arguments")]

use eval::{ABLATIONS, Catalog, MATCHERS, Measures, Record, Separation, Set};
use metier_core::{Matcher, Ranking, SkillIndex};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let ablates = folders.first().is_some_and(|first| first.as_os_str() == "--ablate");
    if ablates {
        folders.remove(0);
    }
    if folders.is_empty() {
        eprintln!("usage: eval [--ablate] DIR...");
        return ExitCode::from(2);
    }
    match evaluate(&folders, ablates) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(3)
        }
    }
}

/// Builds every matcher once a catalog, and prints a line for every set.
fn evaluate(folders: &[PathBuf], ablates: bool) -> Result<(), String> {
    let mut catalogs: Vec<PathBuf> =
        folders.iter().map(|folder| Catalog::path_for(folder)).collect();
    catalogs.sort();
    catalogs.dedup();
    for path in &catalogs {
        let catalog = Catalog::read(path)?;
        let of_this = |folder: &&PathBuf| Catalog::path_for(folder) == *path;
        let sets: Vec<Set> = folders
            .iter()
            .filter(of_this)
            .map(|folder| Set::read(folder))
            .collect::<Result<_, _>>()?;
        println!("{}: {} skills", shown(path), catalog.skills.len());
        let skills = || catalog.skills.iter().map(Record::text);
        let ablate = |ablation: fn(Ranking) -> Ranking| -> Box<dyn Matcher> {
            Box::new(SkillIndex::build_with(ablation(Ranking::default()), skills()))
        };
        let matchers: Vec<(&str, Box<dyn Matcher>)> = if ablates {
            ABLATIONS.iter().map(|&(name, ablation)| (name, ablate(ablation))).collect()
        } else {
            MATCHERS.iter().map(|&(name, build)| (name, build(&catalog))).collect()
        };
        for (name, matcher) in &matchers {
            for set in sets.iter().filter(|set| !set.is_of_misses()) {
                let label = format!("{} ({} queries)", set.name, set.queries.len());
                println!("  {name:<24}{label:<38}{}", Measures::of(&**matcher, set));
            }
            let (hits, misses): (Vec<_>, Vec<_>) = sets.iter().partition(|set| !set.is_of_misses());
            for set in misses {
                let separation = Separation::of(&**matcher, &hits, set);
                println!("  {name:<24}{:<38}{separation}", set.name);
            }
        }
    }
    Ok(())
}

fn shown(path: &Path) -> String {
    path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}
