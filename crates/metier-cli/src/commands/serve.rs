//! Turns roots and an address into a server that runs until it is no longer needed.

mod config;
mod log;

use crate::catalog;
use crate::exit::{Exit, Failure};
use crate::serve_args::Serve;
use crate::ui::Ui;
use metier::{Registry, Severity, Trust, visible};
use metier_mcp::{
    CancellationToken, Ended, HttpOptions, HttpServer, Journal, Level, ServeOptions, Server,
};
use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Duration;

/// The longest file with a token.
const MAX_TOKEN_FILE: usize = 4096;

pub(crate) fn run(args: Serve, ui: &mut Ui) -> Result<Exit, Failure> {
    if let Some(host) = args.print_config {
        ui.data(&config::snippet(host, &args)?)?;
        return Ok(Exit::Ok);
    }
    let token = args.token_file.as_deref().map(token).transpose()?;
    let registry = catalog::open(&args.roots)?;
    let journal = log::journal(args.log_format, args.log_level);
    report(&registry, &journal);
    if args.http.is_some() {
        // The first search reads every skill; at an address, somebody will ask soon.
        let registry = registry.clone();
        std::thread::spawn(move || registry.search("skill", 1));
    }
    let options = ServeOptions { journal: journal.clone(), ..ServeOptions::default() };
    let server = Server::new(registry, options);
    let watch = if args.no_watch {
        None
    } else {
        let folders = catalog::folders(&args.roots)?;
        watch(&server, folders.iter().filter(|folder| is_folder(folder)), &journal)
    };
    let runtime = tokio::runtime::Runtime::new().map_err(|error| {
        Failure::fault(
            format!("the server cannot start: {error}"),
            "check the limits of the system",
        )
    })?;
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

/// Says what the catalog lacks: skills that do not load, and those that nobody has trusted yet.
fn report(registry: &Registry, journal: &Journal) {
    for problem in registry.problems() {
        if problem.severity >= Severity::Warning {
            let what = visible(&problem.message).into_owned();
            let fields = [("location", problem.location.clone()), ("reason", what)];
            journal.record(Level::Warn, "problem", &fields);
        }
    }
    let untrusted = registry.iter().filter(|entry| entry.trust() == Trust::Untrusted).count();
    if untrusted > 0 {
        let help = "give the folder with --root to serve them".to_owned();
        let fields = [("skills", untrusted.to_string()), ("help", help)];
        journal.record(Level::Warn, "not trusted", &fields);
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

/// The token in a file, without the line break behind it.
fn token(path: &Path) -> Result<String, Failure> {
    let bytes = metier::read_capped(path, MAX_TOKEN_FILE)?;
    let text = String::from_utf8(bytes).ok();
    text.map(|text| text.trim().to_owned()).filter(|text| text.is_ascii()).ok_or_else(|| {
        let message = format!("`{}` holds no token", visible(&path.to_string_lossy()));
        Failure::fault(message, "write one line of ASCII text into it")
    })
}
