//! Turns the text of a `SKILL.md` into its parts: what stands before the fences, the frontmatter, the body.

use crate::line::{Line, lines};
use crate::repair::real_end::RealEnd;
use crate::{Edit, Fix, Limits, LineIndex, Report, Rule, Span};

/// The parts of a `SKILL.md`, as spans of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    /// What stands between the two fences, with its final line break.
    pub(crate) frontmatter: Span,
    /// The closing line without its line break.
    pub(crate) closer: Span,
    /// Everything after the closing line.
    pub(crate) body: Span,
    /// Whether white space stands before the closer.
    pub(crate) is_closer_indented: bool,
    /// An indented `---` before the closer. It closes the frontmatter if YAML agrees.
    pub(crate) earlier_closer: Option<Span>,
}

/// Whether a line is a fence: `---` and nothing else but white space at its end.
///
/// `---more`, `----` and `...` are not fences (spec D2, D3).
pub(crate) fn is_fence(line: &str) -> bool {
    line.starts_with("---") && line[3..].trim_end().is_empty()
}

/// Whether a line is a fence with white space before it.
fn is_indented_fence(line: &str) -> bool {
    line.starts_with([' ', '\t']) && is_fence(line.trim_start_matches([' ', '\t']))
}

/// What may stand before the opening fence without making the file unreadable.
#[derive(Debug, Default)]
pub(crate) struct Preamble {
    in_comment: bool,
    in_code_fence: bool,
}

impl Preamble {
    /// Takes one line; `false` when the line is neither blank, nor a comment, nor a code fence, so
    /// that no frontmatter can follow.
    pub(crate) fn accepts(&mut self, line: &str) -> bool {
        let line = line.trim();
        if self.in_comment {
            self.in_comment = !line.contains("-->");
            return true;
        }
        if let Some(comment) = line.strip_prefix("<!--") {
            self.in_comment = !comment.contains("-->");
            return true;
        }
        if line.starts_with("```") && !self.in_code_fence {
            self.in_code_fence = true;
            return true;
        }
        line.is_empty()
    }

    /// Whether a fence line opens the frontmatter here, rather than standing inside a comment.
    pub(crate) fn opens(&self, line: &str) -> bool {
        !self.in_comment && is_fence(line)
    }
}

impl Document {
    /// Splits `text` at its fences, reporting what is not as it should be; `None` when there is no
    /// frontmatter to read.
    pub(crate) fn split(text: &str, limits: &Limits, report: &mut Report) -> Option<Self> {
        let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        if start > 0 {
            let mark = Span::new(text, 0..start);
            report.push(Rule::ByteOrderMark, mark, "the file starts with a byte order mark", |f| {
                f.with_help("save the file as UTF-8 without a byte order mark")
                    .with_fix(Fix::delete("remove the byte order mark", mark))
            });
        }

        let mut preamble = Preamble::default();
        let opener = lines(text, start..text.len())
            .find_map(|line| {
                if preamble.opens(line.text) {
                    Some(Some(line))
                } else if preamble.accepts(line.text) {
                    None
                } else {
                    Some(None)
                }
            })
            .flatten();
        let Some(opener) = opener else {
            report_missing(text, start, report);
            return None;
        };

        let mut document = Self::close(text, &opener, limits, report)?;
        if opener.start > start {
            report_preamble(text, start..opener.start, &mut document, report);
        }
        Some(document)
    }

    fn close(text: &str, opener: &Line<'_>, limits: &Limits, report: &mut Report) -> Option<Self> {
        let start = opener.next;
        let mut indented: Option<Line<'_>> = None;
        let mut closer: Option<Line<'_>> = None;
        for line in lines(text, start..text.len()) {
            if line.start - start > limits.frontmatter_bytes {
                break;
            }
            if is_fence(line.text) {
                closer = Some(line);
                break;
            }
            if indented.is_none() && is_indented_fence(line.text) {
                indented = Some(line);
            }
        }
        let fence = Span::new(text, opener.start..opener.end());
        match (closer, indented) {
            (Some(closer), indented) => {
                let mut document = Self::between(text, start, &closer);
                document.earlier_closer = indented.map(|l| Span::new(text, l.start..l.end()));
                Some(document)
            }
            (None, Some(indented)) => Some(Self::between(text, start, &indented)),
            (None, None) => {
                if let Some(late) = lines(text, start..text.len()).find(|l| is_fence(l.text)) {
                    let size = late.start - start;
                    report.push(
                        Rule::FrontmatterTooLarge,
                        fence,
                        format!(
                            "the frontmatter is {size} bytes long, the limit is {}",
                            limits.frontmatter_bytes
                        ),
                        |f| {
                            f.with_help(
                                "keep long text in the body or in a file under `references/`",
                            )
                        },
                    );
                } else {
                    report_unclosed(text, fence, start, report);
                }
                None
            }
        }
    }

