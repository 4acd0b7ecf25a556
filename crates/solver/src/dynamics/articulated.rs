//! Accelerations by elimination from the leaves: articulated bodies over clusters of joints.
//!
//! Problem. Rᵀ M R y = Rᵀ Q of [`super`], without forming M: with the accelerations Ż⁰ of all bodies for y = 0
//! (including bias, prescribed and particular accelerations) and the residual forces p_i, find y with
//!
//! ```text
//!     Ż_i = Ż⁰_i + δŻ_i,    δŻ_i = δŻ_base + B_i y,    B_i = Σ b_k R_k over the joints between base and body i,
//! ```
//!
//! cluster by cluster ([`crate::system::Cluster`]). A cluster of f reduced coordinates, with the articulated inertias
//! I_i and forces p_i of its bodies, has
//!
//! ```text
//!     D = Σ B_iᵀ I_i B_i,    U = Σ I_i B_i,    u = τ − Σ B_iᵀ p_i,    D y = u − Uᵀ δŻ_base,
//! ```
//!
//! and passes I = Σ I_i − U D⁻¹ Uᵀ and p = Σ p_i + U D⁻¹ u to its base; D = L Δ Lᵀ with L of unit diagonal, and Δ⁻¹ is
//! stored instead of Δ, so that the only divisions are 1 by each pivot. With f = 1 and one body this is Featherstone's
//! articulated-body algorithm; with loops it is the second velocity transformation of Hidalgo & García de Jalón (eqs
//! 26-29) applied block by block. All bodies of a branch refer to one point o in world axes, so nothing is transformed.
//!
//! The modes of a flexible body belong to one cluster (`super::flexible::elimination`).
//!
//! The coupling inertia of a rod between its two ends, m/6 (J_Pᵀ J_Q + J_Qᵀ J_P), lies within a cluster and its base.
//!
//! Cost. O(bodies · f²) plus f³/3 per cluster, once the null spaces of the loops are known: linear in the length of
//! chains. No allocation, no iteration.
//!
//! Verified by: crates/compile/src/solver_tests/articulated.rs (against the dense solution, explicit and
//! implicit), and by all tests of motion.

use super::dense::INERTIA_TOLERANCE;
use super::flexible::elimination::{self as modes, Reduced};
use super::implicit::Lengths;
use crate::force::Direction;
use crate::math::Vec3;
use crate::math::spatial::{Articulated, Inertia, Motion, SixNumbers, Wrench, add_scaled, dot};
use crate::system::workspace::{AppliedLoads, Elimination, Kinematics};
use crate::system::{BlockScratch, Cluster, ClusterRod, ClusterScratch, Drive, Fault, State, System, Workspace};

/// Factors the inertia of all clusters for the residuals of the stage, outboard before inboard.
pub fn reduce(system: &System, ws: &mut Workspace) -> Result<(), Fault> {
    begin_bodies(system, ws);
    for (index, cluster) in system.clusters.iter().enumerate() {
        let done = match cluster.single {
            Some(v) => eliminate_single(cluster, index, (v, system.armature[v]), ws),
            None => eliminate(system, cluster, index, ws, false),
        };
        done.map_err(|direction| no_inertia(system, cluster, ws, direction))?;
    }
    Ok(())
}

/// The elimination with the stiffness and damping of a linearly implicit step (`implicit = "stiff"`, see
/// [`super::implicit`]): the result is z̈ at the end of the step.
pub(crate) fn reduce_implicit(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    lengths: Lengths,
) -> Result<(), Fault> {
    begin_bodies(system, ws);
    let Workspace { elimination, kinematics, blocks, .. } = ws;
    for (cluster, scratch) in system.clusters.iter().zip(&mut elimination.clusters) {
        let f = width_of(cluster, blocks);
        begin(f, scratch);
        for place in 0..cluster.members.len() {
            place_columns(f, place, cluster, &mut scratch.columns, &kinematics.columns, blocks);
        }
        modes::add_stiffness(system, cluster, &mut scratch.inertia[..f * f], f, blocks, lengths);
    }
    add_stiffness(system, state, ws, lengths);
    for (index, cluster) in system.clusters.iter().enumerate() {
        let done = eliminate(system, cluster, index, ws, true);
        done.map_err(|direction| no_inertia(system, cluster, ws, direction))?;
    }
    Ok(())
}

