//! The model file as plain data: one Rust type per table of `model.toml`.
//!
//! Geometry is given in the design (assembled) position, in one global frame W or in a `[[frame]]`. Units are SI.
//! Every number that a `[[parameter]]` may replace has the type [`Number`]. The JSON schema that editors use, and that
//! [`super::load()`] checks files against, is derived from these types, so a key exists here or nowhere.

pub use crate::system::{Implicit, Integrator};

/// An enumeration of the solver whose variants have names in the file.
trait Named: Copy {
    /// The same variants with their names and descriptions.
    type Names: Serialize + for<'de> Deserialize<'de> + From<Self> + Into<Self>;
}

/// Gives an enumeration of the solver the names of another one with the same variants.
macro_rules! named {
    ($names:ident => $solver:ident: $($variant:ident),*) => {
        impl From<$solver> for $names {
            fn from(value: $solver) -> Self {
                match value {
                    $($solver::$variant => Self::$variant,)*
                }
            }
        }
        impl From<$names> for $solver {
            fn from(value: $names) -> Self {
                match value {
                    $($names::$variant => Self::$variant,)*
                }
            }
        }
        impl crate::model::schema::Named for $solver {
            type Names = $names;
        }
    };
}

/// Reads and writes fields of such an enumeration.
mod named {
    use super::Named;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Named, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        T::Names::from(*value).serialize(serializer)
    }

    pub fn deserialize<'de, T: Named, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        T::Names::deserialize(deserializer).map(Into::into)
    }
}

/// Reads and writes optional fields of such an enumeration.
mod optional_named {
    use super::Named;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Named, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        value.map(T::Names::from).serialize(serializer)
    }

    pub fn deserialize<'de, T: Named, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
        Option::<T::Names>::deserialize(deserializer).map(|value| value.map(Into::into))
    }
}

mod assembly;
mod boundary;
mod compact;
mod contact;
mod coupler;
mod flexible;
mod joint;
mod loads;
mod outputs;
mod page;
mod plot;
mod powertrain;
mod published;
mod road;
mod shape;
mod solid;
mod suspension;
mod tyre;
mod vehicle;
mod wheel_port;

pub use assembly::{Assembly, Frame, MirrorNormal, Use};
pub use boundary::{Input, Parameter};
pub(crate) use compact::{FEWER_ITEMS, MOST_ITEMS};
pub(crate) use contact::{Contact, SurfaceKind};
pub use coupler::{CamMotion, CamSegment, CoupledCoordinate, Coupler, Geneva};
use flexible::StiffeningModelName;
pub use flexible::{Deformation, SectionForces, StiffeningModel};
pub(crate) use joint::JointKindName;
pub use joint::{Curve, Joint, JointKind};
pub use loads::{Axes, Force, Signal, Torque};
pub use outputs::{Component, LowPass, Output, Quantity};
pub use page::{Control, Page, TRIGGERS};
pub use plot::Plot;
pub(crate) use powertrain::{BrakeLine, Clutch, Engine, Gearbox, Shifts, TorqueConverter};
pub use published::Published;
pub use road::{Bump, BumpKind, FrictionPatch, RandomProfile, Road, RoughnessClass};
pub(crate) use shape::{Shape, ShapeKind};
pub(crate) use solid::{Solid, SolidContact, SolidKind};
pub(crate) use suspension::{
    AerodynamicDrag, AirSpring, AntiRollBar, Brake, Damper, DrivenCoordinate, LeafSpring, SpeedControl, TorsionBar,
};
pub use tyre::{Side, Tyre};
pub use vehicle::{DrivenBrake, DrivenLeg, Driver, Stop, Vehicle};
pub(crate) use wheel_port::WheelPort;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// A number, or the name of a `[[parameter]]` that stands for it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Number {
    /// A number.
    Value(f64),
    /// The name of a parameter in quotes.
    Parameter(String),
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Number::Value(value)
    }
}

/// Three numbers in the global frame W.
pub type Vector = [Number; 3];

/// A place in the design position: the name of a hardpoint, or coordinates in m in the global frame W.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Place {
    /// The name of a point in quotes.
    Point(String),
    /// Three coordinates in m.
    At(Vector),
}

