//! Turns the servers that were named into sources of skills, each with the token that is meant for it.

use crate::exit::Failure;
use crate::mcp_args::{Named, Servers};
use crate::nearest::nearest;
use metier::{BlockingSource as _, Trust, visible};
use metier_mcp::{McpError, McpSource, McpSourceOptions};
use std::path::Path;
use std::sync::Arc;

/// The longest file with a token.
const MAX_TOKEN_FILE: usize = 4096;

/// Sources of the servers, which nobody has talked to yet; those that are commands are started.
pub(crate) fn sources(servers: &Servers) -> Result<Vec<Arc<McpSource>>, Failure> {
    let trust = if servers.trust { Trust::Trusted } else { Trust::Untrusted };
    let options = McpSourceOptions { trust, ..McpSourceOptions::default() };
    check_labels(servers)?;
    let mut sources = Vec::new();
    for server in &servers.urls {
        let token = token_of(server, servers)?;
        sources.push(McpSource::http(&server.label, &server.what, token, options.clone()));
    }
    for server in &servers.commands {
        let command = command(&server.what);
        let source = McpSource::command(&server.label, command, options.clone());
        sources.push(source.map_err(|error| failure(&server.label, &error, servers))?);
    }
    Ok(sources.into_iter().map(Arc::new).collect())
}

/// The same, each of which has answered.
pub(crate) fn connected(servers: &Servers) -> Result<Vec<Arc<McpSource>>, Failure> {
    let sources = sources(servers)?;
    for source in &sources {
        source.connect().map_err(|error| failure(source.label(), &error, servers))?;
    }
    Ok(sources)
}

/// What to say about a server that does not answer.
fn failure(label: &str, error: &McpError, servers: &Servers) -> Failure {
    let is_command = servers.commands.iter().any(|server| server.label == label);
    let message = format!("the MCP server `{}`: {error}", visible(label));
    let help = match error {
        McpError::Unauthorized { .. } => format!(
            "write its token into a file and give that with `--mcp-token-file`, or set `{}`",
            variable(label)
        ),
        _ if is_command => "run the command by itself to see what it does".to_owned(),
        error => error.help().to_owned(),
    };
    Failure::fault(message, help)
}

/// A label that no server has is a slip of the hand, and a token must not go to the wrong server.
fn check_labels(servers: &Servers) -> Result<(), Failure> {
    let labels = || servers.urls.iter().map(|server| server.label.as_str());
    for (label, _) in &servers.token_files {
        match label {
            None if servers.urls.len() == 1 => {}
            None => {
                return Err(Failure::usage(
                    "it is not clear which server the token is for",
                    "give it as `--mcp-token-file LABEL=FILE`",
                ));
            }
            Some(label) if labels().any(|known| known == label) => {}
            Some(label) => {
                let help = match nearest(label, labels()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "give it the label of an `--mcp`".to_owned(),
                };
                return Err(Failure::usage(format!("no server is called `{label}`"), help));
            }
        }
    }
    Ok(())
}

fn token_of(server: &Named<String>, servers: &Servers) -> Result<Option<String>, Failure> {
    let mut files = servers.token_files.iter();
    let is_mine = |label: &Option<String>| label.as_ref().is_none_or(|it| *it == server.label);
    match files.find(|(label, _)| is_mine(label)) {
        Some((_, file)) => token(file).map(Some),
        None => Ok(environment(&variable(&server.label))),
    }
}

/// The variable that holds the token of a server.
fn variable(label: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("METIER_MCP_TOKEN_{}", label.chars().map(plain).collect::<String>())
}

#[expect(clippy::disallowed_methods, reason = "the command reads the environment")]
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[expect(clippy::disallowed_methods, reason = "the user names the program")]
fn command(words: &[String]) -> std::process::Command {
    let mut command = std::process::Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

/// The token in a file, without the line break behind it.
pub(crate) fn token(path: &Path) -> Result<String, Failure> {
    let bytes = metier::read_capped(path, MAX_TOKEN_FILE)?;
    let text = String::from_utf8(bytes).ok().map(|text| text.trim().to_owned());
    let is_token = |text: &String| !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
    text.filter(is_token).ok_or_else(|| {
        let message = format!("`{}` holds no token", visible(&path.to_string_lossy()));
        Failure::fault(message, "write one line of ASCII text without blanks into it")
    })
}
