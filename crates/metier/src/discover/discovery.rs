//! Turns "which folders hold skills, and how far to look" into options with names.

use metier_core::ParseOptions;

/// How [`discover`](crate::discover) and [`Folder`](crate::Folder) look for skills.
///
/// ```
/// use metier::{BelowSkills, Discovery};
///
/// // Every folder at any depth, also those inside skills.
/// let options = Discovery {
///     depth: usize::MAX,
///     below_skills: BelowSkills::Descend,
///     skip_prefixes: Vec::new(),
///     ..Discovery::default()
/// };
/// assert_eq!(options.directories, 200_000);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct Discovery {
    /// What the file of a skill is called.
    pub file_name: FileName,
    /// How deep below the root a skill may stand; the root itself is 0.
    pub depth: usize,
    /// How many directories are looked into.
    pub directories: usize,
    /// Directories whose names start so are left out.
    pub skip_prefixes: Vec<String>,
    /// Directories of these names are left out.
    pub skip_names: Vec<String>,
    /// Whether there can be skills inside a skill.
    pub below_skills: BelowSkills,
    /// Whether the root can be a skill.
    pub root_skill: RootSkill,
    /// Which links to directories are followed. The root may always be one.
    pub linked_directories: Links,
    /// Which skill files may be links.
    pub linked_files: Links,
    /// What becomes of folders and files below the root that are mounted from elsewhere.
    pub mounts: Mounts,
    /// Mode, name rules, limits and extra fields. The directory is filled in for each skill. In
    /// strict mode a skill with an error is not listed.
    pub parse: ParseOptions,
    /// What an error is to the rest of the walk.
    pub on_problem: OnProblem,
    /// What it means that the root does not exist, or is no directory.
    pub missing_root: MissingRoot,
    /// How many threads look; 0 for as many as the machine runs at once.
    pub threads: usize,
}

impl Default for Discovery {
    fn default() -> Self {
        Self {
            file_name: FileName::Standard,
            depth: 6,
            directories: 200_000,
            skip_prefixes: [".", "_"].map(str::to_owned).to_vec(),
            skip_names: ["node_modules", ".git"].map(str::to_owned).to_vec(),
            below_skills: BelowSkills::Stop,
            root_skill: RootSkill::Counts,
            linked_directories: Links::Inside,
            linked_files: Links::Inside,
            mounts: Mounts::Cross,
            parse: ParseOptions::default(),
            on_problem: OnProblem::Report,
            missing_root: MissingRoot::Note,
            threads: 0,
        }
    }
}

impl Discovery {
    /// Whether directories of this name are left out.
    pub(crate) fn skips(&self, name: &str) -> bool {
        self.skip_prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()))
            || self.skip_names.iter().any(|skipped| skipped == name)
    }

    pub(crate) fn thread_count(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}

/// What the file of a skill is called.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum FileName {
    /// `SKILL.md`, else `skill.md`, else any other case of it: with a warning in lenient mode, and
    /// not at all in strict mode.
    #[default]
    Standard,
    /// This name and no other.
    Exact(String),
    /// `SKILL.md` in any case; when there are several, the order of [`FileName::Standard`] counts.
    AnyCase,
}

impl FileName {
    /// Whether a file of this name can be that of a skill.
    pub(crate) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Standard | Self::AnyCase => name.eq_ignore_ascii_case("skill.md"),
            Self::Exact(exact) => name == exact,
        }
    }
}

/// Whether there can be skills inside a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum BelowSkills {
    /// What stands inside a skill is a resource of it.
    #[default]
    Stop,
    /// The directories of a skill that does not load are looked into like any other.
    DescendBroken,
    /// The directories of a skill are looked into like any other.
    Descend,
}

impl BelowSkills {
    /// Whether a directory with a skill file, which loads or does not, is the end of its branch.
    pub(crate) fn ends_at(self, loads: bool) -> bool {
        match self {
            Self::Stop => true,
            Self::DescendBroken => loads,
            Self::Descend => false,
        }
    }
}

/// Whether the root can be a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum RootSkill {
    /// A skill file in the root makes it one.
    #[default]
    Counts,
    /// A skill file in the root is left alone.
    Ignored,
}

/// Which links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Links {
    /// None; those that lead to skills are noted.
    Never,
    /// Those that lead to a place below the root; those that lead to skills elsewhere are reported.
    #[default]
    Inside,
    /// All. For roots that their owner fills with links, not for those that come with a project.
    Anywhere,
}

/// What becomes of folders and files below the root that are mounted from elsewhere: another file
/// system, or another folder of the same one (a bind mount).
///
/// This is about what stands below the root: the root itself may be mounted, and a link that
/// [`Links::Anywhere`] lets out of it leads where it leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mounts {
    /// They are read like all others.
    #[default]
    Cross,
    /// They are not looked into and not read, and reported: a skill is what stands in its folder
    /// (security R26). For folders that others can mount something into. Linux tells mounts apart since
    /// 5.8, before that nothing is read; elsewhere the numbers of devices are compared, and on Windows
    /// nothing is.
    Refuse,
}

/// What an error is to the rest of the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnProblem {
    /// One entry in the list of problems.
    #[default]
    Report,
    /// The end: the first one, in the order of paths, is the answer.
    Abort,
}

/// What it means that the root does not exist, or is no directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MissingRoot {
    /// There are no skills, and a note says why.
    #[default]
    Note,
    /// The same where there is nothing; a source cannot be read where something else stands.
    NoteAbsent,
    /// The source cannot be read.
    Abort,
}
