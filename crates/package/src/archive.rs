//! The zip file of an FMU: reproducible, and readable by every importer.
//!
//! The archive uses deflate only, forward slashes, no zip64 and no data descriptors. Time stamps are fixed at the start
//! of the zip epoch. All archives are marked as made on Unix, so that libraries stay executable. Equal entries
//! therefore give equal bytes on every system. The archive is built in memory (some megabytes) and replaces its
//! destination when it is complete.

use ballesta_files::output_file;
use std::io::{self, Cursor, Read, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipArchive, ZipWriter};

/// A file of the archive.
pub struct Entry {
    /// Path inside the archive, with forward slashes.
    pub path: String,
    /// Whether file systems should mark it as executable (shared libraries).
    pub executable: bool,
    content: Content,
}

enum Content {
    Plain(Vec<u8>),
    /// The first entry of an archive.
    Packed(Archive),
}

impl Entry {
    /// A plain file.
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Entry {
        Entry { path: path.into(), executable: false, content: Content::Plain(bytes.into()) }
    }

    /// A shared library.
    pub fn library(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Entry {
        Entry { executable: true, ..Entry::new(path, bytes) }
    }

    /// A shared library that is compressed already: the first entry of `archive`.
    pub fn packed(path: impl Into<String>, archive: Archive) -> Entry {
        Entry { path: path.into(), executable: true, content: Content::Packed(archive) }
    }
}

/// An archive in memory. Entries are compressed once: the libraries dominate the size of an FMU and the time of its
/// export.
#[derive(Clone)]
pub struct Archive(Vec<u8>);

impl Archive {
    /// Archive of `entries` in their order.
    pub fn new(entries: &[Entry]) -> io::Result<Archive> {
        add(ZipWriter::new(Cursor::new(Vec::new())), entries)
    }

    /// This archive with further `entries` at its end.
    pub fn with(&self, entries: &[Entry]) -> io::Result<Archive> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let mut own = ZipArchive::new(Cursor::new(&self.0))?;
        for index in 0..own.len() {
            zip.raw_copy_file(own.by_index_raw(index)?)?;
        }
        add(zip, entries)
    }

    /// The archive of a zip file, which is checked when it is read.
    pub fn from_bytes(bytes: Vec<u8>) -> Archive {
        Archive(bytes)
    }

    /// The zip file.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Path, content and an archive of its own for every entry.
    pub fn split(&self) -> io::Result<Vec<(String, Vec<u8>, Archive)>> {
        let mut own = ZipArchive::new(Cursor::new(&self.0))?;
        let count = own.len();
        let entry = |index| {
            let mut bytes = Vec::new();
            own.by_index(index)?.read_to_end(&mut bytes)?;
            let raw = own.by_index_raw(index)?;
            let path = raw.name()?.to_string();
            let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
            zip.raw_copy_file(raw)?;
            Ok((path, bytes, Archive(zip.finish()?.into_inner())))
        };
        (0..count).map(entry).collect()
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

fn add(mut zip: ZipWriter<Cursor<Vec<u8>>>, entries: &[Entry]) -> io::Result<Archive> {
    for entry in entries {
        let bytes = match &entry.content {
            Content::Plain(bytes) => bytes,
            Content::Packed(archive) => {
                let mut packed = ZipArchive::new(Cursor::new(&archive.0))?;
                zip.raw_copy_file_rename(packed.by_index_raw(0)?, entry.path.as_str())?;
                continue;
            }
        };
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .large_file(false)
            .system(System::Unix)
            .unix_permissions(if entry.executable { 0o755 } else { 0o644 });
        zip.start_file(entry.path.as_str(), options)?;
        zip.write_all(bytes)?;
    }
    Ok(Archive(zip.finish()?.into_inner()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_failed_write_leaves_the_old_file_alone() {
        let folder = std::env::temp_dir().join(format!("ballesta-archive-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let out = folder.join("model.fmu");
        fs::write(&out, "old").unwrap();
        // A repeated path is an error of the second entry, after the first was written.
        let twice = [Entry::new("a.txt", "1"), Entry::new("a.txt", "2")];
        assert!(Archive::new(&twice).is_err());
        assert!(Archive::new(&twice[..1]).unwrap().with(&twice[1..]).is_err());
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
    fn an_archive_in_two_parts_is_the_archive_in_one() {
        let entries = [Entry::new("a.txt", "1".repeat(1000)), Entry::library("b/c.so", "2"), Entry::new("ä.txt", "3")];
        let whole = Archive::new(&entries).unwrap();
        for split in 0..=entries.len() {
            let (first, second) = entries.split_at(split);
            let parts = Archive::new(first).unwrap().with(second).unwrap();
            assert!(parts.0 == whole.0, "split at {split}");
        }
        assert_eq!(whole.size(), whole.0.len());
    }

    #[test]
    fn a_compressed_library_gives_the_bytes_of_the_library() {
        let (name, bytes) = ("binaries/ä/model.so", "library".repeat(1000));
        let packed = Archive::new(&[Entry::library("x86_64-linux", bytes.clone())]).unwrap();
        let entries = |library| [Entry::new("a.txt", "1"), library, Entry::new("b.txt", "2")];
        let direct = Archive::new(&entries(Entry::library(name, bytes.clone()))).unwrap();
        let copied = Archive::new(&entries(Entry::packed(name, packed.clone()))).unwrap();
        assert!(direct.0 == copied.0);
        // Split, and copied once more.
        let mut parts = copied.split().unwrap();
        assert_eq!(parts.iter().map(|part| part.0.as_str()).collect::<Vec<_>>(), ["a.txt", name, "b.txt"]);
        let (_, content, library) = parts.swap_remove(1);
        assert!(content == bytes.as_bytes());
        assert!(Archive::new(&entries(Entry::packed(name, library))).unwrap().0 == direct.0);
    }
}
