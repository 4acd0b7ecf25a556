//! The library of an FMU through its C functions: stored states, and sequences of calls.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, OnceLock, PoisonError};

use ballesta::fmi::exports::*;
use ballesta::fmi::types::*;
use ballesta::fmi::variables::{Causality, table};
use ballesta::model;
use ballesta::system::{ScalarKind, System};
use sha2::{Digest, Sha256};

use super::mutation::Random;
use super::targets::{LONGEST, root};

/// Models that compile in milliseconds, of every kind that a state knows: loops, memory of friction, inputs, elastic modes, wheels.
const MODELS: [&str; 8] = [
    "four_bar",
    "stick_slip",
    "rack_steering",
    "flexible_slider_crank",
    "driven_arm",
    "four_bar_3d",
    "parallelogram_redundant_rod",
    "double_wishbone_axle",
];
/// Calls of one sequence.
const CALLS: usize = 48;
/// Stored states of one sequence.
const STATES: usize = 4;
/// Longest communication step that is not refused, s.
const LONGEST_STEP: f64 = 0.02;

/// The resource folder of an FMU.
struct Resources {
    guid: CString,
    location: CString,
    step: f64,
    /// Value references of the Real outputs.
    outputs: Vec<u32>,
    /// One past the last value reference.
    references: u32,
}

/// The resources of a model, made when they are asked for first.
fn resources(model: usize) -> &'static Resources {
    static MADE: OnceLock<Mutex<BTreeMap<usize, &'static Resources>>> = OnceLock::new();
    let mut made = MADE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(model).or_insert_with(|| Box::leak(Box::new(make(MODELS[model]))))
}

fn make(name: &str) -> Resources {
    let gallery = root().join("models").join(name);
    let text = fs::read_to_string(gallery.join("model.toml")).expect("a model of the gallery");
    let document = model::load(&gallery).expect("a model of the gallery is right");
    let values: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
    let system = System::compile(&document, &values).expect("a model of the gallery compiles");
    let guid = ballesta::fmi::guid(&text, &document.files, system.interface());
    let variables = table(system.interface());
    let folder = root().join("target/fuzzed/resources").join(name);
    let write = |name: &str, content: &[u8]| write_once(&folder.join(name), content);
    write("model.toml", text.as_bytes());
    write("guid.txt", guid.as_bytes());
    document.files.iter().for_each(|file| write(&file.path, &file.bytes));
    let real = |variable: &&ballesta::fmi::variables::Variable| {
        variable.causality == Causality::Output && variable.kind == ScalarKind::Real
    };
    let c = |text: String| CString::new(text).expect("no zero inside");
    Resources {
        guid: c(guid),
        location: c(folder.display().to_string()),
        step: system.step(),
        outputs: variables.iter().filter(real).map(|variable| variable.value_reference).collect(),
        references: variables.len() as u32,
    }
}

/// Writes a file unless it is there already: several processes may use the folder.
fn write_once(path: &Path, content: &[u8]) {
    if fs::read(path).is_ok_and(|found| found == content) {
        return;
    }
    fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder is made");
    ballesta::package::output_file::write(path, content).expect("a file is written");
}

/// An instance with the states that it has made; both are freed at the end.
struct Driven {
    c: fmi2Component,
    states: [fmi2FMUstate; STATES],
    resources: &'static Resources,
    time: f64,
}

// In all that follows the promises of `ballesta::fmi::exports` hold: `c` is alive, arrays are as long as said or NULL, states were made
// by the library and are not freed twice.
impl Driven {
    fn new(model: usize) -> Driven {
        let resources = resources(model);
        let (guid, location) = (resources.guid.as_ptr(), resources.location.as_ptr());
        // SAFETY: all strings end with a zero; the callbacks may be NULL.
        let c = unsafe {
            fmi2Instantiate(c"fuzzed".as_ptr(), fmi2CoSimulation, guid, location, null(), fmi2False, fmi2False)
        };
        assert!(!c.is_null(), "an FMU of the gallery is instantiated");
        Driven { c, states: [null_mut(); STATES], resources, time: 0.0 }
    }

