//! A mechanism in plain data, what leaves its motion as it is, and its model file.

use super::random::Random;
use nalgebra::{Matrix3, Vector3};
use std::fmt::Write;

/// Body without mass of its own name.
pub const GROUND: &str = "ground";

/// A rigid body in the design position.
#[derive(Clone)]
pub struct Body {
    pub name: String,
    pub mass: f64,
    pub com: Vector3<f64>,
    pub inertia: Matrix3<f64>,
}

/// A joint; `axes` as its kind needs them.
#[derive(Clone)]
pub struct Joint {
    pub name: String,
    pub kind: &'static str,
    pub bodies: [String; 2],
    pub point: Vector3<f64>,
    pub axes: Vec<Vector3<f64>>,
    pub speed: Vec<f64>,
    pub cut: Option<bool>,
    pub independent: bool,
}

/// A `[[rod]]`.
#[derive(Clone)]
pub struct Rod {
    pub name: String,
    pub bodies: [String; 2],
    pub points: [Vector3<f64>; 2],
    pub mass: f64,
}

/// The whole of it.
#[derive(Clone, Default)]
pub struct Mechanism {
    pub gravity: Vector3<f64>,
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
    pub rods: Vec<Rod>,
    /// Tables of springs, as the file has them.
    pub springs: Vec<String>,
}

/// What changes how the program solves a mechanism, and not how it moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// As it was generated.
    Plain,
    /// Bodies, joints, rods in another order: another tree where the choice is free.
    Order,
    /// Other joints are cut.
    Cut,
    /// The actuated joints are to stay independent.
    Actuated,
    /// Any joints are to stay independent.
    Requests,
}

impl Variant {
    pub const ALL: [Variant; 5] = [Variant::Plain, Variant::Order, Variant::Cut, Variant::Actuated, Variant::Requests];
}

/// A cylinder from `from` to `to`.
pub fn cylinder(name: &str, from: Vector3<f64>, to: Vector3<f64>, mass: f64, radius: f64) -> Body {
    let (length, along) = ((to - from).norm(), (to - from).normalize());
    let (axial, across) = (mass * radius * radius / 2.0, mass * (3.0 * radius * radius + length * length) / 12.0);
    let line = along * along.transpose();
    let inertia = across * (Matrix3::identity() - line) + axial * line;
    Body { name: name.into(), mass, com: 0.5 * (from + to), inertia }
}

/// Some direction across `along`.
pub fn across(along: Vector3<f64>, random: &mut Random) -> Vector3<f64> {
    loop {
        let side = along.cross(&random.direction());
        if side.norm() > 0.3 * along.norm() {
            return side.normalize();
        }
    }
}

impl Mechanism {
    /// A joint without requests; returned to add them.
    pub fn joint(
        &mut self,
        name: &str,
        kind: &'static str,
        bodies: [&str; 2],
        point: Vector3<f64>,
        axes: &[Vector3<f64>],
    ) -> &mut Joint {
        self.joints.push(Joint {
            name: name.into(),
            kind,
            bodies: bodies.map(String::from),
            point,
            axes: axes.to_vec(),
            speed: Vec::new(),
            cut: None,
            independent: false,
        });
        self.joints.last_mut().expect("one was pushed")
    }

    /// A `[[rod]]`.
    pub fn rod(&mut self, name: &str, bodies: [&str; 2], points: [Vector3<f64>; 2], mass: f64) {
        self.rods.push(Rod { name: name.into(), bodies: bodies.map(String::from), points, mass });
    }

    /// A rod that is a body, between a universal joint on the first and a spherical one on the second. The fork's
    /// axis is near
    /// `axis`, about which the first body turns: a rod that swings with it stays away from the fork's axis, where
    /// it would
    /// have to turn over at once.
    pub fn rod_body(
        &mut self,
        number: &str,
        bodies: [&str; 2],
        points: [Vector3<f64>; 2],
        (mass, axis): (f64, Vector3<f64>),
        random: &mut Random,
    ) {
        let (name, along) = (format!("rod{number}"), (points[1] - points[0]).normalize());
        self.bodies.push(cylinder(&name, points[0], points[1], mass, 0.01));
        let near = random.rotation(0.4) * axis;
        let first = (near - near.dot(&along) * along).normalize();
        let axes = [first, along.cross(&first)];
        self.joint(&format!("U{number}"), "universal", [bodies[0], &name], points[0], &axes);
        self.joint(&format!("S{number}"), "spherical", [&name, bodies[1]], points[1], &[]);
    }

