//! Turns `allowed-tools` into patterns, and patterns into the four answers that hosts ask of them.

pub(crate) mod covers;

use crate::tools::covers::{is_covered, is_named};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

/// One entry of `allowed-tools`: a tool, and perhaps a pattern for its argument.
///
/// `Read` is the tool `Read`; `Bash(git add *)` is the tool `Bash` with the argument `git add *`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolPattern {
    /// As written: catalogs hold many of these, and one text is smaller than two.
    text: Box<str>,
    /// How long the name is; what follows, if anything, is the argument in its parentheses.
    tool: usize,
}

/// The tools a skill names in `allowed-tools`, in order and as written (spec A1, A2).
///
/// What the list means differs from host to host, so each meaning is an operation of its own and
/// none is implied:
///
/// | operation | a host asks | the list |
/// |---|---|---|
/// | [`preapproves`](Self::preapproves) | may this call run without asking the user? | saves questions |
/// | [`scope`](Self::scope) | which of my tools stay while the skill is active? | takes tools away |
/// | [`satisfied_by`](Self::satisfied_by) | have I got all that the skill needs? | takes the skill away |
/// | [`grant`](Self::grant) | which tools does the skill bring along? | adds tools, up to a ceiling |
///
/// Only the first is the specification's. None of them is a sandbox: they say what a skill asks for,
/// and what the host then does is for the host to decide.
///
/// ```
/// use metier_core::AllowedTools;
///
/// let (tools, problems) = AllowedTools::parse("Bash(git:*), Bash(jq *) Read");
/// assert!(problems.is_empty());
/// assert_eq!(tools.to_string(), "Bash(git:*) Bash(jq *) Read");
/// assert_eq!(tools.tools(), ["Bash", "Read"]);
/// assert!(tools.preapproves("Bash", "git status"));
/// assert!(!tools.preapproves("Bash", "git status; rm -rf /"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(from = "Vec<String>")]
pub struct AllowedTools {
    patterns: Box<[ToolPattern]>,
}

/// Something odd in the text of `allowed-tools`. Ranges are bytes of that text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolProblem {
    /// A parenthesis is never closed. It holds the rest of the text, and is read as closed there.
    UnclosedParenthesis {
        /// From the parenthesis to the end.
        range: Range<usize>,
    },
    /// A parenthesis closes nothing. It is read as part of the tool's name.
    StrayParenthesis {
        /// The parenthesis.
        range: Range<usize>,
    },
    /// Text follows the argument without a space: `Bash(ls)Read`. All of it is read as one name.
    TextAfterArgument {
        /// The text.
        range: Range<usize>,
    },
    /// An argument stands without a tool: `(git *)`. All of it is read as one name.
    NoTool {
        /// The argument with its parentheses.
        range: Range<usize>,
    },
}

impl ToolPattern {
    /// The tool's name, without the argument.
    pub fn tool(&self) -> &str {
        &self.text[..self.tool]
    }

    /// The pattern between the parentheses, if there are any.
    pub fn argument(&self) -> Option<&str> {
        self.text[self.tool..].strip_prefix('(')?.strip_suffix(')')
    }

    /// Reads one entry whose parentheses are balanced, but for stray closing ones.
    fn read(text: &str) -> Self {
        let tool = text.find('(').filter(|&open| {
            let inside = text[open + 1..].strip_suffix(')');
            open > 0 && inside.is_some_and(is_balanced)
        });
        Self { text: text.into(), tool: tool.unwrap_or(text.len()) }
    }

    /// Whether the entry puts no limit on the argument.
    fn is_unlimited(&self) -> bool {
        matches!(self.argument(), None | Some("*"))
    }
}

