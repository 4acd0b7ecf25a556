//! Functions common to all kinds of FMU: life of an instance, stored states, derivatives, dependencies.

#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]

use std::ffi::CStr;
use std::mem::MaybeUninit;

use super::super::{
    Caller, deserialize_state, free_state, instantiate, serialize_state, set_debug_logging, slice, slice_mut,
    store_state, stored_state, string, write,
};
use super::guard;
use crate::fmi::guard::free;
use crate::fmi::instance::Instance;
use crate::fmi::log::Sink;
use crate::fmi::resource::Location;
use crate::fmi::states::Kind;
use crate::fmi::states::fmi3::Function;
use crate::fmi::status::Problem;
use crate::fmi::types::*;

/// The version of the standard.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVersion() -> *const std::ffi::c_char {
    c"3.0".as_ptr()
}

/// Switches log categories on or off, others stay; an unknown one is an fmi3Warning.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetDebugLogging(
    instance: fmi3Instance,
    loggingOn: fmi3Boolean,
    nCategories: usize,
    categories: *const fmi3String,
) -> fmi3Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        set_debug_logging(instance, loggingOn != fmi3False, categories, nCategories)
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetDebugLogging, body) }
}

/// A new instance, or NULL after the logger has been told why not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateModelExchange(
    instanceName: fmi3String,
    instantiationToken: fmi3String,
    resourcePath: fmi3String,
    visible: fmi3Boolean,
    loggingOn: fmi3Boolean,
    instanceEnvironment: fmi3InstanceEnvironment,
    logMessage: fmi3LogMessageCallback,
) -> fmi3Instance {
    let _ = visible;
    let sink = Sink::Fmi3(logMessage, instanceEnvironment);
    let caller = Caller { name: instanceName, sink, logging_on: loggingOn != fmi3False };
    // SAFETY: see `exports`.
    unsafe {
        let arguments = |name: Option<&CStr>| instantiate_arguments(name, instantiationToken, resourcePath);
        instantiate("fmi3InstantiateModelExchange", Kind::ModelExchange, caller, arguments, |_| Ok(()))
    }
}

/// Token and resource path, if all arguments are what they must be.
///
/// # Safety
/// See `exports`.
unsafe fn instantiate_arguments<'a>(
    name: Option<&CStr>,
    token: fmi3String,
    path: fmi3String,
) -> Result<(&'a CStr, Location<'a>), String> {
    if name.is_none_or(|name| name.to_bytes().trim_ascii().is_empty()) {
        return Err("instanceName is NULL or blank".into());
    }
    // SAFETY: see `exports`.
    let (token, path) = unsafe { (string(token), string(path)) };
    let token = token.ok_or("instantiationToken is NULL")?;
    let path = path.ok_or("resourcePath is NULL, but the model is read from there")?;
    Ok((token, Location::Path(path)))
}

/// A new instance, or NULL after the logger has been told why not. `intermediateUpdate`, unless NULL, is called after
/// every internal step of fmi3DoStep; from there the outputs in `requiredIntermediateVariables`, or all continuous
/// outputs if there are none in it, may be read. Steps do not return early.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateCoSimulation(
    instanceName: fmi3String,
    instantiationToken: fmi3String,
    resourcePath: fmi3String,
    visible: fmi3Boolean,
    loggingOn: fmi3Boolean,
    eventModeUsed: fmi3Boolean,
    earlyReturnAllowed: fmi3Boolean,
    requiredIntermediateVariables: *const fmi3ValueReference,
    nRequiredIntermediateVariables: usize,
    instanceEnvironment: fmi3InstanceEnvironment,
    logMessage: fmi3LogMessageCallback,
    intermediateUpdate: fmi3IntermediateUpdateCallback,
) -> fmi3Instance {
    let _ = (visible, earlyReturnAllowed);
    let sink = Sink::Fmi3(logMessage, instanceEnvironment);
    let caller = Caller { name: instanceName, sink, logging_on: loggingOn != fmi3False };
    let arguments = |name: Option<&CStr>| match eventModeUsed != fmi3False {
        true => {
            Err("eventModeUsed is true, but this FMU has no event mode in Co-Simulation (hasEventMode is false)".into())
        }
        // SAFETY: see `exports`.
        false => unsafe { instantiate_arguments(name, instantiationToken, resourcePath) },
    };
    let prepare = |instance: &mut Instance| {
        // SAFETY: see `exports`.
        let required = unsafe {
            slice(requiredIntermediateVariables, nRequiredIntermediateVariables, "requiredIntermediateVariables")?
        };
        instance.set_intermediate_update(intermediateUpdate, instanceEnvironment, required)
    };
    // SAFETY: see `exports`.
    unsafe { instantiate("fmi3InstantiateCoSimulation", Kind::CoSimulation, caller, arguments, prepare) }
}

