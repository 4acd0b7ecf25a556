//! What acts at the interfaces of flexible bodies: joints, loops, rods, springs, forces, against closed forms.

use crate::check::larger;
use crate::flexible_gallery::support::{Run, parse, times};
use ballesta::compile;

/// Bending stiffness of the arm's tube, N m².
fn bending() -> f64 {
    70e9 * std::f64::consts::PI / 64.0 * (0.04f64.powi(4) - 0.036f64.powi(4))
}

/// Tubes of the serial arm, 1 m along x, at given heights, their roots held by joints of kind `held`; deformed
/// statically.
fn tubes(places: &[f64], held: &str, more: &str) -> ballesta::model::Document {
    let mut text = String::from("[model]\nname = \"tubes\"\nintegrator = \"generalized_alpha\"\nresolution = 1e9\n");
    for (k, y) in places.iter().enumerate() {
        text += &format!(
            r#"
            [[flexible_body]]
            name = "tube_{k}"
            rom = "link.rom.toml"
            position = [0, {y}, 0]
            deformation = "static"

            [[joint]]
            name = "root_{k}"
            bodies = ["ground", "tube_{k}.root"]
            {held}

            [[output]]
            name = "tip_{k}"
            body = "tube_{k}.tip"
            quantity = "position"
            "#
        );
    }
    parse("serial_arm", &(text + more))
}

const FIXED: &str = "type = \"fixed\"";

fn deflection(document: &ballesta::model::Document, body: usize, place: f64) -> f64 {
    Run::new(document).value(&format!("tip_{body}.y")) - place
}

/// Constant force along y at the tip of the first tube.
const FORCE: &str = "\n[[force]]\nname = \"load\"\nbody = \"tube_0.tip\"\npoint = [1, 0, 0]\nvalue = [0, 10, 0]\n";

#[test]
fn a_force_at_the_tip_bends_a_clamped_tube() {
    crate::root::at_root();
    let found = deflection(&tubes(&[0.0], FIXED, FORCE), 0, 0.0);
    let exact = 10.0 / (3.0 * bending());
    println!("tip force: {found:.6e} m, exact {exact:.6e} m, {:.1e}", found / exact - 1.0);
    assert!((found / exact - 1.0).abs() < 1e-5);
}

#[test]
fn a_spring_at_the_tip_shares_its_load_with_the_tube() {
    crate::root::at_root();
    let stiffness = 5e3;
    let spring = format!(
        "\n[[spring]]\nname = \"stay\"\nbodies = [\"ground\", \"tube_0.tip\"]\npoints = [[1, 0.5, 0], [1, 0, \
         0]]\nstiffness = {stiffness}\npreload = 20\n"
    );
    let found = deflection(&tubes(&[0.0], FIXED, &spring), 0, 0.0);
    let exact = 20.0 / (stiffness + 3.0 * bending());
    println!("spring: {found:.6e} m, exact {exact:.6e} m, {:.1e}", found / exact - 1.0);
    assert!((found / exact - 1.0).abs() < 1e-5);
}

#[test]
fn a_rod_between_two_tubes_shares_a_force_equally() {
    crate::root::at_root();
    let rod =
        "\n[[rod]]\nname = \"link\"\nbodies = [\"tube_0.tip\", \"tube_1.tip\"]\npoints = [[1, 0, 0], [1, 0.3, 0]]\n";
    let document = tubes(&[0.0, 0.3], FIXED, &format!("{FORCE}{rod}"));
    let exact = 10.0 / (6.0 * bending());
    for (body, place) in [(0, 0.0), (1, 0.3)] {
        let found = deflection(&document, body, place);
        println!("rod, tube {body}: {found:.6e} m, exact {exact:.6e} m, {:.1e}", found / exact - 1.0);
        assert!((found / exact - 1.0).abs() < 1e-4);
    }
}

fn frequencies(document: &ballesta::model::Document) -> Vec<f64> {
    let mut run = Run::new(document);
    let model = run.simulator.linearize().unwrap_or_else(|e| panic!("{e}"));
    let modes = ballesta::analysis::modal::modes(&model).unwrap_or_else(|e| panic!("{e}"));
    let mut found: Vec<f64> =
        modes.eigenvalues().iter().map(|z| z.norm() / std::f64::consts::TAU).filter(|f| *f > 1.0).collect();
    found.sort_by(f64::total_cmp);
    found.dedup_by(|a, b| (*a / *b - 1.0).abs() < 1e-9);
    found
}

