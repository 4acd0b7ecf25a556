//! Command line of ballesta.
//!
//! Every command is a folder of `commands`; [`arguments`] has the command line as a whole. Reports go to stdout,
//! diagnostics and progress to stderr. The exit code gives the kind of failure ([`Failure`]).

pub mod allocation;
pub mod arguments;
mod commands;
mod fmu;
mod foreign;
mod interrupt;
mod judged;
mod operating;
mod text;

pub use commands::bench::thread_time;

use arguments::Arguments;
use ballesta_files::Failure;
use clap::Parser;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

/// Runs the command line and returns its exit code. The first argument is the name of the program. Codes: 0 success, 1
/// invalid model or input file, 2 usage or file-system error, 3 simulation fault or wrong or questionable result, 130
/// and 143 SIGINT and SIGTERM.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let typed: Vec<OsString> = arguments.into_iter().collect();
    let json = typed.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    let arguments = match Arguments::try_parse_from(&typed) {
        Ok(arguments) => arguments,
        Err(mut answer) => {
            foreign::answer(&mut answer, &typed);
            // Help and version also arrive here, with exit code 0; usage errors go to stderr.
            if json && answer.use_stderr() {
                let message = answer.render().to_string();
                let message = message.trim_end().strip_prefix("error: ").unwrap_or(&message);
                let failure = Failure::Usage(message.to_string());
                text::complain(&failure, json);
                return failure.exit_code();
            }
            let printed = answer.print().and_then(|()| io::stdout().flush());
            let said = match answer.use_stderr() {
                true => Ok(()),
                false => text::stdout_is_open("the text").and(text::taken(printed)),
            };
            return match said {
                Ok(()) => ExitCode::from(answer.exit_code() as u8),
                Err(failure) => {
                    text::complain(&failure, json);
                    failure.exit_code()
                }
            };
        }
    };
    interrupt::watch();
    let result = arguments.command.execute();
    interrupt::settle();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            text::complain(&failure, json);
            failure.exit_code()
        }
    }
}
