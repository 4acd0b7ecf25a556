//! Reading and setting variables. A model has Float64, Int32 and Boolean variables; there are none of the other types.

#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]

use super::super::{slice, slice_mut};
use super::guard;
use crate::fmi::instance::Instance;
use crate::fmi::states::fmi3::Function;
use crate::fmi::types::*;

/// There are no Float32 variables: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetFloat32(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *mut fmi3Float32,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.get_none(slice(valueReferences, nValueReferences, "valueReferences")?, "Float32")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetFloat32, body) }
}

/// Values of Float64 variables, SI; those of a vector follow each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetFloat64(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *mut fmi3Float64,
    nValues: usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.get_float64(
            slice(valueReferences, nValueReferences, "valueReferences")?,
            slice_mut(values, nValues, "values")?,
        )
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetFloat64, body) }
}

/// There are no Int8 variables: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetInt8(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *mut fmi3Int8,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.get_none(slice(valueReferences, nValueReferences, "valueReferences")?, "Int8")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetInt8, body) }
}

/// There are no UInt8 variables: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetUInt8(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *mut fmi3UInt8,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.get_none(slice(valueReferences, nValueReferences, "valueReferences")?, "UInt8")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetUInt8, body) }
}

/// There are no Int16 variables: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetInt16(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *mut fmi3Int16,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.get_none(slice(valueReferences, nValueReferences, "valueReferences")?, "Int16")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetInt16, body) }
}

/// There are no UInt16 variables: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetUInt16(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *mut fmi3UInt16,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.get_none(slice(valueReferences, nValueReferences, "valueReferences")?, "UInt16")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetUInt16, body) }
}

/// Values of Int32 variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetInt32(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *mut fmi3Int32,
    nValues: usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.get_int32(
            slice(valueReferences, nValueReferences, "valueReferences")?,
            slice_mut(values, nValues, "values")?,
        )
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetInt32, body) }
}

/// There are no UInt32 variables: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetUInt32(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *mut fmi3UInt32,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.get_none(slice(valueReferences, nValueReferences, "valueReferences")?, "UInt32")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetUInt32, body) }
}

/// There are no Int64 variables: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetInt64(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *mut fmi3Int64,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.get_none(slice(valueReferences, nValueReferences, "valueReferences")?, "Int64")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetInt64, body) }
}

/// There are no UInt64 variables: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetUInt64(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *mut fmi3UInt64,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.get_none(slice(valueReferences, nValueReferences, "valueReferences")?, "UInt64")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetUInt64, body) }
}

/// Values of Boolean variables: fmi3True or fmi3False.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetBoolean(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *mut fmi3Boolean,
    nValues: usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.get_boolean(
            slice(valueReferences, nValueReferences, "valueReferences")?,
            slice_mut(values, nValues, "values")?,
        )
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetBoolean, body) }
}

/// There are no String variables: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetString(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *mut fmi3String,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.get_none(slice(valueReferences, nValueReferences, "valueReferences")?, "String")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetString, body) }
}

/// There are no Binary variables: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetBinary(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    valueSizes: *mut usize,
    values: *mut fmi3Binary,
    nValues: usize,
) -> fmi3Status {
    let _ = (valueSizes, values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.get_none(slice(valueReferences, nValueReferences, "valueReferences")?, "Binary")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::GetBinary, body) }
}

/// There are no Float32 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetFloat32(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *const fmi3Float32,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_none(slice(valueReferences, nValueReferences, "valueReferences")?, "Float32")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetFloat32, body) }
}

/// Sets inputs and parameters, SI.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetFloat64(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *const fmi3Float64,
    nValues: usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_float64(
            slice(valueReferences, nValueReferences, "valueReferences")?,
            slice(values, nValues, "values")?,
        )
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetFloat64, body) }
}

/// There are no Int8 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetInt8(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *const fmi3Int8,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_none(slice(valueReferences, nValueReferences, "valueReferences")?, "Int8")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetInt8, body) }
}

/// There are no UInt8 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetUInt8(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *const fmi3UInt8,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_none(slice(valueReferences, nValueReferences, "valueReferences")?, "UInt8")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetUInt8, body) }
}

/// There are no Int16 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetInt16(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *const fmi3Int16,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_none(slice(valueReferences, nValueReferences, "valueReferences")?, "Int16")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetInt16, body) }
}

/// There are no UInt16 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetUInt16(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *const fmi3UInt16,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_none(slice(valueReferences, nValueReferences, "valueReferences")?, "UInt16")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetUInt16, body) }
}

/// There are no Int32 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetInt32(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *const fmi3Int32,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_none(slice(valueReferences, nValueReferences, "valueReferences")?, "Int32")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetInt32, body) }
}

/// There are no UInt32 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetUInt32(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *const fmi3UInt32,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_none(slice(valueReferences, nValueReferences, "valueReferences")?, "UInt32")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetUInt32, body) }
}

/// There are no Int64 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetInt64(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *const fmi3Int64,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_none(slice(valueReferences, nValueReferences, "valueReferences")?, "Int64")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetInt64, body) }
}

/// There are no UInt64 inputs or parameters: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetUInt64(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *const fmi3UInt64,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_none(slice(valueReferences, nValueReferences, "valueReferences")?, "UInt64")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetUInt64, body) }
}

/// Sets the parameter of the hold mode, the only Boolean that can be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetBoolean(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *const fmi3Boolean,
    nValues: usize,
) -> fmi3Status {
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_boolean(
            slice(valueReferences, nValueReferences, "valueReferences")?,
            slice(values, nValues, "values")?,
        )
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetBoolean, body) }
}

/// There are no String inputs or parameters: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetString(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *const fmi3String,
    nValues: usize,
) -> fmi3Status {
    let _ = (values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_none(slice(valueReferences, nValueReferences, "valueReferences")?, "String")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetString, body) }
}

/// There are no Binary inputs or parameters: fmi3Error unless `nValueReferences` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetBinary(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    valueSizes: *const usize,
    values: *const fmi3Binary,
    nValues: usize,
) -> fmi3Status {
    let _ = (valueSizes, values, nValues);
    // SAFETY: see `exports`.
    let body = |instance: &mut Instance| unsafe {
        instance.set_none(slice(valueReferences, nValueReferences, "valueReferences")?, "Binary")
    };
    // SAFETY: see `exports`.
    unsafe { guard(instance, Function::SetBinary, body) }
}
