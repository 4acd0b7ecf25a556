//! `ballesta rig`: kinematics and compliance of the axles of a vehicle.

pub mod arguments;

use crate::text;
use ballesta::model::Document;
use ballesta_files::output_file::keep_apart;
use ballesta_files::{Failure, output_file};
use ballesta_pictures::plot::{self, Along, Curve, Marks, Panel};
use ballesta_pictures::{page, picture};
use ballesta_run::model;
use ballesta_run::simulation::Recording;
use ballesta_run::table::{Table, Target};
use ballesta_vehicle::rig::kc::{self, Column, Compliance, Kind, Ranges, Report, Test};
use ballesta_vehicle::rig::{Axle, Rig, Setup, rig_results};
use std::path::Path;

/// Duration of a test on the page, s.
const TEST_DURATION_S: f64 = 4.0;
/// Largest number of curves in one panel.
const MAX_CURVES: usize = 8;

/// Resolved `ballesta rig` command.
pub struct Plan {
    typed: arguments::Rig,
    document: Document,
    csv: Option<Target>,
}

/// Display unit of a figure, and its conversion factor.
fn shown(unit: &str) -> (&str, f64) {
    let degree = 180.0 / std::f64::consts::PI;
    match unit {
        "m" => ("mm", 1e3),
        "rad" => ("deg", degree),
        "rad/m" => ("deg/m", degree),
        "N/m" => ("N/mm", 1e-3),
        "N.m/rad" => ("N m/deg", 1.0 / degree),
        "N.m" => ("N m", 1.0),
        "rad/rad" => ("deg/deg", 1.0),
        other => (other, 1.0),
    }
}

impl Plan {
    /// Reads the model and checks the options.
    pub fn resolve(typed: arguments::Rig) -> Result<Plan, Failure> {
        let document = model::open(&typed.model)?;
        if let Some(path) = typed.html.as_ref().filter(|path| !page::is_page(path)) {
            return Err(Failure::Usage(format!("--html {}: expected a name that ends in .html", path.display())));
        }
        let outputs =
            [("--csv", typed.csv.as_deref()), ("--svg", typed.svg.as_deref()), ("--html", typed.html.as_deref())];
        keep_apart(&outputs, &model::files(&typed.model, &document))?;
        if typed.json && typed.csv.as_deref() == Some(Path::new("-")) {
            return Err(Failure::Usage("--csv - and --json both write to stdout; give the table a file name".into()));
        }
        if typed.units && typed.csv.is_none() {
            return Err(Failure::Usage("--units needs a table: add --csv".into()));
        }
        let csv = typed.csv.as_ref().map(|path| Target::new(path, typed.units)).transpose()?;
        Ok(Plan { typed, document, csv })
    }

    /// Measures and reports.
    pub fn execute(self) -> Result<(), Failure> {
        // Prepare the model: tyres are removed, bodywork is fixed, wheels are driven.
        let arguments::RigTest::Kc = self.typed.test;
        let typed = &self.typed;
        let setup = Setup {
            wheels: typed.wheels.clone(),
            radius: typed.radius,
            fixed: typed.fixed.clone(),
            without: typed.without.clone(),
            steering: typed.steering.clone(),
        };
        let mut rig = Rig::new(&self.document, &typed.set, &setup)?;
        // A steering sweep needs an input to drive.
        if let (Some(range), None) = (typed.steer_range, rig.steering) {
            let hint = "name the steering input with --steering";
            return Err(Failure::Usage(format!(
                "--steer-range {range}: the model has no known steering input; {hint}"
            )));
        }
        // An odd number of points includes the design position.
        let points = typed.points as usize | 1;
        let report = kc::run(&mut rig, &Ranges { travel: typed.travel, steering: typed.steer_range, points })?;
        if let Some(target) = &self.csv {
            write_table(target, &report)?;
        }
        if let Some(path) = &typed.svg {
            picture::write(path, &draw(&rig, &report))?;
        }
        if let Some(path) = &typed.html {
            output_file::write(path, moving(&rig, &report).as_bytes())?;
        }
        // `--json` and `--csv -` use stdout alone.
        if typed.json {
            return text::say_json(&rig_results::of(&rig, &report));
        }
        if typed.csv.as_deref() == Some(Path::new("-")) {
            return Ok(());
        }
        let mut page = summary(&rig, &report);
        for path in [&typed.csv, &typed.svg, &typed.html].into_iter().flatten() {
            page += &format!("\nWrote {}.\n", path.display());
        }
        text::say(&page)
    }
}

/// Time at which the page shows a point of the tests, s.
fn times(report: &Report) -> Vec<f64> {
    let points = report.tests.iter().map(|test| test.along.len()).sum::<usize>();
    let each = TEST_DURATION_S / (report.tests[0].along.len().max(2) - 1) as f64;
    (0..points).map(|i| i as f64 * each).collect()
}

