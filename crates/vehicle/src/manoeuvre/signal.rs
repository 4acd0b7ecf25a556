//! Values of a signal over time.

use super::manoeuvre_schema::{Signal, Sine, Sweep};
use ballesta::math::elementary::sin_cos;
use ballesta::math::larger;
use ballesta_run::driven_inputs::DrivenInputs;
use ballesta_run::inputs::Inputs;
use std::f64::consts::TAU;

/// A signal with its points as a table.
pub struct Course<'a> {
    /// Signal as in the file.
    pub signal: &'a Signal,
    /// Points of the signal.
    pub points: Option<Inputs>,
}

impl<'a> Course<'a> {
    /// The signal must be validated.
    pub fn new(signal: &'a Signal) -> Course<'a> {
        Course { signal, points: signal.points.as_deref().map(Inputs::line) }
    }

    /// The value at `time`, s after the signal's event. At a jump it is the value after the jump, or `before` it. A
    /// jump within `tolerance`, s, is at `time`.
    pub fn value(&self, time: f64, before: bool, tolerance: f64) -> f64 {
        if let Some(points) = &self.points {
            return points.first_value(time, before, tolerance);
        }
        // A signal that ends with a jump is 0 from its end on; its last value is the one before the jump.
        let within = |end: f64, value: &dyn Fn(f64) -> f64| match (time - end).abs() <= tolerance {
            true if before => value(end - 2.0 * tolerance),
            true => 0.0,
            false => value(time),
        };
        match (&self.signal.sine, &self.signal.sweep, self.end_jump()) {
            (Some(sine), _, None) => sine.value(time),
            (Some(sine), _, Some(end)) => within(end, &|time| sine.value(time)),
            (None, Some(sweep), None) => sweep.value(time),
            (None, Some(sweep), Some(end)) => within(end, &|time| sweep.value(time)),
            (None, None, _) => 0.0,
        }
    }

    /// End of a sine or a sweep whose final value is not 0, s.
    fn end_jump(&self) -> Option<f64> {
        let sine = self.signal.sine.as_ref().map(|sine| (sine.end(), sine.periods));
        let end = sine.or(self.signal.sweep.as_ref().map(|sweep| (sweep.stop, sweep.phase(sweep.stop))));
        end.filter(|(_, phase)| sin_cos(TAU * phase).0.abs() > MIN_JUMP).map(|(end, _)| end)
    }

    /// Time of the first point after `begin` and before `end`, s, counted from the signal's event.
    pub fn next_row(&self, begin: f64, end: f64) -> Option<f64> {
        self.next(begin, end, |points| points.next_row(begin, end))
    }

    /// Time of the first jump after `begin` and before `end`, s, counted from the signal's event.
    pub fn next_jump(&self, begin: f64, end: f64) -> Option<f64> {
        self.next(begin, end, |points| points.next_jump(begin, end))
    }

    fn next(&self, begin: f64, end: f64, of_points: impl Fn(&Inputs) -> Option<f64>) -> Option<f64> {
        match &self.points {
            Some(points) => of_points(points),
            None => self.end_jump().filter(|jump| begin < *jump && *jump < end),
        }
    }
}

/// Smallest final value of a sine that counts as a jump; smaller values are rounding of 0.
const MIN_JUMP: f64 = 1e-9;

impl Signal {
    /// Highest frequency of the sine or sweep, Hz.
    pub fn highest_frequency(&self) -> Option<f64> {
        let sine = self.sine.as_ref().map(|sine| sine.frequency);
        sine.or(self.sweep.as_ref().map(|sweep| larger(sweep.from, sweep.to)))
    }
}

impl Sine {
    /// End of the signal, s.
    fn end(&self) -> f64 {
        let dwell = if self.periods > 0.75 { self.dwell } else { 0.0 };
        self.start + self.periods / self.frequency + dwell
    }

    fn value(&self, time: f64) -> f64 {
        let since = time - self.start;
        // The time of the sine stops during the dwell and continues after it.
        let peak = 0.75 / self.frequency;
        let own = if since > peak { peak + (since - peak - self.dwell).max(0.0) } else { since };
        let phase = self.frequency * own;
        if phase < 0.0 || phase > self.periods { 0.0 } else { sin_cos(TAU * phase).0 }
    }
}

impl Sweep {
    /// Periods since the start.
    fn phase(&self, time: f64) -> f64 {
        let (since, whole) = (time - self.start, self.stop - self.start);
        since * (self.from + 0.5 * (self.to - self.from) * since / whole)
    }

    fn value(&self, time: f64) -> f64 {
        if time < self.start || time > self.stop { 0.0 } else { sin_cos(TAU * self.phase(time)).0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(text: &str) -> Signal {
        toml::from_str(&format!("input = \"steer\"\n{text}")).unwrap_or_else(|error| panic!("{error}"))
    }

    fn value(signal: &Signal, time: f64, before: bool) -> f64 {
        Course::new(signal).value(time, before, 1e-9)
    }

    #[test]
    fn a_sine_that_stops_within_a_period_ends_with_a_jump() {
        let signal = signal("sine = { start = 1, frequency = 0.5, periods = 1.25 }");
        assert!((value(&signal, 3.5, true) - 1.0).abs() < 1e-12 && value(&signal, 3.5, false) == 0.0);
        let jump = |begin, end| Course::new(&signal).next_jump(begin, end);
        assert_eq!([jump(3.0, 4.0), jump(3.6, 4.0)], [Some(3.5), None]);
    }

    #[test]
    fn points_are_joined_by_lines_and_jump_where_two_have_one_time() {
        let signal = signal("points = [[1, 0], [2, 4], [2, -1], [3, 0]]");
        let at = |time, before| Course::new(&signal).value(time, before, 0.0);
        assert_eq!([at(0.0, false), at(1.5, false), at(9.0, false)], [0.0, 2.0, 0.0]);
        assert_eq!([at(2.0, true), at(2.0, false)], [4.0, -1.0]);
    }

    #[test]
    fn a_sine_with_dwell_holds_its_second_peak() {
        // FMVSS 126: 0.7 Hz, 0.5 s.
        let signal = signal("sine = { start = 1, frequency = 0.7, dwell = 0.5 }");
        let peak = 1.0 + 0.75 / 0.7;
        assert_eq!(value(&signal, 0.9, false), 0.0);
        assert!((value(&signal, 1.0 + 0.25 / 0.7, false) - 1.0).abs() < 1e-12);
        assert!([0.0, 0.2, 0.5].iter().all(|later| (value(&signal, peak + later, false) + 1.0).abs() < 1e-12));
        assert!((value(&signal, peak + 0.5 + 0.125 / 0.7, false) + 0.5f64.sqrt()).abs() < 1e-12);
        assert_eq!(value(&signal, 1.0 + 1.0 / 0.7 + 0.51, false), 0.0);
    }

    #[test]
    fn a_sweep_goes_through_its_frequencies() {
        // 0.5 Hz to 1.5 Hz in 4 s: the phase is t (0.5 + t/8), whole at t = 0 and at 4 s (4 turns).
        let signal = signal("sweep = { start = 0, stop = 4, from = 0.5, to = 1.5 }");
        assert!((value(&signal, 2.0, false) - (TAU * 1.5).sin()).abs() < 1e-12);
        assert!(value(&signal, 4.0, false).abs() < 1e-12 && value(&signal, 4.01, false) == 0.0);
        assert_eq!(signal.highest_frequency(), Some(1.5));
    }
}
