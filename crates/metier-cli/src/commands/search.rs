//! Turns what a user says into the skills that fit it: a table for people, JSON for machines.

use crate::args::{MatcherName, Search};
use crate::catalog;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::saved_folders;
use crate::saved_index;
use crate::table::{bar, cut, one_line, padded};
use crate::ui::{ADDED, NOTE, STRONG, Ui, count};
use metier::{
    Bm25Parameters, CatalogFilter, Cutoff, Explanation, MatcherKind, Part, Registry, SearchOptions,
    SelectOptions, Selected, visible,
};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;
use unicode_width::UnicodeWidthStr as _;

/// How long a query may be that comes from stdin.
const MOST: usize = 1024 * 1024;
/// How wide a full bar is.
const BAR: usize = 10;

pub(crate) fn run(args: &Search, ui: &mut Ui) -> Result<Exit, Failure> {
    if args.explain && args.matcher != MatcherName::Default {
        return Err(Failure::usage(
            "only the default matcher explains itself",
            "leave out `--matcher` or `--explain`",
        ));
    }
    if args.saved && args.sources.has_servers() {
        return Err(Failure::usage(
            "a saved index holds the skills of folders only",
            "leave out `--saved`, or the servers",
        ));
    }
    let query = match &args.query[..] {
        [dash] if dash == "-" => input::stdin_text(MOST)?,
        words => words.join(" "),
    };
    if args.saved && saved(args, &query, ui)? {
        return Ok(Exit::Ok);
    }
    let file = saved_index::file_of(&args.sources.roots)?;
    let folders = if args.saved {
        saved_folders::without_skills(&catalog::folders(&args.sources.roots)?)
    } else {
        None
    };
    let registry = catalog::open(&args.sources)?;
    // Every skill is compared with it, so an old one does no harm, and a broken one is passed over.
    if args.matcher == MatcherName::Default
        && let Ok(Some(saved)) = saved_index::open(&file)
    {
        registry.start_from_index(saved.index);
    }
    let selected = registry.select_blocking(&query, &options(args));
    let found = found(&registry, &query, &selected, args.explain);
    show(&found, args.json, ui)?;
    ui.problems(&registry.problems());
    ui.problems(&selected.problems);
    if !args.json {
        ui.say(&summary(&selected));
    }
    // The answer is there; whether the next one comes sooner is no reason to fail.
    if args.saved
        && let Err(failure) = saved_index::save(&registry, folders.as_deref(), &file)
    {
        ui.note(&format!("the index was not saved: {}", failure.message));
    }
    Ok(Exit::Ok)
}

/// Answers from the saved index alone; `false` when it cannot be trusted, and why was said.
fn saved(args: &Search, query: &str, ui: &mut Ui) -> Result<bool, Failure> {
    let file = saved_index::file_of(&args.sources.roots)?;
    let saved = match saved_index::open(&file) {
        Ok(Some(saved)) => saved,
        Ok(None) => {
            ui.note("there is no saved index of these roots; all skills are read, and it is made");
            return Ok(false);
        }
        Err(error) => {
            ui.note(&format!("{error}; all skills are read, and it is made anew"));
            return Ok(false);
        }
    };
    let min_score = args.min_score.unwrap_or_default();
    let options = SearchOptions { limit: args.top, min_score, ..SearchOptions::default() };
    let Some(hits) = saved.search(query, &options) else {
        ui.note(
            "the saved index is out of date; all skills are read, and it is brought up to date",
        );
        return Ok(false);
    };
    let number = hits.len();
    let found = hits.into_iter().map(|hit| Found {
        why: args.explain.then(|| saved.index.explain(query, &hit.hit.id)).flatten(),
        id: hit.hit.id,
        name: hit.skill.name().to_owned(),
        description: hit.skill.description().to_owned(),
        location: hit.location,
        score: hit.hit.score,
        copies: hit.copies,
    });
    show(&found.collect::<Vec<_>>(), args.json, ui)?;
    if !args.json {
        ui.say(&counted(number, saved.index.len(), 0));
    }
    Ok(true)
}

fn show(found: &[Found], as_json: bool, ui: &mut Ui) -> Result<(), Failure> {
    if as_json {
        let rows = found.iter().map(Found::json).collect();
        return ui.data(&format!("{:#}\n", Value::Array(rows)));
    }
    ui.data(&table(found, Ui::is_read_by_a_person()))
}

fn options(args: &Search) -> SelectOptions {
    let matcher = match args.matcher {
        MatcherName::Default => MatcherKind::Default,
        MatcherName::Keyword => MatcherKind::Keyword,
        MatcherName::Bm25 => MatcherKind::Bm25(Bm25Parameters::default()),
        MatcherName::Lexical => MatcherKind::Lexical(Cutoff::Above(0.0)),
        MatcherName::All => MatcherKind::Everything,
    };
    let filter = CatalogFilter {
        tags: args.tags.clone(),
        available_tools: args.tools.clone(),
        ..CatalogFilter::default()
    };
    SelectOptions { top_k: args.top, min_score: args.min_score, filter, matcher }
}

