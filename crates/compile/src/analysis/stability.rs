//! Largest stable step of an explicit scheme, from the modes of the linearized system.
//!
//! One step multiplies a mode with eigenvalue λ by the stability function R(h λ): 1 + z + z²/2 for Heun's method, the
//! first five terms of the exponential for the classical Runge-Kutta method (Hairer & Wanner, Solving Ordinary
//! Differential Equations II, IV.2). A step is too long when the scheme amplifies a mode more than the physics does:
//!
//! ```text
//!     ln |R(h λ)| > max(0, h Re λ) + TOLERANCE · h |λ|.
//! ```
//!
//! The tolerance is a damping ratio: a scheme may add a damping of −0.1 %, which is growth by 0.6 % per period and less
//! than the damping of nearly every structure. Without a tolerance, Heun's method, which amplifies every undamped
//! oscillation by (h ω)⁴/8 per step, would have no stable step at all; with it h ω ≤ 0.2. The classical Runge-Kutta
//! method damps oscillations up to h ω = 2.83.
//!
//! The stability of semi-implicit Euler does not depend on λ alone. Its step for q̈ = −K q − C q̇ becomes unstable if
//! an eigenvalue of the step passes −1. Then s = 2/h is a real eigenvalue of [0 I; K C] (insert q → −q, v → −v into the
//! step): h ω = 2 without damping, less with it. Forces that depend on velocities, gyroscopic terms and states of
//! filters and force elements are integrated as by explicit Euler. So the multipliers μ of the whole step x → J x are
//! computed too, with the matrix of the linearized system. A step is too long as in [`super::step_map`]. Explicit Euler
//! amplifies every gyroscopic motion by (h ω)²/2 per step, however short the step is: [`StepLimit::growth`] is the
//! rate.
//!
//! The generalized-alpha method treats terms explicitly that depend on the model. Its limit is computed from the step
//! itself ([`super::step_map`]).
//!
//! Limits: the result applies to the point of linearization; a step that is stable there may be too long elsewhere.
//!
//! Verified by: tests/motion/verification/linear.rs. Offline: allocates.

use super::linearize::{Linearization, linearize};
use super::modal::{self, Mode, Modes, magnitude};
use super::operating_point::AnalysisError;
use ballesta_model::{Diagnostic, Document};
use ballesta_solver::math::{eigen, elementary, larger};
use ballesta_solver::system::integrators::Stability;
use ballesta_solver::system::{State, System, Workspace};
use nalgebra::Complex;
use std::f64::consts::TAU;

/// Damping ratio that a scheme may remove from a mode.
pub const TOLERANCE: f64 = 1e-3;
/// Larger systems are not checked: 100 independent coordinates take 0.2 s, 300 take 7 s.
pub const MAX_COORDINATES: usize = 200;

/// Motions that turn or decay by less than this per step are slow: no step is rejected because of them.
const SLOW_MOTION: f64 = 0.3;
/// ln |μ| that counts as rounding: multipliers of double integrators are accurate to its square root.
const ROUNDING: f64 = 1e-6;
/// The longest step that is tried is the model's step times this factor, the shortest is the model's step divided by
/// [`MAX_STEP_DIVISOR`].
const MAX_STEP_FACTOR: f64 = 64.0;
/// See [`MAX_STEP_FACTOR`].
const MAX_STEP_DIVISOR: f64 = 4096.0;
/// Halvings of the interval around the limit, which is then accurate to 1e-4.
const BISECTIONS: usize = 14;

/// The limit of the step and the mode that causes it.
#[derive(Clone, Debug, PartialEq)]
pub struct StepLimit {
    /// The longest stable step, s; infinite when nothing limits it.
    pub step: f64,
    /// Largest |λ| of all modes, 1/s.
    pub fastest: f64,
    /// Eigenvalue of the mode that limits the step, 1/s.
    pub eigenvalue: Complex<f64>,
    /// The coordinate with the largest share in this mode.
    pub coordinate: String,
    /// The longest step that was checked, s; infinite if a formula covers all steps.
    pub tried: f64,
    /// Rate at which the scheme amplifies a slow motion at the model's own step, or at the longest stable one if that
    /// is shorter, 1/s: no step is stable then, although shorter steps reduce the rate. 0 without such a motion.
    pub growth: f64,
}

