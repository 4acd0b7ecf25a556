//! Number types of an evaluation: plain numbers, or numbers with derivatives.
//!
//! The laws of motion are written once, for any [`Scalar`]: `f64` in a step, [`Dual`] if derivatives are needed. A dual
//! number x + Σ dₖ εₖ with εₖ εₗ = 0 carries N derivatives through every operation by the chain rule, exact to
//! rounding. Decisions (signs, contact, segments of tables) depend on values only, so that both types follow the same
//! branch. At a corner of a law, the derivative belongs to the branch of the value.
//!
//! Constants of a system are `f64` and are on the right: `x * 0.5`, `x - length`. Constants in other positions are
//! lifted by [`Scalar::from_f64`] and [`lift`]. For `f64` the generic code compiles to plain
//! arithmetic and gives the bits of code that is written for `f64`.

use super::{Mat3, Vec3, divisor, elementary};
use core::cmp::Ordering;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use nalgebra::{ClosedAddAssign, ClosedDivAssign, ClosedMulAssign, ClosedSubAssign};
use num_traits::{One, Zero};

/// A number of an evaluation.
pub trait Scalar:
    nalgebra::Scalar
    + Copy
    + Default
    + Send
    + Sync
    + PartialOrd
    + PartialOrd<f64>
    + Zero
    + One
    + Sum
    + Neg<Output = Self>
    + ClosedAddAssign
    + ClosedSubAssign
    + ClosedMulAssign
    + ClosedDivAssign
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + AddAssign<f64>
    + MulAssign<f64>
{
    /// Whether the type carries derivatives.
    const HAS_SLOPES: bool;

    /// A constant.
    fn from_f64(value: f64) -> Self;
    /// The value without derivatives.
    fn value(self) -> f64;
    /// A function given by its value and, if derivatives are needed, its slope at the present value.
    fn chain(self, value: f64, slope: impl FnOnce() -> f64) -> Self;
    /// A function of two numbers, given by its value and slopes.
    fn chain_two(self, other: Self, value: f64, slopes: impl FnOnce() -> [f64; 2]) -> Self;
    /// Magnitude; at zero the derivative of the side x > 0 is used.
    fn abs(self) -> Self;
    /// Square root. At zero its derivative is set to zero.
    fn sqrt(self) -> Self;
}

impl Scalar for f64 {
    const HAS_SLOPES: bool = false;

    #[inline(always)]
    fn from_f64(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
    #[inline(always)]
    fn chain(self, value: f64, _: impl FnOnce() -> f64) -> f64 {
        value
    }
    #[inline(always)]
    fn chain_two(self, _: f64, value: f64, _: impl FnOnce() -> [f64; 2]) -> f64 {
        value
    }
    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }
    #[inline(always)]
    fn sqrt(self) -> f64 {
        elementary::sqrt(self)
    }
}

/// A number with its derivatives in N directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<const N: usize> {
    /// The value.
    pub value: f64,
    /// Its derivative in every direction.
    pub slopes: [f64; N],
}

impl<const N: usize> Dual<N> {
    /// From a value and its derivatives.
    pub fn new(value: f64, slopes: [f64; N]) -> Self {
        Dual { value, slopes }
    }

    #[inline]
    fn scaled(value: f64, slopes: [f64; N], factor: f64) -> Self {
        Dual { value, slopes: slopes.map(|slope| slope * factor) }
    }
}

impl<const N: usize> Default for Dual<N> {
    fn default() -> Self {
        Dual { value: 0.0, slopes: [0.0; N] }
    }
}

impl<const N: usize> Scalar for Dual<N> {
    const HAS_SLOPES: bool = true;

    #[inline]
    fn from_f64(value: f64) -> Self {
        Dual { value, slopes: [0.0; N] }
    }
    #[inline]
    fn value(self) -> f64 {
        self.value
    }
    #[inline]
    fn chain(self, value: f64, slope: impl FnOnce() -> f64) -> Self {
        Dual::scaled(value, self.slopes, slope())
    }
    #[inline]
    fn chain_two(self, other: Self, value: f64, slopes: impl FnOnce() -> [f64; 2]) -> Self {
        let [own, others] = slopes();
        Dual { value, slopes: core::array::from_fn(|k| own * self.slopes[k] + others * other.slopes[k]) }
    }
    #[inline]
    fn abs(self) -> Self {
        if self.value < 0.0 { -self } else { self }
    }
    #[inline]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, || if root > 0.0 { 0.5 / divisor(root) } else { 0.0 })
    }
}

