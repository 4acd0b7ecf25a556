//! Functions of modes that this FMU does not have: event mode, configuration mode, and the partitions of Scheduled Execution. They
//! return fmi3Error.

#![allow(non_snake_case, clippy::missing_safety_doc)]

use super::refuse;
use crate::fmi::states::fmi3::Function;
use crate::fmi::types::*;

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterEventMode(instance: fmi3Instance) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::EnterEventMode) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EvaluateDiscreteStates(instance: fmi3Instance) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::EvaluateDiscreteStates) }
}

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
    let _ = (
        discreteStatesNeedUpdate,
        terminateSimulation,
        nominalsOfContinuousStatesChanged,
        valuesOfContinuousStatesChanged,
        nextEventTimeDefined,
        nextEventTime,
    );
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::UpdateDiscreteStates) }
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