/// NULL: this FMU is not for Scheduled Execution.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateScheduledExecution(
    instanceName: fmi3String,
    instantiationToken: fmi3String,
    resourcePath: fmi3String,
    visible: fmi3Boolean,
    loggingOn: fmi3Boolean,
    instanceEnvironment: fmi3InstanceEnvironment,
    logMessage: fmi3LogMessageCallback,
    clockUpdate: fmi3ClockUpdateCallback,
    lockPreemption: fmi3LockPreemptionCallback,
    unlockPreemption: fmi3UnlockPreemptionCallback,
) -> fmi3Instance {
    let _ = (instantiationToken, resourcePath, visible, clockUpdate, lockPreemption, unlockPreemption);
    let sink = Sink::Fmi3(logMessage, instanceEnvironment);
    let caller = Caller { name: instanceName, sink, logging_on: loggingOn != fmi3False };
    let refusal = |_: Option<&CStr>| Err("this FMU does not support Scheduled Execution".into());
    // SAFETY: see `exports`.
    unsafe { instantiate("fmi3InstantiateScheduledExecution", Kind::CoSimulation, caller, refusal, |_| Ok(())) }
}

/// Frees an instance. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeInstance(instance: fmi3Instance) {
    // SAFETY: see `exports`.
    unsafe { free::<Function>(instance) }
}

/// Takes start and stop time in s; compiles the system if fixed parameters were set. The tolerance is not used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterInitializationMode(
    instance: fmi3Instance,
    toleranceDefined: fmi3Boolean,
    tolerance: fmi3Float64,
    startTime: fmi3Float64,
    stopTimeDefined: fmi3Boolean,
    stopTime: fmi3Float64,
) -> fmi3Status {
    let _ = (toleranceDefined, tolerance);
    let stop = (stopTimeDefined != fmi3False).then_some(stopTime);
    let body = |instance: &mut Instance| {
        instance.setup_experiment(startTime, stop)?;
        instance.enter_initialization()
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::EnterInitializationMode, body) }
}

/// Computes the initial state and the outputs in it; step mode follows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3ExitInitializationMode(instance: fmi3Instance) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::ExitInitializationMode, Instance::exit_initialization) }
}

/// Ends the simulation; values can still be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Terminate(instance: fmi3Instance) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::Terminate, Instance::terminate) }
}

/// Back to the state after the instantiation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Reset(instance: fmi3Instance) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::Reset, Instance::reset) }
}

/// Number of knowns on which a variable depends; until the initialization mode ends, on which its initial value does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNumberOfVariableDependencies(
    instance: fmi3Instance,
    valueReference: fmi3ValueReference,
    nDependencies: *mut usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        let count = instance.variable_dependencies(valueReference)?.count();
        write(nDependencies, "nDependencies", count)
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetNumberOfVariableDependencies, body) }
}

