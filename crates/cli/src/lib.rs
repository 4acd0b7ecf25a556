//! Command line of ballesta.
//!
//! [`arguments`] has the parsed arguments. Every subcommand has a file with a `Plan`, in which all defaults and names
//! are resolved before anything runs or is written. Reports go to stdout, diagnostics and progress to stderr. The exit
//! code gives the kind of failure (see `failure::Failure`).

pub mod allocation;
pub mod arguments;
mod bench;
mod check;
mod completions;
#[cfg(feature = "fem")]
mod convert;
mod demo;
mod expand;
mod export;
mod fmu;
mod foreign;
mod groups;
#[cfg(feature = "import")]
mod import;
mod interrupt;
mod judged;
mod linearize;
#[cfg(feature = "fem")]
mod lump;
#[cfg(feature = "vehicle")]
mod manoeuvre;
mod modes;
mod new;
mod operating;
mod output_file;
mod overlay;
#[cfg(feature = "fem")]
mod reduce;
#[cfg(feature = "vehicle")]
mod rig;
mod run;
mod schema;
mod spectrum;
#[cfg(feature = "parquet")]
mod study;
mod text;
#[cfg(feature = "vehicle")]
mod tyre;
mod verify;
mod view;

pub use bench::thread_time;

use arguments::{Arguments, Command};
use ballesta_experiment::{failure, inputs, kind, model, recovery, simulation, table};
#[cfg(feature = "fem")]
use ballesta_pictures::shapes;
use ballesta_pictures::{glb, page, picture, plot};
use clap::Parser;
use failure::Failure;
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
    let result = match arguments.command {
        Command::Demo(typed) => demo::Plan::resolve(typed).and_then(demo::Plan::execute),
        Command::Check(typed) => check::Plan::resolve(typed).and_then(check::Plan::execute),
        Command::Run(typed) => run::Plan::resolve(typed).and_then(run::Plan::execute),
        #[cfg(feature = "vehicle")]
        Command::Manoeuvre(typed) => manoeuvre::execute(typed),
        #[cfg(feature = "parquet")]
        Command::Study(typed) => study::Plan::resolve(typed).and_then(study::Plan::execute),
        #[cfg(not(feature = "parquet"))]
        Command::Study(_) => Err(not_built_in("Parquet, the format of the results of studies")),
        Command::Verify(typed) => verify::Plan::resolve(typed).and_then(verify::Plan::execute),
        Command::Export(typed) => export::Plan::resolve(typed).and_then(export::Plan::execute),
        #[cfg(feature = "fem")]
        Command::Convert(typed) => convert::Plan::resolve(typed).and_then(convert::Plan::execute),
        #[cfg(feature = "fem")]
        Command::Lump(typed) => lump::Plan::resolve(typed).and_then(lump::Plan::execute),
        #[cfg(feature = "fem")]
        Command::Reduce(typed) => reduce::Plan::resolve(typed).and_then(reduce::Plan::execute),
        #[cfg(not(feature = "fem"))]
        Command::Convert(_) | Command::Lump(_) | Command::Reduce(_) => Err(not_built_in(FINITE_ELEMENTS)),
        Command::Expand(typed) => expand::Plan::resolve(typed).and_then(expand::Plan::execute),
        Command::Bench(typed) => bench::Plan::resolve(typed).and_then(bench::Plan::execute),
        Command::Linearize(typed) => linearize::Plan::resolve(typed).and_then(linearize::Plan::execute),
        #[cfg(feature = "vehicle")]
        Command::Rig(typed) => rig::Plan::resolve(typed).and_then(rig::Plan::execute),
        Command::Spectrum(typed) => spectrum::Plan::resolve(typed).and_then(spectrum::Plan::execute),
        #[cfg(feature = "vehicle")]
        Command::Tyre(typed) => tyre::Plan::resolve(typed).and_then(tyre::Plan::execute),
        #[cfg(not(feature = "vehicle"))]
        Command::Manoeuvre(_) | Command::Rig(_) | Command::Tyre(_) => {
            Err(not_built_in("manoeuvres, suspension rigs and reports of tyres"))
        }
        Command::Groups(typed) => groups::Plan::resolve(typed).and_then(groups::Plan::execute),
        #[cfg(feature = "import")]
        Command::Import(typed) => import::Plan::resolve(typed).and_then(import::Plan::execute),
        #[cfg(not(feature = "import"))]
        Command::Import(_) => Err(not_built_in("the import of robots")),
        Command::New(typed) => new::Plan::resolve(typed).and_then(new::Plan::execute),
        Command::Modes(typed) => modes::Plan::resolve(typed).and_then(modes::Plan::execute),
        Command::View(typed) => view::Plan::resolve(typed).and_then(view::Plan::execute),
        Command::Schema(typed) => schema::execute(typed.kind),
        Command::Completions(typed) => completions::execute(&typed),
    };
    interrupt::settle();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            text::complain(&failure, json);
            failure.exit_code()
        }
    }
}

/// The part of the program that the feature `fem` adds.
#[cfg(not(feature = "fem"))]
const FINITE_ELEMENTS: &str = "finite elements";

/// The failure of a program that was built without the optional part `what`.
#[cfg(not(all(
    feature = "fem",
    feature = "global-method",
    feature = "import",
    feature = "parquet",
    feature = "vehicle"
)))]
fn not_built_in(what: &str) -> Failure {
    Failure::Usage(failure::not_built_in(what))
}
