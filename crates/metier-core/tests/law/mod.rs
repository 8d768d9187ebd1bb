//! Turns any text into a proof that metier keeps its promises about it, or into a panic that says which one broke.
//!
//! The property tests and the fuzz targets hold the same laws, so they stand here once.

use metier_core::{
    Checked, Edit, Finding, Head, LineIndex, Map, Mode, Node, ParseOptions, Parsed, Report, Rule,
    Severity, Skill, Span, Value, check, format, parse, parse_with,
};
use std::io::{self, BufRead, Read};

/// Both modes.
const MODES: [Mode; 2] = [Mode::Strict, Mode::Lenient];

/// So many rounds of fixes are enough for every file.
const ROUNDS: usize = 16;

fn options(mode: Mode, directory: Option<&str>) -> ParseOptions {
    ParseOptions { mode, directory: directory.map(str::to_owned), ..ParseOptions::default() }
}

/// Every span of every finding, fix and value lies in the text and cuts no character.
pub(crate) fn spans_lie_in_the_text(bytes: &[u8], directory: Option<&str>) {
    for mode in MODES {
        let Checked { text, skill, report, .. } = check(bytes, None, &options(mode, directory));
        let index = LineIndex::new(&text);
        let lies = |span: Span| {
            assert!(text.get(span.range()).is_some(), "{span:?} is no part of the text");
            let (start, end) =
                (index.position(&text, span.start()), index.position(&text, span.end()));
            assert!(start <= end && start.line >= 1 && start.column >= 1, "{span:?}");
        };
        for finding in &report {
            if let Some(span) = finding.span {
                lies(span);
            }
            let edits = finding.fix.as_ref().map_or(&[][..], |fix| &fix.edits);
            for edit in edits {
                lies(edit.span);
            }
            let in_order = edits.windows(2).all(|pair| pair[0].span.end() <= pair[1].span.start());
            assert!(in_order, "the edits of a fix overlap: {finding:?}");
        }
        if let Some(skill) = skill {
            lies(skill.body_span());
            if let Some(node) = &skill.manifest().metadata() {
                walk(node, &lies);
            }
            walk_map(&skill.manifest().extra(), &lies);
        }
    }
}

fn walk(node: &Node, see: &impl Fn(Span)) {
    see(node.span);
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| walk(item, see)),
        Value::Map(map) => walk_map(map, see),
        _ => {}
    }
}

fn walk_map(map: &Map, see: &impl Fn(Span)) {
    for entry in map {
        see(entry.key_span);
        walk(&entry.value, see);
    }
}

/// The mode changes severities and nothing else: not what is loaded, not what is found, not where.
pub(crate) fn modes_differ_in_severity_alone(bytes: &[u8], directory: Option<&str>) {
    let [strict, lenient] = MODES.map(|mode| check(bytes, None, &options(mode, directory)));
    assert_eq!(strict.skill, lenient.skill);
    let in_both = |report: &Report| -> Vec<_> {
        let is_on = |f: &&Finding| MODES.iter().all(|mode| f.rule.severity(*mode).is_some());
        let plain = |f: &Finding| (f.rule, f.span, f.message.clone(), f.fix.clone());
        report.iter().filter(is_on).map(plain).collect()
    };
    assert_eq!(in_both(&strict.report), in_both(&lenient.report));
}

/// A file loads, or an error says where it does not. What loads leniently has no error.
pub(crate) fn nothing_is_dropped_silently(bytes: &[u8], directory: Option<&str>) {
    for mode in MODES {
        let Checked { skill, report, .. } = check(bytes, None, &options(mode, directory));
        let is_placed = |f: &Finding| f.severity == Severity::Error && f.span.is_some();
        assert!(skill.is_some() || report.iter().any(is_placed), "dropped silently: {report:?}");
        if skill.is_some() && mode == Mode::Lenient {
            assert!(!report.has_errors(), "loaded with errors: {report:?}");
        }
    }
}

