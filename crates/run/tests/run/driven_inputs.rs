//! Inputs over time: random tables against closed-form integrals, and against a host that sets inputs and their
//! derivatives at every communication point.

use ballesta::compile;
use ballesta::math::larger;
use ballesta::model;
use ballesta::simulate::Simulator;
use ballesta::simulate::sensitivity::Direction;
use ballesta::system::System;
use ballesta_run::Grid;
use ballesta_run::inputs::Inputs;
use ballesta_run::simulation::{self, Clock, Excitation};
use std::path::Path;
use std::sync::Arc;

/// Internal step, s.
const H: f64 = 1e-3;
const STOP: f64 = 0.5;

/// A cart of 1 kg with the force `f` along its only coordinate: v is the integral of f.
fn cart(integrator: &str) -> Arc<System> {
    let text = format!(
        "[model]\nname = \"cart\"\nstep = {H}\nintegrator = \"{integrator}\"\n[[input]]\nname = \"f\"\n\
         [[parameter]]\nname = \"mass\"\nvalue = 1\ntunable = true\n[[body]]\nname = \"cart\"\nmass = 1\n\
         [[joint]]\nname = \"x\"\ntype = \"prismatic\"\nbodies = [\"ground\", \"cart\"]\npoint = [0, 0, 0]\n\
         axis = [1, 0, 0]\n[[drive]]\nname = \"d\"\njoint = \"x\"\nvalue = \"f\"\n\
         [[output]]\nname = \"v\"\njoint = \"x\"\nquantity = \"speed\"\n\
         [[output]]\nname = \"x\"\njoint = \"x\"\nquantity = \"position\"\n"
    );
    let document = model::parse(&text, "cart.toml").unwrap_or_else(|wrong| panic!("{wrong}"));
    Arc::new(compile::compile(&document, &document.model.parameter_values()).unwrap_or_else(|wrong| panic!("{wrong}")))
}

/// Numbers between 0 and 1, from a linear congruence.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() * bound as f64) as usize
    }
}

/// Rows of a table and their sizes.
struct Table {
    rows: Vec<(f64, f64)>,
    /// Sum of the sizes of its jumps.
    jumped: f64,
    /// Sum of the changes of slope at rows off the internal steps, 1/s.
    bent: f64,
    /// Sum of the changes between jumps.
    risen: f64,
}

impl Table {
    /// A random table over the experiment: times on points with the interval `step`, on internal steps, or anywhere;
    /// jumps, pulses shorter than an internal step, and lines between them. Off-grid rows that are no jumps only if
    /// `bends`.
    fn random(random: &mut Random, step: f64, anywhere: bool, bends: bool) -> Table {
        let mut rows = vec![(0.0, 2.0 * random.next() - 1.0)];
        let mut time = 0.0;
        loop {
            let begin: f64 = time + (0.002 + 0.05 * random.next()) * STOP / 0.5;
            let kind = random.below(if anywhere { 4 } else { 2 });
            // As multiples, which are rounded otherwise than decimal numbers.
            let on = |grid: f64| (begin / grid).ceil() * grid;
            let decimal = |time: f64| format!("{time:.15}").parse::<f64>().unwrap_or(time);
            time = match kind {
                0 => on(step),
                1 => decimal(on(step)),
                2 => decimal(on(H)),
                _ => begin,
            };
            if time >= STOP {
                break;
            }
            let (value, after) = (2.0 * random.next() - 1.0, 2.0 * random.next() - 1.0);
            let flat = rows.last().map_or(0.0, |row| row.1);
            match random.below(if anywhere { 3 } else { 2 }) {
                0 => rows.extend([(time, flat), (time, after)]),
                1 if bends || kind < 3 => rows.push((time, value)),
                1 => rows.extend([(time, flat), (time, value)]),
                _ => {
                    let end = time + 0.2e-3 * (0.1 + random.next());
                    rows.extend([(time, flat), (time, 10.0 * after), (end, 10.0 * after), (end, flat)]);
                    time = end;
                }
            }
        }
        rows.push((STOP + 1.0, rows.last().map_or(0.0, |row| row.1)));
        let mut table = Table { rows, jumped: 0.0, bent: 0.0, risen: 0.0 };
        table.measure();
        table
    }

    fn measure(&mut self) {
        let slope = |a: (f64, f64), b: (f64, f64)| if b.0 > a.0 { (b.1 - a.1) / (b.0 - a.0) } else { 0.0 };
        for pair in self.rows.windows(2) {
            let change = (pair[1].1 - pair[0].1).abs();
            *if pair[1].0 == pair[0].0 { &mut self.jumped } else { &mut self.risen } += change;
        }
        for three in self.rows.windows(3) {
            let off = (three[1].0 / H - (three[1].0 / H).round()).abs() > 1e-6;
            if off {
                self.bent += (slope(three[1], three[2]) - slope(three[0], three[1])).abs();
            }
        }
    }

    fn inputs(&self) -> Inputs {
        let (times, values) = self.rows.iter().copied().unzip();
        Inputs::from_columns(times, vec![(0, values)]).expect("a table")
    }

