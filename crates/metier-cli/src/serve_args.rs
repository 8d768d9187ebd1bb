//! Turns what was typed behind `serve` and `export` into their options.

use crate::args::Sources;
use clap::{Args, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Serve skills to agents over MCP
///
/// Speaks MCP on stdin and stdout, for hosts that start the server themselves. With --http it answers
/// at an address too: MCP at /mcp, health at /healthz, numbers at /metrics. Files are watched, and
/// connected agents are told what changed. Nothing of a skill is ever executed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier serve --print-config claude           what to put into a host's configuration
  metier serve --root skills                   on stdin and stdout
  metier serve --http 127.0.0.1:7331           for every agent on this machine
  metier serve --http 0.0.0.0:7331 --token-file token.txt --allow-host skills.example.com")]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) sources: Sources,

    /// Answer at this address too; ends on Ctrl-C, or when the program on stdin hangs up
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub(crate) http: Option<SocketAddr>,

    /// The file that holds the token clients must send; needed unless ADDR is a loopback address
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,

    /// A name the server may be called by, beside localhost and addresses (repeatable)
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(crate) allow_host: Vec<String>,

    /// A web page that may send requests, as https://host:port (repeatable)
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub(crate) allow_origin: Vec<String>,

    /// How many requests a second one address may send for long; 0 for any number
    #[arg(long, value_name = "N", default_value = "1000", requires = "http")]
    pub(crate) rate: u32,

    /// Do not watch files for changes
    #[arg(long)]
    pub(crate) no_watch: bool,

    /// Ask other servers every so many seconds whether their skills changed; 0 is never
    #[arg(long, value_name = "SECONDS", default_value_t = 60, help_heading = crate::mcp_args::HEADING)]
    pub(crate) mcp_refresh: u64,

    /// What records on stderr look like
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,

    /// The least important records that are shown
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub(crate) log_level: LogLevel,

    /// Print what to put into the configuration of a host, and end
    #[arg(long, value_name = "HOST")]
    pub(crate) print_config: Option<Host>,
}

/// Write skills as the files of a web site
///
/// Writes DIR/.well-known/agent-skills/ with an index, every file of every skill, and archives, which
/// `npx skills`, OpenCode and `metier` itself can install from. The same skills give the same bytes. An
/// export into the same folder removes what an earlier one wrote and nobody needs any more, as the file
/// .metier-export there remembers it; files that no export has written are neither replaced nor removed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  metier export public                       the skills that agents would know of
  metier export public --root skills         those of one folder")]
pub(crate) struct Export {
    /// The folder of the site
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,

    #[command(flatten)]
    pub(crate) sources: Sources,

    /// Print JSON: what was written, removed and left out
    #[arg(long)]
    pub(crate) json: bool,
}

/// What records look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// A line for people
    Text,
    /// A JSON object a line
    Json,
}

/// How much is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    /// Every request
    Debug,
    /// Starts, stops and changes
    Info,
    /// What is not served or was refused
    Warn,
    /// What does not work
    Error,
}

/// A program that connects to MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Host {
    /// Claude Code: .mcp.json
    Claude,
    /// Claude Desktop: claude_desktop_config.json
    ClaudeDesktop,
    /// Cline: cline_mcp_settings.json
    Cline,
    /// Codex: ~/.codex/config.toml
    Codex,
    /// GitHub Copilot CLI: ~/.copilot/mcp-config.json
    Copilot,
    /// Cursor: .cursor/mcp.json
    Cursor,
    /// Gemini CLI: ~/.gemini/settings.json
    Gemini,
    /// OpenCode: opencode.json
    Opencode,
    /// Visual Studio Code: .vscode/mcp.json
    Vscode,
    /// Windsurf: ~/.codeium/windsurf/mcp_config.json
    Windsurf,
    /// Zed: settings.json
    Zed,
}

impl Host {
    /// The file that the lines belong into.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Claude => ".mcp.json in the project",
            Self::ClaudeDesktop => "claude_desktop_config.json (Settings, Developer, Edit Config)",
            Self::Cline => "cline_mcp_settings.json (MCP Servers, Configure)",
            Self::Codex => "~/.codex/config.toml",
            Self::Copilot => "~/.copilot/mcp-config.json",
            Self::Cursor => "~/.cursor/mcp.json, or .cursor/mcp.json in the project",
            Self::Gemini => "~/.gemini/settings.json, or .gemini/settings.json in the project",
            Self::Opencode => "opencode.json in the project, or ~/.config/opencode/opencode.json",
            Self::Vscode => ".vscode/mcp.json in the project",
            Self::Windsurf => "~/.codeium/windsurf/mcp_config.json",
            Self::Zed => "settings.json (zed: open settings file)",
        }
    }
}

/// An address with a port; `localhost` is this machine.
fn address(text: &str) -> Result<SocketAddr, String> {
    let text = text.replacen("localhost:", "127.0.0.1:", 1);
    text.parse().map_err(|_| "give an address and a port, such as `127.0.0.1:7331`".to_owned())
}
