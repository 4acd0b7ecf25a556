//! Bending of flexible bodies: checks that linear elasticity relative to the floating frame is still valid.
//!
//! The theory keeps displacements relative to the floating frame to first order, and stiffening terms to second order.
//! The measure is the angle by which a point deviates from the tangent at another point. With the displacement u and
//! rotation θ of points i and j and d = r_j − r_i it is
//!
//! ```text
//!     ratio = |u_j − u_i − θ_i × d| / |d|,
//! ```
//!
//! the largest over all pairs of interfaces and output nodes. For a clamped beam it is the deflection of the tip over
//! the length; rigid motion of the frame does not change it, so it does not depend on the choice of the frame. If no
//! point has a rotation (interfaces of trusses), it is the largest displacement over the greatest distance of two
//! points.
//!
//! [`BOUND`]: the deflection of a cantilever with a force at its tip is, exactly, 0.3015 L where linear theory says
//! 0.3333 L, and 0.0830 L for 0.0833 L (elastica; Bisshopp and Drucker 1945): the error grows as 1.0 · ratio², 1 % at a
//! ratio of 0.1. Without stiffening the displacement of the tip along the beam, 0.6 · ratio · deflection, is missing
//! too: 6 % of the deflection at this ratio.
//!
//! Costs 6 n per place and some 30 operations per pair of places; allocates nothing. Verified by: tests below.

use crate::math::{Vec3, larger};
use crate::system::flexible::NodeShape;
use crate::system::{Flexible, State, System};

/// Bending ratio up to which linear elasticity is accurate to one per cent.
pub const BOUND: f64 = 0.1;
/// Points closer than this fraction of the greatest distance count as one.
const COINCIDENCE_TOLERANCE: f64 = 1e-3;

/// The largest bending of any flexible body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bending {
    /// Displacement over length.
    pub ratio: f64,
    /// Index of the body among the flexible bodies.
    pub body: usize,
    /// Time of the largest bending, s.
    pub time: f64,
}

/// Data of the bodies that do not depend on their motion, and scratch for one of them.
pub(super) struct Shapes {
    bodies: Vec<Shape>,
    /// Displacement and rotation of every point.
    displaced: Vec<[Vec3; 2]>,
}

/// Data of a body that do not depend on its motion.
struct Shape {
    /// Greatest distance of two points, m.
    length: f64,
    /// Whether the rotation of a point is known. At a point to which the frame is tangent it is zero.
    turns: Vec<bool>,
}

impl Shapes {
    /// For all flexible bodies of a system.
    #[expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "before the first step")]
    pub(crate) fn new(system: &System) -> Shapes {
        let most = system.flexible.iter().map(|body| body.places.len()).max();
        let bodies = system.flexible.iter().map(Shape::new).collect();
        Shapes { bodies, displaced: vec![[Vec3::zeros(); 2]; most.unwrap_or(0)] }
    }
}

impl Shape {
    #[expect(clippy::disallowed_methods, reason = "before the first step")]
    fn new(body: &Flexible) -> Shape {
        let places = &body.places;
        let pairs = places.iter().enumerate().flat_map(|(k, a)| places[..k].iter().map(move |b| (a, b)));
        let length = pairs.map(|(a, b)| (a.position - b.position).norm()).fold(0.0, larger);
        let rotates = |place: &NodeShape| place.shape[3..].iter().flatten().any(|entry| *entry != 0.0);
        let is_held = |place: &NodeShape| place.shape.iter().flatten().all(|entry| *entry == 0.0);
        Shape { length, turns: places.iter().map(|place| rotates(place) || is_held(place)).collect() }
    }
}

impl Bending {
    /// Updates the largest bending of the bodies of `state`.
    pub(super) fn track(&mut self, system: &System, state: &State, shapes: &mut Shapes) {
        let Shapes { bodies, displaced } = shapes;
        for (index, (body, shape)) in system.flexible.iter().zip(bodies).enumerate() {
            let ratio = ratio(body, shape, &state.q[body.q.clone()], &mut displaced[..body.places.len()]);
            // Not a number counts as beyond the bound.
            if !(ratio <= self.ratio) && !self.ratio.is_nan() {
                *self = Bending { ratio, body: index, time: state.time };
            }
        }
    }

