//! Turns `corpus DIR --skills 10000` into a folder of made-up skills.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a command")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use testing::{Corpus, Layout};

const USAGE: &str = "usage: corpus DIR [--skills N] [--nested] [--seed N] [--defects SHARE] \
                     [--body-bytes N]";

#[expect(clippy::disallowed_methods, reason = "a command reads its arguments")]
fn main() -> ExitCode {
    let (folder, corpus) = match arguments(std::env::args().skip(1)) {
        Ok(meant) => meant,
        Err(wrong) => {
            eprintln!("error: {wrong}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match corpus.write_to(&folder) {
        Ok(files) => {
            println!("{} skills in {files} files: {}", corpus.skills, folder.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(3)
        }
    }
}

/// Reads the arguments; the error says which one is wrong.
fn arguments(mut args: impl Iterator<Item = String>) -> Result<(PathBuf, Corpus), String> {
    let mut folder = None;
    let mut corpus = Corpus::default();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--skills" => corpus.skills = value(&arg, args.next())?,
            "--seed" => corpus.seed = value(&arg, args.next())?,
            "--body-bytes" => corpus.body_bytes = value(&arg, args.next())?,
            "--nested" => corpus.layout = Layout::Nested,
            "--defects" => {
                corpus.defects = value(&arg, args.next())?;
                if !(0.0..=1.0).contains(&corpus.defects) {
                    return Err(format!("`--defects` is not from 0 to 1: {}", corpus.defects));
                }
            }
            option if option.starts_with('-') => return Err(format!("no such option: {option}")),
            _ if folder.is_some() => return Err(format!("a second folder: {arg}")),
            _ => folder = Some(PathBuf::from(arg)),
        }
    }
    Ok((folder.ok_or("no folder given")?, corpus))
}

/// Reads the value of an option.
fn value<T: FromStr>(option: &str, value: Option<String>) -> Result<T, String> {
    let value = value.ok_or_else(|| format!("`{option}` needs a value"))?;
    value.parse().map_err(|_| format!("`{option}` is not a number: {value}"))
}
