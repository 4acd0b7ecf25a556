//! The 75 functions of `fmi3Functions.h`.

mod clocks;
mod common;
mod cosimulation;
mod mode_functions;
mod modelexchange;
mod values;

pub use clocks::*;
pub use common::*;
pub use cosimulation::*;
pub use mode_functions::*;
pub use modelexchange::*;
pub use values::*;

use crate::fmi::guard;
use crate::fmi::instance::Instance;
use crate::fmi::states::fmi3::Function;
use crate::fmi::status::Problem;
use crate::fmi::types::{fmi3Instance, fmi3Status};

/// [`guard::guard`] in the types of this version.
///
/// # Safety
/// See `exports`.
unsafe fn guard(
    instance: fmi3Instance,
    function: Function,
    body: impl FnOnce(&mut Instance) -> Result<(), Problem>,
) -> fmi3Status {
    // SAFETY: the caller's promise.
    unsafe { guard::guard(instance, function, |entry| body(entry)) }.into()
}

/// The answer of functions for what the FMU lacks: the state table makes them legal nowhere.
///
/// # Safety
/// See `exports`.
unsafe fn refuse(instance: fmi3Instance, function: Function) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { guard(instance, function, |_| Ok(())) }
}
