//! Elementary functions with the same bits on every machine: the `libm` crate instead of the system's library. They
//! accept any [`Scalar`].
//!
//! `sqrt`, `abs`, `floor`, `mul_add`-free arithmetic are exact or correctly rounded by IEEE 754 and need no wrapper.

use super::scalar::Scalar;

/// Square root, correctly rounded.
#[inline]
pub(crate) fn sqrt(x: f64) -> f64 {
    libm::sqrt(x)
}

/// Largest integer not above `x`.
#[inline]
pub(crate) fn floor(x: f64) -> f64 {
    libm::floor(x)
}

/// Smallest integer not below `x`.
#[inline]
pub(crate) fn ceil(x: f64) -> f64 {
    libm::ceil(x)
}

/// Nearest integer; halves are rounded away from zero.
#[inline]
pub(crate) fn round(x: f64) -> f64 {
    libm::round(x)
}

/// Sine and cosine of an angle in rad.
pub fn sin_cos<S: Scalar>(angle: S) -> (S, S) {
    let (sine, cosine) = libm::sincos(angle.value());
    (angle.chain(sine, || cosine), angle.chain(cosine, || -sine))
}

/// Sine.
pub fn sin<S: Scalar>(angle: S) -> S {
    angle.chain(libm::sin(angle.value()), || libm::cos(angle.value()))
}

/// Cosine.
pub fn cos<S: Scalar>(angle: S) -> S {
    angle.chain(libm::cos(angle.value()), || -libm::sin(angle.value()))
}

/// Arc tangent, rad.
pub(crate) fn atan<S: Scalar>(x: S) -> S {
    x.chain(libm::atan(x.value()), || 1.0 / (1.0 + x.value() * x.value()))
}

/// Arc tangent of y/x in the right quadrant, rad; its derivatives at the origin are set to zero.
pub fn atan2<S: Scalar>(y: S, x: S) -> S {
    let (of_y, of_x) = (y.value(), x.value());
    y.chain_two(x, libm::atan2(of_y, of_x), || {
        let square = of_y * of_y + of_x * of_x;
        if square > 0.0 { [of_x / square, -of_y / square] } else { [0.0; 2] }
    })
}

/// Hyperbolic tangent.
pub fn tanh<S: Scalar>(x: S) -> S {
    let value = libm::tanh(x.value());
    x.chain(value, || (1.0 - value) * (1.0 + value))
}

/// Hyperbolic cosine.
pub(crate) fn cosh<S: Scalar>(x: S) -> S {
    x.chain(libm::cosh(x.value()), || libm::sinh(x.value()))
}

/// Natural logarithm.
pub fn ln<S: Scalar>(x: S) -> S {
    x.chain(libm::log(x.value()), || 1.0 / x.value())
}

/// e to the power x.
pub fn exp<S: Scalar>(x: S) -> S {
    let value = libm::exp(x.value());
    x.chain(value, || value)
}

/// x to the constant power y.
pub fn pow<S: Scalar>(x: S, y: f64) -> S {
    x.chain(libm::pow(x.value(), y), || if y == 0.0 { 0.0 } else { y * libm::pow(x.value(), y - 1.0) })
}

/// x to the power y. If x is not positive, only the derivative with respect to x is included.
pub(crate) fn pow_of<S: Scalar>(x: S, y: S) -> S {
    let (base, exponent) = (x.value(), y.value());
    let power = libm::pow(base, exponent);
    x.chain_two(y, power, || {
        let of_base = if exponent == 0.0 { 0.0 } else { exponent * libm::pow(base, exponent - 1.0) };
        [of_base, if base > 0.0 { power * libm::log(base) } else { 0.0 }]
    })
}

/// Complementary error function, 1 − erf(x).
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}
