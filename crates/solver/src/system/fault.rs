//! Reasons why a step failed.

use core::fmt;

/// A step or an evaluation failed. `Copy`, without heap: the name of the loop or joint is looked up by
/// [`super::System::describe`] outside the real-time path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// Block `block` of loops could not be closed within the bounded iterations; `gap` in m is what remained.
    LoopOpen { block: u32, gap: f64, time: f64 },
    /// At the start the speeds of prescribed coordinates open loops of block `block` at `rate` m/s.
    SpeedsContradict { block: u32, rate: f64, time: f64 },
    /// Block `block` of loops is in a singular position, where derivatives do not exist.
    Singular { block: u32, time: f64 },
    /// The motion of joint `joint` has no inertia: the reduced mass matrix has no positive pivot there.
    NoInertia { joint: u32, time: f64 },
    /// A coordinate of joint `joint` became infinite or NaN.
    NotFinite { joint: u32, time: f64 },
    /// The iteration of an implicit step did not converge: the last change moved velocity coordinate `coordinate` most,
    /// by `change` in m, and a gap of `gap` in m remained.
    NotConverged { coordinate: u32, change: f64, gap: f64, time: f64 },
    /// Joint `joint` moved beyond an end of its curve.
    BeyondCurve { joint: u32, time: f64 },
    /// Auxiliary state `state` (see [`super::State::auxiliary`]) became infinite or NaN.
    StateNotFinite { state: u32, time: f64 },
    /// Output `output` (component) is infinite or NaN although the coordinates are finite.
    OutputNotFinite { output: u32, time: f64 },
    /// Input `input` is infinite or NaN.
    BadInput { input: u32, time: f64 },
    /// The requested end time is before the present time, or is not finite.
    BadTime { asked: f64, time: f64 },
    /// More internal steps requested at once than allowed; no step was made.
    TooManySteps { steps: f64, time: f64 },
    /// The start could not be trimmed: `left` (N or N m) along velocity coordinate `coordinate`, if there is one.
    NotTrimmed { coordinate: Option<u32>, left: f64, time: f64 },
    /// No static deformation was found for the modes of a body, of which `coordinate` is a velocity coordinate.
    NotDeformed { coordinate: u32, time: f64 },
}

impl Fault {
    /// This fault with the time `t` of the stage, s: the code that detects it does not have the time.
    pub(crate) fn at(mut self, t: f64) -> Fault {
        if let Fault::LoopOpen { time, .. }
        | Fault::NoInertia { time, .. }
        | Fault::NotFinite { time, .. }
        | Fault::NotConverged { time, .. } = &mut self
        {
            *time = t;
        }
        self
    }
}

impl fmt::Display for Fault {
    #[expect(clippy::disallowed_macros, reason = "text of a fault, after the step")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::LoopOpen { block, gap, time } => {
                write!(f, "loop block {block} could not be closed at t = {time} s (gap {gap:.3e} m)")
            }
            Fault::SpeedsContradict { block, rate, time } => {
                write!(f, "prescribed speeds are inconsistent in loop block {block} at t = {time} s ({rate:.3e} m/s)")
            }
            Fault::Singular { block, time } => {
                write!(f, "loop block {block} is in a singular position at t = {time} s")
            }
            Fault::NoInertia { joint, time } => write!(f, "no inertia at joint {joint} at t = {time} s"),
            Fault::NotFinite { joint, time } => write!(f, "joint {joint} is not finite at t = {time} s"),
            Fault::BeyondCurve { joint, time } => {
                write!(f, "joint {joint} passed an end of its curve at t = {time} s")
            }
            Fault::NotConverged { coordinate, change, gap, time } => write!(
                f,
                "the step to t = {time} s did not converge (coordinate {coordinate}, change {change:.3e} m, gap \
                 {gap:.3e} m)"
            ),
            Fault::StateNotFinite { state, time } => write!(f, "state {state} is not finite at t = {time} s"),
            Fault::OutputNotFinite { output, time } => write!(f, "output {output} is not finite at t = {time} s"),
            Fault::BadInput { input, time } => write!(f, "input {input} is not finite at t = {time} s"),
            Fault::BadTime { asked, time } => write!(f, "cannot step from t = {time} s to {asked} s"),
            Fault::TooManySteps { steps, time } => {
                write!(f, "{steps:.3e} internal steps from t = {time} s are too many")
            }
            Fault::NotTrimmed { left, time, .. } => {
                write!(f, "the start at t = {time} s could not be trimmed (a net force of {left:.3e} N or N m remains)")
            }
            Fault::NotDeformed { coordinate, time } => {
                write!(f, "no static deformation was found at t = {time} s (coordinate {coordinate})")
            }
        }
    }
}

impl core::error::Error for Fault {}
