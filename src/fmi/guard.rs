//! The one boundary between C and the instance.
//!
//! Every exported function that takes an instance goes through [`guard`], which
//! 1. sets the default floating-point environment, and restores the environment of the host in the end
//!    ([`super::environment`]);
//! 2. rejects NULL, and an instance with an active call (a logger that calls back, a second thread);
//! 3. checks the call order against the table of the standard in [`super::states`];
//! 4. runs the body and catches a panic, which must not unwind into C;
//! 5. derives the status from the body's result, logs the reason if it is not OK, and changes the instance's state.
//!
//! Functions that make or free an instance use [`create`] and [`free`], which do the first step too. The functions that
//! remain return constant texts.
//!
//! Status and state: a warning and a discarded call keep the state that the body set. **Every error leads to the error
//! state**, as the standards have it ("the simulation cannot be continued with this FMU instance"); Reset, SetFMUState
//! and FreeInstance lead out of it. A panic is an error too, because Reset and SetFMUState overwrite all memory that it
//! may have left half written. A panic inside one of these two is the only fatal error. It concerns this instance only,
//! because instances share nothing. Afterwards every function returns fmi2Fatal or fmi3Fatal without reading the
//! instance.
//!
//! **Calls within a call.** [`Entry::let_in`] gives a callback of the importer temporary access to the instance, in the
//! state [`State::IntermediateUpdate`]. A call that is rejected or fails there has changed nothing and does not affect
//! the step around it. If another thread is still inside the instance when the callback returns, the instance is lost:
//! every later call is rejected, and the instance is never freed.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, Ordering};

use super::environment::{Environment, in_default};
use super::instance::Instance;
use super::states::{Function, Kind, State};
use super::status::{Problem, Status};

/// No call is active.
const FREE: u8 = 0;
/// A call is active.
const ENTERED: u8 = 1;
/// A call is active and has let other calls in.
const OPEN: u8 = 2;
/// One of these other calls is active.
const VISITED: u8 = 3;
/// The outer call has found another call active when its callback returned: no further call may enter.
const LOST: u8 = 4;

/// The target of fmi2Component and fmi3Instance: an instance, and the calls active in it, one of the constants above.
pub struct Component {
    inside: AtomicU8,
    instance: UnsafeCell<Box<Instance>>,
}

impl Component {
    /// The pointer to an instance that the importer keeps.
    pub(crate) fn into_raw(instance: Box<Instance>) -> *mut c_void {
        let component = Component { inside: AtomicU8::new(FREE), instance: UnsafeCell::new(instance) };
        Box::into_raw(Box::new(component)).cast()
    }

    /// Exclusive access until the entry is dropped; `None` while another call is inside. Never waits.
    fn enter(&self) -> Option<Entry<'_>> {
        // Lazily: an entry that is built and dropped would mark the instance as free.
        let entered = |from, to| self.pass(from, to).then(|| Entry { component: self, from, inside: to });
        entered(FREE, ENTERED).or_else(|| entered(OPEN, VISITED))
    }

    /// Changes from one of the constants above to another; returns `false` without a change if the present one is not
    /// `from`.
    fn pass(&self, from: u8, to: u8) -> bool {
        self.inside.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// Exclusive access to an instance.
pub(crate) struct Entry<'a> {
    component: &'a Component,
    /// The previous value of `Component::inside`, and its value during this access; the latter is `LOST` if the access
    /// has ended early.
    from: u8,
    inside: u8,
}

impl Entry<'_> {
    /// Whether another call has taken over the instance.
    pub(crate) fn is_lost(&self) -> bool {
        self.inside == LOST
    }

    /// Lets calls in while `callback` runs in the environment of the host, as described in the module documentation. An
    /// error ends the call around it.
    pub(crate) fn let_in(&mut self, callback: impl FnOnce()) -> Result<(), Problem> {
        let (state, inside, host) = (self.state(), self.inside, self.log().host());
        self.set_state(State::IntermediateUpdate);
        // The store has released it, so that the next caller sees the written data; nothing is borrowed here meanwhile.
        self.component.inside.store(OPEN, Ordering::Release);
        host.run(callback);
        if !self.component.pass(OPEN, inside) {
            self.inside = LOST;
            self.component.inside.store(LOST, Ordering::Release);
            return Err(Problem::fatal("another thread was calling the instance when an intermediate update ended"));
        }
        self.log.set_host(host);
        match self.state() {
            State::IntermediateUpdate => {
                self.set_state(state);
                Ok(())
            }
            _ => Err(Problem::error("a call during the intermediate update failed; see the previous message")),
        }
    }
}

