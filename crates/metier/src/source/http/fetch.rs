//! Turns an address into the bytes behind it: capped, timed, and from nowhere it may not go.

use super::address::Reach;
use super::cache::Cache;
use super::options::HttpOptions;
use std::io::Read as _;
use std::sync::{Arc, Mutex, PoisonError};
use ureq::config::Config;
use ureq::http::{HeaderMap, HeaderValue, Uri, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use url::{Origin, Url};

/// One client with its connections, its cache and what it may do.
#[derive(Debug)]
pub(super) struct Client {
    agent: ureq::Agent,
    reach: Reach,
    redirects: usize,
    /// The only place that the token is for.
    origin: Origin,
    token: Option<HeaderValue>,
    cache: Mutex<Cache>,
}

/// Bytes, and the address that they came from in the end.
#[derive(Debug)]
pub(super) struct Fetched {
    pub(super) body: Arc<[u8]>,
    pub(super) url: Url,
}

/// Why there are no bytes.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("{reason}")]
    Refused { url: Url, reason: String },
    #[error("the server answers with status {status}")]
    Status { url: Url, status: u16 },
    #[error("{}", too_large(*.size, *.limit))]
    TooLarge { url: Url, size: Option<u64>, limit: usize },
    #[error("{message}")]
    Failed { url: Url, message: String },
}

impl FetchError {
    /// The address that failed: the last one, when there were redirects.
    pub(super) fn url(&self) -> &Url {
        match self {
            Self::Refused { url, .. }
            | Self::Status { url, .. }
            | Self::TooLarge { url, .. }
            | Self::Failed { url, .. } => url,
        }
    }
}

fn too_large(size: Option<u64>, limit: usize) -> String {
    match size {
        Some(size) => format!("it has {size} bytes, the limit is {limit}"),
        None => format!("it has more bytes than the limit of {limit}"),
    }
}

/// Who hears how many bytes have come, and of how many.
type Hear<'h> = &'h dyn Fn(u64, Option<u64>);

/// How many bytes come between two pieces of news.
const PIECE: u64 = 64 * 1024;

/// What one request came to.
enum Answer {
    Body(Arc<[u8]>),
    Moved(String),
}

impl Client {
    /// A client that holds the token of `options` for the origin of `address` alone.
    pub(super) fn new(address: &Url, options: &HttpOptions) -> Result<Self, String> {
        let reach = options.reach();
        let config = Config::builder()
            // Redirects are followed by hand, since each is a new address to judge (security H04).
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            // The client would take a proxy from the environment, which is the caller's to read.
            .proxy(None)
            // The roots of the system, and no way to do without them (security H15).
            .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
            .user_agent(concat!("metier/", env!("CARGO_PKG_VERSION")))
            // Digests are those of the bytes as they are stored (security H12).
            .accept_encoding("identity")
            .timeout_resolve(Some(options.connect_timeout))
            .timeout_connect(Some(options.connect_timeout))
            .timeout_per_read(Some(options.read_timeout))
            .timeout_global(Some(options.total_timeout))
            .build();
        let resolver = Judged { inner: DefaultResolver::default(), reach };
        Ok(Self {
            agent: ureq::Agent::with_parts(config, DefaultConnector::default(), resolver),
            reach,
            redirects: options.max_redirects,
            origin: address.origin(),
            token: options.token.as_deref().map(bearer).transpose()?,
            cache: Mutex::new(Cache::new(options.cache_bytes)),
        })
    }

    /// The bytes behind `url`, no more than `limit` of them.
    pub(super) fn get(&self, url: &Url, limit: usize) -> Result<Fetched, FetchError> {
        self.get_heard(url, limit, &|_, _| {})
    }

    /// As [`get`](Self::get), and says how many bytes have come, and of how many.
    pub(super) fn get_heard(
        &self,
        url: &Url,
        limit: usize,
        hear: Hear<'_>,
    ) -> Result<Fetched, FetchError> {
        let mut url = url.clone();
        let refused = |url: &Url, reason| FetchError::Refused { url: url.clone(), reason };
        self.reach.check(&url).map_err(|reason| refused(&url, reason))?;
        for _ in 0..=self.redirects {
            let target = match self.ask(&url, limit, hear)? {
                Answer::Body(body) => return Ok(Fetched { body, url }),
                Answer::Moved(target) => target,
            };
            let mut next = url.join(&target).map_err(|error| {
                refused(&url, format!("it redirects to `{target}`, which is no address: {error}"))
            })?;
            next.set_fragment(None);
            self.reach.follow(&url, &next).map_err(|reason| {
                refused(&url, format!("it redirects to `{}`: {reason}", without_secrets(&next)))
            })?;
            url = next;
        }
        let reason = format!("it redirects more than {} times", self.redirects);
        Err(refused(&url, reason))
    }

