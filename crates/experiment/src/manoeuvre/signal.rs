//! Values of a signal over time.

use super::schema::{Signal, Sine, Sweep};
use ballesta::math::elementary::sin_cos;
use std::f64::consts::TAU;

impl Signal {
    /// The value at `time`, s, counted from the signal's event; at a jump the one after it, or `before` it.
    pub fn value(&self, time: f64, before: bool) -> f64 {
        let points = self.points.as_ref().map(|points| on_lines(points, time, before));
        let sine = self.sine.as_ref().map(|sine| sine.value(time));
        points.or(sine).or(self.sweep.as_ref().map(|sweep| sweep.value(time))).unwrap_or(0.0)
    }
}

/// The polyline through `points` at `time`, held outside.
fn on_lines(points: &[[f64; 2]], time: f64, before: bool) -> f64 {
    let next = points.partition_point(|[t, _]| if before { *t < time } else { *t <= time });
    match (next.checked_sub(1).and_then(|k| points.get(k)), points.get(next)) {
        (None, Some(first)) => first[1],
        (Some(last), None) => last[1],
        (Some([t0, v0]), Some([t1, v1])) => v0 + (v1 - v0) * ((time - t0) / (t1 - t0)),
        (None, None) => 0.0,
    }
}

impl Sine {
    fn value(&self, time: f64) -> f64 {
        let since = time - self.start;
        // Until the held peak the time is that of the sine, then it stands, then it goes on.
        let peak = 0.75 / self.frequency;
        let own = if since > peak { peak + (since - peak - self.dwell).max(0.0) } else { since };
        let phase = self.frequency * own;
        if phase < 0.0 || phase > self.periods { 0.0 } else { sin_cos(TAU * phase).0 }
    }
}

impl Sweep {
    fn value(&self, time: f64) -> f64 {
        if time < self.start || time > self.stop {
            return 0.0;
        }
        let (since, whole) = (time - self.start, self.stop - self.start);
        let phase = since * (self.from + 0.5 * (self.to - self.from) * since / whole);
        sin_cos(TAU * phase).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(text: &str) -> Signal {
        toml::from_str(&format!("input = \"steer\"\n{text}")).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn points_are_joined_by_lines_and_jump_where_two_have_one_time() {
        let signal = signal("points = [[1, 0], [2, 4], [2, -1], [3, 0]]");
        let at = |time, before| signal.value(time, before);
        assert_eq!([at(0.0, false), at(1.5, false), at(9.0, false)], [0.0, 2.0, 0.0]);
        assert_eq!([at(2.0, true), at(2.0, false)], [4.0, -1.0]);
    }

    #[test]
    fn a_sine_with_dwell_holds_its_second_peak() {
        // FMVSS 126: 0.7 Hz, 0.5 s.
        let signal = signal("sine = { start = 1, frequency = 0.7, dwell = 0.5 }");
        let peak = 1.0 + 0.75 / 0.7;
        assert_eq!(signal.value(0.9, false), 0.0);
        assert!((signal.value(1.0 + 0.25 / 0.7, false) - 1.0).abs() < 1e-12);
        assert!([0.0, 0.2, 0.5].iter().all(|later| (signal.value(peak + later, false) + 1.0).abs() < 1e-12));
        assert!((signal.value(peak + 0.5 + 0.125 / 0.7, false) + 0.5f64.sqrt()).abs() < 1e-12);
        assert_eq!(signal.value(1.0 + 1.0 / 0.7 + 0.51, false), 0.0);
    }

    #[test]
    fn a_sweep_goes_through_its_frequencies() {
        // 0.5 Hz to 1.5 Hz in 4 s: the phase is t (0.5 + t/8), whole at t = 0 and at 4 s (4 turns).
        let signal = signal("sweep = { start = 0, stop = 4, from = 0.5, to = 1.5 }");
        assert!((signal.value(2.0, false) - (TAU * 1.5).sin()).abs() < 1e-12);
        assert!(signal.value(4.0, false).abs() < 1e-12 && signal.value(4.01, false) == 0.0);
    }
}
