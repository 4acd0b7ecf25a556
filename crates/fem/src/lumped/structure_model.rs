//! A lumped structure as a model file for the rigid solver.

use super::beam_structure::{LumpedJoint, LumpedKind, LumpedStructure, Support};
use super::model::{input, position, settings, tidy};
use crate::model::{DIRECTIONS, Dimension};
use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::{
    Body, Bushing, Force, Joint, JointKind, JointSpring, Model, Number, Output, Place, Plot, PointInPlane, PointOnLine,
    Spring, Torque, numbers,
};

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
/// Number of ports whose positions are plotted.
const MAX_PLOTS: usize = 4;

impl LumpedStructure {
    /// The text of a `model.toml`: bodies, joints, springs, inputs for the loads at interfaces and loaded nodes, their
    /// positions as outputs. W is the frame C of the structure.
    ///
    /// The step is at most half of the stability limit of `rk4`, as for a single chain.
    pub fn model(&self, options: &StructureModelOptions) -> String {
        let elements = match self.elements {
            1 => "one element".to_string(),
            n => format!("{n} elements"),
        };
        let head = format!(
            "The structure {:?} as rigid bodies (Ghidella et al.): {elements} per beam, with a {} in the middle of \
             each.\n\
             Written by `ballesta lump`. First frequency of small motions: {:.6} Hz.\n",
            self.name,
            match self.joint {
                super::ElementJoint::Bushing => "bushing".to_string(),
                other => format!("{} joint", other.word()),
            },
            options.first_hz,
        );
        let description = "Structure of beams as rigid bodies with lumped joints";
        let frequencies = [options.first_hz, options.highest_hz];
        let gravity = options.gravity.map(tidy);
        let (mut model, beta) = settings(&options.name, description, gravity, frequencies, options.damping_ratio);
        self.add_bodies(&mut model);
        let closing = self.closing();
        self.joints.iter().zip(closing).for_each(|(joint, closes)| self.add_joint(joint, closes, beta, &mut model));
        for spring in &self.springs {
            let stiffness = tidy(spring.stiffness);
            model.springs.push(Spring {
                stiffness: stiffness.into(),
                damping: tidy(beta * spring.stiffness).into(),
                ..Spring::new(&spring.name, self.names(spring.bodies), spring.points.map(place))
            });
        }
        self.add_ports(options, &mut model);
        model.outputs.extend(Output::diagnostics());
        ballesta::model::write(&model, &head, &[])
    }

    fn names(&self, bodies: [usize; 2]) -> [String; 2] {
        bodies.map(|body| if self.is_ground(body) { GROUND.into() } else { self.bodies[body].name.clone() })
    }

