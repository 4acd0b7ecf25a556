//! Stress stiffening of structures from matrices: blocks per unit load from loaded states.
//!
//! The geometric stiffness is linear in the load, so that the states K_i = Σ a_ik K_k are solved for the stiffness K_k
//! per unit of each load k: acceleration, angular acceleration, product of angular velocities, force at an interface. A
//! rotation about an axis that is not an axis of C, or not through its origin, is a sum of several k.
//!
//! The size of each state is checked. A rigid rotation rotates the internal forces, so that the trace of Rᵀ K_i R over
//! the rotations is k Σ x·f (k = 1 in the plane, 2 in space), with x from the support, which takes the reactions.
//!
//! The difference of two stiffnesses also contains the deformation of the loaded structure. If the load stretches the
//! structure, this part is K times the strain and negligible. If the load bends a slender structure, elements rotate by
//! far larger angles θ. The difference then couples bending with stretching by θ K, because the chord of a bent beam
//! shortens. The reduced model already contains that shortening through the axial forces. With few shapes for
//! stretching, the coupling would make it too stiff by θ². The measure is θ² divided by the square of the strain in the
//! response to the load: about 1 for stretching, (length/thickness)² for bending.

use super::Refusal;
use super::internal_forces::{Internal, UnitForce, UnitLoads};
use crate::model::DIRECTIONS;
use ballesta::math::Vec3;
use ballesta::rom::rom_schema::{self, Packed};
use faer::Mat;
use nalgebra::{DMatrix, DVector};

/// Largest difference from 1 of the fraction of a unit load that the states determine.
const DETERMINACY_TOLERANCE: f64 = 1e-9;

/// Σ x·f over Σ |x| |f| above which the size of a state is checked.
const MIN_CHECKED_SIZE: f64 = 0.2;

/// Range of the size of K_i relative to the size that its load implies; elements may neglect parts of the stress.
const SIZES: [f64; 2] = [0.5, 2.0];

/// Largest measure of bending for which a difference of stiffnesses is used. At this limit angles are ten times the
/// strains. At strains of 1e-3 the effect of element rotations is a tenth of the stress effect.
const MAX_BENDING: f64 = 100.0;

