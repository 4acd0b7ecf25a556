//! Functions of Co-Simulation.
//!
//! **A step that meets a fault** of the solver ends at the last good internal step, as in FMI 2.0. FMI 3.0 allows
//! fmi3Discard only if the state is unchanged, and `earlyReturn` must not report faults. So fmi3DoStep returns
//! fmi3Error, `lastSuccessfulTime` is the time reached, `terminateSimulation` is true, and the outputs there can be
//! read. A stored state or fmi3Reset leaves this state.

#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]

use super::super::{slice, slice_mut};
use super::guard;
use crate::fmi::guard::{Entry, guard as guard_entry};
use crate::fmi::instance::Instance;
use crate::fmi::intermediate::do_step;
use crate::fmi::states::fmi3::Function;
use crate::fmi::status::{Problem, Status};
use crate::fmi::types::*;

/// Integrates from `currentCommunicationPoint` over `communicationStepSize`, s. Never asks for event handling and never
/// returns early: fmi3Warning where an intermediate update asked for that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3DoStep(
    instance: fmi3Instance,
    currentCommunicationPoint: fmi3Float64,
    communicationStepSize: fmi3Float64,
    noSetFMUStatePriorToCurrentPoint: fmi3Boolean,
    eventHandlingNeeded: *mut fmi3Boolean,
    terminateSimulation: *mut fmi3Boolean,
    earlyReturn: *mut fmi3Boolean,
    lastSuccessfulTime: *mut fmi3Float64,
) -> fmi3Status {
    // No history is kept that could be dropped.
    let _ = noSetFMUStatePriorToCurrentPoint;
    let body = |instance: &mut Entry<'_>| {
        // SAFETY: see `exports`.
        let results = unsafe {
            (
                eventHandlingNeeded.as_mut(),
                terminateSimulation.as_mut(),
                earlyReturn.as_mut(),
                lastSuccessfulTime.as_mut(),
            )
        };
        let (Some(event), Some(terminate), Some(early), Some(time)) = results else {
            return Err(Problem::error("one of the four result pointers is NULL"));
        };
        let done = do_step(instance, currentCommunicationPoint, communicationStepSize);
        if instance.is_lost() {
            return done;
        }
        (*event, *early) = (fmi3False, fmi3False);
        *terminate = fmi3Boolean::from(instance.wants_to_end());
        *time = instance.time();
        done.map_err(|problem| match problem.status {
            Status::Discard => Problem { status: Status::Error, ..problem },
            _ => problem,
        })
    };
    // SAFETY: see `exports`.
    unsafe { guard_entry(instance, Function::DoStep, body) }.into()
}

/// First time derivatives (order 1) of Float64 outputs, per s; those of a vector follow each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetOutputDerivatives(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    orders: *const fmi3Int32,
    values: *mut fmi3Float64,
    nValues: usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.output_derivatives_of_arrays(
            slice(valueReferences, nValueReferences, "valueReferences")?,
            slice(orders, nValueReferences, "orders")?,
            slice_mut(values, nValues, "values")?,
        )
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetOutputDerivatives, body) }
}
