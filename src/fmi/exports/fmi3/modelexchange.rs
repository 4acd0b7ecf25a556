//! Functions of Model Exchange; implementation: [`crate::fmi::exchange`].

#![allow(non_snake_case, clippy::missing_safety_doc)]

use super::super::{slice, slice_mut, write};
use super::guard;
use crate::fmi::instance::Instance;
use crate::fmi::states::fmi3::Function;
use crate::fmi::types::*;

/// The importer begins to integrate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterContinuousTimeMode(instance: fmi3Instance) -> fmi3Status {
    let body = |instance: &mut Instance| {
        instance.enter_continuous_time();
        Ok(())
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::EnterContinuousTimeMode, body) }
}

/// The importer has accepted its step; neither an event nor the end of the simulation is asked for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3CompletedIntegratorStep(
    instance: fmi3Instance,
    noSetFMUStatePriorToCurrentPoint: fmi3Boolean,
    enterEventMode: *mut fmi3Boolean,
    terminateSimulation: *mut fmi3Boolean,
) -> fmi3Status {
    // No history is kept that could be dropped.
    let _ = noSetFMUStatePriorToCurrentPoint;
    let body = |instance: &mut Instance| {
        // SAFETY: see `exports`.
        unsafe {
            write(enterEventMode, "enterEventMode", fmi3False)?;
            write(terminateSimulation, "terminateSimulation", fmi3False)?;
        }
        instance.complete_integrator_step()
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::CompletedIntegratorStep, body) }
}

/// Time in s, forward or back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetTime(instance: fmi3Instance, time: fmi3Float64) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetTime, |instance| instance.set_time(time)) }
}

/// All continuous states, SI; one that is not finite: fmi3Discard, and nothing has changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetContinuousStates(
    instance: fmi3Instance,
    continuousStates: *const fmi3Float64,
    nContinuousStates: usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_continuous_states(slice(continuousStates, nContinuousStates, "continuousStates")?)
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetContinuousStates, body) }
}

/// Derivatives of all continuous states, per s; fmi3Discard where they cannot be computed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetContinuousStateDerivatives(
    instance: fmi3Instance,
    derivatives: *mut fmi3Float64,
    nContinuousStates: usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.calc_derivatives(slice_mut(derivatives, nContinuousStates, "derivatives")?)
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetContinuousStateDerivatives, body) }
}

/// There are no event indicators: fmi3Error unless `nEventIndicators` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetEventIndicators(
    instance: fmi3Instance,
    eventIndicators: *mut fmi3Float64,
    nEventIndicators: usize,
) -> fmi3Status {
    let _ = eventIndicators;
    let body = |instance: &mut Instance| instance.check_event_indicators(nEventIndicators);
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetEventIndicators, body) }
}

/// All continuous states as they were set, SI.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetContinuousStates(
    instance: fmi3Instance,
    continuousStates: *mut fmi3Float64,
    nContinuousStates: usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.continuous_states(slice_mut(continuousStates, nContinuousStates, "continuousStates")?)
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetContinuousStates, body) }
}

/// Sizes of the states that count, SI; they never change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNominalsOfContinuousStates(
    instance: fmi3Instance,
    nominals: *mut fmi3Float64,
    nContinuousStates: usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    let body =
        |instance: &mut Instance| unsafe { instance.nominals(slice_mut(nominals, nContinuousStates, "nominals")?) };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetNominalsOfContinuousStates, body) }
}

/// 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNumberOfEventIndicators(
    instance: fmi3Instance,
    nEventIndicators: *mut usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetNumberOfEventIndicators, |_| write(nEventIndicators, "nEventIndicators", 0)) }
}

/// Number of continuous states; it never changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNumberOfContinuousStates(
    instance: fmi3Instance,
    nContinuousStates: *mut usize,
) -> fmi3Status {
    let body = |instance: &mut Instance| {
        // SAFETY: see `exports`.
        unsafe { write(nContinuousStates, "nContinuousStates", instance.number_of_states()) }
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetNumberOfContinuousStates, body) }
}