#[test]
fn a_tube_clamped_at_both_interfaces_has_the_frequencies_of_its_internal_modes() {
    crate::root::at_root();
    let clamp = "\n[[joint]]\nname = \"end\"\ntype = \"fixed\"\nbodies = [\"ground\", \"tube_0.tip\"]\n";
    let document = tubes(&[0.0], FIXED, clamp);
    let found = frequencies(&document);
    let wanted = &document.roms[0].modes.frequencies_hz;
    println!("clamped at both ends: {found:?} Hz, {wanted:?} Hz");
    for wanted in wanted {
        assert!(found.iter().any(|f| (f / wanted - 1.0).abs() < 1e-5), "{wanted}");
    }
}

#[test]
fn a_tube_between_pin_and_slide_has_the_frequency_of_a_simply_supported_beam() {
    crate::root::at_root();
    let slide = "\n[[point_on_line]]\nname = \"slide\"\nbodies = [\"ground\", \"tube_0.tip\"]\npoint = [1, 0, \
        0]\naxis = [1, 0, 0]\n";
    let pin = "type = \"revolute\"\naxis = [0, 0, 1]";
    let found = frequencies(&tubes(&[0.0], pin, slide));
    let mass = 2700.0 * std::f64::consts::PI / 4.0 * (0.04f64.powi(2) - 0.036f64.powi(2));
    let exact = std::f64::consts::FRAC_PI_2 * (bending() / mass).sqrt();
    println!("pin and slide: {found:?} Hz, exact {exact} Hz");
    assert!(found.iter().any(|f| (f / exact - 1.0).abs() < 1e-3));
}

#[test]
fn a_joint_beside_its_interface_is_carried_rigidly() {
    crate::root::at_root();
    // A pendulum on a stalk at the tip: the stalk as the offset of the joint, and as a massless body fixed to the
    // interface.
    let pendulum = |carrier: &str| {
        format!(
            r#"
            [[body]]
            name = "bob"
            mass = 0.5
            com = [1.1, 0.4, 0.1]
            inertia = [1e-3, 1e-3, 1e-3, 0, 0, 0]

            [[joint]]
            name = "hinge"
            type = "revolute"
            bodies = ["{carrier}", "bob"]
            point = [1.1, 0.1, 0]
            axis = [0, 0, 1]
            speed = 3

            [[output]]
            name = "bob"
            body = "bob"
            quantity = "position"
            "#
        )
    };
    let stalk = "\n[[body]]\nname = \"stalk\"\ncom = [1.1, 0.1, 0]\n\n[[joint]]\nname = \"foot\"\ntype = \
        \"fixed\"\nbodies = [\"tube_0.tip\", \"stalk\"]\npoint = [1, 0, 0]\n";
    let mut runs =
        [pendulum("tube_0.tip"), pendulum("stalk") + stalk].map(|more| Run::new(&tubes(&[0.0], FIXED, &more)));
    let mut worst = 0.0f64;
    let start = runs[0].vector("bob");
    for time in times(1.0, 0.02) {
        runs.iter_mut().for_each(|run| run.advance(time));
        worst = larger(worst, (runs[0].vector("bob") - runs[1].vector("bob")).norm());
    }
    println!("offset joint: {worst:.1e} m");
    assert!(worst < 1e-9 && (runs[0].vector("bob") - start).norm() > 0.05);
}

/// The equilibrium replaces what the implicit integrator remembers of the undeformed start, and the load of residual
/// modes.
#[test]
fn a_beam_that_starts_in_equilibrium_stays_there() {
    crate::root::at_root();
    let text = r#"
        [model]
        name = "resting"
        gravity = [0, 0, -9.81]
        integrator = "generalized_alpha"

        [[flexible_body]]
        name = "link"
        rom = "link.rom.toml"
        damping_ratio = 0

        [[joint]]
        name = "wall"
        type = "fixed"
        bodies = ["ground", "link.root"]

        [[output]]
        name = "tip"
        body = "link.tip"
        quantity = "position"
        component = "z"
    "#;
    let document = ballesta::model::parse(text, "models/serial_arm/resting.toml").unwrap_or_else(|e| panic!("{e}"));
    let system = compile::compile(&document, &[]).unwrap_or_else(|e| panic!("{e}"));
    let mut simulator = ballesta::simulate::Simulator::new(std::sync::Arc::new(system));
    let mut tip = [0.0];
    simulator.trim().unwrap();
    simulator.outputs(&mut tip).unwrap();
    let sag = tip[0];
    let mut moved = 0.0f64;
    for step in 1..=100 {
        simulator.advance(f64::from(step) * 1e-3).unwrap();
        simulator.outputs(&mut tip).unwrap();
        moved = larger(moved, (tip[0] - sag).abs());
    }
    println!("sags by {sag:e} m, then moves by {moved:.1e} m");
    assert!(sag < -1e-5 && moved < 1e-6 * sag.abs(), "{moved:e} of {sag:e}");
}
