//! Turns roots and an address into a server that runs until it is no longer needed.

mod config;
mod following;
mod log;

use crate::catalog;
use crate::exit::{Exit, Failure};
use crate::remote;
use crate::serve_args::{Host, Serve};
use crate::ui::Ui;
use crate::withheld::Withheld;
use following::Following;
use metier::{Blocking, CatalogEntry, Registry, Severity, Trust, Watch, visible};
use metier_mcp::{
    CancellationToken, Ended, HttpOptions, HttpServer, Journal, Level, ServeOptions, Server,
};
use std::collections::BTreeSet;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) fn run(args: Serve, ui: &mut Ui) -> Result<Exit, Failure> {
    if let Some(host) = args.print_config {
        ui.data(&config::snippet(host, &args)?)?;
        ui.note(&format!("this belongs into {}", host.file()));
        // The one that starts a program is given the file.
        if args.http.is_some() && args.token_file.is_some() && host != Host::ClaudeDesktop {
            ui.note("give the host the token as METIER_TOKEN, or in the place of YOUR-TOKEN");
        }
        return Ok(Exit::Ok);
    }
    let token = args.token_file.as_deref().map(remote::token).transpose()?;
    let journal = log::journal(args.log_format, args.log_level);
    let registry = catalog::local(&args.sources)?.try_open()?;
    // A server that is away for a while is no reason not to serve the rest.
    let others = remote::sources(&args.sources.servers)?;
    for other in &others {
        registry.register_blocking(Blocking(other.clone()));
    }
    let mut reported = Reported::default();
    reported.problems(&registry, &journal);
    report(&registry, &journal);
    if args.http.is_some() {
        // The first search reads every skill; at an address, somebody will ask soon.
        let registry = registry.clone();
        std::thread::spawn(move || registry.search("skill", 1));
    }
    let options = ServeOptions { journal: journal.clone(), ..ServeOptions::default() };
    let server = Server::new(registry.clone(), options);
    let watch = if args.no_watch {
        None
    } else {
        let folders = watched(&args)?;
        let (server, journal) = (server.clone(), journal.clone());
        watch(&registry, &folders, &journal.clone(), move |registry| {
            server.refresh();
            reported.problems(registry, &journal);
        })
    };
    let runtime = tokio::runtime::Runtime::new().map_err(|error| {
        Failure::fault(
            format!("the server cannot start: {error}"),
            "check the limits of the system",
        )
    })?;
    let following =
        Following { server: server.clone(), registry, others, journal: journal.clone() };
    if let (false, seconds @ 1..) = (following.others.is_empty(), args.mcp_refresh) {
        runtime.spawn(following.follow(Duration::from_secs(seconds)));
    }
    let outcome = runtime.block_on(serve(&server, args, token, &journal));
    drop(watch);
    // Somebody may still be reading stdin, which cannot be interrupted.
    runtime.shutdown_timeout(Duration::from_millis(100));
    outcome.map(|()| Exit::Ok)
}

async fn serve(
    server: &Server,
    args: Serve,
    token: Option<String>,
    journal: &Journal,
) -> Result<(), Failure> {
    let stop = CancellationToken::new();
    tokio::spawn(stop_on_signal(stop.clone(), journal.clone()));
    let http = match args.http {
        None => None,
        Some(address) => {
            let options = HttpOptions {
                token,
                allowed_hosts: args.allow_host,
                allowed_origins: args.allow_origin,
                rate: Some(args.rate).filter(|rate| *rate > 0),
                ..HttpOptions::default()
            };
            let bound = HttpServer::bind(server, address, options).await;
            Some(bound.map_err(|error| Failure::fault(error.to_string(), error.help()))?)
        }
    };
    let Some(http) = http else { return serve_stdio(server, stop).await.map(drop) };
    let answering = tokio::spawn(http.serve(stop.clone()));
    // Nobody types JSON at a terminal; and where stdin was never used, the address is what counts.
    if !std::io::stdin().is_terminal() {
        match serve_stdio(server, stop.clone()).await {
            Ok(Ended::HungUp) => {
                say_why(journal, "the client on stdin hung up");
                stop.cancel();
            }
            Ok(_) => {}
            // What one client does on stdin is no reason to leave all others alone.
            Err(failure) => {
                let fields = [("reason", failure.message)];
                journal.record(Level::Warn, "stdin is not served", &fields);
            }
        }
    }
    let _ = answering.await;
    Ok(())
}

