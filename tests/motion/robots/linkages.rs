//! Random linkages: planar ones on skew planes, loops of skew revolute joints, double wishbones on compliant mounts.

use super::kinds::{crank_speed, place};
use super::mechanism::{GROUND, Mechanism, across, cylinder};
use super::random::Random;
use nalgebra::{DMatrix, DVector, Isometry3, Rotation3, Translation3, Unit, UnitQuaternion, Vector3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

type V = Vector3<f64>;

/// A skew plane: rotation from the plane z = 0, and where its origin lies.
struct Plane(Rotation3<f64>, V);

impl Plane {
    fn new(random: &mut Random) -> Plane {
        Plane(random.rotation(PI), random.vector(0.5))
    }

    fn place(&self, x: f64, y: f64) -> V {
        self.0 * V::new(x, y, 0.0) + self.1
    }

    fn normal(&self) -> V {
        self.0 * V::z()
    }

    /// Gravity that moves what lies in the plane.
    fn weight(&self, random: &mut Random) -> V {
        9.81 * (self.0 * random.rotation(1.0) * V::new(0.0, -1.0, 0.0))
    }
}

/// Where a crank of length `first` at `pivot` and a rod of length `second` that ends at `point` meet.
fn elbow(pivot: V, point: V, lengths: [f64; 2], normal: V, side: f64) -> Option<V> {
    let d = point - pivot;
    let along = (d.norm_squared() + lengths[0].powi(2) - lengths[1].powi(2)) / (2.0 * d.norm());
    let height = lengths[0].powi(2) - along * along;
    // Stretched and folded legs are singular starts.
    let aside = normal.cross(&d).normalize();
    (height > (0.2 * lengths[0]).powi(2)).then(|| pivot + along * d.normalize() + side * height.sqrt() * aside)
}

pub fn three_rrr(random: &mut Random) -> Option<Mechanism> {
    let plane = Plane::new(random);
    let mut robot = Mechanism { gravity: plane.weight(random), ..Mechanism::default() };
    let normal = plane.normal();
    let (base, top) = (random.between(0.5, 0.8), random.between(0.1, 0.25));
    let lengths = [random.between(0.3, 0.45), random.between(0.3, 0.5)];
    let masses = [random.between(0.5, 3.0), random.between(0.2, 0.6), random.between(0.2, 0.6)];
    let (x, y, turn) = (random.about(0.15), random.about(0.15), random.about(0.8));
    let (vx, vy, spin) = (random.about(1.0), random.about(1.0), random.about(3.0));
    let centre = plane.place(x, y);
    let velocity = plane.0 * V::new(vx, vy, 0.0);
    robot.bodies.push(cylinder("plat", centre - 0.5 * top * normal, centre + 0.5 * top * normal, masses[0], top));
    let side = if random.chance(0.5) { 1.0 } else { -1.0 };
    for leg in 0..3 {
        let angle = TAU / 3.0 * leg as f64;
        let pivot = plane.place(base * angle.cos(), base * angle.sin());
        let point = plane.place(x + top * (angle + turn).cos(), y + top * (angle + turn).sin());
        let tip = elbow(pivot, point, lengths, normal, side)?;
        let speed = crank_speed(pivot, normal, tip, point, velocity + spin * normal.cross(&(point - centre)));
        if !(speed.abs() < 12.0) {
            return None;
        }
        let [crank, rod] = ["crank", "rod"].map(|part| format!("{part}{leg}"));
        robot.bodies.push(cylinder(&crank, pivot, tip, masses[1], 0.02));
        robot.bodies.push(cylinder(&rod, tip, point, masses[2], 0.02));
        robot.joint(&format!("A{leg}"), "revolute", [GROUND, &crank], pivot, &[normal]).speed = vec![speed];
        robot.joint(&format!("B{leg}"), "revolute", [&crank, &rod], tip, &[normal]);
        robot.joint(&format!("C{leg}"), "revolute", [&rod, "plat"], point, &[normal]);
    }
    Some(robot)
}

pub fn five_bar(random: &mut Random) -> Option<Mechanism> {
    let plane = Plane::new(random);
    let mut robot = Mechanism { gravity: plane.weight(random), ..Mechanism::default() };
    let normal = plane.normal();
    let base = random.between(0.1, 0.3);
    let point = plane.place(random.about(0.2), random.between(0.2, 0.5));
    let velocity = plane.0 * V::new(random.about(1.5), random.about(1.5), 0.0);
    for (leg, side) in [-1.0, 1.0].into_iter().enumerate() {
        let lengths = [random.between(0.2, 0.35), random.between(0.3, 0.5)];
        let pivot = plane.place(side * base, 0.0);
        let tip = elbow(pivot, point, lengths, normal, -side)?;
        let speed = crank_speed(pivot, normal, tip, point, velocity);
        if !(speed.abs() < 12.0) {
            return None;
        }
        let [crank, rod] = ["crank", "rod"].map(|part| format!("{part}{leg}"));
        robot.bodies.push(cylinder(&crank, pivot, tip, random.between(0.2, 1.0), 0.02));
        robot.bodies.push(cylinder(&rod, tip, point, random.between(0.2, 1.0), 0.02));
        robot.joint(&format!("A{leg}"), "revolute", [GROUND, &crank], pivot, &[normal]).speed = vec![speed];
        robot.joint(&format!("B{leg}"), "revolute", [&crank, &rod], tip, &[normal]);
    }
    robot.joint("C", "revolute", ["rod0", "rod1"], point, &[normal]);
    Some(robot)
}

/// Frame after a link of length `length` and twist `twist` behind a revolute joint at `angle` (Denavit and
/// Hartenberg).
fn link(angle: f64, length: f64, twist: f64) -> Isometry3<f64> {
    let turn = |axis: V, angle: f64| UnitQuaternion::from_axis_angle(&Unit::new_unchecked(axis), angle);
    let isometry = |shift: V, turn: UnitQuaternion<f64>| Isometry3::from_parts(Translation3::from(shift), turn);
    isometry(V::zeros(), turn(V::z(), angle)) * isometry(length * V::x(), turn(V::x(), twist))
}

/// Closure error of a loop of links, and the Jacobian of it: one column per joint.
fn closure(angles: &[f64], links: &[(f64, f64)]) -> (DVector<f64>, DMatrix<f64>, Vec<Isometry3<f64>>) {
    let mut frame = Isometry3::identity();
    let mut frames = Vec::new();
    for (angle, (length, twist)) in angles.iter().zip(links) {
        frames.push(frame);
        frame *= link(*angle, *length, *twist);
    }
    let (shift, turn) = (frame.translation.vector, frame.rotation.scaled_axis());
    let error = DVector::from_iterator(6, shift.iter().chain(turn.iter()).copied());
    let mut jacobian = DMatrix::zeros(6, angles.len());
    for (column, at) in frames.iter().enumerate() {
        let axis = at.rotation * V::z();
        let moment = axis.cross(&(shift - at.translation.vector));
        for row in 0..3 {
            jacobian[(row, column)] = moment[row];
            jacobian[(row + 3, column)] = axis[row];
        }
    }
    (error, jacobian, frames)
}

/// A loop of revolute joints that moves although its equations are more than its joints, in a random position: the
/// first body
/// is the ground.
fn skew_loop(links: &[(f64, f64)], random: &mut Random) -> Option<Mechanism> {
    let count = links.len();
    let mut angles: Vec<f64> = (0..count).map(|_| random.about(PI)).collect();
    let mut closed = false;
    for _ in 0..60 {
        let (error, jacobian, _) = closure(&angles, links);
        if error.norm() < 1e-15 {
            break;
        }
        closed = error.norm() < 1e-12;
        let change = jacobian.svd(true, true).solve(&error, 1e-7).ok()?;
        let damped = (0.5 / change.norm()).min(1.0);
        angles.iter_mut().zip(change.iter()).for_each(|(angle, change)| *angle -= damped * change);
    }
    let (_, jacobian, frames) = closure(&angles, links);
    let values = jacobian.singular_values();
    let mut values: Vec<f64> = values.iter().copied().collect();
    values.sort_unstable_by(f64::total_cmp);
    // One motion, and far from a position with two.
    let skip = values.len() - count;
    if !closed || !(values[skip] < 1e-9) || !(values[skip + 1] > 0.05) {
        return None;
    }
    let pose = Isometry3::from_parts(
        Translation3::from(random.vector(0.3)),
        UnitQuaternion::from_rotation_matrix(&random.rotation(PI)),
    );
    let frames: Vec<_> = frames.iter().map(|frame| pose * frame).collect();
    let mut robot = Mechanism { gravity: 9.81 * random.direction(), ..Mechanism::default() };
    let place = |k: usize| frames[k % count].translation.vector;
    let name = |k: usize| if k.is_multiple_of(count) { GROUND.to_string() } else { format!("link{}", k % count) };
    for k in 1..count {
        // Joint k is inboard of link k, which ends at joint k + 1.
        robot.bodies.push(cylinder(&name(k), place(k), place(k + 1), random.between(0.3, 1.5), 0.03));
    }
    for k in 0..count {
        // Joint 0 lies between the last link and the ground.
        let before = name(k + count - 1);
        let bodies = if k == 0 { [name(0), before] } else { [before, name(k)] };
        let axis = frames[k].rotation * V::z();
        let joint = robot.joint(&format!("J{k}"), "revolute", [&bodies[0], &bodies[1]], place(k), &[axis]);
        if k == 1 {
            joint.speed = vec![random.about(3.0)];
        }
    }
    Some(robot)
}

pub fn bennett(random: &mut Random) -> Option<Mechanism> {
    let twists = [random.between(0.4, 1.3), random.between(1.4, 2.6)];
    let length = random.between(0.2, 0.5);
    let other = length * twists[1].sin() / twists[0].sin();
    let links = [(length, twists[0]), (other, twists[1]), (length, twists[0]), (other, twists[1])];
    skew_loop(&links, random)
}

pub fn bricard(random: &mut Random) -> Option<Mechanism> {
    let mut lengths: Vec<f64> = (0..6).map(|_| random.between(0.25, 0.5)).collect();
    if random.chance(0.5) {
        lengths.fill(0.4);
    }
    let square = |k: usize| lengths[k] * lengths[k];
    let last = square(0) + square(2) + square(4) - square(1) - square(3);
    if !(0.04..0.4).contains(&last) {
        return None;
    }
    lengths[5] = last.sqrt();
    let links: Vec<(f64, f64)> = lengths
        .iter()
        .enumerate()
        .map(|(k, length)| (*length, if k % 2 == 0 { FRAC_PI_2 } else { -FRAC_PI_2 }))
        .collect();
    skew_loop(&links, random)
}

pub fn wishbone(random: &mut Random) -> Option<Mechanism> {
    let mut robot = Mechanism { gravity: V::new(0.0, 0.0, -9.81), ..Mechanism::default() };
    let mut near = |x: f64, y: f64, z: f64| V::new(x, y, z) + random.vector(0.03);
    let lower = [near(0.2, 0.4, -0.1), near(-0.2, 0.4, -0.1), near(0.0, 0.8, -0.15)];
    let upper = [near(0.15, 0.45, 0.15), near(-0.15, 0.45, 0.15), near(-0.02, 0.75, 0.15)];
    let tie = [near(-0.25, 0.4, 0.0), near(-0.15, 0.75, 0.0)];
    let (seat, eye) = (near(0.0, 0.5, 0.5), 0.5 * (lower[2] + 0.5 * (lower[0] + lower[1])));
    let hub = near(0.0, 0.85, 0.0);
    let radius = random.between(0.05, 0.08);
    for (name, [front, rear, ball]) in [("lower", lower), ("upper", upper)] {
        let mass = random.between(2.0, 5.0);
        let mut arm = cylinder(name, 0.5 * (front + rear), ball, mass, radius);
        let across = front - rear;
        arm.inertia +=
            mass / 24.0 * (across.norm_squared() * nalgebra::Matrix3::identity() - across * across.transpose());
        robot.bodies.push(arm);
    }
    let wheel = [hub - V::new(0.0, 0.1, 0.0), hub + V::new(0.0, 0.1, 0.0)];
    robot.bodies.push(cylinder("knuckle", wheel[0], wheel[1], random.between(15.0, 40.0), 0.25));
    // The lower arm stands on bushings, the upper one on bushings or a hinge.
    let compliant = [true, random.chance(0.5)];
    for ((name, [front, rear, ball]), soft) in [("lower", lower), ("upper", upper)].into_iter().zip(compliant) {
        let axis = (front - rear).normalize();
        if soft {
            robot.joint(&format!("F_{name}"), "floating", [GROUND, name], V::zeros(), &[]);
            for (end, point) in [("front", front), ("rear", rear)] {
                let (stiff, soft) = (random.between(1e3, 5e3), random.between(5.0, 20.0));
                let second = across(axis, random);
                robot.springs.push(format!(
                    "[[bushing]]\nname = \"{name}_{end}\"\nbodies = [\"{GROUND}\", \"{name}\"]\npoint = {}\n\
                     axis = {}\nsecond_axis = {}\nstiffness = {:?}\n",
                    place(point),
                    place(axis),
                    place(second),
                    [stiff, 2.0 * stiff, stiff, soft, 2.0 * soft, soft],
                ));
            }
        } else {
            robot.joint(&format!("H_{name}"), "revolute", [GROUND, name], 0.5 * (front + rear), &[axis]);
        }
        robot.joint(&format!("S_{name}"), "spherical", [name, "knuckle"], ball, &[]);
    }
    robot.rod("tie", [GROUND, "knuckle"], tie, random.between(0.3, 1.0));
    let length = (seat - eye).norm();
    robot.springs.push(format!(
        "[[spring]]\nname = \"coil\"\nbodies = [\"{GROUND}\", \"lower\"]\npoints = [{}, {}]\nstiffness = {:?}\n\
         free_length = {:?}\n",
        place(seat),
        place(eye),
        random.between(1e4, 3e4),
        length + random.between(0.0, 0.06),
    ));
    Some(robot)
}
