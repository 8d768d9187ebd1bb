//! Turns a key of the frontmatter into the field that clients know, or that its author meant.

/// Keys that popular clients read beside those of the specification.
pub(crate) const EXTENSION_KEYS: [&str; 20] = [
    "agent",
    "argument-hint",
    "arguments",
    "author",
    "category",
    "context",
    "disable-model-invocation",
    "disallowed-tools",
    "displayName",
    "effort",
    "homepage",
    "hooks",
    "keywords",
    "model",
    "paths",
    "tags",
    "user-invocable",
    "version",
    "when_not_to_use",
    "when_to_use",
];

/// Keys that mean something to every reader; for others two spellings are two keys.
pub(crate) const MEANT: [&str; 11] = [
    "name",
    "description",
    "license",
    "compatibility",
    "allowed-tools",
    "metadata",
    "argument-hint",
    "disable-model-invocation",
    "disallowed-tools",
    "user-invocable",
    "when_to_use",
];

/// The field that a key misspells: another case, `_` for `-`, or a common slip.
pub(crate) fn meant_key(key: &str) -> Option<&'static str> {
    const SLIPS: [(&str, &str); 3] =
        [("licence", "license"), ("user-invokable", "user-invocable"), ("desc", "description")];
    if EXTENSION_KEYS.contains(&key) || MEANT.contains(&key) {
        return None;
    }
    let is_alike = |known: &str| letters(key).eq(letters(known));
    let slip = SLIPS.into_iter().find(|(slip, _)| is_alike(slip)).map(|(_, meant)| meant);
    slip.or_else(|| MEANT.into_iter().find(|known| is_alike(known)))
}

/// The letters of a key, however it is cased and joined.
fn letters(key: &str) -> impl Iterator<Item = char> {
    key.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).map(|c| c.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_known_and_other_words_are_not() {
        for (key, meant) in [
            ("Name", Some("name")),
            ("allowed_tools", Some("allowed-tools")),
            ("allowedTools", Some("allowed-tools")),
            ("Allowed Tools", Some("allowed-tools")),
            ("licence", Some("license")),
            ("user-invokable", Some("user-invocable")),
            ("desc", Some("description")),
            ("when-to-use", Some("when_to_use")),
            ("name", None),
            ("version", None),
            ("nickname", None),
            ("tools", None),
        ] {
            assert_eq!(meant_key(key), meant, "{key}");
        }
    }
}
