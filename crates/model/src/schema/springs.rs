//! Springs, bushings, stops, friction and drives as plain data.

use super::kinds::*;
use super::{Model, Number, Place, one, zero};
use crate::elements::{ForceTable, JointCoordinate};
use crate::geometry::{Geometry, Implied, New, perpendicular, unit};
use crate::outputs::Target;
use serde::{Deserialize, Serialize};

/// `[[spring]]`: spring-damper along the line between two points, positive in tension.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Spring {
    /// Unique name.
    pub name: ForceName,
    /// The bodies at the two ends.
    pub bodies: [BodyName; 2],
    /// Places of the two ends.
    pub points: [Place; 2],
    /// Stiffness in N/m. Default 0.
    #[serde(default = "zero")]
    pub stiffness: Scalar,
    /// Damping in N s/m. Default 0.
    #[serde(default = "zero")]
    pub damping: Scalar,
    /// Free length in m. Default: the distance of the points in the design position.
    pub free_length: Option<Scalar>,
    /// Constant force in N, positive in tension. Default 0.
    #[serde(default = "zero")]
    pub preload: Scalar,
    /// Rows of elongation in m and force in N, instead of `stiffness`. Linear between rows and beyond the ends.
    pub force_table: Option<Vec<[Constant; 2]>>,
    /// Rows of elongation speed in m/s and force in N, instead of `damping`.
    pub damping_table: Option<Vec<[Constant; 2]>>,
}

impl ForceTable for Spring {
    const WORD: &str = "spring";
    const READ_BY: Option<Target> = Some(Target::Spring);

    fn between<'m>(&'m self, _: &'m Model) -> Vec<Vec<&'m String>> {
        vec![self.bodies.iter().collect()]
    }
}

/// `[[joint_spring]]`: spring-damper on a joint coordinate. Its effort opposes positive coordinates.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct JointSpring {
    /// Unique name.
    pub name: ForceName,
    /// Name of the joint.
    pub joint: JointName,
    /// Coordinate of the joint. Required if the joint has more than one.
    pub coordinate: Option<CoordinateName>,
    /// Stiffness in N m/rad or N/m. Default 0.
    #[serde(default = "zero")]
    pub stiffness: Scalar,
    /// Damping in N m s/rad or N s/m. Default 0.
    #[serde(default = "zero")]
    pub damping: Scalar,
    /// Coordinate in rad or m at which the spring has no force. Default 0, the design position.
    #[serde(default = "zero")]
    pub free_position: OnCoordinate,
    /// Constant effort in N m or N. A positive value acts towards negative coordinates. Default 0.
    #[serde(default = "zero")]
    pub preload: OnCoordinate,
    /// Rows of deflection in rad or m and effort in N m or N, instead of `stiffness`.
    #[geometry(no_default)]
    pub force_table: Option<OddRows>,
    /// Rows of speed and effort, instead of `damping`.
    #[geometry(no_default)]
    pub damping_table: Option<OddRows>,
}

impl ForceTable for JointSpring {
    const WORD: &str = "spring";
    const READ_BY: Option<Target> = Some(Target::Spring);

    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        vec![(&self.joint, self.coordinate.as_deref())]
    }
}

/// `[[bushing]]`: elastic joint with three translational and three rotational stiffness and damping values.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Bushing {
    /// Unique name.
    pub name: ForceName,
    /// The two bodies.
    pub bodies: [BodyName; 2],
    /// Place of the undeformed bushing in the design position.
    pub point: Place,
    /// First axis of the bushing in W. Default x.
    #[geometry(written = X)]
    pub axis: Option<Polar>,
    /// Second axis of the bushing in W, normal to the first. Default: y, or the axis nearest to y.
    #[geometry(written = self.default_second_axis())]
    pub second_axis: Option<Polar>,
    /// Frame of the axes and of the numbers in `point`, including defaults of the axes. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<FrameName>,
    /// Stiffness: three in N/m along the bushing's axes, three in N m/rad about them.
    pub stiffness: [Scalar; 6],
    /// Damping: three in N s/m, three in N m s/rad. Default 0.
    pub damping: Option<[Scalar; 6]>,
    /// Load on the second body in the undeformed state: three forces in N, three torques in N m. Default 0.
    #[geometry(no_default)]
    pub preload: Option<BushingLoad>,
    /// Force in N at which the bushing breaks. Default: none.
    pub break_force: Option<Scalar>,
    /// Torque in N m at which the bushing breaks. Default: none.
    pub break_torque: Option<Scalar>,
    /// Time constant in s with which the loads of a breaking bushing vanish. Default: 2 steps, but at least 0.001.
    pub break_time: Option<Scalar>,
}

