//! Laws second = f(first) between two joint coordinates: tables, cams and Geneva drives.
//!
//! A law consists of pieces along the first coordinate x, each a polynomial plus a wave in u = (x − start) / length:
//!
//! ```text
//! f = Σ cₖ uᵏ + a cos(ω u) + b sin(ω u),     k = 0 … 7
//! ```
//!
//! Cubic splines are such polynomials. Cam motions rise by r from one dwell to the next (R. L. Norton, Cam Design and
//! Manufacturing Handbook, 2002, chapters 2 and 3):
//!
//! ```text
//! harmonic              r (1 − cos π u) / 2
//! cycloidal             r (u − sin 2π u / 2π)
//! polynomial 3-4-5      r (10 u³ − 15 u⁴ + 6 u⁵)
//! polynomial 4-5-6-7    r (35 u⁴ − 84 u⁵ + 70 u⁶ − 20 u⁷)
//! ```
//!
//! While the pin of a Geneva drive is in a slot, crank, slot and line of centres form a triangle. With the angle x of
//! the crank from the line of centres, the angle of the wheel is
//!
//! ```text
//! f = −atan2(λ sin x, 1 − λ cos x),     λ = ± radius of the crank / distance of the axes, negative: internal
//! f′ = −λ (cos x − λ) / D,     f″ = λ (1 − λ²) sin x / D²,     D = 1 − 2 λ cos x + λ²
//! ```
//!
//! All motions begin and end at rest. At both ends, the acceleration of the harmonic motion and of Geneva drives is not
//! zero, and the jerk is zero only for 4-5-6-7. Beyond its ends an open law continues along its end slopes; a periodic
//! law repeats, and a Geneva drive advances by one slot per period. Evaluation costs one search among the pieces, a
//! sine and cosine for a harmonic piece, and an arc tangent in a slot. Derivatives are exact; dual numbers use the
//! third derivative.

use crate::math::arc_length::ArcLength;
use crate::math::elementary::{atan2, floor, sin_cos};
use crate::math::scalar::Scalar;
use alloc::vec::Vec;
use core::f64::consts::{PI, TAU};

/// Motion in a segment of a cam, from rest to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CamMotion {
    /// The driven coordinate is at rest.
    Dwell,
    /// Polynomial 3-4-5: continuous acceleration.
    Polynomial345,
    /// Polynomial 4-5-6-7: continuous jerk.
    Polynomial4567,
    /// Cycloidal: continuous acceleration.
    Cycloidal,
    /// Simple harmonic: the acceleration jumps next to a dwell.
    Harmonic,
}

/// Piece between two values of the first coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Piece {
    /// Start of the piece.
    pub start: f64,
    /// Length of the piece.
    pub length: f64,
    /// c₀ … c₇.
    pub coefficients: [f64; 8],
    /// ω, a, b.
    pub wave: [f64; 3],
    /// λ of a Geneva drive, with the line of centres in the middle of the piece; 0 for other pieces.
    pub slot: f64,
}

/// f as a sequence of pieces.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Law {
    /// At least one, ascending.
    pub pieces: Vec<Piece>,
    /// Whether the law is periodic.
    pub periodic: bool,
    /// Increase of f per period.
    pub gain: f64,
}

/// Function of a coordinate in a sum.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Function {
    /// A table, a cam or a Geneva drive.
    Law(Law),
    /// The law of −x.
    Backwards(Law),
    /// The arc length of a travel along a curve.
    Arc(ArcLength),
}

impl Function {
    /// f(x), f′(x) and f″(x).
    pub(crate) fn value<S: Scalar>(&self, x: S) -> [S; 3] {
        match self {
            Function::Law(law) => law.value(x),
            Function::Backwards(law) => {
                let [f, f1, f2] = law.value(-x);
                [f, -f1, f2]
            }
            Function::Arc(arc) => arc.value(x),
        }
    }
}

