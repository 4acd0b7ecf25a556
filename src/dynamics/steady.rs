//! Steady driving: the state of a vehicle on tyres in which nothing accelerates, at a given speed or at rest.
//!
//! # Problem
//!
//! Given: the velocities of the floating bodies as they are at the start (all six of each), guided coordinates, inputs; all
//! other speeds are zero, but those of wheels, which are unknown while the vehicle moves. Find the independent positions z, the
//! speeds Ω of the wheels, and the states s of force elements (deflections of carcasses, friction, the torque of a speed
//! control) with
//!
//! ```text
//!     z̈(z, Ω, s) = 0,   ṡ(z, Ω, s) = 0.
//! ```
//!
//! With a `[[speed_control]]` that integrates its error, the speed along the velocity of the floating bodies is unknown too:
//! it becomes the wanted one, and the control gives the torque that holds it.
//!
//! If there is no solution, a force F on the first floating body along its velocity, at the place of its joint, is one more
//! unknown: it is reported, and without it the vehicle changes its speed.
//!
//! # Method
//!
//! First the vehicle is lifted or dropped until the forces along the vertical balance (bisection), then the search of
//! [`equilibrium`] at rest is tried, which goes far. Then Newton's method with a Jacobian by
//! central differences and least changes in units of the coordinates: singular values below [`TRUNCATED`] of the largest are
//! left alone, because the place of the vehicle, angles of wheels and forces of dry friction are neutral. Steps are limited
//! and halved until the residual falls.
//!
//! # Limits
//!
//! At most [`ITERATIONS`] steps. The velocity has to lie along the road. A vehicle that pulls to one side is only balanced where
//! an angle of it can: steering is not moved.
//!
//! Proved by: tests/trim.rs. Offline: allocates.

use super::equilibrium::{self, Driving, Equilibrium};
use super::operating_point::{AnalysisError, DIFFERENCE, OperatingPoint};
use super::{assembly, closure, energy, kinematics, load_stage, settle};
use crate::force::{Element, Vehicle};
use crate::math::linear;
use crate::math::svd::orthogonalise_rows;
use crate::model::schema::JointKind;
use crate::system::{Fault, State, System, Workspace};

/// Newton steps, at most: an equilibrium that is more than this many times [`LONGEST`] away is another one, such as that of a car
/// that stands across the slope on which it would roll.
pub const ITERATIONS: usize = 15;
/// Singular values of the scaled Jacobian below this part of the largest are none.
pub const TRUNCATED: f64 = 1e-9;
/// Largest acceleration that is left, in m/s² and rad/s².
pub const BALANCED: f64 = 1e-9;
/// Longest step of positions and speeds of wheels, in their units.
const LONGEST: f64 = 0.1;
/// A step is halved at most this often.
const HALVINGS: usize = 12;
/// How far a vehicle is lifted or dropped at most, in lengths of the mechanism.
const FARTHEST: f64 = 2.0;

/// Whether a system stands on tyres.
pub fn has_tyres(system: &System) -> bool {
    system.elements.iter().any(|element| matches!(element, Element::Tyre(_)))
}

/// The steady state at the speed of `state`, and what there is to tell of it.
pub fn find(system: &System, state: &State, ws: &mut Workspace) -> Result<(State, Equilibrium), AnalysisError> {
    let moving = floating(system).any(|v| state.v[v..v + 6].iter().any(|speed| *speed != 0.0));
    let mut start = dropped(system, state, ws)?;
    let still = State { v: vec![0.0; system.nv], ..start.clone() };
    let at_rest = equilibrium::find(system, &still, ws);
    if let Ok((found, _)) = &at_rest {
        start.q.copy_from_slice(&found.q);
    }
    start.v.fill(0.0);
    for v in floating(system) {
        start.v[v..v + 6].copy_from_slice(&state.v[v..v + 6]);
    }
    if moving {
        roll(system, &mut start, ws);
    }
    assembly::settle_elements(system, &mut start, ws);
    let free = Search::new(system, &start, ws, moving, false)?.run(ws);
    let (search, residual, iterations) = match free {
        Ok(found) => found,
        // What holds nothing at rest is told best by that search.
        Err(error) if !moving => return Err(at_rest.err().unwrap_or(error)),
        Err(error) => match Search::new(system, &start, ws, moving, true)? {
            // A driver who holds the speed needs no other force.
            search if search.driven => return Err(error),
            search => search.run(ws).map_err(|_| error)?,
        },
    };
    search.finish(ws, &residual, iterations, state)
}

