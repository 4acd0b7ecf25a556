//! An importer in a few lines: unpacked resources, a logger in C, and an instance that is driven through the exported
//! functions.
#![allow(dead_code)] // Each test file uses its part.

use crate::models;
use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::null_mut;
use std::sync::OnceLock;

use ballesta::fmi::exports::*;
use ballesta::fmi::hold::HOLD_MODE_FILE;
pub use ballesta::fmi::types::fmi2Status::*;
use ballesta::fmi::types::*;
use ballesta::fmi::variables::{Variable, table};

/// What the gallery's four-bar gets on top, so that every kind of variable occurs.
const ADDITIONS: &str = r#"
[[body]]
name = "weight"
mass = "load"
com = [0.5, 1, 0]

[[joint]]
name = "mount"
type = "fixed"
bodies = ["coupler", "weight"]
point = [0.5, 1, 0]

[[drive]]
name = "motor"
joint = "A0"
value = "torque"

[[force]]
name = "push"
body = "coupler"
point = "B1"
value = ["force", 0, 0]

[[friction]]
name = "bearing"
joint = "A1"
viscous = "damping"

[[input]]
name = "torque"
unit = "N.m"

[[input]]
name = "force"
unit = "N"
start = 0.25

[[parameter]]
name = "load"
value = 0.5
unit = "kg"
min = 0

[[parameter]]
name = "damping"
value = 0.1
unit = "N.m.s/rad"
tunable = true
min = 0
max = 100

[[output]]
name = "left.speed"
joint = "A0"
quantity = "speed"

[[output]]
name = "left.acceleration"
joint = "A0"
quantity = "acceleration"
"#;

/// The resource folder of an FMU, as the packager writes it.
pub struct Resources {
    folder: tempfile::TempDir,
    pub guid: String,
    pub variables: Vec<Variable>,
}

impl Resources {
    /// The four-bar of the gallery as it is.
    pub fn four_bar() -> Resources {
        Resources::from_text(&gallery_text())
    }

    /// The four-bar with inputs, parameters and outputs of every kind.
    pub fn driven() -> Resources {
        Resources::from_text(&(gallery_text() + ADDITIONS))
    }

    pub fn from_text(text: &str) -> Resources {
        Resources::with_roms_of(text, Path::new(""))
    }

    /// A model whose reduced-order models are named from `roms`.
    pub fn with_roms_of(text: &str, roms: &Path) -> Resources {
        Resources::of(text, roms, false)
    }

    /// [`Resources::driven`] with the hold mode.
    pub fn driven_with_hold_mode() -> Resources {
        Resources::of(&(gallery_text() + ADDITIONS), Path::new(""), true)
    }

    fn of(text: &str, roms: &Path, hold_mode: bool) -> Resources {
        let folder = tempfile::tempdir().unwrap();
        let mut document = models::parse(text, &roms.join("model.toml").display().to_string());
        document.model.general.hold_mode = hold_mode;
        let system = models::compiled(&document);
        let guid = ballesta::fmi::guid(text, &document.files, system.interface());
        std::fs::write(folder.path().join("model.toml"), text).unwrap();
        std::fs::write(folder.path().join("guid.txt"), &guid).unwrap();
        if hold_mode {
            std::fs::write(folder.path().join(HOLD_MODE_FILE), "").unwrap();
        }
        for data in &document.files {
            let file = folder.path().join(&data.path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, &data.bytes).unwrap();
        }
        Resources { folder, guid, variables: table(system.interface()) }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn uri(&self) -> String {
        format!("file://{}", self.path().display())
    }

    /// Value reference of a variable.
    pub fn reference(&self, name: &str) -> u32 {
        self.variables.iter().find(|v| v.name == name).unwrap_or_else(|| panic!("no variable {name}")).value_reference
    }

    /// A new instance with a logger, `loggingOn` true.
    pub fn instantiate(&self) -> Instance<'_> {
        self.try_instantiate("test", &self.guid, &self.uri(), fmi2True).unwrap_or_else(|log| panic!("{log}"))
    }

