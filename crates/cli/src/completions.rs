//! `ballesta completions`: completion scripts for shells.

use super::arguments::{self, Arguments};
use super::failure::Failure;
use super::text;
use clap::CommandFactory;
use serde_json::json;

/// Prints the completion script.
pub fn execute(typed: &arguments::Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(typed.shell, &mut Arguments::command(), "ballesta", &mut script);
    let script = String::from_utf8_lossy(&script);
    text::answer(typed.json, &script, &[], json!({"shell": typed.shell.to_string(), "script": script}))
}
