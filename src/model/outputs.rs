//! Which quantity an output may give of which target: a row for each, with size, unit, level and reader.

use super::coordinates::{Coordinate, Measure};
use super::elements;
use super::readings::{Figure, Level, PointQuantity, Read, ScalarKind, SystemQuantity, TyreQuantity};
use super::schema::{Axes, Model, Output, Quantity};

/// What an output looks at.
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
    /// Key `aerodynamic_drag`.
    AerodynamicDrag,
    /// Key `flexible_body` alone.
    FlexibleBody,
    /// Keys `flexible_body` and `section`.
    Section,
    /// Keys `flexible_body` and `node`.
    Node,
    /// Keys `flexible_body` and `mode`.
    Mode,
}

/// How many numbers an output gives.
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
    /// Always this one.
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

/// One admissible pair of target and quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// What the output looks at.
    pub target: Target,
    /// What it gives.
    pub quantity: Quantity,
    /// Size.
    pub size: Size,
    /// Unit.
    pub unit: OutputUnit,
    /// Level of the motion on which it depends.
    pub level: Level,
    /// What reads it.
    pub read: Read,
    /// Type of the variables.
    pub kind: ScalarKind,
    /// Whether `axes` has a meaning.
    pub axes: bool,
    /// For the documentation.
    pub meaning: &'static str,
}

const fn scalar(
    target: Target,
    quantity: Quantity,
    level: Level,
    read: Read,
    unit: OutputUnit,
    meaning: &'static str,
) -> Rule {
    Rule { target, quantity, level, read, kind: ScalarKind::Real, size: Size::Scalar, unit, axes: false, meaning }
}

const fn vector(
    target: Target,
    quantity: Quantity,
    level: Level,
    read: Read,
    unit: &'static str,
    meaning: &'static str,
) -> Rule {
    Rule {
        target,
        quantity,
        level,
        read,
        kind: ScalarKind::Real,
        size: Size::Vector,
        unit: OutputUnit::Always(unit),
        axes: true,
        meaning,
    }
}

/// A vector in axes of its own.
const fn own_vector(
    target: Target,
    quantity: Quantity,
    level: Level,
    read: Read,
    unit: &'static str,
    meaning: &'static str,
) -> Rule {
    Rule {
        target,
        quantity,
        level,
        read,
        kind: ScalarKind::Real,
        size: Size::Vector,
        unit: OutputUnit::Always(unit),
        axes: false,
        meaning,
    }
}

const JOULE: OutputUnit = OutputUnit::Always("J");

