//! Sensitivities of a run: forward derivatives of its outputs with respect to tunable parameters, constants added to
//! inputs, and the start, computed with the steps themselves.
//!
//! Changes of the state are propagated by the derivative of each computed step ([`crate::integrate::along`]). So they
//! are derivatives of the computed motion, including step length and halvings, not of the exact motion. They are stored
//! for all velocity coordinates, so a new choice of independent coordinates does not affect them. They end, with the
//! reason, at a step that has no derivative.
//!
//! Parameters and inputs may also change the start itself: the assembly of driven loops, an equilibrium, states of
//! elements. This effect is computed by extrapolated central differences of the start. It is zero if the start does not
//! depend on it.
//!
//! Cost: per four directions and internal step of `rk4` four evaluations and their derivatives, some 20 times a step.
//! Only the differences of the start allocate after [`Sensitivities::new`].
//!
//! Verified by: tests/motion/verification/step_derivatives.rs (whole runs against differences).

use super::{InternalSteps, Simulator};
use crate::analysis::operating_point::{AnalysisError, OperatingPoint};
use crate::analysis::step_derivatives::displaced;
use crate::dynamics::tangent::{Changes, Known, LANES};
use crate::integrate::Part;
use crate::integrate::along::{Along, Obstacle};
use crate::math::larger;
use crate::system::{Fault, ScalarKind, State, System};
use std::sync::Arc;

/// Change of a parameter or an input at the start, in units of its size.
const DIFFERENCE: f64 = 1e-4;

/// The variable of a sensitivity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// A tunable parameter, by its index.
    Parameter(usize),
    /// A constant added to an input over the whole run.
    Input(usize),
    /// The start position of a velocity coordinate, in rad or m; dependent coordinates of loops follow the others.
    Position(usize),
    /// Its start speed, in rad/s or m/s.
    Speed(usize),
}

/// Sensitivities of a running simulation, up to its present time.
pub struct Sensitivities {
    system: Arc<System>,
    along: Along,
    directions: Vec<Direction>,
    chunks: Vec<(Changes, Known)>,
    obstacle: Option<Obstacle>,
    /// Largest error of the differences of the start, as a fraction of the largest change of a state there.
    start_error: f64,
}

impl Sensitivities {
    /// Memory for a run of `system`; [`Simulator::begin_sensitivities`] sets the start.
    #[expect(clippy::disallowed_methods, reason = "before the first step")]
    pub fn new(system: &Arc<System>, directions: &[Direction]) -> Sensitivities {
        let chunks = directions.chunks(LANES).map(|_| (Changes::new(system), Known::new(system))).collect();
        Sensitivities {
            system: system.clone(),
            along: Along::new(system),
            directions: directions.to_vec(),
            chunks,
            obstacle: None,
            start_error: 0.0,
        }
    }

    /// The reason why there are none from some step on.
    pub fn obstacle(&self) -> Option<Obstacle> {
        self.obstacle
    }

    /// Largest estimated error of the differences of the start, as a fraction of the largest change of a state there; 0
    /// if the start depends on no parameter and no input.
    pub fn start_error(&self) -> f64 {
        self.start_error
    }

    /// Propagates the changes over a part of a step.
    fn follow(&mut self, begin: &State, part: Part) {
        let Sensitivities { system, along, chunks, obstacle, .. } = self;
        for (changes, known) in chunks {
            if obstacle.is_some() {
                return;
            }
            *obstacle = match part {
                Part::Whole(h) => along.follow(system, begin, h, (changes, known)).err(),
                Part::Stop => Some(Obstacle::Locking { time: begin.time }),
            };
        }
    }
}

impl Simulator {
    /// Begins sensitivities at the start that [`Simulator::initialize`] has just made, then [`Simulator::trim`] if
    /// `trimmed`. Allocates, and computes that start again four times per parameter and input.
    pub fn begin_sensitivities(
        &mut self,
        sensitivities: &mut Sensitivities,
        trimmed: bool,
    ) -> Result<(), AnalysisError> {
        (sensitivities.obstacle, sensitivities.start_error) = (None, 0.0);
        // A direction is one lane of a vector of slopes; the lanes of a chunk are integrated together.
        for (index, &direction) in sensitivities.directions.iter().enumerate() {
            let (changes, known) = &mut sensitivities.chunks[index / LANES];
            let lane = index % LANES;
            let zero = |list: &mut Vec<[f64; LANES]>| list.iter_mut().for_each(|slopes| slopes[lane] = 0.0);
            let Changes { positions, speeds, auxiliary } = changes;
            for list in [positions, speeds, auxiliary, &mut known.inputs, &mut known.parameters] {
                zero(list);
            }
            // The slope of a start value with respect to itself is 1.
            match direction {
                Direction::Position(v) => changes.positions[v][lane] = 1.0,
                Direction::Speed(v) => changes.speeds[v][lane] = 1.0,
                Direction::Parameter(k) => known.parameters[k][lane] = 1.0,
                Direction::Input(k) => known.inputs[k][lane] = 1.0,
            }
            // A parameter or input changes the start through loop closure and trim: difference quotients are needed.
            let value = match direction {
                Direction::Parameter(k) => self.state.parameters[k],
                Direction::Input(k) => self.state.inputs[k],
                _ => continue,
            };
            // Two difference quotients give the slope without its second-order error (Richardson extrapolation).
            let amount = DIFFERENCE * if value == 0.0 { 1.0 } else { value.abs() };
            let near = self.start_slopes(direction, amount, trimmed)?;
            let far = self.start_slopes(direction, 2.0 * amount, trimmed)?;
            let (mut error, mut largest) = (0.0, 0.0);
            let lists = [&mut changes.positions, &mut changes.speeds, &mut changes.auxiliary];
            let slopes = near.iter().zip(&far);
            for (place, (near, far)) in lists.into_iter().flatten().zip(slopes) {
                let correction = (near - far) / 3.0;
                place[lane] = near + correction;
                error = larger(error, correction.abs());
                largest = larger(largest, place[lane].abs());
            }
            // The correction estimates the error of the start.
            if error > 0.0 {
                sensitivities.start_error = larger(sensitivities.start_error, error / largest);
            }
        }
        Ok(())
    }

