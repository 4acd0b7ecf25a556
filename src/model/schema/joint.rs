//! `[[joint]]` and `[[curve]]`.

use super::{Number, PerCoordinate, Place, Vector};
pub use crate::joint::JointKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of joint; in brackets the relative coordinates in their order.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename = "JointKind", rename_all = "snake_case")]
pub(crate) enum JointKindName {
    /// Rotation about `axis` (`angle`).
    Revolute,
    /// Translation along `axis` (`travel`).
    Prismatic,
    /// Translation along and rotation about `axis` (`travel`, `angle`).
    Cylindrical,
    /// Rotation about `axis`, fixed in the first body, then about `second_axis`, fixed in the second
    /// (`angle`, `second_angle`).
    Universal,
    /// Free rotation about `point` (unit quaternion `w`, `x`, `y`, `z`; three speeds).
    Spherical,
    /// Two translations in the plane normal to `axis`, one rotation about it (`x`, `y`, `angle`).
    Planar,
    /// No constraint: three translations and a unit quaternion (`x`, `y`, `z`, then `w`, `qx`, `qy`, `qz`; six speeds).
    Floating,
    /// No relative motion.
    Fixed,
    /// Translation of `point` along `curve`, which is fixed in the first body, without rotation or, with `up`, turning
    /// with it (`travel`).
    AlongCurve,
    /// The same with rotation about `axis`, fixed in the first body: a pin in a slot, the centre of a roller on a cam
    /// (`travel`, `angle`).
    PinOnCurve,
    /// The same with free rotation: a point of the second body on the curve (`travel`, then a unit quaternion `w`, `x`,
    /// `y`, `z`; four speeds).
    PointOnCurve,
    /// Two rotations, so that both bodies turn at the same speed about their shafts, however these stand to each other:
    /// `angle` about the axis across `second_axis`, `second_angle` about `second_axis` (`angle`, `second_angle`).
    ConstantVelocity,
}

named!(JointKindName => JointKind: Revolute, Prismatic, Cylindrical, Universal, Spherical, Planar, Floating, Fixed, AlongCurve, PinOnCurve, PointOnCurve, ConstantVelocity);

/// `[[joint]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// Kind of joint.
    #[serde(rename = "type", with = "super::named")]
    #[schemars(with = "JointKindName")]
    pub kind: JointKind,
    /// The two bodies; coordinates measure the second relative to the first. `ground` is the world.
    pub bodies: [String; 2],
    /// Where the joint is; needed except by `prismatic` and `floating`, and at interfaces of flexible bodies. Default:
    /// the interface, the second if there are two; else the centre of mass of the second body (of the first, if the
    /// second is the ground).
    pub point: Option<Place>,
    /// Axis in W, design position; need not be of unit length.
    pub axis: Option<Vector>,
    /// Perpendicular to `axis`: the second axis of a universal joint; the direction of `x` of a planar joint; the axis
    /// of `second_angle` of a constant-velocity joint. Default for planar and constant-velocity joints: the global x
    /// axis projected into the plane normal to `axis`, or the y axis where x is within 26° of it.
    pub second_axis: Option<Vector>,
    /// Of a constant-velocity joint, in place of `second_axis`: the shaft of the second body, in W, where it is at an
    /// angle to `axis`, that of the first body, in the design position. `second_angle` is about `axis` ×
    /// `second_shaft`.
    pub second_shaft: Option<Vector>,
    /// Of joints along a curve, and needed there: name of a `[[curve]]`. `point` is near it; the nearest point of the
    /// curve is where `travel` is 0.
    pub curve: Option<String>,
    /// Of `along_curve`: the second body turns with the tangent of the curve, and keeps this direction, which is fixed
    /// in the first body, upright in its own axes. Never along the tangent. Default: the second body does not turn.
    pub up: Option<Vector>,
    /// Frame in which axes, the numbers of `point`, and initial values of `spherical` and `floating` are given.
    /// Default: W.
    #[serde(rename = "in")]
    pub inside: Option<String>,
    /// `true`: make this joint a cut of its loop if possible; `false`: keep it in the tree. Default: the program
    /// chooses.
    pub cut: Option<bool>,
    /// Preferred initial coordinates (relative to the design position, where all are 0), in rad or m. Default: the
    /// design position, as far as the loops allow.
    pub position: Option<PerCoordinate>,
    /// The same with angles in degrees.
    pub position_deg: Option<PerCoordinate>,
    /// Preferred initial speeds, in rad/s or m/s. Default 0, as far as the loops allow.
    pub speed: Option<PerCoordinate>,
    /// `true`: prefer the coordinates of this joint as independent ones, while the others of their loops move at most
    /// ten times as far.
    #[serde(default)]
    pub independent: bool,
}

/// `[[curve]]`: a spline through `points`, or a circle, in the design position. The joints that run along it say to
/// which body it is fixed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// Unique name.
    pub name: String,
    /// Frame in which the numbers of `points` and `centre`, and `normal`, are given. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<String>,
    /// Points of a spline in the order of travel: two for a straight line, at least three for a closed curve.
    pub points: Option<Vec<Place>>,
    /// `true`: the spline goes on from the last point to the first, and round again.
    #[serde(default)]
    pub closed: bool,
    /// Degree of the spline: 3, or 5, which makes its third derivative continuous too. Default 3.
    pub degree: Option<u32>,
    /// Centre of a circle.
    pub centre: Option<Place>,
    /// Radius of the circle in m.
    pub radius: Option<Number>,
    /// Axis of the circle, about which the travel is right-handed. With `offset`, the normal of the plane of a spline.
    pub normal: Option<Vector>,
    /// Distance in m to the curve that is meant, in the plane: a roller with this radius rolls on `points` or circle,
    /// and its centre follows the curve at this distance. Positive: to the right of the travel, seen from where
    /// `normal` points to, which is outwards of a circle. Default 0.
    pub offset: Option<Number>,
}
