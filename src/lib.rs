//! *ballesta*: real-time multibody solver that ships a TOML mechanism as an FMU.
//!
//! The way of a model through the crate: [`model::load`](fn@model::load) reads and checks a TOML file, [`system::System::compile`] numbers and assembles
//! the mechanism, [`simulate::Simulator`] steps it. What may allocate comes before the first step; a step neither allocates nor panics, and
//! gives the same bits in every process. Units are SI, angles in rad.
//!
//! ```
//! use ballesta::{model, simulate::Simulator, system::System};
//! use std::{path::Path, sync::Arc};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let document = model::load(Path::new("models/four_bar")).map_err(|errors| errors.to_string())?;
//! let values = document.model.parameter_values();
//! let system = Arc::new(System::compile(&document, &values).map_err(|errors| errors.to_string())?);
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
//! #     let (mut simulator, mut values) = (Simulator::new(system.clone()), vec![0.0; system.interface().outputs.len()]);
//! #     simulator.initialize(0.0).and_then(|()| simulator.outputs(&mut values)).map_err(|fault| system.describe(&fault))?;
//! #     Ok(values)
//! # }
//! ```
//!
//! Where to read on: [`compile`] makes a system of a file, [`analysis`] answers questions about it; [`dynamics`] has the equations and the
//! stages of one evaluation, [`integrate`] the schemes, [`force`] and [`joint`] the physics of elements and joints, [`rom`] and [`fem`] reduced
//! models of flexible bodies and how they are made, [`fmi`] the C interface.
//! The map of the code is ARCHITECTURE.md.

pub mod analysis;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compile;
pub mod document;
pub mod dynamics;
#[cfg(feature = "cli")]
pub mod experiment;
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
#[cfg(feature = "cli")]
pub mod study;
pub mod system;
pub mod topology;
pub mod tyre;
pub mod units;
