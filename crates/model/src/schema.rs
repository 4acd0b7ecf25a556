//! The model file as plain data: one Rust type per table of `model.toml`.
//!
//! Geometry is given in the design (assembled) position, in one global frame W or in a `[[frame]]`. Units are SI. Every
//! number that a `[[parameter]]` may replace has the type [`Number`]. The JSON schema that editors use, and that
//! [`super::load()`] checks files against, is derived from these types, which define all keys.

pub use ballesta_solver::system::{Implicit, Integrator};

mod assembly;
mod boundary;
mod compact;
mod contact;
mod coupler;
mod flexible;
mod joint;
pub mod kinds;
mod laws;
mod loads;
mod named;
mod outputs;
mod page;
mod plot;
mod powertrain;
mod published;
mod road;
mod shape;
mod solid;
mod springs;
mod suspension;
mod tyre;
mod vehicle;
mod wheel_port;

pub use assembly::{Assembly, Frame, MirrorNormal, Use};
pub use boundary::{Input, Parameter};
pub use compact::{FEWER_ITEMS, MAX_ITEMS};
pub use contact::{Contact, SurfaceKind};
pub use coupler::{CamMotion, CamSegment, CoupledCoordinate, Coupler, Geneva};
pub use flexible::{Deformation, SectionForces, StiffeningModel};
pub use joint::JointKindName;
pub use joint::{Curve, Joint, JointKind};
pub use kinds::Signal;
pub use laws::{BallStop, Cable, CableSense, Expression, ExpressionVariable, Freewheel};
pub use loads::{Axes, Force, Torque};
pub use outputs::{Component, LowPass, Output, Quantity};
pub use page::{Control, Page, TRIGGERS};
pub use plot::Plot;
pub use powertrain::{BrakeLine, Clutch, Engine, Gearbox, Shifts, TorqueConverter};
pub use published::Published;
pub use road::{Bump, BumpKind, FrictionPatch, RandomProfile, Road, RoughnessClass};
pub use shape::{Shape, ShapeKind};
pub use solid::{Solid, SolidContact, SolidKind};
pub use springs::{BumpStop, Bushing, Drive, Friction, JointSpring, Spring};
pub use suspension::{
    AerodynamicDrag, AirSpring, AntiRollBar, Brake, Damper, DrivenCoordinate, LeafSpring, SpeedControl, TorsionBar,
};
pub use tyre::{Side, Tyre};
pub use vehicle::{DrivenBrake, DrivenLeg, Driver, Stop, Vehicle};
pub use wheel_port::WheelPort;

use crate::geometry::{Geometry, New};
use ballesta_solver::math::Vec3;
use kinds::*;
use serde::{Deserialize, Serialize};

/// A number, or the name of a `[[parameter]]`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

impl From<&str> for Number {
    fn from(name: &str) -> Self {
        Number::Parameter(name.to_string())
    }
}

/// Numbers of a vector or a list; a negative zero becomes 0.
pub fn numbers<const N: usize>(values: impl Into<[f64; N]>) -> [Number; N] {
    values.into().map(|value| Number::Value(value + 0.0))
}

/// Three numbers in the global frame W.
pub type Vector = [Number; 3];

/// A place in the design position: the name of a hardpoint, or coordinates in m in the global frame W.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Place {
    /// The name of a point in quotes.
    Point(String),
    /// Three coordinates in m.
    At(Vector),
}

impl From<Vec3> for Place {
    fn from(position: Vec3) -> Self {
        Place::At(numbers(position))
    }
}

impl From<&str> for Place {
    fn from(name: &str) -> Self {
        Place::Point(name.to_string())
    }
}

/// One number, or one number per coordinate of a joint.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum PerCoordinate {
    /// A number for the only coordinate of the joint.
    One(Number),
    /// An array with one number per coordinate.
    Each(Vec<Number>),
}