/// Fixes keep the skill, end within a few rounds, and leave nothing that can be fixed.
pub(crate) fn fixes_end_and_keep_the_skill(text: &str, directory: Option<&str>) {
    for mode in MODES {
        let options = options(mode, directory);
        let mut current = text.to_owned();
        for round in 0.. {
            let before = check(current.as_bytes(), None, &options);
            for finding in &before.report {
                fix_changes_its_edits_alone(&current, finding);
            }
            let next = before.report.apply_fixes(&current);
            only_edits_change(&current, &before.report, &next);
            if next == current {
                let left: Vec<_> = before.report.iter().filter(|f| f.fix.is_some()).collect();
                assert!(left.is_empty(), "{left:?} can still be fixed in {current:?}");
                break;
            }
            assert!(round < ROUNDS, "fixing never ends:\n{current:?}\n{next:?}");
            same_skill(&before, &check(next.as_bytes(), None, &options));
            current = next;
        }
    }
}

/// A round of fixes loses no skill, and changes only what a rule is there to change.
fn same_skill(before: &Checked<'_>, after: &Checked<'_>) {
    let text = &after.text;
    let Some(was) = &before.skill else { return };
    let fixed =
        |rules: &[Rule]| before.report.iter().any(|f| f.fix.is_some() && rules.contains(&f.rule));
    let hides = fixed(&[Rule::HiddenCharacters]);
    let Some(is) = &after.skill else {
        // A description of nothing that can be seen is none.
        assert!(hides, "lost: {:?} -> {text:?}\n{:?}", before.text, after.report);
        return;
    };
    let names = [
        Rule::NameTooLong,
        Rule::NameCase,
        Rule::NameHyphens,
        Rule::NameCharacters,
        Rule::NameReserved,
    ];
    if !hides && !fixed(&names) {
        assert_eq!(was.name(), is.name(), "{:?} -> {text:?}", before.text);
    }
    if !hides {
        assert_eq!(was.description(), is.description(), "{:?} -> {text:?}", before.text);
    }
    if !hides && !fixed(&[Rule::LeadingContent]) {
        assert_eq!(was.instructions(), is.instructions(), "{:?} -> {text:?}", before.text);
    }
}

/// One fix alone gives the text with its edits made, and nothing else.
fn fix_changes_its_edits_alone(text: &str, finding: &Finding) {
    let Some(fix) = &finding.fix else { return };
    let mut wanted = text.to_owned();
    for Edit { span, replacement } in fix.edits.iter().rev() {
        wanted.replace_range(span.range(), replacement);
    }
    let mut report = Report::new(Mode::Strict);
    report.push(finding.rule, finding.span, "", |f| f.with_fix(fix.clone()));
    assert_eq!(report.apply_fixes(text), wanted, "{finding:?}");
    assert_ne!(text, wanted, "a fix that changes nothing: {finding:?}");
}

/// What stands outside every edit stands in the result, in the same order.
fn only_edits_change(text: &str, report: &Report, fixed: &str) {
    let mut spans: Vec<Span> = report
        .iter()
        .filter_map(|f| f.fix.as_ref())
        .flat_map(|f| &f.edits)
        .map(|e| e.span)
        .collect();
    spans.sort();
    let (mut done, mut rest) = (0, fixed);
    for span in spans.into_iter().map(Some).chain([None]) {
        let kept = &text[done..span.map_or(text.len(), Span::start).max(done)];
        let Some(at) = rest.find(kept) else { panic!("{kept:?} is gone from {fixed:?}") };
        rest = &rest[at + kept.len()..];
        done = span.map_or(done, Span::end).max(done);
    }
}

/// Formatting keeps the skill and every byte of its body, and formatting twice is formatting once.
pub(crate) fn formatting_keeps_the_skill(text: &str) {
    let Ok(formatted) = format(text) else { return };
    assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "{text:?}");
    let (was, is) = (parse(text).skill, parse(&formatted).skill);
    assert_eq!(was, is, "{text:?} -> {formatted:?}");
    if let (Some(was), Some(is)) = (was, is) {
        assert_eq!(was.body(), is.body());
    }
}

