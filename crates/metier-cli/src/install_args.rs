//! Turns what was typed after the commands that install skills into their options.

use clap::Args;
use metier::install::Level;
use std::path::PathBuf;

/// Where skills are installed, and what may be reached for it.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The user's skills (~/.agents/skills) instead of the project's
    #[arg(long)]
    pub(crate) user: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Place {
    /// Whose skills are meant.
    pub(crate) fn level(&self) -> Level {
        if self.user { Level::User } else { Level::Project }
    }
}

/// What may be fetched, and what may be replaced.
#[derive(Debug, Args)]
pub(crate) struct Fetching {
    /// Fetch nothing: take what is on this machine
    #[arg(long)]
    pub(crate) offline: bool,

    /// Reach private addresses, and plain http: on this machine
    #[arg(long)]
    pub(crate) allow_private: bool,

    /// Install skills with errors, and with files that nobody can look into
    #[arg(long)]
    pub(crate) allow_findings: bool,

    /// Replace what is in the way: other skills, and changes by hand
    #[arg(long)]
    pub(crate) force: bool,
}

/// Install skills, and lock them
///
/// SOURCE is owner/repo[/path][#revision][@skill] on GitHub, any git address with //path, a folder
/// (./skills/pdf), an archive (.tar.gz or .zip, here or on the web), a web site with an index of
/// skills, or @org/name[@version].
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier add anthropics/skills@pdf              one skill of a repository
  metier add acme/skills/review#v1.2            a folder of it, at a tag
  metier add git@git.example.com:team/x.git --all
  metier add ./drafts/pdf --link claude         a folder here, shown to an agent too
  metier add https://example.com/#@pdf          from a web site
  metier add acme/skills --all --dry-run        show what would happen")]
pub(crate) struct Add {
    /// Where the skills are
    #[arg(value_name = "SOURCE", required = true)]
    pub(crate) sources: Vec<String>,

    /// The skill that is meant, when there are several
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    pub(crate) skill: Option<String>,

    /// Every skill there is
    #[arg(long)]
    pub(crate) all: bool,

    /// The folder that the skill's folder is made in, inside the project
    #[arg(long, value_name = "DIR")]
    pub(crate) into: Option<PathBuf>,

    /// Show the skill in the folder of this agent too; may be given again
    #[arg(long, value_name = "AGENT", value_parser = agent)]
    pub(crate) link: Vec<String>,

    /// Take the files of an archive from the one folder they are in
    #[arg(long)]
    pub(crate) wrapped: bool,

    /// Show what would happen and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) fetching: Fetching,

    #[command(flatten)]
    pub(crate) place: Place,
}

/// Remove installed skills
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier remove pdf
  metier remove pdf review --user")]
pub(crate) struct Remove {
    /// The skills
    #[arg(value_name = "NAME", required = true)]
    pub(crate) names: Vec<String>,

    /// Remove them even if they were changed by hand
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) place: Place,
}

/// Update installed skills; changes by hand are kept
///
/// Shows which files change, which of them can be run, and what the rules find in the new version and
/// not in the old one. Asks then; where nobody can be asked, nothing is changed without --yes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier update --dry-run     what there is
  metier update pdf           one skill, after showing what changes
  metier update --yes         all of them, without asking")]
pub(crate) struct Update {
    /// The skills; all of them when none is named
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    /// Show what would change and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Do not ask
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,

    /// Take what is older than what is locked, too
    #[arg(long)]
    pub(crate) allow_older: bool,

    #[command(flatten)]
    pub(crate) fetching: Fetching,

    #[command(flatten)]
    pub(crate) place: Place,
}

/// List installed skills that have a newer version; exits with 1 when there are any
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier outdated
  metier outdated --json | jq -r '.[].name'")]
pub(crate) struct Outdated {
    #[command(flatten)]
    pub(crate) fetching: Fetching,

    #[command(flatten)]
    pub(crate) place: Place,
}

/// Install exactly what the lock says, and remove what has left it
///
/// What skills.toml asks for and skills.lock does not have yet is resolved and locked. Without
/// either, a skills-lock.json or .skill-lock.json of another installer is taken over.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier sync              after a pull
  metier sync --frozen     in a build: fail if anything differs, change no lock
  metier sync --offline    from what was fetched before")]
pub(crate) struct Sync {
    /// Fail if the lock is not up to date, or if something was changed by hand
    #[arg(long)]
    pub(crate) frozen: bool,

    #[command(flatten)]
    pub(crate) fetching: Fetching,

    #[command(flatten)]
    pub(crate) place: Place,
}

/// Compare installed skills with the lock, byte by byte; exits with 1 when one differs
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier verify
  metier verify --json | jq '.[] | select(.state != \"sound\")'")]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) place: Place,
}

/// List installed skills, the project's before the user's
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier installed
  metier installed --json | jq -r '.[].path'")]
pub(crate) struct Installed {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Say where an installed skill comes from and who asks for it
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier why pdf")]
pub(crate) struct Why {
    /// The skill
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    #[command(flatten)]
    pub(crate) place: Place,
}

/// Let the skills of this project reach a model, as they are now
///
/// What is trusted is the contents: a skill that changes, or that is new, is left out again until you
/// have looked at it and say so once more. An installed skill that you have changed by hand is kept
/// from models until you trust it as it is, or restore it with `metier sync --force`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier trust             after looking at them
  metier trust --user      changes by hand to skills that you have installed for yourself
  metier trust --list      what is trusted, and what has changed since
  metier trust --revoke")]
pub(crate) struct Trust {
    /// The user's skills (~/.agents/skills) instead of the project's
    #[arg(long)]
    pub(crate) user: bool,

    /// Show what is trusted and change nothing
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) list: bool,

    /// Trust this project no longer
    #[arg(long)]
    pub(crate) revoke: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn agent(name: &str) -> Result<String, String> {
    let known = metier::install::agents();
    if known.contains(&name) {
        return Ok(name.to_owned());
    }
    Err(format!("the folder of `{name}` is not known; those of {} are", known.join(", ")))
}
