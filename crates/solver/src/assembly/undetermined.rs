//! Section forces and reactions that redundant loops leave undetermined.
//!
//! Redundant equations of a loop allow states of stress without any load, Φᵀ λ = 0 over all coordinates that move. The
//! multipliers do not determine these states, so any output that such a state changes is undetermined, whatever the
//! motion. If a model leaves out modes, section forces need the forces at the interfaces
//! ([`crate::dynamics::flexible::section_recovery`]); an undetermined section force is rejected. Reactions of joints
//! and constraints and efforts of driven coordinates are split with the least norm ([`crate::dynamics`],
//! `least_stress`), and marked ([`mark`]): a stiffer joint would carry more. Offline: allocates.

use nalgebra::DMatrix;

use super::GAP_TOLERANCE;
use super::relax::{elastic_columns, relax};
use crate::dynamics::flexible::section_recovery::interface_load;
use crate::dynamics::joint_loads::calc_load;
use crate::dynamics::kinematics::calc_positions;
use crate::dynamics::reactions::{
    calc_reactions, constraint_force, constraint_reaction, guided_effort, joint_reaction,
};
use crate::dynamics::residuals::accumulate_residuals;
use crate::dynamics::{closure, evaluate_closed, load_stage};
use crate::force::Axes;
use crate::joint::TreeJoint;
use crate::math::Vec3;
use crate::math::larger;
use crate::math::spatial::Wrench;
use crate::system::{
    Block, Fault, FlexibleQuantity, Output, Readout, SharedConstraint, Sharing, State, System, Workspace,
};
use crate::topology::DisjointSets;
use alloc::{string::String, vec, vec::Vec};

/// A change of a section force by a state of stress below this fraction of the contributions of its forces is
/// round-off. For a reaction the reference is the forces of the state, for moments times the size of the loop.
const SECTION_FORCE_TOLERANCE: f64 = 1e-7;
/// Number of positions next to the start at which reactions are checked: a reaction that is determined only along the
/// axes of the start is not determined.
const PROBES: usize = 3;
/// Distance of these positions, rad or fractions of the size of the loop.
const PROBE_DISTANCE: f64 = 0.2;

/// Names of scalar outputs that states of stress change at the start `state` or next to it; a note is added to their
/// descriptions.
pub(super) fn mark(system: &mut System, state: &State) -> Result<Vec<String>, Fault> {
    let redundant = |block: &Block| block.rows.len() > block.rank;
    if !system.blocks.iter().any(redundant) || !system.outputs.iter().any(|output| output.readout.is_reaction()) {
        return Ok(Vec::new());
    }
    // A separate workspace, because the last evaluation is reported.
    let ws = &mut Workspace::new(system);
    load_stage(system, state, ws, state.time);
    evaluate_closed(system, state, ws, state.time)?;
    calc_reactions(system, state, ws);
    let (mut open, mut sharing) = (vec![false; system.outputs.len()], vec![false; system.blocks.len()]);
    for probe in 0..=PROBES {
        if move_to(system, state, ws, probe) {
            for index in 0..system.blocks.len() {
                sharing[index] |= look(system, ws, index, &mut open);
            }
        }
    }
    let mut names = Vec::new();
    for (info, _) in system.interface.outputs.iter_mut().zip(open).filter(|(_, open)| *open) {
        info.description += if info.description.is_empty() { "Not determined" } else { "; not determined" };
        info.description += ": redundant loop equations do not determine the forces uniquely; the minimum-norm \
                             solution is reported";
        names.push(info.name.clone());
    }
    system.shared = shared(system, &sharing);
    Ok(names)
}

/// Blocks together with all others that share joints with them, if an output reads a quantity that one of `sharing`
/// leaves undetermined.
fn shared(system: &System, sharing: &[bool]) -> Vec<Sharing> {
    let blocks = &system.blocks;
    let mut sets = DisjointSets::new(blocks.len());
    for (i, block) in blocks.iter().enumerate() {
        let shares = |other: &Block| other.joints.iter().any(|joint| block.joints.contains(joint));
        (0..i).filter(|&other| shares(&blocks[other])).for_each(|other| sets.join(other, i));
    }
    let leaders: Vec<usize> = (0..blocks.len()).map(|index| sets.leader(index)).collect();
    let is_read = |leader: &usize| leaders.iter().zip(sharing).any(|(other, read)| other == leader && *read);
    (0..blocks.len())
        .filter(|&index| leaders[index] == index && is_read(&index))
        .map(|leader| {
            let members: Vec<usize> = (0..blocks.len()).filter(|&index| leaders[index] == leader).collect();
            loops_of(system, members)
        })
        .collect()
}

