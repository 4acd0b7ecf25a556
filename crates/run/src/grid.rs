//! The communication points of a run.

use ballesta::model::schema::Experiment;
use ballesta_files::failure::Failure;

/// Communication points `start + i·step`; a remainder shorter than a step adds one point at `stop`, unless it is below
/// 1e-9 of a step. `ballesta_package::reference::communication_points` gives the same points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// First point in s.
    pub start: f64,
    /// Interval in s.
    pub step: f64,
    /// Last point in s.
    pub stop: f64,
}

impl Grid {
    /// The experiment of a model with the default interval `internal`, changed by the arguments.
    pub fn new(experiment: &Experiment, internal: f64, stop: Option<f64>, step: Option<f64>) -> Result<Grid, Failure> {
        let grid = Grid {
            start: experiment.start,
            step: step.or(experiment.step).unwrap_or(internal),
            stop: stop.unwrap_or(experiment.stop),
        };
        if grid.stop < grid.start {
            let message = format!("the stop time {} s is before the start time {} s", grid.stop, grid.start);
            return Err(Failure::Usage(message));
        }
        let intervals = (grid.stop - grid.start) / grid.step;
        if intervals > MAX_INTERVALS {
            let message =
                format!("too many communication steps: {intervals:.3e} of {} s; use a longer --step", grid.step);
            return Err(Failure::Usage(message));
        }
        let steps = (grid.stop - grid.start) / internal.min(grid.step);
        if !(steps <= MAX_STEPS) {
            let message = format!(
                "{steps:.3e} internal steps of {:e} s up to {:e} s exceed the limit of {MAX_STEPS:.0e}; use an \
                 earlier --stop or a longer step",
                internal.min(grid.step),
                grid.stop
            );
            return Err(Failure::Usage(message));
        }
        Ok(grid)
    }

    /// Rejects a grid with more values than a run keeps, for this number of outputs.
    pub fn fits(&self, outputs: usize) -> Result<(), Failure> {
        let numbers = (self.intervals() + 1) as f64 * (outputs + 1) as f64;
        if numbers > MAX_NUMBERS {
            let message = format!(
                "{} rows of {} numbers exceed the limit of {MAX_NUMBERS:.0e}; use a longer --step",
                self.intervals() + 1,
                outputs + 1
            );
            return Err(Failure::Usage(message));
        }
        Ok(())
    }

    /// Number of communication steps.
    pub fn intervals(&self) -> usize {
        let (whole, rest) = self.whole_and_rest();
        whole + usize::from(rest)
    }

    /// Point `i`, by multiplication, so that round-off does not add up.
    pub fn point(&self, i: usize) -> f64 {
        if i > self.whole_and_rest().0 { self.stop } else { self.start + i as f64 * self.step }
    }

    /// Number of whole steps, and whether a shorter step follows.
    fn whole_and_rest(&self) -> (usize, bool) {
        let steps = (self.stop - self.start) / self.step;
        let whole = (steps + 1e-9).floor().max(0.0);
        (whole as usize, steps - whole > 1e-9)
    }
}

/// Largest number of rows. More rows indicate a mistyped step.
const MAX_INTERVALS: f64 = 1e9;
/// Largest number of internal steps: about a day of computing time at 10 µs each.
const MAX_STEPS: f64 = 1e10;
/// Largest number of values that a run keeps, 2 GB.
const MAX_NUMBERS: f64 = 2.5e8;

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(stop: f64, step: f64) -> Grid {
        Grid::new(&Experiment { start: 1.0, stop, step: Some(step), trim: false }, 1e-3, None, None).unwrap()
    }

    #[test]
    fn round_off_adds_no_interval() {
        assert_eq!(grid(1.0 + 0.1 + 0.2, 0.1).intervals(), 3);
        assert_eq!(grid(1.0, 0.1).intervals(), 0);
        assert_eq!(grid(11.0, 1e-3).intervals(), 10_000);
    }

    #[test]
    fn a_stop_before_the_start_is_refused() {
        let experiment = Experiment { start: 1.0, stop: 2.0, step: None, trim: false };
        assert!(Grid::new(&experiment, 1e-3, Some(0.5), None).is_err());
    }
}