    /// An instance that has just left the initialization, at t = 0.
    pub fn initialized(&self) -> Instance<'_> {
        let instance = self.instantiate();
        instance.initialize(0.0, None);
        instance
    }

    /// An instance, or what the logger was told.
    pub fn try_instantiate(
        &self,
        name: &str,
        guid: &str,
        uri: &str,
        logging: fmi2Boolean,
    ) -> Result<Instance<'_>, String> {
        self.try_instantiate_as(fmi2CoSimulation, name, guid, uri, logging)
    }

    /// A new instance for Model Exchange, or what the logger was told.
    pub fn try_exchange(&self) -> Result<Instance<'_>, String> {
        self.try_instantiate_as(fmi2ModelExchange, "test", &self.guid, &self.uri(), fmi2True)
    }

    /// A new instance for Model Exchange.
    pub fn exchange(&self) -> Instance<'_> {
        self.try_exchange().unwrap_or_else(|log| panic!("{log}"))
    }

    /// Number of continuous states.
    pub fn states(&self) -> usize {
        ballesta::fmi::variables::states(&self.variables).count()
    }

    fn try_instantiate_as(
        &self,
        kind: fmi2Type,
        name: &str,
        guid: &str,
        uri: &str,
        logging: fmi2Boolean,
    ) -> Result<Instance<'_>, String> {
        let messages = Messages::new();
        let callbacks = messages.callbacks();
        let [name, guid, uri] = [name, guid, uri].map(|text| CString::new(text).unwrap());
        // SAFETY: all strings and the callbacks live during the call, the buffer as long as the instance.
        let c = unsafe {
            fmi2Instantiate(name.as_ptr(), kind, guid.as_ptr(), uri.as_ptr(), &callbacks, fmi2False, logging)
        };
        if c.is_null() { Err(messages.text()) } else { Ok(Instance { c, messages, resources: self }) }
    }
}

fn gallery_text() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/four_bar/model.toml");
    std::fs::read_to_string(path).unwrap()
}

#[repr(C)]
struct Buffer {
    length: usize,
    text: [u8; 65536],
}

/// What the logger collected.
pub struct Messages {
    buffer: *mut Buffer,
}

impl Messages {
    pub fn new() -> Messages {
        Messages { buffer: Box::into_raw(Box::new(Buffer { length: 0, text: [0; 65536] })) }
    }

    pub fn callbacks(&self) -> fmi2CallbackFunctions {
        fmi2CallbackFunctions {
            logger: Some(logger()),
            allocateMemory: None,
            freeMemory: None,
            stepFinished: None,
            componentEnvironment: self.buffer.cast::<c_void>(),
        }
    }

    /// Everything so far, one line per message: `status|category|instance|message`.
    pub fn text(&self) -> String {
        // SAFETY: the buffer lives as long as `self`, and no call into the FMU is under way in this thread.
        let buffer = unsafe { &*self.buffer };
        String::from_utf8_lossy(&buffer.text[..buffer.length]).into_owned()
    }

    /// Everything since the last call of this.
    pub fn take(&self) -> String {
        let text = self.text();
        // SAFETY: as in `text`.
        unsafe { (*self.buffer).length = 0 };
        text
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `Box::into_raw`; the instance that logs into it is gone or lives no longer.
        drop(unsafe { Box::from_raw(self.buffer) });
    }
}

/// The logger in `logger.c`. Rust can call variadic functions but not define them.
fn logger() -> fmi2CallbackLogger {
    static LIBRARY: OnceLock<(libloading::Library, PathBuf)> = OnceLock::new();
    let (library, _) = LIBRARY.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap().keep();
        let path = folder.join("liblogger.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fmi/logger.c");
        let status = Command::new("gcc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&path).arg(source).status();
        assert!(status.expect("gcc can be started").success());
        // SAFETY: the library was just built from logger.c, which runs nothing when loaded.
        let library = unsafe { libloading::Library::new(&path) }.unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        (library, path)
    });
    // SAFETY: `collect` has this signature; the library is never unloaded.
    unsafe { *library.get::<fmi2CallbackLogger>(b"collect").unwrap() }
}

/// An instance, freed when dropped.
pub struct Instance<'a> {
    pub c: fmi2Component,
    pub messages: Messages,
    pub resources: &'a Resources,
}

// SAFETY: the standard lets an instance be used from any thread, one at a time, which ownership ensures here.
unsafe impl Send for Instance<'_> {}

