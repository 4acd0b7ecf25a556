//! Cables, freewheels, limits of rotations, and efforts by a formula as plain data.

use super::kinds::*;
use super::{Model, Place, one, zero};
use crate::elements::{ForceTable, JointCoordinate};
use crate::geometry::{Geometry, New};
use crate::outputs::Target;
pub use ballesta_solver::force::CableSense;
use serde::{Deserialize, Serialize};

/// Sense in which spring and damper of a cable act.
#[derive(Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "CableSense", rename_all = "snake_case")]
pub(super) enum CableSenseName {
    /// Only in tension: a rope.
    Tension,
    /// Only in compression: a stop at the shortest length.
    Compression,
    /// In tension and compression.
    Both,
}

super::named::named!(CableSenseName => CableSense: Tension, Compression, Both);

/// `[[cable]]`: a cable over points of bodies, with one tension along its length.
///
/// tension = `stiffness` · (length − `free_length`) + `damping` · speed + `gain` · `value`, between `min_tension` and
/// `max_tension`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Cable {
    /// Unique name.
    pub name: ForceName,
    /// Body of each point, at least two.
    pub bodies: Vec<BodyName>,
    /// The points over which the cable runs, in this order.
    pub points: Vec<Place>,
    /// Number of strands of each section between two points; 0: the section does not belong to the cable. Default 1.
    pub strands: Option<Vec<Constant>>,
    /// Sense in which spring and damper act. Default `tension`.
    #[serde(with = "super::named", default = "tension")]
    #[cfg_attr(feature = "schema", schemars(with = "CableSenseName"))]
    pub acts: CableSense,
    /// Stiffness in N/m. Default 0.
    #[serde(default = "zero")]
    pub stiffness: Scalar,
    /// Damping in N s/m. Default 0.
    #[serde(default = "zero")]
    pub damping: Scalar,
    /// Length without tension in m: a number, an input or a parameter. Default: the length in the design position.
    pub free_length: Option<Signal>,
    /// Additional tension in N: a number, an input or a parameter. Default 0.
    #[serde(default = "zero")]
    pub value: Signal,
    /// Factor on `value`. Default 1.
    #[serde(default = "one")]
    pub gain: Scalar,
    /// Smallest tension in N. Default: none.
    pub min_tension: Option<Scalar>,
    /// Largest tension in N. Default: none.
    pub max_tension: Option<Scalar>,
}

fn tension() -> CableSense {
    CableSense::Tension
}

impl ForceTable for Cable {
    const WORD: &str = "cable";
    const READ_BY: Option<Target> = Some(Target::Spring);

    fn between<'m>(&'m self, _: &'m Model) -> Vec<Vec<&'m String>> {
        self.bodies.windows(2).map(|pair| pair.iter().collect()).collect()
    }
}

/// `[[freewheel]]`: a coupling on a joint coordinate that turns freely in one sense and locks elastically in the other.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Freewheel {
    /// Unique name.
    pub name: ForceName,
    /// Name of the joint.
    pub joint: JointName,
    /// Coordinate of the joint. Required if the joint has more than one.
    pub coordinate: Option<CoordinateName>,
    /// 1: free towards positive coordinates, −1: towards negative ones. Default 1.
    #[serde(default = "one")]
    pub sense: Gain,
    /// Stiffness of the locked coupling in N m/rad or N/m.
    pub stiffness: Scalar,
    /// Damping of the locked coupling in N m s/rad or N s/m. Default 0.
    #[serde(default = "zero")]
    pub damping: Scalar,
    /// Time constant in s with which the coupling is ready to lock again. Default 0.002.
    #[serde(default = "super::suspension::bristle_time")]
    pub time: Scalar,
}

impl ForceTable for Freewheel {
    const WORD: &str = "freewheel";
    const READ_BY: Option<Target> = Some(Target::Drive);

    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        vec![(&self.joint, self.coordinate.as_deref())]
    }
}

/// `[[ball_stop]]`: elastic limits of the rotation of the second body relative to the first, for ball joints.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct BallStop {
    /// Unique name.
    pub name: ForceName,
    /// The two bodies.
    pub bodies: [BodyName; 2],
    /// Axis of the twist in W, design position. Required with `swing`, `twist_lower` and `twist_upper`.
    #[geometry(no_default)]
    pub axis: Option<Axial>,
    /// Frame of `axis`. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<FrameName>,
    /// Largest angle in rad between the axis of the first body and that of the second. Default: none.
    pub swing: Option<Scalar>,
    /// Smallest twist about the axis in rad, from −π to 0. Default: none.
    pub twist_lower: Option<Scalar>,
    /// Largest twist about the axis in rad, from 0 to π. Default: none.
    pub twist_upper: Option<Scalar>,
    /// Largest angle of the whole rotation in rad. Default: none.
    pub rotation: Option<Scalar>,
    /// Stiffness in N m/rad.
    pub stiffness: Scalar,
    /// Damping in N m s/rad during contact, limited so that the stop never pulls. Default 0.
    #[serde(default = "zero")]
    pub damping: Scalar,
}

impl ForceTable for BallStop {
    const WORD: &str = "stop";

    fn between<'m>(&'m self, _: &'m Model) -> Vec<Vec<&'m String>> {
        vec![self.bodies.iter().collect()]
    }
}

/// `[[expression]]`: an effort on a joint coordinate, or a tension between two points, given by a formula.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Expression {
    /// Unique name.
    pub name: ForceName,
    /// Name of the joint on whose coordinate the effort acts.
    pub joint: Option<JointName>,
    /// Coordinate of the joint. Required if the joint has more than one.
    pub coordinate: Option<CoordinateName>,
    /// The bodies at the two ends of a tension, instead of `joint`.
    pub bodies: Option<[BodyName; 2]>,
    /// Places of the two ends.
    pub points: Option<[Place; 2]>,
    /// The formula of the effort in N m or N, or of the tension in N.
    pub effort: Text,
    /// Factor on the formula. Default 1.
    #[serde(default = "one")]
    pub gain: Gain,
    /// The variables of the formula. It also knows `time` in s, and between points `length` in m and `speed` in m/s.
    #[serde(default)]
    #[geometry(default = 1.0)]
    pub variables: Vec<ExpressionVariable>,
}

/// A variable of a formula: a joint coordinate or its speed, or a number, an input or a parameter.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct ExpressionVariable {
    /// Name in the formula: letters, digits and `_`.
    pub name: Text,
    /// Name of the joint whose coordinate it is.
    pub joint: Option<JointName>,
    /// Coordinate of the joint. Required if the joint has more than one.
    pub coordinate: Option<CoordinateName>,
    /// `true`: the speed of the coordinate.
    #[serde(default)]
    pub rate: bool,
    /// Factor on the coordinate or its speed. Default 1.
    pub factor: Option<Factor>,
    /// A number, an input or a parameter, instead of `joint`.
    pub value: Option<Signal>,
}

impl ForceTable for Expression {
    const WORD: &str = "law";
    const READ_BY: Option<Target> = Some(Target::Drive);

    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        let own = self.joint.iter().map(|joint| (joint.as_str(), self.coordinate.as_deref()));
        let read = self.variables.iter().filter_map(|of| Some((of.joint.as_deref()?, of.coordinate.as_deref())));
        own.chain(read).collect()
    }

    fn between<'m>(&'m self, _: &'m Model) -> Vec<Vec<&'m String>> {
        self.bodies.iter().map(|bodies| bodies.iter().collect()).collect()
    }
}
