//! Relative coordinates of every joint kind: number, names, order and units.
//!
//! Coordinates measure the second body of a joint relative to the first, and are zero (quaternions: the identity) in
//! the design position. A *scalar* coordinate has one position, one speed that is its rate, and one effort. Springs,
//! drives, couplers, prescribed motions and outputs refer to these quantities by name. The rotation of a spherical or
//! floating joint is a unit quaternion with three speeds, the relative angular velocity in the axes of the first body:
//! it has no scalar coordinate.

use super::JointKind;

/// Quantity of a scalar coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// A travel in m.
    Length,
    /// An angle in rad.
    Angle,
}

impl Measure {
    /// Unit of the position.
    pub fn position_unit(self) -> &'static str {
        if self == Measure::Angle { "rad" } else { "m" }
    }
    /// Unit of the speed.
    pub fn speed_unit(self) -> &'static str {
        if self == Measure::Angle { "rad/s" } else { "m/s" }
    }
    /// Unit of the acceleration.
    pub fn acceleration_unit(self) -> &'static str {
        if self == Measure::Angle { "rad/s2" } else { "m/s2" }
    }
    /// Unit of the effort; effort times speed is a power.
    pub fn effort_unit(self) -> &'static str {
        if self == Measure::Angle { "N.m" } else { "N" }
    }
}

/// Effect of a mirror on the sign of a coordinate, see `assembly::mirror`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reflection {
    /// The axis is mirrored too: the sign is unchanged.
    Same,
    /// An angle about an axis that is mirrored as a direction: the sign follows the handedness of the mirror.
    Handedness,
    /// A travel along this world axis.
    World(usize),
}

/// A scalar coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coordinate {
    /// Name in the model file.
    pub name: &'static str,
    /// Index among the joint's positions.
    pub position: usize,
    /// Index among the joint's speeds.
    pub velocity: usize,
    /// Angle or length.
    pub measure: Measure,
    /// Effect of a mirror.
    pub reflection: Reflection,
}

const fn scalar(name: &'static str, index: usize, measure: Measure) -> Coordinate {
    Coordinate { name, position: index, velocity: index, measure, reflection: Reflection::Same }
}

/// A travel along a world axis.
const fn along(name: &'static str, index: usize) -> Coordinate {
    Coordinate { reflection: Reflection::World(index), ..scalar(name, index, Measure::Length) }
}

const ANGLE: &[Coordinate] = &[scalar("angle", 0, Measure::Angle)];
const TRAVEL: &[Coordinate] = &[scalar("travel", 0, Measure::Length)];
/// Travel and angle share the axis, which is mirrored as the direction of the travel.
const TRAVEL_ANGLE: &[Coordinate] = &[
    scalar("travel", 0, Measure::Length),
    Coordinate { reflection: Reflection::Handedness, ..scalar("angle", 1, Measure::Angle) },
];
const TWO_ANGLES: &[Coordinate] = &[scalar("angle", 0, Measure::Angle), scalar("second_angle", 1, Measure::Angle)];
/// The axis belongs to the angle only; the travel is mirrored with its curve.
const CURVE_ANGLE: &[Coordinate] = &[scalar("travel", 0, Measure::Length), scalar("angle", 1, Measure::Angle)];
const PLANE: &[Coordinate] =
    &[scalar("x", 0, Measure::Length), scalar("y", 1, Measure::Length), scalar("angle", 2, Measure::Angle)];
const SPACE: &[Coordinate] = &[along("x", 0), along("y", 1), along("z", 2)];

/// Whether a joint has a second axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondAxis {
    /// No second axis.
    None,
    /// Optional in the file; otherwise the program chooses the axis.
    Optional,
    /// Required in the file.
    Needed,
}

