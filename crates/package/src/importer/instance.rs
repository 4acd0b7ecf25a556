//! Safe wrappers of the C functions of an FMU. All `unsafe` of the importer is here.
//!
//! The functions of [`Instance`] are safe to call because of these rules:
//! * The library is a program that the user chose to run. It is assumed to follow the standard ([`Fmu::open`]).
//! * The function pointers have the types of `fmi2FunctionTypes.h`. They live as long as the [`Library`] in `Loaded`,
//!   which every instance owns.
//! * The component comes from fmi2Instantiate and is freed once. It is not used after fmi2Fatal, nor by two threads at
//!   once (every call needs `&mut`).
//! * Slices are passed with their length; two slices of one call must have equal lengths.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::sync::{Arc, Mutex, PoisonError};

use libloading::Library;

use super::description::{self, Description};
use super::error::{ImportError, Message, Status};
use super::library_checks;
use super::unpacking::Unpacked;

type Component = *mut c_void;
type State = *mut c_void;
type Reference = u32;
/// The logger of the standard: environment, instance name, status, category, format, arguments.
type Logger = unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char, ...);

/// `fmi2CallbackFunctions`
#[repr(C)]
struct Callbacks {
    logger: Option<Logger>,
    allocate_memory: Option<unsafe extern "C" fn(usize, usize) -> *mut c_void>,
    free_memory: Option<unsafe extern "C" fn(*mut c_void)>,
    step_finished: Option<unsafe extern "C" fn(*mut c_void, c_int)>,
    environment: *mut c_void,
}

