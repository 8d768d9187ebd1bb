//! Turns what was typed after `metier prompt` into options.

use crate::args::Sources;
use clap::{Args, ValueEnum};

/// Print the text that tells a model which skills there are
///
/// Skills of the project count only when their folder is given with --root; skills that their author
/// keeps from models never do. With a budget, descriptions are shortened before skills are left out.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier prompt --root skills                     for a system prompt
  metier prompt 'fill in a form' --budget 2000    what fits the words is shortened last
  metier prompt 'fill in a form' --top 5          only the five that fit them best
  metier prompt --budget 2000 --pin pdf           at most so many tokens, pdf whole if it can be
  metier prompt --format skills-ref               the bytes of the reference
  metier prompt --preamble read-file --only pdf,csv
  metier prompt --json | jq .omitted              what did not fit")]
pub(crate) struct Prompt {
    /// What the user says: skills that fit it are shortened and left out last
    #[arg(value_name = "QUERY")]
    pub(crate) query: Vec<String>,

    #[command(flatten)]
    pub(crate) sources: Sources,

    /// Only this many skills, those that fit QUERY best, the best first
    #[arg(long, value_name = "N", requires = "query")]
    pub(crate) top: Option<usize>,

    /// At most this many tokens
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<usize>,

    /// What the text looks like
    #[arg(long, value_name = "FORMAT", default_value = "xml")]
    pub(crate) format: PromptFormat,

    /// What the model is told to do with the list
    #[arg(long, value_name = "WHAT", default_value = "none")]
    pub(crate) preamble: PromptPreamble,

    /// The tool that finds skills, if the model has one: it is named when skills are left out
    #[arg(long, value_name = "TOOL")]
    pub(crate) search_tool: Option<String>,

    /// Only these skills, in this order
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) only: Vec<String>,

    /// Shorten and leave out these skills last
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) pin: Vec<String>,

    /// Do not say where the skills stand
    #[arg(long)]
    pub(crate) no_locations: bool,

    /// Print JSON: the text and what became of every skill
    #[arg(long)]
    pub(crate) json: bool,
}

/// What the text of a catalog looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PromptFormat {
    /// Indented XML, as in the client guide
    Xml,
    /// A list under a heading
    Markdown,
    /// One JSON object
    Json,
    /// The bytes of the reference's to-prompt
    SkillsRef,
    /// The block of @drover/skills
    Drover,
    /// The block of @deuz-sdk/core
    Deuz,
    /// The section of Fizeau
    Fizeau,
    /// The catalog of zerodep
    Zerodep,
    /// The index of PromptKit
    Promptkit,
}

/// What a model is told to do with a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PromptPreamble {
    /// Nothing
    None,
    /// To read a skill's file
    ReadFile,
    /// To call the tool load_skill
    CallTool,
}
