//! *ballesta*: real-time multibody solver that ships a TOML mechanism as an FMU.

#[cfg(feature = "cli")]
pub mod cli;
pub mod document;
pub mod dynamics;
#[cfg(feature = "fem")]
pub mod fem;
pub mod fmi;
pub mod force;
#[cfg(feature = "fem")]
pub mod global_method;
#[cfg(feature = "cli")]
pub mod importer;
pub mod integrate;
pub mod joint;
pub mod math;
pub mod model;
#[cfg(feature = "cli")]
pub mod package;
pub mod rom;
pub mod simulate;
pub mod system;
pub mod topology;
pub mod tyre;
pub mod units;
