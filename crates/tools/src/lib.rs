//! Tools that compare and describe the solver and are not part of the product: times of its stages, and the global
//! method. The tests also cover the C header of its library.

#[cfg(feature = "global-method")]
pub mod global_method;
pub mod stages;

/// Optimisation level of the global method, such as `3`. Ratios of times are valid only if the solver has the same
/// level, `ballesta::OPT_LEVEL`.
pub const OPT_LEVEL: &str = env!("BALLESTA_TOOLS_OPT_LEVEL");
