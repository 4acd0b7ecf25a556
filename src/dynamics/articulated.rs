//! Accelerations by elimination from the leaves: articulated bodies over clusters of joints.
//!
//! Problem. Rᵀ M R y = Rᵀ Q of [`super`], for systems of rigid bodies, without forming M: with the accelerations Ż⁰ of all
//! bodies for y = 0 (bias, guided and particular accelerations included) and the forces p_i that they lack, find y with
//!
//! ```text
//!     Ż_i = Ż⁰_i + δŻ_i,    δŻ_i = δŻ_base + B_i y,    B_i = Σ b_k R_k over the joints between base and body i,
//! ```
//!
//! cluster by cluster ([`crate::system::Cluster`]). A cluster of f reduced coordinates, with the articulated inertias I_i and
//! forces p_i of its bodies, has
//!
//! ```text
//!     D = Σ B_iᵀ I_i B_i,    U = Σ I_i B_i,    u = τ − Σ B_iᵀ p_i,    D y = u − Uᵀ δŻ_base,
//! ```
//!
//! and hands on I = Σ I_i − U D⁻¹ Uᵀ and p = Σ p_i + U D⁻¹ u to its base. With f = 1 and one body this is Featherstone's
//! articulated-body algorithm; with loops it is the second velocity transformation of Hidalgo & García de Jalón (eqs 26-29)
//! applied block by block. All bodies of a branch refer to one point o in world axes, so nothing is transformed.
//!
//! The inertia that a rod lends to both of its ends, m/6 (J_Pᵀ J_Q + J_Qᵀ J_P), lies within a cluster and its base.
//!
//! Cost. O(bodies · f²) plus f³/3 per cluster: linear in the length of chains and in the number of windows in a row. No
//! allocation, no iteration.
//!
//! Proved by: tests/structured.rs (against the dense solution), and all that rests on it.

use super::NO_INERTIA;
use crate::math::linear;
use crate::math::spatial::{Articulated, Motion, Wrench};
use crate::system::{Cluster, ClusterRod, ClusterScratch, Drive, Fault, System, Workspace};

/// z̈ += R y for the residuals and the particular z̈ of the stage. Overwrites the residuals.
pub fn solve(system: &System, ws: &mut Workspace) -> Result<(), Fault> {
    for body in 0..system.bodies.len() {
        let inertia = &ws.inertias[body];
        ws.articulated[body] = Articulated::rigid(inertia);
        ws.composite_sizes[body] = [inertia.mass, inertia.second.trace()];
    }
    for (index, cluster) in system.clusters.iter().enumerate() {
        let mut scratch = std::mem::take(&mut ws.clusters[index]);
        let done = eliminate(system, cluster, &mut scratch, ws);
        ws.clusters[index] = scratch;
        if let Err(direction) = done {
            let coordinate = coordinate_of_direction(system, cluster, ws, direction);
            return Err(Fault::NoInertia { joint: system.joint_of_coordinate(coordinate) as u32, time: f64::NAN });
        }
    }
    // From here on `accelerations` are the changes δŻ.
    ws.accelerations[0] = Motion::zero();
    for (index, cluster) in system.clusters.iter().enumerate().rev() {
        substitute(cluster, index, ws);
    }
    Ok(())
}

/// Factors D of a cluster and hands inertia and force on to its base. `Err`: the reduced coordinate that meets no inertia.
fn eliminate(
    system: &System,
    cluster: &Cluster,
    scratch: &mut ClusterScratch,
    ws: &mut Workspace,
) -> Result<(), usize> {
    let width = place_columns(cluster, scratch, ws);
    let f = width;
    let d = &mut scratch.inertia[..f * f];
    d.fill(0.0);
    scratch.sizes[..f].fill(0.0);
    scratch.coupling[..f].fill(Wrench::zero());
    let force = &mut scratch.force[..f];
    force.fill(0.0);
    let on_ground = cluster.base == 0;
    for (member, columns) in cluster.members.iter().zip(scratch.columns.chunks_exact(f.max(1))) {
        let body = member.joint + 1;
        let (articulated, residual) = (&ws.articulated[body], ws.residuals[body]);
        let [mass, second] = ws.composite_sizes[body];
        for c in 0..f {
            let column = &columns[c];
            let momentum = articulated.apply(column);
            force[c] -= column.dot(&residual);
            scratch.sizes[c] += mass * column.lin.norm_squared() + second * column.ang.norm_squared();
            for e in 0..=c {
                d[c * f + e] += columns[e].dot(&momentum);
            }
            scratch.coupling[c] += momentum;
        }
        for coordinate in &member.coordinates {
            let effort = ws.efforts[coordinate.v];
            if effort != 0.0 {
                let row = row_of(coordinate.drive, cluster, ws);
                force[row.first..row.first + row.values.len()]
                    .iter_mut()
                    .zip(row.values)
                    .for_each(|(force, factor)| *force += factor * effort);
            }
        }
    }
    add_rods(system, cluster, scratch, f, ws);
    let ClusterScratch { inertia, sizes, force, coupling, .. } = scratch;
    let d = &mut inertia[..f * f];
    factor(d, f, sizes)?;
    linear::solve_lower(d, f, &mut force[..f]);
    if on_ground {
        return Ok(());
    }
    // U ← L⁻¹ Uᵀ, row by row.
    for c in 0..f {
        for e in 0..c {
            let (head, tail) = coupling.split_at_mut(c);
            tail[0] -= head[e] * d[c * f + e];
        }
        coupling[c] = coupling[c] * (1.0 / d[c * f + c]);
    }
    let (mut handed, mut residual, mut size) = (ws.articulated[cluster.base], ws.residuals[cluster.base], [0.0; 2]);
    for member in &cluster.members {
        let body = member.joint + 1;
        handed += &ws.articulated[body];
        residual += ws.residuals[body];
        size = [size[0] + ws.composite_sizes[body][0], size[1] + ws.composite_sizes[body][1]];
    }
    for rod in &cluster.rods {
        let rod = &system.rods[rod.rod];
        let [p, q] = [0, 1].map(|end| ws.bodies[rod.bodies[end]].point(&rod.points[end]));
        handed.add_coupling(rod.mass / 6.0, &p, &q);
    }
    for c in 0..f {
        handed.subtract_square(&coupling[c]);
        residual += coupling[c] * force[c];
    }
    ws.articulated[cluster.base] = handed;
    ws.residuals[cluster.base] = residual;
    ws.composite_sizes[cluster.base][0] += size[0];
    ws.composite_sizes[cluster.base][1] += size[1];
    Ok(())
}

