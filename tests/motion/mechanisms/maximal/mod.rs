//! Accelerations and reactions in absolute coordinates: six per body, every joint (of the tree and of the loops alike),
//! rod, coupler and point constraint as equations that are written from the tables of the model file, nothing taken
//! from the compiled system.
//!
//! With J v̇ = c, M v̇ = Q + Jᵀ λ and the singular value decomposition of J: v̇ = J⁺ c + N y with the null space N of J
//! and (Nᵀ M N) y = Nᵀ (Q − M J⁺ c); λ = (Jᵀ)⁺ (M v̇ − Q), of least norm. Redundant equations and bodies without mass
//! need nothing special as long as Nᵀ M N is regular, which is what makes the motion determinate. A reaction is unique
//! where no λ of the null space of Jᵀ changes it.

pub mod geometry;
mod loads;

use crate::check::larger;
use ballesta::math::Vec3;
use ballesta::model::schema::{CoordinateRef, Guided, Model};
use faer::Mat;
pub use geometry::{BodyState, Row, Scene};
use geometry::{number, place, vector};
use nalgebra::DMatrix;

/// Singular values of J below this are zero. Bodies, lengths and angles are near 1.
const RANK: f64 = 1e-9;
/// What null multipliers of size 1 may change in a unique reaction; they are as large as the reactions, which agree to
/// 1e-8.
const UNIQUE: f64 = 1e-10;

/// A reaction with up to six components.
#[derive(Clone, Debug)]
pub struct Reaction {
    /// Name of the joint, constraint or guided coordinate.
    pub name: String,
    /// Force and moment on the second body about the point that it carries; of rods and points the force; of couplers
    /// and guided coordinates the effort.
    pub value: Vec<f64>,
    /// Which components are unique.
    pub unique: Vec<bool>,
}

/// What follows from a state.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// Of every body's centre of mass, and angular; world axes.
    pub accelerations: Vec<[Vec3; 2]>,
    pub reactions: Vec<Reaction>,
    /// Equations of joints and constraints, and how many of them follow from others.
    pub dof: usize,
    pub redundant: usize,
    /// Smallest singular value that counts, and the largest that does not.
    pub sigma: f64,
    pub zero: f64,
    /// Smallest and largest eigenvalue of Nᵀ M N.
    pub inertia: [f64; 2],
    /// How far the equations of positions and of velocities are from being met in the state.
    pub gaps: [f64; 2],
    /// How far the accelerations are from meeting all their equations, redundant ones included.
    pub inconsistency: f64,
}

/// A reaction as a linear function of the multipliers: per component the factors and what does not depend on them.
struct Functional {
    name: String,
    factors: Vec<Vec<(usize, f64)>>,
    constant: Vec<f64>,
}

/// An effort on the coordinate of a joint: the number of its multiplier with a factor, or its value.
type Effort = Result<(usize, f64), f64>;

/// All equations of a model in a state.
struct Equations {
    rows: Vec<Row>,
    /// Mass, inertia about the centre, load: of bodies, then of rods with mass.
    inertias: Vec<(f64, nalgebra::Matrix3<f64>)>,
    loads: Vec<(Vec3, Vec3)>,
    functionals: Vec<Functional>,
    gaps: [f64; 2],
}

/// Motion of a guided coordinate: position, speed, acceleration.
fn motion(guided: &Guided, t: f64) -> [f64; 3] {
    let motion = guided.motion.as_ref().expect("a motion in time");
    let omega = std::f64::consts::TAU * number(&motion.frequency);
    let (sine, cosine) = (omega * t + number(&motion.phase)).sin_cos();
    let a = number(&motion.amplitude);
    [
        number(&motion.offset) + number(&motion.speed) * t + a * sine,
        number(&motion.speed) + a * omega * cosine,
        -a * omega * omega * sine,
    ]
}

