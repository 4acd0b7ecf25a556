//! *ballesta*: real-time multibody solver that ships a TOML mechanism as an FMU.
//!
//! Processing of a model: [`model::load`](fn@model::load) reads and checks a TOML file, [`compile::compile`] numbers
//! and assembles the mechanism, [`simulate::Simulator`] steps it. Only the preparation before the first step
//! may allocate; a step neither allocates nor panics, and gives the same bits in every process. Units are SI, angles in
//! rad.
//!
//! ```
//! use ballesta::{compile::compile, model, simulate::Simulator, system::System};
//! use std::{path::Path, sync::Arc};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let document = model::load(Path::new("models/four_bar")).map_err(|errors| errors.to_string())?;
//! let values = document.model.parameter_values();
//! let system = Arc::new(compile(&document, &values).map_err(|errors| errors.to_string())?);
//! let mut simulator = Simulator::new(system.clone());
//!
//! simulator.initialize(0.0).map_err(|fault| system.describe(&fault))?;
//! simulator.advance(1.0).map_err(|fault| system.describe(&fault))?;
//!
//! let outputs = &system.interface().outputs;
//! let angle = outputs.iter().position(|output| output.name == "left.angle").ok_or("no such output")?;
//! let mut values = vec![0.0; outputs.len()];
//! simulator.outputs(&mut values).map_err(|fault| system.describe(&fault))?;
//! println!("{} = {} {}", outputs[angle].name, values[angle], outputs[angle].unit);
//! # assert_eq!(outputs[angle].unit, "rad");
//! # assert!(values[angle] != outputs_at_start(&system)?[angle]);
//! # Ok(())
//! # }
//! # fn outputs_at_start(system: &Arc<System>) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
//! #     let mut simulator = Simulator::new(system.clone());
//! #     let mut values = vec![0.0; system.interface().outputs.len()];
//! #     let looked = simulator.initialize(0.0).and_then(|()| simulator.outputs(&mut values));
//! #     looked.map_err(|fault| system.describe(&fault))?;
//! #     Ok(values)
//! # }
//! ```
//!
//! Further modules: [`compile`] builds a system from a file, [`analysis`] analyses it; [`dynamics`] has the equations
//! and the stages of one evaluation, [`integrate`] the schemes, [`force`] and [`joint`] the physics of elements and
//! joints, [`rom`] reduced models of flexible bodies, [`fmi`] the C interface. The map of the code is ARCHITECTURE.md.

#![cfg_attr(target_family = "wasm", allow(dead_code))]

pub use ballesta_compile as compile;
pub use ballesta_compile::analysis;
pub use ballesta_model as model;
pub use ballesta_model::{document, rom, units};
pub use ballesta_solver::{assembly, dynamics, force, integrate, joint, math, mechanism, system, topology, tyre};

#[cfg(test)]
#[path = "../crates/solver/src/check/mod.rs"]
#[allow(dead_code)] // The tests of the solver use all of it.
mod check;
pub mod fmi;
pub mod simulate;

/// A hash over the sources of the solver and the versions of the crates that it is built with, 16 hexadecimal digits.
/// Results from several sessions or machines come from the same solver if the hash is equal. It also identifies the
/// library that belongs to a program.
pub const SOURCES: &str = env!("BALLESTA_SOLVER");

/// Cargo's profile with which the library is compiled, such as `release`.
pub const PROFILE: &str = env!("BALLESTA_PROFILE");

/// Optimisation level that the library is compiled with, such as `3`.
pub const OPT_LEVEL: &str = env!("BALLESTA_OPT_LEVEL");

/// Texts for distributors of the library.
pub mod notices {
    /// The system libraries that it needs.
    pub const EXTERNAL_DEPENDENCIES: &str = include_str!("../fmu/externalDependencies.txt");
    /// The licence of this project, either this one,
    pub const MIT: &str = include_str!("../LICENSE-MIT");
    /// or this one.
    pub const APACHE: &str = include_str!("../LICENSE-APACHE");
    /// Licences of the crates inside.
    pub const THIRD_PARTY: &str = include_str!("../fmu/third-party-licenses.txt");
}
