//! `[[joint]]` and `[[curve]]`.

use super::Place;
use super::kinds::*;
use crate::geometry::{Geometry, Implied, New, perpendicular, unit};
pub use ballesta_solver::joint::JointKind;
use ballesta_solver::joint::coordinates::SecondAxis;
use serde::{Deserialize, Serialize};

/// Kind of joint, with its relative coordinates in order in brackets.
#[derive(Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "JointKind", rename_all = "snake_case")]
pub enum JointKindName {
    /// Rotation about `axis` (`angle`).
    Revolute,
    /// Translation along `axis` (`travel`).
    Prismatic,
    /// Translation along and rotation about `axis` (`travel`, `angle`).
    Cylindrical,
    /// Rotation about `axis`, fixed in the first body, then about `second_axis`, fixed in the second body (`angle`,
    /// `second_angle`).
    Universal,
    /// Free rotation about `point` (unit quaternion `w`, `x`, `y`, `z`; three speeds).
    Spherical,
    /// Two translations in the plane normal to `axis`, one rotation about it (`x`, `y`, `angle`).
    Planar,
    /// No constraint: three translations and a unit quaternion (`x`, `y`, `z`, then `w`, `qx`, `qy`, `qz`; six speeds).
    Floating,
    /// No relative motion.
    Fixed,
    /// Translation of `point` along `curve`, fixed in the first body. With `up` the second body rotates with the curve;
    /// otherwise it does not rotate (`travel`).
    AlongCurve,
    /// Translation along `curve` and rotation about `axis`, fixed in the first body: a pin in a slot, a roller on a cam
    /// (`travel`, `angle`).
    PinOnCurve,
    /// Translation along `curve` and free rotation: a point of the second body on the curve (`travel`, then a unit
    /// quaternion `w`, `x`, `y`, `z`; four speeds).
    PointOnCurve,
    /// Two rotations with equal speeds of both bodies about their shafts at any angle: `angle` about the axis normal to
    /// `second_axis`, `second_angle` about `second_axis` (`angle`, `second_angle`).
    ConstantVelocity,
    /// A ball with its centre at `point` and the `radius` rolls without slip on a plane of the first body with the
    /// normal `axis` (unit quaternion `w`, `qx`, `qy`, `qz`, displacement `x`, `y` of the centre; three speeds).
    RollingBall,
    /// A thin disc about `second_axis` rolls without slip on a plane of the first body with the normal `axis`; upright
    /// in the design position (coordinates as of a rolling ball).
    RollingDisc,
}

super::named::named!(
    JointKindName => JointKind: Revolute, Prismatic, Cylindrical, Universal, Spherical, Planar, Floating, Fixed,
    AlongCurve, PinOnCurve, PointOnCurve, ConstantVelocity, RollingBall, RollingDisc
);

