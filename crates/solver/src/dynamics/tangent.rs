//! Derivatives of an evaluation, exact to rounding: of z̈, of the rates of all states and of the outputs, in [`LANES`]
//! directions at a time.
//!
//! Quantities that depend only on the motion are evaluated with dual numbers ([`Dual`]), by the same functions as in a
//! step. The derivatives of unknowns of equations follow from the implicit function theorem, with the factors of the
//! evaluation. With δ for a derivative in one direction, J = Φ_z, and R the motions that keep J ż = 0,
//!
//! ```text
//!     positions:      J δz = 0                      δz of independent and guided coordinates given
//!     velocities:     J δż = −δJ ż
//!     accelerations:  J δz̈ = −δ(J z̈ + J̇ ż)         at z̈ held, a particular solution δz̈⁰
//!     motion:         (Rᵀ M R) δy = −Rᵀ (δ(M z̈ − Q − Jᵀ λ) + M δz̈⁰),   δz̈ = δz̈⁰ + R δy
//!     multipliers:    Jᵀ δλ = δ(M z̈ − Q − Jᵀ λ)     at λ held and z̈ with its derivative
//! ```
//!
//! The third line holds the multipliers λ, so that the change of R needs no derivative of its own (J R = 0). This is
//! the derivative of the articulated-body algorithm by the residuals of inverse dynamics (Carpentier & Mansard,
//! Analytical derivatives of rigid body dynamics algorithms, RSS 2018), here with loops and flexible bodies.
//!
//! In every direction of differentiation the redundant rows depend on the other rows, so they have no multipliers.
//! Undetermined reactions ([`super::least_stress`]) therefore have no derivative here. Blocks that are closed by least
//! change have no independent coordinates to differentiate by: the caller rejects them (`ballesta::analysis`). At a
//! corner of a law, the derivative belongs to the branch of the value.
//!
//! Cost: three sweeps of positions, velocities and accelerations and one of the rest, each some 1 + [`LANES`] times the
//! cost for numbers. No allocation, no iteration.
//!
//! Verified by: crates/compile/src/solver_tests/evaluation.rs and `analysis::linearize` (against extrapolated
//! differences, all kinds of joints, loops, elements and flexible bodies).

use super::closure::{calc_multipliers, complete_rows, residual, solve_change};
use super::joint_loads::rate_loads;
use super::kinematics::{calc_accelerations, calc_positions, calc_velocities};
use super::loads::calc_loads;
use super::projection::project;
use super::reactions::{subtract_rows, transmit};
use super::residuals::{accumulate_residuals, calc_final_residuals, calc_missing_efforts, calc_residuals};
use super::{dense, energy, mass, observe};
use crate::joint::Row;
use crate::math::linear::{solve_lower, solve_lower_transposed};
use crate::math::scalar::{Dual, Scalar, copy_lifted};
use crate::system::workspace::{Kinematics, Stage};
use crate::system::{BlockScratch, ENERGIES, State, System, Workspace};
use alloc::{vec, vec::Vec};

/// Number of directions evaluated at a time.
pub const LANES: usize = 4;

/// A number with its derivatives in all directions.
pub(crate) type Directed = Dual<LANES>;

/// Quantity that changes along a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// Position of an independent velocity coordinate, rad or m; the dependent ones follow.
    Position(usize),
    /// Its speed, rad/s or m/s.
    Speed(usize),
    /// An auxiliary state.
    Auxiliary(usize),
    /// An input.
    Input(usize),
    /// A parameter.
    Parameter(usize),
}

/// Changes of a state along all directions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Of positions, nv, in rad or m: increments of all velocity coordinates.
    pub positions: Vec<[f64; LANES]>,
    /// Of speeds, nv, in rad/s or m/s.
    pub speeds: Vec<[f64; LANES]>,
    /// Of auxiliary states.
    pub auxiliary: Vec<[f64; LANES]>,
}

