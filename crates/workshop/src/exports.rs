//! The functions of the WebAssembly library: an interface to a [`Workshop`] and its [`Session`] with numbers and texts
//! in its memory.
//!
//! A page has one instance of the library per worker, so one session. The caller writes texts and files into the memory
//! of [`live_buffer`]. A function with a status returns 0, or 1 with the error message in [`live_text`]. Addresses are
//! valid until the next call.

use crate::workshop::{Carry, Workshop};
use ballesta_live::session::Session;
use std::cell::RefCell;

#[derive(Default)]
struct Library {
    buffer: Vec<u8>,
    text: String,
    frame: Vec<f64>,
    workshop: Workshop,
}

thread_local! {
    static LIBRARY: RefCell<Library> = RefCell::default();
}

/// Calls a function with the session, if there is one.
fn session<T: Default>(work: impl FnOnce(&mut Session) -> T) -> T {
    LIBRARY.with_borrow_mut(|library| library.workshop.session().map(work).unwrap_or_default())
}

fn status(done: Result<(), String>) -> u32 {
    LIBRARY.with_borrow_mut(|library| match done {
        Ok(()) => 0,
        Err(text) => {
            library.text = text;
            1
        }
    })
}

/// Buffer for `length` bytes from the caller.
#[unsafe(no_mangle)]
pub extern "C" fn live_buffer(length: usize) -> *mut u8 {
    LIBRARY.with_borrow_mut(|library| {
        library.buffer = vec![0; length];
        library.buffer.as_mut_ptr()
    })
}

/// Adds or replaces a file of the model: the buffer has a path of `path` bytes, then the content.
#[unsafe(no_mangle)]
pub extern "C" fn live_file(path: usize) {
    LIBRARY.with_borrow_mut(|library| {
        let mut bytes = std::mem::take(&mut library.buffer);
        let rest = bytes.split_off(path.min(bytes.len()));
        library.workshop.put(&String::from_utf8_lossy(&bytes), rest);
    });
}

/// Removes the file of the model whose path is in the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn live_drop() {
    LIBRARY.with_borrow_mut(|library| {
        let path = std::mem::take(&mut library.buffer);
        library.workshop.take_away(&String::from_utf8_lossy(&path));
    });
}

/// Compiles the model whose text is in the buffer, without a drawing; status.
#[unsafe(no_mangle)]
pub extern "C" fn live_open() -> u32 {
    let opened = LIBRARY.with_borrow_mut(|library| {
        let bytes = std::mem::take(&mut library.buffer);
        let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
        library.workshop.open(&text, "model.toml").map_err(|wrong| wrong.to_string())
    });
    status(opened)
}

/// [`Workshop::compile`] of the file whose path is in the buffer; `carry` 1: continues the run. Returns 0 or 1; the
/// text is the answer in both cases.
#[unsafe(no_mangle)]
pub extern "C" fn live_compile(carry: u32) -> u32 {
    LIBRARY.with_borrow_mut(|library| {
        let path = std::mem::take(&mut library.buffer);
        let carry = if carry == 0 { Carry::Start } else { Carry::Keep };
        let compiled = library.workshop.compile(&String::from_utf8_lossy(&path), carry);
        let code = u32::from(compiled.is_err());
        library.text = compiled.unwrap_or_else(|diagnostics| diagnostics);
        code
    })
}

/// [`Workshop::analyse`] of the request in the buffer. Returns 0, or 1 with an error message; the text is the answer in
/// both cases.
#[unsafe(no_mangle)]
pub extern "C" fn live_analyse() -> u32 {
    LIBRARY.with_borrow_mut(|library| {
        let request = std::mem::take(&mut library.buffer);
        let answer = library.workshop.analyse(&String::from_utf8_lossy(&request));
        let code = u32::from(answer.is_err());
        library.text = answer.unwrap_or_else(|error| error);
        code
    })
}

/// [`Session::set_input`].
#[unsafe(no_mangle)]
pub extern "C" fn live_set_input(index: usize, value: f64) {
    session(|session| session.set_input(index, value));
}

/// [`Session::set_parameter`].
#[unsafe(no_mangle)]
pub extern "C" fn live_set_parameter(index: usize, value: f64) {
    session(|session| session.set_parameter(index, value));
}

/// [`Session::begin`]; status.
#[unsafe(no_mangle)]
pub extern "C" fn live_begin() -> u32 {
    status(session(|session| Some(session.begin())).unwrap_or_else(no_session))
}

/// [`Session::step`]; status.
#[unsafe(no_mangle)]
pub extern "C" fn live_step() -> u32 {
    status(session(|session| Some(session.step())).unwrap_or_else(no_session))
}

fn no_session() -> Result<(), String> {
    Err("no model is open".into())
}

/// [`Session::save`].
#[unsafe(no_mangle)]
pub extern "C" fn live_save() -> usize {
    session(Session::save)
}

/// [`Session::thin`].
#[unsafe(no_mangle)]
pub extern "C" fn live_thin() {
    session(Session::thin);
}

/// [`Session::restore`]; -1 if no point is stored.
#[unsafe(no_mangle)]
pub extern "C" fn live_restore(point: usize) -> i32 {
    session(|session| session.restore(point)).map_or(-1, |point| point as i32)
}

/// [`Session::time`], s.
#[unsafe(no_mangle)]
pub extern "C" fn live_time() -> f64 {
    session(|session| session.time())
}

/// [`Session::start`], s.
#[unsafe(no_mangle)]
pub extern "C" fn live_start() -> f64 {
    session(|session| session.start())
}

/// Outputs at the current point, and their number.
#[unsafe(no_mangle)]
pub extern "C" fn live_outputs() -> *const f64 {
    session(|session| Some(session.outputs().as_ptr())).unwrap_or(std::ptr::null())
}

/// Number of outputs.
#[unsafe(no_mangle)]
pub extern "C" fn live_output_count() -> usize {
    session(|session| session.outputs().len())
}

/// Current frame: 1 near a singular position, otherwise 0, then [`Session::frame`].
#[unsafe(no_mangle)]
pub extern "C" fn live_frame() -> *const f64 {
    LIBRARY.with_borrow_mut(|library| {
        library.frame.clear();
        if let Some(session) = library.workshop.session() {
            library.frame.push(f64::from(u8::from(session.near_singular())));
            library.frame.extend(session.frame());
        }
        library.frame.as_ptr()
    })
}

/// Length of the last requested frame.
#[unsafe(no_mangle)]
pub extern "C" fn live_frame_length() -> usize {
    LIBRARY.with_borrow(|library| library.frame.len())
}

/// [`Session::warning`], as the text; 1 if there is a warning.
#[unsafe(no_mangle)]
pub extern "C" fn live_warning() -> u32 {
    let warning = session(|session| session.warning());
    status(warning.map_or(Ok(()), Err))
}

/// Text of the last status, UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn live_text() -> *const u8 {
    LIBRARY.with_borrow(|library| library.text.as_ptr())
}

/// Length of the text in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn live_text_length() -> usize {
    LIBRARY.with_borrow(|library| library.text.len())
}
