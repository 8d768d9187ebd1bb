//! Turns a tar into a tree of files, reading the few forms that skills need and refusing the rest.

use super::{ArchiveError, shown};
use crate::install::package_limits::PackageLimits;
use crate::install::tree::{FileTree, TreeBuilder};
use std::collections::BTreeMap;

const BLOCK: usize = 512;

/// The longest extended header: a few paths of the longest kind.
const MAX_EXTENDED: u64 = 16 * 1024;

/// Reads all entries. The end must be there, and nothing but zeros after it.
pub(super) fn read(bytes: &[u8], limits: &PackageLimits) -> Result<FileTree, ArchiveError> {
    let mut reader = Reader { bytes, at: 0 };
    let mut tree = FileTree::builder(limits);
    let mut pending = Pending::default();
    while let Some(header) = reader.header()? {
        header.verify()?;
        match header.kind() {
            b'x' => pending.extend(&header, reader.extended(&header)?)?,
            b'g' => global(&header, reader.extended(&header)?)?,
            b'L' => pending.long_name(&header, reader.extended(&header)?)?,
            _ => {
                let extended = std::mem::take(&mut pending);
                entry(&mut reader, &header, &extended, &mut tree)?;
            }
        }
    }
    if pending.is_some() {
        let reason = "an extended header belongs to no entry";
        return Err(ArchiveError::Ambiguous { entry: "the archive".to_owned(), reason });
    }
    Ok(tree.finish()?)
}

fn entry(
    reader: &mut Reader<'_>,
    header: &Header<'_>,
    extended: &Pending,
    tree: &mut TreeBuilder,
) -> Result<(), ArchiveError> {
    let name = match &extended.path {
        Some(path) => path.clone(),
        None => header.name()?,
    };
    let named = |make: fn(String) -> ArchiveError| Err(make(name.clone()));
    match header.kind() {
        b'0' | 0 | b'5' => {}
        b'1' => return named(|entry| ArchiveError::HardLink { entry }),
        b'2' | b'K' => return named(|entry| ArchiveError::Link { entry }),
        _ => return named(|entry| ArchiveError::Special { entry }),
    }
    let size = header.size(&name)?;
    if extended.size.is_some_and(|told| told != size) {
        let reason = "its two sizes differ";
        return Err(ArchiveError::Ambiguous { entry: name, reason });
    }
    // Before there was a type for them, folders were files whose names end in a slash.
    if header.kind() == b'5' || name.ends_with('/') {
        if size != 0 {
            let reason = "it is a folder with contents";
            return Err(ArchiveError::Header { entry: name, reason });
        }
        return match name.trim_start_matches("./").trim_end_matches('/') {
            "" | "." if !name.starts_with('/') => Ok(()),
            _ => Ok(tree.add_folder(&name)?),
        };
    }
    let mode = header.octal(100..108).ok_or_else(|| ArchiveError::Header {
        entry: name.clone(),
        reason: "its mode is not a number",
    })?;
    if mode & 0o6000 != 0 {
        return Err(ArchiveError::Privileged { entry: name });
    }
    tree.announce(&name, size)?;
    let contents = reader.contents(size, &name)?;
    Ok(tree.add_file(&name, contents, mode & 0o111 != 0)?)
}

/// What extended headers say about the entry that follows them.
#[derive(Debug, Default)]
struct Pending {
    path: Option<String>,
    size: Option<u64>,
    seen: bool,
}

impl Pending {
    fn is_some(&self) -> bool {
        self.seen
    }

    /// A header in the PAX format. One of them, each key once (security Z15).
    fn extend(&mut self, header: &Header<'_>, data: &[u8]) -> Result<(), ArchiveError> {
        self.take_turn(header)?;
        for (key, value) in records(header, data)? {
            match key.as_str() {
                "path" => self.path = Some(utf8(&value)?),
                "size" => {
                    let size = std::str::from_utf8(&value).ok().and_then(|text| text.parse().ok());
                    self.size = Some(size.ok_or_else(|| odd(header, "its size is not a number"))?);
                }
                "linkpath" => {
                    let entry = self.path.clone().unwrap_or_else(|| shown(header.raw_name()));
                    return Err(ArchiveError::Link { entry });
                }
                key if key.starts_with("GNU.sparse") => {
                    return Err(odd(header, "sparse files are not installed"));
                }
                "hdrcharset" | "charset" => return Err(odd(header, "it changes its encoding")),
                // Times, owners and attributes are not installed.
                _ => {}
            }
        }
        Ok(())
    }

    /// A long name in the way of GNU tar.
    fn long_name(&mut self, header: &Header<'_>, data: &[u8]) -> Result<(), ArchiveError> {
        self.take_turn(header)?;
        let name = data.strip_suffix(&[0]).unwrap_or(data);
        self.path = Some(utf8(name)?);
        Ok(())
    }

    fn take_turn(&mut self, header: &Header<'_>) -> Result<(), ArchiveError> {
        if std::mem::replace(&mut self.seen, true) {
            let reason = "two extended headers are for one entry";
            return Err(ArchiveError::Ambiguous { entry: shown(header.raw_name()), reason });
        }
        Ok(())
    }
}

/// A header for all entries. Only a comment may stand in it, where `git archive` writes the commit;
/// anything else would rename what was already checked (security Z15).
fn global(header: &Header<'_>, data: &[u8]) -> Result<(), ArchiveError> {
    let records = records(header, data)?;
    if records.keys().all(|key| key == "comment") {
        Ok(())
    } else {
        Err(odd(header, "it changes every entry"))
    }
}