/// One number, or one number per coordinate of a joint.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PerCoordinate {
    /// A number for the only coordinate of the joint.
    One(Number),
    /// An array with one number per coordinate.
    Each(Vec<Number>),
}

/// A whole model file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Name, gravity and solver settings.
    #[serde(rename = "model")]
    pub general: General,
    /// Default experiment: start, stop, output interval.
    #[serde(default)]
    pub experiment: Experiment,
    /// The size of a model of the same system in a publication.
    pub published: Option<Published>,
    /// Hardpoints: name to coordinates in m, in the global frame, design position.
    #[serde(default)]
    pub points: std::collections::BTreeMap<String, Vector>,
    /// Frames in which items and points may be given. Loading gives all of them in W.
    #[serde(default, rename = "frame")]
    pub frames: Vec<Frame>,
    /// Subassemblies: files with further tables, each as often as needed. Loading replaces them by their tables.
    #[serde(default, rename = "use")]
    pub uses: Vec<Use>,
    /// Rigid bodies. The name `ground` is taken: it is the world.
    #[serde(default, rename = "body")]
    pub bodies: Vec<Body>,
    /// Flexible bodies, each by a reduced-order model. Their interfaces are named `body.interface` wherever a body is
    /// named.
    #[serde(default, rename = "flexible_body")]
    pub flexible_bodies: Vec<FlexibleBody>,
    /// Joints between bodies; the program decides which of them become cuts of loops.
    #[serde(default, rename = "joint")]
    pub joints: Vec<Joint>,
    /// Curves that joints run along.
    #[serde(default, rename = "curve")]
    pub curves: Vec<Curve>,
    /// Slender rods between two spherical joints, removed from the tree, with exact inertia.
    #[serde(default, rename = "rod")]
    pub rods: Vec<Rod>,
    /// Linear relations between two joint coordinates: gears, belts, couplers.
    #[serde(default, rename = "coupler")]
    pub couplers: Vec<Coupler>,
    /// Rack and pinion: rack travel = radius times pinion angle.
    #[serde(default, rename = "rack_and_pinion")]
    pub racks: Vec<RackAndPinion>,
    /// A point of one body stays on a line of another.
    #[serde(default, rename = "point_on_line")]
    pub points_on_line: Vec<PointOnLine>,
    /// A point of one body stays in a plane of another.
    #[serde(default, rename = "point_in_plane")]
    pub points_in_plane: Vec<PointInPlane>,
    /// Curves of two bodies that touch each other in their plane.
    #[serde(default, rename = "curve_on_curve")]
    pub curves_on_curves: Vec<CurveOnCurve>,
    /// Joint coordinates prescribed in time.
    #[serde(default)]
    pub guided: Vec<Guided>,
    /// Translational spring-dampers.
    #[serde(default, rename = "spring")]
    pub springs: Vec<Spring>,
    /// Spring-dampers on a joint coordinate (an angle, or a travel).
    #[serde(default, rename = "joint_spring")]
    pub joint_springs: Vec<JointSpring>,
    /// Six-component elastic bushings.
    #[serde(default, rename = "bushing")]
    pub bushings: Vec<Bushing>,
    /// One-sided elastic stops on a joint coordinate or between two points.
    #[serde(default, rename = "bump_stop")]
    pub bump_stops: Vec<BumpStop>,
    /// Telescopic dampers with different laws in bump and rebound.
    #[serde(default, rename = "damper")]
    pub dampers: Vec<Damper>,
    /// Multi-leaf springs with friction between the leaves.
    #[serde(default, rename = "leaf_spring")]
    pub leaf_springs: Vec<LeafSpring>,
    /// Air springs.
    #[serde(default, rename = "air_spring")]
    pub air_springs: Vec<AirSpring>,
    /// Torsion bars on a joint coordinate.
    #[serde(default, rename = "torsion_bar")]
    pub torsion_bars: Vec<TorsionBar>,
    /// Anti-roll bars as forces.
    #[serde(default, rename = "anti_roll_bar")]
    pub anti_roll_bars: Vec<AntiRollBar>,
    /// Brakes on a joint coordinate.
    #[serde(default, rename = "brake")]
    pub brakes: Vec<Brake>,
    /// Drag and lift of the air.
    #[serde(default, rename = "aerodynamic_drag")]
    pub drags: Vec<AerodynamicDrag>,
    /// Drivers who hold a speed.
    #[serde(default, rename = "speed_control")]
    pub speed_controls: Vec<SpeedControl>,
    /// Drivers who follow a path.
    #[serde(default, rename = "driver")]
    pub drivers: Vec<Driver>,
    /// Pressures at wheels, with valves and slip control.
    #[serde(default, rename = "brake_line")]
    pub brake_lines: Vec<BrakeLine>,
    /// Engines and motors by a map of speed and throttle.
    #[serde(default, rename = "engine")]
    pub engines: Vec<Engine>,
    /// Clutches, and locks of differentials.
    #[serde(default, rename = "clutch")]
    pub clutches: Vec<Clutch>,
    /// Gearboxes.
    #[serde(default, rename = "gearbox")]
    pub gearboxes: Vec<Gearbox>,
    /// Hydrodynamic torque converters.
    #[serde(default, rename = "torque_converter")]
    pub torque_converters: Vec<TorqueConverter>,
    /// Forces at a point of a body.
    #[serde(default, rename = "force")]
    pub forces: Vec<Force>,
    /// Torques on a body.
    #[serde(default, rename = "torque")]
    pub torques: Vec<Torque>,
    /// Dry friction with sticking, and viscous friction, on a joint coordinate.
    #[serde(default, rename = "friction")]
    pub frictions: Vec<Friction>,
    /// Generalized forces (torque or force) on a joint coordinate, from an input.
    #[serde(default, rename = "drive")]
    pub drives: Vec<Drive>,
    /// Height and friction of the ground under tyres.
    #[serde(default, rename = "road")]
    pub roads: Vec<Road>,
    /// Tyres on wheels.
    #[serde(default, rename = "tyre")]
    pub tyres: Vec<Tyre>,
    /// Points and spheres of bodies that touch surfaces.
    #[serde(default, rename = "contact")]
    pub contacts: Vec<Contact>,
    /// Solids that touch each other, by `[[solid_contact]]`.
    #[serde(default, rename = "solid")]
    pub solids: Vec<Solid>,
    /// Which solids touch, and how.
    #[serde(default, rename = "solid_contact")]
    pub solid_contacts: Vec<SolidContact>,
    /// Wheels whose tyres are computed outside.
    #[serde(default, rename = "wheel_port")]
    pub wheel_ports: Vec<WheelPort>,
    /// Values that enter across the FMI boundary at every step.
    #[serde(default, rename = "input")]
    pub inputs: Vec<Input>,
    /// Values that may be changed without editing the file.
    #[serde(default, rename = "parameter")]
    pub parameters: Vec<Parameter>,
    /// Values that leave across the FMI boundary.
    #[serde(default, rename = "output")]
    pub outputs: Vec<Output>,
    /// What bodies look like in pictures: boxes, cylinders, spheres, capsules, meshes. They change no result.
    #[serde(default, rename = "shape")]
    pub shapes: Vec<Shape>,
    /// Panels of the picture that `ballesta run --plot` draws. Default: one per unit, with all outputs.
    #[serde(default, rename = "plot")]
    pub plots: Vec<Plot>,
    /// Sliders, keys and gamepad of a live page. Default: a slider for every input; keys and gamepad for those with
    /// steer, brake, throttle, accelerator or speed in their names.
    pub page: Option<Page>,
    /// What a manoeuvre drives and measures.
    pub vehicle: Option<Vehicle>,
}

