//! Small motions of a lumped structure: statics, natural frequencies, the largest frequency.
//!
//! Coordinates are the six motions of every body at the origin of its node. A joint with the axes e_k at the point p
//! has the relative motions e_k · (u_b + θ_b × r_b − u_a − θ_a × r_a) and e_k · (θ_b − θ_a), r = p − origin. Relative
//! motions with a stiffness add to K; constrained ones are equations. Each equation gives one coordinate in terms of
//! the others, in the order of the joints, by the largest coefficient. The result is a [`FiniteElementModel`] of the
//! independent coordinates, to which the finite-element tools apply.

use super::beam_structure::{LumpedJoint, LumpedStructure};
use crate::factor::{Analysis, FactorError};
use crate::model::{Dof, FiniteElementModel, LoadCase, Node};
use crate::sparse::{SparseRows, SparseSymmetric};
use ballesta::math::{Mat3, Vec3};
use ballesta::rom::rom_schema::MassModel;
use faer::Mat;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;

/// Coefficient of an equation, relative to its largest coefficient, below which it is round-off after elimination of
/// the preceding equations.
const REDUNDANCY_TOLERANCE: f64 = 1e-9;

/// Coefficients of a motion over the directions `6·body + direction`.
type Row = Vec<(usize, f64)>;

impl LumpedStructure {
    /// The linear model of small motions about the undeformed position. Its nodes are the bodies.
    ///
    /// # Errors
    /// The first joint whose constraints the preceding joints and the supports already contain. The bodies then cannot
    /// move like the beams. An example is a straight beam without extension between two fixed nodes.
    pub fn small_motions(&self) -> Result<FiniteElementModel, &LumpedJoint> {
        // Gaussian elimination of the constraints gives every direction as a combination of independent ones.
        let count = 6 * self.bodies.len();
        let directions = self.dimension.directions();
        let supported: Vec<bool> = (0..count).map(|i| self.bodies[i / 6].held[i % 6]).collect();
        let rows = self.eliminate(&supported)?;
        // A direction whose row is its own unit vector is independent and gets a degree of freedom.
        let mut number = vec![usize::MAX; count];
        let mut dofs = Vec::new();
        for i in (0..count).filter(|i| directions.contains(&(i % 6)) && rows[*i].get(i) == Some(&1.0)) {
            number[i] = dofs.len();
            dofs.push(Dof { node: i / 6, direction: i % 6 });
        }
        // `motion` maps the degrees of freedom to the six directions of each body.
        let over_dofs = |row: &BTreeMap<usize, f64>| {
            let entries = row.iter().map(|(i, factor)| (number[*i], *factor));
            entries.filter(|(dof, _)| *dof != usize::MAX).collect::<Row>()
        };
        let motion = SparseRows::new(dofs.len(), rows.iter().map(over_dofs));
        // Stiffness, mass and loads of the bodies are projected onto the independent motions.
        let supports = dofs.iter().enumerate().filter(|(_, dof)| supported[6 * dof.node + dof.direction]);
        let supports = supports.map(|(i, _)| i).collect();
        let empty = SparseSymmetric::from_half(self.bodies.len(), &[]);
        let nodes = self.bodies.iter().map(|body| Node { name: body.name.clone(), position: body.origin });
        Ok(FiniteElementModel {
            name: self.name.clone(),
            dimension: self.dimension,
            nodes: nodes.collect(),
            element_count: self.joints.len(),
            stiffness: self.stiffness().congruence(&motion),
            mass: self.mass().congruence(&motion),
            damping: None,
            covariant_mass: empty,
            mass_points: Vec::new(),
            points_only: true,
            mass_model: MassModel::Consistent,
            covariance: 0.0,
            interfaces: Vec::new(),
            loads: self.load_cases(&motion),
            dofs,
            motion,
            supports,
            output_nodes: Vec::new(),
            stressed: Vec::new(),
            notes: Vec::new(),
            elements: Vec::new(),
            sections: Vec::new(),
        })
    }

