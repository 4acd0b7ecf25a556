//! Steady driving: the state of a vehicle on tyres without accelerations relative to the vehicle, or at rest.
//!
//! # Problem
//!
//! A vehicle on a plane road moves steadily when it moves like a rigid body along the road, at the speeds u along its
//! direction of travel, w to the left and r about the road's normal n, with its wheels turning. Given: u, which is the
//! speed of the start, driven coordinates (steering), inputs, place and heading. Find w and r, the independent
//! positions z except place and heading, which are neutral, the speeds Ω of the wheels, and the states s of force
//! elements (deflections of carcasses, friction, the torque of a speed control) with
//!
//! ```text
//!     z̈(z, u, w, r, Ω, s) = (r n × v for floating bodies, 0 for all others),   ṡ = 0.
//! ```
//!
//! One more unknown is the torque of a `[[speed_control]]` that integrates its error; the speed that it measures is
//! then u; a different target speed is approached from the start on. Without a speed control the unknown is a force F
//! on the first floating body along its direction of travel, at its joint. F is reported; without it the vehicle
//! changes its speed.
//!
//! If weight and n are parallel, the motion found is steady: straight on, or a circle. Across a slope a vehicle with
//! straight wheels turns slowly, and on a slope or bank every turn changes the direction of the weight. The result is
//! then the start of that motion without vibrations.
//!
//! Carcasses and brakes hold a vehicle at rest, and their deflections are not determined by the balance of forces. They
//! follow a slow and straight motion of all coordinates, from the vehicle put down on the road with its weight along n,
//! to its position at rest: du = −dx at the contacts, bristles bend as they slide.
//!
//! # Method
//!
//! The vehicle is turned parallel to the road ([`bench`]), and lifted or dropped until the forces along the vertical
//! balance (bisection); then [`equilibrium`] brings it to rest with its weight along n. From there, with wheels that
//! roll and the w and r of least slip, Newton's method (`search`) with a Jacobian by central differences and least
//! changes in units of the coordinates; steps are limited and halved until the residual falls. Differences and
//! decomposition are most of the cost, so a Jacobian is used again as long as each step leaves less than a tenth of the
//! residual. If the search fails, the weight is turned from n to its direction, and the speed raised from the fraction
//! `FIRST_SPEED_FRACTION`, in increments.
//!
//! The state found is verified with the original system: no acceleration may remain.
//!
//! # Limits
//!
//! Roads that are not plane below the vehicle are used unchanged, with their mean normal. Floating bodies that no loop
//! connects are separate vehicles. The direction of travel and the heading at the start are kept.
//!
//! Verified by: tests/motion/trim.rs. Offline: allocates.

mod bench;
mod search;

use super::equilibrium::{self, Equilibrium};
use super::operating_point::{AnalysisError, OperatingPoint};
use ballesta_solver::dynamics::{kinematics, load_stage, start_values};
use ballesta_solver::force::{BodyIx, Element};
use ballesta_solver::math::Vec3;
use ballesta_solver::system::{State, System, Workspace};
use bench::{Bench, able, controls};
use search::{CarcassDisplacement, Group, Search, SearchResult};

/// Largest distance by which a vehicle is lifted or dropped, in lengths of the mechanism.
const MAX_LIFT: f64 = 2.0;
/// First distance by which it is lifted or dropped, in the same unit: millimetres for a vehicle, well below the
/// deflection of its tyres.
const FIRST_LIFT: f64 = 1e-3;
/// Sine of the angle between the effects of a lateral speed and of a yaw rate on the tyres of a group, below which they
/// are one motion. For wheels on one axle they differ by round-off alone, for several axles by the wheelbase over the
/// distance to the group's origin.
const COLLINEARITY_TOLERANCE: f64 = 1e-3;
/// Fraction of the speed from which the speed is raised if it cannot be reached at once.
const FIRST_SPEED_FRACTION: f64 = 0.4;
/// First and shortest increment from there.
const PARTS: [f64; 2] = [0.25, 1.0 / 64.0];
/// Largest lateral acceleration of a first guess, m/s².
const MAX_GUESS_ACCELERATION: f64 = 3.0;
/// Largest remaining acceleration of an accepted state, m/s² and rad/s².
const MAX_ACCELERATION: f64 = 1e-6;
/// Difference in m/s above which the target speed of a driver counts as another speed.
const SPEED_TOLERANCE: f64 = 1e-3;

/// Whether a system has tyres.
pub fn has_tyres(system: &System) -> bool {
    system.elements.iter().any(|element| matches!(element, Element::Tyre(_)))
}

