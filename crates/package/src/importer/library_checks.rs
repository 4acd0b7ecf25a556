//! Checks whether a library file is complete. The system loader maps the sizes in the headers, and SIGBUS kills a
//! process that reads a page beyond the end of the file.

/// A number of `N` bytes at `at`, low byte first.
fn number<const N: usize>(bytes: &[u8], at: u64) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    let part = bytes.get(at..at.checked_add(N)?)?;
    Some(part.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

/// Contradiction between the headers and the bytes of an ELF file. `None` for other formats and for classes that the
/// loader itself rejects (ELF, System V ABI, chapters 4 and 5: file header and program headers of 64-bit files).
pub fn shortage(bytes: &[u8]) -> Option<String> {
    const MAGIC: &[u8] = b"\x7fELF";
    const WIDE_LITTLE_ENDIAN: [u8; 2] = [2, 1];
    const HEADER: usize = 64;
    const PROGRAM_HEADER: u64 = 56;
    // Other formats and 32-bit or big-endian files are left to the loader.
    if bytes.is_empty() {
        return Some("the file is empty".to_string());
    }
    if !bytes.starts_with(MAGIC) {
        return None;
    }
    let length = bytes.len() as u64;
    if bytes.len() < HEADER {
        return Some(format!("{length} bytes are too few for a header of {HEADER} bytes"));
    }
    if bytes[4..6] != WIDE_LITTLE_ENDIAN {
        return None;
    }
    // Position, size and count of the program headers.
    let (Some(table), Some(size), Some(count)) =
        (number::<8>(bytes, 32), number::<2>(bytes, 54), number::<2>(bytes, 56))
    else {
        return Some("the header is incomplete".to_string());
    };
    if size != PROGRAM_HEADER {
        return Some(format!("the program headers have {size} bytes; expected {PROGRAM_HEADER}"));
    }
    // The contents of each segment must end inside the file, because the loader maps it without this check.
    for k in 0..count {
        // All sums are checked: a damaged header may contain any number.
        let header = size.checked_mul(k).and_then(|offset| offset.checked_add(table));
        let place = header.and_then(|header| {
            Some((number::<8>(bytes, header.checked_add(8)?)?, number::<8>(bytes, header.checked_add(32)?)?))
        });
        let Some((offset, stored)) = place else {
            return Some(format!("the file ends at {length} bytes, before the {count} program headers"));
        };
        match offset.checked_add(stored) {
            Some(end) if end <= length => {}
            Some(end) => return Some(format!("the file has {length} bytes; its headers require {end} or more")),
            None => return Some(format!("segment {k} exceeds the largest possible file")),
        }
    }
    None
}

/// Values of `e_machine` and their names.
const MACHINES: [(u64, &str); 6] = [
    (0x03, "x86, 32 bits"),
    (0x15, "PowerPC, 64 bits"),
    (0x28, "ARM, 32 bits"),
    (0x3e, "x86-64"),
    (0xb7, "ARM, 64 bits"),
    (0xf3, "RISC-V"),
];

/// Processor of the library if it differs from `own`, the `e_machine` of this machine. The loader only reports a
/// missing file.
pub fn foreign(bytes: &[u8], own: u64) -> Option<String> {
    if !bytes.starts_with(b"\x7fELF") {
        return None;
    }
    let found = number::<2>(bytes, 18).filter(|found| *found != own)?;
    let named = |machine| match MACHINES.iter().find(|(known, _)| *known == machine) {
        Some((_, name)) => format!("e_machine {machine:#x} ({name})"),
        None => format!("e_machine {machine:#x}"),
    };
    Some(format!("built for another processor: {}; this machine has {}", named(found), named(own)))
}

/// `e_machine` of this processor.
pub const OWN: u64 = if cfg!(target_arch = "aarch64") { 0xb7 } else { 0x3e };

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file with one segment of `stored` bytes from byte 120 on.
    fn elf(stored: u64) -> Vec<u8> {
        let mut bytes = vec![0_u8; 200];
        bytes[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = 1;
        bytes[64 + 8] = 120;
        bytes[64 + 32..64 + 40].copy_from_slice(&stored.to_le_bytes());
        bytes
    }

    #[test]
    fn a_library_for_another_processor_is_named_by_its_machine() {
        let mut bytes = elf(80);
        bytes[18] = 0xb7;
        assert_eq!(foreign(&bytes, 0xb7), None);
        let found = foreign(&bytes, 0x3e).expect("another one");
        assert!(found.contains("e_machine 0xb7 (ARM, 64 bits); this machine has e_machine 0x3e (x86-64)"), "{found}");
        assert_eq!(foreign(b"MZ", 0x3e), None);
    }

    #[test]
    fn a_file_shorter_than_its_headers_say_is_found_at_every_length() {
        let whole = elf(80);
        assert_eq!(shortage(&whole), None);
        for length in 0..whole.len() {
            let found = shortage(&whole[..length]);
            // A file shorter than the magic number is not an ELF file; the loader reports this.
            assert_eq!(found.is_some(), length == 0 || length >= 4, "{length}: {found:?}");
        }
        assert!(shortage(&elf(81)).is_some_and(|what| what.contains("has 200 bytes; its headers require 201")));
        assert!(shortage(&elf(u64::MAX)).is_some());
        let mut far = elf(80);
        far[32..40].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(shortage(&far).is_some());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_library_of_this_machine_is_whole() {
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(shortage(&program), None);
        // The code does not end within a page.
        assert!(shortage(&program[..4096]).is_some());
    }
}
