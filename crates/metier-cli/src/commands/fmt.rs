//! Turns skill files into files with canonical frontmatter.

use crate::authoring_args::Fmt;
use crate::diff;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::ui::{Ui, count};
use metier::{FindOptions, Limits, find, format, read_capped, visible, write_atomically};
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &Fmt, ui: &mut Ui) -> Result<Exit, Failure> {
    if input::is_stdin(&args.paths)? {
        return stdin(args, ui);
    }
    let options = FindOptions { threads: input::threads(), ..FindOptions::default() };
    let found = find(&args.paths, &options);
    let mut failures: Vec<Failure> = found.faults.into_iter().map(Failure::from).collect();
    let mut changed = 0;
    let mut left_alone = 0;
    for path in &found.files {
        match one(path) {
            Ok(Formatted::Same) => {}
            Ok(Formatted::Changed { before, after }) => {
                changed += 1;
                if args.diff {
                    ui.data(&diff::unified(path, &before, &after))?;
                } else if args.check {
                    ui.data(&format!("{}\n", visible(&path.to_string_lossy())))?;
                } else if let Err(error) = write_atomically(path, after.as_bytes()) {
                    failures.push(error.into());
                }
            }
            Ok(Formatted::Refused(reason)) => {
                left_alone += 1;
                ui.say(&refusal(path, &reason));
            }
            Err(failure) => failures.push(failure),
        }
    }
    for failure in &failures {
        ui.fail(failure);
    }
    if left_alone > 0 {
        ui.note("`metier check` shows what is wrong, `metier check --fix` mends what it can");
    }
    let verb = if args.check || args.diff { "would format" } else { "formatted" };
    let alone = if left_alone > 0 { format!(", left {left_alone} alone") } else { String::new() };
    ui.say(&format!("{verb} {changed} of {}{alone}", count(found.files.len(), "skill")));

    let would_change = (args.check || args.diff) && changed > 0;
    Ok(if !failures.is_empty() {
        Exit::Fault
    } else if left_alone > 0 || would_change {
        Exit::Findings
    } else {
        Exit::Ok
    })
}

/// What came of one file.
enum Formatted {
    Same,
    Changed {
        before: String,
        after: String,
    },
    /// The file has errors, so that nobody can say what it means.
    Refused(String),
}

fn one(path: &Path) -> Result<Formatted, Failure> {
    let bytes = read_capped(path, Limits::default().file_bytes)?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => formatted(text),
        Err(_) => Formatted::Refused("the file is not UTF-8 text".to_owned()),
    })
}

fn formatted(before: String) -> Formatted {
    match format(&before) {
        Ok(after) if after == before => Formatted::Same,
        Ok(after) => Formatted::Changed { before, after },
        Err(error) => Formatted::Refused(error.to_string()),
    }
}

fn refusal(path: &Path, reason: &str) -> String {
    let path = path.to_string_lossy();
    format!("`{}` is left alone: {}", visible(&path), visible(reason))
}

/// From stdin to stdout. A text that cannot be formatted comes out as it went in, so that an
/// editor that takes what it gets loses nothing.
fn stdin(args: &Fmt, ui: &mut Ui) -> Result<Exit, Failure> {
    let text = input::stdin_text(Limits::default().file_bytes)?;
    let path = PathBuf::from("-");
    let only_looks = args.check || args.diff;
    match formatted(text.clone()) {
        Formatted::Same => {
            if !only_looks {
                ui.data_raw(&text)?;
            }
            Ok(Exit::Ok)
        }
        Formatted::Changed { before, after } => {
            if args.diff {
                ui.data(&diff::unified(&path, &before, &after))?;
            } else if args.check {
                ui.data("-\n")?;
            } else {
                ui.data_raw(&after)?;
            }
            Ok(if only_looks { Exit::Findings } else { Exit::Ok })
        }
        Formatted::Refused(reason) => {
            if !only_looks {
                ui.data_raw(&text)?;
            }
            ui.say(&refusal(&path, &reason));
            Ok(Exit::Findings)
        }
    }
}
