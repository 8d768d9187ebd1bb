//! Turns a Markdown file into cases: a skill, and what is expected of it.
//!
//! A case file is read by people first. It has prose, and for each `## heading` one case:
//!
//! `````markdown
//! # Colons
//!
//! Prose, as much as helps.
//!
//! ## A colon in a plain value
//!
//! More prose; fences of other languages are illustrations:
//!
//! ```yaml
//! description: "Extracts text: fast"
//! ```
//!
//! ````skill lenient dir=pdf
//! ---
//! name: pdf
//! description: Extracts text: fast
//! ---
//! ````
//!
//! ```skill file=references/forms.md
//! # Forms
//! ```
//!
//! ```findings
//! warning[unquoted-colon] 3:27 the value holds `: `, which YAML reads as a new key
//! ```
//!
//! ```fixed
//! ---
//! name: pdf
//! description: "Extracts text: fast"
//! ---
//! ```
//!
//! ```value
//! name: pdf
//! description: Extracts text: fast
//! !license
//! ```
//! `````
//!
//! - `skill` is the text of `SKILL.md`, with the mode (`strict`, also when none is given, or
//!   `lenient`) and the name of its directory (`dir=`; none when not given). With `file=` it is
//!   another file of the same skill.
//! - `findings` has one finding a line, all of them, in order; an empty block means none.
//! - `fixed` is the text after all fixes.
//! - `value` has a `key: value` a line; keys that are not listed are not compared, and `!key` says
//!   that there is no such key.
//!
//! Only `skill` and one of the other three are needed. Fences are three or more backticks or tildes
//! in the first column, closed by at least as many of the same alone on a line. The text of a block
//! is exact to the byte, its last newline included. What cannot be seen is written with signs, in
//! every block: `␍` carriage return, `␊` newline, `⇥` tab, `␠` space, `␀` NUL, `⟨U+FEFF⟩` any
//! character, and `␄` at the very end for a text that ends without a newline. Line ends of the case
//! file itself do not matter.

use crate::unescape;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Languages of blocks that only illustrate; any other word is a mistyped expectation.
const ILLUSTRATIONS: [&str; 8] = ["text", "yaml", "markdown", "md", "json", "sh", "console", "xml"];

/// How strictly a case wants its skill to be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// As `check` judges.
    #[default]
    Strict,
    /// As loading judges.
    Lenient,
}

/// One skill and what is expected of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Case {
    /// The heading.
    pub name: String,
    /// The line of the heading in its file, from 1.
    pub line: usize,
    /// How strictly to judge.
    pub mode: Mode,
    /// The name of the skill's directory, when the case gives one.
    pub directory: Option<String>,
    /// The other files of the skill: path inside the skill, text; in the order of the case.
    pub files: Vec<(String, String)>,
    /// The text of `SKILL.md`.
    pub text: String,
    /// The findings, one string each, when the case lists them.
    pub findings: Option<Vec<String>>,
    /// The text after all fixes, when the case gives it.
    pub fixed: Option<String>,
    /// The fields to compare; `None` for one that must be absent. `None` without a `value` block.
    pub value: Option<BTreeMap<String, Option<String>>>,
    /// Where the expectations stand in the file.
    pub(crate) blocks: Blocks,
}

/// The blocks of a case that an update rewrites.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Blocks {
    pub(crate) findings: Option<Block>,
    pub(crate) fixed: Option<Block>,
    pub(crate) value: Option<Block>,
}

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The fence, as it opens: `` ``` ``.
    pub(crate) fence: String,
    /// What follows the fence on its line.
    pub(crate) info: String,
    /// The lines from fence to fence, both included, counted from 0.
    pub(crate) lines: Range<usize>,
    /// The text between the fences, signs not yet read.
    shown: String,
}

/// A Markdown file of cases.
#[derive(Debug, Clone)]
pub struct CaseFile {
    /// Where it was read from.
    pub path: PathBuf,
    /// Its lines, without their ends.
    pub(crate) lines: Vec<String>,
    /// Its cases, in order; at least one.
    pub cases: Vec<Case>,
}

impl CaseFile {
    /// Reads the text of a file that stands at `path`.
    ///
    /// # Errors
    ///
    /// `path:line: message` for the first thing that makes no sense.
    ///
    /// ```
    /// use testing::CaseFile;
    ///
    /// let text = "## Empty\n\n```skill\n```\n\n```findings\nerror[missing-frontmatter] 1:1 x\n```\n";
    /// let file = CaseFile::parse("empty.md", text).unwrap();
    /// assert_eq!(file.cases[0].text, "");
    ///
    /// let error = CaseFile::parse("empty.md", "## Empty\n\n```skill\n").unwrap_err();
    /// assert_eq!(error, "empty.md:3: the fence is never closed");
    /// ```
    pub fn parse(path: impl AsRef<Path>, text: &str) -> Result<Self, String> {
        let path = path.as_ref().to_owned();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        match read(&lines) {
            Ok(cases) => Ok(Self { path, lines, cases }),
            Err((line, message)) => Err(format!("{}:{}: {message}", path.display(), line + 1)),
        }
    }
}

