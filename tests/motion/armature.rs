//! Armatures of joints beside bodies with the same energy: massless rotors on the ground that couplers turn, and
//! inertias of bodies.

use crate::force_elements::Run;
use ballesta::math::larger;

/// Four-bar linkage, out of plane gravity included, with a spring on its rocker. `@crank` and `@rocker` stand for the
/// last keys of these joints, `@scheme` for the integrator.
const LINKAGE: &str = r#"
    [model]
    name = "linkage"
    gravity = [1.0, -9.81, 0.3]
    step = 2e-4
    @scheme

    [points]
    A = [0, 0, 0]
    B = [0.1, 0.3, 0]
    C = [0.6, 0.5, 0]
    D = [0.7, 0, 0]

    [[body]]
    name = "crank"
    mass = 0.6
    com = [0.05, 0.15, 0]
    inertia = [5e-3, 1e-3, 6e-3, 0, 0, 0]

    [[body]]
    name = "rod"
    mass = 0.9
    com = [0.35, 0.42, 0]
    inertia = [3e-3, 2e-2, 2e-2, 0, 0, 0]

    [[body]]
    name = "rocker"
    mass = 0.8
    com = [0.65, 0.25, 0]
    inertia = [1e-2, 1e-3, 1e-2, 0, 0, 0]

    [[joint]]
    name = "crank"
    type = "revolute"
    bodies = ["ground", "crank"]
    point = "A"
    axis = [0, 0, 1]
    speed = 3.0
    @crank

    [[joint]]
    name = "B"
    type = "spherical"
    bodies = ["crank", "rod"]
    point = "B"

    [[joint]]
    name = "C"
    type = "universal"
    bodies = ["rod", "rocker"]
    point = "C"
    axis = [0, 0, 1]
    second_axis = [1, 0, 0]
    cut = true

    [[joint]]
    name = "rocker"
    type = "revolute"
    bodies = ["ground", "rocker"]
    point = "D"
    axis = [0, 0, 1]
    @rocker

    [[joint_spring]]
    name = "spring"
    joint = "rocker"
    stiffness = 30.0
    damping = 0.2

    [[output]]
    name = "angle"
    joint = "crank"
    quantity = "position"

    [[output]]
    name = "speed"
    joint = "rocker"
    quantity = "speed"

    [[output]]
    name = "acceleration"
    joint = "rocker"
    quantity = "acceleration"

    [[output]]
    name = "pin"
    joint = "B"
    quantity = "reaction_force"

    [[output]]
    name = "kinetic"
    quantity = "kinetic_energy"

    [[output]]
    name = "balance"
    quantity = "energy_balance"
"#;

/// A massless rotor about the axis of `joint` that a coupler turns.
fn rotor(joint: &str, inertia: f64) -> String {
    format!(
        r#"
    [[body]]
    name = "{joint}_rotor"
    mass = 0.0
    com = [0, 0, 0]
    inertia = [{inertia}, {inertia}, {inertia}, 0, 0, 0]

    [[joint]]
    name = "{joint}_rotor"
    type = "revolute"
    bodies = ["ground", "{joint}_rotor"]
    point = [0, 0, 0]
    axis = [0, 0, 1]

    [[coupler]]
    name = "{joint}_gear"
    coordinates = [{{ joint = "{joint}" }}, {{ joint = "{joint}_rotor" }}]
    ratio = 1.0
"#
    )
}

/// Compares all outputs at ten instants of `seconds`.
fn compare(one: &str, other: &str, seconds: f64, tolerance: f64) {
    let (mut one, mut other) = (Run::new(one), Run::new(other));
    let names = one.names().to_vec();
    let mut sizes = vec![0.0f64; names.len()];
    let mut apart = vec![0.0f64; names.len()];
    for i in 0..=10 {
        let t = 0.1 * f64::from(i) * seconds;
        one.advance(t);
        other.advance(t);
        for (index, name) in names.iter().enumerate() {
            let (a, b) = (one.output(name), other.output(name));
            sizes[index] = larger(sizes[index], a.abs());
            apart[index] = larger(apart[index], (a - b).abs());
        }
    }
    for ((name, size), apart) in names.iter().zip(sizes).zip(apart) {
        assert!(apart <= tolerance * larger(size, 1.0), "{name}: {apart:e} of {size}");
    }
}

const SCHEMES: [&str; 5] = [
    "integrator = \"rk4\"",
    "integrator = \"semi_implicit_euler\"",
    "integrator = \"generalized_alpha\"",
    "integrator = \"generalized_alpha\"\nimplicit = \"all\"",
    "integrator = \"augmented_lagrangian\"",
];

