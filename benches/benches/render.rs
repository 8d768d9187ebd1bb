//! Turns ten thousand skills into figures: a prompt that fits, an activation, and the floors beside them.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::disallowed_methods, reason = "the floor reads a file with nothing in between")]

use benches::{folder, shortest, skills};
use metier::{
    ActivationOptions, Budget, CatalogFormat, Counter, Discovery, Estimate, Folder, Registry,
    Relevance, Render, TokenCounter as _,
};
use std::path::Path;
use testing::Layout;

const ROUNDS: usize = 20;

fn main() {
    let count = skills();
    let corpus = folder(count, Layout::Flat);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let discovery = Discovery { threads, ..Discovery::default() };
    let folder = Folder::new(corpus.path()).discovery(discovery);
    let registry = Registry::builder().source(metier::Blocking(folder)).open();
    let catalog = registry.catalog();
    assert_eq!(catalog.len(), count);

    let tight = Render { budget: Budget::Tokens(2_000), ..Render::default() };
    let lines = Render { format: CatalogFormat::PromptKit, ..tight.clone() };
    // A score for every skill, as a ranker gives them: each is a tier of its own.
    let score = |id: &str| id.bytes().fold(0.0, |sum, byte| sum / 2.0 + f64::from(byte));
    let ranked = Render { relevance: Relevance::by(score), ..tight.clone() };
    let wide = Render { budget: Budget::Tokens(40_000), ..Render::default() };
    let whole = Render::default();
    let text = catalog.render(&whole).text;
    for (what, render) in [
        ("xml", &tight),
        ("lines", &lines),
        ("ranked", &ranked),
        ("wide", &wide),
        ("everything", &whole),
    ] {
        let prompt = catalog.render(render);
        println!(
            "{what}: {} tokens, {} whole, {} shortened, {} omitted",
            prompt.tokens,
            prompt.included.len(),
            prompt.shortened.len(),
            prompt.omitted.len()
        );
    }
    let render = |render: &Render| catalog.render(render).omitted.len() + 1;
    let times = shortest(
        ROUNDS,
        &mut [
            ("2 000 tokens", &mut || render(&tight)),
            ("2 000 tokens, a line a skill", &mut || render(&lines)),
            ("2 000 tokens, every skill scored", &mut || render(&ranked)),
            ("40 000 tokens", &mut || render(&wide)),
            ("everything", &mut || render(&whole)),
            ("counting everything", &mut || Estimate.count(&text)),
        ],
    );
    println!("{count} skills into a prompt, milliseconds");
    let names = [
        "2 000 tokens",
        "  a line a skill",
        "  every skill scored",
        "40 000 tokens",
        "everything",
        "  counting it",
    ];
    for (name, time) in names.iter().zip(&times) {
        println!("  {name:20} {:.2}", time.as_secs_f64() * 1e3);
    }

    let entry = registry.list().into_iter().find(|entry| entry.location().ends_with("SKILL.md"));
    let entry = entry.expect("there is a skill");
    let options = ActivationOptions::default();
    let plain = Counter::new(|text: &str| text.len() / 4);
    let uncounted = ActivationOptions { counter: plain, ..ActivationOptions::default() };
    let activate =
        |options| registry.activation_blocking(&entry.id, options).expect("it was listed").tokens;
    let times = shortest(
        200,
        &mut [
            ("reading", &mut || std::fs::read(Path::new(entry.location())).map_or(0, |b| b.len())),
            ("activating", &mut || activate(&options)),
            ("activating, not counting", &mut || activate(&uncounted)),
        ],
    );
    println!("one skill, microseconds");
    for (name, time) in
        ["reading its file", "an activation", "  tokens not counted"].iter().zip(&times)
    {
        println!("  {name:20} {:.1}", time.as_secs_f64() * 1e6);
    }
}