/// Inertia and residual of every body alone, before anything outboard is added.
fn begin_bodies(system: &System, ws: &mut Workspace) {
    let Workspace { inertias, residuals, elimination, .. } = ws;
    for body in 0..system.bodies.len() {
        let inertia = &inertias.bodies[body];
        elimination.articulated[body] = Articulated::rigid(inertia);
        elimination.composite_sizes[body] = [inertia.mass, inertia.second.trace()];
        elimination.lacking[body] = residuals.bodies[body].six();
    }
}

fn no_inertia(system: &System, cluster: &Cluster, ws: &Workspace, direction: usize) -> Fault {
    let coordinate = coordinate_of_direction(cluster, &ws.blocks, direction);
    Fault::NoInertia { joint: system.joint_of_coordinate(coordinate) as u32, time: f64::NAN }
}

/// z̈ += R y, inboard before outboard, after [`reduce`]; `ws.elimination.change` gets the changes δŻ of all bodies.
pub fn solve(system: &System, ws: &mut Workspace) {
    ws.elimination.change[0] = [0.0; 6];
    for (index, cluster) in system.clusters.iter().enumerate().rev() {
        match cluster.single {
            Some(v) => substitute_single(cluster, index, v, ws),
            None => substitute(system, cluster, index, ws),
        }
    }
}

/// z̈ += R y, after [`reduce_implicit`] or `reduce_forces`.
pub(crate) fn solve_implicit(system: &System, ws: &mut Workspace) {
    ws.elimination.change[0] = [0.0; 6];
    for (index, cluster) in system.clusters.iter().enumerate().rev() {
        substitute(system, cluster, index, ws);
    }
}

/// L⁻¹ u of all clusters for wrenches `ws.elimination.lacking` on the bodies and residuals of the modes alone, with the
/// factors that an implicit [`reduce_implicit`] left; [`solve_implicit`] follows. Returns uᵀ (Rᵀ M R)⁻¹ u.
pub(super) fn reduce_forces(system: &System, ws: &mut Workspace) -> f64 {
    let Workspace { elimination: Elimination { clusters, lacking, .. }, flexible, blocks, .. } = ws;
    for (cluster, scratch) in system.clusters.iter().zip(clusters.iter_mut()) {
        let f = width_of(cluster, blocks);
        let ClusterScratch { columns, inertia, force, coupling, .. } = scratch;
        let force = &mut force[..f];
        force.fill(0.0);
        for (place, member) in cluster.members.iter().enumerate() {
            let wrench = &lacking[member.joint + 1];
            for (force, column) in force.iter_mut().zip(&columns[place * f..]) {
                *force -= dot(column, wrench);
            }
        }
        for elastic in &cluster.elastic {
            modes::add_forces(cluster, elastic, &flexible[elastic.flexible], blocks, force);
        }
        solve_lower(inertia, f, force);
        if cluster.base != 0 {
            let mut handed = lacking[cluster.base];
            for (c, coupling) in coupling[..f].iter().enumerate() {
                add_scaled(&mut handed, inertia[c * f + c] * force[c], coupling);
            }
            cluster.members.iter().for_each(|member| add_scaled(&mut handed, 1.0, &lacking[member.joint + 1]));
            lacking[cluster.base] = handed;
        }
    }
    force_square(system, &ws.elimination.clusters, &ws.blocks)
}

/// uᵀ (Rᵀ M R)⁻¹ u of the forces that [`reduce`] or [`reduce_forces`] left.
pub(super) fn force_square(system: &System, clusters: &[ClusterScratch], blocks: &[BlockScratch]) -> f64 {
    let of = |(cluster, scratch): (&Cluster, &ClusterScratch)| -> f64 {
        let f = width_of(cluster, blocks);
        scratch.force[..f].iter().enumerate().map(|(c, force)| scratch.inertia[c * f + c] * force * force).sum()
    };
    system.clusters.iter().zip(clusters).map(of).sum()
}