    /// At the end of the initialization.
    fn start(&mut self) {
        // SAFETY: see above.
        let statuses = unsafe {
            [
                fmi2SetupExperiment(self.c, fmi2False, 0.0, 0.0, fmi2False, 0.0),
                fmi2EnterInitializationMode(self.c),
                fmi2ExitInitializationMode(self.c),
            ]
        };
        assert_eq!(statuses, [fmi2Status::fmi2OK; 3], "an FMU of the gallery starts");
    }

    fn step(&mut self, size: f64) -> fmi2Status {
        // SAFETY: see above.
        let status = unsafe { fmi2DoStep(self.c, self.time, size, fmi2True) };
        if status == fmi2Status::fmi2OK {
            self.time += size;
            self.expect_finite_outputs();
        }
        status
    }

    fn expect_finite_outputs(&self) {
        let references = &self.resources.outputs;
        let mut values = vec![f64::NAN; references.len()];
        // SAFETY: see above.
        let status = unsafe { fmi2GetReal(self.c, references.as_ptr(), references.len(), values.as_mut_ptr()) };
        if status == fmi2Status::fmi2OK {
            assert!(values.iter().all(|value| value.is_finite()), "outputs after a good step: {values:?}");
        }
    }

    /// The present state as bytes.
    fn serialized(&self) -> Vec<u8> {
        let (mut state, mut size) = (null_mut(), 0);
        // SAFETY: see above.
        unsafe {
            assert_eq!(fmi2GetFMUstate(self.c, &mut state), fmi2Status::fmi2OK);
            assert_eq!(fmi2SerializedFMUstateSize(self.c, state, &mut size), fmi2Status::fmi2OK);
            let mut bytes = vec![0u8; size];
            assert_eq!(fmi2SerializeFMUstate(self.c, state, bytes.as_mut_ptr().cast(), size), fmi2Status::fmi2OK);
            assert_eq!(fmi2FreeFMUstate(self.c, &mut state), fmi2Status::fmi2OK);
            bytes
        }
    }

    /// Reads every variable, whatever the state.
    fn read_everything(&self) {
        let mut value = 0.0;
        for reference in 0..self.resources.references {
            // SAFETY: see above.
            unsafe { fmi2GetReal(self.c, &reference, 1, &mut value) };
        }
    }

    /// Whatever was called before, the instance can be reset and simulates.
    fn expect_to_start_anew(&mut self) {
        // SAFETY: see above.
        assert_eq!(unsafe { fmi2Reset(self.c) }, fmi2Status::fmi2OK, "fmi2Reset");
        self.time = 0.0;
        self.start();
        let size = self.resources.step;
        assert_eq!(self.step(size), fmi2Status::fmi2OK, "a step after fmi2Reset");
    }

    fn last_time(&self) -> f64 {
        let mut time = 0.0;
        // SAFETY: see above.
        let status = unsafe { fmi2GetRealStatus(self.c, fmi2LastSuccessfulTime, &mut time) };
        if status == fmi2Status::fmi2OK { time } else { 0.0 }
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        // SAFETY: see above; neither is used again.
        unsafe {
            self.states.iter_mut().for_each(|state| _ = fmi2FreeFMUstate(self.c, state));
            fmi2FreeInstance(self.c);
        }
    }
}

/// What stands before and behind the content of a serialized state (`fmi::state_file`): magic word and version, length, GUID; checksum.
const VERSION: usize = 8 + 4;
const HEAD: usize = VERSION + 8;
const GUID: usize = 38;
const CHECKSUM: usize = 8;

/// A serialized state behind a byte that chooses the model. Head and checksum are put right, so that what is between them is read.
pub fn state(bytes: &[u8]) {
    is_taken(bytes);
}

/// [`state`], and whether the bytes were taken as a state.
pub fn is_taken(bytes: &[u8]) -> bool {
    let Some((&model, content)) = bytes.split_first() else { return false };
    if bytes.len() > LONGEST || content.len() < HEAD + GUID + CHECKSUM {
        return false;
    }
    let mut driven = Driven::new(model as usize % MODELS.len());
    let mut content = content.to_vec();
    let end = content.len() - CHECKSUM;
    content[..VERSION].copy_from_slice(&driven.serialized()[..VERSION]);
    let length = content.len() as u64;
    content[VERSION..HEAD].copy_from_slice(&length.to_le_bytes());
    content[HEAD..HEAD + GUID].copy_from_slice(driven.resources.guid.as_bytes());
    let sum = Sha256::digest(&content[..end]);
    content[end..].copy_from_slice(&sum[..CHECKSUM]);
    // SAFETY: see `Driven`.
    let taken = unsafe {
        let (from, size) = (content.as_ptr().cast(), content.len());
        let state = &mut driven.states[0];
        fmi2DeSerializeFMUstate(driven.c, from, size, state) == fmi2Status::fmi2OK
            && fmi2SetFMUstate(driven.c, *state) == fmi2Status::fmi2OK
    };
    if taken {
        driven.read_everything();
        driven.time = driven.last_time();
        let size = driven.resources.step;
        for _ in 0..2 {
            driven.step(size);
        }
    }
    driven.expect_to_start_anew();
    taken
}