    /// Every direction as a function of the independent directions; supported directions are zero in the equations.
    fn eliminate(&self, held: &[bool]) -> Result<Vec<BTreeMap<usize, f64>>, &LumpedJoint> {
        let count = held.len();
        let size = self.size();
        let weight = |i: usize| if i % 6 < 3 { 1.0 } else { size };
        let mut rows: Vec<BTreeMap<usize, f64>> = (0..count).map(|i| BTreeMap::from([(i, 1.0)])).collect();
        let mut users: Vec<BTreeSet<usize>> = (0..count).map(|i| BTreeSet::from([i])).collect();
        for joint in &self.joints {
            for motion in (0..6).filter(|motion| joint.stiffness[*motion].is_none()) {
                let equation = self.relative(joint, motion);
                let largest = equation.iter().fold(0.0, |largest: f64, (i, c)| largest.max(c.abs() / weight(*i)));
                // A plane structure has no out-of-plane motion to constrain.
                if largest == 0.0 {
                    continue;
                }
                let mut sum: BTreeMap<usize, f64> = BTreeMap::new();
                for (i, coefficient) in &equation {
                    for (j, factor) in rows[*i].iter().filter(|(j, _)| !held[**j]) {
                        *sum.entry(*j).or_default() += coefficient * factor;
                    }
                }
                let size_of = |(i, c): (&usize, &f64)| (c.abs() / weight(*i), *i);
                let pivot = sum.iter().map(size_of).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
                let Some((_, pivot)) = pivot.filter(|(value, _)| *value > REDUNDANCY_TOLERANCE * largest) else {
                    return Err(joint);
                };
                let by = sum.remove(&pivot).unwrap_or(1.0);
                for user in std::mem::take(&mut users[pivot]) {
                    let factor = rows[user].remove(&pivot).unwrap_or(0.0);
                    for (j, coefficient) in &sum {
                        *rows[user].entry(*j).or_default() -= factor * coefficient / by;
                        users[*j].insert(user);
                    }
                }
            }
        }
        Ok(rows)
    }

    /// Largest extent of the structure, m, used to scale rotations.
    fn size(&self) -> f64 {
        let first = self.bodies.first().map_or(Vec3::zeros(), |body| body.origin);
        let extent = self.bodies.iter().fold(0.0, |most: f64, body| most.max((body.origin - first).norm()));
        if extent > 0.0 { extent } else { 1.0 }
    }

    /// A relative motion of a joint over the directions of its bodies.
    fn relative(&self, joint: &LumpedJoint, motion: usize) -> Row {
        let axis: Vec3 = joint.axes.column(motion % 3).into();
        self.difference(joint.bodies, [joint.point; 2], axis, motion >= 3)
    }

    /// The motion of a point of the second body relative to a point of the first along an axis, or its rotation about
    /// the axis relative to the first.
    fn difference(&self, bodies: [usize; 2], points: [Vec3; 2], axis: Vec3, rotation: bool) -> Row {
        let directions = self.dimension.directions();
        let mut row = Row::new();
        for (body, point, sign) in [(bodies[0], points[0], -1.0), (bodies[1], points[1], 1.0)] {
            let about = if rotation { axis } else { (point - self.bodies[body].origin).cross(&axis) };
            let along = if rotation { Vec3::zeros() } else { axis };
            let all = (0..6).map(|d| (d, sign * if d < 3 { along[d] } else { about[d - 3] }));
            row.extend(
                all.filter(|(d, value)| *value != 0.0 && directions.contains(d)).map(|(d, v)| (6 * body + d, v)),
            );
        }
        row
    }

    /// K of joints and springs over all directions.
    fn stiffness(&self) -> SparseSymmetric {
        let mut entries = Vec::new();
        let mut add = |row: &Row, stiffness: f64| {
            for (k, (i, left)) in row.iter().enumerate() {
                entries.extend(row[..=k].iter().map(|(j, right)| (*i, *j, left * stiffness * right)));
            }
        };
        for joint in &self.joints {
            for (motion, stiffness) in joint.stiffness.iter().enumerate() {
                stiffness.iter().for_each(|stiffness| add(&self.relative(joint, motion), *stiffness));
            }
        }
        for spring in &self.springs {
            let axis = (spring.points[1] - spring.points[0]).normalize();
            add(&self.difference(spring.bodies, spring.points, axis, false), spring.stiffness);
        }
        SparseSymmetric::from_half(6 * self.bodies.len(), &entries)
    }

