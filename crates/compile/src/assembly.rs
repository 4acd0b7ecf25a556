//! Initial assembly, ranks at regular positions, and [`compile`]. Offline: allocates, iterates without a time
//! bound.

use ballesta_solver::topology::DisjointSets;
use std::f64::consts::TAU;

use super::unweighted::{Decomposition, Jacobian, jacobian};
use super::{build, deformation, extent, flexible, frames, guides, requests, undetermined};
use crate::analysis::{impacts, stability, sticking};
use ballesta_model::flexible::{FloatingFrame, MEAN_AXIS};
use ballesta_model::rom::Rom;
use ballesta_model::schema::FlexibleBody;
use ballesta_model::{Diagnostics, Document, tyres};
use ballesta_solver::dynamics::kinematics::{calc_positions, calc_velocities, update_positions};
use ballesta_solver::dynamics::start::{begin, settle_elements};
use ballesta_solver::dynamics::{choice, closure, load_stage, observe, pieces};
use ballesta_solver::joint::{Row, TreeJoint};
use ballesta_solver::math::larger;
use ballesta_solver::math::linear::{Candidate, select_pivots};
use ballesta_solver::math::svd::orthogonalise_rows;
use ballesta_solver::system::workspace::Reactions;
use ballesta_solver::system::{
    Block, BlockReport, Fault, Flexible, FlexibleReport, Guide, ModeReport, RANK, Redundancy, Report, State, System,
    Workspace,
};

/// Largest number of iterations of the offline closure.
pub(super) const ITERATIONS: usize = 200;
/// Largest change of a scaled coordinate in one iteration, relative to the size of the block.
const LONGEST: f64 = 0.2;
/// Pivots below this fraction of the largest are ignored during assembly.
pub(super) const TRUNCATED: f64 = 1e-7;
/// A closure error below this fraction of the size of the block is round-off.
const ASSEMBLED: f64 = 2e-16;
/// A loop with a larger remaining gap (m) cannot be assembled.
pub(super) const GAP: f64 = 1e-9;
/// Distance of the probes for the rank at regular positions, relative to the size of the block.
pub(super) const PROBE: f64 = 0.05;
/// Distance of the alternatives that are tried if a position cannot be closed, relative to the size of the block.
const BESIDE: [f64; 3] = [0.02, 0.1, 0.3];
/// A loop whose smallest singular value is below this fraction of the largest is immobile by a misalignment, not by
/// design.
const MISALIGNED: f64 = 0.02;
/// Entries of a row of a Jacobian, or speeds, below this fraction of the largest entry or requested speed are
/// round-off.
pub(super) const ROUND_OFF: f64 = 1e-12;
/// Largest increment in which driven coordinates are moved to their start values, rad or sizes of a block: a quarter of
/// [`LONGEST`], so that the loops remain on their branch.
const INCREMENT: f64 = 0.05;
/// Largest number of increments: 50 rad, or as many sizes of a block, at [`INCREMENT`].
const INCREMENTS: usize = 1000;
/// Iterations of the least change of the velocities of a block. The equations are linear, so the first iteration solves
/// them and the others remove round-off.
const SWEEPS: usize = 4;
/// Rates of closure equations below this fraction of the size of the block per second are round-off, which is 1e-16 of
/// the speeds. Requested speeds that leave larger rates contradict the loop.
const CLOSED_RATE: f64 = 1e-10;
/// Rates above this fraction of the fastest coordinate of a loop are not caused by misalignment: driven speeds
/// contradict each other.
const CONTRADICTING: f64 = 1e-6;

