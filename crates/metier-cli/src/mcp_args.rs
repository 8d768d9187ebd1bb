//! Turns what was typed about other MCP servers into their names, addresses, commands and tokens.

use clap::Args;
use std::path::PathBuf;

/// The part of the help that these options stand in.
pub(crate) const HEADING: &str = "Skills of other MCP servers";

/// Other servers that skills come from.
#[derive(Debug, Default, Args)]
pub(crate) struct Servers {
    /// Look at the skills of this MCP server, by the URL of its endpoint (repeatable)
    ///
    /// As with --root, only what is named counts: give both to have both. Of two skills with one name
    /// the one in a folder answers to it; the other one is LABEL:NAME. LABEL is the host unless it is given.
    #[arg(long = "mcp", value_name = "[LABEL=]URL", value_parser = url, help_heading = HEADING)]
    pub(crate) urls: Vec<Named<String>>,

    /// The same, for a server that is started and spoken to on its stdin and stdout (repeatable)
    #[arg(long = "mcp-command", value_name = "[LABEL=]COMMAND", value_parser = command, help_heading = HEADING)]
    pub(crate) commands: Vec<Named<Vec<String>>>,

    /// The file with the token of the server that LABEL names (repeatable)
    ///
    /// LABEL may be left out when there is one server. Without a file, the token is taken from the
    /// variable METIER_MCP_TOKEN_LABEL, LABEL in capitals with _ for everything that is no letter or digit.
    #[arg(long = "mcp-token-file", value_name = "[LABEL=]FILE", value_parser = token_file, requires = "urls", help_heading = HEADING)]
    pub(crate) token_files: Vec<(Option<String>, PathBuf)>,

    /// Let the skills of these servers reach a model, whatever they will say
    ///
    /// Without it they can be listed, searched, shown and read, and nothing more: what another server
    /// says is somebody else's text, and may be different tomorrow.
    #[arg(long = "mcp-trust", help_heading = HEADING)]
    pub(crate) trust: bool,
}

impl Servers {
    /// Whether no server is named.
    pub(crate) fn is_empty(&self) -> bool {
        self.urls.is_empty() && self.commands.is_empty()
    }
}

/// Something, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named<T> {
    pub(crate) label: String,
    pub(crate) what: T,
    /// Both, as they were given.
    pub(crate) typed: String,
}

/// Splits `LABEL=REST`; without a label, all of it is the rest.
fn labelled(text: &str) -> (Option<&str>, &str) {
    let is_label = |label: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        label.starts_with(|c: char| c.is_ascii_alphanumeric()) && label.chars().all(is_plain)
    };
    match text.split_once('=') {
        Some((label, rest)) if is_label(label) => (Some(label), rest),
        _ => (None, text),
    }
}

fn url(text: &str) -> Result<Named<String>, String> {
    let (label, url) = labelled(text);
    let wrong = || "give the URL of an MCP endpoint, such as `https://skills.example.com/mcp`";
    let rest = ["https://", "http://"].iter().find_map(|scheme| url.strip_prefix(scheme));
    let authority = rest.ok_or_else(wrong)?.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err("a token does not belong into a URL: use `--mcp-token-file`".to_owned());
    }
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    if host.is_empty() {
        return Err(wrong().to_owned());
    }
    let label = label.unwrap_or(host).to_owned();
    Ok(Named { label, what: url.to_owned(), typed: text.to_owned() })
}

fn command(text: &str) -> Result<Named<Vec<String>>, String> {
    let (label, line) = labelled(text);
    let words = words(line).ok_or("a quotation mark has no partner")?;
    let program = words.first().ok_or("give a program and its arguments in one word, quoted")?;
    let file = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let label = label.unwrap_or(file.strip_suffix(".exe").unwrap_or(file)).to_owned();
    Ok(Named { label, what: words, typed: text.to_owned() })
}

#[expect(clippy::unnecessary_wraps, reason = "what clap calls may fail")]
fn token_file(text: &str) -> Result<(Option<String>, PathBuf), String> {
    let (label, path) = labelled(text);
    Ok((label.map(str::to_owned), path.into()))
}

/// The words of a command, as shells split them: at blanks that no quotation marks enclose. Nothing is
/// replaced, and a backslash is a backslash, as in the paths of Windows.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in line.chars() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_called_by_their_host_unless_they_have_a_name() {
        for (text, label, what) in [
            ("https://a.example/mcp?x=1", "a.example", "https://a.example/mcp?x=1"),
            ("http://127.0.0.1:7331/mcp", "127.0.0.1", "http://127.0.0.1:7331/mcp"),
            ("http://[::1]:7331/mcp", "::1", "http://[::1]:7331/mcp"),
            ("team=https://a.example/", "team", "https://a.example/"),
        ] {
            let named = Named { label: label.into(), what: what.into(), typed: text.into() };
            assert_eq!(url(text), Ok(named), "{text}");
        }
        for text in
            ["", "a.example", "ftp://a.example", "https://", "team=", "https://me:x@a.example"]
        {
            assert!(url(text).is_err(), "{text}");
        }
    }

    #[test]
    fn commands_are_split_where_no_quotation_marks_are() {
        let split = |line: &str| command(line).map(|named| (named.label, named.what.join("|")));
        let is = |label: &str, words: &str| Ok((label.to_owned(), words.to_owned()));
        assert_eq!(split("npx -y @acme/skills"), is("npx", "npx|-y|@acme/skills"));
        assert_eq!(
            split("t=/usr/bin/metier serve --root 'My Skills' \"\""),
            is("t", "/usr/bin/metier|serve|--root|My Skills|")
        );
        assert_eq!(split(r"C:\bin\metier.exe serve"), is("metier", r"C:\bin\metier.exe|serve"));
        assert_eq!(split("--x=a b"), is("--x=a", "--x=a|b"));
        assert!(split("").is_err() && split("a 'b").is_err() && split("t= ").is_err());
    }
}
