//! The library of an FMU through its C functions: stored states, and sequences of calls.

use ballesta::compile;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::fs;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, OnceLock, PoisonError};

use ballesta::fmi::exports::*;
use ballesta::fmi::types::*;
use ballesta::fmi::variables::{Causality, table};
use ballesta::model;
use ballesta::system::ScalarKind;
use sha2::{Digest, Sha256};

use super::mutation::Random;
use super::targets::root;

/// Models with every kind of state: loops, memory of friction, inputs, parameters, elastic modes, tyres that lag
/// behind.
pub const MODELS: [&str; 10] = [
    "four_bar",
    "stick_slip",
    "rack_steering",
    "flexible_slider_crank",
    "driven_arm",
    "four_bar_3d",
    "parallelogram_redundant_rod",
    "double_wishbone_axle",
    "van",
    QUARTER_CAR,
];
/// A model in addition to the gallery: a tyre on a road, in a fraction of the time of a van.
const QUARTER_CAR: &str = "quarter_car";
/// Calls of one sequence.
const CALLS: usize = 48;
/// Number of inputs after which an instance is freed and created again. Until then it is reset, which takes a
/// thousandth of the time.
const USES: u32 = 200;
/// Stored states of one sequence.
const STATES: usize = 4;
/// Longest communication step that is not rejected, s.
const MAX_STEP_S: f64 = 0.02;

/// The resource folder of an FMU.
pub(super) struct Resources {
    guid: CString,
    location: CString,
    pub(super) step: f64,
    /// Value references of the Real outputs.
    outputs: Vec<u32>,
    /// One past the last value reference.
    pub(super) references: u32,
    /// Number of continuous states.
    pub(super) states: usize,
    /// Bits of the outputs after one step of a new instance.
    anew: OnceLock<Vec<u64>>,
}

/// The resources of a model, created at the first request.
pub(super) fn resources(model: usize) -> &'static Resources {
    static MADE: OnceLock<Mutex<BTreeMap<usize, &'static Resources>>> = OnceLock::new();
    let mut made = MADE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(model).or_insert_with(|| Box::leak(Box::new(make(MODELS[model]))))
}

fn make(name: &str) -> Resources {
    let file = match name {
        QUARTER_CAR => root().join("tests/tyres/quarter_car.toml"),
        _ => root().join("models").join(name).join("model.toml"),
    };
    let text = fs::read_to_string(&file).expect("a model of the gallery");
    let document = model::load(&file).expect("a model of the gallery is right");
    let values: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
    let system = compile::compile(&document, &values).expect("a model of the gallery compiles");
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
        states: system.interface().states.len(),
        anew: OnceLock::new(),
    }
}

/// Writes a file unless it exists already: several processes may use the folder.
fn write_once(path: &Path, content: &[u8]) {
    if fs::read(path).is_ok_and(|found| found == content) {
        return;
    }
    fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder is made");
    ballesta_files::output_file::write(path, content).expect("a file is written");
}

/// Instances kept between two inputs, at most one per model, each with the number of inputs that it has processed.
#[derive(Default)]
struct Idle(BTreeMap<usize, (fmi2Component, u32)>);

impl Drop for Idle {
    fn drop(&mut self) {
        // SAFETY: no other owner has them.
        self.0.values().for_each(|(c, _)| unsafe { fmi2FreeInstance(*c) });
    }
}

thread_local! {
    static IDLE: RefCell<Idle> = RefCell::default();
}

/// An instance with the states that it has created. The states are freed at the end; the instance is kept for the next
/// input.
struct Driven {
    c: fmi2Component,
    states: [fmi2FMUstate; STATES],
    model: usize,
    resources: &'static Resources,
    time: f64,
    uses: u32,
}

// All code below satisfies the requirements of `ballesta::fmi::exports`: `c` is alive, arrays have the given length or
// are NULL, states were made by the library and are not freed twice.
impl Driven {
    /// A new instance that has processed no input.
    fn new(model: usize) -> Driven {
        let resources = resources(model);
        let c = instantiate(&resources.guid, &resources.location);
        assert!(!c.is_null(), "an FMU of the gallery is instantiated");
        Driven { c, states: [null_mut(); STATES], model, resources, time: 0.0, uses: 0 }
    }

