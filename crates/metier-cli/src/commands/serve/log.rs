//! Turns records of the server into lines on stderr, for people or for machines.

use crate::serve_args::{LogFormat, LogLevel};
use metier::visible;
use metier_mcp::{Journal, Level, Record};
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, SystemTime};

/// A journal that writes to stderr. Stdout belongs to the protocol (security M10).
pub(crate) fn journal(format: LogFormat, least: LogLevel) -> Journal {
    let least = match least {
        LogLevel::Debug => Level::Debug,
        LogLevel::Info => Level::Info,
        LogLevel::Warn => Level::Warn,
        LogLevel::Error => Level::Error,
    };
    Journal::new(move |record| {
        if record.level >= least {
            let line = match format {
                LogFormat::Text => text(record),
                LogFormat::Json => json(record, now()),
            };
            // One write a line, so that lines of several threads do not mix; a closed stderr is no
            // reason to stop.
            let _ = std::io::stderr().lock().write_all(line.as_bytes());
        }
    })
}

fn text(record: &Record<'_>) -> String {
    let mut line = format!("{}: {}", record.level, record.event);
    for (name, value) in record.fields {
        let _ = write!(line, " {name}={}", visible(value).replace(['\n', '\r'], " "));
    }
    line + "\n"
}

fn json(record: &Record<'_>, now: Duration) -> String {
    let mut object = Map::new();
    object.insert("time".to_owned(), timestamp(now).into());
    object.insert("level".to_owned(), record.level.to_string().into());
    object.insert("event".to_owned(), record.event.into());
    for (name, value) in record.fields {
        object.insert((*name).to_owned(), value.as_str().into());
    }
    format!("{}\n", Value::Object(object))
}

#[expect(clippy::disallowed_methods, reason = "the command owns the clock")]
fn now() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// The time since 1970 as RFC 3339 has it, to the millisecond.
fn timestamp(since: Duration) -> String {
    let seconds = since.as_secs();
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years that start in March, so that the leap day comes last; 400 of them have 146 097 days.
    let day_of_era = (days + 719_468) % 146_097;
    let era = (days + 719_468) / 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = match month {
        0..=9 => (era * 400 + year_of_era, month + 3),
        _ => (era * 400 + year_of_era + 1, month - 9),
    };
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        second / 3_600,
        second / 60 % 60,
        second % 60,
        since.subsec_millis()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (1_794_787_199, "2026-11-15T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(timestamp(Duration::from_secs(seconds)), expected);
        }
    }
}
