//! The IFToMM benchmarks A01, A02 and A03 against independent references.

use crate::check::larger;
use crate::verification::support::{
    Run, Table, add_system_output, angle_difference, four_bar_windows, in_parallel, load, parse,
};
use crate::verification::verification_page::figure;
use ballesta::model::schema::{Model, Quantity};

#[test]
fn a01_the_pendulum_follows_the_elliptic_solution() {
    let table = Table::read("A01_pendulum.csv");
    let mut run = Run::new(&load("pendulum"));
    let mut worst = 0.0_f64;
    for row in &table.rows {
        run.advance(row[0]);
        worst = larger(worst, (run.get("bob.x") - row[1]).hypot(run.get("bob.y") - row[2]));
    }
    println!("A01 pendulum, 10 s at 1 ms: position error {worst:.2e} m over {} points (bar 1e-8)", table.rows.len());
    figure("Benchmarks", |cells| cells[0].starts_with("A01"), 3, &format!("{worst:.2e} m"));
    assert!(table.rows.len() > 1000 && worst <= 1e-8);
}

/// Largest distance of `point` from B0 of the reference table.
fn four_bar_error(model: &Model, point: &str, file: &str) -> f64 {
    let table = Table::read(file);
    let (x, y) = (table.column("B0x"), table.column("B0y"));
    let mut run = Run::new(model);
    let mut worst = 0.0_f64;
    for row in &table.rows {
        run.advance(row[0]);
        let point = run.vector(point);
        worst = larger(worst, (point.x - row[x]).hypot(point.y - row[y]));
    }
    assert!(table.rows.len() > 1000);
    worst
}

#[test]
fn a02_the_four_bar_follows_the_reference_through_its_singular_positions() {
    for (model, point, file) in [
        (load("four_bar"), "B0", "A02_fourbar_N1.csv"),
        (parse(&four_bar_windows(1)), "B[0]", "A02_fourbar_N1.csv"),
        (load("four_bar_windows_2"), "B[0]", "A02_fourbar_N2.csv"),
    ] {
        let worst = four_bar_error(&model, point, file);
        println!("A02 {}, 10 s at 1 ms: error of B0 {worst:.2e} m (bar 1e-8)", model.general.name);
        assert!(worst <= 1e-8);
        // The same linkage twice: as a file of its own, and written by the program.
        let windows = if file.contains("N1") { "with one window" } else { "with two windows" };
        figure("Benchmarks", |cells| cells[0].contains(windows), 3, &format!("{worst:.2e} m"));
    }
}

/// Largest energy error (J) and largest difference of the directions of the vertical rods (m) over `duration` s.
fn windows_run(windows: usize, step: f64, duration: f64) -> (f64, f64) {
    let mut model = parse(&four_bar_windows(windows));
    model.general.step = step;
    model.outputs.retain(|output| output.name.starts_with("B["));
    add_system_output(&mut model, "balance", Quantity::EnergyBalance);
    let mut run = Run::new(&model);
    let start = run.get("balance");
    let (mut energy, mut apart) = (0.0_f64, 0.0_f64);
    let interval = 20.0 * step;
    for i in 1..=(duration / interval).ceil() as usize {
        run.advance(i as f64 * interval);
        energy = larger(energy, (run.get("balance") - start).abs());
        let first = run.vector("B[0]");
        for k in 1..=windows {
            let shift = ballesta::math::Vec3::new(k as f64, 0.0, 0.0);
            apart = larger(apart, (run.vector(&format!("B[{k}]")) - shift - first).norm());
        }
    }
    (energy, apart)
}

fn windows_at_twenty_steps(windows: usize) {
    let steps: Vec<f64> = (0..20).map(|k| 0.3e-3 + 0.7e-3 * k as f64 / 19.0).collect();
    let results = in_parallel(&steps, |&step| windows_run(windows, step, 10.0));
    for (step, (energy, apart)) in steps.iter().zip(&results) {
        println!("A02 N = {windows}, step {:.4} ms: energy error {energy:.2e} J, rods apart {apart:.2e} m", step * 1e3);
    }
    let energy = results.iter().map(|r| r.0).fold(0.0, larger);
    let apart = results.iter().map(|r| r.1).fold(0.0, larger);
    println!(
        "A02 N = {windows}, 20 steps 0.3-1 ms: energy error {energy:.2e} J (bar 1e-6), rods apart {apart:.2e} m (bar \
         1e-6)"
    );
    assert!(energy <= 1e-6 && apart <= 1e-6);
    let row = format!("A02, N = {windows},");
    figure("Benchmarks", |cells| cells[0].starts_with(&row), 3, &format!("{energy:.2e} J; {apart:.2e} m"));
}

#[test]
fn a02_one_window_stays_a_parallelogram_at_twenty_steps() {
    windows_at_twenty_steps(1);
}

#[test]
fn a02_two_windows_stay_parallelograms_at_twenty_steps() {
    windows_at_twenty_steps(2);
}

#[test]
fn a02_ten_windows_stay_parallelograms_at_twenty_steps() {
    windows_at_twenty_steps(10);
}

/// One block of 160 independent equations: its factors stay within their skyline.
#[test]
fn a02_eighty_windows_in_one_block_stay_parallelograms() {
    let (energy, apart) = windows_run(80, 1e-3, 0.3);
    println!("A02 N = 80, 0.3 s at 1 ms: energy error {energy:.2e} J (bar 1e-9), rods apart {apart:.2e} m (bar 1e-12)");
    assert!(energy <= 1e-9 && apart <= 1e-12);
}

#[test]
fn a03_the_squeezer_follows_the_reference() {
    let table = Table::read("A03_andrews.csv");
    let first = &table.rows[0];
    let names =
        ["beta", "Theta", "gamma", "Phi", "delta", "Omega"].map(|n| (n, n)).into_iter().chain([("epsilon", "eps")]);
    let columns: Vec<(String, usize)> = names.map(|(n, c)| (format!("angle.{n}"), table.column(c))).collect();
    let mut run = Run::new(&load("andrews"));
    let (mut at_30_ms, mut worst) = (None, 0.0_f64);
    for row in &table.rows {
        run.advance(row[0]);
        let error = columns
            .iter()
            .map(|(name, c)| angle_difference(run.get(name), row[*c] - first[*c]).abs())
            .fold(0.0, larger);
        worst = larger(worst, error);
        if (row[0] - 0.03).abs() < 1e-9 {
            at_30_ms = Some(error);
        }
    }
    let at_30_ms = at_30_ms.expect("the reference has the time 0.03 s");
    println!(
        "A03 squeezer, step 1e-5 s: angle error {at_30_ms:.2e} rad at 0.03 s (bar 1e-6), {worst:.2e} rad up to 0.05 s"
    );
    assert!(at_30_ms <= 1e-6);
    let found = format!("{at_30_ms:.2e} rad ({worst:.2e} rad)");
    figure("Benchmarks", |cells| cells[0].starts_with("A03"), 3, &found);
    let rates = [("beta", "dbeta"), ("gamma", "dgamma"), ("delta", "ddelta"), ("epsilon", "deps")];
    let last = table.rows.last().expect("rows");
    for (name, column) in rates {
        let (found, wanted) = (run.get(&format!("speed.{name}")), last[table.column(column)]);
        println!("A03 squeezer, rate of {name} at 0.05 s: {found:.9} rad/s, reference {wanted:.9} rad/s");
        assert!((found - wanted).abs() <= 1e-5 * wanted.abs().max(100.0));
    }
}
