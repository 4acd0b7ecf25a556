//! Functions shared by all checks: reporting, name lookup, evaluation of numbers.

use crate::document::nearest::{did_you_mean, list, nearest};
use crate::flexible_names::{BodyRef, find_body, interface_name};
use crate::parameters::NumberSource;
use crate::rom::Rom;
use crate::schema::{JointKind, Model, Number, Place, Vector};
use crate::{Diagnostic, Source};
use ballesta_solver::joint::coordinates::Coordinate;
use ballesta_solver::math::Vec3;
use serde::Serialize;
use std::collections::BTreeSet;

/// Values allowed for a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// A value or a fixed parameter: geometry, masses, ratios, prescribed motions.
    Fixed,
    /// Also a tunable parameter: coefficients of force elements.
    Coefficient,
    /// Also an input: values of forces, torques, drives.
    Signal,
}

/// The model under check and the diagnostics so far.
pub(super) struct Check<'m> {
    pub model: &'m Model,
    pub source: &'m Source,
    /// The reduced-order model of every flexible body; `None` if it could not be read, which was reported.
    roms: Vec<Option<&'m Rom>>,
    values: Vec<f64>,
    /// Items (`joint[2]`, `model`) with a replaced value.
    broken: BTreeSet<&'m str>,
    diagnostics: Vec<Diagnostic>,
}

impl<'m> Check<'m> {
    pub fn new(
        model: &'m Model,
        source: &'m Source,
        replaced: &'m [String],
        roms: Vec<Option<&'m Rom>>,
        values: &[f64],
    ) -> Self {
        let broken = replaced.iter().map(|path| item(path)).collect();
        Check { model, source, roms, values: values.to_vec(), broken, diagnostics: Vec::new() }
    }

