//! Turns the name of a file into its media type.

/// The type of a directory (SEP-2640).
pub(crate) const DIRECTORY: &str = "inode/directory";

/// The media type that the end of a name stands for.
pub(crate) fn of(path: &str) -> &'static str {
    let extension = path.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
    let extension = extension.map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref().unwrap_or_default() {
        "md" | "markdown" | "mdx" => "text/markdown",
        "txt" | "log" => "text/plain",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "toml" => "application/toml",
        "xml" | "xsd" => "application/xml",
        "csv" => "text/csv",
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "js" | "mjs" | "cjs" => "text/javascript",
        "ts" | "tsx" => "text/x-typescript",
        "py" => "text/x-python",
        "rs" => "text/x-rust",
        "sh" | "bash" => "text/x-shellscript",
        "sql" => "application/sql",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" | "tgz" => "application/gzip",
        "ttf" => "font/ttf",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

/// The media type of a file whose bytes are known: text of no known type is plain text.
pub(crate) fn of_bytes(path: &str, bytes: &[u8]) -> &'static str {
    match of(path) {
        "application/octet-stream" if std::str::from_utf8(bytes).is_ok() => "text/plain",
        media => media,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_name_counts() {
        assert_eq!(of("SKILL.md"), "text/markdown");
        assert_eq!(of("a.b/LOGO.PNG"), "image/png");
        assert_eq!(of("a.md/Makefile"), "application/octet-stream");
        assert_eq!(of_bytes("Makefile", b"all:\n"), "text/plain");
        assert_eq!(of_bytes("x.bin", b"\xff"), "application/octet-stream");
    }
}
