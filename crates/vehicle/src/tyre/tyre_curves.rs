//! Curves of tyre files: forces and moments over the slips, combined slip, carpet plots.
//!
//! One file is drawn at every load; several files at every load if the curves remain distinguishable, otherwise at the
//! middle load. In a carpet every line belongs to one load, or to one slip angle or camber; lines are shifted against
//! each other along the horizontal axis, which therefore has no scale. All values are evaluated where they are drawn.

use super::{Point, QUANTITIES, Quantity, Sweep, Tyre, Tyres};
use ballesta_files::words::short;
use ballesta_pictures::plot::{Along, Curve, Marks, Panel, draw_pairs};

/// Maximum number of curves in one panel; more are not distinguishable.
const MAX_CURVES: usize = 8;
/// Lines of a carpet in each direction.
const LINES: usize = 5;
/// Points of a carpet's line between two lines that cross it.
const INTERMEDIATE_POINTS: usize = 6;
/// Range of cambers of a carpet on both sides of a single camber, rad.
const CAMBER: f64 = 0.07;
/// Shift of a carpet's line against the previous line, relative to the distance of the crossing lines.
const SHIFT: f64 = 1.0;

/// A panel with separate values.
struct Sheet {
    title: String,
    unit: &'static str,
    along: (&'static str, &'static str, f64),
    x: Vec<f64>,
    curves: Vec<(String, Vec<f64>)>,
    texts: Vec<(f64, f64, String)>,
    carpet: bool,
    equal: bool,
}

const FX: Quantity = QUANTITIES[0];
const FY: Quantity = QUANTITIES[1];
const KAPPA: (&str, &str, f64) = ("longitudinal slip κ", "1", 1.0);
const ALPHA: (&str, &str, f64) = ("slip angle α", "deg", 180.0 / std::f64::consts::PI);

fn degrees(angle: f64) -> String {
    format!("{}°", short(angle.to_degrees(), 2).replace('-', "\u{2212}"))
}

fn newtons(load: f64) -> String {
    format!("{} N", short(load, 4))
}

/// The picture of all files.
pub fn draw(tyres: &Tyres) -> String {
    let [mx, mz] = [QUANTITIES[2], QUANTITIES[4]];
    let mut sheets = vec![
        over_slip(tyres, FX, Sweep::Longitudinal),
        over_slip(tyres, FY, Sweep::Lateral),
        over_slip(tyres, mz, Sweep::Lateral),
        over_slip(tyres, mx, Sweep::Lateral),
    ];
    sheets.push(over_camber(tyres));
    sheets.push(together(tyres));
    sheets.extend([carpet_of_angles(tyres), carpet_of_cambers(tyres)]);
    let names: Vec<&str> = tyres.tyres.iter().map(|tyre| tyre.name.as_str()).collect();
    let note = "axes W of ISO 8855: x forward, y to the left, z up; forces on the tyre";
    let panels: Vec<Panel> = sheets.iter().map(Sheet::panel).collect();
    draw_pairs(&names.join(", "), note, &panels)
}

impl Sheet {
    fn panel(&self) -> Panel<'_> {
        let (name, unit, factor) = self.along;
        let curves = self.curves.iter().map(|(name, values)| Curve {
            name,
            unit: self.unit,
            description: "",
            stepped: false,
            diagnostic: false,
            values,
        });
        let marks = if self.carpet { Marks::Carpet(self.texts.clone()) } else { Marks::Texts(self.texts.clone()) };
        let along = Along { name, unit, factor, values: &self.x, equal_scales: self.equal, marks };
        let title = Some(self.title.as_str());
        Panel { title, unit: self.unit, factor: 1.0, curves: curves.collect(), low: false, along: Some(along) }
    }
}

/// The name of a curve: its load or angle, and the file name if there are several files or no other name.
fn name(tyres: &Tyres, tyre: &Tyre, of: &str) -> String {
    match (tyres.tyres.len(), of) {
        (_, "") => tyre.name.clone(),
        (1, of) => of.to_string(),
        (_, of) => format!("{}, {of}", tyre.name),
    }
}

