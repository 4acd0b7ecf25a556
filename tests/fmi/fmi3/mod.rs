//! An instance that is driven through the functions of FMI 3.0, and the tests of these.

pub mod call_order;
mod intermediate;
mod rules;

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};

use crate::support::Resources;
use ballesta::fmi::exports::*;
pub use ballesta::fmi::types::fmi3Status::*;
use ballesta::fmi::types::*;

/// What an instance is made with as its environment.
#[derive(Default)]
struct Environment {
    /// What the logger collected, one line per message: `status|category|message`.
    messages: RefCell<String>,
    /// What is called at intermediate updates, and answers whether it asks for an early return.
    watch: RefCell<Option<Watch>>,
}

type Watch = Box<dyn FnMut(&Update) -> bool>;

/// What the callback for intermediate updates was told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    pub time: f64,
    pub set_requested: bool,
    pub get_allowed: bool,
    pub step_finished: bool,
    pub can_return_early: bool,
}

/// The callback; the environment is an [`Environment`].
unsafe extern "C" fn update(
    environment: fmi3InstanceEnvironment,
    time: fmi3Float64,
    set_requested: fmi3Boolean,
    get_allowed: fmi3Boolean,
    step_finished: fmi3Boolean,
    can_return_early: fmi3Boolean,
    early_return_requested: *mut fmi3Boolean,
    early_return_time: *mut fmi3Float64,
) {
    let [set_requested, get_allowed, step_finished, can_return_early] =
        [set_requested, get_allowed, step_finished, can_return_early].map(|truth| truth != fmi3False);
    let update = Update { time, set_requested, get_allowed, step_finished, can_return_early };
    // SAFETY: the environment lives as long as the instance that calls.
    let watch = unsafe { &(*environment.cast::<Environment>()).watch };
    if watch.borrow_mut().as_mut().is_some_and(|watch| watch(&update)) {
        // SAFETY: both results live during the call.
        unsafe { (*early_return_requested, *early_return_time) = (fmi3True, time) };
    }
}

/// The logger; the environment is an [`Environment`].
unsafe extern "C" fn collect(
    environment: fmi3InstanceEnvironment,
    status: fmi3Status,
    category: fmi3String,
    message: fmi3String,
) {
    // SAFETY: the environment lives as long as the instance that logs, and strings end with a zero.
    let (messages, category, message) =
        unsafe { (&(*environment.cast::<Environment>()).messages, CStr::from_ptr(category), CStr::from_ptr(message)) };
    let line = format!("{}|{}|{}\n", status as i32, category.to_string_lossy(), message.to_string_lossy());
    messages.borrow_mut().push_str(&line);
}

/// What fmi3InstantiateCoSimulation gets besides the resources.
pub struct Request<'a> {
    pub name: &'a str,
    pub token: &'a str,
    pub path: &'a str,
    pub logging: bool,
    pub event_mode: bool,
    pub required: &'a [u32],
    pub watched: bool,
}

impl<'a> Request<'a> {
    /// What a good instance is made with, but for the path.
    pub fn of(resources: &'a Resources) -> Request<'a> {
        Request {
            name: "test",
            token: &resources.guid,
            path: "",
            logging: true,
            event_mode: false,
            required: &[],
            watched: false,
        }
    }
}

/// An instance, freed when dropped.
pub struct Instance {
    pub c: fmi3Instance,
    environment: *mut Environment,
}

/// Results of fmi3DoStep.
#[derive(Debug, PartialEq)]
pub struct Step {
    pub event: bool,
    pub terminate: bool,
    pub early: bool,
    pub time: f64,
}

// The methods below pass slices with their lengths, so the promises of `exports` hold.
impl Instance {
    /// An instance, or what the logger was told.
    pub fn try_new(request: &Request) -> Result<Instance, String> {
        let environment: *mut Environment = Box::into_raw(Box::default());
        let [name, token, path] = [request.name, request.token, request.path].map(|text| CString::new(text).unwrap());
        // SAFETY: strings and references live during the call, the environment as long as the instance.
        let c = unsafe {
            fmi3InstantiateCoSimulation(
                name.as_ptr(),
                token.as_ptr(),
                path.as_ptr(),
                fmi3False,
                request.logging.into(),
                request.event_mode.into(),
                fmi3True,
                if request.required.is_empty() { null() } else { request.required.as_ptr() },
                request.required.len(),
                environment.cast::<c_void>(),
                Some(collect),
                request.watched.then_some(update as _),
            )
        };
        let instance = Instance { c, environment };
        if c.is_null() { Err(instance.take()) } else { Ok(instance) }
    }

    /// An instance for Model Exchange.
    pub fn exchange(resources: &Resources) -> Instance {
        let environment: *mut Environment = Box::into_raw(Box::default());
        let path = format!("{}/", resources.path().display());
        let [name, token, path] = ["test", &resources.guid, &path].map(|text| CString::new(text).unwrap());
        // SAFETY: all strings live during the call, the environment as long as the instance.
        let c = unsafe {
            let environment = environment.cast::<c_void>();
            let (name, token, path) = (name.as_ptr(), token.as_ptr(), path.as_ptr());
            fmi3InstantiateModelExchange(name, token, path, fmi3False, fmi3True, environment, Some(collect))
        };
        let instance = Instance { c, environment };
        assert!(!c.is_null(), "{}", instance.take());
        instance
    }

    pub fn new(resources: &Resources) -> Instance {
        let path = format!("{}/", resources.path().display());
        let request = Request { path: &path, ..Request::of(resources) };
        Instance::try_new(&request).unwrap_or_else(|log| panic!("{log}"))
    }

