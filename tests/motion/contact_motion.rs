//! Contacts beside closed formulas: restitution, a block and a sphere on a slope, two spheres, a body at rest.

use crate::models;
use crate::verification::support::{Run, models_folder, parse};
use ballesta::model::schema::{Integrator, Model};

fn with(text: &str, step: f64, integrator: Integrator) -> Model {
    let mut model = parse(text);
    (model.general.step, model.general.integrator) = (step, integrator);
    model
}

/// A sphere of 2 kg whose lowest point is 1 m over the ground, falling with 3 m/s without gravity.
fn ball(exponent: f64, restitution: f64) -> String {
    format!(
        r#"
        [model]
        name = "ball"
        gravity = [0, 0, 0]
        [[body]]
        name = "ball"
        mass = 2
        com = [0, 0, 1.1]
        inertia = [0.008, 0.008, 0.008, 0, 0, 0]
        [[joint]]
        name = "free"
        type = "floating"
        bodies = ["ground", "ball"]
        point = [0, 0, 1.1]
        speed = [0, 0, -3, 0, 0, 0]
        [[contact]]
        name = "ground"
        bodies = ["ground", "ball"]
        points = [[0, 0, 1.1]]
        radius = 0.1
        surface = "plane"
        point = [0, 0, 0]
        stiffness = {}
        exponent = {exponent}
        restitution = {restitution}
        impact_speed = 3
        tangential_stiffness = 1e5
        [[output]]
        name = "v"
        joint = "free"
        coordinate = "z"
        quantity = "speed"
        [[output]]
        name = "balance"
        quantity = "energy_balance"
        "#,
        if exponent == 1.0 { 2e5 } else { 2e6 }
    )
}

#[test]
fn a_ball_leaves_with_its_restitution_whatever_the_exponent_and_the_error_falls_with_the_step() {
    for (exponent, restitution) in [(1.0, 0.3), (1.0, 0.8), (1.5, 0.5), (1.5, 1.0)] {
        let errors = [4e-4, 1e-4, 2.5e-5].map(|step| {
            let mut run = Run::new(&with(&ball(exponent, restitution), step, Integrator::Rk4));
            let before = run.get("balance");
            run.advance(0.6);
            assert!((run.get("balance") - before).abs() < 1e-2, "{}", run.get("balance") - before);
            (run.get("v") / 3.0 - restitution).abs()
        });
        println!("exponent {exponent}, restitution {restitution}: errors {errors:?}");
        assert!(errors[0] < 2e-3 && errors[1] < 2e-4 && errors[2] < 2e-5, "{errors:?}");
    }
}

/// A block with four feet, or a sphere, of 3 kg on a slope of 20°, under which gravity is turned.
fn on_slope(points: &str, radius: f64, friction: f64, inertia: f64) -> String {
    let angle = 20f64.to_radians();
    format!(
        r#"
        [model]
        name = "slope"
        gravity = [{}, 0, {}]
        [[body]]
        name = "body"
        mass = 3
        com = [0, 0, 0.1]
        inertia = [{inertia}, {inertia}, {inertia}, 0, 0, 0]
        [[joint]]
        name = "free"
        type = "floating"
        bodies = ["ground", "body"]
        point = [0, 0, 0.1]
        [[contact]]
        name = "ground"
        bodies = ["ground", "body"]
        points = {points}
        radius = {radius}
        surface = "plane"
        point = [0, 0, 0]
        stiffness = 4e4
        restitution = 0.2
        friction = {friction}
        [[output]]
        name = "x"
        joint = "free"
        coordinate = "x"
        quantity = "position"
        [[output]]
        name = "v"
        joint = "free"
        coordinate = "x"
        quantity = "speed"
        [[output]]
        name = "spin"
        body = "body"
        quantity = "angular_velocity"
        component = "y"
        [[output]]
        name = "force"
        contact = "ground"
        quantity = "force"
        [[output]]
        name = "normal"
        contact = "ground"
        quantity = "normal_force"
        [[output]]
        name = "distance"
        contact = "ground"
        quantity = "distance"
        [[output]]
        name = "balance"
        quantity = "energy_balance"
        "#,
        9.81 * angle.sin(),
        -9.81 * angle.cos()
    )
}

const FEET: &str = "[[-0.1, -0.1, 0], [0.1, -0.1, 0], [-0.1, 0.1, 0], [0.1, 0.1, 0]]";
const SCHEMES: [Integrator; 2] = [Integrator::Rk4, Integrator::GeneralizedAlpha];

