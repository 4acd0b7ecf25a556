//! Semi-recursive dynamics with the double velocity transformation: one evaluation of z̈ and of all rates.
//!
//! Problem. For given positions q, velocities ż, inputs and time, find z̈ of all relative coordinates so that the loops
//! stay closed: (R_zᵀ M_open R_z) z̈^i = R_zᵀ Q_open with the bias accelerations inside Q_open (Hidalgo & García de
//! Jalón 2013, eqs 16-29; theory sections 2-6). Sizes: nv velocity coordinates, blocks of m rows and n coordinates
//! each.
//!
//! Frames. World axes; the reference point o of a branch is the ground point of its root joint, or the present position
//! of its root body when that floats, so accuracy does not degrade far from the world's origin.
//!
//! Cost and real-time properties. No allocation, no lock, no clock, no panic; Newton's iterations are bounded. Joints
//! and modes are eliminated from the leaves ([`articulated`]) and the loops of a block factored within a skyline, which
//! is linear in the number of joints of chains, open or of loops. The dense product R_zᵀ M R_z, O(nv² · dof) in the
//! worst case, is formed where all forces are implicit, and in implicit steps in which bodies turn fast. A block near a
//! singular position is closed by least change of all its coordinates: one more choice of pivots, which reads all m n
//! entries of its Jacobian.
//!
//! Verified by: tests/motion/verification (references, conservation, invariance),
//! crates/compile/src/solver_tests/evaluation.rs (derivatives, balance).

pub mod articulated;
pub(crate) mod augmented;
pub mod choice;
pub mod closure;
pub mod dense;
pub mod energy;
pub mod evaluate;
pub mod flexible;
pub mod gyroscopic;
pub mod implicit;
pub(crate) mod joint_loads;
pub mod kinematics;
pub mod least_change;
mod least_stress;
pub(crate) mod loads;
pub mod mass;
pub mod observe;
mod partition;
pub mod pieces;
pub(crate) mod projection;
pub mod reactions;
pub mod residual_modes;
pub mod residuals;
pub(crate) mod shared_evaluation;
pub mod stage;
pub mod start_values;
pub mod tangent;

pub use evaluate::evaluate_dense;
pub(crate) use evaluate::evaluate_open_tree;
pub use evaluate::{evaluate, evaluate_closed, evaluate_implicit};
pub use flexible::section_recovery::{node_displacement, section_forces};
pub use loads::calc_loads;
pub use reactions::calc_reactions;
pub use residuals::{calc_bias_accelerations, calc_open_forces, calc_residuals};
pub(crate) use stage::{close_end, inputs_move_guides};
pub use stage::{close_stage, load_stage, prepare_stage};
