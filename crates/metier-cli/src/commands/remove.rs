//! Turns names into skills that are gone from the disk, the lock and what is asked for.

use crate::exit::{Exit, Failure};
use crate::install_args::Remove;
use crate::installing::{Surroundings, installed_names};
use crate::ui::Ui;
use metier::install::{Existing, InstallOptions};
use serde_json::{Value, json};

pub(crate) fn run(args: &Remove, ui: &mut Ui) -> Result<Exit, Failure> {
    let surroundings = Surroundings::read()?;
    let names = installed_names(&surroundings, &args.place, &args.names)?;
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    let options = InstallOptions { existing, ..InstallOptions::default() };
    let location = surroundings.location(args.place.level())?;
    let removed = surroundings.with(location, options, |installer| installer.remove(&names))?;
    if args.place.json {
        let all = removed
            .iter()
            .map(|skill| json!({ "name": skill.name.as_str(), "source": skill.source.source() }));
        ui.data(&format!("{:#}\n", Value::Array(all.collect())))?;
        return Ok(Exit::Ok);
    }
    for skill in &removed {
        ui.data(&format!("removed {}\n", skill.name.as_str()))?;
    }
    Ok(Exit::Ok)
}
