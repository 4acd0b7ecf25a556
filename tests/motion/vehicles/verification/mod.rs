//! Verification of van and truck: a vehicle that can be watched body by body, and balances of all forces on it.

use crate::models;
use ballesta::math::{Mat3, Vec3};
use ballesta::model::Document;
use ballesta::model::schema::{Model, Number, Place};
use ballesta::simulate::Simulator;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod circle;
mod energy;
mod mirror;
mod rollover;
mod standstill;
mod statics;

const GRAVITY: f64 = 9.81;
/// Without cargo: stacks of 0 kg, air springs let down to what is left.
const UNLOADED: &[(&str, f64)] =
    &[("cargo.stack_mass", 0.0), ("drive_axle.spring_load", 25700.0), ("trailer.spring_load", 7900.0)];

fn folder(vehicle: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(vehicle)
}

/// The text of a vehicle's model file.
fn text(vehicle: &str, file: &str) -> String {
    std::fs::read_to_string(folder(vehicle).join(file)).expect("the model")
}

/// A model whose files are those of a vehicle; it starts trimmed.
fn document(vehicle: &str, text: &str) -> Document {
    let place = folder(vehicle).join("model.toml");
    let mut document = models::parse(text, &place.display().to_string());
    document.model.experiment.trim = true;
    document
}

fn number(model: &Model, number: &Number) -> f64 {
    match number {
        Number::Value(value) => *value,
        Number::Parameter(name) => model.parameters.iter().find(|p| p.name == *name).expect("a parameter").value,
    }
}

fn place(model: &Model, place: &Place) -> Vec3 {
    let numbers = match place {
        Place::At(place) => place,
        Place::Point(name) => &model.points[name],
    };
    Vec3::from(numbers.each_ref().map(|n| number(model, n)))
}

/// A mass that moves: a rigid body, or a rod between two points.
struct Mass {
    name: String,
    mass: f64,
    /// About the centre of mass, axes of the body; zero for a rod.
    inertia: Mat3,
    rod: bool,
}

/// Everything of the model that has a mass.
fn masses(model: &Model) -> Vec<Mass> {
    let bodies = model.bodies.iter().map(|body| {
        let j = body.inertia.as_ref().map_or([0.0; 6], |j| j.each_ref().map(|n| number(model, n)));
        let inertia = Mat3::new(j[0], j[3], j[5], j[3], j[1], j[4], j[5], j[4], j[2]);
        Mass { name: body.name.clone(), mass: number(model, &body.mass), inertia, rod: false }
    });
    let rods = model.rods.iter().map(|rod| Mass {
        name: rod.name.clone(),
        mass: number(model, &rod.mass),
        inertia: Mat3::zeros(),
        rod: true,
    });
    bodies.chain(rods).filter(|mass| mass.mass > 0.0).collect()
}

/// Outputs that show how every mass moves and where drags act, as text for the model file.
fn watching(model: &Model) -> String {
    let mut text = String::new();
    let mut add = |name: &str, body: &str, point: Option<Vec3>, quantity: &str| {
        let point = point.map_or(String::new(), |p| format!("point = [{:?}, {:?}, {:?}]\n", p.x, p.y, p.z));
        text +=
            &format!("[[output]]\nname = \"{name}.{quantity}\"\nbody = \"{body}\"\n{point}quantity = \"{quantity}\"\n");
    };
    for body in model.bodies.iter().filter(|body| number(model, &body.mass) > 0.0) {
        let name = format!("watch.{}", body.name);
        for quantity in ["position", "acceleration", "rotation", "angular_velocity", "angular_acceleration"] {
            add(&name, &body.name, None, quantity);
        }
    }
    for rod in &model.rods {
        for end in 0..2 {
            let name = format!("watch.{}.end{end}", rod.name);
            for quantity in ["position", "acceleration"] {
                add(&name, &rod.bodies[end], Some(place(model, &rod.points[end])), quantity);
            }
        }
    }
    for drag in &model.drags {
        add(&format!("watch.{}", drag.name), &drag.body, Some(place(model, &drag.point)), "position");
    }
    for tyre in &model.tyres {
        let name = &tyre.name;
        for (output, quantity) in [("", "position"), (".moment", "torque")] {
            text +=
                &format!("[[output]]\nname = \"watch.{name}{output}\"\ntyre = \"{name}\"\nquantity = \"{quantity}\"\n");
        }
    }
    for drag in &model.drags {
        let name = &drag.name;
        text += &format!(
            "[[output]]\nname = \"watch.{name}.force\"\naerodynamic_drag = \"{name}\"\nquantity = \"force\"\n"
        );
    }
    text
}

/// A vehicle that is driven.
struct Vehicle {
    model: Model,
    simulator: Simulator,
    outputs: HashMap<String, usize>,
    values: Vec<f64>,
}

impl Vehicle {
    /// Trimmed at `speed` m/s, with steps of `step` s.
    fn new(document: &Document, speed: f64, step: f64, set: &[(&str, f64)]) -> Vehicle {
        let mut document = document.clone();
        document.model.general.step = step;
        let set: Vec<(&str, f64)> = set.iter().copied().chain([("speed", speed)]).collect();
        for parameter in &mut document.model.parameters {
            parameter.value = set.iter().find(|(n, _)| *n == parameter.name).map_or(parameter.value, |(_, v)| *v);
        }
        let simulator = Simulator::new(Arc::new(models::compiled(&document)));
        let names = simulator.system().interface().outputs.iter().enumerate();
        let outputs: HashMap<String, usize> = names.map(|(index, output)| (output.name.clone(), index)).collect();
        let values = vec![0.0; outputs.len()];
        let mut vehicle = Vehicle { model: document.model, simulator, outputs, values };
        vehicle.set("target_speed", speed);
        vehicle.simulator.initialize(0.0).unwrap_or_else(|fault| panic!("{fault:?}"));
        vehicle.read();
        vehicle
    }

