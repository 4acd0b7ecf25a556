//! Numbers that are found in the recording of a manoeuvre.

use super::drive::{Drive, Driven};
use super::read::short;
use super::schema::{Lane, Measure, What};
use ballesta::math::elementary::{atan2, sin_cos};
use ballesta::math::larger;
use std::f64::consts::TAU;

/// A measure that was found, or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// Unit of the value.
    pub unit: String,
    /// None: there is no such number, because an event did not come, or a value was not reached.
    pub value: Option<f64>,
    /// From and to of what is allowed, where the file says it.
    pub limits: [Option<f64>; 2],
}

impl Found {
    /// Whether it is within its limits; none where it has none.
    pub fn passes(&self) -> Option<bool> {
        let [least, most] = self.limits;
        if least.is_none() && most.is_none() {
            return None;
        }
        let inside = |value: f64| least.is_none_or(|least| value >= least) && most.is_none_or(|most| value <= most);
        Some(self.value.is_some_and(inside))
    }
}

/// All measures, in the order of the file.
pub fn all(drive: &Drive, driven: &Driven) -> Vec<Found> {
    let columns = drive.subject.columns();
    let series = |name: &Option<String>| -> &[f64] {
        let index = name.as_ref().and_then(|name| columns.iter().position(|column| short(&column.name) == name));
        index.map_or(&[], |index| &driven.recording.series[index])
    };
    let file = &drive.manoeuvre.file;
    // Earlier values before they are scaled.
    let mut values: Vec<Option<f64>> = Vec::new();
    let mut found = Vec::new();
    for measure in &file.measures {
        let earlier = |name: &Option<String>| {
            let index = file.measures.iter().position(|other| Some(&other.name) == name.as_ref())?;
            values.get(index).copied().flatten()
        };
        let since = match &measure.after {
            None => Some(0.0),
            Some(name) => {
                let events = file.events.iter().zip(&driven.events);
                events.filter(|(event, _)| event.name == *name).find_map(|(_, time)| *time)
            }
        };
        let value = since.and_then(|since| {
            let window = Window::new(&driven.recording.times, measure, since, drive.grid.step);
            let channel = Samples { window, values: series(&measure.channel) };
            let against = Samples { window, values: series(&measure.against) };
            match measure.what {
                What::Ratio => Some(earlier(&measure.of)? / earlier(&measure.base)?),
                What::Difference => Some(earlier(&measure.of)? - earlier(&measure.base)?),
                What::Excess => Some(earlier(&measure.of)? / earlier(&measure.base)? - 1.0),
                What::Reach => {
                    let of = if measure.of.is_some() { earlier(&measure.of)? } else { 1.0 };
                    channel.reach(measure.part? * of)
                }
                What::Outside => outside(drive, driven),
                _ => channel.value(measure, since, &against),
            }
        });
        let value = value.filter(|value| value.is_finite());
        values.push(value);
        let limited = measure.limits_from.is_none_or(|from| drive.factor >= from);
        let limits = [measure.at_least, measure.at_most].map(|limit| limit.filter(|_| limited));
        let (name, unit) = (measure.name.clone(), measure.unit.clone());
        found.push(Found { name, unit, value: value.map(|value| measure.scale * value), limits });
    }
    found
}

/// The points that a measure looks at.
#[derive(Clone, Copy)]
struct Window<'a> {
    times: &'a [f64],
    /// Index of the first, and behind the last.
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
    values: &'a [f64],
}

impl Samples<'_> {
    fn inside(&self) -> &[f64] {
        self.values.get(self.window.range.0..self.window.range.1).unwrap_or(&[])
    }

    fn value(&self, measure: &Measure, since: f64, against: &Samples) -> Option<f64> {
        let inside = self.inside();
        if measure.what == What::At {
            return self.at(since + measure.at?);
        }
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

    /// Index of what is farthest from 0.
    fn peak(&self, first: f64) -> usize {
        let farther = |best: (usize, f64), (index, value): (usize, &f64)| {
            if value.abs() > best.1.abs() { (index, *value) } else { best }
        };
        self.inside().iter().enumerate().fold((0, first), farther).0
    }

    /// Linear between the samples, none outside.
    fn at(&self, time: f64) -> Option<f64> {
        let times = self.window.times;
        let next = times.partition_point(|t| *t < time - 1e-9);
        let (t, value) = (*times.get(next)?, *self.values.get(next)?);
        let Some(last) = next.checked_sub(1).filter(|_| (t - time).abs() > 1e-9) else { return Some(value) };
        Some(self.values[last] + (value - self.values[last]) * ((time - times[last]) / (t - times[last])))
    }

    /// Time after the begin of the window at which `level` is reached from the side of 0, between the samples.
    fn reach(&self, level: f64) -> Option<f64> {
        let (inside, times) = (self.inside(), self.window.times());
        let sign = if level < 0.0 { -1.0 } else { 1.0 };
        let next = inside.iter().position(|value| sign * value >= sign * level)?;
        let Some(last) = next.checked_sub(1) else { return Some(times[0] - self.window.from) };
        let part = (level - inside[last]) / (inside[next] - inside[last]);
        Some(times[last] + part * (times[next] - times[last]) - self.window.from)
    }

    /// Least squares over `against`.
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

    /// Fourier integral over the window of what differs from its first value: real and imaginary part.
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

/// How far the outline leaves the lanes at most, m.
fn outside(drive: &Drive, driven: &Driven) -> Option<f64> {
    let subject = drive.subject;
    let [front, rear, width] = subject.vehicle.outline?;
    let channel = |k: usize| &driven.recording.series[subject.own() + k];
    let (x, y, yaw) = (channel(0), channel(1), channel(2));
    // In the design position, where a run begins, the origin of the outline is that of the world.
    let [ahead, behind] = [front - x.first()?, rear - x.first()?];
    let aside = [0.5 * width - y.first()?, -0.5 * width - y.first()?];
    let mut most = f64::NEG_INFINITY;
    for ((x, y), yaw) in x.iter().zip(y).zip(yaw) {
        let (sine, cosine) = sin_cos(*yaw);
        for (along, across) in [(ahead, aside[0]), (ahead, aside[1]), (behind, aside[0]), (behind, aside[1])] {
            let (cx, cy) = (x + cosine * along - sine * across, y + sine * along + cosine * across);
            for lane in drive.manoeuvre.file.lanes.iter().filter(|lane| (lane.from..=lane.to).contains(&cx)) {
                most = larger(most, lane.beyond(cy, width));
            }
        }
    }
    Some(most)
}

impl Lane {
    /// How far y lies outside of the lane for a vehicle of this width, m.
    fn beyond(&self, y: f64, width: f64) -> f64 {
        let (left, right) = (self.left + self.left_widths * width, self.right + self.right_widths * width);
        larger(y - left, right - y)
    }
}
