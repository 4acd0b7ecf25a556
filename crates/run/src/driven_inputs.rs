//! Inputs over time between two communication points: one rule for every command that has such inputs.
//!
//! Rule. At every communication point an input has the value of its table. If its table has no row between two
//! communication points, it follows the straight line to the next one. An FMU computes the same bits if its host sets
//! inputs and their derivatives. With rows in between, the input is read at the ends of the internal steps and is
//! linear between them. An internal step ends at a jump (two rows at one time). The next step covers the rest, so a
//! jump costs one extra step.
//!
//! Tolerance. Times of files are decimal, times of points are multiples: both are rounded. A jump within
//! [`TOLERANCE`] of a step from a point is at that point.
//!
//! Limits. Rows within an internal step are skipped, except jumps. A run with such rows is reported as questionable
//! ([`super::inputs::Inputs::closest`]). `generalized_alpha` and `augmented_lagrangian` answer a jump as if the input
//! had risen over the step after it ([`ballesta::integrate`]).
//!
//! Verified by: crates/run/tests/run/driven_inputs.rs.

use ballesta::simulate::{InternalSteps, Simulator};
use ballesta::system::Fault;

/// Distance of a jump from a point, as a fraction of the internal step, within which it is at the point. The tolerance
/// is larger than the rounding of both times and smaller than the resolution of a step.
const TOLERANCE: f64 = 1e-9;
/// [`TOLERANCE`] for schemes that compute accelerations from positions: round-off grows with the inverse square of the
/// step.
const INDEX_3_TOLERANCE: f64 = 1e-2;
/// Largest tolerance as a fraction of the interval.
const MAX_PART: f64 = 0.1;
/// Relative rounding error of a time.
const TIME_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Inputs over time.
pub trait DrivenInputs {
    /// Calls `visit(index, value, slope)` for every input: its value at `begin`, after a jump there, and the slope of
    /// the straight line to its value at `end`, before a jump there. A jump within `tolerance` of a time, s, is at
    /// that time.
    fn visit(&self, begin: f64, end: f64, tolerance: f64, visit: &mut dyn FnMut(usize, f64, f64));
    /// Time of the first row after `begin` and before `end`.
    fn next_row(&self, begin: f64, end: f64) -> Option<f64>;
    /// Time of the first jump after `begin` and before `end`.
    fn next_jump(&self, begin: f64, end: f64) -> Option<f64>;
}

/// Largest distance of a time from a jump at which it counts as at the jump, for `simulator` around `time`, s.
pub fn tolerance(simulator: &Simulator, time: f64) -> f64 {
    let system = simulator.system();
    let fraction = if system.integrator().scheme().index_3 { INDEX_3_TOLERANCE } else { TOLERANCE };
    (fraction * system.step()).max(TIME_ROUNDING * time.abs())
}

/// Makes one internal step that ends at the given time at the latest; returns `false` if there was no step left.
pub type Stepper<'a> = &'a mut dyn FnMut(&mut Simulator, &mut InternalSteps, f64) -> Result<bool, Fault>;

/// Integrates to `end`, s, with these inputs, by [`Simulator::make_step_until`].
pub fn advance(simulator: &mut Simulator, inputs: &dyn DrivenInputs, end: f64) -> Result<(), Fault> {
    advance_by(simulator, inputs, end, &mut |simulator, steps, until| simulator.make_step_until(steps, until))
}

/// As [`advance`], with another function that makes a step.
pub fn advance_by(
    simulator: &mut Simulator,
    inputs: &dyn DrivenInputs,
    end: f64,
    make_step: Stepper,
) -> Result<(), Fault> {
    // Shorter than the interval, which may itself be shorter than a step.
    let near = tolerance(simulator, end).min(MAX_PART * (end - simulator.time()));
    let straight = inputs.next_row(simulator.time() + near, end - near).is_none();
    if straight {
        set(simulator, inputs, end, near);
    }
    let mut steps = simulator.internal_steps(end)?;
    loop {
        let mut until = f64::INFINITY;
        if let Some(step_end) = steps.next_end().filter(|_| !straight) {
            until = inputs.next_jump(simulator.time() + near, step_end - near).unwrap_or(step_end);
            set(simulator, inputs, until, near);
        }
        if !make_step(simulator, &mut steps, until)? {
            return Ok(());
        }
    }
}

/// Sets all inputs at the present time, with the slopes that lead to their values at `end`, s.
fn set(simulator: &mut Simulator, inputs: &dyn DrivenInputs, end: f64, tolerance: f64) {
    inputs.visit(simulator.time(), end, tolerance, &mut |index, value, slope| {
        simulator.set_input(index, value);
        simulator.set_input_derivative(index, slope);
    });
}
