//! Functions of Model Exchange; implementation: [`crate::fmi::exchange`].

#![allow(non_snake_case, clippy::missing_safety_doc)]

use super::super::{slice, slice_mut, write};
use super::guard;
use crate::fmi::instance::Instance;
use crate::fmi::states::fmi2::Function;
use crate::fmi::types::*;

/// Holds the time: inputs and tunable parameters may be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2EnterEventMode(c: fmi2Component) -> fmi2Status {
    let body = |instance: &mut Instance| {
        instance.enter_event_mode();
        Ok(())
    };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::EnterEventMode, body) }
}

/// There are no discrete states: nothing changes, no further call is needed, and no event is planned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2NewDiscreteStates(c: fmi2Component, fmi2eventInfo: *mut fmi2EventInfo) -> fmi2Status {
    let nothing = fmi2EventInfo {
        newDiscreteStatesNeeded: fmi2False,
        terminateSimulation: fmi2False,
        nominalsOfContinuousStatesChanged: fmi2False,
        valuesOfContinuousStatesChanged: fmi2False,
        nextEventTimeDefined: fmi2False,
        nextEventTime: 0.0,
    };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::NewDiscreteStates, |_| write(fmi2eventInfo, "eventInfo", nothing)) }
}

/// The importer begins to integrate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2EnterContinuousTimeMode(c: fmi2Component) -> fmi2Status {
    let body = |instance: &mut Instance| {
        instance.enter_continuous_time();
        Ok(())
    };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::EnterContinuousTimeMode, body) }
}

/// The importer has accepted its step; neither an event nor the end of the simulation is asked for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2CompletedIntegratorStep(
    c: fmi2Component,
    noSetFMUStatePriorToCurrentPoint: fmi2Boolean,
    enterEventMode: *mut fmi2Boolean,
    terminateSimulation: *mut fmi2Boolean,
) -> fmi2Status {
    // No history is kept that could be dropped.
    let _ = noSetFMUStatePriorToCurrentPoint;
    let body = |instance: &mut Instance| {
        // SAFETY: see `exports`.
        unsafe {
            write(enterEventMode, "enterEventMode", fmi2False)?;
            write(terminateSimulation, "terminateSimulation", fmi2False)?;
        }
        instance.complete_integrator_step()
    };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::CompletedIntegratorStep, body) }
}

/// Time in s, forward or back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetTime(c: fmi2Component, time: fmi2Real) -> fmi2Status {
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::SetTime, |instance| instance.set_time(time)) }
}

/// All continuous states, SI; one that is not finite: fmi2Discard, and nothing has changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetContinuousStates(c: fmi2Component, x: *const fmi2Real, nx: usize) -> fmi2Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe { instance.set_continuous_states(slice(x, nx, "x")?) };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::SetContinuousStates, body) }
}

/// Derivatives of all continuous states, per s; fmi2Discard where they cannot be computed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetDerivatives(c: fmi2Component, derivatives: *mut fmi2Real, nx: usize) -> fmi2Status {
    // SAFETY: see `exports`.
    let body =
        |instance: &mut Instance| unsafe { instance.calc_derivatives(slice_mut(derivatives, nx, "derivatives")?) };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetDerivatives, body) }
}

/// There are no event indicators: fmi2Error unless `ni` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetEventIndicators(
    c: fmi2Component,
    eventIndicators: *mut fmi2Real,
    ni: usize,
) -> fmi2Status {
    let _ = eventIndicators;
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetEventIndicators, |instance| instance.check_event_indicators(ni)) }
}

/// All continuous states as they were set, SI.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetContinuousStates(c: fmi2Component, x: *mut fmi2Real, nx: usize) -> fmi2Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe { instance.continuous_states(slice_mut(x, nx, "x")?) };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetContinuousStates, body) }
}

/// Sizes of the states that count, SI; they never change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetNominalsOfContinuousStates(
    c: fmi2Component,
    x_nominal: *mut fmi2Real,
    nx: usize,
) -> fmi2Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe { instance.nominals(slice_mut(x_nominal, nx, "x_nominal")?) };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetNominalsOfContinuousStates, body) }
}
