//! Turns what was typed into a command and its options.

use crate::authoring_args::{Check, Fmt, New, RuleArgs};
use crate::exit::Failure;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Everything about Agent Skills: check, choose, disclose, install and serve them
///
/// A skill is a folder with a SKILL.md: YAML frontmatter with a name and a description, then
/// instructions in Markdown. metier shows every mistake with its line, its reason and its fix, finds
/// the skill that fits, and gives models what they need and nothing else.
#[derive(Debug, Parser)]
#[command(name = "metier", version, styles = STYLES, propagate_version = false)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "\
Exit codes: 0 ok, 1 findings, 2 wrong usage, 3 a file could not be read or written

Examples:
  metier new pdf-filler          make a skill
  metier check .                 check every skill below this folder
  metier check --fix .           mend what can be mended
  metier rule unquoted-colon     explain a finding
  metier list                    the skills that agents would know of
  metier search 'tax form'       the skills that fit what a user says
  metier prompt --budget 2000    what a model is told of them
  metier test                    do queries find the skills they should?
  metier add acme/skills@pdf     install a skill, and lock it
  metier sync --frozen           install exactly what is locked")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// When to use colours
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = false
    )]
    pub(crate) color: Color,

    /// Look for skills in this folder only; may be given again, the first one wins
    #[arg(long = "root", value_name = "DIR")]
    roots: Vec<PathBuf>,
}

impl Cli {
    /// The command, with the roots that were given before its name put before those behind it.
    pub(crate) fn into_command(mut self) -> Result<Command, Failure> {
        if self.roots.is_empty() {
            return Ok(self.command);
        }
        let Some(roots) = self.command.roots() else {
            return Err(Failure::usage(
                "`--root` is for commands that look skills up, and this one does not",
                "leave it out; `check`, `fmt` and `add` take folders as arguments",
            ));
        };
        roots.folders.splice(0..0, self.roots);
        Ok(self.command)
    }
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(Check),
    Rule(RuleArgs),
    Fmt(Fmt),
    New(New),
    Test(Test),
    List(List),
    Search(Search),
    Index(crate::index_args::Index),
    Show(Show),
    Read(Read),
    Prompt(crate::prompt_args::Prompt),
    Activate(Activate),
    Tools(Tools),
    Call(Call),
    #[cfg(feature = "serve")]
    Serve(crate::serve_args::Serve),
    #[cfg(feature = "serve")]
    Export(crate::serve_args::Export),
    Add(crate::install_args::Add),
    Remove(crate::install_args::Remove),
    Update(crate::install_args::Update),
    Outdated(crate::install_args::Outdated),
    Sync(crate::install_args::Sync),
    Verify(crate::install_args::Verify),
    Installed(crate::install_args::Installed),
    Why(crate::install_args::Why),
    Trust(crate::install_args::Trust),
    Completions(Completions),
    Man(Man),
}

impl Command {
    /// Where the command looks for skills, when it does.
    fn roots(&mut self) -> Option<&mut Roots> {
        Some(match self {
            Self::Test(args) => &mut args.roots,
            Self::List(args) => &mut args.sources.roots,
            Self::Search(args) => &mut args.sources.roots,
            Self::Index(args) => &mut args.roots,
            Self::Show(args) => &mut args.sources.roots,
            Self::Read(args) => &mut args.sources.roots,
            Self::Prompt(args) => &mut args.sources.roots,
            Self::Activate(args) => &mut args.sources.roots,
            Self::Tools(args) => &mut args.sources.roots,
            Self::Call(args) => &mut args.sources.roots,
            #[cfg(feature = "serve")]
            Self::Serve(args) => &mut args.sources.roots,
            #[cfg(feature = "serve")]
            Self::Export(args) => &mut args.sources.roots,
            _ => return None,
        })
    }
}

/// Where skills are looked for.
#[derive(Debug, Args)]
pub(crate) struct Roots {
    /// Look in this folder only; may be given again, the first one wins
    ///
    /// Without it, skills come from .agents/skills and .claude/skills of the project (from here up to
    /// the root of the repository), then of the home, then from the folders in METIER_PATH.
    #[arg(long = "root", value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
}

/// Where skills come from.
#[derive(Debug, Args)]
pub(crate) struct Sources {
    #[command(flatten)]
    pub(crate) roots: Roots,

    #[cfg(feature = "serve")]
    #[command(flatten)]
    pub(crate) servers: crate::mcp_args::Servers,
}

impl Sources {
    /// Whether skills come from another server too.
    pub(crate) fn has_servers(&self) -> bool {
        #[cfg(feature = "serve")]
        return !self.servers.is_empty();
        #[cfg(not(feature = "serve"))]
        false
    }
}

