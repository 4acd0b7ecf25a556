//! Error estimate of a run from runs with the steps h, h/2 and h/4, by Richardson's extrapolation, output by output.
//!
//! A scheme of order p leaves an error C hᵖ in a smooth motion. The differences d₁ = y(h) − y(h/2) and d₂ = y(h/2) −
//! y(h/4), at the same times, then have the ratio 2ᵖ, and the error of the run with h is d₁ 2ᵖ / (2ᵖ − 1). The order is
//! taken from the largest differences over time. If only their root mean square falls, single points are next to a
//! jump.
//!
//! An estimate is only as good as its assumption, so every series gets a [`Verdict`]. Differences that are round-off
//! have no order. A series whose differences do not fall has no error estimate: such runs agree by chance. Angles that
//! differ by a whole turn are equal.
//!
//! Offline: allocates.

use std::f64::consts::TAU;

use ballesta_model::units;
use ballesta_solver::math::{elementary, larger};
use ballesta_solver::system::{Output, OutputInfo, Readout, ScalarKind, System, SystemQuantity};

/// Differences below this fraction of the largest value of the same unit, or of the natural size of the unit, are
/// round-off: some thousand steps of 1e-16 each, amplified by stiffness.
const ROUND_OFF_TOLERANCE: f64 = 1e-10;
/// Below this fraction round-off may have spoilt an order that is lower than the order of the scheme.
const NOISE_TOLERANCE: f64 = 1e-8;
/// Below this fraction no order is required: stiff forces amplify round-off that much.
const ORDER_TOLERANCE: f64 = 1e-6;
/// A lower observed order counts as no convergence.
const MIN_ORDER: f64 = 0.5;
/// An order below this fraction of the scheme's order is reported.
const MIN_ORDER_FRACTION: f64 = 0.75;
/// A step is not extrapolated beyond this multiple: the scheme may be unstable there.
const MAX_STEP_FACTOR: f64 = 4.0;

/// Whether an output is an integration result with an error estimate. Switches, counts, figures of the run and gaps,
/// which are residuals of every step, are not.
pub fn is_result(output: &Output, info: &OutputInfo) -> bool {
    use SystemQuantity::{Gap, VelocityGap};
    let gap = matches!(output.readout, Readout::System(Gap | VelocityGap) | Readout::ConstraintGap(_));
    let residual = gap || matches!(output.readout, Readout::Run(_));
    info.kind == ScalarKind::Real && !residual
}

/// Classification of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It converges with the order of the scheme.
    Converges,
    /// All differences are round-off.
    RoundOff,
    /// Differences are small, and do not fall any more.
    Small,
    /// It converges more slowly than the scheme does in a smooth motion.
    LowOrder,
    /// It converges except at single points next to jumps.
    Jumps,
    /// Halving the step does not make the differences smaller.
    Diverges,
}

impl Verdict {
    /// Whether the result converges with shorter steps.
    pub fn converges(self) -> bool {
        self != Verdict::Diverges
    }
}

/// The estimate for one series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Reference value of the errors: the largest value, but not less than 1e-6 of the largest of the same unit or its
    /// natural size.
    pub size: f64,
    /// Error of the run with h; with jumps its root mean square. For a series that does not converge it is the largest
    /// difference, which is no bound.
    pub error: f64,
    /// Observed order; `None` at round-off.
    pub order: Option<f64>,
    /// Its classification.
    pub verdict: Verdict,
    /// Largest differences between neighbouring runs.
    pub differences: [f64; 2],
    /// Root mean squares of the differences.
    pub means: [f64; 2],
    /// Number of points from the start that differ by less than the tolerance between h/2 and h/4.
    pub agreeing: usize,
    /// Step, in units of h, at which the error equals the tolerance; `None` without convergence.
    pub step: Option<f64>,
}

impl Estimate {
    /// Error as a fraction of the size.
    pub fn relative(&self) -> f64 {
        if self.error == 0.0 { 0.0 } else { self.error / self.size }
    }

    /// Errors of the runs with h, h/2 and h/4.
    pub fn errors(&self) -> [f64; 3] {
        let order = self.order.unwrap_or(0.0);
        [0.0, 1.0, 2.0].map(|halvings| self.error * elementary::pow(2.0, -order * halvings))
    }
}

