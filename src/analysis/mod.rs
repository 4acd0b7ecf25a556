//! What is asked of a compiled system beside its motion: equilibrium and steady driving, linear models and modes, step
//! limits, structural groups, errors of a run. Offline: allocates, iterates longer. The state that is asked about is an
//! argument; nothing here steps a simulation on.

pub mod convergence;
pub mod equilibrium;
pub mod groups;
pub(crate) mod impacts;
pub mod linearize;
pub mod modal;
pub mod operating_point;
pub mod stability;
pub(crate) mod steady;
pub mod step_derivatives;
pub mod step_map;
pub(crate) mod sticking;
pub mod truncation;
pub mod weights;
