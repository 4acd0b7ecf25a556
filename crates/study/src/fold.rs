//! Computes the kept values of a run from its outputs, point by point.

use super::keep::{KeptColumn, Quantity, Trace};
use super::plan::Study;
use super::study_schema::{Direction, What};

/// Kept values of a running simulation. Memory: one or two numbers per column; the values of the window for
/// percentiles; traces.
pub struct Fold<'a> {
    study: &'a Study,
    /// Number of processed points.
    points: usize,
    columns: Vec<Column>,
    traces: Vec<Vec<f64>>,
}

enum Column {
    /// Final, smallest and largest value, sums.
    Figure(f64),
    /// All values of the window.
    Values(Vec<f64>),
    /// Time and value of the last point, and the time of the crossing.
    Crossing { last: Option<(f64, f64)>, at: Option<f64> },
}

impl<'a> Fold<'a> {
    /// Before the first point.
    pub fn new(study: &'a Study) -> Fold<'a> {
        let column = |kept: &KeptColumn| match kept.quantity {
            Quantity::What(What::Min) => Column::Figure(f64::INFINITY),
            Quantity::What(What::Max) => Column::Figure(f64::NEG_INFINITY),
            Quantity::What(_) => Column::Figure(0.0),
            Quantity::Percentile(_) => Column::Values(Vec::new()),
            Quantity::Event(..) => Column::Crossing { last: None, at: None },
        };
        let columns = study.kept.iter().map(column).collect();
        Fold { study, points: 0, columns, traces: study.traces.iter().map(|_| Vec::new()).collect() }
    }

    /// Processes the outputs of the next communication point, which are finite.
    pub fn take(&mut self, time: f64, outputs: &[f64]) {
        let point = self.points;
        self.points += 1;
        for (kept, column) in self.study.kept.iter().zip(&mut self.columns) {
            let (first, last) = kept.window;
            if point < first || point > last {
                continue;
            }
            let value = outputs[kept.output];
            match (column, kept.quantity) {
                (Column::Figure(figure), Quantity::What(what)) => match what {
                    What::Final => *figure = value,
                    What::Min => *figure = if value < *figure { value } else { *figure },
                    What::Max => *figure = if value > *figure { value } else { *figure },
                    What::MaxAbs => *figure = if value.abs() > *figure { value.abs() } else { *figure },
                    What::Mean => *figure += value,
                    What::Rms => *figure += value * value,
                },
                (Column::Values(values), _) => values.push(value),
                (Column::Crossing { last, at }, Quantity::Event(level, direction)) => {
                    if let (None, Some(before)) = (*at, *last) {
                        *at = crossing(before, (time, value), level, direction);
                    }
                    *last = Some((time, value));
                }
                // Every quantity has a separate kind of column, see `new`.
                (Column::Figure(_) | Column::Crossing { .. }, _) => (),
            }
        }
        for (trace, values) in self.study.traces.iter().zip(&mut self.traces) {
            if keeps(trace, point) {
                values.push(outputs[trace.output]);
            }
        }
    }

    /// The numbers of all columns, NaN for missing values, and the traces.
    pub fn finish(self) -> (Vec<f64>, Vec<Vec<f64>>) {
        let numbers = self.study.kept.iter().zip(self.columns).map(|(kept, column)| {
            let count = (kept.window.1 - kept.window.0 + 1) as f64;
            match (column, kept.quantity) {
                (Column::Figure(sum), Quantity::What(What::Mean)) => sum / count,
                (Column::Figure(sum), Quantity::What(What::Rms)) => (sum / count).sqrt(),
                (Column::Figure(figure), _) => figure,
                (Column::Values(values), Quantity::Percentile(percent)) => percentile(values, percent),
                (Column::Crossing { at, .. }, _) => at.unwrap_or(f64::NAN),
                (Column::Values(_), _) => f64::NAN,
            }
        });
        (numbers.collect(), self.traces)
    }
}

fn keeps(trace: &Trace, point: usize) -> bool {
    let (first, last) = trace.window;
    point >= first && point <= last && (point - first).is_multiple_of(trace.every)
}

/// The time at which the straight line between two points, each a time and a value, crosses `level`; the line includes
/// its end but not its start.
fn crossing(before: (f64, f64), now: (f64, f64), level: f64, direction: Direction) -> Option<f64> {
    let rising = before.1 < level && now.1 >= level;
    let falling = before.1 > level && now.1 <= level;
    let crossed = match direction {
        Direction::Rising => rising,
        Direction::Falling => falling,
        Direction::Any => rising || falling,
    };
    crossed.then(|| before.0 + (now.0 - before.0) * ((level - before.1) / (now.1 - before.1)))
}

/// Linear interpolation between the ordered values: percentile p of n values is at position (n − 1) p / 100, counted
/// from 0.
pub fn percentile(mut values: Vec<f64>, percent: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (values.len() - 1) as f64 * (percent / 100.0);
    let below = place.floor();
    let (low, rest) = (values[below as usize], place - below);
    match values.get(below as usize + 1) {
        Some(high) if rest > 0.0 => low + rest * (high - low),
        _ => low,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_numpy() {
        let values = || vec![3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        for (percent, value) in [(0.0, 1.0), (5.0, 1.0), (25.0, 1.75), (50.0, 3.5), (90.0, 6.9), (100.0, 9.0)] {
            assert!((percentile(values(), percent) - value).abs() < 1e-12, "{percent}");
        }
        assert_eq!(percentile(vec![7.0], 95.0), 7.0);
    }

    #[test]
    fn a_crossing_counts_in_its_direction_and_once_where_a_point_lies_on_it() {
        let at = |from: f64, to: f64, direction| crossing((1.0, from), (2.0, to), 0.5, direction);
        assert_eq!(at(0.0, 2.0, Direction::Rising), Some(1.25));
        assert_eq!(at(0.0, 2.0, Direction::Falling), None);
        assert_eq!(at(1.0, 0.5, Direction::Falling), Some(2.0));
        // The point on the level belongs to the preceding line.
        assert_eq!(at(0.5, -1.0, Direction::Any), None);
        assert_eq!(at(1.0, 0.0, Direction::Any), Some(1.5));
    }
}
