//! Turns what surrounds the command into an installer: a project or a home, git, the web and a store.

use crate::catalog;
use crate::exit::Failure;
use crate::input;
use crate::install_args::{Fetching, Place};
use crate::nearest::nearest;
use crate::progress::Bar;
use crate::ui::Ui;
use metier::install::{
    Existing, Findings, Git, GitOptions, InstallError, InstallOptions, Installer, Judgement, Level,
    Location, Network, OverHttp, Status, Step, Store, TrustRecord,
};
use metier::{HttpOptions, SkillName, visible};
use std::ffi::OsString;
use std::path::PathBuf;

/// What the installer takes from the outside.
pub(crate) struct Surroundings {
    pub(crate) working_directory: PathBuf,
    pub(crate) home: Option<PathBuf>,
    cache: PathBuf,
    search_path: OsString,
    environment: Vec<(OsString, OsString)>,
    /// Whether private addresses are reached.
    private: bool,
}

impl Surroundings {
    #[expect(clippy::disallowed_methods, reason = "the command reads the environment")]
    pub(crate) fn read() -> Result<Self, Failure> {
        let home = std::env::home_dir();
        let absolute = |name: &str| {
            std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
        };
        let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(home.as_ref()?.join(".cache")));
        let Some(cache) = cache else {
            return Err(Failure::fault(
                "there is no home to keep fetched skills in",
                "set HOME or XDG_CACHE_HOME",
            ));
        };
        Ok(Self {
            working_directory: input::working_directory()?,
            cache: cache.join("metier"),
            search_path: std::env::var_os("PATH").unwrap_or_default(),
            environment: std::env::vars_os().collect(),
            home,
            private: false,
        })
    }

    /// The same, reaching what was asked for.
    pub(crate) fn reaching(self, fetching: &Fetching) -> Self {
        Self { private: fetching.allow_private, ..self }
    }

    pub(crate) fn location(&self, level: Level) -> Result<Location, Failure> {
        match (&self.home, level) {
            (Some(home), Level::User) => Ok(Location::user(home)),
            (None, Level::User) => Err(Failure::fault("the home is not known", "set HOME")),
            _ => Ok(Location::project_of(&self.working_directory, self.home.as_deref())),
        }
    }

    /// What is installed there, and what became of it.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "a method is of one lifetime, the closure of any"
    )]
    pub(crate) fn status(&self, level: Level) -> Result<Vec<Status>, Failure> {
        let location = self.location(level)?;
        self.with(location, InstallOptions::default(), |installer| installer.status())
    }

    /// Lets an installer for this place do something.
    pub(crate) fn with<T>(
        &self,
        location: Location,
        options: InstallOptions,
        act: impl FnOnce(&Installer<'_>) -> Result<T, InstallError>,
    ) -> Result<T, Failure> {
        // Without git everything but repositories works.
        let program = Git::find(&self.search_path).unwrap_or_else(|| PathBuf::from("git"));
        let git_options = GitOptions {
            allow_file: true,
            allow_loopback_http: self.private,
            ..GitOptions::default()
        };
        let bar = Bar::new();
        let git = Git::new(program, self.environment.clone(), self.cache.join("git"), git_options)
            .progress(bar.progress());
        let web = OverHttp {
            options: HttpOptions {
                allow_private: self.private,
                allow_loopback_http: self.private,
                ..HttpOptions::default()
            },
            progress: bar.progress(),
        };
        let installer = Installer {
            base: location.root().to_owned(),
            location,
            repositories: &git,
            web: &web,
            store: Some(Store::new(self.cache.join("store"))),
            home: self.home.clone(),
            options,
            progress: &|step| {
                if let Step::Fetching(what) = step {
                    bar.fetching(what);
                }
            },
        };
        let outcome = act(&installer);
        bar.clear();
        outcome.map_err(Failure::from)
    }
}

/// Says what is missing before a model sees the skills of a project, unless they are trusted as they
/// are.
pub(crate) fn say_untrusted(location: &Location, ui: &mut Ui) {
    let judged = |file: PathBuf| TrustRecord::read(&file).ok()?.judge(&location.skills()).ok();
    let is_trusted = catalog::trust_file().and_then(judged) == Some(Judgement::Trusted);
    if location.level() == Level::Project && !is_trusted {
        ui.note(
            "no model sees what is new in a project before you have looked and run `metier trust`",
        );
    }
}

/// What was typed, as options of the installer.
pub(crate) fn options(fetching: &Fetching) -> InstallOptions {
    let mut options = InstallOptions::default();
    if fetching.offline {
        options.network = Network::Offline;
    }
    if fetching.allow_findings {
        options.findings = Findings::Allow;
    }
    if fetching.force {
        options.existing = Existing::Replace;
    }
    options
}

/// Names of skills that must be installed; an unknown one is answered with the nearest.
pub(crate) fn installed_names(
    surroundings: &Surroundings,
    place: &Place,
    texts: &[String],
) -> Result<Vec<SkillName>, Failure> {
    let location = surroundings.location(place.level())?;
    let (lock, requests) = surroundings.with(location, InstallOptions::default(), |installer| {
        Ok((installer.lock()?, installer.requests()?))
    })?;
    texts
        .iter()
        .map(|text| {
            let names = lock.skills().map(|skill| skill.name.as_str());
            let help = match nearest(text, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`metier installed` shows what is".to_owned(),
            };
            let asked = |name: &SkillName| requests.as_ref()?.get(name);
            match text.parse::<SkillName>() {
                Ok(name) if lock.get(&name).is_some() || asked(&name).is_some() => Ok(name),
                _ => Err(Failure::fault(format!("`{}` is not installed", visible(text)), help)),
            }
        })
        .collect()
}
