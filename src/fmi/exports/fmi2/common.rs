//! Functions common to Model Exchange and Co-Simulation.

#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]

use std::ffi::CStr;

use super::super::{
    Caller, deserialize_state, free_state, instantiate, serialize_state, set_debug_logging, slice, slice_mut,
    store_state, stored_state, string, write,
};
use super::guard;
use crate::fmi::access::Truth;
use crate::fmi::guard::free;
use crate::fmi::instance::Instance;
use crate::fmi::log::Sink;
use crate::fmi::resource::Location;
use crate::fmi::states::Kind;
use crate::fmi::states::fmi2::Function;
use crate::fmi::types::*;

/// The platform of `fmi2TypesPlatform.h`.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetTypesPlatform() -> *const std::ffi::c_char {
    c"default".as_ptr()
}

/// The version of the standard.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetVersion() -> *const std::ffi::c_char {
    c"2.0".as_ptr()
}

/// Switches log categories; an unknown one is an fmi2Warning.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetDebugLogging(
    c: fmi2Component,
    loggingOn: fmi2Boolean,
    nCategories: usize,
    categories: *const fmi2String,
) -> fmi2Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        set_debug_logging(instance, loggingOn != fmi2False, categories, nCategories)
    };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::SetDebugLogging, body) }
}

/// A new instance, or NULL after the logger has been told why not. The callbacks are copied and may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Instantiate(
    instanceName: fmi2String,
    fmuType: fmi2Type,
    fmuGUID: fmi2String,
    fmuResourceLocation: fmi2String,
    functions: *const fmi2CallbackFunctions,
    visible: fmi2Boolean,
    loggingOn: fmi2Boolean,
) -> fmi2Component {
    let _ = visible;
    let kind = if fmuType == fmi2ModelExchange { Kind::ModelExchange } else { Kind::CoSimulation };
    // SAFETY: see `exports`.
    unsafe {
        let sink = Sink::fmi2(functions.as_ref());
        let caller = Caller { name: instanceName, sink, logging_on: loggingOn != fmi2False };
        let arguments = |name: Option<&CStr>| instantiate_arguments(name, fmuType, fmuGUID, fmuResourceLocation);
        instantiate("fmi2Instantiate", kind, caller, arguments, |_| Ok(()))
    }
}

/// GUID and resource location, if all arguments are what they must be.
///
/// # Safety
/// See `exports`.
unsafe fn instantiate_arguments<'a>(
    name: Option<&CStr>,
    kind: fmi2Type,
    guid: fmi2String,
    location: fmi2String,
) -> Result<(&'a CStr, Location<'a>), String> {
    if name.is_none_or(|name| name.to_bytes().trim_ascii().is_empty()) {
        return Err("instanceName is NULL or blank".into());
    }
    if kind != fmi2CoSimulation && kind != fmi2ModelExchange {
        return Err("fmuType is neither fmi2CoSimulation nor fmi2ModelExchange".into());
    }
    // SAFETY: see `exports`.
    let (guid, location) = unsafe { (string(guid), string(location)) };
    let guid = guid.ok_or("fmuGUID is NULL")?;
    let location = location.ok_or("fmuResourceLocation is NULL, but the model is read from there")?;
    Ok((guid, Location::Uri(location)))
}

/// Frees an instance. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeInstance(c: fmi2Component) {
    // SAFETY: see `exports`.
    unsafe { free::<Function>(c) }
}

/// Start and stop time in s; needed before fmi2EnterInitializationMode. The tolerance is not used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetupExperiment(
    c: fmi2Component,
    toleranceDefined: fmi2Boolean,
    tolerance: fmi2Real,
    startTime: fmi2Real,
    stopTimeDefined: fmi2Boolean,
    stopTime: fmi2Real,
) -> fmi2Status {
    let _ = (toleranceDefined, tolerance);
    let stop = (stopTimeDefined != fmi2False).then_some(stopTime);
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::SetupExperiment, |instance| instance.setup_experiment(startTime, stop)) }
}

/// Compiles the system if fixed parameters were set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2EnterInitializationMode(c: fmi2Component) -> fmi2Status {
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::EnterInitializationMode, Instance::enter_initialization) }
}

/// Computes the initial state and the outputs in it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2ExitInitializationMode(c: fmi2Component) -> fmi2Status {
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::ExitInitializationMode, Instance::exit_initialization) }
}

/// Ends the simulation; values can still be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Terminate(c: fmi2Component) -> fmi2Status {
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::Terminate, Instance::terminate) }
}

/// Back to the state after fmi2Instantiate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Reset(c: fmi2Component) -> fmi2Status {
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::Reset, Instance::reset) }
}

/// Values of Real variables, SI.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetReal(
    c: fmi2Component,
    vr: *const fmi2ValueReference,
    nvr: usize,
    value: *mut fmi2Real,
) -> fmi2Status {
    // SAFETY: see `exports`.
    let body =
        |instance: &mut Instance| unsafe { instance.get(slice(vr, nvr, "vr")?, slice_mut(value, nvr, "value")?) };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetReal, body) }
}

/// Values of Integer variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetInteger(
    c: fmi2Component,
    vr: *const fmi2ValueReference,
    nvr: usize,
    value: *mut fmi2Integer,
) -> fmi2Status {
    // SAFETY: see `exports`.
    let body =
        |instance: &mut Instance| unsafe { instance.get(slice(vr, nvr, "vr")?, slice_mut(value, nvr, "value")?) };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetInteger, body) }
}