/// The whole matrix.
pub const RULES: &[Rule] = &[
    scalar(
        Target::Joint,
        Quantity::Position,
        Level::Position,
        Read::Position,
        OutputUnit::Position,
        "joint coordinate",
    ),
    scalar(Target::Joint, Quantity::Speed, Level::Velocity, Read::Speed, OutputUnit::Speed, "its speed"),
    scalar(
        Target::Joint,
        Quantity::Acceleration,
        Level::Acceleration,
        Read::Acceleration,
        OutputUnit::Acceleration,
        "its acceleration",
    ),
    vector(
        Target::Joint,
        Quantity::ReactionForce,
        Level::Reaction,
        Read::ReactionForce,
        "N",
        "force of the joint on its second body, at the joint's point there; what drives, springs, friction, stops and guides on the joint's own coordinates do is included",
    ),
    vector(
        Target::Joint,
        Quantity::ReactionMoment,
        Level::Reaction,
        Read::ReactionMoment,
        "N.m",
        "moment of the joint on its second body, about the joint's point that the second body carries; the same included",
    ),
    Rule {
        target: Target::Joint,
        quantity: Quantity::Angles,
        level: Level::Position,
        read: Read::RelativeAngles,
        kind: ScalarKind::Real,
        size: Size::Angles,
        unit: OutputUnit::Always("rad"),
        axes: false,
        meaning: "roll, pitch and yaw of the second body relative to the first, as those of a body",
    },
    vector(
        Target::Body,
        Quantity::Position,
        Level::Position,
        Read::Point(PointQuantity::Position),
        "m",
        "position of the point, from the origin of W",
    ),
    vector(
        Target::Body,
        Quantity::Velocity,
        Level::Velocity,
        Read::Point(PointQuantity::Velocity),
        "m/s",
        "velocity of the point",
    ),
    vector(
        Target::Body,
        Quantity::Acceleration,
        Level::Acceleration,
        Read::Point(PointQuantity::Acceleration),
        "m/s2",
        "acceleration of the point (without gravity)",
    ),
    Rule {
        target: Target::Body,
        quantity: Quantity::Rotation,
        level: Level::Position,
        read: Read::Point(PointQuantity::Rotation),
        kind: ScalarKind::Real,
        size: Size::Quaternion,
        unit: OutputUnit::Always("1"),
        axes: false,
        meaning: "rotation since the design position: body axes to world axes; its sign does not jump",
    },
    Rule {
        target: Target::Body,
        quantity: Quantity::Angles,
        level: Level::Position,
        read: Read::Point(PointQuantity::Angles),
        kind: ScalarKind::Real,
        size: Size::Angles,
        unit: OutputUnit::Always("rad"),
        axes: false,
        meaning: "roll, pitch and yaw since the design position (ISO 8855: turned by yaw about z, then by pitch about y, then by roll about x); roll and yaw start within half a turn and count on",
    },
    vector(
        Target::Body,
        Quantity::AngularVelocity,
        Level::Velocity,
        Read::Point(PointQuantity::AngularVelocity),
        "rad/s",
        "angular velocity",
    ),
    vector(
        Target::Body,
        Quantity::AngularAcceleration,
        Level::Acceleration,
        Read::Point(PointQuantity::AngularAcceleration),
        "rad/s2",
        "angular acceleration",
    ),
    scalar(
        Target::Spring,
        Quantity::Length,
        Level::Position,
        Read::SpringLength,
        OutputUnit::Position,
        "length; of a joint spring or torsion bar: its coordinate minus its free position; of a leaf spring: its deflection, \
         positive under load; of an anti-roll bar: difference of the travels; of a bump stop on a joint: the coordinate",
    ),
    scalar(
        Target::Spring,
        Quantity::Speed,
        Level::Velocity,
        Read::SpringSpeed,
        OutputUnit::Speed,
        "rate of the length",
    ),
    scalar(
        Target::Spring,
        Quantity::Force,
        Level::Velocity,
        Read::SpringForce,
        OutputUnit::Effort,
        "force of spring and damper, tension positive; of a leaf spring: the force that it carries",
    ),
    scalar(
        Target::Spring,
        Quantity::Pressure,
        Level::Position,
        Read::Pressure,
        OutputUnit::Always("Pa"),
        "absolute pressure of an air spring",
    ),
    Rule {
        target: Target::Bushing,
        quantity: Quantity::Position,
        level: Level::Position,
        read: Read::BushingDeformation,
        kind: ScalarKind::Real,
        size: Size::Vector,
        unit: OutputUnit::Always("m"),
        axes: false,
        meaning: "deformation along the bushing's own axes",
    },
    vector(Target::Bushing, Quantity::Force, Level::Velocity, Read::BushingForce, "N", "force on the second body"),
    vector(Target::Bushing, Quantity::Torque, Level::Velocity, Read::BushingTorque, "N.m", "torque on the second body"),
    scalar(
        Target::Constraint,
        Quantity::Force,
        Level::Reaction,
        Read::ConstraintForce,
        OutputUnit::Effort,
        "rod: tension; coupler, rack and pinion: effort on the driven coordinate; point on line, point in plane: magnitude of the force",
    ),
    vector(
        Target::Constraint,
        Quantity::ReactionForce,
        Level::Reaction,
        Read::ConstraintReactionForce,
        "N",
        "rod, point on line, point in plane: force on the second body at its point",
    ),
    scalar(
        Target::Constraint,
        Quantity::Gap,
        Level::State,
        Read::ConstraintGap,
        OutputUnit::Always("m"),
        "largest closure error of the constraint",
    ),
    scalar(
        Target::Guided,
        Quantity::Position,
        Level::Position,
        Read::Position,
        OutputUnit::Position,
        "the guided coordinate",
    ),
    scalar(Target::Guided, Quantity::Speed, Level::Velocity, Read::Speed, OutputUnit::Speed, "its speed"),
    scalar(
        Target::Guided,
        Quantity::Acceleration,
        Level::Acceleration,
        Read::Acceleration,
        OutputUnit::Acceleration,
        "its acceleration",
    ),
    scalar(
        Target::Guided,
        Quantity::Effort,
        Level::Reaction,
        Read::GuidedEffort,
        OutputUnit::Effort,
        "effort that enforces the motion",
    ),
    scalar(
        Target::Drive,
        Quantity::Effort,
        Level::Velocity,
        Read::DriveEffort,
        OutputUnit::Effort,
        "gain times value; of a brake: its torque on the coordinate; of a speed control: the sum of its torques",
    ),
    scalar(
        Target::Drive,
        Quantity::Power,
        Level::Velocity,
        Read::DrivePower,
        OutputUnit::Always("W"),
        "effort times speed",
    ),
    Rule {
        size: Size::Forces,
        ..own_vector(
            Target::Tyre,
            Quantity::Force,
            Level::Velocity,
            Read::Tyre(TyreQuantity::Force),
            "N",
            "force of the road on the tyre, axes of the contact (ISO 8855 W)",
        )
    },
    Rule {
        size: Size::Moments,
        ..own_vector(
            Target::Tyre,
            Quantity::Torque,
            Level::Velocity,
            Read::Tyre(TyreQuantity::Torque),
            "N.m",
            "moments of the road on the tyre about the contact point",
        )
    },
    vector(
        Target::Tyre,
        Quantity::Position,
        Level::Position,
        Read::Tyre(TyreQuantity::ContactPoint),
        "m",
        "contact point, from the origin of W",
    ),
    scalar(
        Target::Tyre,
        Quantity::LongitudinalSlip,
        Level::Position,
        Read::Tyre(TyreQuantity::LongitudinalSlip),
        OutputUnit::Always("1"),
        "slip κ with its relaxation",
    ),
    scalar(
        Target::Tyre,
        Quantity::SlipAngle,
        Level::Position,
        Read::Tyre(TyreQuantity::SlipAngle),
        OutputUnit::Always("rad"),
        "slip angle α with its relaxation",
    ),
    scalar(
        Target::Tyre,
        Quantity::Camber,
        Level::Position,
        Read::Tyre(TyreQuantity::Camber),
        OutputUnit::Always("rad"),
        "inclination γ of the wheel to the road",
    ),
    scalar(
        Target::Tyre,
        Quantity::Deflection,
        Level::Position,
        Read::Tyre(TyreQuantity::Deflection),
        OutputUnit::Always("m"),
        "deflection along the road's normal",
    ),
    scalar(
        Target::Tyre,
        Quantity::LoadedRadius,
        Level::Position,
        Read::Tyre(TyreQuantity::LoadedRadius),
        OutputUnit::Always("m"),
        "wheel's centre to contact point",
    ),
    vector(Target::AerodynamicDrag, Quantity::Force, Level::Velocity, Read::DragForce, "N", "force of the air"),
    scalar(
        Target::FlexibleBody,
        Quantity::StrainEnergy,
        Level::Position,
        Read::StrainEnergy,
        JOULE,
        "energy of the elastic deformation",
    ),
    own_vector(
        Target::Section,
        Quantity::SectionForce,
        Level::Acceleration,
        Read::SectionForce,
        "N",
        "N, Vy, Vz in the axes of the section",
    ),
    own_vector(
        Target::Section,
        Quantity::SectionMoment,
        Level::Acceleration,
        Read::SectionMoment,
        "N.m",
        "T, My, Mz in the axes of the section",
    ),
    scalar(
        Target::Section,
        Quantity::Stress,
        Level::Acceleration,
        Read::Stress,
        OutputUnit::Always("Pa"),
        "normal stress in the `stress_point`, tension positive",
    ),
    own_vector(
        Target::Node,
        Quantity::Displacement,
        Level::Position,
        Read::Displacement,
        "m",
        "elastic displacement from the floating frame, axes of C",
    ),
    own_vector(
        Target::Node,
        Quantity::RotationAngles,
        Level::Position,
        Read::RotationAngles,
        "rad",
        "small elastic rotations from the floating frame, axes of C",
    ),
    own_vector(
        Target::Node,
        Quantity::Position,
        Level::Position,
        Read::NodePosition,
        "m",
        "position of the node, from the origin of W",
    ),
    scalar(
        Target::Mode,
        Quantity::Amplitude,
        Level::Position,
        Read::Amplitude,
        OutputUnit::Always("1"),
        "amplitude of the mass-normalised mode, in kg^½ m: its energies are ½ speed² and ½ ω² amplitude²",
    ),
    scalar(
        Target::Mode,
        Quantity::AmplitudeSpeed,
        Level::Velocity,
        Read::AmplitudeSpeed,
        OutputUnit::Always("1"),
        "its speed, in kg^½ m/s",
    ),
    scalar(
        Target::System,
        Quantity::KineticEnergy,
        Level::Velocity,
        Read::System(SystemQuantity::KineticEnergy),
        JOULE,
        "kinetic energy",
    ),
    scalar(
        Target::System,
        Quantity::PotentialEnergy,
        Level::Position,
        Read::System(SystemQuantity::PotentialEnergy),
        JOULE,
        "energy in gravity and springs",
    ),
    scalar(
        Target::System,
        Quantity::DissipatedEnergy,
        Level::State,
        Read::System(SystemQuantity::DissipatedEnergy),
        JOULE,
        "energy taken by dampers and friction since the start",
    ),
    scalar(
        Target::System,
        Quantity::InputWork,
        Level::State,
        Read::System(SystemQuantity::InputWork),
        JOULE,
        "work of inputs, drives, applied forces and guided motions since the start",
    ),
    scalar(
        Target::System,
        Quantity::EnergyBalance,
        Level::Velocity,
        Read::System(SystemQuantity::EnergyBalance),
        JOULE,
        "kinetic + potential + dissipated energy − input work",
    ),
    scalar(
        Target::System,
        Quantity::Gap,
        Level::State,
        Read::System(SystemQuantity::Gap),
        OutputUnit::Always("m"),
        "largest closure error of all loops",
    ),
    scalar(
        Target::System,
        Quantity::VelocityGap,
        Level::State,
        Read::System(SystemQuantity::VelocityGap),
        OutputUnit::Always("m/s"),
        "largest rate of closure error of all loops",
    ),
    Rule {
        kind: ScalarKind::Boolean,
        ..scalar(
            Target::System,
            Quantity::NearSingular,
            Level::State,
            Read::System(SystemQuantity::NearSingular),
            OutputUnit::Always("1"),
            "a loop passes a singular position (Boolean)",
        )
    },
    Rule {
        kind: ScalarKind::Integer,
        ..scalar(
            Target::System,
            Quantity::Repartitions,
            Level::State,
            Read::System(SystemQuantity::Repartitions),
            OutputUnit::Always("1"),
            "changes of the independent coordinates since the start (Integer)",
        )
    },
    scalar(
        Target::System,
        Quantity::LargestGap,
        Level::State,
        Read::System(SystemQuantity::Judgement(Figure::LargestGap)),
        OutputUnit::Always("m"),
        "of the run so far: largest `gap` at its output points",
    ),
    scalar(
        Target::System,
        Quantity::LargestVelocityGap,
        Level::State,
        Read::System(SystemQuantity::Judgement(Figure::LargestVelocityGap)),
        OutputUnit::Always("m/s"),
        "of the run so far: largest `velocity_gap`",
    ),
    scalar(
        Target::System,
        Quantity::EnergyChange,
        Level::State,
        Read::System(SystemQuantity::Judgement(Figure::EnergyChange)),
        JOULE,
        "of the run so far: largest deviation of `energy_balance` from its start, with its sign",
    ),
    scalar(
        Target::System,
        Quantity::EnergyExchanged,
        Level::State,
        Read::System(SystemQuantity::Judgement(Figure::EnergyExchanged)),
        JOULE,
        "of the run so far: widest range of kinetic, potential, dissipated energy or input work",
    ),
    Rule {
        kind: ScalarKind::Integer,
        ..scalar(
            Target::System,
            Quantity::NearSingularSteps,
            Level::State,
            Read::System(SystemQuantity::Judgement(Figure::NearSingularSteps)),
            OutputUnit::Always("1"),
            "of the run so far: steps that passed a singular position (Integer)",
        )
    },
    Rule {
        kind: ScalarKind::Integer,
        ..scalar(
            Target::System,
            Quantity::HalvedSteps,
            Level::State,
            Read::System(SystemQuantity::Judgement(Figure::HalvedSteps)),
            OutputUnit::Always("1"),
            "of the run so far: steps that were made in halves, see `step_halvings` (Integer)",
        )
    },
    Rule {
        kind: ScalarKind::Boolean,
        ..scalar(
            Target::System,
            Quantity::Questionable,
            Level::State,
            Read::System(SystemQuantity::Judgement(Figure::Questionable)),
            OutputUnit::Always("1"),
            "of the run so far: a figure is beyond its limit, as `run` and the FMU's log warn (Boolean)",
        )
    },
];

