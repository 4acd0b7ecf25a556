//! The C types of FMI 2.0, under the names of the standard.
//!
//! Layouts follow `fmi2TypesPlatform.h` ("default") and `fmi2FunctionTypes.h`; a test compiles the generated header
//! `include/ballesta.h` together with the official ones. Enumerations that an importer passes in are transparent
//! integers here, because a Rust enum with an unlisted value would be undefined behaviour.

#![allow(non_camel_case_types, non_upper_case_globals, non_snake_case)]

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::fmi::status::Status;

/// Opaque pointer to an FMU instance.
pub type fmi2Component = *mut c_void;
/// Opaque pointer that belongs to the importer.
pub type fmi2ComponentEnvironment = *mut c_void;
/// Opaque pointer to a stored FMU state.
pub type fmi2FMUstate = *mut c_void;
/// Handle of a variable.
pub type fmi2ValueReference = c_uint;
/// Double precision number.
pub type fmi2Real = f64;
/// Signed integer.
pub type fmi2Integer = c_int;
/// Truth value: every number but 0 is true.
pub type fmi2Boolean = c_int;
/// Zero-terminated UTF-8.
pub type fmi2String = *const c_char;
/// Smallest addressable unit.
pub type fmi2Byte = c_char;

/// Truth.
pub const fmi2True: fmi2Boolean = 1;
/// Falsehood.
pub const fmi2False: fmi2Boolean = 0;

/// Status returned by a function.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum fmi2Status {
    /// Done.
    fmi2OK,
    /// Done, with a message.
    fmi2Warning,
    /// A step was done in part, or a status is not available.
    fmi2Discard,
    /// Failed; the instance can be reset or given an earlier state.
    fmi2Error,
    /// Failed; the instance cannot be used any more.
    fmi2Fatal,
    /// Never returned by this library.
    fmi2Pending,
}

impl From<Status> for fmi2Status {
    fn from(status: Status) -> fmi2Status {
        match status {
            Status::Ok => fmi2Status::fmi2OK,
            Status::Warning => fmi2Status::fmi2Warning,
            Status::Discard => fmi2Status::fmi2Discard,
            Status::Error => fmi2Status::fmi2Error,
            Status::Fatal => fmi2Status::fmi2Fatal,
        }
    }
}

/// Kind of FMU that the importer requests.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct fmi2Type(pub c_int);

/// Model Exchange.
pub const fmi2ModelExchange: fmi2Type = fmi2Type(0);
/// Co-Simulation.
pub const fmi2CoSimulation: fmi2Type = fmi2Type(1);

/// Kind of status requested by fmi2GetXxxStatus.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct fmi2StatusKind(pub c_int);

/// Status of an asynchronous step (not available).
pub const fmi2DoStepStatus: fmi2StatusKind = fmi2StatusKind(0);
/// Text about an asynchronous step (not available).
pub const fmi2PendingStatus: fmi2StatusKind = fmi2StatusKind(1);
/// Time that the last step reached.
pub const fmi2LastSuccessfulTime: fmi2StatusKind = fmi2StatusKind(2);
/// Whether the FMU requests the end of the simulation.
pub const fmi2Terminated: fmi2StatusKind = fmi2StatusKind(3);

/// Logger of the importer: environment, instance name, status, category, printf format, its arguments.
#[cfg(not(target_family = "wasm"))]
pub type fmi2CallbackLogger =
    unsafe extern "C" fn(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
/// In WebAssembly, the logger of [`super::super::portable`].
#[cfg(target_family = "wasm")]
pub type fmi2CallbackLogger =
    unsafe extern "C" fn(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String);
/// Memory from the importer (not used).
pub type fmi2CallbackAllocateMemory = unsafe extern "C" fn(usize, usize) -> *mut c_void;
/// Counterpart of [`fmi2CallbackAllocateMemory`] (not used).
pub type fmi2CallbackFreeMemory = unsafe extern "C" fn(*mut c_void);
/// End of an asynchronous step (not used).
pub type fmi2StepFinished = unsafe extern "C" fn(fmi2ComponentEnvironment, fmi2Status);

/// Functions of the importer; each may be NULL.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct fmi2CallbackFunctions {
    /// Receives messages.
    pub logger: Option<fmi2CallbackLogger>,
    /// Not used (`canNotUseMemoryManagementFunctions`).
    pub allocateMemory: Option<fmi2CallbackAllocateMemory>,
    /// Not used.
    pub freeMemory: Option<fmi2CallbackFreeMemory>,
    /// Not used, steps are synchronous.
    pub stepFinished: Option<fmi2StepFinished>,
    /// First argument of the logger.
    pub componentEnvironment: fmi2ComponentEnvironment,
}

/// Result of event iteration in Model Exchange (never written).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct fmi2EventInfo {
    /// Another iteration is needed.
    pub newDiscreteStatesNeeded: fmi2Boolean,
    /// The simulation must end.
    pub terminateSimulation: fmi2Boolean,
    /// Nominal values of the states have changed.
    pub nominalsOfContinuousStatesChanged: fmi2Boolean,
    /// States have changed.
    pub valuesOfContinuousStatesChanged: fmi2Boolean,
    /// `nextEventTime` is valid.
    pub nextEventTimeDefined: fmi2Boolean,
    /// Time of the next event, s.
    pub nextEventTime: fmi2Real,
}
