//! The line between a point of one body and a point of another.

#![expect(non_snake_case, reason = "monogram notation of frames")]

use super::{Direction, Loads, Marker, Surroundings, Tangent};
use crate::math::rotation::complement;
use crate::math::scalar::{Scalar, norm};
use crate::math::spatial::BodyMotion;
use crate::math::{Vec3, divisor};

/// The line PQ at one instant.
pub(super) struct Line<S = f64> {
    /// P and Q, each relative to the o of its body, world axes.
    pub ends: [Vec3<S>; 2],
    /// |PQ|, m.
    pub length: S,
    /// Its rate, m/s.
    pub speed: S,
    /// Unit vector from P to Q; zero if the length is zero.
    pub direction: Vec3<S>,
}

impl<S: Scalar> Line<S> {
    /// The line from the first point to the second.
    pub(crate) fn between(ends: &[Marker; 2], s: &Surroundings<S>) -> Line<S> {
        let (first, second) = (s.body(ends[0].body), s.body(ends[1].body));
        let ends = [first.point(&ends[0].point), second.point(&ends[1].point)];
        let p_PQ_W = BodyMotion::between(first, &ends[0], second, &ends[1]);
        let length = norm(&p_PQ_W);
        let n_W = if length > 0.0 { p_PQ_W / divisor(length) } else { Vec3::zeros() };
        let speed = n_W.dot(&(second.velocity.at(&ends[1]) - first.velocity.at(&ends[0])));
        Line { ends, length, speed, direction: n_W }
    }

    /// Only the length of the line, m.
    pub(crate) fn distance(ends: &[Marker; 2], s: &Surroundings<S>) -> S {
        let (first, second) = (s.body(ends[0].body), s.body(ends[1].body));
        norm(&BodyMotion::between(first, &first.point(&ends[0].point), second, &second.point(&ends[1].point)))
    }

    /// Adds a tension, N, at both ends.
    pub(crate) fn add_tension(&self, ends: &[Marker; 2], tension: S, loads: &mut Loads<S>) {
        let f_P_W = self.direction * tension;
        loads.add_force(ends[0].body, &self.ends[0], f_P_W);
        loads.add_force(ends[1].body, &self.ends[1], -f_P_W);
    }
}

impl Line {
    /// Visits the stiffness and damping along the line and the geometric stiffness `tension` / length perpendicular to
    /// the line; nothing if the line has no direction.
    pub(crate) fn visit_tangents(
        &self,
        ends: &[Marker; 2],
        [stiffness, damping, tension]: [f64; 3],
        visit: &mut dyn FnMut(&Tangent),
    ) {
        if self.length > 0.0 {
            let bodies = ends.map(|end| end.body);
            let mut show = |axis: &Vec3, stiffness: f64, damping: f64| {
                visit(&Tangent { direction: Direction::force(bodies, &self.ends, axis), stiffness, damping });
            };
            show(&self.direction, stiffness, damping);
            let across = complement(&self.direction);
            show(&across.0, tension / self.length, 0.0);
            show(&across.1, tension / self.length, 0.0);
        }
    }
}
