//! The admissible quantities of each target of an output: one row each, with size, unit, level and reader.

mod rules;
pub mod wrong_words;

pub use rules::RULES;

use super::elements;
use super::schema::{Axes, Model, Output, Quantity};
use ballesta_solver::joint::coordinates::{Coordinate, Measure};
use ballesta_solver::system::ScalarKind;

/// The target of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The whole system: no target key.
    System,
    /// Key `joint`.
    Joint,
    /// Key `body`.
    Body,
    /// Key `spring`.
    Spring,
    /// Key `bushing`.
    Bushing,
    /// Key `constraint`.
    Constraint,
    /// Key `guided`.
    Guided,
    /// Key `drive`.
    Drive,
    /// Key `tyre`.
    Tyre,
    /// Key `contact`.
    Contact,
    /// Key `aerodynamic_drag`.
    AerodynamicDrag,
    /// Key `driver`.
    Driver,
    /// Key `flexible_body` alone.
    FlexibleBody,
    /// Keys `flexible_body` and `section`.
    Section,
    /// Keys `flexible_body` and `node`.
    Node,
    /// Keys `flexible_body` and `mode`.
    Mode,
}

/// Number of components of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// One, named like the output.
    Scalar,
    /// Three, `name.x` … `name.z`.
    Vector,
    /// Three, `name.Fx` … `name.Fz`, in the axes of a tyre's contact.
    Forces,
    /// Three, `name.Mx` … `name.Mz`.
    Moments,
    /// Three, `name.roll`, `name.pitch`, `name.yaw`.
    Angles,
    /// Four, `name.w`, `name.x` … `name.z`.
    Quaternion,
}

impl Size {
    /// Suffixes of the names of the numbers.
    pub fn suffixes(self) -> &'static [&'static str] {
        match self {
            Size::Scalar => &[""],
            Size::Vector => &[".x", ".y", ".z"],
            Size::Forces => &[".Fx", ".Fy", ".Fz"],
            Size::Angles => &[".roll", ".pitch", ".yaw"],
            Size::Moments => &[".Mx", ".My", ".Mz"],
            Size::Quaternion => &[".w", ".x", ".y", ".z"],
        }
    }
}

/// Unit of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputUnit {
    /// Always this unit.
    Always(&'static str),
    /// rad or m.
    Position,
    /// rad/s or m/s.
    Speed,
    /// rad/s² or m/s².
    Acceleration,
    /// N m or N.
    Effort,
}

impl OutputUnit {
    /// Symbol of the unit for a coordinate of this measure.
    pub fn symbol(self, measure: Measure) -> &'static str {
        match self {
            OutputUnit::Always(symbol) => symbol,
            OutputUnit::Position => measure.position_unit(),
            OutputUnit::Speed => measure.speed_unit(),
            OutputUnit::Acceleration => measure.acceleration_unit(),
            OutputUnit::Effort => measure.effort_unit(),
        }
    }
}

/// Level of the motion on which an output depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The state alone, with its counters and sums.
    State,
    /// Positions of the stage.
    Position,
    /// Velocities too.
    Velocity,
    /// Accelerations too.
    Acceleration,
    /// Reactions too, which outputs compute with the accelerations.
    Reaction,
}

/// One admissible pair of target and quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// The target of the output.
    pub target: Target,
    /// The quantity.
    pub quantity: Quantity,
    /// Size.
    pub size: Size,
    /// Unit.
    pub unit: OutputUnit,
    /// Level of the motion on which it depends.
    pub level: Level,
    /// Type of the variables.
    pub kind: ScalarKind,
    /// Whether `axes` is used.
    pub axes: bool,
    /// For the documentation.
    pub meaning: &'static str,
}

impl Target {
    /// Key of `[[output]]`; for [`Target::System`], which has none, a word for messages.
    pub fn key(self) -> &'static str {
        match self {
            Target::System => "system",
            Target::Joint => "joint",
            Target::Body => "body",
            Target::Spring => "spring",
            Target::Bushing => "bushing",
            Target::Constraint => "constraint",
            Target::Guided => "guided",
            Target::Drive => "drive",
            Target::Contact => "contact",
            Target::AerodynamicDrag => "aerodynamic_drag",
            Target::Driver => "driver",
            Target::FlexibleBody => "flexible_body",
            Target::Section => "section",
            Target::Node => "node",
            Target::Mode => "mode",
            Target::Tyre => "tyre",
        }
    }
}

impl Output {
    /// The target keys that are set, with their names; for a part of a flexible body, the name of the body.
    pub fn targets(&self) -> Vec<(Target, &str)> {
        let keys = [
            // With a constraint, `joint` selects the coordinate that is read.
            (Target::Joint, if self.constraint.is_some() { &None } else { &self.joint }),
            (Target::Body, &self.body),
            (Target::Spring, &self.spring),
            (Target::Bushing, &self.bushing),
            (Target::Constraint, &self.constraint),
            (Target::Guided, &self.guided),
            (Target::Drive, &self.drive),
            (Target::Tyre, &self.tyre),
            (Target::Contact, &self.contact),
            (Target::AerodynamicDrag, &self.aerodynamic_drag),
            (Target::Driver, &self.driver),
            (self.flexible_target(), &self.flexible_body),
        ];
        keys.into_iter().filter_map(|(target, name)| Some((target, name.as_deref()?))).collect()
    }

