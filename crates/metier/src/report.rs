//! Turns checked files into text for people and machines: one renderer for each format.

mod concise;
mod excerpt;
mod full;
mod github;
mod json;
mod place;
mod sarif;

use crate::CheckedFile;
use std::path::PathBuf;

/// What a report looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Format {
    /// Snippets with the place underlined, the reason and the fix.
    #[default]
    Full,
    /// One line a finding.
    Concise,
    /// One JSON object.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Workflow commands that GitHub turns into annotations.
    Github,
}

/// How a report is rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderOptions {
    /// What it looks like.
    pub format: Format,
    /// Whether to colour it with ANSI escapes; only [`Format::Full`] and [`Format::Concise`] do.
    pub color: bool,
    /// How many columns a line should keep to.
    pub width: usize,
    /// The folder that relative paths start from: absolute paths below it are made relative where
    /// a format asks for that.
    pub base: PathBuf,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self { format: Format::Full, color: false, width: 100, base: PathBuf::new() }
    }
}

/// Renders the findings of all files, in their order.
///
/// Whatever comes from a skill or a path is made visible first, so no text format can move a
/// cursor or fake a line (security P10, P11).
///
/// ```
/// use metier::{CheckedFile, Format, RenderOptions, Report, Rule, render};
///
/// let mut report = Report::default();
/// report.add(Rule::MissingDescription, None, "the skill has no description");
/// let file = CheckedFile { path: "pdf/SKILL.md".into(), report, ..CheckedFile::default() };
/// let options = RenderOptions { format: Format::Concise, ..RenderOptions::default() };
/// assert_eq!(
///     render(&[file], &options),
///     "pdf/SKILL.md: error[missing-description] the skill has no description\n"
/// );
/// ```
pub fn render(files: &[CheckedFile], options: &RenderOptions) -> String {
    match options.format {
        Format::Full => full::render(files, options),
        Format::Concise => concise::render(files, options),
        Format::Json => json::render(files),
        Format::Sarif => sarif::render(files, options),
        Format::Github => github::render(files, options),
    }
}

#[cfg(test)]
mod tests;