unsafe extern "C" {
    /// Function of the C library, which FMUs expect behind allocateMemory.
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

macro_rules! functions {
    ($($field:ident = $name:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The used functions of the library. A missing function is an error only when it is called.
        struct Functions {
            $($field: Option<unsafe extern "C" fn($($argument),*) $(-> $result)?>,)*
        }

        impl Functions {
            /// Looks up the functions.
            ///
            /// # Safety
            /// The exported functions with these names have the types of the standard. The pointers must not be used
            /// after the library is unloaded.
            unsafe fn load(library: &Library) -> Functions {
                // SAFETY: the types are from fmi2FunctionTypes.h; the caller is responsible for the library.
                unsafe { Functions { $($field: library.get($name.as_bytes()).ok().map(|symbol| *symbol),)* } }
            }

            $(
                #[allow(clippy::type_complexity, reason = "the type as the C header has it")]
                fn $field(&self) -> Result<unsafe extern "C" fn($($argument),*) $(-> $result)?, ImportError> {
                    self.$field.ok_or(ImportError::MissingFunction { name: $name })
                }
            )*
        }
    };
}

functions! {
    get_version = "fmi2GetVersion": fn() -> *const c_char;
    instantiate = "fmi2Instantiate":
        fn(*const c_char, c_int, *const c_char, *const c_char, *const Callbacks, c_int, c_int) -> Component;
    free_instance = "fmi2FreeInstance": fn(Component);
    setup_experiment = "fmi2SetupExperiment": fn(Component, c_int, f64, f64, c_int, f64) -> c_int;
    enter_initialization = "fmi2EnterInitializationMode": fn(Component) -> c_int;
    exit_initialization = "fmi2ExitInitializationMode": fn(Component) -> c_int;
    terminate = "fmi2Terminate": fn(Component) -> c_int;
    reset = "fmi2Reset": fn(Component) -> c_int;
    get_real = "fmi2GetReal": fn(Component, *const Reference, usize, *mut f64) -> c_int;
    get_integer = "fmi2GetInteger": fn(Component, *const Reference, usize, *mut c_int) -> c_int;
    get_boolean = "fmi2GetBoolean": fn(Component, *const Reference, usize, *mut c_int) -> c_int;
    get_string = "fmi2GetString": fn(Component, *const Reference, usize, *mut *const c_char) -> c_int;
    set_real = "fmi2SetReal": fn(Component, *const Reference, usize, *const f64) -> c_int;
    set_integer = "fmi2SetInteger": fn(Component, *const Reference, usize, *const c_int) -> c_int;
    set_boolean = "fmi2SetBoolean": fn(Component, *const Reference, usize, *const c_int) -> c_int;
    set_string = "fmi2SetString": fn(Component, *const Reference, usize, *const *const c_char) -> c_int;
    get_state = "fmi2GetFMUstate": fn(Component, *mut State) -> c_int;
    set_state = "fmi2SetFMUstate": fn(Component, State) -> c_int;
    free_state = "fmi2FreeFMUstate": fn(Component, *mut State) -> c_int;
    state_size = "fmi2SerializedFMUstateSize": fn(Component, State, *mut usize) -> c_int;
    serialize_state = "fmi2SerializeFMUstate": fn(Component, State, *mut u8, usize) -> c_int;
    deserialize_state = "fmi2DeSerializeFMUstate": fn(Component, *const u8, usize, *mut State) -> c_int;
    directional_derivative = "fmi2GetDirectionalDerivative":
        fn(Component, *const Reference, usize, *const Reference, usize, *const f64, *mut f64) -> c_int;
    set_input_derivatives = "fmi2SetRealInputDerivatives":
        fn(Component, *const Reference, usize, *const c_int, *const f64) -> c_int;
    get_output_derivatives = "fmi2GetRealOutputDerivatives":
        fn(Component, *const Reference, usize, *const c_int, *mut f64) -> c_int;
    do_step = "fmi2DoStep": fn(Component, f64, f64, c_int) -> c_int;
    real_status = "fmi2GetRealStatus": fn(Component, c_int, *mut f64) -> c_int;
    set_debug_logging = "fmi2SetDebugLogging": fn(Component, c_int, usize, *const *const c_char) -> c_int;
}

/// An unpacked FMU with its library. Fields are dropped in this order: first the library, then the files.
struct Loaded {
    functions: Functions,
    _library: Library,
    description: Description,
    unpacked: Unpacked,
}

/// An FMU, ready to be instantiated. Clones share the library and the files.
#[derive(Clone)]
pub struct Fmu {
    loaded: Arc<Loaded>,
}

impl Fmu {
    /// Unpacks the FMU `path`, reads its description and loads its library for this machine. Loading runs code of the
    /// FMU: open only FMUs that you trust.
    pub fn open(path: &Path) -> Result<Fmu, ImportError> {
        let unpacked = Unpacked::new(path)?;
        let file = unpacked.folder().join("modelDescription.xml");
        let unreadable = |error| ImportError::File { path: file.clone(), error };
        let wrong = |reason: &str| ImportError::Description { line: 0, reason: reason.into() };
        if !file.is_file() {
            return Err(wrong("no such file in the archive"));
        }
        let length = fs::metadata(&file).map_err(unreadable)?.len();
        if length > description::MAX_TEXT_BYTES {
            let reason = format!("{length} bytes; at most {} are read", description::MAX_TEXT_BYTES);
            return Err(ImportError::Description { line: 0, reason });
        }
        let text =
            String::from_utf8(fs::read(&file).map_err(unreadable)?).map_err(|_| wrong("the file is not UTF-8"))?;
        let description = Description::read(&text)?;
        let path = find_library(unpacked.folder(), &description.model_identifier)?;
        let bytes = fs::read(&path).map_err(|error| ImportError::File { path: path.clone(), error })?;
        if let Some(reason) = library_checks::shortage(&bytes) {
            return Err(ImportError::Damaged { path, reason });
        }
        if let Some(reason) = library_checks::foreign(&bytes, library_checks::OWN) {
            return Err(ImportError::Foreign { path, reason });
        }
        drop(bytes);
        // SAFETY: initialization and termination routines of the library run; the caller chose to run this program.
        let library = unsafe { Library::new(&path) }.map_err(|error| ImportError::Library { path, error })?;
        // SAFETY: an FMI 2.0 library by its description; the pointers are kept with the library.
        let functions = unsafe { Functions::load(&library) };
        // SAFETY: has no arguments and returns a static string.
        let version = unsafe { owned((functions.get_version()?)()) };
        if !version.starts_with("2.0") {
            return Err(ImportError::NotSupported { reason: format!("the library follows FMI {version}") });
        }
        Ok(Fmu { loaded: Arc::new(Loaded { functions, _library: library, description, unpacked }) })
    }

    /// Content of `modelDescription.xml`.
    pub fn description(&self) -> &Description {
        &self.loaded.description
    }

    /// Folder of the unpacked files; it is removed with the last owner of this FMU.
    pub fn folder(&self) -> &Path {
        self.loaded.unpacked.folder()
    }

    /// A new instance with this name. With `logging` the FMU logs all messages, not only failures.
    pub fn instantiate(&self, name: &str, logging: bool) -> Result<Instance, ImportError> {
        Instance::new(Arc::clone(&self.loaded), name, logging)
    }
}

/// The library for this machine: `binaries/<platform>/<identifier>.<extension>`.
fn find_library(folder: &Path, identifier: &str) -> Result<PathBuf, ImportError> {
    // Names of FMI 2.0 first, then names of FMI 3.0, which newer tools use for platforms that 2.0 does not define.
    let platforms: &[&str] = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        &["linux64", "x86_64-linux"]
    } else if cfg!(all(target_os = "linux", target_arch = "aarch64")) {
        &["aarch64-linux"]
    } else if cfg!(all(windows, target_arch = "x86_64")) {
        &["win64", "x86_64-windows"]
    } else if cfg!(all(target_os = "macos", target_arch = "x86_64")) {
        &["darwin64", "x86_64-darwin"]
    } else if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
        &["aarch64-darwin", "darwin64"]
    } else {
        &[]
    };
    let binaries = folder.join("binaries");
    let file = format!("{identifier}{}", std::env::consts::DLL_SUFFIX);
    let mut candidates = platforms.iter().map(|platform| binaries.join(platform).join(&file));
    candidates.find(|path| path.is_file()).ok_or_else(|| {
        let folders = fs::read_dir(&binaries).into_iter().flatten().flatten();
        let mut available: Vec<String> =
            folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        available.sort();
        ImportError::NoLibrary { wanted: format!("{}/{file}", platforms.first().unwrap_or(&"?")), available }
    })
}