    /// Bodies with their supports, and a joint to the ground for groups that no joint connects to it.
    fn add_bodies(&self, model: &mut Model) {
        let floats = self.roots();
        for (i, body) in self.bodies.iter().enumerate().filter(|(i, _)| !self.is_ground(*i)) {
            let (centre, inertia) = body.centre();
            let entries = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].map(|entry| inertia[entry]);
            let is_zero = |entry: f64| entry.abs() < 1e-14 * inertia.amax();
            model.bodies.push(Body {
                mass: tidy(body.mass).into(),
                com: Some(place(centre)),
                inertia: Some(numbers(entries.map(|entry| if is_zero(entry) { 0.0 } else { tidy(entry) }))),
                ..Body::new(&body.name)
            });
            let (name, point) = (format!("{}_support", body.name), place(body.origin));
            let bodies = [GROUND.to_string(), body.name.clone()];
            match Support::new(body, self.dimension) {
                Some(Support::Joint(kind)) => {
                    model.joints.push(joint(name, bodies.clone(), body.origin, &kind, &Mat3::identity()));
                }
                Some(Support::Plane(k)) => {
                    let normal = numbers(Vec3::ith(k, 1.0));
                    model.points_in_plane.push(PointInPlane::new(name, bodies.clone(), point.clone(), normal));
                }
                Some(Support::Line(k)) => {
                    let axis = numbers(Vec3::ith(k, 1.0));
                    model.points_on_line.push(PointOnLine::new(name, bodies.clone(), point.clone(), axis));
                }
                Some(Support::Ground | Support::Free) | None => {}
            }
            if floats[i] {
                let name = format!("{}_free", body.name);
                model.joints.push(match self.dimension {
                    Dimension::Plane => Joint {
                        point: Some(point),
                        axis: Some(numbers(Vec3::z())),
                        ..Joint::new(name, JointKind::Planar, bodies)
                    },
                    Dimension::Space => Joint::new(name, JointKind::Floating, bodies),
                });
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
    fn add_joint(&self, lumped: &LumpedJoint, closes: bool, beta: f64, model: &mut Model) {
        let bodies = self.names(lumped.bodies);
        let stiffness = lumped.stiffness.map(|stiffness| stiffness.unwrap_or(0.0));
        let kind = lumped.kind(self.dimension).filter(|_| !lumped.is_free(self.dimension));
        if let Some(kind) = &kind {
            model.joints.push(joint(lumped.name.clone(), bodies.clone(), lumped.point, kind, &lumped.axes));
        }
        let within = lumped.within(self.dimension);
        let six: [f64; 6] = std::array::from_fn(|k| if within[k] { stiffness[k] } else { 0.0 });
        let coordinates = kind.filter(|_| !closes).map_or(Vec::new(), |kind| {
            let springs = (0..6).filter(|k| six[*k] != 0.0);
            springs.filter_map(|k| Some((kind.coordinate(k)?, six[k]))).collect::<Vec<_>>()
        });
        for (coordinate, stiffness) in &coordinates {
            model.joint_springs.push(JointSpring {
                coordinate: Some(coordinate.to_string()),
                stiffness: tidy(*stiffness).into(),
                damping: tidy(beta * stiffness).into(),
                ..JointSpring::new(format!("{}_{coordinate}", lumped.name), &lumped.name)
            });
        }
        if six == [0.0; 6] || !coordinates.is_empty() {
            return;
        }
        let name = format!("{}_bushing", lumped.name);
        model.bushings.push(Bushing {
            axis: Some(direction(&lumped.axes, 0)),
            second_axis: Some(direction(&lumped.axes, 1)),
            damping: (beta > 0.0).then(|| numbers(six.map(|k| tidy(beta * k)))),
            ..Bushing::new(name, bodies, place(lumped.point), numbers(six.map(tidy)))
        });
    }

    /// Inputs and loads at loaded points, positions as outputs.
    fn add_ports(&self, options: &StructureModelOptions, model: &mut Model) {
        for port in self.ports.iter().filter(|port| !self.is_ground(port.body)) {
            let body = &self.bodies[port.body];
            let mut start = [0.0; 6];
            for load in self.loads.iter().filter(|load| Some(&load.name) == options.load.as_ref()) {
                let vectors = [load.force, load.moment].map(Option::unwrap_or_default).concat();
                if load.node == port.node {
                    start.iter_mut().zip(vectors).for_each(|(sum, value)| *sum += value);
                }
            }
            let mut values = [numbers([0.0; 3]), numbers([0.0; 3])];
            for k in self.dimension.directions().iter().copied().filter(|k| port.loaded && !body.held[*k]) {
                let (letter, unit, kind) = if k < 3 { ("F", "N", "Force along") } else { ("T", "N.m", "Moment about") };
                let axis = &DIRECTIONS[k % 3];
                let name = format!("{}.{letter}{axis}", port.name);
                values[k / 3][k % 3] = name.as_str().into();
                model.inputs.push(input(&name, unit, start[k], format!("{kind} {axis} at {}", port.name)));
            }
            let [force, torque] = values;
            if force != numbers([0.0; 3]) {
                let name = format!("{}_force", port.name);
                model.forces.push(Force::new(name, &body.name, place(port.place), force));
            }
            if torque != numbers([0.0; 3]) {
                model.torques.push(Torque::new(format!("{}_moment", port.name), &body.name, torque));
            }
            model.outputs.push(position(&port.name, &body.name, place(port.place)));
            if model.plots.len() < MAX_PLOTS {
                let translations = self.dimension.directions().iter().filter(|k| **k < 3);
                let outputs: Vec<String> = translations.map(|k| format!("{}.{}", port.name, DIRECTIONS[*k])).collect();
                model.plots.push(Plot { title: Some(format!("Position of {}", port.name)), ..Plot::new(outputs) });
            }
        }
    }
}

/// A joint whose axes are the columns.
fn joint(name: String, bodies: [String; 2], point: Vec3, kind: &LumpedKind, columns: &Mat3) -> Joint {
    let [axis, second_axis] = kind.axes.map(|axis| axis.map(|axis| direction(columns, axis)));
    Joint { point: Some(place(point)), axis, second_axis, ..Joint::new(name, kind.kind, bodies) }
}

fn direction(columns: &Mat3, axis: usize) -> [Number; 3] {
    numbers(columns.column(axis).map(clean))
}

/// A position in C.
fn place(point: Vec3) -> Place {
    point.map(clean).into()
}

/// A number with 14 digits; round-off is set to zero.
fn clean(value: f64) -> f64 {
    if value.abs() < 1e-15 { 0.0 } else { tidy(value) }
}
