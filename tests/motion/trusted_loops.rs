//! Loops of other hands whose files came with a wrong motion and exit code 0: locked by round-off, loads dropped, left
//! open.

use ballesta::analysis::groups::structural_groups;
use ballesta::math::{larger, largest};
use ballesta::model;
use ballesta::simulate::Simulator;
use ballesta::system::{Fault, System};
use std::path::Path;
use std::sync::Arc;

fn compile(name: &str) -> System {
    let document =
        model::load(&Path::new("tests/trust").join(name).with_extension("toml")).unwrap_or_else(|e| panic!("{e}"));
    System::compile(&document, &document.model.parameter_values()).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Outputs at `times`; the fault that ended the run otherwise.
fn run(name: &str, times: &[f64]) -> Result<Vec<Vec<f64>>, Fault> {
    let mut simulator = Simulator::new(Arc::new(compile(name)));
    simulator.initialize(0.0)?;
    let count = simulator.system().interface().outputs.len();
    let mut rows = Vec::new();
    for &time in times {
        simulator.advance(time)?;
        let mut row = vec![f64::NAN; count];
        simulator.outputs(&mut row)?;
        rows.push(row);
    }
    Ok(rows)
}

fn column(name: &str, output: &str) -> usize {
    let system = compile(name);
    system.interface().outputs.iter().position(|other| other.name == output).expect("an output")
}

#[test]
fn a_door_on_two_hinges_falls_whatever_the_direction_of_its_axis() {
    for name in ["shaft_two_bearings", "shaft_axis_x", "shaft_axis_x_turned"] {
        assert_eq!(compile(name).report().dof, 1, "{name}");
        let height = column(name, "p.z");
        let rows = run(name, &[0.0, 0.5]).unwrap();
        assert!(rows[1][height] < rows[0][height] - 0.1, "{name}: {} {}", rows[0][height], rows[1][height]);
    }
}

#[test]
fn a_plane_mechanism_on_a_skew_plane_keeps_its_freedom_and_its_energy() {
    let system = compile("plan40036");
    assert!(system.report().dof > 0);
    let groups = structural_groups(&system);
    let unknowns: usize = groups.groups.iter().map(|group| group.unknowns.len()).sum();
    assert_eq!(unknowns, system.report().blocks.iter().map(|block| block.rank).sum::<usize>());
}

#[test]
fn loads_on_a_massless_body_in_a_loop_act_as_on_one_of_a_milligram() {
    for (massless, light) in [("massless_arm", "light_arm"), ("wishbone_massless_arm", "wishbone_light_arm")] {
        let (a, b) = (run(massless, &[0.0, 0.25]).unwrap(), run(light, &[0.0, 0.25]).unwrap());
        for (row, other) in a.iter().zip(&b) {
            let size = larger(1.0, largest(other));
            for (k, (x, y)) in row.iter().zip(other).enumerate() {
                assert!((x - y).abs() <= 1e-4 * size, "{massless}: output {k} is {x} and {y}");
            }
        }
    }
}

#[test]
fn a_tree_with_loops_and_a_massless_body_keeps_its_energy() {
    let balance = column("loop20307", "energy_balance");
    let rows = run("loop20307", &[0.0, 0.1, 0.2]).unwrap();
    for row in &rows {
        let change = (row[balance] - rows[0][balance]).abs();
        assert!(change < 1e-6, "{change:e} J");
    }
}

#[test]
fn a_coordinate_guided_out_of_a_dead_centre_is_a_fault_and_no_open_loop() {
    let times: Vec<f64> = (0..=200).map(|k| 0.01 * k as f64).collect();
    for name in ["dead_guided", "dead_guided_sine"] {
        let notes = compile(name).report().notes.join("\n");
        assert!(notes.contains("the start is a singular position of the loop of `w`"), "{name}: {notes}");
        let fault = run(name, &times).expect_err("a fault");
        assert!(matches!(fault, Fault::LoopOpen { .. }), "{name}: {fault:?}");
    }
}

#[test]
fn a_start_inside_the_reach_of_a_loop_is_found_from_its_dead_centre() {
    let gap = column("dead_guided_in", "gap");
    let rows = run("dead_guided_in", &[0.0, 0.5, 1.0]).unwrap();
    for row in &rows {
        assert!(row[gap] < 1e-9, "{:e} m", row[gap]);
    }
    let slider = column("dead_guided_in", "x");
    assert!((rows[1][slider] - (-0.02 - 0.15 * 0.5)).abs() < 1e-9);
}