/// These knowns. All elements of a vector depend on the same, so every index of an element is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetVariableDependencies(
    instance: fmi3Instance,
    dependent: fmi3ValueReference,
    elementIndicesOfDependent: *mut usize,
    independents: *mut fmi3ValueReference,
    elementIndicesOfIndependents: *mut usize,
    dependencyKinds: *mut fmi3DependencyKind,
    nDependencies: usize,
) -> fmi3Status {
    let body = |instance: &mut Instance| {
        // SAFETY: see `exports`.
        let (own, references, others, kinds) = unsafe {
            (
                slice_mut(elementIndicesOfDependent, nDependencies, "elementIndicesOfDependent")?,
                slice_mut(independents, nDependencies, "independents")?,
                slice_mut(elementIndicesOfIndependents, nDependencies, "elementIndicesOfIndependents")?,
                // An enumeration of C may hold any number: it is written to, not read.
                slice_mut(dependencyKinds.cast::<MaybeUninit<fmi3DependencyKind>>(), nDependencies, "dependencyKinds")?,
            )
        };
        let count = instance.variable_dependencies(dependent)?.count();
        if count != nDependencies {
            return Err(Problem::error(format!("nDependencies is {nDependencies}, but must be {count}")));
        }
        own.fill(0);
        others.fill(0);
        kinds.fill(MaybeUninit::new(fmi3DependencyKind::fmi3Dependent));
        for (target, reference) in references.iter_mut().zip(instance.variable_dependencies(dependent)?) {
            *target = reference;
        }
        Ok(())
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetVariableDependencies, body) }
}

/// Stores the whole state: in a new object when `*FMUState` is NULL, else in that object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetFMUState(instance: fmi3Instance, FMUState: *mut fmi3FMUState) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetFMUState, |instance| store_state(instance, FMUState)) }
}

/// Continues from a stored state, also one of another instance of the same FMU.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetFMUState(instance: fmi3Instance, FMUState: fmi3FMUState) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetFMUState, |instance| instance.restore(stored_state(FMUState)?)) }
}

/// Frees a stored state and sets the pointer to NULL. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeFMUState(instance: fmi3Instance, FMUState: *mut fmi3FMUState) -> fmi3Status {
    let body = |_: &mut Instance| {
        // SAFETY: see `exports`.
        unsafe { free_state(FMUState) };
        Ok(())
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::FreeFMUState, body) }
}

/// Number of bytes that fmi3SerializeFMUState needs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SerializedFMUStateSize(
    instance: fmi3Instance,
    FMUState: fmi3FMUState,
    size: *mut usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe {
        guard(instance, Function::SerializedFMUStateSize, |_| {
            write(size, "size", stored_state(FMUState)?.serialized_length())
        })
    }
}

/// Writes a stored state as bytes, which are the same in FMI 2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SerializeFMUState(
    instance: fmi3Instance,
    FMUState: fmi3FMUState,
    serializedState: *mut fmi3Byte,
    size: usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SerializeFMUState, |_| serialize_state(FMUState, serializedState, size)) }
}

/// Makes a new stored state of bytes, also from another process or from an instance of FMI 2.0 of the same model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3DeserializeFMUState(
    instance: fmi3Instance,
    serializedState: *const fmi3Byte,
    size: usize,
    FMUState: *mut fmi3FMUState,
) -> fmi3Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe { deserialize_state(instance, serializedState, size, FMUState) };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::DeserializeFMUState, body) }
}

/// Σ ∂unknown/∂known · seed, for every element of the unknowns; unknowns are Float64 outputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetDirectionalDerivative(
    instance: fmi3Instance,
    unknowns: *const fmi3ValueReference,
    nUnknowns: usize,
    knowns: *const fmi3ValueReference,
    nKnowns: usize,
    seed: *const fmi3Float64,
    nSeed: usize,
    sensitivity: *mut fmi3Float64,
    nSensitivity: usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.directional_derivative_of_arrays(
            slice(unknowns, nUnknowns, "unknowns")?,
            slice(knowns, nKnowns, "knowns")?,
            slice(seed, nSeed, "seed")?,
            slice_mut(sensitivity, nSensitivity, "sensitivity")?,
        )
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetDirectionalDerivative, body) }
}

/// Σ seed · ∂unknown/∂known over all elements of the unknowns, for every known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetAdjointDerivative(
    instance: fmi3Instance,
    unknowns: *const fmi3ValueReference,
    nUnknowns: usize,
    knowns: *const fmi3ValueReference,
    nKnowns: usize,
    seed: *const fmi3Float64,
    nSeed: usize,
    sensitivity: *mut fmi3Float64,
    nSensitivity: usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.adjoint_derivative(
            slice(unknowns, nUnknowns, "unknowns")?,
            slice(knowns, nKnowns, "knowns")?,
            slice(seed, nSeed, "seed")?,
            slice_mut(sensitivity, nSensitivity, "sensitivity")?,
        )
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetAdjointDerivative, body) }
}
