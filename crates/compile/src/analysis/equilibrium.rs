//! Static equilibrium: positions at which Rᵀ Q vanishes with all speeds zero and driven coordinates held fixed.
//!
//! Newton's method on the independent coordinates. The stiffness K = −∂(Rᵀ Q)/∂z, exact to rounding
//! ([`ballesta_solver::dynamics::tangent`]), is symmetrised and decomposed with the reduced mass, K φ = s Rᵀ M R φ.
//! Every direction is treated separately: a step φᵀQ/|s| along it descends the potential energy, also for negative s,
//! and its length is limited. A direction without force is not changed, whatever its stiffness, so neutral coordinates
//! (a wheel that can spin, a body that floats without weight) keep their values. If follower loads make K unsymmetric
//! and all stiffnesses are positive, the step uses the unsymmetric K, which keeps the quadratic convergence.
//!
//! A step is halved until the loops close and the forces do positive work along it, by the trapezoidal rule. For
//! conservative forces this is descent of the potential energy, without its cancellation near the end. It needs no
//! potential where inputs, forces and drives act.
//!
//! Limits: at most [`ITERATIONS`] iterations; an equilibrium in a singular position of a loop is not found; the result
//! may be an unstable equilibrium if the search starts there.
//!
//! Verified by: tests/motion/verification/linear.rs. Offline: allocates.

use super::operating_point::{AnalysisError, OperatingPoint};
use ballesta_solver::assembly::sticking;
use ballesta_solver::dynamics::tangent::{LANES, Tangent, Variable};
use ballesta_solver::dynamics::{choice, close_stage, energy};
use ballesta_solver::math::{eigen, limited, linear};
use ballesta_solver::system::{State, System, Workspace};

/// Largest number of iterations.
pub const ITERATIONS: usize = 100;
/// Largest change of a coordinate in one iteration, in its units.
const MAX_CHANGE: f64 = 0.2;
/// Forces below this fraction of the loads, and of the stiffness, are round-off.
const FORCE_TOLERANCE: f64 = 1e-12;
/// Changes below this, in units of the coordinates, are negligible.
const CHANGE_TOLERANCE: f64 = 1e-13;
/// Stiffnesses below this fraction of the largest count as zero when the absence of an equilibrium is explained.
const STIFFNESS_TOLERANCE: f64 = 1e-9;
/// Largest number of halvings of a step.
const HALVINGS: usize = 30;

/// A computed equilibrium.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// Newton steps.
    pub iterations: usize,
    /// Remaining forces along the independent coordinates: name, N or N m.
    pub forces: Vec<(String, f64)>,
    /// Potential energy of weight and springs, J.
    pub energy: f64,
    /// Number of directions with negative stiffness. The equilibrium is unstable if there are any.
    pub unstable: usize,
    /// For a vehicle: the additional result of [`super::steady`].
    pub driving: Option<Driving>,
}

/// Steady driving, or rest on tyres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Driving {
    /// Speed of the first floating body, m/s.
    pub speed: f64,
    /// Force on it along the direction of travel, N, without which the speed would change.
    pub held: f64,
    /// Largest remaining acceleration with that force, rad/s² or m/s².
    pub acceleration: f64,
    /// Speed of the turn about the road's normal, rad/s.
    pub turning: f64,
    /// Torque of the speed control at `speed`, N m.
    pub torque: Option<f64>,
    /// Target speed of a speed control, m/s, if it differs from the start speed.
    pub target: Option<f64>,
    /// The turn is not steady because the road is inclined.
    pub weight_turns: bool,
}

impl Equilibrium {
    /// Largest remaining force, N or N m.
    pub fn largest_force(&self) -> f64 {
        self.forces.iter().map(|(_, force)| force.abs()).fold(0.0, f64::max)
    }
}

/// The equilibrium that the search reaches from `state`, and notes about it.
pub fn find(system: &System, state: &State, ws: &mut Workspace) -> Result<(State, Equilibrium), AnalysisError> {
    let mut at = state.clone();
    // A sliding mechanism has no equilibrium with friction at its limit, so the search ignores this friction.
    sticking::release(system, &mut at, ws);
    at.v.fill(0.0);
    let mut iteration = 0;
    loop {
        let point = OperatingPoint::new(system, &at, ws, true)?;
        let directions = Directions::new(&point, ws);
        if directions.balanced() {
            return finish(&point, &directions, ws, state, iteration);
        }
        let moved = iteration < ITERATIONS && walk(&point, &directions, ws)?;
        if !moved {
            return Err(directions.explain(&point, iteration));
        }
        at = point.state.clone();
        at.q.copy_from_slice(&ws.stage.q);
        let (mut tree, blocks) = ws.open_tree();
        choice::choose_coordinates(system, &mut at, &mut tree, blocks, false);
        iteration += 1;
    }
}

