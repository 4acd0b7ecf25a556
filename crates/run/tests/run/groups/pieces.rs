//! Blocks that are closed group by group, beside the same closed as a whole.

use ballesta::compile;
use ballesta::simulate::Simulator;
use ballesta::system::{System, Workspace};
use ballesta::{integrate, model};
use std::path::Path;
use std::sync::Arc;

fn compile(document: &model::Document) -> System {
    compile::compile(document, &document.model.parameter_values()).unwrap_or_else(|errors| panic!("{errors}"))
}

fn of_gallery(name: &str) -> System {
    compile(&model::load(&Path::new("models").join(name)).unwrap_or_else(|errors| panic!("{errors}")))
}

/// Positions and velocities every ten steps, with all blocks closed in pieces or none; and the largest number of
/// pieces.
fn motion(mut system: System, in_pieces: bool, steps: usize) -> (Vec<Vec<f64>>, usize) {
    system.blocks.iter_mut().for_each(|block| block.in_pieces = in_pieces);
    let (system, mut most) = (Arc::new(system), 0);
    let words = |fault| -> () { panic!("{}", system.describe(&fault)) };
    let mut simulator = Simulator::new(system.clone());
    simulator.initialize(0.0).unwrap_or_else(words);
    let (mut state, mut ws) = (simulator.state().clone(), Workspace::new(&system));
    let mut states = Vec::new();
    for index in 1..=steps {
        integrate::step(&system, &mut state, &mut ws, system.step()).unwrap_or_else(words);
        most = ws.blocks.iter().map(|block| block.pieces()).fold(most, usize::max);
        if index % 10 == 0 {
            states.push([state.q.clone(), state.v.clone()].concat());
        }
    }
    (states, most)
}

fn compare(name: &str, system: impl Fn() -> System, steps: usize, pieces: usize) {
    let ((whole, one), (parts, most)) = (motion(system(), false, steps), motion(system(), true, steps));
    assert_eq!((one, most), (1, pieces), "{name}");
    assert!(whole.len() >= 5 && whole[0] != whole[4], "{name} moves");
    for (a, b) in whole.iter().flatten().zip(parts.iter().flatten()) {
        assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{name}: {a} as a whole, {b} in pieces");
    }
}

#[test]
fn group_by_group_is_the_motion_of_the_whole_block() {
    crate::root::at_root();
    for (name, pieces) in [
        ("linkage_train", 10),
        ("andrews", 3),
        ("epicyclic_cam", 3),
        ("watt_six_bar", 2),
        ("four_bar_windows_10", 10),
        ("swash_plate", 2),
    ] {
        compare(name, || of_gallery(name), 200, pieces);
    }
}

#[test]
fn large_groups_alone_are_closed_in_pieces() {
    crate::root::at_root();
    let chosen = |name: &str| of_gallery(name).blocks.iter().filter(|block| block.in_pieces).count();
    assert_eq!(["linkage_train", "watt_six_bar", "four_bar_windows_10", "van"].map(chosen), [1, 0, 0, 0]);
}

/// A four-bar linkage on a base that swings about the ground, held by a rod from its coupler to the ground: it is
/// closed before it is known where its base is, and carried along when that is found.
const RIDING: &str = r#"
[model]
name = "riding"
gravity = [0, -9.81, 0]
step = 1e-2
integrator = "rk4"
[experiment]
stop = 1
[[body]]
name = "base"
mass = 2
com = [0.5, 0.4, 0]
inertia = [0.2, 0.2, 0.2, 0, 0, 0]
[[body]]
name = "left"
mass = 0.3
com = [0.3, 0.6, 0]
inertia = [0.004, 0.004, 0.004, 0, 0, 0]
[[body]]
name = "right"
mass = 0.3
com = [0.72, 0.6, 0]
inertia = [0.004, 0.004, 0.004, 0, 0, 0]
[[body]]
name = "top"
mass = 0.3
com = [0.5, 0.77, 0]
inertia = [0.004, 0.004, 0.004, 0, 0, 0]
[[joint]]
name = "swing"
type = "revolute"
bodies = ["ground", "base"]
point = [0, 0, 0]
axis = [0, 0, 1]
[[joint]]
name = "left"
type = "revolute"
bodies = ["base", "left"]
point = [0.3, 0.45, 0]
axis = [0, 0, 1]
speed = -3
[[joint]]
name = "right"
type = "revolute"
bodies = ["base", "right"]
point = [0.7, 0.45, 0]
axis = [0, 0, 1]
[[joint]]
name = "left_top"
type = "revolute"
bodies = ["left", "top"]
point = [0.3, 0.75, 0]
axis = [0, 0, 1]
[[joint]]
name = "top_right"
type = "revolute"
bodies = ["top", "right"]
point = [0.75, 0.8, 0]
axis = [0, 0, 1]
cut = true
[[rod]]
name = "rod"
bodies = ["ground", "top"]
points = [[0.4, 1.3, 0], [0.5, 0.78, 0]]
[[output]]
name = "gap"
quantity = "gap"
"#;

#[test]
fn a_loop_that_a_later_group_carries_along_stays_right() {
    crate::root::at_root();
    let document = model::parse(RIDING, "riding.toml").unwrap_or_else(|errors| panic!("{errors}"));
    compare("riding", || compile(&document), 50, 2);
}