impl AllowedTools {
    /// Reads the text form: entries separated by spaces or commas outside parentheses.
    ///
    /// Nothing is thrown away; what is odd is reported and stays in the patterns.
    pub fn parse(text: &str) -> (Self, Vec<ToolProblem>) {
        let mut patterns = Vec::new();
        let mut problems = Vec::new();
        let mut depth = 0usize;
        let mut start = 0;
        let mut open = 0;
        let mut closed = None;
        let mut finish = |range: Range<usize>, missing: usize| {
            let entry = &text[range];
            if !entry.is_empty() {
                patterns.push(match missing {
                    0 => ToolPattern::read(entry),
                    _ => ToolPattern::read(&format!("{entry}{}", ")".repeat(missing))),
                });
            }
        };
        for (at, byte) in text.bytes().enumerate() {
            // Every byte that counts here is ASCII, so `at` is a character boundary where it is used.
            // Only ASCII blanks separate: a no-break space is part of a name.
            if depth == 0 && (byte == b',' || byte.is_ascii_whitespace()) {
                problems.extend(text_after(closed.take(), at));
                finish(start..at, 0);
                start = at + 1;
            } else if byte == b'(' {
                if depth == 0 && closed.is_none() {
                    open = at;
                }
                depth += 1;
            } else if byte == b')' && depth == 0 {
                problems.push(ToolProblem::StrayParenthesis { range: at..at + 1 });
            } else if byte == b')' {
                depth -= 1;
                if depth == 0 && closed.is_none() {
                    if open == start {
                        problems.push(ToolProblem::NoTool { range: open..at + 1 });
                    }
                    closed = Some(at + 1);
                }
            }
        }
        if depth > 0 {
            let end = text.trim_ascii_end().len();
            problems.push(ToolProblem::UnclosedParenthesis { range: open..end });
            finish(start..end, depth);
        } else {
            problems.extend(text_after(closed, text.len()));
            finish(start..text.len(), 0);
        }
        (Self { patterns: patterns.into() }, problems)
    }

