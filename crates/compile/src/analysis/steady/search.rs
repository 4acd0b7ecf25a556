//! Newton's method for steady driving and for rest on tyres, from a guess near the solution.

use super::bench::{self, Bench, controls, place};
use crate::analysis::equilibrium::{Driving, Equilibrium};
use crate::analysis::operating_point::{AnalysisError, DIFFERENCE, OperatingPoint};
use ballesta_solver::dynamics::{calc_loads, choice, close_stage, energy, kinematics, load_stage};
use ballesta_solver::force::vehicle::SpeedControl;
use ballesta_solver::force::{Bristles, Element};
use ballesta_solver::math::svd::orthogonalise_rows;
use ballesta_solver::math::{Vec3, largest, limited, linear, rotation};
use ballesta_solver::system::workspace::Stage;
use ballesta_solver::system::{Fault, State, System, Workspace};

/// Largest number of Newton steps.
pub const ITERATIONS: usize = 25;
/// Singular values of the scaled Jacobian below this fraction of the largest count as zero.
pub const SINGULAR_VALUE_TOLERANCE: f64 = 1e-11;
/// Largest remaining acceleration, in m/s² and rad/s².
pub const BALANCE_TOLERANCE: f64 = 1e-9;
/// A larger acceleration may remain if a change of the most effective unknown by this fraction of its unit causes it:
/// round-off.
const ROUNDING: f64 = 1e-13;
/// Forces below this fraction of the loads are round-off, as in [`crate::analysis::equilibrium`]: weights and forces of
/// springs are sums of many terms with long levers, each rounded to 1e-16.
const ROUNDING_OF_LOADS: f64 = 1e-12;
/// Largest step of positions and speeds of wheels, in their units.
const MAX_STEP: f64 = 0.1;
/// Largest number of halvings of a step.
const HALVINGS: usize = 12;
/// A Jacobian is used for further steps as long as each leaves less than this fraction of the residual.
const MAX_RESIDUAL_RATIO: f64 = 0.1;
/// A balanced state is improved further as long as each step leaves less than this fraction of the residual.
const MAX_IMPROVEMENT_RATIO: f64 = 0.5;
/// Largest speed on the path that deflects carcasses and bristles, m/s or rad/s: slow enough to be quasi-static.
const MAX_PATH_SPEED: f64 = 1e-6;
/// Steps on this path.
const PIECES: usize = 24;

/// Floating bodies that move as one: a vehicle at speed.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its tree joints; the first one leads.
    pub joints: Vec<usize>,
    /// Direction of travel along the road, and direction to its left.
    pub axes: [Vec3; 2],
    /// Normal of the road.
    pub normal: Vec3,
    /// Target speed, m/s.
    pub speed: f64,
    /// Speeds along the axes, m/s, and about the normal, rad/s.
    pub twist: [f64; 3],
    /// Force along the direction of travel on the point of the leading joint, N.
    pub force: f64,
    /// Number of the element of its speed control, if that can hold the speed.
    pub control: Option<usize>,
    /// 1, or −1 if the control measures a negative speed.
    pub sense: f64,
}

impl Group {
    /// Velocity of the group at a point, and its rate.
    fn velocity(&self, lead: &Vec3, point: &Vec3) -> (Vec3, Vec3) {
        let spin = self.normal * self.twist[2];
        let velocity = self.axes[0] * self.twist[0] + self.axes[1] * self.twist[1] + spin.cross(&(point - lead));
        (velocity, spin.cross(&velocity))
    }

