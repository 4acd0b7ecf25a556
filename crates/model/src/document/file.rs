//! Reading of whole files from external sources.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest file that is read, bytes: matrices of a mesh with a million degrees of freedom take half of it.
pub const MAX_FILE_BYTES: u64 = 4 << 30;

/// An ordinary file, opened to be read.
///
/// # Errors
/// Errors of the file system, a file that is not an ordinary file (a device or a pipe may never end), and a file larger
/// than [`MAX_FILE_BYTES`].
pub fn open(path: &Path) -> io::Result<File> {
    open_within(path, MAX_FILE_BYTES)
}

/// An ordinary file of at most `most` bytes, opened to be read.
///
/// # Errors
/// As [`open`], with `most` for the largest.
pub fn open_within(path: &Path, most: u64) -> io::Result<File> {
    let refused = |what: String| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    let found = std::fs::metadata(path)?;
    if !found.is_file() && !found.is_dir() {
        return refused(
            "devices and pipes are not read, because they may never end; write the content to a file".into(),
        );
    }
    if found.len() > most {
        return refused(format!("the file has {} bytes; at most {most} are read", found.len()));
    }
    File::open(path)
}

/// The bytes of an ordinary file.
///
/// # Errors
/// As [`open`], and errors of the file system during reading.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_within(path, MAX_FILE_BYTES)
}

/// The bytes of an ordinary file that has at most `most` of them.
///
/// # Errors
/// As [`open`], and errors of the file system during reading.
pub fn read_within(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // No more than that either if the file grows meanwhile.
    open_within(path, most)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of an ordinary file in UTF-8.
///
/// # Errors
/// As [`read`], and for bytes that are not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    text(read(path)?)
}

/// The text of a file with these bytes.
///
/// # Errors
/// Bytes that are not UTF-8.
pub fn text(bytes: Vec<u8>) -> io::Result<String> {
    let refused = |what: String| io::Error::new(io::ErrorKind::InvalidData, format!("{what}; save it as UTF-8"));
    if let Some(encoding) = other_encoding(&bytes) {
        return Err(refused(format!("the file is in {encoding}")));
    }
    String::from_utf8(bytes).map(without_mark).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
        refused(format!("byte {at} in line {line} is not UTF-8"))
    })
}

/// The byte order mark, which some programs write before text in UTF-8.
pub const MARK: char = '\u{feff}';

/// A text without the mark.
fn without_mark(mut text: String) -> String {
    if text.starts_with(MARK) {
        text.drain(..MARK.len_utf8());
    }
    text
}

/// The encoding that the first bytes of a text indicate, if it is not UTF-8: a byte order mark, or every second byte
/// zero, as in UTF-16 without one.
pub fn other_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Some("UTF-16"),
        [0, first, 0, second, ..] | [first, 0, second, 0, ..] if *first != 0 && *second != 0 => Some("UTF-16"),
        _ => None,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_may_never_end_is_refused() {
        for device in ["/dev/zero", "/dev/null"] {
            assert_eq!(read(Path::new(device)).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{device}");
        }
        assert!(read(Path::new("/")).is_err() && read(Path::new("Cargo.toml")).is_ok());
    }
}
