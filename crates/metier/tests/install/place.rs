//! Turns a temporary folder into a project, a home, a store and an installer for them.

use crate::repository::git;
use metier::HttpOptions;
use metier::install::{
    InstallError, InstallOptions, Installer, Location, Lock, OverHttp, Placement, Plan,
    PlannedFetch, Status, Step, Store,
};
use testing::Fixture;

/// A project in a folder of its own.
pub(crate) struct Place {
    pub(crate) fixture: Fixture,
    pub(crate) options: InstallOptions,
}

impl Place {
    pub(crate) fn new() -> Self {
        let fixture = Fixture::new().dir("project").dir("home").dir("outside");
        Self { fixture, options: InstallOptions::default() }
    }

    /// Lets the installer of this place do something.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&Installer<'_>) -> T) -> T {
        self.watched(&|_| {}, act)
    }

    pub(crate) fn watched<T>(
        &self,
        progress: &dyn Fn(Step<'_>),
        act: impl FnOnce(&Installer<'_>) -> T,
    ) -> T {
        self.at(Location::project(self.fixture.join("project")), progress, act)
    }

    pub(crate) fn at<T>(
        &self,
        location: Location,
        progress: &dyn Fn(Step<'_>),
        act: impl FnOnce(&Installer<'_>) -> T,
    ) -> T {
        let git = git(&self.fixture);
        let options = HttpOptions { allow_loopback_http: true, ..HttpOptions::default() };
        act(&Installer {
            location,
            repositories: &git,
            web: &OverHttp { options, ..OverHttp::default() },
            store: Some(Store::new(self.fixture.join("store"))),
            base: self.fixture.join("project"),
            home: Some(self.fixture.join("home")),
            options: self.options.clone(),
            progress,
        })
    }

    pub(crate) fn lock(&self) -> Lock {
        self.with(|installer| installer.lock().unwrap())
    }

    pub(crate) fn status(&self) -> Vec<Status> {
        self.with(|installer| installer.status().unwrap())
    }

    pub(crate) fn add(&self, reference: &str) -> Result<Vec<Placement>, InstallError> {
        self.with(|installer| installer.add(&plan(reference)))
    }

    /// Every file and link in the project but what is metier's own, sorted.
    pub(crate) fn tree(&self) -> Vec<String> {
        let paths = self.fixture.tree().into_iter();
        paths
            .filter(|path| path.starts_with("project/") && !path.ends_with('/'))
            .filter(|path| !path.contains("/.agents/.metier/"))
            .collect()
    }

    pub(crate) fn read(&self, path: &str) -> String {
        self.fixture.read(&format!("project/{path}"))
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.fixture.join(&format!("project/{path}"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

pub(crate) fn plan(reference: &str) -> Plan {
    Plan { fetches: vec![PlannedFetch::new(reference.parse().unwrap())] }
}
