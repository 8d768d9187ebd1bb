//! Turns a name into a new skill that passes every check.

use crate::authoring_args::{New, Part};
use crate::exit::{Exit, Failure};
use crate::ui::Ui;
use metier::{
    EntryKind, FolderEntry, FolderListing, Mode, NameRules, ParseOptions, Severity, SkillName,
    check, create_folder, format,
};
use std::fmt::Write as _;

pub(crate) fn run(args: &New, ui: &mut Ui) -> Result<Exit, Failure> {
    let name: SkillName = args.name.parse().map_err(|error: metier::InvalidName| {
        let help = match (args.name.rsplit_once('/'), SkillName::suggest(&args.name)) {
            (Some((folder, name)), _) if name.parse::<SkillName>().is_ok() => {
                let folder = if folder.is_empty() { "/" } else { folder };
                format!("give the folder apart: `metier new {name} --dir {folder}`")
            }
            (_, Some(name)) => format!("call it `{name}`"),
            (_, None) => "use lower-case letters, digits and hyphens".to_owned(),
        };
        Failure::usage(error.to_string(), help)
    })?;
    let manifest = manifest(args, name.as_str())?;
    let mut files = vec![("SKILL.md", manifest.as_str())];
    for part in &args.with {
        let file = match part {
            Part::Scripts => ("scripts/run.sh", SCRIPT),
            Part::References => ("references/guide.md", REFERENCE),
            Part::Assets => ("assets/template.md", ASSET),
        };
        if !files.contains(&file) {
            files.push(file);
        }
    }

    // The promise is that the new skill passes, so it is checked before anything is written.
    let report = judge(name.as_str(), &files);
    for finding in &report {
        if finding.severity == Severity::Error {
            let help = finding.help.clone().unwrap_or_else(|| explain(finding));
            return Err(Failure::usage(finding.message.clone(), help));
        }
        ui.note(&format!("{finding}"));
    }
    let folder = args.dir.strip_prefix(".").unwrap_or(&args.dir).join(name.as_str());
    create_folder(&folder, &files)?;
    for (file, _) in &files {
        ui.data(&format!("{}\n", metier::visible(&folder.join(file).to_string_lossy())))?;
    }
    Ok(Exit::Ok)
}

fn explain(finding: &metier::Finding) -> String {
    format!("`metier rule {}` explains it", finding.rule)
}

fn judge(name: &str, files: &[(&str, &str)]) -> metier::Report {
    let (_, manifest) = files[0];
    let mut folder = FolderListing::new("SKILL.md");
    for (path, text) in &files[1..] {
        if let Some((directory, _)) = path.split_once('/') {
            let kind = EntryKind::Directory;
            folder.entries.push(FolderEntry { path: directory.into(), kind });
        }
        let shebang = text.starts_with("#!");
        let kind = EntryKind::File { executable: shebang, shebang };
        folder.entries.push(FolderEntry { path: (*path).into(), kind });
    }
    let options = ParseOptions {
        mode: Mode::Strict,
        names: NameRules::Reference,
        directory: Some(name.to_owned()),
        ..ParseOptions::default()
    };
    check(manifest.as_bytes(), Some(&folder), &options).report
}

/// The text of `SKILL.md`.
fn manifest(args: &New, name: &str) -> Result<String, Failure> {
    let words = name.replace('-', " ");
    let description = match &args.description {
        Some(description) => description.clone(),
        None => format!(
            "Say here what this skill does, in the words of its users. \
             Use when the user asks for {words}."
        ),
    };
    // A JSON string is a YAML string; the formatter then quotes no more than it must.
    let description = serde_json::Value::from(description.trim());
    let mut text = format!("---\nname: {name}\ndescription: {description}\n---\n\n");
    let mut title = words.chars();
    let first = title.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let _ = write!(text, "# {first}{}\n{BODY}", title.as_str());
    for part in [Part::Scripts, Part::References, Part::Assets] {
        if args.with.contains(&part) {
            text.push_str(match part {
                Part::Scripts => "\n## Scripts\n\nRun `sh scripts/run.sh --help` to see what it does.\n",
                Part::References => {
                    "\n## References\n\nRead [the guide](references/guide.md) when the steps above are not enough.\n"
                }
                Part::Assets => {
                    "\n## Assets\n\nStart from [the template](assets/template.md) and fill it in.\n"
                }
            });
        }
    }
    format(&text).map_err(|error| {
        Failure::usage(
            format!("the description cannot be written: {error}"),
            "give a description of plain text",
        )
    })
}

const BODY: &str = "
Say in a sentence or two what is achieved when this skill has done its work.

## Steps

1. Look at what the user gave, and ask for what is missing.
2. Do the work, one step at a time.
3. Check the result before handing it over.

## Example

Show one request and the answer it should get.
";

const SCRIPT: &str = "#!/bin/sh
# Say here what the script does. It asks no questions, and writes its result to stdout.
set -eu

if [ \"${1:-}\" = \"--help\" ] || [ $# -eq 0 ]; then
    echo \"usage: run.sh FILE\"
    exit 0
fi

cat -- \"$1\"
";

const REFERENCE: &str = "# Guide

Put here what is needed only now and then: tables, formats, special cases.
";

const ASSET: &str = "# Title

Put here what the result should look like.
";
