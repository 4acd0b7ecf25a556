//! `ballesta bench`: the distribution of step times.
//!
//! Every step is timed separately and all times are kept, so percentiles are exact. A model is stepped by its internal
//! step, an FMU of any tool by communication steps through the FMI functions. An experiment that ends before the last
//! step is restarted; the restart is not timed. With `--method` the additional evaluations use the global method
//! ([`ballesta_tools::global_method`]).

pub mod arguments;
mod fmu_timing;
mod native;
mod realtime;
#[cfg(feature = "global-method")]
mod reference;
mod stages;

pub use realtime::thread_time;

use crate::{allocation, text};
use arguments::Method;
use ballesta_files::Failure;
use ballesta_run::Grid;
use serde::Serialize;
use std::time::Instant;

/// Steps before the measurement, which fill caches and branch predictors.
const WARM_UP: usize = 200;

/// Resolved `ballesta bench` command.
pub enum Plan {
    /// A model, stepped by the solver.
    Model(native::Plan),
    /// A model, evaluated by the global method.
    #[cfg(feature = "global-method")]
    Reference(reference::Plan),
    /// An FMU, through its C functions.
    Fmu(fmu_timing::Plan),
    /// A model or an FMU in real time.
    Realtime(realtime::Plan),
}

impl Plan {
    /// Reads the model or unpacks the FMU.
    pub fn resolve(typed: arguments::Bench) -> Result<Plan, Failure> {
        let is_fmu = typed.subject.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("fmu"));
        if typed.method != Method::Structured {
            let unfit = match (is_fmu, typed.realtime) {
                (true, _) => Some("an FMU has its own solver; give the model"),
                (_, true) => Some("the global method times evaluations only and cannot be combined with --realtime"),
                _ => None,
            };
            if let Some(reason) = unfit {
                return Err(Failure::Usage(format!("--method: {reason}")));
            }
            #[cfg(feature = "global-method")]
            return native::Plan::resolve(typed).map(native::Plan::by_method);
            #[cfg(not(feature = "global-method"))]
            return Err(crate::commands::not_built_in("the global method"));
        }
        if typed.realtime {
            return realtime::Plan::resolve(typed, is_fmu).map(Plan::Realtime);
        }
        if is_fmu {
            fmu_timing::Plan::resolve(typed).map(Plan::Fmu)
        } else {
            native::Plan::resolve(typed).map(Plan::Model)
        }
    }

    /// Measures and reports. After a fault the report has the steps before it.
    pub fn execute(self) -> Result<(), Failure> {
        match self {
            Plan::Model(plan) => plan.execute(),
            #[cfg(feature = "global-method")]
            Plan::Reference(plan) => plan.execute(),
            Plan::Fmu(plan) => plan.execute(),
            Plan::Realtime(plan) => plan.execute(),
        }
    }
}

/// A subject that can be stepped. Errors contain the time and the cause.
trait Subject {
    /// Returns to the start of the experiment.
    fn restart(&mut self) -> Result<(), String>;
    /// Steps from `begin` to `end`; this call is timed.
    fn advance(&mut self, begin: f64, end: f64) -> Result<(), String>;
    /// Names of further times measured after every step.
    fn stages() -> Vec<&'static str>;
    /// The further times, one per name, in s.
    fn time_stages(&mut self, seconds: &mut [f64]) -> Result<(), String>;
}

/// Times in s, one per step.
#[derive(Default)]
struct Measured {
    steps: Vec<f64>,
    stages: Vec<Vec<f64>>,
    /// Allocations in all steps; `None` if they were not counted.
    allocations: Option<u64>,
}

/// Times `count` steps along `grid`. The message gives the reason of an early end.
fn measure<S: Subject>(subject: &mut S, grid: &Grid, count: usize) -> (Measured, Option<String>) {
    let mut measured = Measured {
        steps: Vec::with_capacity(count),
        stages: vec![Vec::with_capacity(count); S::stages().len()],
        allocations: Some(0),
    };
    let bar = text::progress(count as u64, "measuring");
    let end = time_steps(subject, grid, count, &mut measured, || bar.inc(1)).err();
    bar.finish_and_clear();
    (measured, end)
}

fn time_steps<S: Subject>(
    subject: &mut S,
    grid: &Grid,
    count: usize,
    measured: &mut Measured,
    tick: impl Fn(),
) -> Result<(), String> {
    // Warm-up steps fill caches and are not counted.
    let mut stages = vec![0.0; S::stages().len()];
    for i in 0..grid.intervals().min(WARM_UP) {
        if i == 0 {
            subject.restart()?;
        }
        subject.advance(grid.point(i), grid.point(i + 1))?;
        subject.time_stages(&mut stages)?;
    }
    // The experiment restarts at its end until the requested number of steps is measured.
    for i in 0..count {
        let interval = i % grid.intervals();
        if interval == 0 {
            subject.restart()?;
        }
        let (begin, end) = (grid.point(interval), grid.point(interval + 1));
        // The clock is inside the allocation counter, so that the counter does not add to the time.
        let (result, seconds, allocations) = {
            let ((result, seconds), allocations) = allocation::count(|| {
                let clock = Instant::now();
                let result = subject.advance(begin, end);
                (result, clock.elapsed().as_secs_f64())
            });
            (result, seconds, allocations)
        };
        result?;
        // Stages are timed between the steps; they do not add to the step time.
        subject.time_stages(&mut stages)?;
        measured.steps.push(seconds);
        measured.allocations = measured.allocations.zip(allocations).map(|(sum, more)| sum + more);
        for (times, seconds) in measured.stages.iter_mut().zip(&stages) {
            times.push(*seconds);
        }
        tick();
    }
    Ok(())
}

