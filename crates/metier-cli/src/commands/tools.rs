//! Turns the skills that a model may be offered into the definitions of the tools that load them.

use crate::args::{Definitions, ToolNames, Tools};
use crate::catalog;
use crate::exit::{Exit, Failure};
use crate::ui::{Ui, count};
use metier::{Registry, Session, SessionOptions, ToolFormat};

pub(crate) fn run(args: &Tools, ui: &mut Ui) -> Result<Exit, Failure> {
    let registry = catalog::open(&args.roots)?;
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

/// Says which skills are not offered because nobody trusts them, or because they were changed.
pub(crate) fn note_untrusted(registry: &Registry, ui: &mut Ui) {
    let withheld = catalog::withheld(registry);
    ui.problems(&withheld.changed);
    if !withheld.unknown.is_empty() {
        let skills = count(withheld.unknown.len(), "skill");
        ui.note(&format!(
            "{skills} of this project left out, because nobody trusts it yet; `metier trust` does, once you have looked"
        ));
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
