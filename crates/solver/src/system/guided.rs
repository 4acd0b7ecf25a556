//! Prescribed (rheonomic) coordinates: position, speed and acceleration as functions of time (theory section 6).

use crate::force::CoordinateIx;
use crate::math::elementary::sin_cos;
use crate::math::interpolation::Spline;
use crate::math::scalar::Scalar;
use crate::system::System;
use alloc::{string::String, vec::Vec};
use core::f64::consts::TAU;

/// Periods of a signal per step above which no step can resolve it: the sampling theorem needs two samples per period.
pub const MAX_PERIODS_PER_STEP: f64 = 0.5;

/// Recommended number of steps per period of a signal.
pub const STEPS_PER_PERIOD: f64 = 10.0;

/// Rounding tolerance of the product of a frequency and a step, as a fraction of [`MAX_PERIODS_PER_STEP`].
const ROUNDING: f64 = 1e-9;

/// A driven coordinate, which is neither independent nor dependent.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Guided {
    /// Name in the file.
    pub name: String,
    /// The coordinate.
    pub coordinate: CoordinateIx,
    /// Source of the motion.
    pub guide: Guide,
}

/// Source of a prescribed motion; every source gives a twice differentiable position.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Guide {
    /// offset + speed t + amplitude sin(omega t + phase).
    Motion { offset: f64, speed: f64, amplitude: f64, omega: f64, phase: f64 },
    /// From rest to `speed` within `time` s (Gutiérrez et al., eq. 37).
    SpinUp { speed: f64, time: f64 },
    /// Natural cubic spline through a table.
    Table(Spline),
    /// An input u, times `gain`, through y‴ = ω³ (gain u − y) − 3 ω² ẏ − 3 ω ÿ (critically damped, third order, so that
    /// ÿ is continuous); the states y, ẏ, ÿ start at index `state` of the auxiliary states.
    Filtered { input: usize, gain: f64, omega: f64, state: usize },
    /// Three inputs: position, speed, acceleration, each times `gain`.
    Inputs { index: [usize; 3], gain: f64 },
    /// Residual flexibility: a mode too fast for the step, held at its static response in the auxiliary state `state`,
    /// which is computed once per step. The next auxiliary state stores its last change.
    Residual { state: usize },
}

impl Guide {
    /// Whether the motion is a function of time only, without inputs or states.
    pub fn is_in_time(&self) -> bool {
        match self {
            Guide::Motion { .. } | Guide::SpinUp { .. } | Guide::Table(_) => true,
            Guide::Filtered { .. } | Guide::Inputs { .. } | Guide::Residual { .. } => false,
        }
    }

    /// Frequency of a motion that is periodic in time, Hz.
    fn frequency(&self) -> Option<f64> {
        match self {
            Guide::Motion { amplitude, omega, .. } if *amplitude != 0.0 => Some(omega.abs() / TAU),
            _ => None,
        }
    }

    /// Position, speed and acceleration at time `t` with the given inputs and auxiliary states.
    pub(crate) fn motion<S: Scalar>(&self, t: f64, inputs: &[S], auxiliary: &[S]) -> [S; 3] {
        let in_time = match self {
            Guide::Motion { offset, speed, amplitude, omega, phase } => {
                let (sine, cosine) = sin_cos(omega * t + phase);
                [
                    offset + speed * t + amplitude * sine,
                    speed + amplitude * omega * cosine,
                    -amplitude * omega * omega * sine,
                ]
            }
            Guide::SpinUp { speed, time } => spin_up(*speed, *time, t),
            Guide::Table(spline) => spline.value(t),
            Guide::Filtered { state, .. } => return [auxiliary[*state], auxiliary[state + 1], auxiliary[state + 2]],
            Guide::Inputs { index, gain } => return index.map(|i| inputs[i] * *gain),
            Guide::Residual { state } => return [auxiliary[*state], S::zero(), S::zero()],
        };
        in_time.map(S::from_f64)
    }

    /// Writes the rates of the filter's states.
    pub(crate) fn calc_rates<S: Scalar>(&self, inputs: &[S], auxiliary: &[S], rates: &mut [S]) {
        if let Guide::Residual { state } = *self {
            rates[state..state + 2].fill(S::zero());
        }
        if let Guide::Filtered { input, gain, omega, state } = *self {
            let [y, speed, acceleration] = [auxiliary[state], auxiliary[state + 1], auxiliary[state + 2]];
            rates[state] = speed;
            rates[state + 1] = acceleration;
            rates[state + 2] =
                (((inputs[input] * gain - y) * omega - speed * 3.0) * omega - acceleration * 3.0) * omega;
        }
    }
}

impl System {
    /// Names and frequencies, Hz, of the prescribed motions that an internal step of `step`, s, cannot resolve. Sampled
    /// at such steps, and at half of them, a fast motion appears as a slow one (aliasing).
    #[expect(clippy::disallowed_methods, reason = "for the compiler, before the first step")]
    pub fn unresolved_motions(&self, step: f64) -> Vec<(&str, f64)> {
        let unresolved = |frequency: &f64| frequency * step >= MAX_PERIODS_PER_STEP * (1.0 - ROUNDING);
        let frequency = |guided: &Guided| guided.guide.frequency().filter(unresolved);
        self.guided.iter().filter_map(|guided| Some((guided.name.as_str(), frequency(guided)?))).collect()
    }
}

/// Position, speed and acceleration of a start from rest.
fn spin_up(speed: f64, time: f64, t: f64) -> [f64; 3] {
    if t <= 0.0 {
        return [0.0; 3];
    }
    if t >= time {
        return [speed * (t - 0.5 * time), speed, 0.0];
    }
    let omega = TAU / time;
    let (sine, cosine) = sin_cos(omega * t);
    let position = 0.5 * t * t + (cosine - 1.0) / (omega * omega);
    [position, t - sine / omega, 1.0 - cosine].map(|value| value * speed / time)
}
