//! Cables, freewheels, limits of rotations, formulas, and bushings that break: the models of `models/laws` with closed
//! forms.

use crate::force_elements::Run;

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
        swing = swing.max((1.0 - 2.0 * (x * x + y * y)).clamp(-1.0, 1.0).acos());
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
    let rate = |t: f64, [x, v]: [f64; 2]| [v, 100.0 * x * (1.0 - (x / 0.01).powi(2)) - 2.0 * v + 0.6 * (8.0 * t).cos()];
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