/// A whole model file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Model {
    /// Name, gravity and solver settings.
    #[serde(rename = "model")]
    #[geometry(skip)]
    pub general: General,
    /// Default experiment: start, stop, output interval.
    #[serde(default)]
    #[geometry(skip)]
    pub experiment: Experiment,
    /// Size of a published model of the same system.
    #[geometry(skip)]
    pub published: Option<Published>,
    /// Hardpoints: name to coordinates in m, in the global frame, design position.
    #[serde(default)]
    pub points: std::collections::BTreeMap<String, [Scalar; 3]>,
    /// Local frames for items and points. Loading converts everything to W.
    #[serde(default, rename = "frame")]
    pub frames: Vec<Frame>,
    /// Subassemblies: files with further tables. Loading expands each use into the tables of its file.
    #[serde(default, rename = "use")]
    #[geometry(skip)]
    pub uses: Vec<Use>,
    /// Rigid bodies. The name `ground` is reserved for the world.
    #[serde(default, rename = "body")]
    pub bodies: Vec<Body>,
    /// Flexible bodies, each with a reduced-order model. Their interfaces are bodies with the name `body.interface`.
    #[serde(default, rename = "flexible_body")]
    pub flexible_bodies: Vec<FlexibleBody>,
    /// Joints between bodies. The program chooses which of them are cut to open loops.
    #[serde(default, rename = "joint")]
    pub joints: Vec<Joint>,
    /// Curves for joints, faces and other curves.
    #[serde(default, rename = "curve")]
    pub curves: Vec<Curve>,
    /// Slender rods between two spherical joints, with exact inertia and without a body of their own.
    #[serde(default, rename = "rod")]
    pub rods: Vec<Rod>,
    /// Relations between joint coordinates: gears, belts, cams, differentials.
    #[serde(default, rename = "coupler")]
    pub couplers: Vec<Coupler>,
    /// Rack and pinion: rack travel = radius times pinion angle.
    #[serde(default, rename = "rack_and_pinion")]
    pub racks: Vec<RackAndPinion>,
    /// A point of one body remains on a line of another body.
    #[serde(default, rename = "point_on_line")]
    pub points_on_line: Vec<PointOnLine>,
    /// A point or a curve of one body touches a plane of another body.
    #[serde(default, rename = "point_in_plane")]
    pub points_in_plane: Vec<PointInPlane>,
    /// Contact between planar curves of two bodies.
    #[serde(default, rename = "curve_on_curve")]
    pub curves_on_curves: Vec<CurveOnCurve>,
    /// Prescribed motions of joint coordinates.
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
    /// Telescopic dampers with separate laws for bump and rebound.
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
    /// Anti-roll bars as force elements.
    #[serde(default, rename = "anti_roll_bar")]
    pub anti_roll_bars: Vec<AntiRollBar>,
    /// Brakes on a joint coordinate.
    #[serde(default, rename = "brake")]
    pub brakes: Vec<Brake>,
    /// Aerodynamic drag and lift.
    #[serde(default, rename = "aerodynamic_drag")]
    pub drags: Vec<AerodynamicDrag>,
    /// Speed controllers.
    #[serde(default, rename = "speed_control")]
    pub speed_controls: Vec<SpeedControl>,
    /// Driver models that follow a path.
    #[serde(default, rename = "driver")]
    pub drivers: Vec<Driver>,
    /// Brake pressures at wheels, with valves and slip control.
    #[serde(default, rename = "brake_line")]
    pub brake_lines: Vec<BrakeLine>,
    /// Engines and motors with a map of speed and throttle.
    #[serde(default, rename = "engine")]
    pub engines: Vec<Engine>,
    /// Clutches and differential locks.
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
    /// Torques or forces on a joint coordinate.
    #[serde(default, rename = "drive")]
    pub drives: Vec<Drive>,
    /// Cables over points of bodies.
    #[serde(default, rename = "cable")]
    pub cables: Vec<Cable>,
    /// Couplings that turn freely in one sense.
    #[serde(default, rename = "freewheel")]
    pub freewheels: Vec<Freewheel>,
    /// Elastic limits of the rotation between two bodies.
    #[serde(default, rename = "ball_stop")]
    pub ball_stops: Vec<BallStop>,
    /// Efforts and tensions given by a formula.
    #[serde(default, rename = "expression")]
    pub expressions: Vec<Expression>,
    /// Height and friction of the ground under tyres.
    #[serde(default, rename = "road")]
    pub roads: Vec<Road>,
    /// Tyres on wheels.
    #[serde(default, rename = "tyre")]
    pub tyres: Vec<Tyre>,
    /// Contacts between points or spheres of a body and a surface.
    #[serde(default, rename = "contact")]
    pub contacts: Vec<Contact>,
    /// Solids on bodies, for `[[solid_contact]]`.
    #[serde(default, rename = "solid")]
    pub solids: Vec<Solid>,
    /// Contacts between solids.
    #[serde(default, rename = "solid_contact")]
    pub solid_contacts: Vec<SolidContact>,
    /// Wheels with an external tyre model.
    #[serde(default, rename = "wheel_port")]
    pub wheel_ports: Vec<WheelPort>,
    /// FMU inputs.
    #[serde(default, rename = "input")]
    pub inputs: Vec<Input>,
    /// Values that can be set without editing the file.
    #[serde(default, rename = "parameter")]
    pub parameters: Vec<Parameter>,
    /// FMU outputs.
    #[serde(default, rename = "output")]
    pub outputs: Vec<Output>,
    /// Shapes of bodies in pictures: boxes, cylinders, spheres, capsules, meshes. They do not affect results.
    #[serde(default, rename = "shape")]
    pub shapes: Vec<Shape>,
    /// Panels in the picture of `ballesta run --plot`. Default: one per unit, with all outputs.
    #[serde(default, rename = "plot")]
    pub plots: Vec<Plot>,
    /// Sliders, keys and gamepad controls of a live page. Default: a slider for every input; keys and gamepad for
    /// inputs with steer, brake, throttle, accelerator or speed in their names.
    #[geometry(skip)]
    pub page: Option<Page>,
    /// Inputs and measured bodies for `ballesta manoeuvre`.
    #[geometry(skip)]
    pub vehicle: Option<Vehicle>,
}