impl Target {
    /// Every target, in the order of the keys of `[[output]]`.
    pub const ALL: [Target; 13] = [
        Target::System,
        Target::Joint,
        Target::Body,
        Target::Spring,
        Target::Bushing,
        Target::Constraint,
        Target::Guided,
        Target::Drive,
        Target::AerodynamicDrag,
        Target::FlexibleBody,
        Target::Section,
        Target::Node,
        Target::Mode,
    ];

    /// Key of `[[output]]`; for [`Target::System`], which has none, a word for people.
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
            Target::AerodynamicDrag => "aerodynamic_drag",
            Target::FlexibleBody => "flexible_body",
            Target::Section => "section",
            Target::Node => "node",
            Target::Mode => "mode",
            Target::Tyre => "tyre",
        }
    }
}

impl Output {
    /// The target keys that are set, with the names they hold: of a part of a flexible body, the name of the body.
    pub fn targets(&self) -> Vec<(Target, &str)> {
        let keys = [
            (Target::Joint, &self.joint),
            (Target::Body, &self.body),
            (Target::Spring, &self.spring),
            (Target::Bushing, &self.bushing),
            (Target::Constraint, &self.constraint),
            (Target::Guided, &self.guided),
            (Target::Drive, &self.drive),
            (Target::Tyre, &self.tyre),
            (Target::AerodynamicDrag, &self.aerodynamic_drag),
            (self.flexible_target(), &self.flexible_body),
        ];
        keys.into_iter().filter_map(|(target, name)| Some((target, name.as_deref()?))).collect()
    }