/// List the skills that agents would know of
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier list
  metier list --root examples/skills
  metier list --all                  with the skills that others shadow, and why
  metier list --json | jq -r '.[].name'")]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) sources: Sources,

    /// Show shadowed skills too, and what shadows them
    #[arg(long)]
    pub(crate) all: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Find the skills that fit what a user says
///
/// Everything a skill says is searched: its name, description, tags, headings and body. A score of the
/// default matcher is from 0 to 1 and means the same for every query; those of other matchers are their
/// own.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier search fill in this tax form
  metier search 'fill in this tax form' --top 1 --json | jq -r '.[0].id'
  metier search --explain 'tax form'            which words, where, and how much
  metier search --tools Bash,Read 'tax form'    only skills that need no other tools
  metier search --min-score 0.3 'tax form'      nothing, rather than something that hardly fits
  metier search - < prompt.txt")]
pub(crate) struct Search {
    /// What the user says; - is stdin
    #[arg(value_name = "QUERY", required = true)]
    pub(crate) query: Vec<String>,

    #[command(flatten)]
    pub(crate) sources: Sources,

    /// Show this many skills at most
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) top: usize,

    /// Show skills that score at least this
    #[arg(long, value_name = "SCORE")]
    pub(crate) min_score: Option<f64>,

    /// How skills are ranked
    #[arg(long, value_name = "MATCHER", default_value = "default")]
    pub(crate) matcher: MatcherName,

    /// Skills with this tag only; with several, one of them is enough
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,

    /// Skills that need no other tools than these
    #[arg(long, value_name = "TOOL", value_delimiter = ',')]
    pub(crate) tools: Option<Vec<String>>,

    /// Ask the saved index, and read only what it finds
    ///
    /// Skills that came or went are seen, and so is a hit whose file was edited: then all skills are read, and
    /// the index is brought up to date. An edit to a skill that is no hit is seen by `metier index`.
    #[arg(long, conflicts_with_all = ["matcher", "tags", "tools"])]
    pub(crate) saved: bool,

    /// Say why: which words of the query stand where in the skill
    #[arg(long)]
    pub(crate) explain: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// How skills are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MatcherName {
    /// Everything a skill says, the rarest words first
    Default,
    /// The share of the query's words in name and description
    Keyword,
    /// BM25+ over name, description and body
    Bm25,
    /// As keyword, without stop words and accents
    Lexical,
    /// Every skill, by name
    All,
}

/// List the files of a skill, or print one of them
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier read pdf                             its files
  metier read pdf references/forms.md         one of them
  metier read pdf assets/big.csv --range 0-999
  metier read pdf SKILL.md --json")]
pub(crate) struct Read {
    /// The skill's name or id
    pub(crate) name: String,

    /// The file, as the listing shows it
    pub(crate) path: Option<String>,

    #[command(flatten)]
    pub(crate) sources: Sources,

    /// Refuse more than this many bytes
    #[arg(long, value_name = "N", default_value_t = 1024 * 1024)]
    pub(crate) max_bytes: usize,

    /// These bytes only, counted from 0, both ends included; 100- is to the end
    #[arg(long, value_name = "FIRST-LAST", value_parser = byte_range, requires = "path")]
    pub(crate) range: Option<std::ops::Range<u64>>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show one skill: what it says, what it costs and what it brings
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier show pdf                                  a skill by its name
  metier show skills/pdf                           a skill by its folder
  metier show skills/pdf/SKILL.md --json | jq -r .body")]
pub(crate) struct Show {
    /// The skill's name, its folder, or its SKILL.md
    #[arg(value_name = "NAME|PATH")]
    pub(crate) skill: PathBuf,

    #[command(flatten)]
    pub(crate) sources: Sources,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print the tools that a model calls to load skills
///
/// The output is the JSON value of `tools` in a request to the model's API. Without skills that a
/// model may be offered, it is empty.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier tools                                   for the Anthropic Messages API
  metier tools --format openai-responses         for OpenAI, strict
  metier tools --list-names                      with the names of the skills in the schema
  metier tools --format gemini --names drover    the tools of another system")]
pub(crate) struct Tools {
    /// The form of the definitions
    #[arg(long, value_name = "FORMAT", default_value = "anthropic")]
    pub(crate) format: Definitions,

    /// What the tools and their arguments are called
    #[arg(long, value_name = "NAMES", default_value = "default")]
    pub(crate) names: ToolNames,

    /// List the names of the skills in the definitions
    #[arg(long)]
    pub(crate) list_names: bool,

    #[command(flatten)]
    pub(crate) sources: Sources,