    /// Central differences of the start over `amount` of a parameter or an input: positions, speeds, auxiliary states.
    #[expect(clippy::disallowed_methods, reason = "start of sensitivities, between steps")]
    fn start_slopes(&self, direction: Direction, amount: f64, trimmed: bool) -> Result<Vec<f64>, AnalysisError> {
        let start = |amount: f64| -> Result<State, AnalysisError> {
            let mut other = Simulator::new(self.system.clone());
            other.state.inputs.copy_from_slice(&self.state.inputs);
            other.state.parameters.copy_from_slice(&self.state.parameters);
            other.change_along(direction, amount)?;
            let begun = other.initialize(self.state.time);
            begun.map_err(|fault| AnalysisError::Fault(other.describe(&fault)))?;
            if trimmed {
                other.trim()?;
            }
            Ok(other.state)
        };
        let (behind, ahead) = (start(-amount)?, start(amount)?);
        let mut slopes: Vec<f64> =
            (0..self.system.nv).map(|v| self.system.increment_between(&behind.q, &ahead.q, v)).collect();
        let differences = |ahead: &[f64], behind: &[f64]| -> Vec<f64> {
            ahead.iter().zip(behind).map(|(ahead, behind)| ahead - behind).collect()
        };
        slopes.extend(differences(&ahead.v, &behind.v));
        slopes.extend(differences(&ahead.auxiliary, &behind.auxiliary));
        slopes.iter_mut().for_each(|slope| *slope /= 2.0 * amount);
        Ok(slopes)
    }

    /// Names and velocity coordinates of the positions that are independent at the present state. Allocates.
    #[expect(clippy::disallowed_methods, reason = "other coordinates, between steps")]
    pub fn independent_coordinates(&mut self) -> Result<Vec<(String, usize)>, AnalysisError> {
        let point = OperatingPoint::new(&self.system, &self.state, &mut self.workspace, false)?;
        Ok((0..point.size()).map(|i| (point.name(i), point.coordinates[i])).collect())
    }

    /// Changes the present state by `amount` along a direction; For [`Direction::Input`] and [`Direction::Parameter`]
    /// it adds `amount` to the present value. Allocates.
    pub fn change_along(&mut self, direction: Direction, amount: f64) -> Result<(), AnalysisError> {
        let place = match direction {
            Direction::Parameter(k) => {
                self.state.parameters[k] += amount;
                return Ok(());
            }
            Direction::Input(k) => {
                self.state.inputs[k] += amount;
                return Ok(());
            }
            Direction::Position(v) => (v, false),
            Direction::Speed(v) => (v, true),
        };
        self.state = displaced(&self.system, &self.state, &mut self.workspace, place, amount)?;
        Ok(())
    }

    /// As [`Simulator::advance`], with the sensitivities.
    pub fn advance_along(&mut self, end: f64, along: &mut Sensitivities) -> Result<(), Fault> {
        let mut steps = self.internal_steps(end)?;
        while self.make_step_along(&mut steps, f64::INFINITY, along)? {}
        Ok(())
    }

    /// As [`Simulator::make_step_until`], with the sensitivities.
    pub fn make_step_along(
        &mut self,
        steps: &mut InternalSteps,
        until: f64,
        along: &mut Sensitivities,
    ) -> Result<bool, Fault> {
        self.check_inputs(until.min(steps.end))?;
        self.make_watched_step(steps, until, &mut |begin, part| along.follow(begin, part))
    }

    /// Derivatives of all outputs at the present time, directions × outputs; 0 for outputs that are not Real numbers,
    /// NaN for reactions that redundant equations leave undetermined. If a step or the present state has no derivative,
    /// [`Sensitivities::obstacle`] returns the reason, and nothing is written.
    pub fn outputs_along(&mut self, along: &mut Sensitivities, out: &mut [f64]) {
        let Sensitivities { along, directions, chunks, obstacle, .. } = along;
        let count = self.system.outputs.len();
        for (chunk, (changes, known)) in chunks.iter().enumerate() {
            if obstacle.is_some() {
                return;
            }
            let found = match along.outputs(&self.system, &self.state, (changes, known)) {
                Ok(found) => found,
                Err(reason) => {
                    *obstacle = Some(reason);
                    return;
                }
            };
            for lane in 0..LANES.min(directions.len() - chunk * LANES) {
                let rows = out.chunks_exact_mut(count.max(1)).skip(chunk * LANES + lane).take(1).flatten();
                for ((place, value), info) in rows.zip(found).zip(&self.system.interface.outputs) {
                    *place = if info.kind == ScalarKind::Real { value.slopes[lane] } else { 0.0 };
                }
            }
        }
    }
}