/// Compiles a document with the values of its parameters (one per `[[parameter]]`, in file order) and assembles the
/// initial position. Loops that cannot be assembled and motions without inertia cause diagnostics that name them.
pub fn compile(document: &Document, parameters: &[f64]) -> Result<System, Diagnostics> {
    let document = &*document.with_runners(parameters);
    let mut system = build::build(document, parameters)?;
    let mut ws = Workspace::new(&system);
    let mut notes = tyres::notes(document);
    assemble_first(&mut system, &mut ws, document, &mut notes).into_result(())?;
    find_ranks(&mut system, &mut ws, &mut notes);
    pieces::choose(&mut system, &mut ws);
    let mut warnings = locks(&system, &mut ws);
    warnings.extend(extent::doubt(&system));
    warnings.extend(frames::loose(&system));
    warnings.extend(flexible::unknown_inertia(document));
    warnings.extend(flexible::unknown_geometric_forces(document));
    warnings.extend(guides::dependent(&system, &mut ws));
    let mut state = system.initial.clone();
    if let Err(fault) = initialize(&system, &mut state, &mut ws, system.start_time) {
        return Err(Diagnostics(vec![explain(&system, document, &fault)]));
    }
    warnings.extend(extent::lost_digits(&system, &ws));
    undetermined::refuse(&system, &mut ws, document)?;
    let marked = undetermined::mark(&mut system, &state);
    let fail = |system: &System, fault: Fault| Diagnostics(vec![explain(system, document, &fault)]);
    let undetermined = marked.map_err(|fault| fail(&system, fault))?;
    if !system.shared.is_empty() {
        ws.reactions = Reactions::new(&system);
        observe::settle_filters(&system, &mut state, &mut ws).map_err(|fault| fail(&system, fault))?;
    }
    requests::note_lost(&system, &state, &mut notes, &mut warnings);
    refuse_unstable_step(&system, &state, &mut ws, document, &mut notes)?;
    if let Some(refusal) = sticking::refusal(&system, &state, &mut ws, document) {
        return Err(Diagnostics(vec![refusal]));
    }
    warnings.extend(impacts::short(&system, &state, &mut ws));
    system.report = report(&system, document, (&state, &ws), notes);
    system.report.warnings = warnings;
    system.report.undetermined = undetermined;
    system.initial = state;
    Ok(system)
}

/// Brings `state` to the assembled position at `start`, with its inputs and parameters: driven coordinates are moved to
/// their start values in small increments while the loops follow, then velocities are made consistent with the
/// requests.
pub fn initialize(system: &System, state: &mut State, ws: &mut Workspace, start: f64) -> Result<(), Fault> {
    state.time = start;
    state.input_times.fill(start);
    state.input_slopes.fill(0.0);
    state.q.copy_from_slice(&system.initial.q);
    state.v.fill(0.0);
    state.auxiliary.fill(0.0);
    state.near_singular = 0;
    state.repartitions = 0;
    state.least_change.fill(0);
    if system.givers().next().is_some() {
        // Their output depends on position and speed.
        request_speeds(system, state);
        settle_elements(system, state, ws);
        state.v.fill(0.0);
    }
    load_stage(system, state, ws, start);
    for guided in &system.guided {
        if let Guide::Filtered { input, gain, state: at, .. } = guided.guide {
            state.auxiliary[at] = gain * ws.stage.inputs[input];
        }
    }
    follow_guides(system, state, ws);
    for (index, block) in system.blocks.iter().enumerate() {
        let mut gap = relax(system, ws, block, &elastic_columns(system, block));
        if !(gap <= GAP) {
            gap = relax(system, ws, block, &[]);
        }
        if !(gap <= GAP) {
            gap = relax_from_beside(system, ws, block, gap);
        }
        if !(gap <= GAP) {
            return Err(Fault::LoopOpen { block: index as u32, gap, time: start });
        }
    }
    state.q.copy_from_slice(&ws.stage.q);
    request_speeds(system, state);
    load_stage(system, state, ws, start);
    calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
    calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
    relax_velocities(system, ws, &system.requests.speeds);
    refuse_contradicting_speeds(system, ws, start)?;
    state.q.copy_from_slice(&ws.stage.q);
    state.v.copy_from_slice(&ws.stage.v);
    if let Some(joint) = system.joints.iter().position(|joint| joint.is_beyond_path(&state.q)) {
        return Err(Fault::BeyondCurve { joint: joint as u32, time: start });
    }
    refresh_jacobians(system, ws);
    let (mut tree, blocks) = ws.open_tree();
    choice::choose_coordinates(system, state, &mut tree, blocks, true);
    settle_elements(system, state, ws);
    deformation::start(system, state, ws)?;
    sticking::start(system, state, ws)?;
    ws.events.near_singular = false;
    begin(system, state, ws)?;
    state.near_singular = u32::from(ws.events.near_singular);
    observe::settle_filters(system, state, ws)
}

/// Velocities requested in the file, zero elsewhere.
pub(super) fn request_speeds(system: &System, state: &mut State) {
    state.v.fill(0.0);
    for &(coordinate, speed) in &system.requests.speeds {
        state.v[coordinate] = speed;
    }
    for joint in &system.joints {
        joint.turn_speeds(&state.q, &mut state.v);
    }
}

pub(super) fn refresh_jacobians(system: &System, ws: &mut Workspace) {
    let (mut tree, blocks) = ws.open_tree();
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        scratch.least_change = false;
        closure::calc_jacobian(system, &mut tree, block, scratch);
    }
}