    /// The same mechanism for the program to solve in another way.
    pub fn varied(&self, variant: Variant, random: &mut Random) -> Mechanism {
        let mut other = self.clone();
        match variant {
            Variant::Plain => {}
            Variant::Order => {
                random.shuffle(&mut other.bodies);
                random.shuffle(&mut other.joints);
                random.shuffle(&mut other.rods);
            }
            Variant::Cut => {
                for joint in other.joints.iter_mut().filter(|joint| joint.speed.is_empty()) {
                    joint.cut = match (joint.kind, random.below(3)) {
                        ("floating", _) | (_, 0) => None,
                        (_, 1) => Some(true),
                        _ => Some(false),
                    };
                }
                random.shuffle(&mut other.joints);
            }
            Variant::Actuated => {
                other.joints.iter_mut().for_each(|joint| joint.independent = !joint.speed.is_empty());
            }
            Variant::Requests => {
                other.joints.iter_mut().for_each(|joint| joint.independent = random.chance(0.3));
            }
        }
        other
    }

    /// The model file: fourth-order steps of `step` for `stop` seconds.
    pub fn toml(&self, name: &str, step: f64, stop: f64) -> String {
        let mut text = format!(
            "[model]\nname = \"{name}\"\ngravity = {}\nstep = {step:?}\nintegrator = \"rk4\"\n\n\
             [experiment]\nstop = {stop:?}\nstep = 0.01\n",
            list(self.gravity.as_slice())
        );
        for body in &self.bodies {
            let i = &body.inertia;
            let inertia = [i[(0, 0)], i[(1, 1)], i[(2, 2)], i[(0, 1)], i[(1, 2)], i[(0, 2)]];
            let _ = write!(text, "\n[[body]]\nname = \"{}\"\nmass = {:?}\n", body.name, body.mass);
            let _ = writeln!(text, "com = {}\ninertia = {}", list(body.com.as_slice()), list(&inertia));
        }
        for joint in &self.joints {
            let [first, second] = &joint.bodies;
            let _ = write!(text, "\n[[joint]]\nname = \"{}\"\ntype = \"{}\"\n", joint.name, joint.kind);
            let _ = writeln!(text, "bodies = [\"{first}\", \"{second}\"]");
            if joint.kind != "floating" && joint.kind != "prismatic" {
                let _ = writeln!(text, "point = {}", list(joint.point.as_slice()));
            }
            for (key, axis) in ["axis", "second_axis"].iter().zip(&joint.axes) {
                let _ = writeln!(text, "{key} = {}", list(axis.as_slice()));
            }
            match joint.speed.as_slice() {
                [] => {}
                [speed] => _ = writeln!(text, "speed = {speed:?}"),
                speeds => _ = writeln!(text, "speed = {}", list(speeds)),
            }
            if let Some(cut) = joint.cut {
                let _ = writeln!(text, "cut = {cut}");
            }
            if joint.independent {
                let _ = writeln!(text, "independent = true");
            }
        }
        for rod in &self.rods {
            let [first, second] = &rod.bodies;
            let _ = write!(text, "\n[[rod]]\nname = \"{}\"\nbodies = [\"{first}\", \"{second}\"]\n", rod.name);
            let [from, to] = rod.points.map(|point| list(point.as_slice()));
            let _ = writeln!(text, "points = [{from}, {to}]\nmass = {:?}", rod.mass);
        }
        for spring in &self.springs {
            let _ = write!(text, "\n{spring}");
        }
        for quantity in QUANTITIES {
            let _ = write!(text, "\n[[output]]\nname = \"{quantity}\"\nquantity = \"{quantity}\"\n");
        }
        for body in self.moving() {
            let _ = write!(text, "\n[[output]]\nname = \"{body}\"\nquantity = \"position\"\nbody = \"{body}\"\n");
        }
        text
    }

    /// Names of the bodies in an order that no variant changes.
    fn moving(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.bodies.iter().map(|body| body.name.as_str()).collect();
        names.sort_unstable();
        names
    }
}

/// Outputs of every model, the first ones.
pub const QUANTITIES: [&str; 6] =
    ["kinetic_energy", "potential_energy", "gap", "velocity_gap", "near_singular", "repartitions"];

/// Numbers as an array of the file.
pub fn list(numbers: &[f64]) -> String {
    format!("{numbers:?}")
}