    /// Writes the velocities of its floating bodies into `v`, and their rates into `rates`.
    pub fn spread(&self, system: &System, q: &[f64], v: &mut [f64], rates: &mut [f64]) {
        let lead = place(&system.joints[self.joints[0]], q);
        for joint in self.joints.iter().map(|&tree| &system.joints[tree]) {
            let (velocity, rate) = self.velocity(&lead, &place(joint, q));
            let attitude = &q[joint.q + 3..joint.q + 7];
            let attitude = rotation::matrix(&[attitude[0], attitude[1], attitude[2], attitude[3]]);
            let spin = attitude.tr_mul(&(self.normal * self.twist[2]));
            v[joint.v..joint.v + 3].copy_from_slice(velocity.as_slice());
            v[joint.v + 3..joint.v + 6].copy_from_slice(spin.as_slice());
            rates[joint.v..joint.v + 3].copy_from_slice(rate.as_slice());
        }
    }
}

/// Displacement of a vehicle at rest from the position with undeflected carcasses and bristles.
#[derive(Clone, Debug)]
pub struct CarcassDisplacement {
    start: State,
    /// Change of all velocity coordinates.
    change: Vec<f64>,
}

/// Elements whose states do not change with displacements of a vehicle: they follow signals or depend on time.
fn is_control(element: &Element) -> bool {
    use Element::{BrakeLine, Driver, Engine, SpeedControl};
    matches!(element, SpeedControl(_) | Driver(_) | BrakeLine(_) | Engine(_))
}

impl CarcassDisplacement {
    /// From `start`, without displacement.
    pub fn new(start: &State) -> CarcassDisplacement {
        CarcassDisplacement { start: start.clone(), change: vec![0.0; start.v.len()] }
    }

    /// The states of force elements after the displacement `change` along a straight and slow path: Runge-Kutta 4 at
    /// the positions of the start.
    fn states(&self, system: &System, ws: &mut Workspace, change: &[f64]) -> Vec<f64> {
        let largest = change.iter().fold(0.0f64, |a, x| a.max(x.abs()));
        let mut states = self.start.auxiliary.clone();
        if !(largest > 0.0) {
            return states;
        }
        let speed = MAX_PATH_SPEED / largest;
        load_stage(system, &self.start, ws, self.start.time);
        ws.stage.v.iter_mut().zip(change).for_each(|(v, x)| *v = x * speed);
        kinematics::calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
        kinematics::calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
        let moving: Vec<usize> = system
            .elements
            .iter()
            .filter(|e| !is_control(e) && e.bristles().is_none())
            .flat_map(|element| element.states())
            .collect();
        let rates = |states: &[f64], ws: &mut Workspace| {
            ws.stage.auxiliary.copy_from_slice(states);
            calc_loads(system, &self.start.parameters, ws);
            moving.iter().map(|&k| ws.rates.auxiliary[k]).collect::<Vec<f64>>()
        };
        let h = 1.0 / (speed * PIECES as f64);
        for _ in 0..PIECES {
            let ahead = |rates: &[f64], part: f64| {
                let mut ahead = states.clone();
                moving.iter().zip(rates).for_each(|(&k, rate)| ahead[k] += part * h * rate);
                ahead
            };
            let k1 = rates(&states, ws);
            let k2 = rates(&ahead(&k1, 0.5), ws);
            let k3 = rates(&ahead(&k2, 0.5), ws);
            let k4 = rates(&ahead(&k3, 1.0), ws);
            for (i, &k) in moving.iter().enumerate() {
                states[k] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
            }
        }
        // The displacement deflects bristles of friction and brakes until they slide; their relaxation in time is
        // ignored.
        for element in &system.elements {
            if let Some(Bristles { coordinate, state, law }) = element.bristles() {
                states[state] = (states[state] + change[coordinate.velocity] / law.travel).clamp(-1.0, 1.0);
            }
        }
        states
    }
}

/// The iterate with its unknowns: positions, speeds of wheels, states of elements, and three per group: speed to the
/// left, speed about the normal, and speed ahead or the force that holds the speed.
pub struct Search<'a> {
    system: &'a System,
    point: OperatingPoint<'a>,
    groups: Vec<Group>,
    /// For a vehicle at rest; `None` for a moving vehicle.
    way: Option<CarcassDisplacement>,
    /// Independent coordinates whose positions are unknown.
    moved: Vec<usize>,
    /// Velocity coordinates of wheels whose speeds are unknown.
    spins: Vec<usize>,
    /// Auxiliary states that are unknown.
    states: Vec<usize>,
    /// Sizes of the unknowns.
    units: Vec<f64>,
}

