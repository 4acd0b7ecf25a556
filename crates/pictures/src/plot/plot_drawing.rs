//! The drawing itself.

use super::Curve;
use super::axis::Axis;
use super::panels::{Panel, panels};
use super::path;
use super::thin::thin;
pub use crate::sheet::text;
use crate::sheet::{Sheet, text_width};
use ballesta::units;
use quick_xml::escape::escape;
use std::fmt::Write;

// Sizes in user units, which are CSS pixels at the natural size.
/// Width of a picture.
pub const WIDTH: f64 = 880.0;
/// Left margin of a panel.
pub const LEFT: f64 = 70.0;
/// Right margin of a panel.
pub const RIGHT: f64 = 22.0;
/// Upper end of the first panel.
pub const TOP: f64 = 56.0;
const BOTTOM: f64 = 46.0;
const PANEL_GAP: f64 = 16.0;
const LEGEND_LINE: f64 = 18.0;
/// Height of a low panel.
const LOW_PANEL_HEIGHT: f64 = 64.0;
/// Size of the text.
const TEXT: f64 = 12.0;

/// Colours on a light and on a dark page; `c0` is the first curve of a panel.
const COLOURS: [(&str, &str); 6] = [
    ("#0072b2", "#56b4e9"),
    ("#d55e00", "#ff8c42"),
    ("#008f68", "#33cfa3"),
    ("#b65a90", "#e6a1c9"),
    ("#3f3f3f", "#e8e8e8"),
    ("#c98a00", "#f0c63c"),
];

/// Draws `curves` over `times` in s; `note` is below the title.
pub fn draw(title: &str, note: &str, times: &[f64], curves: &[Curve]) -> String {
    draw_over(("time", "s"), title, note, times, curves)
}

/// Draws curves over another quantity, `along`: its name and unit.
pub fn draw_over(along: (&str, &str), title: &str, note: &str, times: &[f64], curves: &[Curve]) -> String {
    draw_panels(along, title, note, times, &panels(curves))
}

/// Draws chosen panels. Panels over time that follow each other share one axis.
pub fn draw_panels(along: (&str, &str), title: &str, note: &str, times: &[f64], panels: &[Panel]) -> String {
    // More panels are lower, so that the picture fits on a page.
    let over_time = |panel: &&Panel| panel.along.is_none();
    let height = match panels.iter().filter(over_time).count() {
        0..=1 => 330.0,
        2 => 220.0,
        3 => 170.0,
        _ => 130.0,
    };
    // All panels over time share one time axis.
    let time_axis = Axis::tight(*times.first().unwrap_or(&0.0), *times.last().unwrap_or(&1.0), 10);
    let mut body = String::new();
    let mut y = TOP;
    // Legend, then curves over time or over another output.
    for (i, panel) in panels.iter().enumerate() {
        let height = if panel.low { LOW_PANEL_HEIGHT.min(height) } else { height };
        y = draw_legend(&mut body, panel, y, i, height);
        if let Some(along) = &panel.along {
            y = path::draw(&mut body, panel, along, y, i);
        } else {
            let frame = Frame { top: y, height };
            frame.draw(&mut body, panel, times, &time_axis, i);
            y += height;
            // Only the last of consecutive panels over time has time labels.
            if panels.get(i + 1).filter(over_time).is_none() {
                draw_time_labels(&mut body, along, &time_axis, y);
                y += BOTTOM;
            }
        }
        y += if i + 1 < panels.len() { PANEL_GAP } else { 0.0 };
    }
    if panels.is_empty() {
        draw_time_labels(&mut body, along, &time_axis, y);
        y += BOTTOM;
    }
    let total = y;

    page(title, note, total, &body)
}

/// Panels with separate axes, in two columns.
pub fn draw_pairs(title: &str, note: &str, panels: &[Panel]) -> String {
    let mut body = String::new();
    let mut top = TOP;
    for (row, pair) in panels.chunks(2).enumerate() {
        let mut bottom = top;
        for (column, panel) in pair.iter().enumerate() {
            let Some(along) = &panel.along else { continue };
            line(&mut body, &format!("<g transform=\"translate({} 0)\">", column as f64 * WIDTH));
            let below = draw_legend(&mut body, panel, top, row, 0.0);
            bottom = bottom.max(path::draw(&mut body, panel, along, below, 2 * row + column));
            line(&mut body, "</g>");
        }
        top = bottom + PANEL_GAP;
    }
    sheet(2.0 * WIDTH, title, note, top, &body)
}