impl Changes {
    /// None, of a state of `system`.
    #[expect(clippy::disallowed_macros, reason = "memory for derivatives, before their evaluation")]
    pub fn new(system: &System) -> Changes {
        Changes {
            positions: vec![[0.0; LANES]; system.nv],
            speeds: vec![[0.0; LANES]; system.nv],
            auxiliary: vec![[0.0; LANES]; system.auxiliary],
        }
    }

    /// Copies the values of `other`, of the same system.
    pub fn copy_from(&mut self, other: &Changes) {
        self.positions.copy_from_slice(&other.positions);
        self.speeds.copy_from_slice(&other.speeds);
        self.auxiliary.copy_from_slice(&other.auxiliary);
    }
}

/// Changes of the external values along all directions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Of inputs.
    pub inputs: Vec<[f64; LANES]>,
    /// Of parameters.
    pub parameters: Vec<[f64; LANES]>,
}

impl Known {
    /// No changes of the external values of `system`.
    #[expect(clippy::disallowed_macros, reason = "memory for derivatives, before their evaluation")]
    pub fn new(system: &System) -> Known {
        let interface = system.interface();
        Known {
            inputs: vec![[0.0; LANES]; interface.inputs.len()],
            parameters: vec![[0.0; LANES]; interface.parameters.len()],
        }
    }
}

/// Treatment of dependent coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Independent coordinates are unchanged.
    Stage,
    /// All coordinates of a loop change as little as possible.
    Projected,
}

/// Derivatives of evaluations of one system, with the memory that they need.
pub struct Tangent {
    ws: Workspace<Directed>,
    parameters: Vec<Directed>,
    outputs: Vec<Directed>,
    /// Outputs left undetermined by redundant equations.
    open: Vec<usize>,
    /// Directions: of positions and speeds per velocity coordinate, of auxiliary states, inputs and parameters.
    positions: Vec<[f64; LANES]>,
    speeds: Vec<[f64; LANES]>,
    auxiliary: Vec<[f64; LANES]>,
    inputs: Vec<[f64; LANES]>,
    parameter_seeds: Vec<[f64; LANES]>,
    /// δz of one direction, nv, the rates of positions that belong to it, nq, and the last direction of generalized
    /// forces, nv.
    direction: Vec<f64>,
    position_rates: Vec<f64>,
    forces: Vec<f64>,
    /// δy of one direction.
    reduced: Vec<f64>,
    /// Rᵀ δ(M z̈ − Q − Jᵀ λ) of all directions.
    held_residuals: Vec<[f64; LANES]>,
    /// Residuals of the rows, and their multipliers in one direction.
    row_rates: Vec<Directed>,
    multipliers: Vec<f64>,
}

impl Tangent {
    /// Memory for `system`; no direction is set.
    #[expect(clippy::disallowed_macros, reason = "memory for derivatives, before their evaluation")]
    pub fn new(system: &System) -> Tangent {
        let interface = system.interface();
        Tangent {
            ws: Workspace::of(system),
            parameters: vec![Directed::default(); interface.parameters.len()],
            outputs: vec![Directed::default(); system.outputs.len()],
            open: system.open_outputs(),
            positions: vec![[0.0; LANES]; system.nv],
            speeds: vec![[0.0; LANES]; system.nv],
            auxiliary: vec![[0.0; LANES]; system.auxiliary],
            inputs: vec![[0.0; LANES]; interface.inputs.len()],
            parameter_seeds: vec![[0.0; LANES]; interface.parameters.len()],
            direction: vec![0.0; system.nv],
            position_rates: vec![0.0; system.nq],
            forces: vec![0.0; system.nv],
            reduced: vec![0.0; system.nv],
            held_residuals: vec![[0.0; LANES]; system.nv],
            row_rates: vec![Directed::default(); system.rows.len()],
            multipliers: vec![0.0; system.rows.len()],
        }
    }

    /// Clears all directions.
    pub fn clear(&mut self) {
        let Tangent { positions, speeds, auxiliary, inputs, parameter_seeds, .. } = self;
        for seeds in [positions, speeds, auxiliary, inputs, parameter_seeds] {
            seeds.fill([0.0; LANES]);
        }
    }