/// The steady state at the speed of `state`, and notes about it.
pub fn find(system: &System, state: &State, ws: &mut Workspace) -> Result<(State, Equilibrium), AnalysisError> {
    let (placed, normal) = bench::on_the_road(system, state, ws)?;
    let mut bench = Bench::new(system, normal);
    bench.tilt(0.0);
    bench.let_drive(false);
    let still = State { v: vec![0.0; system.nv], ..placed.clone() };
    let mut start = dropped(&bench.system, &still, ws)?;
    start_values::settle_elements(&bench.system, &mut start, ws);
    let at_rest = equilibrium::find(&bench.system, &start, ws);
    if let Ok((found, _)) = &at_rest {
        let before = std::mem::replace(&mut start.q, found.q.clone());
        bench.keep_place(&before, &mut start, ws);
    }
    let groups = groups(&bench, &State { v: placed.v.clone(), ..start.clone() }, ws);
    let found = if groups.is_empty() {
        let found = stand(&mut bench, &start, ws);
        // The search at rest gives the best message for a vehicle that can roll freely on a level road.
        found.map_err(|error| at_rest.err().unwrap_or_else(|| not_standing(&bench, &start, ws, error)))
    } else {
        bench.let_drive(true);
        drive(&mut bench, &start, ws, &groups)
    }?;
    judged(system, bench, found, ws)
}

/// Vehicles at speed: floating bodies that loops connect, with their speed controls.
fn groups(bench: &Bench, state: &State, ws: &mut Workspace) -> Vec<Group> {
    let system = &bench.system;
    // Vehicle and trailer are floating bodies in one loop block; merged sets move as one group.
    let roots: Vec<usize> = bench::roots(system).map(|(tree, _)| tree).collect();
    let mut leader: Vec<usize> = (0..roots.len()).collect();
    for block in &system.blocks {
        let members: Vec<usize> = (0..roots.len()).filter(|&k| block.joints.contains(&roots[k])).collect();
        for pair in members.windows(2) {
            let (to, from) = (leader[pair[0]], leader[pair[1]]);
            leader.iter_mut().filter(|l| **l == from).for_each(|l| *l = to);
        }
    }
    // Speed controls read positions and speeds of their points.
    load_stage(system, state, ws, state.time);
    kinematics::calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
    kinematics::calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
    let surroundings = ws.surroundings(state);
    let mut list = Vec::new();
    for first in 0..roots.len() {
        let joints: Vec<usize> = (0..roots.len()).filter(|&k| leader[k] == first).map(|k| roots[k]).collect();
        // The direction of travel is the velocity of the first body in the plane of the road.
        let Some(&lead) = joints.first() else { continue };
        let v = system.joints[lead].v;
        let velocity = Vec3::new(state.v[v], state.v[v + 1], state.v[v + 2]);
        let tangential = velocity - bench.normal * bench.normal.dot(&velocity);
        if !(tangential.norm() > 0.0) {
            continue;
        }
        let forward = tangential.normalize();
        // Only a control with an integral term holds its target speed without a remaining error.
        let own = controls(system).find(|(_, control)| {
            let integrates = surroundings.value(&control.integral) > 0.0;
            integrates && joints.contains(&root_of(system, control.point.body)) && able(&bench.limits_of(control))
        });
        let backwards = own.is_some_and(|(_, control)| control.speed(&surroundings) < 0.0);
        list.push(Group {
            joints,
            axes: [forward, bench.normal.cross(&forward)],
            normal: bench.normal,
            speed: velocity.norm(),
            twist: [velocity.norm(), 0.0, 0.0],
            force: 0.0,
            control: own.map(|(index, _)| index),
            sense: if backwards { -1.0 } else { 1.0 },
        });
    }
    list
}

/// The tree joint that connects the branch of a body to the ground.
fn root_of(system: &System, body: BodyIx) -> usize {
    let mut body = body.0;
    while body > 0 && system.bodies[body].parent > 0 {
        body = system.bodies[body].parent;
    }
    body.saturating_sub(1)
}