/// A row of the table of joints. Its translations and rotations also define the physics of the kind. Translations are
/// first, in the frame of the first body: one along `axis`, two in the plane normal to `axis`, three along the axes of
/// that body, or one along a curve of that body. Then follow the rotations: one angle about `axis`, two about `axis`
/// and `second_axis`, two that keep the bisecting plane, or a free rotation. `joint` derives the poses and columns of a
/// tree joint and the closure rows of a cut joint from the row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The kind.
    pub kind: JointKind,
    /// Name in model files.
    pub name: &'static str,
    /// The scalar coordinates, in their order: lengths, then angles.
    pub coordinates: &'static [Coordinate],
    /// Names of the positions, in the order of `position` in the model file.
    pub positions: &'static [&'static str],
    /// Names of the speeds, in the order of `speed` in the model file. `wx`, `wy`, `wz` are the relative angular
    /// velocity in the axes of the first body.
    pub speeds: &'static [&'static str],
    /// Number of translations.
    pub translations: usize,
    /// Index of the first of the four numbers of the unit quaternion among the positions.
    pub quaternion: Option<usize>,
    /// Whether the joint has a location, so that `point` is required.
    pub needs_point: bool,
    /// Whether `axis` is required (otherwise it has no meaning).
    pub needs_axis: bool,
    /// Whether the translation is along a `curve`. The joint is then always a tree joint.
    pub curve: bool,
    /// Whether the two angles keep a plane that bisects the angle between the two bodies, so that both have equal
    /// speeds.
    pub bisecting: bool,
    /// Whether the second body rolls without slip on a plane of the first. Its velocities are a free rotation about the
    /// contact point; two further positions follow from them. The joint is always a tree joint.
    pub rolling: bool,
    /// Whether there is a `second_axis`.
    pub second_axis: SecondAxis,
    /// Whether `axis` and `second_axis` are senses of rotation (axial vectors), which a mirror changes differently from
    /// directions.
    pub axial: [bool; 2],
}

/// A row without a free rotation: the scalar coordinates name the positions and speeds.
const fn scalars(
    kind: JointKind,
    name: &'static str,
    coordinates: &'static [Coordinate],
    names: &'static [&'static str],
) -> Row {
    let mut translations = 0;
    while translations < coordinates.len() && matches!(coordinates[translations].measure, Measure::Length) {
        translations += 1;
    }
    Row {
        kind,
        name,
        coordinates,
        positions: names,
        speeds: names,
        translations,
        quaternion: None,
        needs_point: true,
        needs_axis: true,
        curve: false,
        bisecting: false,
        rolling: false,
        second_axis: SecondAxis::None,
        axial: [false; 2],
    }
}

/// A row of a joint that rolls.
const fn rolling(kind: JointKind, name: &'static str) -> Row {
    Row {
        speeds: &["wx", "wy", "wz"],
        quaternion: Some(0),
        rolling: true,
        ..scalars(kind, name, &[], &["w", "qx", "qy", "qz", "x", "y"])
    }
}

/// One row per kind, in the order of [`JointKind`].
pub const JOINTS: [Row; 14] = [
    Row { axial: [true; 2], ..scalars(JointKind::Revolute, "revolute", ANGLE, &["angle"]) },
    Row { needs_point: false, ..scalars(JointKind::Prismatic, "prismatic", TRAVEL, &["travel"]) },
    scalars(JointKind::Cylindrical, "cylindrical", TRAVEL_ANGLE, &["travel", "angle"]),
    Row {
        second_axis: SecondAxis::Needed,
        axial: [true; 2],
        ..scalars(JointKind::Universal, "universal", TWO_ANGLES, &["angle", "second_angle"])
    },
    Row {
        speeds: &["wx", "wy", "wz"],
        quaternion: Some(0),
        needs_axis: false,
        ..scalars(JointKind::Spherical, "spherical", &[], &["w", "x", "y", "z"])
    },
    Row {
        second_axis: SecondAxis::Optional,
        axial: [true, false],
        ..scalars(JointKind::Planar, "planar", PLANE, &["x", "y", "angle"])
    },
    Row {
        speeds: &["x", "y", "z", "wx", "wy", "wz"],
        quaternion: Some(3),
        needs_point: false,
        needs_axis: false,
        ..scalars(JointKind::Floating, "floating", SPACE, &["x", "y", "z", "w", "qx", "qy", "qz"])
    },
    Row { needs_axis: false, ..scalars(JointKind::Fixed, "fixed", &[], &[]) },
    Row { curve: true, needs_axis: false, ..scalars(JointKind::AlongCurve, "along_curve", TRAVEL, &["travel"]) },
    Row {
        curve: true,
        axial: [true, false],
        ..scalars(JointKind::PinOnCurve, "pin_on_curve", CURVE_ANGLE, &["travel", "angle"])
    },
    Row {
        curve: true,
        speeds: &["travel", "wx", "wy", "wz"],
        quaternion: Some(1),
        needs_axis: false,
        ..scalars(JointKind::PointOnCurve, "point_on_curve", TRAVEL, &["travel", "w", "x", "y", "z"])
    },
    Row {
        bisecting: true,
        second_axis: SecondAxis::Optional,
        axial: [true; 2],
        ..scalars(JointKind::ConstantVelocity, "constant_velocity", TWO_ANGLES, &["angle", "second_angle"])
    },
    Row { second_axis: SecondAxis::Optional, ..rolling(JointKind::RollingBall, "rolling_ball") },
    Row { second_axis: SecondAxis::Needed, ..rolling(JointKind::RollingDisc, "rolling_disc") },
];