/// `[[joint]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Joint {
    /// Unique name.
    pub name: ConstraintName,
    /// Kind of joint.
    #[serde(rename = "type", with = "super::named")]
    #[cfg_attr(feature = "schema", schemars(with = "JointKindName"))]
    pub kind: JointKind,
    /// The two bodies. Coordinates measure the second body relative to the first. `ground` is the world.
    pub bodies: [BodyName; 2],
    /// Place of the joint. Required except for `prismatic`, `floating` and interfaces of flexible bodies. Default: the
    /// interface, or the second of two interfaces; otherwise the centre of mass of the second body, or of the first
    /// body if the second body is the ground.
    pub point: Option<Place>,
    /// Axis in W, in the design position, of any length. Rolling joints: normal of the plane, towards the second body.
    #[geometry(no_default)]
    pub axis: Option<JointAxis>,
    /// Direction normal to `axis`: second axis of a universal joint, direction of `x` of a planar joint or a rolling
    /// ball, axis of `second_angle` of a constant-velocity joint, axis of a rolling disc. Default for planar joints,
    /// rolling balls and constant-velocity joints: the global x axis projected normal to `axis`, or the y axis if x is
    /// within 26° of `axis`.
    #[geometry(written = self.default_second_axis())]
    pub second_axis: Option<SecondJointAxis>,
    /// Constant-velocity joint: shaft of the second body in W, if it is at an angle to `axis` in the design position.
    /// It replaces `second_axis`; `second_angle` is about `axis` × `second_shaft`.
    #[geometry(no_default)]
    pub second_shaft: Option<Axial>,
    /// Radius in m of a ball or disc that rolls. Required for rolling joints.
    pub radius: Option<Scalar>,
    /// Joints along a curve (required): name of a `[[curve]]`. `travel` is 0 at the point of the curve nearest to
    /// `point`.
    pub curve: Option<CurveName>,
    /// `along_curve`: upright direction, fixed in the first body. The second body rotates with the tangent of the curve
    /// and this direction. The two must not be parallel. Default: the second body does not rotate.
    #[geometry(no_default)]
    pub up: Option<Polar>,
    /// Frame of the axes, of the numbers in `point`, and of initial values of `spherical` and `floating`. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<FrameName>,
    /// `true`: cut the loop at this joint if possible. `false`: keep it in the tree. Default: the program chooses.
    pub cut: Option<bool>,
    /// Preferred initial coordinates in rad or m, relative to the design position. Default: the design position, as far
    /// as the loops allow.
    #[geometry(no_default)]
    pub position: Option<JointPosition>,
    /// Preferred initial coordinates with angles in degrees.
    #[geometry(no_default)]
    pub position_deg: Option<JointPosition>,
    /// Preferred initial speeds, in rad/s or m/s. Default 0, as far as the loops allow.
    #[geometry(no_default)]
    pub speed: Option<JointSpeed>,
    /// `true`: prefer the coordinates of this joint as independent coordinates, while the other coordinates of their
    /// loops move at most ten times as far.
    #[serde(default)]
    pub independent: bool,
    /// Armature in kg m² or kg: inertia of a motor's rotor times the square of its gear ratio. Adds the kinetic energy
    /// ½ armature · speed². One number for all speeds of the joint, or one per speed. Default 0.
    pub armature: Option<PerSpeed>,
}

impl Joint {
    /// Direction of `x` of a planar joint, or axis of the second angle of a constant-velocity joint, if the file omits
    /// it.
    fn default_second_axis(&self) -> Implied {
        let row = self.kind.row();
        let Some(axis) = self.axis.as_ref().filter(|_| row.second_axis == SecondAxis::Optional) else {
            return Implied::Nothing;
        };
        if self.second_shaft.is_some() {
            return Implied::Nothing;
        }
        let Some(axis) = unit(axis) else {
            let found = format!("a mirrored or rotated {} joint has an axis with parameters", row.name);
            return Implied::Unknown("axis", found, "add `second_axis`");
        };
        perpendicular(if axis[0].abs() < 0.9 { 0 } else { 1 }, &axis).into()
    }
}

/// `[[curve]]`: a spline through `points`, or a circle, in the design position. The joints that use it define the body
/// to which it is fixed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Curve {
    /// Unique name.
    pub name: CurveName,
    /// Frame of `normal` and of the numbers in `points` and `centre`. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<FrameName>,
    /// Points of a spline in the order of travel: two for a straight line, at least three for a closed curve.
    pub points: Option<Vec<Place>>,
    /// `true`: the spline is periodic and continues from the last point to the first.
    #[serde(default)]
    pub closed: bool,
    /// Degree of the spline: 3, or 5 for continuous third and fourth derivatives. Default 3.
    pub degree: Option<u32>,
    /// Centre of a circle.
    pub centre: Option<Place>,
    /// Radius of the circle in m.
    pub radius: Option<Scalar>,
    /// Axis of the circle, with right-handed travel about it. With `offset`: normal of the plane of the spline.
    #[geometry(no_default)]
    pub normal: Option<Axial>,
    /// Roller radius in m: the roller rolls on `points` or on the circle, and its centre follows the curve at this
    /// distance. Positive to the right of the travel, seen against `normal`; outwards for a circle. Default 0.
    pub offset: Option<Scalar>,
}
