//! What compares and describes the solver, and is part of no product: times of its stages, the global method beside it;
//! in the tests, the C header of its library.

pub mod global_method;
pub mod stages;

/// Optimisation level of the global method, such as `3`. Ratios of times count only if the solver has the same one,
/// `ballesta::OPT_LEVEL`.
pub const OPT_LEVEL: &str = env!("BALLESTA_TOOLS_OPT_LEVEL");
