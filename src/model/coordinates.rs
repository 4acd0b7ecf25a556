//! Relative coordinates of every joint kind: how many, their names, order and units.
//!
//! Coordinates measure the second body of a joint relative to the first, and are zero (quaternions: the identity) in the
//! design position. A *scalar* coordinate has one position, one speed that is its rate, and one effort; springs, drives,
//! couplers, guided motions and outputs refer to those by name. The rotation of a spherical or floating joint is a unit
//! quaternion with three speeds, the relative angular velocity in the axes of the first body: it has no scalar coordinate.

use super::schema::JointKind;

/// What a scalar coordinate measures.
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
    /// Unit of the effort, so that effort times speed is a power.
    pub fn effort_unit(self) -> &'static str {
        if self == Measure::Angle { "N.m" } else { "N" }
    }
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
}

const fn scalar(name: &'static str, index: usize, measure: Measure) -> Coordinate {
    Coordinate { name, position: index, velocity: index, measure }
}

const ANGLE: &[Coordinate] = &[scalar("angle", 0, Measure::Angle)];
const TRAVEL: &[Coordinate] = &[scalar("travel", 0, Measure::Length)];
const TRAVEL_ANGLE: &[Coordinate] = &[scalar("travel", 0, Measure::Length), scalar("angle", 1, Measure::Angle)];
const TWO_ANGLES: &[Coordinate] = &[scalar("angle", 0, Measure::Angle), scalar("second_angle", 1, Measure::Angle)];
const PLANE: &[Coordinate] =
    &[scalar("x", 0, Measure::Length), scalar("y", 1, Measure::Length), scalar("angle", 2, Measure::Angle)];
const SPACE: &[Coordinate] =
    &[scalar("x", 0, Measure::Length), scalar("y", 1, Measure::Length), scalar("z", 2, Measure::Length)];

impl JointKind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [JointKind; 8] = [
        JointKind::Revolute,
        JointKind::Prismatic,
        JointKind::Cylindrical,
        JointKind::Universal,
        JointKind::Spherical,
        JointKind::Planar,
        JointKind::Floating,
        JointKind::Fixed,
    ];

    /// The scalar coordinates, in their order.
    pub fn coordinates(self) -> &'static [Coordinate] {
        match self {
            JointKind::Revolute => ANGLE,
            JointKind::Prismatic => TRAVEL,
            JointKind::Cylindrical => TRAVEL_ANGLE,
            JointKind::Universal => TWO_ANGLES,
            JointKind::Planar => PLANE,
            JointKind::Floating => SPACE,
            JointKind::Spherical | JointKind::Fixed => &[],
        }
    }

    /// The scalar coordinate that a reference means: by its name, or the only one.
    pub fn coordinate(self, name: Option<&str>) -> Option<&'static Coordinate> {
        let coordinates = self.coordinates();
        match name {
            Some(name) => coordinates.iter().find(|coordinate| coordinate.name == name),
            None if coordinates.len() == 1 => coordinates.first(),
            None => None,
        }
    }

    /// Names of the positions, in the order of `position` in the model file.
    pub fn position_names(self) -> &'static [&'static str] {
        match self {
            JointKind::Revolute => &["angle"],
            JointKind::Prismatic => &["travel"],
            JointKind::Cylindrical => &["travel", "angle"],
            JointKind::Universal => &["angle", "second_angle"],
            JointKind::Spherical => &["w", "x", "y", "z"],
            JointKind::Planar => &["x", "y", "angle"],
            JointKind::Floating => &["x", "y", "z", "w", "qx", "qy", "qz"],
            JointKind::Fixed => &[],
        }
    }

    /// Names of the speeds, in the order of `speed` in the model file. `wx`, `wy`, `wz` are the relative angular velocity
    /// in the axes of the first body.
    pub fn speed_names(self) -> &'static [&'static str] {
        match self {
            JointKind::Spherical => &["wx", "wy", "wz"],
            JointKind::Floating => &["x", "y", "z", "wx", "wy", "wz"],
            _ => self.position_names(),
        }
    }

    /// Index of the first of the four numbers of the unit quaternion among the positions.
    pub fn quaternion(self) -> Option<usize> {
        match self {
            JointKind::Spherical => Some(0),
            JointKind::Floating => Some(3),
            _ => None,
        }
    }

    /// Whether the joint is somewhere: whether `point` has to be given.
    pub fn needs_point(self) -> bool {
        !matches!(self, JointKind::Prismatic | JointKind::Floating)
    }

    /// Whether `axis` has to be given (otherwise it has no meaning).
    pub fn needs_axis(self) -> bool {
        !matches!(self, JointKind::Spherical | JointKind::Floating | JointKind::Fixed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalar_coordinates_stand_where_their_names_stand() {
        for kind in JointKind::ALL {
            for coordinate in kind.coordinates() {
                assert_eq!(kind.position_names()[coordinate.position], coordinate.name);
                assert_eq!(kind.speed_names()[coordinate.velocity], coordinate.name);
            }
            let extra = usize::from(kind.quaternion().is_some());
            assert_eq!(kind.position_names().len(), kind.speed_names().len() + extra);
        }
    }
}