impl Deref for Entry<'_> {
    type Target = Instance;
    fn deref(&self) -> &Instance {
        assert!(!self.is_lost());
        // SAFETY: `enter` alone makes an entry, from FREE or OPEN, and no other one until this is dropped or lets calls
        // in. While it does, it is borrowed as a whole; afterwards it has the instance back, or is lost, as was just
        // asked. So this is the only access.
        unsafe { &*self.component.instance.get() }
    }
}

impl DerefMut for Entry<'_> {
    fn deref_mut(&mut self) -> &mut Instance {
        assert!(!self.is_lost());
        // SAFETY: as in `deref`; `&mut self` makes it unique among the borrows of this entry.
        unsafe { &mut *self.component.instance.get() }
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        // Nothing happens if the entry around this one has lost the instance meanwhile.
        if !self.is_lost() {
            self.component.pass(self.inside, self.from);
        }
    }
}

/// Runs `body` on the instance behind `component`, as described in the module documentation.
///
/// # Safety
/// `component` is NULL or came from [`Component::into_raw`] and was not freed.
pub(crate) unsafe fn guard<F: Function>(
    component: *mut c_void,
    function: F,
    body: impl FnOnce(&mut Entry<'_>) -> Result<(), Problem>,
) -> Status {
    in_default(|host| {
        // SAFETY: the caller's promise; a `Component` is only ever reached through shared references.
        let Some(component) = (unsafe { component.cast::<Component>().as_ref() }) else { return Status::Error };
        let Some(mut entry) = component.enter() else { return Status::Error };
        entry.log.set_host(host);
        run(&mut entry, function, body)
    })
}

/// Runs `make`, which creates an instance for a call from the environment that it receives. Returns NULL if it panics.
pub(crate) fn create(make: impl FnOnce(Environment) -> *mut c_void) -> *mut c_void {
    in_default(|host| catch_unwind(AssertUnwindSafe(|| make(host))).unwrap_or(std::ptr::null_mut()))
}

/// Steps 3 to 5 of the module documentation.
fn run<F: Function>(
    entry: &mut Entry<'_>,
    function: F,
    body: impl FnOnce(&mut Entry<'_>) -> Result<(), Problem>,
) -> Status {
    let (state, kind) = (entry.state(), entry.kind());
    if state == State::Fatal {
        return Status::Fatal;
    }
    let (result, sound) = if function.is_legal_in(state, kind) {
        match catch_unwind(AssertUnwindSafe(|| body(entry))) {
            Ok(result) => (result, true),
            Err(_) => (Err(panicked(function)), false),
        }
    } else {
        (Err(out_of_order(function, state, kind)), true)
    };
    let Err(problem) = result else { return Status::Ok };
    if entry.is_lost() {
        return Status::Fatal;
    }
    match problem.status {
        Status::Error if state == State::IntermediateUpdate && sound => (),
        Status::Error => entry.set_state(State::Error),
        Status::Fatal => entry.set_state(State::Fatal),
        _ => (),
    }
    entry.log().send(problem.status, &format!("{}: {}", function.name(), problem.message));
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

/// Frees the instance behind `component`. NULL, an instance with an active call, and a corrupt one are not freed.
///
/// # Safety
/// As for [`guard`]; the pointer must not be used afterwards.
pub(crate) unsafe fn free<F: Function>(component: *mut c_void) {
    let pointer = component.cast::<Component>();
    in_default(|_| {
        // SAFETY: the caller's promise.
        let Some(component) = (unsafe { pointer.as_ref() }) else { return };
        let Some(instance) = component.enter() else { return };
        if !F::FREE.is_legal_in(instance.state(), instance.kind()) {
            return;
        }
        // The instance remains marked as busy, so no call can enter it any more.
        std::mem::forget(instance);
        // SAFETY: the pointer came from `Box::into_raw`, no call is inside, and the importer does not use it again.
        // Dropping plain data does not panic; if it did, the panic would end here.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(unsafe { Box::from_raw(pointer) })));
    });
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

    fn component() -> Component {
        Component { inside: AtomicU8::new(FREE), instance: UnsafeCell::new(instance()) }
    }

    fn check_bodies_of<F: Function>(functions: &[F], kind: Kind) {
        let component = component();
        let mut entry = component.enter().expect("free");
        entry.kind = kind;
        for &function in functions {
            for state in State::COLUMNS {
                entry.set_state(state);
                let mut ran = false;
                let status = run(&mut entry, function, |_| {
                    ran = true;
                    Ok(())
                });
                let legal = function.is_legal_in(state, kind);
                assert_eq!((ran, status == Status::Ok), (legal, legal), "{} in {state:?}", function.name());
                let stays = legal || state == State::IntermediateUpdate;
                assert_eq!(entry.state(), if stays { state } else { State::Error });
            }
        }
    }

    #[test]
    fn a_panic_is_an_error_and_in_the_ways_out_of_it_fatal() {
        let component = component();
        let mut entry = component.enter().expect("free");
        assert_eq!(run(&mut entry, fmi2::Function::SetReal, |_| panic!("on purpose")), Status::Error);
        assert_eq!(entry.state(), State::Error);
        assert_eq!(run(&mut entry, fmi2::Function::Reset, |_| panic!("on purpose")), Status::Fatal);
        for &function in fmi2::Function::ALL {
            let status = run(&mut entry, function, |_| unreachable!("the instance is corrupt"));
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

    /// The state after [`Entry::let_in`] if `call` is made meanwhile.
    fn after_letting_in(component: *mut c_void, call: impl FnOnce()) -> (Status, State) {
        let mut state = State::Fatal;
        // SAFETY: the tests below pass pointers from `into_raw`.
        let status = unsafe {
            guard(component, fmi3::Function::DoStep, |entry| {
                let done = entry.let_in(call);
                state = entry.state();
                done
            })
        };
        (status, state)
    }

    #[test]
    fn calls_that_are_let_in_cannot_harm_the_call_around_them_but_by_a_panic() {
        let component = Component::into_raw(instance());
        let get = fmi3::Function::GetFloat64;
        // SAFETY: the pointer comes from `into_raw` and is freed once, below, after the last use.
        unsafe {
            let moved = guard(component, fmi3::Function::SetDebugLogging, |entry| {
                entry.set_state(State::StepComplete);
                Ok(())
            });
            assert_eq!(moved, Status::Ok);
            let mut statuses = Vec::new();
            let after = after_letting_in(component, || {
                statuses.push(guard(component, get, |entry| {
                    assert_eq!(entry.state(), State::IntermediateUpdate);
                    // No third call can enter.
                    assert_eq!(guard(component, get, |_| Ok(())), Status::Error);
                    Ok(())
                }));
                statuses.push(guard(component, get, |_| Err(Problem::error("on purpose"))));
                statuses.push(guard(component, fmi3::Function::DoStep, |_| unreachable!("not legal")));
                free::<fmi3::Function>(component);
                statuses.push(guard(component, get, |_| Ok(())));
            });
            assert_eq!(statuses, [Status::Ok, Status::Error, Status::Error, Status::Ok]);
            assert_eq!(after, (Status::Ok, State::StepComplete));
            let after = after_letting_in(component, || {
                assert_eq!(guard(component, get, |_| panic!("on purpose")), Status::Error);
            });
            assert_eq!(after, (Status::Error, State::Error));
            free::<fmi3::Function>(component);
        }
    }

    #[test]
    fn who_stays_inside_beyond_the_callback_has_lost_the_instance_for_all() {
        let component = component();
        let mut outer = component.enter().expect("free");
        outer.set_state(State::StepComplete);
        let mut other = None;
        let let_in = outer.let_in(|| other = component.enter());
        assert!(let_in.is_err_and(|problem| problem.status == Status::Fatal) && outer.is_lost());
        assert!(catch_unwind(AssertUnwindSafe(|| outer.state())).is_err(), "it is not touched");
        assert_eq!(other.as_ref().map(|entry| entry.state()), Some(State::IntermediateUpdate));
        drop(other);
        assert!(component.enter().is_none());
        drop(outer);
        assert!(component.enter().is_none());
    }
}