/// `[model]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(New)]
pub struct General {
    /// Name of the model and the FMU: letters, digits and `_`, not starting with a digit.
    pub name: String,
    /// Short description, one paragraph.
    #[serde(default)]
    pub description: String,
    /// Version of the model, for `modelDescription.xml` of the FMU.
    pub version: Option<String>,
    /// Author of the model, for `modelDescription.xml`.
    pub author: Option<String>,
    /// Copyright of the model, for `modelDescription.xml`.
    pub copyright: Option<String>,
    /// Licence of the model, for `modelDescription.xml`. The solver in the FMU has its own licence.
    pub license: Option<String>,
    /// Acceleration of gravity in m/s², global frame. Default: none.
    #[serde(default = "no_gravity")]
    pub gravity: Vector,
    /// Internal fixed step in s. Default 1e-3.
    #[serde(default = "default_step")]
    pub step: f64,
    /// Fixed-step integration scheme. Default `rk4`.
    #[serde(default, with = "named")]
    #[cfg_attr(feature = "schema", schemars(with = "IntegratorName"))]
    pub integrator: Integrator,
    /// For `generalized_alpha`: spectral radius at infinite frequency, from 0 (strongest damping of unresolved motion)
    /// to 1 (no damping). Default 0.8.
    pub spectral_radius: Option<f64>,
    /// For `generalized_alpha`: forces that are treated implicitly. Default `stiff`.
    #[serde(default, with = "named::optional")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<ImplicitName>"))]
    pub implicit: Option<Implicit>,
    /// For `generalized_alpha`: limit of ω h in rad per step, where ω is a natural frequency of the flexible body
    /// alone. Modes above it are quasi-static, like massless springs. Default: none, all modes are dynamic.
    pub resolution: Option<f64>,
    /// For `rk4` and models with loops: maximum number of times that a step with a large error is halved, 0 (never) to
    /// 8. Default 4.
    pub step_halvings: Option<u32>,
    /// For `augmented_lagrangian`: weight of a loop equation relative to the inertia that it acts on, 1 to 1e12. An
    /// iteration reduces a constraint violation by the factor 1 / (1 + `penalty`). Default 1e6.
    pub penalty: Option<f64>,
    /// For `augmented_lagrangian`: change of positions that ends the iteration of a step, as a fraction of the
    /// mechanism's length, 1e-15 to 1e-3. The largest constraint violation is a tenth of this value. Default 1e-12.
    pub tolerance: Option<f64>,
    /// For `augmented_lagrangian`: number of iterations, 2 to 1000, after which a step without convergence is a fault.
    /// Default 40.
    pub max_iterations: Option<u32>,
    /// Step of the file in s, if another step replaced it ([`General::take_step`]).
    #[serde(skip)]
    pub step_of_file: Option<f64>,
    /// Whether an FMU of the model has the hold mode; an option of the export.
    #[serde(skip)]
    pub hold_mode: bool,
    /// Whether an FMU of the model has constants instead of fixed parameters, because it has C sources; an option of
    /// the export.
    #[serde(skip)]
    pub constant_parameters: bool,
}

