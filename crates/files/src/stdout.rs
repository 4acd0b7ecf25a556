//! Standard output: its existence and write failures.

use super::failure::Failure;
use std::io::{self, ErrorKind};
use std::path::Path;

/// The failure of writing to stdout, unless its reader closed it.
pub fn taken(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::file("write to", Path::new("stdout"), error))
        }
        _ => Ok(()),
    }
}

/// Rejects writing `what` if the program was started without a stdout (`>&-`).
pub fn stdout_is_open(what: &str) -> Result<(), Failure> {
    if !stdout_is_closed() {
        return Ok(());
    }
    // Python's `subprocess.DEVNULL` is open for reading as well and cannot be distinguished from a closed stdout.
    let error = io::Error::other(format!(
        "stdout is closed, or is /dev/null opened for reading and writing, so {what} would be lost; use a file, a \
         pipe, or /dev/null opened for writing"
    ));
    Err(Failure::file("write", Path::new("stdout"), error))
}

/// Whether the program was started without a stdout. The standard library then replaces stdout by `/dev/null`, opened
/// for reading and writing, which discards all output without an error. Shells open it for writing only.
#[cfg(target_os = "linux")]
fn stdout_is_closed() -> bool {
    const READ_WRITE: u32 = 2;
    const ACCESS: u32 = 3;
    let null = std::fs::read_link("/proc/self/fd/1").is_ok_and(|path| path == Path::new("/dev/null"));
    let Ok(facts) = std::fs::read_to_string("/proc/self/fdinfo/1") else { return false };
    let flags = facts.lines().find_map(|line| u32::from_str_radix(line.strip_prefix("flags:")?.trim(), 8).ok());
    null && flags.is_some_and(|flags| flags & ACCESS == READ_WRITE)
}

/// Other systems do not report this.
#[cfg(not(target_os = "linux"))]
fn stdout_is_closed() -> bool {
    false
}