/// Forces and stiffnesses along the directions φ.
struct Directions {
    /// Rᵀ Q, n.
    force: Vec<f64>,
    /// Round-off in Rᵀ Q, n.
    rounding: Vec<f64>,
    /// Round-off in a stiffness of zero along each direction, 1/s².
    noise: Vec<f64>,
    /// K, n × n.
    stiffness: Vec<f64>,
    /// Whether K is symmetric to rounding.
    symmetric: bool,
    /// Stiffness s along each direction, 1/s².
    values: Vec<f64>,
    /// Directions φ, mass-normalised.
    shapes: Vec<Vec<f64>>,
    /// Units of the independent coordinates.
    units: Vec<f64>,
}

impl Directions {
    /// From the evaluation at rest that `point` left in the workspace.
    fn new(point: &OperatingPoint, ws: &mut Workspace) -> Directions {
        let n = point.size();
        let units: Vec<f64> = point.coordinates.iter().map(|&coordinate| point.units[coordinate]).collect();
        let force = point.reduced_force(ws);
        let load_energy = point.load_energy(ws);
        // Forces without accelerations: the forces that hold the coordinates.
        ws.accelerations.zdd.fill(0.0);
        let (mut stiffness, mut tangent) = (vec![0.0; n * n], Tangent::new(point.system));
        for (part, directions) in point.coordinates.chunks(LANES).enumerate() {
            tangent.clear();
            (0..directions.len()).for_each(|lane| tangent.seed(lane, Variable::Position(directions[lane]), 1.0));
            tangent.evaluate(point.system, &point.state, ws, point.state.time);
            for lane in 0..directions.len() {
                (0..n).for_each(|i| stiffness[i * n + part * LANES + lane] = tangent.held()[i][lane]);
            }
        }
        let work = |i: usize| (0..n).map(|j| (stiffness[i * n + j] * units[j]).abs()).sum::<f64>();
        let rounding: Vec<f64> =
            (0..n).map(|i| FORCE_TOLERANCE * load_energy / units[i] + 1e-2 * FORCE_TOLERANCE * work(i)).collect();
        let scaled = |i: usize, j: usize| stiffness[i * n + j] * units[i] * units[j];
        let (mut largest, mut skew) = (0.0f64, 0.0f64);
        let mut even = stiffness.clone();
        for i in 0..n {
            for j in 0..n {
                largest = largest.max(scaled(i, j).abs());
                skew = skew.max((scaled(i, j) - scaled(j, i)).abs());
                even[i * n + j] = 0.5 * (stiffness[i * n + j] + stiffness[j * n + i]);
            }
        }
        let symmetric = skew <= 1e-6 * largest.max(load_energy);
        let (values, shapes) = pencil(&even, &point.mass_factor, n);
        let doubt = |at: usize| load_energy / (units[at / n] * units[at % n]) + stiffness[at].abs();
        let doubts: Vec<f64> = (0..n * n).map(|at| FORCE_TOLERANCE * doubt(at)).collect();
        let along = |shape: &Vec<f64>| (0..n * n).map(|at| (shape[at / n] * doubts[at] * shape[at % n]).abs()).sum();
        let noise = shapes.iter().map(along).collect();
        Directions { force, rounding, noise, stiffness, symmetric, values, shapes, units }
    }

    fn along(&self, k: usize, vector: &[f64]) -> f64 {
        self.shapes[k].iter().zip(vector).map(|(x, y)| x * y).sum()
    }

    /// Force along direction k, if it exceeds round-off and can move something.
    fn pull(&self, k: usize) -> Option<f64> {
        let pull = self.along(k, &self.force);
        let rounding: f64 = self.shapes[k].iter().zip(&self.rounding).map(|(x, y)| x.abs() * y).sum();
        let held = self.values[k] > 0.0 && (pull / self.values[k]).abs() * self.extent(k) <= CHANGE_TOLERANCE;
        (pull.abs() > rounding && !held).then_some(pull)
    }

    /// Largest entry of a direction in units of the coordinates.
    fn extent(&self, k: usize) -> f64 {
        self.shapes[k].iter().zip(&self.units).map(|(x, unit)| (x / unit).abs()).fold(0.0, f64::max)
    }

    fn balanced(&self) -> bool {
        (0..self.values.len()).all(|k| self.pull(k).is_none())
    }

    /// The change that cancels the forces, direction by direction, limited in length.
    fn step(&self) -> Vec<f64> {
        let n = self.values.len();
        let mut change = vec![0.0; n];
        for k in 0..n {
            if let Some(pull) = self.pull(k) {
                let limit = MAX_CHANGE / self.extent(k);
                let amount = limited(pull / self.values[k].abs(), limit);
                change.iter_mut().zip(&self.shapes[k]).for_each(|(x, shape)| *x += amount * shape);
            }
        }
        if !self.symmetric && self.values.iter().all(|&value| value > 0.0) {
            let (mut factors, mut exchanges) = (self.stiffness.clone(), vec![0; n]);
            let mut newton = self.force.clone();
            if linear::factor(&mut factors, n, &mut exchanges) > 0.0 {
                linear::solve_lu(&factors, n, &exchanges, &mut newton);
                let uphill = newton.iter().zip(&self.force).map(|(x, force)| x * force).sum::<f64>() <= 0.0;
                if !uphill && newton.iter().all(|x| x.is_finite()) {
                    change = newton;
                }
            }
        }
        let longest = change.iter().zip(&self.units).map(|(x, unit)| (x / unit).abs()).fold(0.0, f64::max);
        let scale = if longest > MAX_CHANGE { MAX_CHANGE / longest } else { 1.0 };
        change.iter_mut().for_each(|x| *x *= scale);
        change
    }

