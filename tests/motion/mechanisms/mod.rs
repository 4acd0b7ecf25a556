//! Random mechanisms beside an independent solution in absolute coordinates.
//!
//! `BALLESTA_MECHANISMS=100` runs that many, `BALLESTA_SEED=17` one of them, `BALLESTA_FILE=model.toml` a file with
//! such tables and outputs, reactions printed; models that fail are kept in the folder that the failure names.

mod maximal;
mod random;

use crate::check::larger;
use crate::models;
use ballesta::compile;
use ballesta::math::largest;
use ballesta::model;
use ballesta::simulate::Simulator;
use random::Mechanism;
use random::outputs::Readings;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Relative to the largest acceleration, force or moment of the mechanism.
const AGREEMENT: f64 = 1e-8;
/// Equations of positions and velocities, m, rad and per s.
const CLOSED: f64 = 1e-9;
/// When accelerations are compared, in steps of 1 ms.
const INSTANTS: [usize; 10] = [0, 1, 2, 5, 10, 15, 20, 30, 40, 50];
/// How the failure of a start begins that is made again from rest.
const TOO_FAST: &str = "requested speeds next to a dead centre";
/// Class of `BALLESTA_FILE`.
const FILE: &str = "file";
/// Number of mechanisms without `BALLESTA_MECHANISMS`: all, and the sample of every test run.
const ALL: u64 = 2000;
const SAMPLE: u64 = 400;
/// Where the table stands; `BALLESTA_REWRITE` writes it.
const PAGE: &str = "docs/verification.md";
const BEGIN: &str = "<!-- generated: random mechanisms -->\n";
const END: &str = "<!-- end -->";

/// Largest speed of a coordinate at the start, rad/s or m/s: requested speeds next to a dead centre would be those of a
/// shell.
const MAX_START_SPEED: f64 = 200.0;
/// A motion that ends at a fault is followed with this part of the step; where that ends too, at most this many steps
/// apart, the mechanism cannot go on: a guided coordinate beyond its reach, a body without mass at a dead centre.
const FINER: f64 = 0.02;
const APART: f64 = 2.0;

/// What was measured of one mechanism.
#[derive(Default)]
struct Measured {
    /// When the motion cannot go on, s.
    end: Option<f64>,
    accelerations: f64,
    reactions: f64,
    unique: usize,
    components: usize,
    redundant: usize,
}

/// The time of the fault that ends a mechanism's motion with another step, if there is one up to `stop`.
fn end_with_step(document: &model::Document, step: f64, stop: f64) -> Option<f64> {
    let mut document = document.clone();
    document.model.general.step = step;
    let mut simulator = Simulator::new(Arc::new(models::compiled_with(&document, &[])));
    simulator.initialize(0.0).expect("started before");
    simulator.advance(stop).err().map(|_| simulator.time())
}

fn compare(mechanism: &Mechanism) -> Result<Measured, String> {
    let document = model::parse(&mechanism.text, "model.toml").map_err(|errors| format!("refused: {errors}"))?;
    let model = &document.model;
    let system = compile::compile(&document, &[]).map_err(|errors| format!("refused: {errors}"))?;
    let system = Arc::new(system);
    let report = system.report();
    if report.dof != mechanism.degrees_of_freedom {
        return Err(format!("degrees of freedom {} instead of {}", report.dof, mechanism.degrees_of_freedom));
    }
    let mut readings = Readings::new(&system);
    let mut simulator = Simulator::new(system.clone());
    simulator.initialize(0.0).map_err(|fault| format!("fault at the start: {}", system.describe(&fault)))?;
    let mut measured = Measured::default();
    let fastest = largest(&simulator.state().v);
    if !(fastest <= MAX_START_SPEED) {
        return Err(format!("{TOO_FAST}: {fastest:.1e} rad/s or m/s"));
    }
    for instant in INSTANTS {
        let t = instant as f64 * system.step();
        if let Err(fault) = simulator.advance(t) {
            let (end, last) = (simulator.time(), INSTANTS[INSTANTS.len() - 1] as f64 * system.step());
            let finer = end_with_step(&document, FINER * system.step(), last);
            if !finer.is_some_and(|finer| (finer - end).abs() <= APART * system.step()) {
                return Err(format!("fault: {}, with a finer step at {finer:?} s", system.describe(&fault)));
            }
            measured.end = Some(end);
            break;
        }
        simulator.outputs(&mut readings.values).map_err(|fault| format!("fault: {}", system.describe(&fault)))?;
        let solution = maximal::solve(model, &readings.states(model), t);
        let singular = format!(
            "singular values {:.1e} | {:.1e}, inertia {:.1e} to {:.1e}",
            solution.sigma, solution.zero, solution.inertia[0], solution.inertia[1]
        );
        let [position, velocity] = solution.gaps;
        if !(position <= CLOSED && velocity <= CLOSED) {
            return Err(format!("open by {position:.1e}, {velocity:.1e} per s at {t} s; {singular}"));
        }
        if solution.dof != report.dof {
            return Err(format!("degrees of freedom {} instead of {} at {t} s; {singular}", report.dof, solution.dof));
        }
        let found = readings.accelerations(model);
        let all = |values: &[[ballesta::math::Vec3; 2]]| -> Vec<f64> {
            values.iter().flatten().flat_map(|v| v.iter().copied()).collect()
        };
        let (found, wanted) = (all(&found), all(&solution.accelerations));
        let size = larger(1.0, largest(&wanted));
        if !(solution.inconsistency <= AGREEMENT * size) {
            return Err(format!(
                "equations contradict each other by {:.1e} at {t} s; {singular}",
                solution.inconsistency
            ));
        }
        let off = largest(found.iter().zip(&wanted).map(|(a, b)| a - b)) / size;
        measured.accelerations = larger(measured.accelerations, off);
        if !(off <= AGREEMENT) {
            return Err(format!("accelerations off by {off:.1e} of {size:.1e} at {t} s; {singular}"));
        }
        let pairs = readings.reactions(&solution);
        let size = larger(1.0, largest(pairs.iter().map(|pair| pair.2)));
        for (name, found, wanted) in &pairs {
            if mechanism.class == FILE && instant == 0 {
                println!("{name}: {found:e}, in absolute coordinates {wanted:e}");
            }
            let off = (found - wanted).abs() / size;
            measured.reactions = larger(measured.reactions, off);
            if !(off <= AGREEMENT) {
                return Err(format!(
                    "reaction {name} {found:e} instead of {wanted:e}, largest {size:.1e}, at {t} s; {singular}"
                ));
            }
        }
        measured.unique += pairs.len();
        measured.components += solution.reactions.iter().map(|reaction| reaction.value.len()).sum::<usize>();
        measured.redundant = solution.redundant;
    }
    Ok(measured)
}