/// Rows of R that a coordinate has: reduced coordinates from `first` on, and the factors.
struct Row<'a> {
    first: usize,
    values: &'a [f64],
}

fn row_of<'a>(drive: Drive, cluster: &Cluster, ws: &'a Workspace) -> Row<'a> {
    match drive {
        Drive::Free(first) => Row { first, values: &[1.0] },
        Drive::Block { block, k } => {
            let before: usize = cluster.blocks[..block].iter().map(|&other| ws.blocks[other].free).sum();
            let scratch = &ws.blocks[cluster.blocks[block]];
            let width = scratch.free;
            Row { first: cluster.free.len() + before, values: &scratch.null[k * width..(k + 1) * width] }
        }
    }
}

/// Number of reduced coordinates of a cluster at this stage.
fn width_of(cluster: &Cluster, ws: &Workspace) -> usize {
    cluster.free.len() + cluster.blocks.iter().map(|&block| ws.blocks[block].free).sum::<usize>()
}

/// B of all bodies of the cluster, f columns each; returns f.
fn place_columns(cluster: &Cluster, scratch: &mut ClusterScratch, ws: &Workspace) -> usize {
    let f = width_of(cluster, ws);
    for (place, member) in cluster.members.iter().enumerate() {
        let (inner, outer) = scratch.columns.split_at_mut(place * f);
        let columns = &mut outer[..f];
        match member.inboard {
            Some(inboard) => columns.copy_from_slice(&inner[inboard * f..(inboard + 1) * f]),
            None => columns.fill(Motion::zero()),
        }
        for coordinate in &member.coordinates {
            let b = &ws.columns[coordinate.v];
            let row = row_of(coordinate.drive, cluster, ws);
            for (column, &factor) in columns[row.first..].iter_mut().zip(row.values) {
                if factor != 0.0 {
                    *column += *b * factor;
                }
            }
        }
    }
    f
}

/// Terms of rods between two bodies of the cluster, or one of them and its base, in D and U.
fn add_rods(system: &System, cluster: &Cluster, scratch: &mut ClusterScratch, f: usize, ws: &Workspace) {
    for &ClusterRod { rod, ends } in &cluster.rods {
        let rod = &system.rods[rod];
        if rod.bodies.contains(&0) {
            continue;
        }
        let sixth = rod.mass / 6.0;
        let points = [0, 1].map(|end| ws.bodies[rod.bodies[end]].point(&rod.points[end]));
        let ClusterScratch { columns, inertia, coupling, .. } = scratch;
        let velocity = |end: usize, c: usize| {
            ends[end].map_or_else(crate::math::Vec3::zeros, |place| columns[place * f + c].at(&points[end]))
        };
        for c in 0..f {
            let (p, q) = (velocity(0, c), velocity(1, c));
            for e in 0..=c {
                inertia[c * f + e] += sixth * (p.dot(&velocity(1, e)) + q.dot(&velocity(0, e)));
            }
            coupling[c] += Wrench::at(&points[1], p * sixth);
            coupling[c] += Wrench::at(&points[0], q * sixth);
        }
    }
}

