//! The pacing loop and its records.
//!
//! Releases are at r_k = r_0 + k T on the monotonic clock. Sleeps are absolute, so delays do not accumulate. For the
//! step of release k the loop records, in ns:
//!
//! * latency: from r_k until the thread runs;
//! * execution: from the start of the thread to the end of the step;
//! * response: from r_k to the end of the step, latency + execution.
//!
//! The deadline of a step is the next release. A step that ends later is an overrun. Releases before its end are
//! skipped, as in a periodic task of a rig: the next step starts at the next release after the end. A deadline is
//! missed if its step was skipped or did not end in time. Misses are therefore overruns plus skipped periods, and the
//! simulated time lags the clock by the skipped periods.
//!
//! Recording does not allocate: the histograms have a fixed size and a relative resolution of 1e-3. Single steps are
//! kept only for the [`MAX_LONGEST_STEPS`] longest responses.

use hdrhistogram::Histogram;
use serde::Serialize;

/// A clock with absolute sleeps, in ns.
pub trait Clock {
    /// Current time.
    fn now(&mut self) -> u64;
    /// Sleeps until `time` or later.
    fn sleep_until(&mut self, time: u64);
}

/// Recorded times.
#[derive(Clone, Debug)]
pub struct Record {
    /// Wake-up latency in ns.
    pub latency: Histogram<u64>,
    /// Execution time in ns.
    pub execution: Histogram<u64>,
    /// Response time in ns.
    pub response: Histogram<u64>,
    /// Steps that ended after their deadline.
    pub overruns: u64,
    /// Overruns whose execution alone exceeded the period; the others started late.
    pub overruns_by_execution: u64,
    /// Periods without a step.
    pub skipped: u64,
    /// Steps with the longest responses, longest first; equal ones in order of time.
    worst: [Step; MAX_LONGEST_STEPS],
}

/// Number of longest steps kept.
pub const MAX_LONGEST_STEPS: usize = 10;

/// Times of one step in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Number of the step, from 0.
    pub number: u64,
    /// From its release until the thread ran.
    pub latency: u64,
    /// From the start of the thread to the end of the step.
    pub execution: u64,
}

impl Step {
    /// From its release to its end.
    pub fn response(&self) -> u64 {
        self.latency + self.execution
    }
}

/// Upper limit of the histograms: one hour.
const MAX_STEP_NS: u64 = 3_600_000_000_000;

impl Default for Record {
    fn default() -> Record {
        let histogram = || Histogram::new_with_bounds(1, MAX_STEP_NS, 3).expect("the bounds are valid constants");
        Record {
            latency: histogram(),
            execution: histogram(),
            response: histogram(),
            overruns: 0,
            overruns_by_execution: 0,
            skipped: 0,
            worst: [Step::default(); MAX_LONGEST_STEPS],
        }
    }
}

impl Record {
    /// Number of steps.
    pub fn steps(&self) -> u64 {
        self.response.len()
    }

    /// Missed deadlines.
    pub fn misses(&self) -> u64 {
        self.overruns + self.skipped
    }

    /// The steps with the longest responses, at most [`MAX_LONGEST_STEPS`], the longest first.
    pub fn worst(&self) -> &[Step] {
        &self.worst[..MAX_LONGEST_STEPS.min(self.steps() as usize)]
    }

    fn push(&mut self, release: u64, wake: u64, end: u64) {
        let step =
            Step { number: self.steps(), latency: wake.saturating_sub(release), execution: end.saturating_sub(wake) };
        let kept = MAX_LONGEST_STEPS.min(self.steps() as usize);
        let place = self.worst[..kept].partition_point(|other| other.response() >= step.response());
        if place < MAX_LONGEST_STEPS {
            self.worst[place..].rotate_right(1);
            self.worst[place] = step;
        }
        self.latency.saturating_record(step.latency);
        self.execution.saturating_record(step.execution);
        self.response.saturating_record(step.response());
    }
}

/// Runs `periods` periods of `period` ns; `step(i)` is step i, from 0. An error of a step ends the loop.
pub fn pace<E>(
    clock: &mut impl Clock,
    period: u64,
    periods: u64,
    record: &mut Record,
    mut step: impl FnMut(u64) -> Result<(), E>,
) -> Result<(), E> {
    let first = clock.now() + period;
    let mut k = 0;
    while k < periods {
        let release = first + k * period;
        clock.sleep_until(release);
        let wake = clock.now();
        step(record.steps())?;
        let end = clock.now();
        record.push(release, wake, end);
        // The first release at or after the end of the step.
        let ahead = end.saturating_sub(first).div_ceil(period);
        if ahead > k + 1 {
            record.overruns += 1;
            record.overruns_by_execution += u64::from(end - wake > period);
            record.skipped += ahead.min(periods) - (k + 1);
        }
        k = ahead.max(k + 1);
    }
    Ok(())
}