/// Distribution of times in µs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Distribution {
    p50: f64,
    p90: f64,
    p99: f64,
    p999: f64,
    max: f64,
    mean: f64,
}

impl Distribution {
    /// Distribution of one or more times in s.
    fn new(seconds: &[f64]) -> Distribution {
        // The clock counts whole nanoseconds.
        let mut sorted: Vec<f64> = seconds.iter().map(|seconds| (seconds * 1e9).round() / 1e3).collect();
        sorted.sort_by(f64::total_cmp);
        Distribution {
            p50: percentile(&sorted, 0.5),
            p90: percentile(&sorted, 0.9),
            p99: percentile(&sorted, 0.99),
            p999: percentile(&sorted, 0.999),
            max: percentile(&sorted, 1.0),
            mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
        }
    }

    fn row(&self, name: &str) -> Vec<String> {
        let times = [self.p50, self.p90, self.p99, self.p999, self.max, self.mean];
        std::iter::once(name.to_string()).chain(times.iter().map(|time| text::short(*time, 4))).collect()
    }

    fn heading() -> Vec<String> {
        ["time in µs", "p50", "p90", "p99", "p99.9", "max", "mean"].map(String::from).to_vec()
    }
}

/// The smallest value that at least the fraction `share` of all values does not exceed.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64 - 1e-9).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

/// A stage in the JSON object.
#[derive(Clone, Copy, Serialize)]
pub struct Median {
    p50: f64,
}

/// Ends the measurement after its report; `end` is the reason of an early end.
fn concluded(end: Option<String>, measured: usize) -> Result<(), Failure> {
    match end {
        None => Ok(()),
        Some(reason) => Err(Failure::Fault(format!("{reason}\n{} measured before.", text::count(measured, "step")))),
    }
}

/// Computing time relative to real time, as text.
fn pace(realtime_factor: f64) -> String {
    let percent = text::short(100.0 * realtime_factor, 3);
    match realtime_factor <= 1.0 {
        true => format!("{percent} % of real time ({} times faster)", text::short(1.0 / realtime_factor, 3)),
        false => format!("{} times real time", text::short(realtime_factor, 3)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let seconds: Vec<f64> = (1..=1000).rev().map(|i| f64::from(i) * 1e-6).collect();
        let distribution = Distribution::new(&seconds);
        let close = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-9, "{value} {expected}");
        close(distribution.p50, 500.0);
        close(distribution.p90, 900.0);
        close(distribution.p99, 990.0);
        close(distribution.p999, 999.0);
        close(distribution.max, 1000.0);
        close(distribution.mean, 500.5);
        assert_eq!(Distribution::new(&[2e-6]).p50, Distribution::new(&[2e-6]).max);
    }

    struct Counter {
        restarts: usize,
        times: Vec<f64>,
    }

    impl Subject for Counter {
        fn stages() -> Vec<&'static str> {
            vec!["nothing"]
        }
        fn restart(&mut self) -> Result<(), String> {
            self.restarts += 1;
            self.times.clear();
            Ok(())
        }
        fn advance(&mut self, begin: f64, end: f64) -> Result<(), String> {
            assert!(begin == *self.times.last().unwrap_or(&0.0) && end > begin, "{begin} {end}");
            self.times.push(end);
            if self.restarts == 4 { Err(format!("stopped at {begin} s")) } else { Ok(()) }
        }
        fn time_stages(&mut self, seconds: &mut [f64]) -> Result<(), String> {
            seconds[0] = 1.0;
            Ok(())
        }
    }

    #[test]
    fn the_experiment_is_repeated_until_all_steps_are_done_or_a_fault_comes() {
        let grid = Grid { start: 0.0, step: 0.25, stop: 1.0 };
        let mut subject = Counter { restarts: 0, times: Vec::new() };
        let (measured, end) = measure(&mut subject, &grid, 6);
        assert_eq!((measured.steps.len(), measured.stages[0].len(), subject.restarts, end), (6, 6, 3, None));
        // The counting allocator is part of the binary, not of this test program.
        assert_eq!(measured.allocations, None);
        let (measured, end) = measure(&mut subject, &grid, 6);
        assert_eq!((measured.steps.len(), end.as_deref()), (0, Some("stopped at 0 s")));
    }
}
