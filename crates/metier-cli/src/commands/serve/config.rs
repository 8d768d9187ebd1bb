//! Turns a host and the options of the server into what goes into the host's configuration.

use crate::exit::Failure;
use crate::input;
use crate::serve_args::{Host, Serve};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// How the host reaches the server.
enum Way {
    Start { command: String, arguments: Vec<String> },
    Address { url: String, needs_token: bool },
}

/// The lines, with a comment on stderr's behalf left out: stdout is the snippet and nothing else.
pub(crate) fn snippet(host: Host, args: &Serve) -> Result<String, Failure> {
    let way = match args.http {
        Some(address) => Way::Address {
            url: format!("http://{address}/mcp"),
            needs_token: args.token_file.is_some(),
        },
        None => Way::Start { command: program()?, arguments: arguments(args)? },
    };
    Ok(match host {
        Host::Codex => toml(&way),
        Host::Opencode => pretty(&json!({ "mcp": { "metier": opencode(&way) } })),
        Host::Vscode => pretty(&json!({ "servers": { "metier": typed(&way, "stdio", "http") } })),
        Host::Zed => pretty(&json!({ "context_servers": { "metier": plain(&way, "url") } })),
        Host::Gemini => pretty(&json!({ "mcpServers": { "metier": plain(&way, "httpUrl") } })),
        Host::Claude => {
            pretty(&json!({ "mcpServers": { "metier": typed(&way, "stdio", "http") } }))
        }
        Host::ClaudeDesktop | Host::Cursor => {
            pretty(&json!({ "mcpServers": { "metier": plain(&way, "url") } }))
        }
    })
}

/// What to put where the token belongs: hosts read it from their own secrets.
const TOKEN: &str = "Bearer YOUR-TOKEN";

fn plain(way: &Way, url_key: &str) -> Value {
    match way {
        Way::Start { command, arguments } => json!({ "command": command, "args": arguments }),
        Way::Address { url, needs_token } => {
            let mut server = json!({ url_key: url });
            if *needs_token {
                server["headers"] = json!({ "Authorization": TOKEN });
            }
            server
        }
    }
}

fn typed(way: &Way, started: &str, reached: &str) -> Value {
    let mut server = json!({ "type": match way {
        Way::Start { .. } => started,
        Way::Address { .. } => reached,
    } });
    if let (Value::Object(server), Value::Object(more)) = (&mut server, plain(way, "url")) {
        server.extend(more);
    }
    server
}

fn opencode(way: &Way) -> Value {
    match way {
        Way::Start { command, arguments } => {
            let command: Vec<_> = std::iter::once(command).chain(arguments).collect();
            json!({ "type": "local", "command": command, "enabled": true })
        }
        Way::Address { .. } => {
            let mut server = typed(way, "local", "remote");
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