/// A panic is a failure of its mechanism.
fn run(seed: u64) -> (Mechanism, Result<Measured, String>) {
    let mut mechanism = random::generate(seed);
    let result = |mechanism: &Mechanism| {
        catch_unwind(AssertUnwindSafe(|| compare(mechanism))).unwrap_or_else(|_| Err("panic".into()))
    };
    let mut first = result(&mechanism);
    if first.as_ref().is_err_and(|failure| failure.starts_with(TOO_FAST)) {
        let slow = mechanism.text.lines().filter(|line| !line.starts_with("speed = "));
        mechanism.text = slow.map(|line| format!("{line}\n")).collect();
        first = result(&mechanism);
    }
    (mechanism, first)
}

/// Where models that fail are kept.
fn keep(mechanism: &Mechanism) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mechanisms");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(format!("random_{}.toml", mechanism.seed));
    std::fs::write(&path, &mechanism.text).expect("a file");
    path
}

fn in_parallel(seeds: &[u64]) -> Vec<(Mechanism, Result<Measured, String>)> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let mut results: Vec<_> = std::thread::scope(|scope| {
        let work = || {
            let mut done = vec![];
            while let Some(&seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push(run(seed));
            }
            done
        };
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("no panic")).collect()
    });
    results.sort_by_key(|(mechanism, _)| mechanism.seed);
    results
}

fn rewrite(table: &str) {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let begin = page.find(BEGIN).expect("a mark") + BEGIN.len();
    let end = begin + page[begin..].find(END).expect("a mark");
    std::fs::write(PAGE, [&page[..begin], table, &page[end..]].concat()).expect("writable");
}

#[test]
fn a_sample_of_random_mechanisms_accelerates_as_in_absolute_coordinates() {
    accelerate_as_in_absolute_coordinates(SAMPLE);
}

#[test]
#[ignore = "scripts/long.sh: it takes minutes, and writes the table of the documentation"]
fn random_mechanisms_accelerate_as_in_absolute_coordinates() {
    let table = accelerate_as_in_absolute_coordinates(ALL);
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        rewrite(&table);
    }
}

/// Compares mechanisms and returns the table of the documentation.
fn accelerate_as_in_absolute_coordinates(default: u64) -> String {
    faer::set_global_parallelism(faer::Par::Seq);
    let variable = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u64>().expect("a number"));
    let seeds: Vec<u64> = match (variable("BALLESTA_SEED"), variable("BALLESTA_MECHANISMS")) {
        (Some(seed), _) => vec![seed],
        (None, count) => (0..count.unwrap_or(default)).collect(),
    };
    if let Some(file) = std::env::var_os("BALLESTA_FILE") {
        let text = std::fs::read_to_string(file).expect("a file");
        let mechanism = random::of_file(text, FILE);
        let measured = compare(&mechanism).unwrap_or_else(|failure| panic!("{failure}"));
        println!("accelerations {:.1e}, reactions {:.1e}", measured.accelerations, measured.reactions);
        return String::new();
    }
    let results = in_parallel(&seeds);
    let mut failures = vec![];
    let mut table = "| class | redundant equations | accelerations | reactions |\n|---|---|---|---|\n".to_string();
    for class in random::class_names() {
        let of_class: Vec<_> = results.iter().filter(|(mechanism, _)| mechanism.class == class).collect();
        let good: Vec<_> = of_class.iter().filter_map(|(_, result)| result.as_ref().ok()).collect();
        let accelerations = largest(good.iter().map(|measured| measured.accelerations));
        let reactions = largest(good.iter().map(|measured| measured.reactions));
        let redundant: usize = good.iter().map(|measured| measured.redundant).sum();
        writeln!(table, "| {class} | {redundant} | {accelerations:.0e} | {reactions:.0e} |").expect("a text");
        for (mechanism, result) in of_class {
            if let Err(failure) = result {
                failures.push(format!("{} ({class}): {failure}", keep(mechanism).display()));
            }
        }
    }
    let good = || results.iter().filter_map(|(_, result)| result.as_ref().ok());
    let sum = |f: fn(&Measured) -> usize| good().map(f).sum::<usize>();
    writeln!(
        table,
        "\n{} of {} mechanisms agree; {} of them cannot continue. {} of {} components of reactions are unique.",
        good().count(),
        results.len(),
        sum(|measured| usize::from(measured.end.is_some())),
        sum(|measured| measured.unique),
        sum(|measured| measured.components),
    )
    .expect("a text");
    println!("{table}");
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), results.len(), failures.join("\n"));
    table
}
