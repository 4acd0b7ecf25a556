//! Files and folders that must not outlive the program: what is on its way under another name, what is unpacked for a
//! while.
//!
//! Their owners remove them when they are done. A program that is told to end has no time for that: it calls
//! [`remove_all`], after which nothing takes its final name any more.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What there is at present.
static KEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn kept() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes something at `path` and notes it.
///
/// # Errors
/// Those of `make`; nothing is noted then.
pub fn create<T>(path: &Path, make: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let mut kept = kept();
    let made = make()?;
    kept.insert(path.to_path_buf());
    Ok(made)
}

/// Gives a noted file its final name. It is forgotten, and removed where that fails.
///
/// # Errors
/// What the file system says.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    let mut kept = kept();
    kept.remove(from);
    fs::rename(from, to).inspect_err(|_| drop(fs::remove_file(from)))
}

/// Removes a noted file or folder. Nobody is left to hear of an error, and what stays does no harm.
pub fn remove(path: &Path) {
    // Held while it is removed: a program that is told to end meanwhile waits for that.
    let mut kept = kept();
    kept.remove(path);
    delete(path);
}

/// Removes all that is noted. From then on [`create`], [`rename`] and [`remove`] wait until the program ends.
pub fn remove_all() {
    let mut kept = kept();
    for path in std::mem::take(&mut *kept) {
        // A folder into which somebody writes meanwhile may get a new file between its emptying and its removal.
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
