//! The commands, one folder each.
//!
//! `arguments` has the parsed arguments. `Plan::resolve` resolves all defaults and names before anything runs or is
//! written; `Plan::execute` runs the command and reports, as text or as one JSON object.

pub mod bench;
mod check;
mod completions;
#[cfg(feature = "fem")]
mod convert;
mod demo;
mod edit;
mod expand;
mod export;
mod groups;
#[cfg(feature = "import")]
mod import;
mod linearize;
#[cfg(feature = "fem")]
mod lump;
#[cfg(feature = "vehicle")]
mod manoeuvre;
mod modes;
mod new;
#[cfg(feature = "fem")]
mod reduce;
#[cfg(feature = "vehicle")]
mod rig;
mod run;
mod schema;
mod spectrum;
#[cfg(feature = "parquet")]
mod study;
#[cfg(feature = "vehicle")]
mod tyre;
mod verify;
mod view;

use ballesta_files::Failure;
use clap::Subcommand;

/// The failure of a program that was built without the part `what`.
#[allow(dead_code)] // A complete program leaves nothing out.
fn not_built_in(what: &str) -> Failure {
    Failure::Usage(ballesta_files::failure::not_built_in(what))
}

/// The folders of commands in builds without their feature: arguments for the help, and a plan that names the missing
/// part.
macro_rules! left_out {
    ($($feature:literal $folder:ident::$Arguments:ident $what:literal,)*) => {$(
        #[cfg(not(feature = $feature))]
        mod $folder {
            #[allow(dead_code)]
            pub mod arguments;

            pub enum Plan {}

            impl Plan {
                pub fn resolve(_: arguments::$Arguments) -> Result<Plan, super::Failure> {
                    Err(super::not_built_in($what))
                }

                pub fn execute(self) -> Result<(), super::Failure> {
                    match self {}
                }
            }
        }
    )*};
}

left_out! {
    "fem" convert::Convert "finite elements",
    "fem" lump::Lump "finite elements",
    "fem" reduce::Reduce "finite elements",
    "import" import::Import "the import of robots",
    "parquet" study::Study "Parquet, the format of the results of studies",
    "vehicle" manoeuvre::Manoeuvre "manoeuvres, suspension rigs and reports of tyres",
    "vehicle" rig::Rig "manoeuvres, suspension rigs and reports of tyres",
    "vehicle" tyre::Tyre "manoeuvres, suspension rigs and reports of tyres",
}

/// Defines the subcommands from their folders and the types of their arguments, each with its line of the help.
macro_rules! commands {
    ($($(#[$help:meta])* $folder:ident::$Arguments:ident,)*) => {
        /// The subcommands.
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $($(#[$help])* $Arguments($folder::arguments::$Arguments),)*
        }

        impl Command {
            /// Runs the command.
            pub fn execute(self) -> Result<(), Failure> {
                match self {
                    $(Command::$Arguments(typed) => $folder::Plan::resolve(typed)?.execute(),)*
                }
            }
        }
    };
}

commands! {
    /// Create a model from a template or an adjacency matrix
    new::New,
    /// Export, test and plot a built-in model as an FMU
    demo::Demo,
    /// Assemble a model and report topology, mobility and redundant constraints
    check::Check,
    /// Simulate a model and write tables, plots and 3-D pages
    run::Run,
    /// Drive a vehicle through a manoeuvre and evaluate its measures
    manoeuvre::Manoeuvre,
    /// Run a parameter study of a model
    study::Study,
    /// Estimate the numerical error of a model's results
    verify::Verify,
    /// Export a model as an FMU (Co-Simulation and Model Exchange)
    export::Export,
    /// Measure the step times of a model or an FMU
    bench::Bench,
    /// Reduce a structure to a flexible body (Craig-Bampton)
    reduce::Reduce,
    /// Compute natural frequencies of a structure, reduced model or mechanism
    modes::Modes,
    /// Linearize a model about its initial state or equilibrium
    linearize::Linearize,
    /// Measure suspension kinematics and compliance on a virtual rig
    rig::Rig,
    /// Compute the amplitude spectrum of results and its peaks
    spectrum::Spectrum,
    /// Evaluate tyre property files: curves, characteristics and questionable coefficients
    tyre::Tyre,
    /// Find the structural groups of a mechanism and their order
    groups::Groups,
    /// Convert a URDF or MJCF robot to a model
    import::Import,
    /// Convert a reduced-order model to matrices, Simscape or state space
    convert::Convert,
    /// Convert beams to rigid bodies connected by springs
    lump::Lump,
    /// Expand the subassemblies of a model into one flat file
    expand::Expand,
    /// Draw a model in three views or as a 3-D page
    view::View,
    /// Write a page to edit a model and see it move
    edit::Edit,
    /// Print the JSON Schema of a file format for editors
    schema::Schema,
    /// Print the completion script for a shell
    completions::Completions,
}
