//! The functions of the WebAssembly library: an interface to a [`Packer`] with numbers and texts in its memory.
//!
//! A worker has one instance of the library. The caller writes texts and files into the memory of [`pack_buffer`].
//! Addresses are valid until the next call. The library imports one function, which reports progress.

use crate::packer::{Options, Packer};
use ballesta_package::Version;
use std::cell::RefCell;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Called for every row of the reference trajectory with its number from 0 and the number of rows.
    safe fn pack_progress(row: f64, rows: f64);
}

#[derive(Default)]
struct Library {
    buffer: Vec<u8>,
    text: String,
    fmu: Vec<u8>,
    packer: Packer,
}

thread_local! {
    static LIBRARY: RefCell<Library> = RefCell::default();
}

/// Buffer for `length` bytes from the caller.
#[unsafe(no_mangle)]
pub extern "C" fn pack_buffer(length: usize) -> *mut u8 {
    LIBRARY.with_borrow_mut(|library| {
        library.buffer = vec![0; length];
        library.buffer.as_mut_ptr()
    })
}

/// Adds or replaces a file of the model: the buffer has a path of `path` bytes, then the content.
#[unsafe(no_mangle)]
pub extern "C" fn pack_file(path: usize) {
    LIBRARY.with_borrow_mut(|library| {
        let mut bytes = std::mem::take(&mut library.buffer);
        let rest = bytes.split_off(path.min(bytes.len()));
        library.packer.put(&String::from_utf8_lossy(&bytes), rest);
    });
}

/// [`Packer::take_libraries`] of the buffer. Returns 0, or 1 with an error message in the text.
#[unsafe(no_mangle)]
pub extern "C" fn pack_libraries() -> u32 {
    LIBRARY.with_borrow_mut(|library| {
        let bundle = std::mem::take(&mut library.buffer);
        let taken = library.packer.take_libraries(&bundle);
        let code = u32::from(taken.is_err());
        library.text = taken.err().unwrap_or_default();
        code
    })
}

/// [`Packer::pack`] of the file whose path is in the buffer; `version` 2 or 3, the others 0 or 1. Returns 0 or 1; the
/// text is the answer in both cases.
#[unsafe(no_mangle)]
pub extern "C" fn pack_write(version: u32, hold_mode: u32, reference: u32) -> u32 {
    LIBRARY.with_borrow_mut(|library| {
        let path = std::mem::take(&mut library.buffer);
        let version = if version == 3 { Version::Fmi3 } else { Version::Fmi2 };
        let options = Options { version, hold_mode: hold_mode != 0, reference: reference != 0 };
        let progress = |row: u64, rows: u64| pack_progress(row as f64, rows as f64);
        let packed = library.packer.pack(&String::from_utf8_lossy(&path), options, &progress);
        let code = u32::from(packed.is_err());
        (library.fmu, library.text) = packed.unwrap_or_else(|wrong| (Vec::new(), wrong));
        code
    })
}

/// The FMU of the last [`pack_write`].
#[unsafe(no_mangle)]
pub extern "C" fn pack_fmu() -> *const u8 {
    LIBRARY.with_borrow(|library| library.fmu.as_ptr())
}

/// Length of the FMU in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn pack_fmu_length() -> usize {
    LIBRARY.with_borrow(|library| library.fmu.len())
}

/// Text of the last answer, UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn pack_text() -> *const u8 {
    LIBRARY.with_borrow(|library| library.text.as_ptr())
}

/// Length of the text in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn pack_text_length() -> usize {
    LIBRARY.with_borrow(|library| library.text.len())
}
