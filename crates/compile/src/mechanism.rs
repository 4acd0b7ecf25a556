//! The mechanism of a validated document: its tables in the vocabulary of the solver.

use super::laws::law;
use ballesta_model::elements;
use ballesta_model::flexible_names::BodyRef;
use ballesta_model::runners;
use ballesta_model::schema::{self, General, Model, Number, PerCoordinate, Vector};
use ballesta_model::{Diagnostics, Document};
use ballesta_solver::joint::Function;
use ballesta_solver::joint::coordinates::Measure;
use ballesta_solver::math::curve::Outline;
use ballesta_solver::math::{Mat3, Vec3};
use ballesta_solver::mechanism::{
    Connection, ConnectionKind, Defect, Driven, FlexibleBody, InvalidMechanism, Joint, JointCoordinate, JointRef,
    Mechanism, RigidBody,
};
use ballesta_solver::system::{AugmentedLagrangian, Constraint, Guide, InputInfo, ParameterInfo, Spline};
use ballesta_solver::topology::Request;
use std::f64::consts::TAU;

/// Translates a document with the values of its parameters. All names were validated.
pub(super) fn mechanism(document: &Document, parameters: &[f64], flexible: Vec<FlexibleBody>) -> Mechanism {
    let model = &document.model;
    let tables = Tables { document, model, parameters };
    let used = joints_with_coordinates(model);
    let defaults = Mechanism::default();
    Mechanism {
        name: model.general.name.clone(),
        bodies: model.bodies.iter().map(|body| tables.body(body)).collect(),
        flexible,
        joints: model.joints.iter().map(|joint| tables.joint(joint, &used)).collect(),
        connections: tables.connections(),
        driven: model.guided.iter().map(|item| tables.driven(item)).collect(),
        inputs: model.inputs.iter().map(input).collect(),
        parameters: model.parameters.iter().map(parameter).collect(),
        gravity: tables.vector(&model.general.gravity),
        step: model.general.step,
        integrator: model.general.integrator,
        step_halvings: model.general.step_halvings.unwrap_or(defaults.step_halvings),
        spectral_radius: model.general.spectral_radius.unwrap_or(defaults.spectral_radius),
        implicit: model.general.implicit.unwrap_or_default(),
        augmented: augmented_lagrangian(&model.general),
        start_time: model.experiment.start,
    }
}

/// Defects of a mechanism at their places in the file.
pub(super) fn diagnostics(document: &Document, invalid: &InvalidMechanism) -> Diagnostics {
    let model = &document.model;
    // Each defect is reported at its joint or body, with the change that corrects it.
    let joint = |index: &JointRef| (format!("joint[{}]", index.0), &model.joints[index.0]);
    let at = |defect: &Defect| match defect {
        Defect::MustBeCut(index) => {
            let (key, joint) = joint(index);
            let name = &joint.name;
            if joint.kind.is_rolling() {
                return document.source.at(
                    key,
                    format!("joint `{name}` rolls, and no other joint of its loop can be cut"),
                    "remove `position`, `speed` or `independent` from another joint of the loop",
                );
            }
            if joint.kind.row().curve {
                return document.source.at(
                    key,
                    format!("joint `{name}` runs along a curve, and no other joint of its loop can be cut"),
                    "insert a massless body: connect it by an `along_curve` joint on one side and a `spherical` or \
                     `revolute` joint on the other",
                );
            }
            document.source.at(
                key,
                format!(
                    "joint `{name}` must be cut to open its loop, but its coordinate is used or it has `cut = false`"
                ),
                "leave one joint of the loop free to be cut (no `cut = false`, no `armature`, no coordinate used by \
                 springs, drives or outputs)",
            )
        }
        Defect::NotConnected(body) => {
            let (key, name) = match *body {
                BodyRef::Rigid(index) => (format!("body[{index}]"), model.bodies[index].name.as_str()),
                BodyRef::Frame(index) | BodyRef::Interface(index, _) => {
                    (format!("flexible_body[{index}]"), model.flexible_bodies[index].name.as_str())
                }
                BodyRef::Ground => ("model".into(), "ground"),
            };
            let help = "connect it by a joint (type \"floating\" if it moves freely)";
            document.source.at(key, format!("body `{name}` is not connected to the ground"), help)
        }
        Defect::OutboardFirst(index) => {
            let (key, joint) = joint(index);
            let message = format!("floating joint `{}` names its outboard body first", joint.name);
            document.source.at(format!("{key}.bodies"), message, "write the body nearer to the ground first")
        }
        Defect::Invalid(text) => document.source.at("model", text.clone(), "correct the mechanism"),
    };
    Diagnostics(invalid.defects.iter().map(at).collect())
}

