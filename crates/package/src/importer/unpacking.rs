//! Unpacks an FMU into a folder that is removed with its owner.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use super::ImportError;
use ballesta_files::temporary;

/// Limits for archives. A deflated byte of a hostile archive may expand to a thousand.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// All files together, bytes.
    bytes: u64,
    /// Files and folders.
    entries: usize,
}

const LIMITS: Limits = Limits { bytes: 2 << 30, entries: 20_000 };

/// Longest path inside an archive, bytes, and longest name of a file or folder in it.
const MAX_PATH_BYTES: usize = 1024;
const MAX_NAME_BYTES: usize = 255;
/// Number of displayed characters of a path.
const MAX_SHOWN_CHARACTERS: usize = 80;

/// An unpacked FMU. Dropping it removes the folder.
#[derive(Debug)]
pub struct Unpacked {
    folder: PathBuf,
}

impl Unpacked {
    /// Unpacks the archive `path` below the system's temporary folder.
    ///
    /// # Errors
    /// The archive cannot be read or written, or exceeds 2 GiB or 20 000 files. A path leads outside the archive, is
    /// too long or occurs twice. No files remain.
    pub fn new(path: &Path) -> Result<Unpacked, ImportError> {
        Unpacked::within(path, LIMITS)
    }

    fn within(path: &Path, limits: Limits) -> Result<Unpacked, ImportError> {
        let unreadable = |error| ImportError::File { path: path.to_path_buf(), error };
        let damaged = |error| ImportError::Archive { path: path.to_path_buf(), error };
        // A device or a pipe may never end.
        if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(unreadable(io::ErrorKind::InvalidInput.into()));
        }
        let file = File::open(path).map_err(unreadable)?;
        let mut archive = ZipArchive::new(io::BufReader::new(file)).map_err(damaged)?;
        let too_large = |reason: String| ImportError::TooLarge { path: path.to_path_buf(), reason };
        if archive.len() > limits.entries {
            let (found, most) = (archive.len(), limits.entries);
            return Err(too_large(format!("the archive contains {found} files; at most {most} are unpacked")));
        }
        let listed = listed(path, archive.comment().len()).map_err(unreadable)?;
        if listed.is_some_and(|listed| listed > archive.len()) {
            let reason = "two files have the same name".into();
            return Err(ImportError::Entry { entry: "directory".into(), reason });
        }
        let beyond = || too_large(format!("the archive unpacks to more than {} bytes", limits.bytes));
        let mut left = limits.bytes;
        let unpacked = Unpacked { folder: create_folder()? };
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).map_err(damaged)?;
            // `None` for paths that leave the archive with `..`; the reader drops the start of absolute paths.
            let inside = entry.enclosed_name().filter(|_| !entry.name().is_ok_and(|name| is_absolute(&name)));
            let Some(inside) = inside else {
                return Err(ImportError::Escapes { entry: shown(&entry.name().unwrap_or_default()) });
            };
            let name = inside.display().to_string();
            let refused = |reason: &str| ImportError::Entry { entry: shown(&name), reason: reason.into() };
            if name.len() > MAX_PATH_BYTES || inside.iter().any(|part| part.len() > MAX_NAME_BYTES) {
                return Err(refused("the name is too long"));
            }
            let target = unpacked.folder.join(&inside);
            let unwritable = |error: io::Error| match error.kind() {
                // Importers may disagree about which of the two is meant.
                io::ErrorKind::AlreadyExists | io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory => {
                    refused("the name occurs twice")
                }
                io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
                    refused(&error.to_string())
                }
                _ => ImportError::File { path: target.clone(), error },
            };
            if entry.is_symlink() {
                return Err(refused("a symbolic link, which is not followed; pack the target file"));
            }
            if entry.is_dir() {
                create_inside(&unpacked.folder, &inside).map_err(unwritable)?;
                continue;
            }
            if let Some(parent) = inside.parent() {
                create_inside(&unpacked.folder, parent).map_err(unwritable)?;
            }
            let mut out = File::create_new(&target).map_err(unwritable)?;
            // The sizes in the archive may be wrong, so the bytes are counted too.
            if entry.size() > left {
                return Err(beyond());
            }
            let written = io::copy(&mut (&mut entry).take(left.saturating_add(1)), &mut out).map_err(unwritable)?;
            left = left.checked_sub(written).ok_or_else(beyond)?;
        }
        Ok(unpacked)
    }

    /// The folder with `modelDescription.xml`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        temporary::remove(&self.folder);
    }
}

/// Whether a path starts at a root or a drive, on any system.
fn is_absolute(name: &str) -> bool {
    name.starts_with(['/', '\\']) || name.as_bytes().get(1) == Some(&b':')
}

