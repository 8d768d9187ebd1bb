//! Turns the skills that a model may be offered into the text of a system prompt.

use crate::catalog;
use crate::exit::{Exit, Failure};
use crate::prompt_args::{Prompt as Args, PromptFormat, PromptPreamble};
use crate::ui::{Ui, count};
use crate::withheld::Withheld;
use metier::{
    Audience, Budget, CatalogFilter, CatalogFormat, Locations, Preamble, Prompt, Registry,
    Relevance, Render, SelectOptions, WhenEmpty,
};
use serde_json::json;

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Failure> {
    let registry = catalog::open(&args.sources)?;
    let mut render = meant(args, &registry)?;
    if !args.query.is_empty() {
        prefer(args, &registry, &mut render, ui);
    }
    let prompt = registry.catalog().render(&render);
    if args.json {
        let report = json!({
            "text": prompt.text,
            "tokens": prompt.tokens,
            "included": prompt.included,
            "shortened": prompt.shortened,
            "omitted": prompt.omitted,
        });
        ui.data(&format!("{report:#}\n"))?;
    } else if !prompt.text.is_empty() {
        ui.data_raw(&format!("{}\n", prompt.text))?;
    }
    ui.problems(&registry.problems());
    // Skills that were changed are among the problems.
    for (note, help) in Withheld::of(&registry).unknown() {
        ui.note(&note);
        ui.help(&help);
    }
    if let Some(note) = stripped(&prompt) {
        ui.note(&note);
    }
    if Ui::is_watched() || prompt.text.is_empty() && !prompt.omitted.is_empty() {
        ui.say(&summary(&prompt));
    }
    Ok(Exit::Ok)
}

fn meant(args: &Args, registry: &Registry) -> Result<Render, Failure> {
    // A name that nobody has is a slip of the hand, not a wish for less.
    let known = |ids: &[String]| {
        let ids = ids.iter().map(|id| catalog::get(registry, id).map(|entry| entry.id.to_string()));
        ids.collect::<Result<Vec<_>, _>>()
    };
    Ok(Render {
        format: match args.format {
            PromptFormat::Xml => CatalogFormat::Xml,
            PromptFormat::Markdown => CatalogFormat::Markdown,
            PromptFormat::Json => CatalogFormat::Json,
            PromptFormat::SkillsRef => CatalogFormat::SkillsRef,
            PromptFormat::Drover => CatalogFormat::Drover,
            PromptFormat::Deuz => CatalogFormat::Deuz,
            PromptFormat::Fizeau => CatalogFormat::Fizeau,
            PromptFormat::Zerodep => CatalogFormat::Zerodep,
            PromptFormat::Promptkit => CatalogFormat::PromptKit,
        },
        allow: if args.only.is_empty() { None } else { Some(known(&args.only)?) },
        locations: if args.no_locations { Locations::Hide } else { Locations::Auto },
        preamble: match args.preamble {
            PromptPreamble::None => Preamble::None,
            PromptPreamble::ReadFile => Preamble::ReadFile,
            PromptPreamble::CallTool => Preamble::CallTool("load_skill".to_owned()),
        },
        budget: args.budget.map_or(Budget::Unlimited, Budget::Tokens),
        pins: known(&args.pin)?,
        search_tool: args.search_tool.clone(),
        when_empty: WhenEmpty::Nothing,
        ..Render::default()
    })
}

/// Lets the skills that fit the query stay longest, or alone.
fn prefer(args: &Args, registry: &Registry, render: &mut Render, ui: &mut Ui) {
    let filter = CatalogFilter {
        audience: Audience::Model,
        allow: render.allow.clone().unwrap_or_default(),
        ..CatalogFilter::default()
    };
    let top_k = args.top.unwrap_or(registry.len());
    let options = SelectOptions { top_k, filter, ..SelectOptions::default() };
    let selected = registry.select_blocking(&args.query.join(" "), &options);
    ui.problems(&selected.problems);
    let hits = selected.hits.iter();
    if args.top.is_some() {
        render.allow = Some(hits.map(|hit| hit.id.to_string()).collect());
    } else {
        // One word in common is no reason to take the room of others.
        let best = selected.hits.first().map_or(0.0, |hit| hit.score);
        let fitting = hits.filter(|hit| hit.score * 2.0 >= best);
        let scores = fitting.map(|hit| (hit.id.to_string(), hit.score)).collect();
        render.relevance = Relevance::Scores(scores);
    }
}

fn stripped(prompt: &Prompt) -> Option<String> {
    let names = prompt.stripped.join(", ");
    let message = "characters that nobody can see were taken out of what these skills say";
    (!prompt.stripped.is_empty()).then(|| format!("{message}: {names}"))
}

fn summary(prompt: &Prompt) -> String {
    let (included, shortened, omitted) =
        (prompt.included.len(), prompt.shortened.len(), prompt.omitted.len());
    let tokens = count(prompt.tokens, "token");
    format!("about {tokens}: {included} included, {shortened} shortened, {omitted} omitted")
}
