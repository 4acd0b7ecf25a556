//! Document → [`System`](crate::system::System): numbering, constant geometry, resolved outputs, assembly. Offline: allocates, and fails with
//! diagnostics. [`build()`] makes the system in its design position, [`System::compile`](crate::system::System::compile) assembles it.

pub mod assembly;
mod build;
mod clusters;
mod continuous;
mod deformation;
mod draft;
mod extent;
pub(crate) mod flexible;
mod motion;
mod names;
mod numbering;
mod outputs;
pub mod quasi_static;
mod undetermined;
mod unweighted;

pub use build::build;
