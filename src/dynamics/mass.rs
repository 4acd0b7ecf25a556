//! Inertias of bodies, composite inertias, and the mass matrix of the open tree (Hidalgo & García de Jalón, eqs 8, 18).

use super::flexible;
use crate::math::Vec3;
use crate::math::spatial::Inertia;
use crate::system::{System, Workspace};

/// Inertia of every body about the o of its branch.
pub fn calc_inertias(system: &System, ws: &mut Workspace) {
    ws.inertias[0] = Inertia::zero();
    for body in 1..system.bodies.len() {
        let pose = &ws.bodies[body];
        ws.inertias[body] = system.bodies[body].inertia.about(&pose.rotation, &pose.position);
    }
    flexible::calc_inertias(system, ws);
}

/// Inertia of every body with everything outboard of its joint.
pub fn calc_composites(system: &System, ws: &mut Workspace) {
    ws.composites.copy_from_slice(&ws.inertias);
    for body in (1..system.bodies.len()).rev() {
        let parent = system.bodies[body].parent;
        let outboard = ws.composites[body];
        if parent != 0 {
            ws.composites[parent] += outboard;
        }
    }
}

/// Mass matrix of the open tree: M(i, j) = b_iᵀ M̄^Σ_i b_j for j on the path from i to the root, plus the modes of flexible
/// bodies and the coupling of the two ends of every rod. (An elastic coordinate has a column at every link on the path.)
pub fn calc_mass(system: &System, ws: &mut Workspace) {
    let nv = system.nv;
    ws.mass.fill(0.0);
    for (joint, tree) in system.joints.iter().enumerate() {
        if ws.composites[joint + 1] == Inertia::zero() {
            continue;
        }
        for (i, slot) in tree.v_range().zip(tree.slot_range()) {
            let momentum = ws.composites[joint + 1].apply(&ws.columns[slot]);
            let start = tree.v_range().start;
            for j in start..i {
                let entry = ws.columns[tree.slot_range().start + j - start].dot(&momentum);
                ws.mass[i * nv + j] += entry;
                ws.mass[j * nv + i] += entry;
            }
            ws.mass[i * nv + i] += ws.columns[slot].dot(&momentum);
            let mut body = system.bodies[joint + 1].parent;
            while body != 0 {
                let inboard = &system.joints[body - 1];
                for (j, slot) in inboard.v_range().zip(inboard.slot_range()) {
                    let entry = ws.columns[slot].dot(&momentum);
                    ws.mass[i * nv + j] += entry;
                    ws.mass[j * nv + i] += entry;
                }
                body = system.bodies[body].parent;
            }
        }
    }
    flexible::add_mass(system, ws);
    add_rods(system, ws);
}

/// m/6 (J_Pᵀ J_Q + J_Qᵀ J_P) of every rod (theory section 5); the diagonal part m/3 is in the bodies' inertias.
fn add_rods(system: &System, ws: &mut Workspace) {
    let nv = system.nv;
    for rod in system.rods.iter().filter(|rod| rod.mass != 0.0) {
        for end in 0..2 {
            let r = ws.bodies[rod.bodies[end]].point(&rod.points[end]);
            for &k in &rod.coordinates[end] {
                ws.rod_columns[k][end] = Vec3::zeros();
            }
            for &(k, slot) in &rod.slots[end] {
                ws.rod_columns[k][end] += ws.columns[slot].at(&r);
            }
        }
        for &i in &rod.coordinates[0] {
            for &j in &rod.coordinates[1] {
                let entry = rod.mass / 6.0 * ws.rod_columns[i][0].dot(&ws.rod_columns[j][1]);
                ws.mass[i * nv + j] += entry;
                ws.mass[j * nv + i] += entry;
            }
        }
    }
}
