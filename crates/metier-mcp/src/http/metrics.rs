//! Turns what the server did into numbers that Prometheus reads.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Counts since the start.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    /// Requests by route and status.
    requests: BTreeMap<(&'static str, u16), u64>,
    /// Time until answers began, by route, in seconds.
    seconds: BTreeMap<&'static str, (u64, f64)>,
    refused: BTreeMap<&'static str, u64>,
}

impl Metrics {
    pub(crate) fn answered(&self, route: &'static str, status: u16, took: Duration) {
        let mut counts = self.counts();
        *counts.requests.entry((route, status)).or_default() += 1;
        let (count, sum) = counts.seconds.entry(route).or_default();
        *count += 1;
        *sum += took.as_secs_f64();
    }

    pub(crate) fn refused(&self, why: &'static str) {
        *self.counts().refused.entry(why).or_default() += 1;
    }

    /// The text format; `gauges` are what the server has at this moment.
    pub(crate) fn render(&self, gauges: &[(&'static str, usize)]) -> String {
        let counts = self.counts();
        let mut text = String::from("# TYPE metier_http_requests_total counter\n");
        for ((route, status), count) in &counts.requests {
            let _ = writeln!(
                text,
                "metier_http_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}"
            );
        }
        text.push_str("# TYPE metier_http_request_seconds summary\n");
        for (route, (count, sum)) in &counts.seconds {
            let _ = writeln!(text, "metier_http_request_seconds_sum{{route=\"{route}\"}} {sum:.6}");
            let _ =
                writeln!(text, "metier_http_request_seconds_count{{route=\"{route}\"}} {count}");
        }
        text.push_str("# TYPE metier_http_refused_total counter\n");
        for (why, count) in &counts.refused {
            let _ = writeln!(text, "metier_http_refused_total{{reason=\"{why}\"}} {count}");
        }
        for (name, value) in gauges {
            let _ = writeln!(text, "# TYPE metier_{name} gauge\nmetier_{name} {value}");
        }
        text
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_lines() {
        let metrics = Metrics::default();
        metrics.answered("/mcp", 200, Duration::from_millis(500));
        metrics.answered("/mcp", 200, Duration::from_millis(250));
        metrics.refused("host");
        let text = metrics.render(&[("skills", 9)]);
        for line in [
            "metier_http_requests_total{route=\"/mcp\",status=\"200\"} 2",
            "metier_http_request_seconds_sum{route=\"/mcp\"} 0.750000",
            "metier_http_request_seconds_count{route=\"/mcp\"} 2",
            "metier_http_refused_total{reason=\"host\"} 1",
            "metier_skills 9",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
