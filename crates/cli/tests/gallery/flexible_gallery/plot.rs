//! Plots of errors on logarithmic axes as SVG, for the documentation, and what a drawn plot says.

use std::fmt::Write;

/// Size of the picture and of its margins, px.
const SIZE: [f64; 2] = [640.0, 360.0];
const MARGINS: [f64; 4] = [80.0, 30.0, 20.0, 50.0];
/// Colours of the curves on light and on dark pages (Okabe and Ito).
const COLOURS: [[&str; 2]; 2] = [["#0072b2", "#56b4e9"], ["#d55e00", "#e69f00"]];

/// A named curve of points (x, y), all positive.
pub type Curve<'a> = (&'a str, &'a [(f64, f64)]);

/// An axis over whole decades or, where `linear`, over whole numbers.
struct Axis {
    linear: bool,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, linear: bool) -> Axis {
        let (least, most) = values.fold((f64::INFINITY, 0.0f64), |(a, b), x| (a.min(x), b.max(x)));
        if linear {
            return Axis { linear, from: least, to: most };
        }
        Axis { linear, from: least.log10().floor(), to: most.log10().ceil() }
    }

    /// Place between 0 and 1.
    fn place(&self, x: f64) -> f64 {
        ((if self.linear { x } else { x.log10() }) - self.from) / (self.to - self.from)
    }

    /// Places and labels.
    fn ticks(&self) -> Vec<(f64, String)> {
        let marks = (self.from as i32..=self.to as i32).map(f64::from);
        let label = |mark: f64| if self.linear { format!("{mark}") } else { format!("1e{mark}") };
        marks.map(|mark| ((mark - self.from) / (self.to - self.from), label(mark))).collect()
    }
}

/// The picture; `labels` of the axes, `linear` abscissa.
pub fn draw(labels: [&str; 2], linear: bool, curves: &[Curve]) -> String {
    let all = || curves.iter().flat_map(|curve| curve.1.iter());
    let (across, up) = (Axis::new(all().map(|p| p.0), linear), Axis::new(all().map(|p| p.1), false));
    let [left, top, right, bottom] = MARGINS;
    let x = |place: f64| left + place * (SIZE[0] - left - right);
    let y = |place: f64| SIZE[1] - bottom - place * (SIZE[1] - top - bottom);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<style>\n\
         text {{ fill: #222 }} .grid {{ stroke: #8886; fill: none }}\n",
        SIZE[0], SIZE[1]
    );
    let mut dark = String::from("text { fill: #ddd } ");
    for (k, [light, on_dark]) in COLOURS.iter().enumerate() {
        write!(svg, ".c{k} {{ stroke: {light}; fill: {light} }} ").expect("text");
        write!(dark, ".c{k} {{ stroke: {on_dark}; fill: {on_dark} }} ").expect("text");
    }
    writeln!(svg, "\n@media (prefers-color-scheme: dark) {{ {dark}}}\n</style>").expect("text");
    for (place, label) in across.ticks() {
        let at = x(place);
        writeln!(svg, "<path class=\"grid\" d=\"M{at:.1} {:.1}V{:.1}\"/>", y(0.0), y(1.0)).expect("text");
        writeln!(svg, "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>", y(0.0) + 18.0)
            .expect("text");
    }
    for (place, label) in up.ticks() {
        let at = y(place);
        writeln!(svg, "<path class=\"grid\" d=\"M{:.1} {at:.1}H{:.1}\"/>", x(0.0), x(1.0)).expect("text");
        writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>", x(0.0) - 6.0, at + 4.0)
            .expect("text");
    }
    writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>", x(0.5), SIZE[1] - 10.0, labels[0])
        .expect("text");
    writeln!(
        svg,
        "<text transform=\"translate(20 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        y(0.5),
        labels[1]
    )
    .expect("text");
    for (k, (name, points)) in curves.iter().enumerate() {
        let places: Vec<[f64; 2]> = points.iter().map(|p| [x(across.place(p.0)), y(up.place(p.1))]).collect();
        let path: Vec<String> = places.iter().map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
        writeln!(svg, "<path class=\"c{k}\" style=\"fill: none\" stroke-width=\"2\" d=\"M{}\"/>", path.join("L"))
            .expect("text");
        for [x, y] in &places {
            writeln!(svg, "<circle class=\"c{k}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>").expect("text");
        }
        let (at, height) = (left + 10.0 + 200.0 * k as f64, top - 12.0);
        writeln!(svg, "<circle class=\"c{k}\" cx=\"{at}\" cy=\"{}\" r=\"4\"/>", height - 4.0).expect("text");
        writeln!(svg, "<text x=\"{}\" y=\"{height}\">{name}</text>", at + 10.0).expect("text");
    }
    svg + "</svg>\n"
}

/// Numbers of the attributes `names` of an SVG element.
fn numbers<const N: usize>(element: &str, names: [&str; N]) -> [f64; N] {
    names.map(|name| {
        let (_, rest) = element.split_once(&format!(" {name}=\"")).expect(name);
        rest.split('"').next().and_then(|number| number.parse().ok()).expect(name)
    })
}

/// The points of curve `k` of a drawn plot, by the ticks at its axes.
pub fn read(svg: &str, linear: bool, k: usize) -> Vec<(f64, f64)> {
    // Labels of ticks are numbers: those of the abscissa stand below the middle of their line, those of the ordinate
    // end at it.
    let ticks = |anchor: &str, name: &str| -> Vec<(f64, f64)> {
        let of_axis = svg.lines().filter(|line| line.starts_with("<text x") && line.contains(anchor));
        let tick = |line: &str| {
            let label: f64 = line.split('>').nth(1)?.strip_suffix("</text")?.parse().ok()?;
            Some((numbers(line, [name])[0], label))
        };
        of_axis.filter_map(tick).collect()
    };
    let (across, up) = (ticks("\"middle\"", "x"), ticks("\"end\"", "y"));
    // Labels of the ordinate stand 4 px below their lines.
    let scale = |ticks: &[(f64, f64)], at: f64, linear: bool| {
        let ((a, from), (b, to)) = (ticks[0], ticks[ticks.len() - 1]);
        let part = (at - a) / (b - a);
        if linear { from + part * (to - from) } else { from * (to / from).powf(part) }
    };
    let points =
        svg.lines().filter(|line| line.starts_with(&format!("<circle class=\"c{k}\"")) && line.contains("r=\"3.5\""));
    let places = points.map(|line| numbers(line, ["cx", "cy"]));
    places.map(|[x, y]| (scale(&across, x, linear), scale(&up, y + 4.0, false))).collect()
}
