//! Turns the catalog into a table for people, or JSON for machines.

use crate::args::List;
use crate::catalog;
use crate::exit::{Exit, Failure};
use crate::table::{cut, one_line, padded};
use crate::ui::{STRONG, Ui, count};
use metier::{CatalogEntry, Registry, Shadowed, visible};
use serde_json::{Value, json};
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr as _;

pub(crate) fn run(args: &List, ui: &mut Ui) -> Result<Exit, Failure> {
    let registry = catalog::open(&args.sources)?;
    let shadowed = if args.all { registry.shadowed() } else { Vec::new() };
    if args.json {
        let listed = registry.list();
        let entries = listed.iter().map(|entry| as_json(entry, false));
        let others = shadowed.iter().map(|other| as_json(&other.entry, true));
        ui.data(&format!("{:#}\n", Value::Array(entries.chain(others).collect())))?;
    } else {
        ui.data(&table(&registry, &shadowed))?;
    }
    ui.problems(&registry.problems());
    if !args.json {
        ui.say(&summary(&registry));
    }
    Ok(Exit::Ok)
}

fn as_json(entry: &CatalogEntry, shadowed: bool) -> Value {
    json!({
        "id": &*entry.id,
        "name": entry.name(),
        "description": entry.description(),
        "location": entry.location(),
        "source": entry.source(),
        "body_offset": entry.listed.body_offset,
        "shadowed": shadowed,
    })
}

fn table(registry: &Registry, shadowed: &[Shadowed]) -> String {
    let entries = registry.list();
    let all = entries.iter().chain(shadowed.iter().map(|other| &other.entry));
    let rows: Vec<[String; 3]> = all
        .map(|entry| {
            let words = one_line(entry.description());
            [&entry.id, words.as_str(), entry.source()].map(|text| visible(text).into_owned())
        })
        .collect();
    let widest = |at: usize| rows.iter().map(|row| row[at].width()).max().unwrap_or_default();
    let names = widest(0).min(40);
    let sources = widest(2).min(24);
    // Two blanks between the columns, and never so narrow that nothing is left of a description.
    let descriptions = Ui::width().saturating_sub(names + sources + 4).max(20);
    let mut text = String::new();
    for [name, description, source] in &rows {
        let name = padded(name, names);
        let description = padded(&cut(description, descriptions), descriptions);
        let _ = writeln!(text, "{STRONG}{name}{STRONG:#}  {description}  {source}");
    }
    for other in shadowed {
        let _ = writeln!(text, "{other}");
    }
    text
}

fn summary(registry: &Registry) -> String {
    let hidden = registry.shadowed().len();
    let skills = count(registry.len(), "skill");
    match hidden {
        0 => skills,
        _ => format!("{skills}; {hidden} more are shadowed, `--all` shows them"),
    }
}
