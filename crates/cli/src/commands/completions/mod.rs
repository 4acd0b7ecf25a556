//! `ballesta completions`: completion scripts for shells.

pub mod arguments;

use crate::arguments::Arguments;
use crate::text;
use ballesta_files::Failure;
use clap::CommandFactory;
use serde_json::json;

/// Resolved `ballesta completions` command.
pub struct Plan(arguments::Completions);

impl Plan {
    pub fn resolve(typed: arguments::Completions) -> Result<Plan, Failure> {
        Ok(Plan(typed))
    }

    /// Prints the completion script.
    pub fn execute(self) -> Result<(), Failure> {
        let (Plan(typed), mut script) = (self, Vec::new());
        clap_complete::generate(typed.shell, &mut Arguments::command(), "ballesta", &mut script);
        let script = String::from_utf8_lossy(&script);
        text::answer(typed.json, &script, &[], json!({"shell": typed.shell.to_string(), "script": script}))
    }
}
