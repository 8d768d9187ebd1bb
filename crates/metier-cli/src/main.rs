//! Turns arguments into calls of the library, and what comes back into output and an exit code.

mod args;
mod authoring_args;
mod base64;
mod catalog;
mod commands;
mod diff;
mod exit;
mod index_args;
mod input;
mod install_args;
mod installing;
#[cfg(feature = "serve")]
mod mcp_args;
mod nearest;
mod progress;
mod prompt_args;
#[cfg(feature = "serve")]
mod remote;
mod saved_folders;
mod saved_index;
#[cfg(feature = "serve")]
mod serve_args;
mod table;
mod ui;
mod withheld;

use args::{Cli, Command};
use clap::Parser as _;
use exit::{Exit, Failure};
use std::process::ExitCode;
use ui::Ui;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers, everything else is a wrong argument.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Ok };
            // When the reader is gone there is nobody left to tell.
            let _ = error.print();
            return exit.into();
        }
    };
    let mut ui = Ui::new(cli.color);
    match cli.into_command().and_then(|command| run(command, &mut ui)) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            ui.fail(&failure);
            failure.exit.into()
        }
    }
}

fn run(command: Command, ui: &mut Ui) -> Result<Exit, Failure> {
    match command {
        Command::Add(args) => commands::add::run(&args, ui),
        Command::Check(args) => commands::check::run(args, ui),
        Command::Rule(args) => commands::rule::run(&args, ui),
        Command::Fmt(args) => commands::fmt::run(&args, ui),
        Command::New(args) => commands::new::run(&args, ui),
        Command::Installed(args) => commands::installed::run(&args, ui),
        Command::List(args) => commands::list::run(&args, ui),
        Command::Outdated(args) => commands::update::outdated(&args, ui),
        Command::Read(args) => commands::read::run(&args, ui),
        Command::Index(args) => commands::index::run(&args, ui),
        Command::Remove(args) => commands::remove::run(&args, ui),
        Command::Search(args) => commands::search::run(&args, ui),
        #[cfg(feature = "serve")]
        Command::Export(args) => commands::export::run(&args, ui),
        #[cfg(feature = "serve")]
        Command::Serve(args) => commands::serve::run(args, ui),
        Command::Show(args) => commands::show::run(&args, ui),
        Command::Sync(args) => commands::sync::run(&args, ui),
        Command::Tools(args) => commands::tools::run(&args, ui),
        Command::Call(args) => commands::call::run(&args, ui),
        Command::Test(args) => commands::test::run(&args, ui),
        Command::Prompt(args) => commands::prompt::run(&args, ui),
        Command::Activate(args) => commands::activate::run(&args, ui),
        Command::Trust(args) => commands::trust::run(&args, ui),
        Command::Update(args) => commands::update::run(&args, ui),
        Command::Verify(args) => commands::installed::verify(&args, ui),
        Command::Why(args) => commands::installed::why(&args, ui),
        Command::Completions(args) => commands::completions::run(&args, ui),
        Command::Man(args) => commands::man::run(&args, ui),
    }
}