    /// Print JSON, which is the only form there is
    #[arg(long)]
    pub(crate) json: bool,
}

/// The form of tool definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Definitions {
    /// OpenAI Chat Completions, strict
    #[value(name = "openai-chat")]
    OpenAiChat,
    /// OpenAI Responses, strict
    #[value(name = "openai-responses")]
    OpenAiResponses,
    /// Anthropic Messages
    Anthropic,
    /// Gemini generateContent
    Gemini,
    /// The Model Context Protocol
    Mcp,
}

/// What tools and their arguments are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolNames {
    /// search_skills, load_skill, unload_skill, read_skill_file
    Default,
    /// skill_load, skill_resource
    Drover,
    /// load_skill with skill_name
    Fizeau,
    /// skill__activate, skill__deactivate, skill__read_resource
    #[value(name = "promptkit")]
    PromptKit,
}

/// Call a tool as a model would, and print what the model would read
///
/// Every call starts a session of its own, in which no skill is loaded and no script runs. A reply
/// that reports an error ends with the exit code 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier call load_skill '{\"name\": \"pdf\"}'
  metier call search_skills '{\"query\": \"fill in a form\", \"limit\": 3}'
  metier call read_skill_file '{\"skill\": \"pdf\", \"path\": \"references/forms.md\"}'
  echo '{\"name\": \"pdf\"}' | metier call load_skill - --json")]
pub(crate) struct Call {
    /// The tool
    #[arg(value_name = "TOOL")]
    pub(crate) tool: String,

    /// Its arguments, one JSON object; - is stdin
    #[arg(value_name = "JSON", default_value = "{}")]
    pub(crate) arguments: String,

    /// What the tools and their arguments are called
    #[arg(long, value_name = "NAMES", default_value = "default")]
    pub(crate) names: ToolNames,

    #[command(flatten)]
    pub(crate) sources: Sources,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print what a model receives when a skill is activated
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier activate pdf
  metier activate pdf --inline                    with the contents of its files
  metier activate fix-issue --arguments '123'     in place of $ARGUMENTS and $1
  metier activate pdf --json | jq .tools          the tools it names as allowed")]
pub(crate) struct Activate {
    /// The skill's name or id
    pub(crate) name: String,

    #[command(flatten)]
    pub(crate) sources: Sources,

    /// Put the contents of its text files into the text
    #[arg(long)]
    pub(crate) inline: bool,

    /// The same, for files of at most this many bytes [default: 65536]
    #[arg(long, value_name = "N")]
    pub(crate) max_inline_bytes: Option<usize>,

    /// What a person typed behind the name, for $ARGUMENTS, $1, $2 ...
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) arguments: Option<String>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Test whether what users say finds the skills it should
///
/// Runs the trigger tests that stand beside skills, in evals/triggers.yaml, evals/trigger_eval.json or
/// evals/evals.json, against all skills: offline, and the same every time. A miss says which skill the
/// query went to, which words led there, and which words would have caught it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier test --root skills                   every skill with trigger tests
  metier test pdf-filler --root skills        the tests of one skill
  metier test --min-recall 0.9                let one query in ten miss
  metier test --json | jq .summary            for machines

A file of trigger tests:
  - query: fill in this tax form
  - query: what is a PDF
    should_trigger: false
  - query: sign this contract
    expect: contract-signing")]
pub(crate) struct Test {
    /// The names of the skills whose tests are run; all, without any
    #[arg(value_name = "SKILL")]
    pub(crate) skills: Vec<String>,

    #[command(flatten)]
    pub(crate) roots: Roots,

    /// An expected skill must be among the first N
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) top: usize,

    /// Exit with 1 when a smaller share of the expected skills is among the first N, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    pub(crate) min_recall: f64,

    /// Exit with 1 when more queries than this find a skill first that should stay away
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) max_triggered: usize,

    /// A skill that should stay away may come first with a lower score than this
    #[arg(long, value_name = "SCORE", default_value_t = 0.5)]
    pub(crate) min_score: f64,

    /// Tell pairs of descriptions that share at least this much of their words, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    pub(crate) overlap: f64,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier completions bash > ~/.local/share/bash-completion/completions/metier
  metier completions zsh > ~/.zfunc/_metier
  metier completions fish > ~/.config/fish/completions/metier.fish")]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page, or write all pages into a folder
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier man | man -l -
  metier man ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Write one page for each command into this folder
    #[arg(value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

/// Reads `FIRST-LAST` as a range of bytes.
fn byte_range(text: &str) -> Result<std::ops::Range<u64>, String> {
    let wrong = || format!("`{text}` is no range; write it as `0-999`, or `1000-` for the rest");
    let (first, last) = text.split_once('-').ok_or_else(wrong)?;
    let first: u64 = first.parse().map_err(|_| wrong())?;
    let end = match last {
        "" => u64::MAX,
        last => last.parse::<u64>().map_err(|_| wrong())?.saturating_add(1),
    };
    if first < end { Ok(first..end) } else { Err(wrong()) }
}