impl General {
    /// Replaces the step of the file by `step` (s). The limits of `step_halvings` are the limits for the file's step,
    /// scaled with the order of the scheme. Results then differ only by the error of the scheme.
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

/// Fixed-step integration scheme.
// Properties of each scheme: a row of `system::integrators`.
#[derive(Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Integrator", rename_all = "snake_case")]
pub enum IntegratorName {
    /// Classical Runge-Kutta, order 4, four evaluations per step.
    Rk4,
    /// Heun's method, order 2, two evaluations per step.
    Heun,
    /// Semi-implicit Euler: velocities first, then positions with the new velocities. Order 1, one evaluation per step.
    SemiImplicitEuler,
    /// Generalized-alpha method, implicit in stiffness and damping of flexible bodies, springs, bushings, stops and
    /// friction. Order 2, one evaluation and one linear solve per step, without iteration.
    GeneralizedAlpha,
    /// Index-3 augmented Lagrangian method with velocity and acceleration projections, trapezoidal rule. Order 2,
    /// iterated to convergence at every step. An independent check: all coordinates are integrated, and loops are
    /// constraints.
    AugmentedLagrangian,
    /// Exact solution for loads that are linear in time during a step. Only for linear flexible bodies fixed to the
    /// ground.
    Exponential,
}

named::named!(
    IntegratorName => Integrator: Rk4, Heun, SemiImplicitEuler, GeneralizedAlpha, AugmentedLagrangian, Exponential
);

/// Forces that an implicit scheme treats implicitly.
#[derive(Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Implicit", rename_all = "snake_case")]
enum ImplicitName {
    /// Stiffness and damping of flexible bodies, springs, bushings, stops and friction.
    Stiff,
    /// All forces, including inertia forces, by finite differences. Costs one more evaluation of the open chain per
    /// coordinate and step.
    All,
}

named::named!(ImplicitName => Implicit: Stiff, All);

/// `[experiment]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Experiment {
    /// Start time in s. Default 0.
    pub start: f64,
    /// Stop time in s. Default 1.
    pub stop: f64,
    /// Output and communication interval in s. Default: the internal step of `[model]`.
    pub step: Option<f64>,
    /// `true`: a simulation starts in the equilibrium near the assembled position. A vehicle on tyres starts in steady
    /// driving at its initial speed. Default `false`.
    pub trim: bool,
}

impl Default for Experiment {
    fn default() -> Self {
        Experiment { start: 0.0, stop: 1.0, step: None, trim: false }
    }
}

/// `[[body]]`: a rigid body. Its frame B has the axes of W in the design position and its origin at `com`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Body {
    /// Unique name.
    pub name: BodyName,
    /// Mass in kg. For a rotor whose mass is part of another body, give `mass = 0` and an inertia. Default 0, allowed
    /// if the rest of the mechanism gives every motion of the body an inertia.
    #[serde(default = "zero")]
    pub mass: Scalar,
    /// Centre of mass in the design position. Default: the point of the first joint that has a `point` and this body as
    /// its second body; otherwise the point of the first joint that has a `point` and this body as its first body.
    pub com: Option<Place>,
    /// Inertia about the centre of mass in kg m², axes of W: xx, yy, zz, xy, yz, xz. `xy` is the matrix entry
    /// (−∫xy dm). Default: none.
    #[geometry(no_default)]
    pub inertia: Option<Inertia>,
    /// Accepts an inertia that no mass distribution has, for the results of programs that accept it. Default false.
    #[serde(default)]
    pub impossible_inertia: bool,
    /// Frame of `inertia` and of the numbers in `com`. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<FrameName>,
}

