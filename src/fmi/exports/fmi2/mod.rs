//! The 44 functions of `fmi2Functions.h`.

mod common;
mod cosimulation;
mod modelexchange;

pub use common::*;
pub use cosimulation::*;
pub use modelexchange::*;

use crate::fmi::guard;
use crate::fmi::instance::Instance;
use crate::fmi::states::fmi2::Function;
use crate::fmi::status::Problem;
use crate::fmi::types::{fmi2Component, fmi2Status};

/// [`guard::guard`] in the types of this version.
///
/// # Safety
/// See `exports`.
unsafe fn guard(
    c: fmi2Component,
    function: Function,
    body: impl FnOnce(&mut Instance) -> Result<(), Problem>,
) -> fmi2Status {
    // SAFETY: the caller's promise.
    unsafe { guard::guard(c, function, |entry| body(entry)) }.into()
}