/// Cholesky factor L of D in place; `Err(c)` names the first direction that meets no inertia, measured by `sizes`: what the
/// composite inertias outboard would give it without cancellation.
fn factor(d: &mut [f64], f: usize, sizes: &[f64]) -> Result<(), usize> {
    for c in 0..f {
        for e in 0..=c {
            let mut sum = d[c * f + e];
            for i in 0..e {
                sum -= d[c * f + i] * d[e * f + i];
            }
            if e < c {
                d[c * f + e] = sum / d[e * f + e];
            } else if sum > NO_INERTIA * sizes[c] && sum > 0.0 {
                d[c * f + c] = sum.sqrt();
            } else {
                return Err(c);
            }
        }
    }
    Ok(())
}

/// y of a cluster from the change of its base's acceleration, z̈ += R y, and the changes of its bodies.
fn substitute(cluster: &Cluster, index: usize, ws: &mut Workspace) {
    let f = width_of(cluster, ws);
    let mut scratch = std::mem::take(&mut ws.clusters[index]);
    let base = ws.accelerations[cluster.base];
    let ClusterScratch { columns, inertia, coupling, force, .. } = &mut scratch;
    let y = &mut force[..f];
    if cluster.base != 0 {
        for (y, coupling) in y.iter_mut().zip(coupling.iter()) {
            *y -= base.dot(coupling);
        }
    }
    linear::solve_lower_transposed(&inertia[..f * f], f, y);
    for (member, columns) in cluster.members.iter().zip(columns.chunks_exact(f.max(1))) {
        let mut change = base;
        for (column, y) in columns.iter().zip(y.iter()).take(f) {
            change += *column * *y;
        }
        ws.accelerations[member.joint + 1] = change;
    }
    for member in &cluster.members {
        for coordinate in &member.coordinates {
            let row = row_of(coordinate.drive, cluster, ws);
            let change: f64 = row.values.iter().zip(&y[row.first..]).map(|(factor, y)| factor * y).sum();
            ws.zdd[coordinate.v] += change;
        }
    }
    ws.clusters[index] = scratch;
}

/// The velocity coordinate that moves most in reduced coordinate `direction` of a cluster.
fn coordinate_of_direction(system: &System, cluster: &Cluster, ws: &Workspace, direction: usize) -> usize {
    let mut largest = (0.0, system.joints[cluster.members[0].joint].v);
    for coordinate in cluster.members.iter().flat_map(|member| &member.coordinates) {
        let row = row_of(coordinate.drive, cluster, ws);
        let size = direction.checked_sub(row.first).and_then(|c| row.values.get(c)).map_or(0.0, |value| value.abs());
        if size > largest.0 {
            largest = (size, coordinate.v);
        }
    }
    largest.1
}

#[cfg(test)]
mod tests {
    use crate::dynamics::{evaluate, evaluate_dense, load_stage};
    use crate::math::check::Random;
    use crate::model;
    use crate::system::{System, Workspace};

    /// Random states about the start: joints moved by tenths, quick, loops closed. Positions that cannot be closed from there are
    /// left out, and must be few.
    #[test]
    fn elimination_from_the_leaves_and_the_dense_mass_matrix_give_the_same_accelerations() {
        let folders = std::fs::read_dir("models").unwrap().map(|entry| entry.unwrap().path());
        let (mut compared, mut worst) = (0, 0.0f64);
        for path in folders.filter(|path| path.join("model.toml").is_file()) {
            let document = model::load(&path).unwrap_or_else(|errors| panic!("{errors}"));
            let parameters: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
            let system = System::compile(&document, &parameters).unwrap_or_else(|errors| panic!("{errors}"));
            if system.clusters.is_empty() {
                continue;
            }
            let (name, mut random) = (path.display(), Random(17));
            let (mut ws, mut dense) = (Workspace::new(&system), Workspace::new(&system));
            let mut found = 0;
            for _ in 0..100 {
                let mut state = system.initial.clone();
                for v in 0..system.nv {
                    system.add_increment(&mut state.q, v, 0.1 * random.number());
                    state.v[v] = random.number();
                }
                let t = state.time;
                load_stage(&system, &state, &mut ws, t);
                if evaluate(&system, &state, &mut ws, t, true).is_err() {
                    continue;
                }
                load_stage(&system, &state, &mut dense, t);
                evaluate_dense(&system, &state, &mut dense, t, true)
                    .unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
                let sigma = ws.blocks.iter().map(|block| block.pivot).fold(1.0, f64::min);
                let bar = if sigma > 1e-2 { 1e-10 } else { 1e-14 / (sigma * sigma) };
                let size = dense.zdd.iter().fold(1.0f64, |most, value| most.max(value.abs()));
                let error = ws.zdd.iter().zip(&dense.zdd).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
                worst = worst.max(error / size / bar);
                assert!(error <= bar * size, "{name}: {error:e} of {size:e}, smallest pivot {sigma:e}");
                found += 1;
            }
            println!("{name}: {found} states");
            compared += found;
        }
        println!("{compared} states, at most {worst:.1e} of what is permitted");
        assert!(compared > 2000, "{compared}");
    }
}
