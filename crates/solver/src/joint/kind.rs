//! Kinds of joints.

/// Kind of joint; in brackets the relative coordinates in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum JointKind {
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
    /// Translation along `curve` with rotation about `axis`, fixed in the first body: a pin in a slot, the centre of a
    /// roller on a cam (`travel`, `angle`).
    PinOnCurve,
    /// Translation along `curve` with free rotation: a point of the second body on the curve (`travel`, then a unit
    /// quaternion `w`, `x`, `y`, `z`; four speeds).
    PointOnCurve,
    /// Two rotations that give both bodies the same speed about their shafts at any angle between the shafts: `angle`
    /// about the axis perpendicular to `second_axis`, `second_angle` about `second_axis` (`angle`, `second_angle`).
    ConstantVelocity,
    /// A ball rolls without slip on a plane of the first body with the normal `axis` (unit quaternion `w`, `qx`, `qy`,
    /// `qz` and displacement of the centre `x`, `y`; three speeds).
    RollingBall,
    /// A thin disc about `second_axis` rolls without slip on a plane of the first body with the normal `axis`
    /// (coordinates as of a rolling ball).
    RollingDisc,
}