/// Reference values for all series of one unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorScale {
    /// Largest value of all series of the unit.
    pub largest: f64,
    /// A natural size of the unit ([`NaturalUnits::size`]).
    pub natural: f64,
    /// Smallest reference value of the errors: for an energy balance, which is about zero, the energy exchanged.
    pub least: f64,
    /// Whether values that differ by whole turns are equal.
    pub angle: bool,
}

/// Estimates the error of `runs`: one series at the same times with h, h/2 and h/4, all of the same length. `order` is
/// the order of the scheme, `tolerance` is relative.
pub fn estimate(runs: [&[f64]; 3], yardstick: &ErrorScale, order: f64, tolerance: f64) -> Estimate {
    let length = runs.iter().map(|run| run.len()).min().unwrap_or(0);
    // A run that ends in NaN diverges; earlier values are compared with its finite values.
    let own = runs[2].iter().map(|value| value.abs()).filter(|value| value.is_finite()).fold(0.0, larger);
    let unit = larger(yardstick.largest, yardstick.natural);
    let size = larger(larger(own, ORDER_TOLERANCE * unit), yardstick.least);
    let (first, second) = (differences(runs[0], runs[1], yardstick), differences(runs[1], runs[2], yardstick));
    let peaks = [peak(&first), peak(&second)];
    let ratio = |[a, b]: [f64; 2]| elementary::ln(a / b) / elementary::ln(2.0);
    let means = [root_mean_square(&first), root_mean_square(&second)];
    let (in_peak, in_mean) = (ratio(peaks), ratio(means));
    let floor = ROUND_OFF_TOLERANCE * unit;
    let (observed, verdict) = if !(peaks[0] + peaks[1]).is_finite() {
        (None, Verdict::Diverges)
    } else if peaks[0] <= floor && peaks[1] <= floor {
        (None, Verdict::RoundOff)
    } else if peaks[1] <= floor {
        (
            Some(in_peak.min(2.0 * order)),
            if in_peak >= MIN_ORDER_FRACTION * order { Verdict::Converges } else { Verdict::RoundOff },
        )
    } else if in_peak >= MIN_ORDER_FRACTION * order {
        (Some(in_peak), Verdict::Converges)
    } else if larger(peaks[0], peaks[1]) <= NOISE_TOLERANCE * unit {
        (None, Verdict::Small)
    } else if in_peak >= MIN_ORDER {
        (Some(in_peak), Verdict::LowOrder)
    } else if larger(peaks[0], peaks[1]) <= ORDER_TOLERANCE * unit {
        (None, Verdict::Small)
    } else if in_mean >= MIN_ORDER {
        (Some(in_mean), Verdict::Jumps)
    } else {
        (Some(in_peak), Verdict::Diverges)
    };
    let error = match (observed, verdict) {
        (Some(p), verdict) if verdict.converges() => {
            let growth = elementary::pow(2.0, p);
            let difference = if verdict == Verdict::Jumps { means[0] } else { peaks[0] };
            difference * growth / (growth - 1.0)
        }
        _ => larger(peaks[0], peaks[1]),
    };
    let step = match (observed, verdict.converges()) {
        (_, false) => None,
        (_, true) if error <= floor => Some(MAX_STEP_FACTOR),
        // Round-off does not fall with the step.
        (None, true) => (error <= tolerance * size).then_some(1.0),
        (Some(p), true) => Some(elementary::pow(tolerance * size / error, 1.0 / p).min(MAX_STEP_FACTOR)),
    };
    let agreeing = second.iter().position(|d| !(d.abs() <= tolerance * size + floor)).unwrap_or(length);
    Estimate { size, error, order: observed, verdict, differences: peaks, means, agreeing, step }
}

/// Result of the comparison of an estimate with a second scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemeComparison {
    /// Both schemes agree within the tolerance.
    Confirms,
    /// They differ by more than the tolerance, and by less than the errors of both: the second scheme is not accurate
    /// enough to confirm the estimate.
    Unable,
    /// They differ by more than their errors: they converge to two motions.
    Contradicts,
}