impl JointKind {
    /// Every kind, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = JointKind> {
        JOINTS.iter().map(|row| row.kind)
    }

    /// Row of the kind.
    pub fn row(self) -> &'static Row {
        &JOINTS[self as usize]
    }

    /// The scalar coordinates, in their order.
    pub fn coordinates(self) -> &'static [Coordinate] {
        self.row().coordinates
    }

    /// The scalar coordinate of a reference: given by its name, or the only coordinate.
    pub fn coordinate(self, name: Option<&str>) -> Option<&'static Coordinate> {
        let coordinates = self.coordinates();
        match name {
            Some(name) => coordinates.iter().find(|coordinate| coordinate.name == name),
            None if coordinates.len() == 1 => coordinates.first(),
            None => None,
        }
    }

    /// Names of the positions, see [`Row::positions`].
    pub fn position_names(self) -> &'static [&'static str] {
        self.row().positions
    }

    /// Names of the speeds, see [`Row::speeds`].
    pub fn speed_names(self) -> &'static [&'static str] {
        self.row().speeds
    }

    /// Index of the first of the four numbers of the unit quaternion among the positions.
    #[inline]
    pub fn quaternion(self) -> Option<usize> {
        JOINTS[self as usize].quaternion
    }

    /// Number of velocities (degrees of freedom).
    #[inline]
    pub fn freedom(self) -> usize {
        JOINTS[self as usize].speeds.len()
    }

    /// Number of velocities that are translations; they are first.
    #[inline]
    pub fn translations(self) -> usize {
        JOINTS[self as usize].translations
    }

    /// Whether velocity `k` of a joint of this kind is a rotation: an angle, or one of the three speeds of a free
    /// rotation.
    pub fn is_rotation(self, k: usize) -> bool {
        (self.translations()..self.freedom()).contains(&k)
    }

    /// Whether the two angles keep the bisecting plane.
    #[inline]
    pub fn is_bisecting(self) -> bool {
        JOINTS[self as usize].bisecting
    }

    /// Whether the second body rolls on a plane of the first.
    #[inline]
    pub fn is_rolling(self) -> bool {
        JOINTS[self as usize].rolling
    }

    /// Name in model files.
    pub fn word(self) -> &'static str {
        self.row().name
    }

    /// Whether the joint has no constraint.
    #[inline]
    pub fn is_free(self) -> bool {
        self.freedom() == 6
    }

    /// Whether the bodies only rotate relative to each other, so that they share a point.
    pub fn turns_about_point(self) -> bool {
        self.translations() == 0 && self.freedom() > 0 && !self.is_rolling()
    }

    /// Whether the only coordinate is an angle about an axis common to both bodies.
    #[inline]
    pub fn turns_about_axis(self) -> bool {
        self.translations() == 0 && self.freedom() == 1
    }

    /// Whether the joint has a location, so that `point` is required.
    pub fn needs_point(self) -> bool {
        self.row().needs_point
    }

    /// Whether `axis` is required (otherwise it has no meaning).
    pub fn needs_axis(self) -> bool {
        self.row().needs_axis
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_the_row_of_its_own_name() {
        for (index, row) in JOINTS.iter().enumerate() {
            assert_eq!((row.kind as usize, row.kind.row()), (index, row));
        }
        assert!(JointKind::all().all(|kind| kind.row().kind == kind));
    }

    #[test]
    fn scalar_coordinates_stand_where_their_names_stand() {
        for kind in JointKind::all() {
            for coordinate in kind.coordinates() {
                assert_eq!(kind.position_names()[coordinate.position], coordinate.name);
                assert_eq!(kind.speed_names()[coordinate.velocity], coordinate.name);
                assert_eq!(kind.is_rotation(coordinate.velocity), coordinate.measure == Measure::Angle);
            }
            let extra = usize::from(kind.quaternion().is_some()) + if kind.is_rolling() { 2 } else { 0 };
            assert_eq!(kind.position_names().len(), kind.speed_names().len() + extra);
        }
    }
}
