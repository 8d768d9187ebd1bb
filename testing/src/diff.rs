//! Turns two lists of lines into one that shows what is missing and what is new.

/// The lines of `expected` and `actual` in order: `-` is missing, `+` is new, blank is in both.
pub(crate) fn diff(expected: &[String], actual: &[String]) -> String {
    // longest[i][j] is the length of the longest common run of expected[i..] and actual[j..].
    let mut longest = vec![vec![0usize; actual.len() + 1]; expected.len() + 1];
    for i in (0..expected.len()).rev() {
        for j in (0..actual.len()).rev() {
            longest[i][j] = if expected[i] == actual[j] {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = String::new();
    let mut push = |sign: char, line: &str| {
        lines.push(sign);
        lines.push(' ');
        lines.push_str(line);
        lines.push('\n');
    };
    while i < expected.len() || j < actual.len() {
        if i < expected.len() && j < actual.len() && expected[i] == actual[j] {
            push(' ', &expected[i]);
            (i, j) = (i + 1, j + 1);
        } else if j == actual.len()
            || (i < expected.len() && longest[i + 1][j] >= longest[i][j + 1])
        {
            push('-', &expected[i]);
            i += 1;
        } else {
            push('+', &actual[j]);
            j += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::diff;

    fn lines(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn common_lines_stay_and_the_others_are_signed() {
        assert_eq!(diff(&lines("a b c"), &lines("a x c d")), "  a\n- b\n+ x\n  c\n+ d\n");
    }

    #[test]
    fn an_empty_side_is_all_new_or_all_missing() {
        assert_eq!(diff(&[], &lines("a b")), "+ a\n+ b\n");
        assert_eq!(diff(&lines("a b"), &[]), "- a\n- b\n");
        assert_eq!(diff(&[], &[]), "");
    }
}