    /// An instance with a callback for intermediate updates, and `required` as the variables to be read there.
    pub fn watched(resources: &Resources, required: &[u32]) -> Instance {
        let path = format!("{}/", resources.path().display());
        let request = Request { path: &path, required, watched: true, ..Request::of(resources) };
        Instance::try_new(&request).unwrap_or_else(|log| panic!("{log}"))
    }

    /// A step from the start of an instance that is watched, over `h`, with `watch` called at intermediate updates.
    pub fn step_watched(&self, h: f64, watch: impl FnMut(&Instance, &Update) -> bool) -> (fmi3Status, Step) {
        self.watch_during(watch, || self.step(0.0, h))
    }

    /// `steps`, with `watch` called at intermediate updates.
    pub fn watch_during<T>(&self, mut watch: impl FnMut(&Instance, &Update) -> bool, steps: impl FnOnce() -> T) -> T {
        let watch: Box<dyn FnMut(&Update) -> bool + '_> = Box::new(|update| watch(self, update));
        // SAFETY: the lifetime alone is changed, and what the box borrows outlives it: it is dropped below, and a panic
        // ends the test.
        let watch = unsafe { std::mem::transmute::<Box<dyn FnMut(&Update) -> bool + '_>, Watch>(watch) };
        // SAFETY: the environment lives as long as `self`.
        let slot = unsafe { &(*self.environment).watch };
        *slot.borrow_mut() = Some(watch);
        let done = steps();
        *slot.borrow_mut() = None;
        done
    }

    pub fn initialized(resources: &Resources) -> Instance {
        let instance = Instance::new(resources);
        instance.initialize();
        instance
    }

    /// Everything that was logged since the last call of this.
    pub fn take(&self) -> String {
        // SAFETY: the environment lives as long as `self`.
        unsafe { (*self.environment).messages.take() }
    }

    pub fn enter(&self, stop: Option<f64>) -> fmi3Status {
        // SAFETY: see above.
        unsafe { fmi3EnterInitializationMode(self.c, 0, 0.0, 0.0, stop.is_some().into(), stop.unwrap_or(f64::NAN)) }
    }

    pub fn exit(&self) -> fmi3Status {
        // SAFETY: see above.
        unsafe { fmi3ExitInitializationMode(self.c) }
    }

    pub fn initialize(&self) {
        assert_eq!([self.enter(None), self.exit()], [fmi3OK; 2], "{}", self.take());
    }

    pub fn reset(&self) -> fmi3Status {
        // SAFETY: see above.
        unsafe { fmi3Reset(self.c) }
    }

    pub fn terminate(&self) -> fmi3Status {
        // SAFETY: see above.
        unsafe { fmi3Terminate(self.c) }
    }

    pub fn step(&self, time: f64, h: f64) -> (fmi3Status, Step) {
        let (mut event, mut terminate, mut early, mut reached) = (7, 7, 7, f64::NAN);
        // SAFETY: see above.
        let status =
            unsafe { fmi3DoStep(self.c, time, h, fmi3True, &mut event, &mut terminate, &mut early, &mut reached) };
        (status, Step { event: event != 0, terminate: terminate != 0, early: early != 0, time: reached })
    }

    pub fn set(&self, reference: u32, value: f64) -> fmi3Status {
        // SAFETY: see above.
        unsafe { fmi3SetFloat64(self.c, &reference, 1, &value, 1) }
    }

    /// Values of variables with `count` elements altogether.
    pub fn try_get(&self, references: &[u32], count: usize) -> (fmi3Status, Vec<f64>) {
        let mut values = vec![f64::NAN; count];
        // SAFETY: see above.
        let status =
            unsafe { fmi3GetFloat64(self.c, references.as_ptr(), references.len(), values.as_mut_ptr(), count) };
        (status, values)
    }

    pub fn get(&self, references: &[u32], count: usize) -> Vec<f64> {
        let (status, values) = self.try_get(references, count);
        assert_eq!(status, fmi3OK, "{}", self.take());
        values
    }

    pub fn directional(&self, unknowns: &[u32], knowns: &[u32], seed: &[f64], count: usize) -> (fmi3Status, Vec<f64>) {
        self.derivative(fmi3GetDirectionalDerivative, unknowns, knowns, seed, count)
    }

    pub fn adjoint(&self, unknowns: &[u32], knowns: &[u32], seed: &[f64], count: usize) -> (fmi3Status, Vec<f64>) {
        self.derivative(fmi3GetAdjointDerivative, unknowns, knowns, seed, count)
    }

    fn derivative(
        &self,
        function: Derivative,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        count: usize,
    ) -> (fmi3Status, Vec<f64>) {
        let mut values = vec![f64::NAN; count];
        // SAFETY: see above.
        let status = unsafe {
            function(
                self.c,
                unknowns.as_ptr(),
                unknowns.len(),
                knowns.as_ptr(),
                knowns.len(),
                seed.as_ptr(),
                seed.len(),
                values.as_mut_ptr(),
                count,
            )
        };
        (status, values)
    }

    pub fn get_state(&self) -> fmi3FMUState {
        let mut state = null_mut();
        // SAFETY: see above.
        assert_eq!(unsafe { fmi3GetFMUState(self.c, &mut state) }, fmi3OK);
        state
    }

    pub fn free_state(&self, mut state: fmi3FMUState) {
        // SAFETY: see above.
        assert_eq!(unsafe { fmi3FreeFMUState(self.c, &mut state) }, fmi3OK);
        assert!(state.is_null());
    }
}

type Derivative = unsafe extern "C" fn(
    fmi3Instance,
    *const u32,
    usize,
    *const u32,
    usize,
    *const f64,
    usize,
    *mut f64,
    usize,
) -> fmi3Status;

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: the instance is used no more; the environment came from `Box::into_raw`.
        unsafe {
            fmi3FreeInstance(self.c);
            drop(Box::from_raw(self.environment));
        }
    }
}
