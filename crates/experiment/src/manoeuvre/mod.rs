//! Manoeuvres: a vehicle driven as a file says, and what is measured of it.
//!
//! ```text
//! NAME.toml ──Manoeuvre::open──▶ Manoeuvre        what is driven and measured, for any vehicle
//! model.toml with [vehicle] ──Subject::new──▶ Subject      inputs by their jobs, channels
//! Drive { manoeuvre, subject, … }.run ──▶ Driven ──Drive::measures──▶ Found
//! ```
//!
//! A run starts in steady driving at the speed of the manoeuvre. The size of the steering may be given as the lateral
//! acceleration of a steady circle, which is found by trimming, without a run. The speed is held by the
//! `[[speed_control]]` of the model, inside its step.

mod drive;
mod driver;
mod measure;
mod plan;
mod read;
pub mod schema;
mod signal;
mod vehicle;

pub use drive::{Drive, Driven};
pub use measure::Found;
pub use plan::{Choices, Made, Plan};
pub use read::{BUILT_IN, BuiltIn, Manoeuvre, short};
pub use vehicle::{Look, Subject};
