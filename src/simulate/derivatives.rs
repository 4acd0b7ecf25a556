//! Directional derivatives of outputs and of the rates of continuous states in a running simulation, exact to rounding
//! ([`crate::dynamics::tangent`]).
//!
//! The states are the states of [`super::continuous`]: a dependent state moves nothing and is set to its closed value.
//! The derivatives are exact on the closed positions. If states have drifted off them by d rad, a free rotation in a
//! loop limits the accuracy to about d.
//!
//! At a singular position there is no derivative: [`Fault::Singular`]. Near one the loops are closed by a partition for
//! this purpose, independent of the method of the step.
//!
//! Nothing allocates after [`Simulator::prepare_derivatives`].

use super::Simulator;
use super::continuous::RETURN_FRACTION;
use crate::dynamics::tangent::{Tangent, Variable};
use crate::dynamics::{choice, close_stage, evaluate_dense, load_stage};
use crate::system::{Fault, ScalarKind, State, StatePlace, System, Workspace};

/// Memory for derivatives.
pub(super) struct Directions {
    tangent: Tangent,
    /// Changes of the continuous states q and ż, and whether a velocity coordinate is independent.
    positions: Vec<f64>,
    speeds: Vec<f64>,
    independent: Vec<bool>,
}

impl Directions {
    #[expect(clippy::disallowed_macros, reason = "before the first step")]
    fn new(system: &System) -> Directions {
        Directions {
            tangent: Tangent::new(system),
            positions: vec![0.0; system.nq],
            speeds: vec![0.0; system.nv],
            independent: vec![false; system.nv],
        }
    }

    /// Resets all directions, at a state whose blocks are closed by partition.
    fn clear(&mut self, system: &System, state: &State) {
        self.tangent.clear();
        self.positions.fill(0.0);
        self.speeds.fill(0.0);
        self.independent.fill(false);
        system.free.iter().for_each(|&v| self.independent[v] = true);
        for block in &system.blocks {
            for &column in &state.orders[block.column_order()][block.rank..] {
                self.independent[block.coordinates[column as usize]] = true;
            }
        }
    }

    /// Directions of the independent coordinates from the changes of the states, about the positions `q`.
    fn seed_states(&mut self, system: &System, q: &[f64]) {
        let Directions { tangent, positions, speeds, independent } = self;
        let mut seed = |v: usize, variable: fn(usize) -> Variable, amount: f64| {
            if independent[v] && amount != 0.0 {
                tangent.seed(0, variable(v), amount);
            }
        };
        for (v, &speed) in speeds.iter().enumerate() {
            seed(v, Variable::Speed, speed);
        }
        for joint in system.joints.iter().filter(|joint| joint.link.is_none()) {
            for (k, v) in joint.v_range().enumerate() {
                seed(v, Variable::Position, joint.change_along(q, positions, k));
            }
        }
        for body in &system.flexible {
            body.q.clone().zip(body.v.clone()).for_each(|(q, v)| seed(v, Variable::Position, positions[q]));
        }
    }
}

/// The variable of a derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Known {
    /// An input.
    Input(usize),
    /// A continuous state.
    State(StatePlace),
}

impl Simulator {
    /// Reserves memory for derivatives, once. Allocates.
    #[expect(clippy::disallowed_methods, reason = "before the first step")]
    pub fn prepare_derivatives(&mut self) {
        if self.directions.is_none() {
            self.directions = Some(Box::new(Directions::new(&self.system)));
        }
    }

    /// Σ over `known` inputs of ∂output/∂input · seed, for all outputs.
    pub fn directional_derivative(&mut self, known: &[usize], seed: &[f64], out: &mut [f64]) -> Result<(), Fault> {
        let knowns = known.iter().zip(seed).map(|(&input, &seed)| (Known::Input(input), seed));
        self.derivatives_along(knowns, out, &mut [])
    }

    /// Σ ∂/∂known · seed of all outputs and, unless `rates` is empty, of the derivatives of all continuous states, at
    /// the present time, state and inputs. It is 0 for outputs that are not Real.
    pub fn derivatives_along(
        &mut self,
        knowns: impl Iterator<Item = (Known, f64)> + Clone,
        outputs: &mut [f64],
        rates: &mut [f64],
    ) -> Result<(), Fault> {
        // Without a seed every derivative is 0.
        if knowns.clone().all(|(_, seed)| seed == 0.0) {
            outputs.fill(0.0);
            rates.fill(0.0);
            return Ok(());
        }
        // Evaluate the state with loops closed by partition. The probe must not count as a step near a singularity.
        self.prepare_derivatives();
        let t = self.state.time;
        self.check_inputs(t)?;
        let Simulator { system, state, probe, workspace: ws, directions, .. } = self;
        let Some(directions) = directions else { return Ok(()) };
        let near_singular = ws.events.near_singular;
        let evaluated = evaluate_by_partition(system, state, probe, ws);
        ws.events.near_singular = near_singular;
        evaluated?;
        // Seed the directions; dependent coordinates follow from the independent ones.
        directions.clear(system, probe);
        for (known, seed) in knowns {
            match known {
                Known::Input(index) => directions.tangent.seed(0, Variable::Input(index), seed),
                Known::State(StatePlace::Position(index)) => directions.positions[index] += seed,
                Known::State(StatePlace::Speed(index)) => directions.speeds[index] += seed,
                Known::State(StatePlace::Auxiliary(index)) => {
                    directions.tangent.seed(0, Variable::Auxiliary(index), seed);
                }
            }
        }
        directions.seed_states(system, &state.q);
        // One evaluation with dual numbers gives all derivatives.
        let Directions { tangent, positions, speeds, .. } = &mut **directions;
        tangent.evaluate(system, probe, ws, t);
        for ((out, value), info) in outputs.iter_mut().zip(tangent.outputs()).zip(&system.interface.outputs) {
            *out = if info.kind == ScalarKind::Real { value.slopes[0] } else { 0.0 };
        }
        // Derivatives of states include the return of dependent states to the closed loops.
        let back = RETURN_FRACTION / system.step;
        for (rate, info) in rates.iter_mut().zip(&system.interface.states) {
            *rate = match info.place {
                StatePlace::Position(i) => {
                    tangent.position_rates()[i].slopes[0] + back * (tangent.positions()[i].slopes[0] - positions[i])
                }
                StatePlace::Speed(i) => {
                    tangent.accelerations()[i].slopes[0] + back * (tangent.speeds()[i].slopes[0] - speeds[i])
                }
                StatePlace::Auxiliary(i) => tangent.auxiliary_rates()[i].slopes[0],
            };
        }
        Ok(())
    }
}

/// A complete evaluation of `state`, with its blocks closed by partition in `probe`, a copy of it.
fn evaluate_by_partition(system: &System, state: &State, probe: &mut State, ws: &mut Workspace) -> Result<(), Fault> {
    let t = state.time;
    probe.clone_from(state);
    load_stage(system, probe, ws, t);
    if probe.least_change.iter().any(|&least| least != 0) {
        close_stage(system, probe, ws, t)?;
        let (mut tree, blocks) = ws.open_tree();
        for index in 0..system.blocks.len() {
            if probe.least_change[index] != 0 && !choice::force_partition(system, probe, &mut tree, blocks, index) {
                return Err(Fault::Singular { block: index as u32, time: t });
            }
        }
        load_stage(system, probe, ws, t);
    }
    evaluate_dense(system, probe, ws, t)?;
    match ws.blocks.iter().position(|block| block.least_change) {
        Some(block) => Err(Fault::Singular { block: block as u32, time: t }),
        None => Ok(()),
    }
}
