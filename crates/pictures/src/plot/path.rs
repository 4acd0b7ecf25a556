//! A panel of one output over another, as a path seen from above.
//!
//! A circle marks the start of every curve, chevrons the direction of time. Scales are equal: the panel is as high as
//! the path needs within limits, and remaining room widens the ranges.

use super::axis::Axis;
use super::panels::{Along, Marks, Panel};
use super::plot_drawing::{LEFT, RIGHT, WIDTH, class, hint, line, range_of, superscript, text, typeset};
use std::fmt::Write;

const MIN_HEIGHT: f64 = 150.0;
const MAX_HEIGHT: f64 = 480.0;
/// Height without equal scales.
const DEFAULT_HEIGHT: f64 = 300.0;
/// Distance between chevrons along a curve, and from its start to the first.
const CHEVRON_DISTANCE: f64 = 160.0;

/// Draws `panel` below `top` with the labels of its axis; returns their lower end.
pub fn draw(svg: &mut String, panel: &Panel, abscissa: &Along, top: f64, index: usize) -> f64 {
    // Horizontal and vertical scale; scales are equal if the panel shows a path.
    let (horizontal, vertical, height) = axes(panel, abscissa);
    let (right, bottom) = (WIDTH - RIGHT, top + height);
    let x_of = |value: f64| LEFT + (right - LEFT) * (value - horizontal.lower) / (horizontal.upper - horizontal.lower);
    let y_of = |value: f64| bottom - height * (value - vertical.lower) / (vertical.upper - vertical.lower);
    // Grid lines and labels. A carpet plot has its values next to the curves instead of a horizontal scale.
    for (value, label) in &vertical.ticks {
        let y = y_of(*value);
        line(svg, &format!(r#"<path class="grid" d="M{LEFT} {y:.1}H{right}"/>"#));
        line(svg, &text(LEFT - 6.0, y + 4.0, "tick", label));
    }
    let scale = !matches!(abscissa.marks, Marks::Carpet(_));
    for (value, label) in horizontal.ticks.iter().filter(|_| scale) {
        let x = x_of(*value);
        line(svg, &format!(r#"<path class="grid" d="M{x:.1} {top:.1}V{bottom:.1}"/>"#));
        line(svg, &text(x, bottom + 17.0, "time", label));
    }
    let clip = format!(
        // Curves are clipped to the panel; the margin keeps lines at the edge at full width.
        r#"<clipPath id="p{index}"><rect x="{LEFT}" y="{:.1}" width="{}" height="{:.1}"/></clipPath>"#,
        top - 6.0,
        right - LEFT + 6.0,
        height + 12.0
    );
    line(svg, &clip);
    line(svg, &format!(r#"<g clip-path="url(#p{index})">"#));
    let mut starts = String::new();
    for (i, curve) in panel.curves.iter().enumerate() {
        let points = abscissa.values.iter().zip(curve.values);
        // Gaps in the data separate the stretches of a curve.
        let points = points.map(|(x, y)| (x_of(abscissa.factor * x), y_of(panel.factor * y)));
        let stretches = stretches(points);
        let hint = hint(curve);
        line(svg, &format!(r#"<path class="{}" d="{}"><title>{hint}</title></path>"#, class(i), outline(&stretches)));
        if !matches!(abscissa.marks, Marks::Time) {
            // Chevrons and start circles show the direction of time, if the curve is a function of time.
            continue;
        }
        let solid = class(i).replace(" dashed", "").replace(" dotted", "");
        let arrows: String = stretches.iter().map(|stretch| chevrons(stretch)).collect();
        if !arrows.is_empty() {
            line(svg, &format!(r#"<path class="{solid} arrow" d="{arrows}"/>"#));
        }
        if let Some((x, y)) = stretches.first().and_then(|stretch| stretch.first()) {
            line(&mut starts, &format!(r#"<circle class="{solid} start" cx="{x:.1}" cy="{y:.1}" r="4.5"/>"#));
        }
    }
    svg.push_str(&starts);
    line(svg, "</g>");
    if let Marks::Texts(texts) | Marks::Carpet(texts) = &abscissa.marks {
        // Labels at points of the curves.
        for (x, y, label) in texts {
            line(svg, &text(x_of(abscissa.factor * x) + 5.0, y_of(panel.factor * y) - 5.0, "name", label));
        }
    }
    let width = right - LEFT;
    line(svg, &format!(r#"<rect class="frame" x="{LEFT}" y="{top:.1}" width="{width}" height="{height:.1}"/>"#));
    // Frame and axis label with unit and power of ten.
    let power = if horizontal.exponent == 0 || !scale {
        String::new()
    } else {
        format!("10{} ", superscript(horizontal.exponent))
    };
    let label = match abscissa.unit {
        "1" | "" => format!("{} {}", abscissa.name, power.trim_end()),
        unit => format!("{} ({power}{})", abscissa.name, typeset(unit)),
    };
    line(svg, &text((LEFT + right) / 2.0, bottom + 36.0, "time", label.trim_end()));
    if matches!(abscissa.marks, Marks::Time) {
        line(svg, &text(right, bottom + 36.0, "tick note", "○ start   › direction of time"));
    }
    bottom + 46.0
}

/// The horizontal and the vertical axis, and the height of the panel.
pub fn axes(panel: &Panel, along: &Along) -> (Axis, Axis, f64) {
    let width = WIDTH - RIGHT - LEFT;
    let (x, y) = (range(along.values.iter().map(|x| along.factor * x)), range_of(panel));
    if matches!(along.marks, Marks::Carpet(_)) {
        // Texts stand to the right of the last points.
        return (Axis::tight(x.0, x.1 + 0.1 * (x.1 - x.0), 10), Axis::loose(y.0, y.1, 6), DEFAULT_HEIGHT);
    }
    if !along.equal_scales {
        return (Axis::loose(x.0, x.1, 10), Axis::loose(y.0, y.1, 6), DEFAULT_HEIGHT);
    }
    // A margin of a twentieth on all sides; a single point gets a range of 1 in the displayed unit.
    let size = |(lower, upper): (f64, f64)| 1.1 * (upper - lower);
    let largest = size(x).max(size(y));
    let largest = if largest > 0.0 { largest } else { 1.0 };
    let (across, upwards) = (size(x).max(1e-6 * largest), size(y).max(1e-6 * largest));
    let scale = (width / across).min(MAX_HEIGHT / upwards);
    let height = (scale * upwards).clamp(MIN_HEIGHT, MAX_HEIGHT);
    let around = |(lower, upper): (f64, f64), length: f64, count: usize| {
        let (middle, half) = (0.5 * (lower + upper), 0.5 * length / scale);
        Axis::tight(middle - half, middle + half, count)
    };
    (around(x, width, 10), around(y, height, (height / 50.0) as usize), height)
}

/// Smallest and largest finite value; 0 and 0 without finite values.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let found = values.filter(|value| value.is_finite()).fold(ends, |(l, u), value| (l.min(value), u.max(value)));
    if found.0 <= found.1 { found } else { (0.0, 0.0) }
}

/// Points between gaps, without points within half a pixel of the previous one.
fn stretches(points: impl Iterator<Item = (f64, f64)>) -> Vec<Vec<(f64, f64)>> {
    let mut stretches: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut gap = true;
    for point in points {
        if !(point.0.is_finite() && point.1.is_finite()) {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) {
            stretches.push(Vec::new());
        }
        if let Some(stretch) = stretches.last_mut()
            && stretch.last().is_none_or(|last| distance(*last, point) >= 0.5)
        {
            stretch.push(point);
        }
    }
    stretches
}

fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

fn outline(stretches: &[Vec<(f64, f64)>]) -> String {
    let mut path = String::new();
    for stretch in stretches {
        for (i, (x, y)) in stretch.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = write!(path, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
        }
    }
    path
}

/// Chevrons along a stretch, at least one if it is longer than a tenth of their distance.
fn chevrons(stretch: &[(f64, f64)]) -> String {
    let length: f64 = stretch.windows(2).map(|pair| distance(pair[0], pair[1])).sum();
    if length < 0.1 * CHEVRON_DISTANCE {
        return String::new();
    }
    // Limits the number of chevrons on a long tangle of lines.
    let count = (length / CHEVRON_DISTANCE).round().clamp(1.0, 12.0);
    let mut path = String::new();
    let (mut walked, mut next) = (0.0, 0.5 * length / count);
    for pair in stretch.windows(2) {
        let step = distance(pair[0], pair[1]);
        while next <= walked + step && step > 0.0 {
            let share = (next - walked) / step;
            let (dx, dy) = ((pair[1].0 - pair[0].0) / step, (pair[1].1 - pair[0].1) / step);
            let (x, y) = (pair[0].0 + share * (pair[1].0 - pair[0].0), pair[0].1 + share * (pair[1].1 - pair[0].1));
            let wing = |side: f64| (x - 7.0 * dx - side * 4.5 * dy, y - 7.0 * dy + side * 4.5 * dx);
            let ((ax, ay), (bx, by)) = (wing(1.0), wing(-1.0));
            let _ = write!(path, "M{ax:.1} {ay:.1}L{x:.1} {y:.1}L{bx:.1} {by:.1}");
            next += length / count;
        }
        walked += step;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::super::{Curve, Panel, draw_panels};
    use super::*;

    fn circle(equal_scales: bool) -> String {
        let angles: Vec<f64> = (0..=1000).map(|i| f64::from(i) * 6.3e-3).collect();
        let x: Vec<f64> = angles.iter().map(|angle| 3.0 * angle.cos()).collect();
        let y: Vec<f64> = angles.iter().map(|angle| 3.0 * angle.sin()).collect();
        let curve = Curve { name: "left", unit: "m", description: "", stepped: false, diagnostic: false, values: &y };
        let along = Along { name: "forward", unit: "m", factor: 1.0, values: &x, equal_scales, marks: Marks::Time };
        let panel =
            Panel { title: Some("Path"), unit: "m", factor: 1.0, curves: vec![curve], low: false, along: Some(along) };
        draw_panels(("time", "s"), "circle", "", &angles, &[panel])
    }

    /// Width and height of the curve of a picture; the first path of its class is the sample in the legend.
    fn extent(svg: &str) -> (f64, f64) {
        let path = svg.split(r#"<path class="curve c0" d=""#).nth(2).and_then(|rest| rest.split('"').next()).unwrap();
        let numbers = path.split(['M', 'L']).skip(1).map(|point| {
            let (x, y) = point.split_once(' ').unwrap();
            (x.parse::<f64>().unwrap(), y.parse::<f64>().unwrap())
        });
        let (x, y): (Vec<f64>, Vec<f64>) = numbers.unzip();
        let length = |values: Vec<f64>| {
            let (lower, upper) = range(values.into_iter());
            upper - lower
        };
        (length(x), length(y))
    }

    #[test]
    fn a_circle_stays_a_circle_where_scales_are_equal() {
        let (width, height) = extent(&circle(true));
        assert!((width - height).abs() < 1.0 && width > 300.0, "{width} {height}");
        let (width, height) = extent(&circle(false));
        assert!(width > 2.0 * height, "{width} {height}");
    }

    #[test]
    fn start_and_direction_are_marked() {
        let svg = circle(true);
        assert_eq!(svg.matches("<circle").count(), 1);
        // Counter-clockwise from the right: the start is farthest to the right, at half height.
        let arrows = svg.split("arrow\" d=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        assert!((5..=12).contains(&arrows.matches('M').count()), "{arrows}");
        assert!(svg.contains("forward (m)") && svg.contains("Path (m)"));
    }

    #[test]
    fn a_path_that_does_not_move_or_has_gaps_is_drawn() {
        for values in [[2.0, 2.0, 2.0], [0.0, f64::NAN, 1.0], [f64::NAN; 3]] {
            let curve =
                Curve { name: "y", unit: "m", description: "", stepped: false, diagnostic: false, values: &values };
            let along =
                Along { name: "x", unit: "m", factor: 1.0, values: &values, equal_scales: true, marks: Marks::Time };
            let panel =
                Panel { title: None, unit: "m", factor: 1.0, curves: vec![curve], low: false, along: Some(along) };
            let svg = draw_panels(("time", "s"), "path", "", &[0.0, 1.0, 2.0], &[panel]);
            assert!(!svg.contains("NaN") && !svg.contains("inf") && svg.ends_with("</svg>\n"), "{svg}");
        }
    }
}
