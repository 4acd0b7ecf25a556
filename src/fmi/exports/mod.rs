//! The exported C functions, named and typed as in `fmi2Functions.h` and `fmi3Functions.h`: each is about one line over
//! [`super::guard`]. [`fmi2`] and [`fmi3`] are two shells over one [`Instance`].
//!
//! # Safety
//!
//! All of them rely on the importer as far as the standards allow. The instance is NULL or was not freed. A non-NULL
//! array holds as many elements as the count says, and arrays do not overlap. A non-NULL string ends with a zero. A
//! stored FMU state is NULL or was made by this library and not freed. NULL where a value is needed is an error, never
//! a crash; the `// SAFETY` comments below refer to this paragraph.

pub mod fmi2;
pub mod fmi3;

pub use fmi2::*;
pub use fmi3::*;

use std::ffi::{CStr, c_char, c_void};

use super::guard::{self, Component};
use super::instance::Instance;
use super::log::{Log, Sink};
use super::reserve;
use super::resource::Location;
use super::state_file::StoredState;
use super::states::Kind;
use super::status::{Problem, Status};

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
    // An empty array may have any address: hosts pass unallocated pointers.
    if count == 0 {
        return Ok(());
    }
    if array.is_null() {
        return Err(Problem::error(format!("{name} is NULL, but has {count} elements")));
    }
    if count > isize::MAX as usize / size_of::<T>() || !array.is_aligned() {
        return Err(Problem::error(format!("{name} with {count} elements is not a valid array")));
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
unsafe fn string<'a>(text: *const c_char) -> Option<&'a CStr> {
    // SAFETY: not NULL, and zero-terminated by the caller's promise.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
}

/// Arguments with which the importer requests an instance.
struct Caller {
    /// instanceName
    name: *const c_char,
    sink: Sink,
    logging_on: bool,
}

/// Moves a new instance to the heap; NULL after the reason has been logged. `arguments` are the GUID that the importer
/// expects and the location of the resources, or the errors in them and in the name. `prepare` may reject the new
/// instance.
///
/// # Safety
/// The name of `caller` is NULL or a string.
unsafe fn instantiate<'a>(
    function: &str,
    kind: Kind,
    caller: Caller,
    arguments: impl FnOnce(Option<&CStr>) -> Result<(&'a CStr, Location<'a>), String>,
    prepare: impl FnOnce(&mut Instance) -> Result<(), Problem>,
) -> *mut c_void {
    let refused = |log: &Log, reasons: &[String]| {
        for reason in reasons {
            log.send(Status::Error, &format!("{function}: {reason}"));
        }
        std::ptr::null_mut()
    };
    guard::create(|host| {
        // SAFETY: the caller's promise.
        let name = unsafe { string(caller.name) };
        if !reserve::is_available(reserve::MESSAGE_BYTES) {
            let message = c"not enough memory for an instance";
            caller.sink.send(host, name.unwrap_or(c""), Status::Error, c"logStatusError", message);
            return std::ptr::null_mut();
        }
        let log = Log::new(name.unwrap_or(c""), caller.sink, caller.logging_on, host);
        let made = match arguments(name) {
            Ok((guid, location)) => Instance::new(log, kind, guid, location),
            Err(reason) => Err((log, vec![reason])),
        };
        match made {
            Ok(mut instance) => match prepare(&mut instance) {
                Ok(()) => Component::into_raw(instance),
                Err(problem) => refused(instance.log(), &[problem.message.into_owned()]),
            },
            Err((log, reasons)) => refused(&log, &reasons),
        }
    })
}

/// Switches log categories by their names.
///
/// # Safety
/// `categories` is NULL or valid for reading `count` elements, each of them NULL or a string.
unsafe fn set_debug_logging(
    instance: &mut Instance,
    on: bool,
    categories: *const *const c_char,
    count: usize,
) -> Result<(), Problem> {
    // SAFETY: the caller's promise.
    let names = unsafe { slice(categories, count, "categories")? };
    // SAFETY: the caller's promise.
    let names: Option<Vec<&CStr>> = names.iter().map(|&name| unsafe { string(name) }).collect();
    let names = names.ok_or(Problem::error("categories contains a NULL element"))?;
    instance.set_debug_logging(on, &names)
}

/// Stores the whole state: in a new object when `*target` is NULL, else in that object.
///
/// # Safety
/// `target` is NULL or valid for writing; what it points to is NULL or a stored state of this library that is alive.
unsafe fn store_state(instance: &Instance, target: *mut *mut c_void) -> Result<(), Problem> {
    // SAFETY: the caller's promise.
    let target = unsafe { target.as_mut() }.ok_or(Problem::error("FMUstate is NULL"))?;
    // SAFETY: the caller's promise.
    match unsafe { target.cast::<StoredState>().as_mut() } {
        Some(stored) => instance.store_into(stored),
        None => {
            // C sources have as much memory as was left free for stored states (`super::portable`).
            if cfg!(target_family = "wasm") {
                reserve::check(instance.stored_bytes()).map_err(Problem::error)?;
            }
            *target = Box::into_raw(Box::new(instance.store())).cast();
        }
    }
    Ok(())
}

/// Frees a stored state and sets the pointer to NULL. NULL is ignored.
///
/// # Safety
/// As for [`store_state`].
unsafe fn free_state(target: *mut *mut c_void) {
    // SAFETY: the caller's promise.
    if let Some(target) = unsafe { target.as_mut() }
        && !target.is_null()
    {
        // SAFETY: the pointer came from `Box::into_raw` and is NULL afterwards.
        drop(unsafe { Box::from_raw(target.cast::<StoredState>()) });
        *target = std::ptr::null_mut();
    }
}

/// What a pointer to a stored state points to.
///
/// # Safety
/// NULL, or made by this library and not freed during `'a`.
unsafe fn stored_state<'a>(state: *mut c_void) -> Result<&'a StoredState, Problem> {
    // SAFETY: the caller's promise.
    unsafe { state.cast::<StoredState>().as_ref() }.ok_or(Problem::error("FMUstate is NULL"))
}

/// Writes a stored state as bytes.
///
/// # Safety
/// As for [`stored_state`]; `target` is NULL or valid for writing `size` bytes.
unsafe fn serialize_state(state: *mut c_void, target: *mut u8, size: usize) -> Result<(), Problem> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { stored_state(state)? }.serialize();
    // SAFETY: the caller's promise.
    let target = unsafe { slice_mut(target, size, "serializedState")? };
    match target.get_mut(..bytes.len()) {
        Some(target) => target.copy_from_slice(&bytes),
        None => return Err(Problem::error(format!("the buffer has {size} bytes, but {} are needed", bytes.len()))),
    }
    Ok(())
}

/// Makes a new stored state of bytes.
///
/// # Safety
/// `bytes` is NULL or valid for reading `size` bytes, `target` NULL or valid for writing.
unsafe fn deserialize_state(
    instance: &Instance,
    bytes: *const u8,
    size: usize,
    target: *mut *mut c_void,
) -> Result<(), Problem> {
    // SAFETY: the caller's promise.
    let target = unsafe { target.as_mut() }.ok_or(Problem::error("FMUstate is NULL"))?;
    // SAFETY: the caller's promise.
    if cfg!(target_family = "wasm") {
        reserve::check(instance.stored_bytes()).map_err(Problem::error)?;
    }
    // SAFETY: the caller's promise.
    let stored = instance.deserialize(unsafe { slice(bytes, size, "serializedState")? })?;
    *target = Box::into_raw(Box::new(stored)).cast();
    Ok(())
}