    /// One request, without following where it leads.
    fn ask(&self, url: &Url, limit: usize, hear: Hear<'_>) -> Result<Answer, FetchError> {
        let failed = |message: String| FetchError::Failed { url: url.clone(), message };
        let kept = self.cache().get(url.as_str());
        let mut request = self.agent.get(url.as_str());
        if let Some(token) = self.token.as_ref().filter(|_| url.origin() == self.origin) {
            request = request.header(header::AUTHORIZATION, token); // security H16
        }
        if let Some(etag) = kept.as_ref().and_then(|kept| kept.etag.as_ref()) {
            request = request.header(header::IF_NONE_MATCH, etag);
        }
        if let Some(modified) = kept.as_ref().and_then(|kept| kept.modified.as_ref()) {
            request = request.header(header::IF_MODIFIED_SINCE, modified);
        }
        let response = request.call().map_err(|error| match error {
            ureq::Error::Other(reason) if reason.is::<Denied>() => {
                FetchError::Refused { url: url.clone(), reason: reason.to_string() }
            }
            error => failed(error.to_string()),
        })?;
        let status = response.status().as_u16();
        match status {
            200 => {}
            301 | 302 | 303 | 307 | 308 => {
                let target = text(response.headers(), &header::LOCATION);
                let target = target.ok_or_else(|| failed("it redirects to nowhere".to_owned()))?;
                return Ok(Answer::Moved(target.to_owned()));
            }
            304 => {
                let kept =
                    kept.ok_or_else(|| failed("nothing was kept to go on using".to_owned()))?;
                let size = kept.body.len();
                if size > limit {
                    let size = Some(size as u64);
                    return Err(FetchError::TooLarge { url: url.clone(), size, limit });
                }
                return Ok(Answer::Body(kept.body));
            }
            status => return Err(FetchError::Status { url: url.clone(), status }),
        }
        let (parts, body) = response.into_parts();
        match text(&parts.headers, &header::CONTENT_ENCODING) {
            None | Some("" | "identity") => {}
            Some(coding) => {
                let reason =
                    format!("it is sent with the coding `{coding}`, which was not asked for");
                return Err(FetchError::Refused { url: url.clone(), reason });
            }
        }
        let size = body.content_length();
        if size.is_some_and(|size| size > limit as u64) {
            return Err(FetchError::TooLarge { url: url.clone(), size, limit });
        }
        let mut bytes = Vec::new();
        let mut reader = body.into_reader().take((limit as u64).saturating_add(1));
        loop {
            let piece = reader.by_ref().take(PIECE).read_to_end(&mut bytes);
            if piece.map_err(|error| failed(error.to_string()))? == 0 {
                break;
            }
            hear(bytes.len() as u64, size);
        }
        if bytes.len() > limit {
            return Err(FetchError::TooLarge { url: url.clone(), size: None, limit });
        }
        let body = Arc::from(bytes);
        self.cache().put(url.as_str(), &parts.headers, &body);
        Ok(Answer::Body(body))
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn bearer(token: &str) -> Result<HeaderValue, String> {
    let mut value = HeaderValue::from_str(&format!("Bearer {token}"))
        .map_err(|_| "the token holds characters that a header cannot hold".to_owned())?;
    value.set_sensitive(true);
    Ok(value)
}

/// The address as it may be shown.
pub(super) fn without_secrets(url: &Url) -> Url {
    let mut shown = url.clone();
    // An address that cannot have these has none to hide.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown
}

/// Asks the system for the addresses of a name, and lets only those through that may be reached.
/// The connection is made to these very addresses: the name is not resolved again (security H01).
#[derive(Debug)]
struct Judged {
    inner: DefaultResolver,
    reach: Reach,
}

impl Resolver for Judged {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.inner.resolve(uri, config, timeout)?;
        let tls = uri.scheme_str() == Some("https");
        for address in &found {
            let judged = self.reach.connect(tls, address.ip());
            judged.map_err(|reason| ureq::Error::Other(Box::new(Denied(reason))))?;
        }
        Ok(found)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Denied(String);

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_types, reason = "the tests serve on a socket of their own")]
    use super::*;

    /// A name is harmless to look at. What it resolves to is judged before a connection is made, and
    /// so a name of the open internet cannot lead inside (security H01).
    #[test]
    fn a_name_that_resolves_to_a_private_address_is_refused() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        for scheme in ["https", "http"] {
            let url = format!("{scheme}://localhost:{port}/").parse().unwrap();
            let client = Client::new(&url, &HttpOptions::default()).unwrap();
            let Err(error) = client.ask(&url, 10, &|_, _| {}) else { panic!("{url} was reached") };
            assert!(matches!(error, FetchError::Refused { .. }), "{error}");
        }
        assert!(listener.accept().is_err(), "nobody connects");
    }
}