#[test]
fn armature_of_a_loop_is_a_rotor_that_a_coupler_turns() {
    for scheme in SCHEMES {
        let linkage = LINKAGE.replace("@scheme", scheme);
        let with = linkage.replace("@crank", "armature = 0.02").replace("@rocker", "armature = 0.05");
        let rotors =
            linkage.replace("@crank", "").replace("@rocker", "") + &rotor("crank", 0.02) + &rotor("rocker", 0.05);
        let tolerance = if scheme.contains("euler") { 1e-8 } else { 1e-9 };
        compare(&with, &rotors, 0.5, tolerance);
    }
}

#[test]
fn armature_of_a_prescribed_crank_takes_the_power_of_its_motor() {
    let guided = r#"
    [[guided]]
    name = "motor"
    joint = "crank"
    motion = { offset = 0.0, amplitude = 0.3, frequency = 3.0 }

    [[output]]
    name = "torque"
    guided = "motor"
    quantity = "effort"
"#;
    for scheme in SCHEMES {
        let linkage = LINKAGE.replace("@scheme", scheme).replace("speed = 3.0", "") + guided;
        let with = linkage.replace("@crank", "armature = 0.02").replace("@rocker", "armature = 0.05");
        let rotors =
            linkage.replace("@crank", "").replace("@rocker", "") + &rotor("crank", 0.02) + &rotor("rocker", 0.05);
        compare(&with, &rotors, 0.3, 1e-9);
    }
}

/// A body on a joint to the ground, with a second body on a revolute joint.
fn pair(joint: &str, armature: &str, [mass, inertia]: [f64; 2], force: &str, scheme: &str) -> String {
    format!(
        r#"
    [model]
    name = "pair"
    gravity = [0.5, 0, -9.81]
    step = 2e-4
    {scheme}

    [[body]]
    name = "first"
    mass = {mass}
    com = [0, 0, 0]
    inertia = [{}, {}, {}, 0, 0, 0]

    [[body]]
    name = "second"
    mass = 0.7
    com = [0.3, 0.1, 0]
    inertia = [2e-3, 4e-3, 5e-3, 0, 0, 0]

    [[joint]]
    name = "base"
    {joint}
    bodies = ["ground", "first"]
    point = [0, 0, 0]
    {armature}

    [[joint]]
    name = "hinge"
    type = "revolute"
    bodies = ["first", "second"]
    point = [0.2, 0, 0]
    axis = [0, 1, 1]
    speed = -4.0
    {force}

    [[output]]
    name = "turn"
    body = "first"
    quantity = "rotation"

    [[output]]
    name = "place"
    body = "second"
    quantity = "position"

    [[output]]
    name = "bearing"
    joint = "hinge"
    quantity = "reaction_moment"

    [[output]]
    name = "kinetic"
    quantity = "kinetic_energy"

    [[output]]
    name = "balance"
    quantity = "energy_balance"
"#,
        2e-2 + inertia,
        3e-2 + inertia,
        4e-2 + inertia
    )
}

#[test]
fn armature_of_a_free_rotation_is_an_inertia_of_its_body() {
    let speeds = "type = \"spherical\"\nspeed = [1.0, -2.0, 3.0]";
    for scheme in SCHEMES {
        let with = pair(speeds, "armature = 0.05", [1.5, 0.0], "", scheme);
        let without = pair(speeds, "", [1.5, 0.05], "", scheme);
        compare(&with, &without, 0.5, 1e-9);
    }
}

#[test]
fn armature_of_a_free_body_is_a_sphere_without_weight() {
    let speeds = "type = \"floating\"\nspeed = [0.1, 0.2, 0.3, 1.0, -2.0, 3.0]";
    let lift = r#"
    [[force]]
    name = "lift"
    body = "first"
    point = [0, 0, 0]
    value = [-0.2, 0, 3.924]
"#;
    for scheme in SCHEMES {
        let with = pair(speeds, "armature = [0.4, 0.4, 0.4, 0.05, 0.05, 0.05]", [1.5, 0.0], "", scheme);
        let without = pair(speeds, "", [1.9, 0.05], lift, scheme);
        // The lift is a force with a power, which the energies count.
        let without = without.replace("[[output]]\n    name = \"balance\"\n    quantity = \"energy_balance\"", "");
        let with = with.replace("[[output]]\n    name = \"balance\"\n    quantity = \"energy_balance\"", "");
        compare(&with, &without, 0.5, 1e-9);
    }
}

#[test]
fn crank_with_a_geared_motor_keeps_its_energy_balance() {
    let text = std::fs::read_to_string("models/laws/geared_crank.toml").expect("a file");
    let lost = |step: &str| {
        let mut run = Run::new(&text.replace("step = 1e-3", step));
        let energy = run.output("energy_balance");
        run.advance(2.0);
        (run.output("energy_balance") - energy).abs()
    };
    let errors = [lost("step = 2e-3"), lost("step = 5e-4")];
    assert!(errors[0] < 1e-5 && errors[1] < errors[0] / 100.0, "{errors:?} J");
}
