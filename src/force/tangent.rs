//! Stiffness and damping of a force element at an instant, as a sum of directions.
//!
//! With the direction's pair of unit wrenches (or its coordinate), its speed is ė = Σ w · Z; an elongation δe adds k δe and
//! a speed δė adds c δė to the load against it. So every direction adds the rank-one matrices k g gᵀ and c g gᵀ to the
//! stiffness and damping of the mechanism, with g the projection of its wrenches to the coordinates: symmetric, and positive
//! semidefinite for k, c ≥ 0. Not contained: the geometric stiffness from the turning of directions with the bodies.

use super::{BodyIx, CoordinateIx};
use crate::math::Vec3;
use crate::math::spatial::{BodyMotion, Wrench};

/// What a direction of stiffness moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    /// Two bodies against each other: opposite unit wrenches, each about the o of its body, world axes.
    Bodies([BodyIx; 2], [Wrench; 2]),
    /// A joint coordinate.
    Coordinate(CoordinateIx),
}

/// Stiffness and damping in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangent {
    /// The direction.
    pub direction: Direction,
    /// k: N/m, or N m/rad.
    pub stiffness: f64,
    /// c: N s/m, or N m s/rad.
    pub damping: f64,
}

impl Direction {
    /// A unit force along `axis` at the points `r` (each from the o of its body).
    pub(super) fn force(bodies: [BodyIx; 2], r: &[Vec3; 2], axis: &Vec3) -> Direction {
        Direction::Bodies(bodies, [Wrench::at(&r[0], -axis), Wrench::at(&r[1], *axis)])
    }

    /// A unit couple about `axis`.
    pub(super) fn couple(bodies: [BodyIx; 2], axis: &Vec3) -> Direction {
        Direction::Bodies(bodies, [Wrench::couple(-axis), Wrench::couple(*axis)])
    }

    /// ė: speed in this direction.
    pub fn speed(&self, bodies: &[BodyMotion], v: &[f64]) -> f64 {
        match self {
            Direction::Bodies(on, wrenches) => (0..2).map(|end| bodies[on[end].0].velocity.dot(&wrenches[end])).sum(),
            Direction::Coordinate(coordinate) => v[coordinate.velocity],
        }
    }
}