    /// Integral and double integral of the table up to `end`.
    fn integrals(&self, end: f64) -> [f64; 2] {
        let (mut v, mut x) = (0.0, 0.0);
        for pair in self.rows.windows(2).filter(|pair| pair[0].0 < end && pair[1].0 > pair[0].0) {
            let (from, to) = (pair[0], pair[1]);
            let slope = (to.1 - from.1) / (to.0 - from.0);
            let t = to.0.min(end) - from.0;
            x += t * (v + t * (0.5 * from.1 + t * slope / 6.0));
            v += t * (from.1 + 0.5 * t * slope);
        }
        [v, x]
    }
}

/// Outputs at the points of a grid.
fn run(system: &Arc<System>, grid: &Grid, inputs: Inputs) -> (Vec<Vec<f64>>, Option<String>) {
    let excitation = Excitation { constants: Vec::new(), table: Some(inputs), trim: false };
    let (mut simulator, mut rows) = (Simulator::new(system.clone()), Vec::new());
    let at_point = |_: f64, outputs: &[f64], _: &Simulator| {
        rows.push(outputs.to_vec());
        Ok(())
    };
    let ending = simulation::run(&mut simulator, grid, &excitation, &mut Clock::default(), at_point, &mut || true);
    assert!(ending.stopped.is_none());
    (rows, ending.warning)
}

/// Largest errors of v and x, each as a fraction of its bound, over `count` tables.
fn worst(integrator: &str, count: u64, allowed: impl Fn(&Table) -> f64) -> f64 {
    let (system, mut worst, mut failed) = (cart(integrator), 0.0, 0);
    for seed in 0..count {
        let mut random = Random(seed * 7919 + 17);
        let step = [1e-3, 2e-3, 0.01, 0.025, 0.1][random.below(5)];
        let table = Table::random(&mut random, step, true, seed % 2 == 0);
        let grid = Grid { start: 0.0, step, stop: STOP };
        let (rows, _) = run(&system, &grid, table.inputs());
        let bound = allowed(&table) + table.bent * H * H / 8.0 + 1e-11;
        let mut largest: f64 = 0.0;
        for (k, row) in rows.iter().enumerate() {
            let [v, x] = table.integrals(grid.point(k));
            let error = ((row[0] - v).abs()).max((row[1] - x).abs() / STOP) / bound;
            assert!(error.is_finite());
            largest = largest.max(error);
        }
        failed += usize::from(largest > 1.0);
        worst = larger(worst, largest);
    }
    println!("{integrator}: {failed} of {count} tables beyond their bound, worst {worst:.3} of it");
    worst
}

#[test]
fn random_tables_give_their_integrals_with_every_integrator() {
    // Explicit schemes integrate straight lines exactly, the first order one a line as steps. The implicit ones answer
    // a jump, and what their tables rise from one step to the next, over one step.
    let worst = [
        worst("rk4", 120, |_| 0.0),
        worst("heun", 60, |table| H * H * (1.0 + table.jumped + table.risen)),
        worst("semi_implicit_euler", 60, |table| H * (1.0 + table.risen + table.jumped)),
        worst("generalized_alpha", 60, |table| H * (table.jumped + table.risen)),
        worst("augmented_lagrangian", 60, |table| H * (table.jumped + table.risen)),
    ];
    assert!(worst.iter().all(|worst| *worst <= 1.0), "{worst:?}");
}

/// Results of a host that sets inputs and their derivatives at every communication point.
fn hosted(system: &Arc<System>, grid: &Grid, table: &Table) -> Vec<Vec<f64>> {
    let mut simulator = Simulator::new(system.clone());
    let mut outputs = vec![0.0; system.interface().outputs.len()];
    // A host counts points; rows of its table are at points by their count.
    let count = |time: f64| time / grid.step;
    let at = |k: usize, before: bool| {
        let near = |row: &&(f64, f64)| (count(row.0) - k as f64).abs() < 1e-6;
        let here: Vec<_> = table.rows.iter().filter(near).collect();
        let row = if before { here.first() } else { here.last() };
        row.filter(|_| here.len() == 2).map(|row| row.1).unwrap_or_else(|| {
            let time = grid.point(k);
            let next = table.rows.iter().position(|row| row.0 > time).unwrap_or(table.rows.len() - 1);
            let ((t0, v0), (t1, v1)) = (table.rows[next - 1], table.rows[next]);
            if time == t0 { v0 } else { v0 + (v1 - v0) * ((time - t0) / (t1 - t0)) }
        })
    };
    simulator.set_input(0, at(0, false));
    simulator.initialize(0.0).expect("a start");
    let mut rows = Vec::new();
    for k in 0..=grid.intervals() {
        if k > 0 {
            let (begin, end) = (grid.point(k - 1), grid.point(k));
            simulator.set_input(0, at(k - 1, false));
            simulator.set_input_derivative(0, (at(k, true) - at(k - 1, false)) / (end - begin));
            simulator.advance(end).expect("a step");
            simulator.set_input(0, at(k, false));
        }
        simulator.outputs(&mut outputs).expect("outputs");
        rows.push(outputs.clone());
    }
    rows
}