/// The step limit of `system` with its scheme at `state`.
pub fn explicit_limit(system: &System, state: &State, ws: &mut Workspace) -> Result<StepLimit, AnalysisError> {
    refuse_large(system)?;
    let model = linearize(system, state, ws)?;
    let modes = modal::modes(&model)?;
    let mut limit = match system.integrator.scheme().stability {
        Stability::Polynomial(coefficients) => of_modes(&model, &modes, coefficients),
        Stability::SemiImplicitEuler => of_semi_implicit_euler(&model, &modes, system.step)?,
        Stability::Unlimited => unlimited(),
    };
    for (index, &omega) in model.filters.iter().enumerate() {
        if system.integrator.scheme().stability == Stability::SemiImplicitEuler && 2.0 / omega < limit.step {
            limit.step = 2.0 / omega;
            limit.eigenvalue = Complex::new(-omega, 0.0);
            limit.coordinate = model.states[2 * model.size() + 3 * index].clone();
        }
    }
    limit.fastest = modes.modes.iter().map(|mode| magnitude(mode.eigenvalue)).fold(0.0, f64::max);
    Ok(limit)
}

/// Whether the system is small enough to be checked.
pub fn refuse_large(system: &System) -> Result<(), AnalysisError> {
    let coordinates =
        system.free.len() + system.blocks.iter().map(|block| block.coordinates.len() - block.rank).sum::<usize>();
    match coordinates > MAX_COORDINATES {
        true => Err(AnalysisError::TooLarge { coordinates, limit: MAX_COORDINATES }),
        false => Ok(()),
    }
}

impl StepLimit {
    /// The mode that limits the step, in words.
    pub fn mode(&self) -> String {
        let rate = magnitude(self.eigenvalue);
        if rate == 0.0 {
            return self.coordinate.clone();
        }
        let mode = match self.eigenvalue.im {
            0.0 => format!("the decaying mode of {rate:.3} 1/s"),
            _ => format!("the mode of {:.3} Hz", rate / TAU),
        };
        format!("{mode} with its largest motion in `{}`", self.coordinate)
    }

    /// The reason why `system` must not be simulated with its step, if the step exceeds the limit.
    pub fn refusal(&self, document: &Document, system: &System) -> Option<Diagnostic> {
        (self.step < system.step).then(|| {
            let implicit = match system.integrator.is_linearly_implicit() {
                true => "",
                false => "`integrator = \"generalized_alpha\"`, which treats springs and dampers implicitly, or ",
            };
            let cure = match self.step > 0.0 {
                // Shorter steps amplify a gyroscopic motion as well, though less.
                true if self.growth > 0.0 => "no shorter step is stable: use `integrator = \"rk4\"`".to_string(),
                true => format!("use {implicit}a step of at most {:.3e} s", self.step),
                false => format!("no shorter step is stable: use {implicit}a larger mass or a lower stiffness"),
            };
            document.source.at(
                "model.step",
                format!("a step of {} s makes the integrator unstable at the start: {}", system.step, self.mode()),
                cure,
            )
        })
    }
}

fn unlimited() -> StepLimit {
    StepLimit {
        step: f64::INFINITY,
        fastest: 0.0,
        eigenvalue: Complex::new(0.0, 0.0),
        coordinate: String::new(),
        tried: f64::INFINITY,
        growth: 0.0,
    }
}

