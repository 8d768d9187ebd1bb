//! Turns a skill's name into what a model receives when the skill is activated.

use crate::args::Activate;
use crate::catalog;
use crate::exit::{Exit, Failure};
use crate::ui::{Ui, count};
use crate::withheld;
use metier::{Activation, ActivationOptions, Invocation, visible};
use serde_json::json;

/// How large a file may be that stands in the text.
const MAX_INLINE_BYTES: usize = 64 * 1024;

pub(crate) fn run(args: &Activate, ui: &mut Ui) -> Result<Exit, Failure> {
    let registry = catalog::open(&args.sources)?;
    let entry = catalog::get(&registry, &args.name)?;
    withheld::check_trust(&registry, &entry)?;
    let is_inline = args.inline || args.max_inline_bytes.is_some();
    let options = ActivationOptions {
        invocation: Invocation::User { arguments: args.arguments.clone() },
        max_inline_bytes: is_inline.then(|| args.max_inline_bytes.unwrap_or(MAX_INLINE_BYTES)),
        ..ActivationOptions::default()
    };
    let activation = registry.activation_blocking(&entry.id, &options)?;
    if args.json {
        let answer = json!({
            "name": activation.name,
            "text": activation.text,
            "tools": activation.tools,
            "resources": activation.resources,
        });
        ui.data(&format!("{answer:#}\n"))?;
    } else if Ui::is_read_by_a_person() {
        // What a skill holds must not steer a terminal (security P10).
        for line in activation.text.lines() {
            ui.data(&format!("{}\n", visible(line)))?;
        }
    } else {
        ui.data_raw(&format!("{}\n", activation.text))?;
    }
    for note in changes(&activation) {
        ui.note(&note);
    }
    if Ui::is_watched() {
        ui.say(&format!("about {}", count(activation.tokens, "token")));
    }
    Ok(Exit::Ok)
}

/// What the text does not say as the skill does.
fn changes(activation: &Activation) -> Vec<String> {
    let mut notes = Vec::new();
    match activation.escaped {
        0 => {}
        1 => notes.push("1 tag in the body looked like one of ours and was escaped".to_owned()),
        more => notes.push(format!("{more} tags in the body looked like ours and were escaped")),
    }
    if activation.stripped > 0 {
        let characters = count(activation.stripped, "character");
        notes.push(format!("{characters} that nobody can see left out of the text"));
    }
    notes
}
