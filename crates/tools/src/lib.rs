//! What compares and describes the solver, and is part of no product: times of its stages, the global method beside it;
//! in the tests, the C header of its library.

pub mod global_method;
pub mod stages;
