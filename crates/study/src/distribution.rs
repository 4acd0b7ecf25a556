//! Distributions as quantile functions: a number between 0 and 1 is converted to a value.
//!
//! | distribution | x(u) |
//! |---|---|
//! | uniform | min + u (max − min) |
//! | log-uniform | min (max / min)ᵘ |
//! | normal | μ + σ Φ⁻¹(u), truncated: u' = Φ(a) + u (Φ(b) − Φ(a)) in place of u |
//! | log-normal | exp of a normal with σ² = ln(1 + s²/m²), μ = ln m − σ²/2 |
//! | triangular | inverse of the piecewise parabola |
//!
//! Φ⁻¹ is Wichura's algorithm AS 241 (Applied Statistics 37, 1988, routine PPND16): relative error about 1e-16. All
//! functions come from [`ballesta::math::elementary`], so that a seed gives the same bits on every machine.

use ballesta::math::elementary::{erfc, exp, ln, pow};

/// A distribution of one factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Equal density between two values.
    Uniform {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// Equal density of the logarithm.
    LogUniform {
        /// Smallest value, positive.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// Normal density, truncated to a range that may be infinite.
    Normal(Normal),
    /// Log-normal density; the range applies to the logarithm.
    LogNormal(Normal),
    /// Triangular density.
    Triangular {
        /// Smallest value.
        min: f64,
        /// Most probable value.
        mode: f64,
        /// Largest value.
        max: f64,
    },
}

/// A normal distribution, truncated to `min` … `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Normal {
    /// Mean before truncation.
    pub mean: f64,
    /// Standard deviation before truncation, positive.
    pub standard_deviation: f64,
    /// Smallest value, may be −∞.
    pub min: f64,
    /// Largest value, may be ∞.
    pub max: f64,
}

impl Normal {
    /// Probability of the range before truncation.
    pub fn mass(&self) -> f64 {
        let (a, b, _) = self.range();
        cumulative(b) - cumulative(a)
    }

    /// The range in standard deviations from the mean, mirrored if it is above the mean, so that Φ keeps its accuracy.
    fn range(&self) -> (f64, f64, bool) {
        let standard = |x: f64| (x - self.mean) / self.standard_deviation;
        let (a, b) = (standard(self.min), standard(self.max));
        if a > 0.0 { (-b, -a, true) } else { (a, b, false) }
    }

    fn quantile(&self, u: f64) -> f64 {
        let z = if self.min == f64::NEG_INFINITY && self.max == f64::INFINITY {
            quantile(u)
        } else {
            let (a, b, mirrored) = self.range();
            let u = if mirrored { 1.0 - u } else { u };
            let below = cumulative(a);
            let z = quantile(below + u * (cumulative(b) - below));
            if mirrored { -z } else { z }
        };
        (self.mean + self.standard_deviation * z).clamp(self.min, self.max)
    }
}

impl Distribution {
    /// The log-normal distribution of a value with this mean and standard deviation, truncated to `min` … `max`; `min`
    /// may be 0, `max` ∞.
    pub fn log_normal(mean: f64, standard_deviation: f64, min: f64, max: f64) -> Distribution {
        let ratio = standard_deviation / mean;
        let variance = ln(1.0 + ratio * ratio);
        let log = |x: f64| match x {
            _ if x <= 0.0 => f64::NEG_INFINITY,
            _ if x == f64::INFINITY => f64::INFINITY,
            _ => ln(x),
        };
        Distribution::LogNormal(Normal {
            mean: ln(mean) - 0.5 * variance,
            standard_deviation: variance.sqrt(),
            min: log(min),
            max: log(max),
        })
    }

    /// The quantile for the probability `u`, 0 < u < 1.
    pub fn quantile(&self, u: f64) -> f64 {
        match *self {
            Distribution::Uniform { min, max } => (min + u * (max - min)).clamp(min, max),
            Distribution::LogUniform { min, max } => (min * pow(max / min, u)).clamp(min, max),
            Distribution::Normal(normal) => normal.quantile(u),
            Distribution::LogNormal(normal) => exp(normal.quantile(u)),
            Distribution::Triangular { min, mode, max } => {
                let (width, left) = (max - min, mode - min);
                let x = if u * width < left {
                    min + (u * width * left).sqrt()
                } else {
                    max - ((1.0 - u) * width * (max - mode)).sqrt()
                };
                x.clamp(min, max)
            }
        }
    }

    /// Smallest and largest value, which may be infinite.
    pub fn support(&self) -> (f64, f64) {
        match *self {
            Distribution::Uniform { min, max }
            | Distribution::LogUniform { min, max }
            | Distribution::Triangular { min, max, .. } => (min, max),
            Distribution::Normal(normal) => (normal.min, normal.max),
            Distribution::LogNormal(normal) => (exp(normal.min), exp(normal.max)),
        }
    }
}

/// Φ(z), the standard normal distribution.
pub fn cumulative(z: f64) -> f64 {
    0.5 * erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

/// Φ⁻¹(p) for 0 < p < 1: Wichura's AS 241, PPND16.
pub fn quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * polynomial(&A, r) / polynomial(&B, r);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    let r = (-ln(tail)).sqrt();
    let z = if r <= 5.0 {
        polynomial(&C, r - 1.6) / polynomial(&D, r - 1.6)
    } else {
        polynomial(&E, r - 5.0) / polynomial(&F, r - 5.0)
    };
    if q < 0.0 { -z } else { z }
}

