//! What is done with a model from outside: opened, given parameters and inputs, run over the points of an experiment,
//! judged. The command line, studies and the Python package go this way, so that the same experiment gives the same
//! bits in all of them.

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