/// Moves the driven coordinates from their values in `state.q` to their prescribed motion at `state.time`. Leaves the
/// result in `ws.stage.q`. Whole turns of an uncoupled coordinate are ignored.
fn follow_guides(system: &System, state: &State, ws: &mut Workspace) {
    load_stage(system, state, ws, state.time);
    let turns = |q: usize| {
        let coupled = |row: &Row| row.terms().iter().any(|term| term.position == q);
        let owner = system.joints.iter().find(|joint| joint.link.is_none() && joint.q_range().contains(&q));
        owner.is_some_and(|joint| TreeJoint::is_rotation(joint.kind, q - joint.q)) && !system.rows.iter().any(coupled)
    };
    let mut from = state.q.clone();
    let targets: Vec<(usize, f64)> = system
        .guided
        .iter()
        .zip(&ws.stage.guided)
        .map(|(guided, motion)| (guided.coordinate.position, motion[0]))
        .collect();
    for &(q, to) in targets.iter().filter(|&&(q, _)| turns(q)) {
        from[q] += TAU * ((to - from[q]) / TAU).round();
    }
    let size = |q: usize| {
        let tree = system.joints.iter().find(|joint| joint.q_range().contains(&q));
        let rotation = tree.is_some_and(|joint| TreeJoint::is_rotation(joint.kind, q - joint.q));
        if rotation { 1.0 } else { system.blocks.first().map_or(1.0, |block| block.size) }
    };
    let farthest = targets.iter().map(|&(q, to)| (to - from[q]).abs() / size(q)).fold(0.0, larger);
    let increments = ((farthest / INCREMENT).ceil() as usize).clamp(1, INCREMENTS);
    ws.stage.q.copy_from_slice(&from);
    for increment in 1..=increments {
        let part = increment as f64 / increments as f64;
        for &(q, to) in &targets {
            ws.stage.q[q] = if increment == increments { to } else { from[q] + part * (to - from[q]) };
        }
        calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
        for block in &system.blocks {
            relax(system, ws, block, &elastic_columns(system, block));
        }
    }
    calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
}

/// Columns of a block that deform a body: the assembly does not change them as long as the loops close without them.
pub(super) fn elastic_columns(system: &System, block: &Block) -> Vec<usize> {
    let elastic = |&column: &usize| system.flexible.iter().any(|body| body.v.contains(&block.coordinates[column]));
    (0..block.coordinates.len()).filter(elastic).collect()
}

/// Assembles the design position with the requested coordinates held. If that fails, all coordinates are free.
fn assemble_first(
    system: &mut System,
    ws: &mut Workspace,
    document: &Document,
    notes: &mut Vec<String>,
) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    ws.stage.q.copy_from_slice(&system.initial.q);
    calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
    for block in &system.blocks {
        let elastic = elastic_columns(system, block);
        let mut held: Vec<usize> = (0..block.coordinates.len())
            .filter(|&column| system.requests.placed.contains(&block.coordinates[column]))
            .collect();
        let requested = !held.is_empty();
        held.extend(&elastic);
        let mut gap = relax(system, ws, block, &held);
        if !(gap <= GAP) && requested {
            notes.push(format!(
                "the requested positions in the loop of {} are inconsistent; all its coordinates were adjusted",
                loop_names(system, block)
            ));
            gap = relax(system, ws, block, &elastic);
        }
        if !(gap <= GAP) && !elastic.is_empty() {
            notes.push(format!("the loop of {} can only be closed with deformed bodies", loop_names(system, block)));
            gap = relax(system, ws, block, &[]);
        }
        if !(gap <= GAP) {
            for &index in &block.constraints {
                let constraint = &system.constraints[index];
                let worst = constraint.rows.clone().map(|row| ws.closure.rows[row].gap.abs()).fold(0.0, larger);
                if !(worst <= GAP) {
                    diagnostics.0.push(document.source.at(
                        constraint.key.clone(),
                        format!(
                            "the loop closed by `{}` cannot be assembled: a gap of {worst:.3e} m remains",
                            constraint.name
                        ),
                        format!(
                            "make the points and axes of its joints ({}) consistent to {GAP:e} m, or remove redundant \
                             constraints",
                            constraint.joints.join(", ")
                        ),
                    ));
                }
            }
        }
    }
    system.initial.q.copy_from_slice(&ws.stage.q);
    diagnostics
}

pub(super) fn loop_names(system: &System, block: &Block) -> String {
    block.constraints.iter().map(|&c| format!("`{}`", system.constraints[c].name)).collect::<Vec<_>>().join(", ")
}

