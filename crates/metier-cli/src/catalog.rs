//! Turns roots, or what surrounds the command, into the registry of skills that agents would know of.

use crate::args::{Roots, Sources};
use crate::exit::Failure;
use crate::input;
use crate::nearest::nearest;
use metier::install::{Location, SealedFolder};
use metier::{
    Blocking, CatalogEntry, Discovery, Folder, MissingRoot, Registry, RegistryBuilder, Scope,
    Severity, Surroundings, standard_scopes,
};
use std::path::{Path, PathBuf};

/// Opens what was named, or the standard scopes. Everything that someone names must be there.
pub(crate) fn open(sources: &Sources) -> Result<Registry, Failure> {
    #[cfg(feature = "serve")]
    if !sources.servers.is_empty() {
        let mut builder = local(sources)?;
        for server in crate::remote::connected(&sources.servers)? {
            builder = builder.source(Blocking(server));
        }
        return Ok(builder.try_open()?);
    }
    open_roots(&sources.roots)
}

/// Opens the given roots, in their order, or the standard scopes.
pub(crate) fn open_roots(roots: &Roots) -> Result<Registry, Failure> {
    Ok(folders_of(roots)?.try_open()?)
}

/// The folders of what was named, which may be none where a server is.
#[cfg(feature = "serve")]
pub(crate) fn local(sources: &Sources) -> Result<RegistryBuilder, Failure> {
    if sources.roots.folders.is_empty() && !sources.servers.is_empty() {
        return Ok(Registry::builder().base(input::working_directory()?));
    }
    folders_of(&sources.roots)
}

fn folders_of(roots: &Roots) -> Result<RegistryBuilder, Failure> {
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
    Ok(builder)
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