/// These blocks with the constraints that carry their states of stress.
fn loops_of(system: &System, blocks: Vec<usize>) -> Sharing {
    let is_angle = |v: usize| system.joint_with(v).is_some_and(|joint| TreeJoint::is_rotation(joint.kind, v - joint.v));
    let mut sharing = Sharing::default();
    for block in blocks.iter().map(|&index| &system.blocks[index]) {
        for &constraint in &block.constraints {
            let rows = &system.constraints[constraint].rows;
            if rows.is_empty() {
                continue;
            }
            let angles = system.rows[rows.start].terms().iter().map(|term| is_angle(term.velocity)).collect();
            let first = sharing.rows + rows.start - block.rows.start;
            sharing.constraints.push(SharedConstraint { constraint, first, angles });
        }
        sharing.rows += block.rows.len();
        sharing.joints.extend(block.joints.iter().filter(|&&joint| system.joint_of_tree[joint].is_some()));
    }
    sharing.joints.sort_unstable();
    sharing.joints.dedup();
    Sharing { blocks, ..sharing }
}

/// Moves the mechanism from `state` to a closed position next to it; `false` if there is none. Probe 0 is `state`.
fn move_to(system: &System, state: &State, ws: &mut Workspace, probe: usize) -> bool {
    load_stage(system, state, ws, state.time);
    let guided = |v: usize| system.guided.iter().any(|guided| guided.coordinate.velocity == v);
    for joint in system.joints.iter().filter(|joint| probe > 0 && joint.link.is_none()) {
        for (k, v) in joint.v_range().enumerate().filter(|(_, v)| !guided(*v)) {
            let block = system.blocks.iter().find(|block| block.coordinates.contains(&v));
            let column = block.and_then(|block| block.coordinates.iter().position(|other| *other == v));
            let dependent = block.zip(column).is_some_and(|(block, column)| {
                state.orders[block.column_order()][..block.rank].contains(&(column as u32))
            });
            if dependent {
                continue;
            }
            let size = if TreeJoint::is_rotation(joint.kind, k) { 1.0 } else { block.map_or(1.0, |block| block.size) };
            // Deterministic, different for every probe and coordinate.
            let amount = PROBE_DISTANCE * size * (0.3 + ((probe * 5 + v * 3) % 7) as f64 / 7.0);
            joint.add_increment(&mut ws.stage.q, k, if (probe + v).is_multiple_of(2) { amount } else { -amount });
        }
    }
    calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
    probe == 0
        || system.blocks.iter().all(|block| relax(system, ws, block, &elastic_columns(system, block)) <= GAP_TOLERANCE)
}

/// Marks the outputs that the states of stress of block `index` change at the position in the workspace. Returns
/// whether there are any.
fn look(system: &System, ws: &mut Workspace, index: usize, open: &mut [bool]) -> bool {
    let block = &system.blocks[index];
    let read_all = |ws: &mut Workspace, stress: &[f64]| -> Vec<Vec3> {
        apply(system, ws, block, stress);
        ws.reactions.multipliers.fill(0.0);
        ws.reactions.multipliers[block.rows.clone()].copy_from_slice(stress);
        system.outputs.iter().map(|output| reaction(system, ws, output)).collect()
    };
    let stresses = self_stresses(system, ws, index);
    if stresses.is_empty() {
        return false;
    }
    let mut any = false;
    // Weights of rods and efforts on coordinates, which outputs add to the forces of the loop.
    let without = read_all(ws, &vec![0.0; block.rows.len()]);
    for stress in &stresses {
        let with = read_all(ws, stress);
        for (k, output) in system.outputs.iter().enumerate().filter(|(_, output)| output.readout.is_reaction()) {
            let force = matches!(output.readout, Readout::ReactionForce(_) | Readout::ConstraintReactionForce(_));
            let size = if force { 1.0 } else { larger(1.0, block.size) };
            let changes = !((with[k] - without[k])[output.component].abs() <= SECTION_FORCE_TOLERANCE * size);
            (open[k], any) = (open[k] || changes, any || changes);
        }
    }
    any
}

/// A reaction from the forces in the workspace, in the axes of its output; a scalar is the first component.
fn reaction(system: &System, ws: &Workspace, output: &Output) -> Vec3 {
    let scalar = |value: f64| Vec3::new(value, 0.0, 0.0);
    let value = match output.readout {
        Readout::ReactionForce(joint) => joint_reaction(system, ws, joint).0,
        Readout::ReactionMoment(joint) => joint_reaction(system, ws, joint).1,
        Readout::ConstraintReactionForce(constraint) => constraint_reaction(system, ws, constraint).0,
        Readout::ConstraintForce(constraint, term) | Readout::ConstraintPower(constraint, term) => {
            return scalar(constraint_force(system, ws, constraint, term));
        }
        Readout::GuidedEffort(guided) => return scalar(guided_effort(system, ws, guided)),
        _ => return Vec3::zeros(),
    };
    match output.axes {
        Axes::World => value,
        Axes::Body => ws.kinematics.bodies[output.body].rotation.tr_mul(&value),
    }
}