/// Gauss-Newton iteration with limited changes of the positions of one block; `held` columns do not move. Leaves the
/// best position found in `ws.stage.q` and returns its gap in m over all rows.
pub(super) fn relax(system: &System, ws: &mut Workspace, block: &Block, held: &[usize]) -> f64 {
    let n = block.coordinates.len();
    let mut best = (f64::INFINITY, ws.stage.q.clone());
    let mut idle = 0;
    for _ in 0..ITERATIONS {
        let jacobian = jacobian(system, ws, block);
        let values: Vec<f64> = ws.closure.rows[block.rows.clone()].iter().map(|row| row.gap).collect();
        let gap = values.iter().map(|value| value.abs()).fold(0.0, larger);
        if gap < best.0 {
            idle = if gap < 0.5 * best.0 { 0 } else { idle + 1 };
            best = (gap, ws.stage.q.clone());
        } else {
            idle += 1;
        }
        if gap <= ASSEMBLED * block.size || gap.is_nan() || n == 0 || (idle > 2 && best.0 <= GAP) || idle > 40 {
            break;
        }
        let mut change = Decomposition::new(&jacobian, block, held, TRUNCATED).change(&values, n);
        let longest = change.iter().map(|value| value.abs()).fold(0.0, larger);
        let limit = LONGEST * block.size;
        if longest > limit {
            change.iter_mut().for_each(|value| *value *= limit / longest);
        }
        move_block(system, ws, block, &change);
    }
    ws.stage.q.copy_from_slice(&best.1);
    update_positions(system, &ws.stage.q, &mut ws.kinematics, block);
    closure::complete_rows(system, &ws.stage.q, &ws.kinematics, &mut ws.closure.rows);
    best.0
}

/// [`relax`] from positions next to the present one, along the free motions of the loop there: no least change leads
/// out of a singular position. The nearest position that can be closed is used, the positive side first; if none is
/// found, `gap` is unchanged.
fn relax_from_beside(system: &System, ws: &mut Workspace, block: &Block, gap: f64) -> f64 {
    let n = block.coordinates.len();
    let from = ws.stage.q.clone();
    let basis = Decomposition::new(&jacobian(system, ws, block), block, &[], RANK.relative).basis(n);
    for amount in BESIDE {
        for direction in &basis {
            // Its largest entry is positive: the sign from the decomposition is arbitrary.
            let largest = direction.iter().fold(0.0f64, |most, d| if d.abs() > most.abs() { *d } else { most });
            for sign in [largest.signum(), -largest.signum()] {
                ws.stage.q.copy_from_slice(&from);
                update_positions(system, &ws.stage.q, &mut ws.kinematics, block);
                let change: Vec<f64> = direction.iter().map(|d| sign * amount * block.size * d).collect();
                move_block(system, ws, block, &change);
                let left = relax(system, ws, block, &[]);
                if left <= GAP {
                    return left;
                }
            }
        }
    }
    ws.stage.q.copy_from_slice(&from);
    update_positions(system, &ws.stage.q, &mut ws.kinematics, block);
    closure::complete_rows(system, &ws.stage.q, &ws.kinematics, &mut ws.closure.rows);
    gap
}

/// Adds scaled changes to the coordinates of a block.
fn move_block(system: &System, ws: &mut Workspace, block: &Block, change: &[f64]) {
    for (column, &coordinate) in block.coordinates.iter().enumerate() {
        let joint = &system.joints[block.owners[column]];
        joint.add_increment(&mut ws.stage.q, coordinate - joint.v, change[column] / block.unit_size[column]);
    }
    update_positions(system, &ws.stage.q, &mut ws.kinematics, block);
}

/// Least change of the velocities in `ws.stage.v` that keeps the loops closed; speeds of `requests` are held if that is
/// possible.
pub(super) fn relax_velocities(system: &System, ws: &mut Workspace, requests: &[(usize, f64)]) {
    for block in &system.blocks {
        let n = block.coordinates.len();
        let elastic = elastic_columns(system, block);
        let mut held: Vec<usize> =
            (0..n).filter(|&column| requests.iter().any(|request| request.0 == block.coordinates[column])).collect();
        held.extend(&elastic);
        for held in [&held[..], &elastic, &[]] {
            let mut parts = Decomposition::new(&jacobian(system, ws, block), block, held, TRUNCATED);
            let mut worst = 0.0;
            for _ in 0..SWEEPS {
                let rates: Vec<f64> = block
                    .rows
                    .clone()
                    .map(|row| system.rows[row].rate(&ws.closure.rows[row], &ws.kinematics.bodies, &ws.stage.v))
                    .collect();
                worst = rates.iter().map(|rate| rate.abs()).fold(0.0, larger);
                let change = parts.change(&rates, n);
                for (column, &coordinate) in block.coordinates.iter().enumerate() {
                    ws.stage.v[coordinate] += change[column] / block.unit_size[column];
                }
                calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
            }
            if worst <= CLOSED_RATE * block.size {
                break;
            }
        }
    }
}