/// Compares the runs `second` of another scheme with h/2 and h/4 with `estimate` of the first scheme, whose run with
/// h/4 is `fine`. Returns the opinion, the largest difference of the two runs with h/4, and the number of points from
/// the start on that differ by less than the tolerance. Error estimates are accurate to a factor of about three only. A
/// series with jumps is compared in the mean, as is its error.
pub fn compare(
    estimate: &Estimate,
    fine: &[f64],
    second: [&[f64]; 2],
    yardstick: &ErrorScale,
    tolerance: f64,
) -> (SchemeComparison, f64, usize) {
    let apart = differences(second[1], fine, yardstick);
    let between = differences(second[0], second[1], yardstick);
    let margin = ORDER_TOLERANCE * larger(yardstick.largest, yardstick.natural) + tolerance * estimate.size;
    let [distance, between, own] = match estimate.verdict {
        Verdict::Jumps => [root_mean_square(&apart), root_mean_square(&between), estimate.means[1]],
        _ => [peak(&apart), peak(&between), estimate.differences[1]],
    };
    // Written so that a NaN counts as a contradiction.
    let opinion = if distance <= margin + 3.0 * own {
        SchemeComparison::Confirms
    } else if distance <= margin + 3.0 * (own + between) {
        SchemeComparison::Unable
    } else {
        SchemeComparison::Contradicts
    };
    let agreeing = apart.iter().position(|d| !(d.abs() <= margin)).unwrap_or(apart.len());
    (opinion, peak(&apart), agreeing)
}

/// The difference of two angles without whole turns; a part of a turn remains.
pub fn without_turns(difference: f64) -> f64 {
    let turns = (difference / TAU).round();
    if turns != 0.0 { difference - TAU * turns } else { difference }
}

fn differences(a: &[f64], b: &[f64], yardstick: &ErrorScale) -> Vec<f64> {
    let difference = |(a, b): (&f64, &f64)| if yardstick.angle { without_turns(a - b) } else { a - b };
    a.iter().zip(b).map(difference).collect()
}

fn peak(differences: &[f64]) -> f64 {
    differences.iter().map(|d| d.abs()).fold(0.0, larger)
}

fn root_mean_square(differences: &[f64]) -> f64 {
    let largest = peak(differences);
    if !(largest > 0.0) {
        return largest;
    }
    let sum: f64 = differences.iter().map(|d| (d / largest) * (d / largest)).sum();
    largest * (sum / differences.len() as f64).sqrt()
}

/// Natural sizes of quantities of a mechanism, from its mass, its length and the speed that corresponds to its energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NaturalUnits {
    /// kg
    mass: f64,
    /// m
    length: f64,
    /// s
    time: f64,
}

impl NaturalUnits {
    /// Natural sizes of `system` in a run of `duration` s in which at most `energy` J moved or were exchanged.
    pub fn new(system: &System, energy: f64, duration: f64) -> NaturalUnits {
        let mass: f64 = system.bodies.iter().skip(1).map(|body| body.mass).sum::<f64>()
            + system.rods.iter().map(|rod| rod.mass).sum::<f64>();
        let arms = system.bodies.iter().skip(1).map(|body| (body.design - system.bodies[body.parent].design).norm());
        let length = system.blocks.iter().map(|block| block.size).chain(arms).fold(0.0, larger);
        let (mass, length) = (if mass > 0.0 { mass } else { 1.0 }, if length > 0.0 { length } else { 1.0 });
        let speed = (2.0 * energy / mass).sqrt();
        let time = if speed > 0.0 && speed.is_finite() { length / speed } else { larger(duration, 1e-3) };
        NaturalUnits { mass, length, time }
    }

