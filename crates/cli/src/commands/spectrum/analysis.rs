//! Amplitude spectrum of a sampled signal, and its peaks.
//!
//! Of samples x_k, k = 0 … N − 1, every h s, with window w_k and weighted mean x̄ = Σ w x / Σ w,
//!
//! ```text
//! A(f) = 2 |Σ w_k (x_k − x̄) exp(−2πi f k h)| / Σ w_k,
//! ```
//!
//! so that a steady sine of amplitude a gives A = a at its frequency. Zero padding makes the frequency spacing smaller
//! than the line spacing 1/(N h). It adds no information, but a parabola through the logarithms of three neighbours
//! then finds a maximum to a small fraction of a line.
//!
//! A window spreads a sine over all frequencies. At a distance of d lines, at most [`Window::leakage`] of its amplitude
//! remains. A peak is the highest value within a main lobe and at least twice the total leakage of stronger peaks.
//!
//! F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform", Proceedings of the
//! IEEE 66 (1978), 51-83: windows (the four-term Blackman-Harris window in its table I) and their side lobes.

use rustfft::{FftPlanner, num_complex::Complex};
use std::f64::consts::{PI, TAU};

/// Window: weights of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Window {
    /// cos² over the record: side lobes −31 dB, falling by 18 dB per octave
    Hann,
    /// Four terms: side lobes below −92 dB, main lobe twice as wide
    BlackmanHarris,
    /// All samples equal: narrowest main lobe, side lobes −13 dB, falling by 6 dB per octave
    Rectangular,
}

impl Window {
    /// Weight of sample `k` of `count`; periodic.
    fn weight(self, k: usize, count: usize) -> f64 {
        let phase = TAU * k as f64 / count as f64;
        match self {
            Window::Hann => 0.5 - 0.5 * phase.cos(),
            Window::BlackmanHarris => {
                0.35875 - 0.48829 * phase.cos() + 0.14128 * (2.0 * phase).cos() - 0.01168 * (3.0 * phase).cos()
            }
            Window::Rectangular => 1.0,
        }
    }

    /// Half the width of the main lobe, in lines.
    fn lobe(self) -> f64 {
        match self {
            Window::Hann => 2.0,
            Window::BlackmanHarris => 4.0,
            Window::Rectangular => 1.0,
        }
    }

    /// Leakage bound of a sine of amplitude 1 at a distance of `lines`, outside its main lobe.
    fn leakage(self, lines: f64) -> f64 {
        match self {
            Window::Hann => 1.0 / (PI * lines * (lines * lines - 1.0)),
            Window::BlackmanHarris => 2.6e-5,
            Window::Rectangular => 1.0 / (PI * lines),
        }
    }

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Window::Hann => "Hann",
            Window::BlackmanHarris => "Blackman-Harris",
            Window::Rectangular => "rectangular",
        }
    }
}

/// Amplitudes over frequency.
pub struct Spectrum {
    /// Distance of two entries, Hz.
    pub spacing: f64,
    /// Distance of two lines, 1/(N h), Hz.
    pub line: f64,
    /// Amplitudes A from 0 Hz on, in the unit of the signal.
    pub amplitudes: Vec<f64>,
    /// Weighted mean of the signal, which is subtracted.
    pub mean: f64,
    window: Window,
}

/// A maximum of the spectrum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Hz.
    pub frequency: f64,
    /// In the unit of the signal.
    pub amplitude: f64,
}

/// 20 log₁₀ of an amplitude against one unit of the signal, dB.
pub fn decibel(amplitude: f64) -> f64 {
    20.0 * amplitude.log10()
}

/// Spectrum of `samples` (at least 2) every `interval` s, with at least `padding` (1 or more) times as many points as
/// samples.
pub fn spectrum(samples: &[f64], interval: f64, window: Window, padding: usize) -> Spectrum {
    let count = samples.len();
    let weights: Vec<f64> = (0..count).map(|k| window.weight(k, count)).collect();
    let sum: f64 = weights.iter().sum();
    let mean = samples.iter().zip(&weights).map(|(x, w)| w * x).sum::<f64>() / sum;
    // Powers of two are the fastest to transform.
    let points = (count * padding).next_power_of_two();
    let mut values = vec![Complex::new(0.0, 0.0); points];
    for ((value, x), w) in values.iter_mut().zip(samples).zip(&weights) {
        value.re = w * (x - mean);
    }
    FftPlanner::new().plan_fft_forward(points).process(&mut values);
    let amplitudes = values[..=points / 2].iter().map(|value| 2.0 * value.norm() / sum).collect();
    let spacing = 1.0 / (points as f64 * interval);
    Spectrum { spacing, line: 1.0 / (count as f64 * interval), amplitudes, mean, window }
}

