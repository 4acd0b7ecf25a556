//! Vectors, rotations, spatial algebra, elementary functions with the same bits everywhere, and factorisations on the
//! caller's scratch.

pub mod arc_length;
pub mod curve;
pub mod eigen;
pub mod elementary;
pub mod hull;
pub mod interpolation;
pub mod linear;
pub(crate) mod matching;
pub mod moving_frame;
pub mod rotation;
pub mod scalar;
pub(crate) mod skyline;
pub mod sparse_least_change;
pub mod spatial;
pub mod svd;

pub use hull::has_hull;

use core::borrow::Borrow;
use scalar::Scalar;

/// Integer that a test writes over scratch memory. It is no valid index or size, so that reading stale memory panics.
pub(crate) const POISON: usize = usize::MAX / 2;

/// The larger of two numbers, NaN if either is NaN. `f64::max` would drop the NaN and so hide a worst value that is
/// NaN.
pub fn larger<S: Scalar>(a: S, b: S) -> S {
    // Every comparison with NaN is false.
    if a >= b || a.value().is_nan() { a } else { b }
}

/// The largest magnitude of the numbers: 0 if there are none, NaN if one of them is NaN.
pub fn largest(values: impl IntoIterator<Item = impl Borrow<f64>>) -> f64 {
    values.into_iter().fold(0.0, |most, value| larger(most, value.borrow().abs()))
}

/// `value` limited to ± `bound`. A NaN value is returned unchanged. A NaN bound does not limit the value, whereas
/// `f64::clamp` panics.
pub fn limited<S: Scalar>(value: S, bound: S) -> S {
    if value > bound {
        bound
    } else if value < -bound {
        -bound
    } else {
        value
    }
}

/// The larger of two numbers. Returns the first if they are equal and the other if one is NaN, like `f64::max`.
#[inline]
pub(crate) fn maximum<S: Scalar>(a: S, b: S) -> S {
    if b > a || a.value().is_nan() { b } else { a }
}

/// The smaller of two numbers. Returns the first if they are equal and the other if one is NaN, like `f64::min`.
#[inline]
pub(crate) fn minimum<S: Scalar>(a: S, b: S) -> S {
    if b < a || a.value().is_nan() { b } else { a }
}

/// The larger number, `low` if x is NaN. It compiles to one instruction, unlike `f64::max` and [`maximum`].
#[inline(always)]
pub(crate) fn at_least<S: Scalar>(x: S, low: f64) -> S {
    if x > low { x } else { S::from_f64(low) }
}

/// The smaller number, `high` if x is NaN.
#[inline(always)]
pub(crate) fn at_most<S: Scalar>(x: S, high: f64) -> S {
    if x < high { x } else { S::from_f64(high) }
}

/// x limited to two bounds, like `f64::clamp`; NaN is returned unchanged.
#[inline(always)]
pub(crate) fn within<S: Scalar>(x: S, low: f64, high: f64) -> S {
    if x < low {
        S::from_f64(low)
    } else if x > high {
        S::from_f64(high)
    } else {
        x
    }
}

/// Smallest divisor of [`quotient`], far below every non-zero magnitude that occurs.
const MIN_DIVISOR: f64 = 1e-150;

/// `numerator / denominator` where the denominator is positive, else 0. Never divides by less than 1e-150: a compiler
/// may divide before it compares, and 0/0 would then stop a program that traps floating-point exceptions.
#[inline]
pub fn quotient<S: Scalar>(numerator: S, denominator: S) -> S {
    if denominator > 0.0 { numerator / divisor(denominator) } else { S::zero() }
}

/// A denominator limited to positive values, for quotients that are not used if it is 0 or less; see [`quotient`].
#[inline(always)]
pub(crate) fn divisor<S: Scalar>(denominator: S) -> S {
    at_least(denominator, MIN_DIVISOR)
}

/// Vector with three components.
pub type Vec3<S = f64> = nalgebra::Vector3<S>;
/// 3 × 3 matrix.
pub type Mat3<S = f64> = nalgebra::Matrix3<S>;

#[cfg(test)]
mod tests {
    use super::{larger, largest, maximum, minimum, quotient};

    #[test]
    fn a_quotient_is_that_of_the_division_and_zero_without_a_divisor() {
        for (a, b) in [(1.0, 3.0), (-2.5e15, 1e-140), (0.0, 7.0)] {
            assert_eq!(quotient(a, b).to_bits(), (a / b).to_bits());
        }
        for (a, b) in [(0.0, 0.0), (1.0, 0.0), (1.0, -1.0)] {
            assert_eq!(quotient(a, b), 0.0);
        }
    }

    #[test]
    fn of_a_number_and_nan_maximum_and_minimum_take_the_number() {
        for (a, b) in [(1.0, 2.0), (2.0, -1.0), (f64::NAN, 1.0), (1.0, f64::NAN), (f64::INFINITY, f64::NAN)] {
            assert_eq!((maximum(a, b), minimum(a, b)), (f64::max(a, b), f64::min(a, b)));
        }
        assert!(maximum(f64::NAN, f64::NAN).is_nan() && minimum(f64::NAN, f64::NAN).is_nan());
        // The first of two equal numbers, so a zero keeps its sign.
        assert!(maximum(0.0, -0.0).is_sign_positive() && minimum(-0.0, 0.0).is_sign_negative());
    }

    #[test]
    fn the_larger_of_a_number_and_nan_is_nan() {
        assert_eq!((larger(1.0, 2.0), larger(2.0, 1.0), larger(-1.0, -1.0)), (2.0, 2.0, -1.0));
        for (a, b) in [(f64::NAN, 1.0), (1.0, f64::NAN), (f64::NAN, f64::INFINITY), (f64::NAN, f64::NAN)] {
            assert!(larger(a, b).is_nan() && largest([1.0, a, b, 2.0]).is_nan());
        }
        assert_eq!((largest([1.0, -3.0, 2.0]), largest([0.0; 0])), (3.0, 0.0));
    }
}
