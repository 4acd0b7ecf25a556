//! Histograms, scatter plots and bars as SVG, with classes that the page gives colours.

use super::plot::Axis;
use super::sheet::{self, text_width};
use std::fmt::Write;

/// Maximum number of bars of a histogram.
const MAX_BARS: usize = 40;
/// Maximum number of points of a scatter plot; larger sets are thinned.
pub const MAX_POINTS: usize = 2000;

// Sizes in CSS pixels at the natural size.
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 210.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 40.0;
/// Height of a bar of a tornado, with its gap.
const BAR: f64 = 20.0;
/// Maximum width of the names of a tornado.
const MAX_NAME_WIDTH: f64 = 220.0;
/// Size of the text.
const TEXT: f64 = 11.0;

/// An axis with its name.
pub struct Along<'a> {
    /// Name of the column.
    pub name: &'a str,
    /// Unit, empty if there is none.
    pub unit: &'a str,
}

impl Along<'_> {
    fn label(&self, axis: &Axis) -> String {
        let power = if axis.exponent == 0 { String::new() } else { format!("10^{} ", axis.exponent) };
        match (self.unit, power.as_str()) {
            ("" | "1", "") => self.name.to_string(),
            (unit, power) => format!("{} [{}]", self.name, format!("{power}{unit}").trim()),
        }
    }
}

