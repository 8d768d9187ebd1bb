//! Turns a misspelt word into the one that was probably meant.

/// The candidate with the fewest edits away from `word`, if that is near enough to be meant.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, candidate), candidate))
        .filter(|(edits, candidate)| *edits <= candidate.chars().count() / 3 + 1)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// How many characters must be added, left out or changed (Levenshtein), one row at a time.
fn distance(word: &[char], other: &str) -> usize {
    let mut row: Vec<usize> = (0..=word.len()).collect();
    for (i, b) in other.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, a) in word.iter().enumerate() {
            let change = diagonal + usize::from(*a != b);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[word.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        let chars = |word: &str| word.chars().collect::<Vec<_>>();
        assert_eq!(distance(&chars("kitten"), "sitting"), 3);
        assert_eq!(distance(&chars(""), "abc"), 3);
        assert_eq!(distance(&chars("same"), "same"), 0);
    }

    #[test]
    fn finds_what_was_meant_and_nothing_far_off() {
        let codes = ["dead-link", "unquoted-colon", "name-case"];
        assert_eq!(nearest("unquoted-colons", codes), Some("unquoted-colon"));
        assert_eq!(nearest("Ded-Link", codes), Some("dead-link"));
        assert_eq!(nearest("something-else-entirely", codes), None);
    }
}
