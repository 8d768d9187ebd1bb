//! Turns text into the address of a git repository that git can take for nothing else.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use url::{Host, Url};

/// The address of a repository: `https://host/x.git`, `ssh://git@host/x`, `git@host:x` or
/// `file:///x`.
///
/// Valid by construction: it is no option, names no helper program (`ext::`), and holds neither a
/// password nor a query, so it can be shown, logged and locked (security G01, G03, G06).
///
/// ```
/// use metier::install::{GitUrl, Transport};
///
/// let url: GitUrl = "git@example.com:skills/pdf.git".parse().unwrap();
/// assert_eq!(url.transport(), Transport::Ssh);
/// assert!("ext::sh -c id".parse::<GitUrl>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GitUrl {
    text: String,
    transport: Transport,
}

/// How git reaches a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Transport {
    /// `https:`.
    Https,
    /// `ssh:`, or `user@host:path`.
    Ssh,
    /// `file:`, a repository on this machine.
    File,
    /// `http:` to this very machine.
    LoopbackHttp,
}

/// Why text is not the address of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidGitUrl {
    /// It is no address at all.
    #[error("it is not an address: {0}")]
    Address(String),
    /// The scheme is none that repositories are fetched by.
    #[error("`{0}:` is not a scheme that repositories are fetched by")]
    Scheme(String),
    /// The scheme encrypts nothing.
    #[error("`{0}:` is refused because it is not encrypted")]
    Plain(String),
    /// It names a program that git would run: `ext::sh -c ..` (security G03).
    #[error("`{0}::` would let git run a program of that name")]
    Helper(String),
    /// A user name or a password stands in it (security G06).
    #[error("credentials do not belong into an address")]
    Credentials,
    /// A query or a fragment stands in it.
    #[error("a repository has no `?` in its address")]
    Query,
    /// The user, the host or the path starts with `-`, or has characters it cannot have.
    #[error("its {0} is not one that git can be given")]
    Part(&'static str),
}

impl GitUrl {
    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How git reaches it.
    pub fn transport(&self) -> Transport {
        self.transport
    }

    /// The repository of that name on GitHub. Whoever calls has checked both.
    pub(crate) fn github(owner: &str, repo: &str) -> Self {
        let text = format!("https://github.com/{owner}/{repo}");
        Self { text, transport: Transport::Https }
    }
}

/// The program of a transport helper, when the text asks for one.
pub(crate) fn helper(text: &str) -> Option<&str> {
    let (name, _) = text.split_once("::")?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "+-._".contains(c);
    name.chars().all(plain).then_some(name)
}

/// The user and host of `user@host:path`, and the path.
pub(crate) fn scp_parts(text: &str) -> Option<(&str, &str)> {
    let (host, path) = text.split_once(':')?;
    // A single letter is a drive to some, and `//` after the colon is a scheme.
    (!host.contains(['/', '\\']) && host.len() > 1 && !path.starts_with("//"))
        .then_some((host, path))
}

fn is_word(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
}

fn parse_scp(host: &str, path: &str) -> Result<GitUrl, InvalidGitUrl> {
    let (user, host) = host.split_once('@').unwrap_or(("git", host));
    if !is_word(user) {
        return Err(InvalidGitUrl::Part("user"));
    }
    if !is_word(host) {
        return Err(InvalidGitUrl::Part("host"));
    }
    let path = path.trim_end_matches('/');
    if path.is_empty() || path.starts_with('-') || !is_path(path) {
        return Err(InvalidGitUrl::Part("path"));
    }
    Ok(GitUrl { text: format!("{user}@{host}:{path}"), transport: Transport::Ssh })
}

/// A path that a shell on the other side, if there is one, takes for one word.
fn is_path(path: &str) -> bool {
    path.chars().all(|c| c.is_alphanumeric() || "/._-~+@%,=".contains(c))
}

