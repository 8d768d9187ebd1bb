//! Turns the skills that a model may be offered into the definitions of the tools that load them.

use crate::args::{Definitions, ToolNames, Tools};
use crate::catalog;
use crate::exit::{Exit, Failure};
use crate::ui::Ui;
use crate::withheld::Withheld;
use metier::{Registry, Session, SessionOptions, ToolFormat};

pub(crate) fn run(args: &Tools, ui: &mut Ui) -> Result<Exit, Failure> {
    let registry = catalog::open(&args.sources)?;
    note_untrusted(&registry, ui);
    let options = SessionOptions {
        names: names(args.names),
        list_names: args.list_names,
        ..SessionOptions::default()
    };
    let tools = Session::new(registry, options).tools();
    if tools.is_empty() {
        ui.note("there is no skill that a model may be offered, so there are no tools");
    }
    let format = match args.format {
        Definitions::OpenAiChat => ToolFormat::OpenAiChat,
        Definitions::OpenAiResponses => ToolFormat::OpenAiResponses,
        Definitions::Anthropic => ToolFormat::Anthropic,
        Definitions::Gemini => ToolFormat::Gemini,
        Definitions::Mcp => ToolFormat::Mcp,
    };
    ui.data(&format!("{:#}\n", tools.render(format)))?;
    Ok(Exit::Ok)
}

/// Says which skills are not offered because nobody has agreed to them, or because they were changed.
pub(crate) fn note_untrusted(registry: &Registry, ui: &mut Ui) {
    let withheld = Withheld::of(registry);
    ui.problems(&withheld.changed);
    for (note, help) in withheld.unknown() {
        ui.note(&note);
        ui.help(&help);
    }
}

pub(crate) fn names(names: ToolNames) -> metier::ToolNames {
    match names {
        ToolNames::Default => metier::ToolNames::Default,
        ToolNames::Drover => metier::ToolNames::Drover,
        ToolNames::Fizeau => metier::ToolNames::Fizeau,
        ToolNames::PromptKit => metier::ToolNames::PromptKit,
    }
}
