//! Tools of the tests: numbers and derivatives, and properties that every force element must have.

pub mod elements;
pub mod flexible;
pub mod numbers;

pub use crate::math::larger;