/// Rejects driven speeds that open a loop. Singular positions are not rejected: there the loop has lost an equation,
/// and the first steps determine the side on which the motion can continue.
fn refuse_contradicting_speeds(system: &System, ws: &mut Workspace, time: f64) -> Result<(), Fault> {
    for (index, block) in system.blocks.iter().enumerate().filter(|(_, block)| !block.guided.is_empty()) {
        let jacobian = jacobian(system, ws, block);
        let rate = |row: usize| system.rows[row].rate(&ws.closure.rows[row], &ws.kinematics.bodies, &ws.stage.v).abs();
        let rate = block.rows.clone().map(rate).fold(0.0, larger);
        let guided = block.guided.iter().flatten().map(|entry| (entry.column, block.size));
        let own = block.coordinates.iter().copied().zip(block.unit_size.iter().copied());
        let fastest = own.chain(guided).map(|(v, size)| size * ws.stage.v[v].abs()).fold(0.0, larger);
        if rate <= CONTRADICTING * fastest || rate <= CLOSED_RATE * block.size {
            continue;
        }
        if Decomposition::new(&jacobian, block, &[], TRUNCATED).rank() >= block.rank {
            return Err(Fault::SpeedsContradict { block: index as u32, rate, time });
        }
    }
    Ok(())
}

/// Rank and regular pivot of every block: the largest at the assembled position and at probes next to it. So a start in
/// a singular position is detected and noted in `notes`.
fn find_ranks(system: &mut System, ws: &mut Workspace, notes: &mut Vec<String>) {
    for index in 0..system.blocks.len() {
        let block = system.blocks[index].clone();
        let n = block.coordinates.len();
        ws.stage.q.copy_from_slice(&system.initial.q);
        calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
        let basis = Decomposition::new(&jacobian(system, ws, &block), &block, &[], RANK.relative).basis(n);
        let (mut rank, mut pivot, mut at_start) = (0, 0.0f64, (0, 0.0));
        for probe in 0..5usize {
            ws.stage.q.copy_from_slice(&system.initial.q);
            calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
            if probe > 0 {
                if basis.is_empty() {
                    break;
                }
                let mut change = vec![0.0; n];
                for (c, direction) in basis.iter().enumerate() {
                    // Deterministic, different for every probe and direction.
                    let amount = PROBE * block.size * (0.3 + ((probe * 5 + c * 3) % 7) as f64 / 7.0);
                    let sign = if (probe >> (c % 3)) & 1 == 1 { amount } else { -amount };
                    change.iter_mut().zip(direction).for_each(|(value, d)| *value += sign * d);
                }
                move_block(system, ws, &block, &change);
                if !(relax(system, ws, &block, &[]) <= GAP) {
                    continue;
                }
            }
            let jacobian = jacobian(system, ws, &block);
            let found = Decomposition::new(&jacobian, &block, &[], RANK.relative).rank();
            let fresh = fresh_pivot(&block, &jacobian, found);
            if probe == 0 {
                at_start = (found, fresh);
            }
            if found > rank {
                (rank, pivot) = (found, fresh);
            } else if found == rank {
                pivot = pivot.max(fresh);
            }
        }
        ws.stage.q.copy_from_slice(&system.initial.q);
        calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
        if at_start.0 < rank || rank > 0 && at_start.1 <= closure::SINGULAR * pivot {
            notes.push(format!(
                "the loop of {} starts in a singular position, so the direction of motion out of it is undetermined; \
                 give one of its joints a position or a speed that selects a direction",
                loop_names(system, &block)
            ));
        }
        let target = &mut system.blocks[index];
        (target.rank, target.regular_pivot) = (rank, pivot);
    }
}

