//! Turns roots and an address into a server that runs until it is no longer needed.

mod config;
mod following;
mod log;

use crate::catalog;
use crate::exit::{Exit, Failure};
use crate::remote;
use crate::serve_args::{Host, Serve};
use crate::ui::Ui;
use following::Following;
use metier::{Blocking, CatalogEntry, Registry, Severity, Trust, visible};
use metier_mcp::{
    CancellationToken, Ended, HttpOptions, HttpServer, Journal, Level, ServeOptions, Server,
};
use std::io::IsTerminal as _;
use std::path::Path;
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
        let is_named = !args.sources.roots.folders.is_empty() || others.is_empty();
        let folders = if is_named { catalog::folders(&args.sources.roots)? } else { Vec::new() };
        watch(&server, folders.iter().filter(|folder| is_folder(folder)), &journal)
    };
    let runtime = tokio::runtime::Runtime::new().map_err(|error| {
        Failure::fault(
            format!("the server cannot start: {error}"),
            "check the limits of the system",
        )
    })?;
    let following = Following { server: server.clone(), registry, others, journal };
    if let (false, seconds @ 1..) = (following.others.is_empty(), args.mcp_refresh) {
        runtime.spawn(following.follow(Duration::from_secs(seconds)));
    }
    let outcome = runtime.block_on(serve(&server, args, token));
    drop(watch);
    // Somebody may still be reading stdin, which cannot be interrupted.
    runtime.shutdown_timeout(Duration::from_millis(100));
    outcome.map(|()| Exit::Ok)
}

async fn serve(server: &Server, args: Serve, token: Option<String>) -> Result<(), Failure> {
    let stop = CancellationToken::new();
    tokio::spawn(stop_on_signal(stop.clone()));
    let http = match args.http {
        None => None,
        Some(address) => {
            let options = HttpOptions {
                token,
                allowed_hosts: args.allow_host,
                allowed_origins: args.allow_origin,
                ..HttpOptions::default()
            };
            let bound = HttpServer::bind(server, address, options).await;
            Some(bound.map_err(|error| Failure::fault(error.to_string(), error.help()))?)
        }
    };
    let Some(http) = http else { return serve_stdio(server, stop).await.map(drop) };
    let answering = tokio::spawn(http.serve(stop.clone()));
    // Nobody types JSON at a terminal; and where stdin was never used, the address is what counts.
    if !std::io::stdin().is_terminal() && serve_stdio(server, stop.clone()).await? == Ended::HungUp
    {
        stop.cancel();
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

async fn stop_on_signal(stop: CancellationToken) {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return stop.cancel();
        }
    }
    let _ = tokio::signal::ctrl_c().await;
    stop.cancel();
}

/// Says what the catalog lacks: skills that do not load, and those that nobody has trusted yet.
fn report(registry: &Registry, journal: &Journal) {
    for problem in registry.problems() {
        if problem.severity >= Severity::Warning {
            let what = visible(&problem.message).into_owned();
            let fields = [("location", problem.location.clone()), ("reason", what)];
            journal.record(Level::Warn, "problem", &fields);
        }
    }
    for (reason, help) in catalog::untrusted(registry) {
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

fn watch<'f>(
    server: &Server,
    folders: impl Iterator<Item = &'f std::path::PathBuf>,
    journal: &Journal,
) -> Option<metier::Watch> {
    let problem =
        |reason: String| journal.record(Level::Warn, "not watched", &[("reason", reason)]);
    match server.watch(folders) {
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
