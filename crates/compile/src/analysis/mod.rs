//! Analyses of a compiled system: equilibrium and steady driving, linear models and modes, step limits, structural
//! groups, errors of a run. Offline: allocates and iterates without a time bound. The analysed state is an argument; no
//! function here advances a simulation.

pub mod convergence;
pub mod equilibrium;
pub mod groups;
pub mod impacts;
pub mod linearize;
pub mod modal;
pub mod operating_point;
pub mod stability;
pub mod steady;
pub mod step_derivatives;
pub mod step_map;
pub mod sticking;
pub mod truncation;
pub mod weights;
