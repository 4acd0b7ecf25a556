//! Stages of an evaluation in four implementations: `cargo bench -p ballesta-tools --bench stages [-- MODEL]
//! [--write]`.
//!
//! The rows of tables 1 and 2 of Hidalgo & García de Jalón (2013), for the global method with dense and sparse matrices
//! (crates/tools/src/global_method) and for the solver, each vehicle as in the gallery and in the sizes of the paper.
//! Along the motion of a vehicle, at the second stage of every Runge-Kutta step, each implementation runs the
//! evaluation twice. The second run is timed stage by stage; the tables contain medians. `--write` puts the tables into
//! docs/performance.md.

use ballesta::compile;
use ballesta::simulate::Simulator;
use ballesta::system::System;
use ballesta_tools::global_method::timer::{LinearAlgebra, Timer, timer};
use ballesta_tools::stages::{STAGES, StageTimer};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Steps before and during the measurement.
const STEPS: [usize; 2] = [200, 2000];
/// Number of evaluations in the tables of the paper: 5 s at 1 ms with four per step.
const EVALUATIONS_OF_THE_PAPER: f64 = 20_000.0;
const BEGIN: &str = "<!-- crates/tools/benches/stages.rs -->\n";
const END: &str = "<!-- end of crates/tools/benches/stages.rs -->";
/// Number of implementations; the last is the solver.
const COLUMNS: usize = 4;

/// Model files of a vehicle, and the headings of their tables.
const FILES: [(&str, &str); 2] = [("model.toml", ""), ("paper.toml", " in the sizes of the paper")];

/// A vehicle and the figures of the paper for its vehicle: times in s of 20 000 evaluations with C/C++, BLAS and MA48,
/// for each row and in total.
struct Vehicle {
    name: &'static str,
    table: usize,
    published: [[f64; 3]; 9],
    totals: [f64; 3],
}

const VEHICLES: [Vehicle; 2] = [
    Vehicle {
        name: "van",
        table: 1,
        published: [
            [0.343, 0.352, 0.356],
            [0.191, 0.379, 0.625],
            [0.739, 0.268, 0.441],
            [0.164, 0.184, 0.122],
            [0.249, 0.257, 0.263],
            [0.183, 0.167, 0.181],
            [0.125, 0.125, 0.113],
            [0.760, 0.604, 0.606],
            [0.088, 0.096, 0.097],
        ],
        totals: [2.839, 2.432, 2.803],
    },
    Vehicle {
        name: "truck",
        table: 2,
        published: [
            [0.675, 0.665, 0.658],
            [0.425, 0.927, 0.721],
            [4.032, 0.655, 0.616],
            [0.289, 0.361, 0.195],
            [0.273, 0.275, 0.275],
            [0.258, 0.198, 0.180],
            [0.193, 0.194, 0.193],
            [3.037, 2.054, 2.044],
            [0.247, 0.258, 0.255],
        ],
        totals: [9.428, 5.588, 5.137],
    },
];

fn of_the_start(algebra: LinearAlgebra, system: &System, simulator: &Simulator) -> Result<Box<dyn Timer>, String> {
    timer(algebra, system, simulator.state()).map_err(|refusal| refusal.describe(system))
}