impl ForceTable for Bushing {
    const WORD: &str = "bushing";
    const READ_BY: Option<Target> = Some(Target::Bushing);

    fn between<'m>(&'m self, _: &'m Model) -> Vec<Vec<&'m String>> {
        vec![self.bodies.iter().collect()]
    }
}

impl Bushing {
    /// Second axis if the file omits it: y normal to the first axis, or z if the first axis is within one degree of y.
    fn default_second_axis(&self) -> Implied {
        let Some(axis) = self.axis.as_ref().map_or(Some([1.0, 0.0, 0.0]), unit) else {
            let found = "a mirrored or rotated bushing has an axis with parameters";
            return Implied::Unknown("axis", found.into(), "add `second_axis`");
        };
        let sine = (1.0 - axis[1] * axis[1]).max(0.0).sqrt();
        perpendicular(if sine > 0.0175 { 1 } else { 2 }, &axis).into()
    }
}

/// `[[bump_stop]]`: elastic stop that acts outside a range of a joint coordinate, or of the distance of two points, and
/// never pulls back.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct BumpStop {
    /// Unique name.
    pub name: ForceName,
    /// Name of the joint, instead of `bodies` and `points`.
    pub joint: Option<JointName>,
    /// Coordinate of the joint. Required if the joint has more than one.
    pub coordinate: Option<CoordinateName>,
    /// The bodies at the two ends, instead of `joint`.
    pub bodies: Option<[BodyName; 2]>,
    /// Places of the two ends.
    pub points: Option<[Place; 2]>,
    /// Lower end of the free range of the coordinate or of the distance between the points, in rad or m. Default: none.
    #[geometry(no_default)]
    pub lower: Option<LowerEnd>,
    /// Upper end of the free range in rad or m. Default: none.
    #[geometry(no_default)]
    pub upper: Option<UpperEnd>,
    /// Stiffness in N m/rad^exponent or N/m^exponent. Alternative to `force_table`.
    pub stiffness: Option<Scalar>,
    /// Exponent of the penetration. Default 1.
    #[serde(default = "one")]
    pub exponent: Scalar,
    /// Rows of penetration in rad or m and effort in N m or N, starting with [0, 0], instead of `stiffness` and
    /// `exponent`.
    pub force_table: Option<Vec<[Constant; 2]>>,
    /// Damping in N m s/rad or N s/m during contact, limited so that the stop never pulls. Default 0.
    #[serde(default = "zero")]
    pub damping: Scalar,
    /// Penetration in rad or m over which the damping rises smoothly from 0 to its full value. Default 0: full damping
    /// at contact.
    #[serde(default = "zero")]
    pub damping_depth: Scalar,
}

impl ForceTable for BumpStop {
    const WORD: &str = "stop";
    const READ_BY: Option<Target> = Some(Target::Spring);

    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        self.joint.iter().map(|joint| (joint.as_str(), self.coordinate.as_deref())).collect()
    }

    fn between<'m>(&'m self, _: &'m Model) -> Vec<Vec<&'m String>> {
        self.bodies.iter().map(|bodies| bodies.iter().collect()).collect()
    }
}

