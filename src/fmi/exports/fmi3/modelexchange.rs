//! Functions of Model Exchange. This FMU does not offer it; the functions exist because importers resolve all symbols,
//! and return fmi3Error.

#![allow(non_snake_case, clippy::missing_safety_doc)]

use super::refuse;
use crate::fmi::states::fmi3::Function;
use crate::fmi::types::*;

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterContinuousTimeMode(instance: fmi3Instance) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::EnterContinuousTimeMode) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3CompletedIntegratorStep(
    instance: fmi3Instance,
    noSetFMUStatePriorToCurrentPoint: fmi3Boolean,
    enterEventMode: *mut fmi3Boolean,
    terminateSimulation: *mut fmi3Boolean,
) -> fmi3Status {
    let _ = (noSetFMUStatePriorToCurrentPoint, enterEventMode, terminateSimulation);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::CompletedIntegratorStep) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetTime(instance: fmi3Instance, time: fmi3Float64) -> fmi3Status {
    let _ = time;
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::SetTime) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetContinuousStates(
    instance: fmi3Instance,
    continuousStates: *const fmi3Float64,
    nContinuousStates: usize,
) -> fmi3Status {
    let _ = (continuousStates, nContinuousStates);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::SetContinuousStates) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetContinuousStateDerivatives(
    instance: fmi3Instance,
    derivatives: *mut fmi3Float64,
    nContinuousStates: usize,
) -> fmi3Status {
    let _ = (derivatives, nContinuousStates);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::GetContinuousStateDerivatives) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetEventIndicators(
    instance: fmi3Instance,
    eventIndicators: *mut fmi3Float64,
    nEventIndicators: usize,
) -> fmi3Status {
    let _ = (eventIndicators, nEventIndicators);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::GetEventIndicators) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetContinuousStates(
    instance: fmi3Instance,
    continuousStates: *mut fmi3Float64,
    nContinuousStates: usize,
) -> fmi3Status {
    let _ = (continuousStates, nContinuousStates);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::GetContinuousStates) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNominalsOfContinuousStates(
    instance: fmi3Instance,
    nominals: *mut fmi3Float64,
    nContinuousStates: usize,
) -> fmi3Status {
    let _ = (nominals, nContinuousStates);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::GetNominalsOfContinuousStates) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNumberOfEventIndicators(
    instance: fmi3Instance,
    nEventIndicators: *mut usize,
) -> fmi3Status {
    let _ = nEventIndicators;
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::GetNumberOfEventIndicators) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNumberOfContinuousStates(
    instance: fmi3Instance,
    nContinuousStates: *mut usize,
) -> fmi3Status {
    let _ = nContinuousStates;
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::GetNumberOfContinuousStates) }
}
