//! The system during the trim: the vehicle placed on the road, its weight turned in increments from the road's normal
//! to its actual direction, and drivers with unknown torque.

use crate::analysis::operating_point::AnalysisError;
use ballesta_solver::dynamics::{kinematics, load_stage};
use ballesta_solver::force::vehicle::SpeedControl;
use ballesta_solver::force::{Coefficient, Element};
use ballesta_solver::joint::TreeJoint;
use ballesta_solver::math::rotation::{self, Quaternion};
use ballesta_solver::math::{Vec3, eigen, elementary};
use ballesta_solver::system::{State, System, Workspace};

/// Angles between vehicle and road below this, rad, are left to the search: tyres and springs deflect by as much.
const LEVEL: f64 = 5e-3;
/// Angle, rad, below which the vehicle counts as parallel to the road.
const PARALLEL_TOLERANCE: f64 = 1e-6;
/// Largest number of rotations towards the road.
const TURNS: usize = 20;
/// Heights of wheels above the road that differ by less count as equal, m.
const HEIGHT_TOLERANCE: f64 = 1e-9;

/// The tree joints that carry the floating bodies, with the numbers of the joints.
pub fn roots(system: &System) -> impl Iterator<Item = (usize, &TreeJoint)> {
    let floating = |joint: &TreeJoint| joint.root && joint.kind.is_free();
    system.joints.iter().enumerate().filter(move |(_, joint)| floating(joint))
}

/// Position of a root's point relative to the model's origin, m.
pub fn place(joint: &TreeJoint, q: &[f64]) -> Vec3 {
    joint.anchor_first + Vec3::new(q[joint.q], q[joint.q + 1], q[joint.q + 2])
}

/// A copy of the system that the search may modify.
pub struct Bench {
    /// The copy.
    pub system: System,
    weight: Vec3,
    /// Normal of the road below the vehicle.
    pub normal: Vec3,
    limits: Vec<[Coefficient; 2]>,
}

impl Bench {
    /// From `system` on a road with this normal.
    pub fn new(system: &System, normal: Vec3) -> Bench {
        let limits = controls(system).map(|(_, control)| control.limits).collect();
        Bench { system: system.clone(), weight: system.gravity, normal, limits }
    }

    /// Weight between the direction of the road's normal (`part` 0) and its actual direction (1).
    pub fn tilt(&mut self, part: f64) {
        self.system.gravity = match part {
            1.0 => self.weight,
            _ => self.weight * part - self.normal * (self.weight.norm() * (1.0 - part)),
        };
    }

    /// Actual weight per mass, m/s².
    pub fn weight(&self) -> &Vec3 {
        &self.weight
    }

    /// The limits of a control of the copy in the original system.
    pub fn limits_of(&self, control: &SpeedControl) -> [Coefficient; 2] {
        let at = controls(&self.system).position(|(_, other)| other.state == control.state);
        at.map_or(control.limits, |at| self.limits[at])
    }

    /// Restores the actual weight and drivers.
    pub fn restore(&mut self) {
        self.system.gravity = self.weight;
        let mut limits = self.limits.iter();
        for element in &mut self.system.elements {
            let Element::SpeedControl(control) = element else { continue };
            control.limits = limits.next().copied().unwrap_or(control.limits);
        }
    }

    /// Whether the weight is normal to the road, so that a steady turn remains steady.
    pub fn is_level(&self) -> bool {
        self.weight.cross(&self.normal).norm() <= 1e-9 * self.weight.norm()
    }

    /// Reverses the distance and the turn of the leading floating body along the road since `before`: nothing
    /// determines position and heading of a vehicle on rolling wheels. Does nothing if the wheels would then be at
    /// another height.
    pub fn keep_place(&self, before: &[f64], state: &mut State, ws: &mut Workspace) {
        let Some((_, lead)) = roots(&self.system).next() else { return };
        let attitude = |q: &[f64]| -> Quaternion { std::array::from_fn(|k| q[lead.q + 3 + k]) };
        let [w, x, y, z] = attitude(before);
        let turned = rotation::product(&attitude(&state.q), &[w, -x, -y, -z]);
        let about = self.normal.dot(&Vec3::new(turned[1], turned[2], turned[3]));
        let heading = 2.0 * elementary::atan2(about, turned[0]);
        let back = rotation::quaternion_about(&self.normal, -heading);
        let turn = rotation::matrix(&back);
        let (from, gone_to) = (place(lead, before), place(lead, &state.q));
        let risen = self.normal * self.normal.dot(&(gone_to - from));
        let mut kept = state.clone();
        for (_, joint) in roots(&self.system) {
            let own = place(joint, &state.q);
            let shift = from + risen + turn * (own - gone_to) - own;
            kept.q[joint.q..joint.q + 3].iter_mut().zip(shift.iter()).for_each(|(q, x)| *q += x);
            let attitude = std::array::from_fn(|k| state.q[joint.q + 3 + k]);
            kept.q[joint.q + 3..joint.q + 7].copy_from_slice(&rotation::product(&back, &attitude));
        }
        let heights = wheels(&self.system, state, ws);
        let same =
            wheels(&self.system, &kept, ws).iter().zip(&heights).all(|(a, b)| (a.1 - b.1).abs() <= HEIGHT_TOLERANCE);
        if same {
            state.q = kept.q;
        }
    }