/// A line, from 0, and what is wrong there.
type Wrong = (usize, String);

/// Reads the cases of a file.
fn read(lines: &[String]) -> Result<Vec<Case>, Wrong> {
    let mut cases: Vec<Case> = Vec::new();
    let mut skills = 0; // `SKILL.md` texts of the case at hand
    let mut at = 0;
    while at < lines.len() {
        if let Some(name) = lines[at].strip_prefix("## ") {
            finish(cases.last(), skills)?;
            let name = name.trim().to_owned();
            if cases.iter().any(|case| case.name == name) {
                return Err((at, format!("a case above is also named `{name}`")));
            }
            cases.push(Case { name, line: at + 1, ..Case::default() });
            skills = 0;
            at += 1;
        } else if let Some(block) = fence(lines, at)? {
            let end = block.lines.end;
            let word = block.info.split_whitespace().next().unwrap_or_default();
            match (word, cases.last_mut()) {
                ("skill" | "findings" | "fixed" | "value", None) => {
                    return Err((at, "the block stands before the first `## ` heading".to_owned()));
                }
                ("skill", Some(case)) => skills += skill(case, &block)?,
                ("findings" | "fixed" | "value", Some(case)) => expectation(case, block)?,
                (word, _) if word.is_empty() || ILLUSTRATIONS.contains(&word) => {}
                (word, _) => {
                    let known = ILLUSTRATIONS.join("`, `");
                    return Err((
                        at,
                        format!(
                            "`{word}` is no block of a case (`skill`, `findings`, `fixed`, \
                             `value`) and no illustration (`{known}`)"
                        ),
                    ));
                }
            }
            at = end;
        } else {
            at += 1;
        }
    }
    finish(cases.last(), skills)?;
    if cases.is_empty() {
        return Err((0, "the file has no case: no line starts with `## `".to_owned()));
    }
    Ok(cases)
}

/// Refuses a case that could not fail.
fn finish(case: Option<&Case>, skills: usize) -> Result<(), Wrong> {
    let Some(case) = case else { return Ok(()) };
    let at = case.line - 1;
    if skills != 1 {
        return Err((at, format!("the case has {skills} `skill` blocks in place of one")));
    }
    if case.findings.is_none() && case.fixed.is_none() && case.value.is_none() {
        return Err((at, "the case expects nothing: add a `findings` block".to_owned()));
    }
    Ok(())
}

/// Reads the block that opens on a line, if one does.
fn fence(lines: &[String], at: usize) -> Result<Option<Block>, Wrong> {
    let line = lines[at].trim_start();
    let Some(sign) = line.chars().next().filter(|sign| matches!(sign, '`' | '~')) else {
        return Ok(None);
    };
    let info = line.trim_start_matches(sign);
    let fence = &line[..line.len() - info.len()];
    // CommonMark: backticks behind a backtick fence make it inline code.
    if fence.len() < 3 || (sign == '`' && info.contains('`')) {
        return Ok(None);
    }
    if line.len() < lines[at].len() {
        return Err((at, "the fence is indented: move it to the first column".to_owned()));
    }
    let closes = |line: &String| {
        let line = line.trim_end();
        line.len() >= fence.len() && line.chars().all(|character| character == sign)
    };
    let Some(length) = lines[at + 1..].iter().position(closes) else {
        return Err((at, "the fence is never closed".to_owned()));
    };
    let inside = &lines[at + 1..at + 1 + length];
    Ok(Some(Block {
        fence: fence.to_owned(),
        info: info.trim().to_owned(),
        lines: at..at + length + 2,
        shown: inside.iter().flat_map(|line| [line, "\n"]).collect(),
    }))
}

