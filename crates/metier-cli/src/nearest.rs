//! Turns a misspelt word into the one that was probably meant.

/// The candidate nearest to `word`, if one is near enough to be meant.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    metier::nearest(word, candidates, 1).first().copied()
}
