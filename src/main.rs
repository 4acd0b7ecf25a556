//! The command `ballesta`.

fn main() -> std::process::ExitCode {
    ballesta::cli::run(std::env::args_os())
}