impl<const N: usize> PartialOrd for Dual<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<const N: usize> PartialOrd<f64> for Dual<N> {
    fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
        self.value.partial_cmp(other)
    }
}

/// A dual number equals a constant only if its derivatives are zero: code that skips zero values would otherwise lose
/// derivatives.
impl<const N: usize> PartialEq<f64> for Dual<N> {
    fn eq(&self, other: &f64) -> bool {
        self.value == *other && self.slopes == [0.0; N]
    }
}

impl<const N: usize> Zero for Dual<N> {
    fn zero() -> Self {
        Dual::default()
    }
    fn is_zero(&self) -> bool {
        *self == 0.0
    }
}

impl<const N: usize> One for Dual<N> {
    fn one() -> Self {
        Dual::from_f64(1.0)
    }
}

impl<const N: usize> Sum for Dual<N> {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Dual::default(), |sum, term| sum + term)
    }
}

impl<const N: usize> Neg for Dual<N> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Dual { value: -self.value, slopes: self.slopes.map(|slope| -slope) }
    }
}

impl<const N: usize> Add for Dual<N> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Dual { value: self.value + other.value, slopes: core::array::from_fn(|k| self.slopes[k] + other.slopes[k]) }
    }
}

impl<const N: usize> Sub for Dual<N> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Dual { value: self.value - other.value, slopes: core::array::from_fn(|k| self.slopes[k] - other.slopes[k]) }
    }
}

impl<const N: usize> Mul for Dual<N> {
    type Output = Self;
    #[expect(clippy::suspicious_arithmetic_impl, reason = "the product rule")]
    #[inline]
    fn mul(self, other: Self) -> Self {
        let slope = |k: usize| self.slopes[k] * other.value + self.value * other.slopes[k];
        Dual { value: self.value * other.value, slopes: core::array::from_fn(slope) }
    }
}

impl<const N: usize> Div for Dual<N> {
    type Output = Self;
    #[expect(clippy::suspicious_arithmetic_impl, reason = "the quotient rule")]
    #[inline]
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Dual { value, slopes: core::array::from_fn(|k| (self.slopes[k] - value * other.slopes[k]) / other.value) }
    }
}

impl<const N: usize> Add<f64> for Dual<N> {
    type Output = Self;
    #[inline]
    fn add(self, constant: f64) -> Self {
        Dual { value: self.value + constant, ..self }
    }
}

impl<const N: usize> Sub<f64> for Dual<N> {
    type Output = Self;
    #[inline]
    fn sub(self, constant: f64) -> Self {
        Dual { value: self.value - constant, ..self }
    }
}

impl<const N: usize> Mul<f64> for Dual<N> {
    type Output = Self;
    #[inline]
    fn mul(self, factor: f64) -> Self {
        Dual::scaled(self.value * factor, self.slopes, factor)
    }
}

impl<const N: usize> Div<f64> for Dual<N> {
    type Output = Self;
    #[inline]
    fn div(self, divisor: f64) -> Self {
        Dual { value: self.value / divisor, slopes: self.slopes.map(|slope| slope / divisor) }
    }
}

macro_rules! assigning {
    ($($trait:ident $method:ident $of:ty: $operator:tt;)*) => {$(
        impl<const N: usize> $trait<$of> for Dual<N> {
            #[inline]
            fn $method(&mut self, other: $of) {
                *self = *self $operator other;
            }
        }
    )*};
}
assigning! {
    AddAssign add_assign Self: +;
    SubAssign sub_assign Self: -;
    MulAssign mul_assign Self: *;
    DivAssign div_assign Self: /;
    AddAssign add_assign f64: +;
    MulAssign mul_assign f64: *;
}

/// A constant vector.
#[inline(always)]
pub fn lift<S: Scalar>(v: &Vec3) -> Vec3<S> {
    Vec3::new(S::from_f64(v.x), S::from_f64(v.y), S::from_f64(v.z))
}

/// A constant matrix.
#[inline(always)]
pub fn lift_matrix<S: Scalar>(m: &Mat3) -> Mat3<S> {
    m.map(S::from_f64)
}

