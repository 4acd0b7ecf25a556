//! Friction that follows the load of its joint.

use crate::force_elements::Run;
use ballesta::math::larger;

const JOURNAL: &str = "models/laws/journal.toml";

/// A mass on an inclined rail of the slope 1:2 with the last keys `more` of its friction, starting at `speed`.
fn rail(more: &str, speed: f64) -> String {
    format!(
        r#"
    [model]
    name = "rail"
    gravity = [0, 0, -9.81]
    step = 1e-3

    [[body]]
    name = "block"
    mass = 1.5
    com = [0, 0, 0]
    inertia = [1e-3, 1e-3, 1e-3, 0, 0, 0]

    [[joint]]
    name = "rail"
    type = "prismatic"
    bodies = ["ground", "block"]
    axis = [2, 0, -1]
    speed = {speed}

    [[friction]]
    name = "friction"
    joint = "rail"
    nominal_load = 5.0
    presliding = 1e-5
    {more}

    [[output]]
    name = "x"
    joint = "rail"
    quantity = "position"

    [[output]]
    name = "balance"
    quantity = "energy_balance"
"#
    )
}

#[test]
fn a_mass_slides_down_a_rail_with_the_friction_of_its_weight() {
    let (sine, cosine) = (1.0 / 5f64.sqrt(), 2.0 / 5f64.sqrt());
    for integrator in ["rk4", "heun", "semi_implicit_euler", "generalized_alpha"] {
        let text = rail("coefficient = 0.3", 1.0);
        let mut run = Run::new(&text.replace("step = 1e-3", &format!("step = 1e-3\nintegrator = \"{integrator}\"")));
        let acceleration = 9.81 * (sine - 0.3 * cosine);
        run.advance(1.0);
        // Euler's method has an error of a h t / 2 here.
        let tolerance = if integrator == "semi_implicit_euler" { 2e-3 } else { 1e-9 };
        let error = run.output("x") - (1.0 + 0.5 * acceleration);
        assert!(error.abs() < tolerance, "{integrator}: {error:e} m");
    }
}

#[test]
fn a_mass_rests_on_a_rail_up_to_the_static_coefficient() {
    // The slope is 0.5.
    for (coefficient, rests) in [(0.51, true), (0.49, false)] {
        let more = format!("coefficient = 0.2\nstatic_coefficient = {coefficient}\nstribeck_speed = 1e-3");
        let mut run = Run::new(&rail(&more, 0.0));
        let start = run.output("x");
        run.advance(2.0);
        let moved = (run.output("x") - start).abs();
        assert!(if rests { moved < 1e-12 } else { moved > 1.0 }, "{coefficient}: {moved:e} m");
    }
}

/// Angle of the pendulum of `journal.toml` at `end`, before its first reversal: the friction is 0.2 · 0.02 m times the
/// present reaction.
fn swing(end: f64) -> f64 {
    let (m, l, inertia, arm, g) = (2.0, 0.6, 2.0 * 0.6 * 0.6 + 0.004, 0.2 * 0.02, 9.81);
    // Positive angles about y lower the mass: gravity accelerates the angle by m g l cos θ.
    let rate = |[angle, speed]: [f64; 2]| {
        let mut acceleration = 0.0;
        for _ in 0..60 {
            let along = m * (g * f64::cos(angle) - l * acceleration);
            let radial = m * (g * f64::sin(angle) + l * speed * speed);
            let friction =
                if speed == 0.0 { arm * along.hypot(radial) } else { arm * along.hypot(radial) * f64::signum(speed) };
            acceleration = (m * g * l * f64::cos(angle) - friction) / inertia;
        }
        [speed, acceleration]
    };
    let ahead = |y: [f64; 2], k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    let (steps, mut y) = (4000, [0.0, 0.0]);
    let h = end / f64::from(steps);
    for _ in 0..steps {
        let k1 = rate(y);
        let k2 = rate(ahead(y, k1, 0.5 * h));
        let k3 = rate(ahead(y, k2, 0.5 * h));
        let k4 = rate(ahead(y, k3, h));
        y = [0, 1].map(|j| y[j] + h / 6.0 * (k1[j] + 2.0 * (k2[j] + k3[j]) + k4[j]));
    }
    y[0]
}

#[test]
fn the_torque_of_a_journal_follows_the_reaction_with_the_delay_of_its_filter() {
    let text = std::fs::read_to_string(JOURNAL).expect("a file");
    let error = |time: f64| {
        let keys = format!("coefficient = 0.2\nload_time = {time}\ntime = 1e-4\npresliding = 1e-5");
        let text = text.replacen("coefficient = 0.2", &keys, 1).replacen("presliding = 1e-3", "", 1);
        let mut run = Run::new(&text.replace("step = 1e-3", "step = 2e-5"));
        run.advance(0.4);
        run.output("pendulum.angle") - swing(0.4)
    };
    let errors = [2e-3, 1e-3, 5e-4].map(error);
    for pair in errors.windows(2) {
        assert!((pair[0] / pair[1] - 2.0).abs() < 0.02, "{errors:?}");
    }
    // Without delay; the bristles have a travel of 1e-5 rad.
    assert!((2.0 * errors[2] - errors[1]).abs() < 1e-6, "{errors:?}");
}

#[test]
fn friction_of_a_journal_only_dissipates() {
    let text = std::fs::read_to_string(JOURNAL).expect("a file");
    let mut run = Run::new(&text);
    let energy = run.output("energy_balance");
    let mut worst: f64 = 0.0;
    for i in 1..=50 {
        run.advance(0.1 * f64::from(i));
        worst = larger(worst, (run.output("energy_balance") - energy).abs());
    }
    assert!(worst < 1e-6, "{worst:e} J");
}

#[test]
fn two_bearings_carry_force_and_moment() {
    // A vertical shaft with a horizontal load at one bearing, and at the middle.
    let shaft = |place: f64| {
        format!(
            r#"
    [model]
    name = "shaft"
    gravity = [0, 0, 0]
    step = 1e-4

    [[body]]
    name = "shaft"
    mass = 1.0
    com = [0, 0, 0]
    inertia = [1e-2, 1e-2, 1e-3, 0, 0, 0]

    [[joint]]
    name = "axis"
    type = "revolute"
    bodies = ["ground", "shaft"]
    point = [0, 0, 0]
    axis = [0, 0, 1]
    speed = 100.0

    [[force]]
    name = "load"
    body = "shaft"
    point = [0, 0, {place}]
    value = [30.0, 0, -20.0]

    [[friction]]
    name = "friction"
    joint = "axis"
    coefficient = 0.1
    radius = 0.01
    thrust_radius = 0.02
    bearing_distance = 0.4
    nominal_load = 30.0
    presliding = 1e-3

    [[output]]
    name = "speed"
    joint = "axis"
    quantity = "speed"
"#
        )
    };
    // Forces on the two bearings: 15 ± 30 · place/0.4.
    for (place, radial) in [(0.0, 30.0), (0.1, 30.0), (0.2, 30.0), (0.4, 60.0), (-0.4, 60.0)] {
        let mut run = Run::new(&shaft(place));
        run.advance(0.5);
        let torque = 0.1 * (0.01 * radial + 0.02 * 20.0);
        let speed = 100.0 - torque / 1e-3 * 0.5;
        assert!((run.output("speed") - speed).abs() < 1e-7, "{place}: {} for {speed}", run.output("speed"));
    }
}
