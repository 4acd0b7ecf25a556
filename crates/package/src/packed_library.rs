//! Libraries of FMUs: checked, without paths of their builder, compressed once.
//!
//! A page that writes FMUs contains a [`bundle`], so that nothing is compressed again in the page and the FMU has the
//! same bytes as an FMU of `ballesta export`.

use crate::archive::{Archive, Entry};
use crate::platform::{self, Platform};
use crate::version::Version;
use crate::{PackageError, libraries_of, origin, packer_library};
use ballesta_files::Failure;
use std::io;
use std::path::{Path, PathBuf};

/// The library of one platform, compressed.
pub struct PackedLibrary {
    /// Its platform.
    pub platform: Platform,
    /// Minor version of the required GNU C library, 2.x.
    pub glibc: Option<u32>,
    /// Whether it needs `libgcc_s`.
    pub unwinder: bool,
    /// The library as the only entry.
    archive: Archive,
}

impl PackedLibrary {
    /// Compresses a checked library.
    fn new(platform: Platform, mut bytes: Vec<u8>) -> io::Result<PackedLibrary> {
        if platform.extension() != "dylib" {
            origin::hide(&mut bytes);
        }
        let (glibc, unwinder) = (platform::oldest_glibc(&bytes), needs_unwinder(&bytes));
        let archive = Archive::new(&[Entry::library(platform.tuple(), bytes)])?;
        Ok(PackedLibrary { platform, glibc, unwinder, archive })
    }

    /// The library as an entry of an FMU.
    pub fn entry(&self, path: impl Into<String>) -> Entry {
        Entry::packed(path, self.archive.clone())
    }
}

fn needs_unwinder(library: &[u8]) -> bool {
    let name = b"libgcc_s.so.1\0";
    library.windows(name.len()).any(|window| window == name)
}

/// Reads, checks and compresses libraries, in the order of [`Platform::ALL`]. Each must have the functions of every
/// version in `versions`.
///
/// # Errors
/// No library, two libraries of a platform, a file that cannot be read, a file that is no library for its platform.
pub fn read(libraries: &[(Platform, PathBuf)], versions: &[Version]) -> Result<Vec<PackedLibrary>, PackageError> {
    let mut packed = Vec::new();
    for platform in Platform::ALL {
        let mut given = libraries.iter().filter(|(given, _)| *given == platform).map(|(_, path)| path);
        let Some(path) = given.next() else { continue };
        if given.next().is_some() {
            return Err(PackageError::TwoLibraries { platform });
        }
        let unread = |error| PackageError::File { path: path.clone(), error };
        let bytes = ballesta::document::file::read(path).map_err(unread)?;
        for version in versions {
            let wrong = |found| PackageError::WrongLibrary { platform, path: path.clone(), found };
            check(&bytes, platform, *version).map_err(wrong)?;
        }
        packed.push(PackedLibrary::new(platform, bytes).map_err(unread)?);
    }
    if packed.is_empty() { Err(PackageError::NoLibrary) } else { Ok(packed) }
}

/// Libraries for FMUs of both versions in one archive, for [`unbundle`].
///
/// # Errors
/// As [`read`].
pub fn bundle(libraries: &[(Platform, PathBuf)]) -> Result<Vec<u8>, PackageError> {
    let packed = read(libraries, &[Version::Fmi2, Version::Fmi3])?;
    let entries: Vec<Entry> = packed.iter().map(|library| library.entry(library.platform.tuple())).collect();
    let archive = Archive::new(&entries).map_err(|error| PackageError::File { path: PathBuf::new(), error })?;
    Ok(archive.into_bytes())
}

/// The libraries of a [`bundle`]. They are not checked again.
///
/// # Errors
/// An invalid archive, an unknown platform, or no library.
pub fn unbundle(bundle: Vec<u8>) -> io::Result<Vec<PackedLibrary>> {
    let library = |(name, bytes, archive): (String, Vec<u8>, Archive)| {
        let platform = name.parse().map_err(io::Error::other)?;
        let (glibc, unwinder) = (platform::oldest_glibc(&bytes), needs_unwinder(&bytes));
        Ok(PackedLibrary { platform, glibc, unwinder, archive })
    };
    let libraries = Archive::from_bytes(bundle).split()?.into_iter().map(library).collect::<io::Result<Vec<_>>>()?;
    if libraries.is_empty() { Err(io::Error::other("no library of an FMU")) } else { Ok(libraries) }
}

/// What a page needs to write FMUs.
pub struct PageParts {
    /// The library that packs, WebAssembly compressed as gzip.
    pub packer: Vec<u8>,
    /// The [`bundle`] of all libraries that `export` packs by default.
    pub libraries: Vec<u8>,
    /// Names of their platforms.
    pub platforms: String,
}