/// Percentiles of times in µs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Percentiles {
    /// 50 %.
    pub p50: f64,
    /// 90 %.
    pub p90: f64,
    /// 99 %.
    pub p99: f64,
    /// 99.9 %.
    pub p999: f64,
    /// 99.99 %.
    pub p9999: f64,
    /// Maximum.
    pub max: f64,
    /// The mean, not a percentile.
    pub mean: f64,
}

impl Percentiles {
    /// Percentiles of a histogram in ns.
    pub fn new(histogram: &Histogram<u64>) -> Percentiles {
        let at = |quantile| histogram.value_at_quantile(quantile) as f64 / 1e3;
        Percentiles {
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            p999: at(0.999),
            p9999: at(0.9999),
            max: at(1.0),
            mean: histogram.mean() / 1e3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock advanced by the steps; sleeps end `delay` late.
    struct Scripted {
        now: u64,
        delay: u64,
    }

    impl Clock for &std::cell::RefCell<Scripted> {
        fn now(&mut self) -> u64 {
            self.borrow().now
        }
        fn sleep_until(&mut self, time: u64) {
            let mut clock = self.borrow_mut();
            clock.now = clock.now.max(time) + clock.delay;
        }
    }

    /// Paces steps that take `durations`, then 1 µs each.
    fn paced(period: u64, periods: u64, delay: u64, durations: &[u64]) -> Record {
        let clock = std::cell::RefCell::new(Scripted { now: 123_456, delay });
        let mut record = Record::default();
        let step = |i: u64| {
            clock.borrow_mut().now += durations.get(i as usize).copied().unwrap_or(1000);
            Ok::<(), ()>(())
        };
        pace(&mut &clock, period, periods, &mut record, step).unwrap();
        record
    }

    #[test]
    fn steps_in_time_miss_nothing() {
        let record = paced(1_000_000, 100, 5000, &[]);
        assert_eq!((record.steps(), record.misses()), (100, 0));
        let near = |found: u64, expected: u64| found.abs_diff(expected) * 1000 <= expected;
        assert!(near(record.latency.max(), 5000) && near(record.latency.min(), 5000));
        assert!(near(record.execution.max(), 1000) && near(record.response.max(), 6000));
    }

    #[test]
    fn a_step_of_ten_periods_misses_eleven_deadlines_and_skips_ten_periods() {
        // With a delay of 1 ns the third step ends just after release 12.
        let record = paced(5_000_000, 100, 1, &[1000, 1000, 50_000_000]);
        assert_eq!((record.overruns, record.skipped, record.misses()), (1, 10, 11));
        assert_eq!((record.steps(), record.worst()[0].number), (90, 2));
    }

    #[test]
    fn the_longest_steps_are_kept_with_their_numbers() {
        let durations = [3, 9, 4, 9, 1, 8, 7, 2, 6, 5, 11, 10];
        let record = paced(1000, 12, 5, &durations);
        let kept: Vec<_> = record.worst().iter().map(|step| (step.number, step.latency, step.execution)).collect();
        let expected = [(10, 11), (11, 10), (1, 9), (3, 9), (5, 8), (6, 7), (8, 6), (9, 5), (2, 4), (0, 3)];
        assert_eq!(kept, expected.map(|(number, execution)| (number, 5, execution)));
        assert_eq!(paced(1000, 2, 5, &durations).worst().len(), 2);
        assert_eq!(Record::default().worst(), []);
    }

    #[test]
    fn a_step_that_ends_with_its_period_is_in_time() {
        assert_eq!(paced(1000, 10, 0, &[1000; 10]).misses(), 0);
        let by_latency = paced(1000, 10, 1, &[1000; 10]);
        assert_eq!((by_latency.overruns, by_latency.overruns_by_execution), (5, 0));
        let late = paced(1000, 10, 0, &[1001; 10]);
        assert_eq!((late.overruns, late.overruns_by_execution, late.skipped, late.steps()), (5, 5, 5, 5));
    }

    #[test]
    fn a_last_step_skips_no_period_beyond_the_end() {
        let record = paced(1000, 3, 0, &[10, 10, 1_000_000]);
        assert_eq!((record.overruns, record.skipped), (1, 0));
    }

    #[test]
    fn a_failing_step_ends_the_loop_with_what_was_recorded() {
        let clock = std::cell::RefCell::new(Scripted { now: 0, delay: 0 });
        let mut record = Record::default();
        let end = pace(&mut &clock, 10, 10, &mut record, |i| if i == 4 { Err("stopped") } else { Ok(()) });
        assert_eq!((end, record.steps()), (Err("stopped"), 4));
    }

    #[test]
    fn percentiles_are_those_of_the_values() {
        let mut histogram = Record::default().latency;
        (1..=10_000).for_each(|i| histogram.saturating_record(i * 100));
        let found = Percentiles::new(&histogram);
        for (found, expected) in [(found.p50, 500.0), (found.p90, 900.0), (found.p999, 999.0), (found.max, 1000.0)] {
            assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
        }
        assert!(found.p999 < found.p9999 && found.p9999 < found.max && (found.mean - 500.0).abs() < 1.0);
    }
}