async fn serve_stdio(server: &Server, stop: CancellationToken) -> Result<Ended, Failure> {
    let served = server.serve(tokio::io::stdin(), tokio::io::stdout(), stop).await;
    served.map_err(|error| {
        Failure::fault(format!("the client cannot be served: {error}"), "start it again")
    })
}

async fn stop_on_signal(stop: CancellationToken, journal: Journal) {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => say_why(&journal, "the signal to terminate"),
                _ = tokio::signal::ctrl_c() => say_why(&journal, "the signal to interrupt"),
            }
            return stop.cancel();
        }
    }
    let _ = tokio::signal::ctrl_c().await;
    say_why(&journal, "the signal to interrupt");
    stop.cancel();
}

/// Says why the server ends: one that is gone without a word cannot be asked.
fn say_why(journal: &Journal, reason: &str) {
    journal.record(Level::Info, "stopping", &[("reason", reason.to_owned())]);
}

/// The problems that stand in the journal already.
#[derive(Default)]
struct Reported(BTreeSet<(String, String)>);

impl Reported {
    /// Says which skills do not load, or were changed and are no longer served. Each once, and again
    /// when it has come back.
    fn problems(&mut self, registry: &Registry, journal: &Journal) {
        let mut now = BTreeSet::new();
        for problem in registry.problems() {
            if problem.severity >= Severity::Warning {
                let what = visible(&problem.message).into_owned();
                now.insert((problem.location.clone(), what));
            }
        }
        for (location, reason) in now.difference(&self.0) {
            let fields = [("location", location.clone()), ("reason", reason.clone())];
            journal.record(Level::Warn, "problem", &fields);
        }
        self.0 = now;
    }
}

/// Says what the catalog lacks because nobody has agreed to it yet, and how much is left.
fn report(registry: &Registry, journal: &Journal) {
    for (reason, help) in Withheld::of(registry).unknown() {
        let fields = [("reason", reason), ("help", help)];
        journal.record(Level::Warn, "not trusted", &fields);
    }
    let is_withheld = |entry: &CatalogEntry| entry.trust() == Trust::Trusted && !entry.is_offered();
    let withheld = registry.iter().filter(is_withheld).count();
    if withheld > 0 {
        let reason = "their authors keep models from choosing them: they are prompts only";
        let fields = [("skills", withheld.to_string()), ("reason", reason.to_owned())];
        journal.record(Level::Info, "for people alone", &fields);
    }
    journal.record(
        Level::Info,
        "serving",
        &[("skills", registry.catalog().offered().count().to_string())],
    );
}

/// The folders whose changes count: those of skills, and the one that says which are trusted.
fn watched(args: &Serve) -> Result<Vec<PathBuf>, Failure> {
    let roots = &args.sources.roots;
    let is_elsewhere = roots.folders.is_empty() && !args.sources.servers.is_empty();
    if is_elsewhere {
        return Ok(Vec::new());
    }
    let mut folders = catalog::folders(roots)?;
    if roots.folders.is_empty()
        && let Some(record) = catalog::trust_file().as_deref().and_then(Path::parent)
    {
        // Whoever trusts a project for the first time does so while this runs.
        if !is_folder(record) && record.parent().is_some_and(is_folder) {
            // Then it is seen with the next start.
            let _ = metier::create_folder(record, &[]);
        }
        folders.push(record.to_owned());
    }
    folders.retain(|folder| is_folder(folder));
    Ok(folders)
}

fn watch(
    registry: &Registry,
    folders: &[PathBuf],
    journal: &Journal,
    mut on_reload: impl FnMut(&Registry) + Send + 'static,
) -> Option<Watch> {
    let problem =
        |reason: String| journal.record(Level::Warn, "not watched", &[("reason", reason)]);
    let reloaded = registry.clone();
    match Watch::start(registry, folders, move |_| on_reload(&reloaded)) {
        Ok(watch) => {
            watch.problems().iter().for_each(|one| problem(one.to_string()));
            Some(watch)
        }
        Err(error) => {
            problem(error.to_string());
            None
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a scope that is not there need not be watched")]
fn is_folder(path: &Path) -> bool {
    path.is_dir()
}
