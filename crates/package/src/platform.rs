//! Platforms of an FMU's libraries: folder, file name and required file header.
//!
//! FMI 2.0 defines three platforms (`linux64`, `win64`, `darwin64`); from 2.0.4 on the others have the names of FMI 3.0
//! (`aarch64-linux`). A library in the wrong folder would fail only on another machine. Therefore [`identify`] checks
//! the header of ELF, PE and Mach-O files.

use std::fmt;
use std::str::FromStr;

use super::version::Version;

/// A platform for which an FMU can contain a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Platform {
    /// Linux on x86-64.
    Linux64,
    /// Linux on 64-bit ARM.
    Aarch64Linux,
    /// Windows on x86-64.
    Win64,
    /// macOS on x86-64.
    Darwin64,
    /// macOS on 64-bit ARM.
    Aarch64Darwin,
}

impl Platform {
    /// Every platform, in the order of the archive.
    pub const ALL: [Platform; 5] =
        [Platform::Linux64, Platform::Aarch64Linux, Platform::Win64, Platform::Darwin64, Platform::Aarch64Darwin];

    /// The platform of this program, if FMI defines it.
    pub const fn host() -> Option<Platform> {
        if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            Some(Platform::Linux64)
        } else if cfg!(all(target_os = "linux", target_arch = "aarch64")) {
            Some(Platform::Aarch64Linux)
        } else if cfg!(all(windows, target_arch = "x86_64")) {
            Some(Platform::Win64)
        } else if cfg!(all(target_os = "macos", target_arch = "x86_64")) {
            Some(Platform::Darwin64)
        } else if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
            Some(Platform::Aarch64Darwin)
        } else {
            None
        }
    }

    /// Name of the folder below `binaries/` in an FMU of this version.
    pub const fn folder_in(self, version: Version) -> &'static str {
        match (version, self) {
            (Version::Fmi2, _) => self.folder(),
            (Version::Fmi3, Platform::Linux64) => "x86_64-linux",
            (Version::Fmi3, Platform::Win64) => "x86_64-windows",
            (Version::Fmi3, Platform::Darwin64) => "x86_64-darwin",
            (Version::Fmi3, Platform::Aarch64Linux | Platform::Aarch64Darwin) => self.folder(),
        }
    }

    /// Name of the platform, and of its folder below `binaries/` in FMI 2.0.
    pub const fn folder(self) -> &'static str {
        match self {
            Platform::Linux64 => "linux64",
            Platform::Aarch64Linux => "aarch64-linux",
            Platform::Win64 => "win64",
            Platform::Darwin64 => "darwin64",
            Platform::Aarch64Darwin => "aarch64-darwin",
        }
    }

    /// Name in FMI 3.0, also used by `scripts/platforms.sh` and its manifest.
    pub const fn tuple(self) -> &'static str {
        match self {
            Platform::Linux64 => "x86_64-linux",
            Platform::Aarch64Linux => "aarch64-linux",
            Platform::Win64 => "x86_64-windows",
            Platform::Darwin64 => "x86_64-darwin",
            Platform::Aarch64Darwin => "aarch64-darwin",
        }
    }

    /// Extension of a shared library, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Platform::Linux64 | Platform::Aarch64Linux => "so",
            Platform::Win64 => "dll",
            Platform::Darwin64 | Platform::Aarch64Darwin => "dylib",
        }
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.folder())
    }
}

impl FromStr for Platform {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let called = |platform: &Platform| platform.folder() == name || platform.tuple() == name;
        Platform::ALL.into_iter().find(called).ok_or_else(|| {
            let known: Vec<&str> = Platform::ALL.iter().map(|platform| platform.folder()).collect();
            format!("unknown platform `{name}`; expected one of {}", known.join(", "))
        })
    }
}

/// Platform of a shared library from its header; the error describes the file.
pub fn identify(file: &[u8]) -> Result<Platform, String> {
    match file {
        [0x7f, b'E', b'L', b'F', ..] => identify_elf(file),
        [b'M', b'Z', ..] => identify_pe(file),
        [0xcf, 0xfa, 0xed, 0xfe, ..] => identify_macho(file),
        [0xca, 0xfe, 0xba, 0xbe, ..] => Err("a universal Mach-O file; an FMU takes one library per platform".into()),
        _ => Err("neither an ELF, nor a PE, nor a Mach-O file".into()),
    }
}

fn identify_elf(file: &[u8]) -> Result<Platform, String> {
    const SHARED_OBJECT: u16 = 3;
    if (file.get(4), file.get(5)) != (Some(&2), Some(&1)) {
        return Err("an ELF file, but not a 64-bit little-endian one".into());
    }
    if u16_at(file, 16) != Some(SHARED_OBJECT) {
        return Err("an ELF file, but not a shared object".into());
    }
    match u16_at(file, 18) {
        Some(0x3e) => Ok(Platform::Linux64),
        Some(0xb7) => Ok(Platform::Aarch64Linux),
        machine => Err(format!("an ELF file for machine {:#06x}", machine.unwrap_or(0))),
    }
}