impl Equations {
    fn new(scene: &Scene, t: f64) -> Equations {
        let model = scene.model;
        let loads = loads::loads(scene);
        let mut all = Equations { rows: vec![], inertias: vec![], loads: vec![], functionals: vec![], gaps: [0.0; 2] };
        all.add_bodies(scene, &loads.wrenches);
        let joint_rows: Vec<_> = model.joints.iter().map(|joint| all.add(scene, scene.joint(joint), true)).collect();
        // With the joint and the motion of its coordinate.
        let mut on_coordinates: Vec<(String, Row, Effort)> = vec![];
        for effort in loads.efforts {
            all.add_effort(scene, &effort.row, effort.value);
            on_coordinates.push((effort.joint, effort.row, Err(effort.value)));
        }
        all.add_rods(scene);
        let couplers = model.couplers.iter().map(|coupler| {
            let whole = coupler.ratio.as_ref().map(|ratio| [-number(ratio), 1.0]);
            let terms: Vec<(CoordinateRef, f64)> = (coupler.coordinates.iter().enumerate())
                .map(|(k, on)| {
                    let reference = CoordinateRef { joint: on.joint.clone(), coordinate: on.coordinate.clone() };
                    (reference, whole.map_or_else(|| number(on.ratio.as_ref().expect("a ratio")), |whole| whole[k]))
                })
                .collect();
            (&coupler.name, terms, number(&coupler.offset))
        });
        let racks = model.racks.iter().map(|rack| {
            (&rack.name, vec![(rack.pinion.clone(), -number(&rack.radius)), (rack.rack.clone(), 1.0)], 0.0)
        });
        for (name, terms, offset) in couplers.chain(racks) {
            let row = all.add(scene, vec![scene.coupler(&terms, offset)], true).start;
            for (end, factor) in &terms {
                on_coordinates.push((end.joint.clone(), scene.coordinate_of(end), Ok((row, *factor))));
            }
            all.name(name, vec![vec![(row, terms[terms.len() - 1].1)]]);
        }
        for guided in &model.guided {
            let end = CoordinateRef { joint: guided.joint.clone(), coordinate: guided.coordinate.clone() };
            let (motion, coordinate) = (motion(guided, t), scene.coordinate_of(&end));
            let mut row = coordinate.clone();
            row.gap -= motion[0];
            row.rate += motion[1];
            row.acceleration += motion[2];
            let row = all.add(scene, vec![row], true).start;
            on_coordinates.push((end.joint, coordinate, Ok((row, 1.0))));
            all.name(&guided.name, vec![vec![(row, 1.0)]]);
        }
        for line in &model.points_on_line {
            let directions = Scene::across_line(&vector(&line.axis));
            all.add_guided_point(scene, &line.name, &line.bodies, &place(model, &line.point), &directions);
        }
        for plane in &model.points_in_plane {
            let normal = [vector(&plane.normal).normalize()];
            all.add_guided_point(scene, &plane.name, &plane.bodies, &place(model, &plane.point), &normal);
        }
        for (joint, rows) in model.joints.iter().zip(joint_rows) {
            let body = scene.body(&joint.bodies[1]);
            let arm = scene.point(body, &scene.joint_point(joint)).arm;
            let mut functional =
                Functional { name: joint.name.clone(), factors: vec![vec![]; 6], constant: vec![0.0; 6] };
            let mut add = |row: &Row, effort: Result<(usize, f64), f64>| {
                let wrench = wrench_on(row, body, &arm);
                for k in 0..6 {
                    match effort {
                        Ok((multiplier, factor)) => functional.factors[k].push((multiplier, factor * wrench[k])),
                        Err(value) => functional.constant[k] += value * wrench[k],
                    }
                }
            };
            rows.for_each(|row| add(&all.rows[row], Ok((row, 1.0))));
            on_coordinates
                .iter()
                .filter(|(name, ..)| *name == joint.name)
                .for_each(|(_, row, effort)| add(row, *effort));
            all.functionals.push(functional);
        }
        all
    }

    /// Takes rows along; returns their numbers.
    fn add(&mut self, scene: &Scene, rows: Vec<Row>, check: bool) -> std::ops::Range<usize> {
        let first = self.rows.len();
        for row in rows.iter().filter(|_| check) {
            self.gaps[0] = larger(self.gaps[0], row.gap.abs());
            self.gaps[1] = larger(self.gaps[1], (loads::rate(row, scene) - row.rate).abs());
        }
        self.rows.extend(rows);
        first..self.rows.len()
    }

    fn name(&mut self, name: &str, factors: Vec<Vec<(usize, f64)>>) {
        let constant = vec![0.0; factors.len()];
        self.functionals.push(Functional { name: name.into(), factors, constant });
    }