/// Derivatives of all equations with respect to all unknowns, decomposed: m equations, n unknowns.
struct Jacobian {
    /// σ_k v_kᵀ by rows, in the units below.
    rows: Vec<f64>,
    /// u_k by rows, m × m.
    left: Vec<f64>,
    /// Singular values, m.
    sigma: Vec<f64>,
    /// Units of the equations: their largest derivatives, m.
    sizes: Vec<f64>,
    /// Largest effects of the unknowns, n, a second scale in addition to their units.
    effects: Vec<f64>,
}

/// A state computed by the search, with its data.
pub struct SearchResult {
    pub state: State,
    pub groups: Vec<Group>,
    pub way: Option<CarcassDisplacement>,
    pub report: Equilibrium,
}

impl<'a> Search<'a> {
    /// `groups`: of moving vehicles; `way`: of a vehicle at rest.
    pub fn new(
        bench: &'a Bench,
        state: &State,
        ws: &mut Workspace,
        groups: Vec<Group>,
        way: Option<CarcassDisplacement>,
    ) -> Result<Search<'a>, AnalysisError> {
        let system = &bench.system;
        let mut state = state.clone();
        let mut rates = vec![0.0; system.nv];
        groups.iter().for_each(|group| group.spread(system, &state.q, &mut state.v, &mut rates));
        let point = OperatingPoint::new(system, &state, ws, way.is_some())?;
        let (moved, spins, states, units) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut search = Search { system, point, groups, way, moved, spins, states, units };
        search.number();
        Ok(search)
    }

    /// Chooses the unknowns for the available coordinates.
    fn number(&mut self) {
        let (system, point) = (self.system, &self.point);
        let tyres = system.elements.iter().filter_map(|element| match element {
            Element::Tyre(tyre) => Some(tyre.coordinate.velocity),
            _ => None,
        });
        let standing = self.way.is_some();
        let mut wheels: Vec<usize> = tyres.filter(|v| point.coordinates.contains(v)).collect();
        wheels.sort_unstable();
        wheels.dedup();
        // Position and heading of a vehicle on a plane road are neutral, and so are the angles of its wheels.
        let leading = self.groups.iter().map(|group| &system.joints[group.joints[0]]);
        let neutral: Vec<usize> = leading.flat_map(|joint| [joint.v, joint.v + 1, joint.v + 5]).collect();
        let fixed = |v: &usize| !standing && (wheels.contains(v) || neutral.contains(v));
        self.moved = (0..point.size()).filter(|&i| !fixed(&point.coordinates[i])).collect();
        self.spins = if standing { Vec::new() } else { wheels.clone() };
        let held: Vec<usize> = self.groups.iter().filter_map(|group| self.control(group)).map(|c| c.state).collect();
        let mut all: Vec<usize> = controls(system).map(|(_, control)| control.state).collect();
        // Drivers continue along their path, and the pressure in brake lines is unchanged.
        all.extend(system.givers().flat_map(|giver| giver.states()));
        let states = system.element_states.clone().filter(|k| !standing && (held.contains(k) || !all.contains(k)));
        self.states = states.collect();
        let weight: f64 = system.bodies.iter().map(|body| body.mass).sum::<f64>() * system.gravity.norm();
        let mut units: Vec<f64> = self.moved.iter().map(|&i| point.units[point.coordinates[i]].min(1.0)).collect();
        units.extend(self.spins.iter().map(|&v| point.state.v[v].abs().max(1.0)));
        // Torques of controls are of the order of a tenth of the weight on a lever of 1 m; other states are
        // deflections.
        units.extend(self.states.iter().map(|k| match held.contains(k) {
            true => 0.1 * weight.max(1.0),
            false => point.state.auxiliary[*k].abs().max(0.01),
        }));
        for group in &self.groups {
            let last = if group.control.is_some() { group.speed.max(1.0) } else { weight.max(1.0) };
            units.extend([0.1 * group.speed.max(1.0), 0.1, last]);
        }
        self.units = units;
    }

    fn control(&self, group: &Group) -> Option<&'a SpeedControl> {
        group.control.and_then(|at| match &self.system.elements[at] {
            Element::SpeedControl(control) => Some(control),
            _ => None,
        })
    }

    /// The groups with the last unknowns of `change` added.
    fn changed_groups(&self, change: &[f64]) -> Vec<Group> {
        let first = change.len() - 3 * self.groups.len();
        let changed = self.groups.iter().zip(change[first..].chunks_exact(3)).map(|(group, x)| {
            let mut group = group.clone();
            group.twist[1] += x[0];
            group.twist[2] += x[1];
            *if group.control.is_some() { &mut group.twist[0] } else { &mut group.force } += x[2];
            group
        });
        changed.collect()
    }

    /// Change of all coordinates per change of the unknown positions.
    fn displacement(&self, change: &[f64]) -> Vec<f64> {
        let mut full = vec![0.0; self.point.size()];
        self.moved.iter().zip(change).for_each(|(&i, x)| full[i] = *x);
        full
    }

    /// Residual forces of the steady motion along the independent coordinates, and rates of the elements' states, with
    /// the unknowns changed by `change`. Leaves the closed positions in the workspace.
    fn residual(&self, ws: &mut Workspace, change: &[f64]) -> Result<Vec<f64>, AnalysisError> {
        let (system, n) = (self.system, self.point.size());
        let full = self.displacement(change);
        let groups = self.changed_groups(change);
        let mut wanted = vec![0.0; system.nv];
        match &self.way {
            Some(way) => {
                let mut whole = way.change.clone();
                for (v, total) in whole.iter_mut().enumerate() {
                    *total += self.point.motion[v * n..(v + 1) * n].iter().zip(&full).map(|(r, x)| r * x).sum::<f64>();
                }
                let states = way.states(system, ws, &whole);
                self.point.load_at_rest(ws);
                ws.stage.auxiliary.copy_from_slice(&states);
                self.point.displace(ws, &full);
            }
            None => {
                self.point.load(ws);
                self.point.displace(ws, &full);
                let (spins, states) = (self.moved.len(), self.moved.len() + self.spins.len());
                self.spins.iter().zip(&change[spins..]).for_each(|(&v, x)| ws.stage.v[v] += x);
                self.states.iter().zip(&change[states..]).for_each(|(&k, x)| ws.stage.auxiliary[k] += x);
                let Stage { q, v, .. } = &mut ws.stage;
                groups.iter().for_each(|group| group.spread(system, q, v, &mut wanted));
            }
        }
        self.point.evaluate(ws)?;
        // In forces, (Rᵀ M R) z̈, stiff modes of bodies do not spread over all coordinates.
        let l = &ws.dense.reduced_mass[..n * n];
        let free: Vec<f64> = self.point.coordinates.iter().map(|&c| ws.accelerations.zdd[c] - wanted[c]).collect();
        let inner: Vec<f64> = (0..n).map(|j| (j..n).map(|i| l[i * n + j] * free[i]).sum()).collect();
        let mut residual: Vec<f64> = (0..n).map(|i| (0..=i).map(|j| l[i * n + j] * inner[j]).sum()).collect();
        for group in groups.iter().filter(|group| group.control.is_none()) {
            let first = system.joints[group.joints[0]].v;
            for (force, &c) in residual.iter_mut().zip(&self.point.coordinates) {
                if (first..first + 3).contains(&c) {
                    *force += group.axes[0][c - first] * group.force;
                }
            }
        }
        residual.extend(self.states.iter().map(|&k| {
            // A driver holds the start speed here, whatever its later target speed is.
            let own = groups.iter().find_map(|group| {
                let control = self.control(group).filter(|control| control.state == k)?;
                Some(group.sense * control.speed(&ws.surroundings(&self.point.state)) - group.speed)
            });
            own.unwrap_or(ws.rates.auxiliary[k])
        }));
        Ok(residual)
    }

    /// The Jacobian of `count` equations by central differences, decomposed.
    fn jacobian(&self, ws: &mut Workspace, count: usize) -> Result<Jacobian, AnalysisError> {
        let (m, n) = (count, self.units.len());
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
        // Every equation in units of its largest derivative. An equation that no unknown changes keeps its unit.
        let largest = |row: &[f64]| row.iter().fold(0.0f64, |a, x| a.max(x.abs()));
        let sizes: Vec<f64> = rows.chunks_exact(n.max(1)).take(m).map(largest).collect();
        let sizes: Vec<f64> = sizes.iter().map(|&size| if size > 0.0 { size } else { 1.0 }).collect();
        // Friction at rest can hold any force: its state is fixed.
        let first = self.point.size();
        let column = self.moved.len() + self.spins.len();
        for k in 0..self.states.len() {
            if rows[(first + k) * n..(first + k + 1) * n].iter().all(|entry| *entry == 0.0) {
                (0..m).for_each(|i| rows[i * n + column + k] = 0.0);
            }
        }
        for (row, size) in rows.chunks_exact_mut(n.max(1)).zip(&sizes) {
            row.iter_mut().for_each(|x| *x /= size);
        }
        // Every unknown is also scaled by its largest effect: stiff modes then have the same size as soft springs.
        let effects: Vec<f64> = (0..n).map(|j| (0..m).fold(0.0f64, |a, i| a.max(rows[i * n + j].abs()))).collect();
        let effects: Vec<f64> = effects.iter().map(|&effect| if effect > 0.0 { effect } else { 1.0 }).collect();
        for row in rows.chunks_exact_mut(n.max(1)) {
            row.iter_mut().zip(&effects).for_each(|(x, effect)| *x /= effect);
        }
        let (mut left, mut sigma) = (vec![0.0; m * m], vec![0.0; m]);
        orthogonalise_rows(&mut rows, &mut left, &mut sigma, (m, n));
        Ok(Jacobian { rows, left, sigma, sizes, effects })
    }

    /// Least change of the unknowns that cancels the residual, and whether it was not limited in length.
    fn step(&self, jacobian: &Jacobian, residual: &[f64]) -> (Vec<f64>, bool) {
        let Jacobian { rows, left, sigma, sizes, effects } = jacobian;
        let (m, n) = (residual.len(), self.units.len());
        let mut change = vec![0.0; n];
        for k in 0..m.min(n) {
            if !(sigma[k] > SINGULAR_VALUE_TOLERANCE * sigma[0]) {
                break;
            }
            let along: f64 = (0..m).map(|i| left[k * m + i] * residual[i] / sizes[i]).sum();
            let factor = -along / (sigma[k] * sigma[k]);
            (0..n).for_each(|j| change[j] += factor * rows[k * n + j]);
        }
        change.iter_mut().zip(effects).for_each(|(x, effect)| *x /= effect);
        let moved = self.moved.len() + self.spins.len();
        let longest = change[..moved].iter().fold(0.0f64, |a, x| a.max(x.abs()));
        let scale = if longest > MAX_STEP { MAX_STEP / longest } else { 1.0 };
        (change.iter().zip(&self.units).map(|(x, unit)| scale * x * unit).collect(), scale == 1.0)
    }

    /// Accepts a change whose evaluation is in the workspace. Returns whether the unknowns are still the same.
    fn accept(&mut self, ws: &mut Workspace, change: &[f64]) -> Result<bool, AnalysisError> {
        let (system, n) = (self.system, self.point.size());
        let mut state = self.point.state.clone();
        state.q.copy_from_slice(&ws.stage.q);
        state.v.copy_from_slice(&ws.stage.v);
        state.auxiliary[system.element_states.clone()]
            .copy_from_slice(&ws.stage.auxiliary[system.element_states.clone()]);
        let full = self.displacement(change);
        if let Some(way) = &mut self.way {
            for (v, total) in way.change.iter_mut().enumerate() {
                *total += self.point.motion[v * n..(v + 1) * n].iter().zip(&full).map(|(r, x)| r * x).sum::<f64>();
            }
        }
        self.groups = self.changed_groups(change);
        let before = self.point.coordinates.clone();
        let (mut tree, blocks) = ws.open_tree();
        choice::choose_coordinates(system, &mut state, &mut tree, blocks, false);
        self.point = OperatingPoint::new(system, &state, ws, self.way.is_some())?;
        let same = self.point.coordinates == before;
        if !same {
            self.number();
        }
        Ok(same)
    }

    /// The steady state, or the reason why there is none.
    pub fn run(mut self, ws: &mut Workspace, before: &State) -> Result<SearchResult, AnalysisError> {
        let mut none = vec![0.0; self.units.len()];
        let mut residual = self.residual(ws, &none)?;
        let mut iteration = 0;
        let mut balanced = false;
        let mut known: Option<Jacobian> = None;
        while iteration < ITERATIONS {
            let anew = known.is_none();
            let jacobian = match known.take() {
                Some(jacobian) => jacobian,
                None => self.jacobian(ws, residual.len())?,
            };
            let (mut step, whole) = self.step(&jacobian, &residual);
            let left = |residual: &[f64]| largest(residual.iter().zip(&jacobian.sizes).map(|(x, size)| x / size));
            let before_step = left(&residual);
            if anew {
                balanced = self.balanced(ws, &residual, &jacobian.sizes);
            }
            // A balanced state is improved as long as that costs little.
            let (tries, wanted) = match (anew, balanced) {
                (true, _) => (HALVINGS, 1.0),
                (false, true) => (1, MAX_IMPROVEMENT_RATIO),
                (false, false) => (1, MAX_RESIDUAL_RATIO),
            };
            let mut better = None;
            for halvings in 0..tries {
                if let Ok(found) = self.residual(ws, &step)
                    && left(&found) < wanted * before_step
                {
                    better = Some((left(&found), halvings == 0 && whole));
                    break;
                }
                step.iter_mut().for_each(|x| *x *= 0.5);
            }
            let Some((after, whole)) = better else {
                if anew || balanced {
                    break;
                }
                continue;
            };
            let same = self.accept(ws, &step)?;
            none.resize(self.units.len(), 0.0);
            residual = self.residual(ws, &none)?;
            balanced = residual.len() == jacobian.sizes.len() && self.balanced(ws, &residual, &jacobian.sizes);
            iteration += 1;
            if balanced && !(after < MAX_IMPROVEMENT_RATIO * before_step) {
                break;
            }
            if same && whole && (balanced || after < MAX_RESIDUAL_RATIO * before_step) {
                known = Some(jacobian);
            }
        }
        if balanced { self.finish(ws, &residual, iteration, before) } else { Err(self.explain(&residual, iteration)) }
    }

    /// Accelerations that correspond to the residual forces.
    fn accelerations(&self, residual: &[f64]) -> Vec<f64> {
        let n = self.point.size();
        let mut accelerations = residual[..n].to_vec();
        linear::solve_lower(&self.point.mass_factor, n, &mut accelerations);
        linear::solve_lower_transposed(&self.point.mass_factor, n, &mut accelerations);
        accelerations
    }

    /// Whether the residual is zero to rounding: forces less their round-off cause no acceleration. The scale is given
    /// by the loads of the evaluation in the workspace.
    fn balanced(&self, ws: &Workspace, residual: &[f64], sizes: &[f64]) -> bool {
        let n = self.point.size();
        let states =
            residual[n..].iter().zip(&sizes[n..]).all(|(x, size)| x.abs() <= BALANCE_TOLERANCE.max(ROUNDING * size));
        let loads = ROUNDING_OF_LOADS * self.point.load_energy(ws);
        let beyond: Vec<f64> = (0..n)
            .map(|i| {
                let rounding = ROUNDING * sizes[i] + loads / self.point.units[self.point.coordinates[i]];
                let rounding = rounding.max(0.0);
                residual[i] - limited(residual[i], rounding)
            })
            .collect();
        states && self.accelerations(&beyond).iter().all(|x| x.abs() <= BALANCE_TOLERANCE)
    }

    /// Whether no acceleration above `limit` remains at the state of the search.
    pub fn judge(&self, ws: &mut Workspace, limit: f64) -> Result<(), AnalysisError> {
        let residual = self.residual(ws, &vec![0.0; self.units.len()])?;
        match self.accelerations(&residual).iter().all(|x| x.abs() <= limit) {
            true => Ok(()),
            false => Err(self.explain(&residual, 0)),
        }
    }

    /// The coordinate that is not balanced.
    fn explain(&self, residual: &[f64], iterations: usize) -> AnalysisError {
        let n = self.point.size();
        let worst = (0..n).max_by(|&a, &b| residual[a].abs().total_cmp(&residual[b].abs())).unwrap_or(0);
        let state = (n..residual.len()).max_by(|&a, &b| residual[a].abs().total_cmp(&residual[b].abs()));
        let accelerated = self.accelerations(residual).iter().any(|x| x.abs() > BALANCE_TOLERANCE);
        if let Some(at) = state.filter(|_| !accelerated) {
            let index = self.states[at - n];
            let of = self.system.elements.iter().find(|element| element.states().contains(&index));
            let name = of.map_or("", |element| element.name());
            return AnalysisError::Drifting { element: name.to_string(), rate: residual[at], iterations };
        }
        let (coordinate, unit) = (self.point.name(worst), self.point.force_unit(worst));
        AnalysisError::NotFound { coordinate, force: residual[worst], unit, iterations }
    }

    /// The state, and the report.
    fn finish(
        self,
        ws: &mut Workspace,
        residual: &[f64],
        iterations: usize,
        before: &State,
    ) -> Result<SearchResult, AnalysisError> {
        // The residual that remains is stated as acceleration.
        let (system, n) = (self.system, self.point.size());
        let fault = |fault: Fault| AnalysisError::Fault(system.describe(&fault));
        let acceleration = largest(self.accelerations(residual));
        // A vehicle at rest has no speeds; loops are closed again with the final coordinates.
        let mut state = self.point.state.clone();
        if self.way.is_some() {
            state.v.fill(0.0);
        }
        load_stage(system, &state, ws, state.time);
        close_stage(system, &state, ws, state.time).map_err(fault)?;
        state.q.copy_from_slice(&ws.stage.q);
        state.v.copy_from_slice(&ws.stage.v);
        // Changes of coordinates during the search do not count as changes during the run.
        state.repartitions = before.repartitions;
        // Speed of the first floating body, and the force that holds the speed.
        let lead = bench::roots(system).next().map(|(_, joint)| joint.v);
        let speed = lead.map_or(0.0, |v| state.v[v..v + 3].iter().map(|x| x * x).sum::<f64>().sqrt());
        let group = self.groups.first();
        let driving = Driving {
            speed,
            held: group.map_or(0.0, |group| group.force),
            acceleration,
            turning: group.map_or(0.0, |group| group.twist[2]),
            torque: None,
            target: None,
            weight_turns: false,
        };
        let report = Equilibrium {
            iterations,
            forces: residual[..n].iter().enumerate().map(|(i, force)| (self.point.name(i), *force)).collect(),
            energy: energy::potential(system, &state, ws),
            unstable: 0,
            driving: Some(driving),
        };
        Ok(SearchResult { state, groups: self.groups, way: self.way, report })
    }
}