/// `[model]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct General {
    /// Name of the model: letters, digits and `_`, not starting with a digit. It names the FMU.
    pub name: String,
    /// Short description, one paragraph.
    #[serde(default)]
    pub description: String,
    /// Version of the model, as `modelDescription.xml` of the FMU says it.
    pub version: Option<String>,
    /// Who made the model, for the same place.
    pub author: Option<String>,
    /// Who holds the rights in the model, for the same place.
    pub copyright: Option<String>,
    /// Licence of the model, for the same place. The solver inside the FMU has its own.
    pub license: Option<String>,
    /// Acceleration of gravity in m/s², global frame. Default: none.
    #[serde(default = "no_gravity")]
    pub gravity: Vector,
    /// Internal fixed step in s. Default 1e-3.
    #[serde(default = "default_step")]
    pub step: f64,
    /// Fixed-step scheme. Default `rk4`.
    #[serde(default, with = "named")]
    #[schemars(with = "IntegratorName")]
    pub integrator: Integrator,
    /// Of `generalized_alpha`: spectral radius at infinite frequency, from 0 (what the step does not resolve is gone
    /// after a few steps) to 1 (nothing is damped). Default 0.8.
    pub spectral_radius: Option<f64>,
    /// Of `generalized_alpha`: what is treated implicitly. Default `stiff`.
    #[serde(default, with = "optional_named")]
    #[schemars(with = "Option<ImplicitName>")]
    pub implicit: Option<Implicit>,
    /// Of `generalized_alpha`: modes of flexible bodies with ω h above this (rad per step), ω that of the body alone,
    /// are quasi-static: they respond like massless springs, without inertia. Default: none, all modes are dynamic.
    pub resolution: Option<f64>,
    /// Of `rk4`, for models with loops: how often a step may be halved where its stages disagree, from 0 (never) to 8.
    /// Default 4.
    pub step_halvings: Option<u32>,
    /// Of `augmented_lagrangian`: weight of a loop equation relative to the inertia that it meets, from 1 to 1e12. An
    /// iteration leaves 1 / (1 + `penalty`) of a gap. Default 1e6.
    pub penalty: Option<f64>,
    /// Of `augmented_lagrangian`: change of the positions, relative to the mechanism's length, at which a step's
    /// iteration ends, from 1e-15 to 1e-3. A tenth of it is the largest gap. Default 1e-12.
    pub tolerance: Option<f64>,
    /// Of `augmented_lagrangian`: iterations after which a step that does not converge is a fault, from 2 to 1000.
    /// Default 40.
    pub max_iterations: Option<u32>,
    /// The step of the file where another one was taken instead, s ([`General::take_step`]).
    #[serde(skip)]
    pub step_of_file: Option<f64>,
    /// Whether an FMU of the model has the hold mode; whoever exports it decides.
    #[serde(skip)]
    pub hold_mode: bool,
}

