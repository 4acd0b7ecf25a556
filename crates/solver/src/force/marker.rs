//! A point fixed in a body.

use super::{BodyIx, Surroundings};
use crate::math::Vec3;
use crate::math::scalar::Scalar;

/// A point fixed in a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Marker {
    /// The body.
    pub body: BodyIx,
    /// The point in the body's frame B, m.
    pub point: Vec3,
}

impl Marker {
    /// The point from the o of its body, world axes, m.
    pub(crate) fn position<S: Scalar>(&self, s: &Surroundings<S>) -> Vec3<S> {
        s.body(self.body).point(&self.point)
    }

    /// Velocity of the point, world axes, m/s.
    pub(crate) fn velocity<S: Scalar>(&self, s: &Surroundings<S>) -> Vec3<S> {
        s.body(self.body).velocity.at(&self.position(s))
    }
}
