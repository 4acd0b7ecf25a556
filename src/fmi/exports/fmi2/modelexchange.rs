//! Functions of Model Exchange. This FMU does not offer it; the functions exist because importers resolve all symbols,
//! and return fmi2Error.

#![allow(non_snake_case, clippy::missing_safety_doc)]

use super::guard;
use crate::fmi::states::fmi2::Function;
use crate::fmi::types::*;

/// The answer to all of them: the state table makes them legal nowhere.
///
/// # Safety
/// See `exports`.
unsafe fn refuse(c: fmi2Component, function: Function) -> fmi2Status {
    // SAFETY: see `exports`.
    unsafe { guard(c, function, |_| Ok(())) }
}

/// fmi2Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2EnterEventMode(c: fmi2Component) -> fmi2Status {
    // SAFETY: see `exports`.
    unsafe { refuse(c, Function::EnterEventMode) }
}

/// fmi2Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2NewDiscreteStates(c: fmi2Component, fmi2eventInfo: *mut fmi2EventInfo) -> fmi2Status {
    let _ = fmi2eventInfo;
    // SAFETY: see `exports`.
    unsafe { refuse(c, Function::NewDiscreteStates) }
}

/// fmi2Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2EnterContinuousTimeMode(c: fmi2Component) -> fmi2Status {
    // SAFETY: see `exports`.
    unsafe { refuse(c, Function::EnterContinuousTimeMode) }
}

/// fmi2Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2CompletedIntegratorStep(
    c: fmi2Component,
    noSetFMUStatePriorToCurrentPoint: fmi2Boolean,
    enterEventMode: *mut fmi2Boolean,
    terminateSimulation: *mut fmi2Boolean,
) -> fmi2Status {
    let _ = (noSetFMUStatePriorToCurrentPoint, enterEventMode, terminateSimulation);
    // SAFETY: see `exports`.
    unsafe { refuse(c, Function::CompletedIntegratorStep) }
}

/// fmi2Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetTime(c: fmi2Component, time: fmi2Real) -> fmi2Status {
    let _ = time;
    // SAFETY: see `exports`.
    unsafe { refuse(c, Function::SetTime) }
}

/// fmi2Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetContinuousStates(c: fmi2Component, x: *const fmi2Real, nx: usize) -> fmi2Status {
    let _ = (x, nx);
    // SAFETY: see `exports`.
    unsafe { refuse(c, Function::SetContinuousStates) }
}

/// fmi2Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetDerivatives(c: fmi2Component, derivatives: *mut fmi2Real, nx: usize) -> fmi2Status {
    let _ = (derivatives, nx);
    // SAFETY: see `exports`.
    unsafe { refuse(c, Function::GetDerivatives) }
}

/// fmi2Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetEventIndicators(
    c: fmi2Component,
    eventIndicators: *mut fmi2Real,
    ni: usize,
) -> fmi2Status {
    let _ = (eventIndicators, ni);
    // SAFETY: see `exports`.
    unsafe { refuse(c, Function::GetEventIndicators) }
}

/// fmi2Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetContinuousStates(c: fmi2Component, x: *mut fmi2Real, nx: usize) -> fmi2Status {
    let _ = (x, nx);
    // SAFETY: see `exports`.
    unsafe { refuse(c, Function::GetContinuousStates) }
}

/// fmi2Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetNominalsOfContinuousStates(
    c: fmi2Component,
    x_nominal: *mut fmi2Real,
    nx: usize,
) -> fmi2Status {
    let _ = (x_nominal, nx);
    // SAFETY: see `exports`.
    unsafe { refuse(c, Function::GetNominalsOfContinuousStates) }
}
