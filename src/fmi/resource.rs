//! Conversion of `fmuResourceLocation` or `resourcePath` to a folder.
//!
//! FMI 3.0 gives the path of a folder, which ends with a separator. It is used unchanged. Only if that folder does not
//! contain the model, the path is read like a location of FMI 2.0, in case the importer passes one.
//!
//! FMI 2.0 requires a URI (RFC 3986): `file:/dir`, `file:///dir`, `file://localhost/dir`, `file:///C:/dir`,
//! percent-encoded UTF-8, with or without a slash at the end. Importers also pass `file:////dir`, plain paths (as FMI 3
//! does), paths that were never encoded, and paths that were encoded twice. A correctly encoded URI is always read as
//! the standard says; the other readings are tried only if that folder does not contain the model.

use std::ffi::CStr;
use std::fmt;
use std::path::{Path, PathBuf};

/// The reason why a resource location does not lead to a folder with a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LocationError {
    /// Empty text.
    Empty,
    /// A scheme other than `file`.
    Scheme(String),
    /// `file://host/…` with a host that is not this machine.
    Host(String),
    /// The decoded bytes are no valid path on this system.
    NotText,
    /// The folders tried do not contain the file.
    Missing { file: &'static str, tried: Vec<PathBuf> },
}

impl fmt::Display for LocationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LocationError::Empty => {
                write!(
                    f,
                    "the resource location is empty; give the folder that contains {}",
                    super::instance::MODEL_FILE
                )
            }
            LocationError::Scheme(scheme) => {
                write!(f, "the resource location has the scheme '{scheme}'; only file URIs can be read")
            }
            LocationError::Host(host) => {
                write!(f, "the resource location names the host '{host}'; only files on this machine can be read")
            }
            LocationError::NotText => write!(f, "the resource location is not UTF-8 after percent decoding"),
            LocationError::Missing { file, tried } => {
                write!(f, "there is no {file} in the resource folder; tried")?;
                for (i, folder) in tried.iter().enumerate() {
                    write!(f, "{} {}", if i == 0 { "" } else { "," }, folder.display())?;
                }
                Ok(())
            }
        }
    }
}

/// The location of the resources as the importer gives it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Location<'a> {
    /// `fmuResourceLocation` of FMI 2.0.
    Uri(&'a CStr),
    /// `resourcePath` of FMI 3.0.
    Path(&'a CStr),
}

/// The folder given by `location` that contains `file`.
pub(crate) fn locate(location: Location, file: &'static str) -> Result<PathBuf, LocationError> {
    let candidates = match location {
        Location::Uri(uri) => candidates(uri.to_bytes())?,
        Location::Path(path) => plain_candidates(path.to_bytes())?,
    };
    match candidates.iter().position(|folder| folder.join(file).is_file()) {
        Some(i) => Ok(candidates.into_iter().nth(i).expect("position is within the list")),
        None => Err(LocationError::Missing { file, tried: candidates }),
    }
}

/// The readings of a path: unchanged, then as a URI, without repetitions.
fn plain_candidates(location: &[u8]) -> Result<Vec<PathBuf>, LocationError> {
    let mut folders: Vec<PathBuf> = path(location.to_vec()).into_iter().collect();
    match candidates(location) {
        Ok(others) => folders.extend(others),
        // A path may look like a URI of another scheme, but not be empty.
        Err(error) if folders.is_empty() || location.is_empty() => return Err(error),
        Err(_) => (),
    }
    let mut distinct: Vec<PathBuf> = Vec::new();
    for folder in folders {
        if !distinct.contains(&folder) {
            distinct.push(folder);
        }
    }
    Ok(distinct)
}

/// The readings of `location`, first the reading of the standard, without repetitions.
fn candidates(location: &[u8]) -> Result<Vec<PathBuf>, LocationError> {
    let encoded = local_part(location)?;
    let once = decode(encoded);
    let twice = decode(&once);
    let mut folders: Vec<PathBuf> = Vec::new();
    for bytes in [once, encoded.to_vec(), twice] {
        if let Some(folder) = path(bytes)
            && !folders.contains(&folder)
        {
            folders.push(folder);
        }
    }
    if folders.is_empty() { Err(LocationError::NotText) } else { Ok(folders) }
}

/// The path of a file URI, still encoded; a text without a scheme is a path itself.
fn local_part(location: &[u8]) -> Result<&[u8], LocationError> {
    if location.is_empty() {
        return Err(LocationError::Empty);
    }
    let Some(scheme_length) = scheme_length(location) else { return Ok(location) };
    let (scheme, rest) = (&location[..scheme_length], &location[scheme_length + 1..]);
    if !scheme.eq_ignore_ascii_case(b"file") {
        return Err(LocationError::Scheme(String::from_utf8_lossy(scheme).into_owned()));
    }
    let Some(after) = rest.strip_prefix(b"//") else { return Ok(rest) };
    let slash = after.iter().position(|&b| b == b'/' || b == b'\\').unwrap_or(after.len());
    let (host, local) = after.split_at(slash);
    if host.is_empty() || host.eq_ignore_ascii_case(b"localhost") || host == b"127.0.0.1" {
        Ok(local)
    } else if host.len() == 2 && host[1] == b':' {
        // `file://C:/dir` lacks a slash; the text at the position of the host is a drive.
        Ok(after)
    } else if cfg!(windows) {
        // `//server/share`, a UNC path.
        Ok(rest)
    } else {
        Err(LocationError::Host(String::from_utf8_lossy(host).into_owned()))
    }
}

/// Length of the scheme before the colon, if there is one; one letter is a Windows drive, not a scheme.
fn scheme_length(location: &[u8]) -> Option<usize> {
    let colon = location.iter().position(|&b| b == b':')?;
    let scheme = &location[..colon];
    let valid = scheme.first()?.is_ascii_alphabetic()
        && scheme.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    (valid && scheme.len() > 1).then_some(colon)
}

/// Percent decoding; a `%` without two hexadecimal digits remains a `%`.
fn decode(text: &[u8]) -> Vec<u8> {
    let digit = |i: usize| text.get(i).and_then(|&b| (b as char).to_digit(16));
    let mut bytes = Vec::with_capacity(text.len());
    let mut i = 0;
    while i < text.len() {
        match (text[i], digit(i + 1), digit(i + 2)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((16 * high + low) as u8);
                i += 3;
            }
            (byte, _, _) => {
                bytes.push(byte);
                i += 1;
            }
        }
    }
    bytes
}

