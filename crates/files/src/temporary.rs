//! Files and folders that must be removed when the program ends: unfinished output under temporary names, and unpacked
//! files.
//!
//! Their owners remove them when they are done. A program that receives a termination signal calls [`remove_all`];
//! afterwards no output is renamed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Present temporary files and folders.
static TEMPORARY_PATHS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn kept() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    TEMPORARY_PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a file or folder at `path` and registers it.
///
/// # Errors
/// Errors of `make`; then nothing is registered.
pub fn create<T>(path: &Path, make: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let mut kept = kept();
    let made = make()?;
    kept.insert(path.to_path_buf());
    Ok(made)
}

/// Renames a registered file to its final name and unregisters it. If renaming fails, the file is removed.
///
/// # Errors
/// Errors of the file system.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    let mut kept = kept();
    kept.remove(from);
    fs::rename(from, to).inspect_err(|_| drop(fs::remove_file(from)))
}

/// Removes a registered file or folder. Errors are ignored: a remaining temporary file does no harm.
pub fn remove(path: &Path) {
    // Held during the removal: a terminating program waits for it.
    let mut kept = kept();
    kept.remove(path);
    delete(path);
}

/// Removes all registered files and folders. From then on [`create`], [`rename`] and [`remove`] wait until the program
/// ends.
pub fn remove_all() {
    let mut kept = kept();
    for path in std::mem::take(&mut *kept) {
        // Another process may create a file between emptying and removing a folder.
        for _ in 0..1000 {
            delete(&path);
            if !path.exists() {
                break;
            }
        }
    }
    std::mem::forget(kept);
}

fn delete(path: &Path) {
    let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}