/// A whole picture of [`WIDTH`] by `height`: title and note above, then `body`.
pub fn page(title: &str, note: &str, height: f64, body: &str) -> String {
    sheet(WIDTH, title, note, height, body)
}

/// Draws with another width.
pub fn sheet(width: f64, title: &str, note: &str, height: f64, body: &str) -> String {
    let (rules, dark) = rules();
    Sheet { width, height, left: LEFT, title, note, rules: &rules, dark: &dark, body }.svg()
}

/// Position of a panel.
struct Frame {
    top: f64,
    height: f64,
}

impl Frame {
    fn draw(&self, svg: &mut String, panel: &Panel, times: &[f64], time_axis: &Axis, index: usize) {
        // Grid with labels of the values.
        let axis = value_axis(panel, self.height);
        let y_of = |value: f64| self.top + self.height * (1.0 - (value - axis.lower) / (axis.upper - axis.lower));
        let (right, bottom) = (WIDTH - RIGHT, self.top + self.height);
        for (value, label) in &axis.ticks {
            let y = y_of(*value);
            line(svg, &format!(r#"<path class="grid" d="M{LEFT} {y:.1}H{right}"/>"#));
            line(svg, &text(LEFT - 6.0, y + 4.0, "tick", label));
        }
        // Vertical grid lines at the times of the shared axis.
        for (time, _) in &time_axis.ticks {
            let x = x_of(*time, time_axis);
            line(svg, &format!(r#"<path class="grid" d="M{x:.1} {:.1}V{bottom:.1}"/>"#, self.top));
        }
        // Curves are clipped to the panel; the margin keeps lines at the edge at full width.
        let (width, height) = (right - LEFT, self.height);
        line(
            svg,
            &format!(
                r#"<clipPath id="p{index}"><rect x="{LEFT}" y="{:.1}" width="{width}" height="{:.1}"/></clipPath>"#,
                self.top - 2.0,
                height + 4.0
            ),
        );
        line(svg, &format!(r#"<g clip-path="url(#p{index})">"#));
        for (i, curve) in panel.curves.iter().enumerate() {
            let path = path(curve, times, |time| x_of(time, time_axis), |value| y_of(panel.factor * value));
            let hint = hint(curve);
            line(svg, &format!(r#"<path class="{}" d="{path}"><title>{hint}</title></path>"#, class(i)));
        }
        // The frame covers the ends of the curves.
        line(svg, "</g>");
        line(
            svg,
            &format!(r#"<rect class="frame" x="{LEFT}" y="{:.1}" width="{width}" height="{height:.1}"/>"#, self.top),
        );
    }
}

/// Quantity with unit, then a sample of every curve with its name, in as many lines as needed; returns their lower end.
fn draw_legend(svg: &mut String, panel: &Panel, top: f64, index: usize, height: f64) -> f64 {
    let heading = heading(panel, height);
    let mut y = top + if index == 0 { 6.0 } else { 8.0 };
    line(svg, &text(LEFT, y + 4.0, "heading", &heading));
    let indent = LEFT + 14.0 + text_width(&heading, TEXT);
    let mut x = indent;
    for (i, curve) in panel.curves.iter().enumerate() {
        let width = 30.0 + text_width(curve.name, TEXT) + 16.0;
        if x + width > WIDTH && x > indent {
            x = indent;
            y += LEGEND_LINE;
        }
        line(svg, &format!(r#"<path class="{}" d="M{x:.1} {y:.1}h24"/>"#, class(i)));
        line(svg, &text(x + 30.0, y + 4.0, "name", curve.name));
        x += width;
    }
    y + 14.0
}

fn heading(panel: &Panel, height: f64) -> String {
    let exponent = match &panel.along {
        Some(along) => path::axes(panel, along).1.exponent,
        None => value_axis(panel, height).exponent,
    };
    let power = if exponent == 0 { String::new() } else { format!("10{} ", superscript(exponent)) };
    let stepped = panel.curves.first().is_some_and(|curve| curve.stepped);
    let quantity = match units::find(panel.unit) {
        _ if panel.title.is_some() => panel.title.unwrap_or_default(),
        _ if stepped => "count or state",
        Some(unit) => unit.meaning,
        None => "value",
    };
    match panel.unit {
        "" | "1" if exponent == 0 => quantity.to_string(),
        "" | "1" => format!("{quantity} ({})", power.trim_end()),
        unit => format!("{quantity} ({power}{})", typeset(unit)),
    }
}

/// `m/s2` as m/s², `N.m` as N·m, `deg` as °.
pub fn typeset(unit: &str) -> String {
    unit.replace("s2", "s²").replace("m2", "m²").replace('.', "·").replace("deg", "°")
}

/// Exponent of a power of ten in superscript.
pub fn superscript(number: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => c.to_digit(10).and_then(|d| char::from_u32('⁰' as u32 + d)).unwrap_or(c),
    };
    number.to_string().chars().map(digit).collect()
}

/// Smallest and largest finite value that is shown; 0 and 0 without finite values.
pub fn range_of(panel: &Panel) -> (f64, f64) {
    let values = panel.curves.iter().flat_map(|curve| curve.values).map(|value| panel.factor * value);
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let found = values.filter(|value| value.is_finite()).fold(ends, |(l, u), value| (l.min(value), u.max(value)));
    if found.0 <= found.1 { found } else { (0.0, 0.0) }
}

/// Tooltip of a curve.
pub fn hint(curve: &Curve) -> String {
    escape(if curve.description.is_empty() { curve.name } else { curve.description }).into_owned()
}

fn value_axis(panel: &Panel, height: f64) -> Axis {
    let (lower, upper) = range_of(panel);
    let count = match height {
        h if h > 200.0 => 6,
        h if h > 100.0 => 4,
        _ => 2,
    };
    // Counts and states start at their zero line.
    if !panel.curves.is_empty() && panel.curves.iter().all(|curve| curve.stepped) {
        let (lower, upper) = (lower.min(0.0), upper.max(1.0));
        return Axis::loose(lower, upper, count.min((upper - lower) as usize).max(1));
    }
    Axis::loose(lower, upper, count)
}

fn x_of(time: f64, axis: &Axis) -> f64 {
    LEFT + (WIDTH - RIGHT - LEFT) * (time - axis.lower) / (axis.upper - axis.lower)
}

fn path(curve: &Curve, times: &[f64], x_of: impl Fn(f64) -> f64, y_of: impl Fn(f64) -> f64) -> String {
    let columns = (WIDTH - RIGHT - LEFT) as usize;
    let mut path = String::new();
    let mut pen_down = false;
    for (time, value) in thin(times, curve.values, columns) {
        if !value.is_finite() {
            pen_down = false;
            continue;
        }
        let (x, y) = (x_of(time), y_of(value));
        // Writing to a string cannot fail.
        let _ = match (pen_down, curve.stepped) {
            (false, _) => write!(path, "M{x:.1} {y:.2}"),
            (true, false) => write!(path, "L{x:.1} {y:.2}"),
            (true, true) => write!(path, "H{x:.1}V{y:.2}"),
        };
        pen_down = true;
    }
    path
}

fn draw_time_labels(svg: &mut String, (quantity, unit): (&str, &str), axis: &Axis, bottom: f64) {
    for (time, label) in &axis.ticks {
        line(svg, &text(x_of(*time, axis), bottom + 17.0, "time", label));
    }
    let power = if axis.exponent == 0 { String::new() } else { format!("10{} ", superscript(axis.exponent)) };
    let label = format!("{quantity} ({power}{unit})");
    line(svg, &text((LEFT + WIDTH - RIGHT) / 2.0, bottom + 36.0, "time", &label));
}

/// Class of the curve with this index in its panel.
pub fn class(index: usize) -> String {
    // Later curves are dashed, so that covered curves remain visible.
    let dash = ["", " dashed", " dotted"][(index / 3).min(2)];
    format!("curve c{}{dash}", index % COLOURS.len())
}

/// Adds a line.
pub fn line(svg: &mut String, content: &str) {
    svg.push_str(content);
    svg.push('\n');
}

/// Style rules of plots, and rules for dark pages.
fn rules() -> (String, String) {
    let colours = |pick: fn(&(&'static str, &'static str)) -> &'static str| {
        let rule = |(i, colour): (usize, &(&'static str, &'static str))| format!(".c{i}{{stroke:{}}}", pick(colour));
        COLOURS.iter().enumerate().map(rule).collect::<String>()
    };
    let rules = ".heading{font-weight:bold} .tick{text-anchor:end} .time{text-anchor:middle}\n\
        .grid{stroke:#dedede;fill:none} .frame{stroke:#777;fill:none}\n\
        .curve{fill:none;stroke-width:1.6;stroke-linejoin:round} .start{fill:#fff} .arrow{stroke-width:2} \
        .dashed{stroke-dasharray:7 4} .dotted{stroke-dasharray:2 3}";
    let dark = ".start{fill:#15181c} .grid{stroke:#33383f} .frame{stroke:#8a8f96}";
    let with = |rules: &str, pick| format!("{rules}\n{}", colours(pick));
    (with(rules, |pair| pair.0), with(dark, |pair| pair.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> String {
        let times: Vec<f64> = (0..=1000).map(|i| f64::from(i) * 0.01).collect();
        let angle: Vec<f64> = times.iter().map(|t| (2.0 * t).sin()).collect();
        let other: Vec<f64> = times.iter().map(|t| 0.5 * (2.7 * t).cos()).collect();
        let gap: Vec<f64> = times.iter().map(|t| 1e-13 * (9.0 * t).sin().abs()).collect();
        let count: Vec<f64> = times.iter().map(|t| (t / 3.0).floor()).collect();
        let curve =
            |name, unit, values| Curve { name, unit, description: "a < b", stepped: false, diagnostic: false, values };
        let curves = [
            curve("left.angle", "rad", &angle),
            curve("right.angle", "rad", &other),
            curve("B0.x", "m", &other),
            Curve { diagnostic: true, ..curve("gap", "m", &gap) },
            Curve { stepped: true, diagnostic: true, ..curve("repartitions", "1", &count) },
        ];
        draw("four_bar", "Four-bar linkage & friends", &times, &curves)
    }

    #[test]
    fn the_plot_is_well_formed_xml_with_one_path_per_curve() {
        let svg = plot();
        let mut reader = quick_xml::Reader::from_str(&svg);
        let mut depth = 0;
        loop {
            match reader.read_event().expect("well-formed") {
                quick_xml::events::Event::Start(_) => depth += 1,
                quick_xml::events::Event::End(_) => depth -= 1,
                quick_xml::events::Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(depth, 0);
        assert_eq!(svg.matches("<title>a &lt; b</title>").count(), 5);
        assert_eq!(svg.matches("class=\"frame\"").count(), 4);
        assert!(svg.contains("Four-bar linkage &amp; friends"));
        assert!(svg.contains("length (10⁻¹⁵ m)") && svg.contains("angle (rad)"), "headings name the unit");
    }

    #[test]
    fn long_series_give_small_files() {
        let times: Vec<f64> = (0..200_000).map(f64::from).collect();
        let noise: Vec<f64> = times.iter().map(|t| (t * 12.9898).sin()).collect();
        let curve =
            Curve { name: "noise", unit: "1", description: "", stepped: false, diagnostic: false, values: &noise };
        let svg = draw("long", "", &times, &[curve]);
        assert!(svg.len() < 60_000, "{} bytes", svg.len());
    }

    #[test]
    fn nothing_to_draw_is_still_a_plot() {
        let svg = draw("empty", "", &[], &[]);
        assert!(svg.ends_with("</svg>\n"));
        let nan = [f64::NAN, f64::NAN];
        let curve = Curve { name: "x", unit: "m", description: "", stepped: false, diagnostic: false, values: &nan };
        assert!(!draw("nan", "", &[0.0, 1.0], &[curve]).contains("NaN"));
    }
}
