//! Turns a server with many skills and 64 clients into requests a second, waiting times and memory.
//!
//! The server is a process of its own: the library's, or the command that `METIER_BENCH_COMMAND` names.
//! `METIER_BENCH_SKILLS=100000` asks for other numbers of skills, `METIER_BENCH_FOLDER` for skills that
//! were generated before, `METIER_BENCH_SECONDS` for longer rounds.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its figures")]
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and starts a server")]

use benches::load::{Kind, Pace, Requests, pages, run};
use benches::wire::{Era, Wire};
use metier::{Blocking, Folder, Registry};
use metier_mcp::{CancellationToken, HttpOptions, HttpServer, Journal, ServeOptions, Server};
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use testing::Layout;

const CLIENTS: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, first, folder] = &arguments[..]
        && first == "serve"
    {
        return serve(Path::new(folder));
    }
    let skills = benches::skills();
    let made;
    let folder = if let Some(folder) = std::env::var_os("METIER_BENCH_FOLDER") {
        PathBuf::from(folder)
    } else {
        made = benches::folder(skills, Layout::Flat);
        made.path().to_owned()
    };
    println!("{skills} skills, {CLIENTS} clients on the processors of the server");
    start_on_streams(&folder)?;
    let (server, start) = Process::start(&folder)?;
    println!("  {:<28} {:>8.2} s", "listening after", start.elapsed().as_secs_f64());
    let mut wire = Wire::connect(server.address, Era::Legacy)?;
    println!("  {:<28} {:>8.2} s", "first answer after", start.elapsed().as_secs_f64());
    println!("  {:<28} {}", "memory then", server.memory());
    wire.result("tools/call", &search("a table of contents"))?;
    println!("  {:<28} {:>8.2} s", "first search after", start.elapsed().as_secs_f64());
    println!("  {:<28} {}", "memory then", server.memory());
    let (cursors, listed) = pages(server.address)?;
    let figures = format!("{} pages, {listed} skills", cursors.len());
    println!("  {:<28} {figures}", "listed");
    let requests = Requests::new(skills, cursors);
    let length = Duration::from_secs(seconds());
    let kinds = [Kind::Search, Kind::Load, Kind::Read, Kind::List, Kind::Mixed];
    for (title, era, pace) in [
        ("as fast as they can", Era::Modern, Pace::Unbroken),
        ("as fast as they can, in sessions", Era::Legacy, Pace::Unbroken),
        ("five requests a second each", Era::Modern, Pace::PerSecond(5)),
    ] {
        println!("{title}");
        for kind in kinds {
            let load = (kind, pace);
            let before = server.worked();
            let outcome = run(server.address, era, CLIENTS, &requests, load, length)?;
            let worked = server.worked().saturating_sub(before).as_micros();
            let each = worked / (outcome.times.len() as u128).max(1);
            println!("{}   CPU {each:>5} µs   {}", outcome.line(kind.name()), server.memory());
        }
    }
    Ok(())
}

fn search(query: &str) -> Value {
    json!({ "name": "search_skills", "arguments": { "query": query } })
}

fn seconds() -> u64 {
    let given = std::env::var("METIER_BENCH_SECONDS").ok();
    given.and_then(|count| count.parse().ok()).unwrap_or(5)
}

/// How soon a host that starts the command itself gets an answer.
fn start_on_streams(folder: &Path) -> Result<(), Box<dyn Error>> {
    let Some(command) = std::env::var_os("METIER_BENCH_COMMAND") else { return Ok(()) };
    let start = Instant::now();
    let mut child = Command::new(command)
        .args(["serve", "--log-level", "error", "--root"])
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "bench", "version": "1" },
    } });
    let mut input = child.stdin.take().ok_or("no stdin")?;
    writeln!(input, "{hello}")?;
    let mut output = BufReader::new(child.stdout.take().ok_or("no stdout")?);
    let mut line = String::new();
    output.read_line(&mut line)?;
    println!("  {:<28} {:>8.2} s", "first answer on stdout after", start.elapsed().as_secs_f64());
    drop(input);
    child.wait()?;
    Ok(())
}

/// A server in a process of its own, ended when it is dropped.
struct Process {
    child: Child,
    address: SocketAddr,
}

impl Process {
    fn start(folder: &Path) -> Result<(Self, Instant), Box<dyn Error>> {
        let start = Instant::now();
        let given = std::env::var_os("METIER_BENCH_COMMAND");
        let mut command = match &given {
            Some(command) => Command::new(command),
            None => Command::new(std::env::current_exe()?),
        };
        command.arg("serve");
        if given.is_some() {
            command.args(["--http", "127.0.0.1:0", "--rate", "0", "--root"]);
        }
        let mut child = command.arg(folder).stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut records = BufReader::new(child.stderr.take().ok_or("no stderr")?);
        let mut line = String::new();
        let address = loop {
            line.clear();
            if records.read_line(&mut line)? == 0 {
                return Err("the server ended".into());
            }
            if let Some((_, address)) = line.split_once("listening address=") {
                break address.trim().parse()?;
            }
        };
        // What the server says later is of no interest, but it must not block.
        std::thread::spawn(move || std::io::copy(&mut records, &mut std::io::sink()));
        Ok((Self { child, address }, start))
    }

    /// How long the threads of the server have worked, which neighbours on the machine do not change.
    fn worked(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        let stat = stat.unwrap_or_default();
        // Behind the name, which may hold anything: user and system time in hundredths of a second.
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks: u64 =
            fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        Duration::from_millis(ticks * 10)
    }

    /// What the server holds now, and what it held at most.
    fn memory(&self) -> String {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let megabytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kb = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
            kb.unwrap_or_default() / 1024
        };
        format!("{} MiB, at most {} MiB", megabytes("VmRSS:"), megabytes("VmHWM:"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the child does: the library's server, without a limit to what one address may send.
fn serve(folder: &Path) -> Result<(), Box<dyn Error>> {
    let journal = Journal::new(|record| {
        if let ("listening", [(_, address)]) = (record.event, record.fields) {
            eprintln!("listening address={address}");
        }
    });
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let discovery = metier::Discovery { threads, ..metier::Discovery::default() };
    let source = Folder::new(folder).discovery(discovery);
    let registry = Registry::builder().source(Blocking(source)).open();
    let searched = registry.clone();
    std::thread::spawn(move || searched.search("skill", 1));
    let server = Server::new(registry, ServeOptions { journal, ..ServeOptions::default() });
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let options = HttpOptions { rate: None, ..HttpOptions::default() };
        let http = HttpServer::bind(&server, "127.0.0.1:0".parse()?, options).await?;
        http.serve(CancellationToken::new()).await;
        Ok(())
    })
}
