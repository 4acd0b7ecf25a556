//! Cables, freewheels, limits of rotations, formulas, and bushings that break: the models of `models/laws` with closed
//! forms.

use crate::force_elements::Run;
use ballesta::math::{larger, largest};

fn run(name: &str) -> Run {
    Run::new(&std::fs::read_to_string(format!("models/laws/{name}.toml")).expect("a file"))
}

#[test]
fn weights_on_a_tackle_accelerate_as_on_a_rope_that_does_not_stretch() {
    let mut tackle = run("tackle");
    let energy = tackle.output("energy_balance");
    let acceleration = 9.81 * (2.0 * 2.0 - 3.0) / (3.0 + 4.0 * 2.0);
    for i in 1..=10 {
        let t = 0.1 * f64::from(i);
        tackle.advance(t);
        let rise = 0.5 * acceleration * t * t;
        assert!((tackle.output("load.position") - rise).abs() < 1e-9);
        assert!((tackle.output("counterweight.position") + 2.0 * rise).abs() < 1e-9);
        assert!((tackle.output("rope.tension") - 2.0 * (9.81 - 2.0 * acceleration)).abs() < 1e-6);
    }
    assert!((tackle.output("energy_balance") - energy).abs() < 1e-9);
}

#[test]
fn flywheel_keeps_the_largest_speed_of_the_crank() {
    let mut freewheel = run("freewheel");
    freewheel.advance(0.5);
    let kept = freewheel.output("flywheel.speed");
    // Half of the swing times 2π Hz; the wind-up adds what the damper leaves of it.
    let largest = 0.5 * std::f64::consts::TAU;
    assert!((kept - largest).abs() < 0.02 * largest, "{kept} for {largest} rad/s");
    for i in 6..=30 {
        freewheel.advance(0.1 * f64::from(i));
        assert!(freewheel.output("flywheel.speed") > kept - 1e-9);
        assert!(freewheel.output("flywheel.speed") < 1.01 * kept);
        assert!(freewheel.output("hub.torque") >= 0.0);
    }
    assert!(freewheel.output("energy_balance").abs() < 1e-4);
}