/// `coefficients`: of the stability function, ascending powers.
fn of_modes(model: &Linearization, modes: &Modes, coefficients: &[f64]) -> StepLimit {
    let mut limit = unlimited();
    for mode in modes.modes.iter().filter(|mode| mode.eigenvalue != Complex::new(0.0, 0.0)) {
        let size = magnitude(mode.eigenvalue);
        let step = reach(mode.eigenvalue / size, coefficients) / size;
        if step < limit.step {
            limit = StepLimit { step, eigenvalue: mode.eigenvalue, coordinate: leader(model, mode), ..unlimited() };
        }
    }
    limit
}

fn leader(model: &Linearization, mode: &Mode) -> String {
    mode.shares.first().map_or(String::new(), |&(index, _)| model.states[index].clone())
}

/// Largest |z| up to which the scheme is stable along the ray through `direction` (|direction| = 1); infinite beyond
/// 20.
fn reach(direction: Complex<f64>, coefficients: &[f64]) -> f64 {
    let stable = |size: f64| {
        let z = direction * size;
        let mut value = Complex::new(0.0, 0.0);
        coefficients.iter().rev().for_each(|&c| value = value * z + c);
        0.5 * elementary::ln(value.norm_sqr()) <= z.re.max(0.0) + TOLERANCE * size
    };
    const STEP: f64 = 0.01;
    let Some(beyond) = (1..=2000).find(|&k| !stable(f64::from(k) * STEP)) else { return f64::INFINITY };
    let (mut inside, mut outside) = (f64::from(beyond - 1) * STEP, f64::from(beyond) * STEP);
    for _ in 0..40 {
        let middle = 0.5 * (inside + outside);
        if stable(middle) { inside = middle } else { outside = middle }
    }
    inside
}

/// `own`: the step of the model.
fn of_semi_implicit_euler(model: &Linearization, modes: &Modes, own: f64) -> Result<StepLimit, AnalysisError> {
    let growth = modes.modes.iter().map(|mode| mode.eigenvalue.re).fold(0.0, larger);
    let judge = |h: f64| amplification(model, h, growth);
    let mut limit = reversal(model)?;
    // No motion is reversed below the step of reversal: amplified motions turn or decay too fast.
    let longest = if limit.step.is_finite() { (1.0 - 1e-3) * limit.step } else { MAX_STEP_FACTOR * own };
    let mut unstable = None;
    for h in [own.min(longest), longest] {
        if let [Some(found), _] = judge(h)? {
            unstable = Some((h, found));
            break;
        }
    }
    if let Some((mut outside, mut found)) = unstable {
        let mut inside = 0.5 * outside;
        while let [Some(other), _] = judge(inside)? {
            (outside, found) = (inside, other);
            inside *= 0.5;
            if inside * MAX_STEP_DIVISOR < own {
                inside = 0.0;
                break;
            }
        }
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (inside + outside);
            match judge(middle)? {
                _ if inside == 0.0 => break,
                [Some(other), _] => (outside, found) = (middle, other),
                _ => inside = middle,
            }
        }
        let coordinate = model.states[found.state].clone();
        limit = StepLimit { step: inside, eigenvalue: found.eigenvalue, coordinate, ..unlimited() };
    }
    if limit.step.is_infinite() {
        limit.tried = longest;
    }
    let h = own.min(limit.step);
    if h > 0.0
        && let [_, Some(slow)] = judge(h)?
    {
        (limit.growth, limit.eigenvalue) = (slow.excess / h, slow.eigenvalue);
        limit.coordinate = model.states[slow.state].clone();
    }
    Ok(limit)
}

/// A motion that a step amplifies too much.
struct AmplifiedMotion {
    /// ln |μ| beyond its limit.
    excess: f64,
    /// ln μ / h, 1/s.
    eigenvalue: Complex<f64>,
    /// The state with the largest share.
    state: usize,
}

