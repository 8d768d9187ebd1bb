//! Turns the head of a request into "may pass" or the reason why not.

use crate::http_options::HttpOptions;
use crate::web::OPEN_PATHS;
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, StatusCode, Uri};
use sha2::{Digest as _, Sha256};
use std::net::IpAddr;

/// Who may send requests.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    is_loopback: bool,
    hosts: Vec<String>,
    origins: Vec<String>,
    /// The digest of the token, so that comparing takes the same time for every wrong one.
    token: Option<[u8; 32]>,
}

/// Why a request is turned away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The server is not called by that name: perhaps a page that had its own name point here
    /// (DNS rebinding, CVE-2026-42559).
    Host,
    /// A web page that nobody allowed.
    Origin,
    /// The token is missing or wrong.
    Token,
}

impl Refusal {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::Host | Self::Origin => StatusCode::FORBIDDEN,
            Self::Token => StatusCode::UNAUTHORIZED,
        }
    }

    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Host => "the server is not called by that name",
            Self::Origin => "that web page may not send requests",
            Self::Token => "a bearer token is required",
        }
    }
}

impl Gate {
    /// A gate for a server at this address.
    pub(crate) fn new(address: IpAddr, options: &HttpOptions) -> Self {
        let lower = |texts: &[String]| texts.iter().map(|text| text.to_lowercase()).collect();
        Self {
            is_loopback: address.is_loopback(),
            hosts: lower(&options.allowed_hosts),
            origins: lower(&options.allowed_origins),
            token: options.token.as_ref().map(|token| Sha256::digest(token).into()),
        }
    }

    /// Checks the host, the origin, and, where one is needed, the token.
    pub(crate) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let mut hosts = headers.get_all(HOST).iter();
        let given = match (hosts.next(), hosts.next(), uri.authority()) {
            (Some(host), None, None) => host.to_str().ok(),
            (Some(host), None, Some(authority)) => {
                host.to_str().ok().filter(|host| *host == authority.as_str())
            }
            _ => None,
        };
        let host = given.map(str::to_lowercase).ok_or(Refusal::Host)?;
        if !self.is_ours(&host) {
            return Err(Refusal::Host);
        }
        for origin in headers.get_all(ORIGIN) {
            let origin = origin.to_str().map_err(|_| Refusal::Origin)?.to_lowercase();
            let page = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            if page != Some(&*host) && !self.origins.contains(&origin) {
                return Err(Refusal::Origin);
            }
        }
        let is_open = uri.path() == "/healthz" || OPEN_PATHS.contains(&uri.path());
        if is_open { Ok(()) } else { self.check_token(headers) }
    }

    /// Whether the page that sends a request is one that was allowed by name.
    pub(crate) fn allows_page(&self, origin: &str) -> bool {
        self.origins.contains(&origin.to_lowercase())
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(expected) = self.token else { return Ok(()) };
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
        });
        let digest: Option<[u8; 32]> = given.map(|token| Sha256::digest(token).into());
        if digest == Some(expected) { Ok(()) } else { Err(Refusal::Token) }
    }

    /// Whether the server may be called by this name. Addresses cannot be made to point elsewhere; off
    /// loopback any of them is one of the machine's.
    fn is_ours(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => host.rsplit_once(':').map_or(host, |(name, _)| name),
        };
        let address: Option<IpAddr> = name.parse().ok();
        name == "localhost"
            || address.is_some_and(|address| !self.is_loopback || address.is_loopback())
            || self.hosts.iter().any(|allowed| allowed == host || allowed == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn check(
        options: &HttpOptions,
        address: &str,
        headers: &[(&str, &str)],
    ) -> Result<(), Refusal> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = axum::http::HeaderName::from_bytes(name.as_bytes()).unwrap();
            map.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        Gate::new(address.parse().unwrap(), options).check(&Uri::from_static("/mcp"), &map)
    }

    #[test]
    fn only_our_own_names_are_answered_to() {
        let options =
            HttpOptions { allowed_hosts: vec!["Skills.example".into()], ..HttpOptions::default() };
        for host in
            ["localhost", "localhost:7331", "127.0.0.1:1", "[::1]:7331", "skills.example:80"]
        {
            assert_eq!(check(&options, "127.0.0.1", &[("host", host)]), Ok(()), "{host}");
        }
        for host in
            ["evil.example", "localhost.evil.example", "", "10.0.0.1", "127.0.0.1.evil.example"]
        {
            assert_eq!(
                check(&options, "127.0.0.1", &[("host", host)]),
                Err(Refusal::Host),
                "{host}"
            );
        }
        assert_eq!(check(&options, "127.0.0.1", &[]), Err(Refusal::Host));
        let two = [("host", "localhost"), ("host", "evil.example")];
        assert_eq!(check(&options, "127.0.0.1", &two), Err(Refusal::Host));
        assert_eq!(check(&options, "0.0.0.0", &[("host", "10.0.0.1:7331")]), Ok(()));
        assert_eq!(check(&options, "0.0.0.0", &[("host", "evil.example")]), Err(Refusal::Host));
    }

    #[test]
    fn pages_need_to_be_allowed() {
        let options = HttpOptions {
            allowed_origins: vec!["https://app.example".into()],
            ..HttpOptions::default()
        };
        let with = |origin| {
            check(&options, "127.0.0.1", &[("host", "localhost:7331"), ("origin", origin)])
        };
        assert_eq!(with("http://localhost:7331"), Ok(()));
        assert_eq!(with("https://app.example"), Ok(()));
        for origin in
            ["null", "", "http://evil.example", "http://localhost:9", "https://app.example.evil"]
        {
            assert_eq!(with(origin), Err(Refusal::Origin), "{origin}");
        }
    }

    #[test]
    fn the_token_is_asked_for() {
        let options = HttpOptions { token: Some("secret".into()), ..HttpOptions::default() };
        let with = |value| {
            check(&options, "127.0.0.1", &[("host", "localhost"), ("authorization", value)])
        };
        assert_eq!(with("Bearer secret"), Ok(()));
        assert_eq!(with("bearer  secret"), Ok(()));
        for value in ["", "secret", "Bearer", "Bearer secre", "Bearer secret2", "Basic secret"] {
            assert_eq!(with(value), Err(Refusal::Token), "{value}");
        }
        assert!(!format!("{options:?}").contains("secret"));
    }
}
