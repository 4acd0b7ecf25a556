//! The command `ballesta`.

/// Counts allocations while `ballesta bench` asks for it; otherwise the system's allocator as it is.
#[global_allocator]
static ALLOCATOR: ballesta::cli::allocation::Counting = ballesta::cli::allocation::Counting;

fn main() -> std::process::ExitCode {
    ballesta::cli::run(std::env::args_os())
}