/// A quantity over one slip, at zero camber, at the loads.
fn over_slip(tyres: &Tyres, (quantity, unit, value): Quantity, sweep: Sweep) -> Sheet {
    let all = tyres.tyres.len() * tyres.loads.len() <= MAX_CURVES || tyres.tyres.len() == 1;
    let loads = if all { tyres.loads.as_slice() } else { &[tyres.middle_load()] };
    let along_kappa = sweep == Sweep::Longitudinal;
    let mut sheet = Sheet {
        title: if all { quantity.to_string() } else { format!("{quantity} at {}", newtons(loads[0])) },
        unit,
        along: if along_kappa { KAPPA } else { ALPHA },
        x: Vec::new(),
        curves: Vec::new(),
        texts: Vec::new(),
        carpet: false,
        equal: false,
    };
    for tyre in &tyres.tyres {
        for load in loads {
            let points = tyres.sweep(sweep, *load, 0.0);
            sheet.x = points.iter().map(|point| if along_kappa { point.kappa } else { point.alpha }).collect();
            let values = points.iter().map(|point| value(&tyre.output(point))).collect();
            let of = if all { newtons(*load) } else { String::new() };
            sheet.curves.push((name(tyres, tyre, &of), values));
        }
    }
    sheet
}

/// Fy over α at the middle load, with the cambers.
fn over_camber(tyres: &Tyres) -> Sheet {
    let (load, (quantity, unit, value)) = (tyres.middle_load(), FY);
    let all = tyres.tyres.len() * tyres.cambers.len() <= MAX_CURVES || tyres.tyres.len() == 1;
    let largest = tyres.cambers.last().copied().unwrap_or_default();
    let cambers = if all { tyres.cambers.clone() } else { vec![largest] };
    let at = if all { String::new() } else { format!(", camber {}", degrees(largest)) };
    let mut sheet = Sheet {
        title: format!("{quantity} with camber, {}{at}", newtons(load)),
        unit,
        along: ALPHA,
        x: Vec::new(),
        curves: Vec::new(),
        texts: Vec::new(),
        carpet: false,
        equal: false,
    };
    for tyre in &tyres.tyres {
        for camber in &cambers {
            let points = tyres.sweep(Sweep::Lateral, load, *camber);
            sheet.x = points.iter().map(|point| point.alpha).collect();
            let values = points.iter().map(|point| value(&tyre.output(point))).collect();
            let of = if all { degrees(*camber) } else { String::new() };
            sheet.curves.push((name(tyres, tyre, &of), values));
        }
    }
    sheet
}

/// Consecutive lines, with a gap after each; all files share the same x values.
struct Lines {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Lines {
    fn new() -> Lines {
        Lines { x: Vec::new(), y: Vec::new() }
    }