/// From `start`, at rest with its weight along the road's normal, to the moving vehicle.
fn drive(
    bench: &mut Bench,
    start: &State,
    ws: &mut Workspace,
    groups: &[Group],
) -> Result<SearchResult, AnalysisError> {
    // Speed and yaw rate grow together, so the radius of the turn remains constant.
    let slower = |part: f64| {
        let speed = FIRST_SPEED_FRACTION + (1.0 - FIRST_SPEED_FRACTION) * part;
        let mut groups = groups.to_vec();
        for group in &mut groups {
            (group.speed, group.twist[0]) = (speed * group.speed, speed * group.twist[0]);
        }
        groups
    };
    // Newton iteration from the guess at full speed and full inclination succeeds in most cases.
    let first = guess(bench, start, slower(1.0), ws);
    bench.tilt(1.0);
    let error = match attempt(bench, &first.0, first.1, None, ws) {
        Ok(solution) => return Ok(solution),
        Err(error) => error,
    };
    // Otherwise continue from a slow vehicle on a level road in growing parts (homotopy).
    bench.tilt(0.0);
    let slow = guess(bench, start, slower(0.0), ws);
    let Ok(mut solution) = attempt(bench, &slow.0, slow.1, None, ws) else {
        return Err(lost(bench, groups, None, error));
    };
    let (mut part, mut length) = (0.0, PARTS[0]);
    while part < 1.0 {
        let next = f64::min(part + length, 1.0);
        bench.tilt(next);
        // The scaled twist and speeds of the last solution are the next initial guess.
        let mut further = slower(next);
        let mut state = solution.state.clone();
        for (group, before) in further.iter_mut().zip(&solution.groups) {
            let ratio = group.speed / before.speed;
            group.twist = before.twist.map(|x| ratio * x);
            group.force = before.force;
            state.v.iter_mut().for_each(|v| *v *= ratio);
        }
        // A success lengthens the next part; a failure halves it down to a limit.
        match attempt(bench, &state, further, None, ws) {
            Ok(reached) => (solution, part, length) = (reached, next, 1.5 * length),
            Err(error) if length <= PARTS[1] => {
                let grip = most_used(&bench.system, &solution.state, ws);
                return Err(lost(bench, groups, Some((part, grip)), error));
            }
            Err(_) => length *= 0.5,
        }
    }
    Ok(solution)
}

fn attempt(
    bench: &Bench,
    state: &State,
    groups: Vec<Group>,
    way: Option<CarcassDisplacement>,
    ws: &mut Workspace,
) -> Result<SearchResult, AnalysisError> {
    Search::new(bench, state, ws, groups, way)?.run(ws, state)
}