impl General {
    /// Takes `step` (s) instead of that of the file. The limits of `step_halvings` stay those of the file's step and
    /// go with the order of the scheme, so that steps are compared by the error of the scheme alone.
    pub fn take_step(&mut self, step: f64) {
        self.step_of_file.get_or_insert(self.step);
        self.step = step;
    }
}

fn no_gravity() -> Vector {
    [0.0.into(), 0.0.into(), 0.0.into()]
}

fn default_step() -> f64 {
    1e-3
}

/// The smallest and largest `penalty`: below, multipliers have to find more than half of a gap's force in every
/// iteration; above, no more than 4 of 16 digits of the inertia are left in the tangent matrix.
pub(crate) const PENALTIES: RangeInclusive<f64> = 1.0..=1e12;
/// The smallest and largest `tolerance`: round-off allows no less, and more is no solution.
pub(crate) const TOLERANCES: RangeInclusive<f64> = 1e-15..=1e-3;
/// The smallest and largest `max_iterations`: one iteration cannot show that it was enough, and a step stays bounded.
pub(crate) const ITERATIONS: RangeInclusive<u32> = 2..=1000;

/// Fixed-step integration scheme.
// What is known of each: a row of `super::integrators`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Integrator", rename_all = "snake_case")]
enum IntegratorName {
    /// Classical Runge-Kutta, order 4, four evaluations.
    Rk4,
    /// Heun's method, order 2, two evaluations.
    Heun,
    /// Velocities first, then positions with the new velocities; order 1, one evaluation.
    SemiImplicitEuler,
    /// Generalized-alpha method, implicit in the stiffness and damping of flexible bodies, springs, bushings, stops and
    /// friction; order 2, one evaluation and one linear solve, no iteration.
    GeneralizedAlpha,
    /// Index-3 augmented Lagrangian with projections of velocities and accelerations, trapezoidal rule; order 2,
    /// iterated to convergence at every step. A second opinion: all coordinates are integrated, the loops are
    /// constraints, no independent coordinates are chosen.
    AugmentedLagrangian,
    /// The exact solution for loads that are linear in time during a step; for linear flexible bodies fixed to the
    /// ground, alone.
    Exponential,
}