/// `[[friction]]`: dry friction with sticking, and viscous friction: effort = −(dry friction + viscous · speed).
///
/// With `coefficient`, the dry friction also grows with the load P that the bearing of the joint transmits: `coulomb` +
/// `coefficient` · P. P = `radius` · (sum of the forces on two bearings across the axis) + `thrust_radius` · (axial
/// force), without `radius` for a translation. The bearings at `bearing_distance` carry the force and the moment of the
/// joint.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Friction {
    /// Unique name.
    pub name: ForceName,
    /// Name of the joint.
    pub joint: JointName,
    /// Coordinate of the joint. Required if the joint has more than one.
    pub coordinate: Option<CoordinateName>,
    /// Friction during sliding in N m or N. Default 0.
    #[serde(default = "zero")]
    pub coulomb: Scalar,
    /// Breakaway load at rest in N m or N. Default `coulomb`.
    #[serde(rename = "static")]
    pub breakaway: Option<Scalar>,
    /// Stribeck speed in rad/s or m/s, at which friction falls from `static` to `coulomb`. Required with `static`.
    pub stribeck_speed: Option<Scalar>,
    /// Elastic displacement in rad or m up to breakaway, at `nominal_load`. Required with dry friction.
    pub presliding: Option<Scalar>,
    /// Time constant in s of the damping during sticking. Default 0.002.
    #[serde(default = "super::suspension::bristle_time")]
    pub time: Scalar,
    /// Viscous friction in N m s/rad or N s/m. Default 0.
    #[serde(default = "zero")]
    pub viscous: Scalar,
    /// Coefficient of friction μ of the bearing. Only for `revolute`, `prismatic` and `cylindrical` joints.
    pub coefficient: Option<Scalar>,
    /// Coefficient of friction at rest, at least `coefficient`. Needs `stribeck_speed`. Default `coefficient`.
    pub static_coefficient: Option<Scalar>,
    /// Radius of the bearing in m. Required with `coefficient` for a rotation.
    pub radius: Option<Scalar>,
    /// Mean radius of the face that carries the axial force of a rotation, in m. Default: no friction of axial forces.
    pub thrust_radius: Option<Scalar>,
    /// Distance in m of two bearings with the joint's point in the middle. Default: moments cause no friction.
    pub bearing_distance: Option<Scalar>,
    /// Force in N on the bearing for which `presliding` holds. Required with `coefficient`.
    pub nominal_load: Option<Scalar>,
    /// Time constant in s with which the friction follows the load. Default 0.001.
    pub load_time: Option<Scalar>,
}

impl ForceTable for Friction {
    const WORD: &str = "friction";

    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        vec![(&self.joint, self.coordinate.as_deref())]
    }
}

/// `[[drive]]`: torque or force on a joint coordinate.
///
/// effort = `gain` · `value` + `offset` − `position_gain` · position − `speed_gain` · speed, between `min_effort` and
/// `max_effort`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Drive {
    /// Unique name.
    pub name: ForceName,
    /// Name of the joint.
    pub joint: JointName,
    /// Coordinate of the joint. Required if the joint has more than one.
    pub coordinate: Option<CoordinateName>,
    /// Effort in N m or N: a number, an input or a parameter.
    pub value: Signal,
    /// Factor on `value`. Default 1.
    #[serde(default = "one")]
    pub gain: Gain,
    /// Effort at zero position and speed in N m or N. Default 0.
    #[serde(default = "zero")]
    pub offset: OnCoordinate,
    /// Feedback of the position in N m/rad or N/m. A position controller has it as its `gain` too. Default 0.
    #[serde(default = "zero")]
    pub position_gain: Scalar,
    /// Feedback of the speed in N m s/rad or N s/m. Default 0.
    #[serde(default = "zero")]
    pub speed_gain: Scalar,
    /// Smallest effort in N m or N. Default: none.
    #[geometry(no_default)]
    pub min_effort: Option<LowerEnd>,
    /// Largest effort in N m or N. Default: none.
    #[geometry(no_default)]
    pub max_effort: Option<UpperEnd>,
}

impl Drive {
    /// Whether the effort depends on the motion, or has an offset.
    pub fn has_feedback(&self) -> bool {
        [&self.offset, &self.position_gain, &self.speed_gain].into_iter().any(|number| *number != Number::Value(0.0))
    }
}

impl ForceTable for Drive {
    const WORD: &str = "drive";
    const READ_BY: Option<Target> = Some(Target::Drive);

    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        vec![(&self.joint, self.coordinate.as_deref())]
    }
}