/// First velocity coordinates of the floating bodies that hang on the ground.
fn floating(system: &System) -> impl Iterator<Item = usize> {
    system.joints.iter().filter(|joint| joint.root && joint.kind == JointKind::Floating).map(|joint| joint.v)
}

/// The state with all floating bodies moved up or down alike until the vertical forces balance; where that cannot be, as it was.
fn dropped(system: &System, state: &State, ws: &mut Workspace) -> Result<State, AnalysisError> {
    let point = OperatingPoint::new(system, state, ws, true)?;
    let vertical: Vec<usize> = floating(system).map(|v| v + 2).collect();
    let reduced: Vec<usize> = (0..point.size()).filter(|&i| vertical.contains(&point.coordinates[i])).collect();
    let moved = |ws: &mut Workspace, rise: f64| {
        let mut shifted = point.state.clone();
        shifted.v.fill(0.0);
        vertical.iter().for_each(|&v| system.add_increment(&mut shifted.q, v, rise));
        load_stage(system, &shifted, ws, shifted.time);
        ws.guided.iter_mut().for_each(|motion| (motion[1], motion[2]) = (0.0, 0.0));
        point.evaluate(ws)?;
        let force = point.reduced_force(ws);
        Ok::<_, AnalysisError>((shifted, reduced.iter().map(|&i| force[i]).sum::<f64>()))
    };
    let farthest = FARTHEST * point.length;
    let mut ends = [-farthest, farthest];
    if reduced.is_empty() || !(moved(ws, ends[0])?.1 > 0.0 && moved(ws, ends[1])?.1 < 0.0) {
        return Ok(state.clone());
    }
    // From where the vehicle is, in growing steps, so that nothing but the tyres begins to act.
    let mut step = 1e-3 * point.length;
    let up = moved(ws, 0.0)?.1 > 0.0;
    let mut reached = 0.0;
    while step < farthest {
        let next = if up { step } else { -step };
        let pushed = moved(ws, next)?.1 > 0.0;
        if pushed != up {
            ends = if up { [reached, next] } else { [next, reached] };
            break;
        }
        (reached, step) = (next, 2.0 * step);
    }
    for _ in 0..60 {
        let middle = 0.5 * (ends[0] + ends[1]);
        let below = moved(ws, middle)?.1 > 0.0;
        ends[usize::from(!below)] = middle;
    }
    let (shifted, _) = moved(ws, 0.5 * (ends[0] + ends[1]))?;
    Ok(State { v: state.v.clone(), ..shifted })
}

/// Gives the wheels the speeds of free rolling.
fn roll(system: &System, state: &mut State, ws: &mut Workspace) {
    let evaluate = |state: &State, ws: &mut Workspace| {
        load_stage(system, state, ws, state.time);
        kinematics::calc_positions(system, ws);
        kinematics::calc_velocities(system, ws);
    };
    for element in &system.elements {
        let Element::Tyre(tyre) = element else { continue };
        let v = tyre.coordinate.velocity;
        evaluate(state, ws);
        let before = tyre.rolling_speeds(&ws.surroundings(state));
        state.v[v] += 1.0;
        evaluate(state, ws);
        let after = tyre.rolling_speeds(&ws.surroundings(state));
        state.v[v] -= 1.0;
        if let (Some([spin, wanted]), Some([turned, _])) = (before, after)
            && turned != spin
        {
            state.v[v] += (wanted - spin) / (turned - spin);
        }
    }
}