fn number(kind: Kind) -> f64 {
    match kind {
        Kind::Bump => 1.0,
        Kind::Roll => 2.0,
        Kind::Steer => 3.0,
    }
}

/// One row per point.
fn write_table(target: &Target, report: &Report) -> Result<(), Failure> {
    let mut columns = vec![("time", "s"), ("test", "1"), ("along", "1")];
    columns.extend(report.columns.iter().map(|found| (found.name.as_str(), found.unit)));
    let mut recording = Recording::new(columns.len() - 1, 0);
    let points = report.tests.iter().flat_map(|test| {
        test.along.iter().zip(&test.rows).map(|(along, row)| [&[number(test.kind), *along], row.as_slice()].concat())
    });
    times(report).into_iter().zip(points).for_each(|(time, row)| recording.push(time, &row));
    Table::write(target, &columns, &recording)
}

/// Page that shows all tests in sequence.
fn moving(rig: &Rig, report: &Report) -> String {
    let times = times(report);
    let stop = times.last().copied().unwrap_or(0.0);
    let mut recorder = page::Recorder::new(rig.system().clone(), 0.0, stop, times.get(1).copied().unwrap_or(1.0));
    let mut recording = Recording::new(rig.system().interface().outputs.len(), times.len());
    let points = report.tests.iter().flat_map(|test| test.states.iter().zip(&test.outputs));
    for (time, (state, outputs)) in times.into_iter().zip(points) {
        let mut state = state.clone();
        state.time = time;
        recorder.look(&state);
        recording.push(time, outputs);
    }
    page::of_run(&page::Subject { document: &rig.document, values: &rig.values }, recorder, &recording, None)
}

/// Values of a column over a test.
fn values(test: &Test, column: usize) -> Vec<f64> {
    test.rows.iter().map(|row| row[column]).collect()
}

/// Figures of the wheels over the height in bump, and of steered wheels over the steering input.
fn draw(rig: &Rig, report: &Report) -> String {
    const OVER_HEIGHT: [(&str, &str); 4] = [
        ("toe", "toe in bump"),
        ("camber", "camber in bump"),
        ("load", "wheel load"),
        ("roll_centre.height", "roll centre"),
    ];
    const OVER_STEERING: [(&str, &str); 2] = [("steer", "steer angle"), ("ackermann", "beyond Ackermann")];
    struct Chosen<'a> {
        title: &'a str,
        test: &'a Test,
        columns: Vec<(&'a Column, Vec<f64>)>,
    }
    // Bump tests show every wheel; steering tests show only wheels that the steering turns.
    let mut chosen: Vec<Chosen> = Vec::new();
    for test in report.tests.iter().filter(|test| test.kind != Kind::Roll) {
        let pairs = if test.kind == Kind::Bump { OVER_HEIGHT.as_slice() } else { &OVER_STEERING };
        for &(figure, title) in pairs {
            let steered = |name: &str| report.columns.iter().any(|other| other.name == format!("{name}.caster"));
            let wanted = |column: &Column| {
                let owner = column.name.strip_suffix(figure).and_then(|owner| owner.strip_suffix('.'));
                owner.is_some_and(|owner| test.kind == Kind::Bump || steered(owner))
            };
            let columns = report.columns.iter().enumerate().filter(|(_, column)| wanted(column));
            let columns: Vec<_> = columns.map(|(index, column)| (column, values(test, index))).collect();
            // A panel has a limited number of distinguishable colours, so many wheels need several panels.
            for part in columns.chunks(MAX_CURVES) {
                chosen.push(Chosen { title, test, columns: part.to_vec() });
            }
        }
    }
    // All bump panels have the wheel height as abscissa, in mm.
    let bump = &report.tests[0];
    let heights: Vec<f64> = bump.along.iter().map(|height| 1e3 * height).collect();
    let input = rig.steering.map(|index| &rig.document.model.inputs[index]);
    let panels: Vec<Panel> = chosen
        // Steering panels use the steering input as abscissa instead.
        .iter()
        .map(|chosen| {
            let (unit, factor) = shown(chosen.columns[0].0.unit);
            Panel {
                title: Some(chosen.title),
                unit,
                factor,
                curves: chosen
                    .columns
                    .iter()
                    .map(|(column, values)| Curve {
                        name: &column.name,
                        unit: column.unit,
                        description: column.description,
                        stepped: false,
                        diagnostic: false,
                        values,
                    })
                    .collect(),
                low: false,
                along: (chosen.test.kind == Kind::Steer).then(|| Along {
                    name: input.map_or("steering input", |input| &input.name),
                    unit: input.and_then(|input| input.unit.as_deref()).unwrap_or("1"),
                    factor: 1.0,
                    values: &chosen.test.along,
                    equal_scales: false,
                    marks: Marks::Texts(Vec::new()),
                }),
            }
        })
        .collect();
    let title = format!("Kinematics of {}", rig.system().name());
    plot::draw_panels(("height of the wheels", "mm"), &title, "tyres removed, bodywork fixed", &heights, &panels)
}