/// The motions that a step `h` of semi-implicit Euler amplifies most beyond `growth`, 1/s: one among the motions that
/// turn or decay by more than [`SLOW_MOTION`] per step, and one among the slower motions.
fn amplification(model: &Linearization, h: f64, growth: f64) -> Result<[Option<AmplifiedMotion>; 2], AnalysisError> {
    let (n, map) = (model.size(), semi_implicit_euler_map(model, h));
    let size = 2 * n + 3 * model.filters.len() + model.element_states;
    let spectrum = eigen::Spectrum::new(&map, size).ok_or(AnalysisError::NoEigenvalues)?;
    let mut worst: [Option<(f64, usize, Complex<f64>)>; 2] = [None, None];
    for (index, value) in spectrum.values.iter().enumerate() {
        // Growth without change of sign is a property of the motion itself.
        if value.norm_sqr() == 0.0 || value.im == 0.0 && value.re > 0.0 {
            continue;
        }
        let rate = Complex::new(0.5 * elementary::ln(value.norm_sqr()), elementary::atan2(value.im, value.re));
        let moved = magnitude(rate);
        let excess = rate.re - h * growth - TOLERANCE * moved;
        let worst = &mut worst[usize::from(moved <= SLOW_MOTION)];
        if excess > ROUNDING && worst.as_ref().is_none_or(|(most, ..)| excess > *most) {
            *worst = Some((excess, index, rate / h));
        }
    }
    let vectors = if worst.iter().any(Option::is_some) { spectrum.vectors() } else { Vec::new() };
    Ok(worst.map(|worst| {
        worst.map(|(excess, index, eigenvalue)| {
            let scale = |i: usize| if (n..2 * n).contains(&i) { h } else { 1.0 };
            let part = |i: usize| vectors[index][i].norm_sqr() * scale(i) * scale(i);
            let state = (0..size).max_by(|&a, &b| part(a).total_cmp(&part(b))).unwrap_or(0);
            AmplifiedMotion { excess, eigenvalue, state }
        })
    }))
}

/// J of a step of semi-implicit Euler, x → J x: velocities and further states from the old state, positions with the
/// new velocities. Low-pass filters, which act on nothing, are left out.
fn semi_implicit_euler_map(model: &Linearization, h: f64) -> Vec<f64> {
    let (n, a) = (model.size(), &model.a);
    let size = 2 * n + 3 * model.filters.len() + model.element_states;
    let identity = |i: usize, j: usize| f64::from(u8::from(i == j));
    let mut map = vec![0.0; size * size];
    for i in (n..size).chain(0..n) {
        for j in 0..size {
            let rate = match i < n {
                false => a[i][j],
                true => {
                    let own = if (n..2 * n).contains(&j) { 0.0 } else { a[i][j] };
                    own + (n..2 * n).map(|k| a[i][k] * map[k * size + j]).sum::<f64>()
                }
            };
            map[i * size + j] = identity(i, j) + h * rate;
        }
    }
    map
}

/// The step above which semi-implicit Euler reverses a motion.
fn reversal(model: &Linearization) -> Result<StepLimit, AnalysisError> {
    let n = model.size();
    let mut turned = vec![0.0; 4 * n * n];
    for i in 0..n {
        turned[i * 2 * n + n + i] = 1.0;
        for j in 0..2 * n {
            turned[(n + i) * 2 * n + j] = -model.a[n + i][j];
        }
    }
    let spectrum = eigen::Spectrum::new(&turned, 2 * n).ok_or(AnalysisError::NoEigenvalues)?;
    let real = |value: &Complex<f64>| value.re > 0.0 && value.im.abs() <= 1e-6 * value.re;
    let Some(last) = spectrum.values.iter().rposition(real) else { return Ok(unlimited()) };
    let root = spectrum.values[last].re;
    let vector = &spectrum.vectors()[last];
    let energy = |i: usize| model.mass[i * n + i] * vector[i].norm_sqr();
    let most = (0..n).max_by(|&a, &b| energy(a).total_cmp(&energy(b))).unwrap_or(0);
    Ok(StepLimit {
        step: 2.0 / root,
        eigenvalue: Complex::new(0.0, root),
        coordinate: model.states[most].clone(),
        ..unlimited()
    })
}
