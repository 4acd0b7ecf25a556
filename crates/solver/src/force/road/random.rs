//! Random road profiles by their spectral density, ISO 8608.
//!
//! # Problem
//!
//! Heights with the one-sided density Gd(n) = Gd(n₀) (n/n₀)^−w, n₀ = 0.1 cycles/m, within a band of n. The profile is a
//! sum of waves with the frequencies n_k = k/L, L the period, and random phases; each has the variance of the nearest
//! part of the band, about Gd(n_k)/L, so that the profile has the variance of the whole band.
//!
//! Two wheel tracks at y = ±b/2 get profiles of equal density and the coherence of an isotropic surface, γ(n) = x
//! K₁(x), x = 2π n b (K. M. A. Kamash and J. D. Robson, J. Sound Vib. 57 (1978) 89; exact for w = 2): long waves go
//! through both tracks alike, short ones are independent. With the waves' mean m(x) and half difference d(x) of the
//! tracks,
//!
//! ```text
//!     z(x, y) = m(x) + 2 f(y/b) d(x),  m: amplitudes · √((1 + γ)/2), d: amplitudes · √((1 − γ)/2), phases independent,
//! ```
//!
//! with f(η) = η between the tracks, blended to ±1 within a track width outside of them (smooth to the second
//! derivative) and constant beyond. Without a track width d is zero.
//!
//! # Method
//!
//! m and d are synthesised by one fast Fourier transform on an even grid with at least ten points per shortest wave,
//! divided by the response of the cubic B-spline so that the periodic spline passes through the synthesised values. A
//! step evaluates the spline: four weights, eight coefficients. SplitMix64 (G. L. Steele et al., OOPSLA 2014) generates
//! two phases per wave, starting with the longest wave. Elementary functions are from [`elementary`], so a seed gives
//! the same bits on every machine.
//!
//! # Limits
//!
//! Only the phases are random: the density of m, and of a road without track width, is exactly the requested density.
//! The density of each single track scatters about it.

use super::Surface;
use super::smooth::step;
use crate::math::elementary::{self, ceil, cos, cosh, exp, floor, pow, sin_cos};
use crate::math::scalar::Scalar;
use crate::math::within;
use alloc::{boxed::Box, vec};
use core::f64::consts::TAU;

/// Reference frequency of ISO 8608, cycles/m.
const REFERENCE: f64 = 0.1;
/// Smallest number of grid points per shortest wave.
const POINTS_PER_WAVE: f64 = 10.0;

/// A random profile.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct RandomProfile {
    start: f64,
    fade: f64,
    /// 1/b, or zero.
    per_track: f64,
    /// Grid points per m.
    per_metre: f64,
    /// Spline coefficients of m and d; their number is a power of two.
    coefficients: Box<[[f64; 2]]>,
}

/// Spectrum of a random profile.
pub struct RandomRoughness {
    /// x at the start of the profile, m.
    pub start: f64,
    /// Length over which the profile grows to its full height, m.
    pub fade: f64,
    /// Gd at 0.1 cycles/m, m³.
    pub roughness: f64,
    /// Exponent w of the spectrum.
    pub waviness: f64,
    /// Lowest and highest spatial frequency, cycles/m.
    pub band: [f64; 2],
    /// Length after which the profile repeats, m.
    pub period: f64,
    /// Track width b, m; `None` for one profile in both tracks.
    pub track: Option<f64>,
    /// Seed of the phases.
    pub seed: u64,
}

/// SplitMix64.
struct Generator(u64);

