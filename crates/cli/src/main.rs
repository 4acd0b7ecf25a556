//! The command `ballesta`.

/// Counts allocations while `ballesta bench` asks for it; otherwise the system's allocator as it is.
#[global_allocator]
static ALLOCATOR: ballesta_cli::allocation::Counting = ballesta_cli::allocation::Counting;

fn main() -> std::process::ExitCode {
    ballesta_cli::run(std::env::args_os())
}