    /// Which part of a flexible body the output looks at, if it looks at one.
    fn flexible_target(&self) -> Target {
        match (&self.section, &self.node, self.mode) {
            (Some(_), ..) => Target::Section,
            (_, Some(_), _) => Target::Node,
            (.., Some(_)) => Target::Mode,
            _ => Target::FlexibleBody,
        }
    }

    /// The row of [`RULES`] for this output; `None` when it has several targets or the quantity does not go with its target.
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
    /// Whether the coordinate behind an output is an angle or a length; springs between points are lengths, and so is
    /// whatever has no coordinate.
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
                let coupler = self.couplers.iter().find(|item| item.name == *name).map(|item| &item.coordinates[1]);
                coupler.and_then(|driven| of_joint(&driven.joint, driven.coordinate.as_deref()))
            }
            _ => None,
        };
        coordinate.map_or(Measure::Length, |coordinate| coordinate.measure)
    }

    /// What an output of a validated model gives, for people: the words of the file, and for everything that depends on axes which
    /// these are, and what a reaction includes.
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

    /// Quantity and target of an output in words, for one that the file does not describe.
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

    /// The axes of an output in words; none for a scalar.
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
            (Size::Quaternion, _) => format!("turns the axes of {second} into those of the world, continuous in sign"),
            (Size::Angles, _) => {
                let first = joint.map_or("the world".into(), |joint| format!("`{}`", joint.bodies[0]));
                format!("of {second} against the axes of {first}, roll and yaw count on after a full turn")
            }
            (_, Quantity::ReactionForce) if joint.is_some() => {
                format!("on {second}, drives, springs, friction and guides of the joint included, {axes}")
            }
            (_, Quantity::ReactionMoment) if joint.is_some() => format!(
                "on {second} about the joint's point on it, drives, springs, friction and guides of the joint included, {axes}"
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
