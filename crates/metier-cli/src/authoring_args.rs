//! Turns what was typed behind `check`, `rule`, `fmt` and `new` into what an author wants.

use crate::nearest::nearest;
use clap::{Args, ValueEnum};
use metier::Rule;
use std::path::PathBuf;

/// Check skills, and mend what can be mended
///
/// PATH is a skill file, a folder (every skill in it and below it counts), a pattern such as
/// 'skills/*/SKILL.md', or - for stdin.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier check                              every skill below this folder
  metier check skills/pdf --deny-warnings   one skill, warnings count as errors
  metier check --fix --diff                 show what --fix would change
  metier check --json | jq .summary         for machines
  metier check --output-format github       annotations in a GitHub workflow
  metier check - --stdin-name a/SKILL.md    for editors")]
pub(crate) struct Check {
    /// Files, folders or patterns; - is stdin
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,

    /// Judge by the specification (the default)
    #[arg(long, conflicts_with = "lenient")]
    pub(crate) strict: bool,

    /// Judge as a loader does: what can be repaired is a warning
    #[arg(long)]
    pub(crate) lenient: bool,

    /// Report these rules only
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = rule)]
    pub(crate) select: Vec<Rule>,

    /// Do not report these rules
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = rule)]
    pub(crate) ignore: Vec<Rule>,

    /// Mend what can be mended; with -, the mended text goes to stdout
    #[arg(long)]
    pub(crate) fix: bool,

    /// With --fix: show the changes and write nothing
    #[arg(long, requires = "fix")]
    pub(crate) diff: bool,

    /// What the report looks like
    #[arg(long, value_name = "FORMAT", default_value = "full", conflicts_with = "json")]
    pub(crate) output_format: OutputFormat,

    /// Short for --output-format json
    #[arg(long)]
    pub(crate) json: bool,

    /// Exit with 1 on warnings too
    #[arg(long)]
    pub(crate) deny_warnings: bool,

    /// Which rules a name must keep
    #[arg(long, value_name = "RULES", default_value = "reference")]
    pub(crate) names: Names,

    /// Accept this frontmatter key (repeatable)
    #[arg(long, value_name = "KEY")]
    pub(crate) allow_field: Vec<String>,

    /// With -: the path the text belongs to
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin_name: Option<PathBuf>,
}

/// What a report looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Snippets with the place underlined
    Full,
    /// One line a finding
    Concise,
    /// One JSON object
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations in a GitHub workflow
    Github,
}

/// Which rules a name must keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Names {
    /// The reference validator's: lower-case letters of any script, digits and hyphens
    Reference,
    /// a-z, 0-9 and hyphens
    Ascii,
    /// Anthropic's: as ascii, and no reserved words
    Anthropic,
}

/// Explain a rule, or list them all
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier rule                  every rule with its severities
  metier rule unquoted-colon   what it finds, why it matters, and what to write instead
  metier rule --json           for machines")]
pub(crate) struct RuleArgs {
    /// The rule's code, as it stands in a finding
    #[arg(value_name = "CODE", value_parser = rule)]
    pub(crate) code: Option<Rule>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write frontmatter in canonical form; the body stays as it is
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier fmt                 every skill below this folder
  metier fmt --check         list what is not canonical, for a build
  metier fmt --diff pdf      show what would change
  metier fmt - < SKILL.md    from stdin to stdout")]
pub(crate) struct Fmt {
    /// Files, folders or patterns; - is stdin
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,

    /// List files that are not canonical and write nothing
    #[arg(long)]
    pub(crate) check: bool,

    /// Show the changes and write nothing
    #[arg(long)]
    pub(crate) diff: bool,
}

/// Make a skill that passes every check
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier new pdf-filler
  metier new pdf-filler --dir .agents/skills --with scripts,references
  metier new pdf-filler --description 'Fills in PDF forms. Use when the user has a form to fill.'")]
pub(crate) struct New {
    /// The skill's name: lower-case letters, digits and hyphens
    pub(crate) name: String,

    /// The folder that the skill's folder is made in
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,

    /// What the skill does, and when to use it
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,

    /// Folders to make inside it
    #[arg(long, value_name = "FOLDER", value_delimiter = ',')]
    pub(crate) with: Vec<Part>,
}

/// A conventional folder of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Programs that the skill runs
    Scripts,
    /// Texts to read when they are needed
    References,
    /// Templates, pictures and data
    Assets,
}

/// Reads a rule's code; an unknown one is answered with the nearest.
fn rule(code: &str) -> Result<Rule, String> {
    code.parse().map_err(|error: metier::UnknownRule| {
        let codes = Rule::ALL.iter().map(|rule| rule.code());
        match nearest(code, codes) {
            Some(nearest) => format!("{error}; did you mean `{nearest}`?"),
            None => format!("{error}; `metier rule` lists them"),
        }
    })
}
