//! The library of an FMU through its C functions of Model Exchange: sequences of calls in arbitrary order, like calls
//! of a faulty integrator.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ptr::{null, null_mut};

use ballesta::fmi::exports::*;
use ballesta::fmi::types::*;

use super::fmu::{Arguments, MODELS, Resources, resources};
use super::mutation::Random;

/// Calls of one sequence.
const CALLS: usize = 48;
/// Stored states of one sequence.
const STATES: usize = 4;
/// Values that a call may return.
const ALLOWED_STATUSES: [fmi2Status; 4] =
    [fmi2Status::fmi2OK, fmi2Status::fmi2Warning, fmi2Status::fmi2Discard, fmi2Status::fmi2Error];

/// Instances kept between two inputs, one per model, with the bits of the first derivatives of a new one.
#[derive(Default)]
struct Idle(BTreeMap<usize, (fmi2Component, Vec<u64>)>);

impl Drop for Idle {
    fn drop(&mut self) {
        // SAFETY: no other owner has them.
        self.0.values().for_each(|(c, _)| unsafe { fmi2FreeInstance(*c) });
    }
}

thread_local! {
    static IDLE: RefCell<Idle> = RefCell::default();
}

/// An instance with the states that it has created.
struct Driven {
    c: fmi2Component,
    states: [fmi2FMUstate; STATES],
    resources: &'static Resources,
    time: f64,
}

// All code below satisfies the requirements of `ballesta::fmi::exports`: `c` is alive, arrays have the given length or
// are NULL, states were made by the library and are not freed twice.
impl Driven {
    /// After a reset, in continuous-time mode.
    fn start(&mut self) {
        self.time = 0.0;
        // SAFETY: see above.
        let statuses = unsafe {
            [
                fmi2Reset(self.c),
                fmi2SetupExperiment(self.c, fmi2False, 0.0, 0.0, fmi2False, 0.0),
                fmi2EnterInitializationMode(self.c),
                fmi2ExitInitializationMode(self.c),
                fmi2EnterContinuousTimeMode(self.c),
            ]
        };
        assert_eq!(statuses, [fmi2Status::fmi2OK; 5], "an FMU of the gallery starts");
    }

    fn x(&self) -> Option<Vec<f64>> {
        let mut x = vec![f64::NAN; self.resources.states];
        // SAFETY: see above.
        let status = unsafe { fmi2GetContinuousStates(self.c, x.as_mut_ptr(), x.len()) };
        (status == fmi2Status::fmi2OK).then_some(x)
    }

    fn set(&self, x: &[f64]) -> fmi2Status {
        // SAFETY: see above.
        unsafe { fmi2SetContinuousStates(self.c, x.as_ptr(), x.len()) }
    }

    /// Derivatives, checked to be finite if they are returned.
    fn derivatives(&self) -> Option<Vec<f64>> {
        let mut rates = vec![f64::NAN; self.resources.states];
        // SAFETY: see above.
        let status = unsafe { fmi2GetDerivatives(self.c, rates.as_mut_ptr(), rates.len()) };
        assert!(ALLOWED_STATUSES.contains(&status), "fmi2GetDerivatives: {status:?}");
        let known = status == fmi2Status::fmi2OK;
        assert!(!known || rates.iter().all(|rate| rate.is_finite()), "derivatives that are given: {rates:?}");
        known.then_some(rates)
    }

    fn first_bits(&mut self) -> Vec<u64> {
        self.start();
        let rates = self.derivatives().expect("derivatives at the start");
        rates.into_iter().map(f64::to_bits).collect()
    }

