//! Turns a zip into a tree of files, where every reader must come to the same result or none.

use super::{ArchiveError, shown};
use crate::install::package_limits::PackageLimits;
use crate::install::tree::{FileTree, TreeBuilder};
use flate2::{Crc, Decompress, FlushDecompress, Status};

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x07";
const DESCRIPTOR: &[u8] = b"PK\x07\x08";

/// Size of the record at the end, without its comment.
const END_BYTES: usize = 22;
/// The most entries a reader looks at before it counts: names alone must not fill the memory.
const MAX_ENTRIES: usize = u16::MAX as usize;

/// Sizes and checksums stand after the data, not before it.
const FLAG_DESCRIPTOR: u16 = 1 << 3;
const FLAG_UTF8: u16 = 1 << 11;
/// Encrypted, strongly encrypted, with a masked directory.
const FLAGS_ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;

/// The archive as such, in errors.
fn archive(reason: &'static str) -> ArchiveError {
    ArchiveError::Ambiguous { entry: "the archive".to_owned(), reason }
}

/// Reads all entries. Local headers and the directory must agree, entries must follow one another
/// without a gap from the first byte to the directory, and the directory must end at the end record,
/// of which there is one (security Z14).
pub(super) fn read(bytes: &[u8], limits: &PackageLimits) -> Result<FileTree, ArchiveError> {
    let end = find_end(bytes)?;
    let mut entries = directory(bytes, &end)?;
    let announced: u64 = entries.iter().map(|entry| u64::from(entry.size)).sum();
    let most = limits.ratio.saturating_mul(bytes.len() as u64);
    // What is announced is compared with what is unpacked, so a lie ends as badly as the truth.
    if announced > limits.ratio_from && announced > most {
        return Err(ArchiveError::Bomb { ratio: limits.ratio });
    }
    entries.sort_by_key(|entry| entry.offset);
    let mut tree = FileTree::builder(limits);
    let mut at = 0;
    for entry in &entries {
        if entry.offset as usize != at {
            return Err(archive("its entries overlap, or something stands between them"));
        }
        at = entry.unpack(bytes, end.directory, &mut tree)?;
    }
    if at != end.directory {
        return Err(archive("something stands between its entries and its directory"));
    }
    Ok(tree.finish()?)
}

/// Where the directory of an archive is.
struct End {
    directory: usize,
    at: usize,
    entries: usize,
}

/// Finds the one end record. An archive that is stored inside has one too, but neither the last one nor
/// one that reaches to the last byte.
fn find_end(bytes: &[u8]) -> Result<End, ArchiveError> {
    let truncated = || ArchiveError::Truncated { place: "the end of the archive".to_owned() };
    let tail = bytes.len().saturating_sub(END_BYTES + usize::from(u16::MAX));
    let found: Vec<usize> = (tail..bytes.len().saturating_sub(END.len() - 1))
        .filter(|at| bytes[*at..].starts_with(END))
        .collect();
    let reaches_the_end = |at: &&usize| {
        let comment = Fields { bytes, at: **at + END_BYTES - 2 }.u16();
        comment.is_some_and(|comment| **at + END_BYTES + usize::from(comment) == bytes.len())
    };
    let whole: Vec<usize> = found.iter().filter(reaches_the_end).copied().collect();
    let at = match (found.last(), &whole[..]) {
        (None, _) => return Err(truncated()),
        (Some(last), _) if last + END_BYTES > bytes.len() && whole.is_empty() => {
            return Err(truncated());
        }
        (_, []) => return Err(archive("there is more after its end, or less than it says")),
        (Some(last), [only]) if last == only => *only,
        _ => return Err(archive("it has more than one end")),
    };
    let mut fields = Fields { bytes, at: at + END.len() };
    let numbers = [fields.u16(), fields.u16(), fields.u16(), fields.u16()];
    let [Some(disk), Some(first_disk), Some(here), Some(entries)] = numbers else {
        return Err(truncated());
    };
    let (Some(size), Some(directory)) = (fields.u32(), fields.u32()) else {
        return Err(truncated());
    };
    if (disk, first_disk) != (0, 0) || here != entries {
        return Err(archive("it is one part of several"));
    }
    let is_64 = at.checked_sub(20).is_some_and(|at| bytes[at..].starts_with(END_64));
    if is_64 || entries == u16::MAX || size == u32::MAX || directory == u32::MAX {
        let reason = "it has the format for more than 4 GiB";
        return Err(ArchiveError::Header { entry: "the archive".to_owned(), reason });
    }
    let directory = directory as usize;
    if directory.checked_add(size as usize) != Some(at) {
        return Err(archive("its directory is not where its end says"));
    }
    Ok(End { directory, at, entries: usize::from(entries).min(MAX_ENTRIES) })
}