    fn between(text: &str, start: usize, closer: &Line<'_>) -> Self {
        Self {
            frontmatter: Span::new(text, start..closer.start),
            closer: Span::new(text, closer.start..closer.end()),
            body: Span::new(text, closer.next..text.len()),
            is_closer_indented: closer.indent() > 0,
            earlier_closer: None,
        }
    }

    /// The document as it is when the earlier, indented closer counts.
    pub(crate) fn closed_earlier(&self, text: &str) -> Option<Self> {
        let earlier = self.earlier_closer?;
        let line = lines(text, earlier.start()..text.len()).next()?;
        Some(Self::between(text, self.frontmatter.start(), &line))
    }

    /// The same document with every span moved.
    pub(crate) fn move_spans(self, moved: &impl Fn(Span) -> Span) -> Self {
        Self {
            frontmatter: moved(self.frontmatter),
            closer: moved(self.closer),
            body: moved(self.body),
            earlier_closer: self.earlier_closer.map(moved),
            ..self
        }
    }

    /// Reports a closer that is indented.
    pub(crate) fn report_indented_closer(&self, text: &str, report: &mut Report) {
        if !self.is_closer_indented {
            return;
        }
        // A byte order mark may stand among the blanks.
        let blanks = self.closer.slice(text).find('-').unwrap_or(0);
        let indent = Span::new(text, self.closer.start()..self.closer.start() + blanks);
        report.push(Rule::IndentedFence, self.closer, "the closing `---` is indented", |f| {
            f.with_help("start the closing `---` in the first column")
                .with_fix(Fix::delete("remove the indentation", indent))
        });
    }
}

/// Reports what stands before the opening fence, and how to move it out of the way.
fn report_preamble(
    text: &str,
    range: std::ops::Range<usize>,
    document: &mut Document,
    report: &mut Report,
) {
    let preamble = Span::new(text, range);
    let words = preamble.slice(text).trim();
    if words.is_empty() {
        report.push(
            Rule::LeadingContent,
            preamble,
            "blank lines stand before the opening `---`",
            |f| {
                f.with_help("start the file with `---`")
                    .with_fix(Fix::delete("remove the blank lines", preamble))
            },
        );
        return;
    }
    if words.starts_with("```") {
        let mut edits = vec![Edit { span: preamble, replacement: String::new() }];
        let last = lines(text, document.body.range()).filter(|line| !line.is_blank()).last();
        if let Some(last) = last.filter(|line| line.text.trim() == "```") {
            // The fence that opened before the frontmatter closes here; it is no part of the body.
            let end = Span::new(text, last.start..text.len());
            document.body = Span::new(text, document.body.start()..last.start);
            edits.push(Edit { span: end, replacement: String::new() });
        }
        report.push(
            Rule::LeadingContent,
            preamble,
            "the file is wrapped in a Markdown code fence",
            |f| {
                f.with_help("start the file with `---`, outside any code fence")
                    .with_fix(Fix { title: "remove the code fence".to_owned(), edits })
            },
        );
        return;
    }
    let moved = format!("\n{words}\n");
    let after = document.body.start();
    // A closer at the end of the file has no line break for the comment to stand behind.
    let moved = if after == document.closer.end() { format!("\n{moved}") } else { moved };
    let edits = vec![
        Edit { span: preamble, replacement: String::new() },
        Edit { span: Span::at(text, after), replacement: moved },
    ];
    report.push(Rule::LeadingContent, preamble, "a comment stands before the opening `---`", |f| {
        f.with_help("start the file with `---` and move the comment below the frontmatter")
            .with_fix(Fix { title: "move the comment below the frontmatter".to_owned(), edits })
    });
}

