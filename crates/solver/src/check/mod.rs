//! Tools of the tests: numbers and derivatives, and properties that every force element must have.

pub mod elastic_sample;
pub mod elements;
pub mod numbers;

pub use crate::math::larger;
