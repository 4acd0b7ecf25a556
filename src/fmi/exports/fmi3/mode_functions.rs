//! Functions of modes: event mode, which only Model Exchange has, and functions of modes that this FMU does not have.
//! The latter (configuration mode and the partitions of Scheduled Execution) return fmi3Error.

#![allow(non_snake_case, clippy::missing_safety_doc)]

use super::super::write;
use super::{guard, refuse};
use crate::fmi::instance::Instance;
use crate::fmi::states::fmi3::Function;
use crate::fmi::types::*;

/// Holds the time: inputs and tunable parameters may be set. In Co-Simulation fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterEventMode(instance: fmi3Instance) -> fmi3Status {
    let body = |instance: &mut Instance| {
        instance.enter_event_mode();
        Ok(())
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::EnterEventMode, body) }
}

/// There are no discrete states: nothing is done. In Co-Simulation fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EvaluateDiscreteStates(instance: fmi3Instance) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::EvaluateDiscreteStates, |_| Ok(())) }
}

/// There are no discrete states: nothing changes, no further call is needed, and no event is planned. In Co-Simulation
/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3UpdateDiscreteStates(
    instance: fmi3Instance,
    discreteStatesNeedUpdate: *mut fmi3Boolean,
    terminateSimulation: *mut fmi3Boolean,
    nominalsOfContinuousStatesChanged: *mut fmi3Boolean,
    valuesOfContinuousStatesChanged: *mut fmi3Boolean,
    nextEventTimeDefined: *mut fmi3Boolean,
    nextEventTime: *mut fmi3Float64,
) -> fmi3Status {
    let body = |_: &mut Instance| {
        // SAFETY: see `exports`.
        unsafe {
            write(discreteStatesNeedUpdate, "discreteStatesNeedUpdate", fmi3False)?;
            write(terminateSimulation, "terminateSimulation", fmi3False)?;
            write(nominalsOfContinuousStatesChanged, "nominalsOfContinuousStatesChanged", fmi3False)?;
            write(valuesOfContinuousStatesChanged, "valuesOfContinuousStatesChanged", fmi3False)?;
            write(nextEventTimeDefined, "nextEventTimeDefined", fmi3False)?;
            write(nextEventTime, "nextEventTime", 0.0)
        }
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::UpdateDiscreteStates, body) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterStepMode(instance: fmi3Instance) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::EnterStepMode) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterConfigurationMode(instance: fmi3Instance) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::EnterConfigurationMode) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3ExitConfigurationMode(instance: fmi3Instance) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::ExitConfigurationMode) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3ActivateModelPartition(
    instance: fmi3Instance,
    clockReference: fmi3ValueReference,
    activationTime: fmi3Float64,
) -> fmi3Status {
    let _ = (clockReference, activationTime);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::ActivateModelPartition) }
}
