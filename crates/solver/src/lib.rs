//! The solver of *ballesta*: multibody dynamics in real time, without files.
//!
//! | module | contents |
//! |---|---|
//! | [`math`] | vectors, rotations, dual numbers, linear algebra of fixed cost |
//! | [`topology`] | graphs: spanning trees, structural groups, band widths |
//! | [`joint`] | joints of the tree, closure equations, couplers |
//! | [`tyre`] | Magic Formula |
//! | [`force`] | force elements, roads, contacts |
//! | [`system`] | the constant `System`, the copyable `State`, the scratch `Workspace` |
//! | [`dynamics`] | one evaluation: kinematics, closure, forces, accelerations |
//! | [`integrate`] | fixed-step schemes |
//!
//! A step neither allocates nor panics, and returns the same bits in every process. Units are SI, angles in rad.

#![cfg_attr(not(test), no_std)]
#![cfg_attr(not(test), deny(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

extern crate alloc;

#[expect(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types, reason = "before any step")]
pub mod assembly;
#[cfg(test)]
mod check;
pub mod dynamics;
pub mod force;
pub mod integrate;
pub mod joint;
pub mod math;
#[expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "before any step")]
pub mod mechanism;
pub mod system;
#[expect(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types, reason = "before any step")]
pub mod topology;
pub mod tyre;
