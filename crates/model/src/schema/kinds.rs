//! Types of fields that define the effect of a subassembly on a value: `#[derive(Geometry)]` reads their names. Effects
//! of a mirror: [`crate::geometry::Kind`].

use super::{Number, PerCoordinate, Vector};

/// A text that does not change: a word, a unit, a file, a name inside of another file.
pub type Text = String;
/// A coordinate of the joint in the same table.
pub type CoordinateName = String;
/// A joint on whose coordinate the table acts.
pub type JointName = String;
/// The frame of an item.
pub type FrameName = String;
/// A body or an interface.
pub type BodyName = String;
/// A curve.
pub type CurveName = String;
/// A joint, rod, coupler or other constraint.
pub type ConstraintName = String;
/// A force element.
pub type ForceName = String;
/// A prescribed motion.
pub type GuidedName = String;
/// A road.
pub type RoadName = String;
/// A solid.
pub type SolidName = String;
/// An input or a parameter.
pub type VariableName = String;
/// An output.
pub type OutputName = String;

/// A number that a mirror does not change.
pub type Scalar = Number;
/// A scalar that is a number, a parameter or an input.
pub type Signal = Number;
/// A scalar that no parameter can replace.
pub type Constant = f64;
/// A difference of places: a direction, a force, a velocity.
pub type Polar = Vector;
/// A sense of rotation: an axis, a torque.
pub type Axial = Vector;
/// xx, yy, zz, xy, yz, xz.
pub type Inertia = [Number; 6];
/// An axis of the frame of a flexible body, which no mirror changes.
pub type FrameAxis = Vector;
/// The first axis of a joint.
pub type JointAxis = Vector;
/// The second axis of a joint.
pub type SecondJointAxis = Vector;
/// Initial coordinates of a joint.
pub type JointPosition = PerCoordinate;
/// Initial speeds of a joint.
pub type JointSpeed = PerCoordinate;
/// Numbers per speed of a joint that a mirror does not change.
pub type PerSpeed = PerCoordinate;
/// Three forces and three torques in the axes of a bushing.
pub type BushingLoad = [Number; 6];
/// A value for the coordinate of the table.
pub type OnCoordinate = Number;
/// The factor of a signal on the coordinate of the table.
pub type Gain = Number;
/// The factor of a coordinate in a list of coordinates.
pub type Factor = Number;
/// Rows of a coordinate and an effort that both change sign with the coordinate.
pub type OddRows = Vec<[f64; 2]>;
/// Rows of time and coordinate.
pub type TimeRows = Vec<[f64; 2]>;
/// The lower end of a range of the coordinate.
pub type LowerEnd = Number;
/// The upper end of a range of the coordinate.
pub type UpperEnd = Number;
/// The ratio or radius between two coordinates.
pub type CouplingRatio = Number;
/// The offset of the second of two coordinates.
pub type CouplingOffset = Number;
/// Steering wheel angle that turns the vehicle to the left, per road wheel angle.
pub type SteeringRatio = Number;
/// Whether a mesh is its mirror image.
pub type Mirrored = bool;