/// The unknowns at one iterate: independent positions, speeds of wheels, states of elements, speed, holding force.
struct Search<'a> {
    point: OperatingPoint<'a>,
    /// Velocity coordinates of wheels that are unknown.
    spins: Vec<usize>,
    /// Direction of travel: independent coordinates of the floating bodies, their numbers there, and their parts of it.
    travel: Vec<(usize, usize, f64)>,
    /// The speed is unknown.
    driven: bool,
    /// The holding force is unknown: number of the coordinates of the first floating body in `travel`.
    held: Option<usize>,
    /// Holding force, N.
    force: f64,
    /// Sizes of the unknowns.
    units: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(
        system: &'a System,
        state: &State,
        ws: &mut Workspace,
        moving: bool,
        hold: bool,
    ) -> Result<Search<'a>, AnalysisError> {
        let point = OperatingPoint::new(system, state, ws, false)?;
        let tyres = system.elements.iter().filter_map(|element| match element {
            Element::Tyre(tyre) => Some(tyre.coordinate.velocity),
            _ => None,
        });
        let spins: Vec<usize> = tyres.filter(|v| moving && point.coordinates.contains(v)).collect();
        let mut travel = Vec::new();
        let mut first = None;
        for v in floating(system) {
            let velocity = [0, 1, 2].map(|k| state.v[v + k]);
            let speed = velocity.iter().map(|x| x * x).sum::<f64>().sqrt();
            for (k, component) in velocity.iter().enumerate().filter(|(_, component)| **component != 0.0) {
                if let Some(i) = point.coordinates.iter().position(|&c| c == v + k) {
                    travel.push((v + k, i, component / speed));
                }
            }
            first.get_or_insert(travel.len());
        }
        let held = first.filter(|&count| hold && count > 0);
        load_stage(system, state, ws, state.time);
        let controls = system.elements.iter().filter_map(|element| match element {
            Element::Vehicle(Vehicle::SpeedControl(control)) => Some(control),
            _ => None,
        });
        let driven = moving
            && !travel.is_empty()
            && controls.clone().any(|control| ws.surroundings(state).value(&control.integral) > 0.0);
        let weight: f64 = system.bodies.iter().map(|body| body.mass).sum::<f64>() * system.gravity.norm();
        let mut units: Vec<f64> = point.coordinates.iter().map(|&c| point.units[c].min(1.0)).collect();
        units.extend(spins.iter().map(|&v| state.v[v].abs().max(1.0)));
        // Torques of controls are as large as a tenth of the weight on a lever of 1 m; other states are deflections.
        let torques: Vec<usize> = controls.map(|control| control.state).collect();
        units.extend(system.element_states.clone().map(|k| match torques.contains(&k) {
            true => 0.1 * weight.max(1.0),
            false => state.auxiliary[k].abs().max(0.01),
        }));
        units.extend(driven.then(|| travel.iter().map(|&(v, ..)| state.v[v].abs()).fold(1.0, f64::max)));
        units.extend(held.map(|_| weight.max(1.0)));
        Ok(Search { point, spins, travel, driven, held, force: 0.0, units })
    }

    /// Accelerations of the independent coordinates and rates of the elements' states, the unknowns changed by `change`;
    /// leaves the closed positions in the workspace.
    fn residual(&self, ws: &mut Workspace, change: &[f64]) -> Result<Vec<f64>, AnalysisError> {
        let (system, n) = (self.point.system, self.point.size());
        let first = n + self.spins.len();
        let states = system.element_states.clone();
        self.point.load(ws);
        self.point.displace(ws, &change[..n]);
        self.spins.iter().zip(&change[n..]).for_each(|(&v, x)| ws.v[v] += x);
        ws.auxiliary[states.clone()].iter_mut().zip(&change[first..]).for_each(|(s, x)| *s += x);
        if self.driven {
            self.travel.iter().for_each(|&(v, _, part)| ws.v[v] += part * change[first + states.len()]);
        }
        self.point.evaluate(ws)?;
        let mut residual: Vec<f64> = self.point.coordinates.iter().map(|&c| ws.zdd[c]).collect();
        if let Some(count) = self.held {
            let force = self.force + change[change.len() - 1];
            let mut answer = vec![0.0; n];
            self.travel[..count].iter().for_each(|&(_, i, part)| answer[i] = part * force);
            linear::solve_lower(&ws.reduced_mass[..n * n], n, &mut answer);
            linear::solve_lower_transposed(&ws.reduced_mass[..n * n], n, &mut answer);
            residual.iter_mut().zip(&answer).for_each(|(a, x)| *a += x);
        }
        residual.extend(states.map(|k| ws.rates.auxiliary[k]));
        Ok(residual)
    }

    /// Least change of the unknowns that cancels the residual, and the largest derivative of every equation.
    fn step(&self, ws: &mut Workspace, residual: &[f64]) -> Result<(Vec<f64>, Vec<f64>), AnalysisError> {
        let (m, n) = (residual.len(), self.units.len());
        let mut rows = vec![0.0; m.max(n) * n];
        let mut change = vec![0.0; n];
        for j in 0..n {
            let step = DIFFERENCE * self.units[j];
            change[j] = step;
            let ahead = self.residual(ws, &change)?;
            change[j] = -step;
            let behind = self.residual(ws, &change)?;
            change[j] = 0.0;
            for i in 0..m {
                rows[i * n + j] = (ahead[i] - behind[i]) / (2.0 * step) * self.units[j];
            }
        }
        // Every equation in units of its largest derivative.
        let sizes: Vec<f64> = (0..m)
            .map(|i| rows[i * n..(i + 1) * n].iter().fold(0.0f64, |a, x| a.max(x.abs())).max(f64::MIN_POSITIVE))
            .collect();
        for (row, size) in rows.chunks_exact_mut(n).zip(&sizes) {
            row.iter_mut().for_each(|x| *x /= size);
        }
        let (mut left, mut sigma) = (vec![0.0; m * m], vec![0.0; m]);
        orthogonalise_rows(&mut rows, &mut left, &mut sigma, (m, n));
        for k in 0..m.min(n) {
            if !(sigma[k] > TRUNCATED * sigma[0]) {
                break;
            }
            let along: f64 = (0..m).map(|i| left[k * m + i] * residual[i] / sizes[i]).sum();
            let factor = -along / (sigma[k] * sigma[k]);
            (0..n).for_each(|j| change[j] += factor * rows[k * n + j]);
        }
        let moved = self.point.size() + self.spins.len();
        let longest = change[..moved].iter().fold(0.0f64, |a, x| a.max(x.abs()));
        let scale = if longest > LONGEST { LONGEST / longest } else { 1.0 };
        Ok((change.iter().zip(&self.units).map(|(x, unit)| scale * x * unit).collect(), sizes))
    }

    /// Takes over a change whose evaluation is in the workspace.
    fn accept(&mut self, ws: &mut Workspace, change: &[f64]) -> Result<(), AnalysisError> {
        let system = self.point.system;
        let mut state = self.point.state.clone();
        state.q.copy_from_slice(&ws.q);
        state.v.copy_from_slice(&ws.v);
        state.auxiliary[system.element_states.clone()].copy_from_slice(&ws.auxiliary[system.element_states.clone()]);
        let before = self.point.coordinates.clone();
        closure::choose_coordinates(system, &mut state, ws, false);
        self.point = OperatingPoint::new(system, &state, ws, false)?;
        if let Some(force) = self.held.and(change.last()) {
            self.force += force;
        }
        if self.point.coordinates != before {
            let units = self.point.coordinates.iter().map(|&c| self.point.units[c].min(1.0));
            self.units.splice(..before.len(), units);
            for (v, i, _) in &mut self.travel {
                *i = self.point.coordinates.iter().position(|c| c == v).unwrap_or(*i);
            }
        }
        Ok(())
    }

    fn run(mut self, ws: &mut Workspace) -> Result<(Search<'a>, Vec<f64>, usize), AnalysisError> {
        let none = vec![0.0; self.units.len()];
        let mut residual = self.residual(ws, &none)?;
        let mut iteration = 0;
        while iteration < ITERATIONS {
            let (mut step, sizes) = self.step(ws, &residual)?;
            // Accelerations of stiff and of soft motions compare by the changes that cause them.
            let scaled = |residual: &[f64]| {
                let parts: Vec<f64> = residual.iter().zip(&sizes).map(|(x, size)| x / size).collect();
                size(&parts)
            };
            let mut better = None;
            for _ in 0..HALVINGS {
                if let Ok(found) = self.residual(ws, &step)
                    && scaled(&found) < scaled(&residual)
                {
                    better = Some(found);
                    break;
                }
                step.iter_mut().for_each(|x| *x *= 0.5);
            }
            let Some(found) = better else { break };
            self.accept(ws, &step)?;
            let improved = scaled(&found) < 0.5 * scaled(&residual);
            residual = self.residual(ws, &none)?;
            iteration += 1;
            if size(&residual) <= BALANCED && !improved {
                break;
            }
        }
        if size(&residual) <= BALANCED {
            Ok((self, residual, iteration))
        } else {
            Err(self.explain(ws, &residual, iteration))
        }
    }

    /// Which coordinate is not balanced.
    fn explain(&self, ws: &Workspace, residual: &[f64], iterations: usize) -> AnalysisError {
        let worst =
            |list: &[f64]| (0..list.len()).max_by(|&a, &b| list[a].abs().total_cmp(&list[b].abs())).unwrap_or(0);
        let n = self.point.size();
        let at = worst(residual);
        if at >= n {
            let index = self.point.system.element_states.start + at - n;
            let of = self.point.system.elements.iter().find(|element| element.states().contains(&index));
            let name = of.map_or("", |element| element.name());
            return AnalysisError::Drifting { element: name.to_string(), rate: residual[at], iterations };
        }
        let forces = self.point.reduced_force(ws);
        let (coordinate, unit) = (self.point.name(at), self.point.force_unit(at));
        AnalysisError::NotFound { coordinate, force: forces[at], unit, iterations }
    }

    /// The state, and the report.
    fn finish(
        self,
        ws: &mut Workspace,
        residual: &[f64],
        iterations: usize,
        before: &State,
    ) -> Result<(State, Equilibrium), AnalysisError> {
        let (system, n) = (self.point.system, self.point.size());
        let fault = |fault: Fault| AnalysisError::Fault(system.describe(&fault));
        let reduced: Vec<f64> =
            (0..n).map(|i| (0..n).map(|j| self.point.mass[i * n + j] * residual[j]).sum()).collect();
        let mut state = self.point.state.clone();
        self.point.load(ws);
        settle(system, &state, ws, state.time).map_err(fault)?;
        state.q.copy_from_slice(&ws.q);
        state.v.copy_from_slice(&ws.v);
        state.repartitions = before.repartitions;
        let speed =
            floating(system).next().map_or(0.0, |v| state.v[v..v + 3].iter().map(|x| x * x).sum::<f64>().sqrt());
        let acceleration = residual[..n].iter().fold(0.0f64, |a, x| a.max(x.abs()));
        let found = Equilibrium {
            iterations,
            forces: reduced.iter().enumerate().map(|(i, force)| (self.point.name(i), *force)).collect(),
            energy: energy::potential(system, &state, ws),
            unstable: 0,
            driving: Some(Driving { speed, held: self.force, acceleration }),
        };
        Ok((state, found))
    }
}

/// Largest entry.
fn size(residual: &[f64]) -> f64 {
    residual.iter().fold(0.0f64, |a, x| if x.is_nan() { f64::NAN } else { a.max(x.abs()) })
}