impl Internal<'_> {
    /// Blocks of the states under load, with the structure fixed at the interface `support` in the degrees of freedom
    /// `held`; `None` without such states.
    ///
    /// # Errors
    /// A state whose stiffness does not match its load, loads at the support, loads that the states cannot separate.
    pub(super) fn prestress(&self, support: usize, held: &[usize]) -> Result<Option<rom_schema::Stiffening>, Refusal> {
        let model = self.reducer.model;
        if model.stressed.is_empty() {
            return Ok(None);
        }
        let unit = self.unit_loads(held);
        let states = self.loads(support, &unit)?;
        let blocks: Vec<Packed> = model.stressed.iter().map(|state| self.projected(&state.geometric)).collect();
        for (i, (state, block)) in model.stressed.iter().zip(&blocks).enumerate() {
            let load = states.row(i);
            let answer = Mat::from_fn(model.size(), 1, |row, _| {
                load.iter().enumerate().map(|(k, part)| part * unit.answers[(row, k)]).sum()
            });
            if !state.difference || self.bending(&answer) <= MAX_BENDING {
                self.expect_size(i, load.transpose().as_slice(), block, support, &unit)?;
            }
        }
        let mut names: Vec<String> = rom_schema::Stiffening::motions().collect();
        let of_force = |force: &UnitForce<'_>| format!("load.{}.{}", force.interface.name, DIRECTIONS[force.direction]);
        names.extend(unit.forces.iter().map(of_force));
        let weights = weights(&states, &names)?;
        // Loads that no state covers, and loads for which a difference is not usable.
        let differs = model.stressed.iter().any(|state| state.difference);
        let bends = |k: usize| differs && self.bending(&unit.answers.subcols(k, 1).to_owned()) > MAX_BENDING;
        let given = |k: usize| states.column(k).iter().any(|value| *value != 0.0) && !bends(k);
        let known: Vec<bool> = (0..names.len()).map(given).collect();
        let sum = |k: usize| {
            let parts = || weights.row(k).iter().copied().zip(&blocks).collect::<Vec<_>>();
            let entry = |entry: usize| parts().iter().map(|(weight, block)| weight * block[entry]).sum::<f64>();
            if known[k] { (0..blocks[0].len()).map(entry).collect() } else { self.no_stiffness() }
        };
        let plane = !model.dimension.directions().contains(&3);
        let is_motion = |k: &usize| !plane || [0, 1, 5, 8].contains(k);
        let load = |(i, force): (usize, &UnitForce<'_>)| {
            known[12 + i].then(|| rom_schema::StiffeningLoad {
                interface: force.interface.name.clone(),
                direction: DIRECTIONS[force.direction].into(),
                stiffness: sum(12 + i),
            })
        };
        Ok(Some(rom_schema::Stiffening {
            support: model.interfaces[support].name.clone(),
            missing: (0..12).filter(|k| !known[*k]).filter(is_motion).map(|k| names[k].clone()).collect(),
            translation: (0..3).map(sum).collect(),
            rotation: (3..6).map(sum).collect(),
            angular_velocity: (6..12).map(sum).collect(),
            loads: unit.forces.iter().enumerate().filter_map(load).collect(),
            axial: Vec::new(),
            foreshortening: None,
        }))
    }

    /// Contribution of each unit load (columns) to each state (rows).
    fn loads(&self, support: usize, unit: &UnitLoads<'_>) -> Result<DMatrix<f64>, Refusal> {
        let model = self.reducer.model;
        let mut states = DMatrix::zeros(model.stressed.len(), 12 + unit.forces.len());
        for (i, state) in model.stressed.iter().enumerate() {
            state.motion.iter().enumerate().for_each(|(k, value)| states[(i, k)] = *value);
            let Some((interface, values)) = state.interface else { continue };
            let name = &model.interfaces[interface].name;
            for (direction, value) in values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                let is_it = |force: &UnitForce<'_>| force.interface.name == *name && force.direction == direction;
                let Some(k) = unit.forces.iter().position(is_it) else {
                    let found = format!(
                        "a load acts along {} at \"{name}\", where the structure is held by \"{}\"",
                        DIRECTIONS[direction], model.interfaces[support].name
                    );
                    let expected =
                        "load other interfaces, or set `reduction.support` to the interface held in the FE program";
                    return Err(Refusal::new(&format!("matrices.stressed[{i}]"), found, expected));
                };
                states[(i, 12 + k)] = *value;
            }
        }
        Ok(states)
    }

    /// Mean square of the angles divided by the mean square of the strains of all lines between coupled nodes, in a
    /// static displacement (n × 1).
    fn bending(&self, u: &Mat<f64>) -> f64 {
        let model = self.reducer.model;
        let moved = |node: usize| {
            Vec3::from_fn(|axis, _| model.motion.row(6 * node + axis).map(|(dof, factor)| factor * u[(dof, 0)]).sum())
        };
        let moved: Vec<Vec3> = (0..model.nodes.len()).map(moved).collect();
        let (mut angles, mut strains) = (0.0, 0.0);
        for (column, dof) in model.dofs.iter().enumerate().filter(|(_, dof)| dof.direction == 0) {
            for (row, _) in model.stiffness.column(column).filter(|(row, _)| model.dofs[*row].direction == 0) {
                let other = model.dofs[row].node;
                let line = model.nodes[other].position - model.nodes[dof.node].position;
                let length = line.norm();
                if other < dof.node && length > 0.0 {
                    let change = (moved[other] - moved[dof.node]) / length;
                    let strain = change.dot(&line) / length;
                    strains += strain * strain;
                    angles += (change - line * (strain / length)).norm_squared();
                }
            }
        }
        // Infinite if lines between nodes rotate and none is stretched.
        if angles > 0.0 { angles / strains } else { 0.0 }
    }

    /// Rejects a state whose stiffness does not match its load, because of other units, another support or another
    /// load.
    fn expect_size(
        &self,
        i: usize,
        load: &[f64],
        block: &Packed,
        support: usize,
        unit: &UnitLoads<'_>,
    ) -> Result<(), Refusal> {
        let model = self.reducer.model;
        // Forces at the nodes, in translations.
        let mut forces = vec![Vec3::zeros(); model.nodes.len()];
        for (field, part) in unit.fields.iter().zip(load).filter(|(_, part)| **part != 0.0) {
            let inertia = model.mass.multiply(field.as_ref());
            for (row, dof) in model.dofs.iter().enumerate().filter(|(_, dof)| dof.direction < 3) {
                forces[dof.node][dof.direction] -= part * inertia[(row, 0)];
            }
        }
        for (force, part) in unit.forces.iter().zip(&load[12..]).filter(|(force, _)| force.direction < 3) {
            forces[force.interface.node][force.direction] += part;
        }
        let from = model.nodes[model.interfaces[support].node].position;
        let pairs = || model.nodes.iter().map(|node| node.position - from).zip(&forces);
        let virial: f64 = pairs().map(|(arm, force)| arm.dot(force)).sum();
        let size: f64 = pairs().map(|(arm, force)| arm.norm() * force.norm()).sum();
        if size == 0.0 || !(virial.abs() >= MIN_CHECKED_SIZE * size) {
            return Ok(());
        }
        let plane = !model.dimension.directions().contains(&3);
        let rotations: &[usize] = if plane { &[5] } else { &[3, 4, 5] };
        let motions = model.rigid_motions(Vec3::zeros());
        let boundary = &self.reducer.boundary;
        let block = ballesta::rom::elastic_modes::unpack(block, self.basis.shapes.ncols());
        let trace = rotations.iter().map(|c| {
            let motion = DVector::from_fn(block.nrows(), |q, _| boundary.get(q).map_or(0.0, |dof| motions[(*dof, *c)]));
            motion.dot(&(&block * &motion))
        });
        let ratio = trace.sum::<f64>() / (virial * if plane { 1.0 } else { 2.0 });
        if (SIZES[0]..=SIZES[1]).contains(&ratio) {
            return Ok(());
        }
        let found = format!(
            "the geometric stiffness is {ratio:.3} times the stiffness caused by the load, with the structure held at \
             \"{}\"",
            model.interfaces[support].name
        );
        let expected = "give the load of the FE program in SI units (rad/s, m/s², N), and set `reduction.support` to \
                        the interface held there";
        Err(Refusal::new(&format!("matrices.stressed[{i}]"), found, expected))
    }
}

