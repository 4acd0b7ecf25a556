//! Moving frame along a curve.
//!
//! Problem. Axes t, y, z along a curve r(s): t along its tangent, z along the component of a fixed direction w
//! perpendicular to t, y = z × t. The module computes the rotation R(s) R(s₀)ᵀ of a body fixed to these axes, its
//! angular velocity ω per ṡ in rad/m, and dω/ds in rad/m², in the frame of the curve.
//!
//! Method. The tangent turns by k = r' × r'' / |r'|², and the roll about it follows from y · w = 0:
//!
//! ```text
//! ω = k + g t,    g = c d / (1 − c²),    c = w · t,    d = w · k
//! k' = r' × r''' / |r'|² − 2 (r' · r'') / |r'|² k,    t' = k × t
//! ```
//!
//! Along a plane curve with w as the normal of the plane, g = 0: the body turns about w with the tangent. It also
//! passes points without curvature smoothly, where a Frenet frame jumps. Unlike a rotation-minimising frame, this frame
//! depends only on s, not on the path to s. Limit: the frame is undefined if w is along the tangent, and the roll is
//! fast near this case.
//!
//! Quaternions. The quaternion of R(s) R(s₀)ᵀ is continuous along the curve. Its sign follows precomputed samples, and
//! changes after each round of a closed curve that turns once.
//!
//! Cost. Some sixty multiplications. No allocation except in its constructor.

use super::curve::Curve;
use super::rotation::{Quaternion, quaternion};
use super::scalar::{Scalar, lift, matrix_product, norm};
use super::{Mat3, Vec3};
use crate::math::elementary::floor;
use alloc::{boxed::Box, vec::Vec};

/// Smallest sine between w and the tangent.
const MIN_TANGENT_SINE: f64 = 0.02;

/// w, and the initial orientation of the frame.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct MovingFrame {
    up: Vec3,
    /// R(s₀).
    start: Mat3,
    /// Quaternions at samples of the curve, continuous, with s of each.
    samples: Box<[(f64, Quaternion)]>,
    /// Whether their sign changes after one round.
    odd: bool,
}

impl MovingFrame {
    /// `up`: w, a unit vector; `start`: s₀, m.
    #[expect(clippy::disallowed_methods, reason = "creates a curve, before the first step")]
    pub fn new(curve: &Curve, up: Vec3, start: f64) -> MovingFrame {
        let axes = |s: f64| axes(&curve.at(s)[1], &up);
        let mut frame = MovingFrame { up, start: axes(start), samples: Box::default(), odd: false };
        let mut last = [1.0, 0.0, 0.0, 0.0];
        let mut follow = |s: f64| {
            let next = quaternion(&(axes(s) * frame.start.transpose()));
            last = if dot(&last, &next) < 0.0 { next.map(|part| -part) } else { next };
            (s, last)
        };
        let samples: Vec<_> = curve.samples().map(&mut follow).collect();
        let [first, end] = [samples[0].1, samples[samples.len() - 1].1];
        frame.samples = samples.into();
        frame.odd = curve.is_closed() && dot(&first, &end) < 0.0;
        if frame.quaternion(curve, start)[0] < 0.0 {
            frame.samples.iter_mut().for_each(|(_, value)| *value = value.map(|part| -part));
        }
        frame
    }

    /// s at which w is along the tangent, so that the frame is undefined.
    pub fn gap(curve: &Curve, up: &Vec3) -> Option<f64> {
        let sine = |s: f64| up.cross(&curve.at(s)[1].normalize()).norm();
        curve.samples().find(|&s| !(sine(s) > MIN_TANGENT_SINE))
    }

    /// R(s) R(s₀)ᵀ; `tangent`: r'(s).
    #[inline]
    pub fn turn<S: Scalar>(&self, tangent: &Vec3<S>) -> Mat3<S> {
        matrix_product(&axes(tangent, &self.up), &self.start.transpose().map(S::from_f64))
    }

    /// ω and dω/ds; `of`: r', r'' and r'''.
    #[inline]
    pub fn spin<S: Scalar>(&self, of: &[Vec3<S>; 3]) -> [Vec3<S>; 2] {
        let [tangent, bend, third] = of;
        let (up, square) = (lift::<S>(&self.up), tangent.dot(tangent));
        let k = tangent.cross(bend) / square;
        let k_rate = tangent.cross(third) / square - k * (tangent.dot(bend) * 2.0 / square);
        let t = *tangent / square.sqrt();
        let t_rate = k.cross(&t);
        let (c, d, c_rate, d_rate) = (up.dot(&t), up.dot(&k), up.dot(&t_rate), up.dot(&k_rate));
        let across = S::one() - c * c;
        let g = c * d / across;
        let g_rate = (c_rate * d + c * d_rate + g * c * c_rate * 2.0) / across;
        [k + t * g, k_rate + t * g_rate + t_rate * g]
    }