named!(IntegratorName => Integrator: Rk4, Heun, SemiImplicitEuler, GeneralizedAlpha, AugmentedLagrangian, Exponential);

/// What an implicit scheme takes along implicitly.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Implicit", rename_all = "snake_case")]
enum ImplicitName {
    /// Stiffness and damping of flexible bodies, springs, bushings, stops and friction.
    Stiff,
    /// All forces, inertia forces included, by differences: one more evaluation of the open chain per coordinate and
    /// step.
    All,
}

named!(ImplicitName => Implicit: Stiff, All);

/// `[experiment]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Experiment {
    /// Start time in s. Default 0.
    pub start: f64,
    /// Stop time in s. Default 1.
    pub stop: f64,
    /// Output and communication interval in s. Default: the internal step of `[model]`.
    pub step: Option<f64>,
    /// `true`: a simulation starts in the equilibrium near the assembled position, a vehicle on tyres in steady driving
    /// at the speed of its start. Default `false`.
    pub trim: bool,
}

impl Default for Experiment {
    fn default() -> Self {
        Experiment { start: 0.0, stop: 1.0, step: None, trim: false }
    }
}

/// `[[body]]`: a rigid body. Its frame B has the axes of W in the design position and its origin at `com`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// Mass in kg. A rotor whose weight another body has says `mass = 0` and has an inertia. Default 0, allowed where
    /// the rest of the mechanism gives the motion an inertia.
    #[serde(default = "zero")]
    pub mass: Number,
    /// Centre of mass in the design position. Default: the point of the first joint in the file that has a point and
    /// names the body second; else of the first that has one and names it first.
    pub com: Option<Place>,
    /// Inertia about the centre of mass in kg m², axes of W: xx, yy, zz, xy, yz, xz. `xy` is the matrix entry
    /// (−∫xy dm). Default: none.
    pub inertia: Option<[Number; 6]>,
    /// Frame in which `inertia` and the numbers of `com` are given. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<String>,
}

/// `[[flexible_body]]`: a body whose small elastic deformation a reduced-order model describes (`ballesta reduce`).
///
/// Joints, forces, rods, springs and outputs name its interfaces like bodies: `beam.tip`. The name of the body alone
/// means its floating frame.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlexibleBody {
    /// Unique name, also among rigid bodies and interfaces.
    pub name: String,
    /// File of the reduced-order model: a path from the folder of the model file that stays inside it. `/` separates
    /// folders.
    pub rom: String,
    /// Where the origin of the reduced-order model's frame C is in the design position. Default: the origin of W.
    pub position: Option<Place>,
    /// Direction of the x axis of C in W, design position. Default: the x axis of W.
    pub x_axis: Option<Vector>,
    /// Direction of the y axis of C in W, as far as it is perpendicular to `x_axis`. Default: the y axis of W.
    pub y_axis: Option<Vector>,
    /// Frame in which `x_axis`, `y_axis` and the numbers of `position` are given, their defaults too. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<String>,
    /// Floating frame: the name of an interface with all directions, to which the frame is then tangent, or `mean_axis`
    /// (no momentum of the deformation in the frame). Default `mean_axis`; an interface is the better choice where that
    /// is fixed or guided.
    pub frame: Option<String>,
    /// Stiffening by internal forces. Default `general` when the reduced-order model has it, else `none`.
    #[serde(default, with = "optional_named")]
    #[schemars(with = "Option<StiffeningModelName>")]
    pub stiffening: Option<StiffeningModel>,
    /// How many elastic modes are kept, from the lowest, at least 1. Default: all.
    pub modes: Option<usize>,
    /// Damping ratio of all modes, 0 or more and less than 1, instead of the damping of the reduced-order model.
    pub damping_ratio: Option<Number>,
    /// Elastic deformation at the start. Default `none`.
    #[serde(default)]
    pub deformation: Deformation,
    /// What section forces and stresses are computed from. Default `mode_acceleration`.
    #[serde(default)]
    pub section_forces: SectionForces,
}