    /// The part of a flexible body that the output reads, if any.
    fn flexible_target(&self) -> Target {
        match (&self.section, &self.node, self.mode) {
            (Some(_), ..) => Target::Section,
            (_, Some(_), _) => Target::Node,
            (.., Some(_)) => Target::Mode,
            _ => Target::FlexibleBody,
        }
    }

    /// The row of [`RULES`] for this output; `None` if it has several targets or if its target does not have the
    /// quantity.
    pub fn rule(&self) -> Option<&'static Rule> {
        let target = match self.targets().as_slice() {
            [] => Target::System,
            [(target, _)] => *target,
            _ => return None,
        };
        RULES.iter().find(|rule| rule.target == target && rule.quantity == self.quantity)
    }

    /// Names of the scalar variables that the output becomes.
    pub fn variable_names(&self) -> Vec<String> {
        match (self.rule(), self.component) {
            (Some(rule), None) => rule.size.suffixes().iter().map(|suffix| format!("{}{suffix}", self.name)).collect(),
            _ => vec![self.name.clone()],
        }
    }
}

impl Model {
    /// Whether the coordinate of an output is an angle or a length; springs between points and targets without a
    /// coordinate are lengths.
    pub fn measure(&self, output: &Output) -> Measure {
        let of_joint = |joint: &str, coordinate: Option<&str>| -> Option<&'static Coordinate> {
            self.joints.iter().find(|item| item.name == joint)?.kind.coordinate(coordinate)
        };
        let coordinate = match output.targets().as_slice() {
            [(Target::Joint, name)] => of_joint(name, output.coordinate.as_deref()),
            [(key @ (Target::Spring | Target::Drive), name)] => {
                let tables = elements::TABLES.iter().filter(|table| table.read_by == Some(*key));
                let mut items = tables.flat_map(|table| (table.coordinates)(self));
                let item = items.find(|(own, _)| own == name);
                item.and_then(|(_, on)| on.first().copied()).and_then(|(joint, on)| of_joint(joint, on))
            }
            [(Target::Guided, name)] => {
                let guided = self.guided.iter().find(|item| item.name == *name);
                guided.and_then(|guided| of_joint(&guided.joint, guided.coordinate.as_deref()))
            }
            [(Target::Constraint, name)] => {
                let place = self.coupled_places(output).last().copied();
                let on = place.and_then(|place| self.coupled_by(name).get(place).copied());
                on.and_then(|(joint, coordinate)| of_joint(joint, coordinate))
            }
            _ => None,
        };
        coordinate.map_or(Measure::Length, |coordinate| coordinate.measure)
    }

    /// Joints and coordinates that the coupler or rack and pinion of this name couples; empty for other names.
    pub fn coupled_by(&self, name: &str) -> Vec<(&str, Option<&str>)> {
        let coupler = self.couplers.iter().find(|item| item.name == name).into_iter();
        let coupler = coupler.flat_map(|item| &item.coordinates);
        let coupler = coupler.map(|on| (on.joint.as_str(), on.coordinate.as_deref()));
        let rack = self.racks.iter().find(|item| item.name == name).into_iter();
        let rack = rack.flat_map(|item| [&item.pinion, &item.rack]);
        coupler.chain(rack.map(|on| (on.joint.as_str(), on.coordinate.as_deref()))).collect()
    }

    /// Indices, in a coupler or rack and pinion, of the coordinates to which an output may refer: the coordinates that
    /// its keys `joint` and `coordinate` name, otherwise the last.
    pub fn coupled_places(&self, output: &Output) -> Vec<usize> {
        let coupled = output.constraint.as_deref().map_or_else(Vec::new, |name| self.coupled_by(name));
        let Some(joint) = &output.joint else { return coupled.len().checked_sub(1).into_iter().collect() };
        let kind = self.joints.iter().find(|item| item.name == *joint).map(|item| item.kind);
        let name_of = |coordinate: Option<&str>| Some(kind?.coordinate(coordinate)?.name);
        let is_it = |(on, coordinate): &(&str, Option<&str>)| {
            let asked = output.coordinate.as_deref();
            on == joint && (asked.is_none() || name_of(*coordinate) == name_of(asked))
        };
        (0..coupled.len()).filter(|&place| is_it(&coupled[place])).collect()
    }

    /// The description of an output of a validated model: the text of the file, the axes if the quantity depends on
    /// axes, and the contributions to a reaction.
    pub fn output_description(&self, output: &Output) -> String {
        let note = self.axes_of(output).unwrap_or_default();
        match (output.description.trim(), note.as_str()) {
            ("", "") => self.quantity_of(output),
            (own, "") => own.to_string(),
            ("", note) => format!("{}, {note}", self.quantity_of(output)),
            (own, note) => format!("{}; {note}", own.trim_end_matches(['.', ';'])),
        }
    }

    /// The description of every scalar variable that the output becomes, see [`Output::variable_names`].
    pub fn variable_descriptions(&self, output: &Output) -> Vec<String> {
        let whole = self.output_description(output);
        let one = |component: &str| match component {
            "" => whole.clone(),
            _ => format!("{component}: {whole}"),
        };
        match (output.rule(), output.component) {
            (Some(rule), None) => {
                rule.size.suffixes().iter().map(|suffix| one(suffix.trim_start_matches('.'))).collect()
            }
            (Some(_), Some(component)) => {
                let component = serde_json::to_value(component).ok();
                vec![one(component.as_ref().and_then(|name| name.as_str()).unwrap_or_default())]
            }
            _ => vec![whole],
        }
    }

    /// The description of a vector as a whole, with the names of its elements in order.
    pub fn vector_description(&self, output: &Output) -> String {
        let suffixes = output.rule().map_or(&[] as &[&str], |rule| rule.size.suffixes());
        let elements: Vec<&str> = suffixes.iter().map(|suffix| suffix.trim_start_matches('.')).collect();
        format!("{}: {}", elements.join(", "), self.output_description(output))
    }

    /// Quantity and target of an output in words, for an output without a description in the file.
    fn quantity_of(&self, output: &Output) -> String {
        let quantity = serde_json::to_value(output.quantity).ok();
        let quantity = quantity.as_ref().and_then(|name| name.as_str()).unwrap_or("value").replace('_', " ");
        let targets: Vec<String> = output.targets().iter().map(|(_, name)| format!("`{name}`")).collect();
        let part = [&output.coordinate, &output.section, &output.node].into_iter().flatten().next();
        let part = part.cloned().or(output.mode.map(|mode| format!("mode {mode}")));
        let of = if targets.is_empty() { "the model".to_string() } else { targets.join(", ") };
        let part = part.map_or(String::new(), |part| format!(" at {part}"));
        format!("{}{} of {of}{part}", quantity[..1].to_uppercase(), &quantity[1..])
    }

    /// The axes of an output in words; empty for a scalar.
    fn axes_of(&self, output: &Output) -> Option<String> {
        let rule = output.rule()?;
        let (target, name) = output.targets().first().map_or((Target::System, ""), |target| (target.0, target.1));
        let joint = self.joints.iter().find(|joint| target == Target::Joint && joint.name == name);
        let second = match (target, joint) {
            (Target::Body, _) => format!("`{name}`"),
            (_, Some(joint)) => format!("`{}`", joint.bodies[1]),
            (Target::Bushing | Target::Constraint, _) => "the second body".to_string(),
            (Target::Tyre, _) => "the wheel".to_string(),
            (Target::Node, _) => format!("the frame of `{name}`"),
            _ => "the body".to_string(),
        };
        let axes = match output.axes {
            Axes::World => "in world axes".to_string(),
            Axes::Body => format!("in the axes of {second}"),
        };
        Some(match (rule.size, output.quantity) {
            (Size::Scalar, _) => return None,
            (Size::Forces | Size::Moments, _) => "in the axes of the contact: forward, to the left, up".into(),
            (Size::Quaternion, _) => format!("transforms the axes of {second} to world axes, continuous in sign"),
            (Size::Angles, _) => {
                let first = joint.map_or("the world".into(), |joint| format!("`{}`", joint.bodies[0]));
                format!("of {second} relative to the axes of {first}; roll and yaw continue beyond a full turn")
            }
            (_, Quantity::ReactionForce) if joint.is_some() => {
                format!("on {second}, including drives, springs, friction and prescribed motions of the joint, {axes}")
            }
            (_, Quantity::ReactionMoment) if joint.is_some() => format!(
                "on {second} about the joint's point on it, including drives, springs, friction and prescribed \
                 motions of the joint, {axes}"
            ),
            (_, Quantity::ReactionForce) => format!("on {second}, {axes}"),
            (_, Quantity::ReactionMoment) => format!("on {second} about its point, {axes}"),
            (_, Quantity::SectionForce | Quantity::SectionMoment) => "in the axes of the section".into(),
            (_, Quantity::Displacement | Quantity::RotationAngles) => format!("in the axes of the frame of `{name}`"),
            (_, Quantity::Position) if target == Target::Bushing => "in the axes of the bushing".into(),
            (_, Quantity::Force | Quantity::Torque) if target == Target::Bushing => format!("on {second}, {axes}"),
            (_, Quantity::Position) => format!("from the world's origin, {axes}"),
            _ => axes,
        })
    }

    /// Unit symbol of an output of a validated model.
    pub fn output_unit(&self, output: &Output) -> &'static str {
        output.rule().map_or("1", |rule| rule.unit.symbol(self.measure(output)))
    }
}