    fn add_bodies(&mut self, scene: &Scene, wrenches: &[(Vec3, Vec3)]) {
        for (index, body) in scene.model.bodies.iter().enumerate() {
            let six = body.inertia.as_ref().map_or([0.0; 6], |six| six.each_ref().map(number));
            let [xx, yy, zz, xy, yz, xz] = six;
            let r = scene.states[index].rotation;
            let inertia = r * nalgebra::Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) * r.transpose();
            let spin = scene.states[index].spin;
            self.inertias.push((number(&body.mass), inertia));
            self.loads.push((wrenches[index].0, wrenches[index].1 - spin.cross(&(inertia * spin))));
        }
    }

    fn add_effort(&mut self, scene: &Scene, row: &Row, value: f64) {
        for (body, v, w) in row.entries.iter().filter(|entry| entry.0 < scene.model.bodies.len()) {
            self.loads[*body].0 += v * value;
            self.loads[*body].1 += w * value;
        }
    }

    fn add_rods(&mut self, scene: &Scene) {
        let model = scene.model;
        for rod in &model.rods {
            let design = rod.points.each_ref().map(|point| place(model, point));
            let [first, second] = [0, 1].map(|k| scene.point(scene.body(&rod.bodies[k]), &design[k]));
            let (length, mass) = ((design[1] - design[0]).norm(), number(&rod.mass));
            let distance = scene.distance(&first, &second, length);
            let rows = if mass > 0.0 {
                self.gaps[0] = larger(self.gaps[0], distance.gap.abs());
                self.gaps[1] = larger(self.gaps[1], loads::rate(&distance, scene).abs());
                let u = (second.position - first.position).normalize();
                let inertia = (nalgebra::Matrix3::identity() - u * u.transpose()) * (mass * length * length / 12.0);
                self.inertias.push((mass, inertia));
                self.loads.push((vector(&model.general.gravity) * mass, Vec3::zeros()));
                let [at_first, at_second, spin] = scene.rod([&first, &second], self.inertias.len());
                self.add(scene, at_first, false);
                self.add(scene, spin, false);
                self.add(scene, at_second, false)
            } else {
                let row = self.add(scene, vec![distance], true);
                self.name(&format!("{}.force", rod.name), vec![vec![(row.start, -1.0)]]);
                row
            };
            self.add_force(&rod.name, second.body, rows);
        }
    }

    fn add_guided_point(
        &mut self,
        scene: &Scene,
        name: &str,
        bodies: &[String; 2],
        design: &Vec3,
        directions: &[Vec3],
    ) {
        let rows = self.add(scene, scene.guided_point(bodies, design, directions), true);
        self.add_force(name, scene.body(&bodies[1]), rows);
    }

    /// The force of rows on a body.
    fn add_force(&mut self, name: &str, body: usize, rows: std::ops::Range<usize>) {
        let factors =
            |k: usize| rows.clone().map(|row| (row, wrench_on(&self.rows[row], body, &Vec3::zeros())[k])).collect();
        let factors = (0..3).map(factors).collect();
        self.name(name, factors);
    }
}

/// Force on a body and moment about the point at `arm` from its centre, per unit of the multiplier.
fn wrench_on(row: &Row, body: usize, arm: &Vec3) -> [f64; 6] {
    let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
    for (_, v, w) in row.entries.iter().filter(|entry| entry.0 == body) {
        force += v;
        moment += w - arm.cross(v);
    }
    [force.x, force.y, force.z, moment.x, moment.y, moment.z]
}

