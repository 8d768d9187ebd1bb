//! Turns the arguments the command knows into completions for a shell.

use crate::args::{Cli, Completions};
use crate::exit::{Exit, Failure};
use crate::ui::Ui;
use clap::CommandFactory as _;

pub(crate) fn run(args: &Completions, ui: &mut Ui) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "metier", &mut script);
    ui.data_raw(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}
