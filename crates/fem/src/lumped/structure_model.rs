//! A lumped structure as a model file for the rigid solver.

use super::beam_structure::{JointKind, LumpedJoint, LumpedStructure, Support};
use super::model::{angular, reports, round_down, tidy};
use crate::model::{DIRECTIONS, Dimension};
use ballesta::math::{Mat3, Vec3};
use std::fmt::Write;

/// Options of the model in addition to the structure.
#[derive(Clone, Debug, PartialEq)]
pub struct StructureModelOptions {
    /// Name of the model: letters, digits and `_`.
    pub name: String,
    /// Damping ratio of the first mode; the damping of joints and springs is proportional to their stiffness, so that
    /// mode i has this ratio times ωᵢ/ω₁.
    pub damping_ratio: f64,
    /// Acceleration of gravity in C, m/s².
    pub gravity: [f64; 3],
    /// Load case whose forces are the start values of the inputs; `None`: they start at zero.
    pub load: Option<String>,
    /// First natural frequency with the supports, Hz.
    pub first_hz: f64,
    /// Largest natural frequency, Hz.
    pub highest_hz: f64,
}

/// The body that the supports fix to the ground.
const GROUND: &str = "ground";

impl LumpedStructure {
    /// The text of a `model.toml`: bodies, joints, springs, inputs for the loads at interfaces and loaded nodes, their
    /// positions as outputs. W is the frame C of the structure.
    ///
    /// The step is at most half of the stability limit of `rk4`, as for a single chain.
    pub fn model(&self, options: &StructureModelOptions) -> String {
        let (first, highest) = (angular(options.first_hz), angular(options.highest_hz));
        // Damping divided by stiffness.
        let beta = 2.0 * options.damping_ratio / first;
        let step = round_down(1.4 / highest.max(beta * highest * highest));
        // Two periods of the first mode, in whole twentieths of a second.
        let stop = (20.0 * 4.0 * std::f64::consts::PI / first).ceil().max(2.0) / 20.0;
        let elements = match self.elements {
            1 => "one element".to_string(),
            n => format!("{n} elements"),
        };
        let mut text = format!(
            "# The structure {:?} as rigid bodies (Ghidella et al.): {elements} per beam, with a {} in the middle of \
             each.\n\
             # Written by `ballesta lump`. First frequency of small motions: {:.6} Hz.\n\
             \n[model]\nname = {:?}\ndescription = \"Structure of beams as rigid bodies with lumped joints\"\n\
             gravity = [{}]\nstep = {step:?}\nintegrator = \"rk4\"\n\
             \n[experiment]\nstop = {stop:?}\nstep = {:?}\n",
            self.name,
            match (self.dimension, self.joint) {
                (_, super::ElementJoint::Bushing) => "bushing".to_string(),
                (_, other) => format!("{} joint", other.word()),
            },
            options.first_hz,
            options.name,
            list(options.gravity),
            (1e-3_f64).max(step),
        );
        self.write_bodies(&mut text);
        let closing = self.closing();
        self.joints.iter().zip(closing).for_each(|(joint, closes)| self.write_joint(joint, closes, beta, &mut text));
        for spring in &self.springs {
            let [a, b] = spring.bodies.map(|body| self.body_name(body));
            let [p, q] = spring.points.map(place);
            let _ = write!(
                text,
                "\n[[spring]]\nname = {:?}\nbodies = [{a:?}, {b:?}]\npoints = [{p}, {q}]\nstiffness = {:?}\n",
                spring.name,
                tidy(spring.stiffness)
            );
            if beta > 0.0 {
                let _ = writeln!(text, "damping = {:?}", tidy(beta * spring.stiffness));
            }
        }
        self.write_ports(options, &mut text);
        text.push_str(&reports());
        text
    }

    fn body_name(&self, body: usize) -> &str {
        if self.is_ground(body) { GROUND } else { &self.bodies[body].name }
    }