/// The folder as a URI (RFC 3986): `file:///` and the path, percent-encoded.
fn file_uri(folder: &Path) -> String {
    let path = folder.to_string_lossy().replace('\\', "/");
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~:".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// The newest messages of an instance. Shared with the FMU, which may log from a separate thread.
#[derive(Default)]
struct Messages(Mutex<Vec<Message>>);

impl Messages {
    /// Number of kept messages: an FMU that logs every step must not fill the memory.
    const MAX_MESSAGES: usize = 1000;

    fn push(&self, message: Message) {
        let mut messages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if messages.len() >= Messages::MAX_MESSAGES {
            messages.remove(0);
        }
        messages.push(message);
    }

    fn take(&self) -> Vec<Message> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Receives a message. `first` is the first argument after the format, if the caller gave one.
///
/// # Safety
/// `environment` points to [`Messages`]; the strings are NULL or end with a zero.
unsafe extern "C" fn receive(
    environment: *mut c_void,
    _instance: *const c_char,
    status: c_int,
    category: *const c_char,
    format: *const c_char,
    first: MaybeUninit<*const c_char>,
) {
    // SAFETY: the environment handed over with this function, alive as long as the component.
    let Some(messages) = (unsafe { environment.cast::<Messages>().as_ref() }) else { return };
    // SAFETY: strings of the caller, read before this function returns.
    let (category, format) = unsafe { (owned(category), owned(format)) };
    // On arm64 macOS variadic arguments are passed elsewhere than named ones, so this argument is not accessible.
    let in_reach = cfg!(not(all(target_os = "macos", target_arch = "aarch64")));
    let text = if format == "%s" && in_reach {
        // SAFETY: the format says that one argument follows and that it is a string.
        unsafe { owned(first.assume_init()) }
    } else {
        format.replace("%%", "%")
    };
    messages.push(Message { status: Status::from_c(status), category, text: text.replace("##", "#") });
}

/// The logger with the C type.
fn logger() -> Logger {
    type Fixed = unsafe extern "C" fn(
        *mut c_void,
        *const c_char,
        c_int,
        *const c_char,
        *const c_char,
        MaybeUninit<*const c_char>,
    );
    // SAFETY: stable Rust cannot define a variadic function. This concerns the C calling conventions of x86-64 (System
    // V and Windows) and of AArch64. The named arguments of a variadic call use the registers and stack slots of a
    // non-variadic call, and the caller cleans up. Except on arm64 macOS, the first variadic pointer is at the position
    // of a sixth named argument. It may be absent, hence MaybeUninit, and is read only if the format announces it. The
    // call comes from another library, so no compiler sees both sides.
    unsafe { std::mem::transmute::<Fixed, Logger>(receive) }
}

/// A copy of a C string; empty for NULL.
///
/// # Safety
/// `text` is NULL or ends with a zero.
unsafe fn owned(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not NULL, and it ends with a zero.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A saved state of an instance, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateIx(usize);

/// One instance of an FMU. Functions have the names of the standard; each is one C call. A successful function does not
/// allocate, unless its result does. Dropping an instance frees it.
pub struct Instance {
    component: NonNull<c_void>,
    /// Saved states; NULL if freed.
    states: Vec<State>,
    /// After fmi2Fatal no function may be called.
    dead: bool,
    messages: Box<Messages>,
    /// FMUs may keep the pointer instead of a copy.
    _callbacks: Box<Callbacks>,
    loaded: Arc<Loaded>,
}

// SAFETY: the standard forbids overlapping calls of one instance, which `&mut` ensures, and does not tie an instance to
// a thread. The messages are behind a mutex.
unsafe impl Send for Instance {}

impl Instance {
    fn new(loaded: Arc<Loaded>, name: &str, logging: bool) -> Result<Instance, ImportError> {
        const CO_SIMULATION: c_int = 1;
        const INVISIBLE: c_int = 0;
        let function = loaded.functions.instantiate()?;
        loaded.functions.free_instance()?;
        let messages = Box::new(Messages::default());
        let callbacks = Box::new(Callbacks {
            logger: Some(logger()),
            allocate_memory: Some(calloc),
            free_memory: Some(free),
            step_finished: None,
            environment: (&raw const *messages).cast_mut().cast(),
        });
        let c_name = c_string(name)?;
        let guid = c_string(&loaded.description.guid)?;
        let resources = c_string(&file_uri(&loaded.unpacked.folder().join("resources")))?;
        // SAFETY: strings and callbacks outlive the call, the latter and the messages the component.
        let component = unsafe {
            function(
                c_name.as_ptr(),
                CO_SIMULATION,
                guid.as_ptr(),
                resources.as_ptr(),
                &raw const *callbacks,
                INVISIBLE,
                c_int::from(logging),
            )
        };
        match NonNull::new(component) {
            Some(component) => {
                let states = Vec::new();
                Ok(Instance { component, states, dead: false, messages, _callbacks: callbacks, loaded })
            }
            None => {
                Err(ImportError::Call { function: "fmi2Instantiate", status: Status::Error, messages: messages.take() })
            }
        }
    }

    /// The component for a call.
    fn alive(&self) -> Result<Component, ImportError> {
        if self.dead {
            return Err(ImportError::Call { function: "after fmi2Fatal", status: Status::Fatal, messages: Vec::new() });
        }
        Ok(self.component.as_ptr())
    }

    /// Return value of a call as a result.
    fn check(&mut self, function: &'static str, status: c_int) -> Result<Status, ImportError> {
        match Status::from_c(status) {
            status @ (Status::Ok | Status::Warning) => Ok(status),
            status => {
                self.dead = status == Status::Fatal;
                Err(ImportError::Call { function, status, messages: self.messages.take() })
            }
        }
    }

    /// fmi2SetDebugLogging: switches all categories of messages on or off.
    pub fn set_debug_logging(&mut self, on: bool) -> Result<Status, ImportError> {
        let (function, component) = (self.loaded.functions.set_debug_logging()?, self.alive()?);
        // SAFETY: no categories means all.
        let status = unsafe { function(component, c_int::from(on), 0, ptr::null()) };
        self.check("fmi2SetDebugLogging", status)
    }

    /// fmi2SetupExperiment. Times in s.
    pub fn setup_experiment(
        &mut self,
        start: f64,
        stop: Option<f64>,
        tolerance: Option<f64>,
    ) -> Result<Status, ImportError> {
        let (function, component) = (self.loaded.functions.setup_experiment()?, self.alive()?);
        let defined = |value: Option<f64>| (c_int::from(value.is_some()), value.unwrap_or(0.0));
        let ((has_tolerance, tolerance), (has_stop, stop)) = (defined(tolerance), defined(stop));
        // SAFETY: plain values.
        let status = unsafe { function(component, has_tolerance, tolerance, start, has_stop, stop) };
        self.check("fmi2SetupExperiment", status)
    }

    /// fmi2EnterInitializationMode
    pub fn enter_initialization_mode(&mut self) -> Result<Status, ImportError> {
        let function = self.loaded.functions.enter_initialization()?;
        self.call("fmi2EnterInitializationMode", function)
    }

    /// fmi2ExitInitializationMode
    pub fn exit_initialization_mode(&mut self) -> Result<Status, ImportError> {
        let function = self.loaded.functions.exit_initialization()?;
        self.call("fmi2ExitInitializationMode", function)
    }

    /// Sets up the experiment and passes through initialization, with inputs and parameters as they are. Times in s.
    pub fn initialize(&mut self, start: f64, stop: Option<f64>) -> Result<Status, ImportError> {
        self.setup_experiment(start, stop, None)?;
        self.enter_initialization_mode()?;
        self.exit_initialization_mode()
    }

    /// fmi2Terminate
    pub fn terminate(&mut self) -> Result<Status, ImportError> {
        let function = self.loaded.functions.terminate()?;
        self.call("fmi2Terminate", function)
    }

    /// fmi2Reset: returns to the state after instantiation.
    pub fn reset(&mut self) -> Result<Status, ImportError> {
        let function = self.loaded.functions.reset()?;
        self.call("fmi2Reset", function)
    }

    fn call(
        &mut self,
        name: &'static str,
        function: unsafe extern "C" fn(Component) -> c_int,
    ) -> Result<Status, ImportError> {
        let component = self.alive()?;
        // SAFETY: a function whose only argument is the component.
        let status = unsafe { function(component) };
        self.check(name, status)
    }

    /// fmi2DoStep from `time` over `step`, both in s; earlier times are not requested again, except after a state is
    /// restored (noSetFMUStatePriorToCurrentPoint is false).
    pub fn do_step(&mut self, time: f64, step: f64) -> Result<Status, ImportError> {
        let (function, component) = (self.loaded.functions.do_step()?, self.alive()?);
        // SAFETY: plain values.
        let status = unsafe { function(component, time, step, 0) };
        self.check("fmi2DoStep", status)
    }

    /// fmi2GetRealStatus(fmi2LastSuccessfulTime): time in s reached by a step that returned fmi2Discard.
    pub fn last_successful_time(&mut self) -> Result<f64, ImportError> {
        const LAST_SUCCESSFUL_TIME: c_int = 2;
        let (function, component) = (self.loaded.functions.real_status()?, self.alive()?);
        let mut time = 0.0;
        // SAFETY: the value is written to a local variable.
        let status = unsafe { function(component, LAST_SUCCESSFUL_TIME, &raw mut time) };
        self.check("fmi2GetRealStatus", status).map(|_| time)
    }

    /// fmi2GetReal
    pub fn get_real(&mut self, references: &[u32], values: &mut [f64]) -> Result<Status, ImportError> {
        let (function, component) = (self.loaded.functions.get_real()?, self.alive()?);
        same_length("fmi2GetReal", references.len(), values.len())?;
        // SAFETY: both slices have this length.
        let status = unsafe { function(component, references.as_ptr(), references.len(), values.as_mut_ptr()) };
        self.check("fmi2GetReal", status)
    }

    /// fmi2SetReal
    pub fn set_real(&mut self, references: &[u32], values: &[f64]) -> Result<Status, ImportError> {
        let (function, component) = (self.loaded.functions.set_real()?, self.alive()?);
        same_length("fmi2SetReal", references.len(), values.len())?;
        // SAFETY: both slices have this length.
        let status = unsafe { function(component, references.as_ptr(), references.len(), values.as_ptr()) };
        self.check("fmi2SetReal", status)
    }

    /// fmi2GetInteger
    pub fn get_integer(&mut self, references: &[u32], values: &mut [i32]) -> Result<Status, ImportError> {
        let (function, component) = (self.loaded.functions.get_integer()?, self.alive()?);
        same_length("fmi2GetInteger", references.len(), values.len())?;
        // SAFETY: both slices have this length.
        let status = unsafe { function(component, references.as_ptr(), references.len(), values.as_mut_ptr()) };
        self.check("fmi2GetInteger", status)
    }

    /// fmi2SetInteger
    pub fn set_integer(&mut self, references: &[u32], values: &[i32]) -> Result<Status, ImportError> {
        let (function, component) = (self.loaded.functions.set_integer()?, self.alive()?);
        same_length("fmi2SetInteger", references.len(), values.len())?;
        // SAFETY: both slices have this length.
        let status = unsafe { function(component, references.as_ptr(), references.len(), values.as_ptr()) };
        self.check("fmi2SetInteger", status)
    }

    /// fmi2GetBoolean, as the standard's integers: 0 is false.
    pub fn get_boolean(&mut self, references: &[u32], values: &mut [i32]) -> Result<Status, ImportError> {
        let (function, component) = (self.loaded.functions.get_boolean()?, self.alive()?);
        same_length("fmi2GetBoolean", references.len(), values.len())?;
        // SAFETY: both slices have this length.
        let status = unsafe { function(component, references.as_ptr(), references.len(), values.as_mut_ptr()) };
        self.check("fmi2GetBoolean", status)
    }

    /// fmi2SetBoolean, as the standard's integers: 0 is false.
    pub fn set_boolean(&mut self, references: &[u32], values: &[i32]) -> Result<Status, ImportError> {
        let (function, component) = (self.loaded.functions.set_boolean()?, self.alive()?);
        same_length("fmi2SetBoolean", references.len(), values.len())?;
        // SAFETY: both slices have this length.
        let status = unsafe { function(component, references.as_ptr(), references.len(), values.as_ptr()) };
        self.check("fmi2SetBoolean", status)
    }

    /// fmi2GetString
    pub fn get_string(&mut self, references: &[u32]) -> Result<Vec<String>, ImportError> {
        let (function, component) = (self.loaded.functions.get_string()?, self.alive()?);
        let mut values = vec![ptr::null(); references.len()];
        // SAFETY: both have this length.
        let status = unsafe { function(component, references.as_ptr(), references.len(), values.as_mut_ptr()) };
        self.check("fmi2GetString", status)?;
        // SAFETY: strings of the FMU, valid until its next call.
        Ok(values.into_iter().map(|value| unsafe { owned(value) }).collect())
    }

    /// fmi2SetString
    pub fn set_string(&mut self, references: &[u32], values: &[&str]) -> Result<Status, ImportError> {
        let (function, component) = (self.loaded.functions.set_string()?, self.alive()?);
        same_length("fmi2SetString", references.len(), values.len())?;
        let values = values.iter().map(|value| c_string(value)).collect::<Result<Vec<CString>, _>>()?;
        let pointers: Vec<*const c_char> = values.iter().map(|value| value.as_ptr()).collect();
        // SAFETY: both have this length; the strings outlive the call.
        let status = unsafe { function(component, references.as_ptr(), references.len(), pointers.as_ptr()) };
        self.check("fmi2SetString", status)
    }

    /// fmi2SetRealInputDerivatives: slopes of inputs (order 1) in unit per s, from the current time on.
    pub fn set_input_slopes(&mut self, references: &[u32], slopes: &[f64]) -> Result<Status, ImportError> {
        let (function, component) = (self.loaded.functions.set_input_derivatives()?, self.alive()?);
        same_length("fmi2SetRealInputDerivatives", references.len(), slopes.len())?;
        let mut status = 0;
        for (reference, slope) in references.iter().zip(slopes) {
            // SAFETY: all three are one number. One call each, because a list of orders would be allocated in a step.
            status = status.max(unsafe { function(component, reference, 1, &1, slope) });
        }
        self.check("fmi2SetRealInputDerivatives", status)
    }

    /// fmi2GetRealOutputDerivatives of order 1: rates of outputs in unit per s.
    pub fn get_output_rates(&mut self, references: &[u32], rates: &mut [f64]) -> Result<Status, ImportError> {
        let (function, component) = (self.loaded.functions.get_output_derivatives()?, self.alive()?);
        same_length("fmi2GetRealOutputDerivatives", references.len(), rates.len())?;
        let orders = vec![1; references.len()];
        // SAFETY: all three have this length.
        let status =
            unsafe { function(component, references.as_ptr(), references.len(), orders.as_ptr(), rates.as_mut_ptr()) };
        self.check("fmi2GetRealOutputDerivatives", status)
    }

    /// fmi2GetDirectionalDerivative: Σ over `knowns` of ∂unknown/∂known · seed, one value per unknown.
    pub fn directional_derivative(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        values: &mut [f64],
    ) -> Result<Status, ImportError> {
        const NAME: &str = "fmi2GetDirectionalDerivative";
        let (function, component) = (self.loaded.functions.directional_derivative()?, self.alive()?);
        same_length(NAME, knowns.len(), seed.len())?;
        same_length(NAME, unknowns.len(), values.len())?;
        // SAFETY: unknowns and values have equal lengths, as do knowns and seed.
        let status = unsafe {
            function(
                component,
                unknowns.as_ptr(),
                unknowns.len(),
                knowns.as_ptr(),
                knowns.len(),
                seed.as_ptr(),
                values.as_mut_ptr(),
            )
        };
        self.check(NAME, status)
    }

    /// fmi2GetFMUstate into a new slot.
    pub fn get_state(&mut self) -> Result<StateIx, ImportError> {
        self.states.push(ptr::null_mut());
        let ix = StateIx(self.states.len() - 1);
        match self.update_state(ix) {
            Ok(()) => Ok(ix),
            Err(error) => {
                self.states.pop();
                Err(error)
            }
        }
    }

    /// fmi2GetFMUstate into an existing slot, whose memory is reused.
    pub fn update_state(&mut self, ix: StateIx) -> Result<(), ImportError> {
        let (function, component) = (self.loaded.functions.get_state()?, self.alive()?);
        let state = self.states.get_mut(ix.0).ok_or(ImportError::NoSuchState)?;
        // SAFETY: the state is NULL or one of this component.
        let status = unsafe { function(component, &raw mut *state) };
        self.check("fmi2GetFMUstate", status).map(drop)
    }

    /// fmi2SetFMUstate
    pub fn set_state(&mut self, ix: StateIx) -> Result<Status, ImportError> {
        let (function, component, state) = (self.loaded.functions.set_state()?, self.alive()?, self.state(ix)?);
        // SAFETY: a state of this component.
        let status = unsafe { function(component, state) };
        self.check("fmi2SetFMUstate", status)
    }

    /// fmi2FreeFMUstate. Remaining states are freed with the instance.
    pub fn free_state(&mut self, ix: StateIx) -> Result<Status, ImportError> {
        let (function, component, mut state) = (self.loaded.functions.free_state()?, self.alive()?, self.state(ix)?);
        self.states[ix.0] = ptr::null_mut();
        // SAFETY: a state of this component, forgotten here.
        let status = unsafe { function(component, &raw mut state) };
        self.check("fmi2FreeFMUstate", status)
    }

    /// fmi2SerializeFMUstate: a saved state as bytes, for another instance or process.
    pub fn serialize_state(&mut self, ix: StateIx) -> Result<Vec<u8>, ImportError> {
        let (size, serialize) = (self.loaded.functions.state_size()?, self.loaded.functions.serialize_state()?);
        let (component, state) = (self.alive()?, self.state(ix)?);
        let mut length = 0;
        // SAFETY: a state of this component; the length goes to a local variable.
        let status = unsafe { size(component, state, &raw mut length) };
        self.check("fmi2SerializedFMUstateSize", status)?;
        let mut bytes = vec![0; length];
        // SAFETY: the buffer has this length.
        let status = unsafe { serialize(component, state, bytes.as_mut_ptr(), length) };
        self.check("fmi2SerializeFMUstate", status).map(|_| bytes)
    }

    /// fmi2DeSerializeFMUstate: a state from the bytes of [`Instance::serialize_state`], not yet set.
    pub fn deserialize_state(&mut self, bytes: &[u8]) -> Result<StateIx, ImportError> {
        let (function, component) = (self.loaded.functions.deserialize_state()?, self.alive()?);
        let mut state = ptr::null_mut();
        // SAFETY: the slice has this length; the state goes to a local variable.
        let status = unsafe { function(component, bytes.as_ptr(), bytes.len(), &raw mut state) };
        self.check("fmi2DeSerializeFMUstate", status)?;
        self.states.push(state);
        Ok(StateIx(self.states.len() - 1))
    }

    fn state(&self, ix: StateIx) -> Result<State, ImportError> {
        self.states.get(ix.0).copied().filter(|state| !state.is_null()).ok_or(ImportError::NoSuchState)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if self.dead {
            return;
        }
        for index in 0..self.states.len() {
            // A state that cannot be freed is lost memory; the error cannot be reported.
            let _ = self.free_state(StateIx(index));
        }
        if let (Ok(function), false) = (self.loaded.functions.free_instance(), self.dead) {
            // SAFETY: the component is freed once and not used again.
            unsafe { function(self.component.as_ptr()) };
        }
    }
}

fn c_string(text: &str) -> Result<CString, ImportError> {
    CString::new(text).map_err(|_| ImportError::Name { name: text.to_string() })
}

fn same_length(function: &'static str, a: usize, b: usize) -> Result<(), ImportError> {
    if a == b { Ok(()) } else { Err(ImportError::Lengths { function }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(file_uri(Path::new("/tmp/a b/ü{1}%")), "file:///tmp/a%20b/%C3%BC%7B1%7D%25");
        assert_eq!(file_uri(Path::new("C:\\a\\b")), "file:///C:/a/b");
    }

    /// Calls the logger as an FMU does.
    fn log(messages: &Messages, format: &CStr, argument: Option<&CStr>) {
        let (logger, environment) = (logger(), (&raw const *messages).cast_mut().cast());
        let (name, category) = (c"instance".as_ptr(), c"logEvents".as_ptr());
        // SAFETY: the environment and all strings outlive the call, and the arguments match the format.
        unsafe {
            match argument {
                Some(argument) => logger(environment, name, 1, category, format.as_ptr(), argument.as_ptr()),
                None => logger(environment, name, 1, category, format.as_ptr()),
            }
        }
    }

    #[test]
    fn messages_arrive_with_and_without_an_argument() {
        let messages = Messages::default();
        log(&messages, c"%s", Some(c"50 % of ##1"));
        log(&messages, c"100 %% done", None);
        let taken = messages.take();
        let texts: Vec<&str> = taken.iter().map(|message| message.text.as_str()).collect();
        assert_eq!(texts, ["50 % of #1", "100 % done"]);
        assert_eq!((taken[0].status, taken[0].category.as_str()), (Status::Warning, "logEvents"));
    }

    #[test]
    fn only_the_newest_messages_are_kept() {
        let messages = Messages::default();
        for i in 0..Messages::MAX_MESSAGES + 5 {
            messages.push(Message { status: Status::Ok, category: String::new(), text: i.to_string() });
        }
        let taken = messages.take();
        assert_eq!((taken.len(), taken[0].text.as_str()), (Messages::MAX_MESSAGES, "5"));
    }
}
