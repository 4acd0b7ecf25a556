//! The C types of FMI 2.0 and FMI 3.0, under the names of the standards.

mod fmi2;
mod fmi3;

pub use fmi2::*;
pub use fmi3::*;
