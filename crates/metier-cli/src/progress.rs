//! Turns how far a fetch is into one line that replaces itself, and that is gone when the fetch is done.

use crate::table::{bar, cut};
use crate::ui::Ui;
use metier::install::{Progress, Received};
use metier::visible;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use unicode_width::UnicodeWidthStr as _;

/// How many columns the bar has.
const BAR: usize = 24;

/// A bar on the terminal; nothing where nobody watches.
#[derive(Default)]
pub(crate) struct Bar {
    shown: Mutex<Shown>,
    watched: bool,
}

#[derive(Default)]
struct Shown {
    what: String,
    line: String,
}

impl Bar {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { shown: Mutex::default(), watched: Ui::is_watched() })
    }

    /// Starts with something new.
    pub(crate) fn fetching(&self, what: &str) {
        let what = visible(what).into_owned();
        self.draw(|shown| {
            let line = line(&what, None, Ui::width());
            shown.what = what;
            line
        });
    }

    /// Hears how far it is, if anyone watches: git tells only when it is asked to.
    pub(crate) fn progress(self: &Arc<Self>) -> Progress {
        if !self.watched {
            return Progress::default();
        }
        let bar = Arc::clone(self);
        Progress::new(move |received| {
            bar.draw(|shown| line(&shown.what, Some(received), Ui::width()));
        })
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        self.draw(|_| String::new());
    }

    fn draw(&self, line: impl FnOnce(&mut Shown) -> String) {
        if !self.watched {
            return;
        }
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let line = line(&mut shown);
        if line != shown.line {
            Ui::progress(&line);
            shown.line = line;
        }
    }
}

/// What is fetched, a bar when the whole is known, and the bytes.
fn line(what: &str, received: Option<Received>, width: usize) -> String {
    let mut numbers = String::new();
    if let Some(received) = received {
        if let Some(percent) = received.percent {
            numbers = format!("  {} {percent:3}%", bar(f64::from(percent), 100.0, BAR));
        }
        let _ = write!(numbers, "  {}", bytes(received.bytes));
        if let Some(total) = received.total {
            let _ = write!(numbers, " of {}", bytes(total));
        }
    }
    // The cursor needs a column too.
    let room = width.saturating_sub(numbers.width() + 1).max(12);
    format!("{}{numbers}", cut(&format!("fetching {what}"), room))
}

/// `999 B`, `1.0 kB`, `12.3 MB`.
#[expect(clippy::cast_precision_loss, reason = "one digit behind the point is shown")]
fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(bytes: u64, total: Option<u64>, percent: Option<u8>) -> Received {
        let mut received = Received::default();
        (received.bytes, received.total, received.percent) = (bytes, total, percent);
        received
    }

    #[test]
    fn a_line_says_what_is_known_and_fits() {
        assert_eq!(line("acme/x", None, 80), "fetching acme/x");
        assert_eq!(line("acme/x", Some(received(1200, None, None)), 80), "fetching acme/x  1.2 kB");
        assert_eq!(
            line("acme/x", Some(received(500, Some(1000), Some(50))), 80),
            format!("fetching acme/x  {}{}  50%  500 B of 1.0 kB", "█".repeat(12), " ".repeat(12))
        );
        for percent in [0, 100] {
            let long = "x".repeat(200);
            let line = line(&long, Some(received(12_345_678, None, Some(percent))), 80);
            assert!(line.chars().count() < 80 && line.ends_with("12.3 MB"), "{line}");
        }
    }
}