    /// The quaternion of the rotation at `s`, continuous.
    pub fn quaternion<S: Scalar>(&self, curve: &Curve, s: S) -> Quaternion<S> {
        let value = quaternion(&self.turn(&curve.at(s)[1]));
        let turns = if curve.is_closed() { floor(s.value() / curve.length()) } else { 0.0 };
        let inside = s.value() - turns * curve.length();
        let k = self.samples.partition_point(|(s, _)| *s <= inside).clamp(1, self.samples.len()) - 1;
        let flipped = dot(&self.samples[k].1, &value.map(S::value)) < 0.0;
        let flipped = flipped != (self.odd && turns % 2.0 != 0.0);
        if flipped { value.map(|part| -part) } else { value }
    }
}

/// t, y, z as columns.
fn axes<S: Scalar>(tangent: &Vec3<S>, up: &Vec3) -> Mat3<S> {
    let up = lift::<S>(up);
    let t = *tangent / norm(tangent);
    let z = up - t * up.dot(&t);
    let z = z / norm(&z);
    Mat3::from_columns(&[t, z.cross(&t), z])
}

fn dot(a: &Quaternion, b: &Quaternion) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::numbers::assert_derivative;
    use crate::math::scalar::Dual;

    fn samples() -> [(Curve, Vec3); 4] {
        let points = [[0.0, 0.0, 0.0], [0.3, 0.1, -0.1], [0.4, 0.5, 0.2], [0.2, 0.9, 0.1]].map(Vec3::from);
        let flat = points.map(|p| Vec3::new(p.x, p.y, 0.0));
        let normal = Vec3::new(0.36, 0.48, 0.8);
        let up = Vec3::new(0.1, -0.2, 1.0).normalize();
        [
            (Curve::circle(Vec3::new(0.1, 0.2, 0.3), 0.7, &normal), normal),
            (Curve::through(&flat, true), Vec3::z()),
            (Curve::through(&points, true), up),
            (Curve::through(&points, false), up),
        ]
    }

    #[test]
    fn spins_are_the_rates_of_the_rotation_and_their_rates_those_of_the_spins() {
        for (curve, up) in samples() {
            assert_eq!(MovingFrame::gap(&curve, &up), None);
            let (length, frame) = (curve.length(), MovingFrame::new(&curve, up, 0.1));
            assert!((frame.turn(&curve.at(0.1)[1]) - Mat3::identity()).amax() < 1e-15);
            for s in [-0.3, 0.11, 0.32, 0.78, 1.4].map(|part| part * length) {
                let of = |s: f64| {
                    let [_, tangent, bend, third] = curve.derivatives(s);
                    (frame.turn(&tangent), frame.spin(&[tangent, bend, third]))
                };
                let (turn, [spin, change]) = of(s);
                let rates: Vec<f64> = turn.column_iter().flat_map(|axis| spin.cross(&axis).data.0[0]).collect();
                assert_derivative("axes", |d| of(s + d).0.as_slice().to_vec(), &rates, 1e-8);
                assert_derivative("spin", |d| of(s + d).1[0].as_slice().to_vec(), change.as_slice(), 1e-7);
                let [_, tangent, bend, third] = curve.derivatives(Dual::new(s, [1.0]));
                let dual = frame.spin(&[tangent, bend, third])[0];
                assert!((dual.map(|part| part.slopes[0]) - change).amax() < 1e-11 * (1.0 + change.amax()));
            }
        }
    }

    /// In steps much shorter than half a turn the sign never jumps, over three rounds and backwards.
    #[test]
    fn quaternions_do_not_jump_along_the_curve() {
        for (curve, up) in samples() {
            let frame = MovingFrame::new(&curve, up, 0.1);
            let at = |i: i32| frame.quaternion(&curve, 0.1 + curve.length() * f64::from(i) / 1000.0);
            assert!((at(0)[0] - 1.0).abs() < 1e-15);
            for i in -2000..3000 {
                assert!(dot(&at(i), &at(i + 1)) > 0.9, "{i}");
            }
        }
    }

    #[test]
    fn a_curve_that_runs_along_the_direction_has_no_frame_there() {
        let ring = Curve::circle(Vec3::zeros(), 0.5, &Vec3::y());
        assert!(MovingFrame::gap(&ring, &Vec3::x()).is_some() && MovingFrame::gap(&ring, &Vec3::y()).is_none());
    }
}