/// Accelerations and reactions in a state at time `t`; `states`: one per body of the file.
pub fn solve(model: &Model, states: &[BodyState], t: f64) -> Solution {
    let scene = Scene::new(model, states);
    let equations = Equations::new(&scene, t);
    let (bodies, m, n) = (model.bodies.len(), equations.rows.len(), 6 * equations.inertias.len());
    let mut jacobian = Mat::<f64>::zeros(m, n);
    for (i, row) in equations.rows.iter().enumerate() {
        for (body, v, w) in row.entries.iter().filter(|entry| entry.0 != bodies) {
            let first = 6 * if *body > bodies { body - 1 } else { *body };
            for k in 0..3 {
                jacobian[(i, first + k)] += v[k];
                jacobian[(i, first + 3 + k)] += w[k];
            }
        }
    }
    let svd = jacobian.svd().expect("singular values of finite numbers");
    let (u, s, v) = (svd.U(), svd.S().column_vector(), svd.V());
    let values: Vec<f64> = (0..m.min(n)).map(|k| s[k]).collect();
    let rank = values.iter().filter(|value| **value > RANK).count();
    let c: Vec<f64> = equations.rows.iter().map(|row| row.acceleration).collect();
    let mut v_dot = vec![0.0; n];
    for k in 0..rank {
        let along: f64 = (0..m).map(|i| u[(i, k)] * c[i]).sum::<f64>() / values[k];
        (0..n).for_each(|i| v_dot[i] += along * v[(i, k)]);
    }
    let mass_times = |x: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let mut out = vec![0.0; n];
        for (b, (mass, inertia)) in equations.inertias.iter().enumerate() {
            let angular = inertia * Vec3::from_fn(|k, _| x(6 * b + 3 + k));
            for k in 0..3 {
                out[6 * b + k] = mass * x(6 * b + k);
                out[6 * b + 3 + k] = angular[k];
            }
        }
        out
    };
    let load = |i: usize| {
        let (force, moment) = &equations.loads[i / 6];
        if i % 6 < 3 { force[i % 6] } else { moment[i % 6 - 3] }
    };
    let dof = n - rank;
    let columns: Vec<Vec<f64>> = (0..dof).map(|k| mass_times(&|i| v[(i, rank + k)])).collect();
    let reduced = DMatrix::from_fn(dof, dof, |a, b| (0..n).map(|i| v[(i, rank + a)] * columns[b][i]).sum::<f64>());
    let bias = mass_times(&|i| v_dot[i]);
    let force = DMatrix::from_fn(dof, 1, |a, _| (0..n).map(|i| v[(i, rank + a)] * (load(i) - bias[i])).sum::<f64>());
    let mut inertia = [0.0, 0.0];
    if dof > 0 {
        let eigen = reduced.symmetric_eigen();
        inertia = [eigen.eigenvalues.min(), eigen.eigenvalues.max()];
        let mut y = eigen.eigenvectors.tr_mul(&force);
        (0..dof).for_each(|k| y[k] /= eigen.eigenvalues[k]);
        let y = eigen.eigenvectors * y;
        for k in 0..dof {
            (0..n).for_each(|i| v_dot[i] += y[k] * v[(i, rank + k)]);
        }
    }
    let residual = |i: usize| (0..n).map(|j| jacobian[(i, j)] * v_dot[j]).sum::<f64>() - c[i];
    let inconsistency = (0..m).fold(0.0, |most, i| larger(most, residual(i).abs()));
    let mut lambda = vec![0.0; m];
    let mut missing: Vec<f64> = mass_times(&|i| v_dot[i]).iter().enumerate().map(|(i, x)| x - load(i)).collect();
    // The second time for what rounding left.
    for _ in 0..2 {
        let mut change = vec![0.0; m];
        for k in 0..rank {
            let along: f64 = (0..n).map(|i| v[(i, k)] * missing[i]).sum::<f64>() / values[k];
            (0..m).for_each(|i| change[i] += along * u[(i, k)]);
        }
        for (j, missing) in missing.iter_mut().enumerate() {
            *missing -= (0..m).map(|i| jacobian[(i, j)] * change[i]).sum::<f64>();
        }
        lambda.iter_mut().zip(&change).for_each(|(lambda, change)| *lambda += change);
    }
    let reaction = |functional: &Functional| {
        let component = |(factors, constant): (&Vec<(usize, f64)>, &f64)| {
            let value = constant + factors.iter().map(|(row, factor)| factor * lambda[*row]).sum::<f64>();
            let mut rest = vec![0.0; m];
            factors.iter().for_each(|(row, factor)| rest[*row] += factor);
            for k in 0..rank {
                let along: f64 = factors.iter().map(|(row, factor)| factor * u[(*row, k)]).sum();
                (0..m).for_each(|i| rest[i] -= along * u[(i, k)]);
            }
            (value, rest.iter().all(|left| left.abs() < UNIQUE))
        };
        let both: Vec<_> = functional.factors.iter().zip(&functional.constant).map(component).collect();
        let (value, unique) = both.into_iter().unzip();
        Reaction { name: functional.name.clone(), value, unique }
    };
    let three = |first: usize| Vec3::from_fn(|k, _| v_dot[first + k]);
    Solution {
        accelerations: (0..bodies).map(|b| [three(6 * b), three(6 * b + 3)]).collect(),
        reactions: equations.functionals.iter().map(reaction).collect(),
        dof,
        redundant: m - rank,
        sigma: if rank == 0 { 1.0 } else { values[rank - 1] },
        zero: values.get(rank).copied().unwrap_or(0.0),
        inertia,
        gaps: equations.gaps,
        inconsistency,
    }
}
