//! Helpers of the derivative tests: central differences and reproducible numbers.

// Used by `crate::math` and by the tests that include this file.
pub(crate) use super::larger;

/// Step of central differences, relative to lengths and angles near 1.
pub const STEP: f64 = 1e-5;

/// Derivative of `f` at 0 by central differences.
pub fn derivative(f: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    f(STEP).iter().zip(f(-STEP)).map(|(after, before)| (after - before) / (2.0 * STEP)).collect()
}

/// Asserts that `analytic` is the derivative of `f` at 0 within `tolerance`, relative to the largest entry (or 1), and
/// that the comparison is not empty.
pub fn assert_derivative(claim: &str, f: impl Fn(f64) -> Vec<f64>, analytic: &[f64], tolerance: f64) {
    let difference = derivative(f);
    assert_eq!(difference.len(), analytic.len(), "{claim}: sizes differ");
    let size = analytic.iter().fold(1.0f64, |a, b| larger(a, b.abs()));
    for (index, (found, expected)) in analytic.iter().zip(&difference).enumerate() {
        let error = (found - expected).abs() / size;
        assert!(error <= tolerance, "{claim}, entry {index}: analytic {found}, difference {expected}");
    }
}

/// SplitMix64 (G. L. Steele et al., OOPSLA 2014).
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    /// Uniform in −1 … 1.
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    /// `count` uniform numbers.
    pub fn numbers(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.number()).collect()
    }
}