/// Adds a `skill` block; answers how many `SKILL.md` it was, one or none.
fn skill(case: &mut Case, block: &Block) -> Result<usize, Wrong> {
    let at = block.lines.start;
    let text = block.text()?;
    let mut file = None;
    for word in block.info.split_whitespace().skip(1) {
        match word.split_once('=') {
            None if word == "strict" => case.mode = Mode::Strict,
            None if word == "lenient" => case.mode = Mode::Lenient,
            Some(("dir", name)) if !name.is_empty() => case.directory = Some(name.to_owned()),
            Some(("file", path)) if !path.is_empty() => file = Some(path.to_owned()),
            _ => {
                let known = "`strict`, `lenient`, `dir=NAME`, `file=PATH`";
                return Err((at, format!("`{word}` is none of {known}")));
            }
        }
    }
    if let Some(path) = file {
        case.files.push((path, text));
        Ok(0)
    } else {
        case.text = text;
        Ok(1)
    }
}

/// Adds a `findings`, `fixed` or `value` block.
fn expectation(case: &mut Case, block: Block) -> Result<(), Wrong> {
    let at = block.lines.start;
    let twice = |is: bool| {
        if is { Err((at, format!("the case has two `{}` blocks", block.info))) } else { Ok(()) }
    };
    match block.info.as_str() {
        "findings" => {
            twice(case.findings.is_some())?;
            let lines = block.entries();
            let findings = lines.map(|(at, line)| unescape(line).map_err(|wrong| (at, wrong)));
            case.findings = Some(findings.collect::<Result<_, _>>()?);
            case.blocks.findings = Some(block);
        }
        "fixed" => {
            twice(case.fixed.is_some())?;
            case.fixed = Some(block.text()?);
            case.blocks.fixed = Some(block);
        }
        "value" => {
            twice(case.value.is_some())?;
            let mut value = BTreeMap::new();
            for (at, line) in block.entries() {
                let (key, expected) = entry(line).map_err(|wrong| (at, wrong))?;
                if value.insert(key.clone(), expected).is_some() {
                    return Err((at, format!("`{key}` is given twice")));
                }
            }
            case.value = Some(value);
            case.blocks.value = Some(block);
        }
        info => return Err((at, format!("`{info}`: an expectation takes no attributes"))),
    }
    Ok(())
}

/// Reads a line of a `value` block: `key: value`, or `!key`.
fn entry(line: &str) -> Result<(String, Option<String>), String> {
    if let Some(key) = line.strip_prefix('!') {
        return Ok((key.to_owned(), None));
    }
    match line.split_once(':') {
        Some((key, "")) => Ok((key.to_owned(), Some(String::new()))),
        Some((key, value)) if value.starts_with(' ') => {
            Ok((key.to_owned(), Some(unescape(&value[1..])?)))
        }
        _ => Err(format!("`{line}` is neither `key: value` nor `!key`")),
    }
}

impl Block {
    /// The text that the block stands for.
    fn text(&self) -> Result<String, Wrong> {
        unescape(&self.shown).map_err(|wrong| (self.lines.start, wrong))
    }

