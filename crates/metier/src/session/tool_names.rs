//! Turns the name of a system into what its tools and their arguments are called.

use std::fmt;
use std::str::FromStr;

/// What the tools of a session and their arguments are called, and how their replies read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ToolNames {
    /// `search_skills{query, limit}`, `load_skill{name}`, `unload_skill{name}`,
    /// `read_skill_file{skill, path, offset, length}`,
    /// `run_skill_script{skill, script, arguments, input}`.
    #[default]
    Default,
    /// `skill_load{name}`, `skill_resource{name, resource}`, as `@drover/skills` has them.
    Drover,
    /// `load_skill{skill_name}`, as Fizeau has it.
    Fizeau,
    /// `skill__activate{name}`, `skill__deactivate{name}`, `skill__read_resource{skill_name, path}`,
    /// as PromptKit has them.
    PromptKit,
}

/// Text that names no [`ToolNames`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there are no tool names `{}`", crate::visible(name))]
#[non_exhaustive]
pub struct UnknownToolNames {
    /// The text.
    pub name: String,
}

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Search,
    Load,
    Unload,
    Read,
    Run,
}

impl ToolNames {
    /// Every set of names.
    pub const ALL: [Self; 4] = [Self::Default, Self::Drover, Self::Fizeau, Self::PromptKit];

    /// The name, as [`FromStr`] reads it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Drover => "drover",
            Self::Fizeau => "fizeau",
            Self::PromptKit => "promptkit",
        }
    }

    /// The tools, in order.
    pub(crate) fn verbs(self) -> &'static [(Verb, &'static str)] {
        match self {
            Self::Default => &[
                (Verb::Search, "search_skills"),
                (Verb::Load, "load_skill"),
                (Verb::Unload, "unload_skill"),
                (Verb::Read, "read_skill_file"),
                (Verb::Run, "run_skill_script"),
            ],
            Self::Drover => &[(Verb::Load, "skill_load"), (Verb::Read, "skill_resource")],
            Self::Fizeau => &[(Verb::Load, "load_skill")],
            Self::PromptKit => &[
                (Verb::Load, "skill__activate"),
                (Verb::Unload, "skill__deactivate"),
                (Verb::Read, "skill__read_resource"),
            ],
        }
    }

    /// What a tool does; `None` for one that is not ours.
    pub(crate) fn verb(self, tool: &str) -> Option<Verb> {
        self.verbs().iter().find(|(_, name)| *name == tool).map(|(verb, _)| *verb)
    }

    /// The argument that names the skill.
    pub(crate) fn skill_argument(self, verb: Verb) -> &'static str {
        match (self, verb) {
            (Self::Default, Verb::Read | Verb::Run) => "skill",
            (Self::Fizeau, _) | (Self::PromptKit, Verb::Read) => "skill_name",
            _ => "name",
        }
    }

    /// The argument that names a file of a skill.
    pub(crate) fn path_argument(self) -> &'static str {
        if self == Self::Drover { "resource" } else { "path" }
    }
}

impl fmt::Display for ToolNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ToolNames {
    type Err = UnknownToolNames;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|names| names.name() == name);
        found.ok_or_else(|| UnknownToolNames { name: name.to_owned() })
    }
}