    /// Reads the list form, each item as [`parse`](Self::parse) reads a text. A problem comes with
    /// the index of its item, and its range is inside that item.
    pub fn from_items<'a>(
        items: impl IntoIterator<Item = &'a str>,
    ) -> (Self, Vec<(usize, ToolProblem)>) {
        let mut patterns = Vec::new();
        let mut problems = Vec::new();
        for (index, item) in items.into_iter().enumerate() {
            let (tools, found) = Self::parse(item);
            patterns.extend(tools.patterns);
            problems.extend(found.into_iter().map(|problem| (index, problem)));
        }
        (Self { patterns: patterns.into() }, problems)
    }

    /// The patterns in order, repeated ones too.
    pub fn iter(&self) -> std::slice::Iter<'_, ToolPattern> {
        self.patterns.iter()
    }

    /// How many patterns there are.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether no tool is named.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The names of the tools, without arguments, each once and in order.
    pub fn tools(&self) -> Vec<&str> {
        let mut tools = Vec::new();
        for pattern in self {
            if !tools.contains(&pattern.tool()) {
                tools.push(pattern.tool());
            }
        }
        tools
    }

    /// Whether a call of `tool` with `argument` may run without asking: the meaning the
    /// specification gives the list (spec A1). For hosts that ask their user before a tool runs.
    ///
    /// It tells what need not be asked; unlike [`scope`](Self::scope) it forbids nothing, and unlike
    /// [`grant`](Self::grant) it makes no tool available. Names and arguments are case-sensitive.
    ///
    /// 1. `Bash` and `Bash(*)` cover every argument.
    /// 2. `Bash(git:*)` covers `git`, and `git` followed by a space and anything.
    /// 3. Any other `*` stands for any text; the rest must be equal.
    ///
    /// Under 2 and 3 a wildcard never stands for what could start another command or leave a
    /// directory: `;`, `|`, `&`, `<`, `>`, a backtick, `$(`, `${`, control characters and `..` as a
    /// part of a path. This reads text, not shell: it is a reason to ask less often, not a sandbox.
    ///
    /// ```
    /// use metier_core::AllowedTools;
    ///
    /// let (tools, _) = AllowedTools::parse("Bash(git:*) Read");
    /// assert!(tools.preapproves("Bash", "git log"));
    /// assert!(!tools.preapproves("Bash", "git log | sh")); // ask
    /// assert!(!tools.preapproves("Write", "notes.md")); // ask, and it may well be allowed
    /// ```
    pub fn preapproves(&self, tool: &str, argument: &str) -> bool {
        self.iter().any(|pattern| {
            is_named(pattern.tool(), tool)
                && pattern.argument().is_none_or(|limit| is_covered(limit, argument))
        })
    }

    /// Those of the `available` tools that the list names, in the order given. For hosts that narrow
    /// the tool set while a skill is active.
    ///
    /// It only ever takes tools away; [`grant`](Self::grant) only ever adds some. Names are
    /// case-sensitive, arguments are ignored. An empty list keeps nothing; a skill without a list
    /// restricts nothing, so do not ask then.
    ///
    /// ```
    /// use metier_core::AllowedTools;
    ///
    /// let (tools, _) = AllowedTools::parse("Bash(python:*) Read");
    /// assert_eq!(tools.scope(["Read", "Write", "Bash"]), ["Read", "Bash"]);
    /// ```
    pub fn scope<'a>(&self, available: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        available
            .into_iter()
            .filter(|tool| self.iter().any(|pattern| is_named(pattern.tool(), base_name(tool))))
            .collect()
    }

    /// Whether every tool of the list is `available`: the list as a requirement. For hosts that hide
    /// skills they could not run.
    ///
    /// It decides about the skill; the other three decide about tools. Base names without regard to
    /// case; an empty list asks for nothing.
    ///
    /// ```
    /// use metier_core::AllowedTools;
    ///
    /// let (tools, _) = AllowedTools::parse("read web-search");
    /// assert!(tools.satisfied_by(["Read", "Web-Search", "Bash"]));
    /// assert!(!tools.satisfied_by(["Read", "web"]));
    /// ```
    pub fn satisfied_by<'a>(&self, available: impl IntoIterator<Item = &'a str>) -> bool {
        let available: BTreeSet<String> =
            available.into_iter().map(|tool| base_name(tool).to_lowercase()).collect();
        self.iter().all(|pattern| {
            let tool = pattern.tool().to_lowercase();
            available.iter().any(|name| is_named(&tool, name))
        })
    }

    /// The tools that the list adds, up to a `ceiling` that the host sets: sorted, each once. For
    /// hosts that start with few tools and let an active skill bring more.
    ///
    /// It makes tools available that were not; whether a call of them is asked about is for
    /// [`preapproves`](Self::preapproves). Names are case-sensitive.
    ///
    /// `Bash(git:*)` is granted as it stands when the ceiling holds it, or holds `Bash`; `Bash` is
    /// not granted when the ceiling holds only `Bash(git:*)`. A name with a wildcard brings the
    /// tools of the ceiling that it names.
    ///
    /// ```
    /// use metier_core::AllowedTools;
    ///
    /// let (tools, _) = AllowedTools::parse("Write Bash(git:*) Read");
    /// assert_eq!(tools.grant(["Read", "Bash", "Edit"]), ["Bash(git:*)", "Read"]);
    /// ```
    pub fn grant<'a>(&self, ceiling: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let ceiling: Vec<ToolPattern> = ceiling.into_iter().map(ToolPattern::read).collect();
        let mut granted = BTreeSet::new();
        for pattern in self {
            for held in &ceiling {
                if held.tool() == pattern.tool() {
                    if held.is_unlimited() || held.argument() == pattern.argument() {
                        granted.insert(pattern.to_string());
                    }
                } else if pattern.is_unlimited() && is_named(pattern.tool(), held.tool()) {
                    granted.insert(held.to_string());
                }
            }
        }
        granted.into_iter().collect()
    }
}

/// The problem of text between the end of an argument and `end`, the end of its entry.
fn text_after(closed: Option<usize>, end: usize) -> Option<ToolProblem> {
    let range = closed?..end;
    (!range.is_empty()).then_some(ToolProblem::TextAfterArgument { range })
}

/// Whether every parenthesis of `text` has its partner.
fn is_balanced(text: &str) -> bool {
    let depth = text.bytes().try_fold(0usize, |depth, byte| match byte {
        b'(' => Some(depth + 1),
        b')' => depth.checked_sub(1),
        _ => Some(depth),
    });
    depth == Some(0)
}

