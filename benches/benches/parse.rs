//! Turns skills in memory into the time that one of them takes: head, frontmatter, every rule, format.

use benches::texts;
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use metier_core::{Folder, Head, Limits, Mode, ParseOptions, check, format, parse_with};

const SKILLS: usize = 1000;

fn main() {
    divan::main();
}

/// Times `work` on a thousand texts; the report counts texts and bytes.
fn each(bencher: Bencher<'_, '_>, texts: &[String], work: impl Fn(&str) + Sync) {
    let bytes: usize = texts.iter().map(String::len).sum();
    bencher
        .counter(ItemsCount::new(texts.len()))
        .counter(BytesCount::new(bytes))
        .bench(|| texts.iter().for_each(|text| work(black_box(text))));
}

/// The same skills without their bodies.
fn frontmatters() -> Vec<String> {
    let cut = |text: String| {
        let head =
            Head::read(&mut text.as_bytes(), &Limits::default()).expect("memory is readable");
        text[..head.body_offset()].to_owned()
    };
    texts(SKILLS).into_iter().map(cut).collect()
}

/// The floor: every byte looked at once, as text.
#[divan::bench]
fn floor_utf8(bencher: Bencher<'_, '_>) {
    each(bencher, &texts(SKILLS), |text| {
        black_box(std::str::from_utf8(text.as_bytes()).is_ok());
    });
}

/// Finding the end of the frontmatter, as discovery does.
#[divan::bench]
fn head(bencher: Bencher<'_, '_>) {
    each(bencher, &texts(SKILLS), |text| {
        black_box(Head::read(&mut text.as_bytes(), &Limits::default()).is_ok());
    });
}

/// A frontmatter from text to manifest: the goal is 10 µs.
#[divan::bench]
fn parse_frontmatter(bencher: Bencher<'_, '_>) {
    each(bencher, &frontmatters(), |text| {
        black_box(parse_with(text, &ParseOptions::default()));
    });
}

/// A whole file from text to skill.
#[divan::bench]
fn parse_file(bencher: Bencher<'_, '_>) {
    each(bencher, &texts(SKILLS), |text| {
        black_box(parse_with(text, &ParseOptions::default()));
    });
}

/// Every rule on a whole file.
#[divan::bench]
fn check_file(bencher: Bencher<'_, '_>) {
    let options = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
    let folder = Folder::new("SKILL.md");
    each(bencher, &texts(SKILLS), |text| {
        black_box(check(text.as_bytes(), Some(&folder), &options));
    });
}

/// Canonical form of a whole file.
#[divan::bench]
fn format_file(bencher: Bencher<'_, '_>) {
    each(bencher, &texts(SKILLS), |text| {
        black_box(format(text).is_ok());
    });
}