fn zero() -> Number {
    Number::Value(0.0)
}

/// `[[rod]]`: a uniform slender bar between spherical joints at `points`; its length is the distance in the design
/// position.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rod {
    /// Unique name.
    pub name: String,
    /// The bodies at the two ends.
    pub bodies: [String; 2],
    /// The two ends.
    pub points: [Place; 2],
    /// Mass in kg. Default 0.
    #[serde(default = "zero")]
    pub mass: Number,
}

/// A joint coordinate: the joint and, where it has several, the coordinate's name.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoordinateRef {
    /// Name of the joint.
    pub joint: String,
    /// Name of the coordinate, as listed at the joint kinds; needed when the joint has more than one.
    pub coordinate: Option<String>,
}

/// `[[rack_and_pinion]]`: travel of the rack = radius · angle of the pinion.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RackAndPinion {
    /// Unique name.
    pub name: String,
    /// Rotating coordinate.
    pub pinion: CoordinateRef,
    /// Translating coordinate.
    pub rack: CoordinateRef,
    /// Pitch radius in m; its sign gives the sense.
    pub radius: Number,
}

/// `[[point_on_line]]`: the point of the second body stays on a line of the first.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointOnLine {
    /// Unique name.
    pub name: String,
    /// Body with the line, body with the point.
    pub bodies: [String; 2],
    /// The point, on the line in the design position.
    pub point: Place,
    /// Direction of the line.
    pub axis: Vector,
    /// Frame in which `axis` and the numbers of `point` are given. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<String>,
}

/// `[[point_in_plane]]`: the point of the second body stays in a plane of the first, or its curve touches it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointInPlane {
    /// Unique name.
    pub name: String,
    /// Body with the plane, body with the point or the curve.
    pub bodies: [String; 2],
    /// The point, in the plane in the design position. With `curve`: any place of the plane.
    pub point: Place,
    /// Normal of the plane. With `curve` it points from the plane to the curve.
    pub normal: Vector,
    /// In place of the point of the second body: name of a `[[curve]]` that is fixed to it, closed and convex, and
    /// touches the plane.
    pub curve: Option<String>,
    /// Frame in which `normal` and the numbers of `point` are given. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<String>,
}

/// `[[curve_on_curve]]`: a plane curve of the second body touches one of the first, in one plane.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurveOnCurve {
    /// Unique name.
    pub name: String,
    /// The two bodies.
    pub bodies: [String; 2],
    /// Names of the `[[curve]]` that is fixed to the first body, and of that which is fixed to the second.
    pub curves: [String; 2],
    /// Where they touch in the design position, to a thousandth of the length of either.
    pub point: Place,
    /// `true`: they roll on each other without slip. Default `false`: they slide without friction.
    #[serde(default)]
    pub rolling: bool,
    /// Frame in which the numbers of `point` are given. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<String>,
}

/// `[[guided]]`: a joint coordinate that follows a motion given in time. Exactly one of `motion`, `table`, `input`,
/// `inputs` says which.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Guided {
    /// Unique name.
    pub name: String,
    /// Name of the joint.
    pub joint: String,
    /// Coordinate of the joint; needed when it has more than one.
    pub coordinate: Option<String>,
    /// Constant speed plus a sine.
    pub motion: Option<Motion>,
    /// From rest to a constant speed.
    pub spin_up: Option<SpinUp>,
    /// Rows of time in s and position in rad or m; a natural cubic spline (twice differentiable) passes through them.
    pub table: Option<Vec<[f64; 2]>>,
    /// An input that gives the requested position; a critically damped third-order filter makes it twice
    /// differentiable.
    pub input: Option<String>,
    /// Corner frequency of that filter in Hz; needed with `input`.
    pub filter_frequency: Option<Number>,
    /// Three inputs that give position, speed and acceleration, consistent with each other.
    pub inputs: Option<[String; 3]>,
    /// Of `input` and `inputs`: position per input, such as the travel of a rack per angle of a steering wheel. Default
    /// 1.
    pub gain: Option<Number>,
}