/// [`eliminate`] for one joint with one coordinate `v`, with its armature, on no loop: f = 1, B = b.
fn eliminate_single(
    cluster: &Cluster,
    index: usize,
    (v, armature): (usize, f64),
    ws: &mut Workspace,
) -> Result<(), usize> {
    let Workspace { kinematics, residuals, elimination, .. } = ws;
    let Elimination { articulated, lacking: lacks, composite_sizes, clusters, .. } = elimination;
    let body = cluster.members[0].joint + 1;
    let (b, lacking) = (kinematics.columns[v].six(), lacks[body]);
    let coupling = articulated[body].apply(&b);
    let inertia = dot(&b, &coupling) + armature;
    let [mass, second] = composite_sizes[body];
    if !(inertia > INERTIA_TOLERANCE * uncancelled_inertia(&b, mass, second) && inertia > 0.0) {
        return Err(0);
    }
    let (inverse, force) = (1.0 / inertia, -residuals.efforts[v] - dot(&b, &lacking));
    if cluster.base != 0 {
        let (inboard, outboard) = articulated.split_at_mut(body);
        inboard[cluster.base].add_reduced(&outboard[0], &[-inverse], &[coupling]);
        let base = &mut lacks[cluster.base];
        add_scaled(base, 1.0, &lacking);
        add_scaled(base, inverse * force, &coupling);
        composite_sizes[cluster.base][0] += mass;
        composite_sizes[cluster.base][1] += second;
    }
    let scratch = &mut clusters[index];
    (scratch.inertia[0], scratch.force[0], scratch.coupling[0]) = (inverse, force, coupling);
    Ok(())
}

/// [`substitute`] for one joint with one coordinate `v` on no loop.
fn substitute_single(cluster: &Cluster, index: usize, v: usize, ws: &mut Workspace) {
    let Workspace { kinematics, accelerations, elimination, .. } = ws;
    let scratch = &elimination.clusters[index];
    let mut change = elimination.change[cluster.base];
    let y = (scratch.force[0] - dot(&change, &scratch.coupling[0])) * scratch.inertia[0];
    add_scaled(&mut change, y, &kinematics.columns[v].six());
    elimination.change[cluster.members[0].joint + 1] = change;
    accelerations.zdd[v] += y;
}

/// Largest ratio of the terms to the inertia that is their difference, and its tree joint; after [`reduce`]. Inertias
/// refer to the reference point of the branch. For a small body far from that point the terms m r² cancel, which loses
/// as many digits as this ratio has.
pub fn cancellation(system: &System, ws: &Workspace) -> (f64, usize) {
    let mut worst = (1.0, 0);
    for (cluster, scratch) in system.clusters.iter().zip(&ws.elimination.clusters) {
        let f = cluster.single.map_or_else(|| width_of(cluster, &ws.blocks), |_| 1);
        for c in 0..f {
            let (size, v) = match cluster.single {
                Some(v) => {
                    let [mass, second] = ws.elimination.composite_sizes[cluster.members[0].joint + 1];
                    (uncancelled_inertia(&ws.kinematics.columns[v].six(), mass, second), v)
                }
                None => (scratch.sizes[c], coordinate_of_direction(cluster, &ws.blocks, c)),
            };
            let ratio = size * scratch.inertia[c * f + c];
            if ratio > worst.0 {
                worst = (ratio, system.joint_of_coordinate(v));
            }
        }
    }
    worst
}

/// Inertia of a column from the mass and the trace of the second moment of a composite, without cancellation.
fn uncancelled_inertia(column: &SixNumbers, mass: f64, second: f64) -> f64 {
    let [x, y, z, a, b, c] = column;
    mass * (x * x + y * y + z * z) + second * (a * a + b * b + c * c)
}

