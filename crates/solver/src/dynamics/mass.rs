//! Inertias of bodies, composite inertias, and the mass matrix of the open tree (Hidalgo & García de Jalón, eqs 8, 18).

#![expect(non_snake_case, reason = "monogram notation of frames")]

use crate::math::Vec3;
use crate::math::scalar::Scalar;
use crate::math::spatial::{BodyMotion, Inertia, Motion, Wrench};
use crate::system::workspace::{FlexibleScratch, Inertias, Kinematics, OpenTree};
use crate::system::{BlockScratch, Drive, Member, Rod, System};

/// Inertia of every body about the o of its branch, from the poses of the bodies and the elastic coordinates in `q`.
pub fn calc_inertias<S: Scalar>(
    system: &System,
    q: &[S],
    kinematics: &Kinematics<S>,
    flexible: &mut [FlexibleScratch<S>],
    inertias: &mut Inertias<S>,
) {
    inertias.bodies[0] = Inertia::zero();
    for body in 1..system.bodies.len() {
        let pose = &kinematics.bodies[body];
        inertias.bodies[body] = system.bodies[body].inertia.about(&pose.rotation, &pose.position);
    }
    super::flexible::calc_inertias(system, q, kinematics, flexible, inertias);
}

/// Inertia of every body with everything outboard of its joint.
pub fn calc_composites(system: &System, inertias: &mut Inertias) {
    let Inertias { bodies, composites, .. } = inertias;
    composites.copy_from_slice(bodies);
    for body in (1..system.bodies.len()).rev() {
        let parent = system.bodies[body].parent;
        let outboard = composites[body];
        if parent != 0 {
            composites[parent] += outboard;
        }
    }
}

/// Mass matrix of the open tree: M(i, j) = b_iᵀ M̄^Σ_i b_j for j on the path from i to the root, plus the armature of
/// every coordinate, the modes of flexible bodies and the coupling of the two ends of every rod. (An elastic coordinate
/// has a column at every link on the path.) Into `mass`, nv × nv, after [`calc_composites`].
pub fn calc_mass(
    system: &System,
    kinematics: &Kinematics,
    flexible: &[FlexibleScratch],
    inertias: &mut Inertias,
    mass: &mut [f64],
) {
    let nv = system.nv;
    let (columns, composites) = (&kinematics.columns, &inertias.composites);
    mass.fill(0.0);
    for (joint, tree) in system.joints.iter().enumerate() {
        // Without mass outboard there is no contribution.
        if composites[joint + 1] == Inertia::zero() {
            continue;
        }
        for (i, slot) in tree.v_range().zip(tree.slot_range()) {
            let momentum = composites[joint + 1].apply(&columns[slot]);
            // Entries between the coordinates of this joint.
            let start = tree.v_range().start;
            for j in start..i {
                let entry = columns[tree.slot_range().start + j - start].dot(&momentum);
                mass[i * nv + j] += entry;
                mass[j * nv + i] += entry;
            }
            mass[i * nv + i] += columns[slot].dot(&momentum);
            // Entries with the coordinates of all joints on the path to the root.
            let mut body = system.bodies[joint + 1].parent;
            while body != 0 {
                let inboard = &system.joints[body - 1];
                for (j, slot) in inboard.v_range().zip(inboard.slot_range()) {
                    let entry = columns[slot].dot(&momentum);
                    mass[i * nv + j] += entry;
                    mass[j * nv + i] += entry;
                }
                body = system.bodies[body].parent;
            }
        }
    }
    // Contributions that do not follow from the inertias of bodies.
    for (v, armature) in system.armature.iter().enumerate() {
        mass[v * nv + v] += armature;
    }
    super::flexible::add_mass(system, columns, flexible, mass);
    add_rods(system, kinematics, &mut inertias.rod_columns, mass);
}

/// Mass matrix of the coordinates of every block, the others at rest, into its scratch: [`calc_block_mass`].
pub fn calc_block_masses(system: &System, tree: &mut OpenTree, blocks: &mut [BlockScratch]) {
    for (index, scratch) in blocks.iter_mut().enumerate() {
        calc_block_mass(system, tree.kinematics, tree.flexible, tree.inertias, index, &mut scratch.mass);
    }
}