    fn call(&mut self, arguments: &mut Arguments) {
        let (function, form) = (arguments.byte() % 18, arguments.byte());
        let (slot, reference) = (form % STATES, form as u32 % self.resources.references.max(1));
        let (mut event, mut end, mut value) = (0, 0, 0.0);
        // SAFETY: see above.
        let status = unsafe {
            match function {
                0 => {
                    self.start();
                    fmi2Status::fmi2OK
                }
                1 | 2 => {
                    self.time += if form < 200 { 1e-3 } else { arguments.number() };
                    fmi2SetTime(self.c, self.time)
                }
                3 | 4 => {
                    let Some(mut x) = self.x() else { return };
                    let length = x.len();
                    for _ in 0..1 + form % 4 {
                        let at = arguments.byte() % length;
                        x[at] = if form < 128 { x[at] + 1e-3 * arguments.number() } else { arguments.number() };
                    }
                    self.set(&x)
                }
                5 | 6 => {
                    // A step of Euler's rule.
                    let (Some(mut x), Some(rates)) = (self.x(), self.derivatives()) else { return };
                    let h = if form < 200 { self.resources.step } else { arguments.number() };
                    x.iter_mut().zip(&rates).for_each(|(x, rate)| *x += h * rate);
                    self.set(&x)
                }
                7 => {
                    self.derivatives();
                    fmi2Status::fmi2OK
                }
                8 | 9 => fmi2CompletedIntegratorStep(self.c, fmi2True, &mut event, &mut end),
                10 => fmi2EnterEventMode(self.c),
                11 => fmi2EnterContinuousTimeMode(self.c),
                12 => fmi2GetReal(self.c, &reference, 1, &mut value),
                13 => fmi2SetReal(self.c, &reference, 1, &arguments.number()),
                14 => fmi2GetFMUstate(self.c, &mut self.states[slot]),
                15 => fmi2SetFMUstate(self.c, self.states[slot]),
                16 => fmi2GetEventIndicators(self.c, null_mut(), form % 2),
                _ => fmi2SetContinuousStates(self.c, null(), form),
            }
        };
        assert!(ALLOWED_STATUSES.contains(&status), "function {function}: {status:?}");
    }
}

/// A sequence of calls after a byte that selects the model; then a reset, after which the derivatives must equal the
/// derivatives of a new instance, bit for bit.
pub fn calls(bytes: &[u8]) {
    let Some((&model, rest)) = bytes.split_first() else { return };
    let model = model as usize % MODELS.len();
    let resources = resources(model);
    let (mut driven, anew) = match IDLE.with_borrow_mut(|idle| idle.0.remove(&model)) {
        Some((c, anew)) => (Driven { c, states: [null_mut(); STATES], resources, time: 0.0 }, anew),
        None => {
            let c = resources.instantiate(fmi2ModelExchange);
            assert!(!c.is_null(), "an FMU of the gallery is instantiated");
            let mut driven = Driven { c, states: [null_mut(); STATES], resources, time: 0.0 };
            let anew = driven.first_bits();
            (driven, anew)
        }
    };
    driven.start();
    let mut arguments = Arguments(rest);
    for _ in 0..CALLS {
        if arguments.0.is_empty() {
            break;
        }
        driven.call(&mut arguments);
    }
    // SAFETY: see above.
    driven.states.iter_mut().for_each(|state| unsafe { _ = fmi2FreeFMUstate(driven.c, state) });
    assert!(driven.first_bits() == anew, "derivatives after fmi2Reset are those of a new instance");
    IDLE.with_borrow_mut(|idle| idle.0.insert(model, (driven.c, anew)));
}

/// Initial inputs: steps with stored states between them, and random calls.
pub fn sequences() -> Vec<Vec<u8>> {
    let ordinary = |model: usize| {
        let mut bytes = vec![model as u8];
        (0..6).for_each(|slot| bytes.extend([5, 0, 1, 0, 7, 0, 8, 0, 14, slot, 3, 7, 1, 2, 12, 5, 15, slot]));
        bytes
    };
    let chance = |number: usize| {
        let mut random = Random(number as u64);
        (0..200).map(|_| random.bits() as u8).collect()
    };
    (0..MODELS.len()).map(ordinary).chain((0..24).map(chance)).collect()
}
