//! (skeleton)

pub mod csv;
