//! Document → [`System`](crate::system::System). Offline: allocates, and fails with diagnostics. [`build()`] makes the
//! system in its design position, stage by stage, [`compile()`] assembles it.

pub(crate) mod assembly;
mod blocks;
mod build;
mod clusters;
mod constraints;
mod continuous;
mod deformation;
mod design;
pub mod elements;
mod extent;
pub(crate) mod flexible;
mod frames;
mod graph;
mod guides;
mod influence;
mod laws;
mod motion;
mod names;
mod numbering;
mod outputs;
pub(crate) mod placing;
pub mod quasi_static;
mod requests;
mod undetermined;
mod unweighted;

pub use assembly::compile;
pub use build::build;