    /// An instance that has just been reset, if there is one, otherwise a new one.
    fn reset(model: usize) -> Driven {
        match IDLE.with_borrow_mut(|idle| idle.0.remove(&model)) {
            Some((c, uses)) => {
                let resources = resources(model);
                let mut driven =
                    Driven { c, states: [null_mut(); STATES], model, resources, time: 0.0, uses: uses + 1 };
                driven.go_back();
                driven
            }
            None => Driven::new(model),
        }
    }

    fn go_back(&mut self) {
        // SAFETY: see above.
        assert_eq!(unsafe { fmi2Reset(self.c) }, fmi2Status::fmi2OK, "fmi2Reset");
        self.time = 0.0;
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

    /// The bits of all Real outputs, if they can be read.
    fn outputs(&self) -> Option<Vec<u64>> {
        let references = &self.resources.outputs;
        let mut values = vec![f64::NAN; references.len()];
        // SAFETY: see above.
        let status = unsafe { fmi2GetReal(self.c, references.as_ptr(), references.len(), values.as_mut_ptr()) };
        (status == fmi2Status::fmi2OK).then(|| values.into_iter().map(f64::to_bits).collect())
    }

    fn expect_finite_outputs(&self) {
        let values: Vec<f64> = self.outputs().into_iter().flatten().map(f64::from_bits).collect();
        assert!(values.iter().all(|value| value.is_finite()), "outputs after a good step: {values:?}");
    }

    /// Asserts that a step from the same state gives the same bits again.
    fn expect_the_same_step_twice(&mut self) {
        let (mut state, start, size) = (null_mut(), self.time, self.resources.step);
        // SAFETY: see above.
        if unsafe { fmi2GetFMUstate(self.c, &mut state) } != fmi2Status::fmi2OK {
            return;
        }
        let once = (self.step(size), self.outputs());
        // SAFETY: see above.
        let restored = unsafe { fmi2SetFMUstate(self.c, state) };
        if restored == fmi2Status::fmi2OK {
            self.time = start;
            let again = (self.step(size), self.outputs());
            assert!(once == again, "a step from {start} s, and again from the stored state: {once:?}, {again:?}");
        }
        // SAFETY: see above.
        unsafe { fmi2FreeFMUstate(self.c, &mut state) };
    }

    /// Changes the serialized present state, corrects its header and checksum, and continues from it if it is accepted.
    fn forge(&mut self, arguments: &mut Arguments, changes: usize, slot: usize) {
        let (mut state, mut size) = (null_mut(), 0);
        // SAFETY: see above.
        let bytes = unsafe {
            if fmi2GetFMUstate(self.c, &mut state) != fmi2Status::fmi2OK {
                return;
            }
            assert_eq!(fmi2SerializedFMUstateSize(self.c, state, &mut size), fmi2Status::fmi2OK);
            let mut bytes = vec![0u8; size];
            assert_eq!(fmi2SerializeFMUstate(self.c, state, bytes.as_mut_ptr().cast(), size), fmi2Status::fmi2OK);
            fmi2FreeFMUstate(self.c, &mut state);
            bytes
        };
        let mut content = bytes.clone();
        for _ in 0..changes {
            let body = HEAD + GUID..content.len() - CHECKSUM;
            let at = body.start + (arguments.byte() << 8 | arguments.byte()) % body.len();
            match arguments.byte() {
                // Numbers are not aligned to eight bytes: two bytes, position and flags, precede them.
                kind @ 0..128 => {
                    let at = body.start + 2 + (at - body.start) / 8 * 8;
                    let number = if kind < 100 { arguments.number().to_bits() } else { kind as u64 - 100 };
                    content[at..body.end].iter_mut().zip(number.to_le_bytes()).for_each(|(byte, new)| *byte = new);
                }
                kind @ 128..224 => content[at] = kind as u8,
                kind @ 224..240 => content[at] ^= 1 << (kind % 8),
                240..248 => drop(content.drain(at..(at + 8).min(body.end))),
                _ => drop(content.splice(at..at, [0; 8])),
            }
        }
        seal(&mut content, &bytes, self.resources);
        self.take(&content, slot);
    }

    /// Deserializes bytes and continues from them. Returns whether they were accepted.
    fn take(&mut self, content: &[u8], slot: usize) -> bool {
        // SAFETY: see above; what a pointer held before is freed.
        let taken = unsafe {
            let (from, size) = (content.as_ptr().cast(), content.len());
            let state = &mut self.states[slot];
            fmi2FreeFMUstate(self.c, state);
            fmi2DeSerializeFMUstate(self.c, from, size, state) == fmi2Status::fmi2OK
                && fmi2SetFMUstate(self.c, *state) == fmi2Status::fmi2OK
        };
        if taken {
            self.time = self.last_time();
        }
        taken
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

    /// Asserts that the instance can be reset after any calls and simulates like a new one, bit for bit.
    fn expect_to_start_anew(&mut self) {
        let anew = self.resources.anew.get_or_init(|| Driven::new(self.model).first_outputs());
        self.go_back();
        assert!(self.first_outputs() == *anew, "outputs after fmi2Reset and a step are those of a new instance");
    }

    /// Bits of the outputs after the start and a step.
    fn first_outputs(&mut self) -> Vec<u64> {
        self.start();
        let size = self.resources.step;
        assert_eq!(self.step(size), fmi2Status::fmi2OK, "the first step");
        self.outputs().expect("outputs after a step")
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
            // After a panic the instance may be in any state.
            let idle = (self.c, self.uses);
            let worn = self.uses >= USES || std::thread::panicking();
            let old = if worn { Some(idle) } else { IDLE.with_borrow_mut(|other| other.0.insert(self.model, idle)) };
            old.into_iter().for_each(|(c, _)| fmi2FreeInstance(c));
        }
    }
}

impl Resources {
    /// A new instance of one of the two kinds, or NULL.
    pub(super) fn instantiate(&self, kind: fmi2Type) -> fmi2Component {
        instantiate_as(kind, &self.guid, &self.location)
    }
}

/// NULL if the library rejects the request.
fn instantiate(guid: &CStr, location: &CStr) -> fmi2Component {
    instantiate_as(fmi2CoSimulation, guid, location)
}

fn instantiate_as(kind: fmi2Type, guid: &CStr, location: &CStr) -> fmi2Component {
    let (name, guid, location) = (c"fuzzed".as_ptr(), guid.as_ptr(), location.as_ptr());
    // SAFETY: all strings end with a zero; the callbacks may be NULL.
    unsafe { fmi2Instantiate(name, kind, guid, location, null(), fmi2False, fmi2False) }
}

/// The bytes before and after the content of a serialized state (`fmi::state_file`): magic word and version, length,
/// GUID; checksum.
const VERSION: usize = 8 + 4;
const HEAD: usize = VERSION + 8;
const GUID: usize = 38;
const CHECKSUM: usize = 8;

/// Corrects header and checksum of a serialized state; `like` is a state of the same FMU.
fn seal(content: &mut [u8], like: &[u8], resources: &Resources) {
    let (end, length) = (content.len() - CHECKSUM, content.len() as u64);
    content[..VERSION].copy_from_slice(&like[..VERSION]);
    content[VERSION..HEAD].copy_from_slice(&length.to_le_bytes());
    content[HEAD..HEAD + GUID].copy_from_slice(resources.guid.as_bytes());
    let sum = Sha256::digest(&content[..end]);
    content[end..].copy_from_slice(&sum[..CHECKSUM]);
}

/// A serialized state after a byte that selects the model. Header and checksum are corrected, so that the content
/// between them is read.
pub fn state(bytes: &[u8]) {
    is_taken(bytes);
}

/// [`state`], and whether the bytes were accepted as a state.
pub fn is_taken(bytes: &[u8]) -> bool {
    let Some((&model, content)) = bytes.split_first() else { return false };
    if content.len() < HEAD + GUID + CHECKSUM {
        return false;
    }
    let mut driven = Driven::reset(model as usize % MODELS.len());
    let mut content = content.to_vec();
    let like = driven.serialized();
    seal(&mut content, &like, driven.resources);
    let taken = driven.take(&content, 0);
    if taken {
        driven.read_everything();
        driven.expect_the_same_step_twice();
        let size = driven.resources.step;
        driven.step(size);
    }
    driven.expect_to_start_anew();
    taken
}

/// Bytes interpreted as the arguments of calls; zeros after the end.
pub(super) struct Arguments<'b>(pub(super) &'b [u8]);