/// `[[flexible_body]]`: a body with small elastic deformation, described by a reduced-order model (`ballesta reduce`).
///
/// Joints, forces, rods, springs and outputs use its interfaces like bodies: `beam.tip`. The name of the body alone is
/// its floating frame.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct FlexibleBody {
    /// Unique name among all bodies and interfaces.
    pub name: BodyName,
    /// Path of the reduced-order model, relative to the folder of the model file and inside it, with `/` between
    /// folders.
    pub rom: Text,
    /// Origin of the reduced-order model's frame C in the design position. Default: the origin of W.
    #[geometry(default = [0.0; 3])]
    pub position: Option<Place>,
    /// Direction of the x axis of C in W, design position. Default: the x axis of W.
    #[geometry(written = X)]
    pub x_axis: Option<FrameAxis>,
    /// Direction of the y axis of C in W. Only its component normal to `x_axis` is used. Default: the y axis of W.
    #[geometry(written = Y)]
    pub y_axis: Option<FrameAxis>,
    /// Frame of `x_axis`, `y_axis` and the numbers in `position`, including their defaults. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<FrameName>,
    /// Floating frame: `mean_axis`, or an interface with all directions, to which it is tangent. The interface should
    /// be fixed or have a prescribed motion. Default `mean_axis`.
    pub frame: Option<Text>,
    /// Stiffening by internal forces. Default `general` if the reduced-order model contains it, otherwise `none`.
    #[serde(default, with = "named::optional")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<flexible::StiffeningModelName>"))]
    pub stiffening: Option<StiffeningModel>,
    /// Number of elastic modes to keep, from the lowest, at least 1. Default: all.
    pub modes: Option<usize>,
    /// Damping ratio of all modes, at least 0 and below 1. It replaces the damping of the reduced-order model.
    pub damping_ratio: Option<Scalar>,
    /// Elastic deformation at the start. Default `none`.
    #[serde(default)]
    pub deformation: Deformation,
    /// Method for section forces and stresses. Default `mode_acceleration`.
    #[serde(default)]
    pub section_forces: SectionForces,
}

fn zero() -> Number {
    Number::Value(0.0)
}

/// `[[rod]]`: a uniform slender bar between spherical joints at `points`. Its length is the distance between them in
/// the design position.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct Rod {
    /// Unique name.
    pub name: ConstraintName,
    /// The bodies at the two ends.
    pub bodies: [BodyName; 2],
    /// Places of the two ends.
    pub points: [Place; 2],
    /// Mass in kg. Default 0.
    #[serde(default = "zero")]
    pub mass: Scalar,
}

/// A joint coordinate: the joint and, if it has several coordinates, the name of one.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct CoordinateRef {
    /// Name of the joint.
    pub joint: JointName,
    /// Name of the coordinate, see the kinds of joints. Required if the joint has more than one.
    pub coordinate: Option<CoordinateName>,
}

/// `[[rack_and_pinion]]`: travel of the rack = radius · angle of the pinion.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct RackAndPinion {
    /// Unique name.
    pub name: ConstraintName,
    /// Rotating coordinate.
    pub pinion: CoordinateRef,
    /// Translating coordinate.
    pub rack: CoordinateRef,
    /// Pitch radius in m. A negative value reverses the sense.
    pub radius: CouplingRatio,
}

/// `[[point_on_line]]`: the point of the second body remains on a line of the first body.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct PointOnLine {
    /// Unique name.
    pub name: ConstraintName,
    /// The body with the line, then the body with the point.
    pub bodies: [BodyName; 2],
    /// The point, on the line in the design position.
    pub point: Place,
    /// Direction of the line.
    pub axis: Polar,
    /// Frame of `axis` and of the numbers in `point`. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<FrameName>,
}