/// A skill survives being written as Markdown and as JSON.
pub(crate) fn skills_survive_writing(text: &str, directory: Option<&str>) {
    let Some(skill) = parse_with(text, &options(Mode::Lenient, directory)).skill else { return };
    let markdown = skill.to_markdown();
    let again = parse(&markdown).skill;
    assert_eq!(again.as_ref(), Some(&skill), "{text:?} -> {markdown:?}");

    let json = skill.to_json();
    let again = Skill::from_json(&json).unwrap_or_else(|error| panic!("{json}: {error}"));
    let (was, is) = (skill.manifest(), again.manifest());
    assert_eq!((skill.name(), skill.description()), (again.name(), again.description()));
    assert_eq!((&was.license, &was.compatibility), (&is.license, &is.compatibility));
    assert_eq!(was.allowed_tools, is.allowed_tools, "{json}");
    assert_eq!(skill.body(), again.body());
}

/// The head of a file says what the whole file says, however it comes in, and no byte of the body
/// of a well-formed file is read.
pub(crate) fn heads_agree_with_files(text: &str, directory: Option<&str>, chunk: usize) {
    let options = options(Mode::Lenient, directory);
    let mut reader = Chunks { rest: text.as_bytes(), chunk: chunk.max(1) };
    let head = Head::read(&mut reader, &options.limits).expect("memory can be read");
    assert_eq!(head.as_bytes(), &text.as_bytes()[..head.body_offset()]);
    assert_eq!(reader.rest, &text.as_bytes()[head.body_offset()..]);

    let Parsed { skill, report, .. } = parse_with(text, &options);
    let parsed = head.parse(&options);
    assert_eq!(parsed.manifest.as_ref(), skill.as_ref().map(Skill::manifest), "{text:?}");
    assert_eq!(parsed.name.as_deref(), skill.as_ref().map(Skill::name));
    if let Some(skill) = &skill {
        assert_eq!(parsed.body_offset, Some(skill.body_offset()), "{text:?}");
        // A mark behind a fence is taken out before the fences are looked for, and told by `check`.
        if report.is_empty() && !text.contains('\u{feff}') {
            assert_eq!(head.body_offset(), skill.body_offset(), "{text:?}");
        }
    }
}

/// A reader that hands out a few bytes at a time.
struct Chunks<'b> {
    rest: &'b [u8],
    chunk: usize,
}

impl Read for Chunks<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let taken = self.fill_buf()?.read(buffer)?;
        self.consume(taken);
        Ok(taken)
    }
}

impl BufRead for Chunks<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(&self.rest[..self.chunk.min(self.rest.len())])
    }

    fn consume(&mut self, amount: usize) {
        self.rest = &self.rest[amount..];
    }
}

/// A comment above the first field moves everything and changes nothing. It also keeps the reader of
/// common frontmatter away, so both readers must agree on the values, and on where they stand.
pub(crate) fn a_comment_changes_nothing(text: &str) {
    const COMMENT: &str = "# comment\n";
    let Some(rest) = text.strip_prefix("---\n") else { return };
    let plain = parse(text);
    // What is repaired is cut into fields, and the comment may become part of one.
    let Some(skill) = plain.skill.filter(|_| plain.report.is_empty()) else { return };
    let commented = parse(&format!("---\n{COMMENT}{rest}")).skill.expect("it loads with a comment");
    let places = |skill: &Skill| {
        let mut places = Vec::new();
        let manifest = skill.manifest();
        manifest.metadata().iter().for_each(|node| collect_places(node, &mut places));
        manifest.extra().iter().for_each(|entry| {
            places.push(entry.key_span.range());
            collect_places(&entry.value, &mut places);
        });
        places
    };
    let moved =
        places(&skill).into_iter().map(|at| at.start + COMMENT.len()..at.end + COMMENT.len());
    assert_eq!(moved.collect::<Vec<_>>(), places(&commented), "{text:?}");
    assert_eq!(skill, commented, "{text:?}");
}

fn collect_places(node: &Node, places: &mut Vec<std::ops::Range<usize>>) {
    places.push(node.span.range());
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| collect_places(item, places)),
        Value::Map(map) => map.iter().for_each(|entry| {
            places.push(entry.key_span.range());
            collect_places(&entry.value, places);
        }),
        _ => {}
    }
}