impl Spectrum {
    /// Peaks up to `up_to` Hz and not more than `floor` dB below the highest of them, ascending in frequency.
    pub fn peaks(&self, up_to: f64, floor: f64) -> Vec<Peak> {
        let reach = ((self.window.lobe() * self.line / self.spacing).ceil() as usize).max(1);
        let a = &self.amplitudes;
        let highest_around = |i: usize| a[i - reach..=i + reach].iter().all(|other| *other <= a[i]);
        let ends = reach..a.len().saturating_sub(reach);
        // All frequencies, because stronger peaks above `up_to` also leak.
        let mut found: Vec<Peak> =
            ends.filter(|&i| a[i] > 0.0 && highest_around(i)).map(|i| self.interpolate(i)).collect();
        found.dedup_by(|b, a| b.frequency - a.frequency < self.line);
        let stands_out = |peak: &&Peak| {
            let stronger = found.iter().filter(|other| other.amplitude > peak.amplitude);
            peak.amplitude > 2.0 * stronger.map(|other| self.leaked(other, peak)).sum::<f64>()
        };
        let within = found.iter().filter(|peak| peak.frequency <= up_to);
        let mut peaks: Vec<Peak> = within.filter(stands_out).copied().collect();
        let highest =
            peaks.iter().fold(0.0_f64, |most, peak| if peak.amplitude > most { peak.amplitude } else { most });
        let least = highest * 10f64.powf(-floor / 20.0);
        peaks.retain(|peak| peak.amplitude >= least);
        peaks
    }

    /// Leakage bound of `strong` at the frequency of `weak`.
    fn leaked(&self, strong: &Peak, weak: &Peak) -> f64 {
        let lines = (strong.frequency - weak.frequency).abs() / self.line;
        strong.amplitude * if lines > self.window.lobe() { self.window.leakage(lines) } else { 1.0 }
    }

    /// Vertex of the parabola through the logarithms of entry `i` and its neighbours.
    fn interpolate(&self, i: usize) -> Peak {
        let [before, here, after] = [self.amplitudes[i - 1], self.amplitudes[i], self.amplitudes[i + 1]].map(f64::ln);
        let curvature = before - 2.0 * here + after;
        // No parabola if a neighbour is zero or all values are equal.
        let offset = if curvature.is_finite() && curvature < 0.0 { 0.5 * (before - after) / curvature } else { 0.0 };
        let height = if offset == 0.0 { here } else { here - 0.25 * (before - after) * offset };
        Peak { frequency: (i as f64 + offset) * self.spacing, amplitude: height.exp() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOWS: [Window; 3] = [Window::Hann, Window::BlackmanHarris, Window::Rectangular];

    /// Σ a sin(2π f t + φ) + 3, sampled every 1 ms.
    fn sines(count: usize, parts: &[(f64, f64, f64)]) -> Vec<f64> {
        let value = |t: f64| 3.0 + parts.iter().map(|(f, a, phase)| a * (TAU * f * t + phase).sin()).sum::<f64>();
        (0..count).map(|k| value(1e-3 * k as f64)).collect()
    }

    #[test]
    fn a_sine_between_two_lines_is_found_with_its_frequency_and_amplitude() {
        for window in WINDOWS {
            for part in 0..8 {
                let f = 50.0 + f64::from(part) / 8.0 / 2.0;
                let found = spectrum(&sines(2000, &[(f, 0.7, 0.3)]), 1e-3, window, 8);
                let peaks = found.peaks(500.0, 60.0);
                assert_eq!(peaks.len(), 1, "{window:?} {f}: {peaks:?}");
                // In lines of 0.5 Hz; the residual is the image of the sine at negative frequency.
                let bar = if window == Window::Rectangular { 1e-2 } else { 2e-4 };
                assert!((peaks[0].frequency - f).abs() < bar * 0.5, "{window:?} {f}: {peaks:?}");
                assert!((peaks[0].amplitude / 0.7 - 1.0).abs() < bar, "{window:?} {f}: {peaks:?}");
                assert!((found.mean - 3.0).abs() < 1e-2, "{}", found.mean);
            }
        }
    }

    #[test]
    fn a_weak_sine_beside_a_strong_one_is_a_peak_and_side_lobes_are_none() {
        let samples = sines(4000, &[(40.06, 1.0, 0.0), (61.13, 1e-4, 1.0)]);
        for (window, count) in [(Window::Hann, 2), (Window::BlackmanHarris, 2), (Window::Rectangular, 1)] {
            let peaks = spectrum(&samples, 1e-3, window, 8).peaks(500.0, 100.0);
            assert_eq!(peaks.len(), count, "{window:?}: {peaks:?}");
            assert!(count == 1 || (peaks[1].frequency - 61.13).abs() < 2e-3, "{window:?}: {peaks:?}");
        }
    }

    #[test]
    fn zeros_behind_the_samples_bring_the_entries_closer_and_change_none() {
        let samples = sines(1024, &[(17.3, 1.0, 0.0), (90.0, 0.2, 0.0)]);
        let [plain, padded] = [1, 4].map(|padding| spectrum(&samples, 1e-3, Window::Hann, padding));
        assert_eq!(plain.spacing, 4.0 * padded.spacing);
        assert_eq!(plain.line, padded.line);
        for (i, amplitude) in plain.amplitudes.iter().enumerate() {
            assert!((amplitude - padded.amplitudes[4 * i]).abs() < 1e-12);
        }
    }

    #[test]
    fn floor_and_upper_end_are_limits() {
        let samples = sines(4000, &[(40.0, 1.0, 0.0), (80.0, 1e-2, 0.0), (160.0, 1e-1, 0.0)]);
        let found = spectrum(&samples, 1e-3, Window::Hann, 4);
        let count = |up_to, floor| found.peaks(up_to, floor).len();
        assert_eq!([count(500.0, 60.0), count(500.0, 30.0), count(100.0, 60.0), count(30.0, 60.0)], [3, 2, 2, 0]);
    }

    #[test]
    fn a_constant_has_no_peak() {
        assert_eq!(spectrum(&[2.5; 100], 0.1, Window::Hann, 8).peaks(5.0, 300.0), []);
    }
}
