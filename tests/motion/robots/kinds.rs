//! Random parallel robots: hexapods and Deltas.

use super::mechanism::{Body, GROUND, Mechanism, across, cylinder};
use super::random::Random;
use super::{linkages, mechanism::list};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::{FRAC_PI_2, TAU};

type V = Vector3<f64>;

/// What a kind builds from random numbers: nothing where a draw cannot be assembled.
type Builder = fn(&mut Random) -> Option<Mechanism>;

/// All kinds by name.
pub const KINDS: [(&str, Builder); 12] = [
    ("hexapod_bodies", |random| rotary_hexapod(random, true)),
    ("hexapod_rods", |random| rotary_hexapod(random, false)),
    ("ups", |random| telescopic_hexapod(random, false)),
    ("ups_springs", |random| telescopic_hexapod(random, true)),
    ("delta_rods", |random| delta(random, Delta::Rods)),
    ("delta_bodies", |random| delta(random, Delta::Bodies)),
    ("delta_translation", |random| delta(random, Delta::Translation)),
    ("rrr", linkages::three_rrr),
    ("five_bar", linkages::five_bar),
    ("bricard", linkages::bricard),
    ("bennett", linkages::bennett),
    ("wishbone", linkages::wishbone),
];

/// Start `seed` of `kind`: the first draw that can be assembled.
pub fn robot(kind: &str, seed: u64) -> Mechanism {
    let build = KINDS.iter().find(|(name, _)| *name == kind).unwrap_or_else(|| panic!("no kind {kind}")).1;
    let mut random = Random::new(kind, seed);
    (0..1000).find_map(|_| build(&mut random)).unwrap_or_else(|| panic!("{kind} {seed}: no draw can be assembled"))
}

/// Direction in the horizontal plane.
pub fn radial(angle: f64) -> V {
    V::new(angle.cos(), angle.sin(), 0.0)
}

/// Gravity, mostly downwards.
fn weight(random: &mut Random) -> V {
    let lean = if random.chance(0.5) { 0.0 } else { 0.6 };
    let direction = random.rotation(lean) * V::new(0.0, 0.0, -1.0);
    9.81 * direction
}

/// A round plate of some thickness.
fn plate(name: &str, com: V, mass: f64, radius: f64, random: &mut Random) -> Body {
    let (flat, tall) = (mass * radius * radius, random.between(0.9, 1.3));
    Body { name: name.into(), mass, com, inertia: Matrix3::from_diagonal(&(flat * V::new(0.33, 0.33 * tall, 0.6))) }
}

/// Angle of the crank at `pivot` in the plane of `outward` and the vertical, counted downwards, whose tip is `rod`
/// away from
/// `point`: the outer one of the two.
fn crank_angle(pivot: V, outward: V, crank: f64, rod: f64, point: V) -> Option<f64> {
    let d = point - pivot;
    let (a, b) = (d.dot(&outward), -d.z);
    let c = (d.norm_squared() + crank * crank - rod * rod) / (2.0 * crank);
    let size = a.hypot(b);
    // Stretched or folded legs are singular starts.
    ((c / size).abs() < 0.95).then(|| b.atan2(a) - (c / size).acos())
}

/// Speed of a crank whose tip is joined by a rod to a point with velocity `velocity`.
pub fn crank_speed(pivot: V, axis: V, tip: V, point: V, velocity: V) -> f64 {
    let along = point - tip;
    along.dot(&velocity) / along.dot(&axis.cross(&(tip - pivot)))
}

