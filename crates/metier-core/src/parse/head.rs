//! Turns a reader into the frontmatter of a skill, leaving the reader at the first byte of the body.

use crate::parse::document::{Preamble, is_fence};
use crate::{Limits, Manifest, ParseOptions, Report, SharedText, parse};
use std::io::{self, BufRead};

/// The start of a `SKILL.md`, up to and including the line that closes its frontmatter.
///
/// Reading stops right after the closing line, so that a catalog of many skills never reads a body.
///
/// ```
/// use metier_core::{Head, Limits};
/// use std::io::Read;
///
/// let mut file = &b"---\nname: pdf\ndescription: Fills forms.\n---\n# Body\n"[..];
/// let head = Head::read(&mut file, &Limits::default())?;
/// assert_eq!(head.body_offset(), 44);
///
/// let mut body = String::new();
/// file.read_to_string(&mut body)?;
/// assert_eq!(body, "# Body\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    bytes: Vec<u8>,
}

/// What [`Head::parse`] makes of a frontmatter.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ParsedHead {
    /// The name to show: the one given, or the directory's.
    pub name: Option<SharedText>,
    /// The frontmatter; `None` when it cannot be loaded.
    pub manifest: Option<Manifest>,
    /// The byte at which the body starts; `None` when there is no frontmatter.
    pub body_offset: Option<usize>,
    /// Everything that was found on the way.
    pub report: Report,
}

enum Scan {
    Before(Preamble),
    Inside,
}

impl Head {
    /// Reads up to the end of the frontmatter, and no further than its limit.
    ///
    /// A file without frontmatter is read only as far as that takes to see. When no line closes
    /// the frontmatter, reading goes on to the limit.
    pub fn read(reader: &mut impl BufRead, limits: &Limits) -> io::Result<Self> {
        // Room for nearly every frontmatter, so that it does not grow line by line.
        let mut bytes = Vec::with_capacity(1024);
        let mut scan = Scan::Before(Preamble::default());
        let mut line_start = 0;
        // The fences, a byte order mark and a comment may stand on top of the frontmatter itself.
        let most = most_bytes(limits);
        while bytes.len() <= most && read_line(reader, &mut bytes, most)? {
            let line = &bytes[line_start..];
            if matches!(scan, Scan::Inside) && !line.starts_with(b"---") {
                line_start = bytes.len();
                continue;
            }
            let line = String::from_utf8_lossy(line);
            let line = line.trim_end_matches(['\n', '\r']);
            let line =
                if line_start == 0 { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
            match &mut scan {
                Scan::Before(preamble) => {
                    if preamble.opens(line) {
                        scan = Scan::Inside;
                    } else if !preamble.accepts(line) {
                        break;
                    }
                }
                Scan::Inside if is_fence(line) => break,
                Scan::Inside => {}
            }
            line_start = bytes.len();
        }
        Ok(Self { bytes })
    }

    /// The bytes that were read.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many bytes were read: where the body starts, in a file with closed frontmatter.
    pub fn body_offset(&self) -> usize {
        self.bytes.len()
    }

    /// Reads the frontmatter, as [`parse_with`](crate::parse_with) would read that of the whole file.
    pub fn parse(&self, options: &ParseOptions) -> ParsedHead {
        parse::parse_head(&self.bytes, options)
    }
}

/// How much of a file is read at most.
pub(crate) fn most_bytes(limits: &Limits) -> usize {
    limits.frontmatter_bytes.saturating_mul(2)
}

/// Appends one line with its break to `bytes`; `false` at the end of the input.
///
/// A lone `\r` ends a line too, so the byte after a `\r` is looked at and left in the reader.
fn read_line(reader: &mut impl BufRead, bytes: &mut Vec<u8>, most: usize) -> io::Result<bool> {
    let before = bytes.len();
    loop {
        let buffer = match reader.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            return Ok(bytes.len() > before);
        }
        if bytes.len() > before && bytes.last() == Some(&b'\r') {
            if buffer[0] == b'\n' {
                bytes.push(b'\n');
                reader.consume(1);
            }
            return Ok(true);
        }
        let taken = match memchr::memchr2(b'\n', b'\r', buffer) {
            Some(at) => at + 1,
            None => buffer.len(),
        };
        let taken = taken.min(most + 1 - bytes.len().min(most));
        bytes.extend_from_slice(&buffer[..taken]);
        reader.consume(taken);
        if bytes.last() == Some(&b'\n') || bytes.len() > most {
            return Ok(true);
        }
    }
}
