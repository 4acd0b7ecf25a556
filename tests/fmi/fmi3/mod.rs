//! An instance that is driven through the functions of FMI 3.0, and the tests of these.

pub mod call_order;
mod rules;

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};

use crate::support::Resources;
use ballesta::fmi::exports::*;
pub use ballesta::fmi::types::fmi3Status::*;
use ballesta::fmi::types::*;

/// What the logger collected, one line per message: `status|category|message`.
type Messages = RefCell<String>;

/// The logger; the environment is a [`Messages`].
unsafe extern "C" fn collect(
    environment: fmi3InstanceEnvironment,
    status: fmi3Status,
    category: fmi3String,
    message: fmi3String,
) {
    // SAFETY: the environment lives as long as the instance that logs, and strings end with a zero.
    let (messages, category, message) =
        unsafe { (&*environment.cast::<Messages>(), CStr::from_ptr(category), CStr::from_ptr(message)) };
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
}

/// An instance, freed when dropped.
pub struct Instance {
    pub c: fmi3Instance,
    messages: *mut Messages,
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
        let messages: *mut Messages = Box::into_raw(Box::default());
        let [name, token, path] = [request.name, request.token, request.path].map(|text| CString::new(text).unwrap());
        // SAFETY: all strings live during the call, the messages as long as the instance.
        let c = unsafe {
            fmi3InstantiateCoSimulation(
                name.as_ptr(),
                token.as_ptr(),
                path.as_ptr(),
                fmi3False,
                request.logging.into(),
                request.event_mode.into(),
                fmi3True,
                null(),
                0,
                messages.cast::<c_void>(),
                Some(collect),
                None,
            )
        };
        let instance = Instance { c, messages };
        if c.is_null() { Err(instance.take()) } else { Ok(instance) }
    }

    /// An instance for Model Exchange.
    pub fn exchange(resources: &Resources) -> Instance {
        let messages: *mut Messages = Box::into_raw(Box::default());
        let path = format!("{}/", resources.path().display());
        let [name, token, path] = ["test", &resources.guid, &path].map(|text| CString::new(text).unwrap());
        // SAFETY: all strings live during the call, the messages as long as the instance.
        let c = unsafe {
            let environment = messages.cast::<c_void>();
            let (name, token, path) = (name.as_ptr(), token.as_ptr(), path.as_ptr());
            fmi3InstantiateModelExchange(name, token, path, fmi3False, fmi3True, environment, Some(collect))
        };
        let instance = Instance { c, messages };
        assert!(!c.is_null(), "{}", instance.take());
        instance
    }

    pub fn new(resources: &Resources) -> Instance {
        let path = format!("{}/", resources.path().display());
        let request = Request { name: "test", token: &resources.guid, path: &path, logging: true, event_mode: false };
        Instance::try_new(&request).unwrap_or_else(|log| panic!("{log}"))
    }

    pub fn initialized(resources: &Resources) -> Instance {
        let instance = Instance::new(resources);
        instance.initialize();
        instance
    }

    /// Everything that was logged since the last call of this.
    pub fn take(&self) -> String {
        // SAFETY: the messages live as long as `self`.
        unsafe { (*self.messages).take() }
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
        // SAFETY: the instance is used no more; the messages came from `Box::into_raw`.
        unsafe {
            fmi3FreeInstance(self.c);
            drop(Box::from_raw(self.messages));
        }
    }
}