/// Factors D of a cluster and passes inertia and force to its base. `Err`: the reduced coordinate without inertia.
/// `begun`: the columns of the bodies are in place, and D and U contain the stiffness.
fn eliminate(system: &System, cluster: &Cluster, index: usize, ws: &mut Workspace, begun: bool) -> Result<(), usize> {
    // A compile-time width lets the compiler unroll the loops.
    match width_of(cluster, &ws.blocks) {
        0 => eliminate_width(0, system, cluster, index, ws, begun),
        1 => eliminate_width(1, system, cluster, index, ws, begun),
        2 => eliminate_width(2, system, cluster, index, ws, begun),
        3 => eliminate_width(3, system, cluster, index, ws, begun),
        4 => eliminate_width(4, system, cluster, index, ws, begun),
        6 => eliminate_width(6, system, cluster, index, ws, begun),
        f => eliminate_width(f, system, cluster, index, ws, begun),
    }
}

/// [`eliminate`] for a cluster of `f` reduced coordinates.
#[inline(always)]
fn eliminate_width(
    f: usize,
    system: &System,
    cluster: &Cluster,
    index: usize,
    ws: &mut Workspace,
    begun: bool,
) -> Result<(), usize> {
    if !begun {
        begin(f, &mut ws.elimination.clusters[index]);
    }
    let Workspace { kinematics, loads, residuals, blocks, flexible, elimination, .. } = ws;
    let (Kinematics { columns: joints, .. }, AppliedLoads { rod_ends, .. }) = (kinematics, loads);
    let Elimination { articulated, lacking, composite_sizes, clusters, .. } = elimination;
    let ClusterScratch { columns, momenta, inertia, sizes, force, coupling, modes, nonzero } = &mut clusters[index];
    let (d, sizes, force, coupling) = (&mut inertia[..f * f], &mut sizes[..f], &mut force[..f], &mut coupling[..f]);
    let momenta = &mut momenta[..cluster.members.len() * f];
    // Columns and momenta of the members, and their share of the force.
    for (place, member) in cluster.members.iter().enumerate() {
        let body = member.joint + 1;
        let [mass, second] = composite_sizes[body];
        if !begun {
            place_columns(f, place, cluster, columns, joints, blocks);
        }
        let massless = articulated[body].is_zero();
        let own = columns[place * f..][..f].iter().zip(&mut momenta[place * f..][..f]);
        for (c, (column, momentum)) in own.enumerate() {
            *momentum = [0.0; 6];
            // A coordinate of another leg of the loops does not move this body. A body without mass may still carry
            // loads and stiffness.
            if *column == [0.0; 6] {
                continue;
            }
            force[c] -= dot(column, &lacking[body]);
            if !massless {
                sizes[c] += uncancelled_inertia(column, mass, second);
                *momentum = articulated[body].apply(column);
            }
        }
    }
    // Coupling of the ends of rods.
    let mut lent = Inertia::zero();
    for &ClusterRod { rod, ends } in &cluster.rods {
        let (rod, points) = (&system.rods[rod], &rod_ends[rod]);
        let sixth = rod.mass / 6.0;
        lent += Inertia::coupling(sixth, &points[0], &points[1]);
        // The ground has no accumulated inertia or force.
        if !rod.bodies.contains(&0) {
            add_rod(sixth, points, ends, columns, momenta, coupling);
        }
    }
    // D = Bᵀ I B and U, with the modes of flexible bodies.
    for place in 0..cluster.members.len() {
        add_products(&columns[place * f..][..f], &momenta[place * f..][..f], nonzero, d, coupling);
    }
    for elastic in &cluster.elastic {
        let reduced = Reduced { columns, d, sizes, force, coupling, modes };
        modes::add(cluster, elastic, &flexible[elastic.flexible], blocks, reduced);
    }
    for &(armature, drive) in &cluster.armatures {
        let row = row_of(drive, cluster, blocks);
        add_square(d, f, &row, armature);
        for (size, g) in sizes[row.first..].iter_mut().zip(row.values) {
            *size += armature * g * g;
        }
    }
    // Efforts on the free coordinates and on the coordinates of the blocks.
    let efforts = &residuals.efforts;
    for (force, &v) in force.iter_mut().zip(&cluster.free) {
        *force -= efforts[v];
    }
    let mut first = cluster.free.len();
    for &block in &cluster.blocks {
        let (coordinates, width) = (&system.blocks[block].coordinates, blocks[block].width);
        for (k, &v) in coordinates.iter().enumerate().filter(|&(_, &v)| efforts[v] != 0.0) {
            for (force, factor) in force[first..].iter_mut().zip(&blocks[block].null[k * width..][..width]) {
                *force -= factor * efforts[v];
            }
        }
        first += width;
    }
    // Factor D and solve for the force.
    factor(d, f, sizes)?;
    solve_lower(d, f, force);
    if cluster.base == 0 {
        return Ok(());
    }
    // U ← L⁻¹ Uᵀ, row by row.
    for c in 1..f {
        let (head, tail) = coupling.split_at_mut(c);
        for (other, l) in head.iter().zip(&d[c * f..][..c]) {
            add_scaled(&mut tail[0], -l, other);
        }
    }
    // Members have higher numbers than their base.
    let (inboard, outboard) = articulated.split_at_mut(cluster.base + 1);
    // The articulated inertia and force that the base carries: I − U D⁻¹ Uᵀ.
    let (handed, mut handed_lacking) = (&mut inboard[cluster.base], lacking[cluster.base]);
    for c in 0..f {
        add_scaled(&mut handed_lacking, d[c * f + c] * force[c], &coupling[c]);
        // The sizes are no longer needed; their memory stores the factors of the squares.
        sizes[c] = -d[c * f + c];
    }
    for (place, member) in cluster.members.iter().enumerate() {
        let (body, own) = (member.joint + 1, &outboard[member.joint - cluster.base]);
        match place {
            0 => handed.add_reduced(own, sizes, coupling),
            _ => handed.add_reduced(own, &[], &[]),
        }
        add_scaled(&mut handed_lacking, 1.0, &lacking[body]);
        for k in 0..2 {
            composite_sizes[cluster.base][k] += composite_sizes[body][k];
        }
    }
    if cluster.members.is_empty() {
        sizes.iter().zip(&*coupling).for_each(|(weight, direction)| handed.add_square(*weight, direction));
    }
    if !cluster.rods.is_empty() {
        handed.add_reduced(&Articulated::rigid(&lent), &[], &[]);
    }
    lacking[cluster.base] = handed_lacking;
    Ok(())
}