fn parse_url(text: &str) -> Result<GitUrl, InvalidGitUrl> {
    let url = Url::parse(text).map_err(|error| InvalidGitUrl::Address(error.to_string()))?;
    let transport = match url.scheme() {
        "https" => Transport::Https,
        "ssh" => Transport::Ssh,
        "file" => Transport::File,
        "http" if is_loopback(&url) => Transport::LoopbackHttp,
        scheme @ ("http" | "git" | "ftp") => return Err(InvalidGitUrl::Plain(scheme.to_owned())),
        scheme => return Err(InvalidGitUrl::Scheme(scheme.to_owned())),
    };
    if url.password().is_some() || (transport != Transport::Ssh && !url.username().is_empty()) {
        return Err(InvalidGitUrl::Credentials);
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(InvalidGitUrl::Query);
    }
    if !url.username().is_empty() && !is_word(url.username()) {
        return Err(InvalidGitUrl::Part("user"));
    }
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_host = match transport {
        Transport::File => host.is_empty(),
        _ => is_word(bare) || bare.parse::<std::net::Ipv6Addr>().is_ok(),
    };
    if !is_host {
        return Err(InvalidGitUrl::Part("host"));
    }
    let path = url.path().trim_end_matches('/');
    if path.is_empty() || path.contains("//") || !is_path(path) {
        return Err(InvalidGitUrl::Part("path"));
    }
    Ok(GitUrl { text: url.as_str().trim_end_matches('/').to_owned(), transport })
}

/// Whether the address is one of this very machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

impl FromStr for GitUrl {
    type Err = InvalidGitUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(program) = helper(text) {
            return Err(InvalidGitUrl::Helper(program.to_owned()));
        }
        if text.starts_with('-') || text.contains(char::is_control) {
            return Err(InvalidGitUrl::Part("start"));
        }
        match scp_parts(text) {
            Some((host, path)) => parse_scp(host, path),
            None => parse_url(text),
        }
    }
}

impl TryFrom<String> for GitUrl {
    type Error = InvalidGitUrl;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<GitUrl> for String {
    fn from(url: GitUrl) -> Self {
        url.text
    }
}

impl fmt::Display for GitUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_addresses_and_their_form() {
        for (text, form, transport) in [
            ("https://h.example/a/b.git/", "https://h.example/a/b.git", Transport::Https),
            ("HTTPS://H.example/a", "https://h.example/a", Transport::Https),
            ("https://h.example:8443/a", "https://h.example:8443/a", Transport::Https),
            ("ssh://git@h.example:22/a", "ssh://git@h.example:22/a", Transport::Ssh),
            ("git@h.example:a/b.git", "git@h.example:a/b.git", Transport::Ssh),
            ("h.example:a", "git@h.example:a", Transport::Ssh),
            ("file:///srv/a.git", "file:///srv/a.git", Transport::File),
            ("http://127.0.0.1:80/a", "http://127.0.0.1/a", Transport::LoopbackHttp),
            ("http://[::1]/a", "http://[::1]/a", Transport::LoopbackHttp),
        ] {
            let url: GitUrl = text.parse().unwrap();
            assert_eq!((url.as_str(), url.transport()), (form, transport));
            assert_eq!(form.parse::<GitUrl>().unwrap(), url);
        }
    }

    /// Security G01, G03, G06.
    #[test]
    fn each_way_of_being_wrong() {
        use InvalidGitUrl::{Credentials, Helper, Part, Plain, Query, Scheme};
        let text = |text: &str| text.to_owned();
        for (url, problem) in [
            ("ext::sh -c \"touch x\"", Helper(text("ext"))),
            ("fd::17", Helper(text("fd"))),
            ("foo::bar", Helper(text("foo"))),
            ("-uxx:y.git", Part("start")),
            ("--upload-pack=x:y", Part("start")),
            ("git:--upload-pack=touch /tmp/p.git", Part("path")),
            ("git@-oProxyCommand=x:a", Part("host")),
            ("-o@h.example:a", Part("start")),
            ("ssh://-oProxyCommand=x/a", Part("host")),
            ("ssh://-x@h.example/a", Part("user")),
            ("ssh://h.example/$(id)", Part("path")),
            ("ssh://u:p@h.example/a", Credentials),
            ("https://u:p@h.example/a", Credentials),
            ("https://u@h.example/a", Credentials),
            ("https://h.example/a?x=1", Query),
            ("http://h.example/a", Plain(text("http"))),
            ("git://h.example/a", Plain(text("git"))),
            ("javascript://h/a", Scheme(text("javascript"))),
            ("https://h.example/", Part("path")),
            ("file://host/a", Part("host")),
            ("git@h.example:", Part("path")),
            ("git@h.example:-x", Part("path")),
            ("git@h.example:a;id", Part("path")),
        ] {
            assert_eq!(url.parse::<GitUrl>(), Err(problem), "{url}");
        }
        assert!("https://".parse::<GitUrl>().is_err());
    }
}