/// position(t) = offset + speed·t + amplitude·sin(2π·frequency·t + phase), t in s since time zero.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Motion {
    /// rad or m. Default 0.
    #[serde(default = "zero")]
    pub offset: Number,
    /// rad/s or m/s. Default 0.
    #[serde(default = "zero")]
    pub speed: Number,
    /// rad or m. Default 0.
    #[serde(default = "zero")]
    pub amplitude: Number,
    /// Hz. Default 0.
    #[serde(default = "zero")]
    pub frequency: Number,
    /// rad. Default 0.
    #[serde(default = "zero")]
    pub phase: Number,
}

/// position(t) = speed/time · (t²/2 + (time/2π)² (cos(2π·t/time) − 1)) for 0 ≤ t ≤ time, then speed · (t − time/2); 0
/// before.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpinUp {
    /// Speed that is reached, rad/s or m/s.
    pub speed: Number,
    /// Time it takes, s.
    pub time: Number,
}

/// `[[spring]]`: spring-damper along the line between two points; tension positive.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spring {
    /// Unique name.
    pub name: String,
    /// The bodies at the two ends.
    pub bodies: [String; 2],
    /// The two ends.
    pub points: [Place; 2],
    /// Stiffness in N/m. Default 0.
    #[serde(default = "zero")]
    pub stiffness: Number,
    /// Damping in N s/m. Default 0.
    #[serde(default = "zero")]
    pub damping: Number,
    /// Free length in m. Default: the distance of the points in the design position.
    pub free_length: Option<Number>,
    /// Force added at every length in N, tension positive. Default 0.
    #[serde(default = "zero")]
    pub preload: Number,
    /// Rows of elongation in m and force in N, instead of `stiffness`; linear between rows and beyond the ends.
    pub force_table: Option<Vec<[f64; 2]>>,
    /// Rows of elongation speed in m/s and force in N, instead of `damping`.
    pub damping_table: Option<Vec<[f64; 2]>>,
}

/// `[[joint_spring]]`: spring-damper on a joint coordinate; resists positive coordinates.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointSpring {
    /// Unique name.
    pub name: String,
    /// Name of the joint.
    pub joint: String,
    /// Coordinate of the joint; needed when it has more than one.
    pub coordinate: Option<String>,
    /// Stiffness in N m/rad or N/m. Default 0.
    #[serde(default = "zero")]
    pub stiffness: Number,
    /// Damping in N m s/rad or N s/m. Default 0.
    #[serde(default = "zero")]
    pub damping: Number,
    /// Coordinate at which the spring is free, in rad or m. Default 0, the design position.
    #[serde(default = "zero")]
    pub free_position: Number,
    /// Effort added at every position, N m or N; acts like a stretched spring, against positive coordinates. Default 0.
    #[serde(default = "zero")]
    pub preload: Number,
    /// Rows of deflection in rad or m and effort in N m or N, instead of `stiffness`.
    pub force_table: Option<Vec<[f64; 2]>>,
    /// Rows of speed and effort, instead of `damping`.
    pub damping_table: Option<Vec<[f64; 2]>>,
}

/// `[[bushing]]`: elastic joint with three translational and three rotational stiffness and damping values.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bushing {
    /// Unique name.
    pub name: String,
    /// The two bodies.
    pub bodies: [String; 2],
    /// Where it is, undeformed, in the design position.
    pub point: Place,
    /// First axis of the bushing in W. Default x.
    pub axis: Option<Vector>,
    /// Second axis of the bushing in W, perpendicular to the first. Default: y, or the axis nearest to it.
    pub second_axis: Option<Vector>,
    /// Frame in which axes and the numbers of `point` are given, defaults of the axes too. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<String>,
    /// Stiffness: three in N/m along the bushing's axes, three in N m/rad about them.
    pub stiffness: [Number; 6],
    /// Damping: three in N s/m, three in N m s/rad. Default 0.
    pub damping: Option<[Number; 6]>,
    /// Load on the second body in the undeformed state: three in N, three in N m. Default 0.
    pub preload: Option<[Number; 6]>,
}

