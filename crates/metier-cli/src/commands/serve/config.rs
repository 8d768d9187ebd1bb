//! Turns a host and the options of the server into what goes into the host's configuration.

use crate::exit::Failure;
use crate::input;
use crate::serve_args::{Host, Serve};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::net::SocketAddr;

/// How the host reaches the server.
enum Way {
    Start { command: String, arguments: Vec<String> },
    Address { url: String, needs_token: bool },
}

/// The lines, with a comment on stderr's behalf left out: stdout is the snippet and nothing else.
pub(crate) fn snippet(host: Host, args: &Serve) -> Result<String, Failure> {
    let way = match (args.http, host) {
        // It starts programs and nothing else, so one is started that passes on what is at the address.
        (Some(address), Host::ClaudeDesktop) => {
            Way::Start { command: program()?, arguments: passing_on(address, args)? }
        }
        (Some(address), _) => {
            Way::Address { url: url(address, args), needs_token: args.token_file.is_some() }
        }
        (None, _) => Way::Start { command: program()?, arguments: arguments(args)? },
    };
    let servers = |server: Value| pretty(&json!({ "mcpServers": { "metier": server } }));
    Ok(match host {
        Host::Codex => toml(&way),
        Host::Opencode => pretty(&json!({ "mcp": { "metier": opencode(&way) } })),
        Host::Vscode => pretty(&vscode(&way)),
        Host::Zed => {
            pretty(&json!({ "context_servers": { "metier": plain(&way, "url", "YOUR-TOKEN") } }))
        }
        Host::Gemini => servers(plain(&way, "httpUrl", "${METIER_TOKEN}")),
        Host::Windsurf => servers(plain(&way, "serverUrl", "${env:METIER_TOKEN}")),
        Host::Claude => servers(typed(&way, "stdio", "http", "${METIER_TOKEN}")),
        Host::Cline => servers(match way {
            Way::Start { .. } => plain(&way, "url", "YOUR-TOKEN"),
            Way::Address { .. } => typed(&way, "stdio", "streamableHttp", "YOUR-TOKEN"),
        }),
        Host::Copilot => {
            let mut server = typed(&way, "stdio", "http", "YOUR-TOKEN");
            server["tools"] = json!(["*"]);
            servers(server)
        }
        Host::ClaudeDesktop | Host::Cursor => servers(plain(&way, "url", "${env:METIER_TOKEN}")),
    })
}

/// `token` stands for the token: hosts that can read it from their environment do.
fn plain(way: &Way, url_key: &str, token: &str) -> Value {
    match way {
        Way::Start { command, arguments } => json!({ "command": command, "args": arguments }),
        Way::Address { url, needs_token } => {
            let mut server = json!({ url_key: url });
            if *needs_token {
                server["headers"] = json!({ "Authorization": format!("Bearer {token}") });
            }
            server
        }
    }
}

fn typed(way: &Way, started: &str, reached: &str, token: &str) -> Value {
    let mut server = json!({ "type": match way {
        Way::Start { .. } => started,
        Way::Address { .. } => reached,
    } });
    if let (Value::Object(server), Value::Object(more)) = (&mut server, plain(way, "url", token)) {
        server.extend(more);
    }
    server
}

/// Visual Studio Code asks for the token once, and keeps it where secrets are kept.
fn vscode(way: &Way) -> Value {
    let server = typed(way, "stdio", "http", "${input:metier-token}");
    let mut config = json!({ "servers": { "metier": server } });
    if let Way::Address { needs_token: true, .. } = way {
        config["inputs"] = json!([{
            "type": "promptString",
            "id": "metier-token",
            "description": "The token of the metier server",
            "password": true,
        }]);
    }
    config
}

fn opencode(way: &Way) -> Value {
    match way {
        Way::Start { command, arguments } => {
            let command: Vec<_> = std::iter::once(command).chain(arguments).collect();
            json!({ "type": "local", "command": command, "enabled": true })
        }
        Way::Address { .. } => {
            let mut server = typed(way, "local", "remote", "{env:METIER_TOKEN}");
            server["enabled"] = true.into();
            server
        }
    }
}

/// Codex reads TOML. A JSON string is a TOML string.
fn toml(way: &Way) -> String {
    let mut text = String::from("[mcp_servers.metier]\n");
    let _ = match way {
        Way::Start { command, arguments } => {
            writeln!(text, "command = {}\nargs = {}", json!(command), json!(arguments))
        }
        Way::Address { url, needs_token: false } => writeln!(text, "url = {}", json!(url)),
        Way::Address { url, needs_token: true } => {
            writeln!(text, "url = {}\nbearer_token_env_var = \"METIER_TOKEN\"", json!(url))
        }
    };
    text
}

fn pretty(json: &Value) -> String {
    format!("{json:#}\n")
}

/// This very program, so that the host finds it whatever its search path is.
#[expect(clippy::disallowed_methods, reason = "the command asks where it is")]
fn program() -> Result<String, Failure> {
    let path = std::env::current_exe().map_err(|error| {
        Failure::fault(format!("the program cannot be found: {error}"), "start it by its full path")
    })?;
    Ok(path.to_string_lossy().into_owned())
}

/// Where the host finds the server. Nobody can go to "everywhere": there, a server has a name and TLS in
/// front of it, or is on this machine.
fn url(address: SocketAddr, args: &Serve) -> String {
    match args.allow_host.first().filter(|_| address.ip().is_unspecified()) {
        Some(name) => format!("https://{name}/mcp"),
        None if address.ip().is_unspecified() => format!("http://127.0.0.1:{}/mcp", address.port()),
        None => format!("http://{address}/mcp"),
    }
}

/// A server on stdin and stdout that has what another one has at an address.
fn passing_on(address: SocketAddr, args: &Serve) -> Result<Vec<String>, Failure> {
    let base = input::working_directory()?;
    let mut arguments = vec!["serve".to_owned(), "--mcp".to_owned()];
    arguments.push(url(address, args));
    arguments.push("--mcp-trust".to_owned());
    if let Some(file) = &args.token_file {
        arguments.push("--mcp-token-file".to_owned());
        arguments.push(base.join(file).to_string_lossy().into_owned());
    }
    Ok(arguments)
}

fn arguments(args: &Serve) -> Result<Vec<String>, Failure> {
    let base = input::working_directory()?;
    let mut arguments = vec!["serve".to_owned()];
    for root in &args.sources.roots.folders {
        arguments.push("--root".to_owned());
        arguments.push(base.join(root).to_string_lossy().into_owned());
    }
    let servers = &args.sources.servers;
    for server in &servers.urls {
        arguments.extend(["--mcp".to_owned(), server.typed.clone()]);
    }
    for (label, file) in &servers.token_files {
        let file = base.join(file).to_string_lossy().into_owned();
        let file = label.as_ref().map_or(file.clone(), |label| format!("{label}={file}"));
        arguments.extend(["--mcp-token-file".to_owned(), file]);
    }
    for server in &servers.commands {
        arguments.extend(["--mcp-command".to_owned(), server.typed.clone()]);
    }
    if servers.trust {
        arguments.push("--mcp-trust".to_owned());
    }
    if args.no_watch {
        arguments.push("--no-watch".to_owned());
    }
    Ok(arguments)
}
