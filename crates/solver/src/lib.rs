//! Multibody dynamics in real time: a Rust library without files, processes and clocks.
//!
//! The crate simulates mechanisms of rigid and flexible bodies with closed loops, and the force elements of machines
//! and vehicles. A step takes a bounded time: it neither allocates nor panics, and returns the same bits in every
//! process. The crate needs `alloc`, not `std`. It is the solver of *ballesta*, which reads mechanisms from model
//! files.
//!
//! A mechanism is described by a [`mechanism::Mechanism`], compiled into a [`system::System`], and stepped by
//! [`integrate::step`]:
//!
//! ```
//! use ballesta_solver::math::Vec3;
//! use ballesta_solver::mechanism::{BodyRef, Joint, Mechanism};
//! use ballesta_solver::{integrate, system::Workspace};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A rod of 1 m hangs on a hinge with a horizontal axis and starts at an angle of 0.1 rad.
//! let mut mechanism = Mechanism::default();
//! let rod = mechanism.add_body("rod", 2.0, Vec3::new(0.0, 0.0, -0.5), [1.0 / 6.0, 1.0 / 6.0, 0.0]);
//! let hinge = Joint::revolute("hinge", [BodyRef::Ground, rod], Vec3::zeros(), Vec3::y());
//! let hinge = mechanism.add_joint(Joint { position: vec![0.1], ..hinge });
//! let layout = mechanism.layout()?;
//! let angle = layout.coordinate(hinge.coordinate(0)).expect("a joint of the tree");
//! let system = layout.build(Vec::new(), Vec::new())?;
//!
//! let (mut state, mut workspace) = (system.initial().clone(), Workspace::new(&system));
//! while state.time < 0.8194 {
//!     integrate::step(&system, &mut state, &mut workspace, system.step())?;
//! }
//! // Half of the period of small oscillations, 2π √(2 l / 3 g): the rod is at the other side.
//! assert!((state.q[angle.position] + 0.1).abs() < 1e-4);
//! # Ok(())
//! # }
//! ```
//!
//! Examples with closed forms: `pendulum` (period), `four_bar` (a driven closed loop) and `car_corner` (a double
//! wishbone suspension with spring, damper and tyre) in the folder `examples`.
//!
//! # Data
//!
//! - [`system::System`]: constants of a mechanism, shared between threads and instances.
//! - [`system::State`]: all data needed to continue a run. A copy is a snapshot.
//! - [`system::Workspace`]: scratch memory. Its content never changes a result.
//! - [`system::Fault`]: the reason why a step failed, without heap memory; [`system::System::describe`] makes it text.
//!
//! # Conventions
//!
//! - Units are SI, angles are in rad.
//! - W is the world frame. A body frame B has the axes of W in the design position and its origin at the centre of
//!   mass.
//! - Coordinates of a joint measure its second body relative to its first, and are zero in the design position.
//! - Bodies are numbered with parents before children; body 0 is the ground. Tree joint `j` carries body `j + 1`.
//! - The origin of a system is the point of its first joint at the ground, so that digits are not lost far from W's
//!   origin.
//! - Spatial velocities and forces refer to one point o per branch: (velocity of the body at o; angular velocity), and
//!   (force; moment about o).
//!
//! # Modules
//!
//! Each module uses only modules above it.
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
//! | [`assembly`] | closed loops, ranks and consistent speeds at the start |
//! | [`mechanism`] | description of a mechanism, and the stages that make a system of it |

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
