//! Turns a package into the entry of the skills extension that hosts verify it against.

use crate::digest::labelled;
use crate::package::{Package, SKILL_FILE};
use crate::uri;
use metier::frontmatter_json;
use serde_json::{Map, Value as Json, json};

/// The most characters of a description and of a compatibility (spec, fields).
const MAX_DESCRIPTION: usize = 1024;
const MAX_COMPATIBILITY: usize = 500;

/// The entry `{uri, frontmatter, resources}` of the skill at `path` (SEP-2640), or the reason why hosts
/// would refuse it. One entry that breaks a rule makes some clients refuse the whole listing, so the
/// rules of the format are held to here.
pub(crate) fn listing_entry(
    path: &str,
    package: &Package,
    skill_file: &[u8],
) -> Result<Json, String> {
    let text = std::str::from_utf8(skill_file).map_err(|_| "its `SKILL.md` is not UTF-8")?;
    let frontmatter = frontmatter_json(text).map_err(|error| error.reason)?;
    check(path, &frontmatter)?;
    let resources: Vec<Json> = package
        .files
        .iter()
        .map(|(file, packed)| {
            json!({
                "uri": uri::of_file(path, file),
                "digest": labelled(&packed.digest),
                "size": packed.size,
            })
        })
        .collect();
    let uri = uri::of_file(path, SKILL_FILE);
    Ok(json!({ "uri": uri, "frontmatter": frontmatter, "resources": resources }))
}

fn check(path: &str, frontmatter: &Map<String, Json>) -> Result<(), String> {
    let text = |key: &str| frontmatter.get(key).and_then(Json::as_str);
    let name = text("name").ok_or("its frontmatter has no `name`")?;
    if !is_name(name) {
        return Err("its name is not 1 to 64 of `a-z`, `0-9` and single `-`".to_owned());
    }
    if path.rsplit('/').next() != Some(name) {
        return Err("its address does not end in its name".to_owned());
    }
    let description = text("description").ok_or("its frontmatter has no `description`")?;
    if !(1..=MAX_DESCRIPTION).contains(&description.chars().count()) {
        return Err(format!("its description is not 1 to {MAX_DESCRIPTION} characters long"));
    }
    let compatibility = frontmatter.get("compatibility").map(|value| value.as_str().unwrap_or(""));
    if compatibility.is_some_and(|text| !(1..=MAX_COMPATIBILITY).contains(&text.chars().count())) {
        return Err(format!("its `compatibility` is not 1 to {MAX_COMPATIBILITY} characters long"));
    }
    let metadata = frontmatter.get("metadata");
    let is_text = |map: &Map<String, Json>| map.values().all(Json::is_string);
    if metadata.is_some_and(|metadata| !metadata.as_object().is_some_and(is_text)) {
        return Err("its `metadata` is not text by key: quote the values".to_owned());
    }
    Ok(())
}

/// Whether a name is one that every host accepts.
pub(crate) fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.split('-').all(|part| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use metier::{Blocking, Memory, Registry};

    fn entry(path: &str, frontmatter: &str) -> Result<Json, String> {
        let text = format!("---\n{frontmatter}---\nBody\n");
        let memory = Memory::new("m").skill("pdf", text).resource("pdf", "a b.md", "x");
        let registry = Registry::builder().source(Blocking(memory)).open();
        let skill = registry.list().remove(0);
        let (package, contents) = Package::read(&registry, &skill).unwrap();
        listing_entry(path, &package, &contents[SKILL_FILE])
    }

    #[test]
    fn an_entry_has_everything_a_host_verifies() {
        let entry =
            entry("team/pdf", "name: pdf\ndescription: Use it.\nextra: [1, yes]\n").unwrap();
        assert_eq!(entry["uri"], "skill://team/pdf/SKILL.md");
        assert_eq!(entry["frontmatter"]["extra"], json!([1, "yes"]));
        assert_eq!(entry["resources"][1]["uri"], "skill://team/pdf/a%20b.md");
        let digest = "sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
        assert_eq!(entry["resources"][1]["digest"], digest);
        assert_eq!(entry["resources"][1]["size"], 1);
    }

    #[test]
    fn what_hosts_refuse_is_not_listed() {
        let long = "x".repeat(1025);
        for (path, frontmatter, reason) in [
            ("pdf", "description: Use it.\n".to_owned(), "`name`"),
            ("pdf", "name: pdf\ndescription: a: b\n".to_owned(), ""),
            ("Pdf", "name: Pdf\ndescription: x\n".to_owned(), "name"),
            ("x", "name: pdf\ndescription: x\n".to_owned(), "address"),
            ("pdf", format!("name: pdf\ndescription: {long}\n"), "1024"),
            ("pdf", "name: pdf\ndescription: x\nmetadata: {version: 1.0}\n".to_owned(), "metadata"),
            ("pdf", "name: pdf\ndescription: x\nmetadata: text\n".to_owned(), "metadata"),
            ("pdf", "name: pdf\ndescription: x\ncompatibility: 3\n".to_owned(), "compatibility"),
        ] {
            let error = entry(path, &frontmatter).unwrap_err();
            assert!(error.contains(reason), "{frontmatter}: {error}");
        }
    }

    #[test]
    fn names_are_those_of_the_format() {
        assert!(["a", "a-b", "0", &"x".repeat(64)].iter().all(|name| is_name(name)));
        let bad = ["", "-a", "a-", "a--b", "A", "ä", "a_b", &"x".repeat(65)];
        assert!(!bad.iter().any(|name| is_name(name)));
    }
}
