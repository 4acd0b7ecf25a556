//! *ballesta*: real-time multibody solver that ships a TOML mechanism as an FMU.

#[cfg(feature = "cli")]
pub mod cli;
pub mod dynamics;
pub mod fmi;
pub mod force;
#[cfg(feature = "cli")]
pub mod importer;
pub mod integrate;
pub mod joint;
pub mod math;
pub mod model;
#[cfg(feature = "cli")]
pub mod package;
pub mod simulate;
pub mod system;
pub mod topology;
pub mod units;