    fn push(&mut self, line: impl IntoIterator<Item = (f64, f64)>) {
        for (x, y) in line.into_iter().chain([(f64::NAN, f64::NAN)]) {
            self.x.push(x);
            self.y.push(y);
        }
    }
}

/// Sheets in which every file is one curve of several lines: files follow each other along x.
fn of_lines(tyres: &Tyres, title: String, along: (&'static str, &'static str, f64), lines: Vec<Lines>) -> Sheet {
    let mut sheet = Sheet {
        title,
        unit: "N",
        along,
        x: Vec::new(),
        curves: Vec::new(),
        texts: Vec::new(),
        carpet: false,
        equal: false,
    };
    let total: usize = lines.iter().map(|lines| lines.x.len()).sum();
    for (tyre, lines) in tyres.tyres.iter().zip(lines) {
        let mut values = vec![f64::NAN; sheet.x.len()];
        values.extend(lines.y);
        values.resize(total, f64::NAN);
        sheet.x.extend(lines.x);
        sheet.curves.push((name(tyres, tyre, ""), values));
    }
    sheet
}

/// Fy over Fx from braking to driving, at slip angles, at zero camber and the middle load.
fn together(tyres: &Tyres) -> Sheet {
    let load = tyres.middle_load();
    let mut texts = Vec::new();
    let lines = tyres.tyres.iter().enumerate().map(|(number, tyre)| {
        let mut lines = Lines::new();
        for alpha in tyres.combined() {
            let points = tyres.sweep(Sweep::Combined(alpha), load, 0.0);
            let outputs: Vec<_> = points.iter().map(|point| tyre.output(point)).collect();
            lines.push(outputs.iter().map(|output| (output.fx, output.fy)));
            // Points at κ = 0, from the first file.
            if let Some(output) = outputs.get(outputs.len() / 2).filter(|_| number == 0) {
                texts.push((output.fx, output.fy, degrees(alpha)));
            }
        }
        lines
    });
    let lines = lines.collect();
    let title = format!("Fy over Fx for slip angles, {}", newtons(load));
    Sheet { texts, equal: true, ..of_lines(tyres, title, ("Fx", "N", 1.0), lines) }
}

/// `count` equally spaced values between two ends.
fn between(from: f64, to: f64, count: usize) -> impl Fn(f64) -> f64 {
    move |at| from + (to - from) * at / (count - 1) as f64
}

/// Fy over two quantities, each from its first to its last of [`LINES`] values.
fn carpet(
    tyres: &Tyres,
    title: String,
    along: &'static str,
    point: &dyn Fn(f64, f64) -> Point,
    labels: [&dyn Fn(f64) -> String; 2],
) -> Sheet {
    let (last, fine) = ((LINES - 1) as f64, (LINES - 1) * INTERMEDIATE_POINTS);
    let mut texts = Vec::new();
    let lines = tyres.tyres.iter().enumerate().map(|(number, tyre)| {
        let at = |u: f64, v: f64| (u + SHIFT * v, tyre.output(&point(u, v)).fy);
        let mut lines = Lines::new();
        let steps = || (0..=fine).map(|i| i as f64 / INTERMEDIATE_POINTS as f64);
        for k in (0..LINES).map(|k| k as f64) {
            lines.push(steps().map(|u| at(u, k)));
            lines.push(steps().map(|v| at(k, v)));
            if number == 0 {
                let ((x, y), (across, up)) = (at(last, k), at(k, last));
                texts.push((x, y, labels[1](k)));
                texts.extend((k < last).then(|| (across, up, labels[0](k))));
            }
        }
        lines
    });
    let lines = lines.collect();
    Sheet { texts, carpet: true, ..of_lines(tyres, title, (along, "1", 1.0), lines) }
}

/// Loads of a carpet: from the smallest to the largest given load, or from half to one and a half of a single load.
fn loads(tyres: &Tyres) -> impl Fn(f64) -> f64 {
    let (least, most) = (tyres.loads[0], tyres.loads[tyres.loads.len() - 1]);
    if least < most { between(least, most, LINES) } else { between(0.5 * most, 1.5 * most, LINES) }
}

/// Fy over slip angle and load, at zero camber, on the side where Fy is positive.
fn carpet_of_angles(tyres: &Tyres) -> Sheet {
    let (load, alpha) = (loads(tyres), between(0.0, tyres.alpha[0], LINES));
    let title = "Fy over slip angle and load".to_string();
    let point = |u: f64, v: f64| tyres.point(load(v), 0.0, 0.0, alpha(u));
    let labels: [&dyn Fn(f64) -> String; 2] = [&|u| degrees(alpha(u)), &|v| newtons(load(v))];
    carpet(tyres, title, "slip angle, shifted by load", &point, labels)
}

/// Fy over camber and load without slip.
fn carpet_of_cambers(tyres: &Tyres) -> Sheet {
    let (least, most) = (tyres.cambers[0], tyres.cambers[tyres.cambers.len() - 1]);
    let (least, most) = if least < most { (least, most) } else { (most - CAMBER, most + CAMBER) };
    let (load, camber) = (loads(tyres), between(least, most, LINES));
    let title = "Fy over camber and load, without slip".to_string();
    let point = |u: f64, v: f64| tyres.point(load(v), camber(u), 0.0, 0.0);
    let labels: [&dyn Fn(f64) -> String; 2] = [&|u| degrees(camber(u)), &|v| newtons(load(v))];
    carpet(tyres, title, "camber, shifted by load", &point, labels)
}
