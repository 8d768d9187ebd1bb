//! Turns a skill's name and a path into the file it names, or into the list of its files.

use crate::args::Read;
use crate::exit::{Exit, Failure};
use crate::ui::{STRONG, Ui};
use crate::{base64, catalog};
use metier::{Files, ReadOptions, Resource, visible};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(crate) fn run(args: &Read, ui: &mut Ui) -> Result<Exit, Failure> {
    let registry = catalog::open(&args.sources)?;
    let id = catalog::get(&registry, &args.name)?.id;
    let Some(path) = &args.path else {
        let files = registry.files_blocking(&id)?;
        let listed =
            if args.json { format!("{:#}\n", json!({ "resources": files })) } else { page(&files) };
        ui.data(&listed)?;
        return Ok(Exit::Ok);
    };
    let options = ReadOptions { limit: args.max_bytes, range: args.range.clone() };
    let resource = registry.read_blocking(&id, path, &options)?;
    match resource.text() {
        _ if args.json => ui.data(&format!("{:#}\n", as_json(&resource)))?,
        // What a skill holds must not steer a terminal (security P10).
        Some(text) if Ui::is_read_by_a_person() => {
            for line in text.lines() {
                ui.data(&format!("{}\n", visible(line)))?;
            }
        }
        None if Ui::is_read_by_a_person() => {
            let message = format!("`{path}` is not text, {} bytes", resource.size);
            return Err(Failure::fault(message, "send it to a file, or use `--json`"));
        }
        _ => ui.data_bytes(&resource.bytes)?,
    }
    Ok(Exit::Ok)
}

fn page(files: &Files) -> String {
    let mut text = String::new();
    let groups = [
        ("scripts", &files.scripts),
        ("references", &files.references),
        ("assets", &files.assets),
        ("other", &files.other),
    ];
    for (group, paths) in groups.into_iter().filter(|(_, paths)| !paths.is_empty()) {
        let _ = writeln!(text, "{STRONG}{group}{STRONG:#}");
        for path in paths {
            let _ = writeln!(text, "  {}", visible(path.as_str()));
        }
    }
    for folder in &files.nested {
        let folder = visible(folder.as_str());
        let _ =
            writeln!(text, "(another skill stands in `{folder}`, and its files are not listed)");
    }
    if files.truncated {
        text.push_str("(and more: the listing stops at 1 000 files)\n");
    }
    text
}

fn as_json(resource: &Resource) -> Value {
    let path = resource.path.as_str();
    match resource.text() {
        Some(text) => json!({ "path": path, "content": text, "bytes": resource.size }),
        None => json!({
            "path": path,
            "content_base64": base64::encode(&resource.bytes),
            "bytes": resource.size,
        }),
    }
}