/// The weights of the states (columns) whose sum is the stiffness per unit load (rows).
fn weights(states: &DMatrix<f64>, names: &[String]) -> Result<DMatrix<f64>, Refusal> {
    // Loads have units: rows and columns are scaled to 1.
    let unit = |scale: f64| if scale > 0.0 { 1.0 / scale } else { 0.0 };
    let scales: Vec<f64> = states.column_iter().map(|column| column.amax()).collect();
    let columns = DMatrix::from_fn(states.nrows(), states.ncols(), |i, k| states[(i, k)] * unit(scales[k]));
    let sizes: Vec<f64> = columns.row_iter().map(|row| row.norm()).collect();
    let scaled = DMatrix::from_fn(states.nrows(), states.ncols(), |i, k| columns[(i, k)] * unit(sizes[i]));
    let inverse = scaled.clone().pseudo_inverse(DETERMINACY_TOLERANCE).unwrap_or_default();
    let determined = &inverse * &scaled;
    let mixed: Vec<&str> = (0..names.len())
        .filter(|k| scales[*k] > 0.0 && !(determined[(*k, *k)] >= 1.0 - DETERMINACY_TOLERANCE))
        .map(|k| names[k].as_str())
        .collect();
    if !mixed.is_empty() {
        let found = format!("the load states do not separate {}", mixed.join(", "));
        let expected = "add a load state for each: gravity along an axis, rotation about single axes and about axes \
                        between two; or use rotation axes through the origin";
        return Err(Refusal::new("matrices.stressed", found, expected));
    }
    Ok(DMatrix::from_fn(inverse.nrows(), inverse.ncols(), |k, i| inverse[(k, i)] * unit(scales[k]) * unit(sizes[i])))
}
