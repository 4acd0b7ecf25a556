//! Document → [`System`](ballesta_solver::system::System). Offline: allocates, and fails with diagnostics. [`build()`]
//! makes the system in its design position, stage by stage, [`compile()`] assembles it.

pub mod analysis;
pub mod assembly;
mod blocks;
mod build;
#[cfg(test)]
#[path = "../../solver/src/check/mod.rs"]
#[allow(dead_code)] // The tests of the solver use all of it.
mod check;
mod clusters;
mod constraints;
mod continuous;
mod deformation;
mod design;
pub mod elements;
mod extent;
pub mod flexible;
mod frames;
mod graph;
mod guides;
mod influence;
mod laws;
mod motion;
mod names;
mod numbering;
mod outputs;
pub mod placing;
pub mod quasi_static;
mod requests;
#[cfg(test)]
mod solver_tests;
mod undetermined;
mod unweighted;

pub use assembly::compile;
pub use build::build;

#[cfg(test)]
use ballesta_solver::{force, math, system};