#[test]
fn a_run_has_the_bits_of_a_host_that_sets_values_and_slopes() {
    for integrator in ["rk4", "heun", "semi_implicit_euler", "generalized_alpha", "augmented_lagrangian"] {
        let system = cart(integrator);
        for seed in 0..20 {
            let mut random = Random(seed * 104729 + 5);
            let step = [1e-3, 0.01, 0.025, 1.0 / 30.0][random.below(4)];
            // Rows between points of the shortest interval, which are no jumps, lie within one internal step.
            let table = Table::random(&mut random, step, false, true);
            let grid = Grid { start: 0.0, step, stop: STOP };
            let (rows, _) = run(&system, &grid, table.inputs());
            for (k, (own, other)) in rows.iter().zip(hosted(&system, &grid, &table)).enumerate() {
                let same = own.iter().zip(&other).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same, "{integrator}, table {seed}, point {k} of {step} s: {own:?} {other:?}");
            }
        }
    }
}

#[test]
fn a_jump_on_a_point_is_at_the_point_whatever_the_rounding() {
    let system = cart("rk4");
    for k in 1..100 {
        let time = f64::from(k) / 100.0;
        let rows = vec![(0.0, 0.0), (time, 0.0), (time, 1.0), (2.0, 1.0)];
        let table = Table { rows, jumped: 1.0, bent: 0.0, risen: 0.0 };
        let (rows, _) = run(&system, &Grid { start: 0.0, step: 0.01, stop: 1.0 }, table.inputs());
        let v = rows.last().map_or(f64::NAN, |row| row[0]);
        assert!((v - (1.0 - time)).abs() < 1e-12, "a jump at {time} s: {v}");
    }
}

#[test]
fn rows_that_an_internal_step_passes_over_make_a_run_questionable() {
    let system = cart("rk4");
    let grid = Grid { start: 0.0, step: 0.1, stop: STOP };
    let warning = |rows: Vec<(f64, f64)>| {
        let table = Table { rows, jumped: 0.0, bent: 0.0, risen: 0.0 };
        run(&system, &grid, table.inputs()).1
    };
    let pulse = warning(vec![(0.0, 0.0), (0.1, 0.0), (0.1, 1.0), (0.1002, 1.0), (0.1002, 0.0)]);
    assert_eq!(pulse, None);
    let peak = warning(vec![(0.0, 0.0), (0.1, 0.0), (0.1001, 1.0), (0.1002, 0.0)]).unwrap_or_default();
    assert!(peak.contains("0.1 s and 0.1001 s are closer than the internal step of 0.001 s"), "{peak}");
}

#[test]
fn linear_bodies_follow_tables_exactly() {
    // Integrated by `exponential`: exact for straight lines, so steps of any length give the same.
    crate::root::at_root();
    let document = model::load(Path::new("models/step_loaded_frame")).expect("a model");
    let at = |step: f64| {
        let mut document = document.clone();
        document.model.general.take_step(step);
        let values = document.model.parameter_values();
        Arc::new(compile::compile(&document, &values).expect("a system"))
    };
    let grid = Grid { start: 0.0, step: 0.05, stop: STOP };
    for seed in 0..4 {
        let mut random = Random(seed + 31);
        let table = Table::random(&mut random, 0.05, true, false);
        let [coarse, fine] = [at(1e-3), at(2.5e-4)].map(|system| run(&system, &grid, table.inputs()).0);
        let largest = fine.iter().map(|row| row[0].abs()).fold(0.0, larger);
        for (own, other) in coarse.iter().zip(&fine) {
            let apart = (own[0] - other[0]).abs();
            assert!(apart <= 1e-9 * largest, "table {seed}: {apart} of {largest}");
        }
    }
}

#[test]
fn sensitivities_follow_the_same_inputs() {
    let system = cart("rk4");
    let mut random = Random(3);
    let table = Table::random(&mut random, 0.1, true, true);
    let excitation = Excitation { constants: Vec::new(), table: Some(table.inputs()), trim: false };
    let grid = Grid { start: 0.0, step: 0.1, stop: STOP };
    let (mut simulator, mut last) = (Simulator::new(system), Vec::new());
    let along = simulation::simulate_along(&mut simulator, &grid, &excitation, &[Direction::Input(0)], |derivatives| {
        last = derivatives.to_vec();
        Ok(())
    });
    assert!(along.is_ok());
    let [v, _] = table.integrals(STOP);
    let mut outputs = [0.0; 2];
    simulator.outputs(&mut outputs).expect("outputs");
    // A change of the input by 1 over the whole run.
    assert!((last[0] - STOP).abs() < 1e-9, "{last:?}");
    assert!((outputs[0] - v).abs() <= table.bent * H * H / 8.0 + 1e-11, "{outputs:?} {v}");
}
