//! Derivative of a step of an explicit scheme, exact to rounding except for the remainder of the projection.
//!
//! Problem. From changes of the state at the start of a step (increments of all velocity coordinates, speeds, auxiliary
//! states), of the inputs, which are held over the step, and of parameters, find the changes of the state at its end:
//! [`LANES`] directions at a time.
//!
//! Method. The stages of the scheme are evaluated again, and after each of them its derivative
//! ([`crate::dynamics::tangent`]) at the changes of that stage, so that δk_i = f'(δx + a_i h δk_{i−1}). Positions are
//! differentiated as they are advanced, q + a h q̇ with q̇ = G(q) ż, quaternions included: the increments of a free
//! rotation at a stage follow from the change of its quaternion. The end is closed as [`crate::dynamics::close_end`]
//! closes it: the changes of all coordinates of a loop are those of the scheme, moved onto the closed motions by least
//! change in the metric of the mass matrix. The changes at the end refer to all coordinates, so a new choice of
//! independent coordinates does not affect them.
//!
//! A halved step is differentiated in halves ([`super::refinement`]): the decision depends on values only. A step has
//! no derivative if a block is closed by least change, at a stage or in the step, or if a brake locks.
//!
//! Accuracy. The neglected terms are of the size of the projection's correction (the error of the scheme across the
//! closed motions, h⁵ with `rk4` and h³ with `heun`) times the curvature of loops, and where a free rotation in a loop
//! has dependent and independent directions, the turn by which the closure moves it at a stage. For the loops of the
//! gallery at the steps of their files this is below 1e-9 of a row, at four times the step at most 1e-7 (a six-bar
//! linkage), at ten times 1e-4 (a cam slot). With `heun` it is 7e-7 for a slider crank at the step of its file.
//!
//! Cost. Per stage one evaluation with the dense mass matrix and one derivative of it. No allocation, no iteration
//! except in the closure.
//!
//! Source: own derivation; the method is internal differentiation of the discrete scheme (H. G. Bock, Numerical
//! treatment of inverse problems in chemical reaction kinetics, 1981).
//!
//! Verified by: tests/motion/verification/step_derivatives.rs (every model of the gallery against extrapolated
//! differences of the step).

use super::{add_to_sum, advance_by, finish_with_sum, start_sum};
use crate::dynamics::tangent::{Changes, Directed, Known, LANES, Tangent};
use crate::dynamics::{close_end, evaluate_dense, load_stage, prepare_stage};
use crate::system::Integrator;
use crate::system::{Fault, POLES, State, System, Workspace};
use alloc::{vec, vec::Vec};

/// Per stage of the scheme: its time offset in steps, applied with the rates of the previous stage, and its weight.
const RK4: [[f64; 2]; 4] = [[0.0, 1.0 / 6.0], [0.5, 1.0 / 3.0], [0.5, 1.0 / 3.0], [1.0, 1.0 / 6.0]];
const HEUN: [[f64; 2]; 2] = [[0.0, 0.5], [1.0, 0.5]];

/// Reason why a step has no derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Obstacle {
    /// The scheme cannot be differentiated.
    Scheme,
    /// A block of loops is closed by least change, near a singular position.
    Singular {
        /// The block.
        block: u32,
        /// Time in s.
        time: f64,
    },
    /// A brake locks in the step.
    Locking {
        /// Time at the begin of the step, s.
        time: f64,
    },
    /// An evaluation failed.
    Fault(Fault),
}

impl From<Fault> for Obstacle {
    fn from(fault: Fault) -> Obstacle {
        Obstacle::Fault(fault)
    }
}

/// The integrated quantities.
#[derive(Clone, Copy)]
enum DerivativeTarget {
    Position,
    Speed,
    Auxiliary,
}

/// Derivatives of the integrated quantities along all directions.
struct Line {
    q: Vec<[f64; LANES]>,
    v: Vec<[f64; LANES]>,
    auxiliary: Vec<[f64; LANES]>,
}

impl Line {
    #[expect(clippy::disallowed_macros, reason = "memory for derivatives, before their evaluation")]
    fn new(system: &System) -> Line {
        Line {
            q: vec![[0.0; LANES]; system.nq],
            v: vec![[0.0; LANES]; system.nv],
            auxiliary: vec![[0.0; LANES]; system.auxiliary],
        }
    }

    /// Adds the derivatives of the rates times `weight`.
    fn add(&mut self, tangent: &Tangent, weight: f64) {
        let Line { q, v, auxiliary } = self;
        for (sum, rates) in
            [(q, tangent.position_rates()), (v, tangent.accelerations()), (auxiliary, tangent.auxiliary_rates())]
        {
            for (sum, rate) in sum.iter_mut().zip(rates) {
                sum.iter_mut().zip(rate.slopes).for_each(|(sum, slope)| *sum += weight * slope);
            }
        }
    }