/// An array of constants.
pub(crate) fn copy_lifted<S: Scalar>(constants: &[f64], out: &mut [S]) {
    out.iter_mut().zip(constants).for_each(|(out, &constant)| *out = S::from_f64(constant));
}

/// m v for constant or variable v. nalgebra's general product would multiply dual numbers twice.
#[inline]
pub(crate) fn times<S: Scalar + Mul<C, Output = S>, C: nalgebra::Scalar + Copy>(m: &Mat3<S>, v: &Vec3<C>) -> Vec3<S> {
    let row = |i: usize| m[(i, 0)] * v.x + m[(i, 1)] * v.y + m[(i, 2)] * v.z;
    Vec3::new(row(0), row(1), row(2))
}

/// The product of two matrices, the second constant or not.
#[inline]
pub(crate) fn matrix_product<S: Scalar + Mul<C, Output = S>, C: nalgebra::Scalar + Copy>(
    m: &Mat3<S>,
    n: &Mat3<C>,
) -> Mat3<S> {
    Mat3::from_fn(|i, j| m[(i, 0)] * n[(0, j)] + m[(i, 1)] * n[(1, j)] + m[(i, 2)] * n[(2, j)])
}

/// |v|; its derivatives are set to zero at zero.
#[inline]
pub(crate) fn norm<S: Scalar>(v: &Vec3<S>) -> S {
    v.dot(v).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::elementary::{atan, atan2, cosh, exp, ln, pow, pow_of, sin_cos, tanh};
    use crate::math::{larger, limited, quotient};

    /// All operations of a scalar, combined in one function of two numbers.
    fn all<S: Scalar>(x: S, y: S) -> Vec<S> {
        let (sine, cosine) = sin_cos(x);
        let (v, w) = (Vec3::new(x, y, x * y), lift(&Vec3::new(1.0, -2.0, 0.5)));
        let turned = lift_matrix(&Mat3::new(1.0, 2.0, 0.0, -1.0, 0.3, 0.1, 0.0, 0.2, 0.9)) * v;
        vec![
            x + y * 2.0 - 1.0,
            x * y / (x + 3.0),
            -x / y / 4.0,
            sine * cosine + tanh(x) * cosh(y),
            atan(x) + atan2(y, x) + atan2(-y, x * -1.0),
            ln(x * x + y) * exp(x) + x.abs().sqrt(),
            pow(x.abs(), 1.7) + (y * x).abs(),
            pow_of(x.abs(), y) + pow_of(y, x),
            norm(&v) * v.cross(&w).dot(&turned),
            larger(x, y) + limited(x, y) + quotient(x, y),
            [x, y, x * x].into_iter().sum(),
        ]
    }

    #[test]
    fn dual_numbers_carry_the_derivatives_of_every_operation_and_the_values_of_plain_ones() {
        for (x, y) in [(0.7, 0.4), (-0.3, 1.9), (2.2, 0.9)] {
            let found = all(Dual::new(x, [1.0, 0.0]), Dual::new(y, [0.0, 1.0]));
            let h = 1e-4;
            for (k, (dx, dy)) in [(h, 0.0), (0.0, h)].into_iter().enumerate() {
                let at = |s: f64| all(x + s * dx, y + s * dy);
                let (near, far) = ([at(-1.0), at(1.0)], [at(-2.0), at(2.0)]);
                for (i, found) in found.iter().enumerate() {
                    let quotient = (8.0 * (near[1][i] - near[0][i]) - (far[1][i] - far[0][i])) / (12.0 * h);
                    assert!((found.slopes[k] - quotient).abs() < 1e-9 * (1.0 + quotient.abs()), "{i} {x} {y}");
                }
            }
            assert!(found.iter().zip(all(x, y)).all(|(dual, plain)| dual.value.to_bits() == plain.to_bits()));
        }
    }

    #[test]
    fn what_has_a_derivative_is_not_zero() {
        let moving = Dual::new(0.0, [1.0]);
        assert!(moving != 0.0 && !moving.is_zero() && !(moving > 0.0) && Dual::<1>::zero() == 0.0);
        assert_eq!((norm(&Vec3::repeat(moving)).slopes, Dual::<2>::one().value), ([0.0], 1.0));
    }
}
