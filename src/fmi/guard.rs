//! The one boundary between C and the instance.
//!
//! Every exported function that takes an instance goes through [`guard`], which
//! 1. refuses NULL, and an instance that is already inside a call (a logger that calls back, a second thread);
//! 2. checks the call order against the table of the standard in [`super::states`];
//! 3. runs the body and catches a panic, which must not unwind into C;
//! 4. makes the status of what the body returned, logs why it is not OK, and moves the instance on.
//!
//! Status and state: a warning and a discarded call leave the state as the body left it. **Every error leads to the
//! error state**, as the standards have it ("the simulation cannot be continued with this FMU instance"); Reset,
//! SetFMUState and FreeInstance lead out of it. A panic is an error too, because Reset and
//! SetFMUState overwrite all memory that it may have left half written. A panic inside one of these two leaves no
//! such way out: that is the only fatal error, it concerns this instance only (instances share nothing), and afterwards
//! every function returns fmi2Fatal or fmi3Fatal without looking at the instance.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use super::instance::Instance;
use super::states::{Function, Kind, State};
use super::status::{Problem, Status};

/// What fmi2Component and fmi3Instance point to: an instance, and whether a call is inside it.
pub struct Component {
    busy: AtomicBool,
    instance: UnsafeCell<Instance>,
}

impl Component {
    /// Moves an instance to the heap and returns the pointer that the importer keeps.
    pub fn into_raw(instance: Instance) -> *mut c_void {
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
pub unsafe fn guard<F: Function>(
    component: *mut c_void,
    function: F,
    body: impl FnOnce(&mut Instance) -> Result<(), Problem>,
) -> Status {
    // SAFETY: the caller's promise; a `Component` is only ever reached through shared references.
    let Some(component) = (unsafe { component.cast::<Component>().as_ref() }) else { return Status::Error };
    let Some(mut instance) = component.enter() else { return Status::Error };
    run(&mut instance, function, body)
}

/// Steps 2 to 4 of the module's page.
fn run<F: Function>(
    instance: &mut Instance,
    function: F,
    body: impl FnOnce(&mut Instance) -> Result<(), Problem>,
) -> Status {
    let state = instance.state();
    if state == State::Fatal {
        return Status::Fatal;
    }
    let result = if function.is_legal_in(state, instance.kind()) {
        catch_unwind(AssertUnwindSafe(|| body(instance))).unwrap_or_else(|_| Err(panicked(function)))
    } else {
        Err(out_of_order(function, state, instance.kind()))
    };
    let Err(problem) = result else { return Status::Ok };
    match problem.status {
        Status::Error => instance.set_state(State::Error),
        Status::Fatal => instance.set_state(State::Fatal),
        _ => (),
    }
    instance.log().send(problem.status, &format!("{}: {}", function.name(), problem.message));
    problem.status
}

fn out_of_order<F: Function>(function: F, state: State, kind: Kind) -> Problem {
    Problem::error(match function.missing(kind) {
        Some(what) => what.to_string(),
        None => format!("must not be called while the instance is {}", state.describe()),
    })
}

fn panicked<F: Function>(function: F) -> Problem {
    Problem {
        status: if function.overwrites_all() { Status::Fatal } else { Status::Error },
        message: "internal error (panic); please report it with the model".into(),
    }
}

/// Frees the instance behind `component`; NULL, an instance that a call is inside of, and a corrupt one are left alone.
///
/// # Safety
/// As for [`guard`]; the pointer must not be used afterwards.
pub unsafe fn free<F: Function>(component: *mut c_void) {
    let pointer = component.cast::<Component>();
    // SAFETY: the caller's promise.
    let Some(component) = (unsafe { pointer.as_ref() }) else { return };
    let Some(instance) = component.enter() else { return };
    if !F::FREE.is_legal_in(instance.state(), instance.kind()) {
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
    use crate::fmi::states::{fmi2, fmi3};

    #[test]
    fn null_is_an_error() {
        // SAFETY: NULL is allowed.
        let status = unsafe { guard(std::ptr::null_mut(), fmi2::Function::Reset, |_| Ok(())) };
        assert_eq!(status, Status::Error);
        // SAFETY: NULL is allowed.
        unsafe { free::<fmi2::Function>(std::ptr::null_mut()) };
    }

    #[test]
    fn the_body_runs_in_exactly_the_legal_states() {
        check_bodies(fmi2::Function::ALL);
        check_bodies(fmi3::Function::ALL);
    }

    fn check_bodies<F: Function>(functions: &[F]) {
        for kind in Kind::ALL {
            check_bodies_of(functions, kind);
        }
    }

    fn check_bodies_of<F: Function>(functions: &[F], kind: Kind) {
        let mut instance = instance();
        instance.kind = kind;
        for &function in functions {
            for state in State::COLUMNS {
                instance.set_state(state);
                let mut ran = false;
                let status = run(&mut instance, function, |_| {
                    ran = true;
                    Ok(())
                });
                let legal = function.is_legal_in(state, kind);
                assert_eq!((ran, status == Status::Ok), (legal, legal), "{} in {state:?}", function.name());
                assert_eq!(instance.state(), if legal { state } else { State::Error });
            }
        }
    }

    #[test]
    fn a_panic_is_an_error_and_in_the_ways_out_of_it_fatal() {
        let mut instance = instance();
        assert_eq!(run(&mut instance, fmi2::Function::SetReal, |_| panic!("on purpose")), Status::Error);
        assert_eq!(instance.state(), State::Error);
        assert_eq!(run(&mut instance, fmi2::Function::Reset, |_| panic!("on purpose")), Status::Fatal);
        for &function in fmi2::Function::ALL {
            let status = run(&mut instance, function, |_| unreachable!("the instance is corrupt"));
            assert_eq!(status, Status::Fatal);
        }
    }

    #[test]
    fn an_instance_is_not_entered_twice() {
        let component = Component::into_raw(instance());
        // SAFETY: the pointer comes from `into_raw` and is freed once, below, after the last use.
        unsafe {
            let status = guard(component, fmi2::Function::Reset, |_| {
                assert_eq!(guard(component, fmi2::Function::Reset, |_| Ok(())), Status::Error);
                free::<fmi2::Function>(component);
                Ok(())
            });
            assert_eq!(status, Status::Ok);
            assert_eq!(guard(component, fmi2::Function::Reset, |_| Ok(())), Status::Ok);
            free::<fmi2::Function>(component);
        }
    }
}