/// Bytes read as the arguments of calls; zeros behind the end.
struct Arguments<'b>(&'b [u8]);

impl Arguments<'_> {
    fn byte(&mut self) -> usize {
        let Some((&byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        byte.into()
    }

    fn number(&mut self) -> f64 {
        const KNOWN: [f64; 14] = [
            0.0,
            1e-3,
            1.0,
            -1.0,
            0.01,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1e308,
            -1e308,
            5e-324,
            1e-9,
            1e9,
            -0.0,
        ];
        match self.byte() {
            known if known < 128 => KNOWN[known % KNOWN.len()],
            _ => f64::from_le_bytes(std::array::from_fn(|_| self.byte() as u8)),
        }
    }

    fn time(&mut self, present: f64) -> f64 {
        if self.byte() < 200 { present } else { self.number() }
    }

    /// A communication step, none that is accepted and long.
    fn size(&mut self, step: f64) -> f64 {
        let size = if self.byte() < 160 { step } else { self.number() };
        if size > LONGEST_STEP && size < 1e7 { LONGEST_STEP } else { size }
    }

    fn references(&mut self, count: usize, references: u32) -> Vec<u32> {
        let reference = |arguments: &mut Self| match arguments.byte() {
            255 => u32::MAX,
            254 => references,
            byte => byte as u32 % references.max(1),
        };
        (0..count).map(|_| reference(self)).collect()
    }

    fn numbers(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.number()).collect()
    }
}

/// An array, or NULL.
fn pointer<T>(values: &[T], is_null: bool) -> *const T {
    if is_null { null() } else { values.as_ptr() }
}

fn pointer_mut<T>(values: &mut [T], is_null: bool) -> *mut T {
    if is_null { null_mut() } else { values.as_mut_ptr() }
}

/// A sequence of calls with right and wrong arguments, in right and wrong order, behind a byte that chooses the model.
pub fn calls(bytes: &[u8]) {
    let Some((&model, rest)) = bytes.split_first() else { return };
    let mut driven = Driven::new(model as usize % MODELS.len());
    let mut arguments = Arguments(rest);
    for _ in 0..CALLS {
        if arguments.0.is_empty() {
            break;
        }
        call(&mut driven, &mut arguments);
    }
    driven.expect_to_start_anew();
}

