//! Positions group by group: against calculation by hand, and against the assembly.

use ballesta::analysis::groups::structural_groups;
use ballesta::compile;
use ballesta::model;
use ballesta_run::Grid;
use ballesta_run::groups::solution::{GroupedModel, Sweep};
use ballesta_run::model::Assignment;
use ballesta_run::simulation::Excitation;
use std::path::Path;
use std::sync::Arc;

fn subject(name: &str) -> GroupedModel {
    let document = model::load(&Path::new("models").join(name)).unwrap_or_else(|errors| panic!("{errors}"));
    let system =
        compile::compile(&document, &document.model.parameter_values()).unwrap_or_else(|errors| panic!("{errors}"));
    let groups = structural_groups(&system);
    GroupedModel { system: Arc::new(system), groups, inputs: Vec::new() }
}

fn at(name: &str, value: f64) -> Assignment {
    Assignment { name: name.into(), value }
}

/// The worked example of Saura et al. with the dimensions of the model, by hand. Group I: wheels of 60 and 30 mm,
/// 30 q₁ = 90 α; the centre of wheel 2 is 90 mm from the centre. Group II: the centre C of the disc is 20 mm behind the
/// axis; the nose, 120 mm from the axis A of the follower, keeps 60 mm from C. Returns α, x and y of wheel 2 from
/// their start, and the angle of the follower.
fn by_hand(q1: f64) -> [f64; 4] {
    let alpha = q1 / 3.0;
    let to_axis = [0.1 + 0.02 * alpha.cos(), 0.06 + 0.02 * alpha.sin()];
    let square = to_axis[0] * to_axis[0] + to_axis[1] * to_axis[1];
    // The law of cosines in the triangle of C, A and the nose.
    let cosine = (square + 0.12 * 0.12 - 0.06 * 0.06) / (2.0 * 0.12 * square.sqrt());
    let follower = to_axis[1].atan2(to_axis[0]) - cosine.acos();
    [alpha, 0.09 * (alpha.cos() - 1.0), 0.09 * alpha.sin(), follower]
}

/// Whole turns do not count.
fn apart(a: f64, b: f64) -> f64 {
    let turns = (a - b) / std::f64::consts::TAU;
    (turns - turns.round()).abs() * std::f64::consts::TAU
}

#[test]
fn the_worked_example_is_solved_group_by_group_as_by_hand() {
    crate::root::at_root();
    let subject = subject("epicyclic_cam");
    let solution = subject.solve(&[at("wheel_2[3]", 1.2), at("link_5", 0.3)]).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<&[String]> = solution.groups.iter().map(|group| &group.bodies[..]).collect();
    assert_eq!(names, [&["arm_3", "wheel_2"][..], &["follower_4"], &["link_5"]]);
    let value = |name: &str| {
        let values = solution.groups.iter().flat_map(|group| group.given.iter().chain(&group.unknowns));
        values.filter(|value| value.coordinate == name).map(|value| value.value).next().expect("a coordinate")
    };
    let [alpha, x, y, follower] = by_hand(1.2);
    assert!((value("arm_3") - alpha).abs() < 1e-14 && (value("link_5") - 0.3).abs() == 0.0);
    assert!((value("wheel_2[1]") - x).abs() < 1e-14 && (value("wheel_2[2]") - y).abs() < 1e-14);
    // The joint on the cam turns the follower against the arm.
    assert!(apart(value("cam[2]") + alpha, follower) < 1e-13, "{} {follower}", value("cam[2]"));
    for (group, [unknowns, equations]) in solution.groups.iter().zip([[3, 3], [2, 2], [0, 0]]) {
        assert_eq!((group.unknowns.len(), group.equations.len()), (unknowns, equations));
        assert!(group.condition >= 1.0 && group.condition < 100.0 && group.residual < 1e-15);
        assert_eq!(group.iterations > 0, unknowns > 0);
    }
    assert!(solution.difference < 1e-10 && solution.gap < 1e-12, "{} {}", solution.difference, solution.gap);
}

/// A turn of the arm, three of wheel 2.
#[test]
fn the_worked_example_is_swept_as_by_hand() {
    crate::root::at_root();
    let subject = subject("epicyclic_cam");
    let column = |name: &str| subject.columns().iter().position(|column| column == name).expect("a column");
    let (arm, cam) = (column("arm_3"), column("cam[2]"));
    let sweep = Sweep { name: "wheel_2[3]".into(), from: 0.0, to: 6.0 * std::f64::consts::PI };
    let (mut rows, mut lift) = (0, 0.0);
    let done = subject.sweep(&[], &sweep, 61, |row| {
        let [alpha, _, _, follower] = by_hand(row.at);
        assert!((row.values[arm] - alpha).abs() < 1e-13 && row.difference < 1e-10, "{}", row.difference);
        assert!(apart(row.values[cam] + alpha, follower) < 1e-12);
        (rows, lift) = (rows + 1, if follower.abs() > lift { follower.abs() } else { lift });
        Ok(())
    });
    done.unwrap_or_else(|error| panic!("{error}"));
    assert!(rows == 61 && lift > 0.2);
}

#[test]
fn positions_of_a_run_are_those_of_its_groups() {
    crate::root::at_root();
    for (name, stop) in [("epicyclic_cam", 0.4), ("watt_six_bar", 0.3), ("linkage_train", 0.05), ("bricard", 0.1)] {
        let subject = subject(name);
        let grid = Grid { start: 0.0, step: 0.01, stop };
        let (mut rows, mut worst) = (0, 0.0);
        let done = subject.follow(&grid, &Excitation::default(), |row| {
            (rows, worst) = (rows + 1, if row.difference > worst { row.difference } else { worst });
            assert!(row.difference < 1e-10, "{name} at {} s: {}", row.at, row.difference);
            Ok(())
        });
        done.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(rows > 4, "{name}");
        println!("{name}: {worst:.1e}");
    }
}

#[test]
fn the_assembled_position_of_mechanisms_and_vehicles_is_found_again_group_by_group() {
    crate::root::at_root();
    for name in ["watt_six_bar", "epicyclic_cam", "bricard", "linkage_train", "scotch_yoke", "van", "truck"] {
        let subject = subject(name);
        let solution = subject.solve(&[]).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(solution.difference < 1e-10, "{name}: {}", solution.difference);
        let moved = solution.groups.iter().filter(|group| !group.unknowns.is_empty());
        assert!(moved.clone().count() > 0 && moved.clone().all(|group| group.iterations > 0), "{name}");
        for group in moved {
            assert_eq!(group.unknowns.len(), group.equations.len(), "{name}");
        }
    }
}

#[test]
fn what_is_not_given_and_what_is_singular_is_refused() {
    crate::root::at_root();
    let subject = subject("four_bar");
    let refused = |at: &[Assignment]| subject.solve(at).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(refused(&[at("B0x", 1.0)]).contains("did you mean `B0`?"), "{}", refused(&[at("B0x", 1.0)]));
    assert!(refused(&[at("A0", 1.0)]).contains("unknown of group 1; given are B0"), "{}", refused(&[at("A0", 1.0)]));
    // All rods in one line.
    let singular = refused(&[at("B0", -std::f64::consts::FRAC_PI_2)]);
    assert!(singular.contains("group 1 is in a singular position"), "{singular}");
    // The run turns through such positions.
    let grid = Grid { start: 0.0, step: 0.05, stop: 10.0 };
    let stopped = subject.follow(&grid, &Excitation::default(), |_| Ok(())).err().map(|error| error.to_string());
    let stopped = stopped.unwrap_or_default();
    assert!(stopped.contains("singular position"), "{stopped}");
}