/// A row of R from its first non-zero entry, at reduced coordinate `first`, to its last; for an independent coordinate,
/// the single entry 1.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub first: usize,
    pub values: &'a [f64],
}

pub(super) fn row_of<'a>(drive: Drive, cluster: &Cluster, blocks: &'a [BlockScratch]) -> Row<'a> {
    match drive {
        Drive::Free(first) => Row { first, values: &[1.0] },
        Drive::Block { block, k } => {
            let scratch = &blocks[cluster.blocks[block]];
            let values = &scratch.null[k * scratch.width..(k + 1) * scratch.width];
            let start = values.iter().position(|value| *value != 0.0).unwrap_or(0);
            let end = values.iter().rposition(|value| *value != 0.0).map_or(start, |last| last + 1);
            Row { first: first_of(cluster, block, blocks) + start, values: &values[start..end] }
        }
    }
}

/// Number of reduced coordinates of a cluster at this stage.
fn width_of(cluster: &Cluster, blocks: &[BlockScratch]) -> usize {
    cluster.free.len() + cluster.blocks.iter().map(|&block| blocks[block].width).sum::<usize>()
}

/// D, U and u of a cluster of `f` reduced coordinates before anything is added.
#[inline(always)]
fn begin(f: usize, scratch: &mut ClusterScratch) {
    scratch.inertia[..f * f].fill(0.0);
    scratch.sizes[..f].fill(0.0);
    scratch.force[..f].fill(0.0);
    scratch.coupling[..f].fill([0.0; 6]);
}

