//! Elementary functions with the same bits on every machine: the `libm` crate instead of the system's library.
//!
//! `sqrt`, `abs`, `floor`, `mul_add`-free arithmetic are exact or correctly rounded by IEEE 754 and need no wrapper.

/// Sine and cosine of an angle in rad.
pub fn sin_cos(angle: f64) -> (f64, f64) {
    libm::sincos(angle)
}

/// Sine.
pub(crate) fn sin(angle: f64) -> f64 {
    libm::sin(angle)
}

/// Cosine.
pub(crate) fn cos(angle: f64) -> f64 {
    libm::cos(angle)
}

/// Arc tangent, rad.
pub(crate) fn atan(x: f64) -> f64 {
    libm::atan(x)
}

/// Arc tangent of y/x in the right quadrant, rad.
pub(crate) fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// Hyperbolic tangent.
pub fn tanh(x: f64) -> f64 {
    libm::tanh(x)
}

/// Hyperbolic cosine.
pub(crate) fn cosh(x: f64) -> f64 {
    libm::cosh(x)
}

/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// e to the power x.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// x to the power y.
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// Complementary error function, 1 − erf(x).
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}
