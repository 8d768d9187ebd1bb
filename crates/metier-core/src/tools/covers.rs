//! Turns a pattern of `allowed-tools` and a call into a yes or a no, on the side of asking.

/// Whether `pattern` names `tool`; `mcp__github__*` names every tool of that server.
pub(crate) fn is_named(pattern: &str, tool: &str) -> bool {
    wildcard(pattern, tool, |_| true)
}

/// Whether the argument pattern `limit` covers `argument`, by the rules of
/// [`AllowedTools::preapproves`](crate::AllowedTools::preapproves).
pub(crate) fn is_covered(limit: &str, argument: &str) -> bool {
    if limit == "*" {
        return true;
    }
    let hidden = hidden_from_wildcards(argument);
    let matches = |pattern: &str| wildcard(pattern, argument, |at| !hidden[at]);
    match limit.strip_suffix(":*") {
        Some(command) => matches(command) || matches(&format!("{command} *")),
        None => matches(limit),
    }
}

/// Whether `pattern` is `text`, where each `*` stands for characters of it (by index) that are `free`.
fn wildcard(pattern: &str, text: &str, free: impl Fn(usize) -> bool) -> bool {
    if !pattern.contains('*') {
        return pattern == text;
    }
    let text: Vec<char> = text.chars().collect();
    // `reached[n]`: the pattern read so far can stand for the first `n` characters.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for c in pattern.chars() {
        if c == '*' {
            for at in 0..text.len() {
                reached[at + 1] |= reached[at] && free(at);
            }
        } else {
            for at in (0..text.len()).rev() {
                reached[at + 1] = reached[at] && text[at] == c;
            }
            reached[0] = false;
        }
        if !reached.contains(&true) {
            return false;
        }
    }
    reached[text.len()]
}

/// For each character of `argument`, whether a wildcard must not stand for it, see
/// [`AllowedTools::preapproves`](crate::AllowedTools::preapproves).
fn hidden_from_wildcards(argument: &str) -> Vec<bool> {
    let chars: Vec<(usize, char)> = argument.chars().enumerate().collect();
    let mut hidden: Vec<bool> = chars
        .iter()
        .map(|&(_, c)| matches!(c, ';' | '|' | '&' | '<' | '>' | '`') || c.is_control())
        .collect();
    for pair in chars.windows(2) {
        if let [(dollar, '$'), (opening, '(' | '{')] = *pair {
            hidden[dollar] = true;
            hidden[opening] = true;
        }
    }
    hide_parents(&chars, &mut hidden);
    // A shell reads `.'.'/x` and `.\./x` as `../x` too.
    let unquoted: Vec<_> =
        chars.into_iter().filter(|(_, c)| !matches!(c, '\'' | '"' | '\\')).collect();
    hide_parents(&unquoted, &mut hidden);
    hidden
}