/// Number of files announced at the end of an archive, if it is at its usual place. The reader keeps the last of
/// several files with one name; other readers may keep the first.
fn listed(path: &Path, comment: usize) -> io::Result<Option<usize>> {
    let mut file = File::open(path)?;
    let mut end = [0; 22];
    let back = end.len() + comment;
    if file.metadata()?.len() < back as u64 {
        return Ok(None);
    }
    file.seek(io::SeekFrom::End(-(back as i64)))?;
    file.read_exact(&mut end)?;
    let count = u16::from_le_bytes([end[10], end[11]]);
    Ok((end.starts_with(b"PK\x05\x06") && count < u16::MAX).then_some(count.into()))
}

/// The first characters of a path in an archive, without control characters.
fn shown(name: &str) -> String {
    let start: String = name.chars().take(MAX_SHOWN_CHARACTERS).flat_map(char::escape_debug).collect();
    if name.chars().count() > MAX_SHOWN_CHARACTERS { format!("{start}…") } else { start }
}

/// Creates folders below the existing `folder`. If an ending program has removed it, it is not created again.
fn create_inside(folder: &Path, inside: &Path) -> io::Result<()> {
    let mut target = folder.to_path_buf();
    for part in inside {
        target.push(part);
        match fs::create_dir(&target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && target.is_dir() => {}
            done => done?,
        }
    }
    Ok(())
}

/// A new folder with a unique name, readable only by its owner, because a library is loaded from it.
fn create_folder() -> Result<PathBuf, ImportError> {
    let mut number = 0_u64;
    loop {
        let folder = std::env::temp_dir().join(format!("ballesta-fmu-{}-{number}", std::process::id()));
        #[cfg_attr(not(unix), expect(unused_mut, reason = "a mode is known to Unix alone"))]
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match temporary::create(&folder, || builder.create(&folder)) {
            Ok(()) => return Ok(folder),
            // Used by another call, or left by a killed process.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(ImportError::File { path: folder, error }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::write::{SimpleFileOptions, ZipWriter};

    /// An archive with files of these sizes.
    fn archive(folder: &Path, sizes: &[usize]) -> PathBuf {
        let path = folder.join("x.fmu");
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        for (k, size) in sizes.iter().enumerate() {
            zip.start_file(format!("{k}"), SimpleFileOptions::default()).unwrap();
            zip.write_all(&vec![0; *size]).unwrap();
        }
        zip.finish().unwrap();
        path
    }

    #[test]
    fn what_an_archive_unpacks_to_has_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = archive(folder.path(), &[600, 400, 0]);
        let said = |limits| Unpacked::within(&path, limits).map(drop).map_err(|error| error.to_string());
        assert_eq!(said(Limits { bytes: 1000, entries: 3 }), Ok(()));
        assert!(said(Limits { bytes: 999, entries: 3 }).unwrap_err().contains("more than 999 bytes"));
        assert!(said(Limits { bytes: 1000, entries: 2 }).unwrap_err().contains("contains 3 files; at most 2"));
    }

    #[test]
    fn links_and_absolute_names_are_refused_for_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.fmu");
        let said = |fill: &dyn Fn(&mut ZipWriter<File>)| {
            let mut zip = ZipWriter::new(File::create(&path).unwrap());
            fill(&mut zip);
            zip.finish().unwrap();
            Unpacked::within(&path, LIMITS).map(drop).unwrap_err().to_string()
        };
        let link = said(&|zip| zip.add_symlink("a.so", "b.so", SimpleFileOptions::default()).unwrap());
        assert!(link.contains("a.so in the archive: a symbolic link"), "{link}");
        for name in ["/etc/x", "\\\\host\\x", "c:/x"] {
            let absolute = said(&|zip| zip.start_file(name, SimpleFileOptions::default()).unwrap());
            assert!(absolute.contains("a path outside of itself"), "{absolute}");
        }
    }

    #[test]
    fn sizes_that_an_archive_understates_do_not_pass_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = archive(folder.path(), &[100_000]);
        let mut bytes = fs::read(&path).unwrap();
        // Uncompressed size: byte 22 of the local header, byte 24 of the central one.
        let central = bytes.windows(4).rposition(|part| part == b"PK\x01\x02").unwrap();
        for at in [22, central + 24] {
            assert_eq!(bytes[at..at + 4], 100_000_u32.to_le_bytes());
            bytes[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
        }
        fs::write(&path, bytes).unwrap();
        let unpacked = Unpacked::within(&path, Limits { bytes: 1000, entries: 3 });
        assert!(unpacked.is_err());
    }
}
