//! Measures computed from the recording of a manoeuvre.

use super::drive::{Drive, DriveResult};
use super::manoeuvre_schema::{Lane, Measure, What};
use ballesta::math::elementary::{atan2, sin_cos};
use ballesta::math::larger;
use std::f64::consts::TAU;

/// Result of a measure.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredValue {
    /// Name of the measure.
    pub name: String,
    /// Unit of the value.
    pub unit: String,
    /// `None` if there is no value; see `reason`.
    pub value: Option<f64>,
    /// Reason why there is no value.
    pub reason: Option<String>,
    /// Bounds of the allowed range, if the file gives them, with the sign of the run.
    pub limits: [Option<f64>; 2],
    /// Whether the run was valid to its end.
    pub valid: bool,
}

/// Whether a measure is within its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasureStatus {
    /// The value is within the limits.
    Passes,
    /// The value is outside the limits, or there is no value.
    Fails,
    /// Unknown, because the run became invalid before its end.
    NotValid,
}

impl MeasureStatus {
    /// Word in reports.
    pub fn word(self) -> &'static str {
        match self {
            MeasureStatus::Passes => "passes",
            MeasureStatus::Fails => "fails",
            MeasureStatus::NotValid => "not valid",
        }
    }
}

impl MeasuredValue {
    /// Whether the value is within its limits; `None` without limits.
    pub fn verdict(&self) -> Option<MeasureStatus> {
        let [least, most] = self.limits;
        if least.is_none() && most.is_none() {
            return None;
        }
        let inside = |value: f64| least.is_none_or(|least| value >= least) && most.is_none_or(|most| value <= most);
        Some(match self.valid {
            false => MeasureStatus::NotValid,
            true if self.value.is_some_and(inside) => MeasureStatus::Passes,
            true => MeasureStatus::Fails,
        })
    }

    /// Whether the limit is met; `None` also if that is unknown.
    pub fn passes(&self) -> Option<bool> {
        self.verdict()
            .filter(|verdict| *verdict != MeasureStatus::NotValid)
            .map(|verdict| verdict == MeasureStatus::Passes)
    }
}

/// Unscaled value of a measure as the file describes it, or the reason for its absence, and the sign that converts it
/// to the value of the run.
struct Value {
    value: Result<f64, String>,
    sign: f64,
}

/// All measures, in the order of the file.
pub fn all(drive: &Drive, driven: &DriveResult) -> Vec<MeasuredValue> {
    let signs = drive.signs();
    let file = &drive.manoeuvre.file;
    let mut values: Vec<Value> = Vec::new();
    let mut found = Vec::new();
    for measure in &file.measures {
        let next = value(drive, driven, &signs, measure, &values);
        let limited = measure.limits_from.is_none_or(|from| drive.factor.abs() >= from);
        let scaled = |value: f64| match next.sign {
            ..0.0 => 0.0 - measure.scale * value,
            _ => measure.scale * value,
        };
        let limits = [measure.at_least, measure.at_most].map(|limit| limit.filter(|_| limited));
        let limits = match (next.sign, limits) {
            (..0.0, [least, most]) => [most, least].map(|limit| limit.map(|limit| -limit)),
            (_, limits) => limits,
        };
        found.push(MeasuredValue {
            name: measure.name.clone(),
            unit: measure.unit.clone(),
            value: next.value.as_ref().ok().map(|value| scaled(*value)),
            reason: next.value.as_ref().err().cloned(),
            limits,
            valid: driven.invalid.is_none(),
        });
        values.push(next);
    }
    found
}

