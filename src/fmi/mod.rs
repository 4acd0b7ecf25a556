//! The FMI 2.0 Co-Simulation interface.

pub mod guid;
pub mod log;
pub mod variables;

pub use guid::guid;