    /// Whether a body has bent beyond the bound; not a number counts as far.
    pub(crate) fn is_far(&self) -> bool {
        !(self.ratio <= BOUND)
    }

    /// The warning for a body that has bent beyond the bound. Allocates.
    #[expect(clippy::disallowed_macros, reason = "texts, between steps")]
    pub fn warning(&self, system: &System) -> Option<String> {
        if !self.is_far() {
            return None;
        }
        let body = system.flexible.get(self.body)?;
        let without = match body.model {
            crate::system::StiffeningModel::None => " (with `stiffening` if motion or loads stiffen it)",
            _ => "",
        };
        Some(format!(
            "flexible body `{}` bends by {:.2} of its length at t = {:.4} s, above the limit of {BOUND} for 1 % \
             accuracy of linear elasticity; divide it into several flexible bodies in series{without}, or reduce its \
             loads",
            body.name, self.ratio, self.time
        ))
    }
}

fn three(place: &NodeShape, first: usize, eta: &[f64]) -> Vec3 {
    Vec3::from_fn(|a, _| place.shape[first + a].iter().zip(eta).map(|(row, eta)| row * eta).sum())
}

/// Bending ratio of a body with the elastic coordinates `eta`; `displaced`: scratch, one entry per point.
fn ratio(body: &Flexible, shape: &Shape, eta: &[f64], displaced: &mut [[Vec3; 2]]) -> f64 {
    let places = &body.places;
    for (place, displaced) in places.iter().zip(displaced.iter_mut()) {
        *displaced = [three(place, 0, eta), three(place, 3, eta)];
    }
    let length = shape.length;
    if length == 0.0 {
        return 0.0;
    }
    if !shape.turns.iter().any(|turns| *turns) {
        return displaced.iter().fold(0.0, |worst, [shift, _]| larger(worst, shift.norm() / length));
    }
    let mut worst = 0.0;
    let placed = || places.iter().zip(&*displaced);
    for ((a, [shift, turn]), _) in placed().zip(&shape.turns).filter(|(_, turns)| **turns) {
        for (b, [other, _]) in placed() {
            let arm = b.position - a.position;
            let reach = arm.norm();
            if reach > COINCIDENCE_TOLERANCE * length {
                worst = larger(worst, (other - shift - turn.cross(&arm)).norm() / reach);
            }
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(body: &Flexible, eta: &[f64]) -> f64 {
        super::ratio(body, &Shape::new(body), eta, &mut vec![[Vec3::zeros(); 2]; body.places.len()])
    }

    /// A point at `x` whose displacement along y is w and whose rotation about z is w', both per unit of the single
    /// coordinate.
    fn place(x: f64, w: f64, slope: f64) -> NodeShape {
        let mut shape: [Vec<f64>; 6] = std::array::from_fn(|_| vec![0.0]);
        (shape[1], shape[5]) = (vec![w], vec![slope]);
        NodeShape { name: String::new(), position: Vec3::new(x, 0.0, 0.0), shape }
    }

    fn body(places: Vec<NodeShape>) -> Flexible {
        Flexible { places, ..crate::check::elastic_sample::body(&[1.0], &[0.0]) }
    }

    #[test]
    fn a_clamped_beam_bends_by_its_deflection_over_its_length() {
        let clamped = body(vec![place(0.0, 0.0, 0.0), place(2.0, 0.5, 0.375)]);
        // Relative to the tip's tangent the root deviates by only 0.375 · 2 − 0.5 = 0.25.
        assert_eq!(ratio(&clamped, &[0.4]), 0.1);
    }

    #[test]
    fn rigid_motion_of_the_frame_does_not_count() {
        let (turn, shift) = (0.3, -0.7);
        let tilted = |x: f64, w: f64, slope: f64| place(x, w + shift + turn * x, slope + turn);
        let moved = body(vec![tilted(0.0, 0.0, 0.0), tilted(2.0, 0.5, 0.375)]);
        assert!((ratio(&moved, &[0.4]) - 0.1).abs() < 1e-15);
    }

    #[test]
    fn places_without_rotations_count_by_their_displacement_over_the_length() {
        let truss = body(vec![place(0.0, 0.1, 0.0), place(2.0, -0.3, 0.0)]);
        assert_eq!(ratio(&truss, &[1.0]), 0.15);
        assert!(ratio(&truss, &[f64::NAN]).is_nan());
    }
}