/// The parts of a page that writes FMUs, of the installation or source tree of `program`. `notice` receives messages
/// about omitted libraries.
///
/// # Errors
/// A missing or wrong library.
pub fn page_parts(program: Option<&Path>, notice: &mut dyn FnMut(&str)) -> Result<PageParts, Failure> {
    let missing = |error: crate::LibraryError| Failure::Usage(error.to_string());
    let packer = packer_library(program).map_err(missing)?;
    let libraries = libraries_of(program, notice).map_err(missing)?;
    let names: Vec<String> = libraries.iter().map(|(platform, _)| platform.to_string()).collect();
    let libraries = bundle(&libraries).map_err(|error| error.failure(None))?;
    Ok(PageParts { packer, libraries, platforms: names.join(", ") })
}

/// Checks that a file is a Co-Simulation library for `platform` and this version of FMI; the error describes the file.
fn check(bytes: &[u8], platform: Platform, version: Version) -> Result<(), String> {
    let found = platform::identify(bytes)?;
    if found != platform {
        return Err(format!("one for {found}"));
    }
    // ELF and PE keep the names of exported functions as plain text; Mach-O may split them.
    let plain = !matches!(platform, Platform::Darwin64 | Platform::Aarch64Darwin);
    let step = version.step_function();
    let named = |window: &[u8]| window.strip_suffix(b"\0") == Some(step.as_bytes());
    if plain && !bytes.windows(step.len() + 1).any(named) {
        return Err(format!("a library without the function {step}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shell of a library with the names of functions.
    fn elf(machine: u8, names: &[u8]) -> Vec<u8> {
        let mut file = vec![0_u8; 64];
        file[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
        (file[16], file[18]) = (3, machine);
        file.extend_from_slice(names);
        file
    }

    #[test]
    fn a_library_needs_the_functions_of_the_standard() {
        let shell = elf(0x3e, b"");
        assert!(check(&shell, Platform::Linux64, Version::Fmi2).unwrap_err().contains("fmi2DoStep"));
        let file = elf(0x3e, b"\0fmi2DoStep\0");
        assert_eq!(check(&file, Platform::Linux64, Version::Fmi2), Ok(()));
        assert!(check(&file, Platform::Linux64, Version::Fmi3).unwrap_err().contains("fmi3DoStep"));
        assert_eq!(check(&file, Platform::Aarch64Linux, Version::Fmi2), Err("one for linux64".into()));
        assert!(check(b"MZ", Platform::Win64, Version::Fmi2).is_err());
    }

    #[test]
    fn a_bundle_keeps_compressed_bytes_and_requirements() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let intel = put("intel", &elf(0x3e, b"\0fmi2DoStep\0fmi3DoStep\0GLIBC_2.17\0libgcc_s.so.1\0"));
        let arm = put("arm", &elf(0xb7, b"\0fmi2DoStep\0fmi3DoStep\0"));
        let given = [(Platform::Aarch64Linux, arm), (Platform::Linux64, intel.clone())];
        let direct = read(&given, &[Version::Fmi2]).unwrap();
        let bundled = unbundle(bundle(&given).unwrap()).unwrap();
        let facts = |all: &[PackedLibrary]| {
            let facts = |library: &PackedLibrary| (library.platform, library.glibc, library.unwinder);
            all.iter().map(facts).collect::<Vec<_>>()
        };
        let expected = [(Platform::Linux64, Some(17), true), (Platform::Aarch64Linux, None, false)];
        assert_eq!((&facts(&direct)[..], &facts(&bundled)[..]), (&expected[..], &expected[..]));
        let archive = |all: &[PackedLibrary]| {
            Archive::new(&all.iter().map(|library| library.entry(library.platform.folder())).collect::<Vec<_>>())
        };
        assert!(archive(&direct).unwrap().into_bytes() == archive(&bundled).unwrap().into_bytes());

        // A bundle is for both versions, and contains libraries alone.
        let old = put("old", &elf(0x3e, b"\0fmi2DoStep\0"));
        assert!(bundle(&[(Platform::Linux64, old)]).unwrap_err().to_string().contains("fmi3DoStep"));
        assert!(matches!(bundle(&[]), Err(PackageError::NoLibrary)));
        let of = |entries: &[Entry]| unbundle(Archive::new(entries).unwrap().into_bytes()).err().unwrap().to_string();
        assert!(of(&[Entry::new("vax", "1")]).contains("`vax`"));
        assert!(of(&[]).contains("no library"));
        assert!(unbundle(b"no archive".to_vec()).is_err());
    }
}