    /// Changes of a stage that differs from this line by `further`; its positions are `q`. `moved`: scratch, nq.
    fn advance(
        &self,
        system: &System,
        q: &[f64],
        moved: &mut [f64],
        stage: &mut Changes,
        further: impl Fn(DerivativeTarget, usize, usize) -> f64,
    ) {
        for lane in 0..LANES {
            for (index, (moved, start)) in moved.iter_mut().zip(&self.q).enumerate() {
                *moved = start[lane] + further(DerivativeTarget::Position, index, lane);
            }
            for joint in system.joints.iter().filter(|joint| joint.link.is_none()) {
                for (k, v) in joint.v_range().enumerate() {
                    stage.positions[v][lane] = joint.change_along(q, moved, k);
                }
            }
            for body in &system.flexible {
                body.q.clone().zip(body.v.clone()).for_each(|(q, v)| stage.positions[v][lane] = moved[q]);
            }
            for (v, (change, start)) in stage.speeds.iter_mut().zip(&self.v).enumerate() {
                change[lane] = start[lane] + further(DerivativeTarget::Speed, v, lane);
            }
            for (index, (change, start)) in stage.auxiliary.iter_mut().zip(&self.auxiliary).enumerate() {
                change[lane] = start[lane] + further(DerivativeTarget::Auxiliary, index, lane);
            }
        }
    }
}

/// Derivatives of the steps of one system, with the memory that they need.
pub struct Along {
    tangent: Tangent,
    /// Evaluations of the stages.
    ws: Workspace,
    /// Positions of a stage from the scheme, nq, and their change along one direction.
    predicted: Vec<f64>,
    moved: Vec<f64>,
    /// Of the begin of the step, and the weighted sum of the rates.
    start: Line,
    sum: Line,
    /// Of a stage.
    stage: Changes,
    /// Changes of the inputs of the low-pass filters at the start.
    unfiltered: Vec<[f64; LANES]>,
}

impl Along {
    /// Memory for `system`.
    #[expect(clippy::disallowed_macros, reason = "memory for derivatives, before their evaluation")]
    pub fn new(system: &System) -> Along {
        Along {
            tangent: Tangent::new(system),
            ws: Workspace::new(system),
            predicted: vec![0.0; system.nq],
            moved: vec![0.0; system.nq],
            start: Line::new(system),
            sum: Line::new(system),
            stage: Changes::new(system),
            unfiltered: vec![[0.0; LANES]; system.filters.len()],
        }
    }

    /// Maps `changes` of `state` to changes of the state after one application of the scheme over `h` s, which is not
    /// halved. On an error `changes` are undefined.
    pub fn follow(
        &mut self,
        system: &System,
        state: &State,
        h: f64,
        (changes, known): (&mut Changes, &Known),
    ) -> Result<(), Obstacle> {
        let stages = match system.integrator {
            Integrator::Rk4 => &RK4[..],
            Integrator::Heun => &HEUN[..],
            _ => return Err(Obstacle::Scheme),
        };
        self.stage.copy_from(changes);
        for (index, &[ahead, weight]) in stages.iter().enumerate() {
            let (ahead, t) = (ahead * h, state.time + ahead * h);
            if index == 0 {
                load_stage(system, state, &mut self.ws, t);
            } else {
                self.load(system, state, ahead);
            }
            self.evaluate(system, state, known, t)?;
            if index == 0 {
                self.begin(system, changes, weight);
            } else {
                add_to_sum(&mut self.ws.integration.sum, &self.ws.rates, weight);
            }
            self.sum.add(&self.tangent, weight);
        }
        self.finish(system, state, h, (changes, known))
    }

    /// Derivatives of all outputs at `state` along `changes` of it ([`Tangent::outputs`]).
    pub fn outputs(
        &mut self,
        system: &System,
        state: &State,
        (changes, known): (&Changes, &Known),
    ) -> Result<&[Directed], Obstacle> {
        let (ws, t) = (&mut self.ws, state.time);
        load_stage(system, state, ws, t);
        evaluate_dense(system, state, ws, t)?;
        self.check(t)?;
        self.tangent.set(changes, known);
        self.tangent.evaluate(system, state, &mut self.ws, t);
        Ok(self.tangent.outputs())
    }

    /// The stage `ahead` s after the start, from the rates of the previous stage.
    fn load(&mut self, system: &System, state: &State, ahead: f64) {
        let Along { tangent, ws, predicted, moved, start, stage, .. } = self;
        let Workspace { stage: values, rates, .. } = &mut *ws;
        advance_by(&state.q, ahead, &rates.q, &mut values.q);
        advance_by(&state.v, ahead, &rates.v, &mut values.v);
        advance_by(&state.auxiliary, ahead, &rates.auxiliary, &mut values.auxiliary);
        predicted.copy_from_slice(&values.q);
        let (q, v) = (tangent.position_rates(), tangent.accelerations());
        start.advance(system, predicted, moved, stage, |part, index, lane| {
            let rate = match part {
                DerivativeTarget::Position => q[index],
                DerivativeTarget::Speed => v[index],
                DerivativeTarget::Auxiliary => tangent.auxiliary_rates()[index],
            };
            ahead * rate.slopes[lane]
        });
        prepare_stage(system, state, ws, state.time + ahead);
    }

