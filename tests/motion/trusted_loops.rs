//! Loops of other hands whose files came with a wrong motion and exit code 0: locked by round-off, loads dropped, left
//! open; with what their reactions and starts have to tell.

use crate::models;
use ballesta::analysis::groups::structural_groups;
use ballesta::compile;
use ballesta::math::{larger, largest};
use ballesta::model;
use ballesta::simulate::Simulator;
use ballesta::system::{Fault, System};
use std::path::Path;
use std::sync::Arc;

fn compile(name: &str) -> System {
    let document = models::load(Path::new("tests/trust").join(name).with_extension("toml"));
    models::compiled(&document)
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
        assert!(notes.contains("the loop of `w` starts in a singular position"), "{name}: {notes}");
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

/// What refuses the model.
fn refusal(name: &str) -> String {
    let document = model::load(&Path::new("tests/trust").join(name).with_extension("toml")).expect("a model");
    match compile::compile(&document, &document.model.parameter_values()) {
        Ok(_) => panic!("{name} is accepted"),
        Err(diagnostics) => diagnostics.to_string(),
    }
}

#[test]
fn guided_speeds_that_contradict_a_loop_at_the_start_are_refused() {
    for (name, closed_by) in [("four_bar_two_guides", "C"), ("rod_stretched", "rod"), ("parallel_two_cranks", "rod")] {
        let said = refusal(name);
        assert!(said.contains("the prescribed speeds at t = 0 s"), "{name}: {said}");
        assert!(said.contains(&format!("`{closed_by}`")), "{name}: {said}");
    }
}

#[test]
fn guided_motions_that_part_from_each_other_later_are_warned_of_and_a_fault() {
    let system = compile("two_cranks_from_rest");
    let warnings = system.report().warnings.join("\n");
    assert!(warnings.contains("does not allow independent prescribed motions `ga`, `gb`"), "{warnings}");
    let fault = run("two_cranks_from_rest", &[0.5]).expect_err("a fault");
    assert!(matches!(fault, Fault::LoopOpen { gap, time, .. } if gap > 1e-6 && time < 0.01), "{fault:?}");
}

/// Without guides: the second rail follows from the first to all digits that count, wherever the model is probed at the
/// start, and not for ever.
#[test]
fn a_loop_whose_equations_are_redundant_at_the_start_alone_is_a_fault_where_it_opens() {
    let system = compile("skew_rails");
    let block = &system.report().blocks[0];
    assert_eq!((system.report().dof, block.rank), (1, 0), "both equations of the second rail are redundant");
    let (x, gap) = (column("skew_rails", "x"), column("skew_rails", "gap"));
    let rows = run("skew_rails", &[0.0, 0.1, 0.19]).unwrap();
    for row in &rows {
        assert!((row[gap] - 5e-9 * row[x]).abs() < 1e-12, "{:e} m at {} m", row[gap], row[x]);
    }
    let fault = run("skew_rails", &[1.0]).expect_err("a fault");
    assert!(matches!(fault, Fault::LoopOpen { gap, time, .. } if gap > 1e-6 && (time - 0.2).abs() < 2e-3), "{fault:?}");
}

#[test]
fn guides_by_inputs_that_contradict_each_other_are_refused_at_the_start_and_a_fault_of_a_step() {
    let system = Arc::new(compile("two_cranks_inputs"));
    assert!(system.report().warnings.join("\n").contains("`ga`, `gb`"), "{:?}", system.report().warnings);
    let start = |speeds: [f64; 2]| {
        let mut simulator = Simulator::new(system.clone());
        simulator.set_input(1, speeds[0]);
        simulator.set_input(4, speeds[1]);
        let done = simulator.initialize(0.0);
        (simulator, done)
    };
    assert!(matches!(start([1.0, -1.0]).1, Err(Fault::SpeedsContradict { .. })));
    let (mut simulator, done) = start([1.0, 1.0]);
    done.unwrap();
    for (index, value) in [(0, 0.01), (3, 0.01)] {
        simulator.set_input(index, value);
    }
    simulator.advance(0.01).unwrap();
    simulator.set_input(3, -0.01);
    assert!(matches!(simulator.advance(0.02), Err(Fault::LoopOpen { gap, .. }) if gap > 0.01));
}

#[test]
fn outputs_beside_a_singular_position_are_flagged_from_the_start_on() {
    let near = column("changepoint_free_eps1e-06", "near_singular");
    let rows = run("changepoint_free_eps1e-06", &[0.0]).unwrap();
    assert!(rows[0][near] == 1.0, "{}", rows[0][near]);
    let notes = compile("changepoint_free_eps1e-06").report().notes.join("\n");
    assert!(notes.contains("singular position"), "{notes}");
}

#[test]
fn reactions_that_redundancy_leaves_open_are_named_and_none_depends_on_the_order_of_the_file() {
    let [a, b] = ["redundant_order_a", "redundant_order_b"].map(|name| {
        let system = compile(name);
        let rows = run(name, &[0.0, 0.2]).unwrap();
        let names: Vec<String> = system.interface().outputs.iter().map(|output| output.name.clone()).collect();
        (system.report().undetermined.clone(), names, rows)
    });
    let sorted = |list: &[String]| {
        let mut list = list.to_vec();
        list.sort();
        list
    };
    assert_eq!(sorted(&a.0), sorted(&b.0));
    for joint in ["j1", "jx0"] {
        assert!(a.0.iter().any(|name| name.starts_with(&format!("o_{joint}_reaction_force"))), "{:?}", a.0);
    }
    // At the start to rounding; later the steps of two orders differ.
    for ((row, other), agreement) in a.2.iter().zip(&b.2).zip([1e-9, 1e-6]) {
        for (name, value) in a.1.iter().zip(row) {
            let place = b.1.iter().position(|found| found == name).expect("the same outputs");
            let difference = (value - other[place]).abs();
            // Repartitions and figures of rounding are no quantities of the motion.
            let size = larger(1.0, value.abs());
            let counted = name.starts_with("o_") || name.ends_with("_energy");
            assert!(!counted || difference <= agreement * size, "{name}: {value} and {}", other[place]);
        }
    }
    let system = compile("redundant_order_a");
    let described = system.interface().outputs.iter().filter(|output| output.description.contains("not determined"));
    assert_eq!(described.count(), a.0.len());
}

#[test]
fn two_balls_of_a_door_bear_half_of_its_weight_each() {
    let rows = run("door_on_two_balls", &[0.0, 0.1]).unwrap();
    let of = |output: &str| column("door_on_two_balls", output);
    for row in &rows {
        // The lower one names the ground as its second body. Across the line 40 N m at 1 m from each other.
        for (output, wanted) in [("upper.z", 50.0), ("lower.z", -50.0), ("upper.x", -40.0), ("lower.x", -40.0)] {
            assert!((row[of(output)] - wanted).abs() < 1e-9, "{output}: {}", row[of(output)]);
        }
    }
}

#[test]
fn of_a_plane_linkage_only_reactions_across_its_plane_are_undetermined() {
    let document = models::load("models/four_bar");
    let system = models::compiled(&document);
    let undetermined = &system.report().undetermined;
    assert!(undetermined.contains(&"A0.force.z".to_string()), "{undetermined:?}");
    for determined in ["A0.force.x", "A0.force.y"] {
        assert!(!undetermined.contains(&determined.to_string()), "{undetermined:?}");
    }
}
