//! Replaces `[[wheel_port]]` by inputs and outputs with the names that vehicle FMUs use for wheels.
//!
//! Names as in the wheeled vehicle FMU of Chrono (`src/chrono_vehicle/fmi/cosim/fmu2_wheeled_vehicle` there): inputs
//! `point`, `force`, `moment`, outputs `pos`, `rot`, `lin_vel`, `ang_vel`, vectors with `.x`, `.y`, `.z`, the
//! quaternion with `.e0` … `.e3`.

use super::schema::{Input, Model, Output};
use super::validate::is_structured;
use crate::document::{Reading, Source};
use serde_json::{Value, json};
use std::sync::Arc;

const AXES: [&str; 3] = ["x", "y", "z"];

/// Inputs: name, unit, meaning.
pub const INPUTS: [(&str, &str, &str); 3] = [
    ("point", "m", "Point of application of the road load, world axes"),
    ("force", "N", "Force of the road on the wheel, world axes"),
    ("moment", "N.m", "Moment of the road on the wheel about the point, world axes"),
];

/// Vectors among the outputs: name, quantity, meaning.
pub const OUTPUTS: [(&str, &str, &str); 3] = [
    ("pos", "position", "Centre of the wheel, world axes"),
    ("lin_vel", "velocity", "Velocity of the centre, world axes"),
    ("ang_vel", "angular_velocity", "Angular velocity of the wheel, world axes"),
];

/// Components of `rot`: name, component of the quaternion.
const ROTATION: [(&str, &str); 4] = [("e0", "w"), ("e1", "x"), ("e2", "y"), ("e3", "z")];

/// Name of the input for one component of a vector, "wheel_FL.force.x".
pub fn input_name(port: &str, vector: &str, axis: usize) -> String {
    format!("{port}.{vector}.{}", AXES[axis])
}

/// Adds the inputs and outputs of all ports, and removes the tyres of their wheels. The validation reports errors of
/// ports.
pub(super) fn expand(reading: &mut Reading<Model>) {
    let ports = reading.value.wheel_ports.clone();
    if ports.is_empty() {
        return;
    }
    let mut origins = Origins { before: reading.source.clone(), main: None };
    // If items could not be read, the remaining items keep their numbers in the file.
    let readable = |table: &str| !reading.replaced.iter().any(|path| path.starts_with(table));
    if readable("tyre") && readable("output") {
        let model = &mut reading.value;
        let taken: Vec<String> = model
            .tyres
            .iter()
            .filter(|tyre| ports.iter().any(|port| port.joint == tyre.joint))
            .map(|tyre| tyre.name.clone())
            .collect();
        let stays = |name: &String| !taken.contains(name);
        let source = &mut reading.source;
        origins.retain(source, "tyre", &mut model.tyres, |tyre| stays(&tyre.name));
        origins.retain(source, "output", &mut model.outputs, |output| output.tyre.as_ref().is_none_or(stays));
    }
    for (index, port) in ports.iter().enumerate() {
        let item = format!("wheel_port[{index}]");
        let broken = reading.replaced.iter().any(|path| path.starts_with(&item));
        if broken || !is_structured(&port.name) || ports[..index].iter().any(|earlier| earlier.name == port.name) {
            continue;
        }
        let model = &mut reading.value;
        let Some(joint) = model.joints.iter().find(|joint| joint.name == port.joint) else { continue };
        let (body, point) = (joint.bodies[1].clone(), json!(model.joint_place(joint)));
        let source = &mut reading.source;
        for (vector, unit, meaning) in INPUTS {
            for axis in 0..3 {
                origins.add(source, format!("input[{}]", model.inputs.len()), &item);
                let name = input_name(&port.name, vector, axis);
                let (unit, description) = (Some(unit.into()), meaning.into());
                model.inputs.push(Input { name, unit, start: 0.0, min: None, max: None, description });
            }
        }
        let vectors = OUTPUTS.map(|(vector, quantity, meaning)| {
            let name = format!("{}.{vector}", port.name);
            let point = if quantity == "angular_velocity" { Value::Null } else { point.clone() };
            json!({ "name": name, "body": body, "point": point, "quantity": quantity, "description": meaning })
        });
        let rotation = ROTATION.map(|(name, component)| {
            let name = format!("{}.rot.{name}", port.name);
            let meaning = "Rotation of the wheel since the design position, a quaternion";
            let quantity = "rotation";
            json!({ "name": name, "body": body, "quantity": quantity, "component": component, "description": meaning })
        });
        for output in vectors.into_iter().chain(rotation) {
            origins.add(source, format!("output[{}]", model.outputs.len()), &item);
            model.outputs.extend(crate::document::from_value::<Output>(output).ok());
        }
    }
}

/// Positions of items that are moved within the model.
struct Origins {
    /// The source before any change.
    before: Source,
    /// Index of the part of the model file.
    main: Option<usize>,
}

impl Origins {
    /// Records that `item` was `earlier` before.
    fn add(&mut self, source: &mut Source, item: String, earlier: &str) {
        let (part, local) = match self.before.added(earlier) {
            Some((part, local)) => (part, local.to_string()),
            None => {
                let file = || source.add_part(Arc::new(self.before.clone()), String::new());
                (*self.main.get_or_insert_with(file), earlier.to_string())
            }
        };
        source.add_item(item, part, local);
    }

    /// Keeps some items of a table.
    fn retain<T>(&mut self, source: &mut Source, table: &str, items: &mut Vec<T>, stays: impl Fn(&T) -> bool) {
        let (mut before, mut after) = (0, 0);
        items.retain(|item| {
            let stay = stays(item);
            if stay {
                if after < before {
                    self.add(source, format!("{table}[{after}]"), &format!("{table}[{before}]"));
                }
                after += 1;
            }
            before += 1;
            stay
        });
    }
}
