//! The zip file of an FMU: reproducible, and readable by every importer.
//!
//! Deflate only, no zip64, forward slashes, no data descriptors, time stamps fixed at the start of the zip epoch: the same
//! entries give the same bytes. The archive is made in memory, some megabytes, and takes the place of its destination when it is complete.

use super::output_file;
use std::io::{self, Cursor, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// A file of the archive.
pub struct Entry {
    /// Path inside the archive, with forward slashes.
    pub path: String,
    /// Contents.
    pub bytes: Vec<u8>,
    /// Whether file systems should mark it as executable (shared libraries).
    pub executable: bool,
}

impl Entry {
    /// A plain file.
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Entry {
        Entry { path: path.into(), bytes: bytes.into(), executable: false }
    }

    /// A shared library.
    pub fn library(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Entry {
        Entry { executable: true, ..Entry::new(path, bytes) }
    }
}

/// Writes `entries` in their order to `out`, replacing it in one step; returns the size in bytes. On an error `out` is what it was
/// before.
pub fn write(entries: &[Entry], out: &Path) -> io::Result<u64> {
    let bytes = zip(entries)?;
    output_file::write(out, &bytes)?;
    Ok(bytes.len() as u64)
}

/// Size in bytes of the archive that [`write()`] makes of `entries`.
pub fn size(entries: &[Entry]) -> io::Result<usize> {
    Ok(zip(entries)?.len())
}

fn zip(entries: &[Entry]) -> io::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .large_file(false)
            .unix_permissions(if entry.executable { 0o755 } else { 0o644 });
        zip.start_file(entry.path.as_str(), options)?;
        zip.write_all(&entry.bytes)?;
    }
    Ok(zip.finish()?.into_inner())
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
        // The same path twice is an error of the second entry, after the first was written.
        let twice = [Entry::new("a.txt", "1"), Entry::new("a.txt", "2")];
        assert!(write(&twice, &out).is_err());
        assert_eq!(fs::read_to_string(&out).unwrap(), "old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_is_no_destination() {
        assert!(write(&[], Path::new("/")).is_err());
    }
}
