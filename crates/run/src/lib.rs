//! Runs a model: open it, set parameters and inputs, simulate it over the communication points of an experiment, check
//! the result and write it. The command line, studies, manoeuvres and the Python package use this crate, so that equal
//! experiments give equal bits.

pub mod adjacency;
pub mod check;
pub mod driven_inputs;
pub mod grid;
pub mod groups;
pub mod inputs;
pub mod judgement;
pub mod linearization;
pub mod model;
pub mod model_files;
pub mod modes;
pub mod operating;
pub mod outcome;
pub mod recovered_run;
pub mod reduction;
pub mod simulation;
pub mod table;
pub mod templates;
pub mod verify;

pub use grid::Grid;
pub use inputs::Inputs;
pub use outcome::Outcome;
pub use simulation::Excitation;

/// Sources other than the solver that determine the results of a run.
pub const SOURCES: [&str; 4] =
    [include_str!("grid.rs"), include_str!("inputs.rs"), include_str!("model.rs"), include_str!("simulation.rs")];