/// B of the body of member number `place` from the B of its inboard body, `f` columns.
#[inline(always)]
fn place_columns(
    f: usize,
    place: usize,
    cluster: &Cluster,
    columns: &mut [SixNumbers],
    joints: &[Motion],
    blocks: &[BlockScratch],
) {
    let member = &cluster.members[place];
    let (inner, outer) = columns.split_at_mut(place * f);
    let columns = &mut outer[..f];
    // B of the inboard body.
    match member.inboard {
        Some(inboard) => columns.copy_from_slice(&inner[inboard * f..][..f]),
        None => columns.fill([0.0; 6]),
    }
    // An elastic coordinate may already contribute to the inboard body.
    for &(c, v) in &member.free {
        add_scaled(&mut columns[c], 1.0, &joints[v].six());
    }
    // Coordinates of blocks: b times the row of the null space.
    for part in &member.parts {
        let scratch = &blocks[cluster.blocks[part.block]];
        let width = scratch.width;
        let columns = &mut columns[first_of(cluster, part.block, blocks)..][..width];
        for &(k, v) in &part.coordinates {
            for (column, factor) in columns.iter_mut().zip(&scratch.null[k * width..][..width]) {
                // An independent coordinate has one non-zero entry, and a link has many coordinates.
                if *factor != 0.0 {
                    add_scaled(column, *factor, &joints[v].six());
                }
            }
        }
    }
}

/// First reduced coordinate of the cluster's block number `block`.
fn first_of(cluster: &Cluster, block: usize, blocks: &[BlockScratch]) -> usize {
    cluster.free.len() + cluster.blocks[..block].iter().map(|&other| blocks[other].width).sum::<usize>()
}

/// Stiffness and damping of the force elements over the step: weight · w wᵀ on each direction w, as if it were an
/// inertia. An element between bodies belongs to the cluster of the outermost body and its base; an element to the
/// ground belongs to its body.
fn add_stiffness(system: &System, state: &State, ws: &mut Workspace, lengths: Lengths) {
    let Workspace { stage, kinematics, blocks, elimination, .. } = ws;
    let Elimination { articulated, clusters, gradient, .. } = elimination;
    let surroundings = stage.surroundings(kinematics, &state.parameters);
    for element in &system.elements {
        element.visit_tangents(&surroundings, &mut |tangent| {
            let Some(weight) = lengths.weight(tangent) else { return };
            if let Direction::Coordinate(coordinate) = tangent.direction {
                add_on_coordinate(system, blocks, clusters, coordinate.velocity, weight);
                return;
            }
            // Cluster of the outermost body; an element between one body and the ground stiffens this body alone.
            let ends = tangent.direction.ends();
            let on_ground = ends.iter().any(|end| end.0 == 0);
            let outer = ends.iter().map(|end| end.0).max().unwrap_or(0);
            let Some((index, _)) = system.cluster_map.bodies[outer] else { return };
            let cluster = &system.clusters[index];
            if on_ground && ends.iter().all(|end| end.0 == 0 || end.0 == outer) {
                let mut on_body = [0.0; 6];
                ends.iter().filter(|end| end.0 == outer).for_each(|end| add_scaled(&mut on_body, 1.0, &end.1.six()));
                articulated[outer].add_square(weight, &on_body);
                return;
            }
            // A body that carries all ends moves with them. This holds even if the wrenches, perpendicular to a line in
            // tension, are not in equilibrium.
            let mut ends = ends.map(|(body, wrench)| (body, wrench.six()));
            if !on_ground {
                let mut total = [0.0; 6];
                ends.iter().for_each(|end| add_scaled(&mut total, -1.0, &end.1));
                let carrier = meeting_body(system, ends.map(|end| end.0));
                // The third end of an element between two bodies has no wrench of its own.
                let spare = ends.iter().position(|end| end.1 == [0.0; 6]);
                if let Some(spare) = spare {
                    ends[spare] = (carrier, total);
                }
            }
            // Displacement of the element per unit of every reduced coordinate.
            let f = width_of(cluster, blocks);
            let ClusterScratch { columns, inertia, coupling, .. } = &mut clusters[index];
            let slope = |c: usize| -> f64 {
                let on = |end: &(usize, SixNumbers)| match system.cluster_map.bodies[end.0] {
                    Some((own, place)) if own == index => dot(&columns[place * f + c], &end.1),
                    _ => 0.0,
                };
                ends.iter().map(on).sum()
            };
            // A body that carries all ends does not deform the element; no body carries an end on the ground.
            let mut whole = [0.0; 6];
            if on_ground {
                ends.iter().filter(|end| end.0 != 0).for_each(|end| add_scaled(&mut whole, 1.0, &end.1));
            }
            let gradient = &mut gradient[..f];
            gradient.iter_mut().enumerate().for_each(|(c, value)| *value = slope(c));
            // Add weight · g gᵀ to the inertia of the cluster, and the coupling with its base.
            for c in 0..f {
                let g = weight * gradient[c];
                if g == 0.0 {
                    continue;
                }
                for (entry, other) in inertia[c * f..][..c + 1].iter_mut().zip(&*gradient) {
                    *entry += g * other;
                }
                add_scaled(&mut coupling[c], g, &whole);
            }
            if cluster.base != 0 {
                articulated[cluster.base].add_square(weight, &whole);
            }
        });
    }
}

