//! An interactive model: it is displayed while the user changes its inputs.
//!
//! [`frame`] computes the displayed state at one instant, also for recorded runs. [`session`] steps a model between
//! communication points with changing inputs, and returns to earlier points. `ballesta-workshop` compiles both to
//! WebAssembly for pages.

pub mod frame;
pub mod session;
