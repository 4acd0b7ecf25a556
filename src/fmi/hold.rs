//! The hold mode, for rigs that must not stop: after a fault the outputs keep their values, and the host continues.
//!
//! An FMU has the mode if its archive contains [`HOLD_MODE_FILE`], which the exporter writes on request. Then it has
//! two more variables, after all others: the fixed parameter [`HOLD_ON_FAULT`], false by default, and the output
//! [`FAULT`].
//!
//! **Fault.** With the parameter true, faults of the *motion* and of the *inputs* are held: faults that would otherwise
//! discard a step, and an input that is not finite. The call then returns OK, `fault` is true, and the importer gets
//! one message. The outputs keep their values of the last communication point. An internal step in between may belong
//! to a motion that already diverges, and would be a jump for the rig. With the parameter false, `fault` is true after
//! a discarded step.
//!
//! **Afterwards** nothing is computed any more. A step checks its arguments and advances the time; states are held, and
//! all derivatives are zero. `fault` remains true for all inputs until the importer resets the instance or restores an
//! earlier state. The hold is part of stored states.
//! **Not held**: wrong arguments of the importer (times, step sizes, calls out of order), faults of the initialization,
//! where there is nothing to hold yet, and a panic. They are errors, as without the mode.
//!
//! **Model Exchange.** The first evaluation that fails begins the hold, also one that the integrator only tries: the
//! mode is meant for integrators with a fixed step.
//!
//! **Real time.** The step that meets the fault costs at most an ordinary step and the message, which is written into
//! memory on the stack ([`super::log::Log::send_bounded`]). A later step costs next to nothing. None allocates.
//!
//! Proof: `tests/fmi/hold.rs`.

use std::fmt::{self, Display, Formatter};

use super::instance::{Instance, ends_the_run};
use super::status::Problem;
use super::variables::Binding;
use crate::system::{Fault, ScalarKind, System};

/// Name of the parameter that switches the mode on.
pub const HOLD_ON_FAULT: &str = "hold_on_fault";
/// Name of the output that indicates a fault.
pub const FAULT: &str = "fault";

/// File of the resource folder that gives an FMU the hold mode; its content is ignored.
pub const HOLD_MODE_FILE: &str = "hold_mode.txt";

/// Causes of a hold.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cause {
    /// A fault of the solver.
    Fault(Fault),
    /// The slope of an input is not finite.
    Slope(usize),
    /// Model Exchange: the importer sets a state that is not finite.
    State(usize),
    /// Model Exchange: a body turned too far in an integrator step to count its turns.
    Turned(usize),
}

impl Cause {
    /// Whether the hold mode masks it.
    fn is_held(&self) -> bool {
        match self {
            Cause::Slope(_) | Cause::State(_) | Cause::Turned(_) => true,
            Cause::Fault(fault) => ends_the_run(fault) || matches!(fault, Fault::BadInput { .. }),
        }
    }
}

/// A cause in words.
struct Words<'a>(&'a System, Cause);

impl Display for Words<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Words(system, cause) = self;
        let interface = system.interface();
        match *cause {
            Cause::Fault(fault) => system.described(fault).fmt(f),
            Cause::Slope(input) => write!(f, "the slope of input `{}` is not finite", interface.inputs[input].name),
            Cause::State(state) => {
                write!(f, "the importer set `{}` to a value that is not finite", interface.states[state].name)
            }
            Cause::Turned(body) => {
                write!(
                    f,
                    "`{}` rotated too far in one integrator step to count its revolutions",
                    system.bodies[body].name
                )
            }
        }
    }
}

impl Instance {
    /// Whether this FMU has the mode.
    pub(super) fn has_hold_mode(&self) -> bool {
        self.simulator.system().interface().hold_mode
    }

    /// Whether there was a fault, so that the outputs are held.
    pub(super) fn is_held(&self) -> bool {
        self.memory.held.is_some()
    }

    /// Value of the output [`FAULT`].
    pub(super) fn has_fault(&self) -> bool {
        self.is_held() || self.memory.terminated
    }

    /// Begins a hold at `time`, s, if the mode is on and masks the cause; otherwise nothing happens.
    pub(super) fn hold(&mut self, cause: Cause, time: f64) -> bool {
        // In initialization mode there is nothing to hold yet, and after the end the simulation does not continue.
        if !self.memory.hold_on_fault || !cause.is_held() || !self.memory.state.is_initialized() {
            return false;
        }
        self.memory.held = Some(time);
        // The outputs keep their values of the last communication point, and the derivatives are zero from now on.
        self.memory.outputs_known = true;
        self.derivatives.known = false;
        let words = Words(self.simulator.system(), cause);
        self.log.send_bounded(&format_args!("{words}; all outputs are held from now on, and `{FAULT}` is true"));
        true
    }

    /// Whether the outputs are held. In the hold mode, an input or a slope that is not finite begins the hold.
    pub(super) fn is_held_with_inputs(&mut self) -> bool {
        if self.is_held() || !self.memory.hold_on_fault {
            return self.is_held();
        }
        let bad = |values: &[f64]| values.iter().position(|value| !value.is_finite());
        let (settings, time) = (&self.memory.settings, self.time());
        let of_value = |input: usize| Cause::Fault(Fault::BadInput { input: input as u32, time });
        let cause = bad(&settings.inputs).map(of_value).or_else(|| bad(&settings.slopes).map(Cause::Slope));
        cause.is_some_and(|cause| self.hold(cause, time))
    }

    /// fmi2SetBoolean and fmi3SetBoolean: only the parameter [`HOLD_ON_FAULT`] can be set.
    pub(crate) fn set_truths<T>(
        &mut self,
        references: &[u32],
        values: &[T],
        is_true: impl Fn(&T) -> bool,
    ) -> Result<(), Problem> {
        // An FMU without hold mode has no Boolean parameters.
        if !self.has_hold_mode() {
            return self.set_none(references, "Boolean");
        }
        // All variables are validated before the value changes.
        let mut remark = Ok(());
        for (&reference, value) in references.iter().zip(values) {
            let variable = self.variable(reference, ScalarKind::Boolean)?;
            if variable.binding != Binding::HoldOnFault {
                let (name, causality) = (&variable.name, variable.causality.as_str());
                return Err(Problem::error(format!("'{name}' cannot be set: its causality is {causality}")));
            }
            // The parameter is fixed after initialization; the same value again is harmless.
            if self.memory.state.is_initialized() {
                if is_true(value) != self.memory.hold_on_fault {
                    return Err(Problem::error(format!(
                        "fixed parameter '{HOLD_ON_FAULT}' cannot be set after the initialization mode"
                    )));
                }
                remark = Err(Problem::warning(format!(
                    "fixed parameter '{HOLD_ON_FAULT}' was set after initialization, to the value that it already has"
                )));
            }
        }
        // The last of repeated references counts.
        if let Some(value) = values.last().filter(|_| !self.memory.state.is_initialized() && !references.is_empty()) {
            self.memory.hold_on_fault = is_true(value);
        }
        remark
    }
}