/// Evaluates one measure; it may use the earlier measures.
fn value(drive: &Drive, driven: &DriveResult, signs: &[f64], measure: &Measure, before: &[Value]) -> Value {
    let file = &drive.manoeuvre.file;
    let column = |name: &Option<String>| name.as_ref().and_then(|name| drive.subject.column(name));
    let sign_of = |name: &Option<String>| column(name).map_or(1.0, |column| signs[column]);
    let earlier = |name: &Option<String>| {
        let index = file.measures.iter().position(|other| Some(&other.name) == name.as_ref())?;
        before.get(index)
    };
    // The sign in the mirror image follows from the signs of the channels or measures that it uses.
    let signs_of = [&measure.of, &measure.base].map(|name| earlier(name).map_or(1.0, |value| value.sign));
    let sign = match measure.what {
        What::At | What::Mean | What::Min | What::Max | What::Peak => sign_of(&measure.channel),
        What::Slope => sign_of(&measure.channel) * sign_of(&measure.against),
        What::Ratio => signs_of[0] * signs_of[1],
        What::Difference if signs_of[0] == signs_of[1] => signs_of[0],
        _ => 1.0,
    };
    let number = |name: &Option<String>| match earlier(name) {
        Some(value) => value.value.clone(),
        None => Err("the measure that it refers to has no value".to_string()),
    };
    let invalid = || driven.invalid.as_ref().map(|invalid| format!("not valid: {}", invalid.reason));
    let none = |why: &str| Err(invalid().unwrap_or_else(|| why.to_string()));
    // Points of the window, from the event or from the start.
    let find = || -> Result<f64, String> {
        let since = match &measure.after {
            None => 0.0,
            Some(name) => match driven.time_of(file.events.iter().position(|event| event.name == *name)) {
                Some(time) => time,
                None => return none(&format!("the event \"{name}\" did not occur")),
            },
        };
        let window = Window::new(&driven.recording.times, measure, since, drive.grid.step);
        let samples = |name: &Option<String>| {
            let (values, sign) = match column(name) {
                Some(column) => (&driven.recording.series[column][..], signs[column]),
                None => (&[][..], 1.0),
            };
            Samples { window, values: values.iter().map(|value| sign * value).collect() }
        };
        let (channel, against) = (samples(&measure.channel), samples(&measure.against));
        // The value counts only if all its points are before the run became invalid.
        let valid = driven.invalid.as_ref().map_or(usize::MAX, |invalid| invalid.point);
        let (found, behind) = match measure.what {
            What::Ratio => return Ok(number(&measure.of)? / number(&measure.base)?),
            What::Difference => return Ok(number(&measure.of)? - number(&measure.base)?),
            What::Excess => return Ok(number(&measure.of)? / number(&measure.base)? - 1.0),
            What::Reach => {
                let of = if measure.of.is_some() { number(&measure.of)? } else { 1.0 };
                channel.reach(measure.part.unwrap_or(1.0) * of)
            }
            What::At => channel.at(since + measure.at.unwrap_or(0.0)),
            What::Outside => (outside(drive, driven), driven.recording.times.len()),
            _ => (channel.value(measure, &against), window.range.1),
        };
        match found {
            Some(found) if behind <= valid => Ok(found),
            Some(_) => none(""),
            None if measure.what == What::Outside => none("the vehicle does not pass all lanes"),
            None => none("the run does not reach this value"),
        }
    };
    let finite = |value: f64| if value.is_finite() { Ok(value) } else { none("the value is not finite") };
    Value { value: find().and_then(finite), sign }
}

/// The points of a measure.
#[derive(Clone, Copy)]
struct Window<'a> {
    times: &'a [f64],
    /// Index of the first point, and one past the last.
    range: (usize, usize),
    from: f64,
}

impl<'a> Window<'a> {
    fn new(times: &'a [f64], measure: &Measure, since: f64, step: f64) -> Window<'a> {
        let (from, to) = (since + measure.from.unwrap_or(0.0), measure.to.map_or(f64::INFINITY, |to| since + to));
        let slack = 1e-6 * step;
        let range = (times.partition_point(|t| *t < from - slack), times.partition_point(|t| *t <= to + slack));
        Window { times, range, from }
    }

    fn times(&self) -> &'a [f64] {
        self.times.get(self.range.0..self.range.1).unwrap_or(&[])
    }
}

/// A series in its window.
struct Samples<'a> {
    window: Window<'a>,
    values: Vec<f64>,
}

