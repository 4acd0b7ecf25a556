//! Common representation of both formats: bodies, joints and loads, in W, all joints at zero.

use crate::frame::{Pose, of_point};
use crate::mjcf::CablePath;
use crate::solids::{ContactPair, Law, Solid};
use crate::xml::XmlPosition;
use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::{Bushing, Cable, Drive, Force, Input, JointKind as Kind, JointSpring, Output, Quantity};
use std::collections::{BTreeMap, BTreeSet};

/// Penetration of a stop under its load: rad, m.
const STOP_DEPTH: [f64; 2] = [0.01, 0.001];

/// Default steps in s, without and with stiff elements, unless the file has a shorter step.
const MAX_STEPS_S: [f64; 2] = [1e-3, 5e-4];

/// Largest phase per step, in rad, of an oscillation of the carried inertia on a stop or friction.
const MAX_PHASE: f64 = 0.2;
/// Largest phase per step, in rad, on a stop with MuJoCo's law, which the implicit scheme damps.
const MAX_STOP_PHASE: f64 = 1.0;

/// A mechanism in the representation of the model file.
#[derive(Default)]
pub struct Robot {
    /// Name in the file.
    pub name: String,
    /// m/s², W.
    pub gravity: Vec3,
    /// Step in s, if the file gives one.
    pub step: Option<f64>,
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
    pub couplers: Vec<Coupler>,
    pub sums: Vec<CoordinateSum>,
    /// Joints that are fixed at a position: rad, m.
    pub held: Vec<(String, f64)>,
    /// Joints with the inputs that prescribe their positions.
    pub prescribed: Vec<(String, String)>,
    pub stops: Vec<JointStop>,
    pub springs: Vec<JointSpring>,
    pub bushings: Vec<Bushing>,
    pub forces: Vec<Force>,
    /// Joint and friction in N m or N.
    pub frictions: Vec<(String, f64)>,
    /// Joint and armature of a motor, for all speeds of the joint: kg m², kg.
    pub armatures: Vec<(String, f64)>,
    pub drives: Vec<Drive>,
    pub cables: Vec<Cable>,
    pub tendon_stops: Vec<TendonStop>,
    /// Ball joint and the largest angle of its rotation, rad.
    pub ball_stops: Vec<(String, f64)>,
    pub inputs: Vec<Input>,
    pub outputs: Vec<Output>,
    pub shapes: Vec<Shape>,
    pub solids: Vec<Solid>,
    /// Step in s for the design of stops, friction and contacts, if a shorter step turned out to be necessary.
    pub first_step: Option<f64>,
    /// Contact pairs.
    pub touching: Vec<ContactPair>,
    /// Names in use.
    pub names: Names,
}

pub struct Body {
    pub name: String,
    /// kg.
    pub mass: f64,
    /// W, m.
    pub com: Vec3,
    /// About the centre of mass, axes of W, kg m².
    pub inertia: Mat3,
    /// Position of its inertia in the file.
    pub place: XmlPosition,
    /// Whether an impossible inertia is kept.
    pub keeps_inertia: bool,
}

impl Body {
    /// A body without mass.
    pub fn new(name: impl Into<String>, at: Vec3, place: XmlPosition) -> Body {
        Body { name: name.into(), mass: 0.0, com: at, inertia: Mat3::zeros(), place, keeps_inertia: false }
    }
}

/// Whether a joint has one coordinate.
pub fn is_single(kind: Kind) -> bool {
    matches!(kind, Kind::Revolute | Kind::Prismatic)
}

pub struct Joint {
    pub name: String,
    pub kind: Kind,
    pub bodies: [String; 2],
    /// W, m.
    pub point: Vec3,
    /// W, unit length; for kinds with an axis.
    pub axis: Option<Vec3>,
    /// Whether it closes a loop.
    pub is_closure: bool,
    /// Coordinates at the start; empty for the design position.
    pub position: Vec<f64>,
    /// Their rates at the start; empty for rest.
    pub speed: Vec<f64>,
    pub place: XmlPosition,
}