impl Arguments<'_> {
    pub(super) fn byte(&mut self) -> usize {
        let Some((&byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        byte.into()
    }

    pub(super) fn number(&mut self) -> f64 {
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

    /// A communication step; an accepted one is short.
    fn size(&mut self, step: f64) -> f64 {
        let size = if self.byte() < 160 { step } else { self.number() };
        if size > MAX_STEP_S && size < 1e7 { MAX_STEP_S } else { size }
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

/// A sequence of calls with right and wrong arguments, in right and wrong order, after a byte that selects the model.
pub fn calls(bytes: &[u8]) {
    let Some((&model, rest)) = bytes.split_first() else { return };
    let mut driven = Driven::reset(model as usize % MODELS.len());
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
    let (references, step) = (driven.resources.references, driven.resources.step);
    let (function, form) = (arguments.byte() % 32, arguments.byte());
    // Sometimes there is no instance at all.
    let c = if form == 255 { null_mut() } else { driven.c };
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
            // A random sequence rarely reaches a step.
            3 => {
                driven.go_back();
                driven.start();
            }
            4 => _ = fmi2Terminate(c),
            5 => driven.go_back(),
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
            24 if form < 192 => driven.expect_the_same_step_twice(),
            24 => _ = fmi2CancelStep(c),
            25 => _ = fmi2GetRealStatus(c, fmi2StatusKind(form as i32 - 3), results.as_mut_ptr()),
            26 => _ = fmi2GetBooleanStatus(c, fmi2StatusKind(form as i32 - 3), whole.as_mut_ptr()),
            27 => _ = fmi2GetStringStatus(c, fmi2StatusKind(form as i32 - 3), &mut null()),
            28 => _ = fmi2SetDebugLogging(c, (form % 2) as i32, usize::from(is_null), null()),
            29 => driven.forge(arguments, 1 + count, slot),
            30 if form < 32 => {
                let text: Vec<u8> = (0..form).map(|_| arguments.byte() as u8).take_while(|&byte| byte > 0).collect();
                let text = CString::new(text).expect("no zero inside");
                let Resources { guid, location, .. } = driven.resources;
                for (guid, location) in [(guid, &text), (&text, location)] {
                    fmi2FreeInstance(instantiate(guid, location));
                }
            }
            _ => _ = driven.step(step),
        }
    }
}

/// Initial inputs for [`state`].
pub fn states() -> Vec<Vec<u8>> {
    let after = |model: usize, steps: usize| {
        let mut driven = Driven::reset(model);
        driven.start();
        let size = driven.resources.step;
        (0..steps).for_each(|_| assert_eq!(driven.step(size), fmi2Status::fmi2OK));
        [vec![model as u8], driven.serialized()].concat()
    };
    (0..MODELS.len()).flat_map(|model| [after(model, 0), after(model, 3)]).collect()
}

/// Initial inputs for [`calls`]: ordinary runs, forged states, and random calls.
pub fn sequences() -> Vec<Vec<u8>> {
    let ordinary = |model: usize| {
        let mut bytes = vec![model as u8, 3, 0];
        (0..6).for_each(|slot| bytes.extend([31, 0, 16, slot * 4, 31, 0, 17, slot * 4, 23, 0, 0, 0]));
        bytes
    };
    let chance = |number: usize| {
        let mut random = Random(number as u64);
        (0..200).map(|_| random.bits() as u8).collect()
    };
    let forged = |model: usize| {
        let mut random = Random(model as u64);
        let mut bytes = vec![model as u8, 3, 0, 31, 0];
        for _ in 0..8 {
            // One change: its position, the mark of a number, and the number, one of the known values.
            bytes.extend([29, 0, random.bits() as u8, random.bits() as u8, 0, random.below(14) as u8]);
            bytes.extend([24, 0, 31, 0]);
        }
        bytes
    };
    let models = 0..MODELS.len();
    models.clone().map(ordinary).chain(models.map(forged)).chain((0..24).map(chance)).collect()
}
