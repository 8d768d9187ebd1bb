//! Turns the times of requests into "now" or "later", for each address that sends them.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

/// How many addresses are remembered. More than that are counted as one.
const MAX_ADDRESSES: usize = 10_000;

/// How long to wait before buckets are looked through again.
const CLEANING: Duration = Duration::from_secs(1);

/// What addresses may still send: each has a bucket that fills at a steady rate and holds two seconds' worth.
#[derive(Debug)]
pub(crate) struct Rate {
    per_second: f64,
    /// When buckets were last looked through.
    cleaned: Duration,
    buckets: BTreeMap<Option<IpAddr>, Bucket>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Duration,
}

impl Rate {
    pub(crate) fn new(per_second: u32) -> Self {
        Self {
            per_second: f64::from(per_second.max(1)),
            cleaned: Duration::ZERO,
            buckets: BTreeMap::new(),
        }
    }

    /// Whether a request may be sent now; `now` is the time since any fixed moment.
    pub(crate) fn admit(&mut self, from: IpAddr, now: Duration) -> bool {
        let full = self.per_second * 2.0;
        if self.buckets.len() >= MAX_ADDRESSES && now.saturating_sub(self.cleaned) > CLEANING {
            // A bucket that is full again says nothing.
            self.cleaned = now;
            let per_second = self.per_second;
            self.buckets.retain(|_, bucket| bucket.filled(per_second, now) < full);
        }
        let is_known = self.buckets.contains_key(&Some(from));
        let key = (is_known || self.buckets.len() < MAX_ADDRESSES).then_some(from);
        let bucket = self.buckets.entry(key).or_insert(Bucket { left: full, at: now });
        bucket.left = bucket.filled(self.per_second, now).min(full);
        bucket.at = now;
        let is_admitted = bucket.left >= 1.0;
        if is_admitted {
            bucket.left -= 1.0;
        }
        is_admitted
    }
}

impl Bucket {
    fn filled(&self, per_second: f64, now: Duration) -> f64 {
        self.left + now.saturating_sub(self.at).as_secs_f64() * per_second
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_and_then_a_steady_rate() {
        let mut rate = Rate::new(10);
        let [one, two] = ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().unwrap());
        let mut admitted =
            |from, milliseconds| rate.admit(from, Duration::from_millis(milliseconds));
        assert_eq!((0..30).filter(|_| admitted(one, 0)).count(), 20);
        assert!(admitted(two, 0));
        assert!(!admitted(one, 50));
        assert!(admitted(one, 150));
        assert!(!admitted(one, 150));
        assert_eq!((0..30).filter(|_| admitted(one, 60_000)).count(), 20);
    }

    #[test]
    fn addresses_do_not_fill_the_memory() {
        let mut rate = Rate::new(1);
        for n in 0..20_000_u32 {
            rate.admit(IpAddr::V4(n.into()), Duration::ZERO);
        }
        assert!(rate.buckets.len() <= MAX_ADDRESSES + 1);
        rate.admit(IpAddr::V4(1.into()), Duration::from_secs(9));
        assert_eq!(rate.buckets.len(), 1);
    }
}