/// The first body that carries all three.
fn meeting_body(system: &System, mut bodies: [usize; 3]) -> usize {
    loop {
        let outer = bodies.into_iter().max().unwrap_or(0);
        if bodies.iter().all(|&body| body == outer) {
            return outer;
        }
        bodies.iter_mut().filter(|body| **body == outer).for_each(|body| *body = system.bodies[outer].parent);
    }
}

/// Stiffness and damping on velocity coordinate `v`; nothing on a driven coordinate, which no force moves.
fn add_on_coordinate(system: &System, blocks: &[BlockScratch], clusters: &mut [ClusterScratch], v: usize, weight: f64) {
    let Some((index, drive)) = system.cluster_map.coordinates[v] else { return };
    let (cluster, scratch) = (&system.clusters[index], &mut clusters[index]);
    add_square(&mut scratch.inertia, width_of(cluster, blocks), &row_of(drive, cluster, blocks), weight);
}

/// D += weight · g gᵀ for the row g of R, lower triangle of width `f`.
fn add_square(d: &mut [f64], f: usize, row: &Row, weight: f64) {
    for (c, g) in row.values.iter().enumerate() {
        for (e, other) in row.values[..=c].iter().enumerate() {
            d[(row.first + c) * f + row.first + e] += weight * g * other;
        }
    }
}

/// D += Bᵀ P, lower triangle, and U += P for the columns B of one body and their momenta P, f each; zero columns are
/// skipped.
#[inline(always)]
fn add_products(
    columns: &[SixNumbers],
    momenta: &[SixNumbers],
    nonzero: &mut [usize],
    d: &mut [f64],
    coupling: &mut [SixNumbers],
) {
    let f = columns.len();
    let mut count = 0;
    for (c, (column, momentum)) in columns.iter().zip(momenta).enumerate() {
        if *column != [0.0; 6] {
            nonzero[count] = c;
            count += 1;
        }
        if *momentum == [0.0; 6] {
            continue;
        }
        let row = &mut d[c * f..][..f];
        for &e in &nonzero[..count] {
            row[e] += dot(&columns[e], momentum);
        }
        add_scaled(&mut coupling[c], 1.0, momentum);
    }
}

/// Coupling momenta of a rod between two bodies of the cluster, or a body and the base. `sixth`: a sixth of the mass of
/// the rod.
#[inline(always)]
fn add_rod(
    sixth: f64,
    points: &[Vec3; 2],
    ends: [Option<usize>; 2],
    columns: &[SixNumbers],
    momenta: &mut [SixNumbers],
    coupling: &mut [SixNumbers],
) {
    let f = coupling.len();
    for end in 0..2 {
        let Some(place) = ends[end] else { continue };
        // The share of the base is passed to the base.
        let momenta = match ends[1 - end] {
            Some(other) => &mut momenta[other * f..][..f],
            None => &mut *coupling,
        };
        for (column, momentum) in columns[place * f..][..f].iter().zip(momenta) {
            if *column != [0.0; 6] {
                let moved = Motion::from_six(column).at(&points[end]);
                add_scaled(momentum, sixth, &Wrench::at(&points[1 - end], moved).six());
            }
        }
    }
}