/// Mass matrix of the coordinates of block `index`, the others at rest: the entries of [`calc_mass`], after
/// [`calc_composites`]. `false`, and nothing done, for a block in no cluster. Cost: n² for n coordinates of a block
/// along one leg.
pub(crate) fn calc_block_mass(
    system: &System,
    kinematics: &Kinematics,
    flexible: &[FlexibleScratch],
    inertias: &mut Inertias,
    index: usize,
    mass: &mut [f64],
) -> bool {
    let block = &system.blocks[index];
    let Some((cluster, number)) = system.cluster_map.blocks.get(index).copied().flatten() else { return false };
    let (cluster, n) = (&system.clusters[cluster], block.coordinates.len());
    let (Kinematics { bodies, columns, .. }, Inertias { composites, rod_columns, .. }) = (kinematics, inertias);
    mass.fill(0.0);
    let of_block = |member: &Member| member.parts.iter().position(|part| part.block == number);
    // From a column's momentum to all columns of the block on the way inboard from a member.
    let add_inboard = |mass: &mut [f64], k: usize, momentum: &Wrench, mut place: Option<usize>| {
        while let Some(member) = place.map(|place| &cluster.members[place]) {
            for &(l, slot) in of_block(member).map_or(&[][..], |part| &member.parts[part].coordinates) {
                let entry = columns[slot].dot(momentum);
                mass[k * n + l] += entry;
                mass[l * n + k] += entry;
            }
            place = member.inboard;
        }
    };
    // Bodies: the momentum of the composite for column k, times the columns of the body and of the bodies inboard.
    for member in &cluster.members {
        let Some(part) = of_block(member) else { continue };
        let composite = &composites[member.joint + 1];
        if *composite == Inertia::zero() {
            continue;
        }
        for (i, &(k, slot)) in member.parts[part].coordinates.iter().enumerate() {
            let momentum = composite.apply(&columns[slot]);
            for &(l, slot) in &member.parts[part].coordinates[..i] {
                let entry = columns[slot].dot(&momentum);
                mass[k * n + l] += entry;
                mass[l * n + k] += entry;
            }
            mass[k * n + k] += columns[slot].dot(&momentum);
            add_inboard(mass, k, &momentum, member.inboard);
        }
    }
    // Elastic modes: unit mass, and the coupling with the motion of the frame.
    for elastic in &cluster.elastic {
        for &(mode, drive) in &elastic.modes {
            if let Drive::Block { block, k } = drive
                && block == number
            {
                mass[k * n + k] += 1.0;
                add_inboard(mass, k, &flexible[elastic.flexible].coupling[mode], elastic.frame);
            }
        }
    }
    for (k, &v) in block.coordinates.iter().enumerate() {
        mass[k * n + k] += system.armature[v];
    }
    // Rods: m/6 times the product of the velocities of both ends.
    for rod in cluster.rods.iter().map(|rod| &system.rods[rod.rod]) {
        calc_rod_columns(rod, bodies, columns, rod_columns);
        let places = |end: usize| {
            let column = |&v: &usize| block.coordinates.binary_search(&v).ok().map(|k| (k, v));
            rod.coordinates[end].iter().filter_map(column)
        };
        for (k, i) in places(0) {
            for (l, j) in places(1) {
                let entry = rod.mass / 6.0 * rod_columns[i][0].dot(&rod_columns[j][1]);
                mass[k * n + l] += entry;
                mass[l * n + k] += entry;
            }
        }
    }
    true
}

/// Point Jacobians of the two ends of a rod.
fn calc_rod_columns(rod: &Rod, bodies: &[BodyMotion], columns: &[Motion], rod_columns: &mut [[Vec3; 2]]) {
    for end in 0..2 {
        let p_oP_W = bodies[rod.bodies[end]].point(&rod.points[end]);
        for &k in &rod.coordinates[end] {
            rod_columns[k][end] = Vec3::zeros();
        }
        for &(k, slot) in &rod.slots[end] {
            rod_columns[k][end] += columns[slot].at(&p_oP_W);
        }
    }
}

/// m/6 (J_Pᵀ J_Q + J_Qᵀ J_P) of every rod (theory section 5); the diagonal part m/3 is in the bodies' inertias.
fn add_rods(system: &System, kinematics: &Kinematics, rod_columns: &mut [[Vec3; 2]], mass: &mut [f64]) {
    let nv = system.nv;
    for rod in system.rods.iter().filter(|rod| rod.mass != 0.0) {
        calc_rod_columns(rod, &kinematics.bodies, &kinematics.columns, rod_columns);
        for &i in &rod.coordinates[0] {
            for &j in &rod.coordinates[1] {
                let entry = rod.mass / 6.0 * rod_columns[i][0].dot(&rod_columns[j][1]);
                mass[i * nv + j] += entry;
                mass[j * nv + i] += entry;
            }
        }
    }
}