/// The records `length key=value\n` of an extended header.
fn records(
    header: &Header<'_>,
    mut data: &[u8],
) -> Result<BTreeMap<String, Vec<u8>>, ArchiveError> {
    let malformed = || odd(header, "its records cannot be read");
    let mut records = BTreeMap::new();
    while !data.is_empty() {
        let blank = data.iter().position(|byte| *byte == b' ').ok_or_else(malformed)?;
        let digits = std::str::from_utf8(&data[..blank]).map_err(|_| malformed())?;
        let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        let length: usize = if plain { digits.parse().map_err(|_| malformed())? } else { 0 };
        let record = data.get(blank + 1..length).ok_or_else(malformed)?;
        let record = record.strip_suffix(b"\n").ok_or_else(malformed)?;
        let equals = record.iter().position(|byte| *byte == b'=').ok_or_else(malformed)?;
        let key = utf8(&record[..equals])?;
        if records.insert(key, record[equals + 1..].to_vec()).is_some() {
            let reason = "an extended header says something twice";
            return Err(ArchiveError::Ambiguous { entry: shown(header.raw_name()), reason });
        }
        data = &data[length..];
    }
    Ok(records)
}

fn odd(header: &Header<'_>, reason: &'static str) -> ArchiveError {
    ArchiveError::Header { entry: shown(header.raw_name()), reason }
}

fn utf8(bytes: &[u8]) -> Result<String, ArchiveError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(ArchiveError::NotUtf8 { entry: shown(bytes) }),
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    /// The next header, or `None` at the end: two blocks of zeros, and zeros to the last byte.
    fn header(&mut self) -> Result<Option<Header<'b>>, ArchiveError> {
        let place = "the next header";
        let block = self.take(BLOCK, place)?;
        if block.iter().any(|byte| *byte != 0) {
            return Ok(Some(Header(block)));
        }
        self.take(BLOCK, "the end")?;
        if self.bytes[self.at - BLOCK..].iter().any(|byte| *byte != 0) {
            let reason = "there is more after its end";
            return Err(ArchiveError::Ambiguous { entry: "the archive".to_owned(), reason });
        }
        Ok(None)
    }

    fn extended(&mut self, header: &Header<'_>) -> Result<&'b [u8], ArchiveError> {
        let name = shown(header.raw_name());
        let size = header.size(&name)?;
        if size > MAX_EXTENDED {
            return Err(odd(header, "it is longer than any path can be"));
        }
        self.contents(size, &name)
    }

    /// The contents of an entry, without the padding after them.
    fn contents(&mut self, size: u64, name: &str) -> Result<&'b [u8], ArchiveError> {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let contents = self.take(size, name)?;
        self.take((BLOCK - size % BLOCK) % BLOCK, name)?;
        Ok(contents)
    }

    fn take(&mut self, count: usize, place: &str) -> Result<&'b [u8], ArchiveError> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len());
        let Some(end) = end else {
            return Err(ArchiveError::Truncated { place: place.to_owned() });
        };
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }
}

/// One block that says what follows.
struct Header<'b>(&'b [u8]);

impl<'b> Header<'b> {
    /// The sum of all bytes, with blanks for the sum itself, must be what it says.
    fn verify(&self) -> Result<(), ArchiveError> {
        let blanks = 8 * u64::from(b' ');
        let others = self.0[..148].iter().chain(&self.0[156..]);
        let sum = blanks + others.map(|byte| u64::from(*byte)).sum::<u64>();
        if self.octal(148..156) == Some(sum) {
            Ok(())
        } else {
            Err(ArchiveError::Checksum { entry: shown(self.raw_name()) })
        }
    }

    fn kind(&self) -> u8 {
        self.0[156]
    }

    fn size(&self, name: &str) -> Result<u64, ArchiveError> {
        let reason = "its size is not an octal number";
        self.octal(124..136).ok_or_else(|| ArchiveError::Header { entry: name.to_owned(), reason })
    }

    /// The name up to its first NUL.
    fn raw_name(&self) -> &'b [u8] {
        self.0[..100].split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// The name with the prefix that the POSIX format has for long ones.
    fn name(&self) -> Result<String, ArchiveError> {
        let name = self.field(0..100)?;
        let posix = self.0[257..263] == *b"ustar\0";
        let prefix = if posix { self.field(345..500)? } else { String::new() };
        Ok(if prefix.is_empty() { name } else { format!("{prefix}/{name}") })
    }

    /// Text up to the first NUL. What follows it must be NUL too: a reader that goes on would see
    /// another name.
    fn field(&self, range: std::ops::Range<usize>) -> Result<String, ArchiveError> {
        let field = &self.0[range];
        let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
        if field[end..].iter().any(|byte| *byte != 0) {
            let reason = "its name goes on after a NUL";
            return Err(ArchiveError::Ambiguous { entry: shown(&field[..end]), reason });
        }
        utf8(&field[..end])
    }

    fn octal(&self, range: std::ops::Range<usize>) -> Option<u64> {
        let text = std::str::from_utf8(&self.0[range]).ok()?;
        let text = text.trim_matches(['\0', ' ']);
        let plain = text.bytes().all(|digit| matches!(digit, b'0'..=b'7'));
        match text {
            "" => Some(0),
            text if plain => u64::from_str_radix(text, 8).ok(),
            _ => None,
        }
    }
}
