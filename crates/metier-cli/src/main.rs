//! Turns arguments into calls of the library, and what comes back into output and an exit code.

mod args;
mod base64;
mod catalog;
mod commands;
mod diff;
mod exit;
mod index_args;
mod input;
mod install_args;
mod installing;
mod nearest;
mod prompt_args;
mod saved_folders;
mod saved_index;
#[cfg(feature = "serve")]
mod serve_args;
mod table;
mod ui;

use args::{Cli, Command};
use clap::Parser as _;
use exit::Exit;
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
    let outcome = match cli.command {
        Command::Add(args) => commands::add::run(&args, &mut ui),
        Command::Check(args) => commands::check::run(args, &mut ui),
        Command::Rule(args) => commands::rule::run(&args, &mut ui),
        Command::Fmt(args) => commands::fmt::run(&args, &mut ui),
        Command::New(args) => commands::new::run(&args, &mut ui),
        Command::Installed(args) => commands::installed::run(&args, &mut ui),
        Command::List(args) => commands::list::run(&args, &mut ui),
        Command::Outdated(args) => commands::update::outdated(&args, &mut ui),
        Command::Read(args) => commands::read::run(&args, &mut ui),
        Command::Index(args) => commands::index::run(&args, &mut ui),
        Command::Remove(args) => commands::remove::run(&args, &mut ui),
        Command::Search(args) => commands::search::run(&args, &mut ui),
        #[cfg(feature = "serve")]
        Command::Export(args) => commands::export::run(&args, &mut ui),
        #[cfg(feature = "serve")]
        Command::Serve(args) => commands::serve::run(args, &mut ui),
        Command::Show(args) => commands::show::run(&args, &mut ui),
        Command::Sync(args) => commands::sync::run(&args, &mut ui),
        Command::Tools(args) => commands::tools::run(&args, &mut ui),
        Command::Call(args) => commands::call::run(&args, &mut ui),
        Command::Test(args) => commands::test::run(&args, &mut ui),
        Command::Prompt(args) => commands::prompt::run(&args, &mut ui),
        Command::Activate(args) => commands::activate::run(&args, &mut ui),
        Command::Trust(args) => commands::trust::run(&args, &mut ui),
        Command::Update(args) => commands::update::run(&args, &mut ui),
        Command::Verify(args) => commands::installed::verify(&args, &mut ui),
        Command::Why(args) => commands::installed::why(&args, &mut ui),
        Command::Completions(args) => commands::completions::run(&args, &mut ui),
        Command::Man(args) => commands::man::run(&args, &mut ui),
    };
    match outcome {
        Ok(exit) => exit.into(),
        Err(failure) => {
            ui.fail(&failure);
            failure.exit.into()
        }
    }
}