/// Hides each `..` that is a component of a path. `main..dev` and `./...` are none; `-I../x` is one.
fn hide_parents(chars: &[(usize, char)], hidden: &mut [bool]) {
    let in_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    for (at, pair) in chars.windows(2).enumerate() {
        let [(first, '.'), (second, '.')] = *pair else { continue };
        let before = at.checked_sub(1).map(|at| chars[at].1);
        let after = chars.get(at + 2).map(|&(_, c)| c);
        let apart = !before.is_some_and(in_word) && !after.is_some_and(in_word);
        if apart || before != Some('.') && matches!(after, Some('/' | '\\')) {
            hidden[first] = true;
            hidden[second] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AllowedTools;
    use proptest::prelude::*;

    fn tools(text: &str) -> AllowedTools {
        AllowedTools::parse(text).0
    }

    #[test]
    fn preapproval_covers_what_it_says() {
        for (pattern, argument) in [
            ("Bash", "rm -rf / ; echo $(x)"),
            ("Bash(*)", "rm -rf / ; echo $(x)"),
            ("Bash(git:*)", "git"),
            ("Bash(git:*)", "git status"),
            ("Bash(git:*)", "git log main..dev -- ./... \"done.\""),
            ("Bash(npm run test:*)", "npm run test --watch"),
            ("Bash(go:*)", "go test ./.../x"),
            ("Bash(git add *)", "git add src/lib.rs"),
            ("Bash(git * main)", "git push origin main"),
            ("Bash(ls; pwd)", "ls; pwd"),
            ("Bash(cat ../*.md)", "cat ../notes.md"),
            ("Bash(ls | *)", "ls | wc -l"),
            ("Bash(mkdir*)", "mkdir"),
            ("Bash(*.md)", ".md"),
            ("*", "anything"),
            ("Ba*", "anything"),
            ("Read Bash(ls)", "ls"),
        ] {
            assert!(tools(pattern).preapproves("Bash", argument), "{pattern} {argument}");
        }
        assert!(tools("mcp__x__*").preapproves("mcp__x__list", ""));
    }

    #[test]
    fn preapproval_covers_no_more() {
        for (pattern, argument) in [
            ("", "ls"),
            ("Read", "ls"),
            ("bash", "ls"),
            ("Bash()", "ls"),
            ("Bash(git:*)", "gitk"),
            ("Bash(git:*)", "Git status"),
            ("Bash(git:*)", "git\tstatus"),
            ("Bash(git add *)", "git add"),
            ("Bash(git status)", "git status -s"),
            ("Bash(git *)", "sudo git push"),
            ("Bash(git:*)", "git status; rm -rf /"),
            ("Bash(git:*)", "git status | sh"),
            ("Bash(git:*)", "git status && sh"),
            ("Bash(git:*)", "git status &"),
            ("Bash(git:*)", "git status\nrm x"),
            ("Bash(git:*)", "git status\rrm x"),
            ("Bash(git:*)", "git log > x"),
            ("Bash(git:*)", "git log < x"),
            ("Bash(git:*)", "git log $(rm x)"),
            ("Bash(git:*)", "git log ${x@P}"),
            ("Bash(git:*)", "git log `rm x`"),
            ("Bash(echo $*)", "echo $(rm x)"),
            ("Bash(ls | *)", "ls | sh | sh"),
            ("Bash(cat docs/*)", "cat docs/../secret"),
            ("Bash(cat docs/*)", "cat docs/x/.."),
            ("Bash(cat docs/*)", "cat docs/.'.'/secret"),
            ("Bash(cat docs/*)", "cat docs/.\\./secret"),
            ("Bash(cat .*)", "cat ../secret"),
            ("Bash(cc *)", "cc -I../x a.c"),
            ("Bash(ls *)", "ls --dir=.."),
            ("Bash(type *)", "type a\\..\\b"),
        ] {
            assert!(!tools(pattern).preapproves("Bash", argument), "{pattern} {argument}");
        }
    }

    proptest! {
        #[test]
        fn a_wildcard_never_reaches_a_second_command(head in "[a-z ./-]{0,9}", tail in "\\PC{0,9}") {
            let tools = tools("Bash(git:*) Bash(ls *) Bash(*.md)");
            for control in [";", "|", "&", "\n", "\r", ">", "<", "$(", "`", " ../"] {
                let argument = format!("git {head}{control}{tail}.md");
                prop_assert!(!tools.preapproves("Bash", &argument), "{}", argument);
            }
        }

        #[test]
        fn wildcards_agree_with_trying_every_split(pattern in "[ab*]{0,6}", text in "[ab]{0,7}") {
            fn slow(pattern: &str, text: &str) -> bool {
                match (pattern.chars().next(), text.chars().next()) {
                    (None, None) => true,
                    (Some('*'), _) => {
                        slow(&pattern[1..], text) || !text.is_empty() && slow(pattern, &text[1..])
                    }
                    (Some(p), Some(t)) => p == t && slow(&pattern[1..], &text[1..]),
                    _ => false,
                }
            }
            prop_assert_eq!(wildcard(&pattern, &text, |_| true), slow(&pattern, &text));
        }
    }
}
