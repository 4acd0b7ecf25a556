//! (skeleton)

/// Runs the command line and returns its exit code.
pub fn run(_arguments: impl IntoIterator<Item = std::ffi::OsString>) -> std::process::ExitCode {
    todo!()
}
