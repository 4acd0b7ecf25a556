//! The command `ballesta`.

/// System allocator that counts allocations during `ballesta bench`.
#[global_allocator]
static ALLOCATOR: ballesta_cli::allocation::Counting = ballesta_cli::allocation::Counting;

fn main() -> std::process::ExitCode {
    ballesta_cli::run(std::env::args_os())
}
