//! Picture of the distributions: times over percentiles, and a histogram, with the deadline.
//!
//! Times have a logarithmic scale in both panels. Percentiles q are at log₁₀ 1/(1 − q), so every additional nine has
//! the same width. Rare events, such as one in ten thousand steps, remain readable.

use super::pacing::Record;
use super::realtime_report::RealtimeReport;
use ballesta_pictures::plot::plot_drawing::{LEFT, RIGHT, TOP, WIDTH, line, page, text};
use ballesta_pictures::sheet::text_width;
use hdrhistogram::Histogram;
use std::fmt::Write;

const HEIGHT: f64 = 230.0;
const RIGHT_END: f64 = WIDTH - RIGHT;
/// From the end of the first panel to the beginning of the second.
const GAP: f64 = 76.0;
const BOTTOM: f64 = 46.0;
const BINS_PER_DECADE: f64 = 20.0;
/// Class of the line of the deadline.
const LIMIT: &str = "curve c1 dashed";

/// Draws `record`, whose figures are in `findings`, and the responses of `reference` without a model.
pub fn draw(findings: &RealtimeReport, record: &Record, reference: Option<&Record>) -> String {
    let deadline = &findings.deadline;
    let mut curves = vec![
        ("wake-up latency", "curve c0", &record.latency),
        ("execution", "curve c2", &record.execution),
        ("response", "curve c4 dotted", &record.response),
    ];
    curves.extend(reference.map(|reference| ("response without a model", "curve c3 dotted", &reference.response)));
    let histograms: Vec<_> = curves.iter().map(|(_, _, histogram)| *histogram).collect();
    let times = Times::new(&histograms, deadline.period_us * 1e3);
    let entries: Vec<_> = curves.iter().map(|(name, class, _)| (*name, *class)).collect();
    let mut body = String::new();
    let top = legend(&mut body, TOP, "time not exceeded", &entries);
    percentiles(&mut body, top, &times, &curves);
    let top = legend(&mut body, top + HEIGHT + GAP - 24.0, "steps with this time", &[]);
    occurrences(&mut body, top, &times, &curves);
    let note = format!(
        "{} steps in {} periods of {}; {} deadlines missed ({} steps late, {} periods skipped)",
        findings.steps,
        deadline.periods,
        duration(deadline.period_us * 1e3),
        deadline.misses,
        deadline.overruns,
        deadline.skipped_periods
    );
    page(&format!("{} in real time", findings.model), &note, top + HEIGHT + BOTTOM, &body)
}

type Curve<'a> = (&'a str, &'a str, &'a Histogram<u64>);

/// A logarithmic axis of time in ns, between powers of ten.
struct Times {
    lower: i32,
    upper: i32,
    deadline: f64,
}

impl Times {
    fn new(histograms: &[&Histogram<u64>], deadline: f64) -> Times {
        let least = histograms.iter().map(|histogram| histogram.min()).min().unwrap_or(1).max(10) as f64;
        let most = histograms.iter().map(|histogram| histogram.max()).max().unwrap_or(1) as f64;
        let upper = (most.max(deadline) * 1.1).log10().ceil() as i32;
        let lower = (least.log10().floor() as i32).min(upper - 1);
        Times { lower, upper, deadline }
    }

    /// Position along the axis, from 0 to 1.
    fn share(&self, time: f64) -> f64 {
        (time.max(1.0).log10() - f64::from(self.lower)).max(0.0) / f64::from(self.upper - self.lower)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.lower..=self.upper).map(|decade| 10_f64.powi(decade))
    }
}

