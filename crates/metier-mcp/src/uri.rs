//! Turns the place of a file in a catalog into a `skill://` address, and an address back into segments.

use std::fmt::Write as _;

/// What every address starts with. No host is looked up: the first segment is a name like the others.
const SCHEME: &str = "skill://";

/// The index that servers had before `skills/list`. No skill can be called `index.json`.
pub(crate) const INDEX: &str = "skill://index.json";

/// The address of a directory: a skill's own, or one below it. Segments are separated by `/`.
pub(crate) fn of(path: &str) -> String {
    format!("{SCHEME}{}", encode(path))
}

/// A path with everything encoded but slashes and what needs no encoding anywhere.
pub(crate) fn encode(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

/// The address of a file of the skill at `skill`.
pub(crate) fn of_file(skill: &str, file: &str) -> String {
    of(&format!("{skill}/{file}"))
}

/// The segments of an address, decoded exactly once (security R06); `None` for anything that this
/// server never gives out: other schemes, queries, empty segments, encoded slashes, half a character.
pub(crate) fn segments(uri: &str) -> Option<Vec<String>> {
    let path = uri.strip_prefix(SCHEME)?;
    let segment = |text: &str| {
        let decoded = decode(text)?;
        let is_plain = !decoded.is_empty()
            && decoded != "."
            && decoded != ".."
            && !decoded.contains(|c: char| c == '/' || c == '\\' || c.is_control());
        is_plain.then_some(decoded)
    };
    path.split('/').map(segment).collect()
}

/// A segment, decoded once.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let value = digit(rest.next()?)? * 16 + digit(rest.next()?)?;
                bytes.push(u8::try_from(value).ok()?);
            }
            b'?' | b'#' => return None,
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_back_as_they_were() {
        for path in ["pdf", "team/pdf", "pdf/Q&A notes.md", "größe/ü%20.md", "a/100%.md"] {
            let expected: Vec<_> = path.split('/').map(str::to_owned).collect();
            assert_eq!(segments(&of(path)), Some(expected), "{path}");
        }
        assert_eq!(of_file("pdf", "a b.md"), "skill://pdf/a%20b.md");
    }

    #[test]
    fn what_was_never_given_out_is_no_address() {
        for uri in [
            "",
            "pdf",
            "file:///etc/passwd",
            "skill://",
            "skill:///etc/passwd",
            "skill://pdf/",
            "skill://pdf//SKILL.md",
            "skill://pdf/../SKILL.md",
            "skill://pdf/%2e%2e/x",
            "skill://pdf/..%2f..%2fetc/passwd",
            "skill://pdf/a%00b",
            "skill://pdf/a%5c..%5cb",
            "skill://pdf/SKILL.md?x",
            "skill://pdf/SKILL.md#x",
            "skill://pdf/%zz",
            "skill://pdf/%e9",
            "skill://pdf/%",
        ] {
            assert_eq!(segments(uri), None, "{uri}");
        }
        // Decoded once: what is left is the literal name of a file.
        assert_eq!(segments("skill://a/%252e%252e").unwrap()[1], "%2e%2e");
    }
}
