//! Document → [`System`](ballesta_solver::system::System). Offline: allocates, and fails with diagnostics. [`build()`]
//! makes the system in its design position, stage by stage, [`compile()`] assembles it.

pub mod analysis;
mod assembly;
mod build;
#[cfg(test)]
#[path = "../../solver/src/check/mod.rs"]
#[allow(dead_code)] // The tests of the solver use all of it.
mod check;
mod continuous;
pub mod elements;
pub mod flexible_bodies;
mod influence;
mod laws;
mod mechanism;
mod names;
mod outputs;
pub mod quasi_static;
#[cfg(test)]
mod solver_tests;

pub use assembly::compile;
pub use build::build;

#[cfg(test)]
use ballesta_solver::{force, math, system};
