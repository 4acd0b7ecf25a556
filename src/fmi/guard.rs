//! The one boundary between C and the instance.
//!
//! Every exported function that takes an instance goes through [`guard`], which
//! 1. refuses NULL, and an instance that is already inside a call (a logger that calls back, a second thread);
//! 2. checks the call order against the table in [`super::states`];
//! 3. runs the body and catches a panic, which must not unwind into C;
//! 4. makes the status of what the body returned, logs why it is not fmi2OK, and moves the instance on.
//!
//! Status and state: fmi2Warning and fmi2Discard leave the state as the body left it. **Every fmi2Error leads to the
//! error state**, as the standard has it ("the simulation cannot be continued with this FMU instance"); fmi2Reset,
//! fmi2SetFMUstate and fmi2FreeInstance lead out of it. A panic is an fmi2Error too, because fmi2Reset and
//! fmi2SetFMUstate overwrite all memory that it may have left half written. A panic inside one of these two leaves no
//! such way out: that is the only fmi2Fatal, it concerns this instance only (instances share nothing), and afterwards
//! every function returns fmi2Fatal without looking at the instance.

use std::borrow::Cow;
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use super::instance::Instance;
use super::states::{Function, State};
use super::types::{fmi2Component, fmi2Status};

/// Why a function does not return fmi2OK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What it returns instead.
    pub status: fmi2Status,
    /// What the logger is told.
    pub message: Cow<'static, str>,
}

impl Problem {
    /// The call failed.
    pub fn error(message: impl Into<Cow<'static, str>>) -> Problem {
        Problem { status: fmi2Status::fmi2Error, message: message.into() }
    }
    /// The step was done in part, or the status is not available.
    pub fn discard(message: impl Into<Cow<'static, str>>) -> Problem {
        Problem { status: fmi2Status::fmi2Discard, message: message.into() }
    }
    /// The call was done and deserves a remark.
    pub fn warning(message: impl Into<Cow<'static, str>>) -> Problem {
        Problem { status: fmi2Status::fmi2Warning, message: message.into() }
    }
}

/// What fmi2Component points to: an instance, and whether a call is inside it.
pub struct Component {
    busy: AtomicBool,
    instance: UnsafeCell<Instance>,
}

impl Component {
    /// Moves an instance to the heap and returns the pointer that the importer keeps.
    pub fn into_raw(instance: Instance) -> fmi2Component {
        let component = Component { busy: AtomicBool::new(false), instance: UnsafeCell::new(instance) };
        Box::into_raw(Box::new(component)).cast()
    }

    /// Exclusive access until the entry is dropped; `None` while another call is inside. Never waits.
    fn enter(&self) -> Option<Entry<'_>> {
        // Lazily: an entry that is built and thrown away would mark the instance as free.
        (!self.busy.swap(true, Ordering::Acquire)).then(|| Entry { component: self })
    }
}

/// Exclusive access to an instance.
struct Entry<'a> {
    component: &'a Component,
}

impl Deref for Entry<'_> {
    type Target = Instance;
    fn deref(&self) -> &Instance {
        // SAFETY: `busy` was false and is true until this entry is dropped, so this is the only access.
        unsafe { &*self.component.instance.get() }
    }
}

impl DerefMut for Entry<'_> {
    fn deref_mut(&mut self) -> &mut Instance {
        // SAFETY: as in `deref`; `&mut self` makes it unique among the borrows of this entry.
        unsafe { &mut *self.component.instance.get() }
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.component.busy.store(false, Ordering::Release);
    }
}

/// Runs `body` on the instance behind `component`, as the module's page describes.
///
/// # Safety
/// `component` is NULL or came from [`Component::into_raw`] and was not freed.
pub unsafe fn guard(
    component: fmi2Component,
    function: Function,
    body: impl FnOnce(&mut Instance) -> Result<(), Problem>,
) -> fmi2Status {
    // SAFETY: the caller's promise; a `Component` is only ever reached through shared references.
    let Some(component) = (unsafe { component.cast::<Component>().as_ref() }) else { return fmi2Status::fmi2Error };
    let Some(mut instance) = component.enter() else { return fmi2Status::fmi2Error };
    run(&mut instance, function, body)
}

