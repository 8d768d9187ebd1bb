//! Turns a list of entries into the bytes of a tar or a zip, hostile ones included.

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use std::io::Write as _;

/// One entry of a tar.
#[derive(Clone)]
pub(crate) struct TarEntry {
    pub(crate) name: Vec<u8>,
    pub(crate) kind: u8,
    pub(crate) mode: u32,
    pub(crate) link: &'static str,
    pub(crate) data: Vec<u8>,
    /// The size in the header, when it is not that of the data.
    pub(crate) size: Option<u64>,
}

impl TarEntry {
    pub(crate) fn file(name: &str, data: impl Into<Vec<u8>>) -> Self {
        let (kind, mode, link) = (b'0', 0o644, "");
        Self { name: name.into(), kind, mode, link, data: data.into(), size: None }
    }

    pub(crate) fn kind(self, kind: u8) -> Self {
        Self { kind, ..self }
    }

    pub(crate) fn mode(self, mode: u32) -> Self {
        Self { mode, ..self }
    }

    pub(crate) fn link(self, link: &'static str) -> Self {
        Self { link, ..self }
    }

    /// An extended header with these records.
    pub(crate) fn extended(kind: u8, records: &[(&str, &str)]) -> Self {
        let mut data = Vec::new();
        for (key, value) in records {
            let rest = format!(" {key}={value}\n");
            let mut length = rest.len() + 1;
            while length.to_string().len() + rest.len() != length {
                length += 1;
            }
            data.extend(format!("{length}{rest}").into_bytes());
        }
        Self::file("PaxHeaders/x", data).kind(kind)
    }
}

/// A tar in the POSIX format.
pub(crate) fn tar(entries: &[TarEntry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        let mut header = [0_u8; 512];
        header[..entry.name.len().min(100)]
            .copy_from_slice(&entry.name[..entry.name.len().min(100)]);
        let size = entry.size.unwrap_or(entry.data.len() as u64);
        header[100..107].copy_from_slice(format!("{:07o}", entry.mode).as_bytes());
        header[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
        header[156] = entry.kind;
        header[157..157 + entry.link.len()].copy_from_slice(entry.link.as_bytes());
        header[257..265].copy_from_slice(b"ustar\x0000");
        seal(&mut header);
        bytes.extend(header);
        bytes.extend(&entry.data);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

/// Writes the checksum into the header.
pub(crate) fn seal(header: &mut [u8]) {
    header[148..156].fill(b' ');
    let sum: u32 = header[..512].iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// One entry of a zip. The fields may be set to lies.
#[derive(Clone)]
pub(crate) struct ZipEntry {
    pub(crate) name: Vec<u8>,
    /// The name in the header before the data.
    pub(crate) local_name: Vec<u8>,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) checksum: u32,
    pub(crate) size: u32,
    pub(crate) local_size: u32,
    pub(crate) packed: Vec<u8>,
    pub(crate) system: u8,
    pub(crate) attributes: u32,
    pub(crate) extra: Vec<u8>,
    /// What stands before the header, though nothing should.
    pub(crate) before: Vec<u8>,
}

impl ZipEntry {
    pub(crate) fn file(name: &str, data: &[u8]) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).unwrap();
        let mut crc = flate2::Crc::new();
        crc.update(data);
        Self {
            name: name.into(),
            local_name: name.into(),
            flags: if name.is_ascii() { 0 } else { 1 << 11 },
            method: 8,
            checksum: crc.sum(),
            size: data.len() as u32,
            local_size: data.len() as u32,
            packed: encoder.finish().unwrap(),
            system: 3,
            attributes: 0o100_644 << 16,
            extra: Vec::new(),
            before: Vec::new(),
        }
    }

    pub(crate) fn stored(name: &str, data: &[u8]) -> Self {
        Self { method: 0, packed: data.to_vec(), ..Self::file(name, data) }
    }

    pub(crate) fn mode(self, mode: u32) -> Self {
        Self { attributes: mode << 16, ..self }
    }

    fn local(&self) -> Vec<u8> {
        let later = self.flags & 8 != 0;
        let number = |value: u32| if later { 0 } else { value };
        let mut bytes = b"PK\x03\x04\x14\0".to_vec();
        bytes.extend(self.flags.to_le_bytes());
        bytes.extend(self.method.to_le_bytes());
        bytes.extend([0; 4]);
        for value in [self.checksum, self.packed.len() as u32, self.local_size] {
            bytes.extend(number(value).to_le_bytes());
        }
        bytes.extend((self.local_name.len() as u16).to_le_bytes());
        bytes.extend(0_u16.to_le_bytes());
        bytes.extend(&self.local_name);
        bytes.extend(&self.packed);
        if later {
            bytes.extend(b"PK\x07\x08");
            for value in [self.checksum, self.packed.len() as u32, self.local_size] {
                bytes.extend(value.to_le_bytes());
            }
        }
        bytes
    }

    fn central(&self, offset: u32) -> Vec<u8> {
        let mut bytes = b"PK\x01\x02\x14".to_vec();
        bytes.extend([self.system, 20, 0]);
        bytes.extend(self.flags.to_le_bytes());
        bytes.extend(self.method.to_le_bytes());
        bytes.extend([0; 4]);
        for value in [self.checksum, self.packed.len() as u32, self.size] {
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend((self.name.len() as u16).to_le_bytes());
        bytes.extend((self.extra.len() as u16).to_le_bytes());
        bytes.extend([0; 6]);
        bytes.extend(self.attributes.to_le_bytes());
        bytes.extend(offset.to_le_bytes());
        bytes.extend(&self.name);
        bytes.extend(&self.extra);
        bytes
    }
}

pub(crate) fn zip(entries: &[ZipEntry]) -> Vec<u8> {
    zip_with(entries, &[], b"")
}

/// A zip with `gap` between its entries and its directory, and a comment at its end.
pub(crate) fn zip_with(entries: &[ZipEntry], gap: &[u8], comment: &[u8]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        bytes.extend(&entry.before);
        directory.extend(entry.central(bytes.len() as u32));
        bytes.extend(entry.local());
    }
    bytes.extend(gap);
    let start = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([(entries.len() as u16).to_le_bytes(); 2].concat());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend((comment.len() as u16).to_le_bytes());
    bytes.extend(comment);
    bytes
}