/// Medians in µs, by stage and implementation.
fn measure(system: &Arc<System>, simulator: &mut Simulator) -> Result<[[f64; COLUMNS]; STAGES.len()], String> {
    let mut generic = of_the_start(LinearAlgebra::Loops, system, simulator)?;
    let mut dense = of_the_start(LinearAlgebra::Dense, system, simulator)?;
    let mut sparse = of_the_start(LinearAlgebra::Sparse, system, simulator)?;
    let mut structured = StageTimer::new(system);
    let mut times: [[Vec<f64>; COLUMNS]; STAGES.len()] = Default::default();
    let start = simulator.time();
    for step in 0..STEPS[0] + STEPS[1] {
        let state = simulator.state();
        let mut seconds = [[0.0; STAGES.len()]; COLUMNS];
        generic.time(system, state, &mut seconds[0])?;
        dense.time(system, state, &mut seconds[1])?;
        sparse.time(system, state, &mut seconds[2])?;
        structured.time(system, state, &mut seconds[3]).map_err(|fault| system.describe(&fault))?;
        if step >= STEPS[0] {
            for (stage, times) in times.iter_mut().enumerate() {
                times.iter_mut().zip(&seconds).for_each(|(times, seconds)| times.push(seconds[stage] * 1e6));
            }
        }
        let end = start + (step + 1) as f64 * system.step();
        simulator.advance(end).map_err(|fault| system.describe(&fault))?;
    }
    Ok(times.map(|stage| stage.map(median)))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The table of one model of a vehicle.
fn bench(vehicle: &Vehicle, (file, words): (&str, &str)) -> Result<String, String> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("models").join(vehicle.name).join(file);
    let document = ballesta::model::load(&path).map_err(|diagnostics| diagnostics.to_string())?;
    let values = document.model.parameter_values();
    let system = Arc::new(compile::compile(&document, &values).map_err(|diagnostics| diagnostics.to_string())?);
    let mut simulator = Simulator::new(system.clone());
    simulator.initialize(0.0).map_err(|fault| system.describe(&fault))?;
    let loops = of_the_start(LinearAlgebra::Loops, &system, &simulator)?;
    let layout = loops.layout();
    let (r, report) = (layout.rows.len(), system.report());
    let medians = measure(&system, &mut simulator)?;
    let share = 100.0 * layout.density();
    let (rows, entries) = layout.rectangular(&system);
    let mut page = format!(
        "**{}{words}**: {} degrees of freedom, {} relative coordinates, Φ_zd {r} × {r} with {share:.1} % of its \
         entries",
        vehicle.name, report.dof, report.coordinates
    );
    page += &match rows - r {
        0 => ".\n\n".to_string(),
        _ => format!(
            "; {rows} × {r} with {:.1} %, redundant equations\nincluded.\n\n",
            100.0 * entries as f64 / (rows * r) as f64
        ),
    };
    let cells = |values: &[f64], digits: usize| {
        values.iter().map(|value| format!("{value:.digits$}")).collect::<Vec<_>>().join(" | ")
    };
    let sums: [f64; COLUMNS] = std::array::from_fn(|column| medians[1..].iter().map(|stage| stage[column]).sum());
    let scaled = sums.map(|sum| sum * 1e-6 * EVALUATIONS_OF_THE_PAPER);
    let columns = "dense, loops µs | dense, faer µs | sparse, faer µs | structured µs";
    if words.is_empty() {
        // The sizes of the gallery's model differ from the paper's, so only totals are compared.
        _ = writeln!(page, "| | {columns} |\n|---|---|---|---|---|");
        _ = writeln!(page, "| sum | {} |", cells(&sums, 2));
        _ = writeln!(page, "| 20 000 evaluations, s | {} |", cells(&scaled, 3));
        return Ok(page);
    }
    let table = vehicle.table;
    _ = writeln!(page, "| row of the publication | {columns} | table {table}: C/C++ s | BLAS s | MA48 s |");
    page += "|---|---|---|---|---|---|---|---|\n";
    let row = |name: &str, ours: String, theirs: String| format!("| {name} | {ours} | {theirs} |\n");
    for (k, published) in vehicle.published.iter().enumerate() {
        page += &row(STAGES[k + 1].1, cells(&medians[k + 1], 2), cells(published, 3));
    }
    page += &row("sum", cells(&sums, 1), "| |".into());
    page += &row("20 000 evaluations, s", cells(&scaled, 3), cells(&vehicle.totals, 3));
    Ok(page)
}

/// Writes the tables between the comments of the page.
fn write(tables: &str) -> Result<(), String> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("docs/performance.md");
    let page = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let parts = page.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    let (head, tail) = parts.ok_or("docs/performance.md has no place for the tables")?;
    std::fs::write(&path, format!("{head}{BEGIN}{tables}{END}{tail}")).map_err(|error| error.to_string())
}

fn main() -> Result<(), String> {
    // Cargo passes --bench.
    let words: Vec<String> = std::env::args().skip(1).collect();
    let filter = words.iter().find(|word| !word.starts_with("--"));
    let chosen = |vehicle: &&Vehicle| filter.is_none_or(|filter| vehicle.name == filter);
    let models = VEHICLES.iter().filter(chosen).flat_map(|vehicle| FILES.map(|file| (vehicle, file)));
    let tables = models.map(|(vehicle, file)| bench(vehicle, file)).collect::<Result<Vec<_>, _>>()?.join("\n");
    if tables.is_empty() {
        return Err("the vehicles are van and truck".into());
    }
    print!("{tables}");
    match (words.iter().any(|word| word == "--write"), filter) {
        (true, None) => write(&tables),
        (true, Some(_)) => Err("only the tables of all vehicles are written".into()),
        (false, _) => Ok(()),
    }
}