/// `[[bump_stop]]`: elastic stop that acts outside a range of a joint coordinate, or of the distance of two points, and
/// never pulls back.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BumpStop {
    /// Unique name.
    pub name: String,
    /// Name of the joint. Either this, or `bodies` and `points`.
    pub joint: Option<String>,
    /// Coordinate of the joint; needed when it has more than one.
    pub coordinate: Option<String>,
    /// The bodies at the two ends, instead of `joint`.
    pub bodies: Option<[String; 2]>,
    /// The two ends.
    pub points: Option<[Place; 2]>,
    /// Lower end of the free range in rad or m; of two points, of their distance. Default: none.
    pub lower: Option<Number>,
    /// Upper end of the free range in rad or m. Default: none.
    pub upper: Option<Number>,
    /// Stiffness in N m/rad^exponent or N/m^exponent. Either this or `force_table`.
    pub stiffness: Option<Number>,
    /// Exponent of the penetration. Default 1.
    #[serde(default = "one")]
    pub exponent: Number,
    /// Rows of penetration in rad or m and effort in N m or N, from [0, 0] up, instead of `stiffness` and `exponent`.
    pub force_table: Option<Vec<[f64; 2]>>,
    /// Damping in N m s/rad or N s/m; acts while in contact, reduced so that the stop never pulls. Default 0.
    #[serde(default = "zero")]
    pub damping: Number,
    /// Penetration in rad or m at which the damping is complete; it rises smoothly from 0 at contact. Default 0: at
    /// once.
    #[serde(default = "zero")]
    pub damping_depth: Number,
}

fn one() -> Number {
    Number::Value(1.0)
}

/// `[[friction]]`: dry friction that sticks, and viscous friction: effort = −(dry friction + viscous · speed).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Friction {
    /// Unique name.
    pub name: String,
    /// Name of the joint.
    pub joint: String,
    /// Coordinate of the joint; needed when it has more than one.
    pub coordinate: Option<String>,
    /// Dry friction while it slides, in N m or N. Default 0.
    #[serde(default = "zero")]
    pub coulomb: Number,
    /// Largest load that it holds at rest (breakaway), in N m or N. Default `coulomb`.
    #[serde(rename = "static")]
    pub breakaway: Option<Number>,
    /// Speed over which friction falls from `static` to `coulomb`, in rad/s or m/s; needed with `static`.
    pub stribeck_speed: Option<Number>,
    /// Travel in rad or m by which it yields elastically up to breakaway; needed with dry friction.
    pub presliding: Option<Number>,
    /// Time constant in s of the damping while it sticks. Default 0.002.
    #[serde(default = "suspension::bristle_time")]
    pub time: Number,
    /// Viscous friction in N m s/rad or N s/m. Default 0.
    #[serde(default = "zero")]
    pub viscous: Number,
}

/// `[[drive]]`: torque or force on a joint coordinate.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drive {
    /// Unique name.
    pub name: String,
    /// Name of the joint.
    pub joint: String,
    /// Coordinate of the joint; needed when it has more than one.
    pub coordinate: Option<String>,
    /// Effort in N m or N: a number, an input or a parameter.
    pub value: Signal,
    /// Factor on it. Default 1.
    #[serde(default = "one")]
    pub gain: Number,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::coordinates::JOINTS;
    use crate::system::integrators::SCHEMES;

    #[test]
    fn tables_of_joints_and_integrators_have_the_names_of_the_file() {
        for row in JOINTS {
            assert_eq!(serde_json::to_value(JointKindName::from(row.kind)).unwrap(), row.name);
        }
        for row in SCHEMES {
            assert_eq!(serde_json::to_value(IntegratorName::from(row.integrator)).unwrap(), row.name);
            let name: IntegratorName = serde_json::from_value(row.name.into()).unwrap();
            assert_eq!(Integrator::from(name), row.integrator);
        }
    }
}