impl Generator {
    /// An angle, uniform in 0 ≤ φ < 2π.
    fn phase(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        TAU * ((z >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

impl RandomProfile {
    /// The profile of a spectrum.
    #[expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "creates a road, before the first step")]
    pub fn new(settings: &RandomRoughness) -> RandomProfile {
        let &RandomRoughness { start, fade, roughness, waviness, band, period, track, seed } = settings;
        let [lowest, highest] = band;
        let points = (ceil(POINTS_PER_WAVE * highest * period) as usize).max(16).next_power_of_two();
        let mut spectrum = vec![[0.0; 2]; points];
        let mut generator = Generator(seed);
        let nearest = |frequency: f64| floor(frequency * period + 0.5) as usize;
        for line in nearest(lowest).max(1)..=nearest(highest) {
            let frequency = line as f64 / period;
            // The spectral line represents the nearest part of the band.
            let from = (frequency - 0.5 / period).max(lowest);
            let to = (frequency + 0.5 / period).min(highest);
            let variance = roughness * REFERENCE * power_integral(from / REFERENCE, to / REFERENCE, waviness);
            // The amplitude is divided by the response of the spline; both tracks share the mean m and differ by d.
            let spline = (2.0 + cos(TAU * line as f64 / points as f64)) / 3.0;
            let amplitude = (2.0 * variance.max(0.0)).sqrt() / spline;
            let coherence = track.map_or(1.0, |track| isotropic_coherence(TAU * frequency * track));
            let mean = (0.5 * (1.0 + coherence)).sqrt();
            let difference = (0.5 * (1.0 - coherence)).max(0.0).sqrt();
            let wave = |size: f64, phase: f64| {
                let (sine, cosine) = sin_cos(phase);
                [0.5 * amplitude * size * cosine, 0.5 * amplitude * size * sine]
            };
            let (m, d) = (wave(mean, generator.phase()), wave(difference, generator.phase()));
            // The transform of m + i d; m and d are real.
            spectrum[line] = [m[0] - d[1], m[1] + d[0]];
            spectrum[points - line] = [m[0] + d[1], d[0] - m[1]];
        }
        fourier(&mut spectrum);
        RandomProfile {
            start,
            fade,
            per_track: track.map_or(0.0, |track| 1.0 / track),
            per_metre: points as f64 / period,
            coefficients: spectrum.into_boxed_slice(),
        }
    }

    /// Adds height and slopes at x, y.
    pub(super) fn add<S: Scalar>(&self, x: S, y: S, surface: &mut Surface<S>) {
        if !(x > self.start) {
            return;
        }
        let ([m, d], [m_slope, d_slope]) = self.spline(x);
        let across = cross_profile(y * self.per_track);
        let (height, slope) = (m + across[0] * d, m_slope + across[0] * d_slope);
        let fade = step((x - self.start) / self.fade);
        surface.height += fade.value * height;
        surface.slope_x += fade.value * slope + fade.slope / self.fade * height;
        surface.slope_y += fade.value * across[1] * self.per_track * d;
    }

    /// m and d, and their slopes.
    fn spline<S: Scalar>(&self, x: S) -> ([S; 2], [S; 2]) {
        let u = x * self.per_metre;
        let cell = floor(u.value());
        let t = u - cell;
        let rest = S::one() - t;
        let two_thirds = S::from_f64(2.0 / 3.0);
        let (square, rest_square) = (t * t, rest * rest);
        let weights = [
            rest_square * rest / 6.0,
            two_thirds - square * (S::one() - t * 0.5),
            two_thirds - rest_square * (S::one() - rest * 0.5),
            square * t / 6.0,
        ];
        let two = S::from_f64(2.0);
        let slopes = [rest_square * -0.5, t * (t * 1.5 - 2.0), rest * (two - rest * 1.5), square * 0.5];
        let mask = self.coefficients.len() - 1;
        let first = (cell as i64).wrapping_sub(1) as usize;
        let (mut value, mut slope) = ([S::zero(); 2], [S::zero(); 2]);
        for i in 0..4 {
            let row = self.coefficients[first.wrapping_add(i) & mask];
            for k in 0..2 {
                value[k] += weights[i] * row[k];
                slope[k] += slopes[i] * row[k];
            }
        }
        (value, slope.map(|slope| slope * self.per_metre))
    }
}

/// ∫ x^−w dx from a to b.
fn power_integral(a: f64, b: f64, w: f64) -> f64 {
    let exponent = 1.0 - w;
    if exponent.abs() < 1e-6 { elementary::ln(b / a) } else { (pow(b, exponent) - pow(a, exponent)) / exponent }
}

/// 2 f(η) and its derivative: the line 2 η between the tracks, ±2 from one track width outside of them on.
fn cross_profile<S: Scalar>(eta: S) -> [S; 2] {
    let (outside, two) = (within(eta.abs() - 0.5, 0.0, 1.0), S::from_f64(2.0));
    if outside <= 0.0 {
        return [eta * 2.0, two];
    }
    let square = outside * outside;
    let value = outside * 2.0 + 1.0 - square * outside * (two - outside);
    [if eta < 0.0 { -value } else { value }, two - square * (S::from_f64(6.0) - outside * 4.0)]
}

/// x K₁(x), by the trapezoidal rule for K₁(x) = ∫₀^∞ exp(−x cosh t) cosh t dt, which converges faster than any power.
fn isotropic_coherence(x: f64) -> f64 {
    const STEP: f64 = 0.1;
    // Beyond this the integrand is below 1e-16 of the sum.
    let end = elementary::ln(2.0 * (40.0 + 40.0 / x));
    let mut sum = 0.5 * exp(-x);
    let mut t = STEP;
    while t < end {
        sum += exp(-x * cosh(t)) * cosh(t);
        t += STEP;
    }
    (x * STEP * sum).min(1.0)
}

/// Σ_k X_k exp(2π i j k/N) in place, N a power of two.
fn fourier(data: &mut [[f64; 2]]) {
    let n = data.len();
    let bits = n.trailing_zeros();
    for i in 0..n {
        let j = i.reverse_bits() >> (usize::BITS - bits);
        if i < j {
            data.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        for k in 0..half {
            let (sine, cosine) = sin_cos(TAU * (k as f64 / (2 * half) as f64));
            for even in (k..n).step_by(2 * half) {
                let ([a, b], [c, d]) = (data[even], data[even + half]);
                let (re, im) = (c * cosine - d * sine, c * sine + d * cosine);
                data[even] = [a + re, b + im];
                data[even + half] = [a - re, b - im];
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transform_equals_the_sum_by_definition() {
        let mut random = crate::check::numbers::Random(3);
        let data: Vec<[f64; 2]> = (0..16).map(|_| [random.number(), random.number()]).collect();
        let mut transformed = data.clone();
        fourier(&mut transformed);
        for (j, found) in transformed.iter().enumerate() {
            let mut sum = [0.0; 2];
            for (k, [re, im]) in data.iter().enumerate() {
                let (sine, cosine) = sin_cos(TAU * (j * k) as f64 / 16.0);
                sum[0] += re * cosine - im * sine;
                sum[1] += re * sine + im * cosine;
            }
            assert!((found[0] - sum[0]).abs() < 1e-13 && (found[1] - sum[1]).abs() < 1e-13, "{j}");
        }
    }

    #[test]
    fn coherence_equals_tabulated_values_of_the_bessel_function() {
        // K₁(0.1), K₁(1), K₁(5): Abramowitz and Stegun, tables 9.8 and 9.11 (computed anew to all digits).
        for (x, bessel) in [(0.1, 9.853844780870606), (1.0, 0.6019072301972346), (5.0, 0.004044613445452164)] {
            let found = isotropic_coherence(x);
            assert!((found - x * bessel).abs() < 1e-13, "{x}: {found} {}", x * bessel);
        }
        assert!((isotropic_coherence(1e-4) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn cross_profile_is_linear_between_the_tracks_smooth_beyond_and_odd() {
        assert_eq!(cross_profile(0.3), [0.6, 2.0]);
        assert_eq!((cross_profile(1.5), cross_profile(-9.0)), ([2.0, 0.0], [-2.0, 0.0]));
        for i in -200..=200 {
            let eta = 0.01 * f64::from(i) + 1e-3;
            let difference = crate::check::numbers::derivative(|change| vec![cross_profile(eta + change)[0]])[0];
            assert!((difference - cross_profile(eta)[1]).abs() < 1e-8, "{eta}");
        }
    }
}
