//! Growth of a tiny change of the initial state over a run. In sensitive (chaotic) motion every error grows in the same
//! way.
//!
//! The run is repeated with independent coordinates that are changed by about [`INITIAL_CHANGE`] at the start. With
//! d(t) the distance of the coordinates of both runs, the growth is g(t) = max d / d(0) up to t. In a regular motion g
//! is a low power of t: two pendulums of different amplitudes drift apart in phase, at a constant rate. In a chaotic
//! motion, and near an unstable equilibrium, g grows exponentially. So a motion is sensitive if g exceeds
//! [`MIN_GROWTH`] and most of the growth occurs late. With t the time at which g reaches half of its last value, g at
//! t/2 is below a twentieth of the last value. No power of t up to the third does that.

use super::super::simulation::Recording;
use ballesta::math::larger;
use serde::Serialize;

/// Change of the coordinates at the start, rad and m: far above rounding, far below any motion.
pub(super) const INITIAL_CHANGE: f64 = 1e-8;
/// Growth below which a motion is regular: errors of 1e-6 of a step remain below the usual tolerances.
const MIN_GROWTH: f64 = 1e3;
/// Smallest growth in the second half of the time until the growth ends.
const MIN_SECOND_HALF: f64 = 10.0;

/// Exponential growth of a change of the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Growth {
    /// Largest distance over the distance at the start.
    pub factor: f64,
    /// Time at which half of the growth is first reached, s.
    pub time: f64,
    /// ln(factor) over the time since the start, 1/s.
    pub rate: f64,
}

/// The growth between two runs over the same times. The coordinates are the series with index `first` and above. `None`
/// for a regular motion.
pub(super) fn growth(run: &Recording, changed: &Recording, first: usize) -> Option<Growth> {
    let points = run.times.len().min(changed.times.len());
    let distance = |point: usize| -> f64 {
        let pairs = run.series[first..].iter().zip(&changed.series[first..]);
        pairs.map(|(a, b)| b[point] - a[point]).map(|d| d * d).sum::<f64>().sqrt()
    };
    let start = (points > 1).then(|| distance(0)).filter(|start| *start > 0.0)?;
    let mut grown = Vec::with_capacity(points);
    for point in 0..points {
        grown.push(larger(grown.last().copied().unwrap_or(1.0), distance(point) / start));
    }
    let factor = *grown.last()?;
    let reached = grown.iter().position(|g| *g >= 0.5 * factor)?;
    let [begin, time] = [0, reached].map(|point: usize| run.times[point]);
    let half = run.times.partition_point(|t| *t <= 0.5 * (begin + time)).saturating_sub(1);
    let sensitive = factor.is_finite() && factor >= MIN_GROWTH && grown[half] * MIN_SECOND_HALF <= 0.5 * factor;
    sensitive.then(|| Growth { factor, time, rate: factor.ln() / (time - begin) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(distance: impl Fn(f64) -> f64) -> Option<Growth> {
        let (mut run, mut changed) = (Recording::new(1, 0), Recording::new(1, 0));
        for t in (0..=200).map(|k| 0.05 * f64::from(k)) {
            run.push(t, &[t.cos()]);
            changed.push(t, &[t.cos() + INITIAL_CHANGE * distance(t)]);
        }
        growth(&run, &changed, 0)
    }

    #[test]
    fn exponential_growth_is_sensitive_also_where_it_ends_and_powers_of_time_are_not() {
        let found = of(|t| (2.0 * t).exp()).unwrap();
        assert!((found.rate - 2.0).abs() < 0.15, "{found:?}");
        assert!((of(|t| (4.0 * t).exp().min(1e7)).unwrap().rate - 4.0).abs() < 0.2);
        for power in [0, 1, 2, 3] {
            assert_eq!(of(|t| 1.0 + 1e3 * t.powi(power)), None, "{power}");
        }
        assert_eq!(of(|t| t.exp().min(100.0)), None);
    }
}
