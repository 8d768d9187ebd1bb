//! Turns a tool's name and its arguments into the reply that a model would read.

use crate::args::Call;
use crate::commands::tools::{names, note_untrusted};
use crate::exit::{Exit, Failure};
use crate::ui::Ui;
use crate::{catalog, input};
use metier::{Session, SessionOptions, block_on, visible};
use serde_json::{Value, json};

/// How long arguments may be, in bytes.
const MAX_ARGUMENTS: usize = 1024 * 1024;

pub(crate) fn run(args: &Call, ui: &mut Ui) -> Result<Exit, Failure> {
    let registry = catalog::open(&args.sources)?;
    note_untrusted(&registry, ui);
    let arguments = match args.arguments.as_str() {
        "-" => input::stdin_text(MAX_ARGUMENTS)?,
        text => text.to_owned(),
    };
    let options = SessionOptions { names: names(args.names), ..SessionOptions::default() };
    let session = Session::new(registry, options);
    // Text that is no JSON is for the session to answer, as it would answer a model.
    let reply = block_on(session.call(&args.tool, Value::String(arguments)));
    if args.json {
        let reply = json!({
            "is_error": reply.is_error, "content": reply.content, "data": reply.data
        });
        ui.data(&format!("{reply:#}\n"))?;
    } else if Ui::is_read_by_a_person() {
        // What a skill holds must not steer a terminal (security P10).
        for line in reply.content.lines() {
            ui.data(&format!("{}\n", visible(line)))?;
        }
    } else {
        ui.data_raw(&reply.content)?;
        if !reply.content.ends_with('\n') {
            ui.data_raw("\n")?;
        }
    }
    Ok(if reply.is_error { Exit::Findings } else { Exit::Ok })
}
