//! Turns a misspelt word into those that were probably meant.

/// The candidates with the fewest edits away from `word`, the nearest first, as long as they are
/// near enough to be meant: at most one edit in three characters, and one. Those as near as one
/// another keep their order. Behind them come the candidates that have `word` as their beginning or
/// as one of their parts, or that are such a part of it.
///
/// ```
/// use metier_core::nearest;
///
/// let names = ["csv-inspector", "pdf-filler", "pdf"];
/// assert_eq!(nearest("pdf-fillr", names, 3), ["pdf-filler", "pdf"]);
/// assert!(nearest("weather", names, 3).is_empty());
/// ```
pub fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Vec<&'a str> {
    let lower = word.to_lowercase();
    let word: Vec<char> = lower.chars().collect();
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let length = candidate.chars().count();
            let most = length / 3 + 1;
            let is_part = is_part(&lower, candidate) || is_part(candidate, &lower);
            let edits = (word.len().abs_diff(length) <= most).then(|| distance(&word, candidate));
            match edits.filter(|edits| *edits <= most) {
                Some(edits) => Some((edits, candidate)),
                None => is_part.then_some((usize::MAX, candidate)),
            }
        })
        .collect();
    near.sort_by_key(|(edits, _)| *edits);
    near.into_iter().take(limit).map(|(_, candidate)| candidate).collect()
}

/// Whether a whole starts with a part, or has it between hyphens. Two letters are nobody's name.
fn is_part(part: &str, whole: &str) -> bool {
    part.chars().nth(2).is_some()
        && (whole.starts_with(part) || whole.split('-').any(|one| one == part))
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
        assert_eq!(nearest("unquoted-colons", codes, 1), ["unquoted-colon"]);
        assert_eq!(nearest("Ded-Link", codes, 1), ["dead-link"]);
        assert!(nearest("something-else-entirely", codes, 9).is_empty());
    }

    #[test]
    fn a_part_of_a_word_is_enough() {
        let codes = ["dead-link", "unquoted-colon", "name-case"];
        assert_eq!(nearest("unquoted", codes, 9), ["unquoted-colon"]);
        assert_eq!(nearest("Link", codes, 9), ["dead-link"]);
        assert_eq!(nearest("name-case-of-files", codes, 9), ["name-case"]);
        assert!(nearest("na", codes, 9).is_empty() && nearest("", codes, 9).is_empty());
    }

    #[test]
    fn the_nearest_come_first_and_equals_keep_their_order() {
        assert_eq!(
            nearest("pdf", ["pdg", "pdf", "pdh", "pdf-forms"], 9),
            ["pdf", "pdg", "pdh", "pdf-forms"]
        );
        assert_eq!(nearest("pdf", ["pdg", "pdf"], 1), ["pdf"]);
    }
}