/// Key of a constraint in the file.
pub(super) fn constraint_key(model: &Model, constraint: &Constraint) -> String {
    let mut index = match (constraint.joint, constraint.source) {
        (Some(joint), _) => return format!("joint[{joint}]"),
        (None, source) => source.unwrap_or_default(),
    };
    // The order of `Tables::connections`.
    let lists = [
        ("rod", model.rods.len()),
        ("point_on_line", model.points_on_line.len()),
        ("point_in_plane", model.points_in_plane.len()),
        ("curve_on_curve", model.curves_on_curves.len()),
        ("coupler", model.couplers.len()),
        ("rack_and_pinion", model.racks.len()),
    ];
    for (table, length) in lists {
        if index < length {
            return format!("{table}[{index}]");
        }
        index -= length;
    }
    "model".into()
}

/// Names of joints whose coordinates elements and outputs use: they must remain in the tree.
fn joints_with_coordinates(model: &Model) -> Vec<&str> {
    let of_elements = elements::TABLES.iter().flat_map(|table| (table.coordinates)(model));
    let mut used: Vec<&str> = of_elements.flat_map(|(_, on)| on).map(|(joint, _)| joint).collect();
    let reaction = |q| matches!(q, schema::Quantity::ReactionForce | schema::Quantity::ReactionMoment);
    used.extend(model.outputs.iter().filter(|o| !reaction(o.quantity)).filter_map(|o| o.joint.as_deref()));
    used
}

/// Number of a joint of the file.
pub(super) fn joint(model: &Model, name: &str) -> JointRef {
    JointRef(model.joints.iter().position(|joint| joint.name == name).expect("validated"))
}

/// A joint coordinate; `None` as the name means the only coordinate.
pub(super) fn coordinate(model: &Model, name: &str, coordinate: Option<&str>) -> JointCoordinate {
    let joint = joint(model, name);
    let kind = model.joints[joint.0].kind;
    let found = kind.coordinate(coordinate).expect("validated");
    joint.coordinate(kind.coordinates().iter().position(|other| other == found).expect("of this kind"))
}

fn input(input: &schema::Input) -> InputInfo {
    InputInfo {
        name: input.name.clone(),
        unit: input.unit.clone().unwrap_or_default(),
        start: input.start,
        min: input.min,
        max: input.max,
        description: input.description.clone(),
    }
}

fn parameter(parameter: &schema::Parameter) -> ParameterInfo {
    ParameterInfo {
        name: parameter.name.clone(),
        unit: parameter.unit.clone().unwrap_or_default(),
        start: parameter.value,
        tunable: parameter.tunable,
        min: parameter.min,
        max: parameter.max,
        description: parameter.description.clone(),
    }
}

/// The settings of the augmented Lagrangian in the file.
fn augmented_lagrangian(general: &General) -> AugmentedLagrangian {
    let usual = AugmentedLagrangian::default();
    AugmentedLagrangian {
        penalty: general.penalty.unwrap_or(usual.penalty),
        tolerance: general.tolerance.unwrap_or(usual.tolerance),
        max_iterations: general.max_iterations.map_or(usual.max_iterations, |count| count as usize),
    }
}

/// The tables of a model with the values of its parameters.
struct Tables<'a> {
    document: &'a Document,
    model: &'a Model,
    parameters: &'a [f64],
}

