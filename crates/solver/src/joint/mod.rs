//! Joints: as edges of the tree (relative coordinates) and as cuts of loops (closure equations).
//!
//! [`TreeJoint`] is the first velocity transformation of Hidalgo & García de Jalón (2013), eqs 3-5: pose of the
//! outboard body, columns b of the spatial velocity and their bias d. [`Row`] is one closure equation (eqs 20-22) with
//! its spatial forces on the two bodies.
//!
//! Frames: "first" and "second" are the two bodies in the order of the model file. Coordinates measure the second
//! relative to the first, independent of which body is inboard in the tree. Every body frame has the axes of the world
//! in the design position, so all relative rotations start at the identity.
//!
//! The code never tests for a kind by name: the row in `joint::coordinates` defines the free translations and
//! rotations.

mod closure_equations;
pub mod coordinates;
mod coupling_law;
mod kind;
mod tree;

pub use closure_equations::{Row, RowState, Term};
pub use coupling_law::{CamMotion, Function, Law, Piece};
pub use kind::JointKind;
pub use tree::{Link, Path, Pose, TreeJoint, Wheel};
