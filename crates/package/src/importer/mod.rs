//! Loads an FMU and steps it through its C functions: FMI 2.0 for Co-Simulation, of any tool.
//!
//! [`Fmu::open`] unpacks the archive into a new folder below the temporary folder of the system, reads
//! `modelDescription.xml` ([`description`]) and loads the library for this machine. [`Fmu::instantiate`] returns an
//! [`Instance`]. Its functions are the functions of the standard with slices for arrays and a `Result` for a status.
//! The folder and the library are released when the last instance and the [`Fmu`] are dropped.
//!
//! It shares no code with the solver, so tests through it are black-box tests. `unsafe` is confined to [`instance`].
//!
//! ```no_run
//! # fn main() -> Result<(), ballesta_package::importer::ImportError> {
//! use ballesta_package::importer::Fmu;
//! let fmu = Fmu::open("van.fmu".as_ref())?;
//! let speed = [fmu.description().variable("speed").expect("an output").value_reference];
//! let mut instance = fmu.instantiate("van", false)?;
//! instance.initialize(0.0, None)?;
//! let mut value = [0.0];
//! for step in 0..1000 {
//!     instance.do_step(step as f64 * 1e-3, 1e-3)?;
//!     instance.get_real(&speed, &mut value)?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Limits: fmi2Pending is not supported (such FMUs declare canRunAsynchronuously). FMUs that need a tool on this
//! machine (needsExecutionTool) must find it themselves.

pub mod description;
mod error;
pub mod instance;
mod library_checks;
pub mod unpacking;

pub use description::{Causality, Description, Kind, Start, Variability, Variable};
pub use error::{ImportError, Message, Status};
pub use instance::{Fmu, Instance, StateIx};
