//! The data for Simscape's Reduced Order Flexible Solid.

use crate::rom::fixture::Body;
use ballesta::math::largest;
use ballesta_fem::export::simscape::{Padding, SimscapeSolid};
use nalgebra::Vector3;

fn bodies() -> [Body; 4] {
    [Body::frame(6, 4), Body::plane_frame(6, 4), Body::plane_truss(4, 4), Body::mast(5, 3)]
}

#[test]
fn exactly_six_zero_modes_remain_and_all_elastic_frequencies_of_the_model() {
    crate::root::at_root();
    for body in bodies() {
        let rom = body.reduce(false);
        let solid = SimscapeSolid::new(&rom, Padding::Rigid).expect("a body");
        assert_eq!(solid.mass.nrows(), 6 * rom.interfaces.len() + rom.modes.frequencies_hz.len());
        // What the block and the script ask for, to the last bit.
        for matrix in [&solid.stiffness, &solid.mass, &solid.damping] {
            assert_eq!(*matrix, matrix.transpose());
        }
        let motions = solid.rigid_motions(Vector3::zeros());
        assert!(largest(&(&solid.stiffness * &motions)) < 1e-10 * solid.stiffness.amax());
        assert!(largest(&(&solid.damping * &motions)) < 1e-10 * solid.damping.amax());
        // Positive definite but for these six motions: the elastic modes exist.
        let frequencies = solid.free_frequencies_hz().expect("six rigid motions, no more");
        assert_eq!(frequencies.len(), solid.mass.nrows() - 6);
        for wanted in &rom.checks.free_frequencies_hz {
            let near = frequencies.iter().map(|f| (f / wanted - 1.0).abs()).fold(f64::INFINITY, f64::min);
            assert!(near < 1e-9, "{wanted} Hz is off by {near:.1e}");
        }
        let highest = rom.checks.free_frequencies_hz.last().expect("modes");
        assert!(frequencies.iter().all(|f| *f < highest * (1.0 + 1e-9)), "nothing is stiffer than the model");
    }
}

#[test]
fn the_padded_body_has_the_rigid_mass_of_the_model() {
    crate::root::at_root();
    for body in bodies() {
        let rom = body.reduce(false);
        let solid = SimscapeSolid::new(&rom, Padding::Rigid).expect("a body");
        let motions = solid.rigid_motions(Vector3::from(rom.rigid.centre));
        let total = motions.tr_mul(&(&solid.mass * &motions));
        let [xx, yy, zz, xy, yz, xz] = rom.rigid.inertia;
        let wanted = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))) {
            let value = match (i < 3, j < 3) {
                (true, true) => f64::from(u8::from(i == j)) * rom.rigid.mass,
                (false, false) => wanted[i - 3][j - 3],
                _ => 0.0,
            };
            assert!((total[(i, j)] - value).abs() < 1e-9 * rom.rigid.mass, "{i} {j}: {} for {value}", total[(i, j)]);
        }
    }
}

#[test]
fn unit_padding_is_the_papers_and_says_what_it_does() {
    crate::root::at_root();
    let rom = Body::plane_truss(4, 4).reduce(true);
    let solid = SimscapeSolid::new(&rom, Padding::Unit).expect("a body");
    assert_eq!(solid.added, [2, 3, 4, 5, 8, 9, 10, 11]);
    assert!(solid.added.iter().all(|i| solid.stiffness[(*i, *i)] == 1.0 && solid.mass[(*i, *i)] == 1.0));
    let script = solid.to_matlab();
    assert!(script.contains("the number of zero modes is not six"), "{script}");
    assert!(script.contains("added = [3 4 5 6 9 10 11 12];\n") && script.contains("z axes of frame 1"), "{script}");
    assert!(script.contains(&format!("interface_mass = {:?};\n", 1e-6 * rom.rigid.mass)), "{script}");
    assert!(script.contains("stiffening") && script.contains("section forces"));
    assert!(script.lines().all(|line| line.len() <= 160));
}

#[test]
fn the_function_holds_a_plane_body_in_its_plane_and_others_not() {
    crate::root::at_root();
    for (body, plane) in bodies().into_iter().zip([false, true, true, false]) {
        let rom = body.reduce(false);
        for padding in [Padding::Rigid, Padding::Unit] {
            let solid = SimscapeSolid::new(&rom, padding).expect("a body");
            let frames = rom.interfaces.len();
            let held = padding == Padding::Unit && !solid.added.is_empty();
            let text = solid.to_block("body_block");
            assert_eq!(solid.is_plane(), plane);
            let count = |call: &str| text.matches(call).count();
            assert_eq!(count("add_block('nesl_utility/Connection Port'"), frames);
            assert_eq!(count("sm_lib/Body Elements/Inertia"), if held { frames } else { 0 });
            assert_eq!(count("sm_lib/Constraints/Angle Constraint"), if held && plane { frames - 1 } else { 0 });
            // A function ends where it says so, in MATLAB and in Octave.
            assert_eq!(text.lines().filter(|line| line.starts_with("function ")).count(), 5);
        }
    }
}