impl Joint {
    /// A joint of the tree without axis that starts at rest in the design position.
    pub fn new(name: impl Into<String>, kind: Kind, bodies: [String; 2], point: Vec3, place: XmlPosition) -> Joint {
        let (name, position, speed) = (name.into(), Vec::new(), Vec::new());
        Joint { name, kind, bodies, point, axis: None, is_closure: false, position, speed, place }
    }
}

pub struct Coupler {
    pub name: String,
    /// second = ratio · first + offset.
    pub joints: [String; 2],
    pub ratio: f64,
    pub offset: f64,
    /// For a nonlinear relation: rows of first and second, for a cubic spline.
    pub table: Vec<[f64; 2]>,
    pub place: XmlPosition,
}

/// The coordinate of a joint is the sum of factors times coordinates of other joints.
pub struct CoordinateSum {
    pub name: String,
    pub joint: String,
    pub terms: Vec<(String, f64)>,
}

pub struct JointStop {
    pub joint: String,
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    /// Largest effort against it, N m or N; 0 if the file does not give it.
    pub effort: f64,
    /// Compliance of a stop of MuJoCo.
    pub law: Option<Law>,
}

/// Ends of the range of a tendon's length.
pub struct TendonStop {
    pub name: String,
    pub path: CablePath,
    /// m.
    pub range: [f64; 2],
}

pub struct Shape {
    pub body: String,
    pub group: String,
    pub pose: Pose,
    pub form: Form,
    /// Red, green, blue, opacity from 0 to 1.
    pub colour: Option<[f64; 4]>,
}

pub enum Form {
    /// Lengths along the axes, m.
    Box([f64; 3]),
    /// m.
    Sphere(f64),
    /// Radius and length along z, m.
    Cylinder([f64; 2]),
    /// Radius and length along z without the half spheres, m.
    Capsule([f64; 2]),
    /// File in the model's folder, metres per unit, whether z is mirrored.
    Mesh { file: String, scale: f64, mirrored: bool },
}

/// Names in use, per kind.
#[derive(Default)]
pub struct Names {
    pub bodies: BTreeSet<String>,
    pub constraints: BTreeSet<String>,
    pub elements: BTreeSet<String>,
    pub variables: BTreeSet<String>,
    pub solids: BTreeSet<String>,
}

/// `wanted`, with a number appended if `taken` already contains it; the result is added to `taken`. Names have up to
/// 200 bytes without control characters.
pub fn unique(taken: &mut BTreeSet<String>, wanted: &str) -> String {
    let mut name: String = wanted.trim().chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    let most = (0..=name.len().min(180)).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0);
    name.truncate(most);
    if name.is_empty() {
        name = "unnamed".into();
    }
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let found = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(name);
    taken.insert(found.clone());
    found
}

/// A name of letters, digits and `_`, as in names of variables.
pub fn identifier(name: &str) -> String {
    let mut text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        text.insert(0, '_');
    }
    text
}

impl Robot {
    pub fn joint(&self, name: &str) -> Option<&Joint> {
        self.joints.iter().find(|joint| joint.name == name)
    }

    /// Place in the file of a coupler of the model, by its number there.
    pub fn coupler_place(&self, number: usize) -> Option<XmlPosition> {
        let of_sum = |number: usize| self.joint(&self.sums.get(number)?.joint).map(|joint| joint.place);
        match self.couplers.get(number) {
            Some(coupler) => Some(coupler.place),
            None => of_sum(number - self.couplers.len()),
        }
    }

    /// A name for a force element.
    pub fn element_name(&mut self, wanted: &str) -> String {
        unique(&mut self.names.elements, wanted)
    }

    /// A name for a variable `owner.what`, or `owner` alone.
    pub fn variable_name(&mut self, owner: &str, what: &str) -> String {
        let dot = if what.is_empty() { "" } else { "." };
        unique(&mut self.names.variables, &format!("{}{dot}{what}", identifier(owner)))
    }

    /// A drive with a separate input on a joint.
    pub fn drive(&mut self, name: &str, joint: &str, gain: f64, input: Input) {
        let name = self.element_name(name);
        self.drives.push(Drive { gain: gain.into(), ..Drive::new(name, joint, input.name.as_str()) });
        self.inputs.push(input);
    }