/// Lateral and yaw speeds of least slip, wheels that roll, and the corresponding deflections of the carcasses.
fn guess(bench: &Bench, start: &State, mut groups: Vec<Group>, ws: &mut Workspace) -> (State, Vec<Group>) {
    // Each vehicle is first moved with its own twist only.
    let system = &bench.system;
    let mut state = start.clone();
    let mut rates = vec![0.0; system.nv];
    for group in &mut groups {
        // Lateral speeds of the wheels of this group for a unit twist.
        let mut across = |twist: [f64; 3]| {
            let mut probe = state.clone();
            let moving = Group { twist, ..group.clone() };
            moving.spread(system, &start.q, &mut probe.v, &mut rates);
            load_stage(system, &probe, ws, probe.time);
            kinematics::calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
            kinematics::calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
            let surroundings = ws.surroundings(&probe);
            let own = system.elements.iter().filter_map(|element| match element {
                Element::Tyre(tyre) if group.joints.contains(&root_of(system, tyre.wheel)) => Some(tyre),
                _ => None,
            });
            own.map(|tyre| tyre.lateral_speed(&surroundings).unwrap_or(0.0)).collect::<Vec<f64>>()
        };
        // Least squares over all wheels: lateral speed and yaw rate with the least lateral slip.
        let [ahead, left, turned] = [[group.speed, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(&mut across);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let (ll, lt, tt) = (dot(&left, &left), dot(&left, &turned), dot(&turned, &turned));
        let (al, at) = (-dot(&ahead, &left), -dot(&ahead, &turned));
        let determinant = ll * tt - lt * lt;
        // Only wheels that are not parallel determine both.
        if determinant > COLLINEARITY_TOLERANCE * COLLINEARITY_TOLERANCE * ll * tt {
            let (w, r) = ((al * tt - at * lt) / determinant, (at * ll - al * lt) / determinant);
            // A large yaw rate at high speed is limited, because tyres cannot hold it.
            let gentle = f64::min(1.0, MAX_GUESS_ACCELERATION / (r * group.speed).abs().max(f64::MIN_POSITIVE));
            (group.twist[1], group.twist[2]) = (gentle * w, gentle * r);
        }
        group.spread(system, &start.q, &mut state.v, &mut rates);
    }
    // Wheels then roll without longitudinal slip; element states take their stationary values.
    roll(system, &mut state, ws);
    start_values::settle_elements(system, &mut state, ws);
    (state, groups)
}

/// From `start`, at rest with its weight along the road's normal, to the vehicle at rest with its actual weight.
fn stand(bench: &mut Bench, start: &State, ws: &mut Workspace) -> Result<SearchResult, AnalysisError> {
    bench.tilt(1.0);
    let error = match attempt(bench, start, Vec::new(), Some(CarcassDisplacement::new(start)), ws) {
        Ok(found) => return Ok(found),
        Err(error) => error,
    };
    let (mut state, mut way, mut part, mut length) =
        (start.clone(), Some(CarcassDisplacement::new(start)), 0.0, PARTS[0]);
    loop {
        let next = f64::min(part + length, 1.0);
        bench.tilt(next);
        match attempt(bench, &state, Vec::new(), way.clone(), ws) {
            Ok(found) if next == 1.0 => return Ok(found),
            Ok(found) => (state, way, part, length) = (found.state, found.way, next, 1.5 * length),
            Err(_) if length <= PARTS[1] => return Err(error),
            Err(_) => length *= 0.5,
        }
    }
}

/// Inclination of the road relative to the weight, in words.
fn inclination(bench: &Bench, weight: &Vec3) -> String {
    let along = weight.cross(&bench.normal).norm();
    let down = -weight.dot(&bench.normal);
    if along <= 1e-9 * down { String::new() } else { format!(" on a slope of {:.1} %", 100.0 * along / down) }
}

fn not_standing(bench: &Bench, state: &State, ws: &mut Workspace, left: AnalysisError) -> AnalysisError {
    load_stage(&bench.system, state, ws, state.time);
    let surroundings = ws.surroundings(state);
    let brakes = bench.system.elements.iter().filter_map(|element| match element {
        Element::Brake(brake) => Some(brake),
        _ => None,
    });
    let held: f64 = brakes.map(|brake| brake.capacity(&surroundings)).sum();
    let held = (1e6 * held).round() / 1e6;
    let cause = format!(
        "the vehicle cannot be held at rest{}: the brakes (at most {held} N m in total) and the tyres are not \
         sufficient",
        inclination(bench, bench.weight())
    );
    AnalysisError::Steady { cause, left: Box::new(left) }
}

/// The tyre with the largest horizontal force relative to its load, and this ratio.
fn most_used(system: &System, state: &State, ws: &mut Workspace) -> Option<(String, f64)> {
    load_stage(system, state, ws, state.time);
    kinematics::calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
    kinematics::calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
    let surroundings = ws.surroundings(state);
    let used = system.elements.iter().filter_map(|element| match element {
        Element::Tyre(tyre) => {
            let force = tyre.measure(&surroundings).force;
            let along = (force.x * force.x + force.y * force.y).sqrt();
            (force.z > 0.0).then(|| (tyre.name.clone(), along / force.z))
        }
        _ => None,
    });
    used.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// `reached`: the fraction of the path that was completed, and the tyre with the largest ratio there.
fn lost(
    bench: &Bench,
    groups: &[Group],
    reached: Option<(f64, Option<(String, f64)>)>,
    left: AnalysisError,
) -> AnalysisError {
    let inclined = inclination(bench, bench.weight());
    let mut cause = format!("no steady driving at {} m/s{inclined}", groups[0].speed);
    if let Some((part, grip)) = &reached {
        let speed = groups[0].speed * (FIRST_SPEED_FRACTION + (1.0 - FIRST_SPEED_FRACTION) * part);
        cause += &format!("; steady driving was found up to {speed:.3} m/s");
        if !inclined.is_empty() {
            cause += &format!(" and {:.0} % of the slope", 100.0 * part);
        }
        if let Some((tyre, used)) = grip {
            cause += &format!(", where the horizontal force on tyre `{tyre}` is {used:.2} of its load");
        }
    }
    if reached.is_none() {
        let speed = FIRST_SPEED_FRACTION * groups[0].speed;
        cause += &format!(", nor at {speed:.3} m/s on a level road");
    }
    AnalysisError::Steady { cause, left: Box::new(left) }
}

/// The state for the original system: torques of drivers within their limits, and no remaining acceleration.
fn judged(
    system: &System,
    mut bench: Bench,
    mut found: SearchResult,
    ws: &mut Workspace,
) -> Result<(State, Equilibrium), AnalysisError> {
    load_stage(system, &found.state, ws, found.state.time);
    kinematics::calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
    kinematics::calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
    for (index, control) in controls(system) {
        let surroundings = ws.surroundings(&found.state);
        let error = surroundings.value(&control.target) - control.speed(&surroundings);
        let wanted = surroundings.value(&control.proportional) * error;
        let integrates = surroundings.value(&control.integral) > 0.0;
        let limits = control.limits.each_ref().map(|limit| surroundings.value(limit));
        let target = (error.abs() > SPEED_TOLERANCE).then(|| surroundings.value(&control.target));
        let group = found.groups.iter().find(|group| group.control == Some(index));
        if let (Some(group), Some(driving)) = (group, &mut found.report.driving) {
            let torque = wanted + found.state.auxiliary[control.state];
            if !(limits[0]..=limits[1]).contains(&torque) {
                let name = control.name.clone();
                return Err(AnalysisError::TooWeak { control: name, torque, limits, speed: group.speed });
            }
            (driving.torque, driving.target) = (Some(torque), target);
        } else if found.groups.is_empty() && integrates {
            // A driver with a positive target speed has not started yet.
            found.state.auxiliary[control.state] = -wanted;
            if let Some(driving) = &mut found.report.driving {
                driving.target = target;
            }
        }
    }
    bench.restore();
    if let Some(driving) = &mut found.report.driving {
        driving.weight_turns = driving.turning.abs() > 1e-9 && !bench.is_level();
    }
    let search = Search::new(&bench, &found.state, ws, found.groups, None)?;
    search.judge(ws, MAX_ACCELERATION)?;
    Ok((found.state, found.report))
}

/// First velocity coordinates of the floating bodies that are connected to the ground.
fn floating(system: &System) -> impl Iterator<Item = usize> {
    system.joints.iter().filter(|joint| joint.root && joint.kind.is_free()).map(|joint| joint.v)
}

/// The state with all floating bodies moved up or down together until the vertical forces balance. The state is
/// unchanged if that is impossible.
fn dropped(system: &System, state: &State, ws: &mut Workspace) -> Result<State, AnalysisError> {
    let point = OperatingPoint::new(system, state, ws, true)?;
    let vertical: Vec<usize> = floating(system).map(|v| v + 2).collect();
    let reduced: Vec<usize> = (0..point.size()).filter(|&i| vertical.contains(&point.coordinates[i])).collect();
    let moved = |ws: &mut Workspace, rise: f64| {
        let mut shifted = point.state.clone();
        shifted.v.fill(0.0);
        vertical.iter().for_each(|&v| system.add_increment(&mut shifted.q, v, rise));
        load_stage(system, &shifted, ws, shifted.time);
        ws.stage.guided.iter_mut().for_each(|motion| (motion[1], motion[2]) = (0.0, 0.0));
        point.evaluate(ws)?;
        let force = point.reduced_force(ws);
        Ok::<_, AnalysisError>((shifted, reduced.iter().map(|&i| force[i]).sum::<f64>()))
    };
    let farthest = MAX_LIFT * point.length;
    let mut ends = [-farthest, farthest];
    if reduced.is_empty() || !(moved(ws, ends[0])?.1 > 0.0 && moved(ws, ends[1])?.1 < 0.0) {
        return Ok(state.clone());
    }
    // Moves from the present position in growing steps, so that only the tyres begin to act.
    let mut step = FIRST_LIFT * point.length;
    let up = moved(ws, 0.0)?.1 > 0.0;
    let mut reached = 0.0;
    while step < farthest {
        let next = if up { step } else { -step };
        let pushed = moved(ws, next)?.1 > 0.0;
        if pushed != up {
            ends = if up { [reached, next] } else { [next, reached] };
            break;
        }
        (reached, step) = (next, 2.0 * step);
    }
    for _ in 0..60 {
        let middle = 0.5 * (ends[0] + ends[1]);
        let below = moved(ws, middle)?.1 > 0.0;
        ends[usize::from(!below)] = middle;
    }
    let (shifted, _) = moved(ws, 0.5 * (ends[0] + ends[1]))?;
    Ok(State { v: state.v.clone(), ..shifted })
}

/// Sets the wheels to the speeds of free rolling.
fn roll(system: &System, state: &mut State, ws: &mut Workspace) {
    let evaluate = |state: &State, ws: &mut Workspace| {
        load_stage(system, state, ws, state.time);
        kinematics::calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
        kinematics::calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
    };
    for element in &system.elements {
        let Element::Tyre(tyre) = element else { continue };
        let v = tyre.coordinate.velocity;
        evaluate(state, ws);
        let before = tyre.rolling_speeds(&ws.surroundings(state));
        state.v[v] += 1.0;
        evaluate(state, ws);
        let after = tyre.rolling_speeds(&ws.surroundings(state));
        state.v[v] -= 1.0;
        if let (Some([spin, wanted]), Some([turned, _])) = (before, after)
            && turned != spin
        {
            state.v[v] += (wanted - spin) / (turned - spin);
        }
    }
}
