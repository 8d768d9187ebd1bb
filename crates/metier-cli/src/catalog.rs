//! Turns roots, or what surrounds the command, into the registry of skills that agents would know of.

use crate::args::Roots;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::nearest::nearest;
use metier::install::{Location, SealedFolder};
use metier::{
    Blocking, CatalogEntry, Discovery, Folder, MissingRoot, Problem, Registry, Scope, Severity,
    Surroundings, Trust, standard_scopes,
};
use std::path::{Path, PathBuf};

/// Opens the given roots, in their order, or the standard scopes.
pub(crate) fn open(roots: &Roots) -> Result<Registry, Failure> {
    let base = input::working_directory()?;
    let threads = input::threads();
    let mut builder = Registry::builder().base(&base);
    if roots.folders.is_empty() {
        let discovery = Discovery { threads, ..Discovery::default() };
        for scope in scopes(&base) {
            builder = builder.source(Blocking(sealed(scope, discovery.clone())));
        }
    }
    for root in &roots.folders {
        // A folder that someone names must be there.
        let missing_root = MissingRoot::Abort;
        let discovery = Discovery { threads, missing_root, ..Discovery::default() };
        let folder = Folder::new(base.join(root)).label(root.to_string_lossy());
        builder = builder.source(Blocking(folder.discovery(discovery)));
    }
    Ok(builder.try_open()?)
}

/// The folders that skills come from, whether they exist or not.
pub(crate) fn folders(roots: &Roots) -> Result<Vec<PathBuf>, Failure> {
    let base = input::working_directory()?;
    Ok(if roots.folders.is_empty() {
        scopes(&base).into_iter().map(|scope| scope.path).collect()
    } else {
        roots.folders.iter().map(|root| base.join(root)).collect()
    })
}

/// A standard scope, held to its lock and to what someone trusts, whenever it is listed.
fn sealed(scope: Scope, discovery: Discovery) -> SealedFolder {
    let location = Location::of_scope(&scope, home().as_deref());
    let folder = Folder::new(scope.path).label(scope.label).trust(scope.trust);
    let mut sealed = SealedFolder::new(folder.discovery(discovery));
    if let Some(location) = location {
        sealed = sealed.locked_at(location);
    }
    match trust_file() {
        Some(file) => sealed.trusted_in(file),
        None => sealed,
    }
}

/// The skills that are kept from models.
#[derive(Default)]
pub(crate) struct Withheld {
    /// Those of a project that nobody has agreed to yet.
    pub(crate) unknown: Vec<CatalogEntry>,
    /// What is wrong with the others: they were changed.
    pub(crate) changed: Vec<Problem>,
}

pub(crate) fn withheld(registry: &Registry) -> Withheld {
    let problems = registry.problems();
    let mut withheld = Withheld::default();
    for entry in registry.iter().filter(|entry| entry.trust() == Trust::Untrusted) {
        let changed = |it: &&Problem| {
            it.severity >= Severity::Warning
                && it.location == entry.location()
                && it.report.is_none()
        };
        match problems.iter().find(changed) {
            Some(problem) => withheld.changed.push(problem.clone()),
            None => withheld.unknown.push(entry),
        }
    }
    withheld
}

/// Fails when a skill must not reach a model, and says why: it was changed, or nobody has agreed to it.
pub(crate) fn check_trust(registry: &Registry, entry: &CatalogEntry) -> Result<(), Failure> {
    if entry.trust() == Trust::Trusted {
        return Ok(());
    }
    let changed = withheld(registry).changed;
    Err(match changed.into_iter().find(|problem| problem.location == entry.location()) {
        Some(problem) => Failure {
            exit: Exit::Fault,
            message: format!("`{}` is kept from models: {}", entry.id, problem.message),
            help: problem.help,
        },
        None => Failure::fault(
            format!("`{}` comes with the project, and nobody has agreed to it", entry.id),
            format!("look at it with `metier show {}`, then run `metier trust`", entry.id),
        ),
    })
}

/// The file that says which projects are trusted.
#[expect(clippy::disallowed_methods, reason = "the command reads the environment")]
pub(crate) fn trust_file() -> Option<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(absolute);
    let config = config.or_else(|| Some(home()?.join(".config")))?;
    Some(config.join("metier").join("trust.toml"))
}

#[expect(clippy::disallowed_methods, reason = "the command reads the environment")]
fn home() -> Option<PathBuf> {
    std::env::home_dir()
}

#[expect(clippy::disallowed_methods, reason = "the command reads the environment")]
pub(crate) fn scopes(base: &Path) -> Vec<Scope> {
    let home = home();
    let search_path = std::env::var_os("METIER_PATH");
    standard_scopes(&Surroundings {
        working_directory: Some(base),
        home: home.as_deref(),
        search_path: search_path.as_deref(),
    })
}

/// The skill with this id, or a failure that says why there is none, or names the nearest one.
pub(crate) fn get(registry: &Registry, id: &str) -> Result<CatalogEntry, Failure> {
    registry.get(id).ok_or_else(|| {
        let problems = registry.problems();
        let broken = problems.iter().find(|problem| {
            let directory = Path::new(&problem.location).parent().and_then(Path::file_name);
            problem.severity == Severity::Error && directory.is_some_and(|name| name == id)
        });
        if let Some(problem) = broken {
            let message = format!("the skill `{id}` does not load: {}", problem.message);
            return Failure::fault(
                message,
                format!("`metier check {}` shows it", problem.location),
            );
        }
        let entries = registry.list();
        let help = match nearest(id, entries.iter().map(|entry| &*entry.id)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`metier list` shows the skills there are".to_owned(),
        };
        Failure::fault(format!("there is no skill `{id}`"), help)
    })
}