    /// The stage in the workspace and its derivative.
    fn evaluate(&mut self, system: &System, state: &State, known: &Known, t: f64) -> Result<(), Obstacle> {
        evaluate_dense(system, state, &mut self.ws, t)?;
        self.check(t)?;
        self.tangent.set(&self.stage, known);
        match system.filters.is_empty() {
            true => self.tangent.evaluate_rates(system, state, &mut self.ws, t),
            // The inputs of the filters are outputs.
            false => self.tangent.evaluate(system, state, &mut self.ws, t),
        }
        Ok(())
    }

    /// Checks that all blocks are closed by partition.
    fn check(&self, time: f64) -> Result<(), Obstacle> {
        match self.ws.blocks.iter().position(|block| block.least_change) {
            Some(block) => Err(Obstacle::Singular { block: block as u32, time }),
            None => Ok(()),
        }
    }

    /// After the first stage: its derivatives belong to the start, closed.
    fn begin(&mut self, system: &System, changes: &Changes, weight: f64) {
        let Along { tangent, ws, start, sum, unfiltered, .. } = self;
        take(&mut start.q, tangent.positions());
        take(&mut start.v, tangent.speeds());
        start.auxiliary.copy_from_slice(&changes.auxiliary);
        for part in [&mut sum.q, &mut sum.v, &mut sum.auxiliary] {
            part.fill([0.0; LANES]);
        }
        start_sum(&mut ws.integration.sum, &ws.rates, weight);
        read_unfiltered(system, tangent, &changes.auxiliary, unfiltered);
    }

    /// The end from the weighted sum of the rates, closed; the filters.
    fn finish(
        &mut self,
        system: &System,
        state: &State,
        h: f64,
        (changes, known): (&mut Changes, &Known),
    ) -> Result<(), Obstacle> {
        // State and derivatives at the end, before closure.
        let end = state.time + h;
        let Along { tangent, ws, predicted, moved, start, sum, stage, .. } = self;
        finish_with_sum(state, ws, h);
        predicted.copy_from_slice(&ws.stage.q);
        start.advance(system, predicted, moved, stage, |part, index, lane| {
            let sum = match part {
                DerivativeTarget::Position => &sum.q,
                DerivativeTarget::Speed => &sum.v,
                DerivativeTarget::Auxiliary => &sum.auxiliary,
            };
            h * sum[index][lane]
        });
        // Closure, by partition of regular blocks only.
        prepare_stage(system, state, ws, end);
        close_end(system, state, ws, end)?;
        if let Some(block) = ws.blocks.iter().position(|block| block.least_change) {
            return Err(Obstacle::Singular { block: block as u32, time: end });
        }
        // Derivatives of the closed end.
        for filter in &system.filters {
            stage.auxiliary[filter.states()].copy_from_slice(&changes.auxiliary[filter.states()]);
        }
        changes.copy_from(stage);
        tangent.close_end(system, state, ws, end, (changes, known));
        if system.filters.is_empty() {
            return Ok(());
        }
        // Filters advance with their inputs at the start and at the end.
        self.stage.copy_from(changes);
        self.evaluate(system, state, known, end)?;
        let Along { tangent, start, unfiltered: before, .. } = self;
        // The value at the start is no longer needed; its memory stores the input at the end.
        let after = &mut start.auxiliary[..before.len()];
        read_unfiltered(system, tangent, &changes.auxiliary, after);
        for (filter, (before, after)) in system.filters.iter().zip(before.iter().zip(after)) {
            let states = &mut changes.auxiliary[filter.states()];
            for lane in 0..LANES {
                let mut line = [0.0; POLES];
                line.iter_mut().zip(&*states).for_each(|(value, state)| *value = state[lane]);
                filter.advance(&mut line[..states.len()], before[lane], after[lane], h);
                states.iter_mut().zip(line).for_each(|(state, value)| state[lane] = value);
            }
        }
        Ok(())
    }
}

/// Derivatives of the input of every filter, from the rate of its first state.
fn read_unfiltered(system: &System, tangent: &Tangent, auxiliary: &[[f64; LANES]], out: &mut [[f64; LANES]]) {
    for (filter, out) in system.filters.iter().zip(out) {
        let first = filter.states().start;
        let (rate, state) = (tangent.auxiliary_rates()[first].slopes, auxiliary[first]);
        *out = core::array::from_fn(|lane| rate[lane] / filter.rate() + state[lane]);
    }
}

fn take(to: &mut [[f64; LANES]], from: &[Directed]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = from.slopes);
}
