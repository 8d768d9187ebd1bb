//! Turns the arguments the command knows into manual pages.

use crate::args::{Cli, Man};
use crate::exit::{Exit, Failure};
use crate::ui::{Ui, count};
use clap::{Command, CommandFactory as _};
use metier::write_atomically;

pub(crate) fn run(args: &Man, ui: &mut Ui) -> Result<Exit, Failure> {
    // `help` only repeats the pages.
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.dir else {
        ui.data_raw(&page(command)?)?;
        return Ok(Exit::Ok);
    };
    let mut pages = vec![("metier.1".to_owned(), page(command.clone())?)];
    for part in command.get_subcommands() {
        // `man metier-check` and the page's own headline say the same.
        let name = format!("metier-{}", part.get_name());
        pages.push((format!("{name}.1"), page(part.clone().display_name(name))?));
    }
    for (name, text) in &pages {
        write_atomically(&folder.join(name), text.as_bytes())?;
    }
    ui.say(&format!("wrote {} to `{}`", count(pages.len(), "page"), folder.display()));
    Ok(Exit::Ok)
}

fn page(command: Command) -> Result<String, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