    /// The lines that are not empty, each with its place in the file.
    fn entries(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = (self.lines.start + 1..).zip(self.shown.lines());
        numbered.filter(|(_, line)| !line.trim().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::{Case, CaseFile, Mode};

    fn only(text: &str) -> Case {
        let mut file = CaseFile::parse("a.md", text).unwrap();
        assert_eq!(file.cases.len(), 1);
        file.cases.remove(0)
    }

    #[test]
    fn a_case_has_all_that_its_blocks_say() {
        let case = only(
            "# Title\n\nProse.\n\n## One  \n\n````skill lenient dir=pdf\n---\n```\n## no heading\n\
             ````\n\n~~~skill file=scripts/run.sh\necho\n~~~\n\n```findings\nerror[a] 1:1 x\n\n\
             warning[b] 2:1 y␊z\n```\n\n```fixed\n---\n```\n\n```value\nname: pdf: x\nlicense:\n\
             !version\n```\n",
        );
        assert_eq!((case.name.as_str(), case.line), ("One", 5));
        assert_eq!((case.mode, case.directory.as_deref()), (Mode::Lenient, Some("pdf")));
        assert_eq!(case.text, "---\n```\n## no heading\n");
        assert_eq!(case.files, [("scripts/run.sh".to_owned(), "echo\n".to_owned())]);
        assert_eq!(case.findings.unwrap(), ["error[a] 1:1 x", "warning[b] 2:1 y\nz"]);
        assert_eq!(case.fixed.as_deref(), Some("---\n"));
        let value: Vec<_> = case.value.unwrap().into_iter().collect();
        assert_eq!(
            value,
            [
                ("license".to_owned(), Some(String::new())),
                ("name".to_owned(), Some("pdf: x".to_owned())),
                ("version".to_owned(), None)
            ]
        );
    }

    #[test]
    fn line_ends_of_the_case_file_do_not_matter() {
        let text = "## One\n\n```skill\na␍\nb\n```\n\n```findings\n```\n";
        assert_eq!(only(text).text, "a\r\nb\n");
        assert_eq!(only(&text.replace('\n', "\r\n")).text, "a\r\nb\n");
    }

    #[test]
    fn an_empty_findings_block_expects_none() {
        let case = only("## One\n```skill\n```\n```findings\n```\n");
        assert_eq!(case.findings, Some(Vec::new()));
        assert_eq!(case.mode, Mode::Strict);
    }

    #[test]
    fn inline_code_in_prose_is_no_fence() {
        let case = only("## One\n``` `a` ```\n```skill\nx\n```\n```findings\n```\n");
        assert_eq!(case.text, "x\n");
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_line() {
        let skill = "```skill\n```\n";
        let findings = "```findings\n```\n";
        let wrong = [
            (String::new(), "a.md:1: the file has no case"),
            ("# Title\n".to_owned(), "a.md:1: the file has no case"),
            (format!("# T\n{skill}"), "a.md:2: the block stands before the first"),
            (format!("## A\n{skill}"), "a.md:1: the case expects nothing"),
            (format!("\n## A\n{findings}"), "a.md:2: the case has 0 `skill` blocks"),
            (format!("## A\n{skill}{skill}{findings}"), "a.md:1: the case has 2 `skill` blocks"),
            (format!("## A\n{skill}{findings}{findings}"), "a.md:6: the case has two `findings`"),
            (format!("## A\n{skill}{findings}## A\n"), "a.md:6: a case above is also named `A`"),
            (format!("## A\n{skill}{findings}## B\n"), "a.md:6: the case has 0 `skill` blocks"),
            (format!("## A\n{skill}```findings\n``\n"), "a.md:4: the fence is never closed"),
            (format!("## A\n{skill}````findings\n```\n"), "a.md:4: the fence is never closed"),
            (format!("## A\n{skill}~~~findings\n```\n"), "a.md:4: the fence is never closed"),
            (format!("## A\n{skill}```finding\n```\n"), "a.md:4: `finding` is no block"),
            (format!("## A\n{skill}```findings x\n```\n"), "a.md:4: `findings x`: an expectation"),
            (format!("## A\n{skill} ```findings\n```\n"), "a.md:4: the fence is indented"),
            (format!("## A\n```skill loose\n```\n{findings}"), "a.md:2: `loose` is none of"),
            (format!("## A\n```skill dir=\n```\n{findings}"), "a.md:2: `dir=` is none of"),
            (format!("## A\n```skill\n⟨U+⟩\n```\n{findings}"), "a.md:2: `⟨U+⟩` is not a character"),
            (format!("## A\n{skill}```value\nname\n```\n"), "a.md:5: `name` is neither"),
            (format!("## A\n{skill}```value\na: 1\na: 2\n```\n"), "a.md:6: `a` is given twice"),
        ];
        for (text, expected) in wrong {
            let error = CaseFile::parse("a.md", &text).unwrap_err();
            assert!(error.starts_with(expected), "{text}\n{error}");
        }
    }
}