/// D ← L below the diagonal, Δ⁻¹ on it; `Err(c)` names the first direction without inertia relative to `sizes`, its
/// inertia from the outboard composites without cancellation.
#[inline(always)]
fn factor(d: &mut [f64], f: usize, sizes: &[f64]) -> Result<(), usize> {
    for c in 0..f {
        let (head, tail) = d.split_at_mut(c * f);
        let row = &mut tail[..f];
        // First the row of L Δ, then the row of L.
        for e in 1..c {
            let other = &head[e * f..][..e];
            let mut sum = row[e];
            for (a, b) in row[..e].iter().zip(other) {
                sum -= a * b;
            }
            row[e] = sum;
        }
        let mut pivot = row[c];
        for e in 0..c {
            let scaled = row[e];
            row[e] = scaled * head[e * f + e];
            pivot -= scaled * row[e];
        }
        // The comparison also rejects NaN.
        if !(pivot > INERTIA_TOLERANCE * sizes[c] && pivot > 0.0) {
            return Err(c);
        }
        row[c] = 1.0 / pivot;
    }
    Ok(())
}

/// x ← L⁻¹ x.
#[inline(always)]
fn solve_lower(l: &[f64], f: usize, x: &mut [f64]) {
    for i in 1..f {
        let (head, tail) = x.split_at_mut(i);
        for (l, x) in l[i * f..][..i].iter().zip(head) {
            tail[0] -= l * *x;
        }
    }
}

/// x ← L⁻ᵀ x.
fn solve_lower_transposed(l: &[f64], f: usize, x: &mut [f64]) {
    for i in (1..f).rev() {
        let (head, tail) = x.split_at_mut(i);
        for (l, x) in l[i * f..][..i].iter().zip(head) {
            *x -= l * tail[0];
        }
    }
}

/// y of a cluster from the change of its base's acceleration, z̈ += R y, and the changes of its bodies.
fn substitute(system: &System, cluster: &Cluster, index: usize, ws: &mut Workspace) {
    let f = width_of(cluster, &ws.blocks);
    let Workspace { blocks, accelerations, elimination, .. } = ws;
    let (Elimination { clusters, change, .. }, zdd) = (elimination, &mut accelerations.zdd);
    let base = change[cluster.base];
    let ClusterScratch { columns, inertia, coupling, force, .. } = &mut clusters[index];
    // Solve D y = u − Uᵀ a_base with the factors of the elimination.
    let y = &mut force[..f];
    for (c, (y, coupling)) in y.iter_mut().zip(coupling.iter()).enumerate() {
        if cluster.base != 0 {
            *y -= dot(&base, coupling);
        }
        *y *= inertia[c * f + c];
    }
    solve_lower_transposed(inertia, f, y);
    // Changes of the accelerations of the members.
    for (place, member) in cluster.members.iter().enumerate() {
        let mut sum = base;
        for (column, y) in columns[place * f..][..f].iter().zip(y.iter()) {
            add_scaled(&mut sum, *y, column);
        }
        change[member.joint + 1] = sum;
    }
    // z̈ += R y: coordinates without loops, then those of the blocks.
    for (y, &v) in y.iter().zip(&cluster.free) {
        zdd[v] += y;
    }
    let mut first = cluster.free.len();
    for &block in &cluster.blocks {
        let width = blocks[block].width;
        for (k, &v) in system.blocks[block].coordinates.iter().enumerate() {
            for (factor, y) in blocks[block].null[k * width..][..width].iter().zip(&y[first..]) {
                zdd[v] += factor * y;
            }
        }
        first += width;
    }
}

/// The velocity coordinate that moves most in reduced coordinate `direction` of a cluster.
fn coordinate_of_direction(cluster: &Cluster, blocks: &[BlockScratch], direction: usize) -> usize {
    let mut largest = (0.0, cluster.coordinates.first().map_or(0, |item| item.0));
    for &(v, drive) in &cluster.coordinates {
        let row = row_of(drive, cluster, blocks);
        let size = direction.checked_sub(row.first).and_then(|c| row.values.get(c)).map_or(0.0, |value| value.abs());
        if size > largest.0 {
            largest = (size, v);
        }
    }
    largest.1
}