/// Values of Boolean variables: fmi2True or fmi2False.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetBoolean(
    c: fmi2Component,
    vr: *const fmi2ValueReference,
    nvr: usize,
    value: *mut fmi2Boolean,
) -> fmi2Status {
    // SAFETY: see `exports`; `Truth` is a transparent fmi2Boolean.
    let body = |instance: &mut Instance| unsafe {
        instance.get(slice(vr, nvr, "vr")?, slice_mut(value.cast::<Truth>(), nvr, "value")?)
    };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetBoolean, body) }
}

/// There are no String variables: fmi2Error unless `nvr` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetString(
    c: fmi2Component,
    vr: *const fmi2ValueReference,
    nvr: usize,
    value: *mut fmi2String,
) -> fmi2Status {
    let _ = value;
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe { instance.get_no_strings(slice(vr, nvr, "vr")?) };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetString, body) }
}

/// Sets inputs and parameters, SI.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetReal(
    c: fmi2Component,
    vr: *const fmi2ValueReference,
    nvr: usize,
    value: *const fmi2Real,
) -> fmi2Status {
    let body =
        // SAFETY: see `exports`.
        |instance: &mut Instance| unsafe { instance.set_real(slice(vr, nvr, "vr")?, slice(value, nvr, "value")?) };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::SetReal, body) }
}

/// There are no Integer inputs or parameters: fmi2Error unless `nvr` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetInteger(
    c: fmi2Component,
    vr: *const fmi2ValueReference,
    nvr: usize,
    value: *const fmi2Integer,
) -> fmi2Status {
    let _ = value;
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe { instance.set_none(slice(vr, nvr, "vr")?, "Integer") };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::SetInteger, body) }
}

/// Sets the parameter of the hold mode, the only Boolean that can be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetBoolean(
    c: fmi2Component,
    vr: *const fmi2ValueReference,
    nvr: usize,
    value: *const fmi2Boolean,
) -> fmi2Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_truths(slice(vr, nvr, "vr")?, slice(value, nvr, "value")?, |value| *value != fmi2False)
    };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::SetBoolean, body) }
}

/// There are no String parameters: fmi2Error unless `nvr` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetString(
    c: fmi2Component,
    vr: *const fmi2ValueReference,
    nvr: usize,
    value: *const fmi2String,
) -> fmi2Status {
    let _ = value;
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe { instance.set_none(slice(vr, nvr, "vr")?, "String") };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::SetString, body) }
}

/// Stores the whole state: in a new object when `*FMUstate` is NULL, else in that object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetFMUstate(c: fmi2Component, FMUstate: *mut fmi2FMUstate) -> fmi2Status {
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetFMUstate, |instance| store_state(instance, FMUstate)) }
}

/// Continues from a stored state, also one of another instance of the same FMU.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetFMUstate(c: fmi2Component, FMUstate: fmi2FMUstate) -> fmi2Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| instance.restore(unsafe { stored_state(FMUstate)? });
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::SetFMUstate, body) }
}

/// Frees a stored state and sets the pointer to NULL. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeFMUstate(c: fmi2Component, FMUstate: *mut fmi2FMUstate) -> fmi2Status {
    let body = |_: &mut Instance| {
        // SAFETY: see `exports`.
        unsafe { free_state(FMUstate) };
        Ok(())
    };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::FreeFMUstate, body) }
}

/// Number of bytes that fmi2SerializeFMUstate needs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SerializedFMUstateSize(
    c: fmi2Component,
    FMUstate: fmi2FMUstate,
    size: *mut usize,
) -> fmi2Status {
    // SAFETY: see `exports`.
    let body = |_: &mut Instance| unsafe { write(size, "size", stored_state(FMUstate)?.serialized_length()) };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::SerializedFMUstateSize, body) }
}

/// Writes a stored state as bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SerializeFMUstate(
    c: fmi2Component,
    FMUstate: fmi2FMUstate,
    serializedState: *mut fmi2Byte,
    size: usize,
) -> fmi2Status {
    // u8 and fmi2Byte have one layout.
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::SerializeFMUstate, |_| serialize_state(FMUstate, serializedState.cast(), size)) }
}

/// Makes a new stored state of bytes, also from another process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2DeSerializeFMUstate(
    c: fmi2Component,
    serializedState: *const fmi2Byte,
    size: usize,
    FMUstate: *mut fmi2FMUstate,
) -> fmi2Status {
    // SAFETY: see `exports`; u8 and fmi2Byte have one layout.
    let body = |instance: &mut Instance| unsafe { deserialize_state(instance, serializedState.cast(), size, FMUstate) };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::DeSerializeFMUstate, body) }
}

/// Σ ∂unknown/∂known · dvKnown, of Real outputs with respect to inputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetDirectionalDerivative(
    c: fmi2Component,
    vUnknown_ref: *const fmi2ValueReference,
    nUnknown: usize,
    vKnown_ref: *const fmi2ValueReference,
    nKnown: usize,
    dvKnown: *const fmi2Real,
    dvUnknown: *mut fmi2Real,
) -> fmi2Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.directional_derivative(
            slice(vUnknown_ref, nUnknown, "vUnknown_ref")?,
            slice(vKnown_ref, nKnown, "vKnown_ref")?,
            slice(dvKnown, nKnown, "dvKnown")?,
            slice_mut(dvUnknown, nUnknown, "dvUnknown")?,
        )
    };
    // SAFETY: see `exports`.
    unsafe { guard(c, Function::GetDirectionalDerivative, body) }
}