/// Formats a time in ns, for example as `20 µs`.
fn duration(nanoseconds: f64) -> String {
    let (unit, size) = match nanoseconds {
        n if n < 1e3 => ("ns", 1.0),
        n if n < 1e6 => ("µs", 1e3),
        n if n < 1e9 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    format!("{} {unit}", crate::text::short(nanoseconds / size, 4))
}

fn legend(body: &mut String, top: f64, heading: &str, entries: &[(&str, &str)]) -> f64 {
    let y = top + 6.0;
    line(body, &text(LEFT, y + 4.0, "heading", heading));
    let mut x = LEFT + 160.0;
    for (name, class) in entries.iter().chain([("deadline", LIMIT)].iter().filter(|_| !entries.is_empty())) {
        line(body, &format!(r#"<path class="{class}" d="M{x:.1} {y:.1}h24"/>"#));
        line(body, &text(x + 30.0, y + 4.0, "name", name));
        x += 46.0 + text_width(name, 12.0);
    }
    y + 14.0
}

fn frame(body: &mut String, top: f64) {
    let width = RIGHT_END - LEFT;
    line(body, &format!(r#"<rect class="frame" x="{LEFT}" y="{top:.1}" width="{width}" height="{HEIGHT}"/>"#));
}

/// Times upwards, percentiles to the right.
fn percentiles(body: &mut String, top: f64, times: &Times, curves: &[Curve]) {
    let y_of = |time: f64| top + HEIGHT * (1.0 - times.share(time));
    for tick in times.ticks() {
        let y = y_of(tick);
        line(body, &format!(r#"<path class="grid" d="M{LEFT} {y:.1}H{RIGHT_END}"/>"#));
        line(body, &text(LEFT - 6.0, y + 4.0, "tick", &duration(tick)));
    }
    let count = curves[0].2.len().max(2) as f64;
    let nines = count.log10();
    let x_of = |nine: f64| LEFT + (RIGHT_END - LEFT) * nine / nines;
    let mut marks = vec![(0.0, "0 %".to_string()), (2_f64.log10(), "50 %".to_string())];
    marks.extend((1..).take_while(|n| f64::from(*n) < nines - 0.2).map(|n| {
        let decimals = (n as usize).saturating_sub(2);
        (f64::from(n), format!("{:.decimals$} %", 100.0 * (1.0 - 10_f64.powi(-n))))
    }));
    marks.push((nines, "max".to_string()));
    for (nine, label) in marks.iter().filter(|(nine, _)| *nine <= nines) {
        let x = x_of(*nine);
        line(body, &format!(r#"<path class="grid" d="M{x:.1} {top:.1}v{HEIGHT}"/>"#));
        line(body, &text(x, top + HEIGHT + 17.0, "time", label));
    }
    let axis = "fraction of steps within this time";
    line(body, &text((LEFT + RIGHT_END) / 2.0, top + HEIGHT + 36.0, "time", axis));
    let y = y_of(times.deadline);
    line(body, &format!(r#"<path class="{LIMIT}" d="M{LEFT} {y:.1}H{RIGHT_END}"/>"#));
    for (name, class, histogram) in curves {
        let mut path = String::new();
        for i in 0..=300 {
            let nine = nines * f64::from(i) / 300.0;
            let time = histogram.value_at_quantile(1.0 - 10_f64.powf(-nine) * if i == 300 { 0.0 } else { 1.0 });
            let pen = if i == 0 { 'M' } else { 'L' };
            // Writing to a string cannot fail.
            let _ = write!(path, "{pen}{:.1} {:.1}", x_of(nine), y_of(time as f64));
        }
        line(body, &format!(r#"<path class="{class}" d="{path}"><title>{name}</title></path>"#));
    }
    frame(body, top);
}

/// Numbers of steps upwards, times to the right.
fn occurrences(body: &mut String, top: f64, times: &Times, curves: &[Curve]) {
    let x_of = |time: f64| LEFT + (RIGHT_END - LEFT) * times.share(time);
    let bins = (BINS_PER_DECADE * f64::from(times.upper - times.lower)) as i32;
    let edge = |bin: i32| 10_f64.powf(f64::from(times.lower) + f64::from(bin) / BINS_PER_DECADE);
    let counts: Vec<Vec<u64>> = curves
        .iter()
        .map(|(_, _, histogram)| {
            let mut counts = vec![0; bins as usize];
            for value in histogram.iter_recorded() {
                let bin = times.share(value.value_iterated_to() as f64) * f64::from(bins);
                counts[(bin as usize).min(bins as usize - 1)] += value.count_at_value();
            }
            counts
        })
        .collect();
    let most = counts.iter().flatten().copied().max().unwrap_or(1).max(1) as f64;
    let decades = most.log10().ceil().max(1.0);
    // The axis starts at half a step, so a single step is visible.
    let base = 0.5_f64.log10();
    let y_of = |count: u64| match count {
        0 => top + HEIGHT,
        count => top + HEIGHT * (1.0 - ((count as f64).log10() - base) / (decades - base)),
    };
    for decade in 0..=decades as u32 {
        let y = y_of(10_u64.pow(decade));
        line(body, &format!(r#"<path class="grid" d="M{LEFT} {y:.1}H{RIGHT_END}"/>"#));
        line(body, &text(LEFT - 6.0, y + 4.0, "tick", &10_u64.pow(decade).to_string()));
    }
    for tick in times.ticks() {
        let x = x_of(tick);
        line(body, &format!(r#"<path class="grid" d="M{x:.1} {top:.1}v{HEIGHT}"/>"#));
        line(body, &text(x, top + HEIGHT + 17.0, "time", &duration(tick)));
    }
    line(body, &text((LEFT + RIGHT_END) / 2.0, top + HEIGHT + 36.0, "time", "time"));
    let x = x_of(times.deadline);
    line(body, &format!(r#"<path class="{LIMIT}" d="M{x:.1} {top:.1}v{HEIGHT}"/>"#));
    for ((name, class, _), counts) in curves.iter().zip(&counts) {
        let mut path = format!("M{:.1} {:.1}", x_of(edge(0)), y_of(0));
        for (bin, count) in (0..).zip(counts) {
            let _ = write!(path, "V{:.1}H{:.1}", y_of(*count), x_of(edge(bin + 1)));
        }
        line(body, &format!(r#"<path class="{class}" d="{path}"><title>{name}</title></path>"#));
    }
    frame(body, top);
}
