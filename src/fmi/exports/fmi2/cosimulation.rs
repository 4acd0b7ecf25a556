//! Functions of Co-Simulation.

#![allow(non_snake_case, non_upper_case_globals, clippy::missing_safety_doc)]

use super::super::{slice, slice_mut, write};
use super::guard;
use crate::fmi::instance::Instance;
use crate::fmi::states::fmi2::Function;
use crate::fmi::status::Problem;
use crate::fmi::types::*;

/// First time derivatives (order 1) of inputs, per s, from the next communication point on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetRealInputDerivatives(
    c: fmi2Component,
    vr: *const fmi2ValueReference,
    nvr: usize,
    order: *const fmi2Integer,
    value: *const fmi2Real,
) -> fmi2Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_input_derivatives(slice(vr, nvr, "vr")?, slice(order, nvr, "order")?, slice(value, nvr, "value")?)
    };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::SetRealInputDerivatives, body) }
}

/// First time derivatives (order 1) of Real outputs, per s.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetRealOutputDerivatives(
    c: fmi2Component,
    vr: *const fmi2ValueReference,
    nvr: usize,
    order: *const fmi2Integer,
    value: *mut fmi2Real,
) -> fmi2Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.output_derivatives(slice(vr, nvr, "vr")?, slice(order, nvr, "order")?, slice_mut(value, nvr, "value")?)
    };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetRealOutputDerivatives, body) }
}

/// Integrates from `currentCommunicationPoint` over `communicationStepSize`, s.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2DoStep(
    c: fmi2Component,
    currentCommunicationPoint: fmi2Real,
    communicationStepSize: fmi2Real,
    noSetFMUStatePriorToCurrentPoint: fmi2Boolean,
) -> fmi2Status {
    // No history is kept that could be dropped.
    let _ = noSetFMUStatePriorToCurrentPoint;
    let body = |instance: &mut Instance| instance.do_step(currentCommunicationPoint, communicationStepSize);
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::DoStep, body) }
}

/// Steps are synchronous, so there is never one to cancel: always fmi2Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2CancelStep(c: fmi2Component) -> fmi2Status {
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::CancelStep, |_| Err(Problem::error("no step is pending"))) }
}

/// Not available in a synchronous FMU: fmi2Discard.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetStatus(c: fmi2Component, s: fmi2StatusKind, value: *mut fmi2Status) -> fmi2Status {
    let _ = value;
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetStatus, |_| unavailable(s)) }
}

/// fmi2LastSuccessfulTime: the time up to which the last step came, s.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetRealStatus(c: fmi2Component, s: fmi2StatusKind, value: *mut fmi2Real) -> fmi2Status {
    let body = |instance: &mut Instance| match s {
        // SAFETY: see `exports`.
        fmi2LastSuccessfulTime => unsafe { write(value, "value", instance.time()) },
        _ => unavailable(s),
    };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetRealStatus, body) }
}

/// Not available in a synchronous FMU: fmi2Discard.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetIntegerStatus(
    c: fmi2Component,
    s: fmi2StatusKind,
    value: *mut fmi2Integer,
) -> fmi2Status {
    let _ = value;
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetIntegerStatus, |_| unavailable(s)) }
}

/// fmi2Terminated: true after a step that was interrupted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetBooleanStatus(
    c: fmi2Component,
    s: fmi2StatusKind,
    value: *mut fmi2Boolean,
) -> fmi2Status {
    let body = |instance: &mut Instance| match s {
        // SAFETY: see `exports`.
        fmi2Terminated => unsafe { write(value, "value", fmi2Boolean::from(instance.wants_to_end())) },
        _ => unavailable(s),
    };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetBooleanStatus, body) }
}

/// Not available in a synchronous FMU: fmi2Discard.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetStringStatus(
    c: fmi2Component,
    s: fmi2StatusKind,
    value: *mut fmi2String,
) -> fmi2Status {
    let _ = value;
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetStringStatus, |_| unavailable(s)) }
}

fn unavailable(kind: fmi2StatusKind) -> Result<(), Problem> {
    Err(Problem::discard(format!("status kind {} is not available; steps are synchronous", kind.0)))
}
