//! Turns roots, or what surrounds the command, into the registry of skills that agents would know of.

use crate::args::{Roots, Sources};
use crate::exit::Failure;
use crate::input;
use crate::nearest::nearest;
use crate::ui::count;
use metier::install::{Judgement, TrustRecord};
use metier::{
    Blocking, CatalogEntry, Discovery, Folder, MissingRoot, Registry, RegistryBuilder, Severity,
    Surroundings, Trust, standard_scopes,
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
        let trusted =
            trust_file().map_or_else(|| Ok(TrustRecord::default()), |it| TrustRecord::read(&it))?;
        for mut scope in scopes(&base) {
            if scope.trust == Trust::Untrusted && is_trusted(&trusted, &scope.path) {
                scope.trust = Trust::Trusted;
            }
            let folder = Folder::new(scope.path)
                .label(scope.label)
                .trust(scope.trust)
                .discovery(discovery.clone());
            builder = builder.source(Blocking(folder));
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

/// Which skills a model is not offered because nobody has agreed to them, and what to do about it.
pub(crate) fn untrusted(registry: &Registry) -> Vec<(String, String)> {
    let catalog = registry.catalog();
    let untrusted = || catalog.iter().filter(|entry| entry.trust() == Trust::Untrusted);
    let named = |entries: Vec<&CatalogEntry>, of: &str| {
        let names: Vec<&str> = entries.iter().map(|entry| entry.name()).take(NAMED).collect();
        let more = if entries.len() > NAMED { " ..." } else { "" };
        let skills = count(entries.len(), "skill");
        format!("{skills} of {of} left out, nobody agreed to: {}{more}", names.join(", "))
    };
    let (mut said, mut roots) = (Vec::new(), Vec::new());
    let local: Vec<_> = untrusted().filter(|entry| !is_remote(entry)).collect();
    for entry in &local {
        let root = entry.listed.directory.as_deref().and_then(Path::parent);
        roots.extend(root.map(|root| format!("`--root {}`", root.display())));
    }
    roots.dedup();
    if !local.is_empty() {
        let help = format!(
            "look with `metier list`, then run `metier trust`; {} includes them once",
            roots.join(" ")
        );
        said.push((named(local, "the project"), help));
    }
    let remote: Vec<_> = untrusted().filter(|entry| is_remote(entry)).collect();
    if !remote.is_empty() {
        let help = "look with `metier list` and `metier show`, then give `--mcp-trust`";
        said.push((named(remote, "other servers"), help.to_owned()));
    }
    said
}

/// How many skills are called by their names.
const NAMED: usize = 10;

/// Whether a skill is one of another server: nothing of it is on this machine.
pub(crate) fn is_remote(entry: &CatalogEntry) -> bool {
    entry.listed.directory.is_none()
}

/// Whether what a folder holds is what someone has trusted. What cannot be read is not.
fn is_trusted(record: &TrustRecord, folder: &Path) -> bool {
    matches!(record.judge(folder), Ok(Judgement::Trusted))
}

/// The file that says which projects are trusted.
#[expect(clippy::disallowed_methods, reason = "the command reads the environment")]
pub(crate) fn trust_file() -> Option<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(absolute);
    let config = config.or_else(|| Some(std::env::home_dir()?.join(".config")))?;
    Some(config.join("metier").join("trust.toml"))
}

#[expect(clippy::disallowed_methods, reason = "the command reads the environment")]
pub(crate) fn scopes(base: &Path) -> Vec<metier::Scope> {
    let home = std::env::home_dir();
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