    /// Outputs: position and speed of every joint with one coordinate, positions of free bodies, and the position of a
    /// given point of every end body.
    pub fn usual_outputs(&mut self, ends: &[(String, Vec3)]) {
        let single = |joint: &&Joint| is_single(joint.kind) && !joint.is_closure;
        let joints: Vec<String> = self.joints.iter().filter(single).map(|joint| joint.name.clone()).collect();
        for joint in joints {
            for (word, quantity) in [("position", Quantity::Position), ("speed", Quantity::Speed)] {
                let name = self.variable_name(&joint, word);
                self.outputs.push(Output { joint: Some(joint.clone()), ..Output::new(name, quantity) });
            }
        }
        for (body, point) in ends {
            let position = (Quantity::Position, Some((*point).into()));
            for (word, (quantity, point)) in [("position", position), ("rotation", (Quantity::Rotation, None))] {
                let name = self.variable_name(body, word);
                self.outputs.push(Output { body: Some(body.clone()), point, ..Output::new(name, quantity) });
            }
        }
    }

    /// Sum of the armatures of a joint: kg m², kg.
    pub fn armature(&self, joint: &str) -> f64 {
        self.armatures.iter().filter(|(name, _)| name == joint).map(|(_, armature)| armature).sum()
    }

    /// The bodies that a joint of the tree carries.
    pub fn carried(&self, joint: &Joint) -> Vec<&Body> {
        let mut names = vec![joint.bodies[1].as_str()];
        let mut at = 0;
        while at < names.len() {
            let of = self.joints.iter().filter(|other| !other.is_closure && other.bodies[0] == names[at]);
            names.extend(of.map(|other| other.bodies[1].as_str()).collect::<Vec<_>>());
            at += 1;
        }
        self.bodies.iter().filter(|body| names.contains(&body.name.as_str())).collect()
    }

    /// The step of the model in s: the step of the file, or the longest step suitable for the loads if that is shorter.
    pub fn model_step(&self) -> f64 {
        let longest = MAX_STEPS_S[usize::from(self.is_stiff())];
        self.step.map_or(longest, |step| step.min(longest))
    }

    /// The step for the design of stops, friction and contacts: the step before it was halved.
    pub fn design_step(&self) -> f64 {
        self.first_step.unwrap_or(self.model_step())
    }

    /// Largest weight on a joint at the zero position for any direction of gravity (N m, N), and the inertia of all
    /// carried bodies (kg m², kg).
    pub fn carried_load(&self, joint: &Joint) -> Option<[f64; 2]> {
        // Seen from a sum, joints with small inertias give way first: 1/J = Σ f²/J of the joints.
        if let Some(sum) = self.sums.iter().find(|sum| sum.joint == joint.name) {
            let loads = sum.terms.iter().filter_map(|(name, factor)| {
                let [weight, inertia] = self.carried_load(self.joint(name)?)?;
                Some([weight / factor.abs(), factor * factor / inertia])
            });
            let [weight, mobility] = loads.fold([0.0; 2], |sum, load| [sum[0] + load[0], sum[1] + load[1]]);
            return Some([weight, 1.0 / mobility]);
        }
        let axis = joint.axis?;
        let (mut weight, mut inertia) = (0.0, 0.0);
        for body in self.carried(joint) {
            let arm = body.com - joint.point;
            if joint.kind == Kind::Revolute {
                let across = arm - axis * axis.dot(&arm);
                weight += body.mass * self.gravity.norm() * across.norm();
                inertia += axis.dot(&((body.inertia + of_point(body.mass, &arm)) * axis));
            } else {
                weight += body.mass * self.gravity.norm();
                inertia += body.mass;
            }
        }
        Some([weight, inertia + self.armature(&joint.name)])
    }

    /// The largest stiffness on a joint that the step resolves, with a margin for coupled bodies.
    fn stiffest(&self, inertia: f64) -> f64 {
        // A stiffness that grows with a shorter step would never become stable.
        inertia * (MAX_PHASE / self.design_step()).powi(2)
    }

