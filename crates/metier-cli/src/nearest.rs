//! Turns a misspelt word into the one that was probably meant.

/// The candidate with the fewest edits away from `word`, if that is near enough to be meant; else the
/// first one that has `word` as its beginning or as one of its parts.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let word = word.to_lowercase();
    let letters: Vec<char> = word.chars().collect();
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let by_edits = candidates
        .iter()
        .map(|candidate| (distance(&letters, candidate), *candidate))
        .filter(|(edits, candidate)| *edits <= candidate.chars().count() / 3 + 1)
        .min_by_key(|(edits, _)| *edits);
    let is_part = |candidate: &&str| {
        letters.len() > 2
            && (candidate.starts_with(&word) || candidate.split('-').any(|part| part == word))
    };
    by_edits.map(|(_, candidate)| candidate).or_else(|| candidates.iter().copied().find(is_part))
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

    /// `rule unquoted` suggested nothing.
    #[test]
    fn a_part_of_a_word_is_enough() {
        let codes = ["dead-link", "unquoted-colon", "name-case"];
        assert_eq!(nearest("unquoted", codes), Some("unquoted-colon"));
        assert_eq!(nearest("Link", codes), Some("dead-link"));
        assert_eq!(nearest("na", codes), None);
        assert_eq!(nearest("", codes), None);
    }
}