/// Coefficients from the lowest power on.
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// Numerators and denominators of PPND16, with the names and digits of the publication.
#[allow(clippy::excessive_precision)]
const A: [f64; 8] = [
    3.387132872796366608,
    133.14166789178437745,
    1971.5909503065514427,
    13731.693765509461125,
    45921.953931549871457,
    67265.770927008700853,
    33430.575583588128105,
    2509.0809287301226727,
];
#[allow(clippy::excessive_precision)]
const B: [f64; 8] = [
    1.0,
    42.313330701600911252,
    687.1870074920579083,
    5394.1960214247511077,
    21213.794301586595867,
    39307.89580009271061,
    28729.085735721942674,
    5226.495278852854561,
];
#[allow(clippy::excessive_precision)]
const C: [f64; 8] = [
    1.42343711074968357734,
    4.6303378461565452959,
    5.7694972214606914055,
    3.64784832476320460504,
    1.27045825245236838258,
    0.24178072517745061177,
    0.0227238449892691845833,
    7.7454501427834140764e-4,
];
#[allow(clippy::excessive_precision)]
const D: [f64; 8] = [
    1.0,
    2.05319162663775882187,
    1.6763848301838038494,
    0.68976733498510000455,
    0.14810397642748007459,
    0.0151986665636164571966,
    5.475938084995344946e-4,
    1.05075007164441684324e-9,
];
#[allow(clippy::excessive_precision)]
const E: [f64; 8] = [
    6.6579046435011037772,
    5.4637849111641143699,
    1.7848265399172913358,
    0.29656057182850489123,
    0.026532189526576123093,
    0.0012426609473880784386,
    2.71155556874348757815e-5,
    2.01033439929228813265e-7,
];
#[allow(clippy::excessive_precision)]
const F: [f64; 8] = [
    1.0,
    0.59983220655588793769,
    0.13692988092273580531,
    0.0148753612908506148525,
    7.868691311456132591e-4,
    1.8463183175100546818e-5,
    1.4215117583164458887e-7,
    2.04426310338993978564e-15,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of `statistics.NormalDist().inv_cdf` of Python.
    #[test]
    fn the_normal_quantile_has_the_known_values() {
        for (p, z) in [
            (0.5, 0.0),
            (0.975, 1.9599639845400536),
            (0.001, -3.090232306167813),
            (1e-12, -7.034483825301132),
            (1e-100, -21.27345356096532),
            (0.3, -0.5244005127080407),
        ] {
            assert!((quantile(p) - z).abs() <= 4e-16 * z.abs().max(1.0), "{p}: {}", quantile(p));
            // The relative change of Φ(z) is about z² times the relative change of z.
            assert!((cumulative(z) / p - 1.0).abs() < 4.0 * (1.0 + z * z) * f64::EPSILON, "{p}: {}", cumulative(z));
        }
    }

    fn moments(distribution: &Distribution) -> (f64, f64) {
        const POINTS: usize = 100_000;
        let values = (0..POINTS).map(|i| distribution.quantile((i as f64 + 0.5) / POINTS as f64));
        let (sum, squares) = values.fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
        let mean = sum / POINTS as f64;
        (mean, (squares / POINTS as f64 - mean * mean).sqrt())
    }

    #[test]
    fn means_and_standard_deviations_are_those_of_the_closed_forms() {
        let infinite = (f64::NEG_INFINITY, f64::INFINITY);
        let normal = Normal { mean: 3.0, standard_deviation: 2.0, min: infinite.0, max: infinite.1 };
        // Truncated to the upper half: mean σ √(2/π), variance σ² (1 − 2/π).
        let half = Normal { mean: 0.0, standard_deviation: 1.0, min: 0.0, max: infinite.1 };
        let ln = 2.0_f64.ln();
        for (distribution, mean, deviation) in [
            (Distribution::Uniform { min: -1.0, max: 3.0 }, 1.0, 4.0 / 12.0_f64.sqrt()),
            (Distribution::LogUniform { min: 1.0, max: 2.0 }, 1.0 / ln, (1.5 / ln - 1.0 / (ln * ln)).sqrt()),
            (Distribution::Normal(normal), 3.0, 2.0),
            (Distribution::Normal(half), 0.7978845608028654, 0.6028102749890869),
            (Distribution::log_normal(2.0, 0.5, 0.0, f64::INFINITY), 2.0, 0.5),
            (Distribution::Triangular { min: 0.0, mode: 1.0, max: 4.0 }, 5.0 / 3.0, (13.0 / 18.0_f64).sqrt()),
        ] {
            let (found_mean, found_deviation) = moments(&distribution);
            assert!((found_mean - mean).abs() < 1e-4 * deviation, "{distribution:?}: mean {found_mean}");
            assert!((found_deviation / deviation - 1.0).abs() < 1e-3, "{distribution:?}: {found_deviation}");
        }
    }

    #[test]
    fn truncated_values_stay_inside_even_far_from_the_mean() {
        for (min, max) in [(6.0, 6.5), (-9.0, -8.0), (-1.0, 0.5), (8.0, f64::INFINITY)] {
            let normal = Normal { mean: 0.0, standard_deviation: 1.0, min, max };
            let at = |u: f64| Distribution::Normal(normal).quantile(u);
            let values: Vec<f64> = (1..100).map(|i| at(f64::from(i) / 100.0)).collect();
            assert!(values.iter().all(|x| *x >= min && *x <= max), "{min} to {max}: {values:?}");
            assert!(values.is_sorted_by(|a, b| a < b), "{min} to {max}: {values:?}");
        }
    }
}