fn report_missing(text: &str, start: usize, report: &mut Report) {
    let first = lines(text, start..text.len()).find(|line| !line.is_blank());
    let Some(first) = first else {
        let message = "the file is empty, it has no frontmatter";
        report.push(Rule::MissingFrontmatter, Span::at(text, start), message, |f| {
            f.with_help("start it with `---`, a `name:` line, a `description:` line and `---`")
        });
        return;
    };
    let span = Span::new(text, first.start..first.end());
    let message = "the file does not start with frontmatter, a line of `---`";
    if let Some(key) = frontmatter_key(first.text) {
        // Keys without a fence above them: the author forgot the first line.
        let end = end_of_keys(text, first.start);
        let closed = lines(text, end..text.len())
            .find(|line| !line.is_blank())
            .is_some_and(|line| is_fence(line.text));
        let opener = Edit { span: Span::at(text, first.start), replacement: "---\n".to_owned() };
        let mut edits = vec![opener];
        if !closed {
            edits.push(Edit { span: Span::at(text, end), replacement: "---\n".to_owned() });
        }
        let is_open = is_open_flow(&text[first.start..end]);
        report.push(Rule::MissingFrontmatter, span, message, |f| {
            let f = f.with_help(format!("add a line of `---` above `{key}:`"));
            if is_open {
                return f;
            }
            f.with_fix(Fix { title: "add the missing fence".to_owned(), edits })
        });
        return;
    }
    let late = late_frontmatter(text, first.next);
    report.push(Rule::MissingFrontmatter, span, message, |f| match late {
        Some(at) => f.with_help(format!(
            "frontmatter starts in line {}: move it to the top of the file",
            LineIndex::new(text).position(text, at).line
        )),
        None => f.with_help(
            "start the file with `---`, a `name:` line, a `description:` line and another `---`",
        ),
    });
}

fn report_unclosed(text: &str, fence: Span, start: usize, report: &mut Report) {
    let end = end_of_keys(text, start);
    let has_keys = lines(text, start..end).any(|line| frontmatter_key(line.text).is_some());
    let help = "close it with a line of `---` after the last field";
    report.push(Rule::UnclosedFrontmatter, fence, "the frontmatter is not closed", |f| {
        let f = f.with_help(help);
        if !has_keys || is_open_flow(&text[start..end]) {
            return f;
        }
        if let Some(line) = lines(text, end..text.len()).find(|line| !line.is_blank())
            && line.text.starts_with("---")
        {
            let edits = vec![RealEnd::at_fence(text, &line).edit];
            return f.with_fix(Fix { title: "close the frontmatter".to_owned(), edits });
        }
        let ends_line = text[..end].ends_with(['\n', '\r']);
        let closer = if ends_line { "---\n" } else { "\n---\n" };
        f.with_fix(Fix::replace("close the frontmatter", Span::at(text, end), closer))
    });
}

/// Where the run of `key: value` lines that starts at `start` ends: before the first heading, or
/// before the blank line that is followed by something else than a field.
fn end_of_keys(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut blank = false;
    for line in lines(text, start..text.len()) {
        let is_field = frontmatter_key(line.text).is_some()
            || line.text.starts_with("- ") && !blank
            || line.indent() > 0 && !line.is_blank();
        if line.is_blank() {
            blank = true;
        } else if is_field {
            end = line.next;
            blank = false;
        } else {
            break;
        }
    }
    end
}

/// Whether the last line opens a list or mapping that goes on below, so that the fields do not end.
fn is_open_flow(fields: &str) -> bool {
    fields.trim_end().ends_with(['{', '[', ','])
}

/// The key of a line that looks like a field of the frontmatter.
pub(crate) fn frontmatter_key(line: &str) -> Option<&str> {
    let (key, rest) = line.split_once(':')?;
    let key = key.trim_end_matches([' ', '\t']);
    let first = key.chars().next()?;
    let named = first.is_ascii_alphabetic() || first == '_';
    let plain = key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    (named && plain && (rest.is_empty() || rest.starts_with([' ', '\t']))).then_some(key)
}

/// Where a frontmatter with a name or a description starts below other text.
fn late_frontmatter(text: &str, from: usize) -> Option<usize> {
    let mut fence = None;
    for line in lines(text, from..text.len()).take(400) {
        if is_fence(line.text) {
            fence = Some(line.start);
        } else if let Some(at) = fence {
            if matches!(frontmatter_key(line.text), Some("name" | "description")) {
                return Some(at);
            }
            if !line.is_blank() {
                fence = None;
            }
        }
    }
    None
}