    /// The reduced-order model of a flexible body, if it could be read.
    pub fn rom(&self, body: usize) -> Option<&'m Rom> {
        self.roms.get(body).copied().flatten()
    }

    /// Values of the parameters.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// Reports an error at `key`, unless its item has more basic errors.
    pub fn report(&mut self, key: impl AsRef<str>, found: impl Into<String>, expected: impl Into<String>) {
        let key = key.as_ref();
        if !self.broken.contains(&item(key)) {
            self.diagnostics.push(self.source.at(key, found, expected));
        }
    }

    /// Whether an item of the table `table` is broken.
    pub fn is_broken(&self, table: &str) -> bool {
        self.broken.iter().any(|item| item.strip_prefix(table).is_some_and(|rest| rest.starts_with('[')))
    }

    /// An item as messages about other items name it, with the line of `key`: "rod[1] (line 12)".
    pub fn item_with_line(&self, item: &str, key: &str) -> String {
        self.source.item_with_line(item, key)
    }

    /// The value of a number; `None` if it is an input, or wrong (which is reported).
    pub fn number(&mut self, key: &str, number: &Number, usage: Use) -> Option<f64> {
        // A literal value needs no further check.
        let (Number::Parameter(name), meaning) = (number, self.model.meaning(number)) else {
            return self.value(number);
        };
        // Tunable parameters may change during a run, so only coefficients of force elements may use them.
        match meaning {
            NumberSource::Parameter(index) if usage == Use::Fixed && self.model.parameters[index].tunable => {
                let expected = "make the parameter fixed; only coefficients of force elements may be tunable";
                self.report(key, format!("parameter \"{name}\" is tunable"), expected);
            }
            // Inputs change at every step; only signals may follow them.
            NumberSource::Input(_) if usage != Use::Signal => {
                let expected = "write a number or a parameter; inputs are allowed in `value` of a force, torque or \
                                drive, and in `input` or `inputs` of `[[guided]]`";
                self.report(key, format!("\"{name}\" is an input"), expected);
                return None;
            }
            // An unknown name is often a number in quotes, with or without a unit.
            NumberSource::Unknown => {
                let model = self.model;
                let mut known: Vec<&str> = model.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
                let mut kind = "parameter";
                if usage == Use::Signal {
                    known.extend(model.inputs.iter().map(|input| input.name.as_str()));
                    kind = "input or parameter";
                }
                let expected = match name.trim().parse::<f64>() {
                    Ok(_) => "write the number without quotes".to_string(),
                    Err(_) if begins_like_a_number(name) && nearest(name, &known).is_none() => {
                        "write only the number, without quotes and unit, with a decimal point".to_string()
                    }
                    Err(_) => did_you_mean(name, &known),
                };
                self.report(key, format!("there is no {kind} \"{name}\""), expected);
            }
            _ => {}
        }
        self.value(number)
    }

    /// An optional number.
    pub fn optional(&mut self, key: &str, number: &Option<Number>, usage: Use) -> Option<f64> {
        self.number(key, number.as_ref()?, usage)
    }

    /// A number that must not be negative.
    pub fn not_negative(&mut self, key: &str, number: &Number, usage: Use, expected: &str) -> Option<f64> {
        let value = self.number(key, number, usage)?;
        if value < 0.0 {
            self.report(key, format!("found {value}"), expected);
            return None;
        }
        Some(value)
    }

    /// The value of a number without any report; `None` for inputs and unknown names.
    pub fn value(&self, number: &Number) -> Option<f64> {
        Some(self.model.resolve(number, &self.values)).filter(|value| value.is_finite())
    }

    /// A vector; `None` if one of its numbers is unknown.
    pub fn vector(&mut self, key: &str, vector: &Vector, usage: Use) -> Option<Vec3> {
        let [x, y, z] = [0, 1, 2].map(|i| self.number(&format!("{key}[{i}]"), &vector[i], usage));
        Some(Vec3::new(x?, y?, z?))
    }

    /// A direction of unit length; zero is reported.
    pub fn direction(&mut self, key: &str, vector: &Vector) -> Option<Vec3> {
        let vector = self.vector(key, vector, Use::Fixed)?;
        let length = vector.norm();
        if length < 1e-100 {
            self.report(key, "the vector is zero", "give a direction, like [0, 0, 1]");
            return None;
        }
        // Squares of numbers above 1e154 overflow.
        if length.is_infinite() {
            self.report(key, "the vector is too long to be normalised", "give a direction, like [0, 0, 1]");
            return None;
        }
        Some(vector / length)
    }

    /// A point; `None` if it is unknown.
    pub fn place(&mut self, key: &str, place: &Place) -> Option<Vec3> {
        match place {
            Place::At(vector) => self.vector(key, vector, Use::Fixed),
            Place::Point(name) => {
                if !self.model.points.contains_key(name) {
                    let known: Vec<&str> = self.model.points.keys().map(String::as_str).collect();
                    self.report(key, format!("there is no point \"{name}\""), did_you_mean(name, &known));
                }
                Some(self.model.resolve_place(place, &self.values)).filter(|at| at.iter().all(|x| x.is_finite()))
            }
        }
    }

    /// The meaning of the name of a body, without any report.
    pub fn body_ref(&self, name: &str) -> Option<BodyRef> {
        find_body(self.model, |index| self.rom(index), name)
    }

    /// The meaning of the name of a body; an unknown one is reported, unless it may be an interface of a flexible body
    /// whose reduced-order model could not be read.
    pub fn body(&mut self, key: &str, name: &str) -> Option<BodyRef> {
        let found = self.body_ref(name);
        let unread = |(index, body)| self.rom(index).is_none() && interface_name(body, name).is_some();
        if found.is_none() && !self.model.flexible_bodies.iter().enumerate().any(unread) {
            let known = self.body_names();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            self.report(key, format!("there is no body \"{name}\""), did_you_mean(name, &known));
        }
        found
    }

    /// All names of bodies.
    fn body_names(&self) -> Vec<String> {
        let mut names = vec!["ground".to_string()];
        names.extend(self.model.bodies.iter().map(|body| body.name.clone()));
        for (index, body) in self.model.flexible_bodies.iter().enumerate() {
            names.push(body.name.clone());
            names.extend(self.interface_names(index));
        }
        names
    }

    /// The interfaces of a flexible body, by their names in the model file.
    pub fn interface_names(&self, body: usize) -> Vec<String> {
        let interfaces = self.rom(body).map_or(&[][..], |rom| &rom.interfaces);
        let name = &self.model.flexible_bodies[body].name;
        interfaces.iter().map(|interface| format!("{name}.{}", interface.name)).collect()
    }

    /// The meaning of the name of a body to which something can be attached: not a floating frame.
    pub fn attachable(&mut self, key: &str, name: &str) -> Option<BodyRef> {
        let found = self.body(key, name);
        let Some(BodyRef::Frame(index)) = found else { return found };
        let names = self.interface_names(index);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let expected = match names.as_slice() {
            [] => "attach it to an interface".to_string(),
            names => format!("attach it to an interface: {}", list(names)),
        };
        self.report(key, format!("\"{name}\" is the floating frame of a flexible body"), expected);
        None
    }

    /// Checks that two different bodies are named; `what` is the term for their connection.
    pub fn two_bodies(&mut self, item: &str, bodies: &[String; 2], what: &str) {
        let found = [0, 1].map(|end| self.attachable(&format!("{item}.bodies[{end}]"), &bodies[end]));
        if bodies[0] == bodies[1] && found[0].is_some() {
            let found = format!("{what} connects \"{}\" to itself", bodies[0]);
            self.report(format!("{item}.bodies"), found, "name two different bodies");
        }
    }

    /// Checks that a body exists and can move.
    pub fn moving_body(&mut self, key: &str, name: &str) {
        if self.attachable(key, name) == Some(BodyRef::Ground) {
            self.report(key, "the ground cannot move", "name a body");
        }
    }

    /// The index of a joint; a missing one is reported.
    pub fn joint(&mut self, key: &str, name: &str) -> Option<usize> {
        let index = self.model.joints.iter().position(|joint| joint.name == name);
        if index.is_none() {
            let known: Vec<&str> = self.model.joints.iter().map(|joint| joint.name.as_str()).collect();
            self.report(key, format!("there is no joint \"{name}\""), did_you_mean(name, &known));
        }
        index
    }

    /// The scalar coordinate to which the keys `joint` and `coordinate` of `item` refer: index of the joint, and the
    /// coordinate.
    pub fn coordinate(
        &mut self,
        item: &str,
        joint: &str,
        coordinate: &Option<String>,
    ) -> Option<(usize, &'static Coordinate)> {
        // The joint must exist before its coordinate can be checked.
        let joint_key = format!("{item}.joint");
        let index = self.joint(&joint_key, joint)?;
        let kind = self.model.joints[index].kind;
        let names: Vec<&str> = kind.coordinates().iter().map(|coordinate| coordinate.name).collect();
        let key = format!("{item}.coordinate");
        let found = kind.coordinate(coordinate.as_deref());
        // A joint with one coordinate needs no `coordinate`; a ball joint has none.
        match coordinate {
            _ if names.is_empty() => {
                let reason = match kind.freedom() {
                    0 => "has no coordinate",
                    _ => "has no scalar coordinate: its rotation is a quaternion",
                };
                let kinds = JointKind::all().filter(|kind| !kind.coordinates().is_empty());
                let kinds: Vec<&str> = kinds.map(JointKind::word).collect();
                let found = format!("joint \"{joint}\" ({}) {reason}", kind.word());
                self.report(joint_key, found, format!("name a joint of one of the types {}", list(&kinds)));
            }
            None if found.is_none() => {
                let found = format!("joint \"{joint}\" ({}) has several coordinates", kind.word());
                self.report(key, found, format!("add `coordinate`, one of {}", list(&names)));
            }
            Some(name) if found.is_none() => {
                let found = format!("joint \"{joint}\" ({}) has no scalar coordinate \"{name}\"", kind.word());
                self.report(key, found, format!("write one of {}", list(&names)));
            }
            _ => {}
        }
        Some((index, found?))
    }
}

/// Whether a text begins with a digit, like `1 kg` and `-1,5`.
fn begins_like_a_number(text: &str) -> bool {
    text.trim().trim_start_matches(['+', '-', '.']).starts_with(|first: char| first.is_ascii_digit())
}

/// Spelling of an enumeration's value in the file.
pub(super) fn word<T: Serialize>(value: T) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_string)).unwrap_or_default()
}

/// The item of a path: `joint[2]` of `joint[2].axis[0]`, `model` of `model.step`.
fn item(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}
