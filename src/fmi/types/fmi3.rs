//! The C types of FMI 3.0, under the names of the standard.
//!
//! Layouts follow `fmi3PlatformTypes.h` and `fmi3FunctionTypes.h`; a test compiles the generated header
//! `include/ballesta.h` together with the official ones. A `bool` of C is a byte here. An importer may pass any number,
//! and a `bool` of Rust that is neither 0 nor 1 would be undefined behaviour.

#![allow(non_camel_case_types, non_upper_case_globals, non_snake_case)]

use std::ffi::{c_char, c_void};

use crate::fmi::status::Status;

/// Opaque pointer to an FMU instance.
pub type fmi3Instance = *mut c_void;
/// Opaque pointer that belongs to the importer.
pub type fmi3InstanceEnvironment = *mut c_void;
/// Opaque pointer to a stored FMU state.
pub type fmi3FMUState = *mut c_void;
/// Handle of a variable.
pub type fmi3ValueReference = u32;
/// Single precision number.
pub type fmi3Float32 = f32;
/// Double precision number.
pub type fmi3Float64 = f64;
/// Signed integer of 8 bits.
pub type fmi3Int8 = i8;
/// Unsigned integer of 8 bits.
pub type fmi3UInt8 = u8;
/// Signed integer of 16 bits.
pub type fmi3Int16 = i16;
/// Unsigned integer of 16 bits.
pub type fmi3UInt16 = u16;
/// Signed integer of 32 bits.
pub type fmi3Int32 = i32;
/// Unsigned integer of 32 bits.
pub type fmi3UInt32 = u32;
/// Signed integer of 64 bits.
pub type fmi3Int64 = i64;
/// Unsigned integer of 64 bits.
pub type fmi3UInt64 = u64;
/// Truth value: every number but 0 is true.
pub type fmi3Boolean = u8;
/// Zero-terminated UTF-8.
pub type fmi3String = *const c_char;
/// Smallest addressable unit.
pub type fmi3Byte = u8;
/// Bytes whose number is passed separately.
pub type fmi3Binary = *const fmi3Byte;
/// Whether a clock is active.
pub type fmi3Clock = u8;

/// Truth.
pub const fmi3True: fmi3Boolean = 1;
/// Falsehood.
pub const fmi3False: fmi3Boolean = 0;

/// Status returned by a function.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum fmi3Status {
    /// Done.
    fmi3OK,
    /// Done, with a message.
    fmi3Warning,
    /// Not done, nothing changed.
    fmi3Discard,
    /// Failed; the instance can be reset or given an earlier state.
    fmi3Error,
    /// Failed; the instance cannot be used any more.
    fmi3Fatal,
}

impl From<Status> for fmi3Status {
    fn from(status: Status) -> fmi3Status {
        match status {
            Status::Ok => fmi3Status::fmi3OK,
            Status::Warning => fmi3Status::fmi3Warning,
            Status::Discard => fmi3Status::fmi3Discard,
            Status::Error => fmi3Status::fmi3Error,
            Status::Fatal => fmi3Status::fmi3Fatal,
        }
    }
}

/// Kind of dependency of an unknown on a known.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum fmi3DependencyKind {
    /// Not at all.
    fmi3Independent,
    /// By a constant factor.
    fmi3Constant,
    /// By a factor that is fixed after initialization.
    fmi3Fixed,
    /// By a factor that changes with tunable parameters.
    fmi3Tunable,
    /// By a factor that changes at events.
    fmi3Discrete,
    /// In any way.
    fmi3Dependent,
}

/// Whether the interval of a clock is known (never written).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum fmi3IntervalQualifier {
    /// Not known yet.
    fmi3IntervalNotYetKnown,
    /// As before.
    fmi3IntervalUnchanged,
    /// Different from before.
    fmi3IntervalChanged,
}

/// Logger of the importer: environment, status, category, message.
pub type fmi3LogMessageCallback =
    Option<unsafe extern "C" fn(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String)>;
/// Tick of a clock (not used).
pub type fmi3ClockUpdateCallback = Option<unsafe extern "C" fn(fmi3InstanceEnvironment)>;
/// Exchange of values within a step: environment, time, whether inputs may be set, whether outputs may be read, whether
/// an internal step has ended, whether the step can return early; whether and when it must.
pub type fmi3IntermediateUpdateCallback = Option<
    unsafe extern "C" fn(
        fmi3InstanceEnvironment,
        fmi3Float64,
        fmi3Boolean,
        fmi3Boolean,
        fmi3Boolean,
        fmi3Boolean,
        *mut fmi3Boolean,
        *mut fmi3Float64,
    ),
>;
/// Start of a section that must not be interrupted (not used).
pub type fmi3LockPreemptionCallback = Option<unsafe extern "C" fn()>;
/// End of a section that must not be interrupted (not used).
pub type fmi3UnlockPreemptionCallback = Option<unsafe extern "C" fn()>;
