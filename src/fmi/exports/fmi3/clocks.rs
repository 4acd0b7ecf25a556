//! Functions of clocks. There are none in this FMU; the functions exist because importers resolve all symbols, and
//! return fmi3Error.

#![allow(non_snake_case, clippy::missing_safety_doc)]

use super::refuse;
use crate::fmi::states::fmi3::Function;
use crate::fmi::types::*;

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetClock(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *mut fmi3Clock,
) -> fmi3Status {
    let _ = (valueReferences, nValueReferences, values);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::GetClock) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetClock(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *const fmi3Clock,
) -> fmi3Status {
    let _ = (valueReferences, nValueReferences, values);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::SetClock) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetIntervalDecimal(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    intervals: *mut fmi3Float64,
    qualifiers: *mut fmi3IntervalQualifier,
) -> fmi3Status {
    let _ = (valueReferences, nValueReferences, intervals, qualifiers);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::GetIntervalDecimal) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetIntervalFraction(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    counters: *mut fmi3UInt64,
    resolutions: *mut fmi3UInt64,
    qualifiers: *mut fmi3IntervalQualifier,
) -> fmi3Status {
    let _ = (valueReferences, nValueReferences, counters, resolutions, qualifiers);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::GetIntervalFraction) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetShiftDecimal(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    shifts: *mut fmi3Float64,
) -> fmi3Status {
    let _ = (valueReferences, nValueReferences, shifts);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::GetShiftDecimal) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetShiftFraction(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    counters: *mut fmi3UInt64,
    resolutions: *mut fmi3UInt64,
) -> fmi3Status {
    let _ = (valueReferences, nValueReferences, counters, resolutions);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::GetShiftFraction) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetIntervalDecimal(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    intervals: *const fmi3Float64,
) -> fmi3Status {
    let _ = (valueReferences, nValueReferences, intervals);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::SetIntervalDecimal) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetIntervalFraction(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    counters: *const fmi3UInt64,
    resolutions: *const fmi3UInt64,
) -> fmi3Status {
    let _ = (valueReferences, nValueReferences, counters, resolutions);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::SetIntervalFraction) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetShiftDecimal(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    shifts: *const fmi3Float64,
) -> fmi3Status {
    let _ = (valueReferences, nValueReferences, shifts);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::SetShiftDecimal) }
}

/// fmi3Error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetShiftFraction(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    counters: *const fmi3UInt64,
    resolutions: *const fmi3UInt64,
) -> fmi3Status {
    let _ = (valueReferences, nValueReferences, counters, resolutions);
    // SAFETY: see `exports`.
    unsafe { refuse(instance, Function::SetShiftFraction) }
}