/// Figures of an axle at height 0: first of its wheels, then of the axle.
fn axle_lines(rig: &Rig, report: &Report, axle: &Axle) -> String {
    // Column names have the owner as prefix.
    let find = |name: String| report.columns.iter().position(|column| column.name == name);
    let written = |index: usize| {
        let (unit, factor) = shown(report.columns[index].unit);
        (text::short(settled(report.home[index] * factor), 5), unit)
    };
    let sides: Vec<&str> = axle.wheels.iter().map(|&k| rig.wheels[k].name.as_str()).collect();
    let mut rows = vec![vec!["".to_string()]];
    rows[0].extend(sides.iter().map(|side| side.rsplit('.').next().unwrap_or(side).to_string()));
    rows[0].push("unit".into());
    // Quantities of the test itself are zero at the design position and are omitted.
    for (figure, _, description) in
        kc::WHEEL.iter().filter(|(name, ..)| !["height", "forward", "outward", "ackermann"].contains(name))
    {
        let indices: Vec<usize> = sides.iter().filter_map(|side| find(format!("{side}.{figure}"))).collect();
        if indices.is_empty() {
            continue;
        }
        let mut row = vec![figure.replace('_', " ")];
        row.extend(indices.iter().map(|&index| written(index).0));
        row.push(format!("{:8} {description}", written(indices[0]).1));
        rows.push(row);
    }
    // Figures of the axle have one column.
    for (figure, _, description) in kc::AXLE.iter().skip(2) {
        if let Some(index) = find(format!("{}.{figure}", axle.name)) {
            let (value, unit) = written(index);
            let mut row = vec![figure.replace(['_', '.'], " "), value];
            row.extend(std::iter::repeat_n(String::new(), sides.len() - 1));
            row.push(format!("{unit:8} {description}"));
            rows.push(row);
        }
    }
    text::table(&rows)
}

/// A figure with round-off set to zero.
fn settled(value: f64) -> f64 {
    if value.abs() < 1e-9 { 0.0 } else { value }
}

/// Compliance of the wheels of an axle.
fn compliance_lines(rig: &Rig, report: &Report, axle: &Axle) -> String {
    let degrees = shown("rad").1;
    let head = ["load", "wheel", "steer", "camber", "forward", "left", "contact left"];
    let mut rows = vec![head.map(String::from).to_vec()];
    let of_axle = |found: &&Compliance| axle.wheels.iter().any(|&k| rig.wheels[k].name == found.wheel);
    for found in report.compliance.iter().filter(of_axle) {
        let unit = if found.load == "aligning" { "kN m" } else { "kN" };
        let both = match (axle.wheels.len(), found.opposite) {
            (1, _) => "",
            (_, true) => ", opposite",
            (_, false) => ", same direction",
        };
        let cell = |value: f64, factor: f64| text::short(settled(value * factor * 1e3), 4);
        rows.push(vec![
            format!("{}{both} (per {unit})", found.load),
            found.wheel.rsplit('.').next().unwrap_or_default().to_string(),
            cell(found.steer, degrees),
            cell(found.camber, degrees),
            cell(found.forward, 1e3),
            cell(found.left, 1e3),
            cell(found.contact_left, 1e3),
        ]);
    }
    text::table(&rows)
}

fn summary(rig: &Rig, report: &Report) -> String {
    // Tests with their ranges, and where they ended early.
    let mut page = format!(
        "{} on the rig: {}, {}\n",
        rig.system().name(),
        text::count(rig.axles.len(), "axle"),
        text::count(rig.wheels.len(), "wheel")
    );
    for test in &report.tests {
        let (from, to) = (test.along[0], test.along[test.along.len() - 1]);
        let input = rig.steering.map(|index| &rig.document.model.inputs[index]);
        let (unit, factor, of) = match (test.kind, input) {
            (Kind::Steer, Some(input)) => (input.unit.as_deref().unwrap_or("1"), 1.0, input.name.as_str()),
            _ => ("mm", 1e3, "wheels"),
        };
        let (from, to) = (text::short(factor * from, 4), text::short(factor * to, 4));
        let points = text::count(test.along.len(), "point");
        page += &format!("  {:5} {points}, {of} from {from} to {to} {unit}\n", test.kind.word());
        for ended in &test.ended {
            page += &format!("        ended {ended}\n");
        }
    }
    // Figures and compliances of each axle.
    for axle in &rig.axles {
        let radius: Vec<String> = axle.wheels.iter().map(|&k| text::short(rig.wheels[k].radius * 1e3, 5)).collect();
        let joints: Vec<String> = axle.wheels.iter().map(|&k| format!("`{}`", rig.wheels[k].joint)).collect();
        page += &format!("\n{}: {}, radius {} mm\n", axle.name, joints.join(", "), radius.join(", "));
        page += &axle_lines(rig, report, axle);
        page += "  compliance at fixed heights, in deg and mm\n";
        page += &compliance_lines(rig, report, axle);
    }
    page
}