/// Smallest of `rank` pivots of a new choice.
fn fresh_pivot(block: &Block, (jacobian, tolerance): &Jacobian, rank: usize) -> f64 {
    let (m, n) = (block.rows.len(), block.coordinates.len());
    let mut jacobian = block.dense(jacobian);
    let (mut rows, mut columns) = (vec![0; m], vec![0; n]);
    let found = select_pivots(
        &mut jacobian,
        (m, n),
        &block.class,
        *tolerance,
        (&mut rows, &mut columns),
        &mut vec![Candidate::default(); m],
    );
    if found.rank >= rank { found.smallest } else { 0.0 }
}

/// A fault of the first evaluation as a diagnostic at the joint or loop that it names.
fn explain(system: &System, document: &Document, fault: &Fault) -> ballesta_model::Diagnostic {
    match *fault {
        Fault::NoInertia { joint, .. } => {
            let name = system.joint_name(joint as usize);
            let body = &system.bodies[joint as usize + 1].name;
            let key = system.joint_of_tree[joint as usize].map_or("model".into(), |file| format!("joint[{file}]"));
            document.source.at(
                key,
                format!(
                    "the motion of joint `{name}` has no inertia: body `{body}` and all bodies that it carries are \
                     massless in that direction"
                ),
                "give the body a mass or an inertia, or prescribe, couple or fix the joint",
            )
        }
        Fault::LoopOpen { block, gap, time } => {
            let constraint = &system.constraints[system.blocks[block as usize].constraints[0]];
            document.source.at(
                constraint.key.clone(),
                system.describe_open_loop(block, gap, time),
                "start the prescribed motions where the loop can be closed",
            )
        }
        Fault::SpeedsContradict { block, rate, time } => {
            let constraint = &system.constraints[system.blocks[block as usize].constraints[0]];
            document.source.at(
                constraint.key.clone(),
                system.describe_contradiction(block, rate, time),
                "prescribe fewer coordinates of the loop, because it moves the others, or prescribe consistent motions",
            )
        }
        Fault::BeyondCurve { joint, .. } => {
            let key = system.joint_of_tree[joint as usize].map_or("model".into(), |file| format!("joint[{file}]"));
            let found = format!("joint `{}` starts beyond an end of its curve", system.joint_name(joint as usize));
            document.source.at(key, found, "start within the curve, or make the curve longer")
        }
        _ => document.source.at("model", system.describe(fault), "check masses, lengths and initial speeds"),
    }
}

/// Loops that nearly redundant equations make immobile: the equation that removes the last degree of freedom, and its
/// misalignment.
fn locks(system: &System, ws: &mut Workspace) -> Vec<String> {
    ws.stage.q.copy_from_slice(&system.initial.q);
    calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
    let mut locks = Vec::new();
    for block in &system.blocks {
        let (m, n) = (block.rows.len(), block.coordinates.len());
        // A loop with a prescribed motion has no freedom either, and may be at a dead centre.
        let driven = |guided: &ballesta_solver::system::Guided| {
            let joint = system.joint_name(system.joint_of_coordinate(guided.coordinate.velocity));
            block.constraints.iter().any(|&c| system.constraints[c].joints.iter().any(|name| name == joint))
        };
        if block.rank < n || n == 0 || system.guided.iter().any(driven) {
            continue;
        }
        let (values, tolerance) = jacobian(system, ws, block);
        let (mut right, mut left, mut sigma) = (block.dense(&values), vec![0.0; m * m], vec![0.0; m]);
        orthogonalise_rows(&mut right, &mut left, &mut sigma, (m, n));
        if m < n || sigma[n - 1] <= tolerance.absolute.max(tolerance.relative * sigma[0]) {
            continue;
        }
        let misalignment = sigma[n - 1] / sigma[0];
        if misalignment > MISALIGNED {
            continue;
        }
        let weight = |row: &usize| left[(n - 1) * m + row].abs();
        let row = (0..m).fold(0, |most, row| if weight(&row) > weight(&most) { row } else { most }) + block.rows.start;
        let holder = system.constraints.iter().find(|constraint| constraint.rows.contains(&row));
        let (name, around) = holder.map_or(("", String::new()), |holder| (&*holder.name, holder.joints.join("`, `")));
        locks.push(format!(
            "only a misalignment of about {misalignment:.1e} (rad, or relative to its size) locks the loop of {}, \
             mainly where `{name}` closes `{around}`; correct the points and axes of these joints unless a structure \
             is intended",
            loop_names(system, block)
        ));
    }
    locks
}