fn rotary_hexapod(random: &mut Random, bodies: bool) -> Option<Mechanism> {
    let mut robot = Mechanism { gravity: weight(random), ..Mechanism::default() };
    let (base, top, height) = (random.between(0.3, 0.5), random.between(0.1, 0.2), random.between(0.45, 0.7));
    let (split_base, split_top) = (random.between(0.1, 0.5), random.between(0.1, 0.5));
    let crank = random.between(0.15, 0.25);
    let home = random.between(-0.3, 0.7);
    let masses = [random.between(1.0, 8.0), random.between(0.1, 0.5), random.between(0.1, 0.5)];
    let turned = random.rotation(0.4);
    let moved = if random.chance(0.3) { V::zeros() } else { random.vector(0.08) };
    let turned = if moved == V::zeros() { nalgebra::Rotation3::identity() } else { turned };
    let centre = V::new(0.0, 0.0, -height) + moved;
    let (velocity, spin) = (random.vector(0.8), random.vector(3.0));
    robot.bodies.push(plate("plat", centre, masses[0], top, random));
    for leg in 0..6 {
        let side = if leg % 2 == 0 { -1.0 } else { 1.0 };
        let middle = TAU / 3.0 * (leg / 2) as f64;
        let outward = radial(middle + side * split_base);
        let (pivot, axis) = (base * outward, V::z().cross(&outward));
        let place = top * radial(middle + side * (TAU / 6.0 - split_top));
        let tip = |angle: f64| pivot + crank * (angle.cos() * outward - angle.sin() * V::z());
        let rod = (place - V::new(0.0, 0.0, height) - tip(home)).norm();
        let arm = turned * place;
        let point = centre + arm;
        let tip = tip(crank_angle(pivot, outward, crank, rod, point)?);
        let speed = crank_speed(pivot, axis, tip, point, velocity + spin.cross(&arm));
        if !(speed.abs() < 12.0) {
            return None;
        }
        let name = format!("crank{leg}");
        robot.bodies.push(cylinder(&name, pivot, tip, masses[1], 0.02));
        robot.joint(&format!("A{leg}"), "revolute", [GROUND, &name], pivot, &[axis]).speed = vec![speed];
        match bodies {
            true => robot.rod_body(&format!("{leg}"), [&name, "plat"], [tip, point], (masses[2], axis), random),
            false => robot.rod(&format!("R{leg}"), [&name, "plat"], [tip, point], masses[2]),
        }
    }
    if !bodies {
        robot.joint("F", "floating", [GROUND, "plat"], V::zeros(), &[]);
    }
    Some(robot)
}

fn telescopic_hexapod(random: &mut Random, springs: bool) -> Option<Mechanism> {
    let mut robot = Mechanism::default();
    let (base, top, height) = (random.between(0.8, 1.2), random.between(0.4, 0.7), random.between(0.9, 1.4));
    let (split_base, split_top) = (random.between(0.1, 0.4), random.between(0.1, 0.4));
    let masses = [random.between(10.0, 30.0), random.between(1.0, 4.0), random.between(1.0, 3.0)];
    let stiffness = random.between(150.0, 1500.0);
    let turned = random.rotation(0.5);
    let centre = V::new(0.0, 0.0, height) + random.vector(0.2);
    let (velocity, spin) = if springs { (1.0, 2.0) } else { (0.3, 1.0) };
    let (velocity, spin) = (random.vector(velocity), random.vector(spin));
    if springs {
        robot.gravity = weight(random);
    }
    robot.bodies.push(plate("plat", centre, masses[0], top, random));
    for leg in 0..6 {
        let side = if leg % 2 == 0 { -1.0 } else { 1.0 };
        let middle = TAU / 3.0 * (leg / 2) as f64;
        let foot = base * radial(middle + side * split_base);
        let arm = turned * (top * radial(middle + side * (TAU / 6.0 - split_top)));
        let point = centre + arm;
        let span = point - foot;
        let along = span.normalize();
        let [cylinder_, piston] = ["cyl", "pis"].map(|part| format!("{part}{leg}"));
        robot.bodies.push(cylinder(&cylinder_, foot, foot + 0.45 * span, masses[1], 0.08));
        robot.bodies.push(cylinder(&piston, foot + 0.55 * span, point, masses[2], 0.05));
        let first = across(along, random);
        robot.joint(&format!("U{leg}"), "universal", [GROUND, &cylinder_], foot, &[first, along.cross(&first)]);
        let speed = along.dot(&(velocity + spin.cross(&arm)));
        robot.joint(&format!("L{leg}"), "prismatic", [&cylinder_, &piston], foot, &[along]).speed = vec![speed];
        robot.joint(&format!("S{leg}"), "spherical", [&piston, "plat"], point, &[]);
        if springs {
            let preload = masses[0] * robot.gravity.norm() / 6.0 * random.between(0.0, 1.5);
            robot.springs.push(format!(
                "[[joint_spring]]\nname = \"K{leg}\"\njoint = \"L{leg}\"\nstiffness = {stiffness:?}\n\
                 preload = {:?}\n",
                -preload
            ));
        }
    }
    Some(robot)
}