    /// Drivers give any required torque, or none.
    pub fn let_drive(&mut self, drive: bool) {
        let mut limits = self.limits.iter();
        for element in &mut self.system.elements {
            let Element::SpeedControl(control) = element else { continue };
            let able = limits.next().is_some_and(able);
            let limit = if drive && able { f64::MAX } else { 0.0 };
            control.limits = [-limit, limit].map(Coefficient::Value);
        }
    }
}

/// Whether a driver with these limits can give any torque.
pub fn able(limits: &[Coefficient; 2]) -> bool {
    !matches!(limits, [Coefficient::Value(lower), Coefficient::Value(upper)] if lower >= upper)
}

/// All speed controls, with their numbers among the elements.
pub fn controls(system: &System) -> impl Iterator<Item = (usize, &SpeedControl)> {
    system.elements.iter().enumerate().filter_map(|(index, element)| match element {
        Element::SpeedControl(control) => Some((index, control)),
        _ => None,
    })
}

/// Centre of every wheel relative to the model's origin, its distance from contact with the road, and the road's normal
/// there.
fn wheels(system: &System, state: &State, ws: &mut Workspace) -> Vec<(Vec3, f64, Vec3)> {
    load_stage(system, state, ws, state.time);
    kinematics::calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
    let surroundings = ws.surroundings(state);
    let tyres = system.elements.iter().filter_map(|element| match element {
        Element::Tyre(tyre) => Some(tyre),
        _ => None,
    });
    let list = tyres.map(|tyre| {
        let body = surroundings.body(tyre.wheel);
        let centre = body.point(&tyre.centre) + body.reference;
        let world = centre + tyre.origin;
        let surface = tyre.road.surface(world.x, world.y);
        let normal = Vec3::new(-surface.slope_x, -surface.slope_y, 1.0).normalize();
        let rise = surroundings.value(&tyre.road_height);
        let height = (world - Vec3::new(world.x, world.y, surface.height + rise)).dot(&normal);
        (centre, height - tyre.law.free_radius(0.0), normal)
    });
    list.collect()
}

/// The state with all floating bodies turned together, including their velocities, until the wheels are equally far
/// from the road, and the road's normal. The state is unchanged if nothing floats or the vehicle is already parallel to
/// the road.
pub fn on_the_road(system: &System, state: &State, ws: &mut Workspace) -> Result<(State, Vec3), AnalysisError> {
    let up = if system.gravity.norm() > 0.0 { -system.gravity.normalize() } else { Vec3::z() };
    let found = wheels(system, state, ws);
    let normal: Vec3 = found.iter().map(|wheel| wheel.2).sum();
    if found.is_empty() || roots(system).next().is_none() || roots(system).any(|(_, joint)| joint.reversed) {
        return Ok((state.clone(), up));
    }
    let mut placed = state.clone();
    for turn in 0..TURNS {
        let list = wheels(system, &placed, ws);
        let (angle, pivot) = missing_turn(&list);
        let size = angle.norm();
        if !(size > if turn == 0 { LEVEL } else { PARALLEL_TOLERANCE }) {
            break;
        }
        let turned = rotation::exponential(&angle);
        for (_, joint) in roots(system) {
            let shifted = pivot + turned * (place(joint, &placed.q) - pivot) - joint.anchor_first;
            placed.q[joint.q..joint.q + 3].copy_from_slice(shifted.as_slice());
            let q = &placed.q[joint.q + 3..joint.q + 7];
            let attitude = turned * rotation::matrix(&[q[0], q[1], q[2], q[3]]);
            placed.q[joint.q + 3..joint.q + 7].copy_from_slice(&rotation::quaternion(&attitude));
            let v = turned * Vec3::new(placed.v[joint.v], placed.v[joint.v + 1], placed.v[joint.v + 2]);
            placed.v[joint.v..joint.v + 3].copy_from_slice(v.as_slice());
        }
    }
    Ok((placed, normal.normalize()))
}

/// The smallest rotation that makes the distances of the wheels equal, to first order, and the point about which the
/// vehicle rotates.
fn missing_turn(wheels: &[(Vec3, f64, Vec3)]) -> (Vec3, Vec3) {
    let share = 1.0 / wheels.len() as f64;
    let pivot: Vec3 = wheels.iter().map(|wheel| wheel.0 * share).sum();
    let mean: f64 = wheels.iter().map(|wheel| wheel.1 * share).sum();
    let (mut normal, mut right) = ([0.0; 9], Vec3::zeros());
    for (centre, gap, up) in wheels {
        let lever = (centre - pivot).cross(up);
        for (k, entry) in normal.iter_mut().enumerate() {
            *entry += lever[k / 3] * lever[k % 3];
        }
        right -= lever * (gap - mean);
    }
    let (values, axes) = eigen::symmetric(&normal, 3);
    let mut turn = Vec3::zeros();
    for (value, axis) in values.iter().zip(&axes) {
        if *value > 1e-6 * values[2] && *value > 0.0 {
            let axis = Vec3::new(axis[0], axis[1], axis[2]);
            turn += axis * (axis.dot(&right) / value);
        }
    }
    (turn, pivot)
}