fn call(driven: &mut Driven, arguments: &mut Arguments) {
    let (c, references, step) = (driven.c, driven.resources.references, driven.resources.step);
    let (function, form) = (arguments.byte() % 32, arguments.byte());
    let (count, is_null, slot) = (form % 4, form >= 240, form / 4 % STATES);
    let read = arguments.references(count, references);
    let (vr, values) = (pointer(&read, is_null), arguments.numbers(count));
    let (mut results, mut whole) = ([0.0; 4], [0; 4]);
    // SAFETY: see `Driven`.
    unsafe {
        match function {
            0 => _ = fmi2SetupExperiment(c, 0, 0.0, arguments.number(), (form % 2) as i32, arguments.number()),
            1 => _ = fmi2EnterInitializationMode(c),
            2 => _ = fmi2ExitInitializationMode(c),
            // The way to a step is long for chance.
            3 => {
                fmi2Reset(c);
                driven.time = 0.0;
                driven.start();
            }
            4 => _ = fmi2Terminate(c),
            5 => {
                assert_eq!(fmi2Reset(c), fmi2Status::fmi2OK);
                driven.time = 0.0;
            }
            6 | 7 => _ = fmi2GetReal(c, vr, count, pointer_mut(&mut results, form >= 250)),
            8 | 9 => _ = fmi2SetReal(c, vr, count, pointer(&values, form >= 250)),
            10 => _ = fmi2GetInteger(c, vr, count, whole.as_mut_ptr()),
            11 => _ = fmi2GetBoolean(c, vr, count, whole.as_mut_ptr()),
            12 => _ = fmi2SetInteger(c, vr, count, whole.as_ptr()),
            13 => _ = fmi2SetBoolean(c, vr, count, whole.as_ptr()),
            14 => _ = fmi2GetString(c, vr, count, null_mut()),
            15 => _ = fmi2SetString(c, vr, count, null()),
            16 => _ = fmi2GetFMUstate(c, &mut driven.states[slot]),
            17 => {
                if fmi2SetFMUstate(c, driven.states[slot]) == fmi2Status::fmi2OK {
                    driven.time = driven.last_time();
                }
            }
            18 => _ = fmi2FreeFMUstate(c, &mut driven.states[slot]),
            19 => {
                let mut size = 0;
                let state = driven.states[slot];
                if fmi2SerializedFMUstateSize(c, state, &mut size) == fmi2Status::fmi2OK {
                    let room = size - form % 2;
                    let mut bytes = vec![0u8; room];
                    fmi2SerializeFMUstate(c, state, bytes.as_mut_ptr().cast(), room);
                    let mut copy = null_mut();
                    fmi2DeSerializeFMUstate(c, bytes.as_ptr().cast(), room, &mut copy);
                    fmi2FreeFMUstate(c, &mut copy);
                }
            }
            20 => {
                let known = arguments.references(2, references);
                let seed = arguments.numbers(2);
                let room = results.as_mut_ptr();
                fmi2GetDirectionalDerivative(c, vr, count, known.as_ptr(), 2, pointer(&seed, form >= 250), room);
            }
            21 => {
                let orders = [1, 1, (form % 3) as i32, 1];
                fmi2SetRealInputDerivatives(c, vr, count, orders.as_ptr(), values.as_ptr());
            }
            22 => {
                let orders = [1, 1, (form % 3) as i32, 1];
                fmi2GetRealOutputDerivatives(c, vr, count, orders.as_ptr(), results.as_mut_ptr());
            }
            23 => {
                let (time, size) = (arguments.time(driven.time), arguments.size(step));
                let status = fmi2DoStep(c, time, size, (form % 2) as i32);
                driven.time = driven.last_time();
                if status == fmi2Status::fmi2OK {
                    driven.expect_finite_outputs();
                }
            }
            24 => _ = fmi2CancelStep(c),
            25 => _ = fmi2GetRealStatus(c, fmi2StatusKind(form as i32 - 3), results.as_mut_ptr()),
            26 => _ = fmi2GetBooleanStatus(c, fmi2StatusKind(form as i32 - 3), whole.as_mut_ptr()),
            27 => _ = fmi2GetStringStatus(c, fmi2StatusKind(form as i32 - 3), &mut null()),
            28 => _ = fmi2SetDebugLogging(c, (form % 2) as i32, usize::from(is_null), null()),
            _ => _ = driven.step(step),
        }
    }
}

/// Inputs to begin with, for [`state`].
pub fn states() -> Vec<Vec<u8>> {
    let after = |model: usize, steps: usize| {
        let mut driven = Driven::new(model);
        driven.start();
        let size = driven.resources.step;
        (0..steps).for_each(|_| assert_eq!(driven.step(size), fmi2Status::fmi2OK));
        [vec![model as u8], driven.serialized()].concat()
    };
    (0..MODELS.len()).flat_map(|model| [after(model, 0), after(model, 3)]).collect()
}

/// Inputs to begin with, for [`calls`]: ordinary runs, and calls by chance.
pub fn sequences() -> Vec<Vec<u8>> {
    let ordinary = |model: usize| {
        let mut bytes = vec![model as u8, 3, 0];
        (0..6).for_each(|slot| bytes.extend([29, 0, 16, slot * 4, 29, 0, 17, slot * 4, 23, 0, 0, 0]));
        bytes
    };
    let chance = |number: usize| {
        let mut random = Random(number as u64);
        (0..200).map(|_| random.bits() as u8).collect()
    };
    (0..MODELS.len()).map(ordinary).chain((0..24).map(chance)).collect()
}
