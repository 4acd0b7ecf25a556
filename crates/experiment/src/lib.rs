//! Experiments with a model: open it, set parameters and inputs, run it over the points of an experiment, and check the
//! result. The command line, studies and the Python package use this crate, so that equal experiments give equal bits.

pub mod adjacency;
pub mod check;
pub mod csv;
pub mod driven_inputs;
pub mod failure;
pub mod grid;
pub mod groups;
pub mod inputs;
pub mod judgement;
pub mod kind;
pub mod manoeuvre;
pub mod mesh;
pub mod model;
pub mod modes;
pub mod numbers;
pub mod operating;
pub mod outcome;
pub mod output_file;
pub mod recovery;
pub mod reduction;
pub mod rig;
pub mod simulation;
pub mod stdout;
#[cfg(feature = "parquet")]
pub mod study;
pub mod table;
pub mod templates;
pub mod temporary;
pub mod tyre;
pub mod verify;
pub mod words;

pub use failure::Failure;
pub use grid::Grid;
pub use inputs::Inputs;
pub use outcome::Outcome;
pub use simulation::Excitation;
