//! The zip file of an FMU: reproducible, and readable by every importer.
//!
//! The archive uses deflate only, forward slashes, no zip64 and no data descriptors. Time stamps are fixed at the start
//! of the zip epoch. All archives are marked as made on Unix, so that libraries stay executable. Equal entries
//! therefore give equal bytes on every system. The archive is built in memory (some megabytes) and replaces its
//! destination when it is complete.
//!
//! The writer is our own: it copies contents that are compressed already ([`Compressed`]), and it needs no random
//! numbers, which WebAssembly does not have. A test compares its bytes with the crate `zip`. Format: APPNOTE 6.3.10 of
//! PKWARE, sections 4.3.7, 4.3.12 and 4.3.16.

use ballesta_files::output_file;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

/// Compressed content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compressed {
    /// Checksum of the content (CRC-32).
    pub crc: u32,
    /// Size of the content in bytes.
    pub size: usize,
    /// The content as a raw deflate stream.
    pub deflated: Vec<u8>,
}

impl Compressed {
    /// Compresses `bytes`.
    pub fn new(bytes: &[u8]) -> Compressed {
        let mut crc = Crc::new();
        crc.update(bytes);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).expect(IN_MEMORY);
        Compressed { crc: crc.sum(), size: bytes.len(), deflated: encoder.finish().expect(IN_MEMORY) }
    }
}

const IN_MEMORY: &str = "writing to a Vec cannot fail";

/// A file of the archive.
pub struct Entry {
    /// Path inside the archive, with forward slashes.
    pub path: String,
    /// Whether file systems should mark it as executable (shared libraries).
    pub executable: bool,
    content: Compressed,
}

impl Entry {
    /// A plain file.
    pub fn new(path: impl Into<String>, bytes: impl AsRef<[u8]>) -> Entry {
        Entry { path: path.into(), executable: false, content: Compressed::new(bytes.as_ref()) }
    }

    /// A shared library.
    pub fn library(path: impl Into<String>, bytes: impl AsRef<[u8]>) -> Entry {
        Entry { executable: true, ..Entry::new(path, bytes) }
    }

    /// A shared library that is compressed already.
    pub fn compressed_library(path: impl Into<String>, content: Compressed) -> Entry {
        Entry { path: path.into(), executable: true, content }
    }
}

/// An archive in memory.
pub struct Archive(Vec<u8>);

/// Version 2.0 of the format: deflate.
const VERSION: u16 = 20;
/// Made on Unix.
const UNIX: u16 = 3 << 8;
const UTF8_NAME: u16 = 1 << 11;
const DEFLATE: u16 = 8;
/// 1 January 1980, 0:00.
const DATE: u16 = 1 << 5 | 1;
/// A regular file, in the mode of Unix.
const REGULAR: u32 = 0o100_000;

impl Archive {
    /// Archive of `entries` in their order.
    ///
    /// # Errors
    /// Two entries with one path, and sizes that the format without zip64 does not have.
    pub fn new(entries: &[Entry]) -> io::Result<Archive> {
        let too_large = |_| io::Error::other("too large for a zip file without zip64");
        let mut paths = BTreeSet::new();
        let (mut zip, mut directory) = (Vec::new(), Vec::new());
        for Entry { path, executable, content } in entries {
            if !paths.insert(path) {
                return Err(io::Error::other(format!("two files at {path}")));
            }
            let offset = u32::try_from(zip.len()).map_err(too_large)?;
            // The part that the local header and the directory share.
            let mut shared = Vec::new();
            let flags = if path.is_ascii() { 0 } else { UTF8_NAME };
            put16(&mut shared, &[VERSION, flags, DEFLATE, 0, DATE]);
            put32(&mut shared, content.crc);
            put32(&mut shared, u32::try_from(content.deflated.len()).map_err(too_large)?);
            put32(&mut shared, u32::try_from(content.size).map_err(too_large)?);
            put16(&mut shared, &[u16::try_from(path.len()).map_err(too_large)?, 0]);
            // Local header, name, content.
            zip.extend(b"PK\x03\x04");
            zip.extend(&shared);
            zip.extend(path.as_bytes());
            zip.extend(&content.deflated);
            // Entry of the directory: no comment, first disk, no internal attributes.
            let mode = REGULAR | if *executable { 0o755 } else { 0o644 };
            directory.extend(b"PK\x01\x02");
            put16(&mut directory, &[UNIX | VERSION]);
            directory.extend(&shared);
            put16(&mut directory, &[0; 3]);
            put32(&mut directory, mode << 16);
            put32(&mut directory, offset);
            directory.extend(path.as_bytes());
        }
        let count = u16::try_from(entries.len()).map_err(too_large)?;
        let offset = u32::try_from(zip.len()).map_err(too_large)?;
        zip.extend(&directory);
        zip.extend(b"PK\x05\x06");
        put16(&mut zip, &[0, 0, count, count]);
        put32(&mut zip, u32::try_from(directory.len()).map_err(too_large)?);
        put32(&mut zip, offset);
        put16(&mut zip, &[0]);
        Ok(Archive(zip))
    }

    /// The zip file.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// Writes the archive to `out` and replaces it in one step. On an error `out` is unchanged.
    pub fn write(&self, out: &Path) -> io::Result<()> {
        output_file::replace(out, &self.0)
    }
}

fn put16(bytes: &mut Vec<u8>, words: &[u16]) {
    words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
}

fn put32(bytes: &mut Vec<u8>, word: u32) {
    bytes.extend(word.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Cursor;
    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, DateTime, System, ZipWriter};

    #[test]
    fn a_failed_write_leaves_the_old_file_alone() {
        let folder = std::env::temp_dir().join(format!("ballesta-archive-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let out = folder.join("model.fmu");
        fs::write(&out, "old").unwrap();
        // A repeated path is an error of the second entry, after the first was written.
        let twice = [Entry::new("a.txt", "1"), Entry::new("a.txt", "2")];
        assert!(Archive::new(&twice).is_err());
        // A folder at the destination, where no file can be written.
        assert!(Archive::new(&twice[..1]).unwrap().write(&folder).is_err());
        assert_eq!(fs::read_to_string(&out).unwrap(), "old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_is_no_destination() {
        assert!(Archive::new(&[]).unwrap().write(Path::new("/")).is_err());
    }

    #[test]
    fn the_bytes_are_those_of_the_crate_zip() {
        let long: Vec<u8> = (0..300_000_u32).map(|k| (k * k % 251) as u8).collect();
        let files: [(&str, &[u8], bool); 4] =
            [("a.txt", b"1", false), ("b/c.so", &long, true), ("ä.txt", b"", false), ("d", &[7; 5000], false)];
        for count in 0..=files.len() {
            let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
            for (path, bytes, executable) in &files[..count] {
                let options = SimpleFileOptions::default()
                    .compression_method(CompressionMethod::Deflated)
                    .last_modified_time(DateTime::default())
                    .large_file(false)
                    .system(System::Unix)
                    .unix_permissions(if *executable { 0o755 } else { 0o644 });
                zip.start_file(*path, options).unwrap();
                zip.write_all(bytes).unwrap();
            }
            let entry = |(path, bytes, executable): &(&str, &[u8], bool)| match executable {
                true => Entry::compressed_library(*path, Compressed::new(bytes)),
                false => Entry::new(*path, bytes),
            };
            let own = Archive::new(&files[..count].iter().map(entry).collect::<Vec<_>>()).unwrap();
            assert!(own.0 == zip.finish().unwrap().into_inner(), "{count} files");
        }
    }
}
