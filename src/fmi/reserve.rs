//! Reservation of memory before an instance needs it.
//!
//! Rust ends the process when the allocator fails, and the host with it. An instance therefore first reserves the
//! memory that it will need and frees it at once, in blocks that the allocator takes from its own heap and reuses. If
//! the reservation fails, the caller gets an error and a message. These reservations cover everything up to the first
//! step:
//!
//! | reservation | bytes | before |
//! |---|---|---|
//! | [`MESSAGE_BYTES`] | 256 KiB | everything |
//! | [`for_reading`] | 2 MiB, 24 times the TOML files and 4 times the other files in `resources` | the model is read |
//! | [`for_system`] | 2 MiB and 768 times the square of the number of coordinates | it is compiled; a reset |
//!
//! The sums are at least 1.3 times the need that was measured, for the models of the gallery and for open and closed
//! chains of up to 200 bodies. They do not help if another thread takes the memory meanwhile, or if the system grants
//! memory that does not exist (overcommitment).
//!
//! Proof: `tests/harness/test_hosts.py`.

use std::path::Path;

use crate::model::Document;

/// Memory for the message about missing memory, and for all texts before the resources are read, B.
pub(crate) const MESSAGE_BYTES: usize = 256 << 10;
/// Memory that every instance needs, B.
const FIXED: usize = 2 << 20;
/// Memory per byte of TOML: the text, its values with their positions, types, and the matrices derived from them.
const PER_BYTE_OF_TOML: usize = 24;
/// Memory per byte of other files: the file and the numbers derived from it.
const BYTES_PER_FILE_BYTE: usize = 4;
/// Memory per pair of coordinates, B: matrices of the compilation, and of the workspace with their derivatives.
const BYTES_PER_COORDINATE_PAIR: usize = 768;

/// Bytes of a block: below the size for which allocators map separate memory.
const BLOCK: usize = 64 << 10;
/// Largest depth of nested folders that are searched.
const MAX_DEPTH: usize = 8;

/// Reserves the given number of bytes and frees them.
///
/// # Errors
/// The message for the importer.
pub(crate) fn check(bytes: usize) -> Result<(), String> {
    let refused = || format!("not enough memory: {} KiB are needed", bytes.div_ceil(1024));
    is_available(bytes).then_some(()).ok_or_else(refused)
}

/// Whether the given number of bytes can be reserved; creates no message.
pub(crate) fn is_available(bytes: usize) -> bool {
    let count = bytes.div_ceil(BLOCK);
    let mut blocks: Vec<Vec<u8>> = Vec::new();
    let reserved = blocks.try_reserve_exact(count).is_ok()
        && (0..count).all(|_| {
            let mut block = Vec::new();
            let reserved = block.try_reserve_exact(BLOCK).is_ok();
            // All pages at once: otherwise the memory of the process would seem to grow with every instance.
            block.resize(if reserved { BLOCK } else { 0 }, 0_u8);
            blocks.push(block);
            reserved
        });
    // The compiler must not remove allocations that nothing uses.
    std::hint::black_box(&blocks);
    reserved
}

/// Memory for the data that are derived from the files of `folder`, B.
pub(crate) fn for_reading(folder: &Path) -> usize {
    FIXED.saturating_add(of_files(folder, MAX_DEPTH))
}

fn of_files(folder: &Path, depth: usize) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let of_entry = |path: &Path| match path.metadata() {
        Ok(found) if found.is_dir() && depth > 0 => of_files(path, depth - 1),
        Ok(found) if found.is_file() => {
            let factor =
                if path.extension().is_some_and(|end| end == "toml") { PER_BYTE_OF_TOML } else { BYTES_PER_FILE_BYTE };
            usize::try_from(found.len()).unwrap_or(usize::MAX).saturating_mul(factor)
        }
        _ => 0,
    };
    entries.flatten().fold(0, |sum, entry| sum.saturating_add(of_entry(&entry.path())))
}

/// Memory for the system of a model, and for an instance's simulator with all its data, B.
pub(crate) fn for_system(document: &Document) -> usize {
    let of_joints: usize = document.model.joints.iter().map(|joint| joint.kind.freedom()).sum();
    let of_modes: usize = document.roms.iter().map(|rom| rom.matrices.size).sum();
    let coordinates = of_joints.saturating_add(of_modes);
    FIXED.saturating_add(coordinates.saturating_mul(coordinates).saturating_mul(BYTES_PER_COORDINATE_PAIR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused_with_its_size() {
        assert_eq!(check(1), Ok(()));
        assert_eq!(check(8 * BLOCK), Ok(()));
        let message = check(usize::MAX / 2).expect_err("more than there is");
        assert!(message.contains("not enough memory") && message.contains("KiB"), "{message}");
    }

    #[test]
    fn files_count_with_their_folders_and_by_their_kind() {
        let folder = tempfile::tempdir().expect("writable");
        assert_eq!(for_reading(folder.path()), FIXED);
        std::fs::create_dir(folder.path().join("roads")).expect("writable");
        std::fs::write(folder.path().join("model.toml"), [b'#'; 10]).expect("writable");
        std::fs::write(folder.path().join("roads/map.csv"), [b'0'; 7]).expect("writable");
        assert_eq!(for_reading(folder.path()), FIXED + 10 * PER_BYTE_OF_TOML + 7 * BYTES_PER_FILE_BYTE);
    }
}