impl Samples<'_> {
    fn inside(&self) -> &[f64] {
        self.values.get(self.window.range.0..self.window.range.1).unwrap_or(&[])
    }

    fn value(&self, measure: &Measure, against: &Samples) -> Option<f64> {
        let inside = self.inside();
        let first = *inside.first()?;
        Some(match measure.what {
            What::Mean => inside.iter().sum::<f64>() / inside.len() as f64,
            What::Max => inside.iter().copied().fold(first, larger),
            What::Min => -inside.iter().map(|value| -value).fold(-first, larger),
            What::Peak => inside[self.peak(first)],
            What::Largest => inside[self.peak(first)].abs(),
            What::TimeOfPeak => self.window.times()[self.peak(first)] - self.window.from,
            What::Slope => self.slope(against, measure.range)?,
            What::Gain | What::Phase => {
                let [a, b] = self.wave(measure.frequency?);
                let [c, d] = against.wave(measure.frequency?);
                let size = c * c + d * d;
                let (re, im) = ((a * c + b * d) / size, (b * c - a * d) / size);
                if measure.what == What::Gain { (re * re + im * im).sqrt() } else { atan2(im, re) }
            }
            _ => return None,
        })
    }

    /// Index of the value of largest magnitude.
    fn peak(&self, first: f64) -> usize {
        let farther = |best: (usize, f64), (index, value): (usize, &f64)| {
            if value.abs() > best.1.abs() { (index, *value) } else { best }
        };
        self.inside().iter().enumerate().fold((0, first), farther).0
    }

    /// Linearly interpolated value, and the number of samples that it needs; `None` outside the samples.
    fn at(&self, time: f64) -> (Option<f64>, usize) {
        let times = self.window.times;
        let next = times.partition_point(|t| *t < time - 1e-9);
        let value = || {
            let (t, value) = (*times.get(next)?, *self.values.get(next)?);
            let Some(last) = next.checked_sub(1).filter(|_| (t - time).abs() > 1e-9) else { return Some(value) };
            Some(self.values[last] + (value - self.values[last]) * ((time - times[last]) / (t - times[last])))
        };
        (value(), next + 1)
    }

    /// Time after the start of the window at which `level` is reached from the side of 0, interpolated, and the number
    /// of samples that it needs.
    fn reach(&self, level: f64) -> (Option<f64>, usize) {
        let (inside, times) = (self.inside(), self.window.times());
        let sign = if level < 0.0 { -1.0 } else { 1.0 };
        let Some(next) = inside.iter().position(|value| sign * value >= sign * level) else {
            return (None, self.window.range.1);
        };
        let behind = self.window.range.0 + next + 1;
        let Some(last) = next.checked_sub(1) else { return (Some(times[0] - self.window.from), behind) };
        let part = (level - inside[last]) / (inside[next] - inside[last]);
        (Some(times[last] + part * (times[next] - times[last]) - self.window.from), behind)
    }

    /// Slope of the least-squares line over `against`.
    fn slope(&self, against: &Samples, range: Option<[f64; 2]>) -> Option<f64> {
        let [low, high] = range.unwrap_or([0.0, f64::INFINITY]);
        let pairs = self.inside().iter().zip(against.inside());
        let taken: Vec<(f64, f64)> =
            pairs.map(|(y, x)| (*x, *y)).filter(|(x, _)| (low..=high).contains(&x.abs())).collect();
        let count = taken.len() as f64;
        let (x, y) = taken.iter().fold((0.0, 0.0), |(x, y), pair| (x + pair.0, y + pair.1));
        let (x, y) = (x / count, y / count);
        let (xx, xy) = taken
            .iter()
            .fold((0.0, 0.0), |(xx, xy), pair| (xx + (pair.0 - x) * (pair.0 - x), xy + (pair.0 - x) * (pair.1 - y)));
        (taken.len() > 1 && xx > 0.0).then_some(xy / xx)
    }

    /// Fourier integral over the window of the difference from the first value: real and imaginary part.
    fn wave(&self, frequency: f64) -> [f64; 2] {
        let (inside, times) = (self.inside(), self.window.times());
        let first = inside.first().copied().unwrap_or(0.0);
        let mut sum = [0.0; 2];
        for (value, time) in inside.iter().zip(times) {
            let (sine, cosine) = sin_cos(TAU * frequency * time);
            sum = [sum[0] + (value - first) * cosine, sum[1] - (value - first) * sine];
        }
        sum
    }
}

/// Largest distance of the outline outside the lanes, m; `None` unless the whole outline passes the end of every lane.
fn outside(drive: &Drive, driven: &DriveResult) -> Option<f64> {
    let subject = drive.subject;
    let [front, rear, width] = subject.vehicle.outline?;
    let channel = |k: usize| &driven.recording.series[subject.own() + k];
    let (x, y, yaw) = (channel(0), channel(1), channel(2));
    // In the design position, at the start of a run, the origin of the outline is the world origin.
    let [ahead, behind] = [front - x.first()?, rear - x.first()?];
    let aside = [0.5 * width - y.first()?, -0.5 * width - y.first()?];
    let lanes = &drive.manoeuvre.file.lanes;
    let (mut most, mut passed) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for ((x, y), yaw) in x.iter().zip(y).zip(yaw) {
        let (sine, cosine) = sin_cos(*yaw);
        let mut last = f64::INFINITY;
        for (along, across) in [(ahead, aside[0]), (ahead, aside[1]), (behind, aside[0]), (behind, aside[1])] {
            let (cx, cy) = (x + cosine * along - sine * across, y + sine * along + cosine * across);
            last = -larger(-last, -cx);
            for lane in lanes.iter().filter(|lane| (lane.from..=lane.to).contains(&cx)) {
                most = larger(most, lane.beyond(drive.side() * cy, width));
            }
        }
        passed = larger(passed, last);
    }
    lanes.iter().all(|lane| passed > lane.to).then_some(most)
}

impl Lane {
    /// Distance of y outside the lane for a vehicle of this width, m.
    fn beyond(&self, y: f64, width: f64) -> f64 {
        let (left, right) = (self.left + self.left_widths * width, self.right + self.right_widths * width);
        larger(y - left, right - y)
    }
}