#[derive(Clone, Copy, PartialEq)]
enum Delta {
    /// Platform floating, six `[[rod]]`s.
    Rods,
    /// Platform without a joint to the ground, six rods that are bodies.
    Bodies,
    /// Three `[[rod]]`s, the platform carried by three travels.
    Translation,
}

fn delta(random: &mut Random, variant: Delta) -> Option<Mechanism> {
    let mut robot = Mechanism { gravity: weight(random), ..Mechanism::default() };
    let (base, top) = (random.between(0.15, 0.25), random.between(0.04, 0.08));
    let (crank, rod) = (random.between(0.2, 0.3), random.between(0.45, 0.65));
    let half = random.between(0.03, 0.08);
    let masses = [random.between(0.2, 1.0), random.between(0.3, 0.8), random.between(0.05, 0.2)];
    let centre = V::new(random.about(0.15), random.about(0.15), -random.between(0.35, 0.65));
    let velocity = random.vector(1.0);
    let first = random.about(FRAC_PI_2);
    robot.bodies.push(plate("plat", centre, masses[0], top, random));
    for arm in 0..3 {
        let outward = radial(first + TAU / 3.0 * arm as f64);
        let axis = V::z().cross(&outward);
        let (pivot, middle) = (base * outward, centre + top * outward);
        let angle = crank_angle(pivot, outward, crank, rod, middle)?;
        let tip = pivot + crank * (angle.cos() * outward - angle.sin() * V::z());
        let speed = crank_speed(pivot, axis, tip, middle, velocity);
        // The rods of a parallelogram lie in one line where they are along the crank's axis.
        if !(speed.abs() < 12.0) || axis.dot(&(middle - tip)).abs() > 0.8 * rod {
            return None;
        }
        let name = format!("arm{arm}");
        robot.bodies.push(cylinder(&name, pivot, tip, masses[1], 0.02));
        robot.joint(&format!("A{arm}"), "revolute", [GROUND, &name], pivot, &[axis]).speed = vec![speed];
        let sides: &[f64] = if variant == Delta::Translation { &[0.0] } else { &[1.0, -1.0] };
        for (side, letter) in sides.iter().zip(["a", "b"]) {
            let ends = [tip + side * half * axis, middle + side * half * axis];
            let number = format!("{arm}{letter}");
            match variant {
                Delta::Bodies => robot.rod_body(&number, [&name, "plat"], ends, (masses[2], axis), random),
                _ => robot.rod(&format!("R{number}"), [&name, "plat"], ends, masses[2]),
            }
        }
    }
    match variant {
        Delta::Rods => _ = robot.joint("F", "floating", [GROUND, "plat"], V::zeros(), &[]),
        Delta::Bodies => {}
        Delta::Translation => {
            // Two bodies without mass between the ground and the platform.
            let nothing = |name: &str| Body { name: name.into(), mass: 0.0, com: centre, inertia: Matrix3::zeros() };
            robot.bodies.extend([nothing("x"), nothing("y")]);
            let axes = [V::x(), V::y(), V::z()].map(|axis| random.rotation(0.2) * axis);
            let bodies = [[GROUND, "x"], ["x", "y"], ["y", "plat"]];
            for ((name, bodies), axis) in ["X", "Y", "Z"].iter().zip(bodies).zip(axes) {
                robot.joint(name, "prismatic", bodies, centre, &[axis]);
            }
        }
    }
    Some(robot)
}

/// The array of a vector, for tables in words.
pub fn place(vector: V) -> String {
    list(vector.as_slice())
}
