//! Turns findings into snippets: the line, the place underlined, the reason and the fix.

use super::RenderOptions;
use super::excerpt::{Excerpt, prefix};
use super::place::{Place, Places};
use crate::{CheckedFile, visible};
use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet,
};
use metier_core::{Edit, Finding, Fix, Severity, Span};

/// Room for the line number and the frame of a snippet.
const FRAME: usize = 8;

pub(super) fn render(files: &[CheckedFile], options: &RenderOptions) -> String {
    let renderer = if options.color { Renderer::styled() } else { Renderer::plain() };
    // Lines are cropped here, where hidden characters are made visible as well.
    let renderer = renderer.term_width(usize::MAX / 4);
    let width = options.width.clamp(40, 400) - FRAME;
    let mut out = String::new();
    for file in files {
        let places = Places::new(file);
        for finding in &file.report {
            let shown = renderer.render(&groups(finding, &places.of(finding), width));
            for line in shown.lines().filter(|line| !is_bare_separator(line)) {
                out.push_str(line);
                out.push('\n');
            }
            out.push('\n');
        }
    }
    out
}

/// Whether the line is the mark between two files, which the renderer also puts between a place
/// and its snippet. A line of a snippet always starts with its number, so no text looks like this.
fn is_bare_separator(line: &str) -> bool {
    if !line.contains(":::") {
        return false;
    }
    let (first, styled) = line.split_once('\u{1b}').unwrap_or((line, ""));
    let rest =
        styled.split('\u{1b}').map(|part| part.split_once('m').map_or(part, |(_, text)| text));
    std::iter::once(first).chain(rest).collect::<String>().trim() == ":::"
}

fn groups<'a>(finding: &'a Finding, place: &Place<'a>, width: usize) -> Vec<Group<'a>> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        _ => Level::NOTE,
    };
    let path = visible(&place.path.to_string_lossy()).into_owned();
    let mut origin = Origin::path(path);
    if let Some((start, _)) = place.range {
        origin = origin.line(start.line).char_column(start.column);
    }
    let mut main =
        level.primary_title(visible(&finding.message)).id(finding.rule.code()).element(origin);
    if let (Some(span), Some((start, _))) = (finding.span, place.range) {
        main = main.element(snippet(place, span, start.line, width));
    }

    let help = finding.help.as_deref();
    let advised = |main: Group<'a>| match help {
        Some(help) => main.element(Level::HELP.message(visible(help))),
        None => main,
    };
    let Some(fix) = &finding.fix else { return vec![advised(main)] };
    let Some(patch) = patch(fix, place, width) else {
        let can = format!("`--fix` can {}", visible(&fix.title));
        return vec![advised(main).element(Level::HELP.message(can))];
    };
    // The advice stands over the patch that follows it; the title of the fix would repeat it.
    let title = visible(help.unwrap_or(&fix.title));
    vec![main, Level::HELP.secondary_title(title).element(patch)]
}

fn snippet(
    place: &Place<'_>,
    span: Span,
    line: usize,
    width: usize,
) -> Snippet<'static, Annotation<'static>> {
    let Place { text, lines, .. } = *place;
    // Of a span with too many lines the first one says enough.
    let covered = span.slice(text);
    let first =
        Span::new(text, span.start()..span.start() + covered.find(['\n', '\r']).unwrap_or(0));
    let (excerpt, span) = match Excerpt::new(text, lines, span, width) {
        Some(excerpt) => (excerpt, span),
        None => (Excerpt::new(text, lines, first, width).unwrap_or_default(), first),
    };
    let range = excerpt.range(span);
    Snippet::source(excerpt.text)
        .line_start(line)
        .fold(false)
        .annotation(AnnotationKind::Primary.span(range))
}

/// Shows what the lines look like after the fix, unless that would fill the screen.
fn patch<'a>(fix: &'a Fix, place: &Place<'_>, width: usize) -> Option<Snippet<'a, Patch<'a>>> {
    let first = fix.edits.first()?;
    let all = fix.edits.iter().fold(first.span, |all, edit| all.cover(edit.span));
    let excerpt = Excerpt::new(place.text, place.lines, all, width)?;
    let line = place.positions(all).0.line;
    let patches: Vec<Patch<'a>> = fix
        .edits
        .iter()
        .flat_map(|edit| insertions(edit, place.text))
        .map(|(span, replacement)| {
            // Where the old text is cropped, the new one is cropped at the same column.
            let kept = excerpt.kept(span);
            let (room, mark) = kept.map_or((width, "…"), |columns| (columns, ""));
            let lines: Vec<String> =
                replacement.split('\n').map(|line| crop(line, room, mark)).collect();
            Patch::new(excerpt.range(span), lines.join("\n"))
        })
        .collect();
    Some(Snippet::source(excerpt.text).line_start(line).fold(false).patches(patches))
}

/// An edit that only puts something around a text, such as quotes, as the two insertions it is.
fn insertions<'a>(edit: &'a Edit, text: &str) -> Vec<(Span, &'a str)> {
    let old = edit.span.slice(text);
    match edit.replacement.find(old) {
        Some(at) if !old.is_empty() => {
            let before = (Span::at(text, edit.span.start()), &edit.replacement[..at]);
            let after = (Span::at(text, edit.span.end()), &edit.replacement[at + old.len()..]);
            [before, after].into_iter().filter(|(_, added)| !added.is_empty()).collect()
        }
        _ => vec![(edit.span, &*edit.replacement)],
    }
}

/// At most `width` columns of a line, made visible; `mark` stands for the rest.
fn crop(line: &str, width: usize, mark: &str) -> String {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let end = prefix(line, width);
    let mark = if end < line.len() { mark } else { "" };
    format!("{}{mark}", visible(&line[..end]))
}