#[test]
fn a_block_sticks_below_the_angle_of_friction_for_a_minute_and_slides_above() {
    let angle = 20f64.to_radians();
    for scheme in SCHEMES {
        let mut run = Run::new(&with(&on_slope(FEET, 0.0, 1.02 * angle.tan(), 0.02), 1e-3, scheme));
        run.advance(2.0);
        let at = run.get("x");
        run.advance(60.0);
        let (moved, speed) = (run.get("x") - at, run.get("v"));
        println!("{scheme:?}: {moved:.1e} m in 58 s, {speed:.1e} m/s at the end");
        assert!(moved.abs() < 1e-9 && speed.abs() < 1e-9);
        assert!((run.get("force.x") + 3.0 * 9.81 * angle.sin()).abs() < 1e-6);
        assert!((run.get("normal") - 3.0 * 9.81 * angle.cos()).abs() < 1e-6);
        // The two feet below carry the moment of the weight as well, which acts 0.1 m over the slope.
        let most = 3.0 * 9.81 * (angle.cos() / 4.0 + angle.sin() * 0.1 / 0.4);
        assert!((run.get("distance") + most / 4e4).abs() < 1e-3 * most / 4e4, "{} {most}", run.get("distance"));
        let mut run = Run::new(&with(&on_slope(FEET, 0.0, 0.2, 0.02), 1e-3, scheme));
        run.advance(1.0);
        let v = run.get("v");
        run.advance(2.0);
        let found = run.get("v") - v;
        let expected = 9.81 * (angle.sin() - 0.2 * angle.cos());
        println!("{scheme:?}: slides with {found} m/s² of {expected}");
        assert!((found - expected).abs() < 1e-6 * expected, "{found} {expected}");
    }
}

#[test]
fn a_sphere_rolls_down_with_five_sevenths_and_slides_where_friction_is_too_small() {
    let angle = 20f64.to_radians();
    let inertia = 0.4 * 3.0 * 0.01;
    for scheme in SCHEMES {
        for friction in [0.5, 0.05] {
            let text = on_slope("[[0, 0, 0.1]]", 0.1, friction, inertia);
            let mut run = Run::new(&with(&text, 5e-4, scheme));
            run.advance(1.0);
            let before = [run.get("v"), run.get("spin")];
            run.advance(2.0);
            let found = [run.get("v") - before[0], run.get("spin") - before[1]];
            let (pull, hold) = (9.81 * angle.sin(), friction * 9.81 * angle.cos());
            let rolling = friction > 0.1;
            let v = if rolling { 5.0 / 7.0 * pull } else { pull - hold };
            // Pressed in by 0.7 mm, it rolls on a radius that is smaller by half of that.
            let radius = 0.1 - 0.5 * 3.0 * 9.81 * angle.cos() / 4e4;
            let spin = if rolling { v / radius } else { 3.0 * hold * radius / inertia };
            println!("{scheme:?}, μ = {friction}: {found:?} of {v}, {spin}");
            assert!((found[0] / v - 1.0).abs() < 4e-3 && (found[1] / spin - 1.0).abs() < 4e-3);
        }
    }
}

#[test]
fn two_spheres_exchange_their_speeds_and_momentum_stays() {
    let sphere = |name: &str, x: f64, speed: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmass = 1\ncom = [{x}, 0, 0]\ninertia = [0.004, 0.004, 0.004, 0, 0, 0]\n\
             [[joint]]\nname = \"{name}\"\ntype = \"floating\"\nbodies = [\"ground\", \"{name}\"]\n\
             point = [{x}, 0, 0]\nspeed = [{speed}, 0, 0, 0, 0, 0]\n\
             [[output]]\nname = \"{name}\"\njoint = \"{name}\"\ncoordinate = \"x\"\nquantity = \"speed\"\n"
        )
    };
    let text = format!(
        "[model]\nname = \"spheres\"\ngravity = [0, 0, 0]\n{}{}[[contact]]\nname = \"contact\"\n\
         bodies = [\"first\", \"second\"]\npoints = [[0.5, 0, 0]]\nradius = 0.1\nsurface = \"sphere\"\n\
         point = [0, 0, 0]\nsurface_radius = 0.1\nstiffness = 1e5\nrestitution = 1\n",
        sphere("first", 0.0, 2.0),
        sphere("second", 0.5, 0.0)
    );
    // Where the force begins its slope jumps: order two.
    for (step, tolerance) in [(1e-4, 5e-5), (2.5e-5, 4e-6)] {
        let mut run = Run::new(&with(&text, step, Integrator::Rk4));
        run.advance(1.0);
        let [first, second] = [run.get("first"), run.get("second")];
        assert!(first.abs() < tolerance && (second - 2.0).abs() < tolerance, "{first:e} {second}");
        assert!((first + second - 2.0).abs() < 1e-12, "{first:e} {second}");
    }
}

#[test]
fn a_thrown_box_comes_to_rest_on_a_face_with_its_energy_accounted_for() {
    let path = models_folder().join("contacts/tumbling_box.toml");
    let model = models::load(&path).model;
    let mut run = Run::new(&model);
    let before = run.get("energy_balance");
    run.advance(3.0);
    let (height, balance) = (run.get("position.z"), run.get("energy_balance") - before);
    println!("rests at {height} m, energy off by {balance:.1e} J of 60 J");
    let faces = [0.1, 0.15, 0.2];
    assert!(faces.iter().any(|face| (height - face).abs() < 1e-3), "{height}");
    assert!((run.get("normal_force") - 12.0 * 9.81).abs() < 1e-3);
    assert!(run.get("speed.x").abs() + run.get("speed.y").abs() + run.get("speed.z").abs() < 1e-6);
    assert!(balance.abs() < 0.06, "{balance}");
}
