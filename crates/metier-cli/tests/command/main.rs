//! Turns typed commands into what a person or a script gets back, one module for each command.

mod activate;
mod call;
mod check;
mod export;
mod fix;
mod fmt;
mod global;
mod index;
mod install;
mod list;
mod new;
mod pages;
mod picture;
mod prompt;
mod read;
mod remote;
mod rule;
mod sealed;
mod search;
mod serve;
mod server;
mod show;
mod spec;
mod stdin;
mod test;
mod tools;
mod update;

use testing::{Fixture, Output};

/// A skill without a finding.
const GOOD: &str = "\
---
name: pdf
description: Fills in PDF forms. Use when the user has a form to fill.
---

# PDF

1. Open the form.
2. Fill it in.
";

/// A skill with one error that can be mended.
const COLON: &str = "\
---
name: pdf
description: Fills in PDF forms. Use when: the user has a form to fill.
---

# PDF

1. Open the form.
";

/// Runs the command in the fixture's folder.
fn metier(fixture: &Fixture, args: &[&str]) -> Output {
    fixture.command(env!("CARGO_BIN_EXE_metier"), args).run()
}

/// Runs the command with a text on stdin.
fn metier_with(fixture: &Fixture, args: &[&str], stdin: impl AsRef<[u8]>) -> Output {
    fixture.command(env!("CARGO_BIN_EXE_metier"), args).stdin(stdin).run()
}

/// The commands that the help names, `help` itself apart.
fn commands(fixture: &Fixture) -> Vec<String> {
    let output = metier(fixture, &["help"]);
    let (_, listed) = output.stdout().split_once("Commands:\n").expect("a list of commands");
    let lines = listed.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !matches!(*name, "" | "help")).map(str::to_owned);
    let names: Vec<String> = names.collect();
    assert!(names.len() > 10, "{output}");
    names
}