/// What the directory says of an entry.
struct Entry<'b> {
    name: &'b [u8],
    /// The name as it is shown in errors.
    shown: String,
    flags: u16,
    method: u16,
    checksum: u32,
    packed: u32,
    size: u32,
    offset: u32,
    /// The mode, when a Unix has written the archive.
    mode: Option<u32>,
    /// Whether the attributes of DOS say that it is a folder.
    dos_folder: bool,
}

fn directory<'b>(bytes: &'b [u8], end: &End) -> Result<Vec<Entry<'b>>, ArchiveError> {
    let mut fields = Fields { bytes: &bytes[..end.at], at: end.directory };
    let mut entries = Vec::new();
    for _ in 0..end.entries {
        let entry = fields.central().ok_or_else(|| archive("its directory cannot be read"))?;
        check_extra(entry.1, &entry.0.shown)?;
        entries.push(entry.0);
    }
    if fields.at != end.at {
        return Err(archive("its directory has more entries than its end says"));
    }
    Ok(entries)
}

/// Extra fields may hold times and owners. Those that hold another name or other sizes are refused.
fn check_extra(mut extra: &[u8], entry: &str) -> Result<(), ArchiveError> {
    while let [a, b, c, d, rest @ ..] = extra {
        let kind = u16::from_le_bytes([*a, *b]);
        let size = usize::from(u16::from_le_bytes([*c, *d]));
        let ambiguous = |reason| ArchiveError::Ambiguous { entry: entry.to_owned(), reason };
        match kind {
            0x0001 => return Err(ambiguous("it has two sizes")),
            0x7075 | 0x6375 => return Err(ambiguous("it has two names")),
            0x9901 => return Err(ArchiveError::Encrypted { entry: entry.to_owned() }),
            _ => {}
        }
        extra = rest.get(size..).ok_or_else(|| ambiguous("an extra field has no end"))?;
    }
    Ok(())
}

impl Entry<'_> {
    /// Adds the entry to the tree, and says where the next one starts.
    fn unpack(
        &self,
        bytes: &[u8],
        end: usize,
        tree: &mut TreeBuilder,
    ) -> Result<usize, ArchiveError> {
        let name = self.check_name()?;
        let is_folder = self.check_kind(name)?;
        tree.announce(name, u64::from(self.size))?;
        let mut fields = Fields { bytes: &bytes[..end], at: self.offset as usize };
        self.check_local(&mut fields)?;
        let truncated = || ArchiveError::Truncated { place: name.to_owned() };
        let packed = fields.take(self.packed as usize).ok_or_else(truncated)?;
        self.check_descriptor(&mut fields)?;
        if is_folder {
            if self.size != 0 || self.packed != 0 {
                return Err(self.header("it is a folder with contents"));
            }
            tree.add_folder(name)?;
        } else {
            let contents = self.contents(packed)?;
            let executable = self.mode.is_some_and(|mode| mode & 0o111 != 0);
            tree.add_file(name, contents, executable)?;
        }
        Ok(fields.at)
    }

    fn check_name(&self) -> Result<&str, ArchiveError> {
        let encoded = self.flags & FLAG_UTF8 != 0 || self.name.is_ascii();
        match std::str::from_utf8(self.name) {
            Ok(name) if encoded => Ok(name),
            // Without the flag the name is in a code page, and which one is anybody's guess.
            _ => Err(ArchiveError::NotUtf8 { entry: self.shown.clone() }),
        }
    }

    /// Whether it is a folder. What is neither that nor a file is refused.
    fn check_kind(&self, name: &str) -> Result<bool, ArchiveError> {
        let entry = self.shown.clone();
        if self.flags & FLAGS_ENCRYPTED != 0 || self.method == 99 {
            return Err(ArchiveError::Encrypted { entry });
        }
        if !matches!(self.method, 0 | 8) {
            return Err(self.header("it is compressed in a way that is not known"));
        }
        let mode = self.mode.unwrap_or_default();
        let told = match mode & 0o170_000 {
            0 if self.mode.is_none() => Some(self.dos_folder),
            0 => None,
            0o100_000 => Some(false),
            0o040_000 => Some(true),
            0o120_000 => return Err(ArchiveError::Link { entry }),
            _ => return Err(ArchiveError::Special { entry }),
        };
        let is_folder = name.ends_with('/');
        if told.is_some_and(|told| told != is_folder) && (is_folder || told == Some(true)) {
            // A reader may go by the name or by the attributes. Writers on DOS forget the latter.
            if !(is_folder && self.mode.is_none()) {
                return Err(self.ambiguous("it is a file and a folder"));
            }
        }
        if !is_folder && mode & 0o6000 != 0 {
            return Err(ArchiveError::Privileged { entry });
        }
        Ok(is_folder)
    }

    /// The header before the data must say what the directory says.
    fn check_local(&self, fields: &mut Fields<'_>) -> Result<(), ArchiveError> {
        let local = fields.local().ok_or_else(|| self.ambiguous("its own header is missing"))?;
        if local.name != self.name {
            return Err(self.ambiguous("its own header has another name"));
        }
        if (local.flags, local.method) != (self.flags, self.method) {
            return Err(self.ambiguous("its own header says that it is packed otherwise"));
        }
        check_extra(local.extra, &self.shown)?;
        let own = (local.checksum, local.packed, local.size);
        let later = self.flags & FLAG_DESCRIPTOR != 0 && own == (0, 0, 0);
        if !later && own != (self.checksum, self.packed, self.size) {
            return Err(self.ambiguous("its own header has other sizes"));
        }
        Ok(())
    }

    /// What stands after the data must say the same once more.
    fn check_descriptor(&self, fields: &mut Fields<'_>) -> Result<(), ArchiveError> {
        if self.flags & FLAG_DESCRIPTOR == 0 {
            return Ok(());
        }
        let missing = || self.ambiguous("the sizes after its data are missing");
        if fields.bytes[fields.at..].starts_with(DESCRIPTOR) {
            fields.at += DESCRIPTOR.len();
        }
        let told = (fields.u32(), fields.u32(), fields.u32());
        let (Some(checksum), Some(packed), Some(size)) = told else { return Err(missing()) };
        if (checksum, packed, size) == (self.checksum, self.packed, self.size) {
            Ok(())
        } else {
            Err(self.ambiguous("the sizes after its data are others"))
        }
    }

    /// The bytes of the file: exactly as many as were announced, from exactly as many as there are.
    fn contents(&self, packed: &[u8]) -> Result<Vec<u8>, ArchiveError> {
        let contents = match self.method {
            0 => packed.to_vec(),
            _ => self.inflate(packed)?,
        };
        if contents.len() != self.size as usize {
            return Err(self.ambiguous("its size is not the one that was announced"));
        }
        let mut checksum = Crc::new();
        checksum.update(&contents);
        if checksum.sum() == self.checksum {
            Ok(contents)
        } else {
            Err(ArchiveError::Checksum { entry: self.shown.clone() })
        }
    }

    fn inflate(&self, packed: &[u8]) -> Result<Vec<u8>, ArchiveError> {
        let damaged = || ArchiveError::Damaged { entry: self.shown.clone() };
        // One byte more than announced tells that there is more.
        let mut contents = Vec::with_capacity(self.size as usize + 1);
        let mut inflate = Decompress::new(false);
        let status = inflate
            .decompress_vec(packed, &mut contents, FlushDecompress::Finish)
            .map_err(|_| damaged())?;
        if contents.len() > self.size as usize {
            return Err(self.ambiguous("its size is not the one that was announced"));
        }
        if status != Status::StreamEnd {
            return Err(damaged());
        }
        if inflate.total_in() == packed.len() as u64 {
            Ok(contents)
        } else {
            Err(self.ambiguous("there is more after its compressed data"))
        }
    }

    fn ambiguous(&self, reason: &'static str) -> ArchiveError {
        ArchiveError::Ambiguous { entry: self.shown.clone(), reason }
    }

    fn header(&self, reason: &'static str) -> ArchiveError {
        ArchiveError::Header { entry: self.shown.clone(), reason }
    }
}

