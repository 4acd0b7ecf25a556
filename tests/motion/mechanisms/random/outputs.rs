//! The outputs that a generated model file has, and their values.

use super::draft::Draft;
use crate::mechanisms::maximal::{BodyState, Solution};
use crate::models;
use ballesta::math::rotation::matrix;
use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::Model;
use ballesta::system::System;
use std::collections::HashMap;
use std::fmt::Write;

const OF_BODIES: [&str; 6] =
    ["position", "rotation", "velocity", "angular_velocity", "acceleration", "angular_acceleration"];

/// Tables of the outputs: motion of all bodies, all reactions.
pub fn tables(model: &Model) -> String {
    let mut text = String::new();
    let mut add = |name: String, key: &str, of: &str, quantity: &str| {
        write!(text, "\n[[output]]\nname = \"{name}\"\n{key} = \"{of}\"\nquantity = \"{quantity}\"\n").expect("a text");
    };
    for body in &model.bodies {
        OF_BODIES.iter().for_each(|quantity| add(format!("{}.{quantity}", body.name), "body", &body.name, quantity));
    }
    for joint in &model.joints {
        for quantity in ["reaction_force", "reaction_moment"] {
            add(format!("{}.{quantity}", joint.name), "joint", &joint.name, quantity);
        }
    }
    for rod in &model.rods {
        add(format!("{}.reaction_force", rod.name), "constraint", &rod.name, "reaction_force");
        add(format!("{}.force", rod.name), "constraint", &rod.name, "force");
    }
    let points = model.points_on_line.iter().map(|line| &line.name);
    for name in points.chain(model.points_in_plane.iter().map(|plane| &plane.name)) {
        add(format!("{name}.reaction_force"), "constraint", name, "reaction_force");
    }
    for name in model.couplers.iter().map(|coupler| &coupler.name).chain(model.racks.iter().map(|rack| &rack.name)) {
        add(format!("{name}.force"), "constraint", name, "force");
    }
    for guided in &model.guided {
        add(format!("{}.effort", guided.name), "guided", &guided.name, "effort");
    }
    text
}

/// Values by names.
pub struct Readings {
    places: HashMap<String, usize>,
    pub values: Vec<f64>,
}

impl Readings {
    pub fn new(system: &System) -> Readings {
        let names = system.interface().outputs.iter().map(|output| output.name.clone());
        let places: HashMap<String, usize> = names.enumerate().map(|(place, name)| (name, place)).collect();
        Readings { values: vec![0.0; places.len()], places }
    }

    pub fn value(&self, name: &str) -> f64 {
        self.values[*self.places.get(name).unwrap_or_else(|| panic!("no output {name}"))]
    }

    pub fn vector(&self, name: &str) -> Vec3 {
        Vec3::from(["x", "y", "z"].map(|component| self.value(&format!("{name}.{component}"))))
    }

    fn rotation(&self, name: &str) -> Mat3 {
        matrix(&["w", "x", "y", "z"].map(|component| self.value(&format!("{name}.{component}"))))
    }

    /// The states of all bodies.
    pub fn states(&self, model: &Model) -> Vec<BodyState> {
        let state = |name: &String| BodyState {
            position: self.vector(&format!("{name}.position")),
            rotation: self.rotation(&format!("{name}.rotation")),
            velocity: self.vector(&format!("{name}.velocity")),
            spin: self.vector(&format!("{name}.angular_velocity")),
        };
        model.bodies.iter().map(|body| state(&body.name)).collect()
    }

    /// Accelerations and angular accelerations, body by body.
    pub fn accelerations(&self, model: &Model) -> Vec<[Vec3; 2]> {
        let of = |name: &String| ["acceleration", "angular_acceleration"].map(|q| self.vector(&format!("{name}.{q}")));
        model.bodies.iter().map(|body| of(&body.name)).collect()
    }

    /// Reactions beside those of a solution: of every unique component both values.
    pub fn reactions(&self, solution: &Solution) -> Vec<(String, f64, f64)> {
        let mut pairs = vec![];
        for reaction in &solution.reactions {
            let name = &reaction.name;
            let found: Vec<f64> = match reaction.value.len() {
                6 => {
                    let [force, moment] =
                        ["reaction_force", "reaction_moment"].map(|q| self.vector(&format!("{name}.{q}")));
                    force.iter().chain(moment.iter()).copied().collect()
                }
                3 => self.vector(&format!("{name}.reaction_force")).iter().copied().collect(),
                _ => {
                    let known = [name.clone(), format!("{name}.force"), format!("{name}.effort")];
                    let known = known.iter().find(|name| self.places.contains_key(*name)).expect("an output");
                    vec![self.value(known)]
                }
            };
            for (k, (found, wanted)) in found.iter().zip(&reaction.value).enumerate() {
                if reaction.unique[k] {
                    pairs.push((format!("{name}[{k}]"), *found, *wanted));
                }
            }
        }
        pairs
    }
}

/// The model file with its outputs.
pub fn complete(draft: &Draft, name: &str, description: &str) -> String {
    let text = draft.text(name, description);
    let document = models::parse(&text, "model.toml");
    text + &tables(&document.model)
}
