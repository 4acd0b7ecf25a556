//! Reading of whole files that somebody else wrote.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest file that is read, bytes: matrices of a mesh with a million degrees of freedom take half of it.
pub const LARGEST: u64 = 4 << 30;

/// An ordinary file, opened to be read.
///
/// # Errors
/// What the file system says, what is no ordinary file (a device or a pipe may never end), and a file beyond [`LARGEST`].
pub fn open(path: &Path) -> io::Result<File> {
    let refused = |what: String| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    let found = std::fs::metadata(path)?;
    if !found.is_file() && !found.is_dir() {
        return refused(
            "a device or a pipe is not read, because it may never end; write its content into a file".into(),
        );
    }
    if found.len() > LARGEST {
        return refused(format!("{} bytes are more than the {LARGEST} that are read at most", found.len()));
    }
    File::open(path)
}

/// The bytes of an ordinary file.
///
/// # Errors
/// As [`open`], and what the file system says while they are read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // No more than that either if it grows meanwhile.
    open(path)?.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of an ordinary file in UTF-8.
///
/// # Errors
/// As [`read`], and for bytes that are not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("byte {at} is not UTF-8; save it as UTF-8"))
    })
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
