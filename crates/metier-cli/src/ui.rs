//! Turns text into output: data on stdout, words on stderr, colours only where they are wanted.

use crate::args::Color;
use crate::exit::Failure;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use metier::{Problem, Severity, visible};
use std::io::{self, ErrorKind, IsTerminal as _, Stderr, Stdout, Write as _};

pub(crate) const ERROR: Style = AnsiColor::BrightRed.on_default().bold();
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const NOTE: Style = AnsiColor::BrightCyan.on_default().bold();
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
pub(crate) const STRONG: Style = Style::new().bold();

/// How wide lines are when nobody says.
const WIDTH: usize = 100;

/// The two streams of a command.
pub(crate) struct Ui {
    out: AutoStream<Stdout>,
    err: AutoStream<Stderr>,
}

impl Ui {
    pub(crate) fn new(color: Color) -> Self {
        let choice = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Self {
            out: AutoStream::new(io::stdout(), choice),
            err: AutoStream::new(io::stderr(), choice),
        }
    }

    /// Writes data. The text is final: whoever made it has made it safe.
    pub(crate) fn data(&mut self, text: &str) -> Result<(), Failure> {
        quiet_if_closed(self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()))
    }

    /// Writes the bytes of a file as they are.
    #[expect(clippy::unused_self, reason = "all output goes through the two streams")]
    pub(crate) fn data_bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let mut out = io::stdout();
        quiet_if_closed(out.write_all(bytes).and_then(|()| out.flush()))
    }

    /// Whether a person reads what is written as data.
    pub(crate) fn is_read_by_a_person() -> bool {
        io::stdout().is_terminal()
    }

    /// Says what kept skills from being found, the worst first.
    pub(crate) fn problems(&mut self, problems: &[Problem]) {
        /// More lines than this hide what the command answers.
        const SHOWN: usize = 20;
        let mut problems: Vec<&Problem> =
            problems.iter().filter(|problem| problem.severity >= Severity::Warning).collect();
        problems.sort_by_key(|problem| std::cmp::Reverse(problem.severity));
        for problem in problems.iter().take(SHOWN) {
            let (style, label) = match problem.severity {
                Severity::Error => (ERROR, "error"),
                _ => (WARNING, "warning"),
            };
            self.label(style, label, &format!("{}: {}", problem.location, problem.message));
            if let Some(help) = &problem.help {
                self.help(help);
            }
        }
        if problems.len() > SHOWN {
            self.note(&format!("and {} more; `metier check` shows them", problems.len() - SHOWN));
        }
    }

    /// Writes data that is somebody's text, and so passes as it is, colours or not.
    #[expect(clippy::unused_self, reason = "all output goes through the two streams")]
    pub(crate) fn data_raw(&mut self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout();
        quiet_if_closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// Says something to the person at the terminal.
    pub(crate) fn say(&mut self, text: &str) {
        // There is nowhere left to complain to.
        let _ = writeln!(self.err, "{text}");
    }

    /// Says what went wrong and what to do about it.
    pub(crate) fn fail(&mut self, failure: &Failure) {
        self.label(ERROR, "error", &failure.message);
        if let Some(help) = &failure.help {
            self.help(help);
        }
    }

    /// Says what can be done about what was said before.
    pub(crate) fn help(&mut self, text: &str) {
        self.say(&format!("  {NOTE}help{NOTE:#}: {}", visible(text)));
    }

    /// Says something worth knowing.
    pub(crate) fn note(&mut self, text: &str) {
        self.label(NOTE, "note", text);
    }

    fn label(&mut self, style: Style, label: &str, text: &str) {
        self.say(&format!("{style}{label}{style:#}: {}", visible(text)));
    }

    /// Whether stdout takes colours.
    pub(crate) fn colors_data(&self) -> bool {
        self.out.current_choice() != ColorChoice::Never
    }

    /// Shows how far a long command is, on one line that replaces itself.
    pub(crate) fn progress(text: &str) {
        let _ = write!(io::stderr(), "\r{text}\u{1b}[K");
    }

    /// Whether anyone watches the progress.
    pub(crate) fn is_watched() -> bool {
        io::stderr().is_terminal()
    }

    /// How wide the terminal is.
    #[expect(clippy::disallowed_methods, reason = "the command reads the environment")]
    pub(crate) fn width() -> usize {
        let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let asked = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        told.or_else(asked).filter(|width| *width > 0).unwrap_or(WIDTH)
    }
}

/// A reader that has seen enough, such as `head`, is no fault.
fn quiet_if_closed(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// `1 error`, `2 errors`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