    /// Bodies with their supports, and a joint to the ground for groups that no joint connects to it.
    fn write_bodies(&self, text: &mut String) {
        let floats = self.roots();
        for (i, body) in self.bodies.iter().enumerate().filter(|(i, _)| !self.is_ground(*i)) {
            let (centre, inertia) = body.centre();
            let entries = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)];
            let _ = write!(
                text,
                "\n[[body]]\nname = {:?}\nmass = {:?}\ncom = {}\ninertia = [{}]\n",
                body.name,
                tidy(body.mass),
                place(centre),
                list(entries.map(|entry| if inertia[entry].abs() < 1e-14 * inertia.amax() {
                    0.0
                } else {
                    inertia[entry]
                }))
            );
            let point = format!("point = {}\n", place(body.origin));
            let support = Support::new(body, self.dimension);
            let name = format!("{}_support", body.name);
            let to_ground = format!("bodies = [\"{GROUND}\", {:?}]\n", body.name);
            match support {
                Some(Support::Joint(kind)) => {
                    let axes = axes(&kind, &Mat3::identity());
                    let word = kind.word;
                    let _ = write!(text, "\n[[joint]]\nname = {name:?}\ntype = \"{word}\"\n{to_ground}{point}{axes}");
                }
                Some(Support::Plane(k)) => {
                    let normal = list(Vec3::ith(k, 1.0).into());
                    let _ =
                        write!(text, "\n[[point_in_plane]]\nname = {name:?}\n{to_ground}{point}normal = [{normal}]\n");
                }
                Some(Support::Line(k)) => {
                    let axis = list(Vec3::ith(k, 1.0).into());
                    let _ = write!(text, "\n[[point_on_line]]\nname = {name:?}\n{to_ground}{point}axis = [{axis}]\n");
                }
                Some(Support::Ground | Support::Free) | None => {}
            }
            if floats[i] {
                let kind = match self.dimension {
                    Dimension::Plane => format!("type = \"planar\"\n{to_ground}{point}axis = [0, 0, 1]\n"),
                    Dimension::Space => format!("type = \"floating\"\n{to_ground}"),
                };
                let _ = write!(text, "\n[[joint]]\nname = \"{}_free\"\n{kind}", body.name);
            }
        }
    }

    /// Whether a body is the ground, or a joint of its support connects it to the ground.
    fn is_joined(&self, body: usize) -> bool {
        let support = Support::new(&self.bodies[body], self.dimension);
        matches!(support, Some(Support::Ground | Support::Joint(_)))
    }

    /// Bodies that need a joint to the ground: the first of each group that joints connect, unless a support is a
    /// joint.
    fn roots(&self) -> Vec<bool> {
        let mut group: Vec<usize> = (0..self.bodies.len()).collect();
        for joint in self.joints.iter().filter(|joint| !joint.is_free(self.dimension)) {
            let [a, b] = joint.bodies.map(|body| group[body]);
            group.iter_mut().filter(|found| **found == a.max(b)).for_each(|found| *found = a.min(b));
        }
        let held: Vec<usize> = (0..group.len()).filter(|body| self.is_joined(*body)).map(|body| group[body]).collect();
        (0..group.len()).map(|body| group[body] == body && !held.contains(&body)).collect()
    }

    /// Joints that close a loop with the preceding joints and the supports.
    fn closing(&self) -> Vec<bool> {
        let ground = self.bodies.len();
        let mut group: Vec<usize> =
            (0..self.bodies.len()).map(|body| if self.is_joined(body) { ground } else { body }).collect();
        let closes = |joint: &LumpedJoint| {
            if joint.is_free(self.dimension) {
                return false;
            }
            let [a, b] = joint.bodies.map(|body| group[body]);
            group.iter_mut().filter(|found| **found == a).for_each(|found| *found = b);
            a == b
        };
        self.joints.iter().map(closes).collect()
    }

    /// A joint with its springs. The program cuts the joint that closes a loop, so springs cannot refer to the
    /// coordinates of that joint; it gets a bushing.
    fn write_joint(&self, joint: &LumpedJoint, closes: bool, beta: f64, text: &mut String) {
        let [a, b] = joint.bodies.map(|body| self.body_name(body));
        let stiffness = joint.stiffness.map(|stiffness| stiffness.unwrap_or(0.0));
        let kind = joint.kind(self.dimension).filter(|_| !joint.is_free(self.dimension));
        if let Some(kind) = &kind {
            let _ = write!(
                text,
                "\n[[joint]]\nname = {:?}\ntype = \"{}\"\nbodies = [{a:?}, {b:?}]\npoint = {}\n{}",
                joint.name,
                kind.word,
                place(joint.point),
                axes(kind, &joint.axes)
            );
        }
        let within = joint.within(self.dimension);
        let springs: Vec<(usize, f64)> =
            (0..6).filter(|k| within[*k] && stiffness[*k] != 0.0).map(|k| (k, stiffness[k])).collect();
        let coordinates = kind.filter(|_| !closes).map_or(Vec::new(), |kind| {
            springs.iter().filter_map(|(motion, k)| Some((kind.coordinate(*motion)?, *k))).collect::<Vec<_>>()
        });
        for (coordinate, stiffness) in &coordinates {
            let _ = write!(
                text,
                "\n[[joint_spring]]\nname = \"{}_{coordinate}\"\njoint = {:?}\ncoordinate = \"{coordinate}\"\n\
                 stiffness = {:?}\n",
                joint.name,
                joint.name,
                tidy(*stiffness)
            );
            if beta > 0.0 {
                let _ = writeln!(text, "damping = {:?}", tidy(beta * stiffness));
            }
        }
        if springs.is_empty() || !coordinates.is_empty() {
            return;
        }
        let six: [f64; 6] = std::array::from_fn(|k| if within[k] { stiffness[k] } else { 0.0 });
        let column = |k: usize| place(joint.axes.column(k).into());
        let _ = write!(
            text,
            "\n[[bushing]]\nname = {:?}\nbodies = [{a:?}, {b:?}]\npoint = {}\naxis = {}\nsecond_axis = {}\nstiffness = \
             [{}]\n",
            format!("{}_bushing", joint.name),
            place(joint.point),
            column(0),
            column(1),
            list(six)
        );
        if beta > 0.0 {
            let _ = writeln!(text, "damping = [{}]", list(six.map(|k| beta * k)));
        }
    }

    /// Inputs and loads at loaded points, positions as outputs.
    fn write_ports(&self, options: &StructureModelOptions, text: &mut String) {
        let (mut loads, mut outputs, mut plots) = (String::new(), String::new(), Vec::new());
        for port in self.ports.iter().filter(|port| !self.is_ground(port.body)) {
            let body = &self.bodies[port.body];
            let mut start = [0.0; 6];
            for load in self.loads.iter().filter(|load| Some(&load.name) == options.load.as_ref()) {
                let vectors = [load.force, load.moment].map(Option::unwrap_or_default).concat();
                if load.node == port.node {
                    start.iter_mut().zip(vectors).for_each(|(sum, value)| *sum += value);
                }
            }
            let mut values = [const { String::new() }; 6];
            for k in self.dimension.directions().iter().copied().filter(|k| port.loaded && !body.held[*k]) {
                let (letter, unit, kind) = if k < 3 { ("F", "N", "Force along") } else { ("T", "N.m", "Moment about") };
                let axis = &DIRECTIONS[k % 3];
                values[k] = format!("\"{}.{letter}{axis}\"", port.name);
                let _ = write!(
                    text,
                    "\n[[input]]\nname = {}\nunit = \"{unit}\"\nstart = {:?}\ndescription = \"{kind} {axis} at {}\"\n",
                    values[k],
                    start[k] + 0.0,
                    port.name
                );
            }
            let vector = |from: usize| {
                let parts = values[from..from + 3].iter().map(|v| if v.is_empty() { "0" } else { v.as_str() });
                parts.collect::<Vec<_>>().join(", ")
            };
            let (name, body) = (&port.name, &body.name);
            let place = place(port.place);
            if values[..3].iter().any(|value| !value.is_empty()) {
                let value = vector(0);
                let _ = write!(
                    loads,
                    "\n[[force]]\nname = \"{name}_force\"\nbody = {body:?}\npoint = {place}\nvalue = [{value}]\n"
                );
            }
            if values[3..].iter().any(|value| !value.is_empty()) {
                let value = vector(3);
                let _ = write!(loads, "\n[[torque]]\nname = \"{name}_moment\"\nbody = {body:?}\nvalue = [{value}]\n");
            }
            let _ = write!(
                outputs,
                "\n[[output]]\nname = {name:?}\nbody = {body:?}\npoint = {place}\nquantity = \"position\"\n"
            );
            plots.push(port);
        }
        text.push_str(&loads);
        text.push_str(&outputs);
        for port in plots.into_iter().take(4) {
            let names: Vec<String> = (self.dimension.directions().iter().filter(|k| **k < 3))
                .map(|k| format!("\"{}.{}\"", port.name, DIRECTIONS[*k]))
                .collect();
            let _ =
                write!(text, "\n[[plot]]\ntitle = \"Position of {}\"\noutputs = [{}]\n", port.name, names.join(", "));
        }
    }
}

/// `axis` and `second_axis` of a joint whose axes are the columns.
fn axes(kind: &JointKind, columns: &Mat3) -> String {
    let keys = ["axis", "second_axis"].into_iter().zip(kind.axes);
    let lines = keys.filter_map(|(key, axis)| axis.map(|axis| (key, place(columns.column(axis).into()))));
    lines.map(|(key, axis)| format!("{key} = {axis}\n")).collect()
}

/// A position or a direction in C; round-off is set to zero.
fn place(point: Vec3) -> String {
    format!("[{}]", list(point.map(|value| if value.abs() < 1e-15 { 0.0 } else { value }).into()))
}

/// Numbers with 14 digits; whole ones without a point.
fn list<const N: usize>(values: [f64; N]) -> String {
    let written = values.map(|value| match tidy(value) + 0.0 {
        whole if whole == whole.trunc() && whole.abs() < 1e6 => format!("{whole:.0}"),
        value => format!("{value:?}"),
    });
    written.join(", ")
}