    /// Adds a change of `variable` by `amount` to direction `lane`.
    pub fn seed(&mut self, lane: usize, variable: Variable, amount: f64) {
        let place = match variable {
            Variable::Position(coordinate) => &mut self.positions[coordinate],
            Variable::Speed(coordinate) => &mut self.speeds[coordinate],
            Variable::Auxiliary(index) => &mut self.auxiliary[index],
            Variable::Input(index) => &mut self.inputs[index],
            Variable::Parameter(index) => &mut self.parameter_seeds[index],
        };
        place[lane] += amount;
    }

    /// Sets what changes along all directions: of all velocity coordinates and auxiliary states, as far as they are
    /// free, and of inputs and parameters.
    pub fn set(&mut self, changes: &Changes, known: &Known) {
        self.positions.copy_from_slice(&changes.positions);
        self.speeds.copy_from_slice(&changes.speeds);
        self.auxiliary.copy_from_slice(&changes.auxiliary);
        self.inputs.copy_from_slice(&known.inputs);
        self.parameter_seeds.copy_from_slice(&known.parameters);
    }

    /// Derivatives of the values in `base` along all directions: a complete evaluation of `state` at time `t` (s) with
    /// the dense mass matrix ([`super::evaluate_dense`]), all blocks closed by partition. Leaves the reactions in
    /// `base`.
    pub fn evaluate(&mut self, system: &System, state: &State, base: &mut Workspace, t: f64) {
        self.evaluate_rates(system, state, base, t);
        if system.load_frictions.is_empty() {
            self.follow_reactions(system, state, base);
        }
        observe::read_outputs(system, state, &self.parameters, &mut self.ws, &mut self.outputs);
        self.open.iter().for_each(|&output| self.outputs[output].slopes = [f64::NAN; LANES]);
    }

    /// Derivatives without the outputs and their filters.
    pub fn evaluate_rates(&mut self, system: &System, state: &State, base: &mut Workspace, t: f64) {
        calc_final_residuals(system, base);
        transmit(system, state, base);
        self.load(system, state, base, t);
        self.follow_positions(system, state, base, End::Stage);
        self.follow_velocities(system, state, base, End::Stage);
        self.follow_accelerations(system, state, base);
        self.solve(system, base);
        self.calc_powers(system);
        if !system.load_frictions.is_empty() {
            self.follow_reactions(system, state, base);
            rate_loads(system, &mut self.ws);
        }
    }

