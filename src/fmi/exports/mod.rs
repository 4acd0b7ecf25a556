//! The exported C functions, named and typed as in `fmi2Functions.h`: each is about one line over [`super::guard`].
//!
//! # Safety
//!
//! All of them trust the importer as the standard lets them: `c` is NULL or an instance that was not freed; a non-NULL
//! array holds as many elements as the count says, and arrays do not overlap; a non-NULL string ends with a zero; an
//! fmi2FMUstate is NULL or was made by this library and not freed. NULL where something is needed is an fmi2Error,
//! never a crash; the `// SAFETY` comments below refer to this paragraph.

mod common;
mod cosimulation;
mod modelexchange;

pub use common::*;
pub use cosimulation::*;
pub use modelexchange::*;

use std::ffi::CStr;

use super::guard::Problem;
use super::types::fmi2String;

/// A C array as a slice; empty when the count is 0, whatever the pointer.
///
/// # Safety
/// `array` is NULL or valid for reading `count` elements during `'a`.
unsafe fn slice<'a, T>(array: *const T, count: usize, name: &'static str) -> Result<&'a [T], Problem> {
    check_array(array, count, name)?;
    // SAFETY: not NULL, not too long for a slice, and valid by the caller's promise.
    Ok(if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(array, count) } })
}

/// A C array to write to.
///
/// # Safety
/// As for [`slice`], valid for writing, and not reachable otherwise during `'a`.
unsafe fn slice_mut<'a, T>(array: *mut T, count: usize, name: &'static str) -> Result<&'a mut [T], Problem> {
    check_array(array, count, name)?;
    // SAFETY: not NULL, not too long for a slice, and valid by the caller's promise.
    Ok(if count == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(array, count) } })
}

fn check_array<T>(array: *const T, count: usize, name: &'static str) -> Result<(), Problem> {
    if count > 0 && array.is_null() {
        return Err(Problem::error(format!("{name} is NULL, but has {count} elements")));
    }
    if count > isize::MAX as usize / size_of::<T>() || !array.is_aligned() {
        return Err(Problem::error(format!("{name} with {count} elements is no valid array")));
    }
    Ok(())
}

/// Writes a result.
///
/// # Safety
/// `target` is NULL or valid for writing.
unsafe fn write<T>(target: *mut T, name: &'static str, value: T) -> Result<(), Problem> {
    if target.is_null() {
        return Err(Problem::error(format!("{name} is NULL")));
    }
    // SAFETY: not NULL, and valid by the caller's promise.
    unsafe { target.write(value) };
    Ok(())
}

/// A C string.
///
/// # Safety
/// `text` is NULL or ends with a zero and stays unchanged during `'a`.
unsafe fn string<'a>(text: fmi2String) -> Option<&'a CStr> {
    // SAFETY: not NULL, and zero-terminated by the caller's promise.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
}