fn report(system: &System, document: &Document, (state, ws): (&State, &Workspace), notes: Vec<String>) -> Report {
    let names = |joints: &[usize]| -> Vec<String> {
        let files = joints.iter().filter_map(|&tree| system.joint_of_tree[tree]);
        files.map(|file| system.joint_places[file].name.clone()).collect()
    };
    let blocks: Vec<BlockReport> = system
        .blocks
        .iter()
        .enumerate()
        .map(|(index, block)| {
            let columns = &state.orders[block.column_order()];
            let rows = &state.orders[block.row_order()];
            let coordinate = |&k: &u32| system.coordinate_name(block.coordinates[k as usize]);
            let redundant_rows: Vec<usize> =
                rows[block.rank..].iter().map(|&row| block.rows.start + row as usize).collect();
            BlockReport {
                loops: block.constraints.iter().map(|&c| system.constraints[c].name.clone()).collect(),
                joints: names(&block.joints),
                coordinates: block.coordinates.len(),
                equations: block.rows.len(),
                rank: block.rank,
                pieces: if block.in_pieces { ws.blocks[index].partition.factors.pieces() } else { 1 },
                independent: columns[block.rank..].iter().map(coordinate).collect(),
                dependent: columns[..block.rank].iter().map(coordinate).collect(),
                redundant: block
                    .constraints
                    .iter()
                    .map(|&c| &system.constraints[c])
                    .map(|constraint| Redundancy {
                        constraint: constraint.name.clone(),
                        equations: redundant_rows.iter().filter(|row| constraint.rows.contains(row)).count(),
                        joints: constraint.joints.clone(),
                    })
                    .filter(|redundancy| redundancy.equations > 0)
                    .collect(),
            }
        })
        .collect();
    let constraints: usize = blocks.iter().map(|block| block.equations).sum();
    let rank: usize = blocks.iter().map(|block| block.rank).sum();
    let links: usize = system.flexible.iter().map(|body| body.links.len()).sum();
    let cuts = system.constraints.iter().filter(|constraint| constraint.joint.is_some()).count();
    Report {
        dof: system.nv - rank - system.guided.len(),
        coordinates: system.nv,
        positions: system.nq,
        bodies: system.bodies.len() - 1 - links,
        joints: system.joint_places.len(),
        tree_joints: names(&(0..system.joints.len()).collect::<Vec<_>>()),
        cuts: system.joint_places.iter().filter(|place| place.cut.is_some()).map(|place| place.name.clone()).collect(),
        rods: system.rods.len(),
        loops: independent_loops(system),
        guided: document.model.guided.len(),
        constraints,
        redundant: constraints - rank,
        blocks,
        massless_bodies: massless_bodies(system),
        one_dof_joints: freedoms(system).sum::<usize>() + cuts,
        massless_between: freedoms(system).map(|freedom| freedom.saturating_sub(1)).sum(),
        density: density(system, state, ws),
        density_by_structure: density_by_structure(system, state),
        assembly_change: requests::largest_change(system, state),
        notes,
        warnings: Vec::new(),
        undetermined: Vec::new(),
        flexible: flexible_reports(system, document),
    }
}

/// Bodies of the file without mass, except frames and links of flexible bodies.
fn massless_bodies(system: &System) -> usize {
    let of_file = |body: &usize| {
        let frame = system.flexible.iter().any(|flexible| flexible.body == *body);
        !frame && system.joints[body - 1].link.is_none()
    };
    (1..system.bodies.len()).filter(of_file).filter(|&body| system.bodies[body].inertia.mass == 0.0).count()
}

/// With flexible bodies an explicit scheme must be stable at the start: a reduced model always has modes that are too
/// fast for some step, and the model file does not show them.
fn refuse_unstable_step(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    document: &Document,
    notes: &mut Vec<String>,
) -> Result<(), Diagnostics> {
    if system.flexible.is_empty() || !system.integrator.scheme().explicit {
        return Ok(());
    }
    match stability::explicit_limit(system, state, ws) {
        Ok(limit) => match limit.refusal(document, system) {
            Some(refusal) => Err(Diagnostics(vec![refusal])),
            None => Ok(()),
        },
        Err(error) => {
            notes.push(format!("the stability of the step was not checked: {error}"));
            Ok(())
        }
    }
}