/// The bytes as a path: leading slashes are reduced to one, and to none before a drive letter.
fn path(bytes: Vec<u8>) -> Option<PathBuf> {
    let slashes = bytes.iter().take_while(|&&b| b == b'/').count();
    let drive = bytes.get(slashes).is_some_and(u8::is_ascii_alphabetic) && bytes.get(slashes + 1) == Some(&b':');
    let unc = cfg!(windows) && slashes == 2;
    let skip = match slashes {
        0 => 0,
        n if drive => n,
        _ if unc => 0,
        n => n - 1,
    };
    let text = String::from_utf8(bytes[skip..].to_vec()).ok()?;
    (!text.contains('\0')).then(|| Path::new(&text).to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(location: &str) -> String {
        candidates(location.as_bytes()).unwrap()[0].display().to_string()
    }

    #[test]
    fn every_form_of_a_local_file_uri_is_read() {
        for location in [
            "file:/a/b",
            "file:///a/b",
            "file://localhost/a/b",
            "file://LOCALHOST/a/b",
            "FILE:///a/b",
            "file:////a/b",
            "file://///a/b",
            "/a/b",
        ] {
            assert_eq!(first(location), "/a/b", "{location}");
        }
        assert_eq!(first("file:///a/b/"), "/a/b/");
    }

    #[test]
    fn drive_letters_are_paths() {
        for location in
            ["file:///C:/a b", "file:/C:/a b", "file://C:/a b", "C:/a b", "file:///C:/a%20b", "file:///C%3A/a b"]
        {
            assert_eq!(first(location), "C:/a b", "{location}");
        }
        assert_eq!(first(r"C:\a\b"), r"C:\a\b");
    }

    #[test]
    fn percent_codes_are_utf_8() {
        assert_eq!(first("file:///a%20b/%C3%A4%7B%7d"), "/a b/ä{}");
        assert_eq!(first("file:///50%/100%zz"), "/50%/100%zz");
        assert_eq!(candidates(b"file:///%ff").unwrap(), [PathBuf::from("/%ff")]);
    }

    #[test]
    fn other_readings_follow_the_one_of_the_standard() {
        let texts = |location: &str| -> Vec<String> {
            candidates(location.as_bytes()).unwrap().iter().map(|p| p.display().to_string()).collect()
        };
        assert_eq!(texts("file:///a%257Bb"), ["/a%7Bb", "/a%257Bb", "/a{b"]);
        assert_eq!(texts("file:///a%20b"), ["/a b", "/a%20b"]);
        assert_eq!(texts("file:///a"), ["/a"]);
    }

    #[test]
    fn a_path_of_fmi_3_is_taken_as_it_stands() {
        let texts = |location: &str| -> Vec<String> {
            plain_candidates(location.as_bytes()).unwrap().iter().map(|p| p.display().to_string()).collect()
        };
        assert_eq!(texts("/a%20b/resources/"), ["/a%20b/resources/", "/a b/resources/"]);
        assert_eq!(texts("/a b/resources/"), ["/a b/resources/"]);
        assert_eq!(texts("https:/odd/folder/"), ["https:/odd/folder/"]);
        assert_eq!(texts("file:///a/resources")[1], "/a/resources");
        assert_eq!(plain_candidates(b""), Err(LocationError::Empty));
    }

    #[test]
    fn foreign_schemes_and_hosts_are_refused() {
        assert_eq!(candidates(b""), Err(LocationError::Empty));
        assert_eq!(candidates(b"https://x/y"), Err(LocationError::Scheme("https".into())));
        if cfg!(not(windows)) {
            assert_eq!(candidates(b"file://server/share"), Err(LocationError::Host("server".into())));
        }
    }
}