// The methods below pass slices with their lengths, so the promises of `exports` hold: `c` is alive, arrays are as long
// as said, states were made by the library.
impl Instance<'_> {
    pub fn setup(&self, start: f64, stop: Option<f64>) -> fmi2Status {
        // SAFETY: see above.
        unsafe { fmi2SetupExperiment(self.c, 0, 0.0, start, stop.is_some().into(), stop.unwrap_or(0.0)) }
    }

    pub fn enter(&self) -> fmi2Status {
        // SAFETY: see above.
        unsafe { fmi2EnterInitializationMode(self.c) }
    }

    pub fn exit(&self) -> fmi2Status {
        // SAFETY: see above.
        unsafe { fmi2ExitInitializationMode(self.c) }
    }

    pub fn initialize(&self, start: f64, stop: Option<f64>) {
        assert_eq!([self.setup(start, stop), self.enter(), self.exit()], [fmi2OK; 3], "{}", self.messages.text());
    }

    pub fn terminate(&self) -> fmi2Status {
        // SAFETY: see above.
        unsafe { fmi2Terminate(self.c) }
    }

    pub fn reset(&self) -> fmi2Status {
        // SAFETY: see above.
        unsafe { fmi2Reset(self.c) }
    }

    pub fn step(&self, time: f64, h: f64) -> fmi2Status {
        // SAFETY: see above.
        unsafe { fmi2DoStep(self.c, time, h, fmi2True) }
    }

    /// `count` steps of `h` from `start` on.
    pub fn steps(&self, start: f64, h: f64, count: usize) {
        for i in 0..count {
            assert_eq!(self.step(start + i as f64 * h, h), fmi2OK, "{}", self.messages.text());
        }
    }

    pub fn set(&self, name: &str, value: f64) -> fmi2Status {
        // SAFETY: see above.
        unsafe { fmi2SetReal(self.c, &self.resources.reference(name), 1, &value) }
    }

    pub fn get(&self, name: &str) -> f64 {
        let mut value = f64::NAN;
        // SAFETY: see above.
        let status = unsafe { fmi2GetReal(self.c, &self.resources.reference(name), 1, &mut value) };
        assert_eq!(status, fmi2OK, "{}", self.messages.text());
        value
    }

    pub fn try_get(&self, name: &str) -> fmi2Status {
        let mut value = f64::NAN;
        // SAFETY: see above.
        unsafe { fmi2GetReal(self.c, &self.resources.reference(name), 1, &mut value) }
    }

    pub fn set_truth(&self, name: &str, value: fmi2Boolean) -> fmi2Status {
        // SAFETY: see above.
        unsafe { fmi2SetBoolean(self.c, &self.resources.reference(name), 1, &value) }
    }

    pub fn truth(&self, name: &str) -> bool {
        let mut value = -1;
        // SAFETY: see above.
        let status = unsafe { fmi2GetBoolean(self.c, &self.resources.reference(name), 1, &mut value) };
        assert_eq!(status, fmi2OK, "{}", self.messages.text());
        assert!([fmi2True, fmi2False].contains(&value));
        value == fmi2True
    }

    pub fn set_slope(&self, name: &str, order: i32, slope: f64) -> fmi2Status {
        // SAFETY: see above.
        unsafe { fmi2SetRealInputDerivatives(self.c, &self.resources.reference(name), 1, &order, &slope) }
    }

    pub fn slope(&self, name: &str, order: i32) -> (fmi2Status, f64) {
        let mut value = f64::NAN;
        // SAFETY: see above.
        let status =
            unsafe { fmi2GetRealOutputDerivatives(self.c, &self.resources.reference(name), 1, &order, &mut value) };
        (status, value)
    }

    pub fn directional(&self, unknown: &str, knowns: &[&str], seed: &[f64]) -> (fmi2Status, f64) {
        let knowns: Vec<u32> = knowns.iter().map(|name| self.resources.reference(name)).collect();
        let mut value = f64::NAN;
        // SAFETY: see above.
        let status = unsafe {
            let unknown = self.resources.reference(unknown);
            fmi2GetDirectionalDerivative(self.c, &unknown, 1, knowns.as_ptr(), knowns.len(), seed.as_ptr(), &mut value)
        };
        (status, value)
    }

    /// Bits of all Real outputs.
    pub fn bits(&self) -> Vec<u64> {
        use ballesta::fmi::variables::Causality;
        use ballesta::system::ScalarKind;
        let real = |v: &&Variable| v.causality == Causality::Output && v.kind == ScalarKind::Real;
        self.resources.variables.iter().filter(real).map(|v| self.get(&v.name).to_bits()).collect()
    }

    pub fn get_state(&self) -> fmi2FMUstate {
        let mut state = null_mut();
        // SAFETY: see above.
        assert_eq!(unsafe { fmi2GetFMUstate(self.c, &mut state) }, fmi2OK);
        assert!(!state.is_null());
        state
    }

    pub fn set_state(&self, state: fmi2FMUstate) -> fmi2Status {
        // SAFETY: see above.
        unsafe { fmi2SetFMUstate(self.c, state) }
    }

    pub fn free_state(&self, mut state: fmi2FMUstate) {
        // SAFETY: see above.
        assert_eq!(unsafe { fmi2FreeFMUstate(self.c, &mut state) }, fmi2OK);
        assert!(state.is_null());
    }

    /// The present state as bytes.
    pub fn serialized(&self) -> Vec<u8> {
        let state = self.get_state();
        let mut size = 0;
        // SAFETY: see above.
        let bytes = unsafe {
            assert_eq!(fmi2SerializedFMUstateSize(self.c, state, &mut size), fmi2OK);
            let mut bytes = vec![0u8; size];
            assert_eq!(fmi2SerializeFMUstate(self.c, state, bytes.as_mut_ptr().cast(), size), fmi2OK);
            bytes
        };
        self.free_state(state);
        bytes
    }

    pub fn deserialize(&self, bytes: &[u8]) -> Result<fmi2FMUstate, fmi2Status> {
        let mut state = null_mut();
        // SAFETY: see above.
        let status = unsafe { fmi2DeSerializeFMUstate(self.c, bytes.as_ptr().cast(), bytes.len(), &mut state) };
        if status == fmi2OK { Ok(state) } else { Err(status) }
    }

    /// Continues from bytes.
    pub fn restore(&self, bytes: &[u8]) {
        let state = self.deserialize(bytes).unwrap_or_else(|_| panic!("{}", self.messages.text()));
        assert_eq!(self.set_state(state), fmi2OK);
        self.free_state(state);
    }

    pub fn last_successful_time(&self) -> f64 {
        let mut value = f64::NAN;
        // SAFETY: see above.
        assert_eq!(unsafe { fmi2GetRealStatus(self.c, fmi2LastSuccessfulTime, &mut value) }, fmi2OK);
        value
    }

    pub fn terminated(&self) -> bool {
        let mut value = -1;
        // SAFETY: see above.
        assert_eq!(unsafe { fmi2GetBooleanStatus(self.c, fmi2Terminated, &mut value) }, fmi2OK);
        value == fmi2True
    }

    /// To event mode and on to continuous-time mode, after the initialization or an event.
    pub fn integrate(&self) {
        // SAFETY: see above.
        assert_eq!(unsafe { fmi2EnterContinuousTimeMode(self.c) }, fmi2OK, "{}", self.messages.text());
    }

    pub fn set_time(&self, time: f64) -> fmi2Status {
        // SAFETY: see above.
        unsafe { fmi2SetTime(self.c, time) }
    }

    pub fn set_states(&self, x: &[f64]) -> fmi2Status {
        // SAFETY: see above.
        unsafe { fmi2SetContinuousStates(self.c, x.as_ptr(), x.len()) }
    }

    pub fn get_states(&self) -> Vec<f64> {
        let mut x = vec![f64::NAN; self.resources.states()];
        // SAFETY: see above.
        let status = unsafe { fmi2GetContinuousStates(self.c, x.as_mut_ptr(), x.len()) };
        assert_eq!(status, fmi2OK, "{}", self.messages.text());
        x
    }

    pub fn try_derivatives(&self) -> (fmi2Status, Vec<f64>) {
        let mut derivatives = vec![f64::NAN; self.resources.states()];
        // SAFETY: see above.
        let status = unsafe { fmi2GetDerivatives(self.c, derivatives.as_mut_ptr(), derivatives.len()) };
        (status, derivatives)
    }

    pub fn derivatives(&self) -> Vec<f64> {
        let (status, derivatives) = self.try_derivatives();
        assert_eq!(status, fmi2OK, "{}", self.messages.text());
        derivatives
    }

    pub fn complete(&self) -> fmi2Status {
        let (mut event, mut end) = (7, 7);
        // SAFETY: see above.
        let status = unsafe { fmi2CompletedIntegratorStep(self.c, fmi2True, &mut event, &mut end) };
        assert!(status != fmi2OK || [event, end] == [fmi2False; 2]);
        status
    }

    /// Brings an initialized instance at `time` into the state after a discarded step.
    pub fn fail(&self, time: f64) {
        assert_eq!(self.set("torque", 1e305), fmi2OK);
        assert_eq!(self.step(time, 0.01), fmi2Discard, "{}", self.messages.text());
    }
}

impl Drop for Instance<'_> {
    fn drop(&mut self) {
        // SAFETY: the instance is used no more.
        unsafe { fmi2FreeInstance(self.c) };
    }
}

/// Communication step of most tests, s.
pub const H: f64 = 1e-3;

/// The outputs of [`Resources::driven`] after 20 steps with a torque, from a fresh instance.
pub fn reference_bits(resources: &Resources) -> Vec<u64> {
    let instance = resources.initialized();
    assert_eq!(instance.set("torque", 0.75), fmi2OK);
    instance.steps(0.0, H, 20);
    instance.bits()
}