/// `[[point_in_plane]]`: the point of the second body remains in a plane of the first body, or its curve touches the
/// plane.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct PointInPlane {
    /// Unique name.
    pub name: ConstraintName,
    /// The body with the plane, then the body with the point or the curve.
    pub bodies: [BodyName; 2],
    /// The point, in the plane in the design position. With `curve`: any point of the plane.
    pub point: Place,
    /// Normal of the plane. With `curve` it points from the plane to the curve.
    pub normal: Polar,
    /// Name of a `[[curve]]` that is fixed to the second body and touches the plane, instead of a point. The curve must
    /// be closed and convex.
    pub curve: Option<CurveName>,
    /// Frame of `normal` and of the numbers in `point`. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<FrameName>,
}

/// `[[curve_on_curve]]`: a planar curve of the second body touches a planar curve of the first, both in one plane.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct CurveOnCurve {
    /// Unique name.
    pub name: ConstraintName,
    /// The two bodies.
    pub bodies: [BodyName; 2],
    /// Names of two `[[curve]]`s: the first is fixed to the first body, the second to the second body.
    pub curves: [CurveName; 2],
    /// Contact point in the design position, accurate to a thousandth of the length of each curve.
    pub point: Place,
    /// `true`: the curves roll on each other without slip. Default `false`: they slide without friction.
    #[serde(default)]
    pub rolling: bool,
    /// Frame of the numbers in `point`. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<FrameName>,
}

/// `[[guided]]`: a prescribed motion of a joint coordinate, given by exactly one of `motion`, `spin_up`, `table`,
/// `input`, `inputs`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Guided {
    /// Unique name.
    pub name: GuidedName,
    /// Name of the joint.
    pub joint: JointName,
    /// Coordinate of the joint. Required if the joint has more than one.
    pub coordinate: Option<CoordinateName>,
    /// Constant speed plus a sine.
    pub motion: Option<Motion>,
    /// Run-up from rest to a constant speed.
    pub spin_up: Option<SpinUp>,
    /// Rows of time in s and position in rad or m; a natural cubic spline (twice differentiable) passes through them.
    #[geometry(no_default)]
    pub table: Option<TimeRows>,
    /// Input that prescribes the position. A critically damped third-order filter makes it twice differentiable.
    pub input: Option<VariableName>,
    /// Corner frequency in Hz of the filter of `input`. Required with `input`.
    pub filter_frequency: Option<Scalar>,
    /// Three inputs that prescribe position, speed and acceleration. They must be consistent.
    pub inputs: Option<[VariableName; 3]>,
    /// For `input` and `inputs`: position per input, such as the travel of a rack per steering wheel angle. Default 1.
    #[geometry(default = (self.input.is_some() || self.inputs.is_some()).then_some(1.0))]
    pub gain: Option<Gain>,
}

/// position(t) = offset + speed·t + amplitude·sin(2π·frequency·t + phase), t in s since time zero.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Motion {
    /// Offset in rad or m. Default 0.
    #[serde(default = "zero")]
    pub offset: OnCoordinate,
    /// Constant speed in rad/s or m/s. Default 0.
    #[serde(default = "zero")]
    pub speed: OnCoordinate,
    /// Amplitude of the sine in rad or m. Default 0.
    #[serde(default = "zero")]
    pub amplitude: OnCoordinate,
    /// Frequency of the sine in Hz. Default 0.
    #[serde(default = "zero")]
    pub frequency: Scalar,
    /// Phase of the sine in rad. Default 0.
    #[serde(default = "zero")]
    pub phase: Scalar,
}

/// position(t) = speed/time · (t²/2 + (time/2π)² (cos(2π·t/time) − 1)) for 0 ≤ t ≤ time, then speed · (t − time/2); 0
/// before.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct SpinUp {
    /// Final speed in rad/s or m/s.
    pub speed: OnCoordinate,
    /// Duration of the run-up in s.
    pub time: Scalar,
}

fn one() -> Number {
    Number::Value(1.0)
}