    fn set(&mut self, input: &str, value: f64) {
        let index = self.input(input);
        self.simulator.set_input(index, value);
    }

    /// An input goes to `value` linearly by the time `end`; the others stay.
    fn ramp(&mut self, input: &str, value: f64, end: f64) {
        let index = self.input(input);
        let slope = (value - self.simulator.input(index)) / (end - self.simulator.time());
        self.simulator.set_input_derivative(index, slope);
        self.advance(end);
        self.simulator.set_input(index, value);
    }

    fn input(&self, name: &str) -> usize {
        let inputs = &self.simulator.system().interface().inputs;
        inputs.iter().position(|input| input.name == name).unwrap_or_else(|| panic!("no input {name}"))
    }

    fn read(&mut self) {
        self.simulator.outputs(&mut self.values).expect("outputs");
    }

    fn get(&self, name: &str) -> f64 {
        self.values[*self.outputs.get(name).unwrap_or_else(|| panic!("no output {name}"))]
    }

    fn vector(&self, name: &str) -> Vec3 {
        Vec3::from(["x", "y", "z"].map(|axis| self.get(&format!("{name}.{axis}"))))
    }

    fn rotation(&self, name: &str) -> Mat3 {
        let [w, x, y, z] = ["w", "x", "y", "z"].map(|c| self.get(&format!("{name}.{c}")));
        Mat3::new(
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - w * x),
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        )
    }

    fn advance(&mut self, end: f64) {
        self.simulator.advance(end).unwrap_or_else(|fault| panic!("at {end}: {fault:?}"));
        self.read();
        assert!(self.get("gap") <= 1e-9, "gap {} at {end}", self.get("gap"));
    }

    /// Positions of a mass: centre of mass of a body, both ends of a rod.
    fn positions(&self, mass: &Mass) -> Vec<Vec3> {
        if mass.rod {
            (0..2).map(|end| self.vector(&format!("watch.{}.end{end}.position", mass.name))).collect()
        } else {
            vec![self.vector(&format!("watch.{}.position", mass.name))]
        }
    }

    /// Mass in kg and centre of mass in m of the masses that `which` takes.
    fn centre(&self, which: impl Fn(&str) -> bool) -> (f64, Vec3) {
        let (mut sum, mut moment) = (0.0, Vec3::zeros());
        for mass in masses(&self.model).iter().filter(|mass| which(&mass.name)) {
            let places = self.positions(mass);
            sum += mass.mass;
            moment += places.iter().sum::<Vec3>() * (mass.mass / places.len() as f64);
        }
        (sum, moment / sum)
    }

    /// Force and moment about `point`, world axes, of weight, inertia, tyres on a plane road and air on what `which`
    /// takes: by d'Alembert they are zero of a whole vehicle.
    fn balance(&self, which: impl Fn(&str) -> bool, point: &Vec3) -> (Vec3, Vec3) {
        let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
        let mut add = |at: &Vec3, f: &Vec3, torque: Vec3| {
            force += f;
            moment += (at - point).cross(f) + torque;
        };
        let gravity = Vec3::new(0.0, 0.0, -GRAVITY);
        for mass in masses(&self.model).iter().filter(|mass| which(&mass.name)) {
            let r = self.positions(mass);
            if mass.rod {
                // Uniform along a line: accelerations are linear between those of the ends.
                let a = [0, 1].map(|end| gravity - self.vector(&format!("watch.{}.end{end}.acceleration", mass.name)));
                for (k, other) in [(0, 1), (1, 0)] {
                    add(&r[k], &(a[k] * (mass.mass / 3.0) + a[other] * (mass.mass / 6.0)), Vec3::zeros());
                }
            } else {
                let get = |quantity: &str| self.vector(&format!("watch.{}.{quantity}", mass.name));
                let turn = self.rotation(&format!("watch.{}.rotation", mass.name));
                let inertia = turn * mass.inertia * turn.transpose();
                let (w, acceleration) = (get("angular_velocity"), get("angular_acceleration"));
                let torque = inertia * acceleration + w.cross(&(inertia * w));
                add(&r[0], &((gravity - get("acceleration")) * mass.mass), -torque);
            }
        }
        for tyre in self.model.tyres.iter().filter(|tyre| which(&tyre.name)) {
            let wheel = tyre.name.replace(".tyre", ".wheel");
            let axis = self.rotation(&format!("watch.{wheel}.rotation")) * Vec3::y();
            let forward = axis.cross(&Vec3::z()).normalize();
            let axes = Mat3::from_columns(&[forward, Vec3::z().cross(&forward), Vec3::z()]);
            let f = Vec3::from(["Fx", "Fy", "Fz"].map(|c| self.get(&format!("{}.{c}", tyre.name))));
            let m = Vec3::from(["Mx", "My", "Mz"].map(|c| self.get(&format!("watch.{}.moment.{c}", tyre.name))));
            add(&self.vector(&format!("watch.{}", tyre.name)), &(axes * f), axes * m);
        }
        for drag in self.model.drags.iter().filter(|drag| which(&drag.body)) {
            let name = format!("watch.{}", drag.name);
            add(&self.vector(&format!("{name}.position")), &self.vector(&format!("{name}.force")), Vec3::zeros());
        }
        (force, moment)
    }
}

/// The van or the truck, with outputs of every mass.
fn watched(vehicle: &str, change: impl Fn(String) -> String) -> Document {
    let text = change(text(vehicle, "model.toml"));
    let outputs = watching(&document(vehicle, &text).model);
    document(vehicle, &format!("{text}\n{outputs}"))
}