fn identify_pe(file: &[u8]) -> Result<Platform, String> {
    const IS_DLL: u16 = 0x2000;
    let header = u32_at(file, 0x3c).map_or(usize::MAX, |offset| offset as usize);
    if file.get(header..header.saturating_add(4)) != Some(b"PE\0\0") {
        return Err("a DOS program without a PE header".into());
    }
    match (u16_at(file, header + 4), u16_at(file, header + 22)) {
        (Some(0x8664), Some(flags)) if flags & IS_DLL != 0 => Ok(Platform::Win64),
        (Some(0x8664), _) => Err("a Windows program, but not a DLL".into()),
        (machine, _) => Err(format!("a PE file for machine {:#06x}", machine.unwrap_or(0))),
    }
}

fn identify_macho(file: &[u8]) -> Result<Platform, String> {
    const DYNAMIC_LIBRARY: u32 = 6;
    if u32_at(file, 12) != Some(DYNAMIC_LIBRARY) {
        return Err("a Mach-O file, but not a dynamic library".into());
    }
    match u32_at(file, 4) {
        Some(0x0100_0007) => Ok(Platform::Darwin64),
        Some(0x0100_000c) => Ok(Platform::Aarch64Darwin),
        cpu => Err(format!("a Mach-O file for processor {:#010x}", cpu.unwrap_or(0))),
    }
}

/// The oldest GNU C library (2.x) with every symbol version that a Linux library needs; `None` if it needs none.
pub fn oldest_glibc(library: &[u8]) -> Option<u32> {
    const PREFIX: &[u8] = b"GLIBC_2.";
    let versions = library.windows(PREFIX.len()).enumerate().filter(|(_, window)| *window == PREFIX);
    let minors = versions.map(|(offset, _)| {
        let digits = library[offset + PREFIX.len()..].iter().take_while(|byte| byte.is_ascii_digit()).take(4);
        digits.fold(0, |minor, digit| 10 * minor + u32::from(digit - b'0'))
    });
    minors.max()
}

fn u16_at(file: &[u8], offset: usize) -> Option<u16> {
    file.get(offset..offset.checked_add(2)?).map(|b| u16::from_le_bytes([b[0], b[1]]))
}

fn u32_at(file: &[u8], offset: usize) -> Option<u32> {
    file.get(offset..offset.checked_add(4)?).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elf(class: u8, kind: u8, machine: u8) -> Vec<u8> {
        let mut file = vec![0; 64];
        file[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, 1]);
        file[16] = kind;
        file[18] = machine;
        file
    }

    fn pe(machine: u16, flags: u16) -> Vec<u8> {
        let mut file = vec![0; 0xa0];
        file[..2].copy_from_slice(b"MZ");
        file[0x3c] = 0x80;
        file[0x80..0x84].copy_from_slice(b"PE\0\0");
        file[0x84..0x86].copy_from_slice(&machine.to_le_bytes());
        file[0x96..0x98].copy_from_slice(&flags.to_le_bytes());
        file
    }

    #[test]
    fn headers_name_the_platform() {
        assert_eq!(identify(&elf(2, 3, 0x3e)), Ok(Platform::Linux64));
        assert_eq!(identify(&elf(2, 3, 0xb7)), Ok(Platform::Aarch64Linux));
        assert_eq!(identify(&pe(0x8664, 0x2022)), Ok(Platform::Win64));
        let macho = |cpu: u32| [0xfeed_facf_u32, cpu, 0, 6].map(u32::to_le_bytes).concat();
        assert_eq!(identify(&macho(0x0100_0007)), Ok(Platform::Darwin64));
        assert_eq!(identify(&macho(0x0100_000c)), Ok(Platform::Aarch64Darwin));
    }

    #[test]
    fn other_files_are_told_apart() {
        for (file, reason) in [
            (elf(1, 3, 0x3e), "64-bit"),
            (elf(2, 2, 0x3e), "shared object"),
            (elf(2, 3, 0xf3), "machine 0x00f3"),
            (elf(2, 3, 0x3e)[..12].to_vec(), "shared object"),
            (pe(0x014c, 0x2022), "machine 0x014c"),
            (pe(0x8664, 0x0022), "not a DLL"),
            (b"MZ".to_vec(), "without a PE header"),
            (b"#!/bin/sh\n".to_vec(), "neither"),
            (Vec::new(), "neither"),
        ] {
            let message = identify(&file).unwrap_err();
            assert!(message.contains(reason), "{message}");
        }
    }

    #[test]
    fn the_newest_symbol_version_decides() {
        assert_eq!(oldest_glibc(b"..GLIBC_2.2.5\0GLIBC_2.17\0GLIBC_2.3\0"), Some(17));
        assert_eq!(oldest_glibc(b"GLIBC_2."), Some(0));
        assert_eq!(oldest_glibc(b"GLIBC_PRIVATE"), None);
    }

    #[test]
    fn folders_of_fmi_3_name_processor_and_system() {
        let folders = Platform::ALL.map(|platform| platform.folder_in(Version::Fmi3));
        assert_eq!(folders, ["x86_64-linux", "aarch64-linux", "x86_64-windows", "x86_64-darwin", "aarch64-darwin"]);
        assert!(Platform::ALL.iter().all(|platform| platform.folder_in(Version::Fmi2) == platform.folder()));
    }

    #[test]
    fn names_read_back() {
        for platform in Platform::ALL {
            assert_eq!(platform.to_string().parse(), Ok(platform));
            assert_eq!(platform.tuple().parse(), Ok(platform));
        }
        assert!("linux32".parse::<Platform>().unwrap_err().contains("linux64, aarch64-linux, win64"));
    }
}