/// Outputs of section forces and stresses that are not determined, by their indices. The workspace contains an
/// evaluation of a state.
pub(super) fn section_forces(system: &System, ws: &mut Workspace) -> Vec<usize> {
    let left_out = |output: &Output| {
        output
            .readout
            .section()
            .is_some_and(|(body, section)| !system.flexible[body].sections[section].loads.is_empty())
    };
    let mut numbers = Vec::new();
    if !system.outputs.iter().any(left_out) {
        return numbers;
    }
    for index in 0..system.blocks.len() {
        for stress in self_stresses(system, ws, index) {
            apply(system, ws, &system.blocks[index], &stress);
            for (number, output) in system.outputs.iter().enumerate() {
                if !numbers.contains(&number) && left_out(output) && changes(system, ws, output) {
                    numbers.push(number);
                }
            }
        }
    }
    numbers
}

/// Multipliers of the rows of block `index` that load no coordinate: one per redundant row.
fn self_stresses(system: &System, ws: &mut Workspace, index: usize) -> Vec<Vec<f64>> {
    let block = &system.blocks[index];
    let (m, n) = (block.rows.len(), block.coordinates.len());
    if m <= block.rank {
        return Vec::new();
    }
    let (mut tree, blocks) = ws.open_tree();
    closure::calc_jacobian(system, &mut tree, block, &mut blocks[index]);
    let dense = block.dense(&blocks[index].jacobian);
    let padded = DMatrix::from_fn(m, n.max(m), |i, k| if k < n { dense[i * n + k] } else { 0.0 });
    let Some(left) = padded.svd(true, false).u else { return Vec::new() };
    (block.rank..m).map(|k| left.column(k).iter().copied().collect()).collect()
}

/// Frictions whose load states of stress change, by their indices among the elements. The workspace contains an
/// evaluation of a state.
pub(super) fn friction_loads(system: &System, ws: &mut Workspace) -> Vec<usize> {
    let mut elements = Vec::new();
    if system.load_frictions.is_empty() {
        return elements;
    }
    for index in 0..system.blocks.len() {
        let block = &system.blocks[index];
        let loads = |ws: &mut Workspace, stress: &[f64]| -> Vec<f64> {
            apply(system, ws, block, stress);
            ws.reactions.multipliers.fill(0.0);
            ws.reactions.multipliers[block.rows.clone()].copy_from_slice(stress);
            system.load_frictions().map(|(coordinate, _, law)| calc_load(system, ws, coordinate, law)).collect()
        };
        let without = loads(ws, &vec![0.0; block.rows.len()]);
        for stress in self_stresses(system, ws, index) {
            let with = loads(ws, &stress);
            let laws = system.load_frictions().map(|(_, _, law)| law.radius + law.thrust_radius);
            let all = with.iter().zip(&without).zip(laws).zip(&system.load_frictions);
            let open =
                |((with, without), size): ((&f64, &f64), f64)| (with - without).abs() > SECTION_FORCE_TOLERANCE * size;
            elements.extend(all.filter(|(change, _)| open(*change)).map(|(_, element)| *element));
        }
    }
    elements.sort_unstable();
    elements.dedup();
    elements
}

/// Writes the forces that a state of stress causes in the tree joints into `ws.residuals.bodies`.
fn apply(system: &System, ws: &mut Workspace, block: &Block, stress: &[f64]) {
    ws.residuals.bodies.fill(Wrench::zero());
    for (row, lambda) in block.rows.clone().zip(stress) {
        let Some((first, second)) = system.rows[row].bodies() else { continue };
        if second != 0 {
            ws.residuals.bodies[second] -= ws.closure.rows[row].on_second * *lambda;
        }
        if first != 0 {
            ws.residuals.bodies[first] += ws.closure.rows[row].on_first * *lambda;
        }
    }
    accumulate_residuals(system, &mut ws.residuals.bodies);
}

/// Whether the interface forces in `ws.residuals.bodies` change an output.
fn changes(system: &System, ws: &Workspace, output: &Output) -> bool {
    let Some((index, section)) = output.readout.section() else { return false };
    let section = &system.flexible[index].sections[section];
    let (mut sum, mut parts) = ([0.0; 6], [0.0; 6]);
    for (link, rows) in section.loads.iter().enumerate() {
        let load = interface_load(system, ws, index, link);
        for (i, row) in rows.iter().enumerate() {
            for (factor, load) in row.iter().zip(&load) {
                sum[i] += factor * load;
                parts[i] += (factor * load).abs();
            }
        }
    }
    // Compared with the largest of the three components of one unit: a component of zeros alone has no scale.
    let largest = |first: usize| parts[first..first + 3].iter().copied().fold(0.0, larger);
    let open = |i: usize| !(sum[i].abs() <= SECTION_FORCE_TOLERANCE * largest(i / 3 * 3));
    let Readout::Flexible { quantity, .. } = &output.readout else { return false };
    match quantity {
        FlexibleQuantity::SectionForce(_) => open(output.component),
        FlexibleQuantity::SectionMoment(_) => open(3 + output.component),
        FlexibleQuantity::Stress(_, point) => {
            let law = &section.points[*point].1;
            (0..6).any(|i| law.depends_on(i) && open(i))
        }
        _ => false,
    }
}
