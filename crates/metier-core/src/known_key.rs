//! Turns a key of the frontmatter into the field that clients know, or that its author meant.

/// Keys that popular clients read beside those of the specification.
pub(crate) const EXTENSION_KEYS: [&str; 19] = [
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
    "when_to_use",
];

/// The field that a key misspells: another case, `_` for `-`, or a common slip.
pub(crate) fn meant_key(key: &str) -> Option<&'static str> {
    // Keys that mean something to every reader; for others two spellings are two keys.
    const MEANT: [&str; 11] = [
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
    let folded = |key: &str| -> String {
        key.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
    };
    let written = folded(key);
    let slips =
        [("licence", "license"), ("userinvokable", "user-invocable"), ("desc", "description")];
    let slip = slips.into_iter().find(|(slip, _)| *slip == written).map(|(_, meant)| meant);
    let is_known = EXTENSION_KEYS.contains(&key) || MEANT.contains(&key);
    slip.or_else(|| MEANT.into_iter().find(|known| folded(known) == written)).filter(|_| !is_known)
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