impl Piece {
    /// A rise from `value` by `rise` over `length`.
    pub fn motion(motion: CamMotion, [start, length]: [f64; 2], value: f64, rise: f64) -> Piece {
        let (shape, wave) = match motion {
            CamMotion::Dwell => ([0.0; 8], [0.0; 3]),
            CamMotion::Polynomial345 => ([0.0, 0.0, 0.0, 10.0, -15.0, 6.0, 0.0, 0.0], [0.0; 3]),
            CamMotion::Polynomial4567 => ([0.0, 0.0, 0.0, 0.0, 35.0, -84.0, 70.0, -20.0], [0.0; 3]),
            CamMotion::Cycloidal => ([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [TAU, 0.0, -rise / TAU]),
            CamMotion::Harmonic => ([0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [PI, -0.5 * rise, 0.0]),
        };
        let mut coefficients = shape.map(|factor| factor * rise);
        coefficients[0] += value;
        Piece { start, length, coefficients, wave, slot: 0.0 }
    }

    /// A pin in its slot, from the angle −`entry` to `entry`; the cosine of `entry` is `lambda`, λ above.
    pub fn slot(lambda: f64, entry: f64) -> Piece {
        Piece { start: -entry, length: 2.0 * entry, coefficients: [0.0; 8], wave: [0.0; 3], slot: lambda }
    }

    /// f and its first three derivatives at `x`.
    fn derivatives(&self, x: f64) -> [f64; 4] {
        let u = (x - self.start) / self.length;
        // Horner scheme of the polynomial in u and of its derivatives.
        let [mut f, mut f1, mut f2, mut f3] = [0.0; 4];
        for c in self.coefficients.iter().rev() {
            f3 = f3 * u + f2;
            f2 = f2 * u + f1;
            f1 = f1 * u + f;
            f = f * u + c;
        }
        (f2, f3) = (2.0 * f2, 6.0 * f3);
        // Plus a cos(ω u) + b sin(ω u).
        let [omega, a, b] = self.wave;
        if omega != 0.0 {
            let (sine, cosine) = sin_cos(omega * u);
            let (wave, wave_rate) = (a * cosine + b * sine, omega * (b * cosine - a * sine));
            f += wave;
            f1 += wave_rate;
            f2 -= omega * omega * wave;
            f3 -= omega * omega * wave_rate;
        }
        // Derivatives with respect to x instead of u.
        let per = 1.0 / self.length;
        // A pin in a slot: −atan(λ sin φ/(1 − λ cos φ)).
        if self.slot != 0.0 {
            let (lambda, (sine, cosine)) = (self.slot, sin_cos((u - 0.5) * self.length));
            let d = 1.0 - 2.0 * lambda * cosine + lambda * lambda;
            let bend = lambda * (1.0 - lambda * lambda) / (d * d);
            return [
                -atan2(lambda * sine, 1.0 - lambda * cosine),
                -lambda * (cosine - lambda) / d,
                bend * sine,
                bend * (cosine - 4.0 * lambda * sine * sine / d),
            ];
        }
        [f, f1 * per, f2 * (per * per), f3 * (per * per * per)]
    }
}

impl Law {
    /// Start of the first piece and end of the last.
    pub(crate) fn range(&self) -> [f64; 2] {
        let first = self.pieces.first().map_or(0.0, |piece| piece.start);
        [first, self.pieces.last().map_or(first, |piece| piece.start + piece.length)]
    }

    /// f(x), f′(x) and f″(x).
    pub fn value<S: Scalar>(&self, x: S) -> [S; 3] {
        let [f, f1, f2, f3] = self.derivatives(x.value());
        [x.chain(f, || f1), x.chain(f1, || f2), x.chain(f2, || f3)]
    }

    fn derivatives(&self, x: f64) -> [f64; 4] {
        let [start, end] = self.range();
        let periods = if self.periodic { floor((x - start) / (end - start)) } else { 0.0 };
        let inside = if self.periodic { x - (end - start) * periods } else { x.clamp(start, end) };
        let behind = self.pieces.partition_point(|piece| piece.start <= inside);
        let Some(piece) = self.pieces.get(behind.saturating_sub(1)) else { return [0.0; 4] };
        let [mut f, f1, f2, f3] = piece.derivatives(inside);
        if self.gain != 0.0 {
            f += self.gain * periods;
        }
        if self.periodic || inside == x { [f, f1, f2, f3] } else { [f + f1 * (x - inside), f1, 0.0, 0.0] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOTIONS: [CamMotion; 5] = [
        CamMotion::Dwell,
        CamMotion::Polynomial345,
        CamMotion::Polynomial4567,
        CamMotion::Cycloidal,
        CamMotion::Harmonic,
    ];

    #[test]
    fn derivatives_of_all_motions_match_differences_and_their_ends_are_those_of_the_textbook() {
        for motion in MOTIONS {
            let rise = if motion == CamMotion::Dwell { 0.0 } else { 0.7 };
            let law = Law { pieces: vec![Piece::motion(motion, [0.2, 1.5], 0.3, rise)], ..blank(false) };
            for k in 1..20 {
                let (x, h) = (0.2 + 1.5 * f64::from(k) / 20.0, 1e-5);
                let [before, here, after] = [x - h, x, x + h].map(|x| law.derivatives(x));
                for order in 0..3 {
                    let slope = (after[order] - before[order]) / (2.0 * h);
                    assert!((slope - here[order + 1]).abs() < 1e-6, "{motion:?} {x} {order}: {slope} {here:?}");
                }
            }
            for (x, value) in [(0.2, 0.3), (1.7, 0.3 + rise)] {
                let [f, f1, f2, f3] = law.derivatives(x);
                assert!((f - value).abs() < 1e-14 && f1.abs() < 1e-13, "{motion:?} {x}");
                assert!((f2.abs() < 1e-12) == (motion != CamMotion::Harmonic), "{motion:?} {x}: {f2}");
                let smooth = matches!(motion, CamMotion::Dwell | CamMotion::Polynomial4567 | CamMotion::Harmonic);
                assert!((f3.abs() < 1e-11) == smooth, "{motion:?} {x}: {f3}");
            }
        }
    }

    #[test]
    fn the_pin_of_a_geneva_drive_enters_along_its_slot_and_its_derivatives_match_differences() {
        for slots in [3.0, 4.0, 7.0] {
            let step = PI / slots;
            for sense in [-1.0, 1.0] {
                let law =
                    Law { pieces: vec![Piece::slot(-sense * step.sin(), 0.5 * PI + sense * step)], ..blank(false) };
                let [start, end] = law.range();
                for k in 1..40 {
                    let (x, h) = (start + (end - start) * f64::from(k) / 40.0, 1e-5);
                    let [before, here, after] = [x - h, x, x + h].map(|x| law.derivatives(x));
                    for order in 0..3 {
                        let slope = (after[order] - before[order]) / (2.0 * h);
                        let size = 1.0 + here[order + 1].abs();
                        assert!((slope - here[order + 1]).abs() < 1e-7 * size, "{slots} {x} {order}: {slope} {here:?}");
                    }
                }
                for (x, side) in [(start, -1.0), (end, 1.0)] {
                    let [f, f1, f2, _] = law.derivatives(x);
                    assert!((f - sense * side * step).abs() < 1e-15 && f1.abs() < 1e-15, "{slots} {f} {f1}");
                    assert!((f2 + sense * side * step.tan()).abs() < 1e-14, "{slots}: {f2}");
                }
            }
        }
    }

    fn blank(periodic: bool) -> Law {
        Law { pieces: Vec::new(), periodic, gain: 0.0 }
    }

    #[test]
    fn a_periodic_law_repeats_and_an_open_one_goes_on_along_its_end_slopes() {
        let pieces = vec![
            Piece::motion(CamMotion::Cycloidal, [0.5, 1.0], 0.0, 2.0),
            Piece::motion(CamMotion::Polynomial345, [1.5, 2.0], 2.0, -2.0),
        ];
        let law = Law { pieces, ..blank(true) };
        for k in 0..40 {
            let x = 0.5 + 3.0 * f64::from(k) / 40.0;
            for turns in [-3.0, -1.0, 1.0, 5.0] {
                let (here, there) = (law.derivatives(x), law.derivatives(x + 3.0 * turns));
                here.iter().zip(there).for_each(|(a, b)| assert!((a - b).abs() < 1e-11, "{x}: {a} {b}"));
            }
        }
        let line = Piece {
            start: 0.0,
            length: 2.0,
            coefficients: [1.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            wave: [0.0; 3],
            slot: 0.0,
        };
        let open = Law { pieces: vec![line], ..blank(false) };
        assert_eq!(open.derivatives(-1.0), [-1.0, 2.0, 0.0, 0.0]);
        assert_eq!(open.derivatives(3.0), [7.0, 2.0, 0.0, 0.0]);
    }
}
