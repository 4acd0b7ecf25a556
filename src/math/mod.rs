//! Vectors, rotations, spatial algebra, elementary functions with the same bits everywhere, and factorisations on the
//! caller's scratch.

#[cfg(test)]
pub(crate) mod check;
pub mod eigen;
pub mod elementary;
pub(crate) mod graph;
pub(crate) mod least_change;
pub mod linear;
pub mod rotation;
pub(crate) mod skyline;
pub mod spatial;
pub(crate) mod svd;

use std::borrow::Borrow;

/// Whole number that a test writes over scratch memory: no index and no size, so that reading it before it was written
/// ends in a panic.
pub(crate) const POISON: usize = usize::MAX / 2;

/// The larger of two numbers, NaN if either is: `f64::max` would drop it, and a worst value that was not a number with
/// it.
pub fn larger(a: f64, b: f64) -> f64 {
    // Every comparison with NaN is false.
    if a >= b || a.is_nan() { a } else { b }
}

/// The largest magnitude of numbers, 0 without any, NaN if one of them is NaN.
pub fn largest(values: impl IntoIterator<Item = impl Borrow<f64>>) -> f64 {
    values.into_iter().fold(0.0, |most, value| larger(most, value.borrow().abs()))
}

/// `value` within ± `bound`; a NaN stays, and one as the bound limits nothing, where `f64::clamp` panics.
pub(crate) fn limited(value: f64, bound: f64) -> f64 {
    if value > bound {
        bound
    } else if value < -bound {
        -bound
    } else {
        value
    }
}

/// Smallest divisor of [`quotient`]: what a size that is not zero is at least, far below every one that occurs.
const LEAST_DIVISOR: f64 = 1e-150;

/// `numerator / denominator` where the denominator is positive, else 0. Never divides by less than 1e-150: a compiler
/// may divide before it compares, and 0/0 would then stop a program that traps floating-point exceptions.
#[inline]
pub(crate) fn quotient(numerator: f64, denominator: f64) -> f64 {
    let divisor = if denominator > LEAST_DIVISOR { denominator } else { LEAST_DIVISOR };
    if denominator > 0.0 { numerator / divisor } else { 0.0 }
}

/// Vector with three components.
pub type Vec3 = nalgebra::Vector3<f64>;
/// 3 × 3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;

#[cfg(test)]
mod tests {
    use super::{larger, largest, quotient};

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
    fn the_larger_of_a_number_and_nan_is_nan() {
        assert_eq!((larger(1.0, 2.0), larger(2.0, 1.0), larger(-1.0, -1.0)), (2.0, 2.0, -1.0));
        for (a, b) in [(f64::NAN, 1.0), (1.0, f64::NAN), (f64::NAN, f64::INFINITY), (f64::NAN, f64::NAN)] {
            assert!(larger(a, b).is_nan() && largest([1.0, a, b, 2.0]).is_nan());
        }
        assert_eq!((largest([1.0, -3.0, 2.0]), largest([0.0; 0])), (3.0, 0.0));
    }
}
