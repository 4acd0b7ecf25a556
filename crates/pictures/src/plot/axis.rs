//! Round numbers along an axis.

/// Range and ticks of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Lower end.
    pub lower: f64,
    /// Upper end, above `lower`.
    pub upper: f64,
    /// Power of ten, a multiple of three, that tick labels omit (0 if this has no benefit).
    pub exponent: i32,
    /// Value and label of the ticks, ascending.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// An axis that fits tightly from `lower` to `upper`, with about `count` ticks at round values inside.
    pub fn tight(lower: f64, upper: f64, count: usize) -> Axis {
        let (lower, upper) = widened(lower, upper);
        let step = round_step((upper - lower) / count as f64);
        let size = lower.abs().max(upper.abs());
        let exponent = common_exponent(size);
        let first = (lower / step - 1e-9).ceil() as i64;
        let last = (upper / step + 1e-9).floor() as i64;
        let ticks = (first..=last).map(|i| (i as f64 * step, label(i as f64 * step, step, exponent))).collect();
        Axis { lower, upper, exponent, ticks }
    }

    /// The axis with ends moved outwards to ticks.
    pub fn loose(lower: f64, upper: f64, count: usize) -> Axis {
        let (lower, upper) = widened(lower, upper);
        let step = round_step((upper - lower) / count as f64);
        let ends = ((lower / step + 1e-9).floor() * step, (upper / step - 1e-9).ceil() * step);
        Axis::tight(ends.0, ends.1, ((ends.1 - ends.0) / step).round().max(1.0) as usize)
    }
}

/// Distinct ends of an axis: values that differ by less than 1e-6 of their size are drawn as constant.
fn widened(lower: f64, upper: f64) -> (f64, f64) {
    let (lower, upper) = (lower.clamp(-1e300, 1e300), upper.clamp(-1e300, 1e300));
    let size = lower.abs().max(upper.abs());
    if size < 1e-300 {
        (-1.0, 1.0)
    } else if upper - lower < 1e-6 * size {
        (lower - 0.1 * size, upper + 0.1 * size)
    } else {
        (lower, upper)
    }
}

/// 1, 2 or 5 times a power of ten, not below `rough` (for the coarser choice of ticks).
fn round_step(rough: f64) -> f64 {
    let power = 10_f64.powi(rough.log10().floor() as i32);
    let digit = [1.0, 2.0, 5.0, 10.0].into_iter().find(|digit| digit * power >= rough * (1.0 - 1e-9)).unwrap_or(10.0);
    digit * power
}

fn common_exponent(size: f64) -> i32 {
    let decade = size.log10().floor() as i32;
    if (-2..5).contains(&decade) { 0 } else { decade.div_euclid(3) * 3 }
}

fn label(value: f64, step: f64, exponent: i32) -> String {
    let scale = 10_f64.powi(exponent);
    let decimals = (exponent - (step * (1.0 + 1e-9)).log10().floor() as i32).max(0) as usize;
    let text = format!("{:.decimals$}", value / scale);
    // Use a minus sign as wide as the digits; write minus zero as zero.
    if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') {
        text.trim_start_matches('-').to_string()
    } else {
        text.replace('-', "\u{2212}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = Axis::tight(0.0, 10.0, 8);
        assert_eq!(labels(&axis), ["0", "2", "4", "6", "8", "10"]);
        let axis = Axis::loose(-0.93, 1.04, 4);
        assert_eq!((axis.lower, axis.upper), (-1.0, 1.5));
        assert_eq!(labels(&axis), ["\u{2212}1.0", "\u{2212}0.5", "0.0", "0.5", "1.0", "1.5"]);
    }

    #[test]
    fn small_and_large_numbers_share_a_power_of_ten() {
        let axis = Axis::loose(0.0, 2.3e-13, 4);
        assert_eq!((axis.exponent, labels(&axis)), (-15, vec!["0", "100", "200", "300"]));
        let axis = Axis::loose(0.0, 3.1e6, 4);
        assert_eq!((axis.exponent, labels(&axis)), (6, vec!["0", "1", "2", "3", "4"]));
    }

    #[test]
    fn a_constant_gets_a_range_around_it() {
        assert_eq!(Axis::loose(0.0, 0.0, 4).ticks.len(), 5);
        let axis = Axis::loose(9.81, 9.81 + 1e-9, 4);
        assert!(axis.lower < 9.0 && axis.upper > 10.0, "{axis:?}");
    }

    #[test]
    fn extreme_values_give_a_usable_axis() {
        for (lower, upper) in [(-f64::MAX, f64::MAX), (0.0, f64::MIN_POSITIVE), (1e-300, 1e300), (-1e9, -1e9)] {
            let axis = Axis::loose(lower, upper, 4);
            assert!(axis.upper > axis.lower && (2..20).contains(&axis.ticks.len()), "{axis:?}");
        }
    }
}