/// Histogram with intervals of equal width; `values` is not empty and has no NaN.
pub fn histogram(along: &Along, values: &[f64]) -> String {
    let (least, most) = ends(values);
    let bars = bars(values.len());
    let axis = Axis::tight(least, most, 5);
    let width = (axis.upper - axis.lower) / bars as f64;
    let mut counts = vec![0_usize; bars];
    for value in values {
        let bar = ((value - axis.lower) / width) as usize;
        counts[bar.min(bars - 1)] += 1;
    }
    let highest = counts.iter().copied().max().unwrap_or(1).max(1);
    let counted = Axis::loose(0.0, highest as f64, 4);
    let mut svg = frame(&along.label(&axis), "runs", &axis, &counted);
    for (index, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (from, to) = (axis.lower + index as f64 * width, axis.lower + (index + 1) as f64 * width);
        let (x, y) = (across(from, &axis), up(*count as f64, &counted));
        let (w, h) = (across(to, &axis) - x, HEIGHT - BOTTOM - y);
        let _ = write!(svg, r#"<rect class="bar" x="{x:.1}" y="{y:.1}" width="{w:.1}" height="{h:.1}"><title>"#);
        let _ = write!(svg, "{count} from {from:.6} to {to:.6}</title></rect>");
    }
    svg + "</svg>\n"
}

/// Scatter plot of one value over another, both without NaN and of the same length.
pub fn scatter(x: &Along, y: &Along, xs: &[f64], ys: &[f64]) -> String {
    let ((left, right), (low, high)) = (ends(xs), ends(ys));
    // Keep points at the ends away from the frame.
    let margin = |from: f64, to: f64| (from - 0.03 * (to - from), to + 0.03 * (to - from));
    let ((left, right), (low, high)) = (margin(left, right), margin(low, high));
    let (across_axis, up_axis) = (Axis::tight(left, right, 5), Axis::tight(low, high, 5));
    let mut svg = frame(&x.label(&across_axis), &y.label(&up_axis), &across_axis, &up_axis);
    let every = xs.len().div_ceil(MAX_POINTS).max(1);
    let _ = write!(svg, r#"<path class="points" d=""#);
    for (x, y) in xs.iter().zip(ys).step_by(every) {
        let _ = write!(svg, "M{:.1} {:.1}h0", across(*x, &across_axis), up(*y, &up_axis));
    }
    svg + "\"/></svg>\n"
}

/// Bars from −1 to 1, one per name, in the given order.
pub fn tornado(bars: &[(&str, Option<f64>)]) -> String {
    let longest = bars.iter().map(|(name, _)| text_width(name, TEXT)).fold(0.0, f64::max);
    let names = (longest + 14.0).clamp(LEFT, MAX_NAME_WIDTH);
    let span = WIDTH - LEFT - RIGHT;
    // The number of a bar that reaches an end is outside.
    let (middle, width) = (names + 30.0 + span / 2.0, names + span + 60.0);
    let height = TOP + BAR * bars.len() as f64 + BOTTOM;
    let bottom = height - BOTTOM + 4.0;
    let mut svg = open(width, height);
    for (value, label) in [(-1.0, "−1"), (-0.5, "−0.5"), (0.0, "0"), (0.5, "0.5"), (1.0, "1")] {
        let x = middle + value * span / 2.0;
        let _ = writeln!(svg, r#"<path class="grid" d="M{x:.1} {TOP}V{bottom:.1}"/>"#);
        svg += &text(x, bottom + 14.0, "tick middle", label);
    }
    svg += &text(middle, bottom + 31.0, "name middle", "rank correlation");
    for (index, (name, value)) in bars.iter().enumerate() {
        let y = TOP + 2.0 + BAR * index as f64;
        svg += &text(names - 6.0, y + 13.0, "tick end", &shortened(name, names - 8.0));
        let Some(value) = value else {
            svg += &text(middle + 5.0, y + 13.0, "tick", "not defined");
            continue;
        };
        let end = middle + value * span / 2.0;
        let (x, w) = (middle.min(end), (end - middle).abs());
        let class = if *value < 0.0 { "bar falling" } else { "bar" };
        let _ = writeln!(svg, r#"<rect class="{class}" x="{x:.1}" y="{:.1}" width="{w:.1}" height="14"/>"#, y + 2.0);
        // Next to the end of the bar, on the side away from the middle.
        let (x, class) = if *value < 0.0 { (x - 4.0, "tick end") } else { (x + w + 4.0, "tick") };
        svg += &text(x, y + 13.0, class, &format!("{value:.2}").replace('-', "−"));
    }
    svg + "</svg>\n"
}

/// Number of bars: the square root of the number of values.
fn bars(values: usize) -> usize {
    ((values as f64).sqrt().ceil() as usize).clamp(1, MAX_BARS)
}

fn ends(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
        (if *value < least { *value } else { least }, if *value > most { *value } else { most })
    })
}

fn across(value: f64, axis: &Axis) -> f64 {
    LEFT + (WIDTH - LEFT - RIGHT) * (value - axis.lower) / (axis.upper - axis.lower)
}

fn up(value: f64, axis: &Axis) -> f64 {
    HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - axis.lower) / (axis.upper - axis.lower)
}

/// The frame of a small plot, its grid and its labels; the label of the vertical axis is above.
fn frame(below: &str, above: &str, x: &Axis, y: &Axis) -> String {
    let mut svg = open(WIDTH, HEIGHT);
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let mut last = f64::NEG_INFINITY;
    for (value, label) in &x.ticks {
        let x = across(*value, x);
        let _ = writeln!(svg, r#"<path class="grid" d="M{x:.1} {TOP}V{bottom}"/>"#);
        let half = 0.5 * text_width(label, TEXT);
        if x - half > last + 4.0 && x + half < WIDTH {
            svg += &text(x, bottom + 15.0, "tick middle", label);
            last = x + half;
        }
    }
    for (value, label) in &y.ticks {
        let y = up(*value, y);
        let _ = writeln!(svg, r#"<path class="grid" d="M{LEFT} {y:.1}H{right}"/>"#);
        svg += &text(LEFT - 5.0, y + 4.0, "tick end", label);
    }
    svg += &text(0.5 * (LEFT + right), bottom + 32.0, "name middle", &shortened(below, right - LEFT));
    svg += &text(4.0, 14.0, "name", &shortened(above, WIDTH - 8.0));
    svg
}

fn open(width: f64, height: f64) -> String {
    format!(r#"<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">"#) + "\n"
}

fn text(x: f64, y: f64, class: &str, text: &str) -> String {
    sheet::text(x, y, class, text) + "\n"
}

/// A text that fits; a longer text is shortened to its end, which distinguishes columns.
fn shortened(text: &str, width: f64) -> String {
    let (room, length) = ((width / text_width("0", TEXT)) as usize, text.chars().count());
    if length <= room {
        return text.to_string();
    }
    std::iter::once('…').chain(text.chars().skip(length + 1 - room)).collect()
}