/// The name of a tool as a host writes it, without an argument.
fn base_name(tool: &str) -> &str {
    tool.split('(').next().unwrap_or_default().trim()
}

impl From<Vec<String>> for AllowedTools {
    fn from(items: Vec<String>) -> Self {
        Self::from_items(items.iter().map(String::as_str)).0
    }
}

impl<'a> IntoIterator for &'a AllowedTools {
    type Item = &'a ToolPattern;
    type IntoIter = std::slice::Iter<'a, ToolPattern>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Serialize for AllowedTools {
    /// Writes the list form.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(ToString::to_string))
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for AllowedTools {
    /// Writes the specification's form: one string, entries separated by a space.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, pattern) in self.iter().enumerate() {
            write!(f, "{}{pattern}", if at == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl ToolProblem {
    /// The bytes of the text that the problem is about.
    pub fn range(&self) -> Range<usize> {
        match self {
            Self::UnclosedParenthesis { range }
            | Self::StrayParenthesis { range }
            | Self::TextAfterArgument { range }
            | Self::NoTool { range } => range.clone(),
        }
    }
}

impl fmt::Display for ToolProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnclosedParenthesis { .. } => "a parenthesis is never closed",
            Self::StrayParenthesis { .. } => "a parenthesis closes nothing",
            Self::TextAfterArgument { .. } => "text follows an argument without a space",
            Self::NoTool { .. } => "an argument stands without a tool",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ToolProblem::{NoTool, StrayParenthesis, TextAfterArgument, UnclosedParenthesis};
    use super::*;
    use proptest::prelude::*;

    fn tools(text: &str) -> AllowedTools {
        let (tools, problems) = AllowedTools::parse(text);
        assert_eq!(problems, [], "{text}");
        tools
    }

    fn texts(tools: &AllowedTools) -> Vec<String> {
        tools.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn entries_are_separated_outside_parentheses() {
        for (text, entries) in [
            ("", &[][..]),
            (" \t\n, ,", &[]),
            ("Read", &["Read"]),
            ("Read Write", &["Read", "Write"]),
            ("Read, Write,Edit ,Bash", &["Read", "Write", "Edit", "Bash"]),
            ("Read\n  Write\r\n", &["Read", "Write"]),
            ("Bash(git:*) Bash(jq:*) Read", &["Bash(git:*)", "Bash(jq:*)", "Read"]),
            ("Bash(git add *) Read", &["Bash(git add *)", "Read"]),
            ("Bash(cmd:a,cmd:b)", &["Bash(cmd:a,cmd:b)"]),
            ("Bash(a(b) c) X", &["Bash(a(b) c)", "X"]),
            ("Bash() ()x", &["Bash()", "()x"]),
            ("a\u{a0}b", &["a\u{a0}b"]),
            ("mcp__x__* web-search", &["mcp__x__*", "web-search"]),
            ("Read Read", &["Read", "Read"]),
        ] {
            assert_eq!(texts(&AllowedTools::parse(text).0), entries, "{text:?}");
        }
        let tools = tools("Bash(a(b) c) Read");
        let parts: Vec<_> = tools.iter().map(|p| (p.tool(), p.argument())).collect();
        assert_eq!(parts, [("Bash", Some("a(b) c")), ("Read", None)]);
    }

    #[test]
    fn odd_parentheses_are_reported_and_kept() {
        for (text, entries, problems) in [
            (
                "X Bash(git add ",
                &["X", "Bash(git add)"][..],
                vec![UnclosedParenthesis { range: 6..14 }],
            ),
            ("Bash(a(b Read", &["Bash(a(b Read))"], vec![UnclosedParenthesis { range: 4..13 }]),
            ("é) Read", &["é)", "Read"], vec![StrayParenthesis { range: 2..3 }]),
            (
                "Bash(a)) Read",
                &["Bash(a))", "Read"],
                vec![StrayParenthesis { range: 7..8 }, TextAfterArgument { range: 7..8 }],
            ),
            ("Bash(a)Read X", &["Bash(a)Read", "X"], vec![TextAfterArgument { range: 7..11 }]),
            ("Bash(a)b(c)", &["Bash(a)b(c)"], vec![TextAfterArgument { range: 7..11 }]),
            ("(git *)", &["(git *)"], vec![NoTool { range: 0..7 }]),
        ] {
            let (tools, found) = AllowedTools::parse(text);
            assert_eq!(texts(&tools), entries, "{text}");
            assert_eq!(found, problems, "{text}");
        }
        // What could not be read as a tool with an argument allows nothing.
        let (tools, _) = AllowedTools::parse("Bash(a)Read (Bash) Bash) Bash(a)b(c)");
        assert_eq!(tools.scope(["Bash", "Read"]), Vec::<&str>::new());
        assert!(!tools.preapproves("Bash", "a"));
    }

    #[test]
    fn lists_are_read_item_by_item() {
        let (tools, problems) = AllowedTools::from_items(["Read, Write", "Bash(x", "", "Edit"]);
        assert_eq!(texts(&tools), ["Read", "Write", "Bash(x)", "Edit"]);
        assert_eq!(problems, [(1, UnclosedParenthesis { range: 4..6 })]);
        assert_eq!((tools.len(), tools.is_empty()), (4, false));
    }

    #[test]
    fn scope_keeps_the_order_and_case_of_the_host() {
        for (text, kept) in [
            ("", &[][..]),
            ("Read bash", &["Read"]),
            ("Edit Bash(git:*) Read", &["Read", "Bash", "Edit"]),
            ("mcp__x__*", &["mcp__x__a", "mcp__x__b"]),
        ] {
            let available = ["Read", "Bash", "mcp__x__a", "Edit", "mcp__x__b"];
            assert_eq!(tools(text).scope(available), kept, "{text}");
        }
    }

    #[test]
    fn requirements_ignore_case_and_arguments() {
        for (text, satisfied) in [
            ("", true),
            ("BASH(git add:*) read", true),
            ("Read Write", false),
            ("web-search", true),
            ("web", false),
            ("mcp__x__*", true),
            ("mcp__y__*", false),
        ] {
            let available = ["Bash(ls)", "Read", "Web-Search", "mcp__x__a"];
            assert_eq!(tools(text).satisfied_by(available), satisfied, "{text}");
        }
    }

    #[test]
    fn grants_stay_under_the_ceiling() {
        for (text, granted) in [
            ("", &[][..]),
            ("Write Read Read", &["Read"]),
            ("read", &[]),
            ("Git(log) Bash(git:*) Bash(ls)", &["Bash(git:*)", "Git(log)"]),
            ("Bash", &[]),
            ("Open(x) Open", &["Open", "Open(x)"]),
            ("mcp__*", &["mcp__a", "mcp__b(x)"]),
        ] {
            let ceiling = ["Read", "Bash(git:*)", "Git", "Open(*)", "mcp__b(x)", "mcp__a"];
            assert_eq!(tools(text).grant(ceiling), granted, "{text}");
        }
        assert_eq!(tools("Read").grant([]), Vec::<String>::new());
    }

    #[test]
    fn names_are_listed_once_and_json_is_a_list() {
        let tools = tools("Bash(a) Read Bash(b)");
        assert_eq!(tools.tools(), ["Bash", "Read"]);
        let json = serde_json::to_string(&tools).unwrap();
        assert_eq!(json, r#"["Bash(a)","Read","Bash(b)"]"#);
        assert_eq!(serde_json::from_str::<AllowedTools>(&json).unwrap(), tools);
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_written_back(text in "([ab*,é\u{a0} \n]|\\(|\\)){0,24}|\\PC{0,40}") {
            let (tools, problems) = AllowedTools::parse(&text);
            for problem in problems {
                prop_assert!(text.get(problem.range()).is_some_and(|part| !part.is_empty()));
            }
            prop_assert_eq!(&AllowedTools::parse(&tools.to_string()).0, &tools);
            let (list, _) = AllowedTools::from_items(text.split('b'));
            prop_assert_eq!(AllowedTools::parse(&list.to_string()).0, list);
        }
    }
}