impl Tables<'_> {
    fn number(&self, number: &Number) -> f64 {
        self.model.resolve(number, self.parameters)
    }

    fn vector(&self, vector: &Vector) -> Vec3 {
        self.model.resolve_vector(vector, self.parameters)
    }

    fn place(&self, place: &schema::Place) -> Vec3 {
        self.model.resolve_place(place, self.parameters)
    }

    fn bodies(&self, names: &[String; 2]) -> [BodyRef; 2] {
        names.each_ref().map(|name| self.document.body_ref(name).expect("validated"))
    }

    fn outline(&self, name: Option<&String>) -> Option<Outline> {
        let item = self.model.curves.iter().find(|curve| Some(&curve.name) == name)?;
        self.model.curve_outline(item, self.parameters)
    }

    fn coordinate(&self, on: &schema::CoordinateRef) -> JointCoordinate {
        coordinate(self.model, &on.joint, on.coordinate.as_deref())
    }

    fn body(&self, body: &schema::Body) -> RigidBody {
        let inertia = body.inertia.as_ref().map_or(Mat3::zeros(), |values| {
            let [xx, yy, zz, xy, yz, xz] = values.each_ref().map(|value| self.number(value));
            Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
        });
        let centre = self.model.centre_of_mass(body).map(|place| self.place(place));
        RigidBody { name: body.name.clone(), mass: self.number(&body.mass), centre, inertia }
    }

    fn joint(&self, joint: &schema::Joint, used: &[&str]) -> Joint {
        let bodies = self.bodies(&joint.bodies);
        // By default the solver uses the centre of mass.
        let has_point = joint.point.is_some() || bodies.iter().any(|body| matches!(body, BodyRef::Interface(..)));
        let point = has_point.then(|| self.document.joint_design(joint, self.parameters)).flatten();
        Joint {
            name: joint.name.clone(),
            kind: joint.kind,
            bodies,
            point,
            axis: joint.axis.as_ref().map(|axis| self.vector(axis)),
            second_axis: joint.second_axis.as_ref().map(|axis| self.vector(axis)),
            second_shaft: joint.second_shaft.as_ref().map(|shaft| self.vector(shaft)),
            radius: joint.radius.as_ref().map(|radius| self.number(radius)),
            curve: self.outline(joint.curve.as_ref()),
            up: joint.up.as_ref().map(|up| self.vector(up)),
            request: match joint.cut {
                _ if used.contains(&joint.name.as_str()) => Request::Tree,
                Some(true) => Request::Cut,
                Some(false) => Request::Tree,
                None => Request::Free,
            },
            independent: joint.independent,
            position: self.positions(joint),
            speed: joint.speed.as_ref().map_or(Vec::new(), |values| self.list(values)),
            armature: joint.armature.as_ref().map_or(Vec::new(), |values| self.list(values)),
        }
    }

    fn list(&self, values: &PerCoordinate) -> Vec<f64> {
        values.as_slice().iter().map(|number| self.number(number)).collect()
    }

    /// Requested positions, rad or m.
    fn positions(&self, joint: &schema::Joint) -> Vec<f64> {
        let degrees = |(index, value): (usize, f64)| {
            let coordinate = joint.kind.coordinates().iter().find(|coordinate| coordinate.position == index);
            let angle = coordinate.is_some_and(|coordinate| coordinate.measure == Measure::Angle);
            if angle { value.to_radians() } else { value }
        };
        match (&joint.position, &joint.position_deg) {
            (Some(values), _) => self.list(values),
            (None, Some(values)) => self.list(values).into_iter().enumerate().map(degrees).collect(),
            (None, None) => Vec::new(),
        }
    }

    fn driven(&self, item: &schema::Guided) -> Driven {
        let coordinate = coordinate(self.model, &item.joint, item.coordinate.as_deref());
        Driven { name: item.name.clone(), coordinate, guide: self.guide(item) }
    }

    fn guide(&self, item: &schema::Guided) -> Guide {
        let input = |name: &str| self.model.inputs.iter().position(|input| input.name == name).expect("validated");
        let gain = item.gain.as_ref().map_or(1.0, |number| self.number(number));
        if let Some(motion) = &item.motion {
            Guide::Motion {
                offset: self.number(&motion.offset),
                speed: self.number(&motion.speed),
                amplitude: self.number(&motion.amplitude),
                omega: TAU * self.number(&motion.frequency),
                phase: self.number(&motion.phase),
            }
        } else if let Some(spin_up) = &item.spin_up {
            Guide::SpinUp { speed: self.number(&spin_up.speed), time: self.number(&spin_up.time) }
        } else if let Some(table) = &item.table {
            Guide::Table(Spline::new(table.clone()))
        } else if let Some(inputs) = &item.inputs {
            Guide::Inputs { index: [input(&inputs[0]), input(&inputs[1]), input(&inputs[2])], gain }
        } else {
            let omega = TAU * self.number(item.filter_frequency.as_ref().expect("validated"));
            // The solver sets the position of its states.
            Guide::Filtered { input: input(item.input.as_deref().expect("validated")), gain, omega, state: 0 }
        }
    }

    /// Rods, points on lines and in planes, curves on curves, couplers, racks.
    fn connections(&self) -> Vec<Connection> {
        let model = self.model;
        let mut all = Vec::new();
        let mut add = |name: &String, kind| all.push(Connection { name: name.clone(), kind });
        // Rods and points on lines, planes and curves.
        for rod in &model.rods {
            let (bodies, points) = (self.bodies(&rod.bodies), rod.points.each_ref().map(|point| self.place(point)));
            add(&rod.name, ConnectionKind::Rod { bodies, points, mass: self.number(&rod.mass) });
        }
        for item in &model.points_on_line {
            let (bodies, point, axis) = (self.bodies(&item.bodies), self.place(&item.point), self.vector(&item.axis));
            add(&item.name, ConnectionKind::PointOnLine { bodies, point, axis });
        }
        for item in &model.points_in_plane {
            let (bodies, point) = (self.bodies(&item.bodies), self.place(&item.point));
            let (normal, curve) = (self.vector(&item.normal), self.outline(item.curve.as_ref()));
            add(&item.name, ConnectionKind::PointInPlane { bodies, point, normal, curve });
        }
        // Curves on curves are constraints between two joints of an auxiliary body.
        for item in &model.curves_on_curves {
            let joints = runners::names(item).each_ref().map(|name| joint(model, name));
            add(&item.name, ConnectionKind::Curves { joints, rolling: item.rolling });
        }
        // Couplers, and racks as couplers: travel of the rack = radius × angle of the pinion.
        for item in &model.couplers {
            add(&item.name, self.coupler(item));
        }
        for item in &model.racks {
            let pinion = (self.coordinate(&item.pinion), -self.number(&item.radius));
            let terms = vec![pinion, (self.coordinate(&item.rack), 1.0)];
            add(&item.name, ConnectionKind::Coupler { terms, offset: 0.0, laws: Vec::new(), balanced: false });
        }
        all
    }

    fn coupler(&self, item: &schema::Coupler) -> ConnectionKind {
        let ratios: Vec<f64> = match &item.ratio {
            Some(ratio) => vec![-self.number(ratio), 1.0],
            None => item.coordinates.iter().flat_map(|on| on.ratio.as_ref()).map(|r| self.number(r)).collect(),
        };
        let sense = |k: usize| item.coordinates[k].ratio.as_ref().map_or(1.0, |ratio| self.number(ratio));
        let law = law(item, |number| self.number(number));
        let law = law.map(|law| if sense(0) < 0.0 { Function::Backwards } else { Function::Law }(law));
        let laws: Vec<Function> = law.into_iter().collect();
        let ratios = if laws.is_empty() { ratios } else { vec![-1.0, sense(1)] };
        // With a ratio per coordinate the largest part of the equation counts as m, whatever the units of the ratios.
        let balanced = laws.is_empty() && item.ratio.is_none();
        let on = item.coordinates.iter().map(|on| coordinate(self.model, &on.joint, on.coordinate.as_deref()));
        ConnectionKind::Coupler { terms: on.zip(ratios).collect(), offset: self.number(&item.offset), laws, balanced }
    }
}