#[test]
fn arm_stays_within_the_limits_of_its_shoulder() {
    let mut shoulder = run("shoulder");
    let energy = shoulder.output("energy_balance");
    let (mut swing, mut twists): (f64, [f64; 2]) = (0.0, [0.0; 2]);
    for i in 1..=300 {
        shoulder.advance(0.01 * f64::from(i));
        let [w, x, y, z] = ["w", "x", "y", "z"].map(|part| shoulder.output(&format!("arm.{part}")));
        // The axis is −z.
        swing = larger(swing, (1.0 - 2.0 * (x * x + y * y)).clamp(-1.0, 1.0).acos());
        let twist = -2.0 * z.atan2(w);
        let twist = (twist + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
        twists = [twists[0].min(twist), twists[1].max(twist)];
    }
    // Speed and weight press the stops: ½ k δ² is at most the energy at the start.
    assert!((0.6..0.9).contains(&swing), "swing {swing}");
    assert!((0.8..1.0).contains(&twists[1]) && (-0.75..-0.5).contains(&twists[0]), "twists {twists:?}");
    assert!((shoulder.output("energy_balance") - energy).abs() < 1e-3);
}

#[test]
fn formula_moves_the_mass_like_the_same_equation_in_this_program() {
    let mut duffing = run("duffing");
    let rate =
        |t: f64, [x, v]: [f64; 2]| [v, -100.0 * x * (1.0 + (x / 0.01).powi(2)) - 2.0 * v + 0.6 * (8.0 * t).cos()];
    let (h, mut y) = (1e-4, [0.02, 0.0]);
    let ahead = |y: [f64; 2], k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    for i in 0..20_000 {
        let t = h * f64::from(i);
        let k1 = rate(t, y);
        let k2 = rate(t + 0.5 * h, ahead(y, k1, 0.5 * h));
        let k3 = rate(t + 0.5 * h, ahead(y, k2, 0.5 * h));
        let k4 = rate(t + h, ahead(y, k3, h));
        y = [0, 1].map(|j| y[j] + h / 6.0 * (k1[j] + 2.0 * (k2[j] + k3[j]) + k4[j]));
    }
    duffing.advance(2.0);
    let (x, v) = (duffing.output("mass.position"), duffing.output("mass.speed"));
    assert!((x - y[0]).abs() < 1e-8 && (v - y[1]).abs() < 1e-7, "{x} {v} for {y:?}");
    assert!(duffing.output("energy_balance").abs() < 1e-8);
}

#[test]
fn hook_breaks_at_its_force_and_the_weight_falls() {
    let mut hook = run("breaking_hook");
    let energy = hook.output("energy_balance");
    // The hook carries 2 g + 10 t until it breaks at 40 N.
    let breaks = (40.0 - 2.0 * 9.81) / 10.0;
    hook.advance(breaks - 0.02);
    assert!((hook.output("hook.force") - (2.0 * 9.81 + 10.0 * (breaks - 0.02))).abs() < 0.5);
    hook.advance(breaks + 0.02);
    assert!(hook.output("hook.force").abs() < 1e-6);
    let (t0, x0, v0) = (breaks + 0.02, hook.output("weight.position"), hook.output("weight.speed"));
    hook.advance(2.5);
    let t = 2.5 - t0;
    let (speed, fall) =
        (v0 - (9.81 + 5.0 * t0) * t - 2.5 * t * t, x0 + v0 * t - (4.905 + 2.5 * t0) * t * t - 2.5 / 3.0 * t * t * t);
    assert!((hook.output("weight.speed") - speed).abs() < 1e-9);
    assert!((hook.output("weight.position") - fall).abs() < 1e-9);
    assert!((hook.output("energy_balance") - energy).abs() < 1e-2);
}

#[test]
fn ball_rolls_down_the_plane_with_five_sevenths_of_the_acceleration() {
    let mut ball = run("rolling_ball");
    let energy = ball.output("energy_balance");
    let place = |ball: &mut Run| ["x", "y", "z"].map(|part| ball.output(&format!("ball.position.{part}")));
    let start = place(&mut ball);
    let (sine, cosine) = 0.2_f64.sin_cos();
    for i in 1..=20 {
        let t = 0.1 * f64::from(i);
        ball.advance(t);
        let [x, y, z] = place(&mut ball);
        // Down the plane from rest, and across it with r ω.
        let down = 0.5 * 5.0 / 7.0 * 9.81 * sine * t * t;
        let expected = [start[0] + cosine * down, start[1] + 0.05 * 10.0 * t, start[2] - sine * down];
        let error = largest([x, y, z].iter().zip(expected).map(|(found, right)| (found - right).abs()));
        assert!(error < 1e-8, "{error} m at {t} s");
    }
    // Friction carries 2/7 of the weight along the plane.
    let force = ["x", "y", "z"].map(|part| ball.output(&format!("plane.force.{part}")));
    let along = force[0] * cosine - force[2] * sine;
    assert!((along + 2.0 / 7.0 * 9.81 * sine).abs() < 1e-9, "{along}");
    assert!((ball.output("energy_balance") - energy).abs() < 1e-9);
}

#[test]
fn coin_rolls_in_the_circle_of_the_theory() {
    let mut coin = run("rolling_disc");
    let energy = coin.output("energy_balance");
    let part = |coin: &mut Run, what: &str| ["x", "y", "z"].map(|part| coin.output(&format!("coin.{what}.{part}")));
    let (start, velocity) = (part(&mut coin, "position"), part(&mut coin, "velocity"));
    // Centre of the circle: v = ψ̇ z × (C − M).
    let precession = 2.0;
    let middle = [start[0] - velocity[1] / precession, start[1] + velocity[0] / precession];
    let radius = (start[0] - middle[0]).hypot(start[1] - middle[1]);
    for i in 1..=50 {
        let t = 0.1 * f64::from(i);
        coin.advance(t);
        let [x, y, z] = part(&mut coin, "position");
        assert!((z - 0.1 * 0.3_f64.cos()).abs() < 1e-9, "height {z} at {t} s");
        let (sine, cosine) = (precession * t).sin_cos();
        let arm = [start[0] - middle[0], start[1] - middle[1]];
        let expected = [middle[0] + cosine * arm[0] - sine * arm[1], middle[1] + sine * arm[0] + cosine * arm[1]];
        let error = (x - expected[0]).hypot(y - expected[1]);
        assert!(error < 1e-7 * radius, "{error} m of {radius} m at {t} s");
    }
    assert!((coin.output("energy_balance") - energy).abs() < 1e-10);
}