/// A hit, and what is known of the skill.
struct Found {
    id: Arc<str>,
    name: String,
    description: String,
    location: String,
    score: f64,
    copies: usize,
    why: Option<Explanation>,
}

fn found(registry: &Registry, query: &str, selected: &Selected, explain: bool) -> Vec<Found> {
    let hits = selected.hits.iter().filter_map(|hit| {
        let entry = registry.get(&hit.id)?;
        Some(Found {
            id: hit.id.clone(),
            name: entry.name().to_owned(),
            description: entry.description().to_owned(),
            location: entry.location().to_owned(),
            score: hit.score,
            copies: selected.duplicates.get(&hit.id).map_or(0, Vec::len),
            why: explain.then(|| registry.explain(query, &hit.id)).flatten(),
        })
    });
    hits.collect()
}

impl Found {
    fn json(&self) -> Value {
        let mut row = json!({
            "id": &*self.id,
            "name": self.name,
            "score": self.score,
            "description": self.description,
            "location": self.location,
        });
        if let Some(why) = &self.why {
            row["explanation"] = json!(why);
        }
        row
    }
}

fn table(found: &[Found], with_bars: bool) -> String {
    let best = found.iter().map(|found| found.score).fold(1.0, f64::max);
    let ids: Vec<_> = found.iter().map(|found| visible(&found.id)).collect();
    let widest = ids.iter().map(|id| id.width()).max().unwrap_or_default().min(40);
    let bars = if with_bars { BAR + 2 } else { 0 };
    // Four digits of a score, and two blanks between the columns.
    let left = Ui::width().saturating_sub(widest + bars + 8).max(20);
    let mut text = String::new();
    for (found, id) in found.iter().zip(ids) {
        let description = cut(&visible(&one_line(&found.description)), left);
        if with_bars {
            let bar = bar(found.score, best, BAR);
            let _ = write!(text, "{ADDED}{bar}{ADDED:#}  ");
        }
        let _ = writeln!(
            text,
            "{:.2}  {STRONG}{}{STRONG:#}  {description}",
            found.score,
            padded(&id, widest)
        );
        if found.copies > 0 {
            let copies = count(found.copies, "other skill");
            let verb = if found.copies == 1 { "says" } else { "say" };
            let _ = writeln!(text, "      {NOTE}{copies} {verb} the same{NOTE:#}");
        }
        if let Some(why) = &found.why {
            text.push_str(&explained(why));
        }
    }
    text
}

/// The words that speak for a skill, each with its share of the points and its places.
fn explained(why: &Explanation) -> String {
    let mut text = String::new();
    let share = |points: f32| {
        let share = if why.points > 0.0 { points / why.points * 100.0 } else { 0.0 };
        format!("{share:>4.0} %")
    };
    let widest = why.words.iter().map(|word| word.word.width()).max().unwrap_or_default().max(9);
    for word in &why.words {
        let places = word.fields.iter().map(|(field, times, _)| match times {
            1 => field.to_string(),
            times => format!("{field} ×{times}"),
        });
        let places = places.collect::<Vec<_>>().join(", ");
        let word_text = padded(&visible(&word.word), widest);
        let _ = writeln!(text, "      {}  {word_text}  {places}", share(word.points));
    }
    for (part, points) in &why.parts {
        let name = padded(part_name(*part), widest);
        let _ = writeln!(text, "      {}  {NOTE}{name}{NOTE:#}  {}", share(*points), about(*part));
    }
    if !why.missing.is_empty() {
        let missing = visible(&why.missing.join(", ")).into_owned();
        let _ = writeln!(text, "              {}  {missing}", padded("not there", widest));
    }
    text
}

fn part_name(part: Part) -> &'static str {
    match part {
        Part::Phrase => "phrase",
        Part::Near => "near",
        Part::Exact => "exact",
        Part::Name => "name",
        Part::Mention => "mention",
        Part::Against => "against",
        _ => "other",
    }
}

fn about(part: Part) -> &'static str {
    match part {
        Part::Phrase => "words that follow one another in both",
        Part::Near => "words near one another in both",
        Part::Exact => "words spelt as in the query",
        Part::Name => "words of the name in the query",
        Part::Mention => "the query calls the skill by name",
        Part::Against => "the skill says that it is not for this",
        _ => "",
    }
}

fn summary(selected: &Selected) -> String {
    counted(selected.hits.len(), selected.candidates, selected.left_out)
}

fn counted(hits: usize, searched: usize, left_out: usize) -> String {
    let searched = count(searched, "skill");
    let left_out = match left_out {
        0 => String::new(),
        number => format!(", {number} left out by the options"),
    };
    match hits {
        0 => format!("no skill fits; {searched} searched{left_out}"),
        hits => format!("{hits} of {searched}{left_out}"),
    }
}