    /// M of the bodies over all directions.
    fn mass(&self) -> SparseSymmetric {
        let directions = self.dimension.directions();
        let mut entries = Vec::new();
        for (number, body) in self.bodies.iter().enumerate() {
            let mut block = nalgebra::Matrix6::zeros();
            block.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * body.mass));
            block.fixed_view_mut::<3, 3>(3, 3).copy_from(&body.inertia);
            // Momentum m (u + θ × c) and moment of momentum c × m u + J θ.
            block.fixed_view_mut::<3, 3>(3, 0).copy_from(&body.moment.cross_matrix());
            for (i, j) in (0..6).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                if directions.contains(&i) && directions.contains(&j) && block[(i, j)] != 0.0 {
                    entries.push((6 * number + i, 6 * number + j, block[(i, j)]));
                }
            }
        }
        SparseSymmetric::from_half(6 * self.bodies.len(), &entries)
    }

    /// The loads of the file over the independent coordinates.
    fn load_cases(&self, motion: &SparseRows) -> Vec<LoadCase> {
        let mut cases: Vec<LoadCase> = Vec::new();
        for load in &self.loads {
            let Some(port) = self.ports.iter().find(|port| port.node == load.node) else { continue };
            let force = Vec3::from(load.force.unwrap_or_default());
            let arm = port.place - self.bodies[port.body].origin;
            let moment = Vec3::from(load.moment.unwrap_or_default()) + arm.cross(&force);
            let all = (0..6).map(|d| (6 * port.body + d, if d < 3 { force[d] } else { moment[d - 3] }));
            let forces = all.flat_map(|(i, value)| motion.row(i).map(move |(dof, factor)| (dof, factor * value)));
            match cases.iter_mut().find(|case| case.name == load.name) {
                Some(case) => case.forces.extend(forces),
                None => cases.push(LoadCase { name: load.name.clone(), forces: forces.collect() }),
            }
        }
        cases
    }
}

/// Unsupported degrees of freedom, and their nodes for the factorisation of their block.
fn free(model: &FiniteElementModel) -> (Vec<usize>, Vec<usize>) {
    let free: Vec<usize> = (0..model.size()).filter(|dof| model.supports.binary_search(dof).is_err()).collect();
    let nodes = free.iter().map(|dof| model.dofs[*dof].node).collect();
    (free, nodes)
}

/// Σ f u of a load case: the sum of forces times displacements of their points, N·m.
///
/// # Errors
/// The supports do not hold the structure.
pub fn static_work(model: &FiniteElementModel, case: &LoadCase) -> Result<f64, FactorError> {
    let (free, nodes) = free(model);
    if free.is_empty() {
        return Ok(0.0);
    }
    let mut all = vec![0.0; model.size()];
    case.forces.iter().for_each(|(dof, force)| all[*dof] += force);
    let load: Vec<f64> = free.iter().map(|dof| all[*dof]).collect();
    let block = model.stiffness.principal(&free);
    let analysis = Analysis::new(&block, &nodes)?;
    let mut x = Mat::from_fn(free.len(), 1, |i, _| load[i]);
    analysis.cholesky(&block)?.solve_in_place(x.as_mut());
    Ok(load.iter().enumerate().map(|(i, force)| force * x[(i, 0)]).sum())
}

/// Iterations of the power method. The quotient is within a few percent of the largest eigenvalue of a chain; the step
/// has a safety factor of two.
const ITERATIONS: usize = 200;

/// The largest natural frequency in Hz with the supports, from below, by the power method on M⁻¹K.
///
/// # Errors
/// The mass matrix is not positive definite.
pub fn highest_frequency_hz(model: &FiniteElementModel) -> Result<f64, FactorError> {
    let (free, nodes) = free(model);
    if free.is_empty() {
        return Ok(0.0);
    }
    let (stiffness, mass) = (model.stiffness.principal(&free), model.mass.principal(&free));
    let analysis = Analysis::new(&mass, &nodes)?;
    let factor = analysis.cholesky(&mass)?;
    // An asymmetric start vector: alternating signs, different magnitudes.
    let mut x = Mat::from_fn(free.len(), 1, |i, _| (1.0 + (i % 7) as f64) * if i % 2 == 0 { 1.0 } else { -1.0 });
    let mut square = 0.0;
    for _ in 0..ITERATIONS {
        let force = stiffness.multiply(x.as_ref());
        let dot = |a: &Mat<f64>, b: &Mat<f64>| (0..free.len()).map(|i| a[(i, 0)] * b[(i, 0)]).sum::<f64>();
        square = dot(&x, &force) / dot(&x, &mass.multiply(x.as_ref()));
        x = force;
        factor.solve_in_place(x.as_mut());
        let length = dot(&x, &x).sqrt();
        x = Mat::from_fn(free.len(), 1, |i, _| x[(i, 0)] / length);
    }
    Ok(square.max(0.0).sqrt() / TAU)
}