    /// Size of a quantity with this unit; 1 where the unit is not known.
    pub fn size(&self, symbol: &str) -> f64 {
        let whole = |base: f64, exponent: i8| {
            let factor = (0..exponent.unsigned_abs()).fold(1.0, |product, _| product * base);
            if exponent < 0 { 1.0 / factor } else { factor }
        };
        units::find(symbol)
            .map_or(1.0, |unit| whole(self.mass, unit.kg) * whole(self.length, unit.m) * whole(self.time, unit.s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: ErrorScale = ErrorScale { largest: 1.0, natural: 1.0, least: 0.0, angle: false };

    /// cos t with an error of `error(h, t)` in runs with 0.1, 0.05, 0.025.
    fn of(error: impl Fn(f64, f64) -> f64, order: f64) -> Estimate {
        let run = |h: f64| (0..=100).map(|i| 0.1 * f64::from(i)).map(|t| t.cos() + error(h, t)).collect::<Vec<_>>();
        let runs = [run(0.1), run(0.05), run(0.025)];
        estimate([&runs[0], &runs[1], &runs[2]], &UNIT, order, 1e-3)
    }

    #[test]
    fn order_error_and_step_of_a_smooth_motion_are_found() {
        for order in [1.0, 2.0, 4.0] {
            let found = of(|h, t| 0.3 * h.powf(order) * t, order);
            let error = 0.3 * 0.1_f64.powf(order) * 10.0;
            assert_eq!(found.verdict, Verdict::Converges);
            assert!((found.order.unwrap() - order).abs() < 1e-6 && (found.error / error - 1.0).abs() < 1e-6);
            let step = (1e-3 * found.size / error).powf(1.0 / order).min(MAX_STEP_FACTOR);
            assert!((found.step.unwrap() / step - 1.0).abs() < 1e-6, "{found:?}");
            assert!((found.errors()[2] * 4.0_f64.powf(order) / error - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn round_off_has_no_order() {
        let noise = |h: f64, t: f64| 1e-13 * (1e6 * t / h).sin();
        let found = of(noise, 4.0);
        assert_eq!((found.verdict, found.order, found.step), (Verdict::RoundOff, None, Some(MAX_STEP_FACTOR)));
        let found = of(|h, t| 1e4 * 1e-12 * noise(h, t) / 1e-13, 4.0);
        assert_eq!((found.verdict, found.order, found.step), (Verdict::Small, None, Some(1.0)));
    }

    #[test]
    fn a_lower_order_and_a_jump_are_told_apart() {
        assert_eq!(of(|h, t| h * h * t, 4.0).verdict, Verdict::LowOrder);
        // A jump whose time is off by h: the share of wrong points falls, the difference at these points does not.
        let jump = |h: f64, t: f64| if t > 2.0 && t < 2.0 + 20.0 * h { 1.0 } else { 0.0 };
        let found = of(jump, 4.0);
        assert_eq!(found.verdict, Verdict::Jumps);
        assert!(found.order.unwrap() < 1.0 && found.differences[0] == 1.0, "{found:?}");
    }

    #[test]
    fn what_does_not_converge_is_said_with_the_time_of_agreement() {
        // Chaos: errors grow until they are as large as the motion.
        let found = of(|h, t| (h.powi(4) * (4.0 * t).exp()).min(1.0) * (t / h).sin(), 4.0);
        assert_eq!((found.verdict, found.step), (Verdict::Diverges, None));
        assert!(found.agreeing > 10 && found.agreeing < 60, "{found:?}");
        let found = of(|h, t| if h < 0.03 && t > 5.0 { f64::NAN } else { 0.0 }, 4.0);
        assert_eq!((found.verdict, found.step, found.agreeing), (Verdict::Diverges, None, 51));
        assert!(found.error.is_nan());
    }

    #[test]
    fn whole_turns_of_angles_make_no_difference_and_parts_do() {
        let wrapped = |h: f64, t: f64| if t > 1.0 + h { TAU } else { 0.0 } + h * h * t;
        let runs = [0.1, 0.05, 0.025].map(|h| (0..50).map(|i| wrapped(h, 0.1 * f64::from(i))).collect::<Vec<_>>());
        let of = |angle| estimate([&runs[0], &runs[1], &runs[2]], &ErrorScale { angle, ..UNIT }, 2.0, 1e-3);
        assert_eq!(of(true).verdict, Verdict::Converges);
        assert!(of(false).differences[0] > 6.0 && of(true).differences[0] < 0.1);
    }

    #[test]
    fn a_second_scheme_confirms_only_within_the_tolerance() {
        let found = of(|h, t| 0.3 * h.powi(4) * t, 4.0);
        let times = || (0..=100).map(|i| 0.1 * f64::from(i));
        let fine: Vec<f64> = times().map(f64::cos).collect();
        let opinion = |coarse: f64, second: f64, tolerance: f64| {
            let run = |error: f64| times().map(|t| t.cos() + error * t).collect::<Vec<f64>>();
            compare(&found, &fine, [&run(coarse), &run(second)], &UNIT, tolerance)
        };
        assert_eq!((opinion(8e-5, 2e-5, 1e-3).0, opinion(8e-5, 2e-5, 1e-3).2), (SchemeComparison::Confirms, 101));
        // The difference of the runs of the second scheme equals their error.
        assert_eq!(opinion(8e-3, 2e-3, 1e-3).0, SchemeComparison::Unable);
        assert!((4..8).contains(&opinion(8e-3, 2e-3, 1e-3).2));
        assert_eq!(opinion(2.1e-3, 2e-3, 1e-3).0, SchemeComparison::Contradicts);
        assert_eq!(opinion(f64::NAN, f64::NAN, 1e-3).0, SchemeComparison::Contradicts);
    }
}