/// What the header before the data says.
struct Local<'b> {
    name: &'b [u8],
    extra: &'b [u8],
    flags: u16,
    method: u16,
    checksum: u32,
    packed: u32,
    size: u32,
}

/// Little-endian numbers, one after the other.
struct Fields<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Fields<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2)?.try_into().ok().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_le_bytes)
    }

    fn local(&mut self) -> Option<Local<'b>> {
        (self.take(4)? == LOCAL).then_some(())?;
        self.u16()?;
        let (flags, method) = (self.u16()?, self.u16()?);
        self.take(4)?;
        let (checksum, packed, size) = (self.u32()?, self.u32()?, self.u32()?);
        let (name, extra) = (self.u16()?, self.u16()?);
        let (name, extra) = (self.take(name.into())?, self.take(extra.into())?);
        Some(Local { name, extra, flags, method, checksum, packed, size })
    }

    /// An entry of the directory, and its extra fields.
    fn central(&mut self) -> Option<(Entry<'b>, &'b [u8])> {
        (self.take(4)? == CENTRAL).then_some(())?;
        let [_, system] = self.take(2)? else { return None };
        self.u16()?;
        let (flags, method) = (self.u16()?, self.u16()?);
        self.take(4)?;
        let (checksum, packed, size) = (self.u32()?, self.u32()?, self.u32()?);
        let (name, extra, comment) = (self.u16()?, self.u16()?, self.u16()?);
        self.take(4)?;
        let (attributes, offset) = (self.u32()?, self.u32()?);
        let (name, extra) = (self.take(name.into())?, self.take(extra.into())?);
        self.take(comment.into())?;
        let entry = Entry {
            name,
            shown: shown(name),
            flags,
            method,
            checksum,
            packed,
            size,
            offset,
            // 3 is Unix, 19 is macOS.
            mode: matches!(system, 3 | 19).then_some(attributes >> 16),
            dos_folder: attributes & 0x10 != 0,
        };
        Some((entry, extra))
    }
}