    /// Stiffness and damping of a stop, and the penetration of full damping. The stop balances the larger of the drive
    /// effort and the weight of all outboard bodies within a hundredth of a radian or a millimetre, or as MuJoCo's stop
    /// of a joint with one of the `mobilities` if that is stiffer, as far as the step resolves that. Its damping is
    /// half of the critical damping at the zero position.
    pub fn stop_law(&self, stop: &JointStop, mobilities: &BTreeMap<String, f64>) -> Option<[f64; 3]> {
        let joint = self.joint(&stop.joint)?;
        let [weight, inertia] = self.carried_load(joint)?;
        let depth = STOP_DEPTH[usize::from(joint.kind == Kind::Prismatic)];
        let load = f64::max(weight, stop.effort);
        // At least the stiffness for an oscillation of 10 Hz, if the file does not give the effort on a stop.
        let wanted = (load / depth).max(4e3 * inertia);
        let mut stiffness = if inertia > 0.0 { wanted.min(self.stiffest(inertia)) } else { 1.0 };
        // In a loop a light link carries the loads of the others: its own inertia does not limit the stiffness.
        if let Some((law, mobility)) = stop.law.as_ref().zip(mobilities.get(&stop.joint)) {
            let resolved = inertia * (MAX_STOP_PHASE / self.design_step()).powi(2);
            stiffness = stiffness.max(law.stiffness(load.max(1.0 / mobility), *mobility).min(resolved));
        }
        Some([stiffness, (stiffness * inertia).sqrt(), depth])
    }

    /// Stiffness and damping of a stop of a ball joint, as [`Robot::stop_law`] about any axis.
    pub fn ball_stop_law(&self, joint: &Joint) -> [f64; 2] {
        let (mut weight, mut inertia) = (0.0, 0.0);
        for body in self.carried(joint) {
            let arm = (body.com - joint.point).norm();
            weight += body.mass * self.gravity.norm() * arm;
            inertia += body.inertia.trace() / 3.0 + body.mass * arm * arm;
        }
        let stiffness = (weight / STOP_DEPTH[0]).max(4e3 * inertia).min(self.stiffest(inertia));
        [stiffness, (stiffness * inertia).sqrt()]
    }

    /// Stiffness and damping of a stop of a tendon: the weight of the robot stretches it by a millimetre, as far as the
    /// step resolves that with the lightest body that it pulls.
    pub fn tendon_stop_law(&self, path: &CablePath) -> [f64; 2] {
        let mass = |name: &String| {
            let joint = self.joints.iter().find(|joint| !joint.is_closure && joint.bodies[1] == *name)?;
            Some(self.carried(joint).iter().map(|body| body.mass).sum::<f64>()).filter(|mass| *mass > 0.0)
        };
        let lightest = path.bodies.iter().filter_map(mass).fold(f64::INFINITY, f64::min);
        let total: f64 = self.bodies.iter().map(|body| body.mass).sum();
        let lightest = if lightest.is_finite() { lightest } else { total };
        let wanted = (total * self.gravity.norm() / STOP_DEPTH[1]).max(4e3 * lightest);
        let stiffness = wanted.min(self.stiffest(lightest));
        [stiffness, (stiffness * lightest).sqrt()]
    }

    /// Travel within which a friction yields: a thousandth of a radian or a tenth of a millimetre, or more if the step
    /// requires it.
    pub fn presliding(&self, joint: &str, friction: f64) -> Option<f64> {
        let joint = self.joint(joint)?;
        let [_, inertia] = self.carried_load(joint)?;
        let usual = if joint.kind == Kind::Revolute { 1e-3 } else { 1e-4 };
        Some(if inertia > 0.0 { f64::max(usual, friction / self.stiffest(inertia)) } else { usual })
    }

    /// Whether there are loads that require short steps of an explicit integrator.
    pub fn is_stiff(&self) -> bool {
        let acts =
            [self.stops.len(), self.frictions.len(), self.springs.len(), self.bushings.len(), self.touching.len()];
        let limits = [self.cables.len(), self.tendon_stops.len(), self.ball_stops.len()];
        acts != [0; 5] || limits != [0; 3] || self.drives.iter().any(Drive::has_feedback)
    }
}