    /// Derivatives along all directions of the end of a step that is closed in `base` as [`super::close_end`] closes
    /// it, by least change in the metric of the mass matrix ([`super::projection`]): the changes of a closed end. The
    /// remaining gap of the scheme is of the order of its error, and so is the effect of the change of that metric with
    /// the position, which is neglected.
    pub fn close_end(
        &mut self,
        system: &System,
        state: &State,
        base: &mut Workspace,
        t: f64,
        (changes, known): (&mut Changes, &Known),
    ) {
        self.set(changes, known);
        self.load(system, state, base, t);
        self.follow_positions(system, state, base, End::Projected);
        self.follow_velocities(system, state, base, End::Projected);
        let Workspace { stage, accelerations, .. } = &self.ws;
        for (to, from) in [
            (&mut changes.positions, &accelerations.zdd),
            (&mut changes.speeds, &stage.v),
            (&mut changes.auxiliary, &stage.auxiliary),
        ] {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = from.slopes);
        }
    }

    /// z̈ of all velocity coordinates, nv.
    pub fn accelerations(&self) -> &[Directed] {
        &self.ws.accelerations.zdd
    }

    /// Residual of the equations of the independent coordinates along a direction with their accelerations held, in the
    /// order of the reduced equations, N or N m per unit of the direction: a column of the stiffness matrix, or of the
    /// damping matrix.
    pub fn held(&self) -> &[[f64; LANES]] {
        &self.held_residuals
    }

    /// Speeds ż of all velocity coordinates, nv: dependent speeds follow the others.
    pub fn speeds(&self) -> &[Directed] {
        &self.ws.stage.v
    }

    /// Positions q, nq, with the change of dependent ones.
    pub fn positions(&self) -> &[Directed] {
        &self.ws.stage.q
    }

    /// Rates q̇ of the positions, nq.
    pub fn position_rates(&self) -> &[Directed] {
        &self.ws.rates.q
    }

    /// Rates of the auxiliary states.
    pub fn auxiliary_rates(&self) -> &[Directed] {
        &self.ws.rates.auxiliary
    }

    /// All outputs; NaN for outputs that redundant loop equations leave undetermined ([`System::open_outputs`]).
    pub fn outputs(&self) -> &[Directed] {
        &self.outputs
    }

    /// The stage of `base` with all directions except the directions of dependent coordinates.
    fn load(&mut self, system: &System, state: &State, base: &Workspace, t: f64) {
        let seeded = |out: &mut [Directed], values: &[f64], seeds: &[[f64; LANES]]| {
            for (out, (&value, &slopes)) in out.iter_mut().zip(values.iter().zip(seeds)) {
                *out = Dual { value, slopes };
            }
        };
        let stage = &mut self.ws.stage;
        stage.time = Directed::from_f64(base.stage.time);
        copy_lifted(&base.stage.q, &mut stage.q);
        seeded(&mut stage.v, &base.stage.v, &self.speeds);
        seeded(&mut stage.auxiliary, &base.stage.auxiliary, &self.auxiliary);
        seeded(&mut stage.inputs, &base.stage.inputs, &self.inputs);
        for giver in system.givers() {
            // The values are already computed.
            giver.add_signals(&stage.auxiliary, &mut stage.inputs);
            stage.inputs.iter_mut().zip(&base.stage.inputs).for_each(|(input, &value)| input.value = value);
        }
        seeded(&mut self.parameters, &state.parameters, &self.parameter_seeds);
        for (guided, (motion, values)) in system.guided.iter().zip(stage.guided.iter_mut().zip(&base.stage.guided)) {
            let moved = guided.guide.motion(t, &stage.inputs, &stage.auxiliary);
            *motion = core::array::from_fn(|k| Dual { value: values[k], slopes: moved[k].slopes });
            stage.v[guided.coordinate.velocity] = motion[1];
        }
        copy_lifted(&base.reactions.multipliers, &mut self.ws.reactions.multipliers);
    }

    /// Positions with δz of all coordinates.
    fn follow_positions(&mut self, system: &System, state: &State, base: &mut Workspace, end: End) {
        let Workspace { stage, kinematics, closure, accelerations, .. } = &mut self.ws;
        // z̈ is computed later; its memory stores δz until then.
        let displacement = &mut accelerations.zdd;
        for (displacement, &slopes) in displacement.iter_mut().zip(&self.positions) {
            *displacement = Dual { value: 0.0, slopes };
        }
        for (guided, motion) in system.guided.iter().zip(&stage.guided) {
            displacement[guided.coordinate.velocity] = Dual { value: 0.0, slopes: motion[0].slopes };
        }
        // Positions and their derivatives from δz, direction by direction.
        let mut place =
            |displacement: &[Directed], stage: &mut Stage<Directed>, kinematics: &mut Kinematics<Directed>| {
                for lane in 0..LANES {
                    let change = self.direction.iter_mut().zip(displacement);
                    change.for_each(|(direction, displacement)| *direction = displacement.slopes[lane]);
                    for tree in system.joints.iter().filter(|tree| tree.link.is_none()) {
                        tree.calc_position_rate(&base.stage.q, &self.direction, &mut self.position_rates);
                    }
                    for body in &system.flexible {
                        self.position_rates[body.q.clone()].copy_from_slice(&self.direction[body.v.clone()]);
                    }
                    let moved = stage.q.iter_mut().zip(base.stage.q.iter().zip(&self.position_rates));
                    moved.for_each(|(q, (&value, &rate))| (q.value, q.slopes[lane]) = (value, rate));
                }
                calc_positions(system, &mut stage.q, kinematics);
            };
        place(displacement, stage, kinematics);
        // δz of the dependent coordinates from the derivatives of the gaps.
        if !system.blocks.is_empty() {
            complete_rows(system, &stage.q, kinematics, &mut closure.rows);
            close(system, state, &mut base.blocks, displacement, end, |row| closure.rows[row].gap);
            place(displacement, stage, kinematics);
        }
        complete_rows(system, &stage.q, kinematics, &mut closure.rows);
    }

    /// Velocities with δż of all coordinates.
    fn follow_velocities(&mut self, system: &System, state: &State, base: &mut Workspace, end: End) {
        let Workspace { stage, kinematics, closure, .. } = &mut self.ws;
        calc_velocities(system, &stage.v, kinematics);
        if !system.blocks.is_empty() {
            for ((rate, row), row_state) in self.row_rates.iter_mut().zip(&system.rows).zip(&closure.rows) {
                *rate = row.rate(row_state, &kinematics.bodies, &stage.v);
            }
            close(system, state, &mut base.blocks, &mut stage.v, end, |row| self.row_rates[row]);
            calc_velocities(system, &stage.v, kinematics);
        }
    }

    /// Accelerations with δz̈⁰ of all coordinates: independent ones are held.
    fn follow_accelerations(&mut self, system: &System, state: &State, base: &mut Workspace) {
        let Workspace { stage, kinematics, closure, accelerations, .. } = &mut self.ws;
        copy_lifted(&base.accelerations.zdd, &mut accelerations.zdd);
        for (guided, motion) in system.guided.iter().zip(&stage.guided) {
            accelerations.zdd[guided.coordinate.velocity].slopes = motion[2].slopes;
        }
        calc_accelerations(system, &stage.v, kinematics, accelerations);
        if !system.blocks.is_empty() {
            for ((rate, row), row_state) in self.row_rates.iter_mut().zip(&system.rows).zip(&closure.rows) {
                *rate = row.acceleration(
                    row_state,
                    &kinematics.bodies,
                    &accelerations.bodies,
                    [&stage.v, &accelerations.zdd],
                );
            }
            let zdd = &mut accelerations.zdd;
            close(system, state, &mut base.blocks, zdd, End::Stage, |row| self.row_rates[row]);
            calc_accelerations(system, &stage.v, kinematics, accelerations);
        }
    }

    /// δz̈ of all coordinates, and rates of all other states but the energies.
    fn solve(&mut self, system: &System, base: &Workspace) {
        // Residual forces of the equations with dual numbers, at the present accelerations.
        let Workspace { stage, kinematics, flexible, inertias, .. } = &mut self.ws;
        mass::calc_inertias(system, &stage.q, kinematics, flexible, inertias);
        calc_loads(system, &self.parameters, &mut self.ws);
        calc_residuals(system, &mut self.ws);
        self.calc_missing(system);
        let Tangent { ws, forces, reduced, held_residuals, .. } = self;
        let size = dense::count_independent(system, &base.blocks);
        let factor = &base.dense.reduced_mass[..size * size];
        // Per direction: (Rᵀ M R) δy = Rᵀ δQ with the factors of the evaluation.
        for lane in 0..LANES {
            forces.iter_mut().zip(&ws.residuals.force).for_each(|(force, missing)| *force = -missing.slopes[lane]);
            let reduced = &mut reduced[..size];
            for (c, value) in reduced.iter_mut().enumerate() {
                let mut sum = 0.0;
                dense::visit_column(system, &base.blocks, c, |v, entry| sum += entry * forces[v]);
                *value = sum;
                held_residuals[c][lane] = -sum;
            }
            solve_lower(factor, size, reduced);
            solve_lower_transposed(factor, size, reduced);
            // δz̈ += R δy.
            for (c, &value) in reduced.iter().enumerate() {
                let zdd = &mut ws.accelerations.zdd;
                dense::visit_column(system, &base.blocks, c, |v, entry| zdd[v].slopes[lane] += entry * value);
            }
        }
        // Rates of positions, elastic coordinates and states of guides.
        let Workspace { stage, rates, .. } = ws;
        for tree in system.joints.iter().filter(|tree| tree.link.is_none()) {
            tree.calc_position_rate(&stage.q, &stage.v, &mut rates.q);
        }
        for body in &system.flexible {
            rates.q[body.q.clone()].copy_from_slice(&stage.v[body.v.clone()]);
        }
        for guided in &system.guided {
            guided.guide.calc_rates(&stage.inputs, &stage.auxiliary, &mut rates.auxiliary);
        }
    }

    /// Residual of every coordinate's equation with the present multipliers, into `ws.residuals.force`; also
    /// accumulates the residuals of the bodies minus the forces of the rows.
    fn calc_missing(&mut self, system: &System) {
        let Workspace { kinematics, closure, flexible, residuals, reactions, .. } = &mut self.ws;
        subtract_rows(system, &closure.rows, &reactions.multipliers, &mut residuals.bodies);
        accumulate_residuals(system, &mut residuals.bodies);
        calc_missing_efforts(system, kinematics, flexible, residuals);
        // For couplers without a law, λ times the slopes is constant.
        for ((row, state), lambda) in system.rows.iter().zip(&closure.rows).zip(&reactions.multipliers) {
            let Row::Coupled { terms, laws, .. } = row else { continue };
            for (k, term) in terms.iter().enumerate().take(laws.len()) {
                residuals.force[term.velocity] -= *lambda * row.slope(state, k);
            }
        }
    }

    /// The powers of the energies.
    fn calc_powers(&mut self, system: &System) {
        calc_final_residuals(system, &mut self.ws);
        let guided =
            if system.guided.is_empty() { Directed::default() } else { energy::residual_power(system, &self.ws) };
        let Workspace { loads, rates, .. } = &mut self.ws;
        loads.powers[1] += guided;
        rates.auxiliary[ENERGIES].copy_from_slice(&loads.powers);
        for filter in &system.filters {
            rates.auxiliary[filter.states()].fill(Directed::default());
        }
    }

    /// δλ and the wrenches of all joints, after [`Tangent::calc_powers`].
    fn follow_reactions(&mut self, system: &System, state: &State, base: &mut Workspace) {
        self.ws.reactions.open_residuals.copy_from_slice(&self.ws.residuals.bodies);
        self.calc_missing(system);
        if !system.rows.is_empty() {
            let Tangent { ws, forces, multipliers, .. } = self;
            for lane in 0..LANES {
                forces.iter_mut().zip(&ws.residuals.force).for_each(|(force, missing)| *force = missing.slopes[lane]);
                calc_multipliers(system, state, &mut base.blocks, forces, multipliers);
                let slopes = ws.reactions.multipliers.iter_mut().zip(&*multipliers);
                slopes.for_each(|(multiplier, &slope)| multiplier.slopes[lane] = slope);
            }
            let Workspace { closure, residuals, reactions, .. } = ws;
            residuals.bodies.copy_from_slice(&reactions.open_residuals);
            subtract_rows(system, &closure.rows, &reactions.multipliers, &mut residuals.bodies);
            accumulate_residuals(system, &mut residuals.bodies);
        }
    }
}

/// Adds to `coordinates` (nv) the changes of dependent coordinates that cancel the derivatives `lacking` of the row
/// residuals, by partition. At the end of a projected step, all coordinates change as little as possible.
fn close(
    system: &System,
    state: &State,
    blocks: &mut [BlockScratch],
    coordinates: &mut [Directed],
    end: End,
    lacking: impl Fn(usize) -> Directed,
) {
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        for lane in 0..LANES {
            residual(state, block, scratch, |row| lacking(row).slopes[lane]);
            solve_change(state, block, scratch);
            for (&coordinate, change) in block.coordinates.iter().zip(&scratch.change) {
                coordinates[coordinate].slopes[lane] += change;
            }
            if end == End::Projected && project(state, block, scratch) {
                for (row, &coordinate) in scratch.null.chunks_exact(scratch.width).zip(&block.coordinates) {
                    let back: f64 = row.iter().zip(&scratch.rhs).map(|(factor, x)| factor * x).sum();
                    coordinates[coordinate].slopes[lane] -= back;
                }
            }
        }
    }
}
