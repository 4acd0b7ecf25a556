//! Manoeuvres: a file defines how a vehicle is driven and which values are measured.
//!
//! ```text
//! NAME.toml ──Manoeuvre::open──▶ Manoeuvre        what is driven and measured, for any vehicle
//! model.toml with [vehicle] ──Subject::new──▶ Subject      inputs by their jobs, channels
//! Drive { manoeuvre, subject, … }.run ──▶ Driven ──Drive::measures──▶ Found
//! ```
//!
//! A run starts in steady driving at the speed of the manoeuvre. The size of the steering may be given as the lateral
//! acceleration of a steady circle, which is computed by trimming, without a run. The speed is held by the
//! `[[speed_control]]` of the model, inside its step.
//!
//! **Sides.** A file describes the manoeuvre with positive factors. A negative factor drives the mirror image:
//! steering, path and lanes change sides. Events and measures read mirrored channels. Values and limits have the sign
//! of the run.
//!
//! **Validity.** A run is invalid once the vehicle has rolled over, a body is below the road, or a tyre is far outside
//! the ranges of its file ([`Invalid`]). Measures that need a later point have no value, and no limit counts as kept.

mod drive;
mod driver;
pub mod manoeuvre_schema;
mod measure;
mod plan;
mod read_manoeuvre;
mod signal;
mod vehicle_channels;

pub use drive::{Drive, DriveResult, Invalid};
pub use measure::{MeasureStatus, MeasuredValue};
pub use plan::{Choices, ManoeuvrePlan, ManoeuvreRun};
pub use read_manoeuvre::{BUILT_IN, BuiltIn, Manoeuvre};
pub use signal::Course;
pub use vehicle_channels::{ChannelValues, Driving, Job, ManoeuvreVehicle};