fn flexible_reports(system: &System, document: &Document) -> Vec<FlexibleReport> {
    let of = |((body, file), rom): ((&Flexible, &FlexibleBody), &Rom)| {
        let n = body.modes();
        let mode = |k: usize| {
            let omega = body.stiffness[k].sqrt();
            ModeReport {
                frequency_hz: omega / std::f64::consts::TAU,
                damping_ratio: body.damping[k * n + k] / (2.0 * omega),
                omega_h: omega * system.step,
                quasi_static: k >= n - body.residual,
            }
        };
        FlexibleReport {
            name: body.name.clone(),
            rom: file.rom.clone(),
            frame: match file.floating_frame(rom) {
                Some(FloatingFrame::Interface(index)) => rom.interfaces[index].name.clone(),
                _ => MEAN_AXIS.into(),
            },
            stiffening: body.model.word().into(),
            modes: (0..n).map(mode).collect(),
        }
    };
    system.flexible.iter().zip(&document.model.flexible_bodies).zip(&document.roms).map(of).collect()
}

/// Loops of bodies: connections between bodies that are already connected. Joints, rods and points on lines or in
/// planes connect; a floating joint holds nothing, and a coupler acts on coordinates.
fn independent_loops(system: &System) -> usize {
    let holds = |joint: &TreeJoint| joint.link.is_some() || !joint.kind.is_free();
    let tree = system.joints.iter().enumerate().filter(|(_, joint)| holds(joint));
    let tree = tree.map(|(joint, _)| [system.bodies[joint + 1].parent, joint + 1]);
    let closing = system.constraints.iter().filter(|constraint| !constraint.rows.is_empty());
    let closing = closing.map(|constraint| constraint.bodies).filter(|[first, second]| first != second);
    let mut parts = DisjointSets::new(system.bodies.len());
    let joins_again = |[first, second]: &[usize; 2]| {
        let again = parts.leader(*first) == parts.leader(*second);
        parts.join(*first, *second);
        again
    };
    tree.chain(closing).filter(joins_again).count()
}

/// Degrees of freedom of every joint of the tree.
fn freedoms(system: &System) -> impl Iterator<Item = usize> {
    system.joints.iter().map(|joint| TreeJoint::freedom(joint.kind))
}

/// Part of the entries of Φ_zd, all closure equations by all dependent coordinates, that are not zero.
fn density(system: &System, state: &State, ws: &Workspace) -> f64 {
    let (mut rows, mut columns, mut entries) = (0, 0, 0);
    for (block, scratch) in system.blocks.iter().zip(&ws.blocks) {
        let n = block.coordinates.len();
        let dependent = &state.orders[block.column_order()][..block.rank];
        rows += block.rows.len();
        columns += block.rank;
        for line in block.dense(&scratch.jacobian).chunks(n.max(1)) {
            let largest = line.iter().map(|entry| entry.abs()).fold(0.0, larger);
            entries += dependent.iter().filter(|&&k| line[k as usize].abs() > ROUND_OFF * largest).count();
        }
    }
    if entries == 0 { 1.0 } else { entries as f64 / (rows * columns) as f64 }
}

/// Part of the entries of Φ_zd that are not zero by structure.
fn density_by_structure(system: &System, state: &State) -> f64 {
    let (mut rows, mut columns, mut entries) = (0, 0, 0);
    for block in &system.blocks {
        let dependent = &state.orders[block.column_order()][..block.rank];
        rows += block.rows.len();
        columns += block.rank;
        entries += block.columns.iter().filter(|&&column| dependent.contains(&(column as u32))).count();
    }
    if entries == 0 { 1.0 } else { entries as f64 / (rows * columns) as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    use ballesta_model::load;
    use ballesta_solver::math::Vec3;

    /// The four-bar with a point of its first closure row that is not a number; its other rows are closed.
    fn with_a_lost_point() -> (Document, System) {
        let document = load("../../models/four_bar".as_ref()).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        let mut system = build::build(&document, &[]).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        let Row::Along { p_first, .. } = &mut system.rows[0] else { panic!("a cut begins with its point") };
        *p_first = Vec3::repeat(f64::NAN);
        (document, system)
    }

    #[test]
    fn a_gap_that_is_not_a_number_is_no_closed_loop() {
        let (_, system) = with_a_lost_point();
        let mut ws = Workspace::new(&system);
        ws.stage.q.copy_from_slice(&system.initial.q);
        calc_positions(&system, &mut ws.stage.q, &mut ws.kinematics);
        let gap = relax(&system, &mut ws, &system.blocks[0], &[]);
        assert!(!(gap <= GAP), "{gap}");
    }

    #[test]
    fn a_gap_that_is_not_a_number_is_told_at_its_loop() {
        let (document, mut system) = with_a_lost_point();
        let mut ws = Workspace::new(&system);
        let diagnostics = assemble_first(&mut system, &mut ws, &document, &mut Vec::new());
        assert_eq!(diagnostics.0.len(), 1, "{diagnostics}");
    }
}