/// Steps 2 to 4 of the module's page.
fn run(
    instance: &mut Instance,
    function: Function,
    body: impl FnOnce(&mut Instance) -> Result<(), Problem>,
) -> fmi2Status {
    let state = instance.state();
    if state == State::Fatal {
        return fmi2Status::fmi2Fatal;
    }
    let result = if function.is_legal_in(state) {
        catch_unwind(AssertUnwindSafe(|| body(instance))).unwrap_or_else(|_| Err(panicked(function)))
    } else {
        Err(out_of_order(function, state))
    };
    let Err(problem) = result else { return fmi2Status::fmi2OK };
    match problem.status {
        fmi2Status::fmi2Error => instance.set_state(State::Error),
        fmi2Status::fmi2Fatal => instance.set_state(State::Fatal),
        _ => (),
    }
    instance.log().send(problem.status, &format!("{}: {}", function.name(), problem.message));
    problem.status
}

fn out_of_order(function: Function, state: State) -> Problem {
    Problem::error(if function.is_model_exchange() {
        "this FMU is for Co-Simulation; functions of Model Exchange cannot be called".to_string()
    } else {
        format!("must not be called while the instance is {}", state.describe())
    })
}

fn panicked(function: Function) -> Problem {
    let recovery = matches!(function, Function::Reset | Function::SetFMUstate);
    Problem {
        status: if recovery { fmi2Status::fmi2Fatal } else { fmi2Status::fmi2Error },
        message: "internal error (panic); please report it with the model".into(),
    }
}

/// Frees the instance behind `component`; NULL, an instance that a call is inside of, and a corrupt one are left alone.
///
/// # Safety
/// As for [`guard`]; the pointer must not be used afterwards.
pub unsafe fn free(component: fmi2Component) {
    let pointer = component.cast::<Component>();
    // SAFETY: the caller's promise.
    let Some(component) = (unsafe { pointer.as_ref() }) else { return };
    let Some(instance) = component.enter() else { return };
    if !Function::FreeInstance.is_legal_in(instance.state()) {
        return;
    }
    // The instance stays marked as busy, so nothing enters it any more.
    std::mem::forget(instance);
    // SAFETY: the pointer came from `Box::into_raw`, no call is inside, and the importer does not use it again.
    // Dropping plain data does not panic; if it did, the panic would end here.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(unsafe { Box::from_raw(pointer) })));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fmi::instance::tests::instance;

    #[test]
    fn null_is_an_error() {
        // SAFETY: NULL is allowed.
        let status = unsafe { guard(std::ptr::null_mut(), Function::Reset, |_| Ok(())) };
        assert_eq!(status, fmi2Status::fmi2Error);
        // SAFETY: NULL is allowed.
        unsafe { free(std::ptr::null_mut()) };
    }

    #[test]
    fn the_body_runs_in_exactly_the_legal_states() {
        let mut instance = instance();
        for &function in Function::ALL {
            for state in State::COLUMNS {
                instance.set_state(state);
                let mut ran = false;
                let status = run(&mut instance, function, |_| {
                    ran = true;
                    Ok(())
                });
                let legal = function.is_legal_in(state);
                assert_eq!((ran, status == fmi2Status::fmi2OK), (legal, legal), "{} in {state:?}", function.name());
                assert_eq!(instance.state(), if legal { state } else { State::Error });
            }
        }
    }

    #[test]
    fn a_panic_is_an_error_and_in_the_ways_out_of_it_fatal() {
        let mut instance = instance();
        assert_eq!(run(&mut instance, Function::SetReal, |_| panic!("on purpose")), fmi2Status::fmi2Error);
        assert_eq!(instance.state(), State::Error);
        assert_eq!(run(&mut instance, Function::Reset, |_| panic!("on purpose")), fmi2Status::fmi2Fatal);
        for &function in Function::ALL {
            let status = run(&mut instance, function, |_| unreachable!("the instance is corrupt"));
            assert_eq!(status, fmi2Status::fmi2Fatal);
        }
    }

    #[test]
    fn an_instance_is_not_entered_twice() {
        let component = Component::into_raw(instance());
        // SAFETY: the pointer comes from `into_raw` and is freed once, below, after the last use.
        unsafe {
            let status = guard(component, Function::Reset, |_| {
                assert_eq!(guard(component, Function::Reset, |_| Ok(())), fmi2Status::fmi2Error);
                free(component);
                Ok(())
            });
            assert_eq!(status, fmi2Status::fmi2OK);
            assert_eq!(guard(component, Function::Reset, |_| Ok(())), fmi2Status::fmi2OK);
            free(component);
        }
    }
}