    /// Why the search ended without an equilibrium.
    fn explain(&self, point: &OperatingPoint, iterations: usize) -> AnalysisError {
        let stiffest = self.values.iter().fold(0.0f64, |a, b| a.max(b.abs()));
        let loosest = (0..self.values.len())
            .filter(|&k| self.pull(k).is_some() && self.values[k].abs() <= STIFFNESS_TOLERANCE * stiffest)
            .max_by(|&a, &b| self.along(a, &self.force).abs().total_cmp(&self.along(b, &self.force).abs()));
        let weight = |i: usize| loosest.map_or(1.0, |k| self.shapes[k][i].abs());
        let work = |i: usize| (self.force[i] * self.units[i]).abs() * weight(i);
        let worst = (0..self.force.len()).max_by(|&a, &b| work(a).total_cmp(&work(b))).unwrap_or(0);
        let (coordinate, force, unit) = (point.name(worst), self.force[worst], point.force_unit(worst));
        match loosest {
            Some(_) => AnalysisError::Unsupported { coordinate, force, unit },
            None => AnalysisError::NotFound { coordinate, force, unit, iterations },
        }
    }
}

/// Eigenvalues and mass-normalised shapes of K φ = s M φ; `factor`: lower Cholesky factor of M.
pub(super) fn pencil(stiffness: &[f64], factor: &[f64], n: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    // L⁻¹ K L⁻ᵀ: rows by forward substitution, twice, because K is symmetric.
    let mut scaled = stiffness.to_vec();
    for _ in 0..2 {
        let transposed: Vec<f64> = (0..n * n).map(|at| scaled[at % n * n + at / n]).collect();
        scaled = transposed;
        scaled.chunks_exact_mut(n.max(1)).for_each(|row| linear::solve_lower(factor, n, row));
    }
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (scaled[i * n + j] + scaled[j * n + i]);
            (scaled[i * n + j], scaled[j * n + i]) = (mean, mean);
        }
    }
    let (values, mut shapes) = eigen::symmetric(&scaled, n);
    shapes.iter_mut().for_each(|shape| linear::solve_lower_transposed(factor, n, shape));
    (values, shapes)
}

/// Moves along the step, halved until the loops close and the forces do positive work. Leaves the closed position in
/// `ws.stage.q`. Returns `false` if no step succeeds.
fn walk(point: &OperatingPoint, directions: &Directions, ws: &mut Workspace) -> Result<bool, AnalysisError> {
    let step = directions.step();
    let power = |force: &[f64]| force.iter().zip(&step).map(|(force, x)| force * x).sum::<f64>();
    let size = |force: &[f64]| {
        force.iter().zip(&directions.units).map(|(force, unit)| (force * unit).abs()).fold(0.0, f64::max)
    };
    let (start, before) = (power(&directions.force), size(&directions.force));
    let mut part = 1.0;
    for _ in 0..HALVINGS {
        point.load_at_rest(ws);
        point.displace(ws, &step.iter().map(|x| part * x).collect::<Vec<_>>());
        if point.evaluate(ws).is_ok() {
            let force = point.reduced_force(ws);
            // Near the end the work is round-off; there the forces themselves must decrease.
            if power(&force) >= -0.5 * start || size(&force) <= 0.5 * before {
                return Ok(true);
            }
        }
        part *= 0.5;
    }
    Ok(false)
}

/// The state at rest, and the report.
fn finish(
    point: &OperatingPoint,
    directions: &Directions,
    ws: &mut Workspace,
    before: &State,
    iterations: usize,
) -> Result<(State, Equilibrium), AnalysisError> {
    let system = point.system;
    let mut state = point.state.clone();
    // Driven coordinates keep their speeds, and so do the coordinates that depend on them.
    point.load(ws);
    close_stage(system, &state, ws, state.time).map_err(|fault| AnalysisError::Fault(system.describe(&fault)))?;
    state.q.copy_from_slice(&ws.stage.q);
    state.v.copy_from_slice(&ws.stage.v);
    state.repartitions = before.repartitions;
    Ok((
        state,
        Equilibrium {
            iterations,
            forces: directions.force.iter().enumerate().map(|(i, force)| (point.name(i), *force)).collect(),
            energy: energy::potential(system, &point.state, ws),
            driving: None,
            unstable: {
                let stiffest = directions.values.iter().fold(0.0f64, |a, b| a.max(b.abs()));
                let of = directions.values.iter().zip(&directions.noise);
                of.filter(|&(&value, &noise)| value < -STIFFNESS_TOLERANCE * stiffest && value < -noise).count()
            },
        },
    ))
}
