//! `ballesta completions`: what a shell needs to complete the command line.

use super::arguments::Arguments;
use super::failure::Failure;
use super::text;
use clap::CommandFactory;

/// Prints the completion script.
pub fn execute(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "ballesta", &mut script);
    text::say(&String::from_utf8_lossy(&script))
}
