//! Turns answers with a validator into answers that need not be sent again.

use std::collections::BTreeMap;
use std::sync::Arc;
use ureq::http::{HeaderMap, HeaderValue, header};

/// Bodies by address, no more bytes than it was made for. The one that was not used for longest
/// goes first.
#[derive(Debug)]
pub(super) struct Cache {
    stored: BTreeMap<String, Stored>,
    bytes: usize,
    most: usize,
    /// Counts uses: the library has no clock.
    tick: u64,
}

/// A body, and what to ask with whether it is still the same.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) body: Arc<[u8]>,
    pub(super) etag: Option<HeaderValue>,
    pub(super) modified: Option<HeaderValue>,
    used: u64,
}

impl Cache {
    pub(super) fn new(most: usize) -> Self {
        Self { stored: BTreeMap::new(), bytes: 0, most, tick: 0 }
    }

    /// What was kept of the answer from `address`.
    pub(super) fn get(&mut self, address: &str) -> Option<Stored> {
        self.tick += 1;
        let stored = self.stored.get_mut(address)?;
        stored.used = self.tick;
        Some(stored.clone())
    }

    /// Keeps an answer, when it can be asked about again, may be kept and is small enough.
    pub(super) fn put(&mut self, address: &str, headers: &HeaderMap, body: &Arc<[u8]>) {
        self.remove(address);
        let etag = headers.get(header::ETAG).cloned();
        let modified = headers.get(header::LAST_MODIFIED).cloned();
        let no_store = headers
            .get_all(header::CACHE_CONTROL)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .any(|value| value.to_ascii_lowercase().contains("no-store"));
        if no_store || (etag.is_none() && modified.is_none()) || body.len() > self.most {
            return;
        }
        while self.bytes + body.len() > self.most {
            let oldest = self.stored.iter().min_by_key(|(_, stored)| stored.used);
            let Some(oldest) = oldest.map(|(address, _)| address.clone()) else { break };
            self.remove(&oldest);
        }
        self.tick += 1;
        self.bytes += body.len();
        let stored = Stored { body: Arc::clone(body), etag, modified, used: self.tick };
        self.stored.insert(address.to_owned(), stored);
    }

    fn remove(&mut self, address: &str) {
        if let Some(stored) = self.stored.remove(address) {
            self.bytes -= stored.body.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|&(name, value)| {
            (name.parse::<header::HeaderName>().unwrap(), HeaderValue::from_static(value))
        });
        pairs.collect()
    }

    fn body(bytes: usize) -> Arc<[u8]> {
        vec![b'x'; bytes].into()
    }

    #[test]
    fn only_what_can_be_asked_about_again_is_kept() {
        let mut cache = Cache::new(10);
        cache.put("none", &headers(&[]), &body(1));
        cache.put("etag", &headers(&[("etag", "\"1\"")]), &body(1));
        cache.put("date", &headers(&[("last-modified", "today")]), &body(1));
        cache.put("not", &headers(&[("etag", "1"), ("cache-control", "a, No-Store")]), &body(1));
        cache.put("large", &headers(&[("etag", "1")]), &body(11));
        assert_eq!(cache.stored.keys().collect::<Vec<_>>(), ["date", "etag"]);
    }

    #[test]
    fn the_one_that_was_not_used_for_longest_goes_first() {
        let etag = headers(&[("etag", "1")]);
        let mut cache = Cache::new(10);
        cache.put("a", &etag, &body(4));
        cache.put("b", &etag, &body(4));
        assert!(cache.get("a").is_some());
        cache.put("c", &etag, &body(4));
        assert!(cache.get("b").is_none());
        assert!(cache.get("a").is_some() && cache.get("c").is_some());
        cache.put("a", &etag, &body(6));
        assert_eq!((cache.stored.len(), cache.bytes), (2, 10));
    }
}
